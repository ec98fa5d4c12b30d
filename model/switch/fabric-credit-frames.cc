/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-credit-frames.h"

#include <algorithm>

namespace ns3::fabric
{

void
CreditFrames::Connect(uint32_t port, const CreditSettings& settings, uint32_t channels)
{
    InputPort& input = m_ports.inputs[port];
    input.creditReturn = std::make_unique<CreditReturn>(settings, channels);
    input.unusual |= InputPort::TELLS_CREDITS;
    m_ports.outputs[port].speaksFirst = true;
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
    const Attempt attempt = link.TryControl(CreditFrameBytes(credits.Channels()), now);
    if (attempt != Attempt::LATER)
    {
        link.StartCredits(credits.Channels(), now);
        CreditOrder order = credits.Take();
        order.damaged = attempt == Attempt::DAMAGED;
        if (m_observer)
        {
            m_observer->CreditsSent(port, order, now);
        }
        if (order.damaged)
        {
            link.LoseCredits();
            credits.Lose(now);
        }
        else
        {
            const TimePs tail = link.FreeAt();
            credits.Arrive([&](uint32_t vc, uint32_t bytes) {
                input.credits.Return(vc, bytes, tail, m_clock.WindowStart());
            });
        }
    }
    m_clock.PlanDecision(port, link.FreeAt());
    return true;
}

} // namespace ns3::fabric
