/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LOAD_TELLING_H
#define FABRIC_LOAD_TELLING_H

#include "fabric-destination-groups.h"
#include "fabric-path-loads.h"
#include "fabric-routing-function.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-observer.h"
#include "fabric-switch-ports.h"

#include <memory>
#include <vector>

namespace ns3::fabric
{

/**
 * What neighbours tell each other of the loads of paths, by ACKs of type LINK_CONGESTION, whose
 * flow_id is a group of destinations (FC-12).
 *
 * A switch adds the load of an output to what it has heard there, and tells the least of a group's
 * ways to those neighbours for whom it is a way itself: those that are no way of its own. So a load
 * goes from a link as far back as there are choices that may avoid it, a link at a time.
 *
 * Only what has changed is told, at most once in a time, and nothing when nothing changes.
 */
class LoadTelling : public PathLoads
{
  public:
    /// @param observer sees what is sent; null for nobody
    LoadTelling(const SwitchPorts& ports,
                SwitchClock& clock,
                RoutingFunction& routing,
                const NeighbourLoadSettings& settings,
                SwitchObserver* const& observer)
        : m_ports(ports),
          m_clock(clock),
          m_routing(routing),
          m_settings(settings),
          m_observer(observer)
    {
    }

    /**
     * Begins to tell and to listen, if the settings want it.
     *
     * @param groups of destinations
     */
    void Start(std::shared_ptr<const DestinationGroups> groups);

    /// @return whether loads of paths are known
    bool IsOn() const
    {
        return m_groups != nullptr;
    }

    /// A neighbour has told something.
    void Hear(uint32_t port, const Ack& ack, TimePs now);

    /// The link of a port has failed, or is up again: nothing is known of what is behind it.
    void Forget(uint32_t port);

    /**
     * @param port of an output to a switch, whose wire is free
     * @return whether a word was due, and the wire is taken
     */
    bool Send(uint32_t port, TimePs now);

    uint32_t LoadBy(uint32_t port, LocationId dst) const override;

    uint32_t TurnOf(LocationId dst) const override;

    /// @return what was heard of a path behind a neighbour
    uint32_t Heard(uint32_t port, LocationId dst) const;

  private:
    /// What is known of a port.
    struct Port
    {
        bool isToSwitch{false};     ///< Whether there is somebody to tell.
        TimePs dueAt{NEVER};        ///< When the next word may go, NEVER if nothing changes, ps.
        std::vector<uint8_t> heard; ///< Loads behind it, by group.
        std::vector<uint8_t> told;  ///< Loads by this switch that were told there, by group.
        std::vector<bool> isWay;    ///< Whether a group's ways lead by it, so it is not told.
    };

    /// Own load of an output.
    uint32_t OwnLoad(uint32_t port) const;
    /// What is told becomes what holds now, if it is older than half of the time.
    void Renew(TimePs now);
    /// What is told of a group becomes what holds now.
    void RenewGroup(FlowId group);
    /// Something may have changed: all neighbours are told soon.
    void Wake(TimePs now);
    /// A word is due. @return whether there is anything to tell
    bool Tell(uint32_t port, TimePs now);

    const SwitchPorts& m_ports;                        ///< Of the switch.
    SwitchClock& m_clock;                              ///< Of the switch.
    RoutingFunction& m_routing;                        ///< Of the switch.
    const NeighbourLoadSettings& m_settings;           ///< How often.
    SwitchObserver* const& m_observer;                 ///< Sees what is sent; null for nobody.
    std::shared_ptr<const DestinationGroups> m_groups; ///< Null while nothing is told.
    bool m_hasHosts{false};                            ///< Whether ways begin here.
    std::vector<Port> m_known;                         ///< By port.
    std::vector<uint32_t> m_own;   ///< Loads of outputs when they were looked at.
    std::vector<uint8_t> m_values; ///< What is told of each group.
    TimePs m_renewedAt{-1};        ///< When that was, -1 for never, ps.
    std::vector<Ack> m_words;      ///< Of the frame that is made.
};

} // namespace ns3::fabric

#endif // FABRIC_LOAD_TELLING_H
