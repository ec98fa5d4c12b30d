/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TABLE_FOLLOWER_H
#define FABRIC_TABLE_FOLLOWER_H

#include "fabric-dependency-graph.h"
#include "fabric-port-map.h"
#include "fabric-route-demands.h"
#include "fabric-routing.h"
#include "fabric-topology.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Does what FrameFollower does, on one virtual channel, where a switch does the same with all
 * frames for one destination: so it is asked once for each. Entries of tables that are beside each
 * other are read together.
 */
class TableFollower
{
  public:
    /// All of them must stay. @param tables of each switch, by destination alone
    TableFollower(const TopologyPlan& plan,
                  const PortMap& ports,
                  const std::vector<Routing>& tables,
                  const RouteDemands& demands,
                  DependencyGraph& graph);

    /**
     * Follows the frames for some destinations from all other hosts.
     *
     * @return whether all is well; if not FrameFollower finds out what is wrong, and again what was
     * noted
     */
    bool Follow(const std::vector<uint32_t>& destinations);

  private:
    /// Follow() for one destination. @param ranges where switches send its frames, by switch; that
    /// of a switch which delivers becomes empty
    bool Follow(uint32_t dst, PortRange* ranges);

    /// @return whether a switch sends a destination's frames to it, or to switches, which are to be
    /// visited then
    bool Visit(uint32_t sw, uint32_t dst, PortRange& range);

    /// @return whether a switch may send frames of the last one by all of these ports
    bool AllowsTurns(uint32_t last, uint32_t sw, PortRange range) const;

    const TopologyPlan& m_plan;           ///< The topology.
    const PortMap& m_ports;               ///< Who is connected to which port.
    const std::vector<Routing>& m_tables; ///< What the switches do.
    HopDemands m_demands;                 ///< What single hops must satisfy.
    DependencyGraph& m_graph;             ///< What was found to depend on what.
    std::vector<uint32_t> m_sources;      ///< Switches with hosts.
    std::vector<uint32_t> m_hostsAt;      ///< How many hosts, by switch.
    std::vector<bool> m_got;         ///< By switch: whether frames for a destination get there.
    std::vector<uint32_t> m_visited; ///< Those, in the order in which it was found.
};

} // namespace ns3::fabric

#endif // FABRIC_TABLE_FOLLOWER_H
