/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-control-sender.h"

namespace ns3::fabric
{

void
ControlSender::LookAtFlows(uint32_t port, TimePs now)
{
    const OutputPort& output = m_ports.outputs[port];
    if ((output.speaksFirst & OutputPort::PACES_FLOWS) != 0)
    {
        m_congestion.ReleasePaced(port, now);
    }
    if ((output.speaksFirst & OutputPort::MAY_BE_OVERLOADED) != 0)
    {
        if (const QueueRef leaves = m_rerouting.Look(port, now); !(leaves == NO_QUEUE))
        {
            m_acknowledgement.Reroute(leaves, now);
        }
    }
}

bool
ControlSender::SendOfBuffer(uint32_t port, TimePs now)
{
    const InputPort& input = m_ports.inputs[port];
    return (input.pause && m_pauses.Send(port, now)) ||
           (input.Is(InputPort::TELLS_CREDITS) && m_credits.Send(port, now));
}

bool
ControlSender::Send(uint32_t port, TimePs now)
{
    LookAtFlows(port, now);
    const OutputPort& output = m_ports.outputs[port];
    const bool isSent =
        ((output.speaksFirst & OutputPort::MAY_ALWAYS) != 0 && SendOfBuffer(port, now)) ||
        ((output.speaksFirst & OutputPort::TELLS_FLOWS) != 0 && m_fgfc.Send(port, now)) ||
        ((output.speaksFirst & OutputPort::TELLS_LOADS) != 0 && m_telling.Send(port, now));
    if (isSent || !output.losesAcks || !m_repair.Send(port, now))
    {
        return isSent;
    }
    m_clock.PlanDecision(port, output.transmitter.FreeAt());
    return true;
}

} // namespace ns3::fabric
