/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ingress-edge.h"

namespace ns3::fabric
{

bool
IngressEdge::TryAdmit(uint32_t port, Frame frame, TimePs now)
{
    EdgePort& edge = *m_ports.inputs[port].edge;
    frame.flow = NO_FLOW;
    const bool hasChannel = m_settings.HasChannel(frame.trafficClass);
    if (hasChannel)
    {
        // A NIC may have more queues than there are hints.
        const uint32_t hint =
            frame.next < EdgeFlowTable::MAX_HINTS ? frame.next : EdgeFlowTable::NO_HINT;
        const std::optional<FlowId> id = edge.table.Classify(edge.nic.Key(frame.next), hint);
        if (!id)
        {
            return false;
        }
        frame.flow = *id;
        frame.dataFlow = edge.table.Send(*id, FlowUnits(frame.payload));
    }
    if (m_entry.Join(port, frame, now) == Hop::NO_OUTPUT)
    {
        m_buffers.Drop(port, frame, DropCause::NO_ROUTE, now);
        if (hasChannel)
        {
            // It was the first of its flow, so the channel is free again, for the next that waits.
            EndUnits(port, frame.flow, FlowUnits(frame.payload), now);
        }
    }
    else if (hasChannel && m_observer)
    {
        m_observer->Joined(port, frame, now);
    }
    return true;
}

void
IngressEdge::Admit(uint32_t port, const Frame& frame, TimePs now)
{
    if (!m_routing.IsReachable(frame.dst))
    {
        m_buffers.Drop(port, frame, DropCause::NO_ROUTE, now);
        return;
    }
    Ring<Frame>& waiting = m_ports.inputs[port].edge->waiting;
    if (!waiting.IsEmpty() || !TryAdmit(port, frame, now))
    {
        waiting.Push(frame);
        m_hosts.BeginWait(port, frame, now);
    }
}

void
IngressEdge::AdmitWaiting(uint32_t port, TimePs now)
{
    Ring<Frame>& waiting = m_ports.inputs[port].edge->waiting;
    while (!waiting.IsEmpty())
    {
        const Frame frame = waiting.Front();
        const bool isLost = !m_routing.IsReachable(frame.dst); // since a link has failed
        if (!isLost && !TryAdmit(port, frame, now))
        {
            return;
        }
        waiting.Pop();
        m_hosts.EndWait(port, frame, now);
        if (isLost)
        {
            m_buffers.Drop(port, frame, DropCause::NO_ROUTE, now);
        }
    }
}

} // namespace ns3::fabric
