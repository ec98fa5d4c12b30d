/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-helper.h"

#include "fabric-attribute-value.h"

#include "ns3/pointer.h"
#include "ns3/uinteger.h"

namespace ns3
{

FabricCommandHelper::FabricCommandHelper()
{
    m_queues.SetTypeId(FabricCommandQueues::GetTypeId());
    m_application.SetTypeId(FabricCommandApplication::GetTypeId());
}

void
FabricCommandHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    fabric::SetChecked(m_queues, name, value);
}

void
FabricCommandHelper::SetApplicationAttribute(const std::string& name, const AttributeValue& value)
{
    fabric::SetChecked(m_application, name, value);
}

Ptr<FabricCommandQueues>
FabricCommandHelper::Install(const FabricContainer& fabric, uint32_t host) const
{
    const auto queues = m_queues.Create<FabricCommandQueues>();
    queues->Install(fabric.GetDevice(host));
    return queues;
}

Ptr<FabricCommandApplication>
FabricCommandHelper::InstallInitiator(const FabricContainer& fabric,
                                      uint32_t from,
                                      uint32_t to,
                                      uint32_t queue) const
{
    const auto initiator = m_application.Create<FabricCommandApplication>();
    initiator->SetAttribute("Device", PointerValue(fabric.GetDevice(from)));
    initiator->SetAttribute("Remote", UintegerValue(fabric.GetDevice(to)->GetLocation()));
    initiator->SetAttribute("Queue", UintegerValue(queue));
    fabric.GetDevice(from)->GetNode()->AddApplication(initiator);
    return initiator;
}

} // namespace ns3
