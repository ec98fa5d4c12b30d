/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-grid-plan.h"

#include <string>

namespace ns3::fabric
{

SwitchGrid
MakeGrid(const ShapeCheck& check, uint32_t hostsPerSwitch, const std::vector<uint32_t>& widths)
{
    check.RequireRange("hosts per switch", hostsPerSwitch, 1, MAX_PORTS);
    check.RequireRange("dimensions",
                       static_cast<uint32_t>(widths.size()),
                       1,
                       SwitchGrid::MOST_DIMENSIONS);
    uint64_t hosts = hostsPerSwitch;
    for (const uint32_t width : widths)
    {
        check.RequireRange("switches in a dimension", width, 2, MAX_HOSTS);
        hosts *= width;
        check.RequireHosts(hosts);
    }
    return SwitchGrid(hostsPerSwitch, widths);
}

TopologyPlan
MakeGridPlan(const SwitchGrid& grid, uint32_t ports)
{
    TopologyPlan plan;
    plan.switches.reserve(grid.Switches());
    plan.hosts.reserve(grid.Hosts());
    for (uint32_t number = 0; number < grid.Switches(); ++number)
    {
        plan.switches.push_back({NO_GROUP, static_cast<uint16_t>(ports), Tier::EDGE});
        for (uint32_t port = 0; port < grid.HostsPerSwitch(); ++port)
        {
            plan.hosts.push_back({number, static_cast<uint16_t>(port)});
        }
    }
    return plan;
}

} // namespace ns3::fabric
