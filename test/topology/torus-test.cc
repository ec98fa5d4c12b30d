/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"
#include "fabric-function-case.h"
#include "fabric-refusal.h"
#include "fabric-route-walk.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-torus.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr TorusMode TORUS_MODES[] = {TORUS_DIMENSION_ORDER, TORUS_MINIMAL, TORUS_ADAPTIVE};

/// @return it in words, for messages
std::string
NameOf(const TorusConfig& config)
{
    std::string text = std::to_string(config.hostsPerSwitch) + " hosts on each of";
    for (const uint32_t width : config.widths)
    {
        text += " " + std::to_string(width);
    }
    return text + ", mode " + std::to_string(config.mode);
}

/// @return a small torus of any kind
TorusConfig
DrawTorus(std::minstd_rand& random)
{
    TorusConfig config;
    config.hostsPerSwitch = 1 + random() % 2;
    config.mode = TORUS_MODES[random() % 3];
    config.widths.clear();
    uint32_t switches = 1;
    for (uint32_t d = 1 + random() % 4; d > 0; --d)
    {
        const auto most = static_cast<uint32_t>(100 / switches);
        const auto width = static_cast<uint32_t>(2 + random() % 7);
        config.widths.push_back(std::clamp(width, 2U, std::max(most, 2U)));
        switches *= config.widths.back();
    }
    return config;
}

/// @param check is called with tori that are drawn: random numbers, what was drawn, the torus, and
/// their name for texts
template <typename Check>
void
ForDrawnTori(Check&& check)
{
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const TorusConfig config = DrawTorus(random);
        const std::string what = "seed " + std::to_string(seed) + ", " + NameOf(config) + ": ";
        check(random, config, Torus(config), what);
    }
}

/// @return coordinates of a switch, worked out one by one
std::vector<uint32_t>
PointOf(const std::vector<uint32_t>& widths, uint32_t number)
{
    std::vector<uint32_t> point;
    for (const uint32_t width : widths)
    {
        point.push_back(number % width);
        number /= width;
    }
    return point;
}

/// @return links between two coordinates of a ring
uint32_t
RingDistance(uint32_t width, uint32_t a, uint32_t b)
{
    const uint32_t up = (b + width - a) % width;
    return std::min(up, width - up);
}

/// Each switch has a link to both neighbours in each dimension, and no other.
void
TestTorusPlan(FunctionCase& test)
{
    ForDrawnTori([&](auto&, const TorusConfig& config, const Torus& torus, const auto& what) {
        const TopologyPlan& plan = torus.GetPlan();
        const PortMap ports(plan); // throws if a port is used twice
        uint32_t switches = 1;
        for (const uint32_t width : config.widths)
        {
            switches *= width;
        }
        test.ExpectEqual(plan.switches.size(), switches, what + "switches");
        test.ExpectEqual(plan.hosts.size(), switches * config.hostsPerSwitch, what + "hosts");
        test.ExpectEqual(plan.links.size(), switches * config.widths.size(), what + "links");
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> ends;
        for (const LinkPlan& link : plan.links)
        {
            const auto a = PointOf(config.widths, link.switchA);
            const auto b = PointOf(config.widths, link.switchB);
            uint32_t distance = 0;
            uint32_t dimension = 0;
            for (uint32_t d = 0; d < config.widths.size(); ++d)
            {
                distance += RingDistance(config.widths[d], a[d], b[d]);
                dimension = a[d] == b[d] ? dimension : d;
            }
            test.ExpectEqual(distance, 1U, what + "a link leads to a neighbour");
            ++ends[{link.switchA, dimension}];
            ++ends[{link.switchB, dimension}];
        }
        for (uint32_t sw = 0; sw < switches; ++sw)
        {
            for (uint32_t d = 0; d < config.widths.size(); ++d)
            {
                test.ExpectEqual(ends[{sw, d}], 2U, what + "links of a switch in a dimension");
            }
        }
    });
}

/// What can't be is refused with a sentence.
void
TestTorusRefusals(FunctionCase& test)
{
    const auto refusal = [](std::vector<uint32_t> widths, uint32_t hosts) {
        return Refusal([&] { Torus torus({widths, hosts, TORUS_ADAPTIVE}); });
    };
    test.ExpectEqual(refusal({}, 1),
                     "torus: 0 dimensions are not possible; allowed are 1 to 8",
                     "no dimension");
    test.ExpectEqual(refusal({4, 1}, 1),
                     "torus: 1 switches in a dimension are not possible; allowed are 2 to 49151",
                     "no ring");
    test.ExpectEqual(refusal({4}, 0),
                     "torus: 0 hosts per switch are not possible; allowed are 1 to 4096",
                     "no hosts");
    test.ExpectEqual(refusal({4, 4}, 4093),
                     "torus: 65488 hosts are more than there are unicast locations; at most 49151 "
                     "are allowed",
                     "too many hosts");
    test.ExpectEqual(refusal({4}, 4096),
                     "torus: switches of 4098 ports are not possible; allowed are at most 4096",
                     "too many ports");
    test.ExpectEqual(refusal(std::vector<uint32_t>(8, 3), 1), "", "the most dimensions");
}

/// Routes of any torus reach everybody and have no cycle.
void
TestTorusProof(FunctionCase& test)
{
    ForDrawnTori([&](auto&, const auto&, const Torus& torus, const std::string& what) {
        const RouteReport report = CheckRoutes(torus.GetPlan(), torus.GetRouting());
        test.Expect(report.IsGood(), what + report.Describe());
    });
}

