/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GROUP_NETWORK_H
#define FABRIC_GROUP_NETWORK_H

#include "fabric-chain.h"
#include "fabric-fat-tree.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"
#include "fabric-topology.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// A topology with its routes, on which groups or reductions have their trees.
struct GroupNetwork
{
    TopologyPlan plan;            ///< Switches, links, hosts.
    std::vector<Routing> routing; ///< Of each switch.
};

/// @param sources hosts of each switch in a row
inline GroupNetwork
ChainNetwork(const ChainSources& sources)
{
    const TopologyPlan plan = MakeChainPlan(sources);
    return {plan, MakeShortestPathRouting(plan)};
}

/// @param k ports of each switch of a fat tree
inline GroupNetwork
TreeNetwork(uint32_t k)
{
    FatTreeConfig config;
    config.radix = k;
    const FatTree tree(config);
    return {tree.GetPlan(), ToRouting(tree.GetRouting())};
}

} // namespace ns3::fabric

#endif // FABRIC_GROUP_NETWORK_H
