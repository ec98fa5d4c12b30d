/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LOAD_TELLING_H
#define FABRIC_LOAD_TELLING_H

#include "fabric-group-loads.h"
#include "fabric-link-loads.h"
#include "fabric-switch-observer.h"

#include <memory>
#include <vector>

namespace ns3::fabric
{

/**
 * What neighbours tell each other of loads, by ACKs of type LINK_CONGESTION, whose flow_id is a
 * number (FC-12): GroupLoads where ways depend on the destination alone, else LinkLoads.
 *
 * Only what has changed is told, at most once in a time, and nothing when nothing changes.
 */
class LoadTelling
{
  public:
    /// @param observer sees what is sent; null for nobody
    LoadTelling(const SwitchPorts& ports,
                SwitchClock& clock,
                const OutputLoads& loads,
                RoutingFunction& routing,
                const NeighbourLoadSettings& settings,
                SwitchObserver* const& observer)
        : m_ports(ports),
          m_clock(clock),
          m_loads(loads),
          m_routing(routing),
          m_settings(settings),
          m_observer(observer)
    {
    }

    /**
     * Begins to tell and to listen, if the settings want it.
     *
     * @param groups of destinations, where ways depend on the destination alone
     * @param scale of loads, the same in all switches of the fabric
     */
    void Start(std::shared_ptr<const DestinationGroups> groups, const LoadScale& scale);

    /// @return the scale of loads
    const LoadScale& Scale() const
    {
        return m_scale;
    }

    /// @return loads of paths by group of destinations; null if they are not told
    const GroupLoads* Groups() const
    {
        return m_groups.get();
    }

    /// @return loads of links of neighbours; null if they are not told
    LinkLoads* Links() const
    {
        return m_links.get();
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

  private:
    /// What a neighbour knows.
    struct Port
    {
        bool isTold{false};        ///< Whether there is somebody to tell.
        TimePs dueAt{NEVER};       ///< When the next word may go, NEVER if nothing changes, ps.
        std::vector<uint8_t> told; ///< By number.
    };

    /// Something may have changed: all neighbours are told soon.
    void Wake(TimePs now);
    /// A word is due. @return whether there is anything to tell
    bool Tell(uint32_t port, TimePs now);
    /// Sends what is to be told.
    void SendWords(uint32_t port, TimePs now);

    const SwitchPorts& m_ports;              ///< Of the switch.
    SwitchClock& m_clock;                    ///< Of the switch.
    const OutputLoads& m_loads;              ///< Of the switch.
    RoutingFunction& m_routing;              ///< Of the switch.
    const NeighbourLoadSettings& m_settings; ///< How often.
    SwitchObserver* const& m_observer;       ///< Sees what is sent; null for nobody.
    LoadScale m_scale;                       ///< See Scale().
    std::unique_ptr<GroupLoads> m_groups;    ///< See Groups().
    std::unique_ptr<LinkLoads> m_links;      ///< See Links().
    ToldLoads* m_told{nullptr};              ///< One of them; null while nothing is told.
    std::vector<Port> m_known;               ///< By port.
    std::vector<Ack> m_words;                ///< Of the frame that is made.
};

} // namespace ns3::fabric

#endif // FABRIC_LOAD_TELLING_H
