/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-device.h"

#include "fabric-attributed-type.h"

#include <stdexcept>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricDevice);

namespace
{

/// IPv4 and IPv6 need at least this of a link (RFC 791, RFC 8200 needs 1280 for IPv6).
constexpr uint16_t SMALLEST_MTU = 68;

} // namespace

TypeId
FabricDevice::GetTypeId()
{
    static TypeId tid =
        fabric::AttributedType(
            TypeId("ns3::FabricDevice").SetParent<NetDevice>().SetGroupName("Fabric"),
            fabric::BEFORE_INSTALL)
            .Add("Mtu", "Largest payload of a frame, bytes; above 4096 it is a jumbo frame.")
            .Sets(&FabricDevice::m_mtu, fabric::MAX_PAYLOAD, {SMALLEST_MTU, fabric::JUMBO_PAYLOAD});
    return tid;
}

void
FabricDevice::DoDispose()
{
    m_node = nullptr;
    m_channel = nullptr;
    m_receiveCallback.Nullify();
    m_promiscReceiveCallback.Nullify();
    NetDevice::DoDispose();
}

void
FabricDevice::SetChannel(Ptr<FabricChannel> channel)
{
    m_channel = channel;
    m_linkChangeTrace();
}

void
FabricDevice::NotifyLinkChange()
{
    m_linkChangeTrace();
}

Ptr<FabricChannel>
FabricDevice::NeedChannel() const
{
    if (!m_channel)
    {
        throw std::invalid_argument("ns3::FabricDevice: the port has no link that could fail");
    }
    return m_channel;
}

void
FabricDevice::FailAt(Time time)
{
    NeedChannel()->FailAt(time);
}

void
FabricDevice::RepairAt(Time time)
{
    NeedChannel()->RepairAt(time);
}

void
FabricDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FabricDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
FabricDevice::GetChannel() const
{
    return m_channel;
}

void
FabricDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
FabricDevice::GetAddress() const
{
    return m_address;
}

bool
FabricDevice::SetMtu(const uint16_t mtu)
{
    // Buffers and queues are shaped by it; it is an attribute to be set at construction.
    return mtu == m_mtu;
}

uint16_t
FabricDevice::GetMtu() const
{
    return m_mtu;
}

bool
FabricDevice::IsLinkUp() const
{
    return m_channel && m_channel->IsUp();
}

void
FabricDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChangeTrace.ConnectWithoutContext(callback);
}

bool
FabricDevice::IsBroadcast() const
{
    return true;
}

Address
FabricDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
FabricDevice::IsMulticast() const
{
    return true;
}

Address
FabricDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
FabricDevice::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
FabricDevice::IsBridge() const
{
    return false;
}

bool
FabricDevice::IsPointToPoint() const
{
    return false;
}

bool
FabricDevice::Send(Ptr<Packet> /* packet */,
                   const Address& /* dest */,
                   uint16_t /* protocolNumber */)
{
    return false; // a switch port takes no packets from its node; a host's device does
}

bool
FabricDevice::SendFrom(Ptr<Packet> /* packet */,
                       const Address& /* source */,
                       const Address& /* dest */,
                       uint16_t /* protocolNumber */)
{
    return false;
}

Ptr<Node>
FabricDevice::GetNode() const
{
    return m_node;
}

void
FabricDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
FabricDevice::NeedsArp() const
{
    return true;
}

void
FabricDevice::SetReceiveCallback(ReceiveCallback cb)
{
    m_receiveCallback = cb;
}

void
FabricDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_promiscReceiveCallback = cb;
}

bool
FabricDevice::SupportsSendFrom() const
{
    return false;
}

} // namespace ns3
