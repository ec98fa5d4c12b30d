/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INTERVAL_ROUTING_H
#define FABRIC_INTERVAL_ROUTING_H

#include "fabric-fast-divisor.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// Consecutive ports of a switch.
struct PortRange
{
    uint16_t first = 0; ///< First of them.
    uint16_t count = 0; ///< How many; 0 is none at all.
};

/// What IntervalRouting is made from.
struct IntervalRoutingConfig
{
    LocationId firstHost = FIRST_UNICAST; ///< Lowest location below the switch.
    uint16_t hostCount = 0;               ///< Hosts below the switch, consecutive locations.
    uint16_t hostsPerDownGroup = 1; ///< Consecutive hosts that one group of links leads to, not 0.
    uint16_t linksPerDownGroup = 1; ///< Parallel links that make up one group.
    uint16_t firstDownPort = 0;     ///< First port of the first group; the others follow.
    uint16_t firstUpPort = 0;       ///< First port toward the next tier.
    uint16_t upPorts = 0;           ///< Ports toward the next tier, 0 at the top.
    uint16_t fabricHosts = 0;       ///< Hosts of the whole fabric, from FIRST_UNICAST on.
};

/**
 * Routing in a tree (FC-13) computed from the address, with no table.
 *
 * The hosts below a switch have consecutive locations, and equally many of them are behind each
 * group of parallel down links. A destination below goes down by the links of its group, any other
 * goes up by any link. That is up*, then down*: no path turns up again, so one virtual channel is
 * free of deadlock, and all paths are shortest.
 *
 * 24 bytes; a route takes a subtraction, a comparison and two multiplications.
 */
class IntervalRouting
{
  public:
    /// @param config the rule's numbers; they are taken as they are
    explicit constexpr IntervalRouting(const IntervalRoutingConfig& config)
        : m_hostsPerDownGroup(config.hostsPerDownGroup),
          m_firstHost(config.firstHost),
          m_hostCount(config.hostCount),
          m_linksPerDownGroup(config.linksPerDownGroup),
          m_firstDownPort(config.firstDownPort),
          m_firstUpPort(config.firstUpPort),
          m_upPorts(config.upPorts),
          m_fabricHosts(config.fabricHosts)
    {
    }

    /**
     * @param dst destination
     * @return the ports that lead to it on a shortest path; count 0 if there is no such host
     */
    constexpr PortRange Route(LocationId dst) const
    {
        // What is lower than the first wraps around to a number beyond the last: one comparison
        // does for both.
        const auto below = static_cast<uint16_t>(dst - m_firstHost);
        if (below < m_hostCount)
        {
            const uint32_t group = m_hostsPerDownGroup.Divide(below);
            return {static_cast<uint16_t>(m_firstDownPort + group * m_linksPerDownGroup),
                    m_linksPerDownGroup};
        }
        const auto host = static_cast<uint16_t>(dst - FIRST_UNICAST);
        return host < m_fabricHosts ? PortRange{m_firstUpPort, m_upPorts} : PortRange{};
    }

  private:
    FastDivisor m_hostsPerDownGroup; ///< Hosts behind one group of down links.
    LocationId m_firstHost;          ///< Lowest location below.
    uint16_t m_hostCount;            ///< Hosts below.
    uint16_t m_linksPerDownGroup;    ///< Parallel links of a group.
    uint16_t m_firstDownPort;        ///< First down port.
    uint16_t m_firstUpPort;          ///< First up port.
    uint16_t m_upPorts;              ///< Number of up ports.
    uint16_t m_fabricHosts;          ///< Hosts of the fabric.
};

static_assert(sizeof(IntervalRouting) <= 32, "the rules of two switches fill a cache line");

} // namespace ns3::fabric

#endif // FABRIC_INTERVAL_ROUTING_H
