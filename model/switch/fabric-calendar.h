/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CALENDAR_H
#define FABRIC_CALENDAR_H

#include "fabric-agenda.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * What a switch has to do inside one window, in the order that decides every tie (DP-7): by time,
 * then by task, then by number of the port.
 */
class Calendar
{
  public:
    /// A thing to do.
    struct Item
    {
        TimePs time;   ///< When, ps.
        Task task;     ///< What.
        uint32_t port; ///< Where.
    };

    /// @param start of the window, ps
    void Begin(TimePs start)
    {
        m_start = start;
        m_keys.clear();
    }

    /**
     * @param time at or after the window's start, ps
     * @param task what
     * @param port where
     */
    void Add(TimePs time, Task task, uint32_t port)
    {
        m_keys.push_back(static_cast<uint64_t>(time - m_start) << TIME_SHIFT |
                         static_cast<uint64_t>(task) << TASK_SHIFT | port);
        std::push_heap(m_keys.begin(), m_keys.end(), std::greater<>{});
    }

    /// @return whether nothing is left to do
    bool IsEmpty() const
    {
        return m_keys.empty();
    }

    /// @return the first thing to do, removed
    Item Take()
    {
        std::pop_heap(m_keys.begin(), m_keys.end(), std::greater<>{});
        const uint64_t key = m_keys.back();
        m_keys.pop_back();
        return {m_start + static_cast<TimePs>(key >> TIME_SHIFT),
                static_cast<Task>(key >> TASK_SHIFT & TASK_MASK),
                static_cast<uint32_t>(key & PORT_MASK)};
    }

  private:
    static constexpr uint32_t TASK_SHIFT = 16;                    ///< Ports take 16 bits.
    static constexpr uint32_t TIME_SHIFT = TASK_SHIFT + 2;        ///< Tasks take two.
    static constexpr uint64_t PORT_MASK = (1U << TASK_SHIFT) - 1; ///< Bits of the port.
    static constexpr uint64_t TASK_MASK = 3;                      ///< Bits of the task.

    std::vector<uint64_t> m_keys; ///< A heap; time, task and port in one number.
    TimePs m_start{0};            ///< Start of the window, ps.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_CALENDAR_H
