/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-traffic.h"

#include "fabric-message-flow-carrier.h"
#include "fabric-rank-link.h"

#include "ns3/simulator.h"

#include <stdexcept>
#include <string>

namespace ns3
{

FabricFlowTraffic::FabricFlowTraffic(const FabricContainer& fabric, const fabric::FlowList& list)
    : m_own(std::make_unique<fabric::MessageFlowCarrier>(fabric, list)),
      m_carrier(*m_own),
      m_triggers(list)
{
    Plan(list);
}

FabricFlowTraffic::FabricFlowTraffic(fabric::FlowCarrier& carrier, const fabric::FlowList& list)
    : m_carrier(carrier),
      m_triggers(list)
{
    Plan(list);
}

void
FabricFlowTraffic::Plan(const fabric::FlowList& list)
{
    if (fabric::RankCount() > 1)
    {
        RequireKnownDeliveries(list);
    }
    // All now, since events that are scheduled later could come before or after the deliveries of
    // their instant, depending on windows.
    for (uint32_t flow = 0; flow < list.flows.size(); ++flow)
    {
        const fabric::TimePs start = list.flows[flow].start;
        if (start != fabric::NEVER && !m_carrier.IsElsewhere(list.flows[flow].src))
        {
            Simulator::Schedule(PicoSeconds(start) - Simulator::Now(),
                                [this, flow] { m_carrier.Start(flow, 0); });
        }
    }
    if (!list.triggers.empty())
    {
        const auto start = [this](uint32_t flow) { m_carrier.Start(flow, 0); };
        m_carrier.Listen(
            [this, start](uint32_t flow, uint32_t) { m_triggers.Sent(flow, start); },
            [this, start](uint32_t flow, uint32_t) { m_triggers.Received(flow, start); });
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

} // namespace ns3
