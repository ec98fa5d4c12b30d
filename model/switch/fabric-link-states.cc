/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-link-states.h"

#include <algorithm>

namespace ns3::fabric
{

void
LinkStates::Fail(uint32_t port, TimePs now)
{
    m_states.resize(m_ports.count);
    m_states[port] = {now, false};
    OutputPort& output = m_ports.outputs[port];
    output.transmitter.Credits().SetAwaited(false);
    output.owesGreeting = false;
    output.transmitter.Block();
    m_ports.inputs[port].link.SetCut(true);
}

bool
LinkStates::Repair(uint32_t port)
{
    m_states[port].isRepaired = true;
    return !m_ports.inputs[port].link.IsCut();
}

bool
LinkStates::EndCut(uint32_t port, TimePs now)
{
    if (now < m_states[port].failedAt + QuietTime(port))
    {
        return false; // it has failed again
    }
    m_ports.inputs[port].link.SetCut(false);
    return m_states[port].isRepaired;
}

void
LinkStates::BringUp(uint32_t port, TimePs now)
{
    OutputPort& output = m_ports.outputs[port];
    output.transmitter.Open(now);
    if (PauseController* pause = m_ports.inputs[port].pause.get())
    {
        pause->LinkUp();
    }
    if (output.obeyed)
    {
        output.obeyed->LinkUp(now);
    }
    if (output.nic && m_ports.inputs[port].edge->fgfc)
    {
        m_ports.inputs[port].edge->fgfc->TellAll();
        output.speaksFirst |= OutputPort::TELLS_FLOWS; // all may have been told often enough
    }
    m_clock.PlanDecision(port, now);
    if (!output.nic)
    {
        GreetWhenReady(port, now);
    }
}

void
LinkStates::GreetWhenReady(uint32_t port, TimePs now)
{
    InputPort& input = m_ports.inputs[port];
    const bool isUp = m_states[port].isRepaired && !input.link.IsCut();
    if (isUp && input.isOrphaned && input.flows.InUse() == 0)
    {
        input.isOrphaned = false;
        input.flows.RestartAcks();
        OutputPort& output = m_ports.outputs[port];
        if (output.wire && !output.transmitter.IsBlocked())
        {
            output.owesGreeting = true; // a frame may be on the wire
            m_clock.PlanDecision(port, now);
            return;
        }
        const TimePs start = output.transmitter.Greet(now);
        if (m_observer)
        {
            m_observer->AcksSent(port, {}, start);
        }
    }
}

bool
LinkStates::Cuts(uint32_t port, const Frame& frame) const
{
    return m_ports.inputs[port].sender->TailIn(frame) > m_states[port].failedAt;
}

TimePs
LinkStates::QuietTime(uint32_t port) const
{
    // That of the slower direction, so that both ends take the same.
    return std::max(m_ports.outputs[port].transmitter.Quiet(),
                    m_ports.inputs[port].sender->Quiet());
}

} // namespace ns3::fabric
