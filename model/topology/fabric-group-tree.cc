/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-group-tree.h"

#include "fabric-mixed-bits.h"
#include "fabric-port-map.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/// Refuses members that are no group.
void
RequireMembers(const TopologyPlan& plan, const std::vector<uint32_t>& sorted, uint32_t least)
{
    if (sorted.size() < least)
    {
        throw std::invalid_argument("a group has " + std::to_string(sorted.size()) +
                                    " members; allowed are at least " + std::to_string(least));
    }
    if (sorted.back() >= plan.hosts.size())
    {
        throw std::invalid_argument("a group has the member " + std::to_string(sorted.back()) +
                                    "; allowed are the hosts 0 to " +
                                    std::to_string(plan.hosts.size() - 1));
    }
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
    {
        throw std::invalid_argument("a group has the member " + std::to_string(*twice) +
                                    " twice; allowed is each host once");
    }
}

/// Makes a tree.
class TreeMaker
{
  public:
    /// The arguments are those of MakeGroupTree().
    TreeMaker(const TopologyPlan& plan, const std::vector<Routing>& routing, uint32_t number)
        : m_plan(plan),
          m_routing(routing),
          m_ports(plan),
          m_number(number)
    {
    }

    /// @param members in ascending order
    GroupTree Make(std::vector<uint32_t> members)
    {
        m_tree.ports.resize(m_plan.switches.size());
        const uint32_t root = members.front();
        for (const uint32_t member : members)
        {
            const HostPlan& host = m_plan.hosts[member];
            std::vector<uint16_t>& ports = m_tree.ports[host.edgeSwitch];
            const bool isReached = !ports.empty();
            ports.push_back(host.port);
            if (member != root && !isReached)
            {
                Reach(host.edgeSwitch, LocationOf(root));
            }
        }
        for (std::vector<uint16_t>& ports : m_tree.ports)
        {
            std::sort(ports.begin(), ports.end());
        }
        m_tree.members = std::move(members);
        return m_tree;
    }

  private:
    /// Goes from a switch toward the root, until it meets the tree.
    void Reach(uint32_t sw, LocationId root)
    {
        for (uint32_t step = 0; step < m_plan.switches.size(); ++step)
        {
            const uint16_t port = ChoosePort(sw, root, step);
            const PortPeer& peer = m_ports.GetPeer(sw, port);
            std::vector<uint16_t>& there = m_tree.ports[peer.index];
            const bool isReached = !there.empty();
            m_tree.ports[sw].push_back(port);
            there.push_back(peer.port);
            if (isReached)
            {
                return;
            }
            sw = peer.index;
        }
        throw std::invalid_argument("routes to the host " + std::to_string(HostOf(root)) +
                                    " go in a circle; allowed for a group are routes that end");
    }

    /// @return the port by which a switch goes toward the root @param step from a member's switch
    uint16_t ChoosePort(uint32_t sw, LocationId root, uint32_t step) const
    {
        const PortRange range = m_routing[sw].Route(root);
        if (range.count == 0 || m_ports.GetPeer(sw, range.first).kind != PeerKind::SWITCH)
        {
            throw std::invalid_argument(
                "the switch " + std::to_string(sw) +
                " has no route by destination alone to the "
                "host " +
                std::to_string(HostOf(root)) +
                "; allowed for a group are fat trees, chains, and graphs with such routes");
        }
        return static_cast<uint16_t>(range.first + MixedBits(m_number, step) % range.count);
    }

    const TopologyPlan& m_plan;            ///< The topology.
    const std::vector<Routing>& m_routing; ///< Of each switch.
    PortMap m_ports;                       ///< Who is at which port.
    uint32_t m_number;                     ///< Of the group.
    GroupTree m_tree;                      ///< As far as it is made.
};

} // namespace

GroupTree
MakeGroupTree(const TopologyPlan& plan,
              const std::vector<Routing>& routing,
              std::vector<uint32_t> members,
              uint32_t number,
              uint32_t least)
{
    std::sort(members.begin(), members.end());
    RequireMembers(plan, members, least);
    return TreeMaker(plan, routing, number).Make(std::move(members));
}

} // namespace ns3::fabric
