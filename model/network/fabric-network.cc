/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-network.h"

#include "fabric-channel.h"
#include "fabric-net-device.h"
#include "fabric-switch.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricNetwork");

NS_OBJECT_ENSURE_REGISTERED(FabricNetwork);

TypeId
FabricNetwork::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricNetwork")
            .SetParent<Object>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricNetwork>()
            .AddAttribute(
                "Lookahead",
                "Whether switches simulate themselves ahead, window by window (DP-2). The "
                "results are the same without, and the run takes longer.",
                BooleanValue(true),
                MakeBooleanAccessor(&FabricNetwork::m_lookahead),
                MakeBooleanChecker())
            .AddAttribute("Threads",
                          "Number of threads that run switches, each a part of the fabric of its "
                          "own (DP-15). "
                          "The results are the same with any number.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(1),
                          MakeUintegerAccessor(&FabricNetwork::m_threads),
                          MakeUintegerChecker<uint32_t>(1, fabric::MAX_THREADS))
            .AddAttribute(
                "LeastThreadedWork",
                "Windows that start together are run by several threads if they are expected to "
                "take so long on the wall, or longer; else by one, since waking the others would "
                "take longer. Changes who runs a switch, not what it does. Measured: "
                "doc/design/010-threads.md.",
                TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                TimeValue(MicroSeconds(400)),
                MakeTimeAccessor(&FabricNetwork::m_leastThreadedWork),
                MakeTimeChecker(Time(0)))
            .AddAttribute(
                "RoutingUpdateDelay",
                "From the failure or repair of a link until the routing of all switches knows of "
                "it "
                "(WL-8); the two ends of the link avoid it at once. Subnet managers take from "
                "milliseconds to seconds, routing in hardware some microseconds; chosen.",
                TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                TimeValue(MicroSeconds(100)),
                MakeTimeAccessor(&FabricNetwork::m_routingUpdateDelay),
                MakeTimeChecker(Time(0)))
            .AddTraceSource("MessageDelivered",
                            "The last byte of a native message has reached its destination.",
                            MakeTraceSourceAccessor(&FabricNetwork::m_deliveredTrace),
                            "ns3::FabricNetwork::MessageTracedCallback");
    return tid;
}

FabricNetwork::FabricNetwork()
    : m_lookahead(true),
      m_threads(1),
      m_horizon(fabric::NEVER),
      m_crew([this](const fabric::WindowJournal& journal) { Settle(journal); }),
      m_windows(m_crew)
{
    m_transportPackets.push_back(std::make_unique<TransportTable>());
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
    m_links.clear();
    m_switches.clear();
    m_devices.clear();
    m_errorModels.clear();
    Object::DoDispose();
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
                                    " endpoints (WL-1)");
    }
    m_devices.push_back(device);
    return static_cast<fabric::LocationId>(location);
}

void
FabricNetwork::Add(Ptr<FabricChannel> channel, const SwitchLink& link)
{
    AddErrorModels(channel);
    channel->SetPlace(this, {{link.switches[0], link.ports[0]}, {link.switches[1], link.ports[1]}});
    m_links.push_back(link);
}

void
FabricNetwork::Add(Ptr<FabricChannel> channel, const FabricLinkEnd& end, FabricNetDevice* device)
{
    AddErrorModels(channel);
    channel->SetPlace(this, {end});
    device->SetSwitch(end.fabricSwitch);
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
    }
    const auto threads = std::min<std::size_t>(m_threads, m_switches.size());
    while (m_transportPackets.size() < threads)
    {
        m_transportPackets.push_back(std::make_unique<TransportTable>());
    }
    if (threads > m_crew.Parts())
    {
        Divide(static_cast<uint32_t>(threads));
    }
    ShareCalendars();
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

void
FabricNetwork::MakeWays()
{
    if (m_ways)
    {
        return;
    }
    m_ways = std::make_shared<fabric::Reachability>();
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        const fabric::SwitchChip& chip = fabricSwitch->GetChip();
        m_ways->AddSwitch(chip.GetRouting(), chip.Config().ports);
    }
    for (const SwitchLink& link : m_links)
    {
        m_ways->AddLink(link.switches[0]->GetNumber(),
                        link.ports[0],
                        link.switches[1]->GetNumber(),
                        link.ports[1]);
    }
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        m_ways->AddHost(device->GetLocation());
    }
}

