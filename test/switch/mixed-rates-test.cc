/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree.h"
#include "fabric-function-case.h"
#include "fabric-graph-rule.h"
#include "fabric-output-loads.h"
#include "fabric-path-loads.h"
#include "fabric-routing-function.h"
#include "fabric-test-bed.h"
#include "fabric-test-seeds.h"
#include "fabric-wide-integer.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t BITS_PER_GIGABIT = 1'000'000'000;
constexpr TimePs MIXED_DELAY = 100'000; ///< Of all links, ps.
constexpr uint64_t MESSAGE_BYTES = 1 << 20;

// ---- mechanisms ----

/// A scale is relative to the fastest link, and has an end.
void
TestScale(FunctionCase& test)
{
    for (const uint64_t fastest : {40 * BITS_PER_GIGABIT / 1'000'000,
                                   BITS_PER_GIGABIT / 10,
                                   200 * BITS_PER_GIGABIT,
                                   1'000'000 * BITS_PER_GIGABIT})
    {
        const LoadScale scale(fastest);
        test.ExpectEqual(scale.Of(0, fastest), 0U, "no flow");
        test.ExpectEqual(scale.Of(1, fastest), 40U, Text("one flow on the fastest: ", fastest));
        test.ExpectEqual(scale.Of(2047, fastest), 2047 * 40U, Text("many flows: ", fastest));
        test.ExpectEqual(scale.Of(3, fastest / 4), 480U, Text("on a slower one: ", fastest));
        test.ExpectEqual(scale.Of(1, LinkRate::LOWEST),
                         std::min(BITS_PER_GIGABIT, fastest / 250),
                         Text("on the slowest: ", fastest));
    }
    test.ExpectEqual(LoadScale().Of(1, 200 * BITS_PER_GIGABIT),
                     40U,
                     "who is not told has the usual rate");
    test.ExpectEqual(LoadScale(0).Of(5, BITS_PER_GIGABIT), 0U, "where no link is");
}

/// A switch of up to six outputs, at which frames wait.
struct Outputs
{
    explicit Outputs(std::mt19937_64& random)
        : count(2 + random() % 5),
          loads(count, MarkRules{}, 1),
          seed(static_cast<uint32_t>(1 + random() % 1000))
    {
        for (uint32_t port = 0; port < count; ++port)
        {
            InputQueue queue;
            queue.output = static_cast<uint16_t>(port);
            for (uint64_t i = random() % 4; i > 0; --i)
            {
                Frame frame{};
                frame.payload = static_cast<uint16_t>(64 << random() % 7);
                loads.BeginWait(queue, frame, false, 0);
                waiting.resize(count);
                waiting[port] += WireBytes(frame.payload);
            }
        }
        waiting.resize(count);
    }

    /// @return what chooses, where all ports lead to the first host @param byRule whether a rule
    /// tells that, which asks how a frame came
    std::unique_ptr<RoutingFunction> MakeRouting(bool byRule = false)
    {
        auto routing = std::make_unique<RoutingFunction>(loads, vcOfClass, detourBias, seed);
        routing->SetRoutes(byRule ? Routing(MakeRule()) : Routing(MakeTable()));
        return routing;
    }

    /// @return ports of the first host
    std::vector<PortRange> MakeTable() const
    {
        std::vector<PortRange> table(FIRST_UNICAST + 1);
        table[FIRST_UNICAST] = {0, static_cast<uint16_t>(count)};
        return table;
    }

    /// @return the rule of a switch whose links all lead to the one other switch
    std::shared_ptr<const PathRule> MakeRule() const
    {
        std::vector<std::vector<GraphWiring::Link>> links(2);
        for (uint16_t port = 0; port < count; ++port)
        {
            links[0].push_back({port, 1});
            links[1].push_back({port, 0});
        }
        const std::vector<GraphWiring::Host> hosts{{1, static_cast<uint16_t>(count)}};
        return std::make_shared<GraphRule>(std::make_shared<GraphWiring>(links, hosts, 0),
                                           0,
                                           false);
    }

    /// @return rates of the links, by port, bit/s, of which some may differ
    std::vector<uint64_t> DrawRates(std::mt19937_64& random) const
    {
        std::vector<uint64_t> rates;
        for (uint32_t port = 0; port < count; ++port)
        {
            rates.push_back((50 << random() % 4) * BITS_PER_GIGABIT);
        }
        return rates;
    }

    uint32_t count;                ///< Ports.
    std::vector<uint64_t> waiting; ///< Bytes, by port.
    OutputLoads loads;             ///< The same.
    uint32_t seed;                 ///< Of random choices.
    ClassMap vcOfClass{};          ///< Virtual channels.
    uint32_t detourBias{0};        ///< Of no meaning here.
};

/// @return a frame to the first host
Frame
FrameToFirst(uint64_t bytes)
{
    Frame frame{};
    frame.dst = FIRST_UNICAST;
    frame.payload = static_cast<uint16_t>(bytes);
    return frame;
}

