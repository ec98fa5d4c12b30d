/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-recursive-plan.h"

#include "fabric-power-of-two-ranks.h"
#include "fabric-require.h"

#include <limits>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t MOST_DOUBLING_RANKS =
    std::numeric_limits<uint32_t>::max() / 2; ///< Of an exchange.

/// Parts of a buffer that are beside each other.
struct PartRange
{
    uint32_t first; ///< The first one.
    uint32_t count; ///< How many.
};

/**
 * @param size ranks and parts, a power of two
 * @param exchanged distances below this one are done, a power of two
 * @return what a rank is left with: at each distance, the upper half if it is the upper one
 */
PartRange
PartsLeft(uint32_t size, uint32_t rank, uint32_t exchanged)
{
    PartRange range{0, size};
    for (uint32_t distance = 1; distance < exchanged; distance *= 2)
    {
        range.count /= 2;
        range.first += (rank & distance) != 0 ? range.count : 0;
    }
    return range;
}

/**
 * Ranks at a distance send each other what one of both is left with.
 *
 * @param plan gets a round
 * @param adds whether that is the receiver, who adds it; else the sender
 */
void
AddHalves(ExchangePlan& plan,
          uint32_t ranks,
          const PowerOfTwoRanks& powerOfTwo,
          uint64_t bytes,
          uint32_t distance,
          bool adds)
{
    const uint32_t size = powerOfTwo.Size();
    plan.push_back(EmptyRound(ranks));
    for (uint32_t i = 0; i < size; ++i)
    {
        const uint32_t to = i ^ distance;
        const PartRange half = PartsLeft(size, adds ? to : i, 2 * distance);
        const uint64_t begin = PartBegin(bytes, size, half.first);
        const uint64_t end = PartBegin(bytes, size, half.first + half.count);
        plan.back().Add(powerOfTwo.RankOf(i), {powerOfTwo.RankOf(to), end - begin, begin, adds});
    }
}

} // namespace

ExchangePlan
PlanAllreduce(uint32_t ranks, uint64_t bytes)
{
    RequireRange("PlanAllreduce()", "the number of ranks", ranks, 2, MOST_DOUBLING_RANKS);
    const PowerOfTwoRanks doubling(ranks);
    ExchangePlan plan;
    doubling.AddBefore(plan, bytes);
    for (uint32_t distance = 1; distance < doubling.Size(); distance *= 2)
    {
        plan.push_back(EmptyRound(ranks));
        for (uint32_t i = 0; i < doubling.Size(); ++i)
        {
            plan.back().Add(doubling.RankOf(i), {doubling.RankOf(i ^ distance), bytes, 0, true});
        }
    }
    doubling.AddAfter(plan, bytes);
    return plan;
}

ExchangePlan
PlanHalvingAllreduce(uint32_t ranks, uint64_t bytes)
{
    const PowerOfTwoRanks powerOfTwo(ranks);
    ExchangePlan plan;
    powerOfTwo.AddBefore(plan, bytes);
    for (uint32_t distance = 1; distance < powerOfTwo.Size(); distance *= 2)
    {
        AddHalves(plan, ranks, powerOfTwo, bytes, distance, true);
    }
    for (uint32_t distance = powerOfTwo.Size() / 2; distance > 0; distance /= 2)
    {
        AddHalves(plan, ranks, powerOfTwo, bytes, distance, false);
    }
    powerOfTwo.AddAfter(plan, bytes);
    return plan;
}

} // namespace ns3::fabric
