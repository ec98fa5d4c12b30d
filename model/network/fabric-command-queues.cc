/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-queues.h"

#include "fabric-attributed-type.h"
#include "fabric-channel.h"
#include "fabric-device-engines.h"
#include "fabric-find-device.h"
#include "fabric-is-logged.h"
#include "fabric-mixed-bits.h"
#include "fabric-net-device.h"
#include "fabric-number-list.h"
#include "fabric-pcie-attributes.h"
#include "fabric-rank-link.h"
#include "fabric-transport-layout.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricCommandQueues");

NS_OBJECT_ENSURE_REGISTERED(FabricCommandQueues);

using fabric::AtomicRequest;
using fabric::CommandArguments;
using fabric::CommandOp;
using fabric::CommandPacket;
using fabric::CommandPacketKind;
using fabric::CommandQueueKind;
using fabric::TimePs;
using fabric::TransportPacket;
using fabric::TransportPacketType;

namespace
{

constexpr uint64_t MOST_BYTES = uint64_t{1} << 30; ///< Of a command; chosen.
constexpr uint64_t GIGABIT = 1'000'000'000;        ///< In bits.

/// The transport's types of packets, by CommandPacketKind; an ACK says whether it is a TRACK.
constexpr std::array<TransportPacketType, 5> TYPES{TransportPacketType::PUSH_UNSOLICITED_DATA,
                                                   TransportPacketType::ACK,
                                                   TransportPacketType::PULL_REQUEST,
                                                   TransportPacketType::PULL_DATA,
                                                   TransportPacketType::ACK};

/// Puts an atomic operation into a request or a reply.
void
PutAtomic(TransportPacket& packet, const AtomicRequest& atomic)
{
    packet.piece.tag = atomic.operand;
    packet.echo = static_cast<TimePs>(atomic.compare);
    packet.dataBase = atomic.address;
    packet.piece.psn |= static_cast<uint32_t>(atomic.op) << 8 | (atomic.isWide ? 1U << 12 : 0) |
                        (atomic.isSigned ? 1U << 13 : 0) | (atomic.fetches ? 1U << 14 : 0);
}

/// @return what PutAtomic() has put into a packet
AtomicRequest
TakeAtomic(const TransportPacket& packet)
{
    AtomicRequest atomic;
    atomic.operand = packet.piece.tag;
    atomic.compare = static_cast<uint64_t>(packet.echo);
    atomic.address = packet.dataBase;
    atomic.op = static_cast<fabric::AtomicOp>(packet.piece.psn >> 8 & 0xF);
    atomic.isWide = (packet.piece.psn >> 12 & 1) != 0;
    atomic.isSigned = (packet.piece.psn >> 13 & 1) != 0;
    atomic.fetches = (packet.piece.psn >> 14 & 1) != 0;
    return atomic;
}

/// Puts what is acknowledged, and the sequence of the packet itself, into an ACK.
void
PutAcks(TransportPacket& packet, const CommandPacket& from)
{
    const fabric::PacketAcks& acks = from.acks;
    packet.bitmaps.requestAcked = acks.singles;
    packet.bitmaps.dataAcked = {acks.singleBase | uint64_t{acks.orderedBase} << 32,
                                from.track.sequence | uint64_t{acks.epoch} << 32 |
                                    uint64_t{acks.isNotReady} << 40 |
                                    uint64_t{acks.isMissing} << 41 | uint64_t{acks.taken} << 48};
}

/// Takes what PutAcks() has put into a packet.
void
TakeAcks(const TransportPacket& packet, CommandPacket& to)
{
    const uint64_t low = packet.bitmaps.dataAcked.Low();
    const uint64_t high = packet.bitmaps.dataAcked.High();
    to.acks.singles = packet.bitmaps.requestAcked;
    to.acks.singleBase = static_cast<uint32_t>(low);
    to.acks.orderedBase = static_cast<uint32_t>(low >> 32);
    to.acks.epoch = static_cast<uint8_t>(high >> 32);
    to.acks.isNotReady = (high >> 40 & 1) != 0;
    to.acks.isMissing = (high >> 41 & 1) != 0;
    to.acks.taken = static_cast<uint8_t>(high >> 48);
    to.track.sequence = static_cast<uint32_t>(high);
}

/// @return a packet in the format of the reliable transport
TransportPacket
ToTransport(const CommandPacket& packet)
{
    TransportPacket made(TYPES[static_cast<std::size_t>(packet.kind)]);
    made.cid = packet.track.epoch | static_cast<uint32_t>(packet.track.kind) << 8;
    made.marksSeen = packet.turn;
    if (made.type == TransportPacketType::ACK)
    {
        made.requestBase = packet.id;
        made.dataBase = packet.isRefused ? 1 : 0;
        made.isProbe = packet.kind == CommandPacketKind::TRACK;
        PutAcks(made, packet);
        return made;
    }
    made.requestBase = packet.track.sequence;
    made.piece.psn = static_cast<uint32_t>(packet.op) | uint32_t{packet.isPacket} << 15 |
                     uint32_t{packet.counter} << 16;
    made.piece.rsn = packet.id;
    made.piece.amount = packet.bytes;
    made.piece.length = static_cast<uint32_t>(packet.length);
    made.piece.offset = static_cast<uint32_t>(packet.eager);
    made.piece.tag = packet.bits;
    made.piece.sentAt = packet.postedAt;
    made.dataBase = packet.offset;
    if (packet.op == CommandOp::ATOMIC)
    {
        PutAtomic(made, packet.atomic);
    }
    return made;
}

/// @return what ToTransport() has made of
CommandPacket
FromTransport(const TransportPacket& packet)
{
    CommandPacket made;
    made.kind = static_cast<CommandPacketKind>(std::find(TYPES.begin(), TYPES.end(), packet.type) -
                                               TYPES.begin());
    made.track.epoch = static_cast<uint8_t>(packet.cid);
    made.track.kind = static_cast<fabric::TrackClass>(packet.cid >> 8 & 1);
    made.turn = packet.marksSeen;
    if (made.kind == CommandPacketKind::ACK)
    {
        made.kind = packet.isProbe ? CommandPacketKind::TRACK : CommandPacketKind::ACK;
        made.id = packet.requestBase;
        made.isRefused = packet.dataBase != 0;
        TakeAcks(packet, made);
        return made;
    }
    made.track.sequence = packet.requestBase;
    made.op = static_cast<CommandOp>(packet.piece.psn & 0xFF);
    made.isPacket = (packet.piece.psn >> 15 & 1) != 0;
    made.counter = static_cast<uint16_t>(packet.piece.psn >> 16);
    made.id = packet.piece.rsn;
    made.bytes = packet.piece.amount;
    made.length = packet.piece.length;
    made.eager = packet.piece.offset;
    made.bits = packet.piece.tag;
    made.postedAt = packet.piece.sentAt;
    if (made.op != CommandOp::ATOMIC)
    {
        made.offset = packet.dataBase;
    }
    else
    {
        made.atomic = TakeAtomic(packet);
    }
    return made;
}

} // namespace

