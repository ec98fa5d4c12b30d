/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport.h"

#include "fabric-attribute-flags.h"
#include "fabric-transport-layout.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricTransport");

NS_OBJECT_ENSURE_REGISTERED(FabricTransport);

using fabric::BEFORE_INSTALL;
using fabric::ConnectionId;
using fabric::RdmaEvent;
using fabric::RdmaEventType;

namespace
{

constexpr uint32_t SMALLEST_TRANSPORT_MTU = 64; ///< Bytes, as ConnectionSettings says.
constexpr uint32_t LARGEST_MTU = 9000;          ///< Bytes, as ConnectionSettings says.
constexpr uint32_t MOST_ENTRIES = 1 << 24;      ///< Of a table, as TransportSettings says.

/**
 * @param words by value
 * @param word one of them
 * @param name of the attribute
 * @return its value
 */
template <typename Choice>
Choice
ChoiceOf(const std::vector<std::string>& words, const std::string& word, const std::string& name)
{
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end())
    {
        std::string allowed;
        for (const std::string& each : words)
        {
            allowed += (allowed.empty() ? "" : ", ") + each;
        }
        throw std::invalid_argument(name + " is '" + word + "', allowed is one of " + allowed);
    }
    return static_cast<Choice>(found - words.begin());
}

/**
 * @param text weights with commas
 * @return a weight for each class of packets
 */
std::array<uint32_t, fabric::TX_CLASSES>
ParseWeights(const std::string& text)
{
    std::array<uint32_t, fabric::TX_CLASSES> weights{};
    std::istringstream in(text);
    bool isGood = true;
    for (uint32_t i = 0; i < weights.size(); ++i)
    {
        char comma = ',';
        isGood = isGood && (i == 0 || in >> comma) && comma == ',' && in >> weights[i];
    }
    std::string rest;
    if (!isGood || in >> rest)
    {
        throw std::invalid_argument("TxWeights is '" + text + "', allowed are " +
                                    std::to_string(fabric::TX_CLASSES) +
                                    " whole numbers from 1 to 255 with commas");
    }
    return weights;
}

} // namespace

TypeId
FabricTransport::GetTypeId()
{
    static TypeId tid =
        AddFaultAttributes(
            AddRdmaAttributes(AddCongestionAttributes(
                AddRecoveryAttributes(AddTableAttributes(AddConnectionAttributes(
                    TypeId("ns3::FabricTransport").SetParent<Object>().SetGroupName("Fabric")))))))
            .AddTraceSource("Tx",
                            "A packet was put on the wire.",
                            MakeTraceSourceAccessor(&FabricTransport::m_txTrace),
                            "ns3::FabricTransport::PacketTracedCallback")
            .AddTraceSource("Rx",
                            "A packet was taken from the wire; faults come before.",
                            MakeTraceSourceAccessor(&FabricTransport::m_rxTrace),
                            "ns3::FabricTransport::PacketTracedCallback");
    return tid;
}

