/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ALL_COLLECTIVES_H
#define FABRIC_ALL_COLLECTIVES_H

#include "fabric-collective-plan.h"

namespace ns3::fabric
{

/// All that there are.
inline constexpr Collective ALL_COLLECTIVES[] = {Collective::ALLREDUCE_RING,
                                                 Collective::ALLREDUCE_TREE,
                                                 Collective::ALLGATHER,
                                                 Collective::ALLTOALL,
                                                 Collective::BROADCAST,
                                                 Collective::REDUCE,
                                                 Collective::HALO3D,
                                                 Collective::ALLREDUCE_HALVING,
                                                 Collective::ALLREDUCE_DOUBLING,
                                                 Collective::ALLREDUCE_DOUBLE_TREE,
                                                 Collective::ALLGATHER_BRUCK,
                                                 Collective::ALLTOALL_BRUCK,
                                                 Collective::BROADCAST_CHAIN};

} // namespace ns3::fabric

#endif // FABRIC_ALL_COLLECTIVES_H
