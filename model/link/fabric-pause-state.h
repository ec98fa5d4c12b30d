/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_STATE_H
#define FABRIC_PAUSE_STATE_H

#include "fabric-pause-order.h"
#include "fabric-pause.h"
#include "fabric-ring.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace ns3::fabric
{

/**
 * The paused end of a link: which priorities must not start a frame, and until when (WL-5).
 *
 * | state of a priority | what happens                           | next                         |
 * |---------------------|----------------------------------------|------------------------------|
 * | goes                | an order stops it                      | stopped until time + lasts   |
 * | stopped             | an order stops it again (refresh)      | stopped until time + lasts   |
 * | stopped             | an order lifts the pause (XON)         | goes                         |
 * | stopped             | its time is over without another order | goes                         |
 * | any                 | an order that does not name it         | the same                     |
 *
 * A frame in progress is finished (IEEE Std 802.3-2018, 31B.3.7): the owner asks before each frame.
 * Orders are timed entries in a ring, read only when the owner wants to send, as credits are
 * (DP-13); so a pause costs no event, and it may be handed over ahead of its time (DP-4).
 */
class PauseState
{
  public:
    /// @param order takes effect at order.time, no earlier than the order before it
    void Accept(const PauseOrder& order)
    {
        m_orders.Push(order);
    }

    /**
     * @param now time, ps; not before that of the last call
     * @return bit n: priority n must not start a frame now
     */
    uint8_t Stopped(TimePs now)
    {
        if (m_stopped == 0 && m_orders.IsEmpty())
        {
            return 0; // always so on a link that is not paused
        }
        for (; !m_orders.IsEmpty() && m_orders.Front().time <= now; m_orders.Pop())
        {
            Apply(m_orders.Front());
        }
        ForEachStopped([this, now](uint32_t priority) {
            m_stopped &= ~((*m_until)[priority] <= now ? 1U << priority : 0U);
        });
        return m_stopped;
    }

    /**
     * The link failed, and with it all that was told before it came up again.
     *
     * @param up when it came up, ps
     * @return orders that had not taken effect
     */
    uint32_t Forget(TimePs up)
    {
        uint32_t lost = 0;
        for (; !m_orders.IsEmpty() && m_orders.Front().time < up; m_orders.Pop())
        {
            ++lost;
        }
        m_stopped = 0;
        return lost;
    }

    /// Nobody may start a frame for now, unless an order says so. @param until when, ps
    void StopAll(TimePs until)
    {
        m_stopped = ALL_PRIORITIES;
        MakeUntil().fill(until);
    }

    /// @return whether an order is under way that lifts a pause
    bool IsLifted() const
    {
        bool isLifted = false;
        for (uint32_t i = 0; i < m_orders.Size(); ++i)
        {
            isLifted = isLifted || m_orders.At(i).go != 0;
        }
        return isLifted;
    }

    /// @return when Stopped() may next give something else than last time, NEVER for not at all, ps
    TimePs NextChange() const
    {
        TimePs next = m_orders.IsEmpty() ? NEVER : m_orders.Front().time;
        ForEachStopped(
            [this, &next](uint32_t priority) { next = std::min(next, (*m_until)[priority]); });
        return next;
    }

  private:
    /// By priority, ps.
    using Until = std::array<TimePs, PAUSE_PRIORITIES>;

    /// @return the ends of pauses, made if need be: most links are never paused
    Until& MakeUntil()
    {
        if (!m_until)
        {
            m_until = std::make_unique<Until>();
        }
        return *m_until;
    }

    /// @param visit is called with each priority that is stopped: `void visit(uint32_t)`
    template <typename Visit>
    void ForEachStopped(Visit&& visit) const
    {
        for (uint32_t left = m_stopped; left != 0; left &= left - 1)
        {
            visit(static_cast<uint32_t>(__builtin_ctz(left)));
        }
    }

    /// @param order takes effect
    void Apply(const PauseOrder& order)
    {
        m_stopped = static_cast<uint8_t>((m_stopped | order.stop) & ~order.go);
        for (uint32_t priority = 0; priority < PAUSE_PRIORITIES; ++priority)
        {
            if ((order.stop >> priority & 1) != 0)
            {
                MakeUntil()[priority] = order.time + order.lasts;
            }
        }
    }

    uint8_t m_stopped{0};           ///< Bit n: priority n is stopped.
    Ring<PauseOrder> m_orders;      ///< Not in effect yet, by time.
    std::unique_ptr<Until> m_until; ///< Ends of the last pauses; null before the first.
};

} // namespace ns3::fabric

#endif // FABRIC_PAUSE_STATE_H
