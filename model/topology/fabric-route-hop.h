/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTE_HOP_H
#define FABRIC_ROUTE_HOP_H

#include <cstdint>

namespace ns3::fabric
{

/// One thing that routing may do with a frame: leave by this port on this virtual channel.
struct RouteHop
{
    uint16_t port; ///< Output port.
    uint8_t vc;    ///< Virtual channel on the link that follows.
};

} // namespace ns3::fabric

#endif // FABRIC_ROUTE_HOP_H
