/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-channel-dependency.h"
#include "fabric-fat-tree.h"
#include "fabric-function-case.h"
#include "fabric-port-map.h"
#include "fabric-refusal.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-compat.h"

#include "ns3/test.h"

#include <algorithm>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/**
 * @param routing of each switch; must stay
 * @return the same for the checker
 */
RouteFunction
ToRouteFunction(const std::vector<Routing>& routing)
{
    return
        [&routing](uint32_t sw, uint16_t, uint8_t vc, LocationId dst, std::vector<RouteHop>& hops) {
            const PortRange range = routing[sw].Route(dst);
            for (uint16_t i = 0; i < range.count; ++i)
            {
                hops.push_back({static_cast<uint16_t>(range.first + i), vc});
            }
        };
}

void
TestChainPlan(FunctionCase& test)
{
    const TopologyPlan plan = MakeChainPlan(ParseChainSources("3,3,3,2"));
    test.ExpectEqual(plan.switches.size(), 4, "switches");
    test.ExpectEqual(plan.links.size(), 3, "links");
    test.ExpectEqual(plan.hosts.size(), 12, "hosts");
    const uint32_t places[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3};
    for (uint32_t host = 0; host < 12; ++host)
    {
        test.ExpectEqual(plan.hosts[host].edgeSwitch, places[host], Text("host ", host));
        test.ExpectEqual(plan.hosts[host].port, host % 3, Text("host ", host));
    }
    const uint16_t ports[] = {4, 5, 5, 4};
    for (uint32_t sw = 0; sw < 4; ++sw)
    {
        test.ExpectEqual(plan.switches[sw].ports, ports[sw], Text("switch ", sw));
    }
    const PortMap map(plan); // throws if the plan is not sound
    test.ExpectEqual(map.GetPeer(1, 3).index, 0, "first the link to the switch before");
    test.ExpectEqual(map.GetPeer(1, 4).index, 2, "then the link to the one after");
    for (uint32_t port = 0; port < map.GetPorts(); ++port)
    {
        test.Expect(map.GetPeer(port).kind != PeerKind::NONE, Text("port ", port));
    }

    test.ExpectEqual(MakeChainPlan({1}).switches[0].ports, 2, "one switch of two hosts");
    test.ExpectEqual(MakeChainPlan({1, 0, 0}).hosts.size(), 2, "switches without hosts that send");
}

/// Chains that can't be.
void
TestChainError(FunctionCase& test)
{
    for (const char* text : {"", "3,", ",3", "3,,3", "3,x", "-1", "3.5", "3 3", "1234567890"})
    {
        const std::string sentence = Refusal([text] { ParseChainSources(text); });
        test.Expect(sentence.find(std::string("'").append(text).append("'")) != std::string::npos,
                    Text(text));
    }
    test.Expect(ParseChainSources("12,0,7") == ChainSources{12, 0, 7}, "a good one");
    test.Expect((Refusal([] { MakeChainPlan({}); })) != "", "no switches");
    test.Expect((Refusal([] { MakeChainPlan({0, 3}); })) != "", "no host on the first");
    test.Expect((Refusal([] { MakeChainPlan({30'000, 30'000}); })) != "", "too many");
    test.Expect((Refusal([] {
                    MakeChainPlan({0xFFFFFFFF, 1, 0xFFFFFFFF});
                })) != "",
                "far too many");
    test.ExpectEqual(Refusal([] { MakeChainPlan({MAX_HOSTS - 1}); }), "", "just as many");
}

/// Every route, followed by all choices.
void
CheckPlan(FunctionCase& test, const TopologyPlan& plan, bool isTree)
{
    const std::vector<Routing> routing = MakeShortestPathRouting(plan);
    RouteDemands demands;
    demands.shortest = true;
    const RouteReport report = CheckRoutes(plan, 1, ToRouteFunction(routing), demands);
    test.Expect(!report.fault.has_value(), Text(report.Describe()));
    if (isTree)
    {
        test.Expect(report.IsDeadlockFree(), Text(report.Describe()));
    }
}

