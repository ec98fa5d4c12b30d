/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_WAYS_H
#define FABRIC_ORACLE_WAYS_H

#include "fabric-routing.h"
#include "fabric-topology.h"

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Which ports lead nowhere when links have failed (WL-8), worked out anew for the whole fabric each
 * time: a port leads to a destination if routing uses it for that, its link is up, and so is some
 * way from the switch behind it.
 */
class OracleWays
{
  public:
    /// Ports that lead nowhere, by destination.
    using DeadEnds = std::set<std::pair<LocationId, uint32_t>>;

    /**
     * @param plan switches, links, hosts
     * @param routes which ports lead where when all links are up, by switch
     */
    OracleWays(TopologyPlan plan, std::vector<Routing> routes)
        : m_plan(std::move(plan)),
          m_routes(std::move(routes))
    {
        for (std::size_t i = 0; i < m_plan.links.size(); ++i)
        {
            const LinkPlan& link = m_plan.links[i];
            m_linkAt[{link.switchA, link.portA}] = {i, link.switchB};
            m_linkAt[{link.switchB, link.portB}] = {i, link.switchA};
        }
        for (std::size_t i = 0; i < m_plan.hosts.size(); ++i)
        {
            const HostPlan& host = m_plan.hosts[i];
            m_linkAt[{host.edgeSwitch, host.port}] = {m_plan.links.size() + i, HOST};
        }
    }

    /// @return the link: links count first, then hosts
    std::size_t LinkAt(std::size_t number, uint32_t port) const
    {
        return m_linkAt.at({number, port}).first;
    }

    /**
     * Routing learns of a link, of which it learns in the order of time.
     *
     * @param link counts links, then hosts
     * @param isDown whether it has failed, and not been repaired
     */
    void Learn(TimePs at, std::size_t link, bool isDown)
    {
        m_news[link].emplace_back(at, isDown);
    }

    /// @return its ports that lead nowhere, as routing knows now of links that are not its own:
    /// it sees these itself
    DeadEnds Of(std::size_t number, TimePs now)
    {
        m_down.clear();
        for (const auto& [link, news] : m_news)
        {
            for (const auto& [at, isDown] : news)
            {
                if (at <= now && isDown)
                {
                    m_down.insert(link);
                }
                else if (at <= now)
                {
                    m_down.erase(link);
                }
            }
        }
        DeadEnds deadEnds;
        for (std::size_t host = 0; host < m_plan.hosts.size() && !m_down.empty(); ++host)
        {
            const LocationId dst = LocationOf(static_cast<uint32_t>(host));
            for (const uint32_t port : PortsFor(number, dst))
            {
                if (!LeadsBeyond(number, port, dst))
                {
                    deadEnds.emplace(dst, port);
                }
            }
        }
        return deadEnds;
    }

  private:
    static constexpr std::size_t HOST = static_cast<std::size_t>(-1); ///< No switch is there.

    /// @return ports of a switch that routing uses for a destination
    std::vector<uint32_t> PortsFor(std::size_t number, LocationId dst) const
    {
        const PortRange range = m_routes[number].Route(dst);
        std::vector<uint32_t> ports;
        for (uint32_t i = 0; i < range.count; ++i)
        {
            ports.push_back(range.first + i);
        }
        return ports;
    }

    /// @return whether a way begins with a port; routes have no circles, so this comes to an end
    bool Leads(std::size_t number, uint32_t port, LocationId dst) const
    {
        const auto found = m_linkAt.find({number, port});
        const bool isDown = found != m_linkAt.end() && m_down.count(found->second.first) != 0;
        return !isDown && LeadsBeyond(number, port, dst);
    }

    /// @return the same, whatever the link at the port does
    bool LeadsBeyond(std::size_t number, uint32_t port, LocationId dst) const
    {
        const auto found = m_linkAt.find({number, port});
        if (found == m_linkAt.end() || found->second.second == HOST)
        {
            return true;
        }
        const std::size_t peer = found->second.second;
        for (const uint32_t next : PortsFor(peer, dst))
        {
            if (Leads(peer, next, dst))
            {
                return true;
            }
        }
        return false;
    }

    TopologyPlan m_plan;           ///< Switches, links, hosts.
    std::vector<Routing> m_routes; ///< By switch.
    std::map<std::pair<std::size_t, uint32_t>, std::pair<std::size_t, std::size_t>>
        m_linkAt; ///< Link and switch behind it, by switch and port.
    std::map<std::size_t, std::vector<std::pair<TimePs, bool>>> m_news; ///< By link, in order.
    std::set<std::size_t> m_down; ///< Links that routing knows to be down.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_WAYS_H
