/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"
#include "fabric-fat-tree.h"
#include "fabric-function-case.h"
#include "fabric-interval-routing.h"
#include "fabric-port-map.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"
#include "fabric-topology.h"

#include "ns3/test.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return trees of many radices, levels, ratios and sizes, of at most 216 hosts
std::vector<FatTreeConfig>
SmallTrees()
{
    std::vector<FatTreeConfig> configs;
    for (uint32_t levels = 2; levels <= 3; ++levels)
    {
        for (uint32_t radix = 2; radix <= 9; ++radix)
        {
            for (const auto& ratio : {DownUpRatio{1, 1}, {2, 1}, {3, 1}, {5, 3}, {1, 2}, {2, 2}})
            {
                const auto divisor = std::gcd(ratio.down, ratio.up);
                if ((ratio.down + ratio.up) / divisor > radix)
                {
                    continue;
                }
                FatTreeConfig config{levels, radix, ratio, 0};
                const auto most = FatTreeShape::Of(config).hosts;
                for (const auto hosts : {most, most / 2 + 1, most / 3 + 1, most - 1, 2U, 1U})
                {
                    if (hosts >= 1 && hosts <= most)
                    {
                        config.hosts = hosts;
                        configs.push_back(config);
                    }
                }
            }
        }
    }
    return configs;
}

/// @return them in words, for messages
std::string
Name(const FatTreeConfig& config)
{
    return std::to_string(config.levels) + " levels, k = " + std::to_string(config.radix) + ", " +
           std::to_string(config.oversubscription.down) + ":" +
           std::to_string(config.oversubscription.up) + ", hosts = " + std::to_string(config.hosts);
}

/**
 * @param b another
 * @return links between switches on a shortest path: none on one edge switch, 2 in a pod, else 4
 */
uint32_t
ExpectedHops(const FatTreeShape& shape, uint32_t a, uint32_t b)
{
    const auto edgeA = a / shape.hostsPerEdge;
    const auto edgeB = b / shape.hostsPerEdge;
    if (edgeA == edgeB)
    {
        return 0;
    }
    return edgeA / shape.edgesPerPod == edgeB / shape.edgesPerPod ? 2 : 4;
}

/**
 * @param hops links between switches on the shortest paths of a pair of hosts
 * @return how many such paths there are
 */
uint64_t
ExpectedPaths(const FatTreeShape& shape, uint32_t hops)
{
    const uint64_t inPod = uint64_t{shape.edgeUpPorts} * shape.edgeLinks;
    return hops == 0 ? 1 : (hops == 2 ? inPod : inPod * shape.secondUpPorts * shape.coreLinks);
}

/// What an exhaustive walk found.
struct Walked
{
    uint64_t paths = 0;   ///< Ways that ended at the destination.
    uint32_t longest = 0; ///< Most links between switches.
    bool lost = false;    ///< Some way ended elsewhere.
};

/**
 * Walks from a switch to a host by every choice.
 *
 * @param dst number of the destination
 * @param hops links between switches so far
 * @param walked to be filled
 */
void
WalkAll(const FatTree& tree,
        const PortMap& ports,
        uint32_t sw,
        uint32_t dst,
        uint32_t hops,
        Walked& walked)
{
    const auto range = tree.GetRouting()[sw].Route(LocationOf(dst));
    walked.lost |= range.count == 0 || hops > 4;
    for (uint16_t i = 0; i < range.count && hops <= 4; ++i)
    {
        const auto& peer = ports.GetPeer(sw, range.first + i);
        if (peer.kind == PeerKind::SWITCH)
        {
            WalkAll(tree, ports, peer.index, dst, hops + 1, walked);
            continue;
        }
        walked.lost |= peer.kind == PeerKind::NONE || peer.index != dst;
        walked.longest = std::max(walked.longest, hops);
        ++walked.paths;
    }
}

/**
 * Walks from a host to another by random choices.
 *
 * @param src number of the source
 * @param dst number of the destination
 * @param random choices
 * @return links between switches on the way, 99 if it does not end at the destination
 */
uint32_t
WalkOnce(const FatTree& tree,
         const PortMap& ports,
         uint32_t src,
         uint32_t dst,
         std::mt19937_64& random)
{
    auto sw = tree.GetPlan().hosts[src].edgeSwitch;
    for (uint32_t hops = 0; hops <= 4; ++hops)
    {
        const auto range = tree.GetRouting()[sw].Route(LocationOf(dst));
        if (range.count == 0)
        {
            return 99;
        }
        const auto port = static_cast<uint16_t>(range.first + random() % range.count);
        const auto& peer = ports.GetPeer(sw, port);
        if (peer.kind != PeerKind::SWITCH)
        {
            return peer.kind == PeerKind::HOST && peer.index == dst ? hops : 99;
        }
        sw = peer.index;
    }
    return 99;
}

