/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"
#include "fabric-fat-tree.h"
#include "fabric-function-case.h"
#include "fabric-graph-routing.h"
#include "fabric-group-network.h"
#include "fabric-path-networks.h"
#include "fabric-port-map.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-tree-planner.h"
#include "fabric-tree-walk.h"
#include "fabric-up-down-routing.h"
#include "fabric-upward-links.h"

#include "ns3/test.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return a connected graph, some of whose switches have hosts; links may be parallel
TopologyPlan
DrawGraphPlan(std::minstd_rand& random, uint32_t switches, uint32_t mostLinks)
{
    TopologyPlan plan;
    std::vector<uint16_t> ports(switches);
    const uint32_t withoutHosts = 2 + random() % 8; // one in so many
    for (uint32_t sw = 0; sw < switches; ++sw)
    {
        if (sw < 2 || random() % withoutHosts != 0)
        {
            plan.hosts.push_back({sw, ports[sw]++});
        }
    }
    const auto link = [&](uint32_t a, uint32_t b) {
        plan.links.push_back({a, b, ports[a]++, ports[b]++, LinkClass::LOCAL});
    };
    const uint32_t width = 1 + random() % switches; // 1: a row, few: long, all: any tree
    for (uint32_t sw = 1; sw < switches; ++sw)
    {
        link(sw, sw - 1 - random() % std::min(sw, width));
    }
    for (uint32_t more = random() % (mostLinks - switches + 2); more > 0; --more)
    {
        const uint32_t one = random() % switches;
        link(one, (one + 1 + random() % (switches - 1)) % switches);
    }
    for (uint32_t sw = 0; sw < switches; ++sw)
    {
        plan.switches.push_back({NO_GROUP, ports[sw], Tier::EDGE});
    }
    return plan;
}

/// @return whether no frames can wait for each other
bool
AreFree(const GroupNetwork& network, const std::vector<GroupTree>& trees)
{
    RouteDemands demands;
    demands.oneHostPerSwitch = true;
    return CheckRoutes(network.plan, network.routing, demands, trees).IsDeadlockFree();
}

/// @return a graph with routes that have no circle, of any kind; none if the draw has none
std::optional<std::pair<GroupNetwork, std::string>>
DrawRoutedGraph(std::minstd_rand& random, uint32_t switches)
{
    GroupNetwork network;
    network.plan = DrawGraphPlan(random, switches, 3 * switches);
    std::string name = "shortest or up and down";
    switch (random() % 4)
    {
    case 0:
        network.routing = MakeGraphRouting(network.plan, GRAPH_BEST);
        name = "best";
        break;
    case 1:
        network.routing = MakeUpDownRouting(network.plan, random() % switches);
        name = "up and down";
        break;
    case 2:
        network.routing = MakeShortestPathRouting(network.plan);
        name = "shortest";
        break;
    default:
        network.routing = MakeGraphRouting(network.plan, GRAPH_UP_DOWN);
        break;
    }
    return AreFree(network, {}) ? std::optional(std::pair(std::move(network), name)) : std::nullopt;
}

