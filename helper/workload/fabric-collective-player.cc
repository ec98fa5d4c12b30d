/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-collective-player.h"

#include "fabric-rank-link.h"
#include "fabric-require.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// Refuses what ranks of MPI can't do: a sender is told of a delivery at once, on its own only.
ExchangePlan
RequirePlan(ExchangePlan plan)
{
    const bool awaits = std::any_of(plan.begin(), plan.end(), [](const ExchangeRound& round) {
        return !round.awaiting.empty();
    });
    if (awaits && RankCount() > 1)
    {
        throw std::invalid_argument("CollectivePlayer: a rank of the plan awaits that others have "
                                    "what it sends; allowed are other plans on several ranks of "
                                    "MPI");
    }
    return plan;
}

} // namespace

CollectivePlayer::CollectivePlayer(ExchangePlan plan, CollectiveTransport& transport)
    : m_exchange(RequirePlan(std::move(plan)), 1),
      m_transport(transport),
      m_messages(m_exchange.GetMessages()),
      m_delays(m_exchange.GetRanks(), 0),
      m_timesOfRanks(m_exchange.GetRanks(), 0)
{
    transport.SetArrivalCallback([this](uint64_t tag) { Receive(tag); });
}

void
CollectivePlayer::Delay(uint32_t rank, TimePs delay)
{
    RequireIndex("CollectivePlayer::Delay()", "rank", rank, m_delays.size());
    m_delays[rank] = delay;
}

void
CollectivePlayer::Start()
{
    m_transport.Open([this] {
        m_isBegun = true;
        m_begin = m_end = Simulator::Now().GetPicoSeconds();
        uint32_t next = 0;
        for (uint32_t first = 0; first < m_delays.size(); first = next)
        {
            while (next < m_delays.size() && m_delays[next] == m_delays[first])
            {
                ++next;
            }
            Begin(first, next - first);
        }
    });
}

void
CollectivePlayer::Begin(uint32_t first, uint32_t ranks)
{
    const auto send = [this, first, ranks] {
        Send(m_exchange.Start(first, ranks, Simulator::Now().GetPicoSeconds()));
    };
    if (m_delays[first] == 0)
    {
        send();
    }
    else
    {
        Simulator::Schedule(PicoSeconds(m_delays[first]), send);
    }
}

void
CollectivePlayer::Receive(uint64_t tag)
{
    ++m_arrived;
    m_end = Simulator::Now().GetPicoSeconds();
    const uint64_t strands = m_exchange.GetTimes().size();
    const uint64_t round = tag / strands / strands;
    Send(m_exchange.Receive(static_cast<uint32_t>(tag % strands), round, m_end));
    Send(m_exchange.Deliver(static_cast<uint32_t>(tag / strands % strands), round, m_end));
}

void
CollectivePlayer::Send(const std::vector<Exchange::Send>& sends)
{
    const uint64_t strands = m_exchange.GetTimes().size();
    const auto ranks = static_cast<uint32_t>(m_timesOfRanks.size());
    for (const Exchange::Send& send : sends)
    {
        if (!m_transport.IsElsewhere(send.from % ranks))
        {
            // No running number: on ranks of MPI who receives has not seen what is sent elsewhere.
            const uint64_t tag = (send.round * strands + send.from) * strands + send.to;
            m_transport.Send({send.from % ranks, send.to % ranks, send.bytes, tag});
        }
    }
}

void
CollectivePlayer::AddRanks()
{
    std::vector<uint64_t> times{static_cast<uint64_t>(m_end)};
    for (const TimePs time : GetRankTimes())
    {
        times.push_back(static_cast<uint64_t>(time));
    }
    const std::vector<uint64_t> latest = MostOfRanks(times);
    m_end = static_cast<TimePs>(latest.front());
    m_timesOfRanks.assign(latest.begin() + 1, latest.end());
    m_arrived = SumOverRanks({m_arrived}).front();
}

double
CollectivePlayer::GetDone() const
{
    return m_messages == 0 ? 1 : static_cast<double>(m_arrived) / static_cast<double>(m_messages);
}

std::vector<TimePs>
CollectivePlayer::GetRankTimes() const
{
    std::vector<TimePs> times = m_timesOfRanks;
    for (std::size_t strand = 0; strand < m_exchange.GetTimes().size(); ++strand)
    {
        const std::vector<TimePs>& here = m_exchange.GetTimes()[strand];
        TimePs& ofRank = times[strand % times.size()];
        ofRank = here.empty() ? ofRank : std::max(ofRank, here.front());
    }
    return times;
}

} // namespace ns3::fabric
