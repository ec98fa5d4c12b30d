/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ingress-edge.h"

namespace ns3::fabric
{

bool
IngressEdge::HasOtherWay(uint32_t port, const Frame& frame) const
{
    uint32_t ways = 0;
    m_routing.ForEachWay(port, frame, [&ways](uint16_t /*output*/) { ++ways; });
    return ways > 1;
}

void
IngressEdge::LeavePath(uint32_t port, const Frame& frame)
{
    FlowRecord& record = m_ports.inputs[port].flows.Ensure(frame.flow);
    // Severity makes flows slow on any path. Frames that wait here would have to be withdrawn from
    // their output; they mean that the flow goes on.
    if (record.FlowExtent() != 0 && record.queue.IsEmpty() && record.severity == 0 &&
        HasOtherWay(port, frame))
    {
        record.queue.holds |= InputQueue::CHANGES_PATH;
        ++m_slowPathsLeft;
    }
}

std::optional<uint16_t>
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
            return std::nullopt;
        }
        frame.flow = *id;
        if (edge.table.FlowExtent(*id) == 0)
        {
            edge.table.Hear(*id, now); // it chooses its path now
        }
        else if (IsSlow(edge.table, *id, now) && m_settings.IsOrdered(frame.trafficClass))
        {
            LeavePath(port, frame);
        }
        frame.dataFlow = edge.table.Send(*id, FlowUnits(frame.payload));
    }
    const uint16_t output = m_entry.Join(port, frame, now);
    if (!Hop::IsOutput(output))
    {
        m_buffers.Drop(port, frame, FlowEntry::WhyNot(output), now);
        if (hasChannel)
        {
            // It was the first of its flow, so the channel is free again, for the next that waits.
            EndUnits(port, frame.flow, FlowUnits(frame.payload), now);
        }
        return Hop::NO_OUTPUT;
    }
    if (hasChannel && m_observer)
    {
        m_observer->Joined(port, frame, now);
    }
    return output;
}

void
IngressEdge::Refuse(uint32_t port, const Frame& frame, TimePs now)
{
    m_buffers.Drop(port,
                   frame,
                   IsDiscarded(frame) ? DropCause::DISCARDED : DropCause::NO_ROUTE,
                   now);
}

uint16_t
IngressEdge::Admit(uint32_t port, const Frame& frame, TimePs now)
{
    if (!MayEnter(frame))
    {
        Refuse(port, frame, now);
        return Hop::NO_OUTPUT;
    }
    Ring<Frame>& waiting = m_ports.inputs[port].edge->waiting;
    std::optional<uint16_t> output;
    if (waiting.IsEmpty())
    {
        output = TryAdmit(port, frame, now);
    }
    if (!output)
    {
        waiting.Push(frame);
        m_hosts.BeginWait(port, frame, now);
    }
    return output.value_or(Hop::NO_OUTPUT);
}

void
IngressEdge::AdmitWaiting(uint32_t port, TimePs now)
{
    InputPort& input = m_ports.inputs[port];
    Ring<Frame>& waiting = input.edge->waiting;
    while (!waiting.IsEmpty())
    {
        const Frame frame = waiting.Front();
        // Since a link has failed, or the class is dropped from now on.
        const bool mayEnter = MayEnter(frame);
        const bool isPartlyIn = input.assembly && input.assembly->IsWaitedFor(frame);
        const uint32_t index = m_ports.frames->NextIndex();
        std::optional<uint16_t> output = Hop::NO_OUTPUT;
        if (mayEnter)
        {
            output = TryAdmit(port, frame, now);
        }
        if (!output)
        {
            return;
        }
        waiting.Pop();
        m_hosts.EndWait(port, frame, now);
        if (!mayEnter)
        {
            Refuse(port, frame, now);
        }
        if (isPartlyIn)
        {
            const bool isIn = *output != Hop::NO_OUTPUT;
            input.assembly->Redirect(frame.lane, isIn ? index : NO_FRAME, *output);
        }
    }
}

void
IngressEdge::DropBroken(uint32_t port, uint8_t lane, TimePs now)
{
    Ring<Frame>& waiting = m_ports.inputs[port].edge->waiting;
    // Of a lane only the last frame can be partly in.
    uint32_t last = waiting.Size();
    do
    {
        --last;
    } while (waiting.At(last).lane != lane);
    for (uint32_t left = waiting.Size(), i = 0; i < left; ++i)
    {
        const Frame frame = waiting.Front();
        waiting.Pop();
        if (i != last)
        {
            waiting.Push(frame);
            continue;
        }
        m_hosts.EndWait(port, frame, now);
        m_buffers.Drop(port, frame, DropCause::LINK_DOWN, now);
    }
    AdmitWaiting(port, now); // if it was the first, the others have waited for it
}

} // namespace ns3::fabric