/// Frames arrive by paths of the lengths that the mode has, and take ways that were proven.
void
TestTorusPaths(FunctionCase& test)
{
    ForDrawnTori([&](std::minstd_rand& random,
                     const TorusConfig& config,
                     const Torus& torus,
                     const std::string& what) {
        RouteWalk walk(torus.GetPlan(), torus.GetRouting());
        const auto hosts = static_cast<uint32_t>(torus.GetPlan().hosts.size());
        for (uint32_t n = 0; n < 200; ++n)
        {
            const uint32_t src = random() % hosts;
            const uint32_t dst = random() % hosts;
            const auto a = PointOf(config.widths, src / config.hostsPerSwitch);
            const auto b = PointOf(config.widths, dst / config.hostsPerSwitch);
            uint32_t least = 0;
            uint32_t most = 0;
            for (uint32_t d = 0; d < config.widths.size(); ++d)
            {
                const uint32_t links = RingDistance(config.widths[d], a[d], b[d]);
                least += links;
                most += links == 0 ? 0 : config.widths[d] - links;
            }
            const Routing& first = torus.GetRouting()[src / config.hostsPerSwitch];
            test.ExpectEqual(uint32_t{first.ShortestWay(LocationOf(dst), {0, 0})->hops},
                             least,
                             what + "links that the first switch tells");
            const uint32_t hops = walk.Drawn(src, dst, random);
            const bool isRight =
                config.mode == TORUS_ADAPTIVE ? hops >= least && hops <= most : hops == least;
            test.Expect(isRight,
                        what + "from " + std::to_string(src) + " to " + std::to_string(dst) +
                            " by " + std::to_string(hops) + " links");
        }
    });
}

/// Frames go round any failed link, whatever the mode.
void
TestTorusAround(FunctionCase& test)
{
    ForDrawnTori(
        [&](std::minstd_rand& random, const auto&, const Torus& torus, const std::string& what) {
            RouteWalk walk(torus.GetPlan(), torus.GetRouting());
            const auto failed = static_cast<std::size_t>(random() % torus.GetPlan().links.size());
            walk.Fail(failed);
            const auto hosts = static_cast<uint32_t>(torus.GetPlan().hosts.size());
            for (uint32_t n = 0; n < 200; ++n)
            {
                const uint32_t src = random() % hosts;
                const uint32_t dst = random() % hosts;
                test.Expect(walk.Around(src, dst, random) != RouteWalk::LOST,
                            what + "from " + std::to_string(src) + " to " + std::to_string(dst) +
                                " without link " + std::to_string(failed));
            }
        });
}

/// Rules without a date line have a cycle, in each mode.
void
TestWithoutDateLine(FunctionCase& test)
{
    for (const TorusMode mode : TORUS_MODES)
    {
        const Torus torus({{5, 3}, 1, mode});
        const RouteFunction right = MakeRouteFunction(torus.GetRouting());
        const RouteFunction wrong = [&](uint32_t sw,
                                        uint16_t port,
                                        uint8_t vc,
                                        LocationId dst,
                                        std::vector<RouteHop>& hops) {
            right(sw, port, vc, dst, hops);
            for (RouteHop& hop : hops)
            {
                hop.vc |= 1;
            }
        };
        const RouteReport report = CheckRoutes(torus.GetPlan(), 4, wrong);
        test.Expect(!report.IsDeadlockFree(), "mode " + std::to_string(mode));
        test.Expect(report.DescribeCycle().find("frames that go from switch ") == 0,
                    report.DescribeCycle());
    }
}

/// Channels on which a frame may take any dimension and wait there have a cycle, though it could
/// have gone on by dimension order on channels of their own (Duato's escape): whoever has chosen
/// here waits for what it chose.
void
TestAnyDimension(FunctionCase& test)
{
    const Torus torus({{4, 4}, 1, TORUS_DIMENSION_ORDER});
    const RouteFunction escape = MakeRouteFunction(torus.GetRouting());
    const RouteFunction any =
        [&](uint32_t sw, uint16_t port, uint8_t vc, LocationId dst, std::vector<RouteHop>& hops) {
            const bool isOnEscape = port > 0 && vc < 2;
            escape(sw, isOnEscape ? port : 0, vc, dst, hops);
            const std::size_t ofEscape = hops.size();
            const auto from = PointOf({4, 4}, sw);
            const auto to = PointOf({4, 4}, HostOf(dst));
            for (uint32_t d = 0; d < 2 && !isOnEscape; ++d)
            {
                const uint32_t up = (to[d] + 4 - from[d]) % 4;
                if (up != 0)
                {
                    hops.push_back({TorusRule::PortOf(torus.GetGrid(), d, up <= 2), 2});
                }
            }
            test.Expect(ofEscape > 0, "there is an escape");
        };
    const RouteReport report = CheckRoutes(torus.GetPlan(), 3, any);
    test.Expect(!report.IsDeadlockFree(), "waiting on the channel for any dimension");
    test.Expect(!report.fault, "all arrive");
    for (const Channel& channel : report.cycle)
    {
        test.ExpectEqual(channel.vc, 2, "the cycle is where any dimension may be taken");
    }
}

/// Suite of tori.
class TorusSuite : public FunctionSuite
{
  public:
    TorusSuite()
        : FunctionSuite("fabric-torus", kUnit)
    {
        Add("FC-13 links of a torus", TestTorusPlan);
        Add("FC-13 tori that can't be", TestTorusRefusals);
        Add("FC-13 no cycle in any torus, and all are reached", TestTorusProof);
        Add("FC-12 lengths of paths in a torus", TestTorusPaths);
        Add("WL-8 ways round a failed link of a torus", TestTorusAround);
        Add("FC-13 a torus without date lines is refused", TestWithoutDateLine);
        Add("FC-13 an escape channel does not help who waits elsewhere", TestAnyDimension);
    }
};

TorusSuite g_torusSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
