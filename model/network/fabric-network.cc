/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-network.h"

#include "fabric-attributed-type.h"
#include "fabric-channel.h"
#include "fabric-destination-groups.h"
#include "fabric-huge-pages.h"
#include "fabric-net-device.h"
#include "fabric-path-loads.h"
#include "fabric-rank-post.h"
#include "fabric-stall-search.h"
#include "fabric-switch-port.h"
#include "fabric-switch.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricNetwork");

NS_OBJECT_ENSURE_REGISTERED(FabricNetwork);

TypeId
FabricNetwork::GetTypeId()
{
    static TypeId tid =
        fabric::AttributedType(
            TypeId("ns3::FabricNetwork")
                .SetParent<Object>()
                .SetGroupName("Fabric")
                .AddConstructor<FabricNetwork>()
                .AddAttribute("Lookahead",
                              "Whether switches simulate themselves in look-ahead windows. Results "
                              "are bit-identical without, and the run takes longer.",
                              BooleanValue(true),
                              fabric::MakeFieldAccessor(&FabricNetwork::m_limits,
                                                        &fabric::RunLimits::lookahead),
                              MakeBooleanChecker()),
            fabric::BEFORE_INSTALL,
            &FabricNetwork::m_subnet)
            .Add("HugePages",
                 "Whether memory of a fabric that is larger than some MiB is asked for in huge "
                 "pages, which the system gives if it has them: large runs take up to a quarter "
                 "less time. The process keeps what it has freed, up to 2 GiB.")
            .Sets(&FabricNetwork::m_hugePages, true)
            .Add("Threads",
                 "Number of threads that run switches, each a part of the fabric. Results are "
                 "bit-identical with any number; what only one can run is refused, such as a "
                 "CompletionLatency of ns3::FabricNicTransport that is no longer than a look-ahead "
                 "window, or packets that are traced.")
            .Sets(&FabricNetwork::m_threads, 1, {1, fabric::MAX_THREADS})
            .Add("LeastThreadedWork",
                 "Windows that start together are run by several threads if they are expected to "
                 "take at least this wall-clock time, else by one, since waking the others would "
                 "take longer. It changes who runs a switch, not what it does. Measured: "
                 "doc/design/010-threads.md.")
            .Sets(&FabricNetwork::m_leastThreadedWork, MicroSeconds(400), {Time(0)})
            .Add("RoutingUpdateDelay",
                 "Time from the failure or repair of a link until the routing of all switches "
                 "knows of it. The two ends of the link avoid it at once. Subnet managers take "
                 "milliseconds to seconds, routing in hardware some microseconds. Chosen.")
            .Sets(&fabric::SubnetSettings::routingUpdateDelay, MicroSeconds(100), {Time(0)})
            .AddTraceSource("MessageDelivered",
                            "The last byte of a native message has reached its destination.",
                            MakeTraceSourceAccessor(&FabricNetwork::m_deliveredTrace),
                            "ns3::FabricNetwork::MessageTracedCallback")
            .AddTraceSource("MessageLost",
                            "Nothing of a native message is under way any more, and a part of it "
                            "is lost for good. Told up to a window of a switch before or after it "
                            "happens.",
                            MakeTraceSourceAccessor(&FabricNetwork::m_lostTrace),
                            "ns3::FabricNetwork::LostMessageTracedCallback")
            .AddTraceSource("ReductionDone",
                            "The last byte of a reduction's result has reached a member, or, of "
                            "one that goes to another member, the word that it is there.",
                            MakeTraceSourceAccessor(&FabricNetwork::m_reducedTrace),
                            "ns3::FabricNetwork::ReductionTracedCallback");
    return tid;
}

FabricNetwork::FabricNetwork()
    : m_threads(1),
      m_manager(m_subnet),
      m_payloads([this](const fabric::Message& message) { TellLost(message); },
                 [this](const fabric::Message& message) { TellSender(message); }),
      m_crew([this](const fabric::WindowJournal& journal) { Settle(journal); }),
      m_windows(m_crew)
{
    if (Time::GetResolution() != Time::PS)
    {
        NS_FATAL_ERROR("a fabric needs picoseconds, since rounding to the present resolution would "
                       "change its results: call Time::SetResolution(Time::PS) before any other "
                       "ns-3 object is made");
    }
}

FabricNetwork::~FabricNetwork() = default;

void
FabricNetwork::DoDispose()
{
    m_notifier.Clear();
    m_windows.Clear();
    m_manager.Clear();
    m_switches.clear();
    m_devices.clear();
    m_errorModels.clear();
    Object::DoDispose();
}

