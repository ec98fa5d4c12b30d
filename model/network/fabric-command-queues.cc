/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-queues.h"

#include "fabric-attributed-type.h"
#include "fabric-channel.h"
#include "fabric-find-device.h"
#include "fabric-net-device.h"
#include "fabric-number-list.h"
#include "fabric-pcie-attributes.h"
#include "fabric-transport-layout.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricCommandQueues");

NS_OBJECT_ENSURE_REGISTERED(FabricCommandQueues);

using fabric::AtomicRequest;
using fabric::AtomicSettings;
using fabric::CommandArguments;
using fabric::CommandOp;
using fabric::CommandPacket;
using fabric::CommandPacketKind;
using fabric::CommandQueueKind;
using fabric::CommandSettings;
using fabric::CommandStageTimes;
using fabric::DriverTimes;
using fabric::DynamicPathSettings;
using fabric::MatchingSettings;
using fabric::TimePs;
using fabric::TransportPacket;
using fabric::TransportPacketType;
using fabric::WriteBackSettings;

namespace
{

constexpr uint64_t MOST_BYTES = uint64_t{1} << 30; ///< Of a command; chosen.

/// The transport's types of packets, by CommandPacketKind.
constexpr std::array<TransportPacketType, 4> TYPES{TransportPacketType::PUSH_UNSOLICITED_DATA,
                                                   TransportPacketType::ACK,
                                                   TransportPacketType::PULL_REQUEST,
                                                   TransportPacketType::PULL_DATA};

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

/// @return a packet in the format of the reliable transport
TransportPacket
ToTransport(const CommandPacket& packet)
{
    TransportPacket made(TYPES[static_cast<std::size_t>(packet.kind)]);
    if (packet.kind == CommandPacketKind::ACK)
    {
        made.requestBase = packet.id;
        made.dataBase = packet.isRefused ? 1 : 0;
        return made;
    }
    made.piece.psn = static_cast<uint32_t>(packet.op) | uint32_t{packet.counter} << 16;
    made.piece.rsn = packet.id;
    made.piece.amount = packet.bytes;
    made.piece.length = static_cast<uint32_t>(packet.length);
    made.piece.offset = static_cast<uint32_t>(packet.eager);
    made.piece.tag = packet.bits;
    made.piece.sentAt = packet.postedAt;
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
    if (made.kind == CommandPacketKind::ACK)
    {
        made.id = packet.requestBase;
        made.isRefused = packet.dataBase != 0;
        return made;
    }
    made.op = static_cast<CommandOp>(packet.piece.psn & 0xFF);
    made.counter = static_cast<uint16_t>(packet.piece.psn >> 16);
    made.id = packet.piece.rsn;
    made.bytes = packet.piece.amount;
    made.length = packet.piece.length;
    made.eager = packet.piece.offset;
    made.bits = packet.piece.tag;
    made.postedAt = packet.piece.sentAt;
    if (made.op == CommandOp::ATOMIC)
    {
        made.atomic = TakeAtomic(packet);
    }
    return made;
}

} // namespace

TypeId
FabricCommandQueues::GetTypeId()
{
    static TypeId tid = fabric::AddPcieAttributes(
        AddDriverAttributes(AddStageAttributes(AddAtomicAttributes(AddMatchingAttributes(
            AddFetchAttributes(AddQueueAttributes(TypeId("ns3::FabricCommandQueues")
                                                      .SetParent<Object>()
                                                      .SetGroupName("Fabric")
                                                      .AddConstructor<FabricCommandQueues>())))))),
        &FabricCommandQueues::m_pcie);
    return tid;
}

