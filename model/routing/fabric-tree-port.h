/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TREE_PORT_H
#define FABRIC_TREE_PORT_H

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

/// By what frames to a group leave a switch of its tree.
struct TreePort
{
    static constexpr uint16_t NO_PORT = 0xFFFF; ///< There is none.

    uint16_t port{NO_PORT}; ///< Output port.
    /// Virtual channel on its link, from the first one of a frame's class on.
    uint8_t vc{0};

    /// Those of a switch are in the order of their ports.
    bool operator<(const TreePort& other) const
    {
        return std::tie(port, vc) < std::tie(other.port, other.vc);
    }
};

/// Those of a switch, in ascending order.
using TreePorts = std::vector<TreePort>;

/// @return the one with a port, the end if there is none
inline TreePorts::const_iterator
FindTreePort(const TreePorts& ports, uint32_t port)
{
    const auto at =
        std::lower_bound(ports.begin(), ports.end(), port, [](const TreePort& a, uint32_t b) {
            return a.port < b;
        });
    return at != ports.end() && at->port == port ? at : ports.end();
}

/// @return virtual channels that a tree takes @param ports of its switches
inline uint32_t
ChannelsOfTree(const std::vector<TreePorts>& ports)
{
    uint32_t channels = 1;
    for (const TreePorts& ofSwitch : ports)
    {
        for (const TreePort& port : ofSwitch)
        {
            channels = std::max(channels, port.vc + 1U);
        }
    }
    return channels;
}

/**
 * A link of a group's tree, from a switch toward the root. What a frame's virtual channel on it is
 * follows from its direction, whoever has sent it.
 */
struct TreeLink
{
    uint16_t port; ///< That leads toward the root.
    uint8_t up;    ///< Virtual channel toward the root.
    uint8_t down;  ///< Of the same link from the root.
};

} // namespace ns3::fabric

#endif // FABRIC_TREE_PORT_H
