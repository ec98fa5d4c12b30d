/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-lane-frame-replay.h"
#include "fabric-lane-link-options.h"
#include "fabric-lane-load.h"
#include "fabric-lane-sampler.h"
#include "fabric-lane-traffic.h"
#include "fabric-output-lane-path.h"
#include "fabric-queue-disc-lane-path.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-uplink-lane-path.h"
#include "fabric-wire-totals.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/data-rate.h"
#include "ns3/simulator.h"

#include <cmath>
#include <memory>
#include <sstream>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// 1000 bytes take 1 us.
constexpr uint64_t RATE = 8'000'000'000;

/// @return whether two lists of seconds are equal but for rounding
bool
IsNear(const std::vector<double>& found, const std::vector<double>& expected)
{
    bool isNear = found.size() == expected.size();
    for (std::size_t i = 0; isNear && i < found.size(); ++i)
    {
        isNear = std::abs(found[i] - expected[i]) < 1e-15;
    }
    return isNear;
}

/// A frame alone takes the links and latencies of switches, and its own length once; receivers have
/// turns.
void
TestReplay(FunctionCase& self)
{
    FabricHelper helper;
    helper.SetChannelAttribute("DataRate", DataRateValue(DataRate(RATE)));
    helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
    helper.SetSwitchAttribute("Latency", TimeValue(NanoSeconds(350)));
    const TopologyPlan plan = MakeChainPlan({1, 0, 1});
    const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
    uint32_t received[2] = {0, 0};
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>(
            [&received](const Message& message, Time) { ++received[HostOf(message.dst) - 1]; }));
    LaneLatencyRecorder recorder({"urgent", "victim"});
    const std::vector<LaneFrame> frames{{5'000'000, 1'000, 1}, {105'000'000, 1'000, 1}};
    const LaneFrameReplay replay(fabric, frames, {{0, {2}}, {0, {2, 1}}}, recorder);
    self.Expect(replay.GetDone() == 0, "nothing is done");
    Simulator::Run();
    self.Expect(replay.GetDone() == 1, "all have arrived");
    self.Expect(replay.GetEnd() == 105'000'000 + 3 * 450'000 + 100'000 + 1'000'000, "end");
    self.Expect(IsNear(recorder.GetLatencies(1), {1.9e-6, 1.9e-6}), "two hops and 1000 bytes");
    self.Expect(IsNear(recorder.GetWaits(1), {0, 0}), "the wire is free");
    self.Expect(recorder.GetLatencies(0).empty(), "the other lane has no frame");
    self.Expect(received[0] == 1 && received[1] == 1, "one frame for each receiver");
    Summary summary;
    recorder.AddFigures(summary);
    std::ostringstream csv;
    summary.WriteCsv(csv);
    // From the host: three links and two switches, 100 ns and the frame's length.
    self.Expect(csv.str().find("\nvictim_total,mean,2.45e-06,s\n") != std::string::npos, csv.str());
    Simulator::Destroy();
}

