/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SLIDING_WINDOW_H
#define FABRIC_SLIDING_WINDOW_H

#include "fabric-bandwidth-meter.h"

#include <array>

namespace ns3::fabric
{

/**
 * Sliding window (VA-2): the group conforms while it has sent less in the window than its share of
 * what the link carries in one.
 *
 * The window is made of SLOTS slots and moves on by one slot at a time, as counters in hardware do:
 * what was sent in a slot is forgotten when the slot SLOTS further on begins. A group that always
 * has packets sends the same in each slot as SLOTS before, so its share is exact but for the last
 * packet of a window, which may begin just below the limit: a window should hold many packets.
 */
class SlidingWindow : public BandwidthMeter<SlidingWindow>
{
  public:
    static constexpr uint32_t SLOTS = WindowRule::SLOTS; ///< Of a window.
    static constexpr bool CHARGES_RUNS_AT_ONCE = false;  ///< Flits may fall into different slots.

    explicit SlidingWindow(const MeterRule& rule)
        : m_conformsAt(rule.Window().limit == 0 ? NEVER : 0)
    {
    }

    /// @return the first time from which the group conforms if nothing more is charged, ps; long
    /// past if it does now, NEVER for a share of 0
    TimePs ConformsAt(const MeterRule& /* rule */) const
    {
        return m_conformsAt;
    }

    /**
     * @param bytes that are sent, at most 65535
     * @return ConformsAt() after it
     */
    TimePs Charge(const MeterRule& rule, uint32_t bytes, TimePs now)
    {
        const WindowRule& window = rule.Window();
        MoveTo(now / window.slotTime);
        m_slots[m_newest % SLOTS] += bytes;
        m_sum += bytes;
        if (m_sum >= window.limit)
        {
            m_conformsAt = EndOfExcess(window);
        }
        return m_conformsAt;
    }

  private:
    /// @param slot the slot that has begun, counted from time 0; older ones are forgotten
    void MoveTo(int64_t slot)
    {
        for (; m_newest < slot && m_sum != 0; ++m_newest)
        {
            uint64_t& oldest = m_slots[(m_newest + 1) % SLOTS];
            m_sum -= oldest;
            oldest = 0;
        }
        m_newest = slot;
    }

    /// @return when enough will be forgotten to be below the limit, ps
    TimePs EndOfExcess(const WindowRule& window) const;

    uint64_t m_sum{0};                     ///< Bytes in all slots.
    int64_t m_newest{0};                   ///< The slot that was charged last, from time 0.
    TimePs m_conformsAt{0};                ///< See ConformsAt().
    std::array<uint64_t, SLOTS> m_slots{}; ///< Bytes of each slot.
};

} // namespace ns3::fabric

#endif // FABRIC_SLIDING_WINDOW_H