/// In graphs of all sizes no group and no reduction is refused, whatever was made before.
void
TestTreesOfGraphs(FunctionCase& test)
{
    const TestSeeds seeds(200);
    uint32_t graphs = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const auto drawn = DrawRoutedGraph(random, 4 + random() % 37);
        if (!drawn)
        {
            continue;
        }
        ++graphs;
        const auto& [network, name] = *drawn;
        const auto hosts = static_cast<uint32_t>(network.plan.hosts.size());
        const std::string what = "seed " + std::to_string(seed) + ", " + name + ": ";
        TreePlanner planner(network.plan, network.routing);
        std::vector<GroupTree> trees;
        for (uint32_t i = random() % 16 + 1; i > 0; --i)
        {
            const std::vector<uint32_t> members = DrawSome(random, hosts, 2);
            trees.push_back(random() % 2 == 0 ? planner.MakeGroup(members, i, trees)
                                              : planner.MakeReduction(members, i, trees).group);
            const GroupTree& tree = trees.back();
            TreeWalk walk(network.plan, tree);
            const auto isThere = [](const TreePorts& ports) { return !ports.empty(); };
            const auto used = std::count_if(tree.ports.begin(), tree.ports.end(), isThere);
            const uint32_t from = tree.members[random() % tree.members.size()];
            std::multiset<uint32_t> others(tree.members.begin(), tree.members.end());
            others.erase(from);
            test.Expect(walk.From(from) == others, Text(what, "from ", from));
            test.ExpectEqual(walk.Links(), used - 1, what + "links of a tree");
        }
        test.Expect(AreFree(network, trees), what + "all of them together");
        test.Expect(planner.FindCircle(trees).empty(), what + "the planner's proof");
        if (name == "up and down")
        {
            const std::vector<uint32_t> edge{network.plan.hosts.front().edgeSwitch};
            const auto up = FindUpwardLinks(PortMap(network.plan),
                                            static_cast<uint32_t>(network.plan.switches.size()),
                                            FindTurns(network.plan, network.routing),
                                            edge);
            const auto links = static_cast<int64_t>(network.plan.links.size());
            test.Expect(up && std::count(up->begin(), up->end(), true) == links,
                        what + "each link leads up at one end");
        }
    }
    test.Expect(graphs > seeds.count / 2, Text(graphs, " graphs"));
}

/// Trees of many groups are different ones where routes are.
void
TestTreesOfGraphsDiffer(FunctionCase& test)
{
    // Four leaves, each with a link to each of four spines, by another port in each leaf.
    GroupNetwork network;
    for (uint32_t leaf = 0; leaf < 4; ++leaf)
    {
        network.plan.hosts.push_back({leaf, 0});
        for (uint32_t spine = 0; spine < 4; ++spine)
        {
            network.plan.links.push_back({leaf,
                                          4 + spine,
                                          static_cast<uint16_t>(1 + (leaf + spine) % 4),
                                          static_cast<uint16_t>(leaf),
                                          LinkClass::LOCAL});
        }
    }
    network.plan.switches.assign(8, {NO_GROUP, 5, Tier::EDGE});
    network.routing = MakeShortestPathRouting(network.plan);
    TreePlanner planner(network.plan, network.routing);
    std::vector<GroupTree> trees;
    std::set<uint32_t> roots;
    for (uint32_t number = 0; number < 64; ++number)
    {
        trees.push_back(planner.MakeReduction({0, 1, 2, 3}, number, trees).group);
        roots.insert(*trees.back().root);
        const auto isThere = [](const TreePorts& ports) { return !ports.empty(); };
        const auto used =
            std::count_if(trees.back().ports.begin(), trees.back().ports.end(), isThere);
        test.ExpectEqual(used, 5, Text(number, ": four leaves and a spine"));
    }
    test.Expect(roots == std::set<uint32_t>({4, 5, 6, 7}), "all spines");
    test.Expect(AreFree(network, trees), "all of them together");
}

/// Tables that lead to each host by a tree of any links.
class AnyTables
{
  public:
    explicit AnyTables(TopologyPlan plan)
        : m_plan(std::move(plan)),
          m_tables(m_plan.switches.size(),
                   std::vector<PortRange>(m_plan.hosts.size() + FIRST_UNICAST))
    {
    }

    /// @return tables without a circle; none if the draws have one
    std::optional<std::vector<Routing>> Draw(std::minstd_rand& random)
    {
        std::vector<Routing> routing;
        for (uint32_t host = 0; host < m_plan.hosts.size(); ++host)
        {
            bool isFree = false;
            for (uint32_t tries = 0; tries < 30 && !isFree; ++tries)
            {
                DrawWaysTo(host, random);
                routing = {m_tables.begin(), m_tables.end()};
                isFree = CheckTurns(m_plan, FindTurns(m_plan, routing), {}).IsDeadlockFree();
            }
            if (!isFree)
            {
                return std::nullopt;
            }
        }
        return routing;
    }

