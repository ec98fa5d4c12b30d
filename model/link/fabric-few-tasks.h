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
};

/**
 * The tasks of a switch by (time, number) (DP-7), as long as they are a few.
 *
 * Where traffic is paced most switches have an arrival and a decision in a window and nothing
 * after it, so there is no need to look through all that a switch may have to do. It fills one line
 * of the cache.
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
        for (; place > 0 && Precedes(place - 1, task); --place)
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
        m_taken = m_entries[m_size];
        return {m_taken, m_times[m_size]};
    }

    /// @return number of the one that was taken last
    uint32_t Taken() const
    {
        return m_taken;
    }

    /// @return number of one of them, by place @param place below Size()
    uint32_t EntryAt(uint32_t place) const
    {
        return m_entries[place];
    }

    /// One leaves, if it is among them: rare. @param entry its number
    [[gnu::cold, gnu::noinline]] void Remove(uint32_t entry)
    {
        uint32_t place = 0;
        while (place < m_size && m_entries[place] != entry)
        {
            ++place;
        }
        if (place == m_size)
        {
            return;
        }
        for (--m_size; place < m_size; ++place)
        {
            m_times[place] = m_times[place + 1];
            m_entries[place] = m_entries[place + 1];
        }
    }

    /// None is left.
    void Clear()
    {
        m_size = 0;
    }

  private:
    /// @return whether the one at a place is due before a task
    bool Precedes(uint32_t place, DueTask task) const
    {
        return m_times[place] < task.time ||
               (m_times[place] == task.time && m_entries[place] < task.entry);
    }

    std::array<uint16_t, MOST> m_entries{}; ///< Numbers; the last is due first.
    uint16_t m_size{0};                     ///< See Size().
    uint16_t m_taken{0};                    ///< See Taken().
    std::array<TimePs, MOST> m_times{};     ///< When, in the same order, ps.
};

static_assert(sizeof(FewTasks) == CACHE_LINE, "neighbours read all of it");

} // namespace ns3::fabric

#endif // FABRIC_FEW_TASKS_H
