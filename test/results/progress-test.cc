/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-progress-reporter.h"
#include "support/fabric-function-case.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>

namespace ns3::fabric
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

/**
 * Runs 1000 ticks; a simulated microsecond takes 0.01 s of a made-up wall clock.
 *
 * @param mode when to show progress
 * @param isTerminal whether lines are overwritten
 * @param shown what was shown
 * @return when each tick was, ns
 */
std::vector<int64_t>
RunTicks(ProgressMode mode, bool isTerminal, std::string& shown)
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

void
TestProgress(FunctionCase& self)
{
    std::string off;
    std::string on;
    std::string automatic;
    std::string terminal;
    const auto times = RunTicks(ProgressMode::OFF, true, off);
    self.Expect(times.size() == 1000, "ticks");
    self.Expect(RunTicks(ProgressMode::ON, false, on) == times, "on");
    self.Expect(RunTicks(ProgressMode::AUTO, false, automatic) == times, "auto");
    self.Expect(RunTicks(ProgressMode::AUTO, true, terminal) == times, "terminal");
    self.Expect(off.empty(), "nothing if off");
    self.Expect(automatic.empty(), "nothing if not a terminal");
    // 10 s of wall clock and two lines a second, but for the first, while the pace is found.
    const auto lines = std::count(on.begin(), on.end(), '\n');
    self.Expect(lines > 15 && lines < 25, on);
    for (const char* words : {" %, ", "events/s", " to go"})
    {
        self.Expect(on.find(words) != on.npos, on);
    }
    self.Expect(terminal.find('\n') == terminal.npos, "one line, overwritten");
    self.Expect(terminal.substr(terminal.size() - 4) == "\r\033[K", "and cleared");
}

/// The clock stays where the model's last event is.
void
TestProgressStop(FunctionCase& self)
{
    std::ostringstream os;
    ProgressReporter reporter(ProgressMode::ON, {[] { return true; }, nullptr}, {&os, false, [] {
                                                                                     return 0.0;
                                                                                 }});
    reporter.Start();
    Simulator::Schedule(NanoSeconds(1500), &ProgressReporter::Stop, &reporter);
    Simulator::Run();
    self.Expect(Simulator::Now() == NanoSeconds(1500), "the model's last event");
    Simulator::Destroy();
}

void
TestPace(FunctionCase& self)
{
    using Reporter = ProgressReporter;
    self.ExpectEqual(Reporter::NextInterval(1'000'000, 0.5), 1'000'000, "right");
    self.ExpectEqual(Reporter::NextInterval(1'000'000, 0.25), 2'000'000, "short");
    self.ExpectEqual(Reporter::NextInterval(1'000'000, 1), 500'000, "long");
    self.ExpectEqual(Reporter::NextInterval(1'000'000, 0), 10'000'000, "ten times");
    self.ExpectEqual(Reporter::NextInterval(1'000'000, 1e9), 100'000, "a tenth");
    self.ExpectEqual(Reporter::NextInterval(1'000, 1e9), 1'000, "the shortest");
    self.Expect(Reporter::NextInterval(NEVER / 1000, 0) < NEVER / 900, "the longest");
    self.ExpectSame(Reporter::Line(12'300'000'000, 0.25, 1234567.4, 60),
                    "12.3 ms simulated, 25.0 %, 1234567 events/s, 01:00 elapsed, 03:00 to go",
                    "a line");
    self.ExpectSame(Reporter::Line(0, -1, 0, 3725),
                    "0 s simulated, 0 events/s, 1:02:05 elapsed",
                    "the part done is not known");
}

/// The suite.
class ProgressSuite : public FunctionSuite
{
  public:
    ProgressSuite()
        : FunctionSuite("fabric-progress", kUnit)
    {
        Add("SC-7 progress is shown, changes nothing and does not keep a run alive", TestProgress);
        Add("SC-7 stopping the progress takes its event out of the simulator", TestProgressStop);
        Add("SC-7 the spacing follows the wall clock", TestPace);
    }
};

const ProgressSuite g_progressSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
