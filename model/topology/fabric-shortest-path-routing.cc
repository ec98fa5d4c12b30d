/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-shortest-path-routing.h"

#include "fabric-routing-tables.h"

namespace ns3::fabric
{

std::vector<Routing>
MakeShortestPathRouting(const TopologyPlan& plan)
{
    const PortMap ports(plan);
    return MakeRoutingTables(plan, ports, [&ports](uint32_t target) {
        std::vector<uint32_t> distance = ports.GetDistances(target);
        RequireReached(distance, target);
        return [distance = std::move(distance)](uint32_t sw, uint32_t next) {
            return distance[next] + 1 == distance[sw];
        };
    });
}

} // namespace ns3::fabric
