/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"
#include "fabric-dragonfly.h"
#include "fabric-function-case.h"
#include "fabric-port-map.h"
#include "fabric-refusal.h"
#include "fabric-route-walk.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr DragonflyMode ALL_MODES[] = {DRAGONFLY_MINIMAL, DRAGONFLY_VALIANT, DRAGONFLY_UGAL};

/// @return it in words, for messages
std::string
NameOf(const DragonflyConfig& c)
{
    return "p=" + std::to_string(c.hostsPerSwitch) + " a=" + std::to_string(c.switchesPerGroup) +
           " h=" + std::to_string(c.globalPorts) + " g=" + std::to_string(c.groups) +
           " m=" + std::to_string(c.globalLinks) + " l=" + std::to_string(c.localLinks) +
           " mode=" + std::to_string(c.mode);
}

/// @return a small dragonfly of any kind
DragonflyConfig
DrawDragonfly(std::minstd_rand& random)
{
    DragonflyConfig config;
    config.hostsPerSwitch = 1 + random() % 3;
    config.switchesPerGroup = 1 + random() % 5;
    config.globalPorts = random() % 4;
    const uint32_t ports = config.switchesPerGroup * config.globalPorts;
    config.groups = random() % 2 == 0 ? 0 : 1 + random() % (std::min(ports, 7U) + 1);
    config.localLinks = 1 + random() % 2;
    config.mode = ALL_MODES[random() % 3];
    const uint32_t groups = config.groups == 0 ? ports + 1 : config.groups;
    config.globalLinks =
        groups > 1 && random() % 2 == 0 ? 1 + random() % (ports / (groups - 1)) : 0;
    return config;
}

/// Counts links of a plan by what they join.
struct LinkCounts
{
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> ofSwitches; ///< Local links by switches.
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> ofGroups;   ///< Global links by groups.
    std::map<uint32_t, uint32_t> ofSwitch;                        ///< Global links by switch.
    /// Global links by switch and far group.
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> toGroup;

    explicit LinkCounts(const TopologyPlan& plan)
    {
        for (const LinkPlan& link : plan.links)
        {
            const uint32_t a = plan.switches[link.switchA].group;
            const uint32_t b = plan.switches[link.switchB].group;
            if (link.linkClass == LinkClass::LOCAL && a == b)
            {
                ++ofSwitches[std::minmax(link.switchA, link.switchB)];
            }
            if (link.linkClass == LinkClass::GLOBAL && a != b)
            {
                ++ofGroups[std::minmax(a, b)];
                ++ofSwitch[link.switchA];
                ++ofSwitch[link.switchB];
                ++toGroup[{link.switchA, b}];
                ++toGroup[{link.switchB, a}];
            }
        }
    }
};

/// Counts of switches that should be as even as can be.
void
ExpectEven(FunctionCase& test,
           uint32_t count,
           uint32_t sum,
           uint32_t switches,
           const std::string& what)
{
    test.Expect(count == sum / switches || count == (sum + switches - 1) / switches, what);
}

/// The plan has the links that its definition says, spread evenly.
void
TestPlan(FunctionCase& test)
{
    std::minstd_rand random(7);
    for (uint32_t n = 0; n < 200; ++n)
    {
        const DragonflyConfig config = DrawDragonfly(random);
        const std::string name = NameOf(config);
        const Dragonfly dragonfly(config);
        const TopologyPlan& plan = dragonfly.GetPlan();
        const DragonflyShape& shape = dragonfly.GetShape();
        const uint32_t a = config.switchesPerGroup;
        const uint32_t most = a * config.globalPorts;
        const uint32_t g = config.groups == 0 ? most + 1 : config.groups;
        const uint32_t fit = g == 1 ? 0 : most / (g - 1);
        const uint32_t m = config.globalLinks == 0 ? fit : config.globalLinks;
        test.ExpectEqual(shape.hosts, config.hostsPerSwitch * a * g, name + ": hosts");
        test.ExpectEqual(plan.hosts.size(), std::size_t{shape.hosts}, name + ": hosts of the plan");
        test.ExpectEqual(plan.switches.size(), std::size_t{a} * g, name + ": switches");
        test.ExpectEqual(plan.links.size(),
                         std::size_t{g} * a * (a - 1) / 2 * config.localLinks +
                             std::size_t{g} * (g - 1) / 2 * m,
                         name + ": links");
        test.ExpectEqual(plan.links.size(),
                         std::size_t{shape.localLinks} + shape.globalLinks,
                         name + ": links of the shape");
        const PortMap ports(plan); // throws if a port is used twice
        LinkCounts counts(plan);
        for (uint32_t x = 0; x < g; ++x)
        {
            for (uint32_t y = x + 1; y < g; ++y)
            {
                test.ExpectEqual(counts.ofGroups[{x, y}], m, name + ": links of two groups");
            }
        }
        for (uint32_t sw = 0; sw < plan.switches.size(); ++sw)
        {
            const uint32_t end = (sw / a + 1) * a;
            for (uint32_t other = sw + 1; other < end; ++other)
            {
                test.ExpectEqual(counts.ofSwitches[{sw, other}],
                                 config.localLinks,
                                 name + ": local");
            }
            ExpectEven(test, counts.ofSwitch[sw], m * (g - 1), a, name + ": global links of one");
            for (uint32_t group = 0; group < g; ++group)
            {
                ExpectEven(test,
                           counts.toGroup[{sw, group}],
                           group == sw / a ? 0 : m,
                           a,
                           name + ": parallel links");
            }
        }
    }
}

