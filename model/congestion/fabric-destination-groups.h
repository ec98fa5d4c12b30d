/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DESTINATION_GROUPS_H
#define FABRIC_DESTINATION_GROUPS_H

#include "fabric-types.h"

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// Destinations by groups to which the same ways lead: the hosts of each switch. Their numbers
/// begin with 1 and go by the number of the switch.
class DestinationGroups
{
  public:
    static constexpr uint32_t NOWHERE = 0xFFFFFFFF; ///< Switch of a host that has none.

    /**
     * @param switchOfHost number of each host's switch, or NOWHERE
     * @throws std::invalid_argument if there are more groups than an ACK can name
     */
    explicit DestinationGroups(const std::vector<uint32_t>& switchOfHost)
        : m_ofLocation(FIRST_UNICAST + switchOfHost.size(), 0),
          m_firstHosts(1, 0)
    {
        std::map<uint32_t, LocationId> hosts; // of each switch, the first
        for (std::size_t i = switchOfHost.size(); i-- > 0;)
        {
            hosts[switchOfHost[i]] = static_cast<LocationId>(FIRST_UNICAST + i);
        }
        hosts.erase(NOWHERE);
        if (hosts.size() >= FLOW_IDS_PER_LINK)
        {
            throw std::invalid_argument(
                "NeighbourLoads is true, and " + std::to_string(hosts.size()) +
                " switches have hosts; allowed is false, or at most " +
                std::to_string(FLOW_IDS_PER_LINK - 1) + " switches with hosts");
        }
        std::map<uint32_t, FlowId> groups;
        for (const auto& [number, host] : hosts)
        {
            groups[number] = static_cast<FlowId>(m_firstHosts.size());
            m_firstHosts.push_back(host);
        }
        for (std::size_t i = 0; i < switchOfHost.size(); ++i)
        {
            const auto group = groups.find(switchOfHost[i]);
            m_ofLocation[FIRST_UNICAST + i] = group == groups.end() ? NO_FLOW : group->second;
        }
    }

    /// @return one more than the number of the last group
    uint32_t End() const
    {
        return static_cast<uint32_t>(m_firstHosts.size());
    }

    /// @return its group; NO_FLOW if it is at no switch
    FlowId Of(LocationId location) const
    {
        return location < m_ofLocation.size() ? m_ofLocation[location] : NO_FLOW;
    }

    /// @return a host of the group
    LocationId HostOf(FlowId group) const
    {
        return m_firstHosts[group];
    }

  private:
    std::vector<FlowId> m_ofLocation;     ///< Group of each location.
    std::vector<LocationId> m_firstHosts; ///< A host of each group.
};

} // namespace ns3::fabric

#endif // FABRIC_DESTINATION_GROUPS_H
