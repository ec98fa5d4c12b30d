/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-graph-routing.h"

#include "fabric-channel-dependency.h"
#include "fabric-port-map.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-up-down-routing.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

/// @return a switch whose farthest switch is nearest
uint32_t
MiddleOf(const TopologyPlan& plan)
{
    const PortMap ports(plan);
    uint32_t middle = 0;
    uint32_t least = PortMap::UNREACHED;
    for (uint32_t sw = 0; sw < plan.switches.size(); ++sw)
    {
        const std::vector<uint32_t> distances = ports.GetDistances(sw);
        const uint32_t farthest = *std::max_element(distances.begin(), distances.end());
        if (farthest < least)
        {
            least = farthest;
            middle = sw;
        }
    }
    return middle;
}

} // namespace

std::vector<Routing>
MakeGraphRouting(const TopologyPlan& plan)
{
    RouteDemands demands;
    demands.oneHostPerSwitch = true;
    std::vector<Routing> routing = MakeShortestPathRouting(plan);
    if (!CheckRoutes(plan, routing, demands).IsGood())
    {
        routing = MakeUpDownRouting(plan, MiddleOf(plan));
        CheckRoutes(plan, routing, demands).RequireGood();
    }
    return routing;
}

} // namespace ns3::fabric