/// @return a ring of four switches with a host each: port 0 host, 1 to the next, 2 to the last
TopologyPlan
MakeRing()
{
    TopologyPlan plan;
    for (uint32_t sw = 0; sw < 4; ++sw)
    {
        plan.switches.push_back({NO_GROUP, 3, Tier::EDGE});
        plan.links.push_back({sw, (sw + 1) % 4, 1, 2, LinkClass::FABRIC});
        plan.hosts.push_back({sw, 0});
    }
    return plan;
}

/**
 * Shortest paths in the ring, on by port 1 where both ways are equal.
 *
 * @param vc its virtual channel
 * @param dst destination
 * @param dateline whether the link from switch 3 to switch 0 and what follows is on VC 1
 * @return the only hop
 */
RouteHop
RouteInRing(uint32_t sw, uint8_t vc, LocationId dst, bool dateline)
{
    const auto ahead = (HostOf(dst) + 4 - sw) % 4;
    if (ahead == 0)
    {
        return {0, vc};
    }
    if (ahead == 3)
    {
        return {2, vc};
    }
    return {1, dateline && sw == 3 ? uint8_t{1} : vc};
}

/// Sizes against the formulas of the literature and of the header.
void
TestClosedForm(FunctionCase& test)
{
    for (uint32_t k = 2; k <= 56; k += 2)
    {
        const auto two = FatTreeShape::Of({2, k, {1, 1}, 0});
        test.ExpectEqual(two.hosts, k * k / 2, Text("two levels, k = ", k));
        test.ExpectEqual(two.GetSwitches(), k + k / 2, Text("two levels, k = ", k));
        test.ExpectEqual(two.GetLinks(), k * k / 2, Text("two levels, k = ", k));
        const auto three = FatTreeShape::Of({3, k, {1, 1}, 0});
        test.ExpectEqual(three.hosts, k * k * k / 4, Text("three levels, k = ", k));
        test.ExpectEqual(three.GetSwitches(), 5 * k * k / 4, Text("three levels, k = ", k));
        test.ExpectEqual(three.GetLinks(), k * k * k / 2, Text("three levels, k = ", k));
    }
    for (uint32_t k = 3; k <= 57; k += 2)
    {
        const auto half = (k - 1) / 2;
        test.ExpectEqual(FatTreeShape::Of({2, k, {1, 1}, 0}).hosts, k * half, Text("k = ", k));
        test.ExpectEqual(FatTreeShape::Of({3, k, {1, 1}, 0}).hosts,
                         k * half * half,
                         Text("k = ", k));
    }
    for (uint32_t k = 4; k <= 32; k += 4)
    {
        const auto shape = FatTreeShape::Of({3, k, {3, 1}, 0});
        test.ExpectEqual(shape.hosts, k * (k / 2) * (3 * k / 4), Text("3:1, k = ", k));
        test.ExpectEqual(shape.edgeUpPorts, k / 4, Text("3:1, k = ", k));
        test.ExpectEqual(FatTreeShape::Of({2, k, {3, 1}, 0}).hosts,
                         k * 3 * k / 4,
                         Text("3:1, k = ", k));
    }
    // 2:1 does not divide 8 ports: the ratio stays exact, and two ports stay free.
    const auto two = FatTreeShape::Of({3, 8, {4, 2}, 0});
    test.ExpectEqual(two.hostsPerEdge, 4, "2:1 on 8 ports");
    test.ExpectEqual(two.edgeUpPorts, 2, "2:1 on 8 ports");
    test.ExpectEqual(two.hosts, 8 * 4 * 4, "2:1 on 8 ports");
}