/// The largest that a Slingshot switch makes, and what installations have (95-facts).
void
TestKnownSizes(FunctionCase& test)
{
    DragonflyConfig balanced;
    test.ExpectEqual(DragonflyShape::Of(balanced).hosts, 72U, "p = h = 2, a = 4");
    balanced.hostsPerSwitch = balanced.globalPorts = 4;
    balanced.switchesPerGroup = 8;
    test.ExpectEqual(DragonflyShape::Of(balanced).hosts, 1056U, "p = h = 4, a = 8");
    DragonflyConfig frontier{16, 32, 17, 74, 4, 1, DRAGONFLY_UGAL};
    const DragonflyShape shape = DragonflyShape::Of(frontier);
    test.ExpectEqual(shape.hosts, 37888U, "hosts");
    test.ExpectEqual(shape.ports, 64U, "ports of Rosetta: 16 + 31 + 17");
    // 73 x 4 global links for 512 hosts of a group.
    test.ExpectEqual(100 * shape.wiring.LinksOfGroup() / 512, 57U, "taper in percent");
}

/// What can't be is refused with a sentence.
void
TestRefusals(FunctionCase& test)
{
    const auto refusal = [](DragonflyConfig config) {
        return Refusal([&config] { Dragonfly dragonfly(config); });
    };
    test.ExpectEqual(refusal({0, 4, 2, 0, 0, 1, DRAGONFLY_UGAL}),
                     std::string("dragonfly: 0 hosts per switch are not possible; allowed are 1 to "
                                 "4096"),
                     "no hosts");
    test.ExpectEqual(refusal({2, 4, 2, 10, 0, 1, DRAGONFLY_UGAL}),
                     std::string("dragonfly: 10 groups can't all be linked; 4 switches with 2 "
                                 "global ports allow at most 9"),
                     "too many groups");
    test.ExpectEqual(refusal({2, 4, 2, 5, 3, 1, DRAGONFLY_UGAL}),
                     std::string("dragonfly: 3 links between each two of 5 groups need more global "
                                 "ports than there are; allowed are at most 2"),
                     "too many links");
    test.Expect(refusal({16, 32, 17, 0, 0, 1, DRAGONFLY_UGAL}).find("279040 hosts are more") !=
                    std::string::npos,
                "all of Slingshot's hosts have no addresses");
    test.Expect(refusal({4000, 200, 2, 1, 0, 1, DRAGONFLY_UGAL}).find("4201 ports") !=
                    std::string::npos,
                "too many ports");
}

/// @param check is called with dragonflies that are drawn: its random numbers, what was drawn, the
/// dragonfly, and their name for texts
template <typename Check>
void
ForDrawnDragonflies(Check&& check)
{
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const DragonflyConfig config = DrawDragonfly(random);
        const std::string what = "seed " + std::to_string(seed) + ", " + NameOf(config) + ": ";
        check(random, config, Dragonfly(config), what);
    }
}

/// Routes of any dragonfly reach everybody and have no cycle.
void
TestProof(FunctionCase& test)
{
    ForDrawnDragonflies(
        [&](auto&, const auto&, const Dragonfly& dragonfly, const std::string& what) {
            const RouteReport report = CheckRoutes(dragonfly.GetPlan(), dragonfly.GetRouting());
            test.Expect(report.IsGood(), what + report.Describe());
        });
}

