/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_IDEAL_PATH_H
#define FABRIC_IDEAL_PATH_H

#include "fabric-empty-path.h"
#include "fabric-frame.h"
#include "fabric-ideal-completion.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// A path in the empty fabric, with what is needed for each message on it; made once for all that
/// come together.
struct IdealPath
{
    /// @param to the path
    explicit IdealPath(EmptyPath to)
        : path(std::move(to))
    {
        for (const PathLink& link : path.Links())
        {
            hops.push_back({link.delay, link.rate.BitsPerSecond()});
        }
    }

    /// @return what HPCC's scripts take as the ideal time of a flow, ps
    TimePs HpccIdeal(uint64_t bytes) const
    {
        return fabric::HpccIdeal(hops, bytes, path.Payload(), WireBytes(0));
    }

    EmptyPath path;            ///< In the empty fabric.
    std::vector<PathHop> hops; ///< The links, as HPCC's scripts take them.
};

} // namespace ns3::fabric

#endif // FABRIC_IDEAL_PATH_H
