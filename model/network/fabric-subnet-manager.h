/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SUBNET_MANAGER_H
#define FABRIC_SUBNET_MANAGER_H

#include "fabric-lane-table.h"
#include "fabric-reachability.h"
#include "fabric-types.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::fabric
{

class WindowDriver;

/// A port of a switch, as an end of a link.
struct SwitchPort
{
    uint32_t number; ///< Of the switch in the fabric.
    uint32_t port;   ///< Of the switch.
};

/// A link between switches.
using SwitchLink = std::array<SwitchPort, 2>;

/// Settings of a subnet manager.
struct SubnetSettings
{
    TimePs routingUpdateDelay{0}; ///< From a failure or repair until routing knows, ps.
};

/**
 * What manages a fabric: it knows its links, takes them out of use and into it again, tells all
 * switches when routing knows (WL-8), and hands out lane tables (VA-11).
 *
 * What it asks of a switch that may be ahead takes effect at the switch's next window (DP-6).
 */
class SubnetManager
{
  public:
    /// @param settings may change between calls; outlive the manager
    explicit SubnetManager(const SubnetSettings& settings)
        : m_settings(settings)
    {
    }

    /// @param fabricSwitch the next one by its number; outlives the manager's use
    void Add(WindowDriver& fabricSwitch)
    {
        m_switches.push_back(&fabricSwitch);
    }

    /// @param link between switches that were added
    void Add(const SwitchLink& link)
    {
        m_links.push_back(link);
    }

    /// @param location of a host
    void AddHost(LocationId location)
    {
        m_hosts.push_back({location, {Reachability::NO_SWITCH, 0}});
    }

    /// @param location of a host that was added, all from FIRST_UNICAST on @param end its switch
    void LinkHost(LocationId location, const SwitchPort& end)
    {
        m_hosts[location - FIRST_UNICAST].end = end;
    }

    /// @return the links between switches
    const std::vector<SwitchLink>& Links() const
    {
        return m_links;
    }

    /**
     * @param from number of a switch
     * @return switches on a shortest way from it to each, both counted, by number; 0 where there is
     * none. Failures are not looked at
     */
    std::vector<uint32_t> Hops(uint32_t from) const;

    /**
     * @param ends that are switches, one or two
     * @return the first time, from `at` on, up to which none of them is ahead, ps
     */
    TimePs NotBehind(const std::vector<SwitchPort>& ends, TimePs at) const;

    /**
     * A link fails (WL-8).
     *
     * @param ends that are switches, one or two
     * @return when it does: what was asked for, or the first time up to which none of the switches
     * is ahead, ps
     * @throws std::invalid_argument if no link may fail
     */
    TimePs FailLink(const std::vector<SwitchPort>& ends, TimePs at);

    /**
     * A link that has failed is repaired (WL-8).
     *
     * @return when it is, see FailLink(), ps
     */
    TimePs RepairLink(const std::vector<SwitchPort>& ends, TimePs at);

    /// From now on no link may fail: frames have fixed ways, which do not go around.
    void FixLinks()
    {
        m_isFixed = true;
    }

    /// @return whether a link has ever failed
    bool HasFailures() const
    {
        return m_ways != nullptr;
    }

    /**
     * Changes the lane table of all switches or of none.
     *
     * @throws std::invalid_argument with a sentence if it is wrong (VA-14), or a switch can't have
     * it
     */
    void SetLaneTable(const LaneTable& table);

    /// Forgets all; nothing is asked of a switch any more.
    void Clear();

  private:
    /// A host and its place.
    struct Host
    {
        LocationId location; ///< Its address.
        SwitchPort end;      ///< Of its link.
    };

    /// Makes what knows which links are down, once.
    void MakeWays();
    /// All switches learn of what has changed at a time, when routing does.
    void UpdateWays(TimePs at);

    const SubnetSettings& m_settings;      ///< Of the fabric.
    std::vector<WindowDriver*> m_switches; ///< By number.
    std::vector<SwitchLink> m_links;       ///< Between switches.
    std::vector<Host> m_hosts;             ///< All of them.
    bool m_isFixed{false};                 ///< Whether no link may fail.
    std::shared_ptr<Reachability> m_ways;  ///< Links that are down; null if none ever is.
};

} // namespace ns3::fabric

#endif // FABRIC_SUBNET_MANAGER_H
