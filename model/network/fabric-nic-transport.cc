/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-nic-transport.h"

#include "fabric-attributed-type.h"
#include "fabric-channel.h"
#include "fabric-device-engines.h"
#include "fabric-find-device.h"
#include "fabric-net-device.h"
#include "fabric-rank-link.h"
#include "fabric-switch.h"
#include "fabric-transport-layout.h"

#include "ns3/mac48-address.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricNicTransport);

using fabric::LocationId;
using fabric::TimePs;

namespace
{

/// @return whether one of them tells hosts to hold flows back
bool
AnyRestrains(const std::vector<Ptr<FabricSwitch>>& switches)
{
    return std::any_of(switches.begin(), switches.end(), [](const auto& fabricSwitch) {
        return fabricSwitch->GetChip().Config().congestion.fgfc.isOn;
    });
}

} // namespace

TypeId
FabricNicTransport::GetTypeId()
{
    static TypeId tid =
        fabric::AttributedType(TypeId("ns3::FabricNicTransport")
                                   .SetParent<FabricTransport>()
                                   .SetGroupName("Fabric")
                                   .AddConstructor<FabricNicTransport>(),
                               fabric::BEFORE_INSTALL)
            .Add("CompletionLatency",
                 "Time from an event in the NIC to the call of the application: the completion "
                 "entry is written over PCIe and polled. Default: half of a DMA read of 64 bytes, "
                 "547 ns (Neugebauer et al., SIGCOMM'18), in whole nanoseconds, as defaults of "
                 "attributes are.")
            .Sets(&FabricNicTransport::m_latency, NanoSeconds(273), {NanoSeconds(1), Seconds(1)})
            .Add("TrafficClass", "Traffic class tag of its frames, FTAG.")
            .Sets(&FabricNicTransport::m_trafficClass, 0, {0, fabric::TRAFFIC_CLASSES - 1})
            .Add("HoldTimeOuts",
                 "Whether time-outs of packets begin anew when the switch has restrained their "
                 "flow until then (Fgfc of ns3::FabricSwitch): they wait for its word.")
            .Sets(&FabricNicTransport::m_holdsTimeOuts, true);
    return tid;
}

FabricNicTransport::FabricNicTransport() = default;

FabricNicTransport::~FabricNicTransport() = default;

void
FabricNicTransport::DoDispose()
{
    if (m_wakeEvent)
    {
        m_wakeEvent->Stop();
    }
    m_device = nullptr;
    FabricTransport::DoDispose();
}

void
FabricNicTransport::Install(Ptr<Node> node)
{
    SetNode(node);
    InstallIn(fabric::FindDevice(node));
}

void
FabricNicTransport::Install(Ptr<FabricNetDevice> device)
{
    SetNode(device->GetNode());
    InstallIn(device);
}

Ptr<FabricNetDevice>
FabricNicTransport::GetDevice() const
{
    return m_device;
}

void
FabricNicTransport::InstallIn(Ptr<FabricNetDevice> device)
{
    if (!device || !device->GetChannel())
    {
        throw Complaint("the node needs an ns3::FabricNetDevice with a link");
    }
    if (fabric::FindEngine<FabricNicTransport>(device))
    {
        throw Complaint("the device has one already; allowed is one");
    }
    const auto link = DynamicCast<FabricChannel>(device->GetChannel());
    if (Sprays(*device->GetNetwork(), m_trafficClass))
    {
        Spray();
    }
    MakeEndpoint(device->GetMtu(), link->GetRate().BitsPerSecond());
    m_device = device;
    m_network = PeekPointer(m_device->GetNetwork());
    m_telemetry = TelemetryInHeaders();
    RequireMarks(m_trafficClass);
    RequireTelemetry();
    if (!m_holdsTimeOuts && !AnyRestrains(m_network->GetSwitches()))
    {
        throw Complaint("HoldTimeOuts is false, and no switch restrains flows; allowed is true, or "
                        "Fgfc=true of ns3::FabricSwitch and flow channels");
    }
    Endpoint().CountHopsWith(*this);
    if (m_holdsTimeOuts)
    {
        Endpoint().AskForRestraints(*this);
    }
    m_wakeEvent = std::make_unique<fabric::RepeatingEvent>([this] { RunNic(); });
    fabric::Nic& nic = m_device->GetNic();
    if (!nic.TakesEngine())
    {
        throw Complaint(fabric::TOO_LATE_FOR_ENGINE);
    }
    m_device->SetReportCallback(fabric::FrameKind::TRANSPORT,
                                MakeCallback(&FabricNicTransport::TellHost, this));
    const bool isTooLate = m_latency <= nic.LongestWindow();
    if (isTooLate && m_network->GetThreads() > 1)
    {
        throw Complaint("CompletionLatency is " + std::to_string(m_latency) +
                        " ps, and there are " + std::to_string(m_network->GetThreads()) +
                        " threads; allowed is 1, or more than " +
                        std::to_string(nic.LongestWindow()) + " ps");
    }
    nic.SetEngine(this, isTooLate ? this : nullptr);
    fabric::AttachEngine<FabricNicTransport>(device, this);
}

