/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GROUP_LOADS_H
#define FABRIC_GROUP_LOADS_H

#include "fabric-destination-groups.h"
#include "fabric-path-loads.h"
#include "fabric-routing-function.h"
#include "fabric-switch-ports.h"
#include "fabric-told-loads.h"

#include <memory>
#include <vector>

namespace ns3::fabric
{

/**
 * How many flows share the ways to each group of destinations, where ways depend on the destination
 * alone (FC-12).
 *
 * A switch adds the load of an output to what it has heard there, and tells the mean of a group's
 * ways to those neighbours for whom it is a way itself: those that are no way of its own. So a load
 * goes from a link as far back as there are choices that may avoid it, a link at a time.
 */
class GroupLoads : public ToldLoads, public PathLoads
{
  public:
    /// @param scale of loads, the same in all switches
    GroupLoads(const SwitchPorts& ports,
               const RoutingFunction& routing,
               const NeighbourLoadSettings& settings,
               std::shared_ptr<const DestinationGroups> groups,
               const LoadScale& scale);

    uint32_t End() const override
    {
        return static_cast<uint32_t>(m_values.size());
    }

    bool IsTold(uint32_t port) const override
    {
        return m_known[port].isToSwitch;
    }

    bool DependsOn(uint32_t port) const override
    {
        return m_known[port].isToSwitch;
    }

    const std::vector<uint8_t>& Look(TimePs now) override;

    bool IsFor(uint32_t port, FlowId group) const override
    {
        return !m_known[port].isWay[group];
    }

    bool Hear(uint32_t port, const Ack& ack) override;
    void Forget(uint32_t port) override;

    void Watch(TimePs) override
    {
        // Flows begin and end with frames and ACKs, which come with decisions.
    }

    uint32_t LoadBy(uint32_t port, LocationId dst) const override;
    uint32_t TurnOf(LocationId dst) const override;

    /// @return what was heard of a path behind a neighbour
    uint32_t Heard(uint32_t port, LocationId dst) const;

  private:
    /// What is known of a port.
    struct Port
    {
        bool isToSwitch{false};     ///< Whether there is somebody to tell.
        std::vector<uint8_t> heard; ///< Loads behind it, by group.
        std::vector<bool> isWay;    ///< Whether a group's ways lead by it, so it is not told.
    };

    /// @param more flows than there are @return own load of an output
    uint32_t OwnLoad(uint32_t port, uint32_t more) const;
    /// What is told of a group becomes what holds now.
    void RenewGroup(FlowId group);

    const SwitchPorts& m_ports;                        ///< Of the switch.
    const RoutingFunction& m_routing;                  ///< Of the switch.
    const NeighbourLoadSettings& m_settings;           ///< How often.
    std::shared_ptr<const DestinationGroups> m_groups; ///< All of them.
    const LoadScale& m_scale;                          ///< Of the fabric.
    bool m_hasHosts{false};                            ///< Whether ways begin here.
    std::vector<Port> m_known;                         ///< By port.
    std::vector<uint32_t> m_own;   ///< Loads of outputs when they were looked at.
    std::vector<uint8_t> m_values; ///< What is told of each group.
    TimePs m_renewedAt{-1};        ///< When that was, -1 for never, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_GROUP_LOADS_H