/// Few leaves: links in parallel, no fewer of them, and fewer switches.
void
TestParallelLinks(FunctionCase& test)
{
    const auto leaves = FatTreeShape::Of({2, 8, {1, 1}, 16});
    test.ExpectEqual(leaves.edges, 4, "16 hosts, 4 on a leaf");
    test.ExpectEqual(leaves.edgeLinks, 2, "8 spine ports for 4 leaves");
    test.ExpectEqual(leaves.secondPerPod, 2, "4 up ports in pairs");

    const auto pods = FatTreeShape::Of({3, 8, {1, 1}, 33});
    test.ExpectEqual(pods.edges, 9, "the last edge switch has one host");
    test.ExpectEqual(pods.pods, 3, "16 hosts in a pod");
    test.ExpectEqual(pods.coreLinks, 2, "8 core ports for 3 pods, 4 up ports in pairs");
    test.ExpectEqual(pods.coresPerPlane, 2, "4 up ports in pairs");

    const auto pod = FatTreeShape::Of({3, 8, {1, 1}, 8});
    test.ExpectEqual(pod.edges, 2, "8 hosts, 4 on an edge switch");
    test.ExpectEqual(pod.edgeLinks, 2, "4 down ports for 2 edge switches");
}

/**
 * @param config bad numbers
 * @param part what the sentence must contain
 */
void
ExpectRefusalFatTreeError(FunctionCase& test, const FatTreeConfig& config, const std::string& part)
{
    const auto text = Refusal([&config] { FatTree tree(config); });
    test.Expect(text.find(part) != std::string::npos, Text(Name(config), ": ", text));
}

/// Bad numbers end in one sentence.
void
TestFatTreeError(FunctionCase& test)
{
    ExpectRefusalFatTreeError(test, {1, 8, {1, 1}, 0}, "allowed are 2 and 3");
    ExpectRefusalFatTreeError(test, {4, 8, {1, 1}, 0}, "allowed are 2 and 3");
    ExpectRefusalFatTreeError(test, {3, 1, {1, 1}, 0}, "allowed are 2 to 1024");
    ExpectRefusalFatTreeError(test, {3, 1025, {1, 1}, 10}, "allowed are 2 to 1024");
    ExpectRefusalFatTreeError(test, {3, 8, {8, 1}, 0}, "leaves no up or no down port");
    ExpectRefusalFatTreeError(test, {3, 8, {4294967295, 1}, 0}, "leaves no up or no down port");
    ExpectRefusalFatTreeError(test, {3, 8, {0, 1}, 0}, "at least 1");
    ExpectRefusalFatTreeError(test, {3, 8, {1, 0}, 0}, "at least 1");
    ExpectRefusalFatTreeError(test, {3, 8, {1, 1}, 129}, "at most 128");
    ExpectRefusalFatTreeError(test, {3, 60, {1, 1}, 0}, "at most 49151");
    ExpectRefusalFatTreeError(test, {3, 60, {1, 1}, 49152}, "at most 49151");
    test.ExpectEqual(FatTreeShape::Of({3, 60, {1, 1}, 49151}).hosts, 49151, "just fits");
    test.ExpectEqual(FatTreeShape::Of({3, 8, {7, 1}, 0}).edgeUpPorts, 1, "just fits");

    test.ExpectEqual(DownUpRatio::Parse("3").down, 3, "one number");
    test.ExpectEqual(DownUpRatio::Parse("3").up, 1, "one number");
    test.ExpectEqual(DownUpRatio::Parse("5:3").down, 5, "two numbers");
    test.ExpectEqual(DownUpRatio::Parse("5:3").up, 3, "two numbers");
    for (const auto text :
         {"", ":", "3:", ":1", "0", "0:1", "1:0", "-1", "1.5", "1:2:3", " 1", "99999999999"})
    {
        const auto error = Refusal([text] { DownUpRatio::Parse(text); });
        test.Expect(error.find("write down:up") != std::string::npos, Text("'", text, "'"));
    }
}

/**
 * @param spoil what to change in a sound plan
 * @param part what the sentence must contain
 */
void
ExpectRefusal(FunctionCase& test,
              const std::function<void(TopologyPlan&)>& spoil,
              const std::string& part)
{
    auto plan = MakeRing();
    spoil(plan);
    const auto text = Refusal([&plan] { PortMap map(plan); });
    test.Expect(text.find(part) != std::string::npos, Text(part, ": ", text));
}

/// A plan that cannot be wired is refused.
void
TestPortMapError(FunctionCase& test)
{
    test.ExpectEqual(PortMap(MakeRing()).GetPeer(3, 1).index, 0, "the ring closes");
    ExpectRefusal(
        test,
        [](auto& plan) { plan.links[0].switchB = 4; },
        "no switch 4");
    ExpectRefusal(
        test,
        [](auto& plan) { plan.links[0].portA = 3; },
        "no port 3");
    ExpectRefusal(
        test,
        [](auto& plan) { plan.links[0].portB = 1; },
        "connected twice");
    ExpectRefusal(
        test,
        [](auto& plan) { plan.hosts[0].port = 2; },
        "connected twice");
    ExpectRefusal(
        test,
        [](auto& plan) { plan.links[0].switchB = 0; },
        "linked to itself");
    ExpectRefusal(
        test,
        [](auto& plan) {
            plan.hosts.resize(49152, {0, 0});
        },
        "at most 49151");
}

