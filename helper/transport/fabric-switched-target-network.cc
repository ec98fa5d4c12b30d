/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switched-target-network.h"

#include "fabric-congestion-marker.h"
#include "fabric-device-engines.h"
#include "fabric-nic-transport.h"
#include "fabric-rank-link.h"
#include "fabric-require.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"

namespace ns3
{

SwitchedTargetNetwork::SwitchedTargetNetwork(const FabricContainer& fabric, uint32_t senders)
    : TargetNetwork(DataRate(fabric.hostLinks.back()->GetRate().BitsPerSecond())),
      m_fabric(fabric),
      m_last(fabric.GetDevice(fabric.hosts.GetN() - 1)),
      m_address(Ipv4Address::GetAny())
{
    fabric::RequireRange("SwitchedTargetNetwork",
                         "the number of senders",
                         senders,
                         1,
                         fabric.hosts.GetN() - 1);
    for (uint32_t host = 0; host < senders; ++host)
    {
        m_hosts.Add(fabric.hosts.Get(host));
    }
    m_hosts.Add(fabric.hosts.Get(fabric.hosts.GetN() - 1));
    for (uint32_t host = 0; host <= senders && fabric::RankCount() > 1; ++host)
    {
        DeviceOf(host)->GetNic().KeepArrivals(); // when all were done is known later
    }
}

void
SwitchedTargetNetwork::InstallIp()
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(m_fabric.hosts);
    Ipv4AddressHelper address("10.0.0.0", "255.255.0.0");
    m_address = address.Assign(m_fabric.devices).GetAddress(m_fabric.hosts.GetN() - 1);
}

void
SwitchedTargetNetwork::ReportDrops()
{
    m_reportsDrops = true;
}

Ptr<FabricNetDevice>
SwitchedTargetNetwork::DeviceOf(uint32_t host) const
{
    return host == GetSenders() ? m_last : m_fabric.GetDevice(host);
}

Ptr<FabricTransport>
SwitchedTargetNetwork::GetTransport(uint32_t host) const
{
    return fabric::FindEngine<FabricNicTransport>(DeviceOf(host));
}

Address
SwitchedTargetNetwork::GetTransportAddress(uint32_t host) const
{
    return DeviceOf(host)->GetAddress();
}

Ipv4Address
SwitchedTargetNetwork::GetIpAddress() const
{
    return m_address;
}

void
SwitchedTargetNetwork::InstallTransport(const FabricTransportHelper& helper) const
{
    NetDeviceContainer devices;
    for (uint32_t host = 0; host <= GetSenders(); ++host)
    {
        devices.Add(DeviceOf(host));
    }
    helper.InstallNic(devices);
}

const fabric::SwitchChip&
SwitchedTargetNetwork::GetChip() const
{
    return m_last->GetSwitch()->GetChip();
}

uint64_t
SwitchedTargetNetwork::GetPeakQueue() const
{
    return fabric::MostOfRanks({GetChip().Counts().peakHeldBytes}).front();
}

uint64_t
SwitchedTargetNetwork::GetBytesToTarget(fabric::TimePs by) const
{
    return m_last->GetNic().DeliveredBy(by);
}

uint64_t
SwitchedTargetNetwork::GetBytesFromTarget(fabric::TimePs by) const
{
    uint64_t bytes = 0;
    for (uint32_t host = 0; host < GetSenders(); ++host)
    {
        bytes += m_fabric.GetDevice(host)->GetNic().DeliveredBy(by);
    }
    return bytes;
}

void
SwitchedTargetNetwork::AddHops(fabric::RunTotals& totals) const
{
    const FabricTotals counted = m_fabric.network->GetTotalsOfRanks();
    totals.dataHops = counted.dataHops;
    totals.controlHops = counted.controlHops;
}

void
SwitchedTargetNetwork::AddOwnFigures(fabric::Summary& summary) const
{
    if (GetChip().Marker())
    {
        const uint64_t marked = GetChip().Marker()->MarkedFrames(); // 0 but on its rank
        summary.Add("marked_frames", {}, fabric::SumOverRanks({marked}).front(), "1");
    }
    if (m_reportsDrops)
    {
        for (const auto& [cause, bytes] : m_fabric.network->GetTotalsOfRanks().dropped)
        {
            summary.Add("fabric_dropped", {{"cause", cause}}, bytes, "B");
        }
    }
}

} // namespace ns3
