/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-random-outages.h"
#include "fabric-random-scenario.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "fabric-watched-run.h"

#include "ns3/test.h"

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr std::size_t DOWN = static_cast<std::size_t>(DropCause::LINK_DOWN);
constexpr std::size_t NO_WAY = static_cast<std::size_t>(DropCause::NO_ROUTE);

/// @return what is wrong with the room at the receiver of a link on which nothing is
std::string
CheckCredits(const LinkCredits& credits)
{
    for (uint32_t vc = 0; vc < credits.Shares().virtualChannels; ++vc)
    {
        if (credits.Used(vc) != credits.OnTheWay(vc))
        {
            return "channel " + std::to_string(vc) + " has " + std::to_string(credits.Used(vc)) +
                   " bytes used and " + std::to_string(credits.OnTheWay(vc)) + " coming back";
        }
    }
    return "";
}

/// What scenarios met.
struct FailuresMet
{
    uint64_t down{0};  ///< Bytes lost on links.
    uint64_t noWay{0}; ///< Bytes without a way.
    uint64_t whole{0}; ///< Bytes delivered.
    uint64_t acks{0};  ///< ACKs lost on links.
};

/// Nothing waits, and all room is given back.
void
CheckEnd(FunctionCase& test, TestBed& bed, bool allUp, const std::string& name, FailuresMet& met)
{
    for (std::size_t i = 0; i < bed.Chips(); ++i)
    {
        const SwitchChip& chip = bed.Chip(i);
        met.down += chip.Counts().droppedPayload[DOWN];
        met.noWay += chip.Counts().droppedPayload[NO_WAY];
        met.acks += chip.Counts().lostAcks;
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            const Transmitter& link = chip.Output(port);
            if (bed.IsFabricPort(i, port))
            {
                test.ExpectEqual(CheckCredits(link.Credits()), "", Text("port, ", name));
            }
            const bool isDown =
                chip.IsDown(port) || link.IsBlocked() || chip.OutputFlows(port).IsSuspended();
            test.Expect(!allUp || !isDown, Text("switch ", i, " port ", port, " is down, ", name));
        }
    }
    for (std::size_t i = 0; i < bed.Hosts(); ++i)
    {
        const Nic& nic = bed.GetNic(i);
        test.ExpectEqual(CheckCredits(nic.Uplink().Credits()), "", Text("NIC, ", name));
        test.Expect(!allUp || nic.Backlog() == 0, Text("host ", i, " is stuck, ", name));
        met.whole += nic.Counts().arrived;
        met.down += nic.Counts().linkDown;
    }
}

WatchedRun
RunWithFailures(FunctionCase& test,
                const RandomScenario& scenario,
                const RandomOutages& outages,
                TimePs horizon,
                bool lookahead,
                const std::string& name,
                FailuresMet& met)
{
    const auto bed = scenario.Build(lookahead);
    outages.AddTo(*bed);
    const FlowWatch watch(*bed, false, false);
    WatchedRun run = RunWatched(test, *bed, watch, horizon, 8, name);
    CheckEnd(test, *bed, outages.End() != NEVER, name, met);
    return run;
}

/// Runs scenarios from many seeds in which links fail, with and without look-ahead.
void
TestRandomFailures(FunctionCase& test)
{
    const TestSeeds seeds(600);
    FailuresMet met;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomScenario scenario(seed);
        if (seed % 2 == 0)
        {
            scenario.RerouteFlows(seed);
        }
        if (seed % 5 == 1)
        {
            // A link may fail, and be repaired, while it repeats a frame.
            scenario.LoseControl(2 + seed % 7);
            scenario.RepeatOnLinks(seed, 2 + seed % 7);
        }
        const RandomOutages outages(scenario, seed);
        const TimePs horizon = scenario.SomeTime();
        const std::string name = scenario.Describe() + outages.Describe();
        const auto run = [&](bool lookahead) {
            return RunWithFailures(test, scenario, outages, horizon, lookahead, name, met);
        };
        const WatchedRun ahead = run(true);
        ExpectSameRun(test, ahead, run(false), name);
    }
    test.Expect(met.down > 0 && met.noWay > 0 && met.whole > 0 && met.acks > 0,
                "too little failed");
}

