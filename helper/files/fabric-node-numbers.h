/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NODE_NUMBERS_H
#define FABRIC_NODE_NUMBERS_H

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// What hosts and switches are called in files, where both together are nodes.
struct NodeNumbers
{
    std::vector<uint32_t> hosts;    ///< Node of each host, ascending.
    std::vector<uint32_t> switches; ///< Node of each switch, ascending.

    /// @return nodes of a topology that no file has: first the hosts, then the switches
    static NodeNumbers HostsFirst(uint32_t hosts, uint32_t switches)
    {
        NodeNumbers nodes{std::vector<uint32_t>(hosts), std::vector<uint32_t>(switches)};
        std::iota(nodes.hosts.begin(), nodes.hosts.end(), 0);
        std::iota(nodes.switches.begin(), nodes.switches.end(), hosts);
        return nodes;
    }

    /// @return which host a node is, nothing if it is none
    std::optional<uint32_t> HostOf(uint32_t node) const
    {
        const auto place = std::lower_bound(hosts.begin(), hosts.end(), node);
        return place != hosts.end() && *place == node
                   ? std::optional(static_cast<uint32_t>(place - hosts.begin()))
                   : std::nullopt;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_NODE_NUMBERS_H
