/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-udp-transport.h"

#include "fabric-attributed-type.h"
#include "fabric-link-rate.h"
#include "fabric-transport-header.h"
#include "fabric-transport-layout.h"

#include "ns3/channel.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6-routing-protocol.h"
#include "ns3/ipv6.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricUdpTransport);

using fabric::PeerAddress;
using fabric::TimePs;
using fabric::TransportPacket;

namespace
{

constexpr uint32_t UDP_BYTES = 8;   ///< UDP header.
constexpr uint32_t IPV4_BYTES = 20; ///< IPv4 header without options.
constexpr uint32_t IPV6_BYTES = 40; ///< IPv6 header without extensions.

constexpr uint8_t ECT0 = 0x02;     ///< ECN-capable (RFC 3168).
constexpr uint8_t ECN_CE = 0x03;   ///< Congestion experienced (RFC 3168).
constexpr uint8_t ECN_MASK = 0x03; ///< Both bits.

/// @return the present, ps
TimePs
NowPs()
{
    return Simulator::Now().GetPicoSeconds();
}

/// @return it as a Time, rounded up to the resolution, so that nothing comes too early
Time
RoundedUp(TimePs delay)
{
    const Time time = PicoSeconds(delay);
    return time.GetPicoSeconds() < delay ? time + Time(1) : time;
}

/// @return bytes that a UDP datagram may carry over any of its devices
uint32_t
SmallestRoom(Ptr<Node> node)
{
    uint32_t room = UINT16_MAX;
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        room = std::min<uint32_t>(room, node->GetDevice(i)->GetMtu());
    }
    const uint32_t headers = UDP_BYTES + (node->GetObject<Ipv6>() ? IPV6_BYTES : IPV4_BYTES);
    return room > headers ? room - headers : 0;
}

/**
 * @param object a device or a channel, or null
 * @return its rate; 0 if it has none
 */
DataRate
RateOf(Ptr<const Object> object)
{
    DataRateValue rate;
    return object && object->GetAttributeFailSafe("DataRate", rate) ? rate.Get() : DataRate(0);
}

/// @return rate of its fastest device, b/s; 0 if none has a rate
uint64_t
LargestRate(Ptr<Node> node)
{
    uint64_t largest = 0;
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        const Ptr<NetDevice> device = node->GetDevice(i);
        largest = std::max(
            {largest, RateOf(device).GetBitRate(), RateOf(device->GetChannel()).GetBitRate()});
    }
    return largest;
}

} // namespace

TypeId
FabricUdpTransport::GetTypeId()
{
    static TypeId tid =
        fabric::AttributedType(TypeId("ns3::FabricUdpTransport")
                                   .SetParent<FabricTransport>()
                                   .SetGroupName("Fabric")
                                   .AddConstructor<FabricUdpTransport>(),
                               fabric::BEFORE_INSTALL)
            .Add("Port", "UDP port, the same on all nodes. Chosen.")
            .Sets(&FabricUdpTransport::m_port, 4792, {1})
            .Add("DataRate",
                 "Rate at which packets are handed to the socket. 0 for the rate of the device on "
                 "the way to the first peer, or else of its channel; without either packets are "
                 "not paced.")
            .Uses(DataRateValue(DataRate(0)),
                  MakeDataRateAccessor(&FabricUdpTransport::m_rate),
                  MakeDataRateChecker())
            .Add("FrameBytes",
                 "Bytes that the device adds to an IP packet, for DataRate. Default: 2 of PPP, as "
                 "ns3::PointToPointNetDevice; Ethernet has 38 with preamble and gap.")
            .Sets(&FabricUdpTransport::m_frameBytes, 2, {0, 1000});
    return tid;
}

FabricUdpTransport::FabricUdpTransport() = default;

FabricUdpTransport::~FabricUdpTransport() = default;

void
FabricUdpTransport::DoDispose()
{
    Simulator::Cancel(m_wake);
    for (const Ptr<Socket>& socket : {m_socket, m_socket6})
    {
        if (socket)
        {
            socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
        }
    }
    m_socket = nullptr;
    m_socket6 = nullptr;
    FabricTransport::DoDispose();
}

