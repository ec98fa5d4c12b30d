/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-channel-dependency.h"
#include "fabric-function-case.h"
#include "fabric-graph-routing.h"
#include "fabric-graph-rule.h"
#include "fabric-path-networks.h"
#include "fabric-port-map.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

#include "ns3/test.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// The slow model of a GraphRule: it goes every walk.
class WalksOfGraph
{
  public:
    static constexpr uint32_t NOBODY = 0xFFFF; ///< No switch.

    /// @param plan must stay
    explicit WalksOfGraph(const TopologyPlan& plan)
        : m_plan(plan),
          m_ports(plan)
    {
    }

    /// A way as a set has it: port, virtual channel, links that are left, whether it is a detour.
    using Step = std::tuple<uint16_t, uint8_t, uint8_t, bool>;

    /// @return the steps that a frame may take which has come by so many links from a neighbour
    std::set<Step> StepsOf(uint32_t sw, uint32_t from, uint8_t links, uint32_t dst) const
    {
        std::set<Step> on;
        const uint32_t shortest = ShortestWalk(sw, dst, {});
        ForEachLink(sw, [&](uint16_t port, uint32_t next) {
            const uint32_t rest = 1 + ShortestWalk(next, dst, {sw, from});
            const bool isDetour = 1 + ShortestWalk(next, dst, {}) > shortest;
            if (next != from && links + rest <= MOST)
            {
                on.insert({port, links, static_cast<uint8_t>(rest), isDetour});
            }
        });
        return on;
    }

    /// @return links of the shortest walk to a switch that does not pass some others; many, if it
    /// has more than a path may have
    uint32_t ShortestWalk(uint32_t sw,
                          uint32_t dst,
                          const std::set<uint32_t>& but,
                          uint32_t most = MOST) const
    {
        if (sw == dst)
        {
            return 0;
        }
        uint32_t least = 100;
        ForEachLink(sw, [&](uint16_t, uint32_t next) {
            if (but.count(next) == 0 && most > 0)
            {
                least = std::min(least, 1 + ShortestWalk(next, dst, but, most - 1));
            }
        });
        return least;
    }

    /// @return ends of ports
    const PortMap& Ports() const
    {
        return m_ports;
    }

  private:
    static constexpr uint32_t MOST = 4; ///< Links of a path.

    /// @param visit is called with the links of a switch: `void visit(uint16_t, uint32_t)`
    template <typename Visit>
    void ForEachLink(uint32_t sw, Visit&& visit) const
    {
        for (const LinkPlan& link : m_plan.links)
        {
            if (link.switchA == sw)
            {
                visit(link.portA, link.switchB);
            }
            if (link.switchB == sw)
            {
                visit(link.portB, link.switchA);
            }
        }
    }

    const TopologyPlan& m_plan; ///< The graph.
    PortMap m_ports;            ///< Of it.
};

/// @return steps of ways that lead to switches
std::set<WalksOfGraph::Step>
StepsOf(const Ways& ways)
{
    std::set<WalksOfGraph::Step> steps;
    for (const Way& way : ways)
    {
        steps.insert({way.port, way.vc, way.hops, way.isDetour});
    }
    return steps;
}

/// @param check is called with graphs that are drawn, with both modes: the random numbers, plan,
/// routing, whether it makes detours by load, and a name for messages
template <typename Check>
void
ForDrawnGraphs(uint32_t count, uint32_t most, Check&& check)
{
    const TestSeeds seeds(count);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const TopologyPlan plan = DrawShortGraph(random, most);
        for (const GraphMode mode : {GRAPH_MINIMAL, GRAPH_ADAPTIVE})
        {
            check(random,
                  plan,
                  MakeGraphRouting(plan, mode),
                  mode == GRAPH_ADAPTIVE,
                  "seed " + std::to_string(seed) + ", mode " + std::to_string(mode) + ": ");
        }
    }
}

/// What a frame may do is what the walks that are left allow, however it has come.
void
TestGraphWays(FunctionCase& test)
{
    ForDrawnGraphs(40, 10, [&test](auto&, const auto& plan, const auto& routing, bool, auto what) {
        const WalksOfGraph walks(plan);
        for (const HostPlan& host : plan.hosts)
        {
            const uint32_t dst = host.edgeSwitch;
            const LocationId location =
                LocationOf(static_cast<uint32_t>(&host - plan.hosts.data()));
            // Switch, port by which a frame came, links that it has come by.
            std::set<std::tuple<uint32_t, uint16_t, uint8_t>> seen;
            std::vector<std::tuple<uint32_t, uint16_t, uint8_t>> open;
            for (const HostPlan& source : plan.hosts)
            {
                open.push_back({source.edgeSwitch, source.port, 0});
            }
            while (!open.empty())
            {
                const auto [sw, port, links] = open.back();
                open.pop_back();
                if (sw == dst || !seen.insert({sw, port, links}).second)
                {
                    continue;
                }
                Ways ways;
                const CameBy at{port, static_cast<uint8_t>(links == 0 ? 0 : links - 1)};
                routing[sw].Paths()->FindWays(location, at, ways);
                const PortPeer& from = walks.Ports().GetPeer(sw, port);
                const uint32_t before = links == 0 ? WalksOfGraph::NOBODY : from.index;
                const auto expected = walks.StepsOf(sw, before, links, dst);
                test.Expect(StepsOf(ways) == expected && !expected.empty(),
                            Text(what, "switch ", sw, " to ", dst, " after ", +links, " links"));
                for (const Way& way : ways)
                {
                    const PortPeer& peer = walks.Ports().GetPeer(sw, way.port);
                    open.push_back({peer.index, peer.port, static_cast<uint8_t>(links + 1)});
                }
            }
        }
    });
}

