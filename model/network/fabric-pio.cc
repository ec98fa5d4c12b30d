/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pio.h"

#include "fabric-attributed-type.h"
#include "fabric-channel.h"
#include "fabric-dependent-attributes.h"
#include "fabric-device-engines.h"
#include "fabric-find-device.h"
#include "fabric-is-logged.h"
#include "fabric-net-device.h"
#include "fabric-pcie-attributes.h"

#include "ns3/simulator.h"

#include <charconv>
#include <sstream>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricPio");

NS_OBJECT_ENSURE_REGISTERED(FabricPio);

using fabric::PioSettings;
using fabric::SendContextSettings;
using fabric::TimePs;

namespace
{

constexpr const char* USUAL_THRESHOLD = "33%"; ///< Default of `Threshold`: hfi1's user contexts.

} // namespace

TypeId
FabricPio::GetTypeId()
{
    static TypeId tid =
        fabric::AddPcieAttributes(
            AddTimeAttributes(AddPioAttributes(TypeId("ns3::FabricPio")
                                                   .SetParent<Object>()
                                                   .SetGroupName("Fabric")
                                                   .AddConstructor<FabricPio>())),
            &FabricPio::m_pcie)
            .AddTraceSource("CreditReturn",
                            "The adaptor writes credits into host memory; told ahead of that time. "
                            "Only with one thread.",
                            MakeTraceSourceAccessor(&FabricPio::m_creditTrace),
                            "ns3::FabricPio::CreditTracedCallback")
            .AddTraceSource("Stall",
                            "A thread has waited for credits; its times may be over by a window. "
                            "Only with one thread.",
                            MakeTraceSourceAccessor(&FabricPio::m_stallTrace),
                            "ns3::FabricPio::StallTracedCallback")
            .AddTraceSource("Received",
                            "A message has arrived at the node.",
                            MakeTraceSourceAccessor(&FabricPio::m_receivedTrace),
                            "ns3::FabricPio::MessageTracedCallback");
    return tid;
}

