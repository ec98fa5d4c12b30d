/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-collective-player.h"

#include "ns3/simulator.h"

#include <utility>

namespace ns3::fabric
{

CollectivePlayer::CollectivePlayer(ExchangePlan plan, CollectiveTransport& transport)
    : m_exchange(std::move(plan), 1),
      m_transport(transport),
      m_messages(m_exchange.GetMessages())
{
    transport.SetArrivalCallback([this](uint64_t number) { Receive(number); });
}

void
CollectivePlayer::Start()
{
    m_transport.Open([this] {
        m_isBegun = true;
        m_begin = m_end = Simulator::Now().GetPicoSeconds();
        Send(m_exchange.Start(m_begin));
    });
}

void
CollectivePlayer::Receive(uint64_t number)
{
    ++m_arrived;
    m_end = Simulator::Now().GetPicoSeconds();
    const Sent sent = m_sent[number];
    Send(m_exchange.Receive(sent.to, sent.round, m_end));
    Send(m_exchange.Deliver(sent.from, sent.round, m_end));
}

void
CollectivePlayer::Send(const std::vector<Exchange::Send>& sends)
{
    for (const Exchange::Send& send : sends)
    {
        m_sent.push_back({send.from, send.to, static_cast<uint32_t>(send.round)});
        m_transport.Send({send.from, send.to, send.bytes, m_sent.size() - 1});
    }
}

double
CollectivePlayer::GetDone() const
{
    return m_messages == 0 ? 1 : static_cast<double>(m_arrived) / static_cast<double>(m_messages);
}

std::vector<TimePs>
CollectivePlayer::GetRankTimes() const
{
    std::vector<TimePs> times;
    for (const std::vector<TimePs>& ofRank : m_exchange.GetTimes())
    {
        times.push_back(ofRank.front());
    }
    return times;
}

} // namespace ns3::fabric
