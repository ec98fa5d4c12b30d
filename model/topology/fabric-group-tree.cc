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

constexpr uint64_t ROOT_DRAW = 1 << 20; ///< Of MixedBits(), for the root; links have those below.

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
        const PathRule* paths = m_routing[m_plan.hosts[members.front()].edgeSwitch].Paths();
        if (!paths)
        {
            Grow(members, members.front());
        }
        else
        {
            const uint32_t first = members[MixedBits(m_number, ROOT_DRAW) % members.size()];
            Grow(members, first);
            const uint32_t sw = m_plan.hosts[first].edgeSwitch;
            m_tree.root = paths->RootOfTree(sw, Switches());
            if (*m_tree.root != sw)
            {
                Grow(members, HostAt(*m_tree.root));
            }
        }
        m_tree.members = std::move(members);
        return m_tree;
    }

  private:
    /// Makes the ways of members to the switch of a host. @param members in ascending order
    void Grow(const std::vector<uint32_t>& members, uint32_t root)
    {
        m_tree.ports.assign(m_plan.switches.size(), {});
        const uint32_t rootSwitch = m_plan.hosts[root].edgeSwitch;
        for (const uint32_t member : members)
        {
            const HostPlan& host = m_plan.hosts[member];
            TreePorts& ports = m_tree.ports[host.edgeSwitch];
            const bool isReached = !ports.empty() || host.edgeSwitch == rootSwitch;
            ports.push_back({host.port, 0});
            if (!isReached)
            {
                Reach(host.edgeSwitch, rootSwitch, LocationOf(root));
            }
        }
        for (TreePorts& ports : m_tree.ports)
        {
            std::sort(ports.begin(), ports.end());
        }
    }

    /// Goes from a switch toward the root, until it meets the tree.
    void Reach(uint32_t sw, uint32_t rootSwitch, LocationId root)
    {
        for (uint32_t step = 0; step < m_plan.switches.size(); ++step)
        {
            const TreeLink link = ChooseLink(sw, root, step);
            const PortPeer& peer = m_ports.GetPeer(sw, link.port);
            TreePorts& there = m_tree.ports[peer.index];
            const bool isReached = !there.empty() || peer.index == rootSwitch;
            m_tree.ports[sw].push_back({link.port, link.up});
            there.push_back({peer.port, link.down});
            if (isReached)
            {
                return;
            }
            sw = peer.index;
        }
        throw std::invalid_argument("routes to the host " + std::to_string(HostOf(root)) +
                                    " go in a circle; allowed for a group are routes that end");
    }

    /// @return by what a switch goes toward the root @param step from a member's switch
    TreeLink ChooseLink(uint32_t sw, LocationId root, uint32_t step) const
    {
        if (const PathRule* paths = m_routing[sw].Paths())
        {
            const std::optional<TreeLink> link = paths->FindTreeLink(root, m_number);
            return link ? *link : throw std::invalid_argument(NoLink(sw, root));
        }
        const PortRange range = m_routing[sw].Route(root);
        if (range.count == 0 || m_ports.GetPeer(sw, range.first).kind != PeerKind::SWITCH)
        {
            throw std::invalid_argument(NoLink(sw, root));
        }
        const uint64_t port = range.first + MixedBits(m_number, step) % range.count;
        return {static_cast<uint16_t>(port), 0, 0};
    }

    /// @return why there is no tree
    static std::string NoLink(uint32_t sw, LocationId root)
    {
        return "the switch " + std::to_string(sw) +
               " has no route by destination alone, nor a rule for trees, to the host " +
               std::to_string(HostOf(root)) +
               "; allowed for a group are fat trees, chains, dragonflies, tori, HyperX, and graphs "
               "with such routes";
    }

    /// @return switches of the tree
    std::vector<uint32_t> Switches() const
    {
        std::vector<uint32_t> switches;
        for (uint32_t sw = 0; sw < m_tree.ports.size(); ++sw)
        {
            if (!m_tree.ports[sw].empty())
            {
                switches.push_back(sw);
            }
        }
        return switches;
    }

    /// @return first host of a switch that has some
    uint32_t HostAt(uint32_t sw) const
    {
        const auto isThere = [sw](const HostPlan& host) { return host.edgeSwitch == sw; };
        const auto at = std::find_if(m_plan.hosts.begin(), m_plan.hosts.end(), isThere);
        return static_cast<uint32_t>(at - m_plan.hosts.begin());
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