void
FabricUdpTransport::Install(Ptr<Node> node)
{
    if (TelemetryInHeaders() > 0)
    {
        throw Complaint("CongestionControl is 'hpcc', which needs switches of a fabric, that write "
                        "on packets; allowed is fixed, delay, marks, dcqcn or timely, or hpcc of "
                        "ns3::FabricNicTransport");
    }
    const uint64_t rate = m_rate.GetBitRate();
    SetNode(node);
    if (node->GetObject<FabricUdpTransport>())
    {
        throw Complaint("the node has one already; allowed is one of a kind on a node");
    }
    MakeEndpoint(SmallestRoom(node), rate != 0 ? rate : LargestRate(node));
    if (GetTransportSettings().hopDelay > 0)
    {
        throw Complaint("HopDelay is " + std::to_string(GetTransportSettings().hopDelay) +
                        " ps, but hops are counted in a fabric only; allowed is 0");
    }
    if (node->GetObject<Ipv4>())
    {
        m_socket = MakeSocket(InetSocketAddress(Ipv4Address::GetAny(), m_port));
    }
    if (node->GetObject<Ipv6>())
    {
        m_socket6 = MakeSocket(Inet6SocketAddress(Ipv6Address::GetAny(), m_port));
    }
    if (!m_socket && !m_socket6)
    {
        throw Complaint("the node has no IP stack; it needs IPv4 or IPv6");
    }
    node->AggregateObject(this);
}

Ptr<Socket>
FabricUdpTransport::MakeSocket(const Address& any)
{
    Ptr<Socket> socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
    if (socket->Bind(any) != 0)
    {
        throw Complaint("UDP port " + std::to_string(m_port) +
                        " is taken; allowed is one that is free");
    }
    socket->SetRecvCallback(MakeCallback(&FabricUdpTransport::HandleRead, this));
    if (UsesMarks())
    {
        // The network marks only who says that it listens (RFC 3168).
        socket->SetIpTos(ECT0);
        socket->SetIpv6Tclass(ECT0);
        socket->SetIpRecvTos(true);
        socket->SetIpv6RecvTclass(true);
    }
    return socket;
}

Ptr<NetDevice>
FabricUdpTransport::DeviceTo(const Address& remote) const
{
    Socket::SocketErrno error = Socket::ERROR_NOTERROR;
    if (InetSocketAddress::IsMatchingType(remote) && m_socket)
    {
        Ipv4Header header;
        header.SetDestination(InetSocketAddress::ConvertFrom(remote).GetIpv4());
        const auto route =
            GetNode()->GetObject<Ipv4>()->GetRoutingProtocol()->RouteOutput(Create<Packet>(),
                                                                            header,
                                                                            nullptr,
                                                                            error);
        return route ? route->GetOutputDevice() : nullptr;
    }
    if (Inet6SocketAddress::IsMatchingType(remote) && m_socket6)
    {
        Ipv6Header header;
        header.SetDestination(Inet6SocketAddress::ConvertFrom(remote).GetIpv6());
        const auto route =
            GetNode()->GetObject<Ipv6>()->GetRoutingProtocol()->RouteOutput(Create<Packet>(),
                                                                            header,
                                                                            nullptr,
                                                                            error);
        return route ? route->GetOutputDevice() : nullptr;
    }
    return nullptr;
}

uint32_t
FabricUdpTransport::RoomTo(const Address& remote)
{
    const Ptr<NetDevice> device = DeviceTo(remote);
    if (!device)
    {
        throw Complaint("there is no route to the peer; allowed is an InetSocketAddress or "
                        "Inet6SocketAddress that the node's IP stack has a route to");
    }
    const uint32_t headers =
        UDP_BYTES + (InetSocketAddress::IsMatchingType(remote) ? IPV4_BYTES : IPV6_BYTES);
    return device->GetMtu() > headers ? device->GetMtu() - headers : 0;
}

PeerAddress
FabricUdpTransport::PeerOf(const Address& remote)
{
    return m_peers.Add(remote);
}

void
FabricUdpTransport::HandleRead(Ptr<Socket> socket)
{
    Address from;
    while (Ptr<Packet> packet = socket->RecvFrom(from))
    {
        Arrive(packet, from);
    }
}

void
FabricUdpTransport::Arrive(Ptr<Packet> packet, const Address& from)
{
    const fabric::Fate fate = Faults().Draw();
    if (fate.copies == 0)
    {
        return;
    }
    FabricTransportHeader header;
    const uint32_t bytes = packet->PeekHeader(header);
    if (bytes == 0)
    {
        Discard("header");
        return;
    }
    TransportPacket taken = header.GetPacket();
    if (!taken.isCorrupt && packet->GetSize() - bytes != taken.PayloadBytes())
    {
        Discard("length");
        return;
    }
    const bool mayAdd = taken.type == fabric::TransportPacketType::CONNECT && !taken.isCorrupt;
    const std::optional<PeerAddress> peer = m_peers.Find(from, mayAdd);
    if (!peer)
    {
        Discard("stranger");
        return;
    }
    SocketIpTosTag tos;
    SocketIpv6TclassTag tclass;
    const bool isMarked =
        (packet->PeekPacketTag(tos) && (tos.GetTos() & ECN_MASK) == ECN_CE) ||
        (packet->PeekPacketTag(tclass) && (tclass.GetTclass() & ECN_MASK) == ECN_CE);
    taken.isMarked = taken.isMarked || isMarked;
    taken.isCorrupt = taken.isCorrupt || fate.isCorrupt;
    for (uint32_t i = 0; i < fate.copies; ++i)
    {
        if (fate.delay[i] == 0)
        {
            Take(taken, *peer);
        }
        else
        {
            Simulator::Schedule(RoundedUp(fate.delay[i]),
                                &FabricUdpTransport::Take,
                                this,
                                taken,
                                *peer);
        }
    }
}