TypeId
FabricCommandQueues::AddQueueAttributes(TypeId tid)
{
    const CommandSettings defaults;
    return fabric::AttributedType(tid, fabric::BEFORE_INSTALL, &FabricCommandQueues::m_settings)
        .Add("Queues", "Command queues, each with a core of the host. Cassini: up to 1024.")
        .Sets(&CommandSettings::queues, defaults.queues)
        .Add("RingSlots",
             "Slots of 64 bytes of a ring, a power of two; 4 hold the status and one stays free. "
             "Cassini: 64 to 65536.")
        .Sets(&CommandSettings::ringSlots, defaults.ringSlots)
        .Add("LowLatencySlots",
             "Slots of the low-latency buffer of a queue; 0 for no buffer. Cassini: 128 bytes.")
        .Sets(&CommandSettings::lowLatencySlots, defaults.lowLatencySlots)
        .Add("InlineBytes", "Data of at most this many bytes goes in its command. Cassini: 192.")
        .Sets(&CommandSettings::inlineBytes, defaults.inlineBytes)
        .Add("Batch", "Commands for each ring of the doorbell, at most.")
        .Sets(&CommandSettings::batch, defaults.batch)
        .Add("Policy",
             "How the driver chooses the path of a command: `memory`, the ring and its doorbell; "
             "`low-latency`, the NIC's buffer as well, where it fits; `dynamic`, by what it knows "
             "of the ring and of the NIC's statistics.")
        .SetsOneOf(&CommandSettings::path,
                   fabric::PATH_DYNAMIC,
                   "dynamic",
                   fabric::PATH_MEMORY,
                   "memory",
                   fabric::PATH_LOW_LATENCY,
                   "low-latency")
        .Add("ClassWeights", "Grants of each class of queues in a round, such as 1,3.")
        .Sets(&FabricCommandQueues::m_classWeights, "1")
        .Add("QueueClasses",
             "Class of each queue, such as 0,0,1; further queues have the last one. Empty for 0.")
        .Sets(&FabricCommandQueues::m_queueClasses, "")
        .In(&CommandSettings::dynamic)
        .Add("SpeculateAbove",
             "The dynamic policy begins to speculate when more low-latency writes than this are "
             "accepted, of a window.")
        .Sets(&DynamicPathSettings::resumeAbove, defaults.dynamic.resumeAbove)
        .Add("SpeculateUntil", "It speculates no longer when less than this is accepted.")
        .Sets(&DynamicPathSettings::stopBelow, defaults.dynamic.stopBelow)
        .Add("SpeculationPause", "After this many commands it tries again.")
        .Sets(&DynamicPathSettings::pause, defaults.dynamic.pause)
        .Add("BacklogTime",
             "A driver with the dynamic policy can't keep up, and takes the ring, if a command has "
             "waited for longer and another one waits. Chosen.")
        .Sets(&DynamicPathSettings::backlog, PicoSeconds(defaults.dynamic.backlog), {Time(0)})
        .Add("SpeculationWindow", "Low-latency writes of a window.")
        .Sets(&DynamicPathSettings::window, defaults.dynamic.window);
}

TypeId
FabricCommandQueues::AddFetchAttributes(TypeId tid)
{
    const CommandSettings defaults;
    return fabric::AttributedType(tid, fabric::BEFORE_INSTALL, &FabricCommandQueues::m_settings)
        .Add("ReadSlots", "Slots of a read of a ring, at most. Cassini reads 64 to 256 bytes.")
        .Sets(&CommandSettings::readSlots, defaults.readSlots)
        .Add("PrefetchSlots", "Slots of a queue that are on the NIC or on their way. Chosen.")
        .Sets(&CommandSettings::prefetchSlots, defaults.prefetchSlots)
        .Add("PrefetchQueues", "Queues with reads under way, at most. Cassini: 48.")
        .Sets(&CommandSettings::prefetchQueues, defaults.prefetchQueues)
        .Add("FlowQueues", "Flow queues of the NIC, one flow each. Chosen.")
        .Sets(&CommandSettings::flowQueues, defaults.flowQueues)
        .Add("FlowCredits", "Commands in all flow queues, at most. Cassini: 256.")
        .Sets(&CommandSettings::flowCredits, defaults.flowCredits)
        .Add("FlowDepth", "Commands in one flow queue, at most. Chosen.")
        .Sets(&CommandSettings::flowDepth, defaults.flowDepth)
        .Add("ReadAhead", "Packets of a flow whose data is read ahead of the wire. Chosen.")
        .Sets(&CommandSettings::readAhead, defaults.readAhead)
        .In(&CommandSettings::writeBack)
        .Add("WriteBackEvery",
             "Commands after which the NIC writes the read pointer of a queue to the host; 0 for "
             "not by number. Cassini: 256 slots and on empty by default.")
        .Sets(&WriteBackSettings::every, defaults.writeBack.every)
        .Add("WriteBackOnEmpty", "Whether it does so when a ring has become empty.")
        .Sets(&WriteBackSettings::onEmpty, defaults.writeBack.onEmpty)
        .Add("WriteBackInterval", "No command waits longer for it; 0 for no such limit.")
        .Sets(&WriteBackSettings::interval, Time(0), {Time(0)});
}