TypeId
FabricCommandQueues::GetTypeId()
{
    static TypeId tid =
        fabric::AddPcieAttributes(
            AddDriverAttributes(AddStageAttributes(AddTrackingAttributes(
                AddAtomicAttributes(AddMatchingAttributes(AddOutboundAttributes(AddFetchAttributes(
                    AddQueueAttributes(TypeId("ns3::FabricCommandQueues")
                                           .SetParent<Object>()
                                           .SetGroupName("Fabric")
                                           .AddConstructor<FabricCommandQueues>())))))))),
            &FabricCommandQueues::m_pcie)
            .AddTraceSource("Resend",
                            "A packet is sent again; its time may be over by a window. Only with "
                            "one thread.",
                            MakeTraceSourceAccessor(&FabricCommandQueues::m_resendTrace),
                            "ns3::FabricCommandQueues::ResendTracedCallback")
            .AddTraceSource("Stage",
                            "A command, or a packet of it, has passed a stage of this NIC; the "
                            "time may be ahead, or over by a window. Only with one thread.",
                            MakeTraceSourceAccessor(&FabricCommandQueues::m_stageTrace),
                            "ns3::FabricCommandQueues::StageTracedCallback");
    return tid;
}

FabricCommandQueues::FabricCommandQueues() = default;

