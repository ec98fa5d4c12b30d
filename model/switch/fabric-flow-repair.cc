/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-repair.h"

#include "fabric-ack-frame.h"

#include <algorithm>
#include <memory>

namespace ns3::fabric
{

namespace
{

/// ACKs that an answer may have.
constexpr uint32_t ACKS_PER_ANSWER = 4;

} // namespace

void
FlowRepair::Watch(uint32_t port, TimePs interval)
{
    OutputPort& output = m_ports.outputs[port];
    output.speaksFirst |= OutputPort::MAY_ALWAYS;
    output.losesAcks = true;
    m_checks.resize(m_ports.count);
    m_checks[port] = std::make_unique<FlowChecks>(interval);
}

bool
FlowRepair::Send(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    if (!m_checks[port]->ToAnswer().IsEmpty())
    {
        Answer(port, now);
        return true;
    }
    if (output.flows.InUse() == 0 || m_checks[port]->DueAt(now) > now)
    {
        return false;
    }
    if (m_checks[port]->Silent().IsEmpty())
    {
        m_checks[port]->Check(output.flows, now, [this, port](FlowId id) { return See(port, id); });
    }
    if (m_checks[port]->Silent().IsEmpty())
    {
        return false;
    }
    Ask(port, now);
    return true;
}

void
FlowRepair::Plan(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    if (!m_checks[port]->ToAnswer().IsEmpty())
    {
        m_clock.PlanDecision(port, std::max(now, output.transmitter.FreeAt()));
    }
    else if (output.flows.InUse() != 0)
    {
        m_clock.PlanDecision(port,
                             std::max(m_checks[port]->DueAt(now), output.transmitter.FreeAt()));
    }
}

FlowChecks::Snapshot
FlowRepair::See(uint32_t port, FlowId flow) const
{
    const OutputFlowTable& flows = m_ports.outputs[port].flows;
    const QueueRef ref = flows.Source(flow);
    const uint32_t dataFlow = m_ports.Find(ref).record->dataFlow;
    return {flows.Uses(flow), flows.Heard(flow), dataFlow, IsSending(port, ref)};
}

bool
FlowRepair::IsSending(uint32_t port, QueueRef ref) const
{
    const OutputPort& output = m_ports.outputs[port];
    bool isSending = output.wire && output.wire->SendingFrom(ref);
    const QueueRef flow = m_ports.Find(ref).Flow();
    m_granted.ForEach([&](const GrantedFrame& granted) {
        isSending = isSending || (granted.output == port && granted.flow == flow);
    });
    return isSending;
}

void
FlowRepair::Ask(uint32_t port, TimePs now)
{
    Ring<FlowId>& silent = m_checks[port]->Silent();
    const uint32_t count = std::min(silent.Size(), MAX_ACKS_PER_FRAME);
    const uint8_t word = CheckWord(CHECK_ASKS, m_checks[port]->Number());
    const auto next = [&silent, word] {
        const Ack ack{silent.Front(), AckType::CHECK, word};
        silent.Pop();
        return ack;
    };
    SendAckFrame(m_ports.outputs[port].transmitter, count, now, next, AckTeller{m_observer, port});
}

void
FlowRepair::Answer(uint32_t port, TimePs now)
{
    InputFlowTable& flows = m_ports.inputs[port].flows;
    Ring<FlowChecks::Asked>& asked = m_checks[port]->ToAnswer();
    const uint32_t count = std::min(asked.Size(), MAX_ACKS_PER_FRAME / ACKS_PER_ANSWER);
    uint32_t part = 0;
    const auto next = [&]() -> Ack {
        const FlowId flow = asked.Front().flow;
        const uint8_t number = asked.Front().number;
        const FlowRecord& record = flows.Ensure(flow);
        const bool isOver = !record.Is(FlowRecord::OPEN);
        const bool meters = record.Is(FlowRecord::METERS_UPSTREAM);
        switch (part++)
        {
        case 0:
            return {flow, AckType::HEADROOM, record.told.credit};
        case 1: // what was said before this began metering, if there was none
            return {flow, AckType::HEADROOM, meters ? record.told.credit : ALL_CREDIT};
        case 2:
            return {flow, AckType::NORMAL, record.told.left};
        default:
            asked.Pop();
            part = 0;
            return {flow,
                    AckType::CHECK,
                    CheckWord(isOver ? CHECK_IS_OVER : CHECK_GOES_ON, number)};
        }
    };
    SendAckFrame(m_ports.outputs[port].transmitter,
                 ACKS_PER_ANSWER * count,
                 now,
                 next,
                 AckTeller{m_observer, port});
}

void
FlowRepair::Take(uint32_t port, const AckBatch& batch, TimePs now)
{
    for (uint32_t i = 0; i < batch.count; ++i)
    {
        if (batch.acks[i].type == AckType::CHECK)
        {
            TakeCheck(port, batch.acks[i], now);
        }
    }
}

void
FlowRepair::TakeCheck(uint32_t port, const Ack& ack, TimePs now)
{
    const uint8_t what = WhatOfCheck(ack.ackFlow);
    const uint8_t number = NumberOfCheck(ack.ackFlow);
    if (what == CHECK_ASKS)
    {
        m_checks[port]->ToAnswer().Push({ack.flow, number});
        Plan(port, now);
    }
    else if (what == CHECK_IS_OVER && !(m_ports.outputs[port].flows.Source(ack.flow) == NO_QUEUE) &&
             m_checks[port]->IsAsAsked(ack.flow, number, See(port, ack.flow)))
    {
        End(port, ack.flow, now);
    }
}

void
FlowRepair::End(uint32_t port, FlowId flow, TimePs now)
{
    const QueueRef ref = m_ports.outputs[port].flows.Source(flow);
    const QueuePlace place = m_ports.Find(ref);
    m_congestion.TakeCredit(place, ALL_CREDIT, now);
    if (const uint32_t units = place.UnderWay(); units != 0)
    {
        m_acknowledgement.AcknowledgeQueue(ref, units, false, now);
    }
}

} // namespace ns3::fabric
