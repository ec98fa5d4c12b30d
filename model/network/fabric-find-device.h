/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FIND_DEVICE_H
#define FABRIC_FIND_DEVICE_H

#include "ns3/node.h"

namespace ns3
{

class FabricNetDevice;

namespace fabric
{

/// @return its first FabricNetDevice, or null
Ptr<FabricNetDevice> FindDevice(Ptr<const Node> node);

} // namespace fabric
} // namespace ns3

#endif // FABRIC_FIND_DEVICE_H
