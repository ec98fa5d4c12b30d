/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_UP_DOWN_ROUTING_H
#define FABRIC_UP_DOWN_ROUTING_H

#include "fabric-routing.h"
#include "fabric-topology.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Routing tables without deadlock for any connected topology: up*, then down* (Schroeder et al.,
 * "Autonet: a high-speed, self-configuring local area network using point-to-point links", IEEE
 * JSAC 9(8), 1991).
 *
 * Switches are ordered by their distance from a root, those of one distance by their numbers. A
 * link leads up to the switch that comes earlier. A frame goes up first and then down, and never up
 * again, so channels can't wait for each other in a circle. Tables know the destination only: a
 * switch sends down as soon as that leads there, by the shortest such way, and else up by the one
 * that is shortest in all. Some ways are longer than without the rule, and links near the root
 * carry more.
 *
 * Which of several ports are used is told by RoutingTables.
 *
 * @param root number of the switch at the top
 * @return the routing of each switch, in the plan's order: 4 bytes per switch and switch with hosts
 * @throws std::invalid_argument if the plan is not sound (PortMap), there is no such root or a
 * switch can't reach another
 */
std::vector<Routing> MakeUpDownRouting(const TopologyPlan& plan, uint32_t root = 0);

} // namespace ns3::fabric

#endif // FABRIC_UP_DOWN_ROUTING_H
