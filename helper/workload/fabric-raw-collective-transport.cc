/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-raw-collective-transport.h"

#include "fabric-message-sender.h"

#include "ns3/uinteger.h"

namespace ns3::fabric
{

MessageFlow
UsualMessageFlow()
{
    const auto settings = CreateObject<FabricMessageSender>();
    const auto valueOf = [&settings](const char* name) {
        UintegerValue value;
        settings->GetAttribute(name, value);
        return value.Get();
    };
    MessageFlow flow;
    flow.trafficClass = static_cast<uint8_t>(valueOf("TrafficClass"));
    flow.vni = static_cast<uint16_t>(valueOf("Vni"));
    flow.process = static_cast<uint32_t>(valueOf("Process"));
    return flow;
}

RawCollectiveTransport::RawCollectiveTransport(const FabricContainer& fabric,
                                               const std::vector<uint32_t>& hosts)
    : m_flow(UsualMessageFlow())
{
    for (const uint32_t host : hosts)
    {
        m_devices.push_back(fabric.GetDevice(host));
        m_devices.back()->SetMessageCallback(Callback<void, const fabric::Message&>(
            [this](const fabric::Message& message) { Arrive(message.tag); }));
    }
}

RawCollectiveTransport::~RawCollectiveTransport()
{
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        device->SetMessageCallback({});
    }
}

bool
RawCollectiveTransport::IsElsewhere(uint32_t rank) const
{
    return m_devices[rank]->IsElsewhere();
}

void
RawCollectiveTransport::Send(const Message& message)
{
    m_flow.dst = m_devices[message.to]->GetLocation();
    m_devices[message.from]->SendMessage(m_flow, message.bytes, message.tag);
}

} // namespace ns3::fabric
