/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-random-network.h"
#include "fabric-shortest-path-routing.h"
#include "support/fabric-error-streams.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-bed.h"
#include "support/fabric-test-seeds.h"
#include "support/fabric-time-units.h"
#include "support/fabric-told-errors.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t LARGEST = WireBytes(1'000); ///< Frame, bytes.

/// @return a fat tree with four hosts on two edge switches, whose frames have a largest size
FabricContainer
MakeLimitedTree(bool flowChannels)
{
    FatTreeConfig config;
    config.radix = 4;
    config.levels = 2;
    config.hosts = 4;
    FatTreeHelper helper(config);
    helper.SetStream(1);
    helper.SetSwitchAttribute("FlowChannels", BooleanValue(flowChannels));
    helper.SetSwitchAttribute("MaxFrameBytes", UintegerValue(LARGEST));
    return helper.Install();
}

/// Sends messages of these sizes one after the other.
void
SendAll(const FabricContainer& fabric,
        uint32_t from,
        uint32_t to,
        const std::vector<uint64_t>& sizes)
{
    for (const uint64_t bytes : sizes)
    {
        fabric.GetDevice(from)->SendMessage(LocationOf(to), bytes);
    }
}

/// A frame over the largest size is dropped, what comes after it by that port waits for the reset,
/// and nobody else notices.
void
TestFault(FunctionCase& self, bool flowChannels)
{
    const ToldErrors told;
    Simulation simulation;
    const FabricContainer fabric = MakeLimitedTree(flowChannels);
    std::vector<std::pair<LocationId, uint64_t>> arrived; // source and size
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>([&arrived](const Message& message, Time) {
            arrived.emplace_back(message.src, message.bytes);
        }));
    SendAll(fabric, 0, 2, {1'000, 1'001, 999, 998});
    SendAll(fabric, 1, 2, {997, 996});
    Simulator::Run();

    const auto has = [&arrived](uint32_t host, uint64_t bytes) {
        return std::count(arrived.begin(),
                          arrived.end(),
                          std::make_pair(LocationOf(host), bytes)) == 1;
    };
    self.Expect(arrived.size() == 3 && has(0, 1'000) && has(1, 997) && has(1, 996),
                "what is as large as allowed, and what another host sends, arrives");
    const Ptr<FabricSwitch> edge = fabric.GetSwitch(0);
    self.Expect(edge->IsPortBlocked(0) && !edge->IsPortBlocked(1), "one port is blocked");
    self.Expect(!fabric.network->IsEmpty(), "something waits");
    const FabricTotals before = fabric.network->GetTotals();
    self.ExpectEqual(before.inFlight, 999 + 998, "waits");
    self.ExpectEqual(before.dropped.at("oversize"), 1'001, "dropped");
    const auto stall = fabric.network->FindStall();
    self.ExpectEqual(stall ? stall->Describe() : "",
                     "stalled: 1997 bytes cannot move, since a frame over MaxFrameBytes blocks "
                     "port 0 of switch 0 until its reset",
                     "why nothing moves");

    Simulator::ScheduleNow([&edge] { edge->ResetPort(0); });
    Simulator::Run();
    self.Expect(arrived.size() == 5 && arrived[3].second == 999 && arrived[4].second == 998,
                "the others arrive in their order");
    self.Expect(!edge->IsPortBlocked(0), "the port works");
    fabric.network->CheckInvariants();
    self.Expect(fabric.network->IsEmpty(), "nothing is left");
}

/// Its buffer full, a blocked port holds up its sender, and after the reset nothing is lost.
void
TestBackpressure(FunctionCase& self)
{
    const ToldErrors told;
    Simulation simulation;
    const FabricContainer fabric = MakeLimitedTree(true);
    SendAll(fabric, 0, 2, {1'001});
    SendAll(fabric, 0, 2, std::vector<uint64_t>(2'000, 1'000));
    SendAll(fabric, 1, 3, std::vector<uint64_t>(2'000, 1'000));
    Simulator::Run();
    self.ExpectEqual(fabric.network->GetTotals().delivered, 2'000'000, "of the other host");
    const SwitchChip& chip = fabric.GetSwitch(0)->GetChip();
    const uint64_t room = chip.Config().buffer.shares.totalBytes;
    self.Expect(chip.Counts().heldBytes > room - LARGEST && chip.Counts().heldBytes <= room,
                Text(chip.Counts().heldBytes, " bytes are held, of ", room));
    Simulator::ScheduleNow([&fabric] { fabric.GetSwitch(0)->ResetPort(0); });
    Simulator::Run();
    self.ExpectEqual(fabric.network->GetTotals().delivered, 4'000'000, "of both");
    self.Expect(fabric.network->IsEmpty(), "nothing is left");
}

/// @return two switches, of which the second has a largest frame: hosts 0 and 1 on the first, 2 and
/// 3 on the second
TestBed
MakeLimitedPair(bool flowChannels, bool lookahead)
{
    const TopologyPlan plan = MakeChainPlan({2, 1});
    SwitchConfig config;
    config.flowChannels.enabled = flowChannels;
    return TestBed(
        plan,
        MakeShortestPathRouting(plan),
        config,
        NicConfig(),
        [](std::size_t) { return std::make_pair(LinkRate(200'000'000'000), 100 * NS); },
        lookahead,
        [](std::size_t number, SwitchConfig& own) {
            if (number == 1)
            {
                own.buffer.maxFrameBytes = LARGEST;
            }
        });
}

/**
 * The link of a blocked port fails. What waits there of flow channels is lost with the link, since
 * their sender begins anew after the repair; what has none stays until the reset.
 */
void
TestFailedLink(FunctionCase& self, bool flowChannels, bool lookahead)
{
    TestBed bed = MakeLimitedPair(flowChannels, lookahead);
    SwitchChip& limited = bed.Chip(1);
    constexpr uint32_t PORT = 2; // to the first switch
    constexpr uint64_t WAITING = 999 + 998 + 997;
    const auto dropped = [&bed](std::size_t chip, DropCause cause) {
        return bed.Chip(chip).Counts().droppedPayload[static_cast<std::size_t>(cause)];
    };
    bed.Send(0, 3, 1'001, 0, 0);
    bed.Send(0, 3, 999, 0, 0);
    bed.Send(0, 3, 998, 0, 0);
    bed.Send(1, 2, 997, 0, 10 * NS);
    bed.RunUntil(50 * US);
    bed.Check();
    self.Expect(limited.IsPortBlocked(PORT), "the port is blocked");
    self.ExpectEqual(dropped(1, DropCause::OVERSIZE), 1'001, "too large");
    self.ExpectEqual(limited.InFlightPayload(), WAITING, "waits");

    bed.FailLink(0, 60 * US, 80 * US, 1 * US);
    bed.RunUntil(79 * US);
    bed.Check();
    self.ExpectEqual(dropped(1, DropCause::LINK_DOWN), flowChannels ? WAITING : 0, "is lost");
    self.ExpectEqual(dropped(0, DropCause::LINK_DOWN), 0, "is lost at the sender");
    self.ExpectEqual(limited.InFlightPayload(), flowChannels ? 0 : WAITING, "still waits");
    self.ExpectEqual(bed.IsEmpty(), flowChannels, "no frame and no flow channel is left");
    self.Expect(limited.IsPortBlocked(PORT), "a repair is no reset");

    bed.Send(0, 3, 500, 0, 100 * US);
    bed.Send(1, 2, 501, 0, 101 * US);
    bed.RunUntil(200 * US);
    bed.Check();
    self.Expect(bed.Deliveries().empty(), "what comes after the repair waits as well");
    limited.ResetPortAt(PORT, 200 * US);
    bed.RunToEnd();
    bed.Check();
    std::vector<uint64_t> arrived; // sizes
    for (const TestBed::Delivery& delivery : bed.Deliveries())
    {
        arrived.push_back(delivery.bytes);
    }
    std::sort(arrived.begin(), arrived.end());
    const std::vector<uint64_t> expected = flowChannels
                                               ? std::vector<uint64_t>{500, 501}
                                               : std::vector<uint64_t>{500, 501, 997, 998, 999};
    self.Expect(arrived == expected, Text(arrived.size(), " messages arrive"));
    self.Expect(bed.IsEmpty(), "nothing is left");
    self.ExpectEqual(limited.InFlightPayload() + bed.Chip(0).InFlightPayload(), 0, "in flight");
}

/// Random fabrics do the same with and without look-ahead and on threads, keep their books, and
/// end.
void
TestRandomContainment(FunctionCase& self)
{
    const TestSeeds seeds(16);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomRun run;
        run.seed = seed;
        run.oversize = true;
        run.outages = seed % 3 == 1;
        run.tools = seed % 4 == 2;
        run.creditFrames = seed % 5 == 3;
        run.linkPauses = seed % 7 == 4;
        run.slowHosts = seed % 3 == 2;
        run.tiles = seed % 2 == 0;
        const std::string ahead = RunRandom(self, run);
        self.Expect(ahead.find("oversize") != ahead.npos, Text("none is dropped, seed ", seed));
        run.lookahead = false;
        self.ExpectEqual(RunRandom(self, run), ahead, Text("by instants, seed ", seed));
        run.lookahead = true;
        run.threads = 2;
        self.ExpectEqual(RunRandom(self, run), ahead, Text("on threads, seed ", seed));
    }
}

/// @return the sentence about a tree of two levels @param set sets attributes
std::string
RefusalOfLimited(const std::function<void(FatTreeHelper&)>& set)
{
    Simulation simulation;
    FatTreeConfig config;
    config.radix = 4;
    config.levels = 2;
    FatTreeHelper helper(config);
    helper.SetSwitchAttribute("MaxFrameBytes", UintegerValue(LARGEST));
    set(helper);
    return Refusal<std::invalid_argument>([&] { helper.Install(); });
}

void
TestContainmentRefusals(FunctionCase& self)
{
    std::minstd_rand random(1);
    const std::string inPieces = RefusalOfLimited([&random](FatTreeHelper& helper) {
        helper.SetLaneTable(RandomLanes(random));
        helper.SetSwitchAttribute("LanePreemption", BooleanValue(true));
    });
    self.Expect(inPieces.find("MaxFrameBytes is 1024, and frames go in pieces") != inPieces.npos,
                inPieces);
    const std::string lossy =
        RefusalOfLimited([](FatTreeHelper& helper) { helper.SetErrorModel(FrameErrors(0.1)); });
    self.Expect(lossy.find("MaxFrameBytes is less than a jumbo frame, and their link loses") !=
                    lossy.npos,
                lossy);
    self.Expect(RefusalOfLimited([](FatTreeHelper&) {}).empty(), "alone it is allowed");

    Simulation simulation;
    const Ptr<FabricSwitch> edge = MakeLimitedTree(true).GetSwitch(0);
    const std::string words = Refusal<std::invalid_argument>(
        [&edge] { edge->ResetPort(edge->GetChip().Config().ports); });
    self.Expect(words.find("FabricSwitch::ResetPort()") != words.npos, words);
}

/// The suite.
class PortContainmentSuite : public FunctionSuite
{
  public:
    PortContainmentSuite()
        : FunctionSuite("fabric-port-containment", kUnit)
    {
        for (const bool flowChannels : {true, false})
        {
            Add(flowChannels ? "SW-15 one port, flow channels" : "SW-15 one port",
                [flowChannels](FunctionCase& self) { TestFault(self, flowChannels); });
        }
        Add("SW-15 a blocked port holds up its sender", TestBackpressure);
        for (const bool flowChannels : {true, false})
        {
            Add(flowChannels ? "SW-15 WL-8 a blocked port's link fails, flow channels"
                             : "SW-15 WL-8 a blocked port's link fails",
                [flowChannels](FunctionCase& self) {
                    TestFailedLink(self, flowChannels, true);
                    TestFailedLink(self, flowChannels, false);
                });
        }
        Add("SW-15 random fabrics", TestRandomContainment);
        Add("SW-15 what does not go together", TestContainmentRefusals);
    }
};

const PortContainmentSuite g_portContainmentSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
