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
    TreeMaker(const TopologyPlan& plan,
              const std::vector<Routing>& routing,
              uint32_t number,
              const UpwardLinks* up)
        : m_plan(plan),
          m_routing(routing),
          m_ports(plan),
          m_number(number),
          m_up(up)
    {
    }

    /// @param members in ascending order
    GroupTree Make(std::vector<uint32_t> members)
    {
        const PathRule* paths = m_routing[m_plan.hosts[members.front()].edgeSwitch].Paths();
        if (!paths)
        {
            Grow(members, m_plan.hosts[members.front()].edgeSwitch);
            if (m_up && !GoesUpThenDown())
            {
                m_tree.root = FindTop(members);
                Grow(members, *m_tree.root);
            }
        }
        else
        {
            const uint32_t first = members[MixedBits(m_number, ROOT_DRAW) % members.size()];
            const uint32_t sw = m_plan.hosts[first].edgeSwitch;
            Grow(members, sw);
            m_tree.root = paths->RootOfTree(sw, Switches());
            if (*m_tree.root != sw)
            {
                Grow(members, *m_tree.root);
            }
        }
        m_tree.members = std::move(members);
        return m_tree;
    }

  private:
    /// Makes the ways of members to a switch. @param members in ascending order @param root the
    /// switch, which is that of the first member where no rule tells ways
    void Grow(const std::vector<uint32_t>& members, uint32_t root)
    {
        m_tree.ports.assign(m_plan.switches.size(), {});
        m_first = LocationOf(members.front());
        for (const uint32_t member : members)
        {
            const HostPlan& host = m_plan.hosts[member];
            TreePorts& ports = m_tree.ports[host.edgeSwitch];
            const bool isReached = !ports.empty() || host.edgeSwitch == root;
            ports.push_back({host.port, 0});
            if (!isReached)
            {
                Reach(host.edgeSwitch, root);
            }
        }
        for (TreePorts& ports : m_tree.ports)
        {
            std::sort(ports.begin(), ports.end());
        }
    }

    /// Goes from a switch toward the root, until it meets the tree.
    void Reach(uint32_t sw, uint32_t root)
    {
        for (uint32_t step = 0; step < m_plan.switches.size(); ++step)
        {
            const TreeLink link = ChooseLink(sw, root, step);
            const PortPeer& peer = m_ports.GetPeer(sw, link.port);
            TreePorts& there = m_tree.ports[peer.index];
            const bool isReached = !there.empty() || peer.index == root;
            m_tree.ports[sw].push_back({link.port, link.up});
            there.push_back({peer.port, link.down});
            if (isReached)
            {
                return;
            }
            sw = peer.index;
        }
        throw std::invalid_argument("routes to the host " + std::to_string(HostOf(m_first)) +
                                    " go in a circle; allowed for a group are routes that end");
    }

    /// @return whether each link leads up, and no switch has two such links
    bool GoesUpThenDown() const
    {
        for (uint32_t sw = 0; sw < m_tree.ports.size(); ++sw)
        {
            uint32_t links = 0;
            for (const TreePort& port : m_tree.ports[sw])
            {
                const PortPeer& peer = m_ports.GetPeer(sw, port.port);
                const bool isUp = (*m_up)[m_ports.GetIndex(sw, port.port)];
                if (peer.kind == PeerKind::SWITCH && !isUp &&
                    !(*m_up)[m_ports.GetIndex(peer.index, peer.port)])
                {
                    return false;
                }
                links += isUp ? 1 : 0;
            }
            if (links > 1)
            {
                return false;
            }
        }
        return true;
    }

    /// @return to which switch links up are taken, whose heights are known then
    uint32_t FindTop(const std::vector<uint32_t>& members)
    {
        const auto switches = static_cast<uint32_t>(m_plan.switches.size());
        const std::vector<uint32_t> tops =
            NearestTops(m_ports, *m_up, switches, SwitchesOf(m_plan, members));
        if (tops.empty())
        {
            throw std::invalid_argument("links of a group do not lead up to one switch; allowed "
                                        "are links that do");
        }
        const uint32_t top = tops[MixedBits(m_number, ROOT_DRAW) % tops.size()];
        m_heights = HeightsBelow(m_ports, *m_up, switches, top);
        return top;
    }

    /// @return one of the links up from a switch that are the shortest way to the top
    TreeLink ChooseLinkUp(uint32_t sw) const
    {
        std::vector<uint16_t> ports;
        for (uint16_t port = 0; port < m_ports.GetPorts(sw); ++port)
        {
            if ((*m_up)[m_ports.GetIndex(sw, port)] &&
                m_heights[m_ports.GetPeer(sw, port).index] + 1 == m_heights[sw])
            {
                ports.push_back(port);
            }
        }
        return {ports[MixedBits(m_number, m_heights[sw]) % ports.size()], 0, 0};
    }

    /// @return by what a switch goes toward the root @param step from a member's switch
    TreeLink ChooseLink(uint32_t sw, uint32_t root, uint32_t step) const
    {
        if (const PathRule* paths = m_routing[sw].Paths())
        {
            const std::optional<TreeLink> link = paths->FindTreeLink(root, m_number);
            return link ? *link : throw std::invalid_argument(NoLink(sw));
        }
        if (m_tree.root)
        {
            return ChooseLinkUp(sw);
        }
        const PortRange range = m_routing[sw].Route(m_first);
        if (range.count == 0 || m_ports.GetPeer(sw, range.first).kind != PeerKind::SWITCH)
        {
            throw std::invalid_argument(NoLink(sw));
        }
        const uint64_t port = range.first + MixedBits(m_number, step) % range.count;
        return {static_cast<uint16_t>(port), 0, 0};
    }

    /// @return why there is no tree
    std::string NoLink(uint32_t sw) const
    {
        return "the switch " + std::to_string(sw) +
               " has no route by destination alone, nor a rule for trees, to the host " +
               std::to_string(HostOf(m_first)) +
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

    const TopologyPlan& m_plan;            ///< The topology.
    const std::vector<Routing>& m_routing; ///< Of each switch.
    PortMap m_ports;                       ///< Who is at which port.
    uint32_t m_number;                     ///< Of the group.
    const UpwardLinks* m_up;               ///< Which links lead up; null if any may.
    LocationId m_first{0};                 ///< First member: where tables lead.
    std::vector<uint32_t> m_heights;       ///< Links up to the top.
    GroupTree m_tree;                      ///< As far as it is made.
};

} // namespace

GroupTree
MakeGroupTree(const TopologyPlan& plan,
              const std::vector<Routing>& routing,
              std::vector<uint32_t> members,
              uint32_t number,
              uint32_t least,
              const UpwardLinks* up)
{
    std::sort(members.begin(), members.end());
    RequireMembers(plan, members, least);
    return TreeMaker(plan, routing, number, up).Make(std::move(members));
}

std::vector<uint32_t>
SwitchesOf(const TopologyPlan& plan, const std::vector<uint32_t>& members)
{
    std::vector<uint32_t> switches;
    for (const uint32_t member : members)
    {
        switches.push_back(plan.hosts[member].edgeSwitch);
    }
    std::sort(switches.begin(), switches.end());
    switches.erase(std::unique(switches.begin(), switches.end()), switches.end());
    return switches;
}

} // namespace ns3::fabric
