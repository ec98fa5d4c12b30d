/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-graph-routing.h"

#include "fabric-channel-dependency.h"
#include "fabric-graph-rule.h"
#include "fabric-port-map.h"
#include "fabric-routing-tables.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-up-down-routing.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// @return a switch whose farthest switch is nearest
uint32_t
MiddleOf(const NeighbourLinks& links)
{
    const auto switches = static_cast<uint32_t>(links.size());
    WideSearch search(switches);
    uint32_t middle = 0;
    uint32_t least = PortMap::UNREACHED;
    for (uint32_t first = 0; first < switches; first += WideSearch::WIDTH)
    {
        const uint32_t count = std::min(WideSearch::WIDTH, switches - first);
        search.Start(count, [first](uint32_t i) { return first + i; });
        std::array<uint32_t, WideSearch::WIDTH> farthest{};
        for (uint32_t distance = 1; search.Step(links); ++distance)
        {
            WideSearch::Set are = 0;
            for (const uint32_t sw : search.Front())
            {
                are |= search.Now(sw);
            }
            WideSearch::ForEach(are, [&](uint32_t i) { farthest[i] = distance; });
        }
        WideSearch::Set reachAll = WideSearch::AllOf(count);
        for (uint32_t sw = 0; sw < switches; ++sw)
        {
            reachAll &= search.Reached(sw);
        }
        WideSearch::ForEach(reachAll, [&](uint32_t i) {
            if (farthest[i] < least)
            {
                least = farthest[i];
                middle = first + i;
            }
        });
    }
    return middle;
}

/// @return where switches and hosts of a plan are. @param root of its spanning tree
std::shared_ptr<const GraphWiring>
MakeGraphWiring(const TopologyPlan& plan, const PortMap& ports, NeighbourLinks links, uint32_t root)
{
    RequireReached(ports.GetDistances(root), root);
    std::vector<GraphWiring::Host> hosts;
    for (const HostPlan& host : plan.hosts)
    {
        hosts.push_back({host.edgeSwitch, host.port});
    }
    return std::make_shared<const GraphWiring>(std::move(links), std::move(hosts), root);
}

/// Where there is a cycle, ways to so many switches most often have one.
constexpr uint32_t FEW_TARGETS = WideSearch::WIDTH;

/// Tables; no result if shortest paths have a cycle.
std::optional<std::vector<Routing>>
MakeShortestTables(const TopologyPlan& plan)
{
    RouteDemands demands;
    demands.oneHostPerSwitch = true;
    if (plan.switches.size() > FEW_TARGETS)
    {
        RouteDemands toFew = demands;
        toFew.mostDestinations = FEW_TARGETS;
        const std::vector<Routing> few = MakeShortestPathRouting(plan, FEW_TARGETS);
        if (!CheckRoutes(plan, few, toFew).IsDeadlockFree())
        {
            return std::nullopt;
        }
    }
    std::vector<Routing> routing = MakeShortestPathRouting(plan);
    const bool isGood = CheckRoutes(plan, routing, demands).IsGood();
    return isGood ? std::optional(std::move(routing)) : std::nullopt;
}

/// @return tables that always can be. @param root switch at the top
std::vector<Routing>
MakeUpDownTables(const TopologyPlan& plan, uint32_t root)
{
    std::vector<Routing> routing = MakeUpDownRouting(plan, root);
    ProveRoutes(plan, routing);
    return routing;
}

/// @return rules, one for each switch
std::vector<Routing>
MakeGraphRules(const std::shared_ptr<const GraphWiring>& wiring,
               std::size_t switches,
               GraphMode mode)
{
    std::vector<Routing> routing;
    for (uint32_t sw = 0; sw < switches; ++sw)
    {
        routing.emplace_back(std::make_shared<GraphRule>(wiring, sw, mode != GRAPH_MINIMAL));
    }
    return routing;
}

} // namespace

std::vector<Routing>
MakeGraphRouting(const TopologyPlan& plan, GraphMode mode, uint32_t* tooFar)
{
    if (tooFar)
    {
        *tooFar = 0;
    }
    if (mode == GRAPH_BEST || mode == GRAPH_UP_DOWN)
    {
        if (auto shortest = MakeShortestTables(plan))
        {
            return std::move(*shortest);
        }
    }
    const PortMap ports(plan);
    NeighbourLinks links = ports.GetLinks();
    const uint32_t middle = MiddleOf(links);
    if (mode == GRAPH_UP_DOWN)
    {
        return MakeUpDownTables(plan, middle);
    }
    const auto wiring = MakeGraphWiring(plan, ports, std::move(links), middle);
    const uint32_t diameter = wiring->Diameter();
    if (diameter <= GraphRule::MOST_LINKS)
    {
        return MakeGraphRules(wiring, plan.switches.size(), mode);
    }
    if (mode == GRAPH_BEST)
    {
        if (tooFar)
        {
            *tooFar = diameter;
        }
        return MakeUpDownTables(plan, middle);
    }
    throw std::invalid_argument("hosts are " + std::to_string(diameter) +
                                " links between switches apart, and shortest paths need a virtual "
                                "channel for each; allowed are at most " +
                                std::to_string(GraphRule::MOST_LINKS) +
                                " links, or paths up and then down");
}

} // namespace ns3::fabric