fabric::TimePs
FabricNetwork::NotBehind(const std::vector<FabricLinkEnd>& ends, fabric::TimePs at)
{
    for (const FabricLinkEnd& end : ends)
    {
        at = std::max(at, end.fabricSwitch->NextWindow());
    }
    return at;
}

fabric::TimePs
FabricNetwork::FailLink(const std::vector<FabricLinkEnd>& ends, fabric::TimePs at)
{
    MakeWays();
    const fabric::TimePs known = NotBehind(ends, 0);
    at = std::max(at, known);
    for (const FabricLinkEnd& end : ends)
    {
        end.fabricSwitch->GetChip().FailLinkAt(end.port, at, known);
    }
    m_ways->Fail(ends[0].fabricSwitch->GetNumber(),
                 ends[0].port,
                 at + m_routingUpdateDelay.GetPicoSeconds());
    UpdateWays(at);
    return at;
}

fabric::TimePs
FabricNetwork::RepairLink(const std::vector<FabricLinkEnd>& ends, fabric::TimePs at)
{
    at = NotBehind(ends, at);
    for (const FabricLinkEnd& end : ends)
    {
        end.fabricSwitch->GetChip().RepairLinkAt(end.port, at);
    }
    m_ways->Repair(ends[0].fabricSwitch->GetNumber(),
                   ends[0].port,
                   at + m_routingUpdateDelay.GetPicoSeconds());
    UpdateWays(at);
    return at;
}

void
FabricNetwork::UpdateWays(fabric::TimePs at)
{
    at += m_routingUpdateDelay.GetPicoSeconds();
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        fabricSwitch->GetChip().UpdateWaysAt(std::max(at, fabricSwitch->NextWindow()),
                                             m_ways,
                                             fabricSwitch->GetNumber());
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
        graph.switches[fabricSwitch->GetNumber()].isPinned = fabricSwitch->UsesErrorModels();
    }
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        if (const FabricSwitch* edge = device->GetSwitch())
        {
            ++graph.switches[edge->GetNumber()].hosts;
        }
    }
    for (const SwitchLink& link : m_links)
    {
        const uint32_t a = link.switches[0]->GetNumber();
        const uint32_t b = link.switches[1]->GetNumber();
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
        fabricSwitch->SetPart(partition.PartOf(fabricSwitch->GetNumber()));
    }
    for (const SwitchLink& link : m_links)
    {
        for (uint32_t end = 0; end < 2; ++end)
        {
            FabricSwitch* sender = link.switches[end];
            const uint32_t from = sender->GetPart();
            const uint32_t to = link.switches[1 - end]->GetPart();
            if (from != to)
            {
                sender->GetChip().Divert(link.ports[end], m_crew.GetMailbox(from, to));
            }
        }
    }
}

void
FabricNetwork::SetLaneTable(const fabric::LaneTable& table)
{
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        fabricSwitch->GetChip().CheckLanes(table); // so that all change or none
    }
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        fabricSwitch->SetLaneTable(table);
    }
}

void
FabricNetwork::StopAt(Time time)
{
    const fabric::TimePs now = Simulator::Now().GetPicoSeconds();
    m_horizon = std::max(time.GetPicoSeconds(), now);
    if (HasBegun())
    {
        for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
        {
            m_horizon = std::max(m_horizon, fabricSwitch->NextWindow());
        }
    }
    Simulator::Cancel(m_end);
    m_end = Simulator::Schedule(PicoSeconds(m_horizon - now), &FabricNetwork::End, this);
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        // What it had to do after an earlier end of the run was not planned.
        fabric::SwitchChip& chip = fabricSwitch->GetChip();
        chip.GetAgenda().Wake(chip.NextTime());
    }
}

void
FabricNetwork::End()
{
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        // Nobody asked them since the last windows began, which is another time without windows.
        device->GetNic().RunUntil(m_horizon);
    }
    Simulator::Stop();
}

bool
FabricNetwork::HasBegun()
{
    return Simulator::GetEventCount() > 0;
}

fabric::MessageTable&
FabricNetwork::GetMessages()
{
    return m_messages;
}

fabric::PacketTable&
FabricNetwork::GetPackets()
{
    return m_packets;
}

FabricNetwork::TransportTable&
FabricNetwork::GetTransportPackets(fabric::LocationId location)
{
    if (m_transportPackets.size() == 1)
    {
        return *m_transportPackets.front(); // without a look at the sender's device
    }
    return *m_transportPackets[m_devices[location - fabric::FIRST_UNICAST]->GetPart()];
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
    Free(frame);
}

