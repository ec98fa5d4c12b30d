/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTING_TABLES_H
#define FABRIC_ROUTING_TABLES_H

#include "fabric-port-map.h"
#include "fabric-routing.h"
#include "fabric-topology.h"
#include "fabric-wide-search.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/**
 * Makes the routing tables of any topology, with an entry for each switch that has hosts. These are
 * the targets, numbered in the order in which the plan's hosts come to them.
 *
 * A switch may use all ports that lead to a target by the way that is wanted if their numbers are
 * consecutive, so that a PortRange names them; else it uses the lowest of them alone. Up to 64
 * targets are looked for at a time (WideSearch).
 */
class RoutingTables
{
  public:
    /// @param ports those of the plan @param mostTargets so many of them at most, the first ones
    RoutingTables(const TopologyPlan& plan, const PortMap& ports, uint32_t mostTargets = MAX_HOSTS);

    /// @return links between switches
    const NeighbourLinks& Links() const
    {
        return m_links;
    }

    /// @return the targets
    const std::vector<uint32_t>& Targets() const
    {
        return m_targets;
    }

    /// @return how many targets are looked for together with the first one of them
    uint32_t CountFrom(uint32_t first) const;

    /// Begins a search at each target from the first one on.
    void Start(WideSearch& search, uint32_t first) const;

    /**
     * Notes how frames go on from a switch that searches have come to in their last step: by links
     * to where these were before.
     *
     * @param leadsOn as in WideSearch::Step(), from the target on
     * @param sw the switch
     * @param first target of the searches
     */
    template <typename LeadsOn>
    void Note(const WideSearch& search, const LeadsOn& leadsOn, uint32_t sw, uint32_t first)
    {
        PortRange* ranges = m_tables[sw].data() + first;
        WideSearch::Set found = 0;   // those that have a port
        WideSearch::Set at = 0;      // those to which the last port leads
        WideSearch::Set between = 0; // those with another port between theirs
        uint32_t next = 0;           // after the last port
        for (const NeighbourLink& link : m_links[sw])
        {
            const WideSearch::Set leads = search.Now(sw) & search.Before(link.sw);
            if (leads == 0 || !leadsOn(link.sw, sw))
            {
                continue;
            }
            between |= leads & found & ~(link.port == next ? at : 0);
            WideSearch::ForEach(leads & ~found, [&](uint32_t i) { ranges[i] = {link.port, 1}; });
            WideSearch::ForEach(leads & found, [&](uint32_t i) { ++ranges[i].count; });
            found |= leads;
            at = leads;
            next = link.port + 1U;
        }
        WideSearch::ForEach(between, [&](uint32_t i) { ranges[i].count = 1; });
    }

    /// @return the routing of each switch, in the plan's order. Call it once
    std::vector<Routing> Take();

  private:
    NeighbourLinks m_links;                       ///< By switch.
    std::vector<uint32_t> m_targets;              ///< Switches with hosts.
    std::vector<uint16_t> m_edges;                ///< Numbers of targets, by switch.
    std::shared_ptr<HostPlaces> m_hosts;          ///< Where they are.
    std::vector<std::vector<PortRange>> m_tables; ///< By switch and target.
};

/**
 * @param distance of each switch from the target, in links
 * @param target number of a switch
 * @throws std::invalid_argument with a sentence if a switch has no path to the target
 */
void RequireReached(const std::vector<uint32_t>& distance, uint32_t target);

} // namespace ns3::fabric

#endif // FABRIC_ROUTING_TABLES_H
