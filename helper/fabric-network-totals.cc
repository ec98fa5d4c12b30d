/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-network-totals.h"

#include "fabric-network.h"

namespace ns3::fabric
{

RunTotals
TotalsOf(const FabricNetwork& network, TimePs end)
{
    const FabricTotals counted = network.GetTotals();
    RunTotals totals;
    totals.bytesOffered = counted.offered;
    totals.bytesDelivered = counted.delivered;
    totals.bytesInFlight = counted.inFlight;
    totals.bytesDropped = counted.dropped;
    totals.simulatedTime = end;
    totals.dataHops = counted.dataHops;
    totals.controlHops = counted.controlHops;
    return totals;
}

} // namespace ns3::fabric
