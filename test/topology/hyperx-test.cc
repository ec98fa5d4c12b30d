/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"
#include "fabric-function-case.h"
#include "fabric-hyperx.h"
#include "fabric-refusal.h"
#include "fabric-route-walk.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

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

constexpr HyperXMode HYPERX_MODES[] = {HYPERX_DIMENSION_ORDER,
                                       HYPERX_BY_DIMENSION,
                                       HYPERX_MINIMAL,
                                       HYPERX_ADAPTIVE};

/// @return it in words, for messages
std::string
NameOf(const HyperXConfig& config)
{
    std::string text = std::to_string(config.hostsPerSwitch) + " hosts on each of";
    for (std::size_t d = 0; d < config.widths.size(); ++d)
    {
        text += " " + std::to_string(config.widths[d]) + "*" +
                std::to_string(config.trunks[d % config.trunks.size()]);
    }
    return text + ", mode " + std::to_string(config.mode);
}

/// @return a small HyperX of any kind
HyperXConfig
DrawHyperX(std::minstd_rand& random)
{
    HyperXConfig config;
    config.hostsPerSwitch = 1 + random() % 2;
    config.mode = HYPERX_MODES[random() % 4];
    config.widths.clear();
    config.trunks.clear();
    const bool counts = config.mode == HYPERX_MINIMAL || config.mode == HYPERX_ADAPTIVE;
    uint32_t switches = 1;
    for (uint32_t d = 1 + random() % (counts ? 4 : 5); d > 0; --d)
    {
        const uint32_t most = std::max(80 / switches, 2U);
        const auto width = static_cast<uint32_t>(2 + random() % 5);
        config.widths.push_back(std::min(width, most));
        config.trunks.push_back(1 + random() % 2);
        switches *= config.widths.back();
    }
    return config;
}

/// @param check is called with HyperX that are drawn: random numbers, what was drawn, the HyperX,
/// and their name for texts
template <typename Check>
void
ForDrawnHyperX(Check&& check)
{
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const HyperXConfig config = DrawHyperX(random);
        const std::string what = "seed " + std::to_string(seed) + ", " + NameOf(config) + ": ";
        check(random, config, HyperX(config), what);
    }
}

/// @return in which dimensions two switches differ
std::vector<uint32_t>
Differences(const std::vector<uint32_t>& widths, uint32_t a, uint32_t b)
{
    std::vector<uint32_t> dimensions;
    for (uint32_t d = 0; d < widths.size(); ++d)
    {
        if (a % widths[d] != b % widths[d])
        {
            dimensions.push_back(d);
        }
        a /= widths[d];
        b /= widths[d];
    }
    return dimensions;
}

/// Two switches are linked if they differ in one dimension, by as many links as it has.
void
TestHyperXPlan(FunctionCase& test)
{
    ForDrawnHyperX([&](auto&, const HyperXConfig& config, const HyperX& hyperX, const auto& what) {
        const TopologyPlan& plan = hyperX.GetPlan();
        const PortMap ports(plan); // throws if a port is used twice
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> links;
        for (const LinkPlan& link : plan.links)
        {
            ++links[std::minmax(link.switchA, link.switchB)];
        }
        for (uint32_t a = 0; a < plan.switches.size(); ++a)
        {
            for (uint32_t b = a + 1; b < plan.switches.size(); ++b)
            {
                const auto dimensions = Differences(config.widths, a, b);
                const uint32_t expected = dimensions.size() == 1 ? config.trunks[dimensions[0]] : 0;
                const auto found = links.find({a, b});
                test.ExpectEqual(found == links.end() ? 0 : found->second,
                                 expected,
                                 what + "links of " + std::to_string(a) + " and " +
                                     std::to_string(b));
            }
        }
        test.ExpectEqual(plan.hosts.size(),
                         plan.switches.size() * config.hostsPerSwitch,
                         what + "hosts");
    });
}

/// What can't be is refused with a sentence.
void
TestHyperXRefusals(FunctionCase& test)
{
    const auto refusal = [](const HyperXConfig& config) {
        return Refusal([&config] { HyperX hyperX(config); });
    };
    test.ExpectEqual(refusal({{4, 4}, 1, {1, 1, 1}, HYPERX_ADAPTIVE}),
                     "HyperX: 3 numbers of parallel links for 2 dimensions; allowed is one for "
                     "each, or one for all",
                     "parallel links");
    test.ExpectEqual(refusal({{4, 4}, 1, {1, 0}, HYPERX_ADAPTIVE}),
                     "HyperX: 0 parallel links are not possible; allowed are 1 to 4096",
                     "no links");
    test.ExpectEqual(refusal({{2, 2, 2, 2, 2}, 1, {1}, HYPERX_MINIMAL}),
                     "HyperX: paths through 5 dimensions in any order need a virtual channel for "
                     "each; allowed are at most 4 dimensions, or paths in the order of dimensions",
                     "too many dimensions");
    test.ExpectEqual(refusal({{2, 2, 2, 2, 2}, 1, {1}, HYPERX_BY_DIMENSION}), "", "in order");
    test.ExpectEqual(refusal({{65, 64}, 1, {64, 1}, HYPERX_ADAPTIVE}),
                     "HyperX: switches of 4160 ports are not possible; allowed are at most 4096",
                     "too many ports");
}

