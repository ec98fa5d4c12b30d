/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NETWORK_TOTALS_H
#define FABRIC_NETWORK_TOTALS_H

#include "fabric-link-errors.h"
#include "fabric-run-totals.h"

namespace ns3
{

class FabricNetwork;

namespace fabric
{

/**
 * @param end when its run ended, ps
 * @return what a run with it says at its end (PR-3), on all ranks; see
 * FabricNetwork::GetTotalsOfRanks()
 */
RunTotals TotalsOf(const FabricNetwork& network, TimePs end);

/// @return what all links have repeated, and what of ACKs and pauses they have damaged, on all
/// ranks, which all have to call it when the simulation is over
ErrorCounts LinkErrorsOf(const FabricNetwork& network);

} // namespace fabric
} // namespace ns3

#endif // FABRIC_NETWORK_TOTALS_H
