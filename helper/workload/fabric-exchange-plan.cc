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
                pairs.emplace(from, message.to);
            }
        }
    }
    return pairs;
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

ExchangePlan
PlanAllreduce(uint32_t ranks, uint64_t bytes)
{
    RequireRange("PlanAllreduce()", "the number of ranks", ranks, 2, MOST_RANKS);
    uint32_t doubling = 1;
    while (doubling * 2 <= ranks)
    {
        doubling *= 2;
    }
    // The first of each of so many pairs of ranks stands apart while the others double.
    const uint32_t pairs = ranks - doubling;
    const auto rankOf = [pairs](uint32_t i) { return i < pairs ? 2 * i + 1 : i + pairs; };
    const ExchangeRound empty = EmptyRound(ranks);
    ExchangeRound before = empty;
    ExchangeRound after = empty;
    for (uint32_t pair = 0; pair < pairs; ++pair)
    {
        before.sends[2 * pair].push_back({2 * pair + 1, bytes});
        after.sends[2 * pair + 1].push_back({2 * pair, bytes});
    }
    ExchangePlan plan;
    for (uint32_t distance = 1; distance < doubling; distance *= 2)
    {
        plan.push_back(empty);
        for (uint32_t i = 0; i < doubling; ++i)
        {
            plan.back().sends[rankOf(i)].push_back({rankOf(i ^ distance), bytes});
        }
    }
    if (pairs > 0)
    {
        plan.insert(plan.begin(), before);
        plan.push_back(after);
    }
    return plan;
}

} // namespace ns3::fabric
