/* SPDX-License-Identifier: GPL-2.0-only */

// The way of a frame from its link into a queue.

#include "fabric-fetch.h"
#include "fabric-switch-chip.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

void
SwitchChip::FetchSend(const OutputPort& output, const QueuePlace& place) const
{
    FetchMemory(&m_frames.At(place.queue.head), sizeof(Frame));
    output.transmitter.FetchPeer();
    place.input.credits.FetchSender();
    if (output.lanes)
    {
        output.lanes->Fetch();
    }
}

void
SwitchChip::List(const QueuePlace& place, TimePs now)
{
    if (place.record && !HopMeter::MaySend(*place.record))
    {
        return;
    }
    const uint16_t port = place.queue.output;
    OutputPort& output = m_outputs[port];
    FetchSend(output, place);
    Enlist(output, place);
    PlanDecision(port, std::max(now, output.transmitter.FreeAt()));
}

void
SwitchChip::Join(const QueuePlace& place, const Frame& frame, TimePs now)
{
    const uint32_t index = m_frames.Put(frame);
    place.queue.Append(m_frames, index);
    BeginWait(place.queue.output, m_frames.At(index));
    if (!place.queue.listed)
    {
        List(place, now);
    }
}

uint16_t
SwitchChip::JoinVirtualOutputQueue(uint32_t port, const Frame& frame, TimePs now)
{
    const bool ordered = (m_config.flowChannels.unorderedClasses >> frame.trafficClass & 1) == 0;
    const uint16_t output = ChooseOutput(frame, ordered);
    if (output == NO_OUTPUT)
    {
        Drop(port, frame, DropCause::NO_ROUTE, now);
        return NO_OUTPUT;
    }
    const uint8_t vc = m_config.buffer.vcOfClass[frame.trafficClass];
    InputFlowTable& flows = m_inputs[port].flows;
    const uint16_t number =
        flows.VirtualOutputQueue(output, m_config.lanes ? frame.trafficClass : vc);
    const QueuePlace place = Find({static_cast<uint16_t>(port), number});
    if (place.queue.IsEmpty())
    {
        place.queue.output = output;
        // All frames of one virtual output queue stay in their order, so they have one lane.
        SetChannel(place.queue, frame.trafficClass, port, output);
    }
    Join(place, frame, now);
    return output;
}

uint16_t
SwitchChip::JoinFlow(uint32_t port, const Frame& frame, TimePs now)
{
    InputPort& input = m_inputs[port];
    FlowRecord& record = input.flows.Open(frame.flow, frame.src, frame.dst, frame.dataFlow);
    if (record.TotalExtent() == 0)
    {
        // Nothing of the flow is under way, so another path can't bring it out of order (FC-11).
        const uint16_t output = ChooseOutput(frame, false);
        if (output == NO_OUTPUT)
        {
            Drop(port, frame, DropCause::NO_ROUTE, now);
            return NO_OUTPUT;
        }
        record.queue.output = output;
        record.trafficClass = frame.trafficClass;
        SetChannel(record.queue, frame.trafficClass, frame.src, frame.dst);
    }
    record.nextDataFlow += FlowUnits(frame.payload);
    if (m_config.congestion.hopCredits && !input.edge && m_meter.Joined(record, FreeBytes(input)))
    {
        record.creditDue = true;
        QueueAck(port, frame.flow, record, now);
    }
    const QueueRef ref{static_cast<uint16_t>(port), frame.flow};
    Join({ref, input, record.queue, &record}, frame, now);
    return record.queue.output;
}

uint16_t
SwitchChip::ChooseOutput(const Frame& frame, bool ordered)
{
    if (m_goesAround)
    {
        return ChooseAround(frame, ordered);
    }
    const PortRange range = m_routing.Route(frame.dst);
    if (range.count <= 1)
    {
        return range.count == 1 ? range.first : NO_OUTPUT;
    }
    if (ordered)
    {
        // By hash, so that the frames of one flow stay on one path. Each switch has its own salt:
        // the same bits would choose the same output at every tier.
        const uint32_t mixed = (frame.dataFlow ^ m_config.seed) * 0x9E3779B1U;
        return static_cast<uint16_t>(range.first + (uint64_t{mixed} * range.count >> 32));
    }
    // The least loaded output; among equals the first after a random one.
    const uint32_t start = static_cast<uint32_t>(m_random() % range.count);
    uint32_t best = range.first + start;
    for (uint32_t i = 1; i < range.count; ++i)
    {
        const uint32_t candidate = range.first + (start + i) % range.count;
        best = m_queuedBytes[candidate] < m_queuedBytes[best] ? candidate : best;
    }
    return static_cast<uint16_t>(best);
}

