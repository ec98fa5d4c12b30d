/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTE_FUNCTION_H
#define FABRIC_ROUTE_FUNCTION_H

#include "fabric-interval-routing.h"
#include "fabric-route-hop.h"
#include "fabric-routing.h"
#include "fabric-types.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3::fabric
{

/**
 * Routing as the checker sees it: appends all that a switch may ever do with a frame, under any
 * load. Arguments: switch, input port, virtual channel on which the frame came, destination, list
 * to append to. Where the choice also depends on what is not among them, as the intermediate group
 * of a detour, it appends the choices for all values that are possible.
 */
using RouteFunction =
    std::function<void(uint32_t, uint16_t, uint8_t, LocationId, std::vector<RouteHop>&)>;

/**
 * @param routing a rule for each switch; must stay as long as the function is used
 * @return the route function of switches that keep a frame's virtual channel
 */
RouteFunction MakeRouteFunction(const std::vector<IntervalRouting>& routing);

/// @return the same of routing by rule, by table or by PathRule
RouteFunction MakeRouteFunction(const std::vector<Routing>& routing);

} // namespace ns3::fabric

#endif // FABRIC_ROUTE_FUNCTION_H
