/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HYPERX_WIRING_H
#define FABRIC_HYPERX_WIRING_H

#include "fabric-switch-grid.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Which port of a HyperX leads where.
 *
 * Ports of a switch: those to hosts, then for each dimension the links to each other switch of its
 * line, in their order, with parallel links next to each other.
 */
class HyperXWiring
{
  public:
    /// @param trunks parallel links between two switches, by dimension
    HyperXWiring(SwitchGrid grid, std::vector<uint32_t> trunks)
        : m_grid(std::move(grid)),
          m_trunks(std::move(trunks)),
          m_firstPorts{m_grid.HostsPerSwitch()}
    {
        for (uint32_t d = 0; d < m_grid.Dimensions(); ++d)
        {
            m_firstPorts.push_back(m_firstPorts[d] + (m_grid.Width(d) - 1) * m_trunks[d]);
        }
    }

    const SwitchGrid& Grid() const
    {
        return m_grid;
    }

    /// @return parallel links between two switches
    uint32_t Trunk(uint32_t dimension) const
    {
        return m_trunks[dimension];
    }

    /// @return ports of a switch
    uint32_t Ports() const
    {
        return m_firstPorts.back();
    }

    /**
     * @param own coordinate of a switch in the dimension
     * @param other coordinate of another one
     * @return first port that leads there
     */
    uint16_t PortTo(uint32_t dimension, uint32_t own, uint32_t other) const
    {
        const uint32_t place = other < own ? other : other - 1;
        return static_cast<uint16_t>(m_firstPorts[dimension] + place * m_trunks[dimension]);
    }

    /// @param port that leads to a switch @return its dimension
    uint32_t DimensionOf(uint16_t port) const
    {
        uint32_t dimension = 0;
        while (port >= m_firstPorts[dimension + 1])
        {
            ++dimension;
        }
        return dimension;
    }

  private:
    SwitchGrid m_grid;                  ///< Of the switches.
    std::vector<uint32_t> m_trunks;     ///< Parallel links, by dimension.
    std::vector<uint32_t> m_firstPorts; ///< By dimension, and behind the last.
};

} // namespace ns3::fabric

#endif // FABRIC_HYPERX_WIRING_H
