/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TREE_WALK_H
#define FABRIC_TREE_WALK_H

#include "fabric-group-tree.h"
#include "fabric-port-map.h"
#include "fabric-topology.h"

#include <cstdint>
#include <set>

namespace ns3::fabric
{

/// Follows a frame through a group's tree, as switches copy it.
class TreeWalk
{
  public:
    TreeWalk(const TopologyPlan& plan, const GroupTree& tree)
        : m_plan(plan),
          m_tree(tree),
          m_ports(plan)
    {
    }

    /// @return hosts that get a copy, each as often as it does @param from a member
    std::multiset<uint32_t> From(uint32_t from)
    {
        m_reached.clear();
        m_steps = 0;
        Visit(m_plan.hosts[from].edgeSwitch, m_plan.hosts[from].port, false);
        return m_reached;
    }

    /// @return links between switches that the last frame and its copies have gone
    std::size_t Links() const
    {
        return m_steps - 1;
    }

    bool turnsUp{false}; ///< Whether a copy has gone up after it went down.

  private:
    /// A frame comes in by a port. @param isDown whether it came from above
    void Visit(uint32_t sw, uint16_t input, bool isDown)
    {
        if (++m_steps > 10 * m_plan.switches.size())
        {
            return; // it goes round
        }
        for (const auto [output, vc] : m_tree.ports[sw])
        {
            if (output == input)
            {
                continue;
            }
            const PortPeer& peer = m_ports.GetPeer(sw, output);
            if (peer.kind == PeerKind::HOST)
            {
                m_reached.insert(peer.index);
                continue;
            }
            const bool goesDown = m_plan.switches[peer.index].tier < m_plan.switches[sw].tier;
            turnsUp = turnsUp || (isDown && !goesDown);
            Visit(peer.index, peer.port, goesDown);
        }
    }

    const TopologyPlan& m_plan;        ///< The topology.
    const GroupTree& m_tree;           ///< Of the group.
    PortMap m_ports;                   ///< Who is at which port.
    std::multiset<uint32_t> m_reached; ///< By the last frame.
    std::size_t m_steps{0};            ///< Switches that the last frame has come to.
};

} // namespace ns3::fabric

#endif // FABRIC_TREE_WALK_H
