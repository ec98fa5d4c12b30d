/* SPDX-License-Identifier: GPL-2.0-only */

// Short urgent frames and long ones share the wires of switches in a row: what preemption (VA-9)
// does for the ones and to the others, and what interleaving (VA-10) saves where long frames come
// with gaps.

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/fabric-chain.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-lane-frame-replay.h"
#include "ns3/fabric-lane-traffic.h"
#include "ns3/fabric-network-totals.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-program-run.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-shortest-path-routing.h"
#include "ns3/fabric-wire-totals.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Virtual lanes, the best first.
enum Lane : uint8_t
{
    URGENT, ///< Short frames that may interrupt others.
    VICTIM, ///< Long frames.
    BULK,   ///< Frames that wait for what is left.
};

/// As metrics begin with them, by lane.
const std::vector<std::string> NAMES{"urgent", "victim", "bulk"};

/// What the user chooses.
struct Choice
{
    bool preempt{true};           ///< `--preempt`
    bool interleave{true};        ///< `--interleave`
    uint64_t victimBytes{8192};   ///< `--victimBytes`
    uint64_t urgentBytes{256};    ///< `--urgentBytes`
    Time urgentGap{"2us"};        ///< `--urgentGap`
    double victimLoad{0.5};       ///< `--victimLoad`
    uint64_t bulkBytes{1024};     ///< `--bulkBytes`
    double bulkLoad{0.2};         ///< `--bulkLoad`
    bool oneHost{false};          ///< `--oneHost`
    uint64_t hops{2};             ///< `--hops`
    DataRate linkRate{"100Gbps"}; ///< `--linkRate`
    Time hopDelay{"450ns"};       ///< `--hopDelay`
};

/// Shortest frame, bytes on the wire.
constexpr uint64_t SHORTEST = fabric::WireBytes(1);
/// Longest frame, bytes on the wire.
constexpr uint64_t LONGEST = fabric::WireBytes(fabric::JUMBO_PAYLOAD);
/// Frames that a run may have: each takes some hundred bytes of memory.
constexpr double MOST_FRAMES = 5e6;

/// Adds the options.
void
AddOptions(fabric::ProgramOptions& options, Choice& choice)
{
    options.Add("preempt", "urgent frames preempt the others", choice.preempt);
    options.Add("interleave",
                "send other frames in the gaps of an interrupted one",
                choice.interleave);
    options.Add("victimBytes",
                "length of a victim frame on the wire",
                choice.victimBytes,
                fabric::SizeType(256, LONGEST));
    options.Add("urgentBytes",
                "length of an urgent frame on the wire",
                choice.urgentBytes,
                fabric::SizeType(SHORTEST, LONGEST));
    options.Add("urgentGap",
                "mean time between urgent frames",
                choice.urgentGap,
                fabric::TimeType(NanoSeconds(1), Seconds(1)));
    options.Add("victimLoad",
                "offered load of victims, fraction of the link rate",
                choice.victimLoad,
                fabric::NumberType(0.001, 0.95));
    options.Add("bulkBytes",
                "length of a bulk frame on the wire",
                choice.bulkBytes,
                fabric::SizeType(SHORTEST, LONGEST));
    options.Add("bulkLoad",
                "offered load of bulk frames, fraction of the link rate",
                choice.bulkLoad,
                fabric::NumberType(0, 0.95));
    options.Add("oneHost",
                "urgent frames come from the victims' host, and wait at its uplink",
                choice.oneHost);
    options.Add("hops",
                "switches in a row",
                choice.hops,
                fabric::CountType(uint64_t{1}, uint64_t{16}));
    options.Add("linkRate", "rate of all links", choice.linkRate);
    options.Add("hopDelay",
                "from the start of a frame at a switch to its earliest start at the next",
                choice.hopDelay,
                fabric::TimeType(NanoSeconds(1), MilliSeconds(10)));
    options.AddDuration(MilliSeconds(2));
    const std::string lane = "ns3::FabricSwitch::Lane";
    options.ReserveAttributes({lane + "TableFile"}, "what the program's three lanes need");
    options.ReserveAttributes({lane + "Preemption"}, "--preempt");
    options.ReserveAttributes({lane + "Interleaving"}, "--interleave");
    options.ReserveAttributes({"ns3::FabricChannel::DataRate"}, "--linkRate");
    options.ReserveAttributes({"ns3::FabricChannel::Delay", "ns3::FabricSwitch::Latency"},
                              "--hopDelay");
    options.ReserveAttributes({"ns3::FabricDevice::Mtu"}, "what frames of any size need");
}

