/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIPELINE_PLAN_H
#define FABRIC_PIPELINE_PLAN_H

#include "fabric-exchange-plan.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * A broadcast of rank 0 along the chain of all ranks, in pieces: a rank sends a piece on when it
 * has come. The first one sends all pieces one after the other.
 *
 * @param ranks at least 1
 * @param bytes of the buffer
 * @param pieces of it, at least 1
 */
ExchangePlan PlanChainBroadcast(uint32_t ranks, uint64_t bytes, uint32_t pieces);

/**
 * An all-reduce by a double binary tree, in pieces, as NCCL's: one half of the buffer goes up the
 * first tree and down again, the other half the second one. A rank sends a piece up when it has
 * come from all children, and down when it has come from the parent. Both trees, and up and down,
 * are strands of their own: 0 and 1 the way up and down of the first one, 2 and 3 of the second
 * one. A root turns round in the strand of its way up.
 *
 * @param ranks at least 1
 * @param bytes of the buffer of each
 * @param pieces of each half, at least 1
 */
ExchangePlan PlanDoubleTreeAllreduce(uint32_t ranks, uint64_t bytes, uint32_t pieces);

} // namespace ns3::fabric

#endif // FABRIC_PIPELINE_PLAN_H
