/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_UPWARD_LINKS_H
#define FABRIC_UPWARD_LINKS_H

#include "fabric-port-map.h"
#include "fabric-route-turn.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// Whether a port leads up, by PortMap::GetIndex(): see FindUpwardLinks().
using UpwardLinks = std::vector<bool>;

/**
 * Finds which links lead up, where trees of groups share a virtual channel with routes by
 * destination alone (FC-16). A link leads up at one of its ends, or at none, and then no tree has
 * it.
 *
 * In a tree that has at most one link up at each switch, what comes goes up and then down, whoever
 * sends. Routes, together with all trees that can be made so, have no circle in which frames wait
 * for each other. So no tree of a group stands in the way of another.
 *
 * First by an order of switches: the lowest is one at which no frame goes on from a neighbour to a
 * neighbour, as a switch with hosts of a fat tree; the next one is such if those below are not
 * looked at. There trees may take any link up, and routes up*, then down* always have such an
 * order. Else by one tree that all groups share: links join it one by one, if they close no circle
 * with what routes, and the tree so far, may do.
 *
 * The work is turns for an order; a tree takes switches x links x turns, which is slow in a large
 * graph, but rare.
 *
 * @param switches how many there are
 * @param turns what frames do without groups, which has no circle
 * @param members switches that the trees have to lead to, in ascending order
 * @return none if no tree was found over all of them
 */
std::optional<UpwardLinks> FindUpwardLinks(const PortMap& ports,
                                           uint32_t switches,
                                           const std::vector<RouteTurn>& turns,
                                           const std::vector<uint32_t>& members);

/**
 * @param members switches in ascending order
 * @return of the switches to which links lead up from all members, those whose farthest member is
 * nearest; none if there are no such switches
 */
std::vector<uint32_t> NearestTops(const PortMap& ports,
                                  const UpwardLinks& up,
                                  uint32_t switches,
                                  const std::vector<uint32_t>& members);

/// @return links up from each switch to the top, PortMap::UNREACHED where none lead there
std::vector<uint32_t> HeightsBelow(const PortMap& ports,
                                   const UpwardLinks& up,
                                   uint32_t switches,
                                   uint32_t top);

} // namespace ns3::fabric

#endif // FABRIC_UPWARD_LINKS_H
