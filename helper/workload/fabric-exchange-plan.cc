/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-exchange-plan.h"

#include "fabric-require.h"

#include <limits>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t MOST_RANKS = std::numeric_limits<uint32_t>::max() / 2; ///< Of an exchange.

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
PlanJobs(ExchangePlan plan, uint32_t jobs)
{
    RequireRange("PlanJobs()", "the number of jobs", jobs, 1, MOST_RANKS);
    if (jobs == 1)
    {
        return plan;
    }
    ExchangePlan all;
    for (const ExchangeRound& round : plan)
    {
        const uint32_t ranks = round.Ranks();
        all.push_back(EmptyRound(ranks * jobs, round.strands));
        all.back().awaitsDelivery = round.awaitsDelivery;
        all.back().carried = round.carried;
        for (uint32_t job = 0; job < jobs; ++job)
        {
            const auto numberOf = [ranks, jobs, job](uint32_t strand) {
                return (strand / ranks * jobs + job) * ranks + strand % ranks;
            };
            for (uint32_t strand = 0; strand < round.sends.size(); ++strand)
            {
                for (ExchangeMessage message : round.sends[strand])
                {
                    message.to = numberOf(message.to);
                    all.back().Add(numberOf(strand), message);
                }
            }
        }
    }
    return all;
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
