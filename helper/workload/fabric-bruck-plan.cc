/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-bruck-plan.h"

#include <algorithm>
#include <utility>

namespace ns3::fabric
{

ExchangePlan
PlanBruckAllgather(uint32_t ranks, uint64_t bytes)
{
    ExchangePlan plan;
    for (uint32_t step = 1; step < ranks; step *= 2)
    {
        const uint32_t parts = std::min(step, ranks - step);
        plan.push_back(EmptyRound(ranks));
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            const uint64_t begin = PartBegin(bytes, ranks, rank);
            const uint32_t end = rank + parts;
            const uint64_t sent = end <= ranks
                                      ? PartBegin(bytes, ranks, end) - begin
                                      : bytes - begin + PartBegin(bytes, ranks, end - ranks);
            plan.back().Add(rank, {(rank + ranks - step) % ranks, sent, begin});
        }
    }
    return plan;
}

ExchangePlan
PlanBruckAlltoall(uint32_t ranks, uint64_t bytes)
{
    ExchangePlan plan;
    for (uint32_t step = 1; step < ranks; step *= 2)
    {
        ExchangeRound round = EmptyRound(ranks);
        uint64_t sent = 0;
        for (uint32_t first = step; first < ranks; first += 2 * step) // those with the step's bit
        {
            const uint32_t end = std::min(first + step, ranks);
            round.carried.push_back(
                {PartBegin(bytes, ranks, first - 1), PartBegin(bytes, ranks, end - 1)});
            sent += round.carried.back().end - round.carried.back().begin;
        }
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            round.Add(rank, {(rank + step) % ranks, sent});
        }
        plan.push_back(std::move(round));
    }
    return plan;
}

} // namespace ns3::fabric
