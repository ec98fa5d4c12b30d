/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-gateway-helper.h"

#include "ns3/boolean.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"

#include <stdexcept>
#include <string>

namespace ns3
{

namespace
{

/// Where a host is on a fabric.
struct FabricInterface
{
    Ptr<Ipv4> ip;   ///< Of the host; null if it has none.
    int32_t number; ///< Of the interface; -1 if it has no address there.
};

/// @return where a host is
FabricInterface
InterfaceOf(const FabricContainer& fabric, uint32_t host)
{
    const Ptr<FabricNetDevice> device = fabric.GetDevice(host);
    const auto ip = device->GetNode()->GetObject<Ipv4>();
    const int32_t number = ip ? ip->GetInterfaceForDevice(device) : -1;
    return {ip, number >= 0 && ip->GetNAddresses(number) > 0 ? number : -1};
}

} // namespace

FabricGatewayHelper::FabricGatewayHelper(const FabricContainer& fabric, uint32_t host)
    : m_fabric(fabric),
      m_host(host)
{
    const FabricInterface gateway = InterfaceOf(fabric, host);
    const std::string who = "FabricGatewayHelper: host " + std::to_string(host);
    if (gateway.number < 0)
    {
        throw std::invalid_argument(who + " has no IPv4 address on the fabric; allowed are hosts "
                                          "that Ipv4AddressHelper has given one");
    }
    BooleanValue forwards;
    gateway.ip->GetAttribute("IpForward", forwards);
    if (!forwards.Get())
    {
        throw std::invalid_argument(who + " does not forward packets; allowed is one with "
                                          "IpForward of ns3::Ipv4");
    }
    m_address = gateway.ip->GetAddress(gateway.number, 0).GetLocal();
}

void
FabricGatewayHelper::Route(Ipv4Address network, Ipv4Mask mask) const
{
    for (uint32_t host = 0; host < m_fabric.hosts.GetN(); ++host)
    {
        const FabricInterface from = InterfaceOf(m_fabric, host);
        if (host == m_host || from.number < 0)
        {
            continue;
        }
        const Ptr<Ipv4StaticRouting> routing = Ipv4StaticRoutingHelper().GetStaticRouting(from.ip);
        if (!routing)
        {
            throw std::invalid_argument("FabricGatewayHelper: host " + std::to_string(host) +
                                        " has no ns3::Ipv4StaticRouting; allowed are hosts whose "
                                        "InternetStackHelper installs it, as it does by itself");
        }
        routing->AddNetworkRouteTo(network, mask, m_address, from.number);
    }
}

void
FabricGatewayHelper::RouteAll() const
{
    Route(Ipv4Address::GetZero(), Ipv4Mask::GetZero());
}

} // namespace ns3
