/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REDUCTION_TREE_H
#define FABRIC_REDUCTION_TREE_H

#include "fabric-group-tree.h"
#include "fabric-routing.h"
#include "fabric-topology.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * The tree of a reduction (SW-14): that of a group of its members, with a root, to which what
 * members send goes up, and from which results go down.
 */
struct ReductionTree
{
    GroupTree group;  ///< Members and ports; turns at the root.
    uint32_t root{0}; ///< Number of the switch.
    TreePorts up;     ///< By switch: its port toward the root; NO_PORT for none.

    /// @return ports of a switch of the tree to members and to switches below, in ascending order
    TreePorts ChildrenOf(uint32_t sw) const;

    /**
     * @param host a member
     * @return by switch: the child toward it; NO_PORT where it is not below
     */
    std::vector<uint16_t> PortsToward(const TopologyPlan& plan, uint32_t host) const;
};

/**
 * Makes the tree of MakeGroupTree(), with the switch as its root from which the farthest of the
 * others is as near as can be. In a fat tree that is the one core switch where ways of several pods
 * meet. Where a PathRule routes, the root is that of the group, and where links lead up, the switch
 * from which none of the tree does: what turns at another one would come down and go up again.
 *
 * @param members hosts, at least one, none twice
 * @param number of the reduction, which chooses among ports as that of a group
 * @param up as for a group
 * @throws std::invalid_argument with a sentence if members or routes are not such
 */
ReductionTree MakeReductionTree(const TopologyPlan& plan,
                                const std::vector<Routing>& routing,
                                const std::vector<uint32_t>& members,
                                uint32_t number,
                                const UpwardLinks* up = nullptr);

} // namespace ns3::fabric

#endif // FABRIC_REDUCTION_TREE_H
