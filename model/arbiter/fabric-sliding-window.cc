/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-sliding-window.h"

#include "fabric-lane-table.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace fabric
{

namespace
{

constexpr TimePs LONGEST_WINDOW = 1'000'000'000'000'000; ///< 1000 s, ps.

/// @return the length of a slot, ps, rounded up
TimePs
SlotTime(const MeterSettings& settings, const LinkRate& rate)
{
    if (settings.window < 0 || settings.window > LONGEST_WINDOW)
    {
        throw std::invalid_argument("bandwidth meter: a window of " +
                                    std::to_string(settings.window) +
                                    " ps is not possible; allowed are 0 to 10^15 ps");
    }
    const TimePs window = settings.window == 0
                              ? 16 * rate.TxTime(MeterSettings::DEFAULT_WINDOW / 16)
                              : settings.window;
    return (window + SlidingWindow::SLOTS - 1) / SlidingWindow::SLOTS;
}

} // namespace

WindowRule
SlidingWindow::RuleOf(const MeterSettings& settings, uint32_t share, const LinkRate& rate)
{
    using Wide = unsigned __int128;
    const TimePs slotTime = SlotTime(settings, rate);
    const Wide bitTime =
        Wide{share} * rate.BitsPerSecond() * SLOTS * static_cast<uint64_t>(slotTime);
    const Wide limit = bitTime / (8 * 1'000'000'000'000 * Wide{GroupSettings::FULL_SHARE});
    if (limit == 0 && share != 0)
    {
        throw std::invalid_argument("bandwidth meter: in a window of " +
                                    std::to_string(SLOTS * slotTime) +
                                    " ps a group with a share of " + std::to_string(share) +
                                    "/100 % may send less than a byte; allowed is a longer window");
    }
    return {slotTime, static_cast<uint64_t>(limit)};
}

TimePs
SlidingWindow::EndOfExcess(const WindowRule& window) const
{
    if (window.limit == 0)
    {
        return NEVER;
    }
    uint64_t sum = m_sum;
    int64_t slot = m_newest - SLOTS;
    while (sum >= window.limit)
    {
        ++slot;
        sum -= m_slots[static_cast<uint64_t>(slot + SLOTS) % SLOTS];
    }
    return (slot + SLOTS) * window.slotTime;
}

} // namespace fabric
} // namespace ns3
