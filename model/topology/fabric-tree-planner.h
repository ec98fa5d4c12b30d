/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TREE_PLANNER_H
#define FABRIC_TREE_PLANNER_H

#include "fabric-group-tree.h"
#include "fabric-port-map.h"
#include "fabric-reduction-tree.h"
#include "fabric-route-turn.h"
#include "fabric-routing.h"
#include "fabric-topology.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * Makes the trees of groups and reductions of a fabric (FC-16, SW-14) so that none stands in the
 * way of those that come after it, and proves that their frames and all others can't wait for each
 * other in a circle (FC-13).
 *
 * Where routes go by destination alone it finds out once which links lead up (FindUpwardLinks()),
 * and all trees keep to them. Where no tree over all switches with hosts agrees with the routes, it
 * looks for one over the members, beside those that are there.
 */
class TreePlanner
{
  public:
    /// @param plan the topology
    /// @param routing of each switch
    TreePlanner(TopologyPlan plan, std::vector<Routing> routing);

    /// @return the topology
    const TopologyPlan& GetPlan() const
    {
        return m_plan;
    }

    /**
     * @param others trees of all groups and reductions that there are
     * @return the tree of a group; the rest as MakeGroupTree()
     */
    GroupTree MakeGroup(const std::vector<uint32_t>& members,
                        uint32_t number,
                        const std::vector<GroupTree>& others);

    /// @return the tree of a reduction, likewise
    ReductionTree MakeReduction(const std::vector<uint32_t>& members,
                                uint32_t number,
                                const std::vector<GroupTree>& others);

    /// @param trees of all groups and reductions @return a circle, which a proof has found, as part
    /// of a sentence; empty if there is none
    std::string FindCircle(const std::vector<GroupTree>& trees);

  private:
    /// Finds turns and links up, once, where routes go by destination alone.
    void FindLinks();
    /// @return which links lead up for a tree; null for any
    const UpwardLinks* LinksFor(const std::vector<uint32_t>& members,
                                const std::vector<GroupTree>& others);

    TopologyPlan m_plan;              ///< The topology.
    std::vector<Routing> m_routing;   ///< Of each switch.
    PortMap m_ports;                  ///< Who is at which port.
    bool m_hasTurns;                  ///< Whether all routes go by destination alone.
    bool m_isFound{false};            ///< Whether FindLinks() was called.
    std::vector<RouteTurn> m_turns;   ///< Of routes.
    std::optional<UpwardLinks> m_up;  ///< For all members; none if there are no such links.
    std::optional<UpwardLinks> m_own; ///< For the last members, if so.
};

} // namespace ns3::fabric

#endif // FABRIC_TREE_PLANNER_H
