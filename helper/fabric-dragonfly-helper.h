/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DRAGONFLY_HELPER_H
#define FABRIC_DRAGONFLY_HELPER_H

#include "fabric-dragonfly.h"
#include "fabric-path-topology-helper.h"

namespace ns3
{

/// Builds a dragonfly (FC-13).
class DragonflyHelper : public PathTopologyHelper<fabric::Dragonfly>
{
  public:
    /// @param config hosts, switches, links, and which paths frames take
    explicit DragonflyHelper(const fabric::DragonflyConfig& config)
        : PathTopologyHelper(fabric::Dragonfly(config))
    {
    }

    /// @return the plan
    const fabric::Dragonfly& GetDragonfly() const
    {
        return GetTopology();
    }
};

} // namespace ns3

#endif // FABRIC_DRAGONFLY_HELPER_H
