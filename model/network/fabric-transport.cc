/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport.h"

#include "fabric-is-logged.h"
#include "fabric-network.h"
#include "fabric-transport-header.h"
#include "fabric-transport-names.h"

#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricTransport");

NS_OBJECT_ENSURE_REGISTERED(FabricTransport);

using fabric::ConnectionId;
using fabric::RdmaEvent;
using fabric::RdmaEventType;

TypeId
FabricTransport::GetTypeId()
{
    static TypeId tid =
        FaultAttributes::AddAttributes(
            TransportAttributes::AddAttributes(
                TypeId("ns3::FabricTransport").SetParent<Object>().SetGroupName("Fabric")))
            .AddTraceSource("Tx",
                            "A packet was put on the wire.",
                            MakeTraceSourceAccessor(&FabricTransport::m_txTrace),
                            "ns3::FabricTransport::PacketTracedCallback")
            .AddTraceSource("Rx",
                            "A packet was taken from the wire; faults come before.",
                            MakeTraceSourceAccessor(&FabricTransport::m_rxTrace),
                            "ns3::FabricTransport::PacketTracedCallback")
            .AddTraceSource("TxTo",
                            "As Tx, with the address of the peer.",
                            MakeTraceSourceAccessor(&FabricTransport::m_txToTrace),
                            "ns3::FabricTransport::PeerPacketTracedCallback")
            .AddTraceSource("RxFrom",
                            "As Rx, with the address of the peer.",
                            MakeTraceSourceAccessor(&FabricTransport::m_rxFromTrace),
                            "ns3::FabricTransport::PeerPacketTracedCallback");
    return tid;
}

namespace
{

/// Logs a packet that is sent. @param node that sends it
void
LogSent(uint32_t node, const fabric::TransportPacket& packet, const Address& peer, Time time)
{
    NS_LOG_LOGIC("node " << node << " at " << time.As(Time::NS) << " sends "
                         << fabric::NameOf(packet.type) << " to " << peer << ": "
                         << FabricTransportHeader(packet));
}

/// Logs a packet that has come. @param node that takes it
void
LogTaken(uint32_t node, const fabric::TransportPacket& packet, const Address& peer, Time time)
{
    NS_LOG_LOGIC("node " << node << " at " << time.As(Time::NS) << " takes "
                         << fabric::NameOf(packet.type) << " from " << peer << ": "
                         << FabricTransportHeader(packet));
}

} // namespace

FabricTransport::FabricTransport() = default;

FabricTransport::~FabricTransport() = default;

void
FabricTransport::DoInitialize()
{
    // Packets are shown only to who wants to see them, since a NIC sends them behind the time.
    if (m_node && fabric::IsLogged(g_log, LOG_LOGIC))
    {
        TraceConnectWithoutContext("TxTo", MakeBoundCallback(&LogSent, m_node->GetId()));
        TraceConnectWithoutContext("RxFrom", MakeBoundCallback(&LogTaken, m_node->GetId()));
    }
    Object::DoInitialize();
}

void
FabricTransport::DoDispose()
{
    m_callbacks.clear();
    m_listener.Nullify();
    m_node = nullptr;
    Object::DoDispose();
}

std::invalid_argument
FabricTransport::Complaint(const std::string& what) const
{
    const std::string node = m_node ? "node " + std::to_string(m_node->GetId()) : "no node";
    return std::invalid_argument(GetInstanceTypeId().GetName() + " on " + node + ": " + what);
}

bool
FabricTransport::IsElsewhere() const
{
    return FabricNetwork::IsElsewhere(m_node);
}

void
FabricTransport::RequireInstalled() const
{
    if (!m_endpoint || !m_node)
    {
        throw Complaint("it is not installed; allowed is a call after Install(), or "
                        "FabricTransportHelper::InstallNic() or InstallUdp(), until "
                        "Simulator::Destroy()");
    }
}

void
FabricTransport::RequireOwnRank() const
{
    RequireInstalled();
    if (IsElsewhere())
    {
        throw Complaint(FabricNetwork::DescribeElsewhere(m_node));
    }
}

void
FabricTransport::SetNode(Ptr<Node> node)
{
    if (m_endpoint)
    {
        throw Complaint("it is installed already; allowed is once");
    }
    m_node = node;
}

void
FabricTransport::MakeEndpoint(uint32_t room, uint64_t lineRate)
{
    try
    {
        ReadAttributes(lineRate);
        m_endpoint = std::make_unique<fabric::RdmaEndpoint>(GetTransportSettings(),
                                                            GetRdmaSettings(),
                                                            ConnectionSettingsFor(room));
        m_faults = MakeFaultInjector(m_node->GetId());
    }
    catch (const std::invalid_argument& error)
    {
        throw Complaint(error.what());
    }
}

fabric::ConnectionSettings
FabricTransport::SettingsTo(const Address& remote, bool isOrdered)
{
    RequireInstalled();
    const uint32_t room = RoomTo(remote);
    try
    {
        RequireRoom(room);
    }
    catch (const std::invalid_argument& error)
    {
        throw Complaint(error.what());
    }
    fabric::ConnectionSettings settings = ConnectionSettingsFor(room);
    settings.isOrdered = isOrdered;
    return settings;
}

