/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COLLECTIVE_NAMES_H
#define FABRIC_COLLECTIVE_NAMES_H

#include "fabric-collective-plan.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// @return collectives with what they are called in options and files
inline std::vector<std::pair<std::string, Collective>>
CollectiveNames()
{
    return {{"allreduce-ring", Collective::ALLREDUCE_RING},
            {"allreduce-tree", Collective::ALLREDUCE_TREE},
            {"allgather", Collective::ALLGATHER},
            {"alltoall", Collective::ALLTOALL},
            {"broadcast", Collective::BROADCAST},
            {"reduce", Collective::REDUCE},
            {"halo3d", Collective::HALO3D},
            {"allreduce-halving", Collective::ALLREDUCE_HALVING},
            {"allreduce-doubling", Collective::ALLREDUCE_DOUBLING},
            {"allreduce-double-tree", Collective::ALLREDUCE_DOUBLE_TREE},
            {"allgather-bruck", Collective::ALLGATHER_BRUCK},
            {"alltoall-bruck", Collective::ALLTOALL_BRUCK},
            {"broadcast-chain", Collective::BROADCAST_CHAIN}};
}

/// @return what a collective is called
inline std::string
NameOf(Collective collective)
{
    for (const auto& [name, named] : CollectiveNames())
    {
        if (named == collective)
        {
            return name;
        }
    }
    return {};
}

} // namespace ns3::fabric

#endif // FABRIC_COLLECTIVE_NAMES_H