/// @return longest path that a frame may take with all links up
uint32_t
LongestPath(const DragonflyConfig& config, bool sameGroup)
{
    if (config.mode == DRAGONFLY_MINIMAL)
    {
        return sameGroup ? 1 : 3; // l; l g l
    }
    return sameGroup ? 2 : 5; // l l; l g l g l
}

/// Frames arrive by paths of the lengths that the mode has, and take ways that were proven.
void
TestPaths(FunctionCase& test)
{
    ForDrawnDragonflies([&](std::minstd_rand& random,
                            const DragonflyConfig& config,
                            const Dragonfly& dragonfly,
                            const std::string& what) {
        RouteWalk walk(dragonfly.GetPlan(), dragonfly.GetRouting());
        const uint32_t hosts = dragonfly.GetShape().hosts;
        const uint32_t ofGroup = config.hostsPerSwitch * config.switchesPerGroup;
        for (uint32_t n = 0; n < 300; ++n)
        {
            const uint32_t src = random() % hosts;
            const uint32_t dst = random() % hosts;
            const uint32_t hops = walk.Drawn(src, dst, random);
            test.Expect(hops <= LongestPath(config, src / ofGroup == dst / ofGroup),
                        what + "from " + std::to_string(src) + " to " + std::to_string(dst) +
                            " by " + std::to_string(hops) + " links");
        }
    });
}

/// Valiant draws every global link of the group that does not lead to the last group alike.
void
TestDetours(FunctionCase& test)
{
    DragonflyConfig config;
    config.mode = DRAGONFLY_VALIANT;
    const Dragonfly dragonfly(config);
    const PortMap ports(dragonfly.GetPlan());
    std::minstd_rand random(5);
    std::map<uint32_t, uint32_t> groups;
    constexpr uint32_t FRAMES = 14000;
    for (uint32_t n = 0; n < FRAMES; ++n)
    {
        // From host 0 in group 0 to the last host, in group 8.
        Ways ways;
        dragonfly.GetRouting()[0].Paths()->DrawWays(LocationOf(71), {0, 0}, random, ways);
        const Way first = ways.at(random() % ways.size());
        const PortPeer* peer = &ports.GetPeer(0, first.port);
        if (peer->index < 4)
        {
            ways.clear();
            const CameBy at{peer->port, first.vc};
            dragonfly.GetRouting()[peer->index].Paths()->DrawWays(LocationOf(71), at, random, ways);
            peer = &ports.GetPeer(peer->index, ways.at(random() % ways.size()).port);
        }
        ++groups[peer->index / 4];
    }
    test.ExpectEqual(groups.size(), std::size_t{7}, "all groups but the first and the last");
    for (const auto& [group, count] : groups)
    {
        // 2000 are expected; the one link of the switch next to the last group's is drawn twice as
        // often among its own two, so a group has between 1 and 2 of 8 shares.
        test.Expect(group != 0 && group != 8 && count > FRAMES / 10 && count < FRAMES / 3,
                    "group " + std::to_string(group) + ": " + std::to_string(count));
    }
}

/// Rules that forget virtual channels have a cycle.
void
TestWrongRules(FunctionCase& test)
{
    for (const DragonflyMode mode : ALL_MODES)
    {
        DragonflyConfig config;
        config.mode = mode;
        const Dragonfly dragonfly(config);
        const RouteFunction right = MakeRouteFunction(dragonfly.GetRouting());
        const uint32_t channels = dragonfly.GetRouting()[0].Paths()->VirtualChannels();
        const RouteFunction wrong =
            [&](uint32_t sw, uint16_t port, uint8_t, LocationId dst, std::vector<RouteHop>& hops) {
                for (uint8_t vc = 0; vc < channels; ++vc)
                {
                    right(sw, port, vc, dst, hops);
                }
                for (RouteHop& hop : hops)
                {
                    hop.vc = 0;
                }
            };
        const RouteReport report = CheckRoutes(dragonfly.GetPlan(), 1, wrong);
        test.Expect(!report.IsDeadlockFree(), NameOf(config) + " with one channel");
        test.Expect(report.DescribeCycle().find("frames that go from switch ") == 0,
                    report.DescribeCycle());
    }
}

/// A rule that does as another one but on fewer virtual channels, and is alike where that one is.
class FewChannels : public PathRule
{
  public:
    /// @param right rule @param channels that it uses of those it needs
    FewChannels(Routing right, uint8_t channels)
        : m_right(std::move(right)),
          m_channels(channels)
    {
    }

