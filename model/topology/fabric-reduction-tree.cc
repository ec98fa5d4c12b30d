/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-reduction-tree.h"

#include "fabric-port-map.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

/// A tree seen from one of its switches.
struct View
{
    std::vector<uint32_t> order; ///< Switches, those that are nearer first.
    TreePorts up;                ///< By switch: its port toward the first.
};

/// @return a tree seen from a switch of it
View
SeenFrom(uint32_t first, const GroupTree& tree, const PortMap& ports)
{
    View view{{first}, TreePorts(tree.ports.size())};
    for (std::size_t i = 0; i < view.order.size(); ++i)
    {
        const uint32_t sw = view.order[i];
        for (const TreePort& port : tree.ports[sw])
        {
            const PortPeer& peer = ports.GetPeer(sw, port.port);
            if (peer.kind == PeerKind::SWITCH && port.port != view.up[sw].port)
            {
                view.up[peer.index] = *FindTreePort(tree.ports[peer.index], peer.port);
                view.order.push_back(peer.index);
            }
        }
    }
    return view;
}

/// @return the switch in the middle of the longest way in a tree
uint32_t
CentreOf(const GroupTree& tree, uint32_t any, const PortMap& ports)
{
    const uint32_t end = SeenFrom(any, tree, ports).order.back();
    const View view = SeenFrom(end, tree, ports);
    std::vector<uint32_t> way{view.order.back()};
    while (way.back() != end)
    {
        way.push_back(ports.GetPeer(way.back(), view.up[way.back()].port).index);
    }
    const std::size_t middle = way.size() / 2;
    return way.size() % 2 == 1 ? way[middle] : std::min(way[middle - 1], way[middle]);
}

/// @return the switch of a tree whose links are all below it, a switch at first, where each switch
/// has one link up at most
uint32_t
TopOf(const GroupTree& tree, uint32_t sw, const UpwardLinks& up, const PortMap& ports)
{
    const auto isUp = [&](const TreePort& port) { return up[ports.GetIndex(sw, port.port)]; };
    auto port = std::find_if(tree.ports[sw].begin(), tree.ports[sw].end(), isUp);
    while (port != tree.ports[sw].end())
    {
        sw = ports.GetPeer(sw, port->port).index;
        port = std::find_if(tree.ports[sw].begin(), tree.ports[sw].end(), isUp);
    }
    return sw;
}

} // namespace

TreePorts
ReductionTree::ChildrenOf(uint32_t sw) const
{
    TreePorts children = group.ports[sw];
    const auto isUp = [this, sw](const TreePort& port) { return port.port == up[sw].port; };
    children.erase(std::remove_if(children.begin(), children.end(), isUp), children.end());
    return children;
}

std::vector<uint16_t>
ReductionTree::PortsToward(const TopologyPlan& plan, uint32_t host) const
{
    const PortMap ports(plan);
    std::vector<uint16_t> toward(up.size(), TreePort::NO_PORT);
    uint32_t sw = plan.hosts[host].edgeSwitch;
    toward[sw] = plan.hosts[host].port;
    while (sw != root)
    {
        const PortPeer& above = ports.GetPeer(sw, up[sw].port);
        toward[above.index] = above.port;
        sw = above.index;
    }
    return toward;
}

ReductionTree
MakeReductionTree(const TopologyPlan& plan,
                  const std::vector<Routing>& routing,
                  const std::vector<uint32_t>& members,
                  uint32_t number,
                  const UpwardLinks* up)
{
    ReductionTree tree;
    tree.group = MakeGroupTree(plan, routing, members, number, 1, up);
    const PortMap ports(plan);
    const uint32_t any = plan.hosts[tree.group.members.front()].edgeSwitch;
    if (up && !tree.group.root)
    {
        tree.group.root = TopOf(tree.group, any, *up, ports);
    }
    tree.root = tree.group.root ? *tree.group.root : CentreOf(tree.group, any, ports);
    tree.group.turnsAt = tree.root;
    tree.up = SeenFrom(tree.root, tree.group, ports).up;
    return tree;
}

} // namespace ns3::fabric