TypeId
FabricTransport::AddConnectionAttributes(TypeId tid)
{
    return tid
        .AddAttribute("Mtu",
                      "Largest payload of a packet, bytes; 0 is the largest that the way to the "
                      "peer has room for.",
                      BEFORE_INSTALL,
                      UintegerValue(0),
                      MakeUintegerAccessor(&FabricTransport::m_mtu),
                      MakeUintegerChecker<uint32_t>(0, LARGEST_MTU))
        .AddAttribute("RequestWindow",
                      "Request packets in flight. Falcon: 64.",
                      BEFORE_INSTALL,
                      UintegerValue(64),
                      MakeUintegerAccessor(Own(&ConnectionSettings::requestWindow)),
                      MakeUintegerChecker<uint32_t>(1, 64))
        .AddAttribute("DataWindow",
                      "Data packets in flight. Falcon: 128.",
                      BEFORE_INSTALL,
                      UintegerValue(128),
                      MakeUintegerAccessor(Own(&ConnectionSettings::dataWindow)),
                      MakeUintegerChecker<uint32_t>(1, 128))
        .AddAttribute("RequestSpan",
                      "Requests from the oldest that is not complete to the newest. Chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(256),
                      MakeUintegerAccessor(Own(&ConnectionSettings::requestSpan)),
                      MakeUintegerChecker<uint32_t>(1, 4096))
        .AddAttribute("Solicitation",
                      "When a push is solicited: `never`, `always`, `length` (of more than "
                      "SolicitAbove bytes) or `congestion` (that, or while the congestion window "
                      "is below SolicitBelowWindow).",
                      BEFORE_INSTALL,
                      StringValue("length"),
                      MakeStringAccessor(&FabricTransport::m_solicitation),
                      MakeStringChecker())
        .AddAttribute("SolicitAbove",
                      "Pushes of more bytes are solicited. Chosen: the rendezvous threshold of "
                      "libfabric's Cassini provider.",
                      BEFORE_INSTALL,
                      UintegerValue(16 * 1024),
                      MakeUintegerAccessor(Own(&ConnectionSettings::solicitAbove)),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("SolicitBelowWindow",
                      "With `congestion`: part of the data window. Chosen.",
                      BEFORE_INSTALL,
                      DoubleValue(0.5),
                      MakeDoubleAccessor(Own(&ConnectionSettings::solicitBelowWindow)),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("FirstRequestPsn",
                      "First sequence number of the own request window.",
                      BEFORE_INSTALL,
                      UintegerValue(0),
                      MakeUintegerAccessor(Own(&ConnectionSettings::firstRequestPsn)),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("FirstDataPsn",
                      "First sequence number of the own data window.",
                      BEFORE_INSTALL,
                      UintegerValue(0),
                      MakeUintegerAccessor(Own(&ConnectionSettings::firstDataPsn)),
                      MakeUintegerChecker<uint32_t>());
}

TypeId
FabricTransport::AddTableAttributes(TypeId tid)
{
    return tid
        .AddAttribute("MaxConnections",
                      "Connections of the node.",
                      BEFORE_INSTALL,
                      UintegerValue(65535),
                      MakeUintegerAccessor(Own(&TransportSettings::maxConnections)),
                      MakeUintegerChecker<uint32_t>(1, 65535))
        .AddAttribute("AcceptsConnections",
                      "Whether peers may open connections.",
                      BEFORE_INSTALL,
                      BooleanValue(true),
                      MakeBooleanAccessor(Own(&TransportSettings::acceptsConnections)),
                      MakeBooleanChecker())
        .AddAttribute("InitiatorEntries",
                      "Entries of the reorder CAM for own requests. Chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(16384),
                      MakeUintegerAccessor(Own(&TransportSettings::initiatorEntries)),
                      MakeUintegerChecker<uint32_t>(1, MOST_ENTRIES))
        .AddAttribute("TargetEntries",
                      "Entries of the reorder CAM for peers' requests. Chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(16384),
                      MakeUintegerAccessor(Own(&TransportSettings::targetEntries)),
                      MakeUintegerChecker<uint32_t>(1, MOST_ENTRIES))
        .AddAttribute("PacketEntries",
                      "Entries of the retransmission CAM. Chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(65536),
                      MakeUintegerAccessor(Own(&TransportSettings::packetEntries)),
                      MakeUintegerChecker<uint32_t>(1, MOST_ENTRIES))
        .AddAttribute("SendPayloadBytes",
                      "Memory for payload that may have to be resent. Chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(4 << 20),
                      MakeUintegerAccessor(Own(&TransportSettings::sendPayloadBytes)),
                      MakeUintegerChecker<uint64_t>(16384, uint64_t{1} << 40))
        .AddAttribute("ReceivePayloadBytes",
                      "Memory for payload that came out of order. Chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(4 << 20),
                      MakeUintegerAccessor(Own(&TransportSettings::receivePayloadBytes)),
                      MakeUintegerChecker<uint64_t>(16384, uint64_t{1} << 40))
        .AddAttribute("GrantLimitBytes",
                      "Granted and not yet received, over all connections. Chosen: 20 us "
                      "at 200 Gb/s.",
                      BEFORE_INSTALL,
                      UintegerValue(512 * 1024),
                      MakeUintegerAccessor(Own(&TransportSettings::grantLimitBytes)),
                      MakeUintegerChecker<uint32_t>(16384))
        .AddAttribute("GrantQuantumBytes",
                      "Largest grant. Chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(64 * 1024),
                      MakeUintegerAccessor(Own(&TransportSettings::grantQuantumBytes)),
                      MakeUintegerChecker<uint32_t>(16384))
        .AddAttribute("GrantOrder",
                      "Order of grants: `arrival`, `round-robin` or `shortest-first`.",
                      BEFORE_INSTALL,
                      StringValue("arrival"),
                      MakeStringAccessor(&FabricTransport::m_grantOrder),
                      MakeStringChecker());
}

TypeId
FabricTransport::AddRecoveryAttributes(TypeId tid)
{
    return tid
        .AddAttribute("AckPackets",
                      "An acknowledgement is sent after so many packets. Chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(8),
                      MakeUintegerAccessor(Own(&TransportSettings::ackPackets)),
                      MakeUintegerChecker<uint32_t>(1, 128))
        .AddAttribute("AckDelay",
                      "Or this long after the first of them. Chosen.",
                      BEFORE_INSTALL,
                      TimeValue(MicroSeconds(1)),
                      MakeTimeAccessor(&FabricTransport::m_ackDelay),
                      MakeTimeChecker(Time(0), Seconds(1)))
        .AddAttribute("RtoScale",
                      "Time-out as a multiple of the smoothed round-trip time. Chosen.",
                      BEFORE_INSTALL,
                      DoubleValue(4),
                      MakeDoubleAccessor(Own(&TransportSettings::rtoScale)),
                      MakeDoubleChecker<double>(1))
        .AddAttribute("MinRto",
                      "Shortest time-out. Chosen.",
                      BEFORE_INSTALL,
                      TimeValue(MicroSeconds(50)),
                      MakeTimeAccessor(&FabricTransport::m_minRto),
                      MakeTimeChecker(NanoSeconds(1), Seconds(10)))
        .AddAttribute("MaxRto",
                      "Longest time-out. Chosen.",
                      BEFORE_INSTALL,
                      TimeValue(MilliSeconds(10)),
                      MakeTimeAccessor(&FabricTransport::m_maxRto),
                      MakeTimeChecker(NanoSeconds(1), Seconds(100)))
        .AddAttribute("InitialRtt",
                      "Round-trip time before one was measured. Chosen.",
                      BEFORE_INSTALL,
                      TimeValue(MicroSeconds(10)),
                      MakeTimeAccessor(&FabricTransport::m_initialRtt),
                      MakeTimeChecker(NanoSeconds(1), Seconds(10)))
        .AddAttribute("BacksOff",
                      "Whether each time-out of a packet doubles its next.",
                      BEFORE_INSTALL,
                      BooleanValue(true),
                      MakeBooleanAccessor(Own(&TransportSettings::backsOff)),
                      MakeBooleanChecker())
        .AddAttribute("RetryLimit",
                      "Resends of one packet by time-out, before its connection fails. "
                      "Chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(16),
                      MakeUintegerAccessor(Own(&TransportSettings::retryLimit)),
                      MakeUintegerChecker<uint32_t>(0, 255))
        .AddAttribute("ResendsEarly",
                      "Whether gaps in the bitmap lead to resends, besides time-outs.",
                      BEFORE_INSTALL,
                      BooleanValue(true),
                      MakeBooleanAccessor(Own(&TransportSettings::resendsEarly)),
                      MakeBooleanChecker())
        .AddAttribute("ReorderThreshold",
                      "A packet is missing if one so much later has come. Chosen: as TCP.",
                      BEFORE_INSTALL,
                      UintegerValue(3),
                      MakeUintegerAccessor(Own(&TransportSettings::reorderThreshold)),
                      MakeUintegerChecker<uint32_t>(1, 127))
        .AddAttribute("ResendsByRsn",
                      "Whether resends go in the order of requests instead of packets.",
                      BEFORE_INSTALL,
                      BooleanValue(false),
                      MakeBooleanAccessor(Own(&TransportSettings::resendsByRsn)),
                      MakeBooleanChecker())
        .AddAttribute("NotReadyLimit",
                      "Answers 'not ready' to one request, before it fails. Chosen.",
                      BEFORE_INSTALL,
                      UintegerValue(7),
                      MakeUintegerAccessor(Own(&TransportSettings::notReadyLimit)),
                      MakeUintegerChecker<uint32_t>(0, 255))
        .AddAttribute("ProbeInterval",
                      "While requests are under way and no packet is in flight, the peer is "
                      "probed so often. Chosen.",
                      BEFORE_INSTALL,
                      TimeValue(MilliSeconds(10)),
                      MakeTimeAccessor(&FabricTransport::m_probeInterval),
                      MakeTimeChecker(MicroSeconds(1), Seconds(100)))
        .AddAttribute("NoResourceDelay",
                      "Wait before a packet that found no room is sent again. Chosen.",
                      BEFORE_INSTALL,
                      TimeValue(MicroSeconds(20)),
                      MakeTimeAccessor(&FabricTransport::m_noResourceDelay),
                      MakeTimeChecker(NanoSeconds(1), Seconds(10)));
}

TypeId
FabricTransport::AddCongestionAttributes(TypeId tid)
{
    return tid
        .AddAttribute("CongestionControl",
                      "Who decides about packets in flight: `fixed` (the windows), "
                      "`delay` (round-trip times against a target, as Swift) or `marks` (of the "
                      "network, as DCTCP).",
                      BEFORE_INSTALL,
                      StringValue("fixed"),
                      MakeStringAccessor(&FabricTransport::m_congestionControl),
                      MakeStringChecker())
        .AddAttribute("TargetDelay",
                      "With `delay`: round-trip time aimed at. Chosen.",
                      BEFORE_INSTALL,
                      TimeValue(MicroSeconds(25)),
                      MakeTimeAccessor(&FabricTransport::m_targetDelay),
                      MakeTimeChecker(NanoSeconds(1), Seconds(10)))
        .AddAttribute("AdditiveIncrease",
                      "With `delay`: packets more per round trip. Swift: 1.",
                      BEFORE_INSTALL,
                      DoubleValue(1),
                      MakeDoubleAccessor(Own(&TransportSettings::additiveIncrease)),
                      MakeDoubleChecker<double>(0.001, 64))
        .AddAttribute("DelayBeta",
                      "With `delay`: strength of the decrease. Swift: 0.8.",
                      BEFORE_INSTALL,
                      DoubleValue(0.8),
                      MakeDoubleAccessor(Own(&TransportSettings::delayBeta)),
                      MakeDoubleChecker<double>(0.001, 1))
        .AddAttribute("MaxDecrease",
                      "With `delay`: largest decrease. Swift: 0.5.",
                      BEFORE_INSTALL,
                      DoubleValue(0.5),
                      MakeDoubleAccessor(Own(&TransportSettings::maxDecrease)),
                      MakeDoubleChecker<double>(0.001, 1))
        .AddAttribute("MinWindow",
                      "With `delay`: smallest window, packets; below 1 they are paced.",
                      BEFORE_INSTALL,
                      DoubleValue(0.01),
                      MakeDoubleAccessor(Own(&TransportSettings::minWindow)),
                      MakeDoubleChecker<double>(0.001, 1))
        .AddAttribute("MarkGain",
                      "With `marks`: gain of the average. RFC 8257: 1/16.",
                      BEFORE_INSTALL,
                      DoubleValue(1.0 / 16),
                      MakeDoubleAccessor(Own(&TransportSettings::markGain)),
                      MakeDoubleChecker<double>(0.001, 1))
        .AddAttribute("StrictPriority",
                      "Whether control, acknowledgements, resends, grants, requests and data have "
                      "strict priority in this order, or TxWeights.",
                      BEFORE_INSTALL,
                      BooleanValue(true),
                      MakeBooleanAccessor(Own(&TransportSettings::isStrict)),
                      MakeBooleanChecker())
        .AddAttribute("TxWeights",
                      "Packets of each of these in a round, 1 to 255 each.",
                      BEFORE_INSTALL,
                      StringValue("8,8,4,4,4,4"),
                      MakeStringAccessor(&FabricTransport::m_txWeights),
                      MakeStringChecker());
}

TypeId
FabricTransport::AddRdmaAttributes(TypeId tid)
{
    return tid
        .AddAttribute("MemoryBytes",
                      "What peers may write to and read from, bytes.",
                      BEFORE_INSTALL,
                      UintegerValue(uint64_t{1} << 31),
                      MakeUintegerAccessor(Own(&RdmaSettings::memoryBytes)),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("MemoryLatency",
                      "From the arrival of an operation to its answer. Default: half of a DMA "
                      "read of 64 bytes, 547 ns (Neugebauer et al., SIGCOMM'18), in whole "
                      "nanoseconds, as defaults of attributes are.",
                      BEFORE_INSTALL,
                      TimeValue(NanoSeconds(273)),
                      MakeTimeAccessor(&FabricTransport::m_memoryLatency),
                      MakeTimeChecker(Time(0), Seconds(1)))
        .AddAttribute("Receives",
                      "Receive buffers for sends at the start; the largest number there is for no "
                      "limit. FabricTargetApplication adds its own.",
                      BEFORE_INSTALL,
                      UintegerValue(0),
                      MakeUintegerAccessor(Own(&RdmaSettings::receives)),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("NotReadyDelay",
                      "A send that found no receive buffer is presented again this much later. "
                      "Chosen.",
                      BEFORE_INSTALL,
                      TimeValue(MicroSeconds(10)),
                      MakeTimeAccessor(&FabricTransport::m_notReadyDelay),
                      MakeTimeChecker(Time(0), Seconds(1)))
        .AddAttribute("ReportsOneSided",
                      "Whether the listener is told of peers' writes and reads too, besides "
                      "sends.",
                      BEFORE_INSTALL,
                      BooleanValue(false),
                      MakeBooleanAccessor(Own(&RdmaSettings::reportsOneSided)),
                      MakeBooleanChecker());
}

TypeId
FabricTransport::AddFaultAttributes(TypeId tid)
{
    return tid
        .AddAttribute("Loss",
                      "Part of arriving packets that vanish.",
                      BEFORE_INSTALL,
                      DoubleValue(0),
                      MakeDoubleAccessor(Own(&FaultRates::loss)),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("Corrupt",
                      "Part of arriving packets that are damaged.",
                      BEFORE_INSTALL,
                      DoubleValue(0),
                      MakeDoubleAccessor(Own(&FaultRates::corrupt)),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("Duplicate",
                      "Part of arriving packets that arrive twice.",
                      BEFORE_INSTALL,
                      DoubleValue(0),
                      MakeDoubleAccessor(Own(&FaultRates::duplicate)),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("Reorder",
                      "Part of arriving packets that are held back for a random time.",
                      BEFORE_INSTALL,
                      DoubleValue(0),
                      MakeDoubleAccessor(Own(&FaultRates::reorder)),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("ReorderDelay",
                      "Longest time for which they are held back.",
                      BEFORE_INSTALL,
                      TimeValue(MicroSeconds(10)),
                      MakeTimeAccessor(&FabricTransport::m_reorderDelay),
                      MakeTimeChecker(Time(0), Seconds(1)))
        .AddAttribute("FaultSeed",
                      "Seed of the faults; the node's number is added to it.",
                      BEFORE_INSTALL,
                      UintegerValue(1),
                      MakeUintegerAccessor(&FabricTransport::m_faultSeed),
                      MakeUintegerChecker<uint32_t>());
}

FabricTransport::FabricTransport() = default;

FabricTransport::~FabricTransport() = default;

void
FabricTransport::DoDispose()
{
    m_callbacks.clear();
    m_listener.Nullify();
    m_node = nullptr;
    Object::DoDispose();
}

void
FabricTransport::ReadAttributes()
{
    solicitation = ChoiceOf<fabric::Solicitation>({"never", "always", "length", "congestion"},
                                                  m_solicitation,
                                                  "Solicitation");
    grantOrder = ChoiceOf<fabric::GrantOrder>({"arrival", "round-robin", "shortest-first"},
                                              m_grantOrder,
                                              "GrantOrder");
    congestionControl = ChoiceOf<fabric::CongestionControlKind>({"fixed", "delay", "marks"},
                                                                m_congestionControl,
                                                                "CongestionControl");
    txWeights = ParseWeights(m_txWeights);
    ackDelay = m_ackDelay.GetPicoSeconds();
    minRto = m_minRto.GetPicoSeconds();
    maxRto = m_maxRto.GetPicoSeconds();
    initialRtt = m_initialRtt.GetPicoSeconds();
    probeInterval = m_probeInterval.GetPicoSeconds();
    noResourceDelay = m_noResourceDelay.GetPicoSeconds();
    targetDelay = m_targetDelay.GetPicoSeconds();
    memoryLatency = m_memoryLatency.GetPicoSeconds();
    notReadyDelay = m_notReadyDelay.GetPicoSeconds();
    reorderDelay = m_reorderDelay.GetPicoSeconds();
}

void
FabricTransport::MakeEndpoint(Ptr<Node> node, uint32_t room)
{
    m_node = node;
    try
    {
        if (m_mtu != 0 && m_mtu < SMALLEST_TRANSPORT_MTU)
        {
            throw std::invalid_argument("Mtu is " + std::to_string(m_mtu) + ", allowed is 0 or " +
                                        std::to_string(SMALLEST_TRANSPORT_MTU) + " to " +
                                        std::to_string(LARGEST_MTU));
        }
        ReadAttributes();
        fabric::ConnectionSettings accepted = *this;
        const uint32_t header = fabric::TRANSPORT_DATA_HEADER_BYTES;
        const uint32_t most =
            room > header + SMALLEST_TRANSPORT_MTU ? room - header : SMALLEST_TRANSPORT_MTU;
        accepted.mtu = std::min(m_mtu != 0 ? m_mtu : LARGEST_MTU, most);
        m_endpoint = std::make_unique<fabric::RdmaEndpoint>(
            static_cast<const fabric::TransportSettings&>(*this),
            static_cast<const fabric::RdmaSettings&>(*this),
            accepted);
        m_faults = fabric::FaultInjector(*this, (uint64_t{m_faultSeed} << 32) + node->GetId());
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(GetInstanceTypeId().GetName() + " on node " +
                                    std::to_string(node->GetId()) + ": " + error.what());
    }
}

fabric::ConnectionSettings
FabricTransport::SettingsTo(const Address& remote, bool isOrderedConnection)
{
    const uint32_t room = RoomTo(remote);
    const uint32_t header = fabric::TRANSPORT_DATA_HEADER_BYTES;
    if (room < header + std::max(m_mtu, SMALLEST_TRANSPORT_MTU))
    {
        throw std::invalid_argument(
            GetInstanceTypeId().GetName() + " on node " + std::to_string(m_node->GetId()) +
            ": Mtu is " + std::to_string(m_mtu) + ", but the device has room for packets of " +
            std::to_string(room) + " bytes with a header of " + std::to_string(header) +
            "; allowed is " + std::to_string(SMALLEST_TRANSPORT_MTU) + " to " +
            std::to_string(room > header ? room - header : 0));
    }
    fabric::ConnectionSettings settings = *this;
    settings.isOrdered = isOrderedConnection;
    settings.mtu = m_mtu != 0 ? m_mtu : std::min(room - header, LARGEST_MTU);
    return settings;
}

ConnectionId
FabricTransport::Connect(const Address& remote, bool isOrderedConnection, EventCallback callback)
{
    const fabric::ConnectionSettings settings = SettingsTo(remote, isOrderedConnection);
    const fabric::PeerAddress peer = PeerOf(remote);
    Begin();
    const ConnectionId connection =
        m_endpoint->Connect(peer, settings, Simulator::Now().GetPicoSeconds());
    if (connection != fabric::NO_CONNECTION)
    {
        m_callbacks[connection] = callback;
    }
    End();
    return connection;
}

bool
FabricTransport::Close(ConnectionId connection)
{
    Begin();
    const bool isThere = m_endpoint->Close(connection, Simulator::Now().GetPicoSeconds());
    End();
    return isThere;
}

bool
FabricTransport::Reset(ConnectionId connection)
{
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
    Begin();
    const fabric::TimePs now = Simulator::Now().GetPicoSeconds();
    const bool isTaken = m_endpoint->Post(connection, operation, bytes, cookie, now);
    End();
    return isTaken;
}

std::optional<fabric::ConnectionView>
FabricTransport::View(ConnectionId connection)
{
    Begin();
    const auto view = m_endpoint->GetTransport().View(connection);
    End();
    return view;
}

void
FabricTransport::PostReceives(uint64_t count)
{
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

std::size_t
FabricTransport::GetMemoryBytes() const
{
    return m_endpoint->MemoryBytes() + GetBytesBesideEndpoint();
}

Ptr<Node>
FabricTransport::GetNode() const
{
    return m_node;
}

bool
FabricTransport::UsesMarks() const
{
    return congestionControl == fabric::CongestionControlKind::MARKS;
}

void
FabricTransport::Tell(const RdmaEvent& event)
{
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
