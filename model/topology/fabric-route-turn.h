/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTE_TURN_H
#define FABRIC_ROUTE_TURN_H

#include <cstdint>

namespace ns3::fabric
{

/// At a switch a frame comes in by a link from another switch, and leaves by one to another.
struct RouteTurn
{
    uint32_t sw;     ///< The switch.
    uint16_t input;  ///< Port by which it comes.
    uint16_t output; ///< Port by which it leaves.
};

} // namespace ns3::fabric

#endif // FABRIC_ROUTE_TURN_H
