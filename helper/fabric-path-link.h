/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PATH_LINK_H
#define FABRIC_PATH_LINK_H

#include "fabric-empty-path.h"
#include "fabric-transmitter.h"

namespace ns3::fabric
{

/// @return a link of a path, to a host, by what sends on it
inline PathLink
MakePathLink(const Transmitter& sender)
{
    PathLink link;
    link.rate = sender.Rate();
    link.delay = sender.Timing().delay + sender.Timing().dataLatency;
    return link;
}

} // namespace ns3::fabric

#endif // FABRIC_PATH_LINK_H
