/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-exchange.h"

#include "fabric-require.h"

#include <utility>

namespace ns3::fabric
{

Exchange::Exchange(ExchangePlan plan, uint32_t iterations)
    : m_plan(std::move(plan)),
      m_rounds(m_plan.size() * iterations)
{
    RequireRange("Exchange", "the number of rounds", m_rounds, 1, uint64_t{1} << 32);
    for (const ExchangeRound& round : m_plan)
    {
        m_awaited.push_back(round.Arrivals());
        for (uint32_t rank = 0; rank < round.sends.size(); ++rank)
        {
            m_awaited.back()[rank] +=
                round.Awaits(rank) ? static_cast<uint32_t>(round.sends[rank].size()) : 0;
        }
    }
    m_ranks.resize(m_awaited.front().size());
    m_times.resize(m_ranks.size());
    m_atWork = static_cast<uint32_t>(m_ranks.size());
}

std::vector<Exchange::Send>
Exchange::Start(uint32_t first, uint32_t ranks, TimePs now)
{
    std::vector<Send> sends;
    for (uint32_t number = 0; number < m_ranks.size(); ++number)
    {
        if (number % GetRanks() - first < ranks) // wraps for those before the first
        {
            m_ranks[number].isAtWork = true;
            m_ranks[number].begun = now;
            Enter(number, sends);
            Proceed(number, now, sends);
        }
    }
    return sends;
}

std::vector<Exchange::Send>
Exchange::Receive(uint32_t rank, uint64_t round, TimePs now)
{
    ++m_ranks[rank].came[round];
    std::vector<Send> sends;
    if (m_ranks[rank].isAtWork)
    {
        Proceed(rank, now, sends);
    }
    return sends;
}

void
Exchange::Enter(uint32_t number, std::vector<Send>& sends) const
{
    const uint64_t round = m_ranks[number].round;
    for (const ExchangeMessage& message : m_plan[round % m_plan.size()].sends[number])
    {
        sends.push_back({message, number, round});
    }
}

void
Exchange::Proceed(uint32_t number, TimePs now, std::vector<Send>& sends)
{
    Rank& rank = m_ranks[number];
    while (rank.round < m_rounds &&
           rank.came[rank.round] == m_awaited[rank.round % m_plan.size()][number])
    {
        rank.came.erase(rank.round);
        if (++rank.round % m_plan.size() == 0)
        {
            m_times[number].push_back(now - rank.begun);
            rank.begun = now;
        }
        if (rank.round < m_rounds)
        {
            Enter(number, sends);
        }
        else
        {
            --m_atWork;
        }
    }
}

uint64_t
Exchange::GetMessages() const
{
    uint64_t messages = 0;
    for (const ExchangeRound& round : m_plan)
    {
        messages += round.Messages();
    }
    return messages * (m_rounds / m_plan.size());
}

uint64_t
Exchange::MessagesInIteration(uint32_t rank) const
{
    uint64_t messages = 0;
    for (const ExchangeRound& round : m_plan)
    {
        messages += round.sends[rank].size();
    }
    return messages;
}

uint64_t
Exchange::RoundOf(uint32_t rank, uint64_t message) const
{
    const uint64_t each = MessagesInIteration(rank);
    uint64_t round = message / each * m_plan.size();
    for (uint64_t left = message % each; left >= m_plan[round % m_plan.size()].sends[rank].size();)
    {
        left -= m_plan[round++ % m_plan.size()].sends[rank].size();
    }
    return round;
}

} // namespace ns3::fabric