/// Frames of a stream do not overlap.
void
TestStream(FunctionCase& self)
{
    const FabricHelper resolution; // of times: ps
    LaneTraffic traffic(LinkRate(RATE), MilliSeconds(1));
    traffic.SetStream(1);
    traffic.AddStream(1, 1'000, 0.5);
    self.Expect(std::abs(traffic.GetExpectedFrames() - 500) < 1e-9, "1 us busy, 1 us idle");
    const std::vector<LaneFrame> frames = traffic.Draw();
    self.Expect(std::abs(static_cast<double>(frames.size()) - 500) < 5 * 11, "as many as expected");
    for (std::size_t i = 0; i < frames.size(); ++i)
    {
        self.Expect(frames[i].bytes == 1'000 && frames[i].lane == 1, "frame");
        self.Expect(i == 0 || frames[i].time >= frames[i - 1].time + 1'000'000,
                    "a frame begins before the one before it has ended");
    }
}

/// The number of frames of a Poisson process is as expected, by five standard deviations.
void
TestPoisson(FunctionCase& self)
{
    const FabricHelper resolution; // of times: ps
    LaneTraffic traffic(LinkRate(RATE), MilliSeconds(10));
    traffic.SetStream(1);
    traffic.AddPoisson(0, 100, MicroSeconds(1));
    traffic.AddPoissonLoad(1, 1'000, 0.25);
    traffic.AddPoissonLoad(1, 1'000, 0);
    self.Expect(std::abs(traffic.GetExpectedFrames() - 12'500) < 1e-6, "10000 and 2500");
    double counts[2] = {0, 0};
    for (const LaneFrame& frame : traffic.Draw())
    {
        ++counts[frame.lane];
        self.Expect(frame.time < 10'000'000'000, "frame");
    }
    self.Expect(std::abs(counts[0] - 10'000) < 5 * 100, "frames of the first lane");
    self.Expect(std::abs(counts[1] - 2'500) < 5 * 50, "frames of the second lane");
}

/// Gaps that are longer than any time are no times before the start.
void
TestRareFrames(FunctionCase& self)
{
    const FabricHelper resolution; // of times: ps
    for (const double load : {1e-12, 1e-15, 1e-300})
    {
        LaneTraffic traffic(LinkRate(RATE), Seconds(1000));
        traffic.SetStream(1);
        traffic.AddPoissonLoad(1, 1'000, load);
        self.Expect(traffic.Draw().empty(), Text("no frame at a load of ", load));
    }
}

/// @return lanes of a class each, each a group with half of the link
LaneLinkSettings
MakeLink()
{
    LaneLinkSettings link;
    link.table.lanes = {{0, 0, 0, 0, false}, {1, 0, 1, 1, false}};
    link.table.groups = {{0, 5'000}, {1, 5'000}};
    return link;
}

/// Counts by hand: what comes before the part that counts has no share and no latency.
void
TestRecorder(FunctionCase& self)
{
    const FabricHelper resolution; // of times: ps
    LaneRecorder recorder(MakeLink().table, NanoSeconds(10));
    const auto at = [](int64_t ns, std::function<void()> what) {
        Simulator::Schedule(NanoSeconds(ns), std::move(what));
    };
    at(1, [&] { recorder.Made(0, true); });
    at(2, [&] { recorder.Made(0, true); });
    at(3, [&] { recorder.Made(0, false); });
    at(4, [&] { recorder.Chosen(0, true); });
    at(8, [&] { recorder.Delivered(0); });
    at(11, [&] { recorder.Chosen(0, false); });
    at(12, [&] { recorder.Delivered(0); });
    Simulator::Run();
    Simulator::Destroy();
    const LaneRecorder::Counts& counts = recorder.GetLanes().at(0);
    self.Expect(counts.offered == 3 && counts.dropped == 1 && counts.delivered == 2, "packets");
    self.Expect(counts.conforming == 1 && counts.over == 1, "chosen");
    self.Expect(IsNear(counts.latencies, {10e-9}), "the second packet's latency");
    RunTotals totals;
    recorder.AddTotals(totals, 100);
    totals.CheckConservation();
    Summary summary;
    recorder.AddFigures(summary, 4);
    std::ostringstream csv;
    summary.WriteCsv(csv);
    std::string expected = "metric,lane,stat,value,unit\nshare,0,,0.25,1\nshare,1,,0,1\n";
    for (const char* stat : {"min", "mean", "p50", "p90", "p99", "p99.9", "max"})
    {
        expected += std::string("latency,0,") + stat + ",1e-08,s\n";
    }
    self.ExpectSame(csv.str(), expected + "over_bandwidth_share,0,,1,1\n", "by hand");
}

/// Two lanes that want all of a link get half of it each, whatever arbitrates.
template <typename Path>
void
TestPath(FunctionCase& self)
{
    const FabricHelper resolution; // of times: ps
    const LaneLinkSettings link = MakeLink();
    const Time duration = MicroSeconds(60);
    LaneRecorder recorder(link.table, duration / 3);
    Path path(link, recorder);
    path.CheckSettings();
    const LaneLoad load(path, link, {1, 1});
    std::ostringstream csv;
    {
        LaneSampler sampler(path, recorder, csv, MicroSeconds(25), link.packetBytes);
        path.StopAt(duration);
        Simulator::Run();
        path.Settle();
        sampler.Write();
    }
    const double packets = static_cast<double>((duration / 3 * 2).GetPicoSeconds()) / 81'920;
    uint64_t chosen = 0;
    for (const auto& [lane, counts] : recorder.GetLanes())
    {
        const double share = static_cast<double>(counts.countedDelivered) / packets;
        self.Expect(std::abs(share - 0.5) < 0.02, "share " + std::to_string(share));
        chosen += counts.conforming + counts.over;
    }
    const RunTotals totals = path.GetTotals();
    totals.CheckConservation();
    self.Expect(totals.bytesInFlight > 0, "packets wait");
    std::istringstream rows(csv.str());
    std::string row;
    std::getline(rows, row);
    uint64_t sampled = 0;
    for (char comma = 0; std::getline(rows, row);)
    {
        double time;
        uint64_t lane;
        uint64_t conforming;
        uint64_t over;
        std::istringstream(row) >> time >> comma >> lane >> comma >> conforming >> comma >> over;
        sampled += conforming + over;
    }
    self.Expect(sampled == chosen * 1'024, "the samples are what was chosen");
    Simulator::Destroy();
}

/// A lane without load sends nothing until it gets some.
void
TestLoad(FunctionCase& self)
{
    const FabricHelper resolution; // of times: ps
    const LaneLinkSettings link = MakeLink();
    LaneRecorder recorder(link.table, Time(0));
    OutputLanePath path(link, recorder);
    LaneLoad load(path, link, {0, 0.5});
    load.ChangeAt(MicroSeconds(50), {0.5, 0});
    uint64_t first = 0;
    uint64_t second = 0;
    Simulator::Schedule(MicroSeconds(50), [&] {
        first = recorder.GetLanes().at(0).offered;
        second = recorder.GetLanes().at(1).offered;
    });
    path.StopAt(MicroSeconds(100));
    Simulator::Run();
    Simulator::Destroy();
    self.Expect(first == 0 && second > 200, "the second lane is loaded first");
    self.Expect(recorder.GetLanes().at(0).offered > 200, "then the first");
    self.Expect(recorder.GetLanes().at(1).offered == second, "and the second no more");
    self.Expect(!Refusal([&] { LaneLoad(path, link, {1}); }).empty(), "a load is missing");
}

/// Loads are one for all lanes or one for each, and a table is read from its file.
void
TestOptions(FunctionCase& self)
{
    const FabricHelper resolution; // of times: ps
    LaneLinkOptions options;
    options.over = "disqualify";
    options.Read();
    options.link.table.Validate();
    self.Expect(options.link.table.LanesOfGroup(0) == 0xF, "lanes of a group");
    self.Expect(options.link.arbiter[2].second == "disqualify", "attributes of the arbiter");
    self.Expect(options.ParseLoads("--load", "0.5") == std::vector<double>(6, 0.5), "one for all");
    self.Expect(options.ParseLoads("--load", "0,0,0,0,0,1")[5] == 1, "one for each");
    self.Expect(!Refusal([&] { options.ParseLoads("--load", "1,1"); }).empty(), "two of six");
    options.CheckDuration(NanoSeconds(8'192)); // 100 packets of 1 KiB at 100 Gb/s
    self.Expect(!Refusal([&] { options.CheckDuration(NanoSeconds(8'191)); }).empty(), "short");
    options.table = "nowhere.json";
    self.Expect(Refusal([&] { options.Read(); }).rfind("--table=nowhere.json", 0) == 0, "no file");
}

/// What wires did is added up.
void
TestWires(FunctionCase& self)
{
    WireCounts counts;
    counts.frames = 3;
    counts.preemptions = 2;
    counts.idleWhileWaiting = 5;
    WireTotals totals;
    totals.Add(counts);
    totals.Add(counts);
    self.Expect(totals.Get().frames == 6 && totals.Get().preemptions == 4 &&
                    totals.Get().idleWhileWaiting == 10 && totals.Get().fills == 0,
                "sums");
}

/// The suite.
class LaneHelpersSuite : public FunctionSuite
{
  public:
    LaneHelpersSuite()
        : FunctionSuite("fabric-lane-helpers", kUnit)
    {
        Add("VA-11 a frame alone takes its length and the time from switch to switch", TestReplay);
        Add("VA-9 frames of a stream follow each other", TestStream);
        Add("VA-9 frames at random are as many as expected", TestPoisson);
        Add("VA-9 frames at random that come hardly ever", TestRareFrames);
        Add("VA-13 packets of lanes are counted from a given time on", TestRecorder);
        Add("VA-6 lanes halve the link of a queue disc", TestPath<QueueDiscLanePath>);
        Add("VA-6 lanes halve an output of a switch", TestPath<OutputLanePath>);
        Add("VA-6 lanes halve the uplink of a host", TestPath<UplinkLanePath>);
        Add("VA-13 loads of lanes change when they are told to", TestLoad);
        Add("PR-5 options of lanes are read, or refused with a sentence", TestOptions);
        Add("VA-9 counts of wires add up", TestWires);
    }
};

const LaneHelpersSuite g_laneHelpersSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