FabricCommandQueues::~FabricCommandQueues() = default;

namespace
{

/// Logs a stage that has ended. @param node of the host
void
LogStage(uint32_t node, const fabric::CommandStep& step)
{
    NS_LOG_LOGIC("node " << node << " at " << PicoSeconds(step.at).As(Time::NS) << ": "
                         << fabric::NameOf(step.stage) << " ends for command " << step.name.id
                         << " of location " << step.name.host << ", queue " << step.queue << ", "
                         << step.bytes << " bytes from " << step.offset);
}

/// Logs a packet that is sent again. @param node of the host
void
LogResend(uint32_t node, uint32_t location, uint32_t bytes, Time time)
{
    NS_LOG_INFO("node " << node << " at " << time.As(Time::NS) << " sends " << bytes
                        << " bytes to location " << location << " again");
}

} // namespace

void
FabricCommandQueues::DoInitialize()
{
    // They are told only to who asks, since a NIC runs behind the time.
    if (m_node && fabric::IsLogged(g_log, LOG_LOGIC))
    {
        TraceConnectWithoutContext("Stage", MakeBoundCallback(&LogStage, m_node->GetId()));
    }
    if (m_node && fabric::IsLogged(g_log, LOG_INFO))
    {
        TraceConnectWithoutContext("Resend", MakeBoundCallback(&LogResend, m_node->GetId()));
    }
    Object::DoInitialize();
}

void
FabricCommandQueues::DoDispose()
{
    m_wakeEvent.reset();
    if (m_device && m_carriesPackets)
    {
        m_device->SetCarrier(nullptr);
    }
    m_node = nullptr;
    m_device = nullptr;
    m_callback = {};
    Object::DoDispose();
}

std::invalid_argument
FabricCommandQueues::Complaint(const std::string& sentence) const
{
    const std::string node = m_node ? "node " + std::to_string(m_node->GetId()) : "no node";
    return std::invalid_argument("ns3::FabricCommandQueues on " + node + ": " + sentence);
}

void
FabricCommandQueues::ReadRates()
{
    m_settings.chopping.putRate = m_putRate.GetBitRate();
    m_settings.chopping.getRate = m_getRate.GetBitRate();
    if (!fabric::ReadNumberList(m_shaperRates, m_settings.shaper.rates))
    {
        throw Complaint("ShaperRates is '" + m_shaperRates +
                        "'; allowed are whole numbers of Gb/s with commas between them");
    }
    for (uint64_t& rate : m_settings.shaper.rates)
    {
        // What is too much stays too much, and is refused.
        rate = std::min(rate, fabric::LinkRate::HIGHEST / GIGABIT + 1) * GIGABIT;
    }
}

void
FabricCommandQueues::ReadClasses()
{
    if (!fabric::ReadNumberList(m_classWeights, m_settings.classWeights))
    {
        throw Complaint("ClassWeights is '" + m_classWeights +
                        "'; allowed are whole numbers with commas between them");
    }
    if (!fabric::ReadNumberList(m_queueClasses, m_settings.queueClasses))
    {
        throw Complaint("QueueClasses is '" + m_queueClasses +
                        "'; allowed are numbers of classes with commas between them");
    }
}

