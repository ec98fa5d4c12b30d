/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-load-telling.h"

#include "fabric-ack-frame.h"
#include "fabric-ack-teller.h"
#include "fabric-load-code.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::fabric
{

void
LoadTelling::Start(std::shared_ptr<const DestinationGroups> groups)
{
    if (!m_settings.isOn)
    {
        return;
    }
    m_groups = std::move(groups);
    const std::size_t count = m_groups->End();
    m_values.assign(count, 0);
    m_own.assign(m_ports.count, 0);
    m_known.resize(m_ports.count);
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        Port& known = m_known[port];
        m_hasHosts = m_hasHosts || m_ports.outputs[port].nic;
        known.isToSwitch = m_ports.inputs[port].sender && !m_ports.outputs[port].nic;
        if (known.isToSwitch)
        {
            known.heard.assign(count, 0);
            known.told.assign(count, 0);
            known.isWay.assign(count, false);
            m_ports.outputs[port].speaksFirst |= OutputPort::TELLS_LOADS;
        }
    }
    m_routing.SetPathLoads(this);
}

uint32_t
LoadTelling::OwnLoad(uint32_t port) const
{
    const OutputPort& output = m_ports.outputs[port];
    return m_known[port].isToSwitch
               ? FlowLoad(output.flows.InUse(), output.transmitter.Rate().BitsPerSecond())
               : 0;
}

uint32_t
LoadTelling::Heard(uint32_t port, LocationId dst) const
{
    const Port& known = m_known[port];
    return known.isToSwitch ? DecodeLoad(known.heard[m_groups->Of(dst)]) : 0;
}

uint32_t
LoadTelling::LoadBy(uint32_t port, LocationId dst) const
{
    return OwnLoad(port) + Heard(port, dst);
}

uint32_t
LoadTelling::TurnOf(LocationId dst) const
{
    const FlowId group = m_groups->Of(dst);
    return m_hasHosts ? static_cast<uint32_t>(dst - m_groups->HostOf(group)) : group - 1U;
}

void
LoadTelling::Hear(uint32_t port, const Ack& ack, TimePs now)
{
    if (IsOn() && ack.flow < m_values.size() && m_known[port].isToSwitch)
    {
        m_known[port].heard[ack.flow] = ack.ackFlow;
        Wake(now);
    }
}

void
LoadTelling::Forget(uint32_t port)
{
    if (IsOn() && m_known[port].isToSwitch)
    {
        std::fill(m_known[port].heard.begin(), m_known[port].heard.end(), 0);
        std::fill(m_known[port].told.begin(), m_known[port].told.end(), 0);
    }
}

void
LoadTelling::RenewGroup(FlowId group)
{
    Frame frame{};
    frame.dst = m_groups->HostOf(group);
    uint64_t sum = 0;
    uint32_t ways = 0;
    m_routing.ForEachWay(0, frame, [&](uint16_t port) {
        Port& way = m_known[port];
        if (way.isToSwitch)
        {
            way.isWay[group] = true;
            sum += m_own[port] + DecodeLoad(way.heard[group]);
            ++ways;
        }
    });
    m_values[group] = EncodeLoad(ways == 0 ? 0 : sum / ways);
}

void
LoadTelling::Renew(TimePs now)
{
    if (m_renewedAt >= 0 && now - m_renewedAt < m_settings.time / 2)
    {
        return;
    }
    m_renewedAt = now;
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        m_own[port] = OwnLoad(port);
        m_known[port].isWay.assign(m_known[port].isWay.size(), false);
    }
    for (uint32_t group = 1; group < m_values.size(); ++group)
    {
        RenewGroup(static_cast<FlowId>(group));
    }
}

void
LoadTelling::Wake(TimePs now)
{
    for (uint32_t port = 0; port < m_ports.count; ++port)
    {
        Port& known = m_known[port];
        if (known.isToSwitch && known.dueAt == NEVER)
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
    Renew(now);
    Port& known = m_known[port];
    m_words.clear();
    for (uint32_t group = 1; group < m_values.size(); ++group)
    {
        if (!known.isWay[group] && known.told[group] != m_values[group] &&
            m_words.size() < MAX_ACKS_PER_FRAME)
        {
            m_words.push_back(
                {static_cast<FlowId>(group), AckType::LINK_CONGESTION, m_values[group]});
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
    if (known.dueAt > now)
    {
        if (known.dueAt == NEVER)
        {
            Wake(now);
        }
        else
        {
            m_clock.PlanDecision(port, known.dueAt);
        }
        return false;
    }
    if (!Tell(port, now))
    {
        return false;
    }
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
        known.told[m_words[i].flow] = m_words[i].ackFlow;
    }
    m_clock.PlanDecision(port, std::max(link.FreeAt(), now));
    return true;
}

} // namespace ns3::fabric