/// The output by which a frame has left first is chosen, by bytes over rates as fractions; among
/// equals the first after a random one.
void
TestSoonest(FunctionCase& test)
{
    const TestSeeds seeds(300);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        Outputs outputs(random);
        const auto routing = outputs.MakeRouting(seed % 2 == 0);
        const std::vector<uint64_t> rates = outputs.DrawRates(random);
        routing->SetRates(rates);
        std::minstd_rand draws(outputs.seed);
        for (uint32_t i = 0; i < 20; ++i)
        {
            const Frame frame = FrameToFirst(64 << random() % 7);
            const auto time = [&](uint32_t port) { // in units that all rates divide
                return (outputs.waiting[port] + WireBytes(frame.payload)) *
                       (400 * BITS_PER_GIGABIT / rates[port]);
            };
            const uint32_t start = draws() % outputs.count;
            uint32_t best = start;
            for (uint32_t k = 1; k < outputs.count; ++k)
            {
                const uint32_t port = (start + k) % outputs.count;
                best = time(port) < time(best) ? port : best;
            }
            const Hop hop = routing->Choose(outputs.count, frame, false, 0);
            test.ExpectEqual(+hop.output, best, Text("seed ", seed, ", choice ", i));
        }
    }
}

/// Where no two links to switches differ, the choice is the one that knows of no rates; hosts do
/// not count.
void
TestEqualRates(FunctionCase& test)
{
    const TestSeeds seeds(100);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        Outputs outputs(random);
        const auto plain = outputs.MakeRouting(seed % 2 == 0);
        const auto equal = outputs.MakeRouting(seed % 2 == 0);
        const auto mixed = outputs.MakeRouting(seed % 2 == 0);
        std::vector<uint64_t> rates(outputs.count + 2, 100 * BITS_PER_GIGABIT);
        rates.back() = 0; // of a host
        equal->SetRates(rates);
        rates.back() = 400 * BITS_PER_GIGABIT; // of a switch elsewhere
        mixed->SetRates(rates);
        for (uint32_t i = 0; i < 20; ++i)
        {
            const Frame frame = FrameToFirst(64 << random() % 7);
            const bool ordered = random() % 4 == 0;
            const auto choose = [&](RoutingFunction& routing) {
                return routing.Choose(outputs.count, frame, ordered, 0).output;
            };
            const uint16_t expected = choose(*plain);
            test.ExpectEqual(choose(*equal), expected, "equal rates");
            test.ExpectEqual(choose(*mixed), expected, "another link differs");
        }
    }
}

/// Where order counts, paths by hash are the same part of all flows for each link, whatever its
/// rate.
void
TestOrderedRates(FunctionCase& test)
{
    const TestSeeds seeds(100);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        Outputs outputs(random);
        const auto plain = outputs.MakeRouting(seed % 2 == 0);
        const auto mixed = outputs.MakeRouting(seed % 2 == 0);
        const std::vector<uint64_t> rates = outputs.DrawRates(random);
        mixed->SetRates(rates);
        for (uint32_t i = 0; i < 20; ++i)
        {
            Frame frame = FrameToFirst(64 << random() % 7);
            frame.dataFlow = static_cast<decltype(frame.dataFlow)>(random());
            const uint16_t expected = plain->Choose(outputs.count, frame, true, 0).output;
            test.ExpectEqual(mixed->Choose(outputs.count, frame, true, 0).output,
                             expected,
                             Text("seed ", seed, ", choice ", i));
        }
    }
}

// ---- fabrics ----

/// A tree of two levels whose links differ by the spine that they lead to.
struct MixedTree
{
    /// @param bySpine Gb/s of links to each spine, as many as hosts on a leaf
    MixedTree(uint32_t hosts, std::vector<uint64_t> bySpine, uint64_t hostRate)
        : tree(MakeShape(hosts)),
          rates(std::move(bySpine)),
          ofHosts(hostRate)
    {
    }

    static FatTreeConfig MakeShape(uint32_t hosts)
    {
        FatTreeConfig shape;
        shape.levels = 2;
        shape.radix = 2 * hosts;
        return shape;
    }

    TestBed Build(const SwitchConfig& config) const
    {
        const TopologyPlan& plan = tree.GetPlan();
        const uint32_t firstSpine = std::min_element(plan.links.begin(),
                                                     plan.links.end(),
                                                     [](const LinkPlan& a, const LinkPlan& b) {
                                                         return a.switchB < b.switchB;
                                                     })
                                        ->switchB;
        return TestBed(
            plan,
            ToRouting(tree.GetRouting()),
            config,
            NicConfig{},
            [&](std::size_t link) {
                const bool isHost = link >= plan.links.size();
                const uint64_t rate =
                    isHost ? ofHosts : rates[plan.links[link].switchB - firstSpine];
                return std::pair(LinkRate(rate * BITS_PER_GIGABIT), MIXED_DELAY);
            },
            true);
    }

