/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pio-collective-transport.h"

#include "fabric-pio-helper.h"
#include "fabric-raw-collective-transport.h"
#include "fabric-topology.h"

namespace ns3::fabric
{

PioCollectiveTransport::PioCollectiveTransport(const FabricContainer& fabric,
                                               const std::vector<uint32_t>& hosts)
    : m_flow(UsualMessageFlow())
{
    const FabricPioHelper helper;
    for (const uint32_t host : hosts)
    {
        m_locations.push_back(LocationOf(host));
        m_hosts.push_back(helper.Install(fabric, host));
        m_hosts.back()->TraceConnectWithoutContext(
            "Received",
            Callback<void, const fabric::Message&>(
                [this](const fabric::Message& message) { Arrive(message.tag); }));
    }
}

bool
PioCollectiveTransport::IsElsewhere(uint32_t rank) const
{
    return m_hosts[rank]->GetDevice()->IsElsewhere();
}

void
PioCollectiveTransport::Send(const Message& message)
{
    const Ptr<FabricPio>& host = m_hosts[message.from];
    m_flow.dst = m_locations[message.to];
    m_flow.process = message.to % host->GetSettings().threads;
    host->Send(m_flow.process, m_flow, message.bytes, message.tag);
}

} // namespace ns3::fabric