void
CheckFatTreeWiring(FunctionCase& test, const FatTreeConfig& config)
{
    const FatTree tree(config);
    const auto& plan = tree.GetPlan();
    const auto& shape = tree.GetShape();
    const auto name = Name(config);
    const PortMap ports(plan); // throws if a port is used twice or is not there
    test.ExpectEqual(plan.hosts.size(), shape.hosts, Text(name));
    test.ExpectEqual(plan.switches.size(), shape.GetSwitches(), Text(name));
    test.ExpectEqual(plan.links.size(), shape.GetLinks(), Text(name));
    test.ExpectEqual(tree.GetRouting().size(), shape.GetSwitches(), Text(name));
    std::vector<uint32_t> ups(plan.switches.size());
    for (const auto& link : plan.links)
    {
        const auto& lower = plan.switches[link.switchA];
        const auto& upper = plan.switches[link.switchB];
        ++ups[link.switchA];
        test.Expect(int(lower.tier) < int(upper.tier), Text(name));
        test.Expect(upper.group == lower.group || upper.group == NO_GROUP, Text(name));
    }
    for (uint32_t sw = 0; sw < plan.switches.size(); ++sw)
    {
        const auto tier = plan.switches[sw].tier;
        const auto expected = tier == Tier::EDGE          ? shape.edgeUpPorts
                              : tier == Tier::AGGREGATION ? shape.secondUpPorts
                                                          : 0;
        test.ExpectEqual(ups[sw], expected, Text(name, ", switch ", sw));
    }
    for (const auto& host : plan.hosts)
    {
        test.ExpectEqual(int(plan.switches[host.edgeSwitch].tier), int(Tier::EDGE), Text(name));
    }
}

/// Every plan is what its shape says.
void
TestFatTreeWiring(FunctionCase& test)
{
    for (const auto& config : SmallTrees())
    {
        CheckFatTreeWiring(test, config);
    }
    CheckFatTreeWiring(test, {3, 16, {1, 1}, 0});
    CheckFatTreeWiring(test, {3, 16, {2, 1}, 1000});
    CheckFatTreeWiring(test, {3, 1024, {1, 1}, 49151});
}

/**
 * Cores go to the halves in turn: each has equally many links to every pod, so the count does
 * not depend on that.
 * @param config a tree with an even number of pods (leaves, with two levels)
 * @return links between its halves
 */
uint32_t
CountCrossing(const FatTreeConfig& config)
{
    const FatTree tree(config);
    const auto& plan = tree.GetPlan();
    const auto pods = config.levels == 3 ? tree.GetShape().pods : tree.GetShape().edges;
    auto half = [&](uint32_t sw) {
        const auto group = plan.switches[sw].group;
        return group == NO_GROUP ? sw % 2 == 0 : group < pods / 2;
    };
    uint32_t crossing = 0;
    for (const auto& link : plan.links)
    {
        crossing += half(link.switchA) != half(link.switchB);
    }
    return crossing;
}

/// The links that cross between two halves of the pods.
void
TestBisection(FunctionCase& test)
{
    // Full bisection: a link for every host of one half.
    test.ExpectEqual(CountCrossing({3, 8, {1, 1}, 0}), 128 / 2, "k = 8");
    test.ExpectEqual(CountCrossing({3, 16, {1, 1}, 0}), 1024 / 2, "k = 16");
    test.ExpectEqual(CountCrossing({3, 8, {1, 1}, 64}), 64 / 2, "half of the pods");
    test.ExpectEqual(CountCrossing({2, 8, {1, 1}, 0}), 32 / 2, "two levels");
    test.ExpectEqual(CountCrossing({2, 8, {1, 1}, 16}), 16 / 2, "parallel links");
    test.ExpectEqual(CountCrossing({2, 16, {3, 1}, 0}), 192 / 2 / 3, "3:1, two levels");
    test.ExpectEqual(CountCrossing({3, 8, {3, 1}, 0}), 192 / 2 / 3, "3:1, three levels");
}

/// @param n what it divides
void
ExpectQuotient(FunctionCase& test, const FastDivisor& fast, uint32_t n, uint32_t divisor)
{
    test.ExpectEqual(fast.Divide(static_cast<uint16_t>(n)), n / divisor, Text(n, "/", divisor));
}

