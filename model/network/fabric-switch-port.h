/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_PORT_H
#define FABRIC_SWITCH_PORT_H

#include "fabric-device.h"

namespace ns3
{

/**
 * A port of a FabricSwitch as its node and channel see it. What happens at the port happens inside
 * the switch; packets of the node itself are not sent here.
 */
class FabricSwitchPort : public FabricDevice
{
  public:
    static TypeId GetTypeId();
};

} // namespace ns3

#endif // FABRIC_SWITCH_PORT_H
