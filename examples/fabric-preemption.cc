/* SPDX-License-Identifier: GPL-2.0-only */

// Short urgent frames and long ones share the wires of ports in a row: what preemption (VA-9) does
// for the ones and to the others, and what interleaving (VA-10) saves where long frames come with
// gaps. The ports stand alone, or belong to switches.

#include "ns3/fabric-lane-chain-simulation.h"
#include "ns3/fabric-lane-chain-traffic.h"
#include "ns3/fabric-lane-frame-replay.h"
#include "ns3/fabric-lane-row-helper.h"
#include "ns3/fabric-network-totals.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-program-run.h"
#include "ns3/fabric-program.h"

#include <cmath>
#include <string>
#include <utility>
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
    bool switches{false};         ///< `--via`
    bool preempt{true};           ///< `--preempt`
    bool interleave{true};        ///< `--interleave`
    uint64_t victimBytes{8192};   ///< `--victimBytes`
    uint64_t urgentBytes{256};    ///< `--urgentBytes`
    Time urgentGap{"2us"};        ///< `--urgentGap`
    uint64_t upstreamGaps{0};     ///< `--upstreamGaps`
    double victimLoad{0.5};       ///< `--victimLoad`
    uint64_t bulkBytes{1024};     ///< `--bulkBytes`
    double bulkLoad{0.2};         ///< `--bulkLoad`
    uint64_t hops{2};             ///< `--hops`
    DataRate linkRate{"100Gbps"}; ///< `--linkRate`
    Time hopDelay{"450ns"};       ///< `--hopDelay`
};

/// Longest frame, bytes on the wire.
constexpr uint64_t LONGEST = 65'528;
/// Frames that a run may have: each takes some hundred bytes of memory.
constexpr double MOST_FRAMES = 5e6;

