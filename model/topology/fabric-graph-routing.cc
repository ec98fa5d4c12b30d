/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-graph-routing.h"

#include "fabric-channel-dependency.h"
#include "fabric-graph-rule.h"
#include "fabric-port-map.h"
#include "fabric-routing-tables.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-up-down-routing.h"

#include <algorithm>
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
MiddleOf(const TopologyPlan& plan)
{
    const PortMap ports(plan);
    uint32_t middle = 0;
    uint32_t least = PortMap::UNREACHED;
    for (uint32_t sw = 0; sw < plan.switches.size(); ++sw)
    {
        const std::vector<uint32_t> distances = ports.GetDistances(sw);
        const uint32_t farthest = *std::max_element(distances.begin(), distances.end());
        if (farthest < least)
        {
            least = farthest;
            middle = sw;
        }
    }
    return middle;
}

/// @return where switches and hosts of a plan are. @param root of its spanning tree
std::shared_ptr<const GraphWiring>
MakeGraphWiring(const TopologyPlan& plan, uint32_t root)
{
    const PortMap ports(plan);
    RequireReached(ports.GetDistances(root), root);
    std::vector<std::vector<GraphWiring::Link>> links(plan.switches.size());
    for (uint32_t sw = 0; sw < plan.switches.size(); ++sw)
    {
        for (uint16_t port = 0; port < ports.GetPorts(sw); ++port)
        {
            const PortPeer& peer = ports.GetPeer(sw, port);
            if (peer.kind == PeerKind::SWITCH)
            {
                links[sw].push_back({port, peer.index});
            }
        }
    }
    std::vector<GraphWiring::Host> hosts;
    for (const HostPlan& host : plan.hosts)
    {
        hosts.push_back({host.edgeSwitch, host.port});
    }
    return std::make_shared<const GraphWiring>(std::move(links), std::move(hosts), root);
}

/// Tables; no result if shortest paths have a cycle.
std::optional<std::vector<Routing>>
MakeShortestTables(const TopologyPlan& plan)
{
    RouteDemands demands;
    demands.oneHostPerSwitch = true;
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
MakeGraphRouting(const TopologyPlan& plan, GraphMode mode)
{
    if (mode == GRAPH_BEST || mode == GRAPH_UP_DOWN)
    {
        if (auto shortest = MakeShortestTables(plan))
        {
            return std::move(*shortest);
        }
    }
    const uint32_t middle = MiddleOf(plan);
    if (mode == GRAPH_UP_DOWN)
    {
        return MakeUpDownTables(plan, middle);
    }
    const auto wiring = MakeGraphWiring(plan, middle);
    const uint32_t diameter = wiring->Diameter();
    if (diameter <= GraphRule::MOST_LINKS)
    {
        return MakeGraphRules(wiring, plan.switches.size(), mode);
    }
    if (mode == GRAPH_BEST)
    {
        return MakeUpDownTables(plan, middle);
    }
    throw std::invalid_argument("hosts are " + std::to_string(diameter) +
                                " links between switches apart, and shortest paths need a virtual "
                                "channel for each; allowed are at most " +
                                std::to_string(GraphRule::MOST_LINKS) +
                                " links, or paths up and then down");
}

} // namespace ns3::fabric