/// Routes of any HyperX reach everybody and have no cycle.
void
TestHyperXProof(FunctionCase& test)
{
    ForDrawnHyperX([&](auto&, const auto&, const HyperX& hyperX, const std::string& what) {
        const RouteReport report = CheckRoutes(hyperX.GetPlan(), hyperX.GetRouting());
        test.Expect(report.IsGood(), what + report.Describe());
    });
}

/// Frames arrive by paths of the lengths that the mode has, and take ways that were proven; detours
/// are made where there are some.
void
TestHyperXPaths(FunctionCase& test)
{
    std::map<HyperXMode, uint32_t> detours;
    const bool isShort = TestSeeds(60).count < 60; // a mode may not be drawn then
    ForDrawnHyperX([&](std::minstd_rand& random,
                       const HyperXConfig& config,
                       const HyperX& hyperX,
                       const std::string& what) {
        RouteWalk walk(hyperX.GetPlan(), hyperX.GetRouting());
        const auto hosts = static_cast<uint32_t>(hyperX.GetPlan().hosts.size());
        for (uint32_t n = 0; n < 200; ++n)
        {
            const uint32_t src = random() % hosts;
            const uint32_t dst = random() % hosts;
            const auto least = static_cast<uint32_t>(
                Differences(config.widths, src / config.hostsPerSwitch, dst / config.hostsPerSwitch)
                    .size());
            const uint32_t most = config.mode == HYPERX_BY_DIMENSION             ? 2 * least
                                  : config.mode == HYPERX_ADAPTIVE && least != 0 ? 4
                                                                                 : least;
            const uint32_t hops = walk.Drawn(src, dst, random);
            detours[config.mode] += hops > least;
            test.Expect(hops >= least && hops <= most,
                        what + "from " + std::to_string(src) + " to " + std::to_string(dst) +
                            " by " + std::to_string(hops) + " links");
        }
    });
    test.Expect(isShort || detours[HYPERX_BY_DIMENSION] > 100, "detours by dimension");
    test.Expect(isShort || detours[HYPERX_ADAPTIVE] > 100, "detours in any dimension");
}

/// Frames go round any failed link that has a parallel one or a third switch in its line.
void
TestHyperXAround(FunctionCase& test)
{
    ForDrawnHyperX([&](std::minstd_rand& random,
                       const HyperXConfig& config,
                       const HyperX& hyperX,
                       const std::string& what) {
        RouteWalk walk(hyperX.GetPlan(), hyperX.GetRouting());
        const auto failed = static_cast<std::size_t>(random() % hyperX.GetPlan().links.size());
        const LinkPlan& link = hyperX.GetPlan().links[failed];
        const uint32_t d = Differences(config.widths, link.switchA, link.switchB).at(0);
        if (config.widths[d] == 2 && config.trunks[d] == 1)
        {
            return;
        }
        walk.Fail(failed);
        const auto hosts = static_cast<uint32_t>(hyperX.GetPlan().hosts.size());
        for (uint32_t n = 0; n < 200; ++n)
        {
            // Every other frame is from one end of the link to the other.
            const bool isNext = n % 2 == 0;
            const uint32_t src = isNext ? link.switchA * config.hostsPerSwitch : random() % hosts;
            const uint32_t dst = isNext ? link.switchB * config.hostsPerSwitch : random() % hosts;
            test.Expect(walk.Around(src, dst, random) != RouteWalk::LOST,
                        what + "from " + std::to_string(src) + " to " + std::to_string(dst) +
                            " without link " + std::to_string(failed));
        }
    });
}

/// Rules that forget virtual channels have a cycle, in each mode.
void
TestHyperXWithoutChannels(FunctionCase& test)
{
    for (const HyperXMode mode : HYPERX_MODES)
    {
        const HyperX hyperX({{4, 3}, 1, {1}, mode});
        const RouteFunction right = MakeRouteFunction(hyperX.GetRouting());
        const RouteFunction wrong =
            [&](uint32_t sw, uint16_t port, uint8_t, LocationId dst, std::vector<RouteHop>& hops) {
                right(sw, port, 0, dst, hops);
                for (RouteHop& hop : hops)
                {
                    hop.vc = 0;
                }
            };
        const RouteReport report = CheckRoutes(hyperX.GetPlan(), 1, wrong);
        test.Expect(!report.IsDeadlockFree(), "mode " + std::to_string(mode));
    }
}

/// Suite of HyperX.
class HyperXSuite : public FunctionSuite
{
  public:
    HyperXSuite()
        : FunctionSuite("fabric-hyperx", kUnit)
    {
        Add("FC-13 links of a HyperX", TestHyperXPlan);
        Add("FC-13 HyperX that can't be", TestHyperXRefusals);
        Add("FC-13 no cycle in any HyperX, and all are reached", TestHyperXProof);
        Add("FC-12 lengths of paths in a HyperX", TestHyperXPaths);
        Add("WL-8 ways round a failed link of a HyperX", TestHyperXAround);
        Add("FC-13 a HyperX with one channel is refused", TestHyperXWithoutChannels);
    }
};

HyperXSuite g_hyperXSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
