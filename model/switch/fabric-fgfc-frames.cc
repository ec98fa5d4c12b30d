/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fgfc-frames.h"

#include "fabric-fgfc-frame.h"
#include "fabric-hop-meter.h"
#include "fabric-nic.h"

#include <algorithm>

namespace ns3::fabric
{

void
FgfcFrames::Connect(uint32_t port)
{
    EdgePort& edge = *m_ports.inputs[port].edge;
    edge.fgfc = std::make_unique<FgfcTeller>(m_settings.pauseTime, m_settings.repeats);
    edge.nic.UseRestraints([&edge](const FlowKey& key) { return edge.table.PatternOf(key); });
}

void
FgfcFrames::Plan(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    output.speaksFirst |= OutputPort::TELLS_FLOWS;
    m_clock.PlanDecision(port, std::max(now, output.transmitter.FreeAt()));
}

void
FgfcFrames::Begin(QueueRef ref, uint32_t queue, TimePs now)
{
    EdgePort& edge = *m_ports.inputs[ref.input].edge;
    const uint32_t flow = edge.nic.OpenFlow(queue);
    edge.fgfc->Begin(ref.queue, flow, FgfcFrameBytes(edge.nic.Restraints()->Pattern(flow)));
    Plan(ref.input, now);
}

void
FgfcFrames::Change(FlowRecord& record, QueueRef ref, TimePs now)
{
    if (!record.Is(FlowRecord::METERS_UPSTREAM))
    {
        record.unsentCredit = 0; // the host needs no word of it
        End(ref, now);
        return;
    }
    FgfcTeller& teller = *m_ports.inputs[ref.input].edge->fgfc;
    bool isDue = teller.Moved(ref.queue);
    if (record.unsentCredit >= m_settings.creditUnits)
    {
        teller.Tell(ref.queue);
        isDue = true;
    }
    if (isDue)
    {
        Plan(ref.input, now);
    }
}

void
FgfcFrames::End(QueueRef ref, TimePs now)
{
    m_ports.inputs[ref.input].edge->fgfc->End(ref.queue);
    Plan(ref.input, now);
}

bool
FgfcFrames::Send(uint32_t port, TimePs now)
{
    InputPort& input = m_ports.inputs[port];
    OutputPort& output = m_ports.outputs[port];
    FgfcTeller& teller = *input.edge->fgfc;
    if (!teller.IsDue(now))
    {
        const TimePs next = teller.NextTime();
        output.speaksFirst &= next == NEVER ? ~OutputPort::TELLS_FLOWS : ~0U;
        m_clock.PlanDecision(port, next);
        return false;
    }
    const uint32_t flow = teller.Next();
    const uint32_t bytes = teller.NextBytes();
    const Attempt attempt = output.transmitter.TryControl(bytes, now);
    if (attempt != Attempt::LATER)
    {
        FgfcOrder order;
        order.flow = flow;
        order.told = now;
        if (const FgfcTeller::Word word = teller.Take(now); word.channel != NO_FLOW)
        {
            order.lasts = word.pause;
            order.credit = HopMeter::TakeCredit(input.flows.At(word.channel));
        }
        order.time = output.transmitter.StartFgfc(bytes, attempt, now) + m_settings.responseTime;
        if (m_observer)
        {
            m_observer->FlowRestrained(port, order, now);
        }
        if (attempt == Attempt::CLEAN)
        {
            output.nic->Restrain(order);
        }
    }
    m_clock.PlanDecision(port, output.transmitter.FreeAt());
    return true;
}

} // namespace ns3::fabric