bool
FabricNicTransport::Sprays(const FabricNetwork& network, uint8_t trafficClass)
{
    const std::vector<Ptr<FabricSwitch>>& switches = network.GetSwitches();
    return std::any_of(switches.begin(), switches.end(), [trafficClass](const auto& fabricSwitch) {
        const auto& flows = fabricSwitch->GetChip().Config().flowChannels;
        return !flows.IsOrdered(trafficClass);
    });
}

void
FabricNicTransport::RequireMarks(uint8_t trafficClass) const
{
    const std::vector<Ptr<FabricSwitch>>& switches = m_network->GetSwitches();
    const auto marks = [trafficClass](const Ptr<FabricSwitch>& fabricSwitch) {
        return fabricSwitch->GetChip().Config().marks[trafficClass].isOn;
    };
    if (UsesMarks() && std::none_of(switches.begin(), switches.end(), marks))
    {
        const std::string name = UsesCnps() ? "dcqcn" : "marks";
        throw Complaint("CongestionControl is '" + name +
                        "', but no switch marks frames of traffic class " +
                        std::to_string(trafficClass) + "; allowed is fixed or delay, or " + name +
                        " where MarkClasses or MarkRules of ns3::FabricSwitch has that class");
    }
}

void
FabricNicTransport::RequireTelemetry() const
{
    if (!UsesTelemetry())
    {
        return;
    }
    for (const Ptr<FabricSwitch>& fabricSwitch : m_network->GetSwitches())
    {
        if (!fabricSwitch->GetChip().Config().hasTelemetry)
        {
            throw Complaint("CongestionControl is 'hpcc', but switch " +
                            std::to_string(fabricSwitch->GetNumber()) +
                            " writes nothing on packets; allowed is another, or hpcc where "
                            "Telemetry of all ns3::FabricSwitch is true");
        }
    }
    if (IsSprayed())
    {
        throw Complaint("CongestionControl is 'hpcc', but packets take any of several ways, of "
                        "which each has its own telemetry; allowed is another, or a TrafficClass "
                        "that is not in UnorderedClasses of ns3::FabricSwitch, and Sprayed=false");
    }
}

void
FabricNicTransport::RequireClass(uint8_t trafficClass) const
{
    if (trafficClass >= fabric::TRAFFIC_CLASSES)
    {
        throw Complaint("the traffic class is " + std::to_string(trafficClass) +
                        "; allowed is 0 to " + std::to_string(fabric::TRAFFIC_CLASSES - 1));
    }
    // What is taken for a loss is one rule for all connections.
    if (Sprays(*m_network, trafficClass) != Sprays(*m_network, m_trafficClass))
    {
        throw Complaint("switches send frames by several ways of only one of the traffic classes " +
                        std::to_string(m_trafficClass) + " (TrafficClass) and " +
                        std::to_string(trafficClass) +
                        "; allowed are classes of which all or none are in UnorderedClasses of "
                        "ns3::FabricSwitch");
    }
    RequireMarks(trafficClass);
}

void
FabricNicTransport::SetClass(fabric::ConnectionId connection, uint8_t trafficClass)
{
    const uint32_t place = fabric::PlaceOf(connection);
    trafficClass == m_trafficClass ? (void)m_classes.erase(place)
                                   : (void)m_classes.insert_or_assign(place, trafficClass);
    if (place < m_routes.size())
    {
        m_routes[place].queue = 0; // is looked up anew
    }
}

fabric::ConnectionEnd
FabricNicTransport::OwnEnd()
{
    return {Endpoint(), m_device->GetLocation()};
}

