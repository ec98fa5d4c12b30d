/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-progress-reporter.h"
#include "results-cases.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace fabric
{

namespace
{

/// A model of one event every microsecond.
class Ticks
{
  public:
    /// @param count how many ticks
    explicit Ticks(uint32_t count)
        : m_left(count)
    {
        Simulator::Schedule(MicroSeconds(1), &Ticks::Tick, this);
    }

    /// @return whether there are ticks left
    bool IsActive() const
    {
        return m_left > 0;
    }

    /// @return when each tick was, in ns
    const std::vector<int64_t>& GetTimes() const
    {
        return m_times;
    }

  private:
    /// One tick.
    void Tick()
    {
        m_times.push_back(Simulator::Now().GetNanoSeconds());
        if (--m_left > 0)
        {
            Simulator::Schedule(MicroSeconds(1), &Ticks::Tick, this);
        }
    }

    uint32_t m_left;              ///< Ticks left.
    std::vector<int64_t> m_times; ///< When each was, ns.
};

/// A simulation with progress shown.
class ProgressTestCase : public TestCase
{
  public:
    ProgressTestCase()
        : TestCase("SC-7 progress is shown, changes nothing and does not keep a run alive")
    {
    }

  private:
    /**
     * Runs 1000 ticks; a simulated microsecond takes 0.01 s of a made-up wall clock.
     *
     * @param mode when to show progress
     * @param isTerminal whether lines are overwritten
     * @param shown what was shown
     * @return when each tick was, ns
     */
    std::vector<int64_t> Run(ProgressMode mode, bool isTerminal, std::string& shown)
    {
        std::ostringstream os;
        Ticks ticks(1000);
        ProgressReporter reporter(
            mode,
            {[&ticks] { return ticks.IsActive(); },
             [] { return Simulator::Now().GetSeconds() / 1e-3; }},
            {&os, isTerminal, [] { return Simulator::Now().GetSeconds() * 1e4; }});
        reporter.Start();
        Simulator::Run();
        reporter.Stop();
        shown = os.str();
        Simulator::Destroy();
        return ticks.GetTimes();
    }

    void DoRun() override
    {
        std::string off;
        std::string on;
        std::string automatic;
        std::string terminal;
        const auto times = Run(ProgressMode::OFF, true, off);
        NS_TEST_EXPECT_MSG_EQ(times.size(), 1000, "ticks");
        NS_TEST_EXPECT_MSG_EQ((Run(ProgressMode::ON, false, on) == times), true, "on");
        NS_TEST_EXPECT_MSG_EQ((Run(ProgressMode::AUTO, false, automatic) == times), true, "auto");
        NS_TEST_EXPECT_MSG_EQ((Run(ProgressMode::AUTO, true, terminal) == times), true, "terminal");
        NS_TEST_EXPECT_MSG_EQ(off, "", "nothing if off");
        NS_TEST_EXPECT_MSG_EQ(automatic, "", "nothing if not a terminal");
        // 10 s of wall clock and two lines a second, but for the first, while the pace is found.
        const auto lines = std::count(on.begin(), on.end(), '\n');
        NS_TEST_EXPECT_MSG_GT(lines, 15, on);
        NS_TEST_EXPECT_MSG_LT(lines, 25, on);
        NS_TEST_EXPECT_MSG_NE(on.find(" %, "), std::string::npos, on);
        NS_TEST_EXPECT_MSG_NE(on.find("events/s"), std::string::npos, on);
        NS_TEST_EXPECT_MSG_NE(on.find(" to go"), std::string::npos, on);
        NS_TEST_EXPECT_MSG_EQ(terminal.find('\n'), std::string::npos, "one line, overwritten");
        NS_TEST_EXPECT_MSG_EQ(terminal.substr(terminal.size() - 4), "\r\033[K", "and cleared");
    }
};

/// The clock stays where the model's last event is.
class ProgressStopTestCase : public TestCase
{
  public:
    ProgressStopTestCase()
        : TestCase("SC-7 stopping the progress takes its event out of the simulator")
    {
    }

  private:
    void DoRun() override
    {
        std::ostringstream os;
        ProgressReporter reporter(ProgressMode::ON,
                                  {[] { return true; }, nullptr},
                                  {&os, false, [] { return 0.0; }});
        reporter.Start();
        Simulator::Schedule(NanoSeconds(1500), &ProgressReporter::Stop, &reporter);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), NanoSeconds(1500), "the model's last event");
        Simulator::Destroy();
    }
};

/// The arithmetic.
class PaceTestCase : public TestCase
{
  public:
    PaceTestCase()
        : TestCase("SC-7 the spacing follows the wall clock")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(ProgressReporter::NextInterval(1'000'000, 0.5), 1'000'000, "right");
        NS_TEST_EXPECT_MSG_EQ(ProgressReporter::NextInterval(1'000'000, 0.25), 2'000'000, "short");
        NS_TEST_EXPECT_MSG_EQ(ProgressReporter::NextInterval(1'000'000, 1), 500'000, "long");
        NS_TEST_EXPECT_MSG_EQ(ProgressReporter::NextInterval(1'000'000, 0),
                              10'000'000,
                              "ten times");
        NS_TEST_EXPECT_MSG_EQ(ProgressReporter::NextInterval(1'000'000, 1e9), 100'000, "a tenth");
        NS_TEST_EXPECT_MSG_EQ(ProgressReporter::NextInterval(1'000, 1e9), 1'000, "the shortest");
        NS_TEST_EXPECT_MSG_LT(ProgressReporter::NextInterval(NEVER / 1000, 0),
                              NEVER / 900,
                              "the longest");
        NS_TEST_EXPECT_MSG_EQ(
            ProgressReporter::Line(12'300'000'000, 0.25, 1234567.4, 60),
            "12.3 ms simulated, 25.0 %, 1234567 events/s, 01:00 elapsed, 03:00 to go",
            "a line");
        NS_TEST_EXPECT_MSG_EQ(ProgressReporter::Line(0, -1, 0, 3725),
                              "0 s simulated, 0 events/s, 1:02:05 elapsed",
                              "the part done is not known");
    }
};

} // namespace

std::vector<TestCase*>
ProgressCases()
{
    return {new ProgressTestCase, new ProgressStopTestCase, new PaceTestCase};
}

} // namespace fabric
} // namespace ns3
