/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BRUCK_PLAN_H
#define FABRIC_BRUCK_PLAN_H

#include "fabric-exchange-plan.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * An all-gather by the algorithm of Bruck et al. (1997): in step k each rank sends all that it has,
 * the parts of 2^k ranks from its own on, to the rank 2^k before it; in the last step no more than
 * that rank lacks. Parts are as in the ring's all-gather.
 *
 * @param ranks at least 1
 * @param bytes of the buffer that each has in the end
 */
ExchangePlan PlanBruckAllgather(uint32_t ranks, uint64_t bytes);

/**
 * An all-to-all by the algorithm of Bruck et al. (1997): what goes to the i-th next rank goes in as
 * many steps as i has bits that are set; in step k each rank sends all that has bit k, in one
 * message, to the rank 2^k after it. Parts are as in the all-to-all at once, part i - 1 of the
 * buffer for what goes to the i-th next rank, and in the end for what has come from the i-th rank
 * before.
 *
 * @param ranks at least 1
 * @param bytes of the buffer of each
 */
ExchangePlan PlanBruckAlltoall(uint32_t ranks, uint64_t bytes);

} // namespace ns3::fabric

#endif // FABRIC_BRUCK_PLAN_H
