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
    std::vector<uint32_t> arrivals(destinations.size(), 0);
    for (const std::vector<uint32_t>& ranks : destinations)
    {
        for (const uint32_t rank : ranks)
        {
            ++arrivals[rank];
        }
    }
    return arrivals;
}

uint64_t
ExchangeRound::Messages() const
{
    uint64_t messages = 0;
    for (const std::vector<uint32_t>& ranks : destinations)
    {
        messages += ranks.size();
    }
    return messages;
}

ExchangePlan
PlanRing(const std::vector<uint32_t>& ring, uint64_t bytes, uint32_t messages)
{
    const std::size_t ranks = ring.size();
    RequireRange("PlanRing()", "the number of ranks", ranks, 2, MOST_RANKS);
    ExchangeRound round{bytes, std::vector<std::vector<uint32_t>>(ranks)};
    for (std::size_t i = 0; i < ranks; ++i)
    {
        std::vector<uint32_t>& destinations = round.destinations[ring[i]];
        for (uint32_t n = 0; n < messages; ++n)
        {
            destinations.push_back(ring[(i + ranks - 1) % ranks]);
            destinations.push_back(ring[(i + 1) % ranks]);
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
    const ExchangeRound empty{bytes, std::vector<std::vector<uint32_t>>(ranks)};
    ExchangeRound before = empty;
    ExchangeRound after = empty;
    for (uint32_t pair = 0; pair < pairs; ++pair)
    {
        before.destinations[2 * pair].push_back(2 * pair + 1);
        after.destinations[2 * pair + 1].push_back(2 * pair);
    }
    ExchangePlan plan;
    for (uint32_t distance = 1; distance < doubling; distance *= 2)
    {
        plan.push_back(empty);
        for (uint32_t i = 0; i < doubling; ++i)
        {
            plan.back().destinations[rankOf(i)].push_back(rankOf(i ^ distance));
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