/// Adds the options.
void
AddOptions(fabric::ProgramOptions& options, Choice& choice)
{
    options.Add("via",
                "what has the ports: chain (wires and queues alone) or switches",
                choice.switches,
                fabric::EnumType<bool>({{"chain", false}, {"switches", true}}));
    options.Add("preempt", "whether urgent frames interrupt the others", choice.preempt);
    options.Add("interleave",
                "whether other frames are sent in the gaps of one",
                choice.interleave);
    options.Add("victimBytes",
                "victims on the wire",
                choice.victimBytes,
                fabric::SizeType(256, LONGEST));
    options.Add("urgentBytes",
                "urgent frames on the wire",
                choice.urgentBytes,
                fabric::SizeType(1, LONGEST));
    options.Add("urgentGap",
                "mean time between urgent frames",
                choice.urgentGap,
                fabric::TimeType(NanoSeconds(1), Seconds(1)));
    options.Add("upstreamGaps",
                "gaps with which each victim comes, each as long as an urgent frame",
                choice.upstreamGaps,
                fabric::CountType(uint64_t{0}, uint64_t{16}));
    options.Add("victimLoad",
                "of the link by victims",
                choice.victimLoad,
                fabric::NumberType(0.001, 0.95));
    options.Add("bulkBytes",
                "bulk frames on the wire",
                choice.bulkBytes,
                fabric::SizeType(1, LONGEST));
    options.Add("bulkLoad",
                "of the link by bulk frames",
                choice.bulkLoad,
                fabric::NumberType(0, 0.95));
    options.Add("hops",
                "ports in a row",
                choice.hops,
                fabric::CountType(uint64_t{1}, uint64_t{16}));
    options.Add("linkRate", "rate of all links", choice.linkRate);
    options.Add("hopDelay",
                "from the start of a frame at a port to its earliest start at the next",
                choice.hopDelay,
                fabric::TimeType(PicoSeconds(1), Seconds(1)));
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

/// Refuses what ports without switches, or switches and hosts, can't do.
void
CheckOptions(const fabric::ProgramOptions& options, const Choice& choice)
{
    if (!choice.switches)
    {
        options.RefuseAttributes("ns3::Fabric",
                                 "an option of this program, which has ports and no switches "
                                 "without --via=switches");
        return;
    }
    constexpr uint64_t SHORTEST = fabric::WireBytes(1);
    constexpr uint64_t LONGEST_FRAME = fabric::WireBytes(fabric::JUMBO_PAYLOAD);
    for (const auto& [name, bytes] : {std::make_pair("--victimBytes", choice.victimBytes),
                                      std::make_pair("--urgentBytes", choice.urgentBytes),
                                      std::make_pair("--bulkBytes", choice.bulkBytes)})
    {
        if (bytes < SHORTEST || bytes > LONGEST_FRAME)
        {
            fabric::ThrowNotAllowed(name,
                                    std::to_string(bytes),
                                    "with --via=switches a size from " + std::to_string(SHORTEST) +
                                        " to " + std::to_string(LONGEST_FRAME) +
                                        ", header and FCS counted");
        }
    }
    if (choice.upstreamGaps != 0)
    {
        fabric::ThrowNotAllowed("--upstreamGaps",
                                std::to_string(choice.upstreamGaps),
                                "with --via=switches 0, where switches make the gaps");
    }
    if (choice.hopDelay < NanoSeconds(1) || choice.hopDelay > MilliSeconds(10))
    {
        fabric::ThrowNotAllowed("--hopDelay",
                                fabric::TimeText(choice.hopDelay),
                                "with --via=switches a time from 1ns to 10ms");
    }
}

/// Makes ports that stand alone, and all frames.
fabric::LaneChainPlan
MakePlan(const Choice& choice, Time duration)
{
    const fabric::LinkRate rate(choice.linkRate.GetBitRate());
    fabric::LaneChainTraffic traffic(rate, duration);
    traffic.AddStream(VICTIM,
                      choice.victimBytes,
                      choice.victimLoad,
                      choice.upstreamGaps,
                      rate.TxTime(static_cast<uint32_t>(choice.urgentBytes)));
    traffic.AddPoisson(URGENT, choice.urgentBytes, choice.urgentGap);
    traffic.AddPoissonLoad(BULK, choice.bulkBytes, choice.bulkLoad);
    if (traffic.GetExpectedFrames() > MOST_FRAMES)
    {
        throw fabric::BadInput("--duration: about " +
                               std::to_string(std::llround(traffic.GetExpectedFrames())) +
                               " frames would come in that time, allowed are " +
                               std::to_string(std::llround(MOST_FRAMES)));
    }
    fabric::LaneChainPlan plan;
    plan.settings.preempt = choice.preempt;
    plan.settings.interleave = choice.interleave;
    plan.rates.assign(choice.hops, rate);
    plan.latencies.assign(choice.hops, choice.hopDelay.GetPicoSeconds());
    plan.lanes = {{3, true, 3}, {2, false, 2}, {1, false, 1}};
    traffic.AppendTo(plan);
    return plan;
}

/// Runs ports without switches.
void
RunChain(fabric::ProgramRun& run, const fabric::LaneChainPlan& plan)
{
    const bool lookahead = run.GetOptions().Common().lookahead;
    fabric::LaneChainSimulation chain(plan, lookahead ? plan.latencies[0] : 1);
    chain.Start();
    run.RunUntilIdle([&chain] { return chain.GetDone(); });
    chain.CheckEmpty();

    fabric::LaneLatencyRecorder recorder(NAMES);
    chain.AddLatencies(recorder);
    recorder.AddFigures(run.GetSummary());
    chain.GetWireTotals().AddFigures(run.GetSummary());
    run.Finish(chain.GetTotals());
}

/// Runs switches: two hosts on the first send, and one on the last, where the two receivers are.
void
RunSwitches(fabric::ProgramRun& run, const fabric::LaneChainPlan& plan)
{
    LaneRowHelper row(plan);
    row.GetHelper().SetOptions(run.GetOptions());
    fabric::ChainSources sources(plan.rates.size(), 0);
    sources.front() = 2;
    sources.back() += 2;
    const FabricContainer fabric = row.Install(sources);
    // Having interrupted a victim, every other urgent frame leaves a gap on the wire to its host.
    const uint32_t end = fabric.hosts.GetN() - 1;
    fabric::LaneLatencyRecorder recorder(NAMES);
    const fabric::LaneFrameReplay replay(fabric,
                                         plan.frames,
                                         {{0, {end, end - 1}}, {1, {end}}, {end - 2, {end}}},
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
                               "Short urgent frames and long ones share the wires of ports in a "
                               "row: latencies with and without preemption, and what gaps in long "
                               "frames waste.");
        AddOptions(run.GetOptions(), choice);
        run.Parse(argc, argv, [&] { CheckOptions(run.GetOptions(), choice); });
        const fabric::LaneChainPlan plan = MakePlan(choice, run.GetOptions().Common().duration);
        choice.switches ? RunSwitches(run, plan) : RunChain(run, plan);
        return fabric::EXIT_DONE;
    });
}