fabric::ConnectionId
FabricNicTransport::ConnectAtOnce(FabricNicTransport& target,
                                  bool isOrdered,
                                  uint8_t trafficClass,
                                  EventCallback callback)
{
    RequireInstalled();
    target.RequireInstalled();
    if (fabric::RankCount() > 1 && !Simulator::Now().IsZero())
    {
        throw Complaint("connections are opened at once at " +
                        std::to_string(Simulator::Now().GetPicoSeconds()) +
                        " ps; allowed is 0 on several ranks, which have to agree on them");
    }
    const Address remote = target.m_device->GetAddress();
    const fabric::ConnectionSettings settings = SettingsTo(remote, isOrdered);
    if (target.m_network != m_network)
    {
        throw Complaint("the peer is in another fabric; allowed is a host of the same");
    }
    RequireClass(trafficClass);
    target.RequireClass(trafficClass);
    Begin();
    target.Begin();
    const fabric::ConnectionId connection =
        fabric::ConnectAtOnce(OwnEnd(),
                              target.OwnEnd(),
                              settings,
                              Simulator::Now().GetPicoSeconds());
    if (connection != fabric::NO_CONNECTION)
    {
        SetCallback(connection, callback);
        SetClass(connection, trafficClass);
        target.SetClass(Endpoint().GetTransport().View(connection)->peerCid, trafficClass);
    }
    End();
    target.End();
    return connection;
}

uint32_t
FabricNicTransport::HopsTo(fabric::PeerAddress peer) const
{
    const auto location = static_cast<LocationId>(peer);
    if (!m_network->HasEndpoint(location))
    {
        return 0; // a packet may say anything
    }
    if (m_hops.empty())
    {
        m_hops = m_network->GetSubnetManager().Hops(m_device->GetSwitch()->GetNumber());
    }
    const auto& devices = m_network->GetDevices();
    return m_hops[devices[location - fabric::FIRST_UNICAST]->GetSwitch()->GetNumber()];
}

fabric::TimePs
FabricNicTransport::RestrainedUntil(uint32_t place, TimePs now) const
{
    const uint32_t queue = place < m_routes.size() ? m_routes[place].queue : 0;
    return queue != 0 ? m_device->GetNic().RestrainedUntil(queue - 1, now) : 0;
}

fabric::PeerAddress
FabricNicTransport::PeerOf(const Address& remote)
{
    return Mac48Address::IsMatchingType(remote)
               ? FabricNetDevice::LocationOf(Mac48Address::ConvertFrom(remote))
               : 0;
}

uint32_t
FabricNicTransport::RoomTo(const Address& remote)
{
    const auto location = static_cast<LocationId>(PeerOf(remote));
    if (!m_network->HasEndpoint(location) || location == m_device->GetLocation())
    {
        throw Complaint("the peer is no other host; allowed is the address of an "
                        "ns3::FabricNetDevice of the same fabric");
    }
    if (const uint32_t room = GetTransportSettings().hpcc.hops;
        UsesTelemetry() && HopsTo(location) > room)
    {
        throw Complaint("the peer is " + std::to_string(HopsTo(location)) +
                        " switches away, and HpccHops is " + std::to_string(room) +
                        "; allowed is as much as all switches on the way need, at most " +
                        std::to_string(fabric::MOST_HOPS));
    }
    return m_device->GetMtu();
}

void
FabricNicTransport::Begin()
{
    m_ranUntil = Simulator::Now().GetPicoSeconds();
    m_device->GetNic().RunUntil(m_ranUntil);
}

void
FabricNicTransport::End()
{
    const TimePs now = Simulator::Now().GetPicoSeconds();
    CollectEvents(now);
    m_device->GetNic().EngineHasWork(now);
}

TimePs
FabricNicTransport::NextTime() const
{
    return std::min(m_arriving.Earliest(), Endpoint().NextTime());
}

void
FabricNicTransport::Handle(TimePs at)
{
    Endpoint().RunUntil(at);
    while (m_arriving.Earliest() <= at)
    {
        const Arrival arrival = m_arriving.Front();
        m_arriving.Pop();
        if (!m_arriving.IsEmpty())
        {
            // Mostly in the same window, and by now out of the cache.
            __builtin_prefetch(&PacketOf(m_arriving.Front()));
        }
        Take(arrival, at);
    }
    while (m_telling.Earliest() <= at)
    {
        m_telling.Pop();
    }
    CollectEvents(at);
}

const fabric::TransportPacket&
FabricNicTransport::PacketOf(const Arrival& arrival) const
{
    return m_network->GetTransportPackets(arrival.owner).At(arrival.handle);
}

