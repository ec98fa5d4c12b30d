/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RANK_PLAN_H
#define FABRIC_RANK_PLAN_H

#include "fabric-partition.h"
#include "fabric-topology.h"

#include "ns3/node-container.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// @return what matters for dividing a plan
SwitchGraph GraphOf(const TopologyPlan& plan);

/**
 * Which rank of ns-3's distributed simulator runs which switch and host of a plan: ranks have about
 * equal work, and neighbours are on one as far as that allows (Partition). With one rank, that.
 */
class RankPlan
{
  public:
    /// @param plan is divided among the ranks
    explicit RankPlan(const TopologyPlan& plan);

    /**
     * As above, where hosts are there already: each switch is on the rank of its hosts
     * (Node::GetSystemId()).
     *
     * @param hosts a node for each host of the plan
     * @throws std::invalid_argument with a sentence if hosts of one switch are on different ranks
     */
    RankPlan(const TopologyPlan& plan, const NodeContainer& hosts);

    /// @return new nodes for the plan's hosts
    NodeContainer MakeHosts() const;

    /// @return new nodes for the plan's switches
    NodeContainer MakeSwitches() const;

  private:
    /// @return new nodes, a node for each rank that is given
    static NodeContainer MakeNodes(const std::vector<uint32_t>& ranks);

    std::vector<uint32_t> m_ofSwitches; ///< Rank of each switch.
    std::vector<uint32_t> m_ofHosts;    ///< Rank of each host.
};

} // namespace ns3::fabric

#endif // FABRIC_RANK_PLAN_H