/// Division by multiplication against division.
void
TestFastDivisor(FunctionCase& test)
{
    // The quotient can go wrong only next to a multiple of the divisor.
    for (uint32_t divisor = 1; divisor <= 65535; ++divisor)
    {
        const FastDivisor fast(static_cast<uint16_t>(divisor));
        const auto step = divisor * (65535 / divisor / 16 + 1);
        for (uint32_t n = 0; n <= 65535; n += step)
        {
            ExpectQuotient(test, fast, n, divisor);
            ExpectQuotient(test, fast, std::min(n + divisor - 1, 65535U), divisor);
        }
        ExpectQuotient(test, fast, 65535, divisor);
        ExpectQuotient(test, fast, 65535 / divisor * divisor, divisor);
        ExpectQuotient(test, fast, 65535 / divisor * divisor - 1, divisor);
    }
}

/**
 * @param dst destination
 * @param first first port expected
 * @param count number of ports expected
 */
void
ExpectIntervalRouting(FunctionCase& test,
                      const IntervalRouting& rule,
                      LocationId dst,
                      uint32_t first,
                      uint32_t count)
{
    const auto range = rule.Route(dst);
    test.ExpectEqual(range.count, count, Text("to ", dst));
    test.Expect(count == 0 || range.first == first, Text("to ", dst));
}

/// One rule by hand.
void
TestIntervalRouting(FunctionCase& test)
{
    IntervalRoutingConfig config;
    config.firstHost = 11;
    config.hostCount = 8; // two full groups of three, and one of two
    config.hostsPerDownGroup = 3;
    config.linksPerDownGroup = 2;
    config.firstDownPort = 4;
    config.firstUpPort = 20;
    config.upPorts = 5;
    config.fabricHosts = 100;
    const IntervalRouting rule(config);
    ExpectIntervalRouting(test, rule, 10, 20, 5);
    ExpectIntervalRouting(test, rule, 11, 4, 2);
    ExpectIntervalRouting(test, rule, 13, 4, 2);
    ExpectIntervalRouting(test, rule, 14, 6, 2);
    ExpectIntervalRouting(test, rule, 17, 8, 2);
    ExpectIntervalRouting(test, rule, 18, 8, 2);
    ExpectIntervalRouting(test, rule, 19, 20, 5);
    ExpectIntervalRouting(test, rule, 1, 20, 5);
    ExpectIntervalRouting(test, rule, 100, 20, 5);
    ExpectIntervalRouting(test, rule, 101, 0, 0);
    ExpectIntervalRouting(test, rule, 0, 0, 0);
    ExpectIntervalRouting(test, rule, 0xFFFF, 0, 0);
    config.upPorts = 0;
    ExpectIntervalRouting(test, IntervalRouting(config), 19, 0, 0);
}

void
CheckExhaustiveWalk(FunctionCase& test, const FatTreeConfig& config)
{
    const FatTree tree(config);
    const auto& shape = tree.GetShape();
    const auto& hosts = tree.GetPlan().hosts;
    const PortMap ports(tree.GetPlan());
    for (uint32_t dst = 0; dst < shape.hosts; ++dst)
    {
        // Hosts of an edge switch share their paths: routing does not look at the input.
        for (uint32_t src = 0; src < shape.hosts; src += shape.hostsPerEdge)
        {
            Walked walked;
            WalkAll(tree, ports, hosts[src].edgeSwitch, dst, 0, walked);
            const auto hops = ExpectedHops(shape, src, dst);
            test.Expect(!walked.lost, Text(Name(config), ", ", src, " to ", dst));
            test.ExpectEqual(walked.longest, hops, Text(Name(config), ", ", src, " to ", dst));
            test.ExpectEqual(walked.paths,
                             ExpectedPaths(shape, hops),
                             Text(Name(config), ", ", src, " to ", dst));
        }
    }
}

/// Every path of every pair of hosts, in small trees.
void
TestExhaustiveWalk(FunctionCase& test)
{
    for (const auto& config : SmallTrees())
    {
        CheckExhaustiveWalk(test, config);
    }
}

