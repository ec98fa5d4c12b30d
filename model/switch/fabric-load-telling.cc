/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-load-telling.h"

#include "fabric-ack-frame.h"
#include "fabric-ack-teller.h"

#include <algorithm>
#include <utility>

namespace ns3::fabric
{

void
LoadTelling::Start(std::shared_ptr<const DestinationGroups> groups, const LoadScale& scale)
{
    if (!m_settings.isOn)
    {
        return;
    }
    m_scale = scale;
    if (const PathRule* paths = m_routing.Routes().Paths())
    {
        m_links = std::make_unique<LinkLoads>(m_ports, m_clock, m_loads, *paths);
        m_routing.SetNextLoads(m_links.get());
        m_told = m_links.get();
    }
    else
    {
        m_groups = std::make_unique<GroupLoads>(m_ports,
                                                m_routing,
                                                m_settings,
                                                std::move(groups),
                                                m_scale);
        m_routing.SetPathLoads(m_groups.get());
        m_told = m_groups.get();
    }
    m_known.resize(m_ports.count);
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        Port& known = m_known[port];
        known.isTold = m_told->IsTold(port);
        known.told.assign(known.isTold ? m_told->End() : 0, 0);
        if (known.isTold || m_told->DependsOn(port))
        {
            m_ports.outputs[port].speaksFirst |= OutputPort::TELLS_LOADS;
        }
    }
}

void
LoadTelling::Hear(uint32_t port, const Ack& ack, TimePs now)
{
    if (m_told && m_told->Hear(port, ack))
    {
        Wake(now);
    }
}

void
LoadTelling::Forget(uint32_t port)
{
    if (m_told && m_known[port].isTold)
    {
        m_told->Forget(port);
        std::fill(m_known[port].told.begin(), m_known[port].told.end(), 0);
    }
}

void
LoadTelling::Wake(TimePs now)
{
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        Port& known = m_known[port];
        if (known.isTold && known.dueAt == NEVER)
        {
            known.dueAt = now + m_settings.time;
            m_clock.PlanDecision(port,
                                 std::max(known.dueAt, m_ports.outputs[port].transmitter.FreeAt()));
        }
    }
}

bool
LoadTelling::Tell(uint32_t port, TimePs now)
{
    const std::vector<uint8_t>& values = m_told->Look(now);
    Port& known = m_known[port];
    m_words.clear();
    for (uint32_t number = 1; number < values.size(); ++number)
    {
        const auto flow = static_cast<FlowId>(number);
        if (known.told[number] != values[number] && m_told->IsFor(port, flow) &&
            m_words.size() < MAX_ACKS_PER_FRAME)
        {
            m_words.push_back({flow, AckType::LINK_CONGESTION, values[number]});
        }
    }
    known.dueAt = m_words.empty()                        ? NEVER
                  : m_words.size() == MAX_ACKS_PER_FRAME ? now
                                                         : now + m_settings.time;
    return !m_words.empty();
}

bool
LoadTelling::Send(uint32_t port, TimePs now)
{
    Port& known = m_known[port];
    if (!known.isTold || known.dueAt == NEVER)
    {
        Wake(now);
        return false;
    }
    if (known.dueAt > now)
    {
        m_clock.PlanDecision(port, known.dueAt);
        return false;
    }
    if (!Tell(port, now))
    {
        m_told->Watch(now);
        return false;
    }
    SendWords(port, now);
    return true;
}

void
LoadTelling::SendWords(uint32_t port, TimePs now)
{
    Transmitter& link = m_ports.outputs[port].transmitter;
    const uint64_t lost = link.Errors() ? link.Errors()->Counts().lostAcks : 0;
    uint32_t next = 0;
    SendAckFrame(
        link,
        static_cast<uint32_t>(m_words.size()),
        now,
        [&] { return m_words[next++]; },
        AckTeller{m_observer, port});
    const bool isIn = next != 0 && (!link.Errors() || link.Errors()->Counts().lostAcks == lost);
    for (uint32_t i = 0; isIn && i < m_words.size(); ++i)
    {
        m_known[port].told[m_words[i].flow] = m_words[i].ackFlow;
    }
    m_clock.PlanDecision(port, std::max(link.FreeAt(), now));
}

} // namespace ns3::fabric
