/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-collective-plan.h"

#include "fabric-binomial-tree.h"
#include "fabric-bruck-plan.h"
#include "fabric-pipeline-plan.h"
#include "fabric-recursive-plan.h"
#include "fabric-require.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t MOST_COLLECTIVE_RANKS = std::numeric_limits<uint32_t>::max() / 8; ///< Of a plan.
constexpr uint32_t MOST_PIECES = 1U << 30; ///< Of a buffer.

/**
 * Parts of the buffer go round the ring of all ranks, each as far as the last rank that has not had
 * it.
 *
 * @param plan gets a round for each step
 * @param first a rank begins with the part so much above its own number
 * @param adds whether ranks add what they get
 */
void
AddRing(ExchangePlan& plan, uint32_t ranks, uint64_t bytes, uint32_t first, bool adds)
{
    for (uint32_t step = 0; step + 1 < ranks; ++step)
    {
        ExchangeRound round = EmptyRound(ranks);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            const uint32_t part = (rank + first + ranks - step) % ranks;
            const uint64_t begin = PartBegin(bytes, ranks, part);
            const uint64_t end = PartBegin(bytes, ranks, part + 1);
            round.Add(rank, {(rank + 1) % ranks, end - begin, begin, adds});
        }
        plan.push_back(std::move(round));
    }
}

/// Whole buffers go up the binomial tree, from the leaves on. @param plan gets a round for each
/// level
void
AddReduce(ExchangePlan& plan, uint32_t ranks, uint64_t bytes)
{
    const BinomialTree tree(ranks);
    for (uint32_t step = 1; step < ranks; step *= 2)
    {
        ExchangeRound round = EmptyRound(ranks);
        for (uint32_t rank = step; rank < ranks; rank += 2 * step)
        {
            round.Add(rank, {tree.ParentOf(rank), bytes, 0, true});
        }
        plan.push_back(std::move(round));
    }
}

/// Whole buffers go down the binomial tree, to the largest subtree first. A host's NIC would give
/// turns to all at once, and all would come late. @param plan gets a round for each level
void
AddBroadcast(ExchangePlan& plan, uint32_t ranks, uint64_t bytes)
{
    const BinomialTree tree(ranks);
    uint32_t step = 1;
    while (step * 2 < ranks)
    {
        step *= 2;
    }
    for (; step > 0; step /= 2)
    {
        ExchangeRound round = EmptyRound(ranks);
        round.AwaitDeliveries();
        for (uint32_t rank = step; rank < ranks; rank += 2 * step)
        {
            round.Add(tree.ParentOf(rank), {rank, bytes});
        }
        plan.push_back(std::move(round));
    }
}

/// Each rank sends a part to each other one, all at once, so that no rank waits for another. @param
/// plan gets one round
void
AddParts(ExchangePlan& plan, uint32_t ranks, uint64_t bytes)
{
    ExchangeRound round = EmptyRound(ranks);
    for (uint32_t distance = 1; distance < ranks; ++distance)
    {
        const uint64_t begin = PartBegin(bytes, ranks, distance - 1);
        const uint64_t end = PartBegin(bytes, ranks, distance);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            round.Add(rank, {(rank + distance) % ranks, end - begin, begin});
        }
    }
    plan.push_back(std::move(round));
}

/// Each rank sends a face to each neighbour in a box. @param plan gets one round
void
AddFaces(ExchangePlan& plan, uint32_t ranks, uint64_t bytes)
{
    ExchangeRound round = EmptyRound(ranks);
    uint32_t stride = 1;
    uint64_t begin = 0;
    for (const uint32_t width : MostCubic(ranks))
    {
        for (const uint32_t step : {width - 1, 1U}) // one back in the ring, one on
        {
            for (uint32_t rank = 0; rank < ranks && width > 1; ++rank)
            {
                const uint32_t place = rank / stride % width;
                const uint32_t to = rank + (place + step) % width * stride - place * stride;
                round.Add(rank, {to, bytes, begin});
            }
            begin += bytes;
        }
        stride *= width;
    }
    plan.push_back(std::move(round));
}

} // namespace

