/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GRAPH_WIRING_H
#define FABRIC_GRAPH_WIRING_H

#include "fabric-types.h"
#include "fabric-wide-search.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Any graph of switches: who is behind which port, how far it is to everybody, and a spanning tree.
 *
 * Distances take a byte for each two switches.
 */
class GraphWiring
{
  public:
    static constexpr uint32_t NO_SWITCH = 0xFFFFFFFF; ///< Behind ports to hosts.
    static constexpr uint8_t FAR = 0xFF;              ///< No path.

    using Link = NeighbourLink; ///< A link of a switch to another one.

    /// Where a host is.
    struct Host
    {
        uint32_t sw;   ///< Its switch.
        uint16_t port; ///< Of its switch.
    };

    /**
     * @param links of each switch, in ascending order of their ports
     * @param hosts by number
     * @param root of the spanning tree
     */
    GraphWiring(NeighbourLinks links, std::vector<Host> hosts, uint32_t root);

    /// @return its links to other switches
    const std::vector<Link>& LinksOf(uint32_t sw) const
    {
        return m_links[sw];
    }

    /// @return whether there is such a host
    bool Has(LocationId dst) const
    {
        return dst >= FIRST_UNICAST && NumberOf(dst) < m_hosts.size();
    }

    /// @param dst a host that is there
    const Host& HostAt(LocationId dst) const
    {
        return m_hosts[NumberOf(dst)];
    }

    /// @return the switch behind a port, NO_SWITCH for a host
    uint32_t SwitchBehind(uint32_t sw, uint16_t port) const
    {
        return port < m_behind[sw].size() ? m_behind[sw][port] : NO_SWITCH;
    }

    /// @return links of a shortest path, but at most FAR - 1; FAR if there is none
    uint8_t Distance(uint32_t from, uint32_t to) const
    {
        return m_distances[from * m_links.size() + to];
    }

    /**
     * How far it is without coming back. Looked at are neighbours, and the first links of their
     * shortest paths: where all of these lead back, that neighbour is no way.
     *
     * @param back where a path came through, NO_SWITCH for nowhere
     * @return links of a shortest path; FAR if there is none
     */
    uint8_t DistanceBut(uint32_t from, uint32_t to, const std::array<uint32_t, 2>& back) const;

    /// @return most links between switches that have hosts
    uint8_t Diameter() const;

    /// @return whether the next switch on the way through the spanning tree is nearer to its root
    bool IsUp(uint32_t from, uint32_t to) const
    {
        return !IsBelow(to, from);
    }

    /// @return the next switch on the way through the spanning tree to another one
    uint32_t NextInTree(uint32_t from, uint32_t to) const;

  private:
    /// @param dst a host @return its number
    static uint32_t NumberOf(LocationId dst)
    {
        return uint32_t{dst} - FIRST_UNICAST;
    }

    /// @return whether a shortest path begins with a link to none of the two
    bool LeadsOn(uint32_t from, uint32_t to, const std::array<uint32_t, 2>& back) const;
    /// @return whether a switch is in the part of the tree below another one, or that itself
    bool IsBelow(uint32_t sw, uint32_t top) const;
    /// Finds how far it is from all to all.
    void FindDistances();
    /// Finds the spanning tree.
    void FindParents(uint32_t root);

    NeighbourLinks m_links;                      ///< By switch.
    std::vector<std::vector<uint32_t>> m_behind; ///< Switches behind ports, by switch and port.
    std::vector<Host> m_hosts;                   ///< By number.
    std::vector<uint8_t> m_distances;            ///< By switch, then by switch.
    std::vector<uint32_t> m_parents; ///< In the spanning tree, by switch; the root is its own.
};

} // namespace ns3::fabric

#endif // FABRIC_GRAPH_WIRING_H
