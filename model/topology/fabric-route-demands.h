/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTE_DEMANDS_H
#define FABRIC_ROUTE_DEMANDS_H

#include "fabric-port-map.h"
#include "fabric-topology.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// What routes must satisfy besides being complete and free of deadlock.
struct RouteDemands
{
    bool shortest = false; ///< Every path is a shortest one.
    bool upDown = false;   ///< No path goes to a higher tier after it went to a lower one.
    /// Check one destination of each edge switch only, and from other switches what one host sends.
    /// Enough where switches other than the destination's own do not tell its hosts apart, and a
    /// switch does not tell apart from which of its hosts a frame comes; that many times quicker.
    bool oneHostPerSwitch = false;
    /// Switches of each group, if the routes of groups are alike: for a destination so many groups
    /// further on, a switch does what its like in the first group does. Then destinations of the
    /// first group are enough, and channels of other groups stand for those of the first; what is
    /// found is the same. 0 for no groups. If the plan's groups are not alike, it counts as 0.
    uint32_t groupSwitches = 0;
    /// Destinations that are checked: the first so many.
    uint32_t mostDestinations = MAX_HOSTS;
};

/// What is demanded of single hops of frames for one switch after the other.
class HopDemands
{
  public:
    /// All of them must stay.
    HopDemands(const TopologyPlan& plan, const PortMap& ports, const RouteDemands& demands)
        : m_plan(plan),
          m_ports(ports),
          m_demands(demands)
    {
    }

    /// @param sw switch of the destination whose frames are asked for next
    void AimAt(uint32_t sw)
    {
        if (m_demands.shortest && sw != m_target)
        {
            m_distance = m_ports.GetDistances(sw);
            m_target = sw;
        }
    }

    /// @return whether a hop from one switch to the next is on a shortest path, or need not be
    bool AllowHop(uint32_t sw, uint32_t next) const
    {
        return !m_demands.shortest || m_distance[next] + 1 == m_distance[sw];
    }

    /// @return whether AllowTurn() may say no
    bool LimitTurns() const
    {
        return m_demands.upDown;
    }

    /// @param last switch from which the frames came @return whether they did not come down to go
    /// up again, or may do so
    bool AllowTurn(uint32_t last, uint32_t sw, uint32_t next) const
    {
        const Tier tier = m_plan.switches[sw].tier;
        return !m_demands.upDown ||
               !(m_plan.switches[last].tier > tier && m_plan.switches[next].tier > tier);
    }

  private:
    const TopologyPlan& m_plan;       ///< The topology.
    const PortMap& m_ports;           ///< Who is connected to which port.
    const RouteDemands& m_demands;    ///< Whether any is.
    std::vector<uint32_t> m_distance; ///< Hops from each switch to the target.
    uint32_t m_target{0xFFFFFFFF};    ///< Switch of the destination, none at first.
};

} // namespace ns3::fabric

#endif // FABRIC_ROUTE_DEMANDS_H