/// Settings of the directed tests: links of 200 Gb/s and 30 ns.
std::unique_ptr<TestBed>
MakeBed(const TopologyPlan& plan, const std::vector<Routing>& routing, bool lookahead = true)
{
    return std::make_unique<TestBed>(
        plan,
        routing,
        SwitchConfig{},
        NicConfig{},
        [](std::size_t) { return std::make_pair(LinkRate(200'000'000'000), TimePs{30 * NS}); },
        lookahead);
}

/// The fat tree of 16 hosts of radix 4.
FatTree
SmallTree()
{
    FatTreeConfig config;
    config.radix = 4;
    return FatTree(config);
}

void
OnlyLinkTest(FunctionCase& test)
{
    const TopologyPlan plan = MakeChainPlan({1, 0});
    const auto bed = MakeBed(plan, MakeShortestPathRouting(plan));
    const uint32_t frames = 100;
    const TimePs tx = LinkRate(200'000'000'000).TxTime(WireBytes(MAX_PAYLOAD));
    // Sent by the first switch from 30 + 350 ns on, one after the other.
    const TimePs first = 380 * NS;
    const TimePs failure = first + 10 * tx + tx / 2 + 30 * NS;
    bed->Send(0, 1, frames * uint64_t{MAX_PAYLOAD}, 0, 0);
    bed->FailLink(0, failure, failure + 5 * US, 1 * US);
    bed->RunToEnd();
    bed->Check();
    const SwitchCounts& near = bed->Chip(0).Counts();
    const SwitchCounts& far = bed->Chip(1).Counts();
    // Ten have their tail in; the eleventh and what followed until the failure are cut off.
    const auto sent = static_cast<uint64_t>((failure - first + tx - 1) / tx);
    test.Expect(far.droppedPayload[DOWN] == (sent - 10) * MAX_PAYLOAD,
                "lost on the link: " + std::to_string(far.droppedPayload[DOWN] / MAX_PAYLOAD) +
                    " of " + std::to_string(sent));
    test.Expect(bed->GetNic(1).Counts().arrived + far.droppedPayload[DOWN] +
                        near.droppedPayload[NO_WAY] ==
                    frames * uint64_t{MAX_PAYLOAD},
                "arrived " + std::to_string(bed->GetNic(1).Counts().arrived / MAX_PAYLOAD));
    test.Expect(uint64_t{near.droppedFrames} * MAX_PAYLOAD == near.droppedPayload[NO_WAY] &&
                    uint64_t{far.droppedFrames} * MAX_PAYLOAD == far.droppedPayload[DOWN],
                "frames are counted as bytes are");
    // Without a way for 5 us, whatever routing knows by then; the host sends on at its rate.
    const auto unsent = static_cast<double>(near.droppedPayload[NO_WAY]) / MAX_PAYLOAD;
    const double expected = 5e6 / static_cast<double>(tx);
    test.Expect(unsent > expected - 3 && unsent < expected + 3,
                "without a way: " + std::to_string(unsent) + ", not " + std::to_string(expected));
    test.Expect(bed->IsEmpty() && bed->Chip(0).OutputFlows(0).InUse() == 0, "something is left");
}

void
AsNewTest(FunctionCase& test)
{
    // An incast fills the buffers at both ends of the link when it fails; the messages that follow
    // the repair take as long as if it had never failed.
    const TopologyPlan plan = MakeChainPlan({3, 2});
    std::vector<TestBed::Delivery> later[2];
    for (const bool fails : {false, true})
    {
        const auto bed = MakeBed(plan, MakeShortestPathRouting(plan));
        for (uint32_t host = 0; host < 5; ++host)
        {
            bed->Send(host, 5, 500'000, 0, 0);
        }
        if (fails)
        {
            bed->FailLink(0, 20 * US, 120 * US, 10 * US);
        }
        for (uint32_t host = 0; host < 3; ++host)
        {
            bed->Send(host, 5, 400'000 + host, 0, 1000 * US);
            bed->Send(host, 3, 300'000 + host, 0, 1000 * US);
        }
        bed->RunToEnd();
        bed->Check();
        for (const TestBed::Delivery& d : bed->Deliveries())
        {
            if (d.at > 1000 * US)
            {
                later[fails].push_back(d);
            }
        }
        test.Expect(bed->IsEmpty(), "something is left");
    }
    test.Expect(later[0].size() == 6 && later[0] == later[1],
                "a repaired link is not as a new one");
}

void
HostLinkTest(FunctionCase& test)
{
    const TopologyPlan plan = MakeChainPlan({2});
    const auto bed = MakeBed(plan, MakeShortestPathRouting(plan));
    // The sender's link fails, and later that of a host to which another one sends.
    bed->Send(0, 2, 1'000'000, 0, 0);
    bed->FailLink(0, 10 * US, 1000 * US, 0);
    bed->Send(1, 2, 1'000'000, 0, 2000 * US);
    bed->FailLink(2, 2010 * US, 3000 * US, 0);
    bed->RunToEnd();
    bed->Check();
    test.Expect(bed->GetNic(0).Backlog() == 0, "the host with the failed link has not sent all");
    test.Expect(bed->Chip(0).Counts().droppedPayload[DOWN] <= 2 * MAX_PAYLOAD &&
                    bed->Chip(0).Counts().droppedPayload[DOWN] > 0,
                "lost toward the switch");
    test.Expect(bed->GetNic(2).Counts().linkDown > 0 &&
                    bed->GetNic(2).Counts().linkDown <= 2 * MAX_PAYLOAD,
                "lost toward the host: " + std::to_string(bed->GetNic(2).Counts().linkDown));
    test.Expect(bed->Chip(0).Counts().droppedPayload[NO_WAY] > 700'000, "dropped without a way");
    test.Expect(bed->IsEmpty(), "something is left");
}

/**
 * A frame whose tail is in at the very instant of a failure is whole, one whose tail is in a
 * picosecond later is lost: toward a switch from a host, between switches, and toward a host.
 */
void
TailTest(FunctionCase& test)
{
    const TopologyPlan plan = MakeChainPlan({1, 0});
    constexpr uint32_t BYTES = 1000;
    const TimePs tx = LinkRate(200'000'000'000).TxTime(WireBytes(BYTES));
    const TimePs latency = SwitchConfig{}.timing.latency;
    const TimePs delay = 30 * NS;
    const std::size_t uplink = plan.links.size();
    const std::pair<std::size_t, TimePs> tails[] = {
        {uplink, tx + delay},
        {0, delay + latency + tx + delay},
        {uplink + 1, 2 * (delay + latency) + tx + delay}};
    for (const auto& [link, tailIn] : tails)
    {
        for (const TimePs early : {0, 1})
        {
            for (const bool lookahead : {true, false})
            {
                const auto bed = MakeBed(plan, MakeShortestPathRouting(plan), lookahead);
                bed->Send(0, 1, BYTES, 0, 0);
                bed->FailLink(link, tailIn - early, NEVER, 0);
                bed->RunUntil(tailIn + 10 * US);
                bed->Check();
                uint64_t down = bed->GetNic(1).Counts().linkDown;
                for (std::size_t chip = 0; chip < bed->Chips(); ++chip)
                {
                    down += bed->Chip(chip).Counts().droppedPayload[DOWN];
                }
                test.Expect(down == static_cast<uint64_t>(early) * BYTES,
                            "link " + std::to_string(link) + ", " + std::to_string(early) +
                                " ps early: " + std::to_string(down) + " bytes lost");
            }
        }
    }
}

void
WayAroundTest(FunctionCase& test)
{
    const FatTree tree = SmallTree();
    const TopologyPlan& plan = tree.GetPlan();
    // All hosts of the first pod send to the second: each up-link is in use when one fails.
    for (const TimePs delay : {TimePs{0}, TimePs{20 * US}})
    {
        const auto bed = MakeBed(plan, ToRouting(tree.GetRouting()));
        for (uint32_t host = 0; host < 4; ++host)
        {
            bed->Send(host, host + 4, 4'000'000, 0, 0);
        }
        std::size_t aggregation = 0;
        while (plan.switches[aggregation].tier != Tier::AGGREGATION)
        {
            ++aggregation;
        }
        // Both ways of one aggregation switch to the cores: its leaves have to avoid it.
        for (std::size_t i = 0; i < plan.links.size(); ++i)
        {
            const LinkPlan& l = plan.links[i];
            const bool isUp = (l.switchA == aggregation || l.switchB == aggregation) &&
                              (plan.switches[l.switchA].tier == Tier::CORE ||
                               plan.switches[l.switchB].tier == Tier::CORE);
            if (isUp)
            {
                bed->FailLink(i, 50 * US, 150 * US, delay);
            }
        }
        bed->RunUntil(51 * US + delay);
        uint64_t noWay = 0;
        const auto count = [&](std::size_t cause) {
            uint64_t bytes = 0;
            for (std::size_t i = 0; i < bed->Chips(); ++i)
            {
                bytes += bed->Chip(i).Counts().droppedPayload[cause];
            }
            return bytes;
        };
        noWay = count(NO_WAY);
        const uint64_t before = bed->Chip(aggregation).Counts().droppedFrames;
        bed->RunUntil(149 * US);
        test.Expect(bed->Chip(aggregation).Counts().droppedFrames == before,
                    "a leaf sends to a switch without a way up");
        test.Expect(delay == 0 ? noWay < 400'000 : noWay > 400'000,
                    "without a way, routing delay " + std::to_string(delay) + ": " +
                        std::to_string(noWay));
        bed->RunToEnd();
        bed->Check();
        test.Expect(bed->IsEmpty(), "something is left");
        uint64_t arrived = 0;
        for (uint32_t host = 4; host < 8; ++host)
        {
            arrived += bed->GetNic(host).Counts().arrived;
        }
        test.Expect(arrived + count(NO_WAY) + count(DOWN) == 16'000'000, "bytes");
        test.Expect(count(DOWN) > 0, "nothing was on the links");
        test.Expect(bed->Chip(aggregation).Counts().droppedPayload[NO_WAY] > 0,
                    "the switch without a way has dropped nothing");
    }
}

/// All links of a switch fail at an instant: what is known after each of them is worked out once,
/// and not for each switch that asks.
void
KeptAnswersTest(FunctionCase& test)
{
    constexpr uint16_t LINKS = 40;
    TopologyPlan plan;
    for (uint32_t i = 0; i < 2; ++i)
    {
        plan.switches.push_back({NO_GROUP, LINKS + 1, Tier::EDGE});
        plan.hosts.push_back({i, LINKS});
    }
    Reachability ways;
    for (uint16_t port = 0; port < LINKS; ++port)
    {
        plan.links.push_back({0, 1, port, port, LinkClass::FABRIC});
    }
    const std::vector<Routing> routing = MakeShortestPathRouting(plan);
    ways.AddSwitch(routing[0], LINKS + 1);
    ways.AddSwitch(routing[1], LINKS + 1);
    for (uint16_t port = 0; port < LINKS; ++port)
    {
        ways.AddLink(0, port, 1, port);
        ways.Fail(0, port, 100);
    }
    ways.AddHost(LocationOf(0));
    ways.AddHost(LocationOf(1));
    std::vector<std::shared_ptr<const DeadEnds>> answers;
    for (uint32_t heard = 1; heard <= LINKS; ++heard)
    {
        answers.push_back(ways.Of(0, 100, heard));
        test.Expect(answers.back() != nullptr, "a dead end");
    }
    for (uint32_t heard = 1; heard <= LINKS; ++heard)
    {
        test.Expect(ways.Of(0, 100, heard) == answers[heard - 1],
                    Text("worked out again after ", heard, " failures"));
    }
}

void
DeadEndTest(FunctionCase& test)
{
    const FatTree tree = SmallTree();
    const TopologyPlan& plan = tree.GetPlan();
    const std::vector<Routing> routing = ToRouting(tree.GetRouting());
    Reachability ways;
    for (std::size_t i = 0; i < plan.switches.size(); ++i)
    {
        ways.AddSwitch(routing[i], plan.switches[i].ports);
    }
    for (const LinkPlan& link : plan.links)
    {
        ways.AddLink(link.switchA, link.portA, link.switchB, link.portB);
    }
    for (uint32_t i = 0; i < plan.hosts.size(); ++i)
    {
        ways.AddHost(LocationOf(i));
    }
    // A core loses its way down to the first pod: nobody in another pod may go up to it for the
    // hosts of that pod, and all may for others.
    std::size_t failed = 0;
    for (; failed < plan.links.size(); ++failed)
    {
        const LinkPlan& l = plan.links[failed];
        if (plan.switches[l.switchB].tier == Tier::CORE && plan.switches[l.switchA].group == 0)
        {
            break;
        }
    }
    const LinkPlan& link = plan.links[failed];
    ways.Fail(link.switchB, link.portB, 100);
    ways.Repair(link.switchB, link.portB, 200);
    test.Expect(!ways.Of(link.switchB, 99) && !ways.Of(link.switchB, 200),
                "a dead end without end");
    test.Expect(!ways.Of(link.switchB, 150, 0) && ways.Of(link.switchB, 150, 1) &&
                    ways.Of(link.switchB, 250, 1) && !ways.Of(link.switchB, 250, 2),
                "a switch knows what it has not heard of");
    const auto core = ways.Of(link.switchB, 100);
    const auto own = ways.Of(link.switchA, 199);
    test.Expect(core && own, "both ends know");
    for (uint32_t i = 0; i < plan.hosts.size(); ++i)
    {
        const LocationId host = LocationOf(i);
        test.Expect(core->Has(host, link.portB) && !core->Has(host, link.portB ^ 1U),
                    "of the core the way down to the first pod alone");
        test.Expect(own->Has(host, link.portA) && !own->Has(host, link.portA ^ 1U),
                    "of the other end this way up alone");
    }
    uint32_t avoided = 0;
    for (const LinkPlan& l : plan.links)
    {
        if (l.switchB != link.switchB || l.switchA == link.switchA)
        {
            continue;
        }
        const auto above = ways.Of(l.switchA, 150);
        test.Expect(above && above->Has(LocationOf(0), l.portA) &&
                        above->Has(LocationOf(3), l.portA),
                    "an aggregation switch goes up to the core without a way down");
        test.Expect(above && !above->Has(LocationOf(15), l.portA) &&
                        !above->Has(LocationOf(0), l.portA ^ 1U),
                    "an aggregation switch avoids a good way");
        ++avoided;
    }
    test.Expect(avoided == 3, "cores have four pods");
    // What was asked before is not what holds after another link has failed.
    test.Expect(!ways.Of(plan.hosts[12].edgeSwitch, 170), "nothing has failed there");
    ways.Fail(plan.hosts[12].edgeSwitch, plan.hosts[12].port, 160);
    const auto leaf = ways.Of(plan.hosts[12].edgeSwitch, 170);
    test.Expect(leaf && leaf->Has(LocationOf(12), plan.hosts[12].port), "a host's link");
    test.Expect(!ways.Of(plan.hosts[15].edgeSwitch, 150), "a leaf has another core");
    // The link fails once more; that it is repaired then says nothing of the first time.
    ways.Fail(link.switchB, link.portB, 300);
    ways.Repair(link.switchB, link.portB, 400);
    for (const TimePs at : {150, 250, 350, 450})
    {
        const auto ends = ways.Of(link.switchB, at);
        test.ExpectEqual(ends && ends->Has(LocationOf(0), link.portB),
                         at == 150 || at == 350,
                         Text("two failures, at ", at));
    }
}

/// Suite of links that fail.
class FabricLinkFailureTestSuite : public FunctionSuite
{
  public:
    FabricLinkFailureTestSuite()
        : FunctionSuite("fabric-link-failure", kUnit)
    {
        Add("WL-8 dead ends follow from failed links", DeadEndTest);
        Add("WL-8 dead ends are worked out once", KeptAnswersTest);
        Add("WL-8 what is on the only link is lost, the rest goes on after "
            "the repair",
            OnlyLinkTest);
        Add("WL-8 WL-5 a repaired link is as a new one", AsNewTest);
        Add("WL-8 a host's link fails", HostLinkTest);
        Add("WL-8 a tail that is in exactly at a failure", TailTest);
        Add("WL-8 FC-12 a fat tree goes around failed links", WayAroundTest);
        Add("WL-8 DP-5 DP-6 FC-17 random links fail and are repaired: the same with and without "
            "look-ahead, nothing is stuck, tables and credits are whole at the end",
            TestRandomFailures);
    }
};

FabricLinkFailureTestSuite g_fabricLinkFailureTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
