/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONTAINED_PORT_H
#define FABRIC_CONTAINED_PORT_H

#include "fabric-frame.h"
#include "fabric-ring.h"

namespace ns3::fabric
{

/// What an input has beyond others where frames have a largest size (SW-15).
struct ContainedPort
{
    bool isBlocked{false}; ///< Whether one was larger since the last reset.
    Ring<Frame> waiting;   ///< What has come since then, which asks no output.
};

} // namespace ns3::fabric

#endif // FABRIC_CONTAINED_PORT_H
