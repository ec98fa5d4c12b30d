/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-message-flow-carrier.h"

#include "fabric-topology.h"

#include "ns3/callback.h"

#include <utility>

namespace ns3::fabric
{

MessageFlowCarrier::MessageFlowCarrier(const FabricContainer& fabric, const FlowList& list)
    : m_fabric(fabric),
      m_list(list)
{
}

MessageFlowCarrier::~MessageFlowCarrier()
{
    if (m_heard)
    {
        m_heard->TraceDisconnectWithoutContext("MessageDelivered",
                                               MakeCallback(&MessageFlowCarrier::Delivered, this));
    }
}

bool
MessageFlowCarrier::IsElsewhere(uint32_t host) const
{
    return m_fabric.GetDevice(host)->IsElsewhere();
}

void
MessageFlowCarrier::Start(uint32_t flow, uint32_t place)
{
    Send(m_list.flows[flow], uint64_t{place} << 32 | (flow + 1));
}

void
MessageFlowCarrier::Send(const FlowList::Flow& flow, uint64_t tag)
{
    MessageFlow of;
    of.dst = LocationOf(flow.dst);
    of.trafficClass = flow.trafficClass;
    of.process = flow.ofPair % FlowList::PARALLEL;
    DeviceOf(flow.src)->SendMessage(of, flow.bytes, tag);
}

void
MessageFlowCarrier::Listen(Listener sent, Listener received)
{
    m_sent = std::move(sent);
    m_received = std::move(received);
    if (!m_heard)
    {
        m_heard = m_fabric.network;
        m_heard->TraceConnectWithoutContext("MessageDelivered",
                                            MakeCallback(&MessageFlowCarrier::Delivered, this));
    }
}

void
MessageFlowCarrier::Delivered(const Message& message, Time /* now */)
{
    m_sent(FlowOf(message), PlaceOf(message));
    m_received(FlowOf(message), PlaceOf(message));
}

} // namespace ns3::fabric