void
FabricNetwork::ExpectSize(std::size_t hosts, std::size_t links) const
{
    // With connections a host has some 30 KiB, and a port 2 KiB. What isn't used takes nothing.
    constexpr std::size_t HOST_BYTES = 32 << 10;
    constexpr std::size_t LINK_BYTES = 8 << 10;
    constexpr std::size_t FEW_BYTES = 8 << 20; // addresses of so much are found without delay
    const std::size_t bytes = hosts * HOST_BYTES + links * LINK_BYTES;
    if (m_hugePages && bytes >= FEW_BYTES)
    {
        fabric::PreferHugePages(bytes);
    }
}

uint32_t
FabricNetwork::Add(Ptr<FabricSwitch> fabricSwitch)
{
    m_switches.push_back(fabricSwitch);
    return static_cast<uint32_t>(m_switches.size() - 1);
}

fabric::LocationId
FabricNetwork::Add(Ptr<FabricNetDevice> device)
{
    const std::size_t location = fabric::FIRST_UNICAST + m_devices.size();
    if (location > fabric::LAST_UNICAST)
    {
        throw std::invalid_argument("a fabric has at most " + std::to_string(fabric::LAST_UNICAST) +
                                    " endpoints");
    }
    m_devices.push_back(device);
    m_manager.AddHost(static_cast<fabric::LocationId>(location));
    return static_cast<fabric::LocationId>(location);
}

void
FabricNetwork::Add(Ptr<FabricChannel> channel, const fabric::SwitchLink& link)
{
    AddErrorModels(channel);
    channel->SetPlace(&m_manager, {link[0], link[1]});
    m_manager.Add(link);
}

void
FabricNetwork::Add(Ptr<FabricChannel> channel,
                   const fabric::SwitchPort& end,
                   FabricNetDevice* device)
{
    AddErrorModels(channel);
    channel->SetPlace(&m_manager, {end});
    m_manager.LinkHost(device->GetLocation(), end);
    device->SetSwitch(PeekPointer(m_switches[end.number]));
}

void
FabricNetwork::AddErrorModels(Ptr<FabricChannel> channel)
{
    if (m_crew.Parts() > 1)
    {
        throw std::invalid_argument("a link can't be added after FinishLinks() where Threads is "
                                    "above 1, since the switches are divided already");
    }
    for (const Ptr<ErrorModel>& model : channel->GetErrorModels())
    {
        if (model && !m_errorModels.insert(model).second)
        {
            throw std::invalid_argument(
                "two directions of links have the same error model; each ErrorModel and "
                "ReverseErrorModel of a FabricChannel must be one of its own, since its random "
                "numbers would depend on the order of the two");
        }
    }
}

const std::vector<Ptr<FabricSwitch>>&
FabricNetwork::GetSwitches() const
{
    return m_switches;
}

const std::vector<Ptr<FabricNetDevice>>&
FabricNetwork::GetDevices() const
{
    return m_devices;
}

bool
FabricNetwork::HasEndpoint(fabric::LocationId location) const
{
    return location >= fabric::FIRST_UNICAST &&
           static_cast<std::size_t>(location - fabric::FIRST_UNICAST) < m_devices.size();
}

void
FabricNetwork::FinishLinks()
{
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        fabricSwitch->GetChip().FinishLinks();
        if (fabricSwitch->GetChip().Config().hasTelemetry)
        {
            m_payloads.AddTelemetry();
            fabricSwitch->GetChip().BeginTelemetry(m_payloads, fabricSwitch->GetNumber());
        }
    }
    if (fabric::RankCount() > 1)
    {
        JoinRanks();
    }
    const auto threads = std::min<std::size_t>(m_threads, m_switches.size());
    if (threads > m_crew.Parts())
    {
        Divide(static_cast<uint32_t>(threads));
    }
    ShareCalendars();
    TellLoads();
    m_tellsEnd = true;
}

void
FabricNetwork::TellLoads()
{
    uint64_t fastest = 0;
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        fastest = std::max(fastest, fabricSwitch->GetChip().FastestToSwitch());
    }
    std::shared_ptr<const fabric::DestinationGroups> groups;
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        fabric::SwitchChip& chip = fabricSwitch->GetChip();
        if (chip.TellsOfGroups() && !groups)
        {
            groups = MakeDestinationGroups();
        }
        chip.TellLoads(groups, fabric::LoadScale(fastest));
    }
}

std::shared_ptr<const fabric::DestinationGroups>
FabricNetwork::MakeDestinationGroups() const
{
    std::vector<uint32_t> switchOfHost;
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        const FabricSwitch* edge = device->GetSwitch();
        switchOfHost.push_back(edge ? edge->GetNumber() : fabric::DestinationGroups::NOWHERE);
    }
    return std::make_shared<const fabric::DestinationGroups>(switchOfHost);
}

