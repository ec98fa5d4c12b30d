/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GROUP_HELPER_H
#define FABRIC_GROUP_HELPER_H

#include "fabric-group-tree.h"
#include "fabric-helper.h"
#include "fabric-reduction-tree.h"
#include "fabric-routing.h"
#include "fabric-topology.h"
#include "fabric-tree-planner.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Makes groups of hosts in a fabric (FC-16): a message that a member sends to the group's location
 * comes to all other members, copied by the switches of the group's tree.
 *
 * One helper makes all groups of a fabric, since it proves that their frames and all others can't
 * wait for each other in a circle.
 *
 * @code
 * FabricGroupHelper groups(fabric);
 * const fabric::LocationId all = groups.Create({0, 3, 5});
 * fabric.GetDevice(3)->SendMessage(all, 10000);
 * @endcode
 */
class FabricGroupHelper
{
  public:
    /// @param fabric that is installed, with all of its links
    explicit FabricGroupHelper(const FabricContainer& fabric);

    /// @param check what is done about trees that can deadlock; the default is ROUTES_ARE_CHECKED
    void SetRouteCheck(RouteCheck check)
    {
        m_routeCheck = check;
    }

    /**
     * Makes a group.
     *
     * @param hosts its members, at least two
     * @return location of the group
     * @throws std::invalid_argument with a sentence if there can be no such group: see
     * fabric::MakeGroupTree() and FabricNetwork::AddGroup(), or it could deadlock
     */
    fabric::LocationId Create(const std::vector<uint32_t>& hosts);

    /**
     * Makes several groups; that takes one proof.
     *
     * @param groups members of each
     * @return location of each
     * @throws std::invalid_argument see above; then none is made
     */
    std::vector<fabric::LocationId> Create(const std::vector<std::vector<uint32_t>>& groups);

    /// @return the tree @param group location of a group that was made here
    const fabric::GroupTree& GetTree(fabric::LocationId group) const;

    /**
     * @param group location of a group that was made here
     * @param from a member
     * @param bytes size of a message of that member to the group
     * @return when the last of the others has it in an empty fabric
     */
    Time GetIdealTime(fabric::LocationId group, uint32_t from, uint64_t bytes) const;

    /**
     * For FabricReductionHelper: the tree of a reduction, whose frames and all others can't wait
     * for each other in a circle either.
     *
     * @param hosts its members, at least one
     * @throws std::invalid_argument see above
     */
    fabric::ReductionTree MakeReductionTree(const std::vector<uint32_t>& hosts);

    /// For FabricReductionHelper: there is a reduction. @param tree that MakeReductionTree() made
    void KeepReductionTree(const fabric::ReductionTree& tree)
    {
        m_reductionTrees.push_back(tree.group);
    }

    /// @return the fabric
    const FabricContainer& GetFabric() const
    {
        return m_fabric;
    }

    /// @return its plan
    const fabric::TopologyPlan& GetPlan() const
    {
        return m_planner.GetPlan();
    }

  private:
    /// Refuses to go on if another helper has made groups.
    void RequireOnlyHelper() const;
    /// Refuses trees that can deadlock, or warns. @param trees of all groups and reductions
    void Check(const std::vector<fabric::GroupTree>& trees);
    /// @return trees of groups and reductions
    std::vector<fabric::GroupTree> AllTrees() const;

    FabricContainer m_fabric;                        ///< Gets the groups.
    fabric::TreePlanner m_planner;                   ///< Makes trees.
    std::vector<fabric::GroupTree> m_trees;          ///< Of the groups.
    std::vector<fabric::GroupTree> m_reductionTrees; ///< Of the reductions.
    RouteCheck m_routeCheck{ROUTES_ARE_CHECKED};     ///< What is done about trees.
};

} // namespace ns3

#endif // FABRIC_GROUP_HELPER_H