/// @param seed of the choices
void
CheckRandomWalk(FunctionCase& test, const FatTreeConfig& config, uint64_t seed)
{
    const FatTree tree(config);
    const PortMap ports(tree.GetPlan());
    std::mt19937_64 random(seed);
    const auto hosts = tree.GetShape().hosts;
    for (uint32_t walk = 0; walk < 20000; ++walk)
    {
        const auto src = static_cast<uint32_t>(random() % hosts);
        const auto dst = static_cast<uint32_t>(random() % hosts);
        test.ExpectEqual(WalkOnce(tree, ports, src, dst, random),
                         ExpectedHops(tree.GetShape(), src, dst),
                         Text(Name(config), ", seed ", seed, ", ", src, " to ", dst));
    }
}

/// Random paths of random pairs, in large trees.
void
TestRandomWalk(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 5; ++seed)
    {
        CheckRandomWalk(test, {3, 16, {1, 1}, 0}, seed);
        CheckRandomWalk(test, {3, 32, {1, 1}, 0}, seed);
        CheckRandomWalk(test, {3, 32, {3, 1}, 0}, seed);
        CheckRandomWalk(test, {3, 33, {2, 1}, 7001}, seed);
        CheckRandomWalk(test, {3, 64, {1, 1}, 49151}, seed);
        CheckRandomWalk(test, {2, 64, {5, 3}, 2000}, seed);
    }
}

/// The size that the benchmark needs.
void
TestLargePlan(FunctionCase& test)
{
    const FatTree tree({3, 32, {1, 1}, 0});
    test.ExpectEqual(tree.GetPlan().hosts.size(), 8192, "k^3/4");
    test.ExpectEqual(tree.GetPlan().switches.size(), 1280, "5 k^2/4");
    test.ExpectEqual(tree.GetPlan().links.size(), 16384, "k^3/2");
    test.ExpectEqual(sizeof(IntervalRouting), 24, "as the header says");
}

/**
 * @param demands what to check
 * @return what was found
 */
RouteReport
CheckFatTreeRoutes(FunctionCase& test, const FatTreeConfig& config, RouteDemands demands)
{
    const FatTree tree(config);
    const auto report =
        CheckRoutes(tree.GetPlan(), 1, MakeRouteFunction(tree.GetRouting()), demands);
    test.Expect(report.IsGood(), Text(Name(config), ": ", report.Describe()));
    return report;
}

/// The checker on what is right.
void
TestFatTreeRoutes(FunctionCase& test)
{
    for (const auto& config : SmallTrees())
    {
        CheckFatTreeRoutes(test, config, {true, true, false});
    }
    const auto report = CheckFatTreeRoutes(test, {3, 8, {1, 1}, 0}, {true, true, false});
    test.ExpectEqual(report.channels, 2 * 256, "both directions of all links");
    // Into an aggregation switch from below: 4 up and 3 down; from above: 4 down. Into a core
    // switch: 7 down. Into an edge switch: only to hosts.
    test.ExpectEqual(report.dependencies, 128 * 7 + 128 * 4 + 128 * 7, "turns");
    const auto fewer = CheckFatTreeRoutes(test, {3, 8, {1, 1}, 0}, {true, true, true});
    test.ExpectEqual(fewer.dependencies, report.dependencies, "one host per switch will do");
    CheckFatTreeRoutes(test, {3, 16, {2, 1}, 1000}, {true, true, true});
}

/// The textbook example.
void
TestRing(FunctionCase& test)
{
    const auto plan = MakeRing();
    for (const auto dateline : {false, true})
    {
        const auto report =
            CheckRoutes(plan,
                        2,
                        [dateline](uint32_t sw, uint16_t, uint8_t vc, LocationId dst, auto& hops) {
                            hops.push_back(RouteInRing(sw, vc, dst, dateline));
                        },
                        {true, true, false});
        test.ExpectEqual(report.IsDeadlockFree(), dateline, Text(report.Describe()));
        test.Expect(!report.fault.has_value(), Text(report.Describe()));
        test.ExpectEqual(report.dependencies, 4, "four pairs are two hops apart");
        test.ExpectEqual(report.cycle.size(), (dateline ? 0 : 4), Text(report.Describe()));
        for (std::size_t i = 0; i < report.cycle.size(); ++i)
        {
            const auto& channel = report.cycle[i];
            test.ExpectEqual(channel.to, report.cycle[(i + 1) % 4].from, "a cycle");
            test.ExpectEqual(channel.fromPort, 1, "onward");
            test.ExpectEqual(channel.toPort, 2, "onward");
            test.ExpectEqual(channel.vc, 0, "one virtual channel");
        }
        const auto line = report.Describe().find("  switch 3 port 1 -> switch 0 port 2, VC 0\n");
        test.ExpectEqual((line == std::string::npos), dateline, Text(report.Describe()));
    }
    const auto none = Refusal([&plan] { CheckRoutes(plan, 0, {}); });
    test.Expect(none.find("1 to 4") != std::string::npos, Text(none));
    const auto many = Refusal([&plan] { CheckRoutes(plan, 5, {}); });
    test.Expect(many.find("1 to 4") != std::string::npos, Text(many));
}