void
FabricCommandQueues::Install(Ptr<Node> node)
{
    m_node = node;
    InstallIn(fabric::FindDevice(node));
}

void
FabricCommandQueues::Install(Ptr<FabricNetDevice> device)
{
    m_node = device->GetNode();
    InstallIn(device);
}

Ptr<FabricNetDevice>
FabricCommandQueues::GetDevice() const
{
    return m_device;
}

void
FabricCommandQueues::InstallIn(Ptr<FabricNetDevice> device)
{
    m_device = device;
    if (!m_device || !m_device->GetChannel())
    {
        throw Complaint("the node needs an ns3::FabricNetDevice with a link");
    }
    fabric::Nic& nic = m_device->GetNic();
    if (fabric::FindEngine<FabricCommandQueues>(m_device))
    {
        throw Complaint("the device has an ns3::FabricCommandQueues already; allowed is one");
    }
    if (!nic.TakesEngine())
    {
        throw Complaint(fabric::TOO_LATE_FOR_ENGINE);
    }
    m_network = PeekPointer(m_device->GetNetwork());
    if (m_carriesPackets && fabric::RankCount() > 1)
    {
        throw Complaint("CarriesPackets is true on several ranks; allowed is false, since a packet "
                        "of a command does not go from rank to rank");
    }
    ReadClasses();
    ReadRates();
    m_settings.translation.seed =
        fabric::MixedBits(uint64_t{RngSeedManager::GetSeed()} << 32 ^ RngSeedManager::GetRun(),
                          m_node->GetId());
    const uint32_t header = FrameBytes({});
    if (m_device->GetMtu() <= header)
    {
        throw Complaint("the MTU is " + std::to_string(m_device->GetMtu()) +
                        " bytes; allowed is more than " + std::to_string(header) +
                        ", the header of a packet");
    }
    try
    {
        m_settings.Validate();
        RequireEffects();
        m_engine =
            std::make_unique<fabric::CommandEngine>(m_settings,
                                                    m_device->UsePcie(m_pcie),
                                                    static_cast<fabric::CommandNetwork&>(*this),
                                                    static_cast<fabric::CommandListener&>(*this));
    }
    catch (const std::invalid_argument& error)
    {
        throw Complaint(error.what());
    }
    if (m_carriesPackets && m_packetQueue >= m_settings.queues)
    {
        throw Complaint("PacketQueue is " + std::to_string(m_packetQueue) + "; allowed is 0 to " +
                        std::to_string(m_settings.queues - 1));
    }
    m_engine->Watch(*this, m_watchers.Number());
    m_wakeEvent = std::make_unique<fabric::RepeatingEvent>(
        [this] { m_device->GetNic().TakeAlarm(Simulator::Now().GetPicoSeconds()); });
    m_needsAlarm = m_engine->ReportDelay() <= nic.LongestWindow();
    m_device->SetReportCallback(fabric::FrameKind::COMMAND,
                                MakeCallback(&FabricCommandQueues::Tell, this));
    if (m_carriesPackets)
    {
        RequireReports("packets are carried");
        m_device->SetCarrier(this);
    }
    nic.SetEngine(m_engine.get(), m_needsAlarm && m_network->GetThreads() == 1 ? this : nullptr);
    fabric::AttachEngine<FabricCommandQueues>(m_device, this);
}

void
FabricCommandQueues::SetReportCallback(ReportCallback callback)
{
    RequireReports("reports are wanted");
    m_callback = callback;
    if (m_needsAlarm)
    {
        m_device->GetNic().TakeAlarm(Simulator::Now().GetPicoSeconds());
    }
}

void
FabricCommandQueues::RequireReports(const std::string& what) const
{
    if (m_needsAlarm && m_network->GetThreads() > 1)
    {
        throw Complaint(what + ", PcieLatency is " + std::to_string(m_pcie.latency) +
                        " ps, and there are " + std::to_string(m_network->GetThreads()) +
                        " threads; allowed is 1, or more than " +
                        std::to_string(m_device->GetNic().LongestWindow()) + " ps");
    }
}

