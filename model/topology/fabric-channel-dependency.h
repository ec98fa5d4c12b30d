/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CHANNEL_DEPENDENCY_H
#define FABRIC_CHANNEL_DEPENDENCY_H

#include "fabric-group-tree.h"
#include "fabric-port-map.h"
#include "fabric-route-demands.h"
#include "fabric-route-function.h"
#include "fabric-route-report.h"
#include "fabric-route-turn.h"
#include "fabric-routing.h"
#include "fabric-topology.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Proves that routing on a topology is free of deadlock and complete (FC-13).
 *
 * It follows the frames for every destination from every host through all choices, and notes which
 * channel is wanted by a frame that holds which other: the channel dependency graph. Without a
 * cycle in it there is no deadlock, whatever the load (Dally and Seitz, "Deadlock-free message
 * routing in multiprocessor interconnection networks", 1987). Only dependencies that a route really
 * makes are in the graph: a turn counts if a frame that makes it can get there.
 *
 * Injection channels (host to switch) are where frames start. No frame in a switch waits for one,
 * so none is on a cycle, and they are not counted. Hosts are taken to accept all that is delivered.
 *
 * The work is destinations x channels that lead there x choices: on one core 2 ms for a fat tree
 * with k = 8, 0.2 s with k = 16, and with RouteDemands::oneHostPerSwitch 1.7 s with k = 32.
 *
 * @param virtualChannels of each link, 1 to VIRTUAL_CHANNELS
 * @param route what the switches do; hosts send on virtual channel 0
 * @param demands what else the routes must satisfy
 * @param groups whose frames are copied on their trees: a frame that holds the room of a link waits
 * for all others of its tree at that switch; and reductions, likewise
 * @return what was found
 * @throws std::invalid_argument if the plan is not sound (PortMap) or a number is out of range
 */
RouteReport CheckRoutes(const TopologyPlan& plan,
                        uint32_t virtualChannels,
                        const RouteFunction& route,
                        const RouteDemands& demands = {},
                        const std::vector<GroupTree>& groups = {});

/**
 * The same for the switches that FabricHelper installs: they keep the virtual channel of a frame's
 * class, or a PathRule tells which of those that the class has for itself.
 *
 * Where rules say that groups are alike (PathRule::IsAlike()), one group's destinations are
 * followed: 37,888 hosts of a dragonfly take seconds.
 *
 * @param routing of each switch, in the plan's order
 * @param groups see above; they may take more virtual channels than routes
 */
RouteReport CheckRoutes(const TopologyPlan& plan,
                        const std::vector<Routing>& routing,
                        const RouteDemands& demands = {},
                        const std::vector<GroupTree>& groups = {});

/**
 * @param routing of each switch, by destination alone
 * @return all turns of frames from host to host, each once: what trees of groups have to agree with
 */
std::vector<RouteTurn> FindTurns(const TopologyPlan& plan, const std::vector<Routing>& routing);

/**
 * The proof for trees on one virtual channel, from turns that are known.
 *
 * @param turns see FindTurns()
 * @return what CheckRoutes() finds, but for channels that frames take once and faults of routes
 */
RouteReport CheckTurns(const TopologyPlan& plan,
                       const std::vector<RouteTurn>& turns,
                       const std::vector<GroupTree>& groups);

/// @return turns of copies of a group's frames, whoever sends them
std::vector<RouteTurn> TurnsOf(const PortMap& ports, const GroupTree& group);

/**
 * CheckRoutes() of one destination of each switch.
 *
 * @throws std::logic_error with what is wrong if routes do not reach everybody or can deadlock
 */
void ProveRoutes(const TopologyPlan& plan, const std::vector<Routing>& routing);

} // namespace ns3::fabric

#endif // FABRIC_CHANNEL_DEPENDENCY_H
