/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_SETTINGS_H
#define FABRIC_TRANSPORT_SETTINGS_H

#include "fabric-dcqcn-settings.h"
#include "fabric-delay-target.h"
#include "fabric-hpcc-settings.h"
#include "fabric-timely-settings.h"
#include "fabric-types.h"

#include <array>
#include <cstdint>

namespace ns3::fabric
{

/// When a push is solicited (RT-3).
enum class Solicitation : uint8_t
{
    NEVER,      ///< Forced: all pushes are unsolicited.
    ALWAYS,     ///< Forced: all pushes are solicited.
    LENGTH,     ///< From a length on.
    CONGESTION, ///< From a length on, or while the congestion window is small.
};

/// In which order a target grants solicited pushes (RT-4).
enum class GrantOrder : uint8_t
{
    ARRIVAL,       ///< As they came; one is granted to its end before the next.
    ROUND_ROBIN,   ///< A quantum for each initiator in turn.
    SHORTEST_FIRST ///< The one with the fewest bytes left to grant.
};

/// Who decides about the number of data packets in flight (RT-14).
enum class CongestionControlKind : uint8_t
{
    FIXED,  ///< The window's size.
    DELAY,  ///< Round-trip times against a target (Swift, SIGCOMM'20).
    MARKS,  ///< The fabric's marks (DCTCP, RFC 8257, in packets).
    DCQCN,  ///< The fabric's marks, of which the receiver sends CNPs (SIGCOMM'15): a rate.
    HPCC,   ///< What switches write on packets of their outputs (SIGCOMM'19): a window and a rate.
    TIMELY, ///< Round trips and how they change (SIGCOMM'15): a rate.
};

/// How a packet in flight is found to be lost before its time-out (RT-14).
enum class LossDetection : uint8_t
{
    NONE, ///< Not at all.
    GAPS, ///< One so much higher has come, and its last send is older than a round trip (Falcon).
    TIME, ///< One that was sent later has come, a round trip and a while ago (RACK, RFC 8985).
};

/// Which pushes of a connection are solicited (RT-3).
struct SolicitationRule
{
    Solicitation solicitation{Solicitation::LENGTH}; ///< RT-3.
    /// LENGTH and CONGESTION: pushes of more bytes are solicited. Chosen: 16 KiB, the rendezvous
    /// threshold of libfabric's Cassini provider (spec 95).
    uint32_t solicitAbove{16 * 1024};
    /// CONGESTION: pushes are solicited while the congestion window is below this part of the
    /// window, 0 to 1. Chosen.
    double solicitBelowWindow{0.5};

    /**
     * @param bytes of a push
     * @param window congestion window, packets
     * @param largest congestion window of the connection, packets
     * @return whether the push is solicited (RT-3)
     */
    bool Solicits(uint32_t bytes, double window, double largest) const
    {
        switch (solicitation)
        {
        case Solicitation::NEVER:
            return false;
        case Solicitation::ALWAYS:
            return true;
        case Solicitation::CONGESTION:
            return window < solicitBelowWindow * largest || bytes > solicitAbove;
        case Solicitation::LENGTH:
            break;
        }
        return bytes > solicitAbove;
    }
};

/// What a ULP chooses of one connection.
struct ConnectionSettings : SolicitationRule
{
    bool isOrdered{true};       ///< RT-10.
    uint32_t mtu{4096};         ///< Largest payload, bytes, 64 to 9000; the smaller of both ends'.
    uint32_t requestWindow{64}; ///< Request packets in flight, 1 to 64 (Falcon: 64, spec 95).
    uint32_t dataWindow{128};   ///< Data packets in flight, 1 to 128 (Falcon: 128, spec 95).
    /// Requests from the oldest that is not complete to the newest, 1 to 4096. Chosen: as many as
    /// packets are in both windows, so that single-packet requests fill them.
    uint32_t requestSpan{256};
    uint32_t firstRequestPsn{0}; ///< First PSN of the own request window.
    uint32_t firstDataPsn{0};    ///< First PSN of the own data window.

