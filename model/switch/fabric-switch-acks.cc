/* SPDX-License-Identifier: GPL-2.0-only */

// The way of ACKs and hop credits upstream.

#include "fabric-switch-chip.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

namespace
{

/// An ACK's amount has 8 bits (WL-2).
constexpr uint32_t MOST_UNITS_PER_ACK = 255;

} // namespace

void
SwitchChip::QueueAck(uint32_t port, FlowId flow, FlowRecord& record, TimePs now)
{
    OutputPort& output = m_outputs[port];
    if (m_inputs[port].isOrphaned)
    {
        DiscardAcks(port, flow, record, now);
    }
    else if (!record.ackQueued)
    {
        record.ackQueued = true;
        output.transmitter.FetchPeer(); // the ACK is sent soon
        output.acks.Add(flow, now);
        const bool isFull = output.acks.Size() >= MAX_ACKS_PER_FRAME;
        const TimePs due = isFull ? now : output.acks.DueWhenIdle(m_config.ackTimers);
        PlanDecision(port, std::max({now, due, output.transmitter.FreeAt()}));
    }
}

void
SwitchChip::ReleaseOutgoing(FlowRecord& record, TimePs now)
{
    OutputPort& output = m_outputs[record.queue.output];
    output.flows.Release(record.outgoing, now);
    record.outgoing = NO_FLOW;
    record.metered = record.leavesPath = false;
    if (!output.lackingId.IsEmpty())
    {
        // The one that waited longest gets it at once, else a flow listed before it would take it.
        const QueueRef ref = output.lackingId.Front();
        output.lackingId.Pop();
        const QueuePlace heir = Find(ref);
        heir.record->outgoing = output.flows.Allocate(ref, now);
        heir.queue.listed = false;
        List(heir, now);
    }
}

void
SwitchChip::Acknowledge(QueueRef ref, uint32_t units, bool lost, TimePs now)
{
    InputPort& input = m_inputs[ref.input];
    FlowRecord& record = input.flows.At(ref.queue);
    record.ackFlow += units;
    if (record.TotalExtent() == 0 && record.outgoing != NO_FLOW)
    {
        ReleaseOutgoing(record, now);
    }
    const bool leaves = record.leavesPath && record.FlowExtent() == 0;
    if (!input.edge)
    {
        (lost ? record.unsentLosses : record.unsentAcks) += units;
        QueueAck(ref.input, ref.queue, record, now);
    }
    else if (input.edge->table.Acknowledge(ref.queue, units))
    {
        input.flows.Close(ref.queue);
        AdmitWaiting(ref.input, now);
    }
    if (leaves)
    {
        LeavePath(ref, now);
    }
}

void
SwitchChip::HandleAcks(uint32_t port, const AckBatch& batch, TimePs now)
{
    for (uint32_t i = 0; i < batch.count; ++i)
    {
        const Ack& ack = batch.acks[i];
        const QueueRef ref = m_outputs[port].flows.Source(ack.flow);
        if (LowersFlowExtent(ack.type))
        {
            Acknowledge(ref, ack.amount, ack.type == AckType::LOST, now);
        }
        else if (ack.type == AckType::HEADROOM && !(ref == NO_QUEUE))
        {
            const QueuePlace place = Find(ref);
            if (place.record->leavesPath)
            {
                continue;
            }
            HopMeter::Receive(*place.record, ack.amount);
            if (!place.queue.listed && !place.queue.IsEmpty())
            {
                List(place, now);
            }
        }
    }
}

void
SwitchChip::TakeAcksIn(uint32_t port, TimePs now)
{
    Ring<AckBatch>& acks = m_inputs[port].link.Acks();
    const AckBatch& batch = acks.Front();
    if (m_inputs[port].isCut)
    {
        m_counts.lostAcks += batch.count;
    }
    else if (batch.count != 0)
    {
        HandleAcks(port, batch, now);
    }
    else
    {
        TakeGreeting(port, now);
    }
    PopEntry(acks, Task::CONTROL, port);
}

Ack
SwitchChip::TakeAck(FlowId flow, FlowRecord& record)
{
    if (record.creditDue)
    {
        record.creditDue = false;
        return {flow, AckType::HEADROOM, HopMeter::TakeCredit(record)};
    }
    uint32_t& units = record.unsentLosses != 0 ? record.unsentLosses : record.unsentAcks;
    const AckType type = record.unsentLosses != 0 ? AckType::LOST : AckType::NORMAL;
    const uint32_t amount = std::min(units, MOST_UNITS_PER_ACK);
    units -= amount;
    return {flow, type, static_cast<uint8_t>(amount)};
}

void
SwitchChip::SendAcks(uint32_t port, TimePs now)
{
    OutputPort& output = m_outputs[port];
    InputFlowTable& flows = m_inputs[port].flows;
    // Each flow that waits gives one ACK; what is left of it waits for the next frame.
    const uint32_t count = std::min(output.acks.Size(), MAX_ACKS_PER_FRAME);
    AckBatch batch;
    batch.time = output.transmitter.StartControl(AckFrameBytes(count), now);
    for (uint32_t i = 0; i < count; ++i)
    {
        const FlowId flow = output.acks.Take();
        FlowRecord& record = flows.At(flow);
        if (batch.IsFull())
        {
            output.transmitter.PushAcks(batch);
            batch.count = 0;
        }
        batch.Add(TakeAck(flow, record));
        if (record.HasAcks())
        {
            output.acks.Add(flow, now);
            continue;
        }
        record.ackQueued = false;
        if (record.TotalExtent() == 0)
        {
            flows.Close(flow);
        }
    }
    output.transmitter.PushAcks(batch);
    output.acks.Restart(now);
}

} // namespace fabric
} // namespace ns3
