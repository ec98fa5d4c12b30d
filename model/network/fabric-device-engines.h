/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DEVICE_ENGINES_H
#define FABRIC_DEVICE_ENGINES_H

#include "fabric-engine-group.h"
#include "fabric-net-device.h"
#include "fabric-nic.h"

#include "ns3/node.h"

#include <string>

namespace ns3::fabric
{

/**
 * Finds what works in the NIC of a device. A node with several devices has several of a type, but
 * an aggregate of ns-3 has only one.
 *
 * @tparam T its type, with a GetDevice()
 * @param device a host's device
 * @return what AttachEngine() has given it; null if there is none
 */
template <typename T>
Ptr<T>
FindEngine(const Ptr<FabricNetDevice>& device)
{
    const Ptr<T> ofNode = device->GetNode()->GetObject<T>();
    return ofNode && ofNode->GetDevice() == device ? ofNode : device->GetObject<T>();
}

/**
 * @tparam T type of what is to work in the NIC of a device
 * @param device a host's device, null for none
 * @return why it can't, for a sentence; empty if it can
 */
template <typename T>
std::string
WhyNoEngine(const Ptr<FabricNetDevice>& device)
{
    if (!device || !device->GetChannel())
    {
        return "the node needs an ns3::FabricNetDevice with a link";
    }
    if (FindEngine<T>(device))
    {
        return "the device has an " + T::GetTypeId().GetName() + " already; allowed is one";
    }
    return device->GetNic().TakesEngine() ? "" : TOO_LATE_FOR_ENGINE;
}

/**
 * Aggregates what works in the NIC of a device to its node, where users look for it; to the device
 * if the node has one that works in another device.
 *
 * @tparam T its type
 * @param device a host's device, which has none of this type
 */
template <typename T>
void
AttachEngine(const Ptr<FabricNetDevice>& device, const Ptr<T>& engine)
{
    const Ptr<Node> node = device->GetNode();
    if (node->GetObject<T>())
    {
        device->AggregateObject(engine);
    }
    else
    {
        node->AggregateObject(engine);
    }
}

} // namespace ns3::fabric

#endif // FABRIC_DEVICE_ENGINES_H
