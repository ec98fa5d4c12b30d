/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree.h"
#include "fabric-function-case.h"
#include "fabric-test-bed.h"
#include "fabric-test-seeds.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr TimePs NANO = 1'000;
constexpr TimePs MICRO = 1'000'000;
constexpr uint32_t TREE_HOSTS = 16;

/// @return a fat tree of switches with 4 ports @param slow part of the rate that one link has
TestBed
MakeTree(TimePs slowPathTime, uint32_t slow, uint64_t link, bool lookahead = true)
{
    FatTreeConfig shape;
    shape.radix = 4;
    shape.hosts = TREE_HOSTS;
    const FatTree tree(shape);
    const TopologyPlan plan = tree.GetPlan();
    SwitchConfig config;
    config.congestion.slowPaths.isOn = slowPathTime != 0;
    config.congestion.slowPaths.time = slowPathTime;
    return TestBed(
        plan,
        ToRouting(tree.GetRouting()),
        config,
        NicConfig{},
        [=](std::size_t number) {
            const bool isSlow = number == link % plan.links.size();
            return std::pair(LinkRate(200'000'000'000 / (isSlow ? slow : 1)), 100 * NANO);
        },
        lookahead);
}

/// @return how often flows were to leave slow paths
uint64_t
LeftIn(TestBed& bed)
{
    uint64_t left = 0;
    for (std::size_t i = 0; i < bed.Chips(); ++i)
    {
        left += bed.Chip(i).SlowPathsLeft();
    }
    return left;
}

/// When the second of two frames of a flow arrives, and whether it had to wait.
struct SecondFrame
{
    TimePs at;     ///< Arrival, ps.
    uint64_t left; ///< Times that the flow was to leave its path.
};

/// @return of two frames of host 0 @param sent when the second one is sent
/// @param to their destination, as a rule in another pod
SecondFrame
SendTwo(FunctionCase& test, TimePs slowPathTime, TimePs sent, uint32_t to = TREE_HOSTS - 1)
{
    TestBed bed = MakeTree(slowPathTime, 1, 0);
    bed.Send(0, to, MAX_PAYLOAD, 0, 0);
    bed.Send(0, to, MAX_PAYLOAD, 0, sent);
    bed.RunToEnd();
    bed.Check();
    test.ExpectEqual(bed.Deliveries().size(), std::size_t{2}, "both arrive");
    return {bed.Deliveries().back().at, LeftIn(bed)};
}

/// A frame that comes when nothing was heard of its flow for longer than the time waits for the ACK
/// of the one before, and no others wait.
void
TestWait(FunctionCase& test)
{
    const TimePs way = SendTwo(test, 0, 10 * MICRO).at - 10 * MICRO;
    constexpr TimePs AFTER = MICRO;
    TimePs acknowledged = 0; // with the way of a frame that goes then
    uint32_t waited = 0;
    for (TimePs sent = 400 * NANO; sent < 5 * MICRO; sent += 20 * NANO)
    {
        const SecondFrame never = SendTwo(test, 0, sent);
        test.ExpectEqual(never.at, sent + way, "without, a frame waits for nobody");
        test.ExpectEqual(never.left, uint64_t{0}, "without, no flow leaves");
        const SecondFrame frame = SendTwo(test, AFTER, sent);
        if (frame.left == 0)
        {
            test.ExpectEqual(frame.at, sent + way, Text("sent at ", sent));
            // Both come as long after they were sent, so the flow is as old as its second frame.
            test.Expect(sent <= AFTER || waited != 0, Text("not slow at ", sent));
            continue;
        }
        acknowledged = waited == 0 ? frame.at : acknowledged;
        ++waited;
        test.Expect(sent > AFTER, Text("slow at ", sent));
        test.ExpectEqual(frame.at, acknowledged, "it goes with the ACK");
        test.Expect(frame.at > sent + way, "that is later");
    }
    // The round trip is a little more than 2 us, and the time is over after 1 us.
    test.Expect(waited > 30 && waited < 90, Text(waited, " frames waited"));
}

/// A flow with one way has no reason to wait, however long nothing was heard of it.
void
TestOneWay(FunctionCase& test)
{
    constexpr TimePs AFTER = 1;
    constexpr uint32_t NEIGHBOUR = 1; // at the same switch
    for (TimePs sent = 100 * NANO; sent < MICRO; sent += 20 * NANO)
    {
        const SecondFrame frame = SendTwo(test, AFTER, sent, NEIGHBOUR);
        test.ExpectEqual(frame.left, uint64_t{0}, Text("one way, sent at ", sent));
        test.ExpectEqual(frame.at,
                         SendTwo(test, 0, sent, NEIGHBOUR).at,
                         Text("it waits for nobody, sent at ", sent));
    }
    test.Expect(SendTwo(test, AFTER, 400 * NANO).left != 0, "with two ways it would wait");
}

/// Without a time of its own a flow is slow after the round trip of the longest way.
void
TestTimeByRoundTrip(FunctionCase& test)
{
    SlowPathSettings settings;
    test.Expect(settings.isOn, "flows leave slow paths by default");
    for (const TimePs roundTrip : {TimePs{1}, 700 * NANO, 300 * MICRO})
    {
        settings.roundTrip = roundTrip;
        test.ExpectEqual(settings.Time(), roundTrip, "by the round trip");
    }
    settings.time = 5 * NANO;
    test.ExpectEqual(settings.Time(), 5 * NANO, "as it was set");
}

/// Sends of all hosts to all others in turn, in full frames that take three quarters of the links.
void
SendAll(TestBed& bed, uint32_t rounds, uint64_t seed)
{
    const TimePs frame = LinkRate(200'000'000'000).TxTime(WireBytes(MAX_PAYLOAD));
    std::mt19937_64 random(seed);
    for (uint32_t i = 0; i < rounds * (TREE_HOSTS - 1); ++i)
    {
        for (uint32_t host = 0; host < TREE_HOSTS; ++host)
        {
            const auto jitter = static_cast<TimePs>(random() % 1000) * 100;
            const uint32_t to = (host + 1 + i % (TREE_HOSTS - 1)) % TREE_HOSTS;
            bed.Send(host, to, MAX_PAYLOAD, 0, i * frame * 4 / 3 + jitter);
        }
    }
}

/// Flows leave the paths by a slow link, whichever that is: all have their data sooner, in order,
/// and with windows as without.
void
TestLeavingSlowLink(FunctionCase& test)
{
    constexpr uint32_t ROUNDS = 60;
    const TestSeeds seeds(10);
    double with = 0;
    double without = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const auto run = [&](TimePs slowPathTime, bool lookahead) {
            TestBed bed = MakeTree(slowPathTime, 8, seed * 7, lookahead);
            SendAll(bed, ROUNDS, seed);
            bed.RunToEnd();
            bed.Check();
            test.Expect((LeftIn(bed) != 0) == (slowPathTime != 0),
                        Text("seed ", seed, ": ", LeftIn(bed), " times a flow was to leave"));
            return bed.Deliveries();
        };
        const std::vector<TestBed::Delivery> left = run(4 * MICRO, true);
        std::map<std::pair<LocationId, LocationId>, uint32_t> last;
        for (const TestBed::Delivery& delivery : left)
        {
            uint32_t& before = last[{delivery.src, delivery.dst}];
            test.Expect(before <= delivery.sequence, Text("seed ", seed, ": order"));
            before = delivery.sequence;
        }
        test.ExpectEqual(left.size(),
                         std::size_t{ROUNDS * TREE_HOSTS * (TREE_HOSTS - 1)},
                         "all arrive");
        const std::vector<TestBed::Delivery> watched = run(4 * MICRO, false);
        test.Expect(std::equal(left.begin(),
                               left.end(),
                               watched.begin(),
                               watched.end(),
                               [](const auto& a, const auto& b) { return a.Tie() == b.Tie(); }),
                    Text("seed ", seed, ": windows change something"));
        with += static_cast<double>(left.back().at);
        without += static_cast<double>(run(0, true).back().at);
    }
    test.Expect(with < 0.8 * without, Text("all is done after ", with / without, " of the time"));
}

/// The suite.
class SlowPathsTestSuite : public FunctionSuite
{
  public:
    SlowPathsTestSuite()
        : FunctionSuite("fabric-slow-paths", kUnit)
    {
        Add("CM-9 the next frame of a slow flow waits for the ACK", TestWait);
        Add("CM-9 a flow with one way never waits", TestOneWay);
        Add("CM-9 what is slow goes by the round trip", TestTimeByRoundTrip);
        Add("CM-9 slow flows leave a slow link, in order", TestLeavingSlowLink);
    }
};

SlowPathsTestSuite g_slowPathsTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
