/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-tcp-hosts.h"

#include "ns3/arp-cache.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/tcp-socket-factory.h"

#include <utility>

namespace ns3::fabric
{

TcpHosts::TcpHosts(const FabricContainer& fabric, const std::vector<uint32_t>& hosts)
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.0.0");
    for (const uint32_t host : hosts)
    {
        const Ptr<FabricNetDevice> device = fabric.GetDevice(host);
        stack.Install(device->GetNode());
        m_interfaces.Add(addresses.Assign(NetDeviceContainer(device)));
        m_places[AddressOf(static_cast<uint32_t>(m_devices.size()))] =
            static_cast<uint32_t>(m_devices.size());
        m_devices.push_back(device);
    }
}

void
TcpHosts::Introduce(uint32_t one, uint32_t other) const
{
    for (const auto& [here, there] : {std::pair(one, other), std::pair(other, one)})
    {
        const auto [ip, interface] = m_interfaces.Get(here);
        const auto layer = DynamicCast<Ipv4L3Protocol>(ip);
        const Ptr<ArpCache> cache = layer->GetInterface(interface)->GetArpCache();
        if (!cache->Lookup(AddressOf(there)))
        {
            ArpCache::Entry* entry = cache->Add(AddressOf(there));
            entry->SetMacAddress(m_devices[there]->GetAddress());
            entry->MarkPermanent();
        }
    }
}

Ptr<Socket>
TcpHosts::MakeSocket(uint32_t host) const
{
    return Socket::CreateSocket(m_devices[host]->GetNode(), TcpSocketFactory::GetTypeId());
}

} // namespace ns3::fabric
