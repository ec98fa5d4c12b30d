/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-network-totals.h"

#include "fabric-net-device.h"
#include "fabric-network.h"
#include "fabric-rank-link.h"
#include "fabric-switch.h"

#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return sum of all
ErrorCounts
SumOf(const std::vector<ErrorCounts>& counts)
{
    ErrorCounts sum;
    for (const ErrorCounts& some : counts)
    {
        sum.Add(some);
    }
    return sum;
}

} // namespace

RunTotals
TotalsOf(const FabricNetwork& network, TimePs end)
{
    const FabricTotals counted = network.GetTotalsOfRanks();
    RunTotals totals;
    totals.bytesOffered = counted.offered;
    totals.bytesCopied = counted.copied;
    totals.bytesCombined = counted.combined;
    totals.bytesDelivered = counted.delivered;
    totals.bytesInFlight = counted.inFlight;
    totals.bytesDropped = counted.dropped;
    totals.simulatedTime = end;
    totals.dataHops = counted.dataHops;
    totals.controlHops = counted.controlHops;
    return totals;
}

ErrorCounts
LinkErrorsOf(const FabricNetwork& network)
{
    ErrorCounts counts;
    const auto add = [&counts](const Transmitter& link) {
        if (link.Errors())
        {
            counts.Add(link.Errors()->Counts());
        }
    };
    for (const Ptr<FabricSwitch>& fabricSwitch : network.GetSwitches())
    {
        const SwitchChip& chip = fabricSwitch->GetChip();
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            add(chip.Output(port));
        }
    }
    for (const Ptr<FabricNetDevice>& device : network.GetDevices())
    {
        add(device->GetNic().Uplink());
    }
    return SumOf(CollectFromRanks(std::vector<ErrorCounts>{counts}));
}

} // namespace ns3::fabric