/// @return all frames, drawn at random
std::vector<fabric::LaneFrame>
DrawFrames(const Choice& choice, Time duration)
{
    fabric::LaneTraffic traffic(fabric::LinkRate(choice.linkRate.GetBitRate()), duration);
    traffic.AddStream(VICTIM, choice.victimBytes, choice.victimLoad);
    traffic.AddPoisson(URGENT, choice.urgentBytes, choice.urgentGap);
    traffic.AddPoissonLoad(BULK, choice.bulkBytes, choice.bulkLoad);
    if (traffic.GetExpectedFrames() > MOST_FRAMES)
    {
        throw fabric::BadInput("--duration: about " +
                               std::to_string(std::llround(traffic.GetExpectedFrames())) +
                               " frames would come in that time, allowed are " +
                               std::to_string(std::llround(MOST_FRAMES)));
    }
    return traffic.Draw();
}

/// @return the program's lanes, each on a level of its own
fabric::LaneTable
MakeTable()
{
    fabric::LaneTable table;
    table.levels = NAMES;
    for (const Lane lane : {URGENT, VICTIM, BULK})
    {
        table.lanes.push_back({lane, lane, lane, 0, lane == URGENT});
    }
    table.groups = {{0, fabric::GroupSettings::FULL_SHARE}};
    return table;
}

/// @return switches in a row: two hosts on the first send, and one on the last, where the two
/// receivers are
FabricContainer
InstallRow(const fabric::ProgramOptions& options, const Choice& choice)
{
    const Time latency = PicoSeconds(choice.hopDelay.GetPicoSeconds() / 9 * 7);
    FabricHelper helper;
    helper.SetOptions(options);
    helper.SetChannelAttribute("DataRate", DataRateValue(choice.linkRate));
    helper.SetChannelAttribute("Delay", TimeValue(choice.hopDelay - latency));
    helper.SetDeviceAttribute("Mtu", UintegerValue(fabric::JUMBO_PAYLOAD));
    helper.SetSwitchAttribute("Latency", TimeValue(latency));
    helper.SetSwitchAttribute("LanePreemption", BooleanValue(choice.preempt));
    helper.SetSwitchAttribute("LaneInterleaving", BooleanValue(choice.interleave));
    helper.SetLaneTable(MakeTable());
    fabric::ChainSources sources(choice.hops, 0);
    sources.front() = 2;
    sources.back() += 2;
    const fabric::TopologyPlan plan = fabric::MakeChainPlan(sources);
    return helper.Install(plan, fabric::MakeShortestPathRouting(plan));
}

/// Sends all frames.
void
Run(fabric::ProgramRun& run, const Choice& choice)
{
    const std::vector<fabric::LaneFrame> frames =
        DrawFrames(choice, run.GetOptions().Common().duration);
    const FabricContainer fabric = InstallRow(run.GetOptions(), choice);
    // Having interrupted a victim, every other urgent frame leaves a gap on the wire to its host.
    const uint32_t end = fabric.hosts.GetN() - 1;
    fabric::LaneLatencyRecorder recorder(NAMES);
    const uint32_t urgentHost = choice.oneHost ? 1 : 0;
    const fabric::LaneFrameReplay replay(
        fabric,
        frames,
        {{urgentHost, {end, end - 1}}, {1, {end}}, {end - 2, {end}}},
        recorder);
    run.RunUntilIdle([&replay] { return replay.GetDone(); });

    recorder.AddFigures(run.GetSummary());
    fabric::WireTotals wires;
    wires.Add(fabric);
    wires.AddFigures(run.GetSummary());
    run.Finish(fabric::TotalsOf(*fabric.network, replay.GetEnd()));
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Choice choice;
        fabric::ProgramRun run("fabric-preemption.cc",
                               "Short urgent frames and long ones share the wires of switches in "
                               "a row: latencies with and without preemption, and what gaps in "
                               "long frames waste.");
        AddOptions(run.GetOptions(), choice);
        run.Parse(argc, argv);
        Run(run, choice);
        return fabric::EXIT_DONE;
    });
}
