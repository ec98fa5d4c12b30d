/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONNECTION_TIMERS_H
#define FABRIC_CONNECTION_TIMERS_H

#include "fabric-timer-heap.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ns3::fabric
{

/**
 * The timers of all connections of an endpoint, by their places: one after which a ULP may be told
 * of something, and one after which something may be sent, no more. They are set early rather than
 * moved, and looked at again when they come.
 */
class ConnectionTimers
{
  public:
    /// @return the next time of any, ps; NEVER if none runs
    TimePs Next() const
    {
        return std::min(m_deadlines.Earliest(), m_sends.Earliest());
    }

    /// @return the next time after which a ULP may be told of something, ps; NEVER if none runs
    TimePs NextDeadline() const
    {
        return m_deadlines.Earliest();
    }

    /**
     * Brings the timers of a connection forward.
     *
     * @param deadline after which its ULP may be told of something, ps; NEVER for none
     * @param send after which it may have something to send, ps; NEVER for none
     */
    void Lower(uint32_t place, TimePs deadline, TimePs send)
    {
        m_deadlines.Lower(place, deadline);
        m_sends.Lower(place, send);
    }

    /// @param place of a connection that is gone
    void Stop(uint32_t place)
    {
        m_deadlines.Set(place, NEVER);
        m_sends.Set(place, NEVER);
    }

    /// Stops the timers that come at Next(). @return place of the connection that has them
    uint32_t TakeNext()
    {
        const TimePs next = Next();
        const uint32_t place =
            m_deadlines.IsBefore(m_sends) ? m_deadlines.First() : m_sends.First();
        for (TimerHeap* timers : {&m_deadlines, &m_sends})
        {
            if (timers->Time(place) == next)
            {
                timers->Set(place, NEVER);
            }
        }
        return place;
    }

  private:
    TimerHeap m_deadlines; ///< Of which a ULP may be told.
    TimerHeap m_sends;     ///< After which something may be sent.
};

} // namespace ns3::fabric

#endif // FABRIC_CONNECTION_TIMERS_H
