/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SMALL_ROW_H
#define FABRIC_SMALL_ROW_H

#include "fabric-chain.h"
#include "fabric-helper.h"
#include "fabric-shortest-path-routing.h"

namespace ns3::fabric
{

/// @return a fabric of three switches in a row, with 3, 2 and 3 hosts
inline FabricContainer
InstallRow(const FabricHelper& helper)
{
    const TopologyPlan plan = MakeChainPlan({3, 2, 3});
    return helper.Install(plan, MakeShortestPathRouting(plan));
}

} // namespace ns3::fabric

#endif // FABRIC_SMALL_ROW_H
