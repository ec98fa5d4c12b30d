/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree.h"
#include "fabric-function-case.h"
#include "fabric-link-overload.h"
#include "fabric-past-flows.h"
#include "fabric-test-bed.h"
#include "fabric-test-seeds.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t GIGABIT_OF_TREE = 1'000'000'000;
constexpr TimePs NS = 1'000;
constexpr TimePs US = 1'000'000;

/// A link of 80 Gb/s, 10 bytes in 1 ns.
LinkOverload
MakeOverload(uint32_t spread)
{
    static const RerouteSettings one{true, 1000, 100 * NS, 1, 1};
    static const RerouteSettings four{true, 1000, 100 * NS, 4, 1};
    return LinkOverload(spread == 1 ? one : four, LinkRate(80 * GIGABIT_OF_TREE), 1);
}

/// Overload needs bytes that wait for the whole time, and a link that is busy meanwhile.
void
TestOverload(FunctionCase& test)
{
    LinkOverload busy = MakeOverload(1);
    test.Expect(!busy.Decide(1001, 0, 100 * NS), "the time begins");
    test.Expect(!busy.Decide(1001, 990, 199 * NS), "the time is not over");
    test.Expect(busy.Decide(1001, 1000, 200 * NS), "the time is over");
    test.Expect(!busy.Decide(1001, 1990, 299 * NS), "another time has begun");
    test.Expect(busy.Decide(1001, 2000, 300 * NS), "that is over, too");

    LinkOverload idle = MakeOverload(1);
    idle.Decide(1001, 0, 100 * NS);
    test.Expect(!idle.Decide(1001, 930, 200 * NS), "7 of 100 ns it was idle");
    test.Expect(idle.Decide(1001, 930 + 940, 300 * NS), "6 of 100 are too few");

    LinkOverload drained = MakeOverload(1);
    drained.Decide(1001, 0, 100 * NS);
    drained.Decide(1000, 500, 150 * NS);
    test.Expect(!drained.Decide(1001, 1000, 200 * NS), "less has waited meanwhile");
    test.Expect(drained.Decide(1001, 2000, 300 * NS), "and then no more");
}

/// How busy a link was, in quarters, also when nobody has asked for long.
void
TestBusyPart(FunctionCase& test)
{
    LinkOverload link = MakeOverload(1);
    link.Decide(0, 0, 100 * NS);
    link.Decide(0, 510, 200 * NS);
    test.ExpectEqual(link.BusyPart(700, 250 * NS), 2U, "half of the last time");
    test.ExpectEqual(link.BusyPart(1510, 300 * NS), 4U, "all of this one");
    test.ExpectEqual(link.BusyPart(510, 1000 * NS), 0U, "nothing for long");
    const TimePs hours = 10'000'000'000'000'000;
    test.ExpectEqual(link.BusyPart(510, hours), 0U, "nothing for hours");
}

/// Upstream is told after times that are drawn, between 1 and the spread.
void
TestSpread(FunctionCase& test)
{
    LinkOverload link = MakeOverload(4);
    std::map<uint32_t, uint32_t> waits;
    uint32_t wait = 1;
    for (uint32_t i = 0; i < 4000; ++i, ++wait)
    {
        if (link.TellsNow(100 * NS * i))
        {
            ++waits[wait];
            wait = 0;
        }
    }
    test.ExpectEqual(waits.size(), std::size_t{4}, "all of them, and no other");
    for (const auto& [times, count] : waits)
    {
        test.Expect(times >= 1 && times <= 4 && count > 300, Text(times, ": ", count));
    }
}

/// Of a link one flow is told in the time that a move takes.
void
TestOneAtATime(FunctionCase& test)
{
    const RerouteSettings settings{true, 1000, 100 * NS, 1, 10 * US};
    LinkOverload link(settings, LinkRate(80 * GIGABIT_OF_TREE), 1);
    test.Expect(link.TellsNow(US), "the first");
    test.Expect(!link.TellsNow(11 * US - 1), "what was told has no effect yet");
    test.Expect(link.TellsNow(11 * US), "the next");
    test.Expect(!link.TellsNow(12 * US), "and no other");
}