TypeId
FabricPio::AddPioAttributes(TypeId tid)
{
    const PioSettings defaults;
    return fabric::AttributedType(tid, fabric::BEFORE_INSTALL, &FabricPio::m_settings)
        .Add("Contexts", "Send contexts of the adaptor. hfi1: up to 160.")
        .Sets(&PioSettings::contexts, defaults.contexts)
        .Add("Threads", "Threads of the host that send; thread i uses context i modulo Contexts.")
        .Sets(&PioSettings::threads, defaults.threads)
        .Add("PacketBytes",
             "Most payload of a packet, bytes; with a control word of 8 bytes it takes whole "
             "blocks of 64.")
        .Sets(&PioSettings::packetBytes, defaults.packetBytes)
        .Add("SdmaBytes", "Messages of at least this many bytes go by SDMA; 0 for none.")
        .Sets(&PioSettings::sdmaBytes, defaults.sdmaBytes)
        .Add("SdmaEngines", "SDMA engines of the adaptor. hfi1: 16.")
        .Sets(&PioSettings::sdmaEngines, defaults.sdmaEngines)
        .Add("SdmaPackets", "Packets that an SDMA engine reads ahead of the wire. Chosen.")
        .Sets(&PioSettings::sdmaPackets, defaults.sdmaPackets)
        .Add("SdmaReads",
             "Packets whose data all SDMA engines read at a time, one of each engine in turn. "
             "Chosen.")
        .Sets(&PioSettings::sdmaReads, defaults.sdmaReads)
        .Add("SdmaDescriptors",
             "Slots of the descriptor ring of an SDMA engine, a power of two from 64 to 32768; one "
             "stays free. hfi1's driver: 2048.")
        .Sets(&PioSettings::sdmaDescriptors, defaults.sdmaDescriptors)
        .Add("WordsPerLine",
             "Credit words of so many contexts lie in one line of host memory, 1 to 8: who polls "
             "one of them has a cache miss when another one is written. hfi1: 8.")
        .Sets(&PioSettings::wordsPerLine, defaults.wordsPerLine)
        .Add("RequestEvery",
             "One packet in so many asks in its control word for a return of credits; 0 for none. "
             "Of Scheme=absolute only.")
        .Sets(&PioSettings::requestEvery, defaults.requestEvery)
        .Add("ForceAfter",
             "A thread that has waited for so long forces a return, 100 ns or more; 0 for never.")
        .Sets(&PioSettings::forceAfter, Time(0), fabric::StepTimes())
        .Add("Wait",
             "How a thread waits for credits: it polls the word in memory, or sleeps until an "
             "interrupt, which is on only while somebody sleeps.")
        .SetsOneOf(&PioSettings::wait, fabric::WAIT_POLLS, "poll", fabric::WAIT_SLEEPS, "sleep")
        .Add("ReturnDelay", "Time in the adaptor before it writes credits.")
        .Sets(&PioSettings::returnDelay, Time(0), fabric::StepTimes())
        .Add("LoseEvery", "One write of credits in so many is lost; 0 for none. For experiments.")
        .Sets(&PioSettings::loseEvery, defaults.loseEvery)
        .Add("Threshold",
             "Unreturned blocks that cause a return, as a number of blocks or a percentage of the "
             "context; 0 for every change. Of Scheme=absolute only; others return every change. "
             "hfi1: 33 % for user contexts.")
        .Sets(&FabricPio::m_threshold, USUAL_THRESHOLD)
        .Add("ContextBlocks",
             "Send blocks of each context, if they differ, such as 32,64,64; empty if all have "
             "Blocks. Up to 1 MiB in all.")
        .Sets(&FabricPio::m_contextBlocks, "")
        .In(&PioSettings::context)
        .Add("Blocks", "Send blocks of 64 bytes of a context. hfi1: up to 1024, of 1 MiB in all.")
        .Sets(&SendContextSettings::blocks, defaults.context.blocks)
        .Add("CounterBits", "Width of the absolute credit counter. hfi1: 11.")
        .Sets(&SendContextSettings::counterBits, defaults.context.counterBits)
        .Add("Scheme",
             "How credits come back: `absolute`, the running total in FIFO order; for comparison "
             "`relative`, one credit for each block, and `egress-order`, the slots of each packet "
             "when it has left.")
        .SetsOneOf(&SendContextSettings::scheme,
                   fabric::CREDITS_ABSOLUTE,
                   "absolute",
                   fabric::CREDITS_RELATIVE,
                   "relative",
                   fabric::CREDITS_BY_EGRESS,
                   "egress-order")
        .Add("ReturnInterval",
             "No block stays unreturned for longer; 0 for no such limit. Of Scheme=absolute only.")
        .Sets(&SendContextSettings::interval, Time(0), fabric::StepTimes())
        .Add("EarlyReturn",
             "Whether blocks are free when their packet starts, as in user contexts of hfi1, and "
             "not when it has left. Chosen.")
        .Sets(&SendContextSettings::isEarly, false);
}

TypeId
FabricPio::AddTimeAttributes(TypeId tid)
{
    const PioSettings defaults;
    return fabric::AttributedType(tid, fabric::BEFORE_INSTALL, &FabricPio::m_settings)
        .Add("BlockTime",
             "Time in which a core stores a block: eight stores and the flush of a "
             "write-combining buffer. Chosen: 3.2 GB/s of a core.")
        .Sets(&PioSettings::blockTime, defaults.blockTime, fabric::StepTimes(NanoSeconds(1)))
        .Add("PacketTime", "Time of software for a packet besides its blocks. Chosen.")
        .Sets(&PioSettings::packetTime, defaults.packetTime, fabric::StepTimes())
        .Add("SharedLookTime",
             "Time of a look at the counter that threads share, which has more in it where an "
             "interrupt has brought it up to date (Wait=sleep). Chosen.")
        .Sets(&PioSettings::sharedLookTime, defaults.sharedLookTime, fabric::StepTimes())
        .Add("MemoryLookTime",
             "Until a thread that polls sees credits in memory: a cache miss. A thread that does "
             "not wait reads ahead while it stores the packet before. Chosen.")
        .Sets(&PioSettings::memoryLookTime, defaults.memoryLookTime, fabric::StepTimes())
        .Add("InterruptTime", "From an interrupt until the thread goes on. Chosen.")
        .Sets(&PioSettings::interruptTime, defaults.interruptTime, fabric::StepTimes())
        .Add("DescriptorTime", "Time of software for an SDMA descriptor. Chosen.")
        .Sets(&PioSettings::descriptorTime,
              defaults.descriptorTime,
              fabric::StepTimes(NanoSeconds(1)));
}

