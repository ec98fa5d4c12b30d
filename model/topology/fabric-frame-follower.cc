/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-frame-follower.h"

namespace ns3::fabric
{

FrameFollower::FrameFollower(const TopologyPlan& plan,
                             const PortMap& ports,
                             uint32_t virtualChannels,
                             const RouteFunction& route,
                             const RouteDemands& demands,
                             DependencyGraph& graph)
    : m_plan(plan),
      m_ports(ports),
      m_virtualChannels(virtualChannels),
      m_route(route),
      m_demands(demands),
      m_hopDemands(plan, ports, demands),
      m_graph(graph),
      m_reachedFor(graph.GetChannels(), DependencyGraph::NONE)
{
}

void
FrameFollower::Follow(uint32_t dst)
{
    m_hopDemands.AimAt(m_plan.hosts[dst].edgeSwitch);
    for (uint32_t src = 0; src < m_plan.hosts.size(); ++src)
    {
        if (src != dst && !IsAlike(src, dst))
        {
            m_pending.push_back(
                {m_plan.hosts[src].edgeSwitch, DependencyGraph::NONE, m_plan.hosts[src].port, 0});
        }
    }
    while (!m_pending.empty())
    {
        const auto at = m_pending.back();
        m_pending.pop_back();
        m_hops.clear();
        m_route(at.sw, at.inputPort, at.vc, LocationOf(dst), m_hops);
        if (m_hops.empty())
        {
            Note(RouteFault::NO_ROUTE, at, dst);
        }
        for (const auto& hop : m_hops)
        {
            Take(at, hop, dst);
        }
    }
}

bool
FrameFollower::IsAlike(uint32_t src, uint32_t dst) const
{
    const uint32_t sw = m_plan.hosts[src].edgeSwitch;
    return m_demands.oneHostPerSwitch && src != 0 && m_plan.hosts[src - 1].edgeSwitch == sw &&
           m_plan.hosts[dst].edgeSwitch != sw;
}

void
FrameFollower::Take(const Arrival& at, RouteHop hop, uint32_t dst)
{
    if (hop.port >= m_ports.GetPorts(at.sw) || hop.vc >= m_virtualChannels)
    {
        Note(RouteFault::BAD_OUTPUT, at, dst);
        return;
    }
    const auto& peer = m_ports.GetPeer(at.sw, hop.port);
    if (peer.kind != PeerKind::SWITCH)
    {
        if (peer.kind == PeerKind::NONE)
        {
            Note(RouteFault::BAD_OUTPUT, at, dst);
        }
        else if (peer.index != dst)
        {
            Note(RouteFault::WRONG_HOST, at, dst);
        }
        return;
    }
    CheckDemands(at, peer.index, dst);
    const auto channel = m_graph.GetNumber(at.sw, hop);
    m_graph.Add(at.held, channel);
    if (m_reachedFor[channel] != dst)
    {
        m_reachedFor[channel] = dst;
        m_pending.push_back({peer.index, channel, peer.port, hop.vc});
    }
}

void
FrameFollower::CheckDemands(const Arrival& at, uint32_t next, uint32_t dst)
{
    if (!m_hopDemands.AllowHop(at.sw, next))
    {
        Note(RouteFault::DETOUR, at, dst);
    }
    if (at.held != DependencyGraph::NONE &&
        !m_hopDemands.AllowTurn(m_ports.GetPeer(at.sw, at.inputPort).index, at.sw, next))
    {
        Note(RouteFault::DOWN_THEN_UP, at, dst);
    }
}

void
FrameFollower::Note(RouteFault fault, const Arrival& at, uint32_t dst)
{
    if (!m_fault)
    {
        m_fault = {fault, at.sw, at.inputPort, at.vc, LocationOf(dst)};
    }
}

} // namespace ns3::fabric
