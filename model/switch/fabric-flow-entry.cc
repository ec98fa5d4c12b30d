/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-entry.h"

namespace ns3::fabric
{

void
FlowEntry::RenewLists()
{
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        m_ports.inputs[port].flows.ForEachUsed(
            [this](FlowRecord& flow) {
                flow.queue.list =
                    m_lanes.ListOf(flow.queue.vc, flow.trafficClass, flow.src, flow.dst);
            },
            [this, port](InputQueue& queue, uint8_t trafficClass) {
                queue.list = m_lanes.ListOf(queue.vc, trafficClass, port, queue.output);
            });
    }
}

} // namespace ns3::fabric
