/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTING_TABLES_H
#define FABRIC_ROUTING_TABLES_H

#include "fabric-port-map.h"
#include "fabric-routing.h"
#include "fabric-topology.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3::fabric
{

/// Whether a frame at a switch (first) may go to a neighbour of it (second).
using NextSwitch = std::function<bool(uint32_t, uint32_t)>;

/**
 * Routing tables of any topology, one entry per host.
 *
 * A switch may use all ports that lead to such a neighbour if their numbers are consecutive, so
 * that a PortRange names them; else it uses the lowest of them alone.
 *
 * @param ports those of the plan
 * @param towards gives for the switch of a destination the neighbours that lead there; it is called
 *        for switches with hosts only
 * @return the routing of each switch, in the plan's order: 4 bytes per switch and host
 */
std::vector<Routing> MakeRoutingTables(const TopologyPlan& plan,
                                       const PortMap& ports,
                                       const std::function<NextSwitch(uint32_t)>& towards);

/**
 * @param distance of each switch from the target, in links
 * @param target number of a switch
 * @throws std::invalid_argument with a sentence if a switch has no path to the target
 */
void RequireReached(const std::vector<uint32_t>& distance, uint32_t target);

} // namespace ns3::fabric

#endif // FABRIC_ROUTING_TABLES_H
