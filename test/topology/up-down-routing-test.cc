/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"
#include "fabric-function-case.h"
#include "fabric-plan-draft.h"
#include "fabric-port-map.h"
#include "fabric-refusal.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-up-down-routing.h"

#include "ns3/test.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A ring of four switches with two hosts each, as that of the manual.
TopologyPlan
MakeRingOfFour()
{
    TopologyPlan plan;
    for (uint32_t sw = 0; sw < 4; ++sw)
    {
        plan.switches.push_back({NO_GROUP, 4, Tier::EDGE});
        plan.links.push_back({sw, (sw + 1) % 4, 0, 1, LinkClass::FABRIC});
        plan.hosts.push_back({sw, 2});
        plan.hosts.push_back({sw, 3});
    }
    return plan;
}

/// @return a connected topology of 1 to 7 switches, with links in parallel now and then
TopologyPlan
DrawPlan(std::mt19937& random)
{
    const uint32_t switches = 1 + random() % 7;
    PlanDraft draft(switches);
    draft.Host(random() % switches);
    for (uint32_t sw = 1; sw < switches; ++sw)
    {
        draft.Link(sw, random() % sw);
    }
    draft.LinkAtRandom(random);
    return draft.plan;
}

/// The rule by its definition, slowly.
class Model
{
  public:
    Model(const TopologyPlan& plan, uint32_t root)
        : m_plan(plan),
          m_ports(plan),
          m_depth(m_ports.GetDistances(root))
    {
    }

    /// @return whether switch a is above switch b
    bool IsAbove(uint32_t a, uint32_t b) const
    {
        return std::make_pair(m_depth[a], a) < std::make_pair(m_depth[b], b);
    }

    /// @return links from a switch to another by the rule
    uint32_t Length(uint32_t from, uint32_t to) const
    {
        const uint32_t down = Shortest(from, to, false);
        return down < NEVER ? down : Shortest(from, to, true);
    }

    /// Walks by every choice of the tables.
    void Walk(FunctionCase& test, const std::vector<Routing>& routing, uint32_t from, uint32_t host)
    {
        m_goneDown = false;
        Step(test, routing, from, host, Length(from, m_plan.hosts[host].edgeSwitch));
    }

  private:
    static constexpr uint32_t NEVER = 1000; ///< Longer than any way.

    /// @return the least over neighbours above, or below, of a link and the way from there
    uint32_t Shortest(uint32_t from, uint32_t to, bool up) const
    {
        if (from == to)
        {
            return 0;
        }
        uint32_t best = NEVER;
        for (const LinkPlan& link : m_plan.links)
        {
            for (const auto& [a, b] :
                 {std::pair(link.switchA, link.switchB), std::pair(link.switchB, link.switchA)})
            {
                if (a == from && IsAbove(b, a) == up)
                {
                    best = std::min(best, 1 + (up ? Length(b, to) : Shortest(b, to, false)));
                }
            }
        }
        return best;
    }

    void Step(FunctionCase& test,
              const std::vector<Routing>& routing,
              uint32_t sw,
              uint32_t host,
              uint32_t left)
    {
        const PortRange range = routing[sw].Route(LocationOf(host));
        test.Expect(range.count > 0, Text("no way from switch ", sw, " to host ", host));
        for (uint16_t i = 0; i < range.count; ++i)
        {
            const PortPeer& peer = m_ports.GetPeer(sw, range.first + i);
            if (peer.kind != PeerKind::SWITCH)
            {
                test.ExpectEqual(peer.index, host, "another host");
                test.ExpectEqual(left, 0, "another length");
                continue;
            }
            if (left == 0)
            {
                test.Expect(false, Text("longer than by the rule, to host ", host));
                continue;
            }
            const bool before = m_goneDown;
            const bool goesUp = IsAbove(peer.index, sw);
            test.Expect(!(before && goesUp), "up after down");
            m_goneDown |= !goesUp;
            Step(test, routing, peer.index, host, left - 1);
            m_goneDown = before;
        }
    }

    const TopologyPlan& m_plan;    ///< The topology.
    PortMap m_ports;               ///< Its ports.
    std::vector<uint32_t> m_depth; ///< Links to the root.
    bool m_goneDown{false};        ///< On the way so far.
};

void
TestRandomTopologies(FunctionCase& test)
{
    const TestSeeds seeds(300);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const TopologyPlan plan = DrawPlan(random);
        const uint32_t root = random() % plan.switches.size();
        const std::vector<Routing> routing = MakeUpDownRouting(plan, root);
        const RouteReport report = CheckRoutes(plan, routing);
        test.Expect(report.IsGood(), Text("seed ", seed, ": ", report.Describe()));
        Model model(plan, root);
        for (uint32_t host = 0; host < plan.hosts.size(); ++host)
        {
            for (uint32_t sw = 0; sw < plan.switches.size(); ++sw)
            {
                model.Walk(test, routing, sw, host);
            }
        }
    }
}

void
TestRingOfFour(FunctionCase& test)
{
    const TopologyPlan ring = MakeRingOfFour();
    const RouteReport shortest = CheckRoutes(ring, MakeShortestPathRouting(ring));
    test.ExpectEqual(shortest.cycle.size(), 4, Text(shortest.Describe()));
    const std::vector<Routing> routing = MakeUpDownRouting(ring);
    RouteDemands demands;
    demands.shortest = true;
    const RouteReport report = CheckRoutes(ring, routing, demands);
    test.Expect(report.IsGood(), Text("no longer than without the rule: ", report.Describe()));
    test.ExpectEqual(routing[0].Route(LocationOf(4)).count, 2, "both ways around");
    test.ExpectEqual(routing[1].Route(LocationOf(6)).count, 1, "not through switch 2");
    test.ExpectEqual(routing[1].Route(LocationOf(6)).first, 1, "by way of the root");
}

void
TestUpDownRefusals(FunctionCase& test)
{
    TopologyPlan plan = MakeRingOfFour();
    test.ExpectEqual(Refusal([&] { MakeUpDownRouting(plan, 4); }),
                     "topology: there is no switch 4 to be the root; allowed is a number below 4",
                     "root");
    plan.switches.push_back({NO_GROUP, 1, Tier::EDGE});
    test.ExpectEqual(
        Refusal([&] { MakeUpDownRouting(plan); }),
        "topology: there is no path from switch 4 to switch 0; all switches must reach "
        "all hosts",
        "parts");
}

/// All of the above.
class UpDownRoutingTestSuite : public FunctionSuite
{
  public:
    UpDownRoutingTestSuite()
        : FunctionSuite("fabric-up-down-routing", kUnit)
    {
        Add("FC-13 up-down routing: random topologies are complete, free of deadlock, by the rule",
            TestRandomTopologies);
        Add("FC-13 up-down routing: a ring of four keeps its shortest paths", TestRingOfFour);
        Add("FC-13 up-down routing: bad roots and parts without a link are refused",
            TestUpDownRefusals);
    }
};

UpDownRoutingTestSuite g_upDownRoutingTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
