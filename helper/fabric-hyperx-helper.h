/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HYPERX_HELPER_H
#define FABRIC_HYPERX_HELPER_H

#include "fabric-hyperx.h"
#include "fabric-path-topology-helper.h"

namespace ns3
{

/// Builds a HyperX (FC-13).
class HyperXHelper : public PathTopologyHelper<fabric::HyperX>
{
  public:
    /// @param config widths, hosts, parallel links, and which paths frames take
    explicit HyperXHelper(const fabric::HyperXConfig& config)
        : PathTopologyHelper(fabric::HyperX(config))
    {
    }

    /// @return the plan
    const fabric::HyperX& GetHyperX() const
    {
        return GetTopology();
    }
};

} // namespace ns3

#endif // FABRIC_HYPERX_HELPER_H
