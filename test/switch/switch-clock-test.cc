/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-ring.h"
#include "fabric-switch-clock.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

#include "ns3/test.h"

#include <algorithm>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr TimePs CLOCK_WINDOW = 1000; ///< Length of a window in these tests, ps.

/// How often what the test is about has happened.
struct ClockWays
{
    uint32_t lists{0};  ///< Windows that begin and end with a few tasks.
    uint32_t many{0};   ///< Windows that begin and end with more.
    uint32_t grown{0};  ///< Windows in which they become more.
    uint32_t shrunk{0}; ///< Windows after which they are a few again.
};

/// What comes in by a link, as far as a clock looks at it.
struct ClockEntry
{
    TimePs time; ///< When, ps.
};

/// A clock beside an obvious one: the time of each task, and a look at all of them.
class ClockPair
{
  public:
    ClockPair(FunctionCase& test, uint64_t seed)
        : m_test(test),
          m_seed(seed),
          m_random(seed),
          m_ports(1 + static_cast<uint32_t>(m_random() % 20)),
          m_most(1 + static_cast<uint32_t>(m_random() % 14)),
          m_clock(m_ports),
          m_own(m_clock.AddTask()),
          m_times(m_own + 1, NEVER)
    {
    }

    /// One window after another. @param ways is counted up
    void Run(ClockWays& ways)
    {
        for (TimePs now = 0; now < 60 * CLOCK_WINDOW; now += CLOCK_WINDOW)
        {
            const bool isCalm = now / CLOCK_WINDOW % 10 >= 7; // tasks become a few
            if (!isCalm)
            {
                ChangeFromOutside(now);
            }
            const bool begins = m_clock.GetAgenda().IsList();
            RunWindow(now, isCalm);
            const bool ends = m_clock.GetAgenda().IsList();
            const TimePs next = *std::min_element(m_times.begin(), m_times.end());
            m_test.ExpectEqual(m_clock.GetAgenda().Earliest(), next, Text("seed ", m_seed));
            ways.lists += begins && ends;
            ways.many += !begins && !ends;
            ways.grown += begins && !ends;
            ways.shrunk += !begins && ends;
        }
    }

  private:
    /// @return a time not before another, often the same, sometimes NEVER
    TimePs Later(TimePs time, TimePs range)
    {
        const uint64_t kind = m_random() % 8;
        const auto later = time + static_cast<TimePs>(m_random() % static_cast<uint64_t>(range));
        return kind == 0 ? NEVER : (kind < 3 ? time : later);
    }

    /// Neighbours push, and frames in pieces are cut.
    void ChangeFromOutside(TimePs now)
    {
        for (uint64_t left = m_random() % m_most; left > 0; --left)
        {
            const auto task = static_cast<Task>(m_random() % 3);
            const auto port = static_cast<uint32_t>(m_random() % m_ports);
            const TimePs time = Later(now, 3 * CLOCK_WINDOW);
            m_clock.GetAgenda().Note(task, port, time);
            TimePs& model = m_times[m_clock.GetAgenda().EntryOf(task, port)];
            model = std::min(model, time);
        }
        if (m_random() % 4 == 0)
        {
            const auto port = static_cast<uint32_t>(m_random() % m_ports);
            const TimePs time = Later(now, 3 * CLOCK_WINDOW);
            m_clock.SetData(port, time);
            m_times[m_clock.GetAgenda().EntryOf(Task::DATA, port)] = time;
        }
    }