void
FabricUdpTransport::Take(TransportPacket packet, PeerAddress peer)
{
    if (!m_socket && !m_socket6)
    {
        return; // disposed of meanwhile
    }
    if (TracesTaken())
    {
        TraceTaken(packet, m_peers.AddressOf(peer), Simulator::Now());
    }
    Endpoint().Receive(packet, peer, NowPs());
    Pump();
}

void
FabricUdpTransport::Begin()
{
    Endpoint().RunUntil(NowPs());
}

void
FabricUdpTransport::End()
{
    Pump();
}

void
FabricUdpTransport::Pump()
{
    if (m_isPumping)
    {
        return; // called by who is being told; the loop below goes on
    }
    if (!GetNode()->IsInitialized())
    {
        // Before the run the IP stack can't send; the node's initialization comes before this.
        Simulator::Cancel(m_wake);
        m_wake = Simulator::ScheduleNow(&FabricUdpTransport::Wake, this);
        return;
    }
    m_isPumping = true;
    SendReady();
    while (const std::optional<fabric::RdmaEvent> event = Endpoint().NextEvent())
    {
        Tell(*event);
        SendReady();
    }
    m_isPumping = false;
    Plan();
}

void
FabricUdpTransport::SendReady()
{
    while (m_freeAt <= NowPs() && Endpoint().HasPacket())
    {
        const std::optional<fabric::OutgoingPacket> packet = Endpoint().NextPacket(NowPs());
        if (!packet)
        {
            return;
        }
        Send(*packet);
    }
}

void
FabricUdpTransport::FindRate(const Address& remote)
{
    m_hasRate = true;
    const Ptr<NetDevice> device = m_rate.GetBitRate() == 0 ? DeviceTo(remote) : nullptr;
    if (!device)
    {
        return;
    }
    m_rate = RateOf(device);
    m_rate = m_rate.GetBitRate() == 0 ? RateOf(device->GetChannel()) : m_rate;
}

void
FabricUdpTransport::Send(const fabric::OutgoingPacket& outgoing)
{
    const Address remote = m_peers.AddressOf(outgoing.peer);
    const bool isIpv4 = InetSocketAddress::IsMatchingType(remote);
    const Ptr<Socket> socket = isIpv4 ? m_socket : m_socket6;
    auto packet = Create<Packet>(outgoing.packet.PayloadBytes());
    packet->AddHeader(FabricTransportHeader(outgoing.packet));
    if (isIpv4 && UsesMarks())
    {
        // ns-3.37's SendTo() takes the TOS from the address and leaves that of the socket alone.
        SocketIpTosTag tos;
        tos.SetTos(ECT0);
        packet->ReplacePacketTag(tos);
    }
    if (!m_hasRate)
    {
        FindRate(remote);
    }
    if (m_rate.GetBitRate() != 0)
    {
        const uint32_t bytes =
            packet->GetSize() + UDP_BYTES + (isIpv4 ? IPV4_BYTES : IPV6_BYTES) + m_frameBytes;
        m_freeAt = NowPs() + fabric::LinkRate(m_rate.GetBitRate()).TxTime(bytes);
    }
    TraceSent(outgoing.packet, remote, Simulator::Now());
    if (socket->SendTo(packet, 0, remote) < 0)
    {
        Discard("socket"); // as if it were lost on the way
    }
}

void
FabricUdpTransport::Plan()
{
    TimePs next = Endpoint().NextTime();
    if (m_freeAt > NowPs() && Endpoint().HasPacket())
    {
        next = std::min(next, m_freeAt);
    }
    Simulator::Cancel(m_wake);
    if (next != fabric::NEVER)
    {
        m_wake = Simulator::Schedule(RoundedUp(std::max<TimePs>(next - NowPs(), 0)),
                                     &FabricUdpTransport::Wake,
                                     this);
    }
}

void
FabricUdpTransport::Wake()
{
    Endpoint().RunUntil(NowPs());
    Pump();
}

} // namespace ns3