void
FabricNetwork::ShareCalendars()
{
    std::vector<std::shared_ptr<fabric::Calendar>> calendars(m_crew.Parts());
    for (std::shared_ptr<fabric::Calendar>& calendar : calendars)
    {
        calendar = std::make_shared<fabric::Calendar>();
    }
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        fabricSwitch->GetChip().ShareCalendar(calendars[fabricSwitch->GetPart()]);
    }
}

uint32_t
FabricNetwork::GetThreads() const
{
    return m_crew.Parts();
}

fabric::SwitchGraph
FabricNetwork::MakeGraph() const
{
    fabric::SwitchGraph graph;
    graph.switches.resize(m_switches.size());
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        if (fabricSwitch->UsesErrorModels())
        {
            graph.switches[fabricSwitch->GetNumber()].pinnedTo = 0;
        }
    }
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        if (const FabricSwitch* edge = device->GetSwitch())
        {
            ++graph.switches[edge->GetNumber()].hosts;
        }
    }
    for (const fabric::SwitchLink& link : m_manager.Links())
    {
        const uint32_t a = link[0].number;
        const uint32_t b = link[1].number;
        ++graph.switches[a].fabricPorts;
        ++graph.switches[b].fabricPorts;
        graph.links.emplace_back(a, b);
    }
    return graph;
}

void
FabricNetwork::Divide(uint32_t threads)
{
    m_crew.Divide(threads, std::chrono::nanoseconds(m_leastThreadedWork.GetNanoSeconds()));
    const fabric::Partition partition(MakeGraph(), threads);
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        fabricSwitch->GetDriver().SetPart(partition.PartOf(fabricSwitch->GetNumber()));
    }
    m_payloads.Divide(threads);
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        m_payloads.SetPart(device->GetLocation(), device->GetPart());
    }
    for (const fabric::SwitchLink& link : m_manager.Links())
    {
        for (uint32_t end = 0; end < 2; ++end)
        {
            const uint32_t from = partition.PartOf(link[end].number);
            const uint32_t to = partition.PartOf(link[1 - end].number);
            if (from != to)
            {
                m_switches[link[end].number]->GetChip().Divert(link[end].port,
                                                               m_crew.GetMailbox(from, to));
            }
        }
    }
}

const fabric::RunLimits&
FabricNetwork::GetRunLimits(Ptr<const Node> node) const
{
    return IsElsewhere(node) ? m_elsewhere : m_limits;
}

void
FabricNetwork::SetLaneTable(const fabric::LaneTable& table)
{
    m_manager.SetLaneTable(table);
}

void
FabricNetwork::StopAt(Time time)
{
    if (time.IsStrictlyNegative())
    {
        std::ostringstream sentence;
        sentence << "ns3::FabricNetwork: the run can't end at " << time.As(Time::NS)
                 << "; allowed are times from 0 on";
        throw std::invalid_argument(sentence.str());
    }
    const fabric::TimePs now = Simulator::Now().GetPicoSeconds();
    m_limits.horizon = std::max(time.GetPicoSeconds(), now);
    if (HasBegun())
    {
        for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
        {
            m_limits.horizon = std::max(m_limits.horizon, fabricSwitch->GetDriver().NextWindow());
        }
    }
    Simulator::Cancel(m_end);
    m_end = Simulator::Schedule(PicoSeconds(m_limits.horizon - now), &FabricNetwork::End, this);
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        fabricSwitch->GetDriver().Resume();
    }
}

void
FabricNetwork::End()
{
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        // Nobody asked them since the last windows began, which is another time without windows.
        device->GetNic().RunUntil(m_limits.horizon);
    }
    Simulator::Stop();
}

bool
FabricNetwork::HasBegun()
{
    return Simulator::GetEventCount() > 0;
}

void
FabricNetwork::Notify(fabric::TimePs at, FabricNetDevice* device, const fabric::Frame& frame)
{
    if (m_crew.IsParallel())
    {
        m_crew.JournalOf(device->GetPart()).calls.push_back({at, device, frame});
        return;
    }
    m_notifier.Add(at, device, frame);
}

void
FabricNetwork::ForgetFrame(const fabric::Frame& frame, uint32_t part)
{
    if (m_crew.IsParallel())
    {
        m_crew.JournalOf(part).lostFrames.push_back(frame);
        return;
    }
    m_payloads.Free(frame);
}

void
FabricNetwork::EndMessage(uint32_t handle)
{
    m_payloads.FreeMessage(handle);
    if (m_post)
    {
        m_post->Send();
    }
}

