/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree.h"
#include "fabric-flow-ways.h"
#include "fabric-function-case.h"
#include "fabric-test-bed.h"
#include "fabric-test-seeds.h"
#include "fabric-waiting-sources.h"
#include "fabric-watermarks.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr TimePs WAY_NS = 1'000;
constexpr uint64_t WAY_RATE = 200'000'000'000;
constexpr uint32_t WAY_HOSTS = 16;

// ---- mechanisms ----

/// Credits of a way: metering begins, credits add up, and ends.
void
TestCreditsOfWay(FunctionCase& test)
{
    FlowWay way;
    const auto isHeld = [&way] { return (way.queue.holds & InputQueue::NO_HEADROOM) != 0; };
    way.Send(16);
    test.ExpectEqual(way.units, 16U, "under way");
    test.Expect(way.HasHeadroom() && !isHeld(), "without metering it sends freely");
    way.TakeCredit(0);
    test.Expect(!way.HasHeadroom() && isHeld(), "metering begins without headroom");
    way.TakeCredit(10);
    test.Expect(way.HasHeadroom() && !isHeld(), "credit");
    way.Send(16);
    test.ExpectEqual(way.headroom, -6, "a frame may be longer than the headroom");
    test.Expect(!way.HasHeadroom() && isHeld(), "the headroom is used up");
    way.TakeCredit(6);
    test.Expect(isHeld(), "headroom of 0 is none");
    way.TakeCredit(1);
    test.Expect(!isHeld(), "credits add up");
    way.queue.holds |= InputQueue::OVER_LIMIT;
    way.Send(16);
    way.TakeCredit(ALL_CREDIT);
    test.Expect(way.HasHeadroom() && !isHeld(), "metering ends");
    test.ExpectEqual(+way.queue.holds, +InputQueue::OVER_LIMIT, "other holds stay");
    way.TakeCredit(3);
    test.ExpectEqual(way.headroom, 3, "metering that begins anew forgets what was");
    test.ExpectEqual(way.units, 48U, "what is under way has nothing to do with it");
}

/// Ways of many flows against a map.
void
TestWaysOfFlows(FunctionCase& test)
{
    const TestSeeds seeds(50);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        FlowWays ways(1U << 3 | 1U << 5);
        std::map<std::tuple<FlowId, uint16_t, uint8_t>, uint16_t> expected;
        for (uint32_t i = 0; i < 2000; ++i)
        {
            const auto flow = static_cast<FlowId>(1 + random() % 20);
            const auto output = static_cast<uint16_t>(random() % 6);
            const auto vc = static_cast<uint8_t>(random() % 2);
            const auto found = expected.find({flow, output, vc});
            const uint16_t number = ways.Find(flow, output, vc);
            test.Expect(number == (found != expected.end() ? found->second : FlowWays::NONE),
                        Text("seed ", seed, ": way of flow ", flow, " by ", output));
            if (found != expected.end())
            {
                ways.End(number);
                expected.erase(found);
                continue;
            }
            const uint16_t begun = ways.Begin(flow, 0);
            ways.At(begun).queue.output = output;
            ways.At(begun).queue.vc = vc & (VIRTUAL_CHANNELS - 1);
            expected[{flow, output, vc}] = begun;
        }
        std::set<uint16_t> numbers;
        for (FlowId flow = 1; flow <= 20; ++flow)
        {
            const uint16_t first = ways.First(flow);
            ways.ForEach(flow, [&](uint16_t number, const FlowWay& way) {
                test.ExpectEqual(way.flow, flow, "whose it is");
                test.Expect(numbers.insert(number).second, "a number is one way");
            });
            test.Expect(first == FlowWays::NONE || numbers.count(first) != 0, "the first is one");
        }
        test.ExpectEqual(numbers.size(), expected.size(), Text("seed ", seed, ": ways"));
    }
}

/// Each flow can have a way, however many others have.
void
TestMostWays(FunctionCase& test)
{
    FlowWays ways(1);
    test.Expect(ways.AreOf(0) && !ways.AreOf(1), "classes");
    uint32_t begun = 0;
    while (ways.MayBegin(1, 0))
    {
        ways.Begin(1, 0);
        ++begun;
    }
    test.ExpectEqual(begun, FlowWays::MOST - FLOW_IDS_PER_LINK, "one flow");
    for (FlowId flow = 2; flow < FLOW_IDS_PER_LINK; ++flow)
    {
        test.Expect(ways.MayBegin(flow, 0), "another flow may have one");
        const uint16_t number = ways.Begin(flow, 0);
        test.Expect(!ways.MayBegin(flow, 0), "and no more");
        test.Expect(number < 0xFFFF - FIRST_WAY_QUEUE, "its queue has a number");
    }
}

