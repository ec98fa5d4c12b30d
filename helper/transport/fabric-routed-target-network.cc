/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-routed-target-network.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue.h"
#include "ns3/string.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>

namespace ns3
{

RoutedTargetNetwork::RoutedTargetNetwork(const Settings& settings)
    : TargetNetwork(settings.rate)
{
    m_hosts.Create(settings.senders + 1);
    NodeContainer router;
    router.Create(1);
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(m_hosts);
    stack.Install(router);
    const bool marks = settings.marking.minPackets > 0;
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(settings.rate));
    link.SetDeviceAttribute("Mtu", UintegerValue(settings.mtu));
    link.SetChannelAttribute("Delay", TimeValue(settings.delay));
    // With marks it is the queue disc above that holds packets back.
    link.SetQueue("ns3::DropTailQueue<Packet>",
                  "MaxSize",
                  StringValue(marks ? "1p" : std::to_string(settings.queueBytes) + "B"));
    Ipv4AddressHelper address("10.0.0.0", "255.255.255.252");
    for (uint32_t host = 0; host <= settings.senders; ++host)
    {
        const NetDeviceContainer devices = link.Install(router.Get(0), m_hosts.Get(host));
        if (marks)
        {
            InstallQueue(devices.Get(0), settings);
        }
        m_address = address.Assign(devices).GetAddress(1);
        address.NewNetwork();
        if (!marks)
        {
            TrafficControlHelper().Uninstall(devices); // the device's queue is the only one
        }
        CountPackets(devices, host == settings.senders);
        if (host == settings.senders)
        {
            WatchQueue(devices.Get(0), marks);
        }
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
}

void
RoutedTargetNetwork::InstallQueue(const NetDeviceContainer& devices, const Settings& settings) const
{
    const uint64_t packets = std::max<uint64_t>(1, settings.queueBytes / settings.mtu);
    const RedMarking& marks = settings.marking;
    // After a mark RED waits for 1 to 2 times 1 / p packets, so that it marks 2/3 of p on average.
    constexpr double SPACING = 1.5;
    TrafficControlHelper marking;
    marking.SetRootQueueDisc("ns3::RedQueueDisc",
                             "MinTh",
                             DoubleValue(marks.minPackets),
                             "MaxTh",
                             DoubleValue(marks.maxPackets),
                             "Gentle",
                             BooleanValue(false), // from MaxTh on all are marked
                             "LInterm",
                             DoubleValue(1 / (SPACING * marks.probability)),
                             "QW",
                             DoubleValue(1),
                             "UseEcn",
                             BooleanValue(true),
                             "UseHardDrop",
                             BooleanValue(false),
                             "MeanPktSize",
                             UintegerValue(settings.mtu),
                             "MaxSize",
                             StringValue(std::to_string(packets) + "p"));
    marking.Install(devices);
}

void
RoutedTargetNetwork::CountPackets(const NetDeviceContainer& devices, bool isTarget)
{
    for (uint32_t end = 0; end < 2; ++end)
    {
        const auto count = !isTarget  ? &RoutedTargetNetwork::CountHop
                           : end == 0 ? &RoutedTargetNetwork::CountToTarget
                                      : &RoutedTargetNetwork::CountFromTarget;
        devices.Get(end)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(count, this));
    }
}

void
RoutedTargetNetwork::WatchQueue(Ptr<NetDevice> device, bool marks)
{
    const auto sink = MakeCallback(&RoutedTargetNetwork::QueueChanges, this);
    if (marks)
    {
        const auto layer = device->GetNode()->GetObject<TrafficControlLayer>();
        layer->GetRootQueueDiscOnDevice(device)->TraceConnectWithoutContext("BytesInQueue", sink);
    }
    else
    {
        const auto queue = DynamicCast<PointToPointNetDevice>(device)->GetQueue();
        queue->TraceConnectWithoutContext("BytesInQueue", sink);
    }
}

void
RoutedTargetNetwork::QueueChanges(uint32_t, uint32_t now)
{
    m_peak = std::max<uint64_t>(m_peak, now);
}

void
RoutedTargetNetwork::CountHop(Ptr<const Packet>)
{
    ++m_hops;
}

void
RoutedTargetNetwork::CountToTarget(Ptr<const Packet> packet)
{
    ++m_hops;
    m_bytesToTarget += packet->GetSize();
}

void
RoutedTargetNetwork::CountFromTarget(Ptr<const Packet> packet)
{
    ++m_hops;
    m_bytesFromTarget += packet->GetSize();
}

void
RoutedTargetNetwork::SetLoss(double loss)
{
    for (uint32_t host = 0; host < m_hosts.GetN(); ++host)
    {
        auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(loss);
        model->AssignStreams(host);
        for (uint32_t i = 0; i < m_hosts.Get(host)->GetNDevices(); ++i)
        {
            if (auto device = DynamicCast<PointToPointNetDevice>(m_hosts.Get(host)->GetDevice(i)))
            {
                device->SetReceiveErrorModel(model);
            }
        }
    }
}

Address
RoutedTargetNetwork::GetTransportAddress(uint32_t host) const
{
    const Ptr<Ipv4> ip = m_hosts.Get(host)->GetObject<Ipv4>();
    return InetSocketAddress(ip->GetAddress(1, 0).GetLocal(), UDP_PORT);
}

Ipv4Address
RoutedTargetNetwork::GetIpAddress() const
{
    return m_address;
}

void
RoutedTargetNetwork::InstallTransport(const FabricTransportHelper& helper) const
{
    helper.InstallUdp(m_hosts);
}

uint64_t
RoutedTargetNetwork::GetPeakQueue() const
{
    return m_peak;
}

uint64_t
RoutedTargetNetwork::GetBytesToTarget(fabric::TimePs /* by */) const
{
    return m_bytesToTarget;
}

uint64_t
RoutedTargetNetwork::GetBytesFromTarget(fabric::TimePs /* by */) const
{
    return m_bytesFromTarget;
}

void
RoutedTargetNetwork::AddHops(fabric::RunTotals& totals) const
{
    totals.dataHops = m_hops;
}

void
RoutedTargetNetwork::AddOwnFigures(fabric::Summary&) const
{
}

} // namespace ns3