    /// @throw std::invalid_argument if a value is out of its range
    void Validate() const;
};

/// Order of the TX scheduler's classes in `TransportSettings::txWeights` (RT-13).
enum class TxClass : uint8_t
{
    CONTROL, ///< Set-up, tear-down, NACKs.
    ACK,     ///< Stand-alone ACKs.
    RESEND,  ///< Packets that were sent before.
    GRANT,   ///< Grants.
    REQUEST, ///< Pull requests and solicited push requests.
    DATA,    ///< Push data, pull data, error responses.
};

inline constexpr uint32_t TX_CLASSES = 6; ///< How many classes there are.

/// What is chosen of a NIC's transport. The sources publish no numbers for the timers and pools
/// (spec 95), so all of them are settings; 'chosen' says that a default is ours.
struct TransportSettings : DelayTargetSettings, DcqcnSettings
{
    // Tables, each over all connections.
    uint32_t maxConnections{65535};   ///< 1 to 65535: 16 bits of the CID are the index.
    bool acceptsConnections{true};    ///< Whether a CONNECT is answered with ACCEPT.
    uint32_t initiatorEntries{16384}; ///< Reorder CAM, own requests, 1 to 2^24. Chosen.
    uint32_t targetEntries{16384};    ///< Reorder CAM, peers' requests, 1 to 2^24. Chosen.
    uint32_t targetQuota{
        0}; ///< Most of them for one connection, 1 to 2^24; 0: as many as there are.
    uint32_t targetRedZone{0};     ///< Only for connections that have none, 0 to targetEntries.
    TimePs lookupTime{0};          ///< Each CAM looks up one packet in this time, ps, 0 to 1 s.
    TimePs lookupLatency{0};       ///< And so much later it is found, ps, 0 to 1 ms.
    uint32_t packetEntries{65536}; ///< Retransmission CAM: PSNs in flight, 1 to 2^24. Chosen.
    /// Payload kept for resends, bytes, 16 KiB to 2^40. Chosen: 4 MiB, eight full windows of 4 KiB.
    uint64_t sendPayloadBytes{4 * 1024 * 1024};
    /// Payload that came out of order and waits for its turn, bytes, 16 KiB to 2^40. Chosen.
    uint64_t receivePayloadBytes{4 * 1024 * 1024};

    // Solicitation.
    /// Granted and not yet received, over all connections, bytes, 16 KiB to 2^32 - 1 (RT-4).
    /// Chosen: 512 KiB, 200 Gb/s for 20 us.
    uint32_t grantLimitBytes{512 * 1024};
    uint32_t grantQuantumBytes{64 * 1024}; ///< Largest grant, bytes, 16 KiB to the limit. Chosen.
    GrantOrder grantOrder{GrantOrder::ARRIVAL}; ///< RT-4.
    bool admitsPulls{true}; ///< Whether the limit is for what own pulls ask for, too.

    // Acknowledgement (RT-9).
    /// An ACK is sent after so many packets, 1 to 128; 0: as many as suit the congestion control.
    uint32_t ackPackets{0};
    TimePs ackDelay{
        1'000'000}; ///< Or this long after the first of them, ps, 0 to 1 s. Chosen: 1 us.

