/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DEPENDENCY_GRAPH_H
#define FABRIC_DEPENDENCY_GRAPH_H

#include "fabric-interval-routing.h"
#include "fabric-port-map.h"
#include "fabric-route-hop.h"
#include "fabric-route-report.h"
#include "fabric-route-turn.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Which channel depends on which. A channel's number is that of its sending port (PortMap) times
 * the number of virtual channels, plus its own. What depends on it are channels of the switch to
 * which it leads, so a row of one bit for each of those holds all, and noting one twice costs
 * nothing.
 *
 * Where groups are alike, a channel stands for its likes in all groups: what depends on one has a
 * like that depends on the other. A walk through such channels that comes back to its first one is
 * a cycle: going on, it comes to a like of this one in each group, and at last to itself.
 */
class DependencyGraph
{
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFF; ///< No channel.

    /// @param ports the topology; must stay as long as the graph
    /// @param groups that are alike, switch by switch
    DependencyGraph(const PortMap& ports, uint32_t virtualChannels, uint32_t groups);

    /// @return the same where groups that are alike stand for themselves
    DependencyGraph OfAllGroups() const;

    /// @return channels of all ports, used or not
    uint32_t GetChannels() const
    {
        return m_ports.GetPorts() * m_virtualChannels;
    }

    /**
     * @param hop one of its ports, and a virtual channel
     * @return number of the channel
     */
    uint32_t GetNumber(uint32_t sw, RouteHop hop) const
    {
        return m_ports.GetIndex(sw, hop.port) * m_virtualChannels + hop.vc;
    }

    /**
     * Notes that a route uses a channel.
     * @param held channel that the frame holds meanwhile, NONE after injection
     * @param wanted channel that it waits for; a channel of the switch to which `held` leads
     */
    void Add(uint32_t held, uint32_t wanted)
    {
        m_used[wanted % m_period] = true;
        if (held != NONE)
        {
            m_wanted[m_firstBit[held % m_period] + wanted - GetFirstWanted(held)] = true;
        }
    }

    /**
     * Notes that frames that hold a channel go on by any of some ports, if there is one virtual
     * channel.
     * @param held channel that leads to the switch of these ports
     */
    void AddRange(uint32_t held, PortRange range)
    {
        m_used[held] = true;
        const auto first = m_wanted.begin() + static_cast<int64_t>(m_firstBit[held] + range.first);
        std::fill(first, first + range.count, true);
    }

    /// @return who turns where, if there is one virtual channel
    std::vector<RouteTurn> GetTurns() const;

    /// Notes a turn, if there is one virtual channel.
    void Add(const RouteTurn& turn)
    {
        const PortPeer& sender = m_ports.GetPeer(turn.sw, turn.input);
        const uint32_t held = m_ports.GetIndex(sender.index, sender.port);
        m_used[held] = true;
        Add(held, m_ports.GetIndex(turn.sw, turn.output));
    }

    /// @return channels that are used
    uint64_t CountUsed() const;

    /// @return pairs of channels that are used one after the other
    uint64_t CountDependencies() const;

    /// @return whether there is a cycle
    bool HasCycle() const
    {
        return FindCyclic() != NONE;
    }

    /// @return a cycle, a shortest of those through one of its channels; empty if there is none.
    /// Not of groups that are alike, whose channels stand for others.
    std::vector<Channel> FindCycle() const;

  private:
    /**
     * @param held a channel that leads to a switch
     * @return first channel of that switch
     */
    uint32_t GetFirstWanted(uint32_t held) const
    {
        return GetNumber(m_ports.GetPeer(held / m_virtualChannels).index, {0, 0});
    }

    /**
     * @param held a channel
     * @param place where in its row to start
     * @return place of the next dependency in the row; the row's length if there is no more
     */
    uint32_t FindPlace(uint32_t held, uint32_t place) const;

    /**
     * @param held a channel
     * @param place a place in its row
     * @return whether it is beyond the row's end
     */
    bool IsEnd(uint32_t held, uint32_t place) const
    {
        return place == m_firstBit[held + 1] - m_firstBit[held];
    }

    /// @return a channel that is on a cycle, NONE if there is none; depth first, without recursion
    uint32_t FindCyclic() const;

    /**
     * @param start a channel that is on a cycle
     * @return a shortest cycle through it; breadth first
     */
    std::vector<Channel> FindShortestCycle(uint32_t start) const;

    /**
     * @param channel number of a channel between switches
     * @return where it is in the plan
     */
    Channel Describe(uint32_t channel) const;

    const PortMap& m_ports;           ///< The topology.
    uint32_t m_virtualChannels;       ///< Of each link.
    uint32_t m_groups;                ///< That are alike.
    uint32_t m_period;                ///< Channels of a group.
    std::vector<uint64_t> m_firstBit; ///< First bit of each channel's row, and the end of the last.
    std::vector<bool> m_wanted;       ///< All rows.
    std::vector<bool> m_used;         ///< Whether a route uses the channel.
};

} // namespace ns3::fabric

#endif // FABRIC_DEPENDENCY_GRAPH_H