bool
SwitchChip::TryAdmit(uint32_t port, Frame frame, TimePs now)
{
    EdgePort& edge = *m_inputs[port].edge;
    if (!m_config.flowChannels.enabled ||
        (m_config.flowChannels.noFlowClasses >> frame.trafficClass & 1) != 0)
    {
        frame.flow = NO_FLOW;
        JoinVirtualOutputQueue(port, frame, now);
        return true;
    }
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
    JoinFlow(port, frame, now);
    return true;
}

void
SwitchChip::LetWait(uint32_t port, const Frame& frame, TimePs now)
{
    InputPort& input = m_inputs[port];
    input.edge->waiting.Push(frame);
    if (input.pause)
    {
        input.pause->BeginWait(WireBytes(frame.payload));
        PlanPause(port, now);
    }
}

void
SwitchChip::Admit(uint32_t port, const Frame& frame, TimePs now)
{
    if (!IsReachable(frame.dst))
    {
        Drop(port, frame, DropCause::NO_ROUTE, now);
        return;
    }
    EdgePort& edge = *m_inputs[port].edge;
    if (!edge.waiting.IsEmpty() || !TryAdmit(port, frame, now))
    {
        LetWait(port, frame, now);
    }
}

void
SwitchChip::AdmitWaiting(uint32_t port, TimePs now)
{
    InputPort& input = m_inputs[port];
    Ring<Frame>& waiting = input.edge->waiting;
    while (!waiting.IsEmpty())
    {
        const Frame frame = waiting.Front();
        const bool isLost = !IsReachable(frame.dst); // since a link has failed
        if (!isLost && !TryAdmit(port, frame, now))
        {
            return;
        }
        if (input.pause)
        {
            input.pause->EndWait(WireBytes(frame.payload));
            PlanPause(port, now);
        }
        waiting.Pop();
        if (isLost)
        {
            Drop(port, frame, DropCause::NO_ROUTE, now);
        }
    }
}

void
SwitchChip::CountDrop(uint32_t port, const Frame& frame, DropCause cause, TimePs now)
{
    if (m_observer)
    {
        m_observer->Dropped(port, frame, cause, now);
    }
    if (m_dropHandler)
    {
        m_dropHandler(frame);
    }
    m_counts.droppedPayload[static_cast<std::size_t>(cause)] += frame.payload;
    ++m_counts.droppedFrames;
}

void
SwitchChip::DropHeld(uint32_t port, const Frame& frame, DropCause cause, TimePs now)
{
    InputPort& input = m_inputs[port];
    CountDrop(port, frame, cause, now);
    Release(input, frame.vc, WireBytes(frame.payload), now);
    if (input.pause)
    {
        ReleasePausing(port, frame, now);
    }
}

void
SwitchChip::Drop(uint32_t port, const Frame& frame, DropCause cause, TimePs now)
{
    InputPort& input = m_inputs[port];
    DropHeld(port, frame, cause, now);
    if (frame.flow == NO_FLOW)
    {
        return;
    }
    const uint32_t units = FlowUnits(frame.payload);
    FlowRecord& record = input.flows.Open(frame.flow, frame.src, frame.dst, frame.dataFlow);
    // It neither waits here nor was it sent on; the counters pass over it.
    record.nextDataFlow += units;
    record.dataFlow += units;
    Acknowledge({static_cast<uint16_t>(port), frame.flow}, units, true, now);
}

void
SwitchChip::Receive(uint32_t port, const Frame& frame, TimePs now)
{
    InputPort& input = m_inputs[port];
    Hold(input, WireBytes(frame.payload));
    if (input.pause)
    {
        HoldPausing(port, frame, now);
    }
    if (m_observer)
    {
        m_observer->Arrived(port, frame, now);
    }
    if (frame.corrupt)
    {
        Drop(port, frame, DropCause::CORRUPT, now);
    }
    else if (input.edge)
    {
        Admit(port, frame, now);
    }
    else if (frame.flow != NO_FLOW)
    {
        JoinFlow(port, frame, now);
    }
    else
    {
        JoinVirtualOutputQueue(port, frame, now);
    }
}

void
SwitchChip::TakeFrameIn(uint32_t port, TimePs now)
{
    if (m_inputs[port].assembly)
    {
        TakeEntryIn(port, now);
        return;
    }
    Ring<Frame>& frames = m_inputs[port].link.Frames();
    if (!m_inputs[port].isCut || !LoseCutFrame(port, frames.Front(), now))
    {
        Receive(port, frames.Front(), now);
    }
    PopEntry(frames, Task::DATA, port);
}

} // namespace fabric
} // namespace ns3
