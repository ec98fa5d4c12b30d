/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RECURSIVE_PLAN_H
#define FABRIC_RECURSIVE_PLAN_H

#include "fabric-exchange-plan.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * An allreduce by recursive doubling (Thakur et al., 2005), as MPI libraries do it with short
 * messages. If the number of ranks is no power of two, each rank that is too many hands its part to
 * a neighbour before, and gets the result after (PowerOfTwoRanks).
 *
 * After it each rank has heard of all, so it is a barrier too.
 *
 * @param ranks at least 2
 * @param bytes of each message
 */
ExchangePlan PlanAllreduce(uint32_t ranks, uint64_t bytes);

/**
 * An all-reduce by recursive halving and doubling (Rabenseifner, 2004): ranks exchange halves of
 * what they are left with, first neighbours, then those at twice the distance, until each has the
 * sum of one part; and collect the parts the same way back. PowerOfTwoRanks do so; others hand on
 * their buffers before and get the result after.
 *
 * That by recursive doubling of whole buffers is PlanAllreduce().
 *
 * @param ranks at least 1
 * @param bytes of the buffer of each
 */
ExchangePlan PlanHalvingAllreduce(uint32_t ranks, uint64_t bytes);

} // namespace ns3::fabric

#endif // FABRIC_RECURSIVE_PLAN_H