TypeId
FabricCommandQueues::AddMatchingAttributes(TypeId tid)
{
    const CommandSettings settings;
    const MatchingSettings& defaults = settings.matching;
    return fabric::AttributedType(tid, fabric::BEFORE_INSTALL, &FabricCommandQueues::m_settings)
        .Add("EventSlots",
             "Slots of an event queue in host memory, a power of two. A driver has no more "
             "commands under way; an event of a message without a slot is lost. Chosen.")
        .Sets(&CommandSettings::eventSlots, settings.eventSlots)
        .In(&CommandSettings::matching)
        .Add("TargetQueues",
             "Command queues for targets, which come behind the others; each with a core. "
             "Cassini: up to 512.")
        .Sets(&MatchingSettings::targetQueues, defaults.targetQueues)
        .Add("TargetLowLatencySlots",
             "Slots of the low-latency buffer of a target queue. Cassini has none there.")
        .Sets(&MatchingSettings::bufferSlots, defaults.bufferSlots)
        .Add("RendezvousBytes",
             "Matched messages that are longer are fetched by their target. libfabric's cxi "
             "provider: 16 KiB.")
        .Sets(&MatchingSettings::rendezvous, defaults.rendezvous)
        .Add("EagerBytes",
             "Of these the initiator sends so much at once. libfabric's cxi provider: 2 KiB.")
        .Sets(&MatchingSettings::eager, defaults.eager)
        .Add("MatchEntries", "Entries of the priority and the overflow list together. Chosen.")
        .Sets(&MatchingSettings::entries, defaults.entries)
        .Add("UnexpectedMessages", "Unexpected messages at a time. Chosen.")
        .Sets(&MatchingSettings::unexpected, defaults.unexpected)
        .Add("MatchTime",
             "Time of the NIC to look at an entry or at an unexpected message. Chosen: 500 M/s.")
        .Sets(&MatchingSettings::entryTime, PicoSeconds(defaults.entryTime), {Time(0)});
}

TypeId
FabricCommandQueues::AddAtomicAttributes(TypeId tid)
{
    const AtomicSettings defaults;
    return fabric::AttributedType(tid,
                                  fabric::BEFORE_INSTALL,
                                  &FabricCommandQueues::m_settings,
                                  &CommandSettings::atomics)
        .Add("AtomicMemory",
             "Bytes of host memory that atomics may change, a power of two. Chosen.")
        .Sets(&AtomicSettings::memory, defaults.memory)
        .Add("AtomicInterval", "Time between two atomics. Cassini: 67.6 M/s.")
        .Sets(&AtomicSettings::interval, PicoSeconds(defaults.interval), {NanoSeconds(1)})
        .Add("AtomicTime", "Time of an atomic, while others on its word wait. Chosen.")
        .Sets(&AtomicSettings::latency, PicoSeconds(defaults.latency), {Time(0)})
        .Add("Counters", "Counting events of the NIC. Chosen.")
        .Sets(&AtomicSettings::counters, defaults.counters);
}

