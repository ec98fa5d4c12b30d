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
constexpr uint32_t ACKS_PER_ANSWER = 3;

} // namespace

void
FlowRepair::Watch(uint32_t port, TimePs interval)
{
    OutputPort& output = m_ports.outputs[port];
    output.speaksFirst = output.losesAcks = true;
    m_checks.resize(m_ports.count);
    m_checks[port] = std::make_unique<FlowChecks>(interval);
}

bool
FlowRepair::Send(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    if (!m_checks[port]->Asked().IsEmpty())
    {
        return Answer(port, now);
    }
    if (output.flows.InUse() == 0 || m_checks[port]->DueAt(now) > now)
    {
        return false;
    }
    if (m_checks[port]->Silent().IsEmpty())
    {
        m_checks[port]->Check(output.flows, now, [this, port](FlowId id) { return See(port, id); });
    }
    return !m_checks[port]->Silent().IsEmpty() && Ask(port, now);
}

void
FlowRepair::Plan(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    if (!m_checks[port]->Asked().IsEmpty())
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
    return {flows.Uses(flow), flows.Heard(flow), m_ports.Find(ref).record->dataFlow};
}

bool
FlowRepair::Ask(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    Ring<FlowId>& silent = m_checks[port]->Silent();
    const uint32_t count = std::min(silent.Size(), MAX_ACKS_PER_FRAME);
    AckFrame frame(output.transmitter, count, now);
    if (frame.IsDelayed())
    {
        return true;
    }
    for (uint32_t i = 0; i < count; ++i, silent.Pop())
    {
        frame.Add({silent.Front(), AckType::CHECK, CHECK_ASKS});
    }
    return true;
}

bool
FlowRepair::Answer(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    InputFlowTable& flows = m_ports.inputs[port].flows;
    Ring<FlowId>& asked = m_checks[port]->Asked();
    const uint32_t count = std::min(asked.Size(), MAX_ACKS_PER_FRAME / ACKS_PER_ANSWER);
    AckFrame frame(output.transmitter, ACKS_PER_ANSWER * count, now);
    if (frame.IsDelayed())
    {
        return true;
    }
    for (uint32_t i = 0; i < count; ++i, asked.Pop())
    {
        const FlowId flow = asked.Front();
        const FlowRecord& record = flows.Ensure(flow);
        const bool isOver = !record.Is(FlowRecord::OPEN);
        const bool meters = record.Is(FlowRecord::METERS_UPSTREAM);
        frame.Add({flow, AckType::HEADROOM, isOver || meters ? record.told.credit : ALL_CREDIT});
        frame.Add({flow, AckType::NORMAL, record.told.left});
        frame.Add({flow, AckType::CHECK, isOver ? CHECK_IS_OVER : CHECK_GOES_ON});
    }
    return true;
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
    OutputPort& output = m_ports.outputs[port];
    if (ack.ackFlow == CHECK_ASKS)
    {
        m_checks[port]->Asked().Push(ack.flow);
        m_clock.PlanDecision(port, std::max(now, output.transmitter.FreeAt()));
    }
    else if (ack.ackFlow == CHECK_IS_OVER && !(output.flows.Source(ack.flow) == NO_QUEUE) &&
             m_checks[port]->IsAsAsked(ack.flow, See(port, ack.flow)))
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
    if (const uint32_t units = place.record->FlowExtent(); units != 0)
    {
        m_acknowledgement.Acknowledge(ref, units, false, now);
    }
}

} // namespace ns3::fabric
