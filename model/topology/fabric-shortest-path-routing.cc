/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-shortest-path-routing.h"

#include "fabric-routing-tables.h"

namespace ns3::fabric
{

namespace
{

/// Refuses a target that a switch can't reach. @param first of those of a search
void
RequireAllReached(const PortMap& ports,
                  const RoutingTables& tables,
                  const WideSearch& search,
                  uint32_t first)
{
    WideSearch::Set reached = WideSearch::AllOf(tables.CountFrom(first));
    const WideSearch::Set all = reached;
    for (uint32_t sw = 0; sw < tables.Links().size(); ++sw)
    {
        reached &= search.Reached(sw);
    }
    WideSearch::ForEach(all & ~reached, [&](uint32_t i) {
        const uint32_t target = tables.Targets()[first + i];
        RequireReached(ports.GetDistances(target), target);
    });
}

} // namespace

std::vector<Routing>
MakeShortestPathRouting(const TopologyPlan& plan, uint32_t mostTargets)
{
    const PortMap ports(plan);
    RoutingTables tables(plan, ports, mostTargets);
    WideSearch search(static_cast<uint32_t>(plan.switches.size()));
    const auto leadsOn = [](uint32_t, uint32_t) { return true; };
    for (uint32_t first = 0; first < tables.Targets().size(); first += WideSearch::WIDTH)
    {
        tables.Start(search, first);
        while (search.Step(tables.Links()))
        {
            for (const uint32_t sw : search.Front())
            {
                tables.Note(search, leadsOn, sw, first);
            }
        }
        RequireAllReached(ports, tables, search, first);
    }
    return tables.Take();
}

} // namespace ns3::fabric
