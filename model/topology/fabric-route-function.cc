/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-route-function.h"

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

} // namespace ns3::fabric
