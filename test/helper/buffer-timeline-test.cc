/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-buffer-timeline.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-message-sender-helper.h"
#include "fabric-option-type.h"
#include "fabric-port-sampler.h"
#include "support/fabric-function-case.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

const Time PERIOD = NanoSeconds(700); ///< Of samples.
const Time BEGIN = MicroSeconds(10);  ///< Of the incast.
const Time END = MicroSeconds(60);    ///< Of the run.

/// Hosts of another pod send to host 0 of a small fat tree without flow channels.
struct TimelineRun
{
    /// Runs it. @param lookahead whether switches run ahead
    explicit TimelineRun(bool lookahead)
    {
        FatTreeHelper helper(4);
        helper.SetStream(1);
        helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
        helper.SetSwitchAttribute("FlowChannels", BooleanValue(false));
        fabric = helper.Install();
        FabricMessageSenderHelper sender(200'000);
        for (const uint32_t host : {4, 5, 8, 12})
        {
            sender.Install(fabric, host, 0)->SetStartTime(BEGIN);
        }
        timeline = std::make_unique<FabricBufferTimeline>(fabric, 0, PERIOD);
        FabricPortSampler ports(fabric.network, PERIOD);
        FabricBufferTimeline rare(fabric, 0, PERIOD * 3);
        fabric.network->StopAt(END);
        Simulator::Run();
        timeline->Finish(END);
        rare.Finish(END);
        thirds = rare.GetMean(Time(0), END);
        std::stringstream csv;
        ports.Write(csv, END);
        CountHeld(csv);
    }

    ~TimelineRun()
    {
        Simulator::Destroy();
    }

    TimelineRun(const TimelineRun&) = delete;
    TimelineRun& operator=(const TimelineRun&) = delete;

    /// Adds up what ports of all but the receiver's switch held. @param csv ports.csv
    void CountHeld(std::istream& csv)
    {
        outside.assign(static_cast<std::size_t>(END.GetPicoSeconds() / PERIOD.GetPicoSeconds()), 0);
        std::string line;
        std::getline(csv, line); // columns
        while (std::getline(csv, line))
        {
            const std::vector<std::string> row = SplitList(line);
            const double period = PERIOD.GetSeconds();
            const auto sample = static_cast<std::size_t>(std::lround(std::stod(row[0]) / period));
            outside[sample - 1] += row[1] == "0" ? 0 : std::stoull(row[4]);
        }
    }

    FabricContainer fabric;                         ///< The tree.
    std::unique_ptr<FabricBufferTimeline> timeline; ///< What is tested.
    std::vector<uint64_t> outside;                  ///< By sample, by ports.csv.
    double thirds{0};                               ///< Mean of every third sample.
};

/// @return what is written
std::string
Written(const FabricBufferTimeline& timeline)
{
    std::ostringstream os;
    timeline.Write(os);
    return os.str();
}

/// Tiers hold what their switches' ports do at the same times, whether switches run ahead or not.
void
TestHeldSamples(FunctionCase& self)
{
    std::vector<uint64_t> seen;
    std::string written;
    {
        const TimelineRun run(false);
        seen = run.outside;
        written = Written(*run.timeline);
        const uint64_t peak = *std::max_element(seen.begin(), seen.end());
        self.Expect(peak > 100'000, Text("the fabric holds at most ", peak));
    }
    const TimelineRun ahead(true);
    self.ExpectSame(Written(*ahead.timeline), written, "look-ahead changes samples");
    std::istringstream lines(written);
    std::string line;
    std::getline(lines, line);
    self.ExpectEqual(line, "time_s,tier,held_bytes", "columns");
    std::map<std::string, uint64_t> sums; // by time
    std::vector<std::string> times;
    while (std::getline(lines, line))
    {
        const std::vector<std::string> row = SplitList(line);
        if (times.empty() || times.back() != row[0])
        {
            times.push_back(row[0]);
        }
        sums[row[0]] += row[1] == "receiver" ? 0 : std::stoull(row[2]);
    }
    self.ExpectEqual(times.size(), seen.size(), "samples");
    for (std::size_t i = 0; i < std::min(times.size(), seen.size()); ++i)
    {
        self.ExpectEqual(sums[times[i]], seen[i], Text("sample ", i));
    }
}

/// The time of containment is that of the first sample after the last above the level.
void
TestContainment(FunctionCase& self)
{
    const TimelineRun run(false);
    for (const uint64_t level : {0, 1, 5'000, 50'000, 100'000, 10'000'000})
    {
        const auto above = std::find_if(run.outside.rbegin(),
                                        run.outside.rend(),
                                        [level](uint64_t held) { return held > level; });
        const auto first = static_cast<int64_t>(run.outside.rend() - above);
        const Time expected = above == run.outside.rend() ? Time(0) : PERIOD * (first + 1) - BEGIN;
        self.ExpectEqual(run.timeline->GetContainmentTime(BEGIN, static_cast<double>(level)),
                         expected,
                         Text("level ", level));
    }
    self.ExpectEqual(run.timeline->GetContainmentTime(BEGIN, -1), END - BEGIN, "never contained");
    self.ExpectEqual(run.timeline->GetMean(Time(0), BEGIN), 0.0, "before");
    double sum = 0;
    for (std::size_t i = 20; i < 30; ++i)
    {
        sum += static_cast<double>(run.outside[i]);
    }
    self.ExpectEqual(run.timeline->GetMean(PERIOD * 21, PERIOD * 31), sum / 10, "a mean");
    double all = 0;
    double count = 0;
    for (std::size_t i = 2; i < run.outside.size(); i += 3, ++count)
    {
        all += static_cast<double>(run.outside[i]);
    }
    all /= count;
    self.ExpectNear(run.thirds, all, 1e-3 * all, "of every third sample, by another time line");
}

/// The suite.
class BufferTimelineSuite : public FunctionSuite
{
  public:
    BufferTimelineSuite()
        : FunctionSuite("fabric-buffer-timeline", kUnit)
    {
        Add("CM-10 DP-5 samples are exact", TestHeldSamples);
        Add("CM-10 time of containment", TestContainment);
    }
};

const BufferTimelineSuite g_bufferTimelineSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
