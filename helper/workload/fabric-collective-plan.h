/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COLLECTIVE_PLAN_H
#define FABRIC_COLLECTIVE_PLAN_H

#include "fabric-exchange-plan.h"

#include <array>
#include <cstdint>

namespace ns3::fabric
{

/**
 * What ranks do together. Each has a buffer of S bytes, and a plan says who sends which part of it
 * to whom:
 *
 * | collective     | what each rank has in the end          | how                               |
 * |----------------|----------------------------------------|-----------------------------------|
 * | ALLREDUCE_RING | the sum of all buffers                 | a ring: reduce-scatter, allgather |
 * | ALLREDUCE_TREE | the sum of all buffers                 | REDUCE, then BROADCAST            |
 * | ALLGATHER      | part r of the buffer from each rank r  | a ring                            |
 * | ALLTOALL       | a part of the buffer of each rank      | all at once, the next rank first  |
 * | BROADCAST      | the buffer of rank 0                   | a binomial tree                   |
 * | REDUCE         | rank 0 the sum of all buffers          | a binomial tree                   |
 * | HALO3D         | a face of S bytes of each neighbour    | all at once                       |
 *
 * and by other algorithms PlanHalvingAllreduce(), PlanAllreduce() (recursive doubling),
 * PlanDoubleTreeAllreduce(), PlanBruckAllgather(), PlanBruckAlltoall(), PlanChainBroadcast().
 */
enum class Collective : uint8_t
{
    ALLREDUCE_RING,
    ALLREDUCE_TREE,
    ALLGATHER,
    ALLTOALL,
    BROADCAST,
    REDUCE,
    HALO3D,
    ALLREDUCE_HALVING,
    ALLREDUCE_DOUBLING,
    ALLREDUCE_DOUBLE_TREE,
    ALLGATHER_BRUCK,
    ALLTOALL_BRUCK,
    BROADCAST_CHAIN,
};

/// @return whether a collective goes in pieces
constexpr bool
HasPieces(Collective collective)
{
    return collective == Collective::ALLREDUCE_DOUBLE_TREE ||
           collective == Collective::BROADCAST_CHAIN;
}

/**
 * @param ranks at least 1
 * @return three factors of it whose sum is the least, the largest first: a box as near to a cube as
 * can be
 */
std::array<uint32_t, 3> MostCubic(uint32_t ranks);

/**
 * Plans a collective. A part without bytes is not sent, and adding takes no time.
 *
 * In a BROADCAST a rank sends to its largest subtree first, and to the next one when that has come.
 *
 * In an ALLTOALL rank i + k gets part k - 1 of rank i, so that all send and receive as much as each
 * other whatever the remainder is; the last part stays. In a HALO3D each rank has two neighbours in
 * each dimension of the box MostCubic(), on whose sides it closes to a ring, rank x + X (y + Y z)
 * at (x, y, z); in a dimension of 1 there are none, and in one of 2 both are the same rank.
 *
 * @param ranks at least 1
 * @param bytes of the buffer of each rank; of a face
 * @param pieces if it HasPieces(): of the buffer, or of each half of it; else 1
 * @throws std::invalid_argument with a sentence if something else is not allowed
 */
ExchangePlan PlanCollective(Collective collective,
                            uint32_t ranks,
                            uint64_t bytes,
                            uint32_t pieces = 1);

/// @return most bytes that a rank sends or receives
uint64_t BusiestRankBytes(const ExchangePlan& plan);

/**
 * The lower bounds of Chan et al. (2007) for what the link of a host has to carry one way, whatever
 * the algorithm is: 2 (n - 1) / n S of an all-reduce, (n - 1) / n S of an all-gather and an
 * all-to-all, S of a broadcast and a reduce; of a halo exchange what its busiest rank has to.
 *
 * @param ranks that take part, n, at least 1
 * @param bytes of PlanCollective(), S
 * @return bytes
 */
double LeastLinkBytes(Collective collective, uint32_t ranks, uint64_t bytes);

} // namespace ns3::fabric

#endif // FABRIC_COLLECTIVE_PLAN_H
