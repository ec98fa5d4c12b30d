/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

/// Appends each of some ports, on the virtual channel by which a frame came.
void
AddPorts(PortRange range, uint8_t vc, std::vector<RouteHop>& hops)
{
    for (uint16_t i = 0; i < range.count; ++i)
    {
        hops.push_back({static_cast<uint16_t>(range.first + i), vc});
    }
}

/// @return virtual channels that routing and trees need for a class
uint32_t
ChannelsOf(const std::vector<Routing>& routing, const std::vector<GroupTree>& groups)
{
    uint32_t channels = 1;
    for (const GroupTree& group : groups)
    {
        channels = std::max(channels, group.VirtualChannels());
    }
    for (const Routing& r : routing)
    {
        channels = std::max(channels, r.Paths() ? r.Paths()->VirtualChannels() : 1);
    }
    return channels;
}

/// @return switches of a group, if all groups' rules say that they are alike; else 0
uint32_t
GroupSwitchesOf(const std::vector<Routing>& routing)
{
    const PathRule* first = routing.empty() ? nullptr : routing.front().Paths();
    const uint32_t switches = first ? first->GroupSwitches() : 0;
    for (std::size_t i = 0; switches != 0 && i < routing.size(); ++i)
    {
        const PathRule* like = routing[i % switches].Paths();
        if (!like || !routing[i].Paths() || !routing[i].Paths()->IsAlike(*like))
        {
            return 0;
        }
    }
    return switches;
}

} // namespace

RouteFunction
MakeRouteFunction(const std::vector<IntervalRouting>& routing)
{
    return
        [&routing](uint32_t sw, uint16_t, uint8_t vc, LocationId dst, std::vector<RouteHop>& hops) {
            AddPorts(routing[sw].Route(dst), vc, hops);
        };
}

RouteFunction
MakeRouteFunction(const std::vector<Routing>& routing)
{
    return [&routing, ways = Ways()](uint32_t sw,
                                     uint16_t port,
                                     uint8_t vc,
                                     LocationId dst,
                                     std::vector<RouteHop>& hops) mutable {
        const PathRule* paths = routing[sw].Paths();
        if (!paths)
        {
            AddPorts(routing[sw].Route(dst), vc, hops);
            return;
        }
        ways.clear();
        paths->FindWays(dst, {port, vc}, ways);
        for (const Way& way : ways)
        {
            hops.push_back({way.port, way.vc});
        }
    };
}

RouteReport
CheckRoutes(const TopologyPlan& plan,
            const std::vector<Routing>& routing,
            const RouteDemands& demands,
            const std::vector<GroupTree>& groups)
{
    RouteDemands own = demands;
    own.groupSwitches = GroupSwitchesOf(routing);
    return CheckRoutes(plan, ChannelsOf(routing, groups), MakeRouteFunction(routing), own, groups);
}

void
ProveRoutes(const TopologyPlan& plan, const std::vector<Routing>& routing)
{
    RouteDemands demands;
    demands.oneHostPerSwitch = true;
    CheckRoutes(plan, routing, demands).RequireGood();
}

} // namespace ns3::fabric