void
FabricNetwork::ForgetMessage(uint32_t handle, uint32_t part)
{
    if (m_crew.IsParallel())
    {
        m_crew.JournalOf(part).lostMessages.push_back(handle);
        return;
    }
    m_payloads.FreeLost(handle);
}

void
FabricNetwork::Settle(const fabric::WindowJournal& journal)
{
    for (fabric::Ticker* ticker : journal.starts)
    {
        ticker->PlanStart();
    }
    for (const fabric::WindowJournal::Call& call : journal.calls)
    {
        m_notifier.Add(call.at, call.device, call.frame);
    }
    for (const fabric::Frame& frame : journal.lostFrames)
    {
        m_payloads.Free(frame);
    }
    for (const uint32_t handle : journal.lostMessages)
    {
        m_payloads.FreeLost(handle);
    }
}

void
FabricNetwork::TellLost(const fabric::Message& message)
{
    // The parts that come through are delivered without a word.
    m_notifier.LastUntil(m_devices[message.dst - fabric::FIRST_UNICAST]->GetNic().LastArrival());
    NS_LOG_WARN("a message of " << message.bytes << " bytes from " << message.src << " to "
                                << message.dst << " is lost in part");
    m_lostTrace(message);
}

void
FabricNetwork::TellSender(const fabric::Message& message)
{
    if (message.queue != fabric::NO_SEND_QUEUE)
    {
        m_devices[message.src - fabric::FIRST_UNICAST]->GetNic().EndMessage(message.queue);
    }
}

FabricTotals
FabricNetwork::GetTotals() const
{
    FabricTotals totals;
    const bool linksFail = m_manager.HasFailures();
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        totals.Add(fabricSwitch->GetChip(), linksFail);
    }
    const fabric::TimePs present = m_endedAt.value_or(Simulator::Now().GetPicoSeconds());
    const fabric::TimePs now = std::min(m_limits.horizon - 1, present);
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        totals.Add(device->GetNic(), device->GetRefusedBytes(), now, linksFail);
    }
    if (m_post)
    {
        // What is on its way to another rank is with neither. A rank that gets more than it sends
        // has less than nothing there, which all ranks together make good.
        totals.inFlight += static_cast<uint64_t>(m_post->SentPayload());
    }
    return totals;
}

FabricTotals
FabricNetwork::GetTotalsOfRanks() const
{
    FabricTotals totals = GetTotals();
    totals.AddRanks();
    return totals;
}

void
FabricNetwork::CheckInvariants() const
{
    for (std::size_t i = 0; i < m_switches.size(); ++i)
    {
        try
        {
            m_switches[i]->GetChip().CheckInvariants();
        }
        catch (const std::logic_error& error)
        {
            throw std::logic_error("switch " + std::to_string(i) + ", " + error.what());
        }
    }
    GetTotalsOfRanks().CheckConservation();
    if (const auto stall = FindStall(); stall && stall->IsDeadlock())
    {
        throw std::logic_error(stall->Describe());
    }
}

std::optional<fabric::Stall>
FabricNetwork::FindStall() const
{
    uint64_t backlog = 0;
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        backlog += device->GetNic().Backlog();
    }
    fabric::StallSearch search(m_switches, backlog);
    if (m_post)
    {
        search.AddRanks(m_post->SentPayload());
    }
    return search.Find(m_manager.Links());
}

void
FabricNetwork::TellEnd()
{
    if (!m_endedAt)
    {
        m_endedAt = Simulator::Now().GetPicoSeconds(); // which begins at 0 again
    }
    if (!std::exchange(m_tellsEnd, false) || m_post)
    {
        return; // of several ranks, the others may be gone
    }
    if (const auto stall = FindStall(); stall && stall->IsDeadlock())
    {
        std::cerr << stall->Describe() << std::endl;
    }
}

bool
FabricNetwork::IsEmpty() const
{
    return m_payloads.IsEmpty() &&
           std::all_of(m_switches.begin(), m_switches.end(), [](const Ptr<FabricSwitch>& s) {
               return s->GetChip().IsEmpty();
           });
}

void
FabricNetwork::NotifyReduced(const fabric::ReductionResult& result, Time now)
{
    NS_LOG_LOGIC("reduction " << result.reduction << " is done at " << result.member);
    m_reducedTrace(result, now);
}

void
FabricNetwork::NotifyDelivered(const fabric::Message& message, Time now)
{
    NS_LOG_LOGIC("a message of " << message.bytes << " bytes from " << message.src << " to "
                                 << message.dst << " is delivered, "
                                 << now.GetPicoSeconds() - message.sentAt << " ps after its begin");
    m_deliveredTrace(message, now);
}

} // namespace ns3
