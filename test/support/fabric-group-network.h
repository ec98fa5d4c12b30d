/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GROUP_NETWORK_H
#define FABRIC_GROUP_NETWORK_H

#include "fabric-chain.h"
#include "fabric-fat-tree.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"
#include "fabric-topology.h"

#include <cstdint>
#include <memory>
#include <utility>
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

/// @return switches and hosts of a network, with equal links
inline std::unique_ptr<TestBed>
MakeGroupBed(const GroupNetwork& network, const SwitchConfig& config, bool lookahead = true)
{
    return std::make_unique<TestBed>(
        network.plan,
        network.routing,
        config,
        NicConfig(),
        [](std::size_t) { return std::make_pair(LinkRate(200'000'000'000), TimePs{100'000}); },
        lookahead);
}

} // namespace ns3::fabric

#endif // FABRIC_GROUP_NETWORK_H
