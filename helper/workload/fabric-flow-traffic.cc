/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-traffic.h"

#include "fabric-rank-link.h"
#include "fabric-topology.h"

#include "ns3/callback.h"
#include "ns3/simulator.h"

#include <stdexcept>
#include <string>

namespace ns3
{

FabricFlowTraffic::FabricFlowTraffic(const FabricContainer& fabric, const fabric::FlowList& list)
    : m_fabric(fabric),
      m_list(list),
      m_triggers(list)
{
    if (fabric::RankCount() > 1)
    {
        RequireKnownDeliveries(list);
    }
    // All now, since events that are scheduled later could come before or after the deliveries of
    // their instant, depending on windows.
    for (uint32_t flow = 0; flow < list.flows.size(); ++flow)
    {
        const bool isElsewhere = fabric.GetDevice(list.flows[flow].src)->IsElsewhere();
        if (list.flows[flow].start != fabric::NEVER && !isElsewhere)
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
FabricFlowTraffic::RequireKnownDeliveries(const fabric::FlowList& list)
{
    for (const fabric::FlowList::Flow& flow : list.flows)
    {
        for (const uint32_t number : {flow.sendDone, flow.receiveDone})
        {
            if (number == fabric::FlowList::NONE)
            {
                continue;
            }
            const fabric::FlowList::Trigger& trigger = list.triggers[number];
            for (const uint32_t started : trigger.flows)
            {
                const uint32_t src = list.flows[started].src;
                if (src != flow.dst)
                {
                    throw std::invalid_argument(
                        "trigger " + std::to_string(trigger.id) + " starts a flow of host " +
                        std::to_string(src) + " when one to host " + std::to_string(flow.dst) +
                        " is done; allowed on several ranks are triggers that start flows of the "
                        "host that has got others");
                }
            }
        }
    }
}

void
FabricFlowTraffic::Send(const FabricContainer& fabric,
                        const fabric::FlowList& list,
                        uint32_t number,
                        uint32_t place)
{
    const fabric::FlowList::Flow& flow = list.flows[number];
    fabric::MessageFlow of;
    of.dst = fabric::LocationOf(flow.dst);
    of.trafficClass = flow.trafficClass;
    of.process = flow.ofPair % fabric::FlowList::PARALLEL;
    const uint64_t tag = uint64_t{place} << 32 | (number + 1);
    fabric.GetDevice(flow.src)->SendMessage(of, flow.bytes, tag);
}

void
FabricFlowTraffic::Delivered(const fabric::Message& message, Time /* now */)
{
    m_triggers.FlowDone(FlowOf(message), [this](uint32_t flow) { Send(m_fabric, m_list, flow); });
}

} // namespace ns3