  private:
    void DrawWaysTo(uint32_t host, std::minstd_rand& random)
    {
        const HostPlan& place = m_plan.hosts[host];
        m_tables[place.edgeSwitch][LocationOf(host)] = {place.port, 1};
        std::vector<bool> leads(m_plan.switches.size());
        leads[place.edgeSwitch] = true;
        while (std::count(leads.begin(), leads.end(), false) > 0)
        {
            const LinkPlan& link = m_plan.links[random() % m_plan.links.size()];
            if (leads[link.switchA] != leads[link.switchB])
            {
                const bool isA = leads[link.switchB];
                const uint32_t sw = isA ? link.switchA : link.switchB;
                m_tables[sw][LocationOf(host)] = {isA ? link.portA : link.portB, 1};
                leads[sw] = true;
            }
        }
    }

    TopologyPlan m_plan;                          ///< The topology.
    std::vector<std::vector<PortRange>> m_tables; ///< By switch and location.
};

/// All trees of a graph that lead to some switches.
class AllTrees
{
  public:
    AllTrees(const GroupNetwork& network, const std::vector<GroupTree>& others)
        : m_network(network),
          m_others(others)
    {
    }

    /// @param turns whether frames turn at a root @return whether any tree is without a circle
    bool HaveOne(const std::vector<uint32_t>& members, bool turns) const
    {
        for (uint32_t chosen = 0; chosen < 1U << m_network.plan.links.size(); ++chosen)
        {
            GroupTree tree = TreeOf(chosen, members);
            for (uint32_t sw = 0; sw < tree.ports.size(); ++sw)
            {
                if (turns && tree.ports[sw].empty())
                {
                    continue;
                }
                tree.turnsAt = turns ? std::optional(sw) : std::nullopt;
                std::vector<GroupTree> all = m_others;
                all.push_back(tree);
                if (AreFree(m_network, all))
                {
                    return true;
                }
                if (!turns)
                {
                    break;
                }
            }
        }
        return false;
    }

  private:
    /// @return the links that are chosen, if they are a tree over all members; else no ports
    GroupTree TreeOf(uint32_t chosen, const std::vector<uint32_t>& members) const
    {
        const TopologyPlan& plan = m_network.plan;
        GroupTree tree;
        tree.ports.resize(plan.switches.size());
        std::vector<uint32_t> part(plan.switches.size());
        std::iota(part.begin(), part.end(), 0);
        const auto join = [&part](uint32_t a, uint32_t b) {
            std::replace(part.begin(), part.end(), uint32_t{part[a]}, uint32_t{part[b]});
        };
        for (uint32_t i = 0; i < plan.links.size(); ++i)
        {
            const LinkPlan& link = plan.links[i];
            if ((chosen >> i) % 2 == 0)
            {
                continue;
            }
            if (part[link.switchA] == part[link.switchB])
            {
                return {};
            }
            join(link.switchA, link.switchB);
            tree.ports[link.switchA].push_back({link.portA, 0});
            tree.ports[link.switchB].push_back({link.portB, 0});
        }
        const uint32_t first = part[plan.hosts[members.front()].edgeSwitch];
        for (const uint32_t member : members)
        {
            if (part[plan.hosts[member].edgeSwitch] != first)
            {
                return {};
            }
            tree.ports[plan.hosts[member].edgeSwitch].push_back({plan.hosts[member].port, 0});
        }
        for (TreePorts& ports : tree.ports)
        {
            std::sort(ports.begin(), ports.end());
        }
        return tree;
    }

    const GroupNetwork& m_network;          ///< Topology and routes.
    const std::vector<GroupTree>& m_others; ///< That are there.
};

/// Trees of a small graph with any tables, some of which may be refused.
struct Judged
{
    uint32_t made{0};    ///< Trees.
    uint32_t refused{0}; ///< Groups and reductions.
};

