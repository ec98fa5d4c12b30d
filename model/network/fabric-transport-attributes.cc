/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-attributes.h"

#include "fabric-attribute-flags.h"
#include "fabric-transport-layout.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/object-base.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace ns3
{
namespace fabric
{

namespace
{

constexpr uint32_t HEADER = TRANSPORT_DATA_HEADER_BYTES; ///< Of packets with payload.
constexpr uint32_t SMALLEST_MTU = 64;                    ///< Bytes, as ConnectionSettings says.
constexpr uint32_t LARGEST_MTU = 9000;                   ///< Bytes, as ConnectionSettings says.
constexpr uint32_t MOST_ENTRIES = 1 << 24;               ///< Of a table, as TransportSettings says.

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
std::array<uint32_t, TX_CLASSES>
ParseWeights(const std::string& text)
{
    std::array<uint32_t, TX_CLASSES> weights{};
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
                                    std::to_string(TX_CLASSES) +
                                    " whole numbers from 1 to 255 with commas");
    }
    return weights;
}

} // namespace

TypeId
TransportAttributes::AddAttributes(TypeId tid)
{
    return AddRdmaAttributes(AddCongestionAttributes(
        AddRecoveryAttributes(AddTableAttributes(AddConnectionAttributes(tid)))));
}

TypeId
TransportAttributes::AddConnectionAttributes(TypeId tid)
{
    return tid
        .AddAttribute("Mtu",
                      "Largest payload of a packet, bytes; 0 is the largest that the way to the "
                      "peer has room for.",
                      BEFORE_INSTALL,
                      UintegerValue(0),
                      MakeUintegerAccessor(&TransportAttributes::m_mtu),
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
                      MakeStringAccessor(&TransportAttributes::m_solicitation),
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
TransportAttributes::AddTableAttributes(TypeId tid)
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
                      MakeStringAccessor(&TransportAttributes::m_grantOrder),
                      MakeStringChecker());
}

TypeId
TransportAttributes::AddRecoveryAttributes(TypeId tid)
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
                      MakeTimeAccessor(&TransportAttributes::m_ackDelay),
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
                      MakeTimeAccessor(&TransportAttributes::m_minRto),
                      MakeTimeChecker(NanoSeconds(1), Seconds(10)))
        .AddAttribute("MaxRto",
                      "Longest time-out. Chosen.",
                      BEFORE_INSTALL,
                      TimeValue(MilliSeconds(10)),
                      MakeTimeAccessor(&TransportAttributes::m_maxRto),
                      MakeTimeChecker(NanoSeconds(1), Seconds(100)))
        .AddAttribute("InitialRtt",
                      "Round-trip time before one was measured. Chosen.",
                      BEFORE_INSTALL,
                      TimeValue(MicroSeconds(10)),
                      MakeTimeAccessor(&TransportAttributes::m_initialRtt),
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
                      MakeTimeAccessor(&TransportAttributes::m_probeInterval),
                      MakeTimeChecker(MicroSeconds(1), Seconds(100)))
        .AddAttribute("NoResourceDelay",
                      "Wait before a packet that found no room is sent again. Chosen.",
                      BEFORE_INSTALL,
                      TimeValue(MicroSeconds(20)),
                      MakeTimeAccessor(&TransportAttributes::m_noResourceDelay),
                      MakeTimeChecker(NanoSeconds(1), Seconds(10)));
}

TypeId
TransportAttributes::AddCongestionAttributes(TypeId tid)
{
    return tid
        .AddAttribute("CongestionControl",
                      "Who decides about packets in flight: `fixed` (the windows), "
                      "`delay` (round-trip times against a target, as Swift) or `marks` (of the "
                      "network, as DCTCP).",
                      BEFORE_INSTALL,
                      StringValue("fixed"),
                      MakeStringAccessor(&TransportAttributes::m_congestionControl),
                      MakeStringChecker())
        .AddAttribute("TargetDelay",
                      "With `delay`: round-trip time aimed at. Chosen.",
                      BEFORE_INSTALL,
                      TimeValue(MicroSeconds(25)),
                      MakeTimeAccessor(&TransportAttributes::m_targetDelay),
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
                      MakeStringAccessor(&TransportAttributes::m_txWeights),
                      MakeStringChecker());
}

TypeId
TransportAttributes::AddRdmaAttributes(TypeId tid)
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
                      MakeTimeAccessor(&TransportAttributes::m_memoryLatency),
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
                      MakeTimeAccessor(&TransportAttributes::m_notReadyDelay),
                      MakeTimeChecker(Time(0), Seconds(1)))
        .AddAttribute("ReportsOneSided",
                      "Whether the listener is told of peers' writes and reads too, besides "
                      "sends.",
                      BEFORE_INSTALL,
                      BooleanValue(false),
                      MakeBooleanAccessor(Own(&RdmaSettings::reportsOneSided)),
                      MakeBooleanChecker());
}

void
TransportAttributes::ReadAttributes()
{
    if (m_mtu != 0 && m_mtu < SMALLEST_MTU)
    {
        throw std::invalid_argument("Mtu is " + std::to_string(m_mtu) + ", allowed is 0 or " +
                                    std::to_string(SMALLEST_MTU) + " to " +
                                    std::to_string(LARGEST_MTU));
    }
    solicitation = ChoiceOf<Solicitation>({"never", "always", "length", "congestion"},
                                          m_solicitation,
                                          "Solicitation");
    grantOrder = ChoiceOf<GrantOrder>({"arrival", "round-robin", "shortest-first"},
                                      m_grantOrder,
                                      "GrantOrder");
    congestionControl = ChoiceOf<CongestionControlKind>({"fixed", "delay", "marks"},
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
}

ConnectionSettings
TransportAttributes::ConnectionSettingsFor(uint32_t room) const
{
    const uint32_t most = room > HEADER + SMALLEST_MTU ? room - HEADER : SMALLEST_MTU;
    ConnectionSettings settings = *this;
    settings.mtu = std::min(m_mtu != 0 ? m_mtu : LARGEST_MTU, most);
    return settings;
}

void
TransportAttributes::RequireRoom(uint32_t room) const
{
    if (room < HEADER + std::max(m_mtu, SMALLEST_MTU))
    {
        throw std::invalid_argument(
            "Mtu is " + std::to_string(m_mtu) + ", but the device has room for packets of " +
            std::to_string(room) + " bytes with a header of " + std::to_string(HEADER) +
            "; allowed is " + std::to_string(SMALLEST_MTU) + " to " +
            std::to_string(room > HEADER ? room - HEADER : 0));
    }
}

} // namespace fabric
} // namespace ns3