std::array<uint32_t, 3>
MostCubic(uint32_t ranks)
{
    RequireRange("MostCubic()", "the number of ranks", ranks, 1, MOST_COLLECTIVE_RANKS);
    std::array<uint32_t, 3> best{ranks, 1, 1};
    const auto sum = [](const std::array<uint32_t, 3>& box) {
        return uint64_t{box[0]} + box[1] + box[2];
    };
    for (uint32_t least = 1; uint64_t{least} * least * least <= ranks; ++least)
    {
        const uint32_t rest = ranks / least;
        for (uint32_t middle = least; uint64_t{middle} * middle <= rest; ++middle)
        {
            const std::array<uint32_t, 3> box{rest / middle, middle, least};
            if (ranks % least == 0 && rest % middle == 0 && sum(box) < sum(best))
            {
                best = box;
            }
        }
    }
    return best;
}

ExchangePlan
PlanCollective(Collective collective, uint32_t ranks, uint64_t bytes, uint32_t pieces)
{
    RequireRange("PlanCollective()", "the number of ranks", ranks, 1, MOST_COLLECTIVE_RANKS);
    RequireRange("PlanCollective()",
                 "the number of pieces",
                 pieces,
                 1,
                 HasPieces(collective) ? MOST_PIECES : 1);
    ExchangePlan plan;
    switch (collective)
    {
    case Collective::ALLREDUCE_RING:
        AddRing(plan, ranks, bytes, 0, true);
        AddRing(plan, ranks, bytes, 1, false); // rank r has the sum of part r + 1 now
        break;
    case Collective::ALLREDUCE_TREE:
        AddReduce(plan, ranks, bytes);
        AddBroadcast(plan, ranks, bytes);
        break;
    case Collective::ALLGATHER:
        AddRing(plan, ranks, bytes, 0, false);
        break;
    case Collective::ALLTOALL:
        AddParts(plan, ranks, bytes);
        break;
    case Collective::BROADCAST:
        AddBroadcast(plan, ranks, bytes);
        break;
    case Collective::REDUCE:
        AddReduce(plan, ranks, bytes);
        break;
    case Collective::HALO3D:
        AddFaces(plan, ranks, bytes);
        break;
    case Collective::ALLREDUCE_HALVING:
        plan = PlanHalvingAllreduce(ranks, bytes);
        break;
    case Collective::ALLREDUCE_DOUBLING:
        plan = ranks == 1 ? plan : PlanAllreduce(ranks, bytes);
        break;
    case Collective::ALLREDUCE_DOUBLE_TREE:
        plan = PlanDoubleTreeAllreduce(ranks, bytes, pieces);
        break;
    case Collective::ALLGATHER_BRUCK:
        plan = PlanBruckAllgather(ranks, bytes);
        break;
    case Collective::ALLTOALL_BRUCK:
        plan = PlanBruckAlltoall(ranks, bytes);
        break;
    case Collective::BROADCAST_CHAIN:
        plan = PlanChainBroadcast(ranks, bytes, pieces);
        break;
    }
    if (plan.empty())
    {
        plan.push_back(EmptyRound(ranks)); // a rank alone
    }
    return plan;
}

uint64_t
BusiestRankBytes(const ExchangePlan& plan)
{
    const uint32_t ranks = plan.front().Ranks();
    std::vector<uint64_t> sent(ranks, 0);
    std::vector<uint64_t> received = sent;
    for (const ExchangeRound& round : plan)
    {
        for (uint32_t strand = 0; strand < round.sends.size(); ++strand)
        {
            for (const ExchangeMessage& message : round.sends[strand])
            {
                sent[strand % ranks] += message.bytes;
                received[message.to % ranks] += message.bytes;
            }
        }
    }
    return std::max(*std::max_element(sent.begin(), sent.end()),
                    *std::max_element(received.begin(), received.end()));
}

double
LeastLinkBytes(Collective collective, uint32_t ranks, uint64_t bytes)
{
    const auto all = static_cast<double>(bytes);
    const double others = all * (ranks - 1) / ranks;
    switch (collective)
    {
    case Collective::ALLREDUCE_RING:
    case Collective::ALLREDUCE_TREE:
    case Collective::ALLREDUCE_HALVING:
    case Collective::ALLREDUCE_DOUBLING:
    case Collective::ALLREDUCE_DOUBLE_TREE:
        return 2 * others;
    case Collective::ALLGATHER:
    case Collective::ALLTOALL:
    case Collective::ALLGATHER_BRUCK:
    case Collective::ALLTOALL_BRUCK:
        return others;
    case Collective::BROADCAST:
    case Collective::BROADCAST_CHAIN:
    case Collective::REDUCE:
        return ranks == 1 ? 0 : all;
    case Collective::HALO3D:
        break;
    }
    return static_cast<double>(BusiestRankBytes(PlanCollective(collective, ranks, bytes)));
}

} // namespace ns3::fabric