FabricPio::FabricPio() = default;

FabricPio::~FabricPio() = default;

namespace
{

/// Logs credits that return. @param node of the host
void
LogCreditReturn(uint32_t node, uint32_t context, uint32_t value, uint32_t reasons, Time time)
{
    NS_LOG_LOGIC("node " << node << " at " << time.As(Time::NS) << ": context " << context
                         << " has back " << value << " blocks, reasons " << reasons);
}

/// Logs a wait for credits that ends. @param node of the host
void
LogStall(uint32_t node, uint32_t thread, Time since, Time now)
{
    NS_LOG_LOGIC("node " << node << " at " << now.As(Time::NS) << ": thread " << thread
                         << " has waited for credits for " << (now - since).As(Time::NS));
}

} // namespace

void
FabricPio::DoInitialize()
{
    // They are told only to who asks, since a NIC runs behind the time.
    if (m_node && fabric::IsLogged(g_log, LOG_LOGIC))
    {
        TraceConnectWithoutContext("CreditReturn",
                                   MakeBoundCallback(&LogCreditReturn, m_node->GetId()));
        TraceConnectWithoutContext("Stall", MakeBoundCallback(&LogStall, m_node->GetId()));
    }
    Object::DoInitialize();
}

void
FabricPio::DoDispose()
{
    m_node = nullptr;
    m_device = nullptr;
    Object::DoDispose();
}

std::invalid_argument
FabricPio::Complaint(const std::string& sentence) const
{
    const std::string node = m_node ? "node " + std::to_string(m_node->GetId()) : "no node";
    return std::invalid_argument("ns3::FabricPio on " + node + ": " + sentence);
}

uint32_t
FabricPio::ReadThreshold(uint32_t blocks) const
{
    const bool isPercent = !m_threshold.empty() && m_threshold.back() == '%';
    const char* end = m_threshold.data() + m_threshold.size() - (isPercent ? 1 : 0);
    uint32_t number = 0;
    const auto read = std::from_chars(m_threshold.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || (isPercent && number > 100))
    {
        throw Complaint("Threshold is '" + m_threshold +
                        "', allowed is a number of blocks, or a percentage from 0% to 100%");
    }
    return isPercent ? blocks * number / 100 : number;
}

fabric::PioSettings
FabricPio::ReadSettings() const
{
    fabric::PioSettings settings = m_settings;
    std::istringstream list(m_contextBlocks);
    for (std::string item; std::getline(list, item, ',');)
    {
        SendContextSettings context = m_settings.context;
        const char* end = item.data() + item.size();
        const auto read = std::from_chars(item.data(), end, context.blocks);
        if (read.ec != std::errc() || read.ptr != end)
        {
            throw Complaint("ContextBlocks is '" + m_contextBlocks +
                            "', allowed are numbers of blocks, such as 32,64,64");
        }
        context.threshold = ReadThreshold(context.blocks);
        settings.eachContext.push_back(context);
    }
    if (settings.eachContext.empty())
    {
        settings.context.threshold = ReadThreshold(settings.context.blocks);
        return settings;
    }
    if (settings.eachContext.size() != settings.contexts)
    {
        throw Complaint("ContextBlocks is '" + m_contextBlocks +
                        "', allowed is a number for each "
                        "of the " +
                        std::to_string(settings.contexts) + " contexts");
    }
    settings.context = settings.eachContext.front();
    return settings;
}

