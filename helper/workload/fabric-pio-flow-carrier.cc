/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pio-flow-carrier.h"

#include "fabric-pio-helper.h"
#include "fabric-topology.h"

namespace ns3::fabric
{

PioFlowCarrier::PioFlowCarrier(const FabricContainer& fabric, const FlowList& list)
    : MessageFlowCarrier(fabric, list)
{
    const FabricPioHelper helper;
    for (uint32_t host = 0; host < fabric.hosts.GetN(); ++host)
    {
        m_hosts.push_back(helper.Install(fabric, host));
    }
}

void
PioFlowCarrier::Send(const FlowList::Flow& flow, uint64_t tag)
{
    const Ptr<FabricPio>& host = m_hosts[flow.src];
    MessageFlow of;
    of.dst = LocationOf(flow.dst);
    of.trafficClass = flow.trafficClass;
    of.process = (flow.dst + flow.ofPair) % host->GetSettings().threads;
    host->Send(of.process, of, flow.bytes, tag);
}

} // namespace ns3::fabric
