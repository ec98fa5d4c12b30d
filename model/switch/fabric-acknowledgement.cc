/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-acknowledgement.h"

namespace ns3::fabric
{

void
Acknowledgement::TakeRare(uint32_t port, Ack ack, TimePs now)
{
    if (ack.type == AckType::LINK_CONGESTION)
    {
        m_loads.Hear(port, ack, now);
        return;
    }
    const QueueRef ref = m_ports.outputs[port].flows.Source(ack.flow);
    if (ref == NO_QUEUE)
    {
        return;
    }
    if (ack.type == AckType::NEW_ENDPOINT_CONGESTION)
    {
        m_congestion.TakeSeverity(m_ports.Find(ref).OfFlow(), ack.ackFlow, now);
    }
    else if (ack.type == AckType::REROUTE && InputFlowTable::IsFlow(ref.queue) &&
             m_rerouting.Take(ref, ack.ackFlow, now))
    {
        Reroute(ref, now);
    }
}

void
Acknowledgement::HearWay(QueueRef ref, AckType type, uint32_t units, TimePs now)
{
    m_congestion.Hear(type, *m_ports.Find(ref).record);
    AcknowledgeQueue(ref, units, type == AckType::LOST, now);
}

void
Acknowledgement::AcknowledgeQueue(QueueRef ref, uint32_t units, bool lost, TimePs now)
{
    const QueuePlace place = m_ports.Find(ref);
    const QueueRef flow = place.Flow();
    if (place.IsWay())
    {
        place.Way().units -= units;
        place.input->flows.Ways()->Hear(flow.queue);
        m_crossbar.EndIdleWay(place, now);
    }
    Acknowledge(flow, units, lost, now);
}

void
Acknowledgement::LowerExtent(QueueRef ref, uint32_t units, bool lost, TimePs now)
{
    InputPort& input = m_ports.inputs[ref.input];
    FlowRecord& record = input.flows.At(ref.queue);
    record.ackFlow += units;
    if (input.edge)
    {
        m_congestion.LowerInjected(ref, units);
    }
    if ((record.state & (FlowRecord::FIRST_FLIGHT | FlowRecord::AWAITS_START)) != 0)
    {
        m_congestion.EndStart(m_ports.Find(ref), now);
    }
    if (record.TotalExtent() == 0)
    {
        HopMeter::LeavePath(record);
        if (record.outgoing != NO_FLOW)
        {
            m_crossbar.Release(m_ports.Find(ref), now);
        }
    }
    else
    {
        m_congestion.Acknowledged(ref, record, now);
    }
    if (input.edge)
    {
        m_congestion.GiveTurns(ref, now); // before the flow ends
        m_edge.Acknowledge(ref.input, ref.queue, units, lost, now);
    }
    else
    {
        (lost ? record.unsentLosses : record.unsentAcks) += units;
        m_acks.Owe(ref.input, ref.queue, lost ? FlowRecord::LOSSES : FlowRecord::ACKS, now);
    }
}

void
Acknowledgement::Acknowledge(QueueRef ref, uint32_t units, bool lost, TimePs now)
{
    const FlowRecord& record = m_ports.inputs[ref.input].flows.At(ref.queue);
    if (record.FlowExtent() == units && WaitsForTail(ref, record, units, lost))
    {
        return;
    }
    const bool leaves = (record.queue.holds & InputQueue::CHANGES_PATH) != 0 &&
                        record.FlowExtent() == units && !record.queue.IsEmpty();
    LowerExtent(ref, units, lost, now);
    if (leaves)
    {
        LeavePath(ref, now);
    }
}

bool
Acknowledgement::WaitsForTail(QueueRef ref, const FlowRecord& record, uint32_t units, bool lost)
{
    const OutputPort& output = m_ports.outputs[record.queue.output];
    PortWire::Sending* sending =
        output.Is(OutputPort::IN_PIECES) ? output.wire->SendingFrom(ref) : nullptr;
    if (sending)
    {
        sending->ackUnits = units;
        sending->ackLost = lost;
    }
    return sending != nullptr;
}

void
Acknowledgement::PassOver(QueueRef ref, uint32_t units, TimePs now)
{
    m_congestion.PassOver(m_ports.Find(ref), units);
    Acknowledge(ref, units, true, now);
}

void
Acknowledgement::LeavePath(QueueRef ref, TimePs now)
{
    const QueueRef flow = m_ports.Find(ref).Flow();
    if (const uint32_t lost = m_paths.Leave(ref, now); lost != 0)
    {
        m_congestion.PassOver(m_ports.Find(flow), lost);
        m_congestion.Dropped(m_ports.Find(flow), now);
        LowerExtent(flow, lost, true, now);
    }
}

void
Acknowledgement::Reroute(QueueRef ref, TimePs now)
{
    const QueuePlace place = m_ports.Find(ref);
    m_crossbar.Remove(place, now);
    place.record->state |= FlowRecord::REROUTED;
    LeavePath(ref, now);
}

} // namespace ns3::fabric
