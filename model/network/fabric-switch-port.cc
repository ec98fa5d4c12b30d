/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-port.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricSwitchPort);

TypeId
FabricSwitchPort::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricSwitchPort")
                            .SetParent<FabricDevice>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricSwitchPort>();
    return tid;
}

} // namespace ns3