    // Retransmission (RT-12).
    /// Whether packets take any of several ways, so that their order says nothing of losses.
    bool isSprayed{false};
    /// Whether a packet is sent again as a probe if nothing is heard for a round trip and four
    /// times its variation (TLP).
    bool sendsProbes{true};
    /// RTO = max(rtoScale x smoothed RTT, minRto), as Falcon (spec 95, no numbers there).
    /// Chosen: 4.
    double rtoScale{4};
    /// ps, 1 ns to 10 s. IRN's RTO_high: a round trip and the longest time in queues.
    TimePs minRto{320'000'000};
    TimePs maxRto{10'000'000'000}; ///< Limit of the back-off, ps, minRto to 100 s. Chosen: 10 ms.
    TimePs initialRtt{10'000'000}; ///< Before there is a sample, ps, 1 ns to 10 s. Chosen: 10 us.
    bool backsOff{true};           ///< Whether each time-out of a packet doubles its RTO.
    uint32_t retryLimit{16};       ///< Resends of one packet by time-out, 0 to 255. Chosen.
    LossDetection lossDetection{LossDetection::TIME}; ///< Besides time-outs (RT-14).
    /// GAPS: a PSN is missing if one so much higher has come, 1 to 127. Chosen: 3, as TCP's
    /// duplicate ACKs.
    uint32_t reorderThreshold{3};
    /// TIME: shortest time for which a packet may come later than one that was sent after it, ps, 0
    /// to 1 s; what was learned or is known of several ways, if that is longer.
    TimePs minReorderWindow{0};
    /// TIME: longest such time, ps, minReorderWindow to 1 s. Chosen: 1 ms.
    TimePs maxReorderWindow{1'000'000'000};
    bool resendsByRsn{false}; ///< Resends in the order of RSNs instead of PSNs (RT-12).

    // Errors (RT-18).
    uint32_t notReadyLimit{7}; ///< Answers 'not ready' to one request, 0 to 255. Chosen.
    TimePs noResourceDelay{
        20'000'000}; ///< Wait after a NACK NO_RESOURCE, or for credits, ps, 1 ns to 10 s. Chosen.

    /// While requests are under way and no packet is in flight, the peer is probed so often, ps, 1
    /// us to 100 s; retryLimit probes without an answer end the connection. Chosen: 10 ms.
    TimePs probeInterval{10'000'000'000};

    // Congestion control (RT-14).
    CongestionControlKind congestionControl{CongestionControlKind::FIXED}; ///< Strategy.
    /// DELAY, MARKS: window that a connection begins with, packets, 1 to 128; the whole data window
    /// if that is smaller. Chosen: all of it, as the published transports start at line rate.
    uint32_t initialWindow{128};
    double additiveIncrease{1}; ///< DELAY: packets per round trip, above 0 to 64 (Swift: 1).
    double delayBeta{0.8};      ///< DELAY: strength of the decrease, above 0 to 1 (Swift: 0.8).
    double maxDecrease{0.5};    ///< DELAY: largest decrease, above 0 to 1 (Swift: 0.5).
    double minWindow{0.01};     ///< DELAY: packets, 0.001 to 1; below 1 it is paced.
    double markGain{1.0 / 16};  ///< MARKS: gain of the average, above 0 to 1 (RFC 8257: 1/16).
    HpccSettings hpcc;          ///< HPCC.
    TimelySettings timely;      ///< TIMELY.

    // TX scheduler (RT-13).
    bool isStrict{true}; ///< Classes in strict priority, CONTROL first; else by weights.
    /// Packets of each class in a round, CONTROL, ACK, RESEND, GRANT, REQUEST, DATA, 1 to 255.
    std::array<uint32_t, TX_CLASSES> txWeights{8, 8, 4, 4, 4, 4};

    /// @return how long a wire may take nothing, ps: at least as long as one may be without answers
    TimePs LongestStall() const
    {
        return (TimePs{retryLimit} + 1) * maxRto;
    }

    /**
     * An ACK of HPCC brings what it learns of all packets of the way, so one goes for each packet,
     * as its authors have it (SIGCOMM'19). Others need fewer; 8 are chosen.
     *
     * @return packets after which an ACK is sent, 1 to 128
     */
    uint32_t PacketsOfAck() const
    {
        constexpr uint32_t OF_OTHERS = 8;
        const bool isHpcc = congestionControl == CongestionControlKind::HPCC;
        return ackPackets != 0 ? ackPackets : isHpcc ? 1 : OF_OTHERS;
    }

    /// @return whether an ACK goes at once when a packet is marked and the one before was not, or
    /// the other way round: senders hear of a queue in time though an ACK is of many packets (RFC
    /// 8257, 3.2)
    bool AcksMarkChanges() const
    {
        return congestionControl == CongestionControlKind::MARKS;
    }

    /// @throw std::invalid_argument if a value is out of its range
    void Validate() const;
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_SETTINGS_H