/// No cycle, everybody is reached; ways that are drawn are among those that may be.
void
TestGraphRules(FunctionCase& test)
{
    uint32_t detours = 0;
    const auto check = [&](auto& random,
                           const auto& plan,
                           const auto& routing,
                           bool byLoad,
                           auto what) {
        const RouteReport report = CheckRoutes(plan, routing);
        test.Expect(report.IsGood(), what + report.Describe());
        for (uint32_t dst = 0; dst < plan.hosts.size(); ++dst)
        {
            const HostPlan& source = plan.hosts[random() % plan.hosts.size()];
            const PathRule& rule = *routing[source.edgeSwitch].Paths();
            const CameBy at{source.port, 0};
            Ways all;
            rule.FindWays(LocationOf(dst), at, all);
            Ways drawn;
            rule.DrawWays(LocationOf(dst), at, random, drawn);
            const auto allSteps = StepsOf(all);
            const auto steps = StepsOf(drawn);
            test.Expect(std::includes(allSteps.begin(), allSteps.end(), steps.begin(), steps.end()),
                        what + "what is drawn may be");
            for (const Way& way : all)
            {
                test.ExpectEqual(way.rank, way.isDetour && !byLoad ? 1 : 0, what + "rank");
                test.Expect(way.isDetour || steps.count({way.port, way.vc, way.hops, false}) == 1,
                            what + "all shortest ways are weighed");
            }
            for (const Way& way : drawn)
            {
                test.Expect(byLoad || !way.isDetour, what + "detours by load only if asked for");
                detours += way.isDetour ? 1 : 0;
            }
        }
    };
    ForDrawnGraphs(60, 24, check);
    test.Expect(detours > 0, "detours");
}

/// @return so many switches in a ring, with a host each
TopologyPlan
MakeRing(uint32_t switches)
{
    TopologyPlan plan;
    for (uint32_t i = 0; i < switches; ++i)
    {
        plan.switches.push_back({NO_GROUP, 3, Tier::EDGE});
        plan.links.push_back({i, (i + 1) % switches, 1, 2, LinkClass::FABRIC});
        plan.hosts.push_back({i, 0});
    }
    return plan;
}

/// What is best of what can be is taken, and what can't be is refused.
void
TestGraphModes(FunctionCase& test)
{
    const auto hasRules = [](const TopologyPlan& plan, GraphMode mode = GRAPH_BEST) {
        return MakeGraphRouting(plan, mode).front().Paths() != nullptr;
    };
    const TopologyPlan chain = MakeChainPlan({1, 1, 1});
    test.Expect(!hasRules(chain), "tables where shortest paths have no cycle");
    test.Expect(hasRules(chain, GRAPH_ADAPTIVE), "rules if asked for");
    test.Expect(hasRules(MakeRing(9)), "four links suffice");
    test.Expect(!hasRules(MakeRing(9), GRAPH_UP_DOWN), "tables if asked for");
    test.Expect(!hasRules(MakeRing(10)), "five links are too many");
    for (const GraphMode mode : {GRAPH_MINIMAL, GRAPH_ADAPTIVE})
    {
        test.ExpectEqual(Refusal([mode] { MakeGraphRouting(MakeRing(10), mode); }),
                         "hosts are 5 links between switches apart, and shortest paths need a "
                         "virtual channel for each; allowed are at most 4 links, or paths up and "
                         "then down",
                         "too long");
        TopologyPlan parts = MakeRing(4);
        parts.links = {parts.links[0], parts.links[2]};
        test.ExpectEqual(Refusal([&parts, mode] { MakeGraphRouting(parts, mode); }),
                         "topology: there is no path from switch 2 to switch 0; all switches must "
                         "reach all hosts",
                         "not connected");
    }
    // Hosts of a long chain may be near.
    TopologyPlan tail = MakeChainPlan({1, 1, 1, 1, 1, 1, 1, 1});
    tail.hosts.resize(3);
    test.Expect(hasRules(tail, GRAPH_MINIMAL), "switches without hosts do not count");
}

/// The spanning tree of a graph may be deeper than the distances that frames need.
void
TestDeepTree(FunctionCase& test)
{
    TopologyPlan chain = MakeChainPlan(std::vector<uint32_t>(600, 1));
    chain.hosts.resize(2); // at one end; the root is in the middle
    const std::vector<Routing> routing = MakeGraphRouting(chain, GRAPH_MINIMAL);
    const PortMap ports(chain);
    for (uint32_t sw = 1; sw < chain.switches.size(); ++sw)
    {
        const auto link = routing[sw].Paths()->FindTreeLink(0, 0);
        test.ExpectEqual(ports.GetPeer(sw, link->port).index, sw - 1, Text("switch ", sw));
    }
}

/// Suite of routing in any graph.
class GraphRuleSuite : public FunctionSuite
{
  public:
    GraphRuleSuite()
        : FunctionSuite("fabric-graph-rule", kUnit)
    {
        Add("FC-13 ways are what is left of walks", TestGraphWays);
        Add("FC-13 no cycle, and drawn ways", TestGraphRules);
        Add("FC-13 modes of a graph", TestGraphModes);
        Add("FC-16 a tree of hundreds of links", TestDeepTree);
    }
};

GraphRuleSuite g_graphRuleSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