/**
 * In a ring of five switches the two that are farthest from a host have each other at the same
 * distance: a frame that goes on between them takes a hop that is on no shortest path.
 */
void
TestSideways(FunctionCase& test)
{
    constexpr uint32_t RING = 5;
    TopologyPlan plan;
    for (uint32_t sw = 0; sw < RING; ++sw)
    {
        plan.switches.push_back({NO_GROUP, 3, Tier::EDGE});
        plan.hosts.push_back({sw, 0});
        plan.links.push_back({sw, (sw + 1) % RING, 1, 2, LinkClass::FABRIC});
    }
    for (const bool isSideways : {false, true})
    {
        const auto report = CheckRoutes(
            plan,
            2,
            [isSideways](uint32_t sw, uint16_t, uint8_t vc, LocationId dst, auto& hops) {
                const uint32_t onward = (HostOf(dst) + RING - sw) % RING;
                // A switch three hops before the host has two the other way round.
                const bool goesOn = onward <= (isSideways && HostOf(dst) == 0 ? 3 : 2);
                const uint16_t port = onward == 0 ? 0 : goesOn ? 1 : 2;
                hops.push_back({port, vc});
            },
            {true, false, false});
        test.ExpectEqual(report.fault.has_value(), isSideways, Text(report.Describe()));
        test.Expect(!(isSideways && report.fault->fault != RouteFault::DETOUR),
                    Text(report.Describe()));
    }
}

/// Changes a switch's hops: switch, input port, destination, hops.
using Breaker = std::function<void(uint32_t, uint16_t, LocationId, std::vector<RouteHop>&)>;

/**
 * @param breaker what to do to its routing
 * @return what was found
 */
RouteReport
Check(const FatTree& tree, const Breaker& breaker)
{
    const auto sound = MakeRouteFunction(tree.GetRouting());
    return CheckRoutes(
        tree.GetPlan(),
        1,
        [&](uint32_t sw, uint16_t in, uint8_t vc, LocationId dst, std::vector<RouteHop>& hops) {
            sound(sw, in, vc, dst, hops);
            breaker(sw, in, dst, hops);
        },
        {true, true, false});
}

/**
 * @param report what was found
 * @param fault what should have been
 */
void
ExpectFault(FunctionCase& test, const RouteReport& report, RouteFault fault)
{
    test.Expect(report.fault.has_value(), Text(report.Describe()));
    test.ExpectEqual(int(report.fault->fault), int(fault), Text(report.Describe()));
}

