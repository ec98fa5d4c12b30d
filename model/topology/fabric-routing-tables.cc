/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-routing-tables.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

RoutingTables::RoutingTables(const TopologyPlan& plan, const PortMap& ports, uint32_t mostTargets)
    : m_links(ports.GetLinks()),
      m_edges(plan.switches.size(), HostPlaces::NO_EDGE),
      m_hosts(std::make_shared<HostPlaces>())
{
    for (const HostPlan& host : plan.hosts)
    {
        uint16_t& edge = m_edges[host.edgeSwitch];
        if (edge == HostPlaces::NO_EDGE && m_targets.size() < mostTargets)
        {
            edge = static_cast<uint16_t>(m_targets.size());
            m_targets.push_back(host.edgeSwitch);
        }
    }
    const auto none = static_cast<uint16_t>(m_targets.size());
    m_hosts->places.assign(FIRST_UNICAST, {none, 0});
    for (const HostPlan& host : plan.hosts)
    {
        m_hosts->places.push_back({std::min(m_edges[host.edgeSwitch], none), host.port});
    }
    m_tables.assign(plan.switches.size(), std::vector<PortRange>(m_targets.size() + 1));
}

uint32_t
RoutingTables::CountFrom(uint32_t first) const
{
    return std::min(WideSearch::WIDTH, static_cast<uint32_t>(m_targets.size()) - first);
}

void
RoutingTables::Start(WideSearch& search, uint32_t first) const
{
    search.Start(CountFrom(first), [this, first](uint32_t i) { return m_targets[first + i]; });
}

std::vector<Routing>
RoutingTables::Take()
{
    std::vector<Routing> routing;
    routing.reserve(m_tables.size());
    for (uint32_t sw = 0; sw < m_tables.size(); ++sw)
    {
        routing.emplace_back(std::move(m_tables[sw]), m_hosts, m_edges[sw]);
    }
    return routing;
}

void
RequireReached(const std::vector<uint32_t>& distance, uint32_t target)
{
    for (uint32_t sw = 0; sw < distance.size(); ++sw)
    {
        if (distance[sw] == PortMap::UNREACHED)
        {
            throw std::invalid_argument(
                "topology: there is no path from switch " + std::to_string(sw) + " to switch " +
                std::to_string(target) + "; all switches must reach all hosts");
        }
    }
}

} // namespace ns3::fabric
