/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RANK_PLACEMENT_H
#define FABRIC_RANK_PLACEMENT_H

#include "fabric-host-split.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// On which hosts of a fabric the ranks of a parallel program are.
enum class RankPlacement : uint8_t
{
    FIRST,  ///< The first hosts, in their order.
    RANDOM, ///< Any hosts, in random order.
    SPREAD, ///< One of each group in turn, and of each switch of a group in turn.
};

/// Where a host is.
struct HostPlace
{
    uint32_t group; ///< Of its switch: pod, or group of a dragonfly; one number where there are
                    ///< none.
    uint32_t edgeSwitch; ///< Number of its switch.
};

/// @return the first hosts of a fabric, by rank
std::vector<uint32_t> FirstHosts(uint32_t ranks);

/**
 * Places ranks. SPREAD goes round the groups, in the order of their numbers, and takes of each the
 * first host of its first switch, then the first one of its second switch and so on, then the
 * second host of its first switch. Where one has no more hosts, it is left out.
 *
 * @param places of all hosts, by number
 * @param ranks how many, no more than hosts
 * @param draw for RANDOM
 * @return hosts by rank, another one each
 */
std::vector<uint32_t> PlaceRanks(RankPlacement placement,
                                 const std::vector<HostPlace>& places,
                                 uint32_t ranks,
                                 const DrawFunction& draw);

} // namespace ns3::fabric

#endif // FABRIC_RANK_PLACEMENT_H
