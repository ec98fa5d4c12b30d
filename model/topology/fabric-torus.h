/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TORUS_H
#define FABRIC_TORUS_H

#include "fabric-routing.h"
#include "fabric-switch-grid.h"
#include "fabric-topology.h"
#include "fabric-torus-rule.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/// What a user chooses of a torus.
struct TorusConfig
{
    std::vector<uint32_t> widths{4, 4}; ///< Switches in each dimension, one to eight of them.
    uint32_t hostsPerSwitch = 2;        ///< On each switch.
    TorusMode mode = TORUS_ADAPTIVE;    ///< Which paths frames take.
};

/**
 * A torus (FC-13), which is a k-ary n-cube where all widths are k: its plan, and the routing of
 * each of its switches.
 *
 * Switches stand in a SwitchGrid, and in each dimension those of a line are linked to a ring. In a
 * dimension of two switches the ring is two parallel links. TorusRule tells ports and paths.
 */
class Torus
{
  public:
    /**
     * @param config what the user chose
     * @throws std::invalid_argument with a sentence if no such torus can be
     */
    explicit Torus(const TorusConfig& config);

    /// @return where switches stand
    const SwitchGrid& GetGrid() const
    {
        return *m_grid;
    }

    /// @return switches, links and hosts
    const TopologyPlan& GetPlan() const
    {
        return m_plan;
    }

    /// @return the routing of each switch, in the plan's order
    const std::vector<Routing>& GetRouting() const
    {
        return m_routing;
    }

  private:
    std::shared_ptr<const SwitchGrid> m_grid; ///< The switches.
    TopologyPlan m_plan;                      ///< The plan.
    std::vector<Routing> m_routing;           ///< Of each switch.
};

} // namespace ns3::fabric

#endif // FABRIC_TORUS_H
