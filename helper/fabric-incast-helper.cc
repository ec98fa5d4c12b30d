/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-incast-helper.h"

#include "fabric-message-sender-helper.h"

#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

#include <stdexcept>
#include <string>

namespace ns3
{

namespace
{

/// The receivers of incast and victim, and the victim's sender, take no part as senders.
constexpr uint32_t HOSTS_APART = 3;

} // namespace

IncastHelper::IncastHelper(uint32_t senders, uint64_t bytes)
    : m_senders(senders),
      m_bytes(bytes)
{
}

void
IncastHelper::SetStart(Time start, Time jitter)
{
    m_start = start;
    m_jitter = jitter;
}

void
IncastHelper::SetVictim(uint64_t bytes, Time interval)
{
    m_victimBytes = bytes;
    m_victimInterval = interval;
}

void
IncastHelper::SetStream(int64_t stream)
{
    m_stream = stream;
}

uint32_t
IncastHelper::GetMaxSenders(const FabricContainer& fabric)
{
    const uint32_t hosts = fabric.hosts.GetN();
    return hosts > HOSTS_APART ? hosts - HOSTS_APART : 0;
}

std::vector<uint32_t>
IncastHelper::GetSenders(const FabricContainer& fabric) const
{
    const uint32_t candidates = GetMaxSenders(fabric);
    if (candidates == 0)
    {
        throw std::invalid_argument("the fabric has " + std::to_string(fabric.hosts.GetN()) +
                                    " hosts, and none that sends beside the receiver and the "
                                    "victim's ends; allowed are " +
                                    std::to_string(HOSTS_APART + 1) + " hosts or more");
    }
    if (m_senders < 1 || m_senders > candidates)
    {
        throw std::invalid_argument("senders is " + std::to_string(m_senders) + "; a fabric of " +
                                    std::to_string(fabric.hosts.GetN()) + " hosts allows 1 to " +
                                    std::to_string(candidates) +
                                    " beside the receiver and the victim's ends");
    }
    std::vector<uint32_t> senders;
    for (uint64_t i = 0; i < m_senders; ++i)
    {
        senders.push_back(VICTIM_RECEIVER + 1 + static_cast<uint32_t>(i * candidates / m_senders));
    }
    return senders;
}

std::vector<Time>
IncastHelper::GetStarts() const
{
    auto jitter = CreateObject<UniformRandomVariable>();
    jitter->SetStream(m_stream);
    std::vector<Time> starts;
    for (uint32_t i = 0; i < m_senders; ++i)
    {
        const double later = jitter->GetValue(0, static_cast<double>(m_jitter.GetPicoSeconds()));
        starts.push_back(m_start + PicoSeconds(static_cast<int64_t>(later)));
    }
    return starts;
}

ApplicationContainer
IncastHelper::Install(const FabricContainer& fabric) const
{
    ApplicationContainer applications;
    FabricMessageSenderHelper incast(m_bytes);
    incast.SetAttribute("Tag", UintegerValue(INCAST_TAG));
    const std::vector<uint32_t> senders = GetSenders(fabric);
    const std::vector<Time> starts = GetStarts();
    for (std::size_t i = 0; i < senders.size(); ++i)
    {
        const Ptr<Application> sender = incast.Install(fabric, senders[i], RECEIVER);
        sender->SetStartTime(starts[i]);
        applications.Add(sender);
    }
    if (m_victimBytes != 0)
    {
        FabricMessageSenderHelper victim(m_victimBytes);
        victim.SetAttribute("Tag", UintegerValue(VICTIM_TAG));
        victim.SendOnEvery(m_victimInterval);
        applications.Add(victim.Install(fabric, fabric.hosts.GetN() - 1, VICTIM_RECEIVER));
    }
    return applications;
}

} // namespace ns3