/// A fat tree has the same routes as by its own rule: all its choices are consecutive ports.
void
CheckTrees(FunctionCase& test)
{
    for (uint32_t levels = 2; levels <= 3; ++levels)
    {
        for (uint32_t radix = 2; radix <= 8; ++radix)
        {
            const FatTree tree(FatTreeConfig{levels, radix, {1, 1}, 0});
            CheckPlan(test, tree.GetPlan(), true);
            const std::vector<Routing> routing = MakeShortestPathRouting(tree.GetPlan());
            for (uint32_t sw = 0; sw < routing.size(); ++sw)
            {
                for (uint32_t host = 0; host < tree.GetPlan().hosts.size(); ++host)
                {
                    const PortRange a = routing[sw].Route(LocationOf(host));
                    const PortRange b = tree.GetRouting()[sw].Route(LocationOf(host));
                    test.Expect(a.first == b.first && a.count == b.count,
                                Text("radix ", radix, " switch ", sw, " host ", host));
                }
            }
        }
    }
}

/// Two ways to the same switch, by ports next to each other or not.
void
CheckChoice(FunctionCase& test)
{
    TopologyPlan plan;
    plan.switches = {{0, 4, Tier::EDGE}, {0, 3, Tier::EDGE}};
    plan.links = {{0, 1, 1, 1, LinkClass::FABRIC}, {0, 1, 2, 2, LinkClass::FABRIC}};
    plan.hosts = {{0, 0}, {1, 0}};
    PortRange range = MakeShortestPathRouting(plan)[0].Route(LocationOf(1));
    test.Expect(range.first == 1 && range.count == 2, "ports 1 and 2");
    plan.links[1].portA = 3;
    range = MakeShortestPathRouting(plan)[0].Route(LocationOf(1));
    test.Expect(range.first == 1 && range.count == 1, "port 1 of 1 and 3");
}

/// What can't be routed.
void
CheckErrors(FunctionCase& test)
{
    TopologyPlan plan = MakeChainPlan({1, 1});
    plan.links.clear();
    const std::string sentence = Refusal([&plan] { MakeShortestPathRouting(plan); });
    test.Expect(sentence.find("no path from switch 1 to switch 0") != std::string::npos,
                Text(sentence));
    plan.hosts[1].port = 9;
    test.Expect((Refusal([&plan] { MakeShortestPathRouting(plan); })) != "", "no such port");
}

/// A random connected graph.
void
CheckGraph(FunctionCase& test, uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto switches = static_cast<uint32_t>(2 + random() % 15);
    TopologyPlan plan;
    plan.switches.assign(switches, {NO_GROUP, 0, Tier::EDGE});
    const auto port = [&plan](uint32_t sw) { return plan.switches[sw].ports++; };
    const auto link = [&](uint32_t a, uint32_t b) {
        const uint16_t portA = port(a);
        plan.links.push_back({a, b, portA, port(b), LinkClass::FABRIC});
    };
    for (uint32_t sw = 0; sw < switches; ++sw)
    {
        if (sw > 0)
        {
            link(sw, static_cast<uint32_t>(random() % sw));
        }
        plan.hosts.push_back({sw, port(sw)});
    }
    for (uint32_t i = 0; i < switches; ++i)
    {
        const auto a = static_cast<uint32_t>(random() % switches);
        link(a, (a + 1 + static_cast<uint32_t>(random() % (switches - 1))) % switches);
    }
    CheckPlan(test, plan, false);
}

/// Routing of chains, trees and other graphs.
void
TestShortestPath(FunctionCase& test)
{
    for (const ChainSources& sources : {ChainSources{1}, {2, 2}, {3, 3, 3, 2}, {1, 0, 0, 5}})
    {
        CheckPlan(test, MakeChainPlan(sources), true);
    }
    CheckTrees(test);
    CheckChoice(test);
    CheckErrors(test);
    for (uint64_t seed = 1; seed <= 30; ++seed)
    {
        CheckGraph(test, seed);
    }
}

/// Suite of chains and of routing by shortest paths.
class FabricChainTestSuite : public FunctionSuite
{
  public:
    FabricChainTestSuite()
        : FunctionSuite("fabric-chain", kUnit)
    {
        Add("FC-18 a chain of 3,3,3,2 has eleven hosts that send, and the destination last",
            TestChainPlan);
        Add("FC-18 numbers of which no chain can be made are refused in a sentence",
            TestChainError);
        Add("FC-13 routing by shortest paths is complete, shortest, and free of deadlock in trees",
            TestShortestPath);
    }
};

FabricChainTestSuite g_fabricChainTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
