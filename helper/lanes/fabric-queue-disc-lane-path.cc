/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-queue-disc-lane-path.h"

#include "fabric-ether-type.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/object-factory.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/udp-header.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <string>

namespace ns3::fabric
{

QueueDiscLanePath::QueueDiscLanePath(const LaneLinkSettings& link, LaneRecorder& recorder)
    : LanePath(recorder, static_cast<uint32_t>(link.packetBytes - HEADERS))
{
    InstallLink(link);
    InstallQueueDisc(link);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    m_addresses = addresses.Assign(m_devices);
    for (const LaneSettings& lane : link.table.lanes)
    {
        InstallReceiver(lane.lane);
        InstallSender(lane);
    }
}

void
QueueDiscLanePath::InstallLink(const LaneLinkSettings& link)
{
    m_nodes.Create(2);
    InternetStackHelper().Install(m_nodes);
    PointToPointHelper helper;
    helper.SetDeviceAttribute("DataRate", DataRateValue(link.rate));
    helper.SetDeviceAttribute("Mtu", UintegerValue(LARGEST_PACKET));
    helper.SetChannelAttribute("Delay", TimeValue(link.delay));
    helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
    m_devices = helper.Install(m_nodes);
    m_devices.Get(0)->TraceConnectWithoutContext(
        "PhyTxBegin",
        MakeCallback(&QueueDiscLanePath::FrameBegins, this));
}

void
QueueDiscLanePath::InstallQueueDisc(const LaneLinkSettings& link)
{
    ObjectFactory factory("ns3::VlArbiterQueueDisc");
    for (const auto& [name, value] : link.arbiter)
    {
        factory.Set(name, StringValue(value));
    }
    factory.Set("LinkRate", DataRateValue(link.rate));
    factory.Set("LinkOverhead", UintegerValue(2));
    std::string classes;
    for (uint32_t i = 0; i < TRAFFIC_CLASSES; ++i)
    {
        const std::string number = std::to_string(i);
        classes.append(i == 0 ? "" : ",").append(number).append(":").append(number);
    }
    factory.Set("DscpToClass", StringValue(classes));
    m_disc = factory.Create<VlArbiterQueueDisc>();
    m_disc->SetLaneTable(link.table);
    m_disc->TraceConnectWithoutContext("Grant", MakeCallback(&QueueDiscLanePath::Grant, this));
    m_disc->TraceConnectWithoutContext("Drop", MakeCallback(&QueueDiscLanePath::Drop, this));
    m_nodes.Get(0)->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(m_devices.Get(0),
                                                                               m_disc);
}

void
QueueDiscLanePath::InstallReceiver(uint32_t lane)
{
    const Ptr<Socket> socket = Socket::CreateSocket(m_nodes.Get(1), UdpSocketFactory::GetTypeId());
    socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), ReceiverPort(lane)));
    socket->SetRecvCallback(MakeCallback(&QueueDiscLanePath::Receive, this));
    m_laneOf[socket] = lane;
}

void
QueueDiscLanePath::InstallSender(const LaneSettings& lane)
{
    const Ptr<Socket> socket = Socket::CreateSocket(m_nodes.Get(0), UdpSocketFactory::GetTypeId());
    uint16_t port = FindPort(lane, FIRST_PORT);
    // A lane of another class may have taken the port.
    while (socket->Bind(InetSocketAddress(m_addresses.GetAddress(0), port)) != 0)
    {
        port = FindPort(lane, port + 1);
    }
    socket->Connect(InetSocketAddress(m_addresses.GetAddress(1), ReceiverPort(lane.lane)));
    socket->SetIpTos(static_cast<uint8_t>(lane.trafficClass << 2));
    m_senders[lane.lane] = socket;
}

uint16_t
QueueDiscLanePath::FindPort(const LaneSettings& lane, uint16_t port) const
{
    while (m_disc->GetLane(MakeItem(lane, port)) != lane.lane)
    {
        ++port;
    }
    return port;
}

Ptr<QueueDiscItem>
QueueDiscLanePath::MakeItem(const LaneSettings& lane, uint16_t port) const
{
    const Ptr<Packet> packet = Create<Packet>(GetPayload());
    UdpHeader udp;
    udp.SetSourcePort(port);
    udp.SetDestinationPort(ReceiverPort(lane.lane));
    packet->AddHeader(udp);
    Ipv4Header header;
    header.SetSource(m_addresses.GetAddress(0));
    header.SetDestination(m_addresses.GetAddress(1));
    header.SetProtocol(17);
    header.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
    header.SetTos(static_cast<uint8_t>(lane.trafficClass << 2));
    return Create<Ipv4QueueDiscItem>(packet, Address(), ETHERTYPE_IPV4, header);
}

uint16_t
QueueDiscLanePath::ReceiverPort(uint32_t lane)
{
    return static_cast<uint16_t>(FIRST_PORT + lane);
}

void
QueueDiscLanePath::CheckSettings() const
{
    m_disc->CheckSettings();
}

void
QueueDiscLanePath::Send(uint32_t lane)
{
    m_isDropped = false;
    m_senders.at(lane)->Send(Create<Packet>(GetPayload()));
    m_recorder.Made(lane, !m_isDropped);
}

void
QueueDiscLanePath::Settle()
{
    // The queue disc tells at once.
}

uint64_t
QueueDiscLanePath::GetPacketsInFlight() const
{
    const auto device = DynamicCast<PointToPointNetDevice>(m_devices.Get(0));
    return m_disc->GetNPackets() + device->GetQueue()->GetNPackets() + m_frames - m_arrived;
}

uint64_t
QueueDiscLanePath::GetPacketHops() const
{
    return m_frames;
}

void
QueueDiscLanePath::StopAt(Time duration)
{
    Simulator::Stop(duration);
}

void
QueueDiscLanePath::Grant(Ptr<const QueueDiscItem>, uint32_t lane, uint32_t, bool isConforming)
{
    m_recorder.Chosen(lane, isConforming);
}

void
QueueDiscLanePath::Drop(Ptr<const QueueDiscItem>)
{
    m_isDropped = true;
}

void
QueueDiscLanePath::FrameBegins(Ptr<const Packet>)
{
    ++m_frames;
}

void
QueueDiscLanePath::Receive(Ptr<Socket> socket)
{
    while (socket->Recv())
    {
        ++m_arrived;
        m_recorder.Delivered(m_laneOf.at(socket));
    }
}

} // namespace ns3::fabric