TypeId
FabricCommandQueues::AddStageAttributes(TypeId tid)
{
    const CommandStageTimes defaults;
    const auto time = [](TimePs value) { return PicoSeconds(value); };
    return fabric::AttributedType(tid,
                                  fabric::BEFORE_INSTALL,
                                  &FabricCommandQueues::m_settings,
                                  &CommandSettings::stages)
        .Add("GrantTime",
             "Between two choices of a queue. Chosen: three times Cassini's 67.6 M atomics/s.")
        .Sets(&CommandStageTimes::grant, time(defaults.grant), {NanoSeconds(1)})
        .Add("ParseTime", "Between two commands of all queues. Chosen: 100 M/s.")
        .Sets(&CommandStageTimes::parse, time(defaults.parse), {NanoSeconds(1)})
        .Add("ReadTime",
             "From a grant to a read request on PCIe. Fitted to Cassini's published step of 0.60 "
             "us between 64 and 128 bytes.")
        .Sets(&CommandStageTimes::read, time(defaults.read), {Time(0)})
        .Add("OutboundTime",
             "From a command with its data to its packet. With InboundTime fitted to Cassini's "
             "published 1.64 us of a send of 8 bytes.")
        .Sets(&CommandStageTimes::outbound, time(defaults.outbound), {Time(0)})
        .Add("InboundTime", "From a packet's tail to its write over PCIe. See OutboundTime.")
        .Sets(&CommandStageTimes::inbound, time(defaults.inbound), {Time(0)})
        .Add("CompleteTime",
             "From an acknowledgement's tail to its event on PCIe. Fitted to Cassini's published "
             "2.07 us of a write of 8 bytes.")
        .Sets(&CommandStageTimes::complete, time(defaults.complete), {Time(0)})
        .Add("RespondTime",
             "From data that was read for another NIC to its packet. Fitted to Cassini's published "
             "2.69 us of a read of 8 bytes.")
        .Sets(&CommandStageTimes::respond, time(defaults.respond), {Time(0)});
}

TypeId
FabricCommandQueues::AddDriverAttributes(TypeId tid)
{
    const DriverTimes defaults;
    const auto time = [](TimePs value) { return PicoSeconds(value); };
    return fabric::AttributedType(tid,
                                  fabric::BEFORE_INSTALL,
                                  &FabricCommandQueues::m_settings,
                                  &CommandSettings::driver)
        .Add("CommandTime", "Time of software to make a command. Chosen.")
        .Sets(&DriverTimes::command, time(defaults.command), {NanoSeconds(1)})
        .Add("SlotTime", "Time to write a slot of a ring in the cache. Chosen: 13 GB/s.")
        .Sets(&DriverTimes::slot, time(defaults.slot), {Time(0)})
        .Add("FenceTime", "Time of a store fence. Chosen.")
        .Sets(&DriverTimes::fence, time(defaults.fence), {Time(0)})
        .Add("DoorbellTime", "Time to store into a register of the NIC. Chosen.")
        .Sets(&DriverTimes::doorbell, time(defaults.doorbell), {Time(0)})
        .Add("LowLatencySlotTime",
             "Time to write a slot into the NIC's buffer, and to flush it. Chosen: 3.2 GB/s of a "
             "core, as BlockTime of ns3::FabricPio.")
        .Sets(&DriverTimes::lowLatencySlot, time(defaults.lowLatencySlot), {Time(0)})
        .Add("LookTime",
             "Time to look at a status or an event that the NIC has written: the core's caches "
             "do not have it. Chosen.")
        .Sets(&DriverTimes::look, time(defaults.look), {Time(0)})
        .Add("EventTime",
             "Time of software to take a message from its event queue: the next one is seen no "
             "earlier. Chosen.")
        .Sets(&DriverTimes::event, time(defaults.event), {Time(0)})
        .Add("CopyTime", "Time to copy 64 bytes of an unexpected message. Chosen: 13 GB/s.")
        .Sets(&DriverTimes::copy, time(defaults.copy), {Time(0)});
}

FabricCommandQueues::FabricCommandQueues() = default;

FabricCommandQueues::~FabricCommandQueues() = default;

void
FabricCommandQueues::DoDispose()
{
    m_wakeEvent.reset();
    m_node = nullptr;
    m_device = nullptr;
    m_callback = {};
    Object::DoDispose();
}

