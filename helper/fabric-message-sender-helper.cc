/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-message-sender-helper.h"

#include "fabric-attribute-value.h"
#include "fabric-message-sender.h"

#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{

FabricMessageSenderHelper::FabricMessageSenderHelper(uint64_t bytes)
{
    m_factory.SetTypeId(FabricMessageSender::GetTypeId());
    m_factory.Set("Bytes", UintegerValue(bytes));
}

void
FabricMessageSenderHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    fabric::SetChecked(m_factory, name, value);
}

void
FabricMessageSenderHelper::SendOnEvery(Time interval)
{
    m_factory.Set("Count", UintegerValue(std::numeric_limits<uint64_t>::max()));
    m_factory.Set("Interval", TimeValue(interval));
}

Ptr<Application>
FabricMessageSenderHelper::Install(const FabricContainer& fabric, uint32_t from, uint32_t to) const
{
    const auto sender = m_factory.Create<Application>();
    sender->SetAttribute("Device", PointerValue(fabric.GetDevice(from)));
    sender->SetAttribute("Remote", UintegerValue(fabric.GetDevice(to)->GetLocation()));
    fabric.GetDevice(from)->GetNode()->AddApplication(sender);
    return sender;
}

} // namespace ns3
