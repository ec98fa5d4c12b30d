/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-meter-rule.h"

#include "fabric-lane-table.h"
#include "fabric-require.h"
#include "fabric-wide-integer.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t LARGEST_BUCKET = 1U << 30; ///< Bytes; any real one is far below.

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
    return (window + WindowRule::SLOTS - 1) / WindowRule::SLOTS;
}

} // namespace

WindowRule
WindowRule::Of(const MeterSettings& settings, uint32_t share, const LinkRate& rate)
{
    using Wide = WideUint;
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

MeterRule::MeterRule(const MeterSettings& settings, uint32_t share, const LinkRate& rate)
{
    const char* const where = "bandwidth meter";
    RequireRange(where, "share (1/100 %)", share, 0, GroupSettings::FULL_SHARE);
    RequireRange(where, "rate", rate.BitsPerSecond(), LinkRate::LOWEST, LinkRate::HIGHEST);
    RequireRange(where, "burst", settings.burst, 1, LARGEST_BUCKET);
    RequireRange(where, "tolerance", settings.tolerance, 0, LARGEST_BUCKET);
    RequireRange(where, "debt", settings.debt, 0, LARGEST_BUCKET);
    m_kind = settings.kind;
    if (settings.kind == SLIDING_WINDOW)
    {
        m_window = WindowRule::Of(settings, share, rate);
        return;
    }
    const bool needsToken = settings.kind == TOKEN_BUCKET;
    m_clock =
        ShareClock(share, rate, needsToken ? settings.burst : settings.tolerance, settings.debt);
    m_isWhole = m_clock.IsWhole();
    m_belowDepth = needsToken && share != 0;
}

} // namespace ns3::fabric
