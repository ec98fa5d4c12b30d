/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-tree-planner.h"

#include "fabric-channel-dependency.h"
#include "fabric-upward-links.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3::fabric
{

TreePlanner::TreePlanner(TopologyPlan plan, std::vector<Routing> routing)
    : m_plan(std::move(plan)),
      m_routing(std::move(routing)),
      m_ports(m_plan),
      m_hasTurns(std::none_of(m_routing.begin(), m_routing.end(), [](const Routing& r) {
          return r.Paths();
      }))
{
}

void
TreePlanner::FindLinks()
{
    if (m_isFound || !m_hasTurns)
    {
        return;
    }
    m_isFound = true;
    m_turns = FindTurns(m_plan, m_routing);
    std::vector<uint32_t> hosts(m_plan.hosts.size());
    std::iota(hosts.begin(), hosts.end(), 0);
    m_up = FindUpwardLinks(m_ports,
                           static_cast<uint32_t>(m_plan.switches.size()),
                           m_turns,
                           SwitchesOf(m_plan, hosts));
}

const UpwardLinks*
TreePlanner::LinksFor(const std::vector<uint32_t>& members, const std::vector<GroupTree>& others)
{
    FindLinks();
    const auto isHost = [this](uint32_t member) { return member < m_plan.hosts.size(); };
    if (!m_hasTurns || m_up || !std::all_of(members.begin(), members.end(), isHost))
    {
        return m_up ? &*m_up : nullptr;
    }
    std::vector<RouteTurn> turns = m_turns;
    for (const GroupTree& other : others)
    {
        const std::vector<RouteTurn> more = TurnsOf(m_ports, other);
        turns.insert(turns.end(), more.begin(), more.end());
    }
    m_own = FindUpwardLinks(m_ports,
                            static_cast<uint32_t>(m_plan.switches.size()),
                            turns,
                            SwitchesOf(m_plan, members));
    return m_own ? &*m_own : nullptr;
}

GroupTree
TreePlanner::MakeGroup(const std::vector<uint32_t>& members,
                       uint32_t number,
                       const std::vector<GroupTree>& others)
{
    return MakeGroupTree(m_plan, m_routing, members, number, 2, LinksFor(members, others));
}

ReductionTree
TreePlanner::MakeReduction(const std::vector<uint32_t>& members,
                           uint32_t number,
                           const std::vector<GroupTree>& others)
{
    return MakeReductionTree(m_plan, m_routing, members, number, LinksFor(members, others));
}

std::string
TreePlanner::FindCircle(const std::vector<GroupTree>& trees)
{
    FindLinks();
    RouteDemands demands;
    demands.oneHostPerSwitch = true;
    const RouteReport report = m_hasTurns ? CheckTurns(m_plan, m_turns, trees)
                                          : CheckRoutes(m_plan, m_routing, demands, trees);
    return report.IsDeadlockFree() ? "" : report.DescribeCycle();
}

} // namespace ns3::fabric
