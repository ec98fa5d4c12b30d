/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-credit-frames.h"

#include "fabric-nic.h"

#include <algorithm>

namespace ns3::fabric
{

void
CreditFrames::Connect(uint32_t port, const CreditSettings& settings, uint32_t channels)
{
    InputPort& input = m_ports.inputs[port];
    input.creditReturn = std::make_unique<CreditReturn>(settings, channels);
    input.unusual |= InputPort::TELLS_CREDITS;
    OutputPort& output = m_ports.outputs[port];
    output.speaksFirst |= OutputPort::MAY_ALWAYS;
    if (output.nic && output.nic->Config().receive.HoldBack())
    {
        output.nic->UseCreditFrames(settings, channels, *this);
    }
}

void
CreditFrames::Leave(uint32_t port, uint32_t vc, uint32_t bytes, TimePs end)
{
    CreditReturn& credits = *m_ports.inputs[port].creditReturn;
    if (credits.Leave(vc, bytes, end))
    {
        const TimePs free = m_ports.outputs[port].transmitter.FreeAt();
        m_clock.PlanDecision(port, std::max(credits.DueAt(), free));
    }
}

void
CreditFrames::TakeCredits(uint32_t port, const CreditOrder& order, TimePs start)
{
    if (m_observer)
    {
        m_observer->HostCredits(port, order, start);
    }
}

bool
CreditFrames::Send(uint32_t port, TimePs now)
{
    InputPort& input = m_ports.inputs[port];
    CreditReturn& credits = *input.creditReturn;
    if (!credits.IsDue(now))
    {
        m_clock.PlanDecision(port, credits.DueAt());
        return false;
    }
    Transmitter& link = m_ports.outputs[port].transmitter;
    const auto tell = [&](const CreditOrder& order) {
        if (m_observer)
        {
            m_observer->CreditsSent(port, order, now);
        }
    };
    SendCreditFrame(link, credits, input.credits, now, m_clock.WindowStart(), tell);
    m_clock.PlanDecision(port, link.FreeAt());
    return true;
}

} // namespace ns3::fabric