void
FabricPio::RequireEffects() const
{
    const PioSettings usual;
    if (!m_contextBlocks.empty())
    {
        fabric::RequireDefaults({{"Blocks", m_settings.context.blocks != usual.context.blocks}},
                                "ContextBlocks tells those of each context",
                                "ContextBlocks empty");
    }
    if (m_settings.sdmaBytes == 0)
    {
        fabric::RequireDefaults(
            {{"SdmaEngines", m_settings.sdmaEngines != usual.sdmaEngines},
             {"SdmaPackets", m_settings.sdmaPackets != usual.sdmaPackets},
             {"SdmaReads", m_settings.sdmaReads != usual.sdmaReads},
             {"SdmaDescriptors", m_settings.sdmaDescriptors != usual.sdmaDescriptors},
             {"DescriptorTime", m_settings.descriptorTime != usual.descriptorTime}},
            "SdmaBytes is 0",
            "SdmaBytes above 0");
    }
    if (m_settings.context.scheme != fabric::CREDITS_ABSOLUTE)
    {
        fabric::RequireDefaults({{"RequestEvery", m_settings.requestEvery != usual.requestEvery},
                                 {"ReturnInterval", m_settings.context.interval != 0},
                                 {"Threshold", m_threshold != USUAL_THRESHOLD}},
                                "Scheme is not absolute",
                                "Scheme=absolute");
    }
    if (m_settings.wait == fabric::WAIT_POLLS)
    {
        fabric::RequireDefaults(
            {{"InterruptTime", m_settings.interruptTime != usual.interruptTime},
             {"SharedLookTime", m_settings.sharedLookTime != usual.sharedLookTime}},
            "Wait is poll",
            "Wait=sleep");
        return;
    }
    fabric::RequireDefaults({{"WordsPerLine", m_settings.wordsPerLine != usual.wordsPerLine}},
                            "Wait is sleep",
                            "Wait=poll");
    if (m_settings.sdmaBytes == 0) // who finds a ring full polls its head
    {
        fabric::RequireDefaults(
            {{"MemoryLookTime", m_settings.memoryLookTime != usual.memoryLookTime}},
            "Wait is sleep and SdmaBytes is 0",
            "Wait=poll or SdmaBytes above 0");
    }
}

void
FabricPio::Install(Ptr<Node> node)
{
    InstallIn(node, fabric::FindDevice(node));
}

void
FabricPio::Install(Ptr<FabricNetDevice> device)
{
    InstallIn(device->GetNode(), device);
}

Ptr<FabricNetDevice>
FabricPio::GetDevice() const
{
    return m_device;
}

void
FabricPio::InstallIn(Ptr<Node> node, Ptr<FabricNetDevice> device)
{
    if (m_engine)
    {
        throw Complaint("it is installed already; allowed is once");
    }
    m_node = node;
    if (const std::string why = fabric::WhyNoEngine<FabricPio>(device); !why.empty())
    {
        throw Complaint(why);
    }
    try
    {
        const fabric::PioSettings settings = ReadSettings();
        settings.Validate(device->GetMtu());
        RequireEffects();
        m_engine = std::make_unique<fabric::PioEngine>(settings, device->UsePcie(m_pcie));
        m_settings = settings;
    }
    catch (const std::invalid_argument& error)
    {
        const std::string sentence = error.what();
        throw sentence.rfind("ns3::", 0) == 0 ? error : Complaint(sentence);
    }
    m_device = device;
    m_network = PeekPointer(device->GetNetwork());
    m_engine->SetWatcher(this);
    m_device->GetNic().SetEngine(m_engine.get(), nullptr);
    m_device->SetMessageCallback(MakeCallback(&FabricPio::Receive, this));
    fabric::AttachEngine<FabricPio>(m_device, this);
}

