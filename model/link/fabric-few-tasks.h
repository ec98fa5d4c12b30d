/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FEW_TASKS_H
#define FABRIC_FEW_TASKS_H

#include "fabric-types.h"

#include <array>
#include <cstdint>

namespace ns3::fabric
{

/// What a switch has to do at some time.
struct DueTask
{
    uint32_t entry; ///< Number of the task on the agenda.
    TimePs time;    ///< When, ps.

    /// @return whether it is done before another (DP-7)
    bool Precedes(DueTask other) const
    {
        return time < other.time || (time == other.time && entry < other.entry);
    }
};

/**
 * A few tasks of a switch by (time, number) (DP-7): those that come next.
 *
 * Where traffic is paced most switches have an arrival and a decision in a window, so there is no
 * need to look through all that a switch may have to do. Behind them is a bound, so that neither
 * who asks for the first nor who adds one has to look whether there is any.
 */
class FewTasks
{
  public:
    static constexpr uint32_t MOST = 6; ///< How many there may be.

    /// @return number of tasks
    uint32_t Size() const
    {
        return m_size;
    }

    /// @return when the first is due, or the bound if there is none, ps
    TimePs Earliest() const
    {
        return m_times[m_size];
    }

    /// @return the first, or the bound if there is none
    DueTask First() const
    {
        return At(m_size);
    }

    /// @return a task that is after all of them; {0, NEVER} unless it was set
    DueTask Bound() const
    {
        return At(0);
    }

    /// @param bound is after all of them
    void SetBound(DueTask bound)
    {
        Put(0, bound);
    }

    /// @param task is not among them, which are fewer than MOST, and precedes the bound
    void Add(DueTask task)
    {
        uint32_t place = ++m_size;
        for (; At(place - 1).Precedes(task); --place)
        {
            Put(place, At(place - 1));
        }
        Put(place, task);
    }

    /// @return the first, which leaves them; there is one
    DueTask Take()
    {
        return At(m_size--);
    }

    /// @return the last; there is one
    DueTask Latest() const
    {
        return At(1);
    }

    /// The last leaves them, which is the bound now; there is one.
    void BoundByLatest()
    {
        RemoveAt(0);
    }

    /// One leaves, if it is among them: rare. @param entry its number
    [[gnu::cold, gnu::noinline]] void Remove(uint32_t entry)
    {
        uint32_t place = 1;
        while (place <= m_size && m_entries[place] != entry)
        {
            ++place;
        }
        if (place <= m_size)
        {
            RemoveAt(place);
        }
    }

  private:
    /// @return the one at a place
    DueTask At(uint32_t place) const
    {
        return {m_entries[place], m_times[place]};
    }

    /// Puts one at a place.
    void Put(uint32_t place, DueTask task)
    {
        m_times[place] = task.time;
        m_entries[place] = static_cast<uint16_t>(task.entry);
    }

    /// The one at a place leaves.
    void RemoveAt(uint32_t place)
    {
        for (; place < m_size; ++place)
        {
            Put(place, At(place + 1));
        }
        --m_size;
    }

    std::array<uint16_t, MOST + 1> m_entries{};    ///< Numbers; the bound, then what is due last.
    uint16_t m_size{0};                            ///< See Size().
    std::array<TimePs, MOST + 1> m_times{{NEVER}}; ///< When, in the same order, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_FEW_TASKS_H
