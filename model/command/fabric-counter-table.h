/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COUNTER_TABLE_H
#define FABRIC_COUNTER_TABLE_H

#include "fabric-command.h"
#include "fabric-ring.h"
#include "fabric-timed-ring.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

inline constexpr uint16_t NO_COUNTER = 0; ///< Counters are named by their number + 1.

/// A command waits until a counter is as large (NQ-13).
struct CommandTrigger
{
    uint16_t counter{NO_COUNTER}; ///< Number + 1; 0 for a command that does not wait.
    uint64_t threshold{0};        ///< That the counter has to reach.
};

/// A command and where it comes from.
struct TriggeredCommand
{
    uint32_t queue{0};     ///< Number of its queue.
    uint64_t threshold{0}; ///< That its counter has to reach.
    Command command;       ///< It.
};

/**
 * Counting events and what they trigger (NQ-13): a counter is advanced when a command is complete,
 * or when something has come; commands that wait for it are then ready, in the order in which they
 * were posted.
 */
class CounterTable
{
  public:
    /// A counter.
    struct Counter
    {
        uint64_t value{0};                     ///< Events so far.
        TimePs lastAt{0};                      ///< Time of the last one, ps.
        std::vector<TriggeredCommand> waiting; ///< In the order in which they were posted.
    };

    /// @param counters how many there are
    explicit CounterTable(uint32_t counters)
        : m_most(counters)
    {
    }

    /// @param name a counter's number + 1, NO_COUNTER for none @param at when it is advanced, ps
    void Advance(uint16_t name, TimePs at)
    {
        if (name != NO_COUNTER && name <= m_most)
        {
            m_coming.Push({at, name});
        }
    }

    /// @return whether a command has to wait, which it then does
    bool Holds(const CommandTrigger& trigger, uint32_t queue, const Command& command)
    {
        if (trigger.counter == NO_COUNTER || Value(trigger.counter) >= trigger.threshold)
        {
            return false;
        }
        At(trigger.counter).waiting.push_back({queue, trigger.threshold, command});
        return true;
    }

    /// @return when a counter is advanced, NEVER for not at all, ps
    TimePs NextTime() const
    {
        return m_coming.Earliest();
    }

    /// @param now NextTime() @param ready commands that no longer wait are added to it
    void Handle(TimePs now, Ring<TriggeredCommand>& ready)
    {
        for (; m_coming.Earliest() <= now; m_coming.Pop())
        {
            Counter& counter = At(m_coming.Front().name);
            ++counter.value;
            counter.lastAt = m_coming.Front().at;
            Release(counter, ready);
        }
    }

    /// @param name a counter's number + 1
    uint64_t Value(uint16_t name) const
    {
        return name <= m_counters.size() ? m_counters[name - 1].value : 0;
    }

    /// @param name a counter's number + 1 @return when it was last advanced, 0 for never, ps
    TimePs LastAt(uint16_t name) const
    {
        return name <= m_counters.size() ? m_counters[name - 1].lastAt : 0;
    }

  private:
    /// A counter that will be advanced.
    struct Coming
    {
        TimePs at;     ///< When, ps.
        uint16_t name; ///< Its number + 1.
    };

    /// @return a counter
    Counter& At(uint16_t name)
    {
        if (name > m_counters.size())
        {
            m_counters.resize(name);
        }
        return m_counters[name - 1];
    }

    /// Commands whose threshold is reached wait no longer.
    static void Release(Counter& counter, Ring<TriggeredCommand>& ready)
    {
        std::size_t kept = 0;
        for (const TriggeredCommand& each : counter.waiting)
        {
            if (each.threshold <= counter.value)
            {
                ready.Push(each);
            }
            else
            {
                counter.waiting[kept++] = each;
            }
        }
        counter.waiting.resize(kept);
    }

    uint32_t m_most;                 ///< Counters.
    std::vector<Counter> m_counters; ///< By number, as far as they are used.
    TimedRing<Coming> m_coming;      ///< By time.
};

} // namespace ns3::fabric

#endif // FABRIC_COUNTER_TABLE_H