std::invalid_argument
FabricCommandQueues::Complaint(const std::string& sentence) const
{
    return std::invalid_argument("ns3::FabricCommandQueues on node " +
                                 std::to_string(m_node->GetId()) + ": " + sentence);
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
    m_device = fabric::FindDevice(node);
    if (!m_device || !m_device->GetChannel())
    {
        throw Complaint("the node needs an ns3::FabricNetDevice with a link");
    }
    fabric::Nic& nic = m_device->GetNic();
    if (node->GetObject<FabricCommandQueues>())
    {
        throw Complaint("the node has an ns3::FabricCommandQueues already; allowed is one");
    }
    if (!nic.TakesEngine())
    {
        throw Complaint(fabric::TOO_LATE_FOR_ENGINE);
    }
    m_network = PeekPointer(m_device->GetNetwork());
    ReadClasses();
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
    m_wakeEvent = std::make_unique<fabric::RepeatingEvent>(
        [this] { m_device->GetNic().TakeAlarm(Simulator::Now().GetPicoSeconds()); });
    m_needsAlarm = m_engine->ReportDelay() <= nic.LongestWindow();
    m_device->SetReportCallback(fabric::FrameKind::COMMAND,
                                MakeCallback(&FabricCommandQueues::Tell, this));
    nic.SetEngine(m_engine.get(), m_needsAlarm && m_network->GetThreads() == 1 ? this : nullptr);
    node->AggregateObject(this);
}

void
FabricCommandQueues::SetReportCallback(ReportCallback callback)
{
    if (m_needsAlarm && m_network->GetThreads() > 1)
    {
        throw Complaint("reports are wanted, PcieLatency is " + std::to_string(m_pcie.latency) +
                        " ps, and there are " + std::to_string(m_network->GetThreads()) +
                        " threads; allowed is 1, or more than " +
                        std::to_string(m_device->GetNic().LongestWindow()) + " ps");
    }
    m_callback = callback;
    if (m_needsAlarm)
    {
        m_device->GetNic().TakeAlarm(Simulator::Now().GetPicoSeconds());
    }
}

void
FabricCommandQueues::WakeBy(TimePs time)
{
    if (!m_callback.IsNull())
    {
        m_wakeEvent->ComeBy(std::max(time, Simulator::Now().GetPicoSeconds()));
    }
}

void
FabricCommandQueues::RequireQueue(uint32_t queue) const
{
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
        m_hasQueues[location] = device->GetNode()->GetObject<FabricCommandQueues>() ? 1 : 0;
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
                        (kind == CommandQueueKind::INITIATOR ? "PUT, SEND, TAGGED, GET and ATOMIC"
                                                             : "APPEND, SEARCH and UNLINK"));
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
    RequireQueue(queue);
    RequireStream(queue, stream);
    const TimePs now = Simulator::Now().GetPicoSeconds();
    m_device->GetNic().RunUntil(now);
    if (m_engine->Host().IsHalted(queue))
    {
        throw Complaint("queue " + std::to_string(queue) +
                        " has halted, since a command was malformed; allowed are the others");
    }
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
FabricCommandQueues::Learn(const fabric::CommandReport& report)
{
    if (report.event == fabric::CommandEvent::COMPLETE)
    {
        m_latencies[0].push_back(report.at - report.postedAt);
    }
    if (report.event == fabric::CommandEvent::MESSAGE)
    {
        m_latencies[1].push_back(report.at - report.postedAt);
    }
    if (m_callback.IsNull())
    {
        return;
    }
    m_reports.Push(report);
    fabric::Frame frame{};
    frame.kind = fabric::FrameKind::COMMAND;
    m_network->Notify(report.at, PeekPointer(m_device), frame);
}

void
FabricCommandQueues::Tell()
{
    const TimePs now = Simulator::Now().GetPicoSeconds();
    while (!m_reports.IsEmpty() && m_reports.Front().at <= now)
    {
        const fabric::CommandReport report = m_reports.Front();
        m_reports.Pop();
        m_callback(report);
    }
}

} // namespace ns3
