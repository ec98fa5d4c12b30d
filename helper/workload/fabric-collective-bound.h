/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COLLECTIVE_BOUND_H
#define FABRIC_COLLECTIVE_BOUND_H

#include "fabric-collective-plan.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * What each rank has to send or take at least itself, one way, whatever the others do for it. With
 * n > 1 ranks and S bytes: S of an all-reduce, since all depends on its buffer, and it needs the
 * whole result; (n - 1) / n S of an all-gather and an all-to-all, in whole bytes; S of a broadcast
 * and a reduce, for which the root sends or takes what another one takes or sends; all of a halo
 * exchange.
 *
 * @param ranks that take part, n, at least 1
 * @param bytes of PlanCollective(), S
 * @return bytes
 */
double LeastRankBytes(Collective collective, uint32_t ranks, uint64_t bytes);

/**
 * The shortest time that a collective can take on links that may differ, whatever the algorithm is:
 * that of LeastRankBytes() on the slowest link, or that of all that ranks have to send together on
 * all links at once (LeastLinkBytes() is the mean of that), if it is longer.
 *
 * @param bytes of PlanCollective()
 * @param rates of the links of ranks, b/s, at least one
 * @return s
 */
double LeastTime(Collective collective, uint64_t bytes, const std::vector<uint64_t>& rates);

/**
 * The same where switches make sums: the link of each rank carries its whole buffer.
 *
 * @param bytes of the buffer
 * @param rates of the links of ranks, b/s, at least one
 * @return s
 */
double LeastTimeInSwitches(uint64_t bytes, const std::vector<uint64_t>& rates);

} // namespace ns3::fabric

#endif // FABRIC_COLLECTIVE_BOUND_H