ConnectionId
FabricTransport::Connect(const Address& remote, bool isOrdered, EventCallback callback)
{
    RequireOwnRank();
    const fabric::ConnectionSettings settings = SettingsTo(remote, isOrdered);
    const fabric::PeerAddress peer = PeerOf(remote);
    Begin();
    const ConnectionId connection =
        m_endpoint->Connect(peer, settings, Simulator::Now().GetPicoSeconds());
    if (connection != fabric::NO_CONNECTION)
    {
        SetCallback(connection, callback);
    }
    End();
    return connection;
}

bool
FabricTransport::Close(ConnectionId connection)
{
    RequireOwnRank();
    Begin();
    const bool isThere = m_endpoint->Close(connection, Simulator::Now().GetPicoSeconds());
    End();
    return isThere;
}

bool
FabricTransport::Reset(ConnectionId connection)
{
    RequireOwnRank();
    Begin();
    const bool isThere = m_endpoint->Reset(connection, Simulator::Now().GetPicoSeconds());
    End();
    return isThere;
}

bool
FabricTransport::Post(ConnectionId connection,
                      fabric::RdmaOperation operation,
                      uint32_t bytes,
                      uint64_t cookie)
{
    RequireOwnRank();
    Begin();
    const fabric::TimePs now = Simulator::Now().GetPicoSeconds();
    const bool isTaken = m_endpoint->Post(connection, operation, bytes, cookie, now);
    End();
    return isTaken;
}

std::optional<fabric::ConnectionView>
FabricTransport::View(ConnectionId connection)
{
    RequireInstalled();
    Begin();
    const fabric::TimePs now = Simulator::Now().GetPicoSeconds();
    const auto view = m_endpoint->GetTransport().View(connection, now);
    End();
    return view;
}

void
FabricTransport::PostReceives(uint64_t count)
{
    RequireOwnRank();
    Begin();
    m_endpoint->PostReceives(count);
    End();
}

void
FabricTransport::SetListener(EventCallback callback)
{
    m_listener = callback;
}

const fabric::RdmaEndpoint&
FabricTransport::GetEndpoint() const
{
    if (!m_endpoint) // counters stay readable after Simulator::Destroy()
    {
        RequireInstalled();
    }
    return *m_endpoint;
}

const fabric::FaultCounts&
FabricTransport::GetFaultCounts() const
{
    return m_faults.Counts();
}

const std::map<std::string, uint64_t>&
FabricTransport::GetDiscarded() const
{
    return m_discarded;
}

Ptr<Node>
FabricTransport::GetNode() const
{
    return m_node;
}

bool
FabricTransport::UsesMarks() const
{
    return UsesCnps() ||
           GetTransportSettings().congestionControl == fabric::CongestionControlKind::MARKS;
}

bool
FabricTransport::IsSprayed() const
{
    return GetTransportSettings().isSprayed;
}

bool
FabricTransport::UsesCnps() const
{
    return GetTransportSettings().congestionControl == fabric::CongestionControlKind::DCQCN;
}

bool
FabricTransport::UsesTelemetry() const
{
    return GetTransportSettings().congestionControl == fabric::CongestionControlKind::HPCC;
}

void
FabricTransport::Discard(const std::string& cause)
{
    NS_LOG_WARN("node " << m_node->GetId() << " discards a packet: " << cause);
    ++m_discarded[cause];
}

void
FabricTransport::TraceSent(const fabric::TransportPacket& packet, const Address& peer, Time time)
{
    m_txTrace(packet, time);
    m_txToTrace(packet, peer, time);
}

void
FabricTransport::TraceTaken(const fabric::TransportPacket& packet, const Address& peer, Time time)
{
    m_rxTrace(packet, time);
    m_rxFromTrace(packet, peer, time);
}

void
FabricTransport::LogEvent(const RdmaEvent& event) const
{
    const auto tell = [this, &event](const char* what) {
        NS_LOG_INFO("node " << m_node->GetId() << ": connection " << event.cid << " " << what);
    };
    switch (event.type)
    {
    case RdmaEventType::CONNECTED:
        tell("is open");
        break;
    case RdmaEventType::ACCEPTED:
        tell("is accepted");
        break;
    case RdmaEventType::CLOSED:
        tell("is closed");
        break;
    case RdmaEventType::FAILED:
        NS_LOG_WARN("node " << m_node->GetId() << ": connection " << event.cid
                            << " has failed: " << fabric::NameOf(event.status));
        break;
    case RdmaEventType::COMPLETION:
        NS_LOG_LOGIC("node " << m_node->GetId() << ": " << fabric::NameOf(event.operation) << " "
                             << event.cookie << " of " << event.bytes << " bytes on connection "
                             << event.cid << " is complete: " << fabric::NameOf(event.status));
        break;
    case RdmaEventType::PRESENTED:
        NS_LOG_LOGIC("node " << m_node->GetId() << ": " << fabric::NameOf(event.operation) << " "
                             << event.cookie << " of " << event.bytes << " bytes has come on "
                             << "connection " << event.cid);
        break;
    }
}

void
FabricTransport::Tell(const RdmaEvent& event)
{
    LogEvent(event);
    const auto found = m_callbacks.find(event.cid);
    // A copy: who is told may open and close connections.
    const EventCallback callback = found != m_callbacks.end() ? found->second : m_listener;
    if (found != m_callbacks.end() &&
        (event.type == RdmaEventType::CLOSED || event.type == RdmaEventType::FAILED))
    {
        m_callbacks.erase(found);
    }
    if (!callback.IsNull())
    {
        callback(event);
    }
}

} // namespace ns3
