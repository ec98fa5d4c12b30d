/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-traffic.h"

#include "fabric-topology.h"

#include "ns3/callback.h"
#include "ns3/simulator.h"

namespace ns3
{

FabricFlowTraffic::FabricFlowTraffic(const FabricContainer& fabric, const fabric::FlowList& list)
    : m_fabric(fabric),
      m_list(list),
      m_triggers(list)
{
    // All now, since events that are scheduled later could come before or after the deliveries of
    // their instant, depending on windows.
    for (uint32_t flow = 0; flow < list.flows.size(); ++flow)
    {
        if (list.flows[flow].start != fabric::NEVER)
        {
            Simulator::Schedule(PicoSeconds(list.flows[flow].start) - Simulator::Now(),
                                [this, flow] { Send(m_fabric, m_list, flow); });
        }
    }
    if (!list.triggers.empty())
    {
        m_heard = m_fabric.network;
        m_heard->TraceConnectWithoutContext("MessageDelivered",
                                            MakeCallback(&FabricFlowTraffic::Delivered, this));
    }
}

FabricFlowTraffic::~FabricFlowTraffic()
{
    if (m_heard)
    {
        m_heard->TraceDisconnectWithoutContext("MessageDelivered",
                                               MakeCallback(&FabricFlowTraffic::Delivered, this));
    }
}

void
FabricFlowTraffic::Send(const FabricContainer& fabric,
                        const fabric::FlowList& list,
                        uint32_t number)
{
    const fabric::FlowList::Flow& flow = list.flows[number];
    fabric::MessageFlow of;
    of.dst = fabric::LocationOf(flow.dst);
    of.trafficClass = flow.trafficClass;
    of.process = flow.ofPair % fabric::FlowList::PARALLEL;
    fabric.GetDevice(flow.src)->SendMessage(of, flow.bytes, number + 1);
}

void
FabricFlowTraffic::Delivered(const fabric::Message& message, Time /* now */)
{
    m_triggers.FlowDone(static_cast<uint32_t>(message.tag - 1),
                        [this](uint32_t flow) { Send(m_fabric, m_list, flow); });
}

} // namespace ns3
