/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"
#include "fabric-fat-tree.h"
#include "fabric-function-case.h"
#include "fabric-group-tree.h"
#include "fabric-refusal.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-tree-walk.h"

#include "ns3/test.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Random groups of fat trees of any shape: each member reaches each other once, up and then down,
/// and the proof agrees.
void
TestTreesOfFatTrees(FunctionCase& test)
{
    const TestSeeds seeds(40);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        FatTreeConfig config;
        config.levels = 2 + random() % 2;
        config.radix = 4 + random() % 5;
        config.oversubscription = DownUpRatio::Parse(random() % 2 == 0 ? "1:1" : "2:1");
        const FatTree fatTree(config);
        const TopologyPlan& plan = fatTree.GetPlan();
        const std::vector<Routing> routing(fatTree.GetRouting().begin(),
                                           fatTree.GetRouting().end());
        std::vector<GroupTree> trees;
        for (uint32_t number = 0; number < 5; ++number)
        {
            std::vector<uint32_t> members(plan.hosts.size());
            std::iota(members.begin(), members.end(), 0);
            std::shuffle(members.begin(), members.end(), random);
            members.resize(2 + random() % (members.size() - 1));
            trees.push_back(MakeGroupTree(plan, routing, members, number));
            const GroupTree& tree = trees.back();
            TreeWalk walk(plan, tree);
            for (const uint32_t from : tree.members)
            {
                std::multiset<uint32_t> others(tree.members.begin(), tree.members.end());
                others.erase(from);
                test.Expect(walk.From(from) == others, Text("seed ", seed, ", from ", from));
            }
            test.Expect(!walk.turnsUp, Text("seed ", seed, ": up, then down"));
        }
        RouteDemands demands;
        demands.oneHostPerSwitch = true;
        test.Expect(CheckRoutes(plan, routing, demands, trees).IsDeadlockFree(),
                    Text("seed ", seed, ": proof"));
    }
}

/// Groups have different trees.
void
TestTreesDiffer(FunctionCase& test)
{
    FatTreeConfig config;
    config.radix = 8;
    const FatTree fatTree(config);
    const std::vector<Routing> routing(fatTree.GetRouting().begin(), fatTree.GetRouting().end());
    std::set<std::vector<TreePorts>> trees;
    for (uint32_t number = 0; number < 64; ++number)
    {
        trees.insert(MakeGroupTree(fatTree.GetPlan(), routing, {0, 40, 100}, number).ports);
    }
    // There are 16 core switches, and 64 draws.
    test.Expect(trees.size() >= 12, Text(trees.size(), " trees of 16"));
}

/// A ring in which trees of different groups wait for each other.
void
TestTreesInACircle(FunctionCase& test)
{
    // Three switches in a circle, each with a host; routes go the short way.
    TopologyPlan plan;
    for (uint32_t i = 0; i < 3; ++i)
    {
        plan.switches.push_back({NO_GROUP, 3, Tier::EDGE});
        plan.hosts.push_back({i, 0});
        plan.links.push_back({i, (i + 1) % 3, 1, 2, LinkClass::LOCAL});
    }
    const auto routing = MakeShortestPathRouting(plan);
    std::vector<GroupTree> trees;
    const auto circle = [&] {
        return CheckRoutes(plan, routing, RouteDemands(), trees).cycle.size();
    };
    test.ExpectEqual(circle(), 0, "no switch sends on what comes from another");
    // Each tree has the two links of a switch: what comes by one leaves by the other.
    for (uint32_t i = 0; i < 3; ++i)
    {
        GroupTree tree;
        tree.members = {0, 1, 2};
        tree.ports.resize(3);
        tree.ports[i] = {{0}, {1}, {2}};
        tree.ports[(i + 1) % 3] = {{0}, {2}};
        tree.ports[(i + 2) % 3] = {{0}, {1}};
        trees.push_back(tree);
        test.ExpectEqual(circle(), i < 2 ? 0 : 3, Text(i + 1, " trees"));
    }
}

/// Members that are no group.
void
TestTreeRefusals(FunctionCase& test)
{
    const FatTree fatTree{FatTreeConfig()};
    const std::vector<Routing> routing(fatTree.GetRouting().begin(), fatTree.GetRouting().end());
    const auto refuses = [&](const std::vector<uint32_t>& members, const std::string& words) {
        const std::string told =
            Refusal([&] { MakeGroupTree(fatTree.GetPlan(), routing, members, 0); });
        test.Expect(told.find(words) == 0 && told.find("allowed") != told.npos, told);
    };
    refuses({}, "a group has 0 members");
    refuses({5}, "a group has 1 members");
    refuses({5, 6, 5}, "a group has the member 5 twice");
    refuses({5, 128}, "a group has the member 128; allowed are the hosts 0 to 127");
    const std::vector<Routing> none(fatTree.GetPlan().switches.size());
    const std::string told = Refusal([&] { MakeGroupTree(fatTree.GetPlan(), none, {0, 100}, 0); });
    test.Expect(told.find("has no route by destination alone") != told.npos, told);
}

} // namespace

/// Trees of groups.
class GroupTreeTestSuite : public TestSuite
{
  public:
    GroupTreeTestSuite()
        : TestSuite("fabric-group-tree", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("FC-16 FC-13 trees of fat trees reach each member once, up and then down",
            TestTreesOfFatTrees);
        add("FC-16 groups have different trees", TestTreesDiffer);
        add("FC-16 FC-13 trees that wait for each other are found", TestTreesInACircle);
        add("FC-16 members that are no group are refused", TestTreeRefusals);
    }
};

static GroupTreeTestSuite g_groupTreeTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