/// Routing that was broken on purpose.
void
TestBrokenRoutes(FunctionCase& test)
{
    const FatTree tree({3, 4, {1, 1}, 0});
    const PortMap ports(tree.GetPlan());
    const auto& switches = tree.GetPlan().switches;

    test.Expect(Check(tree, [](auto...) {}).IsGood(), "nothing broken");

    // An edge switch that a frame for its neighbour comes down to sends it up again, and the
    // aggregation switches let it go there: down, then up.
    const auto valley = Check(tree, [&](uint32_t sw, uint16_t, LocationId dst, auto& hops) {
        const auto home = tree.GetPlan().hosts[HostOf(dst)].edgeSwitch;
        if (switches[sw].tier == Tier::AGGREGATION && switches[sw].group == switches[home].group)
        {
            hops = {{0, 0}, {1, 0}};
        }
    });
    test.Expect(!valley.IsDeadlockFree(), Text(valley.Describe()));
    test.Expect(valley.fault.has_value(), Text(valley.Describe()));
    for (std::size_t i = 0; i < valley.cycle.size(); ++i)
    {
        const auto& channel = valley.cycle[i];
        test.ExpectEqual(channel.to,
                         valley.cycle[(i + 1) % valley.cycle.size()].from,
                         Text(valley.Describe()));
        test.ExpectEqual(ports.GetPeer(channel.from, channel.fromPort).index,
                         channel.to,
                         Text(valley.Describe()));
    }

    ExpectFault(test,
                Check(tree,
                      [](uint32_t sw, uint16_t, LocationId dst, auto& hops) {
                          if (sw == 3 && dst == 16)
                          {
                              hops.clear();
                          }
                      }),
                RouteFault::NO_ROUTE);
    ExpectFault(test,
                Check(tree,
                      [](uint32_t sw, uint16_t, LocationId, auto& hops) {
                          if (sw == 2)
                          {
                              hops.push_back({0, 1});
                          }
                      }),
                RouteFault::BAD_OUTPUT);
    ExpectFault(test,
                Check(tree,
                      [](uint32_t sw, uint16_t, LocationId, auto& hops) {
                          if (sw == 2)
                          {
                              hops.push_back({4, 0});
                          }
                      }),
                RouteFault::BAD_OUTPUT);
    ExpectFault(test,
                Check(tree,
                      [](uint32_t sw, uint16_t, LocationId dst, auto& hops) {
                          if (sw == 0 && dst == 1)
                          {
                              hops.push_back({1, 0});
                          }
                      }),
                RouteFault::WRONG_HOST);
    // Hosts of the same pod by way of the core.
    ExpectFault(test,
                Check(tree,
                      [&](uint32_t sw, uint16_t in, LocationId, auto& hops) {
                          if (switches[sw].tier == Tier::AGGREGATION && in < 2)
                          {
                              hops = {{2, 0}};
                          }
                      }),
                RouteFault::DETOUR);

    // Without the demand for shortest paths the turn itself is seen.
    const auto turn = CheckRoutes(
        tree.GetPlan(),
        1,
        [&](uint32_t sw, uint16_t in, uint8_t vc, LocationId dst, std::vector<RouteHop>& hops) {
            MakeRouteFunction(tree.GetRouting())(sw, in, vc, dst, hops);
            if (sw == 8 && in >= 2)
            {
                hops = {{static_cast<uint16_t>(5 - in), 0}};
            }
        },
        {false, true, false});
    ExpectFault(test, turn, RouteFault::DOWN_THEN_UP);
    test.ExpectEqual(turn.fault->sw, 8, Text(turn.Describe()));
}

/// Where one host of a switch stands for all, its own neighbours still send to it.
void
TestOneSwitchAlone(FunctionCase& test)
{
    TopologyPlan plan;
    plan.switches = {{NO_GROUP, 3, Tier::EDGE}};
    plan.hosts = {{0, 0}, {0, 1}, {0, 2}};
    RouteDemands demands;
    demands.oneHostPerSwitch = true;
    for (const uint16_t port : {0, 2})
    {
        const RouteReport report = CheckRoutes(
            plan,
            1,
            [port](uint32_t, uint16_t, uint8_t, LocationId, std::vector<RouteHop>& hops) {
                hops.push_back({port, 0});
            },
            demands);
        test.Expect(report.IsGood() == (port == 0), report.Describe());
    }
}

/// All of the above.
class FabricTopologyTestSuite : public FunctionSuite
{
  public:
    FabricTopologyTestSuite()
        : FunctionSuite("fabric-topology", kUnit)
    {
        Add("FC-13 fat tree: hosts, switches and links by closed form", TestClosedForm);
        Add("FC-13 fat tree: few leaves or pods get parallel links", TestParallelLinks);
        Add("FC-13 fat tree: bad numbers are refused with what is allowed", TestFatTreeError);
        Add("FC-13 port map: a plan that cannot be wired is refused", TestPortMapError);
        Add("FC-13 fat tree: every port is used once, tiers and pods are right", TestFatTreeWiring);
        Add("FC-13 fat tree: links of the bisection", TestBisection);
        Add("FC-13 interval routing: the fast divisor divides", TestFastDivisor);
        Add("FC-13 interval routing: down by group, up by any, none for no host",
            TestIntervalRouting);
        Add("FC-13 fat tree: every pair by every path, shortest and as many as there are",
            TestExhaustiveWalk);
        Add("FC-13 fat tree: random walks in large trees end, on a shortest path", TestRandomWalk);
        Add("FC-13 fat tree: the plan of 8192 hosts", TestLargePlan);
        Add("FC-13 checker: fat trees are free of deadlock, complete, shortest, up and then down",
            TestFatTreeRoutes);
        Add("FC-13 checker: a ring has a cycle, with a dateline it has none", TestRing);
        Add("FC-13 checker: a hop between switches at the same distance is a detour", TestSideways);
        Add("FC-13 checker: broken routing of a fat tree is found", TestBrokenRoutes);
        Add("FC-13 checker: hosts of one switch", TestOneSwitchAlone);
    }
};

FabricTopologyTestSuite g_fabricTopologyTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