void
FabricCommandQueues::WakeBy(TimePs time)
{
    if (!m_callback.IsNull() || m_carriesPackets)
    {
        m_wakeEvent->ComeBy(std::max(time, Simulator::Now().GetPicoSeconds()));
    }
}

void
FabricCommandQueues::RequireInstalled() const
{
    if (!m_device)
    {
        throw Complaint("they are not installed; allowed is a call after Install(), until "
                        "Simulator::Destroy()");
    }
}

void
FabricCommandQueues::RequireQueue(uint32_t queue) const
{
    RequireInstalled();
    if (queue >= m_settings.AllQueues())
    {
        throw Complaint("there is no queue " + std::to_string(queue) + "; allowed is 0 to " +
                        std::to_string(m_settings.AllQueues() - 1));
    }
}

bool
FabricCommandQueues::HasQueues(fabric::LocationId location)
{
    if (!m_network->HasEndpoint(location))
    {
        return false;
    }
    if (location >= m_hasQueues.size())
    {
        m_hasQueues.resize(location + 1, 0);
    }
    if (m_hasQueues[location] == 0)
    {
        const auto& device = m_network->GetDevices()[location - fabric::FIRST_UNICAST];
        m_hasQueues[location] = fabric::FindEngine<FabricCommandQueues>(device) ? 1 : 0;
    }
    return m_hasQueues[location] != 0;
}

void
FabricCommandQueues::RequireStream(uint32_t queue, const fabric::CommandStream& stream)
{
    const CommandQueueKind kind = m_settings.KindOf(queue);
    if (stream.op == CommandOp::NOOP || !fabric::IsOpOf(kind, stream.op))
    {
        throw Complaint("operation " + std::to_string(static_cast<uint32_t>(stream.op)) +
                        " can't be posted to queue " + std::to_string(queue) + "; allowed are " +
                        (kind == CommandQueueKind::INITIATOR
                             ? "PUT, SEND, TAGGED, GET and ATOMIC"
                             : "APPEND, SEARCH, UNLINK and ENABLE"));
    }
    if (kind == CommandQueueKind::INITIATOR)
    {
        RequireFlow(stream.flow);
    }
    RequireArguments(stream);
    if (stream.bytes > MOST_BYTES)
    {
        throw Complaint("a command of " + std::to_string(stream.bytes) +
                        " bytes; allowed is 0 to " + std::to_string(MOST_BYTES));
    }
    if (stream.count == 0 || stream.gap < 0)
    {
        throw Complaint(std::to_string(stream.count) + " commands every " +
                        std::to_string(stream.gap) +
                        " ps; allowed is at least one, and no negative time");
    }
}

void
FabricCommandQueues::RequireArguments(const fabric::CommandStream& stream)
{
    const CommandArguments& arguments = stream.arguments;
    const AtomicRequest& atomic = arguments.atomic;
    for (const uint16_t counter : {arguments.counter,
                                   arguments.targetCounter,
                                   arguments.trigger.counter,
                                   arguments.entry.counter})
    {
        if (counter > m_settings.atomics.counters)
        {
            throw Complaint("counter " + std::to_string(counter) + "; allowed is 1 to " +
                            std::to_string(m_settings.atomics.counters) + ", or 0 for none");
        }
    }
    const bool isKnown = static_cast<uint8_t>(atomic.op) < fabric::ATOMIC_OPS;
    if (!isKnown || !m_engine->Memory().Has(atomic.localAddress, atomic.Bytes()))
    {
        throw Complaint("atomic operation " + std::to_string(static_cast<uint32_t>(atomic.op)) +
                        " with an operand at " + std::to_string(atomic.localAddress) +
                        "; allowed are 0 to " + std::to_string(fabric::ATOMIC_OPS - 1) +
                        " and multiples of " + std::to_string(atomic.Bytes()) + " below " +
                        std::to_string(m_settings.atomics.memory));
    }
}

