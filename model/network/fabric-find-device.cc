/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-find-device.h"

#include "fabric-net-device.h"

namespace ns3::fabric
{

Ptr<FabricNetDevice>
FindDevice(Ptr<const Node> node)
{
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        if (auto device = DynamicCast<FabricNetDevice>(node->GetDevice(i)))
        {
            return device;
        }
    }
    return nullptr;
}

} // namespace ns3::fabric