uint64_t
FabricPio::Send(uint32_t thread,
                const fabric::MessageFlow& flow,
                uint64_t bytes,
                uint64_t tag,
                When when)
{
    RequireThread(thread);
    if (FabricNetwork::IsElsewhere(m_node))
    {
        throw Complaint(FabricNetwork::DescribeElsewhere(m_node));
    }
    if (!m_network->HasEndpoint(flow.dst) || flow.dst == m_device->GetLocation() ||
        flow.trafficClass >= fabric::TRAFFIC_CLASSES)
    {
        throw Complaint("a message to location " + std::to_string(flow.dst) + " in class " +
                        std::to_string(flow.trafficClass) +
                        " can't be sent; allowed are other hosts of the fabric and classes 0 to " +
                        std::to_string(fabric::TRAFFIC_CLASSES - 1));
    }
    const TimePs now = Simulator::Now().GetPicoSeconds();
    fabric::Nic& nic = m_device->GetNic();
    nic.RunUntil(now);
    const uint32_t handle = nic.NewMessage(flow, bytes, tag, now);
    m_network->GetMessages().At(handle).isPio = true;
    m_engine->Host().Post(thread,
                          {handle, m_queues.Open(nic, flow), bytes, now, when == IN_TURN},
                          now);
    nic.EngineHasWork(now);
    NS_LOG_LOGIC("node " << m_node->GetId() << ": thread " << thread << " sends " << bytes
                         << " bytes to " << flow.dst);
    return m_engine->Host().Posted(thread);
}

void
FabricPio::SetThreshold(uint32_t thread, uint32_t blocks)
{
    RequireThread(thread);
    const uint32_t most = m_settings.Context(thread % m_settings.contexts).blocks;
    if (blocks > most)
    {
        throw Complaint("a threshold of " + std::to_string(blocks) + " blocks; allowed is 0 to " +
                        std::to_string(most) + ", the blocks of the context");
    }
    const TimePs now = Simulator::Now().GetPicoSeconds();
    m_device->GetNic().RunUntil(now);
    m_engine->Host().SetThreshold(thread, blocks, now);
    m_device->GetNic().EngineHasWork(now);
}

void
FabricPio::RequireThread(uint32_t thread) const
{
    RequireInstalled();
    if (thread >= m_settings.threads)
    {
        throw Complaint("there is no thread " + std::to_string(thread) + "; allowed is 0 to " +
                        std::to_string(m_settings.threads - 1));
    }
}

uint32_t
FabricPio::GetQueued(uint32_t thread)
{
    RequireThread(thread);
    return GetEngine().Host().Queued(thread);
}

uint64_t
FabricPio::GetWritten(uint32_t thread)
{
    RequireThread(thread);
    const fabric::PioHost& host = GetEngine().Host();
    return host.Posted(thread) - host.Queued(thread);
}

void
FabricPio::RequireInstalled() const
{
    if (!m_device)
    {
        throw std::invalid_argument("ns3::FabricPio is in no node; allowed is a call after "
                                    "Install(), until Simulator::Destroy()");
    }
}

fabric::PioEngine&
FabricPio::GetEngine()
{
    RequireInstalled();
    m_device->GetNic().RunUntil(Simulator::Now().GetPicoSeconds());
    return *m_engine;
}

void
FabricPio::Receive(const fabric::Message& message)
{
    NS_LOG_LOGIC("node " << m_node->GetId() << " gets a message of " << message.bytes
                         << " bytes from " << message.src);
    ++m_received;
    m_receivedTrace(message);
}

void
FabricPio::RequireOneThread() const
{
    if (m_network->GetThreads() > 1)
    {
        throw Complaint("CreditReturn or Stall is traced or logged, but there are " +
                        std::to_string(m_network->GetThreads()) + " threads; allowed is 1");
    }
}

void
FabricPio::MessageBegins(uint32_t message, TimePs now)
{
    m_network->GetMessages().At(message).sentAt = now;
}

void
FabricPio::StallEnds(uint32_t thread, TimePs since, TimePs now)
{
    if (!m_stallTrace.IsEmpty())
    {
        RequireOneThread();
        m_stallTrace(thread, PicoSeconds(since), PicoSeconds(now));
    }
}

void
FabricPio::CreditsReturn(uint32_t context, const fabric::CreditUpdate& update)
{
    if (!m_creditTrace.IsEmpty())
    {
        RequireOneThread();
        m_creditTrace(context, update.value, update.reasons, PicoSeconds(update.at));
    }
}

} // namespace ns3
