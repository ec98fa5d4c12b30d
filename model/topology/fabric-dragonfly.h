/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DRAGONFLY_H
#define FABRIC_DRAGONFLY_H

#include "fabric-dragonfly-rule.h"
#include "fabric-routing.h"
#include "fabric-topology.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// What a user chooses of a dragonfly.
struct DragonflyConfig
{
    uint32_t hostsPerSwitch = 2;         ///< p
    uint32_t switchesPerGroup = 4;       ///< a
    uint32_t globalPorts = 2;            ///< Ports of a switch for global links, h.
    uint32_t groups = 0;                 ///< g; 0 is as many as can be, a h + 1.
    uint32_t globalLinks = 0;            ///< Between two groups; 0 is as many as the ports allow.
    uint32_t localLinks = 1;             ///< Between two switches of a group.
    DragonflyMode mode = DRAGONFLY_UGAL; ///< Which paths frames take.
};

/**
 * The numbers of a dragonfly, all from its DragonflyConfig (Kim et al., ISCA 2008).
 *
 * All switches of a group are linked with each other, and all groups. A switch has p ports to
 * hosts, a - 1 to the others of its group (times the parallel links) and h for global links. A
 * group has a h of these, so there are at most a h + 1 groups and p a (a h + 1) hosts. With fewer
 * groups m = floor(a h / (g - 1)) links lead to each other group, and a h - m (g - 1) ports of a
 * group stay free. It is balanced where a = 2 p = 2 h.
 */
struct DragonflyShape
{
    DragonflyWiring wiring; ///< Which port leads where.
    uint32_t hosts;         ///< p a g
    uint32_t switches;      ///< a g
    uint32_t ports;         ///< Of a switch.
    uint32_t localLinks;    ///< Of the fabric.
    uint32_t globalLinks;   ///< Of the fabric.

    /**
     * @param config what the user chose
     * @return the numbers that follow
     * @throws std::invalid_argument with a sentence if no such dragonfly can be
     */
    static DragonflyShape Of(const DragonflyConfig& config);
};

/**
 * A dragonfly (FC-13): its plan, and the routing of each of its switches.
 *
 * Switches are numbered group by group, and hosts in the order of their switches. DragonflyWiring
 * tells the ports, DragonflyRule the paths.
 */
class Dragonfly
{
  public:
    /**
     * @param config what the user chose
     * @throws std::invalid_argument with a sentence if no such dragonfly can be
     */
    explicit Dragonfly(const DragonflyConfig& config);

    /// @return its numbers
    const DragonflyShape& GetShape() const
    {
        return m_shape;
    }

    /// @return switches, links and hosts
    const TopologyPlan& GetPlan() const
    {
        return m_plan;
    }

    /// @return the routing of each switch, in the plan's order
    const std::vector<Routing>& GetRouting() const
    {
        return m_routing;
    }

  private:
    void AddSwitches(DragonflyMode mode); ///< All of them, with their hosts.
    void AddLocalLinks(uint32_t group);   ///< Those of a group.
    void AddGlobalLinks(uint32_t group);  ///< Those to groups with higher numbers.

    DragonflyShape m_shape;         ///< The numbers.
    TopologyPlan m_plan;            ///< The plan.
    std::vector<Routing> m_routing; ///< Of each switch.
};

} // namespace ns3::fabric

#endif // FABRIC_DRAGONFLY_H
