/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-torus.h"

#include "fabric-grid-plan.h"

namespace ns3::fabric
{

namespace
{

constexpr ShapeCheck TORUS_CHECK("torus"); ///< Refuses what can't be.

/// @return ports of each switch
uint32_t
PortsOfTorus(const SwitchGrid& grid)
{
    const uint32_t ports = grid.HostsPerSwitch() + 2 * grid.Dimensions();
    TORUS_CHECK.RequirePorts(ports);
    return ports;
}

} // namespace

Torus::Torus(const TorusConfig& config)
    : m_grid(std::make_shared<const SwitchGrid>(
          MakeGrid(TORUS_CHECK, config.hostsPerSwitch, config.widths))),
      m_plan(MakeGridPlan(*m_grid, PortsOfTorus(*m_grid)))
{
    m_plan.links.reserve(uint64_t{m_grid->Switches()} * m_grid->Dimensions());
    m_routing.reserve(m_grid->Switches());
    for (uint32_t number = 0; number < m_grid->Switches(); ++number)
    {
        m_routing.emplace_back(std::make_shared<const TorusRule>(m_grid, number, config.mode));
        const SwitchGrid::Point point = m_grid->PointOf(static_cast<uint16_t>(number));
        for (uint32_t d = 0; d < m_grid->Dimensions(); ++d)
        {
            const uint32_t next = m_grid->Along(number, d, (point[d] + 1) % m_grid->Width(d));
            m_plan.links.push_back({number,
                                    next,
                                    TorusRule::PortOf(*m_grid, d, true),
                                    TorusRule::PortOf(*m_grid, d, false),
                                    LinkClass::FABRIC});
        }
    }
}

} // namespace ns3::fabric
