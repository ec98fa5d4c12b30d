/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-exchange-plan.h"

#include "fabric-require.h"

#include <algorithm>
#include <limits>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t MOST_RANKS = std::numeric_limits<uint32_t>::max() / 2; ///< Of an exchange.

/// Adds a round of a job to that of all jobs. @param first rank that is the job's
void
AddJob(ExchangeRound& all, const ExchangeRound& round, uint32_t first)
{
    const auto numberOf = [&](uint32_t strand) {
        return strand / round.Ranks() * all.Ranks() + first + strand % round.Ranks();
    };
    if (!round.awaiting.empty())
    {
        all.awaiting.resize(all.sends.size());
    }
    for (uint32_t strand = 0; strand < round.sends.size(); ++strand)
    {
        if (round.Awaits(strand))
        {
            all.awaiting[numberOf(strand)] = true;
        }
        for (ExchangeMessage message : round.sends[strand])
        {
            message.to = numberOf(message.to);
            all.Add(numberOf(strand), message);
        }
    }
}

} // namespace

std::vector<uint32_t>
ExchangeRound::Arrivals() const
{
    std::vector<uint32_t> arrivals(sends.size(), 0);
    for (const std::vector<ExchangeMessage>& messages : sends)
    {
        for (const ExchangeMessage& message : messages)
        {
            ++arrivals[message.to];
        }
    }
    return arrivals;
}

uint64_t
ExchangeRound::Messages() const
{
    uint64_t messages = 0;
    for (const std::vector<ExchangeMessage>& ofRank : sends)
    {
        messages += ofRank.size();
    }
    return messages;
}

std::set<std::pair<uint32_t, uint32_t>>
PairsOf(const ExchangePlan& plan)
{
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    for (const ExchangeRound& round : plan)
    {
        for (uint32_t from = 0; from < round.sends.size(); ++from)
        {
            for (const ExchangeMessage& message : round.sends[from])
            {
                pairs.emplace(from % round.Ranks(), message.to % round.Ranks());
            }
        }
    }
    return pairs;
}

ExchangePlan
PlanJobs(const std::vector<const ExchangePlan*>& plans)
{
    RequireRange("PlanJobs()", "the number of jobs", plans.size(), 1, MOST_RANKS);
    uint32_t ranks = 0;
    uint32_t strands = 1;
    std::size_t rounds = 0;
    for (const ExchangePlan* plan : plans)
    {
        rounds = std::max(rounds, plan->size());
        ranks += plan->empty() ? 0 : plan->front().Ranks();
        strands = plan->empty() ? strands : std::max(strands, plan->front().strands);
    }
    ExchangePlan all(rounds, EmptyRound(ranks, strands));
    uint32_t first = 0;
    for (const ExchangePlan* plan : plans)
    {
        for (std::size_t round = 0; round < plan->size(); ++round)
        {
            AddJob(all[round], plan->at(round), first);
        }
        first += plan->empty() ? 0 : plan->front().Ranks();
    }
    const ExchangePlan& one = *plans.front();
    const bool areAlike =
        std::all_of(plans.begin(), plans.end(), [&one](const auto* plan) { return plan == &one; });
    for (std::size_t round = 0; round < rounds && areAlike; ++round)
    {
        all[round].carried = one[round].carried;
    }
    return all;
}

ExchangePlan
PlanJobs(const ExchangePlan& plan, uint32_t jobs)
{
    return PlanJobs(std::vector<const ExchangePlan*>(jobs, &plan));
}

ExchangePlan
PlanRing(const std::vector<uint32_t>& ring, uint64_t bytes, uint32_t messages)
{
    const std::size_t ranks = ring.size();
    RequireRange("PlanRing()", "the number of ranks", ranks, 2, MOST_RANKS);
    ExchangeRound round = EmptyRound(static_cast<uint32_t>(ranks));
    for (std::size_t i = 0; i < ranks; ++i)
    {
        std::vector<ExchangeMessage>& sends = round.sends[ring[i]];
        for (uint32_t n = 0; n < messages; ++n)
        {
            sends.push_back({ring[(i + ranks - 1) % ranks], bytes});
            sends.push_back({ring[(i + 1) % ranks], bytes});
        }
    }
    return {round};
}

} // namespace ns3::fabric
