/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TORUS_HELPER_H
#define FABRIC_TORUS_HELPER_H

#include "fabric-path-topology-helper.h"
#include "fabric-torus.h"

namespace ns3
{

/// Builds a torus (FC-13).
class TorusHelper : public PathTopologyHelper<fabric::Torus>
{
  public:
    /// @param config widths, hosts, and which paths frames take
    explicit TorusHelper(const fabric::TorusConfig& config)
        : PathTopologyHelper(fabric::Torus(config))
    {
    }

    /// @return the plan
    const fabric::Torus& GetTorus() const
    {
        return GetTopology();
    }
};

} // namespace ns3

#endif // FABRIC_TORUS_HELPER_H
