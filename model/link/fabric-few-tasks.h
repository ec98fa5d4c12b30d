/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FEW_TASKS_H
#define FABRIC_FEW_TASKS_H

#include "fabric-fetch.h"
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
 * need to look through all that a switch may have to do. It fills one line of the cache.
 */
class FewTasks
{
  public:
    static constexpr uint32_t MOST = 6; ///< What fits into the line.

    /// @return number of tasks
    uint32_t Size() const
    {
        return m_size;
    }

    /// @return when the first is due, NEVER if there is none, ps
    TimePs Earliest() const
    {
        return m_size != 0 ? m_times[m_size - 1] : NEVER;
    }

    /// @param task is not among them, which are fewer than MOST
    void Add(DueTask task)
    {
        uint32_t place = m_size++;
        for (; place > 0 && At(place - 1).Precedes(task); --place)
        {
            m_times[place] = m_times[place - 1];
            m_entries[place] = m_entries[place - 1];
        }
        m_times[place] = task.time;
        m_entries[place] = static_cast<uint16_t>(task.entry);
    }

    /// @return the first, which leaves them; there is one
    DueTask Take()
    {
        --m_size;
        return {m_entries[m_size], m_times[m_size]};
    }

    /// @return the last; there is one
    DueTask Latest() const
    {
        return At(0);
    }

    /// @return the last, which leaves them; there is one
    DueTask TakeLatest()
    {
        const DueTask latest = At(0);
        RemoveAt(0);
        return latest;
    }

    /// One leaves, if it is among them: rare. @param entry its number
    [[gnu::cold, gnu::noinline]] void Remove(uint32_t entry)
    {
        uint32_t place = 0;
        while (place < m_size && m_entries[place] != entry)
        {
            ++place;
        }
        if (place < m_size)
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

    /// The one at a place leaves.
    void RemoveAt(uint32_t place)
    {
        for (--m_size; place < m_size; ++place)
        {
            m_times[place] = m_times[place + 1];
            m_entries[place] = m_entries[place + 1];
        }
    }

    std::array<uint16_t, MOST> m_entries{}; ///< Numbers; the last is due first.
    uint16_t m_size{0};                     ///< See Size().
    std::array<TimePs, MOST> m_times{};     ///< When, in the same order, ps.
};

static_assert(sizeof(FewTasks) == CACHE_LINE, "neighbours read all of it");

} // namespace ns3::fabric

#endif // FABRIC_FEW_TASKS_H
