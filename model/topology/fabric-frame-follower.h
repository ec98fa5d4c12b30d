/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FRAME_FOLLOWER_H
#define FABRIC_FRAME_FOLLOWER_H

#include "fabric-dependency-graph.h"
#include "fabric-port-map.h"
#include "fabric-route-demands.h"
#include "fabric-route-function.h"
#include "fabric-route-report.h"
#include "fabric-topology.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/**
 * Follows the frames for one destination after the other through all choices, and notes what they
 * do. A switch may choose by the port and the virtual channel by which a frame came.
 */
class FrameFollower
{
  public:
    /// The arguments are those of CheckRoutes(), and must stay, as must the ports and the graph.
    FrameFollower(const TopologyPlan& plan,
                  const PortMap& ports,
                  uint32_t virtualChannels,
                  const RouteFunction& route,
                  const RouteDemands& demands,
                  DependencyGraph& graph);

    /**
     * Follows the frames for one destination from all other hosts.
     *
     * @param dst number of the destination
     */
    void Follow(uint32_t dst);

    /// @return the first fault
    const std::optional<RouteFaultAt>& GetFault() const
    {
        return m_fault;
    }

  private:
    /// A frame at the input of a switch.
    struct Arrival
    {
        uint32_t sw;        ///< The switch.
        uint32_t held;      ///< Channel that it came by, NONE for injection.
        uint16_t inputPort; ///< Port that it came in by.
        uint8_t vc;         ///< Virtual channel that it came on.
    };

    /// @return whether frames of a host go as those of the host before, which is on its switch
    bool IsAlike(uint32_t src, uint32_t dst) const;

    /**
     * Looks at one hop, and notes where the frame arrives if none got there before.
     *
     * @param hop where it may go
     * @param dst number of the destination
     */
    void Take(const Arrival& at, RouteHop hop, uint32_t dst);

    /**
     * @param next switch to which it goes
     * @param dst number of the destination
     */
    void CheckDemands(const Arrival& at, uint32_t next, uint32_t dst);

    /**
     * Keeps a fault if it is the first.
     *
     * @param fault what is wrong
     * @param dst number of the destination
     */
    void Note(RouteFault fault, const Arrival& at, uint32_t dst);

    const TopologyPlan& m_plan;          ///< The topology.
    const PortMap& m_ports;              ///< Who is connected to which port.
    const uint32_t m_virtualChannels;    ///< Of each link.
    const RouteFunction& m_route;        ///< What the switches do.
    const RouteDemands& m_demands;       ///< What the routes must satisfy.
    HopDemands m_hopDemands;             ///< What single hops must satisfy.
    DependencyGraph& m_graph;            ///< What was found to depend on what.
    std::vector<uint32_t> m_reachedFor;  ///< Last destination for which each channel was reached.
    std::vector<Arrival> m_pending;      ///< Arrivals still to be looked at.
    std::vector<RouteHop> m_hops;        ///< Choices at the arrival that is looked at.
    std::optional<RouteFaultAt> m_fault; ///< The first.
};

} // namespace ns3::fabric

#endif // FABRIC_FRAME_FOLLOWER_H