    FatTree tree;                ///< The shape.
    std::vector<uint64_t> rates; ///< By spine, Gb/s.
    uint64_t ofHosts;            ///< Of links of hosts, Gb/s.
};

/// @return time of a message's frames on a link alone, ps
TimePs
WireTime(uint64_t gbps)
{
    const uint64_t frames = MESSAGE_BYTES / MAX_PAYLOAD;
    return static_cast<TimePs>(frames) *
           LinkRate(gbps * BITS_PER_GIGABIT).TxTime(WireBytes(MAX_PAYLOAD));
}

/// With and without what neighbours tell, a flow takes the faster way, whichever spine that is, and
/// to whichever host it goes.
void
TestFasterWay(FunctionCase& test)
{
    for (const bool tells : {false, true})
    {
        SwitchConfig config;
        config.congestion.neighbourLoads.isOn = tells;
        for (const auto& bySpine : {std::vector<uint64_t>{10, 400}, std::vector<uint64_t>{400, 10}})
        {
            const MixedTree tree(2, bySpine, 100);
            for (uint32_t dst = 2; dst < 8; ++dst)
            {
                TestBed bed = tree.Build(config);
                bed.Send(dst % 2, dst, MESSAGE_BYTES, 0, 0);
                bed.RunToEnd();
                bed.Check();
                test.Expect(bed.Deliveries().back().at < 1.1 * WireTime(100),
                            Text("tells: ",
                                 tells,
                                 ", ",
                                 bySpine[0],
                                 " first, to ",
                                 dst,
                                 ": ",
                                 bed.Deliveries().back().at));
            }
        }
    }
}

/// A flow that begins shares a fast link rather than it takes a slow one for itself, where that
/// gives it more.
void
TestSharesFastLink(FunctionCase& test)
{
    SwitchConfig config;
    config.congestion.neighbourLoads.isOn = true;
    for (const auto& bySpine : {std::vector<uint64_t>{100, 400}, std::vector<uint64_t>{400, 100}})
    {
        const MixedTree tree(2, bySpine, 200);
        for (uint32_t dst = 2; dst < 8; dst += 2)
        {
            TestBed bed = tree.Build(config);
            bed.Send(0, dst, 4 * MESSAGE_BYTES, 0, 0);
            bed.Send(1, dst + 1, 4 * MESSAGE_BYTES, 0, 20'000'000);
            bed.RunToEnd();
            bed.Check();
            test.Expect(bed.Deliveries().back().at < 20'000'000 + 1.1 * 4 * WireTime(200),
                        Text(bySpine[0], " first, to ", dst, ": ", bed.Deliveries().back().at));
        }
    }
}

/// Hosts that load a leaf's links to half of what they carry have what they send in time, though
/// one link carries most of it.
void
TestAcceptedLoad(FunctionCase& test)
{
    constexpr uint32_t HOSTS = 5;
    constexpr uint32_t MESSAGES = 400;
    constexpr double LOAD = 0.5;
    const TestSeeds seeds(2);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const MixedTree tree(HOSTS, {50, 400, 50, 50, 50}, 100);
        TestBed bed = tree.Build(SwitchConfig{});
        std::mt19937_64 random(seed);
        const double mean =
            static_cast<double>(LinkRate(100 * BITS_PER_GIGABIT).TxTime(WireBytes(MAX_PAYLOAD)));
        std::exponential_distribution<double> gap(LOAD / mean);
        TimePs last = 0;
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            double at = 0;
            for (uint32_t i = 0; i < MESSAGES; ++i)
            {
                at += gap(random);
                bed.Send(host, HOSTS + host, MAX_PAYLOAD, 0, static_cast<TimePs>(at));
            }
            last = std::max(last, static_cast<TimePs>(at));
        }
        bed.RunToEnd();
        bed.Check();
        const TimePs late = bed.Deliveries().back().at - last;
        test.Expect(late < 10'000'000, Text("seed ", seed, ": ", late, " of ", last));
    }
}

/// The suite.
class MixedRatesSuite : public FunctionSuite
{
  public:
    MixedRatesSuite()
        : FunctionSuite("fabric-mixed-rates", kUnit)
    {
        Add("FC-12 scale of loads", TestScale);
        Add("FC-12 the output by which a frame has left first", TestSoonest);
        Add("FC-12 equal rates change nothing", TestEqualRates);
        Add("FC-12 ordered flows do not see rates", TestOrderedRates);
        Add("FC-12 a flow takes the faster way", TestFasterWay);
        Add("FC-12 a flow shares a fast link", TestSharesFastLink);
        Add("FC-12 accepted load over links of several rates", TestAcceptedLoad);
    }
};

MixedRatesSuite g_mixedRatesSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
