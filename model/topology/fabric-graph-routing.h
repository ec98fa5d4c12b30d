/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GRAPH_ROUTING_H
#define FABRIC_GRAPH_ROUTING_H

#include "fabric-routing.h"
#include "fabric-topology.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// Which paths frames take through a graph that is of no known kind.
enum GraphMode : uint8_t
{
    /// What is best of what can be: by destination alone where shortest paths have no cycle, as in
    /// trees; else adaptive, if hosts are few enough links apart; else up*, then down*.
    GRAPH_BEST,
    /// Shortest paths by destination where they have no cycle, else up*, then down* from a switch
    /// in the middle, which is one whose farthest switch is nearest.
    GRAPH_UP_DOWN,
    GRAPH_MINIMAL,  ///< Shortest paths, whichever waits less: see GraphRule.
    GRAPH_ADAPTIVE, ///< The same, with detours as far as virtual channels suffice.
};

/**
 * Routing without deadlock for any connected topology (FC-13).
 *
 * Tables have passed CheckRoutes(). GraphRule can have no cycle, and CheckRoutes() of hundreds of
 * switches would take minutes. Of a graph with a cycle most often no more is made of tables than
 * the part that leads to its first 64 switches with hosts.
 *
 * @param tooFar if there is one, it becomes the links between switches that hosts are apart where
 *        these are too many for GRAPH_BEST to be adaptive, so that frames go up and then down;
 *        else 0
 * @return the routing of each switch, in the plan's order
 * @throws std::invalid_argument with a sentence if the plan is not sound (PortMap), a switch can't
 * reach a host, or paths of the mode have more links than there are virtual channels
 */
std::vector<Routing> MakeGraphRouting(const TopologyPlan& plan,
                                      GraphMode mode = GRAPH_BEST,
                                      uint32_t* tooFar = nullptr);

} // namespace ns3::fabric

#endif // FABRIC_GRAPH_ROUTING_H