    uint32_t VirtualChannels() const override
    {
        return m_right.Paths()->VirtualChannels();
    }

    bool Knows(LocationId dst) const override
    {
        return m_right.Paths()->Knows(dst);
    }

    void FindWays(LocationId dst, CameBy at, Ways& ways) const override
    {
        for (uint8_t vc = at.vc; vc < VirtualChannels(); vc += m_channels)
        {
            m_right.Paths()->FindWays(dst, {at.port, vc}, ways);
        }
        for (Way& way : ways)
        {
            way.vc %= m_channels;
        }
    }

    void DrawWays(LocationId dst, CameBy at, std::minstd_rand&, Ways& ways) const override
    {
        FindWays(dst, at, ways);
    }

    uint32_t GroupSwitches() const override
    {
        return m_right.Paths()->GroupSwitches();
    }

    bool IsAlike(const PathRule& other) const override
    {
        const auto* few = dynamic_cast<const FewChannels*>(&other);
        return few && few->m_channels == m_channels &&
               m_right.Paths()->IsAlike(*few->m_right.Paths());
    }

  private:
    Routing m_right;    ///< The rule.
    uint8_t m_channels; ///< That it uses.
};

/// What is found by the destinations of one group is what is found by all, of right rules, of ones
/// that are wrong everywhere, and of ones that are wrong at one switch.
void
TestLikeGroups(FunctionCase& test)
{
    uint32_t refused = 0;
    ForDrawnDragonflies([&](std::minstd_rand& random,
                            const auto&,
                            const Dragonfly& dragonfly,
                            const std::string& what) {
        const TopologyPlan& plan = dragonfly.GetPlan();
        std::vector<Routing> routing = dragonfly.GetRouting();
        const uint32_t channels = routing[0].Paths()->VirtualChannels();
        const auto kind = random() % 3;
        const auto some = static_cast<uint8_t>(1 + random() % (channels - 1));
        const std::size_t one = random() % routing.size();
        for (std::size_t i = 0; i < routing.size(); ++i)
        {
            if (kind == 1 || (kind == 2 && i == one))
            {
                routing[i] = Routing(std::make_shared<const FewChannels>(routing[i], some));
            }
        }
        RouteDemands demands;
        demands.oneHostPerSwitch = random() % 2 == 0;
        const RouteReport quick = CheckRoutes(plan, routing, demands);
        const RouteReport full = CheckRoutes(plan, channels, MakeRouteFunction(routing), demands);
        test.ExpectEqual(quick.Describe(), full.Describe(), what);
        test.Expect(kind != 0 || quick.IsGood(), what + "a right rule");
        refused += quick.IsGood() ? 0 : 1;
    });
    test.Expect(refused != 0 || !TestSeeds(60).AreMany(), "some wrong rules are refused");
}

/// A plan whose groups are not alike is followed for all destinations.
void
TestUnlikePlan(FunctionCase& test)
{
    const Dragonfly dragonfly(DragonflyConfig{});
    TopologyPlan plan = dragonfly.GetPlan();
    plan.links.pop_back();
    const RouteReport quick = CheckRoutes(plan, dragonfly.GetRouting());
    const RouteReport full = CheckRoutes(plan,
                                         dragonfly.GetRouting()[0].Paths()->VirtualChannels(),
                                         MakeRouteFunction(dragonfly.GetRouting()));
    test.Expect(!quick.IsGood(), "a link is missing");
    test.ExpectEqual(quick.Describe(), full.Describe(), "the same is found");
}

/// Suite of dragonflies.
class DragonflySuite : public FunctionSuite
{
  public:
    DragonflySuite()
        : FunctionSuite("fabric-dragonfly", kUnit)
    {
        Add("FC-13 links of a dragonfly", TestPlan);
        Add("FC-13 sizes of dragonflies that are known", TestKnownSizes);
        Add("FC-13 dragonflies that can't be", TestRefusals);
        Add("FC-13 no cycle in any dragonfly, and all are reached", TestProof);
        Add("FC-12 lengths of paths", TestPaths);
        Add("FC-12 detours by all groups", TestDetours);
        Add("FC-13 one virtual channel is not enough", TestWrongRules);
        Add("FC-13 one group stands for all that are alike", TestLikeGroups);
        Add("FC-13 groups that are not alike", TestUnlikePlan);
    }
};

DragonflySuite g_dragonflySuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