void
FabricNicTransport::Take(const Arrival& arrival, TimePs at)
{
    const fabric::TransportPacket& whole = PacketOf(arrival);
    fabric::TransportPacket changed;
    const bool isChanged = arrival.isCorrupt || arrival.isMarked;
    if (isChanged)
    {
        // It is the sender's, and perhaps read for another copy of it.
        changed = whole;
        changed.isCorrupt |= arrival.isCorrupt;
        changed.isMarked |= arrival.isMarked;
    }
    const fabric::TransportPacket& packet = isChanged ? changed : whole;
    if (fabric::HopTable* const hops =
            m_telemetry > 0 ? m_network->GetHopStacks(arrival.owner) : nullptr)
    {
        Endpoint().TakeTelemetry(packet, arrival.source, hops->At(arrival.handle), at);
    }
    if (TracesTaken())
    {
        RequireOneThread();
        TraceTaken(packet, FabricNetDevice::MacOf(arrival.source), PicoSeconds(at));
    }
    arrival.isTrimmed ? Endpoint().ReceiveHeader(packet, arrival.source, at)
                      : Endpoint().Receive(packet, arrival.source, at);
    Forget(arrival.owner, arrival.handle);
}

std::optional<fabric::EnginePacket>
FabricNicTransport::NextPacket(TimePs now)
{
    if (!Endpoint().HasPacket())
    {
        return std::nullopt;
    }
    const std::optional<fabric::OutgoingPacket> next = Endpoint().NextPacket(now);
    CollectEvents(now);
    if (!next)
    {
        return std::nullopt;
    }
    if (TracesSent())
    {
        RequireOneThread();
        const auto peer = static_cast<LocationId>(next->peer);
        TraceSent(next->packet, FabricNetDevice::MacOf(peer), PicoSeconds(now));
    }
    return fabric::EnginePacket{QueueOf(*next),
                                fabric::TransportBytes(next->packet, m_telemetry),
                                Put(*next)};
}

uint32_t
FabricNicTransport::Put(const fabric::OutgoingPacket& packet)
{
    const LocationId own = m_device->GetLocation();
    const uint32_t handle = m_network->GetTransportPackets(own).Put(packet.packet);
    if (fabric::HopTable* const table = m_network->GetHopStacks(own))
    {
        fabric::HopStack& hops = table->Begin(handle);
        if (packet.seen)
        {
            hops = *packet.seen;
        }
        else
        {
            const bool isWritten = m_telemetry > 0 && packet.packet.PayloadBytes() > 0;
            hops.Clear(isWritten ? GetTransportSettings().hpcc.hops : 0);
        }
    }
    return handle;
}

uint32_t
FabricNicTransport::QueueOf(const fabric::OutgoingPacket& packet)
{
    if (packet.place >= m_routes.size())
    {
        m_routes.resize(packet.place + 1, {0, 0});
    }
    Route& route = m_routes[packet.place];
    if (route.queue == 0 || route.peer != packet.peer)
    {
        const auto found = m_classes.find(packet.place);
        const uint8_t trafficClass = found != m_classes.end() ? found->second : m_trafficClass;
        route = {packet.peer, LookUpQueue(packet.peer, trafficClass) + 1};
        const uint32_t queue = route.queue - 1;
        m_places.resize(std::max<std::size_t>(m_places.size(), queue + 1));
        std::vector<uint32_t>& places = m_places[queue];
        if (std::find(places.begin(), places.end(), packet.place) == places.end())
        {
            places.push_back(packet.place);
        }
    }
    return route.queue - 1;
}

template <typename Visit>
void
FabricNicTransport::ForPlacesOf(uint32_t queue, Visit&& visit) const
{
    for (const uint32_t place : m_places[queue])
    {
        if (m_routes[place].queue == queue + 1)
        {
            visit(place);
        }
    }
}

void
FabricNicTransport::StopQueue(uint32_t queue)
{
    ForPlacesOf(queue, [this](uint32_t place) { Endpoint().Stop(place); });
}

void
FabricNicTransport::ResumeQueue(uint32_t queue)
{
    ForPlacesOf(queue, [this](uint32_t place) { Endpoint().Resume(place); });
}

uint32_t
FabricNicTransport::LookUpQueue(fabric::PeerAddress peer, uint8_t trafficClass)
{
    fabric::FlowKey key;
    key.destination = static_cast<LocationId>(peer);
    key.trafficClass = trafficClass;
    return m_device->GetNic().OpenQueue(key);
}

