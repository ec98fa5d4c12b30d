/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-queues.h"

#include "fabric-attributed-type.h"
#include "fabric-command-packet-format.h"
#include "fabric-device-engines.h"
#include "fabric-find-device.h"
#include "fabric-is-logged.h"
#include "fabric-mixed-bits.h"
#include "fabric-net-device.h"
#include "fabric-number-list.h"
#include "fabric-pcie-attributes.h"
#include "fabric-transport-layout.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricCommandQueues");

NS_OBJECT_ENSURE_REGISTERED(FabricCommandQueues);

using fabric::CommandOp;
using fabric::CommandPacket;
using fabric::TimePs;

namespace
{

constexpr uint64_t GIGABIT = 1'000'000'000; ///< In bits.

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
    if (m_engine)
    {
        throw Complaint("they are installed already; allowed is once");
    }
    m_device = device;
    try
    {
        RequireDevice();
        m_network = PeekPointer(m_device->GetNetwork());
        ReadClasses();
        ReadRates();
        MakeEngine();
        RequirePacketQueue();
    }
    catch (const std::invalid_argument&)
    {
        m_engine = nullptr; // as before, for who goes on
        m_device = nullptr;
        throw;
    }
    ConnectEngine();
}

void
FabricCommandQueues::RequirePacketQueue() const
{
    if (!m_carriesPackets)
    {
        return;
    }
    if (m_packetQueue >= m_settings.queues)
    {
        throw Complaint("PacketQueue is " + std::to_string(m_packetQueue) + "; allowed is 0 to " +
                        std::to_string(m_settings.queues - 1));
    }
    RequireReports("packets are carried");
}

void
FabricCommandQueues::MakeEngine()
{
    m_settings.translation.seed =
        fabric::MixedBits(uint64_t{RngSeedManager::GetSeed()} << 32 ^ RngSeedManager::GetRun(),
                          m_node->GetId());
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
    m_needsAlarm = m_engine->ReportDelay() <= m_device->GetNic().LongestWindow();
}

void
FabricCommandQueues::ConnectEngine()
{
    fabric::Nic& nic = m_device->GetNic();
    m_engine->Watch(*this, m_watchers.Number());
    m_wakeEvent = std::make_unique<fabric::RepeatingEvent>(
        [this] { m_device->GetNic().TakeAlarm(Simulator::Now().GetPicoSeconds()); });
    m_device->SetReportCallback(fabric::FrameKind::COMMAND,
                                MakeCallback(&FabricCommandQueues::Tell, this));
    if (m_carriesPackets)
    {
        m_device->SetCarrier(this);
    }
    nic.SetEngine(m_engine.get(), m_needsAlarm ? this : nullptr);
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
FabricCommandQueues::WakeBy(TimePs time)
{
    if (!m_callback.IsNull() || m_carriesPackets)
    {
        m_wakeEvent->ComeBy(std::max(time, Simulator::Now().GetPicoSeconds()));
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

void
FabricCommandQueues::SetWriteBack(uint32_t queue, const fabric::WriteBackSettings& writeBack)
{
    RequireQueue(queue);
    try
    {
        writeBack.Validate();
    }
    catch (const std::invalid_argument& error)
    {
        throw Complaint(error.what());
    }
    const TimePs now = Simulator::Now().GetPicoSeconds();
    m_device->GetNic().RunUntil(now);
    m_engine->SetWriteBack(queue, writeBack, now);
    m_device->GetNic().EngineHasWork(now);
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
