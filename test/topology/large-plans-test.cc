/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"
#include "fabric-function-case.h"
#include "fabric-graph-routing.h"
#include "fabric-graph-wiring.h"
#include "fabric-plan-draft.h"
#include "fabric-port-map.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-up-down-routing.h"

#include "ns3/test.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return a connected plan of up to 200 switches: more than are looked for at a time. Hosts come
/// in any order, between links, and not to all switches
TopologyPlan
DrawLargePlan(std::mt19937& random)
{
    const uint32_t switches = 1 + random() % (random() % 4 == 0 ? 200 : 40);
    const uint32_t near = 1 + random() % switches; // 1 is a row, `switches` a tree of few links
    PlanDraft draft(switches);
    draft.Host(random() % switches);
    for (uint32_t sw = 1; sw < switches; ++sw)
    {
        draft.Link(sw, sw - 1 - random() % std::min(sw, near));
        if (random() % 2 == 0)
        {
            draft.Host(random() % switches);
        }
    }
    draft.LinkAtRandom(random);
    for (SwitchPlan& fabricSwitch : draft.plan.switches)
    {
        fabricSwitch.tier = random() % 3 == 0 ? Tier::CORE : Tier::EDGE;
        fabricSwitch.ports += random() % 2;
    }
    return draft.plan;
}

/// Whether a frame at a switch (first) may go to a neighbour of it (second).
using MayGo = std::function<bool(uint32_t, uint32_t)>;

/// @return tables with an entry for each host, port by port. @param towards gives who may go where
/// on the way to a switch
std::vector<Routing>
MakeSlowTables(const TopologyPlan& plan, const std::function<MayGo(uint32_t)>& towards)
{
    const PortMap ports(plan);
    std::vector<std::vector<PortRange>> tables(
        plan.switches.size(),
        std::vector<PortRange>(plan.hosts.size() + FIRST_UNICAST));
    for (uint32_t host = 0; host < plan.hosts.size(); ++host)
    {
        const MayGo mayGo = towards(plan.hosts[host].edgeSwitch);
        for (uint32_t sw = 0; sw < plan.switches.size(); ++sw)
        {
            std::vector<uint16_t> lead;
            for (uint16_t port = 0; port < ports.GetPorts(sw); ++port)
            {
                const PortPeer& peer = ports.GetPeer(sw, port);
                if (peer.kind == PeerKind::SWITCH && mayGo(sw, peer.index))
                {
                    lead.push_back(port);
                }
            }
            PortRange& range = tables[sw][LocationOf(host)];
            if (sw == plan.hosts[host].edgeSwitch)
            {
                range = {plan.hosts[host].port, 1};
            }
            else if (!lead.empty())
            {
                const bool areBeside = lead.back() - lead.front() + 1U == lead.size();
                range = {lead.front(), static_cast<uint16_t>(areBeside ? lead.size() : 1)};
            }
        }
    }
    return {tables.begin(), tables.end()};
}

/// @return tables of shortest paths
std::vector<Routing>
MakeSlowShortest(const TopologyPlan& plan)
{
    return MakeSlowTables(plan, [&plan](uint32_t target) -> MayGo {
        return [far = PortMap(plan).GetDistances(target)](uint32_t sw, uint32_t next) {
            return far[next] + 1 == far[sw];
        };
    });
}

/// @return tables up and then down
std::vector<Routing>
MakeSlowUpDown(const TopologyPlan& plan, uint32_t root)
{
    constexpr uint32_t never = 1'000'000;
    const std::vector<uint32_t> depth = PortMap(plan).GetDistances(root);
    const auto isAbove = [&depth](uint32_t a, uint32_t b) {
        return std::make_pair(depth[a], a) < std::make_pair(depth[b], b);
    };
    return MakeSlowTables(plan, [&](uint32_t target) -> MayGo {
        std::vector<uint32_t> down(plan.switches.size(), never);
        down[target] = 0;
        std::vector<uint32_t> way;
        const auto lower = [&](std::vector<uint32_t>& links, bool goesUp) {
            bool isChanged = false;
            for (const LinkPlan& link : plan.links)
            {
                for (const auto& [a, b] :
                     {std::pair(link.switchA, link.switchB), std::pair(link.switchB, link.switchA)})
                {
                    const bool mayGo = isAbove(b, a) == goesUp && (!goesUp || down[a] == never);
                    if (mayGo && links[b] + 1 < links[a])
                    {
                        links[a] = links[b] + 1;
                        isChanged = true;
                    }
                }
            }
            return isChanged;
        };
        while (lower(down, false))
        {
        }
        way = down;
        while (lower(way, true))
        {
        }
        return [=](uint32_t sw, uint32_t next) {
            const bool goesDown = down[sw] != never;
            return isAbove(next, sw) != goesDown &&
                   (goesDown ? down[next] : way[next]) + 1 == way[sw];
        };
    });
}

