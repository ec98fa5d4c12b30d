/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pio-helper.h"

#include "fabric-attribute-value.h"

#include "ns3/pointer.h"
#include "ns3/uinteger.h"

namespace ns3
{

FabricPioHelper::FabricPioHelper()
{
    m_pio.SetTypeId(FabricPio::GetTypeId());
    m_application.SetTypeId(FabricPioApplication::GetTypeId());
}

void
FabricPioHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    fabric::SetChecked(m_pio, name, value);
}

void
FabricPioHelper::SetApplicationAttribute(const std::string& name, const AttributeValue& value)
{
    fabric::SetChecked(m_application, name, value);
}

Ptr<FabricPio>
FabricPioHelper::Install(const FabricContainer& fabric, uint32_t host) const
{
    const auto pio = m_pio.Create<FabricPio>();
    pio->Install(fabric.GetDevice(host));
    return pio;
}

Ptr<FabricPioApplication>
FabricPioHelper::InstallSender(const FabricContainer& fabric,
                               uint32_t from,
                               uint32_t to,
                               uint32_t thread) const
{
    const auto sender = m_application.Create<FabricPioApplication>();
    sender->SetAttribute("Device", PointerValue(fabric.GetDevice(from)));
    sender->SetAttribute("Remote", UintegerValue(fabric.GetDevice(to)->GetLocation()));
    sender->SetAttribute("Thread", UintegerValue(thread));
    fabric.GetDevice(from)->GetNode()->AddApplication(sender);
    return sender;
}

} // namespace ns3
