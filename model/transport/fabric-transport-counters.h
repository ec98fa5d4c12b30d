/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_COUNTERS_H
#define FABRIC_TRANSPORT_COUNTERS_H

#include "fabric-transport-packet.h"

#include <array>
#include <cstdint>

namespace ns3::fabric
{

/// What an endpoint counts over all its connections.
struct TransportCounters
{
    std::array<uint64_t, TRANSPORT_PACKET_TYPES> sent{}; ///< Packets sent, by type.
    std::array<uint64_t, TRANSPORT_PACKET_TYPES>
        received{};              ///< Packets taken from the wire, by type.
    uint64_t resends{0};         ///< Packets sent again, whatever for.
    uint64_t timeOuts{0};        ///< Of these, after a time-out.
    uint64_t earlyResends{0};    ///< Of these, since packets that were sent later have come, or
                                 ///< the peer has got the header alone.
    uint64_t probes{0};          ///< Of these, since nothing was heard for long.
    uint64_t polls{0};           ///< ACKs that ask whether the ULP has accepted what it has got.
    uint64_t refusedResends{0};  ///< Of these, after a NACK NO_RESOURCE.
    uint64_t spuriousResends{0}; ///< Packets taken for lost that came as often as they were sent.
    uint64_t trimmed{0};         ///< Headers that came without their payload (FC-15).
    uint64_t trimResends{0};     ///< Packets that are sent again since the peer said so of them.
    uint64_t cnpsSent{0};        ///< DCQCN: marked packets of which the peer was told.
    uint64_t cnpsTaken{0};       ///< DCQCN: how often the peer has told of marked packets.
    uint64_t undos{0};           ///< Decreases of the congestion window that were undone for that.
    uint64_t duplicates{0};      ///< Discarded: below the window, or received before (RT-8).
    uint64_t beyondWindow{0};    ///< Discarded: above the window (RT-8).
    uint64_t staleAcks{0};       ///< ACKs older than what is known (RT-7).
    uint64_t malformed{0};       ///< Discarded: makes no sense on its connection.
    uint64_t badCid{0};          ///< Discarded: no such connection, or not with that peer.
    uint64_t corrupt{0};         ///< Discarded: damaged on the way.
    uint64_t noResource{0};      ///< Not taken: payload memory full, or no credit.
    uint64_t creditWaits{0};     ///< Peers asked for entries of the CAM and had to wait.
    uint64_t notReady{0};        ///< Answers 'not ready' of the target ULP.
    uint64_t dropped{0};         ///< Answers to strangers that were not sent, too many of them.
    uint64_t requests{0};        ///< Accepted from the ULP.
    uint64_t refusals{0};        ///< Push() and Pull() refused for want of room.
    uint64_t completions{0};     ///< Told to the initiator ULP with status OK.
    uint64_t failures{0};        ///< Told to it with another one.
    uint64_t presented{0};       ///< Requests presented to the target ULP, repeats apart.
    uint64_t deliveredBytes{
        0};                ///< Payload taken once: pushes at the target, pulls at the initiator.
    uint64_t sentBytes{0}; ///< Payload put on the wire, resends with it.
};

/// A table of finite size.
struct TableOccupancy
{
    uint64_t used{0};  ///< Now.
    uint64_t peak{0};  ///< At most, so far.
    uint64_t limit{0}; ///< Size.
};

/// The tables that connections share.
struct TransportOccupancy
{
    TableOccupancy initiatorEntries; ///< Reorder CAM: own requests.
    TableOccupancy targetEntries;    ///< Reorder CAM: peers' requests.
    TableOccupancy packetEntries;    ///< Retransmission CAM: PSNs in flight.
    TableOccupancy sendPayload;      ///< Bytes kept for resends.
    TableOccupancy receivePayload;   ///< Bytes that wait for their turn.
    TableOccupancy granted;          ///< Bytes granted and not yet received.
    uint32_t targetKept{0};          ///< Of targetEntries: for requests that are there or may come.
};

/// What can be seen of one connection.
struct ConnectionView
{
    bool isOpen{false};           ///< Whether set-up is over and tear-down has not begun.
    bool isOrdered{false};        ///< RT-10.
    double peerWindow{0};         ///< Data packets that the peer may have unacknowledged.
    PeerAddress peer{0};          ///< The other end.
    ConnectionId peerCid{0};      ///< The CID of the other direction.
    uint32_t requestsInFlight{0}; ///< PSNs of the request window.
    uint32_t dataInFlight{0};     ///< PSNs of the data window.
    uint32_t outstanding{0};      ///< Own requests that are not complete.
    uint32_t peerRequests{0};     ///< Requests of the peer that are not over here.
    uint32_t peerEntries{0};      ///< Entries of the CAM for these, and for those that may come.
    double congestionWindow{0};   ///< Data packets.
    double rate{0};               ///< DCQCN, HPCC, TIMELY: b/s; 0 where no rate limits it.
    TimePs smoothedRtt{0};        ///< ps; 0 before there is a sample.
    TimePs rto{0};                ///< Time-out of a packet sent now, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_COUNTERS_H