/// Compares all routes of two.
void
ExpectSameRoutes(FunctionCase& test,
                 const TopologyPlan& plan,
                 const std::vector<Routing>& routing,
                 const std::vector<Routing>& expected,
                 const std::string& what)
{
    test.ExpectEqual(routing.size(), expected.size(), what + ": switches");
    for (uint32_t sw = 0; sw < routing.size(); ++sw)
    {
        for (uint32_t dst = 0; dst < plan.hosts.size() + FIRST_UNICAST + 2; ++dst)
        {
            const auto location = static_cast<LocationId>(dst);
            const PortRange got = routing[sw].Route(location);
            const PortRange wanted = expected[sw].Route(location);
            test.Expect(got.count == wanted.count && (got.count == 0 || got.first == wanted.first),
                        Text(what,
                             ": switch ",
                             sw,
                             " to location ",
                             dst,
                             ": ports ",
                             got.first,
                             "+",
                             got.count,
                             " for ",
                             wanted.first,
                             "+",
                             wanted.count));
        }
    }
}

void
TestWideTables(FunctionCase& test)
{
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const TopologyPlan plan = DrawLargePlan(random);
        ExpectSameRoutes(test,
                         plan,
                         MakeShortestPathRouting(plan),
                         MakeSlowShortest(plan),
                         "seed " + std::to_string(seed) + ", shortest");
        const auto root = static_cast<uint32_t>(random() % plan.switches.size());
        ExpectSameRoutes(test,
                         plan,
                         MakeUpDownRouting(plan, root),
                         MakeSlowUpDown(plan, root),
                         "seed " + std::to_string(seed) + ", up and down from " +
                             std::to_string(root));
    }
}

/// @return the first switch whose farthest switch is nearest
uint32_t
FindSlowMiddle(const TopologyPlan& plan)
{
    const PortMap ports(plan);
    std::vector<uint32_t> farthest;
    for (uint32_t sw = 0; sw < plan.switches.size(); ++sw)
    {
        const std::vector<uint32_t> distances = ports.GetDistances(sw);
        farthest.push_back(*std::max_element(distances.begin(), distances.end()));
    }
    return std::min_element(farthest.begin(), farthest.end()) - farthest.begin();
}

void
TestUpDownMode(FunctionCase& test)
{
    uint32_t shortest = 0;
    uint32_t upDown = 0;
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const TopologyPlan plan = DrawLargePlan(random);
        std::vector<Routing> expected = MakeSlowShortest(plan);
        const bool isGood = CheckRoutes(plan, 1, MakeRouteFunction(expected)).IsGood();
        ++(isGood ? shortest : upDown);
        expected = isGood ? expected : MakeSlowUpDown(plan, FindSlowMiddle(plan));
        ExpectSameRoutes(test,
                         plan,
                         MakeGraphRouting(plan, GRAPH_UP_DOWN),
                         expected,
                         "seed " + std::to_string(seed) +
                             (isGood ? ", shortest" : ", up and down"));
    }
    test.Expect(!seeds.AreMany() || (shortest > 0 && upDown > 0),
                "both kinds of tables were drawn");
}

void
TestWideWiring(FunctionCase& test)
{
    const TestSeeds seeds(40);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const TopologyPlan plan = DrawLargePlan(random);
        const PortMap ports(plan);
        const auto switches = static_cast<uint32_t>(plan.switches.size());
        const auto root = static_cast<uint32_t>(random() % switches);
        const GraphWiring wiring(ports.GetLinks(), {{0, 0}}, root);
        for (uint32_t to = 0; to < switches; ++to)
        {
            const std::vector<uint32_t> distances = ports.GetDistances(to);
            for (uint32_t from = 0; from < switches; ++from)
            {
                test.ExpectEqual(uint32_t{wiring.Distance(from, to)},
                                 distances[from],
                                 Text("seed ", seed, ", from ", from, " to ", to));
            }
        }
        const std::vector<uint32_t> depths = ports.GetDistances(root);
        for (uint32_t sw = 0; sw < switches; ++sw)
        {
            uint32_t parent = root; // by the last link that leads nearer
            for (uint16_t port = 0; port < ports.GetPorts(sw); ++port)
            {
                const PortPeer& peer = ports.GetPeer(sw, port);
                const bool isNearer =
                    peer.kind == PeerKind::SWITCH && depths[peer.index] + 1 == depths[sw];
                parent = isNearer ? peer.index : parent;
            }
            if (sw != root)
            {
                test.ExpectEqual(wiring.NextInTree(sw, root),
                                 parent,
                                 Text("seed ", seed, ", above ", sw));
            }
        }
    }
}

