/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DRAGONFLY_WIRING_H
#define FABRIC_DRAGONFLY_WIRING_H

#include <cstdint>

namespace ns3::fabric
{

/**
 * Which port of a dragonfly leads where, in closed form.
 *
 * Ports of a switch: p to hosts, then the links to each of the a - 1 other switches of its group in
 * their order, then the ports for global links. A group has U = m (g - 1) global links, m to each
 * other group, numbered 0 to U - 1:
 *
 *   link k leads to the group k mod (g - 1) + 1 further on, where it is link U - 1 - k
 *   link k belongs to the switch floor(k a / U) of the group
 *
 * So the links of a group are spread evenly over its switches, the parallel links between two
 * groups as well, and with m = 1 and U = a h it is the arrangement known as palmtree.
 */
struct DragonflyWiring
{
    uint32_t hostsPerSwitch;   ///< p
    uint32_t switchesPerGroup; ///< a
    uint32_t groups;           ///< g
    uint32_t globalLinks;      ///< Between two groups, m; 0 if there is one group only.
    uint32_t localLinks;       ///< Between two switches of a group.

    /// @return global links of a group, U
    uint32_t LinksOfGroup() const
    {
        return globalLinks * (groups - 1);
    }

    /// @param index of a switch in its group, or a for the end @return its first global link
    uint32_t FirstLink(uint32_t index) const
    {
        return (index * LinksOfGroup() + switchesPerGroup - 1) / switchesPerGroup;
    }

    /// @param link a global link @return index of its switch in the group
    uint32_t SwitchOf(uint32_t link) const
    {
        return link * switchesPerGroup / LinksOfGroup();
    }

    /// @param link a global link @return how many groups further on it leads
    uint32_t OffsetOf(uint32_t link) const
    {
        return link % (groups - 1) + 1;
    }

    /**
     * @param offset how many groups further on, from 1
     * @param n which of the parallel links
     * @return the global link
     */
    uint32_t LinkTo(uint32_t offset, uint32_t n) const
    {
        return n * (groups - 1) + offset - 1;
    }

    /// @return the same link as the other group counts
    uint32_t FarEnd(uint32_t link) const
    {
        return LinksOfGroup() - 1 - link;
    }

    /**
     * @param index of a switch in its group
     * @param other index of another one there
     * @return first port of the one that leads to the other
     */
    uint16_t LocalPort(uint32_t index, uint32_t other) const
    {
        const uint32_t place = other < index ? other : other - 1;
        return static_cast<uint16_t>(hostsPerSwitch + place * localLinks);
    }

    /// @return first port for global links
    uint32_t FirstGlobalPort() const
    {
        return hostsPerSwitch + (switchesPerGroup - 1) * localLinks;
    }

    /// @param link a global link @return its port
    uint16_t GlobalPort(uint32_t link) const
    {
        return static_cast<uint16_t>(FirstGlobalPort() + link - FirstLink(SwitchOf(link)));
    }
};

} // namespace ns3::fabric

#endif // FABRIC_DRAGONFLY_WIRING_H
