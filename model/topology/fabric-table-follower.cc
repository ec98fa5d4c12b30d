/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-table-follower.h"

#include <algorithm>

namespace ns3::fabric
{

TableFollower::TableFollower(const TopologyPlan& plan,
                             const PortMap& ports,
                             const std::vector<Routing>& tables,
                             const RouteDemands& demands,
                             DependencyGraph& graph)
    : m_plan(plan),
      m_ports(ports),
      m_tables(tables),
      m_demands(plan, ports, demands),
      m_graph(graph),
      m_hostsAt(plan.switches.size())
{
    for (const HostPlan& host : plan.hosts)
    {
        if (++m_hostsAt[host.edgeSwitch] == 1)
        {
            m_sources.push_back(host.edgeSwitch);
        }
    }
}

bool
TableFollower::Follow(const std::vector<uint32_t>& destinations)
{
    constexpr std::size_t together = 16; // entries of a cache line
    const std::size_t switches = m_plan.switches.size();
    std::vector<PortRange> ranges(together * switches);
    for (std::size_t first = 0; first < destinations.size(); first += together)
    {
        const std::size_t count = std::min(together, destinations.size() - first);
        for (std::size_t sw = 0; sw < switches; ++sw)
        {
            for (std::size_t i = 0; i < count; ++i)
            {
                ranges[i * switches + sw] = m_tables[sw].Route(LocationOf(destinations[first + i]));
            }
        }
        for (std::size_t i = 0; i < count; ++i)
        {
            if (!Follow(destinations[first + i], &ranges[i * switches]))
            {
                return false;
            }
        }
    }
    return true;
}

bool
TableFollower::Follow(uint32_t dst, PortRange* ranges)
{
    m_demands.AimAt(m_plan.hosts[dst].edgeSwitch);
    m_got.assign(m_plan.switches.size(), false);
    m_visited.clear();
    for (const uint32_t sw : m_sources)
    {
        if (m_hostsAt[sw] > 1 || sw != m_plan.hosts[dst].edgeSwitch)
        {
            m_got[sw] = true;
            m_visited.push_back(sw);
        }
    }
    for (std::size_t i = 0; i < m_visited.size(); ++i) // grows while it is gone through
    {
        if (!Visit(m_visited[i], dst, ranges[m_visited[i]]))
        {
            return false;
        }
    }
    for (const uint32_t sw : m_visited)
    {
        for (uint32_t n = 0; n < ranges[sw].count; ++n)
        {
            const auto port = static_cast<uint16_t>(ranges[sw].first + n);
            const uint32_t next = m_ports.GetPeer(sw, port).index;
            if (!AllowsTurns(sw, next, ranges[next]))
            {
                return false;
            }
            m_graph.AddRange(m_ports.GetIndex(sw, port), ranges[next]);
        }
    }
    return true;
}

bool
TableFollower::Visit(uint32_t sw, uint32_t dst, PortRange& range)
{
    if (range.count == 0 || uint32_t{range.first} + range.count > m_ports.GetPorts(sw))
    {
        return false;
    }
    const PortPeer* peers = &m_ports.GetPeer(sw, range.first);
    if (range.count == 1 && peers->kind == PeerKind::HOST && peers->index == dst)
    {
        range.count = 0;
        return true;
    }
    for (uint32_t n = 0; n < range.count; ++n)
    {
        const uint32_t next = peers[n].index;
        if (peers[n].kind != PeerKind::SWITCH || !m_demands.AllowHop(sw, next))
        {
            return false;
        }
        if (!m_got[next])
        {
            m_got[next] = true;
            m_visited.push_back(next);
        }
    }
    return true;
}

bool
TableFollower::AllowsTurns(uint32_t last, uint32_t sw, PortRange range) const
{
    for (uint32_t n = 0; m_demands.LimitTurns() && n < range.count; ++n)
    {
        const auto port = static_cast<uint16_t>(range.first + n);
        if (!m_demands.AllowTurn(last, sw, m_ports.GetPeer(sw, port).index))
        {
            return false;
        }
    }
    return true;
}

} // namespace ns3::fabric
