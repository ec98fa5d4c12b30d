/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-ideal-completion.h"
#include "fabric-ideal-paths.h"
#include "fabric-message-recorder.h"
#include "fabric-shortest-path-routing.h"
#include "network/fabric-network-scenario.h"
#include "network/fabric-random-network.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"

#include "ns3/data-rate.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// What is drawn of a fabric whose paths are tried.
struct PathDraw
{
    std::minstd_rand random; ///< Decides.

    /// @return one of some values
    uint64_t Of(std::initializer_list<uint64_t> values)
    {
        return *(values.begin() + random() % values.size());
    }

    /// Draws what any switch may have.
    void SetTiming(FabricHelper& helper)
    {
        helper.SetChannelAttribute("Delay", TimeValue(PicoSeconds(Of({2, 77'777, 1'000'000}))));
        helper.SetHostChannelAttribute("Delay", TimeValue(PicoSeconds(Of({2, 30'000, 500'000}))));
        helper.SetSwitchAttribute("Forwarding",
                                  StringValue(Of({0, 1}) ? "cut-through" : "store-and-forward"));
        helper.SetSwitchAttribute("Latency", TimeValue(PicoSeconds(Of({0, 123'457, 350'000}))));
        helper.SetSwitchAttribute("ControlLatency", TimeValue(PicoSeconds(Of({0, 50'000}))));
        const bool flowChannels = Of({0, 1});
        helper.SetSwitchAttribute("FlowChannels", BooleanValue(flowChannels));
        // A flow alone has nothing to do with tools against congestion.
        const bool tools = flowChannels && Of({0, 1, 1}) != 0;
        for (const char* tool : {"Fgfc", "EndpointCongestion", "FlowLimits", "Pacing"})
        {
            helper.SetSwitchAttribute(tool, BooleanValue(tools));
        }
        helper.SetSwitchAttribute("BufferBytes", UintegerValue(4 << 20));
        helper.SetDeviceAttribute("Mtu", UintegerValue(Of({256, 1'500, 4'096})));
    }

    /// Draws the rates of links between switches and to hosts.
    void SetRates(FabricHelper& helper, bool alike)
    {
        const auto draw = [this] {
            return DataRateValue(DataRate(Of({1, 3, 25, 100, 200, 400, 800}) * 1'000'000'000));
        };
        helper.SetChannelAttribute("DataRate", draw());
        if (!alike)
        {
            helper.SetHostChannelAttribute("DataRate", draw());
        }
    }

    /// @return a size from one byte to some MiB, often about whole frames
    uint64_t Bytes()
    {
        const uint64_t most = Of({64, 5'000, 100'000, 3'000'000, 9'000'000});
        return Of({0, 1}) ? 1 + random() % most : 4'096 * (1 + random() % 20);
    }
};

/**
 * Hosts of a fabric send messages at random times, one flow alone.
 *
 * @param messages how many
 * @param seed for texts
 */
void
ExpectIdeal(FunctionCase& self,
            const FabricContainer& fabric,
            PathDraw& draw,
            uint32_t messages,
            uint32_t seed)
{
    FabricMessageRecorder recorder(fabric.network);
    const uint32_t hosts = fabric.hosts.GetN();
    const uint32_t from = draw.random() % hosts;
    const uint32_t to = (from + 1 + draw.random() % (hosts - 1)) % hosts;
    EmptyPath path = FabricIdealPaths(fabric.network).Find(LocationOf(from), LocationOf(to));
    std::vector<TimePs> ideal;
    TimePs at = 0;
    for (uint32_t i = 0; i < messages; ++i)
    {
        const uint64_t bytes = draw.Bytes();
        Simulator::Schedule(PicoSeconds(at), [&fabric, from, to, bytes] {
            fabric.GetDevice(from)->SendMessage(LocationOf(to), bytes);
        });
        ideal.push_back(path.Send(at, bytes));
        at += static_cast<TimePs>(draw.Of({0, 10'000, 3'000'000, 90'000'000}));
    }
    Simulator::Run();
    const auto& records = recorder.GetRecords();
    self.ExpectEqual(records.size(), messages, Text("delivered, seed ", seed));
    for (uint32_t i = 0; i < records.size() && i < messages; ++i)
    {
        self.ExpectEqual(records[i].deliveredAt,
                         ideal[i],
                         Text("message ", i, " of ", records[i].message.bytes, " B, seed ", seed));
    }
}

/// @return a fat tree of any levels, with timing as drawn
FatTreeHelper
DrawTree(PathDraw& draw, std::initializer_list<uint64_t> radices, uint32_t seed)
{
    FatTreeConfig config;
    config.levels = static_cast<uint32_t>(draw.Of({2, 3}));
    config.radix = static_cast<uint32_t>(draw.Of(radices));
    FatTreeHelper helper(config);
    helper.SetStream(seed);
    draw.SetTiming(helper);
    return helper;
}

/// @param alike whether all links have one rate
void
TestTrees(FunctionCase& self, bool alike)
{
    const TestSeeds seeds(120);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        Simulation simulation;
        PathDraw draw{std::minstd_rand(seed)};
        FatTreeHelper helper = DrawTree(draw, {4, 6, 8}, seed);
        draw.SetRates(helper, alike);
        ExpectIdeal(self, helper.Install(), draw, 1 + seed % 4, seed);
    }
}

/// Frames in pieces are sent on by cut-through from slower links too.
void
TestPieces(FunctionCase& self)
{
    const TestSeeds seeds(120);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        Simulation simulation;
        PathDraw draw{std::minstd_rand(seed)};
        FatTreeHelper helper = DrawTree(draw, {4}, seed);
        draw.SetRates(helper, draw.Of({0, 1}) != 0);
        helper.SetDeviceAttribute("ArbitrateLanes", BooleanValue(draw.Of({0, 1, 1})));
        AddLanes(helper, draw.random);
        // Limits of lanes are not in the ideal.
        LaneTable table = RandomLanes(draw.random);
        for (GroupSettings& group : table.groups)
        {
            group.share = GroupSettings::FULL_SHARE;
        }
        helper.SetLaneTable(table);
        ExpectIdeal(self, helper.Install(), draw, 1 + seed % 4, seed);
    }
}

/// Switches in a row, from one to eight of them.
void
TestChains(FunctionCase& self)
{
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        Simulation simulation;
        PathDraw draw{std::minstd_rand(seed)};
        FabricHelper helper;
        helper.SetStream(seed);
        draw.SetTiming(helper);
        draw.SetRates(helper, false);
        const TopologyPlan plan = MakeChainPlan(ChainSources(1 + seed % 8, 1));
        const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        ExpectIdeal(self, fabric, draw, 1 + seed % 4, seed);
    }
}

/**
 * Two messages of n frames share the receiver's link, which sends their frames by turns: the last
 * frame of the one is the last of 2n, that of the other the one before it.
 */
void
TestShared(FunctionCase& self)
{
    for (const bool flowChannels : {false, true})
    {
        Simulation simulation;
        FabricHelper helper;
        helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
        helper.SetSwitchAttribute("FlowChannels", BooleanValue(flowChannels));
        const TopologyPlan plan = MakeChainPlan({2});
        const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        FabricMessageRecorder recorder(fabric.network);
        constexpr TimePs FRAMES = 1'000;
        for (uint32_t host = 0; host < 2; ++host)
        {
            fabric.GetDevice(host)->SendMessage(LocationOf(2), FRAMES * MAX_PAYLOAD);
        }
        Simulator::Run();
        const EmptyPath path = FabricIdealPaths(fabric.network).Find(LocationOf(0), LocationOf(2));
        constexpr TimePs FRAME = 164'800; // 4120 B at 200 Gb/s
        constexpr TimePs WAY = 2 * 100'000 + 350'000;
        const TimePs ideal = path.CompletionTime(FRAMES * MAX_PAYLOAD);
        self.ExpectEqual(ideal, FRAMES * FRAME + WAY, "alone");
        const auto& records = recorder.GetRecords();
        self.ExpectEqual(records.size(), 2, "delivered");
        self.ExpectEqual(records[0].deliveredAt, (2 * FRAMES - 1) * FRAME + WAY, "the first");
        self.ExpectEqual(records[1].deliveredAt, 2 * FRAMES * FRAME + WAY, "the second");
        const double slowdown = Slowdown(records[1].deliveredAt, ideal);
        self.ExpectNear(slowdown, 2, 0.01, "half of the link each");
    }
}

/// A flow whose host is faster than the way on fills it, over a link of any length (CM-4, CM-5).
void
TestLongLinks(FunctionCase& self)
{
    for (const uint32_t delay : {10, 500, 1'000, 5'000})
    {
        for (const bool covers : {true, false})
        {
            Simulation simulation;
            FabricHelper helper;
            helper.SetChannelAttribute("DataRate", StringValue("400Gbps"));
            helper.SetHostChannelAttribute("DataRate", StringValue("800Gbps"));
            helper.SetHostChannelAttribute("Delay", TimeValue(NanoSeconds(delay)));
            helper.SetSwitchAttribute("BufferBytes", UintegerValue(4 << 20));
            helper.SetSwitchAttribute("Fgfc", BooleanValue(true));
            helper.SetSwitchAttribute("WatermarksCoverLinks", BooleanValue(covers));
            const TopologyPlan plan = MakeChainPlan({1, 0});
            const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
            FabricMessageRecorder recorder(fabric.network);
            fabric.GetDevice(0)->SendMessage(LocationOf(1), 8 << 20);
            Simulator::Run();
            const EmptyPath path =
                FabricIdealPaths(fabric.network).Find(LocationOf(0), LocationOf(1));
            const TimePs late =
                recorder.GetRecords().at(0).deliveredAt - path.CompletionTime(8 << 20);
            self.ExpectEqual(late > 0, !covers && delay > 10, Text(late, " ps, links of ", delay));
        }
    }
}

/// What two hosts send to one, and over links of which length.
struct SharedLink
{
    std::vector<uint32_t> sources; ///< Hosts that send, by switch in a row.
    const char* edge;              ///< How switches hold hosts back.
    uint32_t delay;                ///< Of all links, ns.
    uint32_t buffer;               ///< Of an input, bytes.
};

/// Two flows fill the link to their destination by turns, though it is congested, over links of any
/// length, and from hosts that are paused long before the buffer is full.
void
TestSharedLinks(FunctionCase& self)
{
    constexpr uint64_t BYTES = 8 << 20;
    const std::vector<SharedLink> cases{{{1, 1}, "credits", 100, 1 << 19},
                                        {{1, 1}, "credits", 3'000, 1 << 20},
                                        {{1, 1}, "credits", 5'000, 1 << 20},
                                        {{2}, "pause", 100, 1 << 19},
                                        {{1, 1}, "pause", 100, 1 << 19},
                                        {{2}, "credits", 100, 60'000}};
    for (const SharedLink& shared : cases)
    {
        Simulation simulation;
        FabricHelper helper;
        helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(shared.delay)));
        helper.SetSwitchAttribute("EdgeFlowControl", StringValue(shared.edge));
        helper.SetSwitchAttribute("BufferBytes", UintegerValue(shared.buffer));
        helper.SetSwitchAttribute("ReservedBytes", UintegerValue(9'024));
        const TopologyPlan plan = MakeChainPlan(shared.sources);
        const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        FabricMessageRecorder recorder(fabric.network);
        fabric.GetDevice(0)->SendMessage(LocationOf(2), BYTES);
        fabric.GetDevice(1)->SendMessage(LocationOf(2), BYTES);
        Simulator::Run();
        const EmptyPath path = FabricIdealPaths(fabric.network).Find(LocationOf(0), LocationOf(2));
        const double slowdown =
            Slowdown(recorder.GetRecords().at(1).deliveredAt, path.CompletionTime(2 * BYTES));
        const std::string which =
            shared.edge + (", links of " + std::to_string(shared.delay)) + " ns";
        self.ExpectNear(slowdown, 1, 0.01, which + ": both have come");
        const double first =
            Slowdown(recorder.GetRecords().at(0).deliveredAt, path.CompletionTime(2 * BYTES));
        self.Expect(first > 0.97, which + ": each has half of the link");
    }
}

/// The longest round trip in a row of switches is that from one end to the other.
void
TestLongestRoundTrip(FunctionCase& self)
{
    for (const uint32_t switches : {1, 2, 3, 8})
    {
        Simulation simulation;
        FabricHelper helper;
        helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
        const TopologyPlan plan = MakeChainPlan(ChainSources(switches, 1));
        const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        constexpr TimePs HOP = 100'000 + 350'000;
        constexpr TimePs FRAME_TO_HOST = 164'800 + 100'000; // 4120 B at 200 Gb/s
        const Time expected = PicoSeconds(2 * (switches - 1) * HOP + FRAME_TO_HOST);
        self.ExpectEqual(FabricIdealPaths(fabric.network).LongestRoundTrip(),
                         expected,
                         Text(switches, " switches"));
    }
}

/// @return a row of switches with as many hosts as drawn, each link with a length and rate of its
/// own
FabricContainer
InstallUnequalRow(PathDraw& draw, uint32_t switches)
{
    FabricHelper helper;
    helper.SetSwitchAttribute("BufferBytes", UintegerValue(4 << 20));
    ChainSources sources(switches);
    std::generate(sources.begin(), sources.end(), [&] { return draw.Of({0, 1, 2, 4}); });
    sources.front() += 1; // two hosts at least
    const TopologyPlan plan = MakeChainPlan(sources);
    const auto delay = [&] { return TimeValue(NanoSeconds(draw.Of({10, 100, 1'000, 9'000}))); };
    const auto rate = [&] { return DataRateValue(draw.Of({1, 10, 200, 800}) * 1'000'000'000); };
    for (uint32_t host = 0; host < plan.hosts.size(); ++host)
    {
        helper.SetHostLinkAttribute(host, "Delay", delay());
        helper.SetHostLinkAttribute(host, "DataRate", rate());
    }
    // In some rows the hosts' links decide, so that the first host is no end of the longest way.
    const bool isShort = draw.Of({0, 1}) == 1;
    for (uint32_t link = 0; !isShort && link < plan.links.size(); ++link)
    {
        helper.SetLinkAttribute(link, "Delay", delay());
        helper.SetLinkAttribute(link, "DataRate", rate());
    }
    return helper.Install(plan, MakeShortestPathRouting(plan));
}

/// Where hosts of a switch have links of different lengths and rates, the longest ways are those of
/// all between two hosts, or close to them if switches are many.
void
TestLongestOfUnequalLinks(FunctionCase& self)
{
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        Simulation simulation;
        PathDraw draw{std::minstd_rand(seed)};
        const auto switches = static_cast<uint32_t>(draw.Of({1, 2, 3, 5, 15}));
        const FabricContainer fabric = InstallUnequalRow(draw, switches);
        const FabricIdealPaths paths(fabric.network);
        const auto frameTime = [&](LocationId src, LocationId dst) {
            const EmptyPath path = paths.Find(src, dst);
            return path.CompletionTime(path.Payload());
        };
        Time roundTrip;
        TimePs frame = 0;
        for (uint32_t src = 0; src < fabric.hosts.GetN(); ++src)
        {
            for (uint32_t dst = 0; dst < fabric.hosts.GetN(); ++dst)
            {
                if (src != dst)
                {
                    const LocationId from = LocationOf(src);
                    roundTrip = Max(roundTrip, paths.RoundTrip(from, LocationOf(dst)));
                    frame = std::max(frame, frameTime(from, LocationOf(dst)));
                }
            }
        }
        const auto [from, to] = paths.Farthest();
        const double part =
            paths.LongestRoundTrip().ToDouble(Time::PS) / roundTrip.ToDouble(Time::PS);
        const double framePart =
            static_cast<double>(frameTime(from, to)) / static_cast<double>(frame);
        const double least = switches <= 5 ? 1 : 0.8;
        self.Expect(part >= least && part <= 1, Text("round trip ", part, ", seed ", seed));
        self.Expect(framePart >= least, Text("farthest hosts ", framePart, ", seed ", seed));
    }
}

/// Where switches send frames on piece by piece, a round trip begins as well when the head leaves
/// the edge switch: the link of the host and the switch's latency after it left the host.
void
TestPacedRoundTrip(FunctionCase& self)
{
    const TestSeeds seeds(20);
    uint32_t paced = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        Simulation simulation;
        std::minstd_rand random(seed);
        FatTreeConfig config;
        config.levels = 2;
        config.radix = 4;
        FatTreeHelper helper(config);
        helper.SetHostChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
        helper.SetHostLinkAttribute(0, "DataRate", DataRateValue(DataRate(100'000'000'000)));
        helper.SetSwitchAttribute("Latency", TimeValue(NanoSeconds(350)));
        AddLanes(helper, random);
        LaneTable table = RandomLanes(random);
        for (GroupSettings& group : table.groups)
        {
            group.share = GroupSettings::FULL_SHARE;
        }
        helper.SetLaneTable(table);
        const FabricContainer fabric = helper.Install();
        const FabricIdealPaths paths(fabric.network);
        const LocationId from = LocationOf(0);
        const LocationId to = LocationOf(1); // at the same switch
        const HostPlan& place = helper.GetTree().GetPlan().hosts[0];
        const SwitchChip& chip = fabric.GetSwitch(place.edgeSwitch)->GetChip();
        if (chip.HandoverAt(place.port) == Handover::PACED)
        {
            EmptyPath path = paths.Find(from, to);
            self.ExpectEqual(paths.RoundTrip(from, to).GetPicoSeconds(),
                             path.CompletionTime(path.Payload()) - 450'000,
                             Text("seed ", seed));
            ++paced;
        }
    }
    self.Expect(paced > 0, "some are paced");
}

/// Switches learn the longest round trip, for RerouteHold if that is not said.
void
TestRoundTripForHold(FunctionCase& self)
{
    for (const uint32_t hold : {0, 7})
    {
        Simulation simulation;
        FabricHelper helper;
        helper.SetChannelAttribute("Delay", TimeValue(MicroSeconds(5)));
        helper.SetSwitchAttribute("EndpointCongestion", BooleanValue(false));
        helper.SetSwitchAttribute("Reroute", BooleanValue(true));
        helper.SetSwitchAttribute("RerouteHold", TimeValue(MicroSeconds(hold)));
        const TopologyPlan plan = MakeChainPlan(ChainSources(5, 1));
        const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        const TimePs roundTrip =
            FabricIdealPaths(fabric.network).LongestRoundTrip().GetPicoSeconds();
        for (const Ptr<FabricSwitch>& fabricSwitch : fabric.network->GetSwitches())
        {
            const auto& reroute = fabricSwitch->GetChip().Config().congestion.reroute;
            self.ExpectEqual(reroute.Hold(),
                             hold == 0 ? 8'000'000 + 2 * roundTrip : TimePs{hold} * 1'000'000,
                             Text("RerouteHold of ", hold, " us"));
            self.ExpectEqual(reroute.roundTrip, roundTrip, "for how long flows are remembered");
        }
    }
}

/// What is not in the ideal shows as slowdown: credits of a long link, and a slow host.
void
TestLimits(FunctionCase& self)
{
    const auto slowdown = [](const std::function<void(FabricHelper&)>& set) {
        Simulation simulation;
        FabricHelper helper;
        set(helper);
        const TopologyPlan plan = MakeChainPlan({1, 0});
        const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        FabricMessageRecorder recorder(fabric.network);
        fabric.GetDevice(0)->SendMessage(LocationOf(1), 10 << 20);
        Simulator::Run();
        const EmptyPath path = FabricIdealPaths(fabric.network).Find(LocationOf(0), LocationOf(1));
        return Slowdown(recorder.GetRecords().at(0).deliveredAt, path.CompletionTime(10 << 20));
    };
    self.ExpectEqual(slowdown([](FabricHelper&) {}), 1.0, "nothing holds it up");
    const double credits = slowdown([](FabricHelper& helper) {
        helper.SetChannelAttribute("Delay", TimeValue(MicroSeconds(100)));
        helper.SetHostChannelAttribute("Delay", TimeValue(NanoSeconds(30)));
    });
    // 512 KiB a round trip of 200 us are 21 Gb/s of 200.
    self.ExpectNear(credits, 6, 2, "credits of a link of 100 us");
    const double slowHost = slowdown([](FabricHelper& helper) {
        helper.SetDeviceAttribute("ReceiveRate", DataRateValue(DataRate("50Gbps")));
    });
    self.ExpectNear(slowHost, 4, 0.1, "a host of a quarter of the rate");
}

/// The suite.
class FabricIdealPathsSuite : public FunctionSuite
{
  public:
    FabricIdealPathsSuite()
        : FunctionSuite("fabric-ideal-paths", kUnit)
    {
        Add("SC-5 a flow alone in a tree of equal links has its ideal times",
            [](FunctionCase& self) { TestTrees(self, true); });
        Add("SC-5 a flow alone in a tree of unequal links has its ideal times",
            [](FunctionCase& self) { TestTrees(self, false); });
        Add("SC-5 VA-9 a flow alone whose frames are sent in pieces has its ideal times",
            TestPieces);
        Add("SC-5 a flow alone in a chain of switches has its ideal times", TestChains);
        Add("SC-5 two messages that share a link have a slowdown of 2", TestShared);
        Add("SC-5 what is not in the ideal is in the slowdown", TestLimits);
        Add("CM-4 a flow alone fills long links", TestLongLinks);
        Add("CM-5 flows that share a link fill it, however long and with any buffer",
            TestSharedLinks);
        Add("CM-2 the longest round trip", TestLongestRoundTrip);
        Add("CM-2 the longest ways where links of hosts differ", TestLongestOfUnequalLinks);
        Add("CM-2 a round trip of frames in pieces", TestPacedRoundTrip);
        Add("CM-9 a flow that was moved stays for round trips", TestRoundTripForHold);
    }
};

const FabricIdealPathsSuite g_fabricIdealPathsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