/// A flow begins with one way, and may have others when it has heard, or after a round trip.
void
TestFirstWay(FunctionCase& test)
{
    FlowWays ways(1);
    ways.SetRoundTrip(100);
    test.Expect(ways.MayBegin(7, 1000), "a first way");
    const uint16_t first = ways.Begin(7, 1000);
    test.Expect(!ways.MayBegin(7, 1000) && !ways.MayBegin(7, 1099), "no other for a round trip");
    test.Expect(ways.MayBegin(7, 1100), "then it may");
    ways.Begin(7, 1100);
    test.Expect(ways.MayBegin(7, 1100), "and yet another");
    ways.Begin(8, 1000);
    test.Expect(!ways.MayBegin(8, 1010), "another flow has not heard");
    ways.Hear(8);
    test.Expect(ways.MayBegin(8, 1010), "now it has");
    ways.End(ways.First(8));
    ways.Begin(8, 1020);
    test.Expect(!ways.MayBegin(8, 1119) && ways.MayBegin(8, 1120), "it has begun anew");
    ways.End(first);
    test.Expect(ways.MayBegin(7, 1100), "a flow that has a way left has not");
}

/// Sources of which frames wait, against a map.
void
TestWaitingSources(FunctionCase& test)
{
    std::mt19937_64 random(5);
    WaitingSources sources;
    std::map<LocationId, uint32_t> frames;
    for (uint32_t i = 0; i < 20'000; ++i)
    {
        const auto source = static_cast<LocationId>(1 + random() % 30);
        uint32_t& count = frames[source];
        if (count == 0 || random() % 2 == 0)
        {
            test.Expect(sources.Begin(source) == (count == 0), "the first one");
            ++count;
        }
        else
        {
            test.Expect(sources.End(source) == (count == 1), "the last one");
            --count;
        }
    }
}

/// Lower watermarks stay one below the other.
void
TestLowerWatermarks(FunctionCase& test)
{
    const Watermarks usual = Watermarks().Over(4);
    test.Expect(usual.high == 48 && usual.target == 24 && usual.drop == 4, "a fourth of each");
    std::mt19937_64 random(7);
    for (uint32_t i = 0; i < 10'000; ++i)
    {
        const auto drop = static_cast<uint32_t>(random() % 300);
        const auto target = static_cast<uint32_t>(drop + 1 + random() % 300);
        const auto high = static_cast<uint32_t>(target + 1 + random() % 300);
        const auto divisor = static_cast<uint32_t>(1 + random() % 64);
        const Watermarks marks = Watermarks{high, target, drop}.Over(divisor);
        test.Expect(marks.drop < marks.target && marks.target < marks.high, "order");
        test.Expect(marks.high <= high && marks.target <= target && marks.drop <= drop, "lower");
        test.Expect(divisor != 1 || (marks.high == high && marks.target == target), "the same");
    }
}

// ---- switches ----

/// A fat tree of switches with 4 ports, and what its classes may do.
struct WayTree
{
    uint16_t unordered{0};           ///< Bit mask of classes.
    uint64_t slowLink{~uint64_t{0}}; ///< Number of a link that has an eighth of the rate.
    bool lookahead{true};            ///< Whether switches run ahead.

    /// @return the tree, with no traffic
    TestBed Build() const
    {
        FatTreeConfig shape;
        shape.radix = 4;
        shape.hosts = WAY_HOSTS;
        const FatTree tree(shape);
        SwitchConfig config;
        config.flowChannels.unorderedClasses = unordered;
        config.congestion.slowPaths.isOn = false; // flows in order would leave slow links, too
        return TestBed(
            tree.GetPlan(),
            ToRouting(tree.GetRouting()),
            config,
            NicConfig{},
            [slow = slowLink](std::size_t number) {
                return std::pair(LinkRate(number == slow ? WAY_RATE / 8 : WAY_RATE), 100 * WAY_NS);
            },
            lookahead);
    }
};

/// @return uplinks of the first switch that have flow_ids
uint32_t
UplinksInUse(TestBed& bed)
{
    uint32_t uplinks = 0;
    for (uint32_t port = 0; port < 4; ++port)
    {
        uplinks += bed.IsFabricPort(0, port) && bed.Chip(0).OutputFlows(port).InUse() != 0;
    }
    return uplinks;
}

/// A flow has one channel at its edge switch, and flow_ids on all uplinks if it needs no order.
void
TestOneRecord(FunctionCase& test)
{
    for (const uint16_t unordered : {0, 1})
    {
        TestBed bed = WayTree{unordered}.Build();
        bed.Send(0, WAY_HOSTS - 1, 1'000'000, 0, 0);
        bed.RunUntil(20'000 * WAY_NS);
        bed.Check();
        test.ExpectEqual(bed.Chip(0).InputFlows(0).InUse(), 1U, "a record");
        test.ExpectEqual(UplinksInUse(bed), unordered != 0 ? 2U : 1U, "uplinks");
        bed.RunToEnd();
        bed.Check();
        test.Expect(bed.IsEmpty(), "something is left");
        test.ExpectEqual(bed.Deliveries().size(), std::size_t{1}, "delivery");
    }
}

/// Two flows of one switch share its uplinks frame by frame: neither waits for the other, whatever
/// paths flows with order would have chosen.
void
TestSharedUplinks(FunctionCase& test)
{
    constexpr uint32_t BYTES = 2'000'000;
    const TimePs alone = LinkRate(WAY_RATE).TxTime(WireBytes(MAX_PAYLOAD)) * (BYTES / MAX_PAYLOAD);
    TestBed bed = WayTree{1}.Build();
    bed.Send(0, WAY_HOSTS - 1, BYTES, 0, 0);
    bed.Send(1, WAY_HOSTS - 3, BYTES, 0, 0);
    bed.RunToEnd();
    bed.Check();
    for (const TestBed::Delivery& delivery : bed.Deliveries())
    {
        test.Expect(delivery.at < alone * 11 / 10, Text("delivered at ", delivery.at));
    }
}

/// A flow is not held up by the slowest of its ways: hop credits tell it to take the others.
void
TestSlowWay(FunctionCase& test)
{
    constexpr uint32_t BYTES = 2'000'000;
    const auto completion = [&test](uint16_t unordered, uint64_t link, bool lookahead) {
        TestBed bed = WayTree{unordered, link, lookahead}.Build();
        bed.Send(0, WAY_HOSTS - 1, BYTES, 0, 0);
        bed.RunToEnd();
        bed.Check();
        test.ExpectEqual(bed.Deliveries().size(), std::size_t{1}, "delivery");
        return bed.Deliveries().back().at;
    };
    const FatTree tree({3, 4, {1, 1}, WAY_HOSTS});
    const TimePs fast = completion(1, ~uint64_t{0}, true);
    TimePs worst = 0;
    TimePs worstInOrder = 0;
    for (uint64_t link = 0; link < tree.GetPlan().links.size(); ++link)
    {
        const TimePs spread = completion(1, link, true);
        test.ExpectEqual(spread, completion(1, link, false), Text("windows, link ", link));
        worst = std::max(worst, spread);
        worstInOrder = std::max(worstInOrder, completion(0, link, true));
    }
    // A slow link takes an eighth of what one of two planes has to carry.
    test.Expect(worst < 13 * fast / 10,
                Text("the worst is ", worst, ", without a slow link ", fast));
    test.Expect(worstInOrder > 6 * fast, Text("with order the worst is ", worstInOrder));
}

/// The suite.
class FlowWaysSuite : public FunctionSuite
{
  public:
    FlowWaysSuite()
        : FunctionSuite("fabric-flow-ways", kUnit)
    {
        Add("CM-5 hop credits of a way", TestCreditsOfWay);
        Add("FC-4 FC-11 ways of flows, by output and virtual channel", TestWaysOfFlows);
        Add("FC-11 each flow can have a way", TestMostWays);
        Add("CM-6 FC-11 a flow begins with one way", TestFirstWay);
        Add("CM-6 sources that wait for a host are counted once", TestWaitingSources);
        Add("CM-5 watermarks of parts of a flow", TestLowerWatermarks);
        Add("FC-4 FC-11 a flow that needs no order has one record and several flow_ids",
            TestOneRecord);
        Add("FC-11 flows that need no order share uplinks", TestSharedUplinks);
        Add("CM-5 FC-11 DP-5 a slow way holds up no others", TestSlowWay);
    }
};

FlowWaysSuite g_flowWaysSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
