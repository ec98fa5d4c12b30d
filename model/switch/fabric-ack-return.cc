/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ack-return.h"

#include "fabric-ack-frame.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

/// An ACK says a position modulo 256 (WL-2).
constexpr uint32_t MOST_UNITS_PER_ACK = 255;

} // namespace

void
AckReturn::Owe(uint32_t port, FlowId flow, uint8_t debt, TimePs now)
{
    FlowRecord& record = m_ports.inputs[port].flows.At(flow);
    const bool stands = record.owes != 0;
    record.owes |= debt;
    if (m_ports.inputs[port].isOrphaned)
    {
        Discard(port, flow, record, now);
    }
    else if (!stands)
    {
        OutputPort& output = m_ports.outputs[port];
        output.transmitter.FetchAckEnd(); // the ACK is sent soon
        output.acks.Add(flow, now);
        const bool isFull = output.acks.Size() >= MAX_ACKS_PER_FRAME;
        const TimePs due = isFull ? now : output.acks.DueWhenIdle(m_timers);
        m_clock.PlanDecision(port, std::max({now, due, output.transmitter.FreeAt()}));
    }
}

void
AckReturn::Orphan(uint32_t port, TimePs now)
{
    InputPort& input = m_ports.inputs[port];
    input.isOrphaned = true;
    m_ports.outputs[port].acks.Clear();
    for (uint32_t id = 1; id < input.flows.Records().size(); ++id)
    {
        FlowRecord& record = input.flows.At(static_cast<FlowId>(id));
        if (record.Is(FlowRecord::OPEN))
        {
            Discard(port, static_cast<FlowId>(id), record, now);
        }
    }
}

void
AckReturn::Discard(uint32_t port, FlowId flow, FlowRecord& record, TimePs now)
{
    record.unsentAcks = record.unsentLosses = record.unsentCredit = 0;
    record.owes = 0;
    record.state &= ~FlowRecord::METERS_UPSTREAM;
    if (record.TotalExtent() == 0)
    {
        Close(port, flow, now);
        m_links.GreetWhenReady(port, now);
    }
}

void
AckReturn::Close(uint32_t port, FlowId flow, TimePs now)
{
    if (m_observer)
    {
        m_observer->Ended(port, flow, now);
    }
    InputFlowTable& flows = m_ports.inputs[port].flows;
    if (const FlowRecord& record = flows.At(flow); record.movedAt != 0)
    {
        m_past.Leave(record, now);
    }
    flows.Close(flow);
}

Ack
AckReturn::TakeAck(FlowId flow, FlowRecord& record)
{
    constexpr uint32_t WORDS = FlowRecord::SEVERITY | FlowRecord::REROUTE | FlowRecord::CREDIT;
    // What ends the channel upstream comes last of all: its id is another flow's then.
    const bool maySayAcks = (record.owes & ~WORDS) != 0 && record.TotalExtent() != 0;
    if ((record.owes & WORDS) != 0 && !(maySayAcks && record.Is(FlowRecord::ACKS_COME_NEXT)))
    {
        record.state |= FlowRecord::ACKS_COME_NEXT;
        return TakeWord(flow, record);
    }
    record.state &= ~FlowRecord::ACKS_COME_NEXT;
    const bool isLoss = (record.owes & FlowRecord::LOSSES) != 0;
    uint32_t& unsent = isLoss ? record.unsentLosses : record.unsentAcks;
    const uint32_t units = std::min(unsent, MOST_UNITS_PER_ACK);
    unsent -= units;
    if (unsent == 0)
    {
        record.owes &= ~(isLoss ? FlowRecord::LOSSES : FlowRecord::ACKS);
    }
    const AckType left =
        record.severity == 0 ? AckType::NORMAL : AckType::PERSISTENT_ENDPOINT_CONGESTION;
    return {flow, isLoss ? AckType::LOST : left, record.told.TellLeft(units)};
}

Ack
AckReturn::TakeWord(FlowId flow, FlowRecord& record)
{
    if ((record.owes & FlowRecord::SEVERITY) != 0)
    {
        record.owes &= ~FlowRecord::SEVERITY;
        return {flow, AckType::NEW_ENDPOINT_CONGESTION, record.severity};
    }
    if ((record.owes & FlowRecord::REROUTE) != 0)
    {
        record.owes &= ~FlowRecord::REROUTE;
        return {flow, AckType::REROUTE, record.choicesToReach};
    }
    record.owes &= ~FlowRecord::CREDIT;
    const uint32_t credit = HopMeter::TakeCredit(record);
    return {flow, AckType::HEADROOM, record.told.TellCredit(credit)};
}

void
AckReturn::Send(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    InputFlowTable& flows = m_ports.inputs[port].flows;
    // Each flow that waits gives one ACK; what is left of it waits for the next frame.
    const uint32_t count = std::min(output.acks.Size(), MAX_ACKS_PER_FRAME);
    const auto next = [&] {
        const FlowId flow = output.acks.Take();
        FlowRecord& record = flows.At(flow);
        const Ack ack = TakeAck(flow, record);
        if (record.owes != 0)
        {
            output.acks.Add(flow, now);
        }
        else if (record.TotalExtent() == 0)
        {
            Close(port, flow, now);
        }
        return ack;
    };
    if (SendAckFrame(output.transmitter, count, now, next, AckTeller{m_observer, port}))
    {
        output.acks.Restart(now);
    }
}

} // namespace ns3::fabric