void
FabricCommandQueues::RequireFlow(const fabric::MessageFlow& flow)
{
    if (flow.dst == m_device->GetLocation() || !HasQueues(flow.dst) ||
        flow.trafficClass >= fabric::TRAFFIC_CLASSES)
    {
        throw Complaint("a command to location " + std::to_string(flow.dst) + " in class " +
                        std::to_string(flow.trafficClass) +
                        " can't be posted; allowed are other hosts with command queues and classes "
                        "0 to " +
                        std::to_string(fabric::TRAFFIC_CLASSES - 1));
    }
}

void
FabricCommandQueues::Post(uint32_t queue, fabric::CommandStream stream)
{
    if (FabricNetwork::IsElsewhere(m_node))
    {
        throw Complaint(FabricNetwork::DescribeElsewhere(m_node));
    }
    RequireQueue(queue);
    RequireStream(queue, stream);
    if (m_watchers.Number() != 0)
    {
        RequireOneThread("Stage"); // before a thread has to refuse it
    }
    m_device->GetNic().RunUntil(Simulator::Now().GetPicoSeconds());
    if (m_engine->Host().IsHalted(queue))
    {
        throw Complaint("queue " + std::to_string(queue) +
                        " has halted, since a command was malformed; allowed are the others");
    }
    stream.arguments.isPacket = false;
    Ask(queue, stream);
}

void
FabricCommandQueues::Ask(uint32_t queue, fabric::CommandStream stream)
{
    const TimePs now = Simulator::Now().GetPicoSeconds();
    stream.start = std::max(stream.start, now);
    m_engine->Host().Post(queue, stream, now);
    m_device->GetNic().EngineHasWork(now);
}

void
FabricCommandQueues::SetPolicy(uint32_t queue, std::unique_ptr<fabric::CommandPolicy> policy)
{
    RequireQueue(queue);
    m_device->GetNic().RunUntil(Simulator::Now().GetPicoSeconds());
    m_engine->Host().SetPolicy(queue, std::move(policy));
}

fabric::CommandEngine&
FabricCommandQueues::GetEngine()
{
    RequireInstalled();
    m_device->GetNic().RunUntil(Simulator::Now().GetPicoSeconds());
    return *m_engine;
}

uint32_t
FabricCommandQueues::QueueOf(const fabric::MessageFlow& flow)
{
    return m_nicQueues.Open(m_device->GetNic(), flow);
}

uint32_t
FabricCommandQueues::MostBytes() const
{
    return m_device->GetMtu() - FrameBytes({});
}

uint32_t
FabricCommandQueues::FrameBytes(const CommandPacket& packet) const
{
    return fabric::TransportBytes(ToTransport(packet));
}

uint32_t
FabricCommandQueues::Put(const CommandPacket& packet)
{
    return m_network->GetTransportPackets(m_device->GetLocation()).Put(ToTransport(packet));
}

CommandPacket
FabricCommandQueues::At(uint32_t handle)
{
    return FromTransport(m_network->GetTransportPackets(m_device->GetLocation()).At(handle));
}

fabric::LocationId
FabricCommandQueues::DestinationOf(uint32_t queue) const
{
    return m_nicQueues.DestinationOf(queue);
}

CommandPacket
FabricCommandQueues::Take(fabric::LocationId source, uint32_t handle)
{
    const CommandPacket packet = FromTransport(m_network->GetTransportPackets(source).At(handle));
    fabric::Frame frame{};
    frame.kind = fabric::FrameKind::COMMAND;
    frame.src = source;
    frame.handle = handle;
    m_network->ForgetFrame(frame, m_device->GetPart());
    return packet;
}

