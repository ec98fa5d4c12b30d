/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GRAPH_ROUTING_H
#define FABRIC_GRAPH_ROUTING_H

#include "fabric-routing.h"
#include "fabric-topology.h"

#include <vector>

namespace ns3::fabric
{

/**
 * Routing tables without deadlock for any connected topology (FC-13): shortest paths where their
 * channel dependency graph has no cycle, as in trees, else up*, then down* from a switch in the
 * middle, which is one whose farthest switch is nearest.
 *
 * @return the routing of each switch, in the plan's order; it has passed CheckRoutes()
 * @throws std::invalid_argument if the plan is not sound (PortMap) or a switch can't reach a host
 */
std::vector<Routing> MakeGraphRouting(const TopologyPlan& plan);

} // namespace ns3::fabric

#endif // FABRIC_GRAPH_ROUTING_H
