/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"
#include "fabric-function-case.h"
#include "fabric-group-tree.h"
#include "fabric-path-networks.h"
#include "fabric-port-map.h"
#include "fabric-reduction-tree.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-tree-walk.h"

#include "ns3/test.h"

#include <algorithm>
#include <functional>
#include <memory>
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

/// @return the proof with groups in it
RouteReport
Prove(const GroupNetwork& network, const std::vector<GroupTree>& trees)
{
    RouteDemands demands;
    demands.oneHostPerSwitch = true;
    return CheckRoutes(network.plan, network.routing, demands, trees);
}

/// @return trees of random groups and reductions, all at once
std::vector<GroupTree>
DrawTrees(std::minstd_rand& random, const GroupNetwork& network, uint32_t count)
{
    const auto hosts = static_cast<uint32_t>(network.plan.hosts.size());
    std::vector<GroupTree> trees;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t number = random() % 1000;
        const std::vector<uint32_t> members = DrawSome(random, hosts, 2);
        trees.push_back(
            random() % 2 == 0
                ? MakeGroupTree(network.plan, network.routing, members, number)
                : MakeReductionTree(network.plan, network.routing, members, number).group);
    }
    return trees;
}

/// Any groups and reductions of any dragonflies, tori and HyperX: each member reaches each other
/// once by the links of a tree, and all of them together have no cycle with unicast.
void
TestTreesOfPaths(FunctionCase& test)
{
    const TestSeeds seeds(400);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const PathNetwork drawn = DrawPathNetwork(random);
        const std::string what = "seed " + std::to_string(seed) + ", " + drawn.name + ": ";
        const std::vector<GroupTree> trees = DrawTrees(random, drawn.network, 1 + random() % 24);
        for (const GroupTree& tree : trees)
        {
            TreeWalk walk(drawn.network.plan, tree);
            const auto isThere = [](const TreePorts& ports) { return !ports.empty(); };
            const auto switches = std::count_if(tree.ports.begin(), tree.ports.end(), isThere);
            const uint32_t from = tree.members[random() % tree.members.size()];
            std::multiset<uint32_t> others(tree.members.begin(), tree.members.end());
            others.erase(from);
            test.Expect(walk.From(from) == others, Text(what, "from ", from));
            test.ExpectEqual(walk.Links(), switches - 1, what + "links of a tree");
            test.Expect(tree.VirtualChannels() <= VIRTUAL_CHANNELS, what + "channels");
        }
        const RouteReport report = Prove(drawn.network, trees);
        test.Expect(report.IsGood(), what + report.Describe());
        RouteDemands each; // no groups of a dragonfly that are alike
        each.oneHostPerSwitch = true;
        const RouteFunction route = MakeRouteFunction(drawn.network.routing);
        const RouteReport plain =
            CheckRoutes(drawn.network.plan, VIRTUAL_CHANNELS, route, each, trees);
        test.ExpectEqual(report.channels, plain.channels, what + "channels in use");
        test.ExpectEqual(report.dependencies, plain.dependencies, what + "dependencies");
    }
}

/// Trees go to their roots by shortest ways in grids, and by three links in a dragonfly.
void
TestTreesAreShort(FunctionCase& test)
{
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const auto [network, name] = DrawPathNetwork(random);
        const auto hosts = static_cast<uint32_t>(network.plan.hosts.size());
        const ReductionTree tree =
            MakeReductionTree(network.plan, network.routing, DrawSome(random, hosts, 2), seed);
        const PortMap ports(network.plan);
        const std::vector<uint32_t> distances = ports.GetDistances(tree.root);
        for (uint32_t sw = 0; sw < network.plan.switches.size(); ++sw)
        {
            uint32_t links = 0;
            for (uint32_t at = sw; tree.up[at].port != TreePort::NO_PORT; ++links)
            {
                at = ports.GetPeer(at, tree.up[at].port).index;
            }
            const bool isGrid = name.find("dragonfly") == std::string::npos;
            test.Expect(links == 0 || (isGrid ? links == distances[sw] : links <= 3),
                        Text("seed ", seed, ", ", name, ": from switch ", sw));
        }
    }
}

