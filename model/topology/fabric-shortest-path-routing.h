/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SHORTEST_PATH_ROUTING_H
#define FABRIC_SHORTEST_PATH_ROUTING_H

#include "fabric-routing.h"
#include "fabric-topology.h"

#include <vector>

namespace ns3::fabric
{

/**
 * Routing tables by shortest paths, counted in links, for any connected topology (FC-13).
 *
 * A switch may use all ports that begin a shortest path if their numbers are consecutive, so that a
 * PortRange names them; else it uses the lowest of them alone. Nothing is said about deadlock: a
 * graph with cycles may have one, which CheckRoutes() finds.
 *
 * @return the routing of each switch, in the plan's order: 4 bytes per switch and host
 * @throws std::invalid_argument if the plan is not sound (PortMap) or a switch cannot reach a host
 */
std::vector<Routing> MakeShortestPathRouting(const TopologyPlan& plan);

} // namespace ns3::fabric

#endif // FABRIC_SHORTEST_PATH_ROUTING_H