void
FabricNicTransport::Arrive(const fabric::Frame& frame)
{
    const fabric::Fate fate = Faults().Draw();
    if (fate.copies == 0)
    {
        Forget(frame.src, frame.handle);
        return;
    }
    const fabric::TransportPacket& packet =
        m_network->GetTransportPackets(frame.src).At(frame.handle);
    const bool mayTell = Endpoint().Foresee(packet);
    const bool isTrimmed = frame.payload < fabric::TransportBytes(packet, m_telemetry);
    for (uint32_t i = 0; i < fate.copies; ++i)
    {
        Arrival arrival{frame.time + fate.delay[i],
                        frame.handle,
                        frame.src,
                        frame.src,
                        fate.isCorrupt,
                        frame.marked != 0,
                        isTrimmed};
        if (i > 0)
        {
            // A copy is the receiver's.
            arrival.owner = m_device->GetLocation();
            arrival.handle = m_network->GetTransportPackets(arrival.owner).Put(packet);
            if (fabric::HopTable* const hops = m_network->GetHopStacks(arrival.owner))
            {
                hops->Begin(arrival.handle) = m_network->GetHopStacks(frame.src)->At(frame.handle);
            }
        }
        m_arriving.Push(arrival);
        if (mayTell)
        {
            m_telling.Push({arrival.at});
        }
    }
}

void
FabricNicTransport::Forget(LocationId owner, uint32_t handle)
{
    fabric::Frame frame{};
    frame.kind = fabric::FrameKind::TRANSPORT;
    frame.src = owner;
    frame.handle = handle;
    m_network->ForgetFrame(frame, m_device->GetPart());
}

void
FabricNicTransport::RequireOneThread() const
{
    if (m_network->GetThreads() > 1)
    {
        throw Complaint("Tx and Rx are traced or logged, but there are " +
                        std::to_string(m_network->GetThreads()) + " threads; allowed is 1");
    }
}

TimePs
FabricNicTransport::NextReport(TimePs next) const
{
    const fabric::RdmaEndpoint& endpoint = Endpoint();
    const TimePs known =
        endpoint.TellsOfAll() ? next : std::min(m_telling.Earliest(), endpoint.NextReport());
    // What the NIC has sent since may have time-outs that are not known yet.
    return std::min(known, m_ranUntil + GetTransportSettings().minRto);
}

TimePs
FabricNicTransport::ReportDelay() const
{
    return m_latency - fabric::Notifier::KNOWN_AHEAD;
}

void
FabricNicTransport::Fetch(uint32_t step) const
{
    switch (step)
    {
    case 0:
        m_arriving.FetchEntries();
        fabric::FetchMemory(&Endpoint(), sizeof(fabric::RdmaEndpoint));
        break;
    case 1:
        for (uint32_t i = 0; i < m_arriving.Size(); ++i)
        {
            fabric::FetchMemory(&PacketOf(m_arriving.At(i)), sizeof(fabric::TransportPacket));
        }
        break;
    default:
        Endpoint().GetTransport().FetchConnections();
        break;
    }
}

void
FabricNicTransport::CollectEvents(TimePs now)
{
    while (const std::optional<fabric::RdmaEvent> event = Endpoint().NextEvent())
    {
        if (event->type == fabric::RdmaEventType::CLOSED ||
            event->type == fabric::RdmaEventType::FAILED)
        {
            SetClass(event->cid, m_trafficClass); // another connection may have its place
        }
        const TimePs at = now + m_latency;
        m_reports.Push({at, *event});
        if (at != m_lastReport)
        {
            fabric::Frame frame{};
            frame.kind = fabric::FrameKind::TRANSPORT;
            m_network->Notify(at, PeekPointer(m_device), frame);
            m_lastReport = at;
        }
    }
}

void
FabricNicTransport::TellHost()
{
    const TimePs now = Simulator::Now().GetPicoSeconds();
    while (!m_reports.IsEmpty() && m_reports.Front().at <= now)
    {
        const fabric::RdmaEvent event = m_reports.Front().event;
        m_reports.Pop();
        Tell(event);
    }
}

void
FabricNicTransport::WakeBy(TimePs time)
{
    // The switch may have run the NIC up to the end of a window already.
    m_wakeEvent->ComeBy(std::max(time, Simulator::Now().GetPicoSeconds()));
}

void
FabricNicTransport::RunNic()
{
    const TimePs now = Simulator::Now().GetPicoSeconds();
    m_ranUntil = now;
    m_device->GetNic().TakeAlarm(now);
}

} // namespace ns3
