/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GROUP_TREE_H
#define FABRIC_GROUP_TREE_H

#include "fabric-routing.h"
#include "fabric-topology.h"
#include "fabric-tree-port.h"
#include "fabric-upward-links.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/**
 * By which ports the switches of a fabric send what is for a group of hosts (FC-16): a tree over
 * the switches of its members. What comes by one port of a switch leaves by all others of the tree,
 * so that each member gets one copy, whoever of them sends.
 */
struct GroupTree
{
    std::vector<uint32_t> members; ///< Hosts, in ascending order.
    /// By switch: ports to members and to the next switches, in ascending order; none where the
    /// tree is not.
    std::vector<TreePorts> ports;
    /// The switch that tells the directions of links, where virtual channels follow from them, or
    /// where copies go up and then down.
    std::optional<uint32_t> root;
    /// Where frames also leave by the port by which they have come: the root of a reduction.
    std::optional<uint32_t> turnsAt;

    /// @return virtual channels that its frames take, of those of their class
    uint32_t VirtualChannels() const
    {
        return ChannelsOfTree(ports);
    }
};

/**
 * Makes the tree of the ways that frames of the members take to the first of them, until they meet.
 *
 * Where routes offer several ports, the group's number decides, so that groups have different
 * trees: all switches that are as far from their members take the same one of their ports. In a fat
 * tree ways of all pods so meet in one core switch, and no way goes down and up again.
 *
 * Copies of such a tree may come down to a switch and go up again, as no frame of a route does. Who
 * says which links lead up gets a tree of those instead, if the first one is not: to one of the
 * nearest switches to which links lead up from all members, which the number chooses, as it does
 * links.
 *
 * Where a PathRule routes, it tells the links and their virtual channels
 * (PathRule::FindTreeLink()), and the number chooses the member whose switch is the root.
 *
 * @param routing of each switch, by destination alone or by a PathRule
 * @param members hosts, none twice
 * @param number of the group
 * @param least members that there have to be
 * @param up which links lead up, where routes go by destination alone; null if any may
 * @throws std::invalid_argument with a sentence if members or routes are not such
 */
GroupTree MakeGroupTree(const TopologyPlan& plan,
                        const std::vector<Routing>& routing,
                        std::vector<uint32_t> members,
                        uint32_t number,
                        uint32_t least = 2,
                        const UpwardLinks* up = nullptr);

/// @return switches of members, each once, in ascending order
std::vector<uint32_t> SwitchesOf(const TopologyPlan& plan, const std::vector<uint32_t>& members);

} // namespace ns3::fabric

#endif // FABRIC_GROUP_TREE_H
