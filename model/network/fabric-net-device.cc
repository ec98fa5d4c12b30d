/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-net-device.h"

#include "fabric-arp-jitter.h"
#include "fabric-attributed-type.h"
#include "fabric-ip-mark.h"
#include "fabric-packet-classifier.h"
#include "fabric-queue-disc-gate.h"
#include "fabric-switch.h"

#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricNetDevice");

NS_OBJECT_ENSURE_REGISTERED(FabricNetDevice);

using fabric::LocationId;
using fabric::RefusalCause;
using fabric::TimePs;

TypeId
FabricNetDevice::GetTypeId()
{
    static TypeId tid =
        fabric::AttributedType(TypeId("ns3::FabricNetDevice")
                                   .SetParent<FabricDevice>()
                                   .SetGroupName("Fabric")
                                   .AddConstructor<FabricNetDevice>(),
                               fabric::BEFORE_INSTALL)
            .Add("QueueBytes",
                 "Size of the queue of packets (not messages) that wait to be sent, bytes; packets "
                 "beyond it are dropped. Chosen: a TCP window of 1 MiB for each of 16 connections.")
            .Sets(&FabricNetDevice::m_queueBytes, 16 << 20, {1})
            .Add("ClassToVc", "Virtual channel of each traffic class, as in ns3::FabricSwitch.")
            .Sets(&FabricNetDevice::m_classToVc, "")
            .Add("DscpToClass",
                 "Traffic class of IP packets by their DSCP, as `46:1,34:2`; all other values are "
                 "class 0.")
            .Sets(&FabricNetDevice::m_dscpToClass, "")
            .Add("ArpJitter",
                 "Whether ARP requests of this host wait for up to 10 ms, drawn at random, as they "
                 "do in ns-3 (RequestJitter of ns3::ArpL3Protocol, and SolicitationJitter of "
                 "ns3::Icmpv6L4Protocol). Without, they are sent at once, unless a jitter other "
                 "than ns-3's default is set there.")
            .Sets(&FabricNetDevice::m_keepsArpJitter, false)
            .Add("ArbitrateLanes",
                 "Whether the uplink arbitrates between virtual lanes, with the table and settings "
                 "of its switch, if that has one; frames are then also preempted as at the outputs "
                 "of that switch. Otherwise virtual channels are served round-robin, and frames "
                 "are sent in one piece.")
            .Sets(&FabricNetDevice::m_arbitratesLanes, true)
            .Add("ReceiveRate",
                 "Rate at which the host drains its receive buffer, in bytes on the wire; 0 for "
                 "the rate of the link. With a rate or a ReceiveBuffer the host exerts "
                 "backpressure on the switch, by credits, or by pause frames if the switch pauses "
                 "its hosts (EdgeFlowControl). With neither it takes everything at once.")
            .Uses(DataRateValue(DataRate(0)),
                  MakeDataRateAccessor(&FabricNetDevice::m_receiveRate),
                  MakeDataRateChecker())
            .Add("ReceiveBuffer",
                 "Receive buffer of a host that exerts backpressure, bytes: at least one largest "
                 "frame (9024 bytes) for each virtual channel, or, with pause frames, what can "
                 "still arrive after one. 0 for 524288, the buffer of a switch port. Sizes are not "
                 "published; chosen.")
            .Sets(&FabricNetDevice::m_receiveBuffer, 0, {0, 1U << 30})
            .Add("ReceiveXoffBytes",
                 "The host pauses the switch when its receive buffer holds more than this, bytes, "
                 "per priority or, with EdgeFlowControl=pause, in all. 0 for a quarter of the "
                 "buffer, or less if the headroom after a pause needs more. Another value may "
                 "leave too little headroom, and then frames may be lost.")
            .Sets(&FabricNetDevice::m_receiveXoff, 0, {0, 1U << 30})
            .Add("ReceiveXonBytes",
                 "The host resumes a paused switch when the receive buffer holds this or less, "
                 "bytes; 0 for three quarters of ReceiveXoffBytes.")
            .Sets(&FabricNetDevice::m_receiveXon, 0, {0, 1U << 30})
            .Add("PollInterval",
                 "How often the host looks for messages: each reaches its application at the next "
                 "multiple of this after its last byte, with all that have come by then. 0: at "
                 "once, as its last byte arrives. It saves the events of the simulation, which are "
                 "two for each message with 0.")
            .Sets(&FabricNetDevice::m_pollInterval, Time(0), {Time(0), Seconds(1)})
            .AddAttribute("Network",
                          "The fabric, by which a Config path leads to its trace sources.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&FabricNetDevice::GetNetwork),
                          MakePointerChecker<FabricNetwork>())
            .AddTraceSource("MacTx",
                            "A packet has come from the node.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource(
                "MacTxDrop",
                "A packet is dropped, since the queue is full, it is larger than the MTU, or "
                "its destination is unknown.",
                MakeTraceSourceAccessor(&FabricNetDevice::m_macTxDropTrace),
                "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A packet has arrived for the node.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macRxTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

FabricNetDevice::FabricNetDevice() = default;

FabricNetDevice::~FabricNetDevice() = default;

void
FabricNetDevice::DoInitialize()
{
    // The run begins, and whoever installs an IP stack has done so.
    if (!m_keepsArpJitter)
    {
        fabric::RemoveArpJitter(GetNode());
    }
    if (m_nic && !IsElsewhere() && fabric::QueueDiscGate::IsNeeded(this))
    {
        m_gate =
            std::make_unique<fabric::QueueDiscGate>(this, [this] { return FindWaitForRoom(); });
        AddLinkChangeCallback(Callback<void>([this] { LookForRoom(); }));
    }
    FabricDevice::DoInitialize();
}

void
FabricNetDevice::DoDispose()
{
    if (m_network)
    {
        m_network->TellEnd();
    }
    m_network = nullptr;
    m_gate = nullptr;
    m_messageCallback.Nullify();
    m_transportCallback.Nullify();
    m_reductionCallback.Nullify();
    FabricDevice::DoDispose();
}

void
FabricNetDevice::Install(Ptr<Node> node, Ptr<FabricNetwork> network)
{
    const auto refuse = [&node](const std::string& sentence) {
        throw std::invalid_argument("ns3::FabricNetDevice on node " +
                                    std::to_string(node->GetId()) + ": " + sentence);
    };
    if (m_nic)
    {
        refuse("it is installed already; allowed is once");
    }
    fabric::NicConfig config;
    config.mtu = GetMtu();
    config.arbitratesLanes = m_arbitratesLanes;
    config.receive = {m_receiveRate.GetBitRate(), m_receiveBuffer, m_receiveXoff, m_receiveXon};
    try
    {
        config.receive.Validate();
        config.vcOfClass = fabric::ParseClassToVc(m_classToVc);
        m_classOfDscp = fabric::ParseDscpToClass(m_dscpToClass);
    }
    catch (const std::invalid_argument& error)
    {
        refuse(error.what());
    }
    m_network = network;
    m_location = network->Add(this);
    SetAddress(MacOf(m_location));
    m_nic = std::make_unique<fabric::Nic>(m_location, config, network->GetMessages());
    m_nic->SetListener(this);
    node->AddDevice(this);
}

LocationId
FabricNetDevice::GetLocation() const
{
    return m_location;
}

fabric::Nic&
FabricNetDevice::GetNic()
{
    return *m_nic;
}

Ptr<FabricNetwork>
FabricNetDevice::GetNetwork() const
{
    return m_network;
}

void
FabricNetDevice::SetSwitch(const FabricSwitch* edge)
{
    m_switch = edge;
}

const FabricSwitch*
FabricNetDevice::GetSwitch() const
{
    return m_switch;
}

uint32_t
FabricNetDevice::GetPart() const
{
    return m_switch ? m_switch->GetPart() : 0;
}

uint32_t
FabricNetDevice::SendMessage(LocationId destination,
                             uint64_t bytes,
                             uint8_t trafficClass,
                             uint64_t tag)
{
    return SendMessage({destination, trafficClass}, bytes, tag);
}

uint32_t
FabricNetDevice::SendMessage(const fabric::MessageFlow& flow, uint64_t bytes, uint64_t tag)
{
    RequireNetwork();
    const LocationId destination = flow.dst;
    const uint8_t trafficClass = flow.trafficClass;
    const std::vector<LocationId>& members = m_network->GetMembers(destination);
    const bool isReached = members.empty()
                               ? m_network->HasEndpoint(destination) && destination != m_location
                               : std::binary_search(members.begin(), members.end(), m_location);
    if (!GetChannel() || !isReached || trafficClass >= fabric::TRAFFIC_CLASSES)
    {
        throw Complaint("a message to " + std::to_string(destination) + " in class " +
                        std::to_string(trafficClass) +
                        " can't be sent; allowed are the locations 1 to " +
                        std::to_string(m_network->GetDevices().size()) +
                        " but its own, groups of which it is a member, the classes 0 to " +
                        std::to_string(fabric::TRAFFIC_CLASSES - 1) + ", and a device with a link");
    }
    RequireOwnRank();
    const TimePs now = Simulator::Now().GetPicoSeconds();
    const uint32_t handle = m_nic->SendMessage(flow, bytes, tag, now);
    fabric::Message& message = m_network->GetMessages().At(handle);
    if (!members.empty())
    {
        message.copies = m_network->CountCopies(destination);
    }
    NS_LOG_LOGIC("location " << m_location << " sends message " << message.sequence << " of "
                             << bytes << " bytes to " << destination << " in class "
                             << +trafficClass);
    return message.sequence;
}

uint32_t
FabricNetDevice::Reduce(LocationId reduction, uint64_t bytes, int64_t value)
{
    return Begin(reduction, bytes, static_cast<uint64_t>(value), false);
}

uint32_t
FabricNetDevice::ReduceDouble(LocationId reduction, uint64_t bytes, double value)
{
    return Begin(reduction, bytes, fabric::BitsOf(value), true);
}

uint32_t
FabricNetDevice::Begin(LocationId reduction, uint64_t bytes, uint64_t bits, bool isDouble)
{
    RequireNetwork();
    try
    {
        m_network->GetReductions().Begin(reduction, m_location, bytes, isDouble);
    }
    catch (const std::invalid_argument& error)
    {
        throw Complaint(error.what());
    }
    return m_reductions->Start(reduction, bytes, bits, Simulator::Now().GetPicoSeconds());
}

void
FabricNetDevice::SetReductionCallback(ReductionCallback callback)
{
    m_reductionCallback = callback;
}

bool
FabricNetDevice::CanReduce() const
{
    return m_reductions || m_nic->TakesEngine();
}

void
FabricNetDevice::JoinReduction(fabric::ReductionMembership membership, uint8_t trafficClass)
{
    if (!m_reductions)
    {
        m_reductions = std::make_unique<fabric::ReductionPort>(*this);
    }
    membership.queue = m_nic->OpenQueue(fabric::MessageFlow{membership.reduction, trafficClass});
    m_reductions->Join(membership);
}

void
FabricNetDevice::SetMessageCallback(MessageCallback callback)
{
    m_messageCallback = callback;
}

void
FabricNetDevice::SetReportCallback(fabric::FrameKind kind, Callback<void> callback)
{
    (kind == fabric::FrameKind::COMMAND ? m_commandCallback : m_transportCallback) = callback;
}

fabric::PcieLink&
FabricNetDevice::UsePcie(const fabric::PcieSettings& settings)
{
    if (!m_pcie)
    {
        m_pcie = std::make_unique<fabric::PcieLink>(settings);
    }
    if (!(m_pcie->Settings() == settings))
    {
        throw std::invalid_argument("its settings of PCIe differ from those of another engine of "
                                    "the NIC; allowed are the same, since there is one link");
    }
    return *m_pcie;
}

void
FabricNetDevice::RequireNetwork() const
{
    if (!m_network)
    {
        throw Complaint("it is in no fabric; allowed is a device that FabricHelper has installed, "
                        "until Simulator::Destroy()");
    }
}

void
FabricNetDevice::RequireOwnRank() const
{
    if (IsElsewhere())
    {
        throw Complaint(FabricNetwork::DescribeElsewhere(GetNode()));
    }
}

std::invalid_argument
FabricNetDevice::Complaint(const std::string& what) const
{
    std::ostringstream sentence;
    sentence << "FabricNetDevice at location " << m_location << " at "
             << Simulator::Now().As(Time::NS) << ": " << what;
    return std::invalid_argument(sentence.str());
}

bool
FabricNetDevice::IsElsewhere() const
{
    return FabricNetwork::IsElsewhere(GetNode());
}

bool
FabricNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    if (IsElsewhere())
    {
        return true; // IP stacks of all hosts start on all ranks, and each counts on its own
    }
    RequireNetwork();
    if (!Mac48Address::IsMatchingType(dest))
    {
        std::ostringstream problem;
        problem << "a packet to the address " << dest
                << " can't be sent; allowed is an ns3::Mac48Address";
        throw Complaint(problem.str());
    }
    const Mac48Address destination = Mac48Address::ConvertFrom(dest);
    const fabric::CarriedPacket carried{packet->Copy(),
                                        MacOf(m_location),
                                        destination,
                                        protocolNumber};
    NS_LOG_LOGIC("location " << m_location << " sends a packet of " << packet->GetSize()
                             << " bytes to " << destination);
    m_macTxTrace(packet);
    if (!destination.IsGroup())
    {
        return SendTo(carried, LocationOf(destination));
    }
    bool sent = true;
    for (const Ptr<FabricNetDevice>& device : m_network->GetDevices())
    {
        if (device != this)
        {
            sent = SendTo(carried, device->GetLocation()) && sent;
        }
    }
    return sent;
}

bool
FabricNetDevice::SendTo(const fabric::CarriedPacket& carried, LocationId destination)
{
    const uint32_t bytes = carried.packet->GetSize();
    const TimePs now = Simulator::Now().GetPicoSeconds();
    m_nic->RunUntil(now);
    if (const std::optional<RefusalCause> cause = FindRefusal(bytes, destination))
    {
        m_refusedBytes[static_cast<std::size_t>(*cause)] += bytes;
        NS_LOG_INFO("location " << m_location << " drops a packet of " << bytes << " bytes to "
                                << destination << ": " << NameOf(*cause));
        m_macTxDropTrace(carried.packet);
        return false;
    }
    fabric::FlowKey key = fabric::ClassifyPacket(carried.packet,
                                                 carried.protocol,
                                                 m_classOfDscp,
                                                 carried.source,
                                                 carried.destination);
    key.destination = destination;
    const uint32_t handle = m_network->GetPackets().Put(carried);
    if (m_carrier && m_carrier->Reaches(destination))
    {
        m_carrier->Carry(key, bytes, handle);
    }
    else
    {
        m_nic->SendPacket(key, bytes, handle, now);
    }
    LookForRoom();
    return true;
}

void
FabricNetDevice::LookForRoom()
{
    if (m_gate)
    {
        m_gate->Look();
    }
}

uint64_t
FabricNetDevice::QueuedBytes() const
{
    return m_nic->PacketBacklog() + (m_carrier ? m_carrier->Backlog() : 0);
}

TimePs
FabricNetDevice::FindWaitForRoom()
{
    m_nic->RunUntil(Simulator::Now().GetPicoSeconds());
    const uint64_t queued = QueuedBytes();
    const uint64_t packet = std::min<uint64_t>(GetMtu(), m_queueBytes);
    if (queued + packet <= m_queueBytes)
    {
        return 0;
    }
    if (!IsLinkUp())
    {
        return fabric::NEVER;
    }
    // Not for less than a packet, so that a host that is held back looks seldom, and not for more
    // than is there, so that the link has something to send meanwhile.
    const uint64_t excess = queued + packet - m_queueBytes;
    const uint64_t bytes = std::max(excess, std::min(queued, packet));
    return DynamicCast<FabricChannel>(GetChannel())->GetRate().TxTime(static_cast<uint32_t>(bytes));
}

std::optional<RefusalCause>
FabricNetDevice::FindRefusal(uint32_t bytes, LocationId destination)
{
    if (!GetChannel())
    {
        return RefusalCause::NO_LINK;
    }
    if (!m_network->HasEndpoint(destination) || destination == m_location)
    {
        return RefusalCause::UNKNOWN_DESTINATION;
    }
    if (bytes > GetMtu())
    {
        return RefusalCause::MTU;
    }
    if (QueuedBytes() + bytes > m_queueBytes)
    {
        return RefusalCause::NIC_QUEUE;
    }
    return std::nullopt;
}

void
FabricNetDevice::SetAddress(Address address)
{
    if (Mac48Address::ConvertFrom(address) != MacOf(m_location))
    {
        std::ostringstream problem;
        problem << "the MAC address " << Mac48Address::ConvertFrom(address)
                << " can't be set; the only one allowed here is " << MacOf(m_location)
                << ", which tells the location";
        throw Complaint(problem.str());
    }
    FabricDevice::SetAddress(address);
}

const fabric::RefusedBytes&
FabricNetDevice::GetRefusedBytes() const
{
    return m_refusedBytes;
}

void
FabricNetDevice::MessageComplete(uint32_t handle, TimePs at)
{
    fabric::Frame frame{};
    frame.kind = fabric::FrameKind::MESSAGE;
    frame.handle = handle;
    if (m_pollInterval == 0)
    {
        m_network->Notify(at, this, frame);
        return;
    }
    const TimePs look = (at + m_pollInterval - 1) / m_pollInterval * m_pollInterval;
    if (look > m_nextLook)
    {
        m_nextLook = look;
        m_network->Notify(look, this, frame);
    }
    m_waiting.Push({m_nextLook, handle});
}

void
FabricNetDevice::PacketComplete(const fabric::Frame& frame, TimePs at)
{
    m_network->Notify(at, this, frame);
}

void
FabricNetDevice::FrameDamaged(const fabric::Frame& frame)
{
    m_network->ForgetFrame(frame, GetPart());
}

void
FabricNetDevice::MessageLost(uint32_t handle)
{
    m_network->ForgetMessage(handle, GetPart());
}

void
FabricNetDevice::Deliver(const fabric::Frame& frame)
{
    if (frame.kind == fabric::FrameKind::PACKET)
    {
        fabric::CarriedPacket carried = m_network->GetPackets().Take(frame.handle);
        if (frame.marked)
        {
            const Ptr<Packet> marked = carried.packet->Copy();
            fabric::MarkIpPacket(marked, carried.protocol);
            carried.packet = marked;
        }
        DeliverPacket(carried);
    }
    else if (frame.kind == fabric::FrameKind::TRANSPORT)
    {
        m_transportCallback();
    }
    else if (frame.kind == fabric::FrameKind::COMMAND)
    {
        m_commandCallback();
    }
    else if (frame.kind == fabric::FrameKind::GROUP)
    {
        const fabric::ReductionResult result = m_reductions->TakeDone();
        m_network->NotifyReduced(result, Simulator::Now());
        if (!m_reductionCallback.IsNull())
        {
            m_reductionCallback(result);
        }
    }
    else if (m_pollInterval != 0)
    {
        DeliverMessages();
    }
    else
    {
        DeliverMessage(frame.handle);
    }
}

void
FabricNetDevice::TakeCarried(uint32_t handle)
{
    DeliverPacket(m_network->GetPackets().Take(handle));
}

void
FabricNetDevice::DeliverPacket(const fabric::CarriedPacket& carried)
{
    NS_LOG_LOGIC("location " << m_location << " gets a packet of " << carried.packet->GetSize()
                             << " bytes from " << carried.source);
    m_macRxTrace(carried.packet);
    const PacketType type = carried.destination.IsBroadcast() ? PACKET_BROADCAST
                            : carried.destination.IsGroup()   ? PACKET_MULTICAST
                                                              : PACKET_HOST;
    if (!m_promiscReceiveCallback.IsNull())
    {
        m_promiscReceiveCallback(this,
                                 carried.packet->Copy(),
                                 carried.protocol,
                                 carried.source,
                                 carried.destination,
                                 type);
    }
    if (!m_receiveCallback.IsNull())
    {
        m_receiveCallback(this, carried.packet->Copy(), carried.protocol, carried.source);
    }
}

void
FabricNetDevice::DeliverMessages()
{
    const TimePs now = Simulator::Now().GetPicoSeconds();
    while (!m_waiting.IsEmpty() && m_waiting.Front().at <= now)
    {
        const uint32_t handle = m_waiting.Front().handle;
        m_waiting.Pop();
        DeliverMessage(handle);
    }
}

void
FabricNetDevice::DeliverMessage(uint32_t handle)
{
    fabric::MessageTable& messages = m_network->GetMessages();
    fabric::Message message = messages.At(handle);
    message.dst = m_location; // it may be to a group
    if (--messages.At(handle).copies == 0)
    {
        m_network->EndMessage(handle);
    }
    m_network->NotifyDelivered(message, Simulator::Now());
    if (!m_messageCallback.IsNull())
    {
        m_messageCallback(message);
    }
}

Mac48Address
FabricNetDevice::MacOf(LocationId location)
{
    const uint8_t bytes[6] =
        {0x02, 0, 0, 0, static_cast<uint8_t>(location >> 8), static_cast<uint8_t>(location & 0xFF)};
    Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

LocationId
FabricNetDevice::LocationOf(Mac48Address address)
{
    uint8_t bytes[6];
    address.CopyTo(bytes);
    const auto location = static_cast<LocationId>(bytes[4] << 8 | bytes[5]);
    return address == MacOf(location) ? location : 0;
}

} // namespace ns3
