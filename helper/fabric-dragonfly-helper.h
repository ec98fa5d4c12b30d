/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DRAGONFLY_HELPER_H
#define FABRIC_DRAGONFLY_HELPER_H

#include "fabric-dragonfly.h"
#include "fabric-helper.h"

namespace ns3
{

/**
 * Builds a dragonfly (FC-13).
 *
 * Switches get four virtual channels: what adaptive routing needs for one set of traffic classes,
 * and minimal routing for two (attribute ClassToVc says which class belongs to which set).
 */
class DragonflyHelper : public FabricHelper
{
  public:
    /// @param config hosts, switches, links, and which paths frames take
    explicit DragonflyHelper(const fabric::DragonflyConfig& config);

    using FabricHelper::Install;

    /// @return the dragonfly, on new nodes
    FabricContainer Install() const;

    /// @return the dragonfly, on these nodes
    FabricContainer Install(NodeContainer hosts) const;

    /**
     * Proves on the channel dependency graph that the routes reach everybody and can't deadlock
     * (FC-13). Install() leaves it out: it holds for all dragonflies, and takes time for large
     * ones.
     *
     * @throws std::logic_error with what is wrong if that is not so
     */
    static void CheckRoutes(const fabric::Dragonfly& dragonfly);

    /// @return the plan
    const fabric::Dragonfly& GetDragonfly() const;

  private:
    fabric::Dragonfly m_dragonfly; ///< The dragonfly.
};

} // namespace ns3

#endif // FABRIC_DRAGONFLY_HELPER_H
