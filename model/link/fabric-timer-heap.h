/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TIMER_HEAP_H
#define FABRIC_TIMER_HEAP_H

#include "fabric-types.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// One timer per connection, the earliest first; connections with equal times by their number.
class TimerHeap
{
  public:
    /// @return the earliest time, ps; NEVER if no timer runs
    TimePs Earliest() const
    {
        return m_heap.empty() ? NEVER : m_heap.front().first;
    }

    /// @return whose timer is the earliest; one must run
    uint32_t First() const
    {
        return m_heap.front().second;
    }

    /**
     * @param other timers of the same owners
     * @return whether the next of both is here; one must run
     */
    bool IsBefore(const TimerHeap& other) const
    {
        return !m_heap.empty() && (other.m_heap.empty() || m_heap.front() < other.m_heap.front());
    }

    /// @param time when it fires, ps; NEVER stops it
    void Set(uint32_t owner, TimePs time)
    {
        if (owner >= m_places.size())
        {
            m_places.resize(owner + 1, NOWHERE);
        }
        const uint32_t place = m_places[owner];
        if (time == NEVER)
        {
            Remove(place);
            return;
        }
        if (place == NOWHERE)
        {
            m_heap.emplace_back(time, owner);
            Rise(static_cast<uint32_t>(m_heap.size()) - 1, {time, owner});
            return;
        }
        Settle(place, {time, owner});
    }

    /**
     * Brings a timer forward.
     *
     * @param time ps; a timer that fires before it stays as it is
     */
    void Lower(uint32_t owner, TimePs time)
    {
        if (time != NEVER && time < Time(owner))
        {
            Set(owner, time);
        }
    }

    /// @return when its timer fires, ps; NEVER if it does not run
    TimePs Time(uint32_t owner) const
    {
        return owner < m_places.size() && m_places[owner] != NOWHERE ? m_heap[m_places[owner]].first
                                                                     : NEVER;
    }

  private:
    using Timer = std::pair<TimePs, uint32_t>; ///< Time and owner.

    static constexpr uint32_t NOWHERE = ~uint32_t{0}; ///< Place of a timer that does not run.

    /// Puts a timer where there was another, wherever it belongs.
    void Settle(uint32_t place, const Timer& timer)
    {
        if (place > 0 && timer < m_heap[(place - 1) / 2])
        {
            Rise(place, timer);
        }
        else
        {
            Sink(place, timer);
        }
    }

    /// Takes a timer out.
    void Remove(uint32_t place)
    {
        if (place == NOWHERE)
        {
            return;
        }
        m_places[m_heap[place].second] = NOWHERE;
        const Timer last = m_heap.back();
        m_heap.pop_back();
        if (place < m_heap.size())
        {
            Settle(place, last);
        }
    }

    /// Moves a timer from a place towards the front.
    void Rise(uint32_t place, const Timer& timer)
    {
        while (place > 0 && timer < m_heap[(place - 1) / 2])
        {
            Put(place, m_heap[(place - 1) / 2]);
            place = (place - 1) / 2;
        }
        Put(place, timer);
    }

    /// Moves a timer from a place towards the back.
    void Sink(uint32_t place, const Timer& timer)
    {
        for (;;)
        {
            uint32_t child = 2 * place + 1;
            if (child >= m_heap.size())
            {
                break;
            }
            child += child + 1 < m_heap.size() && m_heap[child + 1] < m_heap[child];
            if (!(m_heap[child] < timer))
            {
                break;
            }
            Put(place, m_heap[child]);
            place = child;
        }
        Put(place, timer);
    }

    /// Writes a timer and remembers where it is.
    void Put(uint32_t place, const Timer& timer)
    {
        m_heap[place] = timer;
        m_places[timer.second] = place;
    }

    std::vector<Timer> m_heap;      ///< Binary heap.
    std::vector<uint32_t> m_places; ///< By owner.
};

} // namespace ns3::fabric

#endif // FABRIC_TIMER_HEAP_H