    /// A window, in which tasks lead to others unless it is calm.
    void RunWindow(TimePs now, bool isCalm)
    {
        const TimePs until = now + CLOCK_WINDOW;
        m_clock.BeginWindow(now);
        uint32_t tasks = 0;
        m_clock.Run(now, until, [this, until, isCalm, &tasks](uint32_t entry, TimePs time) {
            const auto first = std::min_element(m_times.begin(), m_times.end());
            m_test.ExpectEqual(time, *first, Text("seed ", m_seed, ": when"));
            m_test.ExpectEqual(entry,
                               static_cast<uint32_t>(first - m_times.begin()),
                               Text("seed ", m_seed, ": what"));
            m_test.Expect(time < until, "in the window");
            const bool leads = ++tasks < 200 && !isCalm; // 200: else it might not end
            for (uint64_t left = m_random() % 4; leads && left > 1; --left)
            {
                PlanOther(entry, time);
            }
            Do(entry, time, leads ? Later(time, CLOCK_WINDOW) : NEVER);
            if (leads && m_random() % 4 == 0)
            {
                PlanOther(m_own + 1, time);
            }
        });
        m_test.ExpectEqual(m_clock.Tasks(), tasks, "counted");
        for (uint32_t entry = 0; entry < m_times.size(); ++entry)
        {
            m_test.ExpectEqual(m_clock.GetAgenda().At(entry), m_times[entry], "planned");
        }
    }

    /// A task is done. @param next when it is due again, ps
    void Do(uint32_t entry, TimePs time, TimePs next)
    {
        const uint32_t port = entry % m_ports;
        if (entry == m_own)
        {
            m_clock.PlanTask(m_own, next); // says nothing while it is being done
            m_clock.EndTask(m_own, next);
        }
        else if (entry >= 2 * m_ports)
        {
            m_clock.EndTask(entry, NEVER);
            m_clock.PlanDecision(port, next);
        }
        else if (entry >= m_ports && m_random() % 2 == 0)
        {
            m_clock.PlanData(port, next);
        }
        else
        {
            Ring<ClockEntry> ring;
            ring.Push({time});
            if (next != NEVER)
            {
                ring.Push({next});
            }
            m_clock.PopEntry(ring, entry < m_ports ? Task::CONTROL : Task::DATA, port);
        }
        m_times[entry] = next;
    }

    /// A decision, or the switch's own task, is due. @param present what is being done
    void PlanOther(uint32_t present, TimePs now)
    {
        const auto port = static_cast<uint32_t>(m_random() % m_ports);
        const TimePs time = Later(now, 2 * CLOCK_WINDOW);
        const bool isOwn = m_random() % 4 == 0;
        const uint32_t entry = isOwn ? m_own : m_clock.GetAgenda().EntryOf(Task::DECIDE, port);
        if (entry != present)
        {
            isOwn ? m_clock.PlanTask(m_own, time) : m_clock.PlanDecision(port, time);
            m_times[entry] = std::min(m_times[entry], time);
        }
    }

    FunctionCase& m_test;        ///< Where it is expected.
    uint64_t m_seed;             ///< Of what is random.
    std::mt19937_64 m_random;    ///< What happens.
    uint32_t m_ports;            ///< Of the switch.
    uint32_t m_most;             ///< Tasks that come from outside in a window.
    SwitchClock m_clock;         ///< What is tried.
    uint32_t m_own;              ///< Task of no port.
    std::vector<TimePs> m_times; ///< The model: when, by number.
};

/// Random tasks, few and many, as a look at all of them finds them.
void
ClockAsALookAtAll(FunctionCase& test)
{
    ClockWays ways;
    const TestSeeds seeds(200);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ClockPair(test, seed).Run(ways);
    }
    const uint32_t least = std::min({ways.lists, ways.many, ways.grown, ways.shrunk});
    test.Expect(least > seeds.count / 20 || !seeds.AreMany(),
                Text("few ",
                     ways.lists,
                     ", many ",
                     ways.many,
                     ", more ",
                     ways.grown,
                     ", fewer ",
                     ways.shrunk));
}

/// Suite of the clock of a switch.
class SwitchClockSuite : public FunctionSuite
{
  public:
    SwitchClockSuite()
        : FunctionSuite("fabric-switch-clock", kUnit)
    {
        Add("DP-11 tasks come by time, then by number, however many there are", ClockAsALookAtAll);
    }
};

SwitchClockSuite g_switchClockSuite; ///< Registers the suite.

} // namespace
