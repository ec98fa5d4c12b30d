/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-attributes.h"

#include "fabric-attributed-type.h"
#include "fabric-transport-layout.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t SMALLEST_MTU = 64;      ///< Bytes, as ConnectionSettings says.
constexpr uint32_t LARGEST_MTU = 9000;     ///< Bytes, as ConnectionSettings says.
constexpr uint32_t MOST_ENTRIES = 1 << 24; ///< Of a table, as TransportSettings says.

/**
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
    return AddRdmaAttributes(
        AddTimelyAttributes(AddHpccAttributes(AddDcqcnAttributes(AddCongestionAttributes(
            AddRecoveryAttributes(AddTableAttributes(AddConnectionAttributes(tid))))))));
}

TypeId
TransportAttributes::AddConnectionAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL, &TransportAttributes::m_connection)
        .Add("Mtu",
             "Largest payload of a packet, bytes; 0 for the largest that fits the way to the peer.")
        .Sets(&TransportAttributes::m_mtu, 0, {0, LARGEST_MTU})
        .Add("RequestWindow", "Size of the request window, packets. Falcon: 64.")
        .Sets(&ConnectionSettings::requestWindow, 64, {1, 64})
        .Add("DataWindow", "Size of the data window, packets. Falcon: 128.")
        .Sets(&ConnectionSettings::dataWindow, 128, {1, 128})
        .Add("RequestSpan", "Requests from the oldest incomplete one to the newest. Chosen.")
        .Sets(&ConnectionSettings::requestSpan, 256, {1, 4096})
        .Add("Solicitation",
             "When a push is solicited: `never`, `always`, `length` (of more than SolicitAbove "
             "bytes) or `congestion` (that, or while the congestion window is below "
             "SolicitBelowWindow).")
        .Sets(&TransportAttributes::m_solicitation, "length")
        .Add("SolicitAbove",
             "Pushes of more bytes are solicited. Chosen: the rendezvous threshold of libfabric's "
             "Cassini provider.")
        .Sets(&ConnectionSettings::solicitAbove, 16 * 1024)
        .Add("SolicitBelowWindow", "With `congestion`: fraction of the data window. Chosen.")
        .Sets(&ConnectionSettings::solicitBelowWindow, 0.5, {0, 1})
        .Add("FirstRequestPsn", "First sequence number of the own request window.")
        .Sets(&ConnectionSettings::firstRequestPsn, 0)
        .Add("FirstDataPsn", "First sequence number of the own data window.")
        .Sets(&ConnectionSettings::firstDataPsn, 0);
}

TypeId
TransportAttributes::AddTableAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL, &TransportAttributes::m_settings)
        .Add("MaxConnections", "Connections of the node.")
        .Sets(&TransportSettings::maxConnections, 65535, {1, 65535})
        .Add("AcceptsConnections", "Whether peers may open connections.")
        .Sets(&TransportSettings::acceptsConnections, true)
        .Add("InitiatorEntries", "Entries of the reorder CAM for own requests. Chosen.")
        .Sets(&TransportSettings::initiatorEntries, 16384, {1, MOST_ENTRIES})
        .Add("TargetEntries", "Entries of the reorder CAM for peers' requests. Chosen.")
        .Sets(&TransportSettings::targetEntries, 16384, {1, MOST_ENTRIES})
        .Add("TargetQuota",
             "Entries for peers' requests that one connection may hold; 0 for no quota.")
        .Sets(&TransportSettings::targetQuota, 0, {0, MOST_ENTRIES})
        .Add("TargetRedZone",
             "Entries for peers' requests that only connections without an entry may take, at most "
             "TargetEntries.")
        .Sets(&TransportSettings::targetRedZone, 0, {0, MOST_ENTRIES})
        .Add("CamLookupRate",
             "Packets that each reorder CAM, for own and for peers' requests, looks up per second; "
             "0: no limit.")
        .Sets(&TransportAttributes::m_lookupRate, 0, {0, 1e12})
        .Add("CamLookupLatency", "Time from a lookup in a reorder CAM to its result.")
        .Sets(&TransportSettings::lookupLatency, Time(0), {Time(0), MilliSeconds(1)})
        .Add("PacketEntries", "Entries of the retransmission CAM. Chosen.")
        .Sets(&TransportSettings::packetEntries, 65536, {1, MOST_ENTRIES})
        .Add("SendPayloadBytes", "Memory for payload kept for retransmission, bytes. Chosen.")
        .Sets(&TransportSettings::sendPayloadBytes, 4 << 20, {16384, uint64_t{1} << 40})
        .Add("ReceivePayloadBytes", "Memory for payload that arrived out of order, bytes. Chosen.")
        .Sets(&TransportSettings::receivePayloadBytes, 4 << 20, {16384, uint64_t{1} << 40})
        .Add("GrantLimitBytes",
             "Bytes granted or asked for and not yet received, over all connections. Chosen: 20 us "
             "at 200 Gb/s.")
        .Sets(&TransportSettings::grantLimitBytes, 512 * 1024, {16384})
        .Add("GrantQuantumBytes", "Largest grant, bytes. Chosen.")
        .Sets(&TransportSettings::grantQuantumBytes, 64 * 1024, {16384})
        .Add("AdmitsPulls",
             "Whether GrantLimitBytes covers the data of own pulls, too. Otherwise pull requests "
             "are sent at once.")
        .Sets(&TransportSettings::admitsPulls, true)
        .Add("GrantOrder",
             "Order of grants and of pull requests: `arrival`, `round-robin` or `shortest-first`.")
        .Sets(&TransportAttributes::m_grantOrder, "arrival");
}

TypeId
TransportAttributes::AddRecoveryAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL, &TransportAttributes::m_settings)
        .Add("AckPackets",
             "Packets after which an acknowledgement is sent; 0 for 1 with `hpcc`, as its authors "
             "have it, and 8 with others. Chosen. With `marks` one is also sent when a packet is "
             "marked and the one before was not, or the other way round (RFC 8257, 3.2).")
        .Sets(&TransportSettings::ackPackets, 0, {0, 128})
        .Add("AckDelay", "Time after the first of them at which it is sent at the latest. Chosen.")
        .Sets(&TransportSettings::ackDelay, MicroSeconds(1), {Time(0), Seconds(1)})
        .Add("RtoScale", "Time-out as a multiple of the smoothed round-trip time. Chosen.")
        .Sets(&TransportSettings::rtoScale, 4, {1, 1000})
        .Add("MinRto",
             "Shortest time-out. 320 us are RTO_high of IRN (Mittal et al., SIGCOMM'18): a round "
             "trip and the longest time in queues.")
        .Sets(&TransportSettings::minRto, MicroSeconds(320), {NanoSeconds(1), Seconds(10)})
        .Add("MaxRto",
             "Longest time-out that doubling makes; RtoScale round trips that are longer are not "
             "cut short. Chosen.")
        .Sets(&TransportSettings::maxRto, MilliSeconds(10), {NanoSeconds(1), Seconds(100)})
        .Add("InitialRtt",
             "Round-trip time assumed before one was measured. 0 for 10 us, or that of the longest "
             "way in the empty fabric if it is longer, which FabricTransportHelper works out. "
             "Chosen.")
        .Sets(&TransportSettings::initialRtt, Time(0), {Time(0), Seconds(10)})
        .Add("BacksOff", "Whether each time-out of a packet doubles its next one.")
        .Sets(&TransportSettings::backsOff, true)
        .Add("RetryLimit",
             "Retransmissions of one packet by time-out before its connection fails. Chosen.")
        .Sets(&TransportSettings::retryLimit, 16, {0, 255})
        .Add("LossDetection",
             "How losses are detected before the time-out: `none`, `gaps` (a packet "
             "ReorderThreshold higher has arrived, as Falcon) or `time` (a packet that was sent "
             "later has arrived, a round trip and the reorder window ago, as RACK, RFC 8985).")
        .Sets(&TransportAttributes::m_lossDetection, "time")
        .Add("ReorderThreshold",
             "With `gaps`: distance to a later packet at which a missing one is lost. Chosen: as "
             "TCP.")
        .Sets(&TransportSettings::reorderThreshold, 3, {1, 127})
        .Add(
            "Sprayed",
            "Whether packets of a connection take any of several ways, so that many come late: the "
            "reorder window is long from the start. In a fabric it is so in any case where "
            "UnorderedClasses of a switch has TrafficClass.")
        .Sets(&TransportSettings::isSprayed, false)
        .Add("MinReorderWindow",
             "With `time`: smallest reorder window, by which a packet may arrive later than one "
             "that was sent after it. It grows with the reordering that is seen.")
        .Sets(&TransportSettings::minReorderWindow, Time(0), {Time(0), Seconds(1)})
        .Add("MaxReorderWindow", "With `time`: largest reorder window. Chosen.")
        .Sets(&TransportSettings::maxReorderWindow, MilliSeconds(1), {Time(0), Seconds(1)})
        .Add("TailProbes",
             "Whether a packet in flight is sent again as a tail-loss probe when nothing was sent "
             "or heard for a round trip and four times its variation, or AckDelay if that is "
             "longer (TLP, RFC 8985), and the peer is polled while all waits for its ULP longer "
             "than usual.")
        .Sets(&TransportSettings::sendsProbes, true)
        .Add("ResendsByRsn",
             "Whether retransmissions go in the order of requests instead of packets, own requests "
             "and the peer's each.")
        .Sets(&TransportSettings::resendsByRsn, false)
        .Add("NotReadyLimit", "Answers 'not ready' to one request before it fails. Chosen.")
        .Sets(&TransportSettings::notReadyLimit, 7, {0, 255})
        .Add("ProbeInterval",
             "Time between probes of the peer while requests are under way and no packet is in "
             "flight. Chosen.")
        .Sets(&TransportSettings::probeInterval, MilliSeconds(10), {MicroSeconds(1), Seconds(100)})
        .Add("NoResourceDelay",
             "Time before a packet that was refused for want of resources is sent again, and "
             "before the target is asked again for entries; then doubled, up to 16 times. Chosen.")
        .Sets(&TransportSettings::noResourceDelay, MicroSeconds(20), {NanoSeconds(1), Seconds(10)});
}

TypeId
TransportAttributes::AddCongestionAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL, &TransportAttributes::m_settings)
        .Add(
            "CongestionControl",
            "Congestion control: `fixed` windows, `delay` (round-trip times against a target, as "
            "Swift), `marks` (ECN marks, as DCTCP), `dcqcn` (ECN marks, of which the receiver "
            "sends congestion notification packets, CNPs, that lower a rate; both ends need it), "
            "`hpcc` (in-band telemetry, INT, of switches with Telemetry, which the receiver sends "
            "back in acknowledgements; both ends need it) or `timely` (a rate, by round-trip times "
            "and their gradient).")
        .Sets(&TransportAttributes::m_congestionControl, "fixed")
        .Add("InitialWindow",
             "With `delay` or `marks`: initial congestion window, packets; 128 is all of "
             "`DataWindow`. TCP: 10 (RFC 6928).")
        .Sets(&TransportSettings::initialWindow, 128, {1, 128})
        .Add("BaseDelay",
             "With `delay`: round-trip time of the empty network. 0 for the shortest that was "
             "measured with full packets, in a fabric at most that of its longest way.")
        .Sets(&TransportSettings::baseDelay, Time(0), {Time(0), Seconds(10)})
        .Add("BaseDelayPeriod",
             "With `delay`: time after which a measured base delay expires, at the latest after "
             "twice this time; 0 for never.")
        .Sets(&TransportSettings::baseDelayPeriod, Time(0), {Time(0), Seconds(100)})
        .Add("TargetDelay",
             "With `delay`: queueing delay that is aimed at, beyond the base delay. Chosen.")
        .Sets(&TransportSettings::targetDelay, MicroSeconds(25), {Time(0), Seconds(10)})
        .Add("HopDelay",
             "With `delay`: addition to the target for each switch on a shortest path to the peer, "
             "in a fabric.")
        .Sets(&TransportSettings::hopDelay, Time(0), {Time(0), Seconds(1)})
        .Add("FlowScaling",
             "With `delay`: addition to the target with the smallest window, in base delays; 0 "
             "with the largest, in between with 1 / sqrt(window), as Swift. Chosen.")
        .Sets(&TransportSettings::flowScaling, 5, {0, 100})
        .Add("LeastScaledWindow",
             "With `delay`: window at which flow scaling is largest, packets. Swift: 0.1.")
        .Sets(&TransportSettings::leastScaledWindow, 0.1, {0.001, 1})
        .Add("MostScaledWindow",
             "With `delay`: window at which flow scaling is 0, packets. Swift: 100.")
        .Sets(&TransportSettings::mostScaledWindow, 100, {1.001, 10000})
        .Add("AdditiveIncrease",
             "With `delay`: additive increase per round trip, packets. Swift: 1.")
        .Sets(&TransportSettings::additiveIncrease, 1, {0.001, 64})
        .Add("DelayBeta", "With `delay`: gain of the multiplicative decrease. Swift: 0.8.")
        .Sets(&TransportSettings::delayBeta, 0.8, {0.001, 1})
        .Add("MaxDecrease",
             "With `delay`: largest decrease of the window as a fraction. Swift: 0.5.")
        .Sets(&TransportSettings::maxDecrease, 0.5, {0.001, 0.999})
        .Add("MinWindow", "With `delay`: smallest window, packets; below 1 packets are paced.")
        .Sets(&TransportSettings::minWindow, 0.01, {0.001, 1})
        .Add("MarkGain", "With `marks`: gain of the average fraction of marks. RFC 8257: 1/16.")
        .Sets(&TransportSettings::markGain, 1.0 / 16, {0.001, 1})
        .Add("StrictPriority",
             "Whether control, acknowledgements, retransmissions, grants, requests and data have "
             "strict priority in this order, instead of TxWeights.")
        .Sets(&TransportSettings::isStrict, true)
        .Add("TxWeights", "Weights of these classes: packets of each in a round, 1 to 255.")
        .Sets(&TransportAttributes::m_txWeights, "8,8,4,4,4,4");
}

TypeId
TransportAttributes::AddDcqcnAttributes(TypeId tid)
{
    const auto rate = [](const char* text) { return DataRateValue(DataRate(text)); };
    return AttributedType(tid, BEFORE_INSTALL, &TransportAttributes::m_settings)
        .Add("LineRate",
             "With `dcqcn`, `hpcc` or `timely`: rate with which a connection begins, and the "
             "highest. 0 for that of the device's link, over IP of the fastest.")
        .Uses(rate("0bps"),
              MakeDataRateAccessor(&TransportAttributes::m_lineRate),
              MakeDataRateChecker())
        .Add("CnpInterval",
             "With `dcqcn`: shortest time between two CNPs of a connection, at the receiver. "
             "SIGCOMM'15: 50 us.")
        .Sets(&TransportSettings::cnpInterval, MicroSeconds(50), {Time(0), Seconds(1)})
        .Add("AlphaGain",
             "With `dcqcn`: gain g of alpha, half of which is the part by which a CNP lowers the "
             "rate. SIGCOMM'15: 1/256.")
        .Sets(&TransportSettings::alphaGain, 1.0 / 256, {1e-6, 1})
        .Add("AlphaTimer",
             "With `dcqcn`: time without a CNP after which alpha gets less, K; longer than "
             "CnpInterval. SIGCOMM'15: 55 us.")
        .Sets(&TransportSettings::alphaTimer, MicroSeconds(55), {NanoSeconds(1), Seconds(10)})
        .Add("RateTimer",
             "With `dcqcn`: time after which the rate is raised. SIGCOMM'15: 55 us; "
             "`rpg_time_reset` of NVIDIA's adapters: 300 us.")
        .Sets(&TransportSettings::rateTimer, MicroSeconds(55), {NanoSeconds(1), Seconds(10)})
        .Add("RateBytes",
             "With `dcqcn`: bytes after which the rate is raised, too. SIGCOMM'15: 10 MB.")
        .Sets(&TransportSettings::rateBytes, 10'000'000, {1, uint64_t{1} << 40})
        .Add("RecoveryRounds",
             "With `dcqcn`: rounds of fast recovery before the target rate is raised, F. "
             "SIGCOMM'15: 5.")
        .Sets(&TransportSettings::recoveryRounds, 5, {0, 100})
        .Add("RateIncrease",
             "With `dcqcn`: additive increase of the target rate in a round, R_AI, up to 1 Tb/s. "
             "SIGCOMM'15: 40 Mb/s.")
        .Uses(rate("40Mbps"),
              MakeDataRateAccessor(&TransportAttributes::m_rateIncrease),
              MakeDataRateChecker())
        .Add("HyperIncrease",
             "With `dcqcn`: hyper increase of the target rate, R_HAI, up to 1 Tb/s, times the "
             "rounds of both timer and bytes beyond RecoveryRounds. Chosen: 10 times RateIncrease, "
             "the proportion of IEEE 802.1Q.")
        .Uses(rate("400Mbps"),
              MakeDataRateAccessor(&TransportAttributes::m_hyperIncrease),
              MakeDataRateChecker())
        .Add("MinRate",
             "With `dcqcn`: lowest rate, 1 kb/s or more. IEEE 802.1Q, rpgMinRate: 10 Mb/s.")
        .Uses(rate("10Mbps"),
              MakeDataRateAccessor(&TransportAttributes::m_minRate),
              MakeDataRateChecker());
}

TypeId
TransportAttributes::AddHpccAttributes(TypeId tid)
{
    const HpccSettings chosen;
    return AttributedType(tid, BEFORE_INSTALL, &TransportAttributes::m_settings)
        .In(&TransportSettings::hpcc)
        .Add("HpccBaseRtt",
             "With `hpcc`: round-trip time of the longest way in the empty network, T; LineRate "
             "times T is the initial window. 0 for that of the fabric, which "
             "FabricTransportHelper works out.")
        .Sets(&HpccSettings::baseRtt, Time(0), {Time(0), Seconds(10)})
        .Add("HpccUtilization",
             "With `hpcc`: utilization of links that is aimed at, eta. SIGCOMM'19: 0.95.")
        .Sets(&HpccSettings::utilization, chosen.utilization, {0.01, 1})
        .Add("HpccMaxStage",
             "With `hpcc`: round trips of additive increase before the window is set by "
             "utilization again. SIGCOMM'19: 5.")
        .Sets(&HpccSettings::maxStage, chosen.maxStage, {0, 1000})
        .Add("HpccFlows",
             "With `hpcc`: number of flows that share a link, N; the additive increase is the "
             "initial window times (1 - eta) / N, as SIGCOMM'19 recommends. Chosen; the script of "
             "its authors has 125.")
        .Sets(&HpccSettings::flows, chosen.flows, {1, 1'000'000})
        .Add("HpccHops",
             "With `hpcc`: switches for which headers of data and acknowledgements have room, 8 "
             "bytes each and 2 more. A packet says nothing of further switches. SIGCOMM'19: 5.")
        .Sets(&HpccSettings::hops, chosen.hops, {1, MOST_HOPS})
        .Add("HpccMinRate",
             "With `hpcc`: lowest rate, 1 kb/s or more. Configuration of its authors' simulator: "
             "100 Mb/s.")
        .Uses(DataRateValue(DataRate("100Mbps")),
              MakeDataRateAccessor(&TransportAttributes::m_hpccMinRate),
              MakeDataRateChecker());
}

TypeId
TransportAttributes::AddTimelyAttributes(TypeId tid)
{
    const TimelySettings chosen;
    return AttributedType(tid, BEFORE_INSTALL, &TransportAttributes::m_settings)
        .In(&TransportSettings::timely)
        .Add("TimelyLow",
             "With `timely`: round-trip time below which the rate is only raised, T_low; "
             "TimelyHigh at most. SIGCOMM'15: 50 us.")
        .Sets(&TimelySettings::low, MicroSeconds(50), {Time(0), Seconds(10)})
        .Add("TimelyHigh",
             "With `timely`: round-trip time above which the rate is only lowered, T_high. "
             "SIGCOMM'15: 500 us.")
        .Sets(&TimelySettings::high, MicroSeconds(500), {Time(0), Seconds(10)})
        .Add("TimelyMinRtt",
             "With `timely`: unit of the gradient, D_min. 0 for the shortest round-trip time that "
             "was measured, in a fabric at most that of its longest way. SIGCOMM'15: that of its "
             "network, 20 us.")
        .Sets(&TimelySettings::minRtt, MicroSeconds(20), {Time(0), Seconds(10)})
        .Add("TimelyGain",
             "With `timely`: gain alpha of the average of differences of round-trip times. "
             "SIGCOMM'15: 0.875.")
        .Sets(&TimelySettings::gain, chosen.gain, {1e-6, 1})
        .Add("TimelyBeta",
             "With `timely`: gain of the multiplicative decrease, beta. SIGCOMM'15: 0.8; of "
             "patched TIMELY, CoNEXT'16: 0.008.")
        .Sets(&TimelySettings::beta, chosen.beta, {1e-6, 1})
        .Add("TimelyMaxDecrease",
             "With `timely`: largest decrease of the rate as a fraction. Code of its authors: 0.5.")
        .Sets(&TimelySettings::maxDecrease, chosen.maxDecrease, {1e-6, 1})
        .Add(
            "TimelyIncrease",
            "With `timely`: additive increase of the rate, delta, up to 1 Tb/s. 0 for a thousandth "
            "of LineRate. SIGCOMM'15: 10 Mb/s, for links of 10 Gb/s.")
        .Uses(DataRateValue(DataRate("0bps")),
              MakeDataRateAccessor(&TransportAttributes::m_timelyIncrease),
              MakeDataRateChecker())
        .Add(
            "TimelyHyperEvents",
            "With `timely`: falling gradients in a row after which increases are TimelyHyperFactor "
            "times as large. SIGCOMM'15: 5.")
        .Sets(&TimelySettings::hyperEvents, chosen.hyperEvents, {1, 1'000'000})
        .Add("TimelyHyperFactor",
             "With `timely`: increases after TimelyHyperEvents are so many times as large, N. "
             "SIGCOMM'15: 5.")
        .Sets(&TimelySettings::hyperFactor, chosen.hyperFactor, {1, 1000})
        .Add("TimelySegment",
             "With `timely`: acknowledged bytes after which the rate changes; 0 for once in a "
             "round-trip time, as in the simulator of HPCC's authors. SIGCOMM'15: segments of 16 "
             "KiB to 64 KiB.")
        .Sets(&TimelySettings::segmentBytes, chosen.segmentBytes, {0, uint64_t{1} << 40})
        .Add("TimelyMinRate",
             "With `timely`: lowest rate, 1 kb/s or more. 0 for a thousandth of LineRate, as in "
             "eRPC (Kalia et al., NSDI'19) and the configuration of HPCC's authors.")
        .Uses(DataRateValue(DataRate("0bps")),
              MakeDataRateAccessor(&TransportAttributes::m_timelyMinRate),
              MakeDataRateChecker())
        .Add("TimelyPatched",
             "With `timely`: whether between TimelyLow and TimelyHigh the rate follows the "
             "round-trip time, too, as in the patched TIMELY of Zhu et al., CoNEXT'16, which has "
             "one fixed point; TimelyHyperEvents and TimelyHyperFactor have no part in it.")
        .Sets(&TimelySettings::isPatched, false);
}

TypeId
TransportAttributes::AddRdmaAttributes(TypeId tid)
{
    return AttributedType(tid, BEFORE_INSTALL, &TransportAttributes::m_rdma)
        .Add("MemoryBytes", "Memory that peers may write to and read from, bytes.")
        .Sets(&RdmaSettings::memoryBytes, uint64_t{1} << 31)
        .Add("MemoryLatency",
             "Time from the arrival of an operation to its answer. Default: half of a DMA read of "
             "64 bytes, 547 ns (Neugebauer et al., SIGCOMM'18), in whole nanoseconds.")
        .Sets(&RdmaSettings::memoryLatency, RdmaSettings().memoryLatency, {Time(0), Seconds(1)})
        .Add("Receives",
             "Receive buffers for sends at the start; the largest value is for no limit. "
             "FabricTargetApplication adds its own.")
        .Sets(&RdmaSettings::receives, 0)
        .Add("NotReadyDelay",
             "Time after which a send that found no receive buffer is presented again. Chosen.")
        .Sets(&RdmaSettings::notReadyDelay, MicroSeconds(10), {Time(0), Seconds(1)})
        .Add("ReportsOneSided",
             "Whether the listener is told of peers' writes and reads too, besides sends.")
        .Sets(&RdmaSettings::reportsOneSided, false);
}

void
TransportAttributes::ReadAttributes(uint64_t lineRate)
{
    if (m_mtu != 0 && m_mtu < SMALLEST_MTU)
    {
        throw std::invalid_argument("Mtu is " + std::to_string(m_mtu) + ", allowed is 0 or " +
                                    std::to_string(SMALLEST_MTU) + " to " +
                                    std::to_string(LARGEST_MTU));
    }
    m_connection.solicitation = ChoiceOf<Solicitation>({"never", "always", "length", "congestion"},
                                                       m_solicitation,
                                                       "Solicitation");
    m_settings.grantOrder = ChoiceOf<GrantOrder>({"arrival", "round-robin", "shortest-first"},
                                                 m_grantOrder,
                                                 "GrantOrder");
    m_settings.lossDetection =
        ChoiceOf<LossDetection>({"none", "gaps", "time"}, m_lossDetection, "LossDetection");
    m_settings.congestionControl =
        ChoiceOf<CongestionControlKind>({"fixed", "delay", "marks", "dcqcn", "hpcc", "timely"},
                                        m_congestionControl,
                                        "CongestionControl");
    const uint64_t chosen = m_lineRate.GetBitRate();
    ReadHpcc();
    const bool isRated = m_settings.congestionControl == CongestionControlKind::DCQCN ||
                         m_settings.congestionControl == CongestionControlKind::TIMELY;
    if (isRated && chosen + lineRate == 0)
    {
        throw std::invalid_argument("LineRate is 0 with CongestionControl " + m_congestionControl +
                                    ", and no device has a DataRate; allowed is a rate of 1 kb/s "
                                    "or more");
    }
    if (chosen + lineRate > 0)
    {
        m_settings.lineRate = static_cast<double>(chosen > 0 ? chosen : lineRate);
        m_settings.isBelowWire = chosen > 0 && chosen < lineRate;
    }
    if (m_settings.initialRtt == 0)
    {
        m_settings.initialRtt = std::max(TransportSettings().initialRtt, m_baseRtt);
    }
    m_settings.rateIncrease = static_cast<double>(m_rateIncrease.GetBitRate());
    m_settings.hyperIncrease = static_cast<double>(m_hyperIncrease.GetBitRate());
    m_settings.minRate = static_cast<double>(m_minRate.GetBitRate());
    ReadTimely();
    m_settings.txWeights = ParseWeights(m_txWeights);
    if (m_lookupRate > 0 && m_lookupRate < 1)
    {
        std::ostringstream text;
        text << "CamLookupRate is " << m_lookupRate << ", allowed is 0, or 1 to 1e12 per second";
        throw std::invalid_argument(text.str());
    }
    m_settings.lookupTime = m_lookupRate > 0 ? std::llround(1e12 / m_lookupRate) : 0;
    RequireEffects();
    m_settings.isSprayed = m_settings.isSprayed || m_takesWays;
    m_settings.longestBaseDelay = MeasuresBaseDelay() && m_baseRtt > 0 ? m_baseRtt : NEVER;
}

void
TransportAttributes::ReadHpcc()
{
    HpccSettings& hpcc = m_settings.hpcc;
    hpcc.minRate = static_cast<double>(m_hpccMinRate.GetBitRate());
    m_hasHpccBaseRtt = hpcc.baseRtt != 0;
    if (hpcc.baseRtt == 0)
    {
        if (LacksBaseRtt())
        {
            throw std::invalid_argument(
                "HpccBaseRtt is 0 with CongestionControl hpcc, and nobody has told the round-trip "
                "time; allowed is one of 1 ns to 10 s, or FabricTransportHelper::InstallNic()");
        }
        hpcc.baseRtt = m_baseRtt > 0 ? m_baseRtt : HpccSettings().baseRtt;
    }
    if (UsesHpcc() && m_lookupRate > 0)
    {
        throw std::invalid_argument("CamLookupRate is above 0 with CongestionControl hpcc, whose "
                                    "telemetry is not looked up; allowed is 0");
    }
}

void
TransportAttributes::ReadTimely()
{
    TimelySettings& timely = m_settings.timely;
    // The paper's increase, 10 Mb/s for 10 Gb/s, and the lowest rates of others.
    const double part = std::max(1e3, m_settings.lineRate / 1000);
    const uint64_t increase = m_timelyIncrease.GetBitRate();
    timely.increase = increase > 0 ? static_cast<double>(increase) : part;
    const uint64_t least = m_timelyMinRate.GetBitRate();
    timely.minRate = least > 0 ? static_cast<double>(least) : part;
    if (m_settings.congestionControl == CongestionControlKind::TIMELY && timely.high < m_baseRtt)
    {
        throw std::invalid_argument(
            "TimelyHigh is " + std::to_string(timely.high) +
            " ps with CongestionControl timely, and a round trip of the longest way takes " +
            std::to_string(m_baseRtt) +
            " ps in the empty fabric, so that its rate would only be lowered; allowed is more");
    }
}

uint32_t
TransportAttributes::HeaderBytes() const
{
    return TRANSPORT_DATA_HEADER_BYTES + TelemetryInHeaders();
}

ConnectionSettings
TransportAttributes::ConnectionSettingsFor(uint32_t room) const
{
    const uint32_t header = HeaderBytes();
    const uint32_t most = room > header + SMALLEST_MTU ? room - header : SMALLEST_MTU;
    ConnectionSettings settings = m_connection;
    settings.mtu = std::min(m_mtu != 0 ? m_mtu : LARGEST_MTU, most);
    return settings;
}

void
TransportAttributes::RequireRoom(uint32_t room) const
{
    const uint32_t header = HeaderBytes();
    const uint32_t least = header + SMALLEST_MTU;
    if (room < least)
    {
        throw std::invalid_argument("the device has room for packets of " + std::to_string(room) +
                                    " bytes with a header of " + std::to_string(header) +
                                    "; allowed is a device whose Mtu has room for " +
                                    std::to_string(least) + " or more");
    }
    if (room < header + m_mtu)
    {
        throw std::invalid_argument(
            "Mtu is " + std::to_string(m_mtu) + ", but the device has room for packets of " +
            std::to_string(room) + " bytes with a header of " + std::to_string(header) +
            "; allowed is " + std::to_string(SMALLEST_MTU) + " to " +
            std::to_string(room - header));
    }
}

} // namespace ns3::fabric
