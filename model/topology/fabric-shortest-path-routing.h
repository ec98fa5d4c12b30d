/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SHORTEST_PATH_ROUTING_H
#define FABRIC_SHORTEST_PATH_ROUTING_H

#include "fabric-routing.h"
#include "fabric-topology.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Routing tables by shortest paths, counted in links, for any connected topology (FC-13).
 *
 * Which of several ports are used is told by RoutingTables. Nothing is said about deadlock: a
 * graph with cycles may have one, which CheckRoutes() finds; MakeUpDownRouting() has none.
 *
 * @param mostTargets switches with hosts to which there are routes: the first so many, in the order
 *        of hosts
 * @return the routing of each switch, in the plan's order: 4 bytes per switch and switch with hosts
 * @throws std::invalid_argument if the plan is not sound (PortMap) or a switch cannot reach a host
 */
std::vector<Routing> MakeShortestPathRouting(const TopologyPlan& plan,
                                             uint32_t mostTargets = MAX_HOSTS);

} // namespace ns3::fabric

#endif // FABRIC_SHORTEST_PATH_ROUTING_H