/// When the flow of which upstream was told is gone, the next one need not wait.
void
TestHoldEnds(FunctionCase& test)
{
    const RerouteSettings settings{true, 1000, 100 * NS, 1, 10 * US};
    LinkOverload link(settings, LinkRate(80 * GIGABIT_OF_TREE), 1);
    test.Expect(link.TellsNow(US), "the first");
    test.Expect(!link.TellsNow(2 * US), "it is still there");
    link.EndHold();
    test.Expect(link.TellsNow(3 * US), "the next");
    test.Expect(!link.TellsNow(12 * US), "has a hold of its own");
}

/// A flow that comes again within a round trip is no newcomer at its output.
void
TestPastFlows(FunctionCase& test)
{
    RerouteSettings settings;
    settings.hold = RerouteSettings::STEPS_PER_HOLD * US; // steps of 1 us
    settings.roundTrip = 4 * US;
    PastFlows past(settings);
    FlowRecord record;
    record.src = 1;
    record.dst = 2;
    record.movedAt = 5;
    record.queue.output = 3;
    test.ExpectEqual(past.Arrive(record, 3, 9 * US), 9, "it is new");
    past.Leave(record, 10 * US);
    test.ExpectEqual(past.Arrive(record, 3, 14 * US), 5, "it has changed its path");
    test.ExpectEqual(past.Arrive(record, 4, 12 * US), 12, "it is new at another output");
    test.ExpectEqual(past.Arrive(record, 3, 15 * US), 15, "it was gone for long");
    FlowRecord other = record;
    other.trafficClass = 1;
    test.ExpectEqual(past.Arrive(other, 3, 12 * US), 12, "another class");
    other = record;
    other.src = 3;
    test.ExpectEqual(past.Arrive(other, 3, 12 * US), 12, "another source");
    for (uint32_t i = 0; i < 10'000; ++i)
    {
        record.src = static_cast<LocationId>(i);
        past.Leave(record, (20 + i) * US);
    }
    test.Expect(past.Size() < 200, Text("they are forgotten: ", past.Size()));
}

/// That time goes with the round trip, unless it is said.
void
TestHold(FunctionCase& test)
{
    RerouteSettings settings;
    settings.isOn = true;
    settings.spread = 1;
    test.ExpectEqual(settings.Hold(), 15 * US, "that of a usual tree");
    LinkOverload link(settings, LinkRate(80 * GIGABIT_OF_TREE), 1);
    settings.roundTrip = 12 * US; // is told when there are links already
    test.Expect(link.TellsNow(US), "the first");
    test.Expect(!link.TellsNow(33 * US - 1), "two round trips and 8 us");
    test.Expect(link.TellsNow(33 * US), "the next");
    test.ExpectEqual(settings.StepOf(32 * US), RerouteSettings::STEPS_PER_HOLD, "steps of it");
    settings.hold = US;
    test.ExpectEqual(settings.Hold(), US, "what is said counts");
}

/// A fat tree.
struct Tree
{
    FatTree tree;        ///< The tree.
    SwitchConfig config; ///< Of its switches.
    /// Links between switches that are slow.
    std::function<bool(const LinkPlan&)> isSlow{[](const LinkPlan&) { return false; }};

    /// Of three levels with switches of 4 ports.
    Tree()
        : Tree([] {
              FatTreeConfig shape;
              shape.radix = 4;
              shape.hosts = 16;
              return shape;
          }())
    {
    }

    explicit Tree(const FatTreeConfig& shape)
        : tree(shape)
    {
        config.congestion.reroute.isOn = true;
    }

    /// @return one of two levels @param radix ports of its switches
    static Tree OfTwoLevels(uint32_t radix)
    {
        FatTreeConfig shape;
        shape.levels = 2;
        shape.radix = radix;
        return Tree(shape);
    }

    /// @return it, with links of 200 Gb/s and slow ones of a quarter
    TestBed Build() const
    {
        const TopologyPlan plan = tree.GetPlan();
        return TestBed(
            plan,
            ToRouting(tree.GetRouting()),
            config,
            NicConfig{},
            [this, &plan](std::size_t link) {
                const bool slow = link < plan.links.size() && isSlow(plan.links[link]);
                return std::pair(LinkRate((slow ? 50 : 200) * GIGABIT_OF_TREE), 100 * NS);
            },
            true);
    }
};

/// @return times at which flows of the tree have moved
uint64_t
MovesOf(TestBed& bed)
{
    uint64_t moves = 0;
    for (std::size_t i = 0; i < bed.Chips(); ++i)
    {
        moves += bed.Chip(i).FlowMoves();
    }
    return moves;
}

/// @return when all hosts have what the host at a distance has sent them, ps
TimePs
Permute(FunctionCase& test, const Tree& tree, uint32_t shift, uint64_t bytes)
{
    TestBed bed = tree.Build();
    for (uint32_t host = 0; host < 16; ++host)
    {
        bed.Send(host, (host + shift) % 16, bytes, 0, 0);
    }
    bed.RunToEnd();
    bed.Check();
    test.Expect(tree.config.congestion.reroute.isOn == (MovesOf(bed) != 0), "who moves");
    return bed.Deliveries().back().at;
}

/// Flows that collide part.
void
TestPermutation(FunctionCase& test)
{
    TimePs with = 0;
    TimePs without = 0;
    for (const uint32_t shift : {3, 7, 9})
    {
        Tree tree;
        with += Permute(test, tree, shift, 16 << 20);
        tree.config.congestion.reroute.isOn = false;
        without += Permute(test, tree, shift, 16 << 20);
    }
    // At full rate 16 MiB take 675 us; two flows on a link take twice that.
    test.Expect(without > TimePs{3 * 1340} * US, Text("without: ", without));
    test.Expect(with < TimePs{3 * 1080} * US, Text("with: ", with));
}

/// A single flow leaves a slow link, wherever on its way up that is, and none of its frames is
/// overtaken.
void
TestSlowLink(FunctionCase& test)
{
    const TestSeeds seeds(10);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        Tree tree;
        tree.config.congestion.reroute.bytes = 16 * 1024; // less than hop credits leave one flow
        const TopologyPlan plan = tree.tree.GetPlan();
        const auto& slow = plan.links[seed % plan.links.size()];
        tree.isSlow = [&slow](const LinkPlan& link) {
            return link.switchA == slow.switchA && link.switchB == slow.switchB;
        };
        TestBed bed = tree.Build();
        for (uint32_t i = 0; i < 3000; ++i)
        {
            for (uint32_t host = 0; host < 16; ++host)
            {
                bed.Send(host, (host + 8) % 16, MAX_PAYLOAD, 0, 0);
            }
        }
        bed.RunToEnd();
        bed.Check();
        std::map<LocationId, uint32_t> next;
        for (const TestBed::Delivery& delivery : bed.Deliveries())
        {
            test.ExpectEqual(delivery.sequence,
                             next[delivery.src]++,
                             Text("seed ", seed, ": order of ", delivery.src));
        }
        test.ExpectEqual(bed.Deliveries().size(), std::size_t{48'000}, "all arrive");
        test.Expect(MovesOf(bed) > 0, Text("seed ", seed, ": no flow moves"));
        // By the slow link 12 MB would take 1970 us, by two shared ones half of that.
        const TimePs end = bed.Deliveries().back().at;
        test.Expect(end < 1500 * US, Text("seed ", seed, ": ", end));
    }
}

/// Where there is one way only, or all are alike, nothing is stopped.
void
TestNoOther(FunctionCase& test)
{
    Tree tree;
    TestBed bed = tree.Build();
    for (uint32_t host = 1; host < 16; ++host)
    {
        bed.Send(host, 0, 100'000, 0, 0);
    }
    bed.RunToEnd();
    bed.Check();
    const TimePs with = bed.Deliveries().back().at;
    // 1.5 MB take 60 us and 0.6 % of headers; then there is the way.
    test.Expect(with < 68 * US, Text("incast: ", with));
}

/// Two flows share a link though the output beside it is idle: its way goes on by a slow link that
/// another flow fills, as neighbours have told. When that flow has ended, one of the two leaves.
void
TestWorseElsewhere(FunctionCase& test)
{
    FatTreeConfig shape;
    shape.levels = 2;
    shape.radix = 4;
    const FatTree tree(shape); // 4 edge switches of two hosts and two links up
    const TopologyPlan& plan = tree.GetPlan();
    std::vector<Routing> routing(tree.GetRouting().begin(), tree.GetRouting().end());
    SwitchConfig config;
    config.congestion.reroute.isOn = true;
    config.congestion.neighbourLoads = {true, US};
    const auto isLink = [&plan](std::size_t link, uint32_t edge, uint32_t spine) {
        return link < plan.links.size() && plan.links[link].switchA == edge &&
               plan.links[link].switchB == spine;
    };
    const uint32_t spine = plan.links.back().switchB;
    TestBed bed(
        plan,
        routing,
        config,
        NicConfig{},
        [&](std::size_t link) {
            return std::pair(LinkRate((isLink(link, 1, spine) ? 25 : 200) * GIGABIT_OF_TREE),
                             100 * NS);
        },
        true);
    const auto up = std::find_if(plan.links.begin(), plan.links.end(), [&](const LinkPlan& link) {
        return link.switchA == 2 && link.switchB == spine;
    });
    bed.Chip(2).SetRoutingRule([port = up->portA](const Frame& frame, uint32_t p) {
        return frame.src != LocationOf(4) || p == port;
    });
    bed.Send(4, 2, 500'000, 0, 0); // 160 us by the slow link
    for (const uint32_t host : {0, 1})
    {
        bed.Send(host, 2 + host, 8'000'000, 0, 20 * US);
    }
    bed.RunUntil(150 * US);
    test.Expect(bed.Deliveries().empty(), "the slow flow is under way");
    test.ExpectEqual(MovesOf(bed), 0, "no other way is better");
    bed.RunToEnd();
    bed.Check();
    test.Expect(MovesOf(bed) > 0, "later one is");
    test.ExpectEqual(bed.Deliveries().size(), std::size_t{3}, "all arrive");
}

/// Five flows share a link. They part in the time that moves take, though a hold is longer: each
/// that has gone makes way for telling of the next.
void
TestNextOne(FunctionCase& test)
{
    Tree tree = Tree::OfTwoLevels(6); // 6 edge switches of three hosts and three links up
    tree.config.congestion.reroute.hold = 300 * US;
    tree.config.congestion.neighbourLoads = {true, US};
    const TopologyPlan& plan = tree.tree.GetPlan();
    TestBed bed = tree.Build();
    const uint32_t spine = plan.links.back().switchB;
    for (const LinkPlan& link : plan.links)
    {
        if (link.switchB == spine && link.switchA != 0)
        {
            bed.Chip(link.switchA).SetRoutingRule([port = link.portA](const Frame&, uint32_t p) {
                return p == port;
            });
        }
    }
    for (uint32_t edge = 1; edge < 6; ++edge)
    {
        bed.Send(3 * edge, edge % 3, 4'000'000, 0, 0);
    }
    bed.RunUntil(3 * US);
    for (uint32_t edge = 1; edge < 6; ++edge)
    {
        bed.Chip(edge).SetRoutingRule({});
    }
    bed.RunUntil(100 * US);
    test.Expect(MovesOf(bed) >= 3, Text("moves: ", MovesOf(bed)));
    bed.RunToEnd();
    bed.Check();
    test.ExpectEqual(bed.Deliveries().size(), std::size_t{5}, "all arrive");
}

/// @return the record of a host's flow at a switch; null if it is not there
const FlowRecord*
RecordOf(TestBed& bed, std::size_t chip, uint32_t host)
{
    for (uint32_t port = 0; port < bed.Chip(chip).Config().ports; ++port)
    {
        for (const FlowRecord& record : bed.Chip(chip).InputFlows(port).Records())
        {
            if (record.Is(FlowRecord::OPEN) && record.src == LocationOf(host))
            {
                return &record;
            }
        }
    }
    return nullptr;
}

/// @return ports of an edge switch of a tree of two levels that lead up
std::vector<uint16_t>
UpPorts(const Tree& tree, uint32_t edge)
{
    std::vector<uint16_t> ups;
    for (const LinkPlan& link : tree.tree.GetPlan().links)
    {
        if (link.switchA == edge)
        {
            ups.push_back(link.portA);
        }
    }
    return ups;
}

/// A flow that shares a link further on may go by an output without flows, whose way is as bad, or
/// take the place of another flow, which is free to go: it does that.
void
TestExchangesForFreeWay(FunctionCase& test)
{
    Tree tree = Tree::OfTwoLevels(6); // 6 edge switches of three hosts and three links up
    tree.config.congestion.neighbourLoads = {true, US};
    TestBed bed = tree.Build();
    const auto goBy = [&](uint32_t host, uint32_t spine) {
        const uint16_t up = UpPorts(tree, host / 3)[spine];
        return [src = LocationOf(host), up](const Frame& frame, uint32_t port) {
            return frame.src != src || port == up;
        };
    };
    const auto first = goBy(3, 0);
    const auto second = goBy(4, 2);
    bed.Chip(1).SetRoutingRule([first, second](const Frame& frame, uint32_t port) {
        return first(frame, port) && second(frame, port);
    });
    bed.Chip(2).SetRoutingRule(goBy(6, 0));
    bed.Chip(3).SetRoutingRule(goBy(9, 1));
    bed.Send(3, 0, 4'000'000, 0, 0);
    bed.Send(4, 12, 4'000'000, 0, 0);
    bed.Send(9, 2, 4'000'000, 0, 0);
    bed.Send(6, 1, 4'000'000, 0, US); // meets the first one
    bed.RunUntil(2 * US);
    bed.Chip(1).SetRoutingRule({});
    bed.RunUntil(60 * US);
    const std::vector<uint16_t> ups = UpPorts(tree, 1);
    test.ExpectEqual(RecordOf(bed, 1, 3)->queue.output, ups[2], "the way that is free further on");
    test.Expect(RecordOf(bed, 1, 4)->queue.output != ups[2], "the other one has gone");
    test.ExpectEqual(MovesOf(bed), 2, "both have moved once");
    bed.RunToEnd();
    bed.Check();
    test.ExpectEqual(bed.Deliveries().size(), std::size_t{4}, "all arrive");
}

/// Two chains of exchanges follow each other round a ring of eight edge switches, at one speed. One
/// waits at times, so they meet, and all flows have a way of their own.
void
TestChainsMeet(FunctionCase& test)
{
    FatTreeConfig shape;
    shape.levels = 2;
    shape.radix = 8;
    shape.oversubscription = {3, 1}; // 8 edge switches of six hosts and two links up
    Tree tree(shape);
    tree.config.congestion.reroute.spread = 1;
    tree.config.congestion.neighbourLoads = {true, US};
    TestBed bed = tree.Build();
    // Each switch sends to the next one and to the one after that. With half of them the other way
    // round two flows to switch 1 meet at the first spine, and two to switch 5 at the second one.
    for (uint32_t edge = 0; edge < 8; ++edge)
    {
        const std::vector<uint16_t> ups = UpPorts(tree, edge);
        const bool turns = edge >= 4;
        bed.Chip(edge).SetRoutingRule(
            [far = LocationOf(6 * edge + 1), ups, turns](const Frame& frame, uint32_t port) {
                return port < ups[0] || port == ups[(frame.src == far) != turns ? 1 : 0];
            });
        bed.Send(6 * edge, 6 * ((edge + 1) % 8), 40'000'000, 0, 0);
        bed.Send(6 * edge + 1, 6 * ((edge + 2) % 8) + 1, 40'000'000, 0, US);
    }
    bed.RunUntil(3 * US);
    for (uint32_t edge = 0; edge < 8; ++edge)
    {
        bed.Chip(edge).SetRoutingRule({});
    }
    bed.RunUntil(200 * US);
    test.Expect(MovesOf(bed) > 20, Text("they go round: ", MovesOf(bed)));
    bed.RunUntil(600 * US);
    const uint64_t moves = MovesOf(bed);
    bed.RunUntil(800 * US);
    test.ExpectEqual(MovesOf(bed), moves, "they have met");
    bed.RunToEnd();
    bed.Check();
    test.ExpectEqual(bed.Deliveries().size(), std::size_t{16}, "all arrive");
}

/// @return when the flow of a host came to its output at a switch, as FlowRecord::movedAt; 0 if it
/// is not there
uint16_t
CameAt(TestBed& bed, std::size_t chip, uint32_t host)
{
    const FlowRecord* record = RecordOf(bed, chip, host);
    return record ? record->movedAt : 0;
}

/// A flow goes by one spine, and then by the other. For the switch of its receiver it has not come
/// anew if it was gone for less than a round trip.
void
TestComesAgain(FunctionCase& test)
{
    Tree tree = Tree::OfTwoLevels(4); // 4 edge switches of two hosts and two links up
    tree.config.congestion.reroute.hold = RerouteSettings::STEPS_PER_HOLD * US; // steps of 1 us
    const std::vector<uint16_t> ups = UpPorts(tree, 2);
    for (const TimePs pause : {US, 10 * US})
    {
        TestBed bed = tree.Build();
        const auto goBy = [&bed](uint16_t up) {
            bed.Chip(2).SetRoutingRule([up](const Frame&, uint32_t port) { return port == up; });
        };
        goBy(ups[0]);
        bed.Send(4, 2, 100'000, 0, 3 * US); // 4 us on the wire
        bed.RunUntil(6 * US);
        const uint16_t first = CameAt(bed, 1, 4);
        test.Expect(first != 0, "the flow is there");
        bed.RunUntil(9 * US);
        test.ExpectEqual(CameAt(bed, 1, 4), 0, "the flow is gone");
        goBy(ups[1]);
        const TimePs again = 9 * US + pause;
        bed.Send(4, 2, 100'000, 0, again);
        bed.RunUntil(again + 3 * US);
        test.Expect((CameAt(bed, 1, 4) == first) == (pause == US),
                    Text("after ", pause, ": ", CameAt(bed, 1, 4), ", first ", first));
        bed.RunToEnd();
        bed.Check();
    }
}

/// The suite.
class ReroutingSuite : public FunctionSuite
{
  public:
    ReroutingSuite()
        : FunctionSuite("fabric-rerouting", kUnit)
    {
        Add("CM-9 overload of a link", TestOverload);
        Add("CM-9 how busy a link was", TestBusyPart);
        Add("CM-9 when upstream is told", TestSpread);
        Add("CM-9 upstream is told of one flow at a time", TestOneAtATime);
        Add("CM-9 upstream is told again when a flow is gone", TestHoldEnds);
        Add("CM-9 a flow that changes its path is no newcomer further on", TestPastFlows);
        Add("CM-9 a flow that comes again by another link has not come anew", TestComesAgain);
        Add("CM-9 FC-12 one flow after another leaves a link", TestNextOne);
        Add("CM-9 the time in which one flow is told goes with the round trip", TestHold);
        Add("CM-9 flows that collide part", TestPermutation);
        Add("CM-9 FC-10 flows leave a slow link in order", TestSlowLink);
        Add("CM-9 an incast is as fast", TestNoOther);
        Add("CM-9 FC-12 a flow takes the place of another for a way that is free further on",
            TestExchangesForFreeWay);
        Add("CM-9 FC-12 chains of exchanges that follow each other meet", TestChainsMeet);
        Add("CM-9 FC-12 a flow stays where other ways are worse further on", TestWorseElsewhere);
    }
};

ReroutingSuite g_reroutingSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
