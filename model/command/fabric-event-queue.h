/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_EVENT_QUEUE_H
#define FABRIC_EVENT_QUEUE_H

#include "fabric-ring.h"
#include "fabric-types.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/**
 * A queue of events in host memory with an end (NQ-13): the NIC writes, software takes one after
 * the other, and tells the NIC of free slots when it has taken a quarter of them.
 *
 * An event without room is lost, and counted, so that software learns of it from the next one (as
 * PTL_EQ_DROPPED of Portals 4).
 */
class EventQueue
{
  public:
    /// Times of software.
    struct Times
    {
        TimePs look;  ///< From an event in memory to software that sees it, ps.
        TimePs each;  ///< Between two events, at least, ps.
        TimePs toNic; ///< Until the NIC knows of free slots, ps.
    };

    /// @param slots of the queue, a multiple of 4
    EventQueue(uint32_t slots, const Times& times)
        : m_slots(slots),
          m_times(times)
    {
    }

    /// The NIC has an event. @return whether there is a slot for it; else it is lost
    bool TakeSlot(TimePs now)
    {
        const bool hasRoom = Reserve(now);
        m_lost += hasRoom ? 0 : 1;
        return hasRoom;
    }

    /// A slot is taken for an event that comes later. @return whether there is one
    bool Reserve(TimePs now)
    {
        for (; !m_frees.IsEmpty() && m_frees.Front() <= now; m_frees.Pop())
        {
            m_used -= m_slots / 4;
        }
        const bool hasRoom = m_used < m_slots;
        m_used += hasRoom ? 1 : 0;
        return hasRoom;
    }

    /// A slot that was reserved is not needed.
    void Release()
    {
        --m_used;
    }

    /**
     * An event that has a slot is written.
     *
     * @param there when, ps
     * @param work software is busy with it for so long, ps
     * @return when software has done that, ps
     */
    TimePs Write(TimePs there, TimePs work)
    {
        m_seenAt = std::max(there + m_times.look, m_seenAt + m_times.each) + work;
        if (++m_taken == m_slots / 4)
        {
            m_taken = 0;
            m_frees.Push(m_seenAt + m_times.toNic);
        }
        return m_seenAt;
    }

    /// @return events that were lost so far
    uint32_t Lost() const
    {
        return m_lost;
    }

  private:
    uint32_t m_slots;     ///< Of the queue.
    Times m_times;        ///< Of software.
    uint32_t m_used{0};   ///< Slots, as far as the NIC knows.
    uint32_t m_taken{0};  ///< Events that the NIC was not told of.
    uint32_t m_lost{0};   ///< See Lost().
    TimePs m_seenAt{0};   ///< When software has seen the last one, ps.
    Ring<TimePs> m_frees; ///< When the NIC learns of a quarter of the slots.
};

} // namespace ns3::fabric

#endif // FABRIC_EVENT_QUEUE_H