/// @return routes of tables that are good, or have some entries changed
std::vector<Routing>
DrawRouting(const TopologyPlan& plan, std::mt19937& random)
{
    const uint32_t kind = random() % 3;
    std::vector<Routing> routing =
        kind == 0 ? MakeUpDownRouting(plan) : MakeShortestPathRouting(plan);
    if (kind < 2)
    {
        return routing;
    }
    std::vector<std::vector<PortRange>> tables(plan.switches.size());
    for (uint32_t sw = 0; sw < tables.size(); ++sw)
    {
        for (uint32_t dst = 0; dst < plan.hosts.size() + FIRST_UNICAST; ++dst)
        {
            tables[sw].push_back(routing[sw].Route(static_cast<LocationId>(dst)));
        }
    }
    for (uint32_t i = 1 + random() % 3; i > 0; --i)
    {
        std::vector<PortRange>& table = tables[random() % tables.size()];
        const auto port = static_cast<uint16_t>(random() % 6);
        table[random() % table.size()] = {port, static_cast<uint16_t>(random() % 4)};
    }
    return {tables.begin(), tables.end()};
}

void
TestProofOfTables(FunctionCase& test)
{
    uint32_t good = 0;
    uint32_t faults = 0;
    uint32_t cycles = 0;
    const TestSeeds seeds(150);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const TopologyPlan plan = DrawLargePlan(random);
        const std::vector<Routing> routing = DrawRouting(plan, random);
        RouteDemands demands;
        demands.oneHostPerSwitch = random() % 2 == 0;
        demands.shortest = random() % 3 == 0;
        demands.upDown = random() % 4 == 0;
        demands.mostDestinations = random() % 3 == 0 ? random() % 100 : MAX_HOSTS;
        // A function does not tell that it looks at destinations only.
        const RouteReport slow = CheckRoutes(plan, 1, MakeRouteFunction(routing), demands);
        const RouteReport report = CheckRoutes(plan, routing, demands);
        test.ExpectEqual(report.Describe(), slow.Describe(), Text("seed ", seed));
        good += slow.IsGood() ? 1 : 0;
        faults += slow.fault ? 1 : 0;
        cycles += slow.cycle.empty() ? 0 : 1;
    }
    test.Expect(!seeds.AreMany() || (good > 0 && faults > 0 && cycles > 0),
                Text("all were drawn: ", good, " good, ", faults, " faults, ", cycles, " cycles"));
}

/// A switch that sends frames between its own hosts away, where nobody else sends any.
void
TestProofOfOwnHosts(FunctionCase& test)
{
    PlanDraft draft(2);
    draft.Host(0);
    draft.Host(0);
    draft.Link(0, 1);
    const TopologyPlan& plan = draft.plan;
    const PortRange link{plan.links.front().portA, 1};
    const PortRange back{plan.links.front().portB, 1};
    std::vector<std::vector<PortRange>> tables(2);
    for (uint32_t dst = 0; dst < FIRST_UNICAST + 2; ++dst)
    {
        tables[0].push_back(dst == LocationOf(0) ? PortRange{plan.hosts[0].port, 1} : link);
        tables[1].push_back(back);
    }
    const std::vector<Routing> routing(tables.begin(), tables.end());
    const RouteReport slow = CheckRoutes(plan, 1, MakeRouteFunction(routing));
    test.ExpectEqual(slow.cycle.size(), 2U, "to and fro between both switches");
    test.ExpectEqual(CheckRoutes(plan, routing).Describe(), slow.Describe(), "as tables, too");
}

void
TestFewTargets(FunctionCase& test)
{
    std::mt19937 random(1);
    const TopologyPlan plan = DrawLargePlan(random);
    const std::vector<Routing> all = MakeShortestPathRouting(plan);
    const std::vector<Routing> few = MakeShortestPathRouting(plan, 2);
    std::vector<uint32_t> targets;
    for (uint32_t host = 0; host < plan.hosts.size(); ++host)
    {
        const uint32_t target = plan.hosts[host].edgeSwitch;
        if (std::find(targets.begin(), targets.end(), target) == targets.end())
        {
            targets.push_back(target);
        }
        const auto place = std::find(targets.begin(), targets.end(), target) - targets.begin();
        for (uint32_t sw = 0; sw < plan.switches.size(); ++sw)
        {
            const PortRange range = few[sw].Route(LocationOf(host));
            const uint16_t count = place < 2 ? all[sw].Route(LocationOf(host)).count : 0;
            test.ExpectEqual(range.count, count, Text("switch ", sw, " to host ", host));
        }
    }
    test.Expect(targets.size() > 2, "there are more");
}

/// Suite of what is made of large plans.
class LargePlansTestSuite : public FunctionSuite
{
  public:
    LargePlansTestSuite()
        : FunctionSuite("fabric-large-plans", kUnit)
    {
        Add("FC-13 tables of 64 switches at a time are those made port by port", TestWideTables);
        Add("FC-13 tables of a graph are shortest paths, or up and down from its middle",
            TestUpDownMode);
        Add("FC-13 distances and the spanning tree are those found switch by switch",
            TestWideWiring);
        Add("FC-13 a proof of tables finds what one frame by frame does, faults too",
            TestProofOfTables);
        Add("FC-13 a proof of tables looks at frames between hosts of one switch",
            TestProofOfOwnHosts);
        Add("FC-13 tables to the first switches with hosts have no others", TestFewTargets);
    }
};

LargePlansTestSuite g_largePlansTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