/// Groups take all of the links that are alike.
void
TestTreesShareLinks(FunctionCase& test)
{
    DragonflyConfig dragonfly;
    dragonfly.groups = 2;
    dragonfly.globalLinks = 8;
    dragonfly.localLinks = 2;
    for (const auto& [network, name] : {MakePathNetwork(dragonfly),
                                        MakePathNetwork(TorusConfig{{2, 4}, 1, TORUS_MINIMAL}),
                                        MakePathNetwork(HyperXConfig{{3, 3}, 1, {3}})})
    {
        const auto hosts = static_cast<uint32_t>(network.plan.hosts.size());
        std::vector<uint32_t> all(hosts);
        std::iota(all.begin(), all.end(), 0);
        std::set<std::pair<uint32_t, uint16_t>> used;
        for (uint32_t number = 0; number < 400; ++number)
        {
            const GroupTree tree = MakeGroupTree(network.plan, network.routing, all, number);
            for (uint32_t sw = 0; sw < tree.ports.size(); ++sw)
            {
                for (const TreePort& port : tree.ports[sw])
                {
                    used.insert({sw, port.port});
                }
            }
        }
        const uint64_t ends = 2 * network.plan.links.size() + hosts;
        test.ExpectEqual(used.size(), ends, name);
    }
}

/// A tree of each member at each root, all at once: nothing is left to luck.
void
TestAllRoots(FunctionCase& test)
{
    std::vector<PathNetwork> networks;
    for (const DragonflyMode mode : {DRAGONFLY_MINIMAL, DRAGONFLY_VALIANT, DRAGONFLY_UGAL})
    {
        DragonflyConfig config;
        config.mode = mode;
        networks.push_back(MakePathNetwork(config));
        config.groups = 3; // four links between two groups
        config.localLinks = 2;
        networks.push_back(MakePathNetwork(config));
    }
    for (const TorusMode mode : {TORUS_DIMENSION_ORDER, TORUS_MINIMAL, TORUS_ADAPTIVE})
    {
        for (const auto& widths : {std::vector<uint32_t>{5}, {2, 3}, {4, 5}, {3, 2, 4}})
        {
            networks.push_back(MakePathNetwork(TorusConfig{widths, 1, mode}));
        }
    }
    for (const HyperXMode mode :
         {HYPERX_DIMENSION_ORDER, HYPERX_BY_DIMENSION, HYPERX_MINIMAL, HYPERX_ADAPTIVE})
    {
        for (const auto& widths : {std::vector<uint32_t>{5}, {2, 3}, {4, 4}, {3, 2, 3, 2}})
        {
            networks.push_back(MakePathNetwork(HyperXConfig{widths, 1, {2}, mode}));
        }
    }
    for (const auto& [network, name] : networks)
    {
        std::vector<uint32_t> all(network.plan.hosts.size());
        std::iota(all.begin(), all.end(), 0);
        std::vector<GroupTree> trees;
        std::set<uint32_t> roots;
        for (uint32_t number = 0; number < 8 * all.size(); ++number)
        {
            trees.push_back(MakeReductionTree(network.plan, network.routing, all, number).group);
            roots.insert(*trees.back().root);
            trees.push_back(
                MakeReductionTree(network.plan, network.routing, {number % 3, all.back()}, number)
                    .group);
        }
        test.Expect(roots.size() > 1, name + ": roots");
        test.Expect(Prove(network, trees).IsGood(), name);
    }
}

/// What may be wrong with the trees of a rule.
struct TreeMistake
{
    std::function<void(TreeLink&)> link; ///< Changes a link; may be empty.
    bool keepsRoot{false};               ///< Whether the first root stays the root.
};

/// A rule that does as another one, but for its trees.
class WrongTrees : public PathRule
{
  public:
    WrongTrees(Routing right, TreeMistake mistake)
        : m_right(std::move(right)),
          m_mistake(std::move(mistake))
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
        m_right.Paths()->FindWays(dst, at, ways);
    }

    void DrawWays(LocationId dst, CameBy at, std::minstd_rand& random, Ways& ways) const override
    {
        m_right.Paths()->DrawWays(dst, at, random, ways);
    }

    std::optional<TreeLink> FindTreeLink(uint32_t root, uint32_t number) const override
    {
        std::optional<TreeLink> link = m_right.Paths()->FindTreeLink(root, number);
        if (link && m_mistake.link)
        {
            m_mistake.link(*link);
        }
        return link;
    }

    uint32_t RootOfTree(uint32_t root, const std::vector<uint32_t>& switches) const override
    {
        return m_mistake.keepsRoot ? root : m_right.Paths()->RootOfTree(root, switches);
    }

  private:
    Routing m_right;       ///< The rule.
    TreeMistake m_mistake; ///< What is wrong.
};

