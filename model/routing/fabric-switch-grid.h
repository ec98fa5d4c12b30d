/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_GRID_H
#define FABRIC_SWITCH_GRID_H

#include "fabric-fast-divisor.h"
#include "fabric-types.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Switches that stand in a grid, with as many hosts on each: what a torus and a HyperX share.
 *
 * A switch with the coordinates x0, x1, ... has the number x0 + k0 (x1 + k1 (x2 + ...)), where k
 * are the widths. Hosts are numbered in the order of their switches.
 */
class SwitchGrid
{
  public:
    static constexpr uint32_t MOST_DIMENSIONS = 8; ///< Of a grid.

    /// Coordinates of a switch; those of dimensions that are not there are 0.
    using Point = std::array<uint16_t, MOST_DIMENSIONS>;

    /**
     * @param hostsPerSwitch at least 1
     * @param widths switches in each dimension, at most MOST_DIMENSIONS of them
     */
    SwitchGrid(uint32_t hostsPerSwitch, const std::vector<uint32_t>& widths)
        : m_byHosts(static_cast<uint16_t>(hostsPerSwitch)),
          m_hostsPerSwitch(hostsPerSwitch)
    {
        for (const uint32_t width : widths)
        {
            m_strides.push_back(m_switches);
            m_widths.push_back(width);
            m_byWidth.emplace_back(static_cast<uint16_t>(width));
            m_switches *= width;
        }
    }

    uint32_t Dimensions() const
    {
        return static_cast<uint32_t>(m_widths.size());
    }

    /// @return switches in a dimension
    uint32_t Width(uint32_t dimension) const
    {
        return m_widths[dimension];
    }

    /// @return switches in each dimension
    const std::vector<uint32_t>& Widths() const
    {
        return m_widths;
    }

    uint32_t Switches() const
    {
        return m_switches;
    }

    uint32_t HostsPerSwitch() const
    {
        return m_hostsPerSwitch;
    }

    uint32_t Hosts() const
    {
        return m_switches * m_hostsPerSwitch;
    }

    /// @return whether there is such a host
    bool Has(LocationId host) const
    {
        return static_cast<uint16_t>(host - FIRST_UNICAST) < Hosts();
    }

    /// @param host a host that there is @return number of its switch
    uint16_t SwitchOf(LocationId host) const
    {
        return m_byHosts.Divide(static_cast<uint16_t>(host - FIRST_UNICAST));
    }

    /// @param host a host that there is @return its port on its switch
    uint16_t PortOf(LocationId host) const
    {
        const auto number = static_cast<uint16_t>(host - FIRST_UNICAST);
        return static_cast<uint16_t>(number - m_byHosts.Divide(number) * m_hostsPerSwitch);
    }

    /// @param number of a switch @return where it stands
    Point PointOf(uint16_t number) const
    {
        Point point{};
        for (uint32_t d = 0; d < m_widths.size(); ++d)
        {
            const uint16_t rest = m_byWidth[d].Divide(number);
            point[d] = static_cast<uint16_t>(number - rest * m_widths[d]);
            number = rest;
        }
        return point;
    }

    /// @return number of the switch with another coordinate in one dimension
    uint32_t Along(uint32_t number, uint32_t dimension, uint32_t coordinate) const
    {
        const uint16_t own = PointOf(static_cast<uint16_t>(number))[dimension];
        return number + (coordinate - own) * m_strides[dimension];
    }

  private:
    std::vector<uint32_t> m_widths;     ///< Switches by dimension.
    std::vector<uint32_t> m_strides;    ///< Between numbers of neighbours, by dimension.
    std::vector<FastDivisor> m_byWidth; ///< By dimension.
    FastDivisor m_byHosts;              ///< Hosts of a switch.
    uint32_t m_hostsPerSwitch;          ///< Hosts of a switch.
    uint32_t m_switches{1};             ///< All of them.
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_GRID_H