/// A group or reduction is refused only if there is no tree, which all trees tell.
/// @param judged is added to
void
JudgeRefusals(FunctionCase& test, uint32_t seed, Judged& judged)
{
    std::minstd_rand random(seed);
    GroupNetwork network;
    const uint32_t switches = 4 + random() % 5;
    network.plan = DrawGraphPlan(random, switches, 11);
    auto routing = AnyTables(network.plan).Draw(random);
    if (!routing)
    {
        return;
    }
    network.routing = std::move(*routing);
    TreePlanner planner(network.plan, network.routing);
    std::vector<GroupTree> trees;
    const auto hosts = static_cast<uint32_t>(network.plan.hosts.size());
    for (uint32_t number = 0; number < 4; ++number)
    {
        const std::vector<uint32_t> members = DrawSome(random, hosts, 2);
        const bool turns = random() % 2 == 0;
        const std::vector<GroupTree> others = trees;
        trees.push_back(turns ? planner.MakeReduction(members, number, others).group
                              : planner.MakeGroup(members, number, others));
        const std::string circle = planner.FindCircle(trees);
        if (circle.empty())
        {
            ++judged.made;
            continue;
        }
        test.Expect(circle.find("in a circle") != std::string::npos, circle);
        ++judged.refused;
        trees.pop_back();
        test.Expect(!AllTrees(network, others).HaveOne(members, turns),
                    Text("seed ", seed, ", group ", number, ": there is a tree"));
    }
}

void
TestRefusalsAreRight(FunctionCase& test)
{
    const TestSeeds seeds(150);
    Judged judged;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        JudgeRefusals(test, seed, judged);
    }
    test.Expect(judged.made > seeds.count, Text(judged.made, " trees"));
    test.Expect(!seeds.AreMany() || seeds.count < 1000 || judged.refused > 0, "some are refused");
}

/// No tree leads to all hosts, and the first one for some of them would stand in the way of the
/// next, if that did not know of it: one graph of 60,000.
void
TestOtherTreesCount(FunctionCase& test)
{
    Judged judged;
    JudgeRefusals(test, 12308, judged);
    test.Expect(judged.made > 1 && judged.refused == 0, Text(judged.made, " trees"));
}

/// The proof from turns is that from routes.
void
TestProofFromTurns(FunctionCase& test)
{
    const TestSeeds seeds(60);
    uint32_t circles = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        GroupNetwork network;
        network.plan = DrawGraphPlan(random, 4 + random() % 20, 60);
        network.routing = random() % 2 == 0 ? MakeShortestPathRouting(network.plan)
                                            : MakeUpDownRouting(network.plan);
        std::vector<GroupTree> trees;
        const auto hosts = static_cast<uint32_t>(network.plan.hosts.size());
        for (uint32_t number = 0; number < random() % 6; ++number)
        {
            const std::vector<uint32_t> members = DrawSome(random, hosts, 2);
            trees.push_back(MakeGroupTree(network.plan, network.routing, members, number));
        }
        RouteDemands demands;
        demands.oneHostPerSwitch = true;
        const RouteReport routes = CheckRoutes(network.plan, network.routing, demands, trees);
        const std::vector<RouteTurn> found = FindTurns(network.plan, network.routing);
        const RouteReport turns = CheckTurns(network.plan, found, trees);
        test.ExpectEqual(turns.dependencies, routes.dependencies, Text("seed ", seed));
        test.ExpectEqual(turns.cycle.size(), routes.cycle.size(), Text("seed ", seed, ": circle"));
        circles += routes.IsDeadlockFree() ? 0 : 1;
    }
    test.Expect(!seeds.AreMany() || circles > 0, "some have a circle");
}

} // namespace

/// Trees of groups where routes go by destination alone.
class TableTreeTestSuite : public FunctionSuite
{
  public:
    TableTreeTestSuite()
        : FunctionSuite("fabric-table-tree", kUnit)
    {
        Add("FC-16 SW-14 FC-13 no group of a graph is refused", TestTreesOfGraphs);
        Add("FC-16 SW-14 trees of a graph have all roots that are alike", TestTreesOfGraphsDiffer);
        Add("FC-16 SW-14 FC-13 where a tree is refused there is none", TestRefusalsAreRight);
        Add("FC-16 SW-14 FC-13 a tree agrees with those that are there", TestOtherTreesCount);
        Add("FC-13 turns tell what routes tell", TestProofFromTurns);
    }
};

static TableTreeTestSuite g_tableTreeTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