void
FabricNetwork::ForgetMessage(uint32_t handle, uint32_t part)
{
    if (m_crew.IsParallel())
    {
        m_crew.JournalOf(part).lostMessages.push_back(handle);
        return;
    }
    m_messages.Free(handle);
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
        Free(frame);
    }
    for (const uint32_t handle : journal.lostMessages)
    {
        m_messages.Free(handle);
    }
}

void
FabricNetwork::Free(const fabric::Frame& frame)
{
    if (frame.kind == fabric::FrameKind::PACKET)
    {
        m_packets.Take(frame.handle);
    }
    else if (frame.kind == fabric::FrameKind::TRANSPORT)
    {
        GetTransportPackets(frame.src).Free(frame.handle);
    }
    else if (fabric::Message& message = m_messages.At(frame.handle); message.Lose(frame.payload))
    {
        m_messages.Free(frame.handle);
    }
}

FabricTotals
FabricNetwork::GetTotals() const
{
    FabricTotals totals;
    const auto addLink = [&totals](const fabric::Transmitter& transmitter) {
        totals.dataHops += transmitter.Counts().frames;
        totals.controlHops += transmitter.Counts().controlFrames;
    };
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        const fabric::SwitchChip& chip = fabricSwitch->GetChip();
        totals.inFlight += chip.InFlightPayload();
        const auto& dropped = chip.Counts().droppedPayload;
        totals.dropped["no-route"] +=
            dropped[static_cast<std::size_t>(fabric::DropCause::NO_ROUTE)];
        totals.dropped["corrupt"] += dropped[static_cast<std::size_t>(fabric::DropCause::CORRUPT)];
        if (m_ways)
        {
            totals.dropped["link-down"] +=
                dropped[static_cast<std::size_t>(fabric::DropCause::LINK_DOWN)];
        }
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            addLink(chip.Output(port));
        }
    }
    const fabric::TimePs now = std::min(m_horizon - 1, Simulator::Now().GetPicoSeconds());
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        const fabric::Nic& nic = device->GetNic();
        const uint64_t delivered = nic.DeliveredBy(now);
        totals.offered += nic.Counts().offered;
        totals.delivered += delivered;
        totals.inFlight += nic.Backlog() + (nic.Counts().arrived - delivered);
        totals.dropped["corrupt"] += nic.Counts().corrupt;
        if (m_ways)
        {
            totals.dropped["link-down"] += nic.Counts().linkDown;
        }
        for (const auto& [cause, bytes] : device->GetRefusedBytes())
        {
            totals.offered += bytes;
            totals.dropped[cause] += bytes;
        }
        addLink(nic.Uplink());
    }
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
    const FabricTotals totals = GetTotals();
    uint64_t accounted = totals.delivered + totals.inFlight;
    for (const auto& [cause, bytes] : totals.dropped)
    {
        accounted += bytes;
    }
    if (accounted != totals.offered)
    {
        throw std::logic_error("offered " + std::to_string(totals.offered) +
                               " bytes, but delivered, dropped and in flight are " +
                               std::to_string(accounted));
    }
}

bool
FabricNetwork::IsEmpty() const
{
    return m_messages.UnderWay() == 0 && m_packets.UnderWay() == 0 &&
           std::all_of(m_transportPackets.begin(),
                       m_transportPackets.end(),
                       [](const auto& table) { return table->UnderWay() == 0; }) &&
           std::all_of(m_switches.begin(), m_switches.end(), [](const Ptr<FabricSwitch>& s) {
               return s->GetChip().IsEmpty();
           });
}

std::size_t
FabricNetwork::GetMemoryBytes() const
{
    std::size_t bytes = 0;
    for (const Ptr<FabricSwitch>& fabricSwitch : m_switches)
    {
        bytes += fabricSwitch->GetChip().MemoryBytes();
    }
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        bytes += sizeof(fabric::Nic) + device->GetNic().MemoryBytes();
    }
    for (const auto& table : m_transportPackets)
    {
        bytes += table->IsUnused() ? 0 : table->MemoryBytes();
    }
    return bytes + m_crew.MemoryBytes();
}

void
FabricNetwork::NotifyDelivered(const fabric::Message& message, Time now)
{
    m_deliveredTrace(message, now);
}

} // namespace ns3
