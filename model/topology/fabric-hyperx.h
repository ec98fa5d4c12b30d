/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HYPERX_H
#define FABRIC_HYPERX_H

#include "fabric-hyperx-rule.h"
#include "fabric-routing.h"
#include "fabric-topology.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/// What a user chooses of a HyperX.
struct HyperXConfig
{
    std::vector<uint32_t> widths{4, 4}; ///< Switches in each dimension, one to eight of them.
    uint32_t hostsPerSwitch = 2;        ///< On each switch.
    std::vector<uint32_t> trunks{1};    ///< Parallel links, by dimension; or one for all.
    HyperXMode mode = HYPERX_ADAPTIVE;  ///< Which paths frames take.
};

/**
 * A HyperX (FC-13; Ahn et al., SC'09): its plan, and the routing of each of its switches.
 *
 * Switches stand in a SwitchGrid, and in each dimension all those of a line are linked with each
 * other, by one link or several. HyperXWiring tells ports, HyperXRule paths. With one dimension it
 * is a fully connected network, with two a flattened butterfly, with widths of 2 a hypercube.
 */
class HyperX
{
  public:
    /**
     * @param config what the user chose
     * @throws std::invalid_argument with a sentence if no such HyperX can be
     */
    explicit HyperX(const HyperXConfig& config);

    /// @return where switches stand, and which port leads where
    const HyperXWiring& GetWiring() const
    {
        return *m_wiring;
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
    /// Links of a switch to those with a higher coordinate in a dimension.
    void AddLinks(uint32_t number, uint32_t dimension);

    std::shared_ptr<const HyperXWiring> m_wiring; ///< The switches and their ports.
    TopologyPlan m_plan;                          ///< The plan.
    std::vector<Routing> m_routing;               ///< Of each switch.
};

} // namespace ns3::fabric

#endif // FABRIC_HYPERX_H