/// @return whether many trees of rules with a mistake have a cycle, which is named
bool
IsRefused(FunctionCase& test, const PathNetwork& right, const TreeMistake& mistake)
{
    GroupNetwork network{right.network.plan, {}};
    for (const Routing& routing : right.network.routing)
    {
        network.routing.emplace_back(std::make_shared<const WrongTrees>(routing, mistake));
    }
    std::minstd_rand random(1);
    const RouteReport report = Prove(network, DrawTrees(random, network, 60));
    if (!report.IsDeadlockFree())
    {
        const std::string told = report.DescribeCycle();
        test.Expect(report.cycle.size() >= 2 && told.find("frames that go from switch ") == 0 &&
                        told.find(" can wait each for the next in a circle") != told.npos,
                    told);
    }
    return !report.IsDeadlockFree();
}

/// Rules that would deadlock are refused, and the cycle is named.
void
TestWrongTrees(FunctionCase& test)
{
    DragonflyConfig dragonfly;
    TorusConfig torus{{4, 5}, 1, TORUS_ADAPTIVE};
    HyperXConfig hyperX{{3, 4}, 1, {1}, HYPERX_BY_DIMENSION};
    const TreeMistake onOne{[](TreeLink& link) { link.up = link.down = 0; }};
    const TreeMistake downAsUp{[](TreeLink& link) { link.down = link.up; }};
    const TreeMistake swapped{[](TreeLink& link) { std::swap(link.up, link.down); }};
    for (const bool adaptive : {true, false})
    {
        dragonfly.mode = adaptive ? DRAGONFLY_UGAL : DRAGONFLY_MINIMAL;
        torus.mode = adaptive ? TORUS_ADAPTIVE : TORUS_DIMENSION_ORDER;
        hyperX.mode = adaptive ? HYPERX_BY_DIMENSION : HYPERX_DIMENSION_ORDER;
        for (const PathNetwork& network :
             {MakePathNetwork(dragonfly), MakePathNetwork(torus), MakePathNetwork(hyperX)})
        {
            test.Expect(!IsRefused(test, network, {}), network.name + ": no mistake");
            test.Expect(IsRefused(test, network, onOne), network.name + ": one channel");
            test.Expect(IsRefused(test, network, downAsUp), network.name + ": one way");
        }
        test.Expect(IsRefused(test, MakePathNetwork(dragonfly), {{}, true}),
                    "any switch of the group is the root");
        test.Expect(IsRefused(test, MakePathNetwork(dragonfly), swapped), "down before up");
        test.Expect(IsRefused(test, MakePathNetwork(dragonfly), {[](TreeLink& link) {
                                  link.down = link.down == 3 ? 2 : link.down;
                              }}),
                    "the last links inside a group as those at the root");
        test.Expect(
            IsRefused(test, MakePathNetwork(torus), {[](TreeLink& link) { link.down = 3; }}),
            "no date line on the way down");
        test.Expect(IsRefused(test, MakePathNetwork(torus), {[](TreeLink& link) { link.up = 1; }}),
                    "no date line on the way up");
        test.Expect(
            IsRefused(test, MakePathNetwork(hyperX), {[](TreeLink& link) { link.down = 0; }}),
            "down on the channel of detours and up on the next");
    }
}

/// Trees that can't be.
void
TestTreeChecks(FunctionCase& test)
{
    const GroupNetwork network = MakePathNetwork(TorusConfig{{3, 3}, 1, TORUS_ADAPTIVE}).network;
    GroupTree tree = MakeGroupTree(network.plan, network.routing, {0, 4}, 0);
    const auto told = [&] { return Refusal([&] { Prove(network, {tree}); }); };
    test.ExpectSame(told(), "", "a good one");
    for (TreePorts& ports : tree.ports)
    {
        for (TreePort& port : ports)
        {
            port.vc += 2;
        }
    }
    test.Expect(told().find("virtual channels") != std::string::npos, told());
    tree = MakeGroupTree(network.plan, network.routing, {0, 4}, 0);
    tree.ports[*tree.root].pop_back();
    test.Expect(told().find("at one of its ends only") != std::string::npos, told());
}

} // namespace

/// Trees of groups where frames have virtual channels by hop.
class GroupPathTreeTestSuite : public TestSuite
{
  public:
    GroupPathTreeTestSuite()
        : TestSuite("fabric-group-path-tree", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("FC-16 SW-14 FC-13 trees of dragonflies, tori and HyperX have no cycle",
            TestTreesOfPaths);
        add("FC-16 SW-14 trees are short", TestTreesAreShort);
        add("FC-16 groups share links that are alike", TestTreesShareLinks);
        add("FC-16 SW-14 FC-13 nor have trees from all roots together", TestAllRoots);
        add("FC-16 FC-13 wrong channels of trees are refused", TestWrongTrees);
        add("FC-16 FC-13 trees that can't be are refused", TestTreeChecks);
    }
};

static GroupPathTreeTestSuite g_groupPathTreeTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