void
FabricCommandQueues::Resent(uint32_t queue, const CommandPacket& packet, TimePs now)
{
    if (m_resendTrace.IsEmpty())
    {
        return;
    }
    RequireOneThread("Resend");
    m_resendTrace(m_nicQueues.DestinationOf(queue), packet.bytes, PicoSeconds(now));
}

void
FabricCommandQueues::Passed(const fabric::CommandStep& step)
{
    RequireOneThread("Stage");
    const fabric::LocationId here = m_device->GetLocation();
    fabric::CommandStep told = step;
    told.place = here;
    told.name.host = step.name.host == 0 ? here : step.name.host;
    told.message.host = here;
    m_stageTrace(told);
}

void
FabricCommandQueues::RequireOneThread(const char* trace) const
{
    if (m_network->GetThreads() > 1)
    {
        throw Complaint(std::string(trace) + " is traced or logged, but there are " +
                        std::to_string(m_network->GetThreads()) + " threads; allowed is 1");
    }
}

bool
FabricCommandQueues::Reaches(fabric::LocationId destination)
{
    return HasQueues(destination) && !m_engine->Host().IsHalted(m_packetQueue);
}

uint64_t
FabricCommandQueues::Backlog() const
{
    return m_packetBytes;
}

void
FabricCommandQueues::Carry(const fabric::FlowKey& flow, uint32_t bytes, uint32_t handle)
{
    fabric::CommandStream stream;
    stream.op = CommandOp::SEND;
    stream.flow = {flow.destination, flow.trafficClass, flow.vni};
    stream.bytes = bytes;
    stream.arguments.isPacket = true;
    stream.arguments.entry.bits = handle;
    m_packetBytes += bytes;
    Ask(m_packetQueue, stream);
}

void
FabricCommandQueues::LearnOfPacket(const fabric::CommandReport& report)
{
    if (report.isOwn)
    {
        m_packetBytes -= report.bytes;
    }
    else
    {
        TellLater(report);
    }
}

void
FabricCommandQueues::TellLater(const fabric::CommandReport& report)
{
    m_reports.Push(report);
    fabric::Frame frame{};
    frame.kind = fabric::FrameKind::COMMAND;
    m_network->Notify(report.at, PeekPointer(m_device), frame);
}

void
FabricCommandQueues::AddLatency(uint32_t kind, const fabric::CommandReport& report)
{
    m_latencies[kind].push_back(report.at - report.postedAt);
    m_seenAt[kind].push_back(report.at);
}

std::vector<fabric::TimePs>
FabricCommandQueues::SeenUntil(uint32_t kind, Time end) const
{
    std::vector<fabric::TimePs> seen;
    for (std::size_t i = 0; i < m_latencies[kind].size(); ++i)
    {
        if (m_seenAt[kind][i] <= end.GetPicoSeconds())
        {
            seen.push_back(m_latencies[kind][i]);
        }
    }
    return seen;
}

void
FabricCommandQueues::Learn(const fabric::CommandReport& report)
{
    if (report.isPacket)
    {
        LearnOfPacket(report);
        return;
    }
    if (report.event == fabric::CommandEvent::COMPLETE)
    {
        AddLatency(0, report);
        m_lastCompletion = report.at;
    }
    if (report.event == fabric::CommandEvent::MESSAGE)
    {
        AddLatency(1, report);
    }
    if (!m_callback.IsNull())
    {
        TellLater(report);
    }
}

void
FabricCommandQueues::Tell()
{
    const TimePs now = Simulator::Now().GetPicoSeconds();
    while (!m_reports.IsEmpty() && m_reports.Front().at <= now)
    {
        const fabric::CommandReport report = m_reports.Front();
        m_reports.Pop();
        if (report.isPacket)
        {
            m_device->TakeCarried(static_cast<uint32_t>(report.bits));
        }
        else
        {
            m_callback(report);
        }
    }
}

} // namespace ns3
