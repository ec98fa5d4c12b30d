/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_SHARED_H
#define FABRIC_TRANSPORT_SHARED_H

#include "fabric-buffer-pool.h"
#include "fabric-congestion-control.h"
#include "fabric-grant-policy.h"
#include "fabric-own-request.h"
#include "fabric-peer-request.h"
#include "fabric-resource-pool.h"
#include "fabric-retransmission-engine.h"
#include "fabric-ring.h"
#include "fabric-rtt-estimator.h"
#include "fabric-transport-counters.h"
#include "fabric-transport-event.h"
#include "fabric-transport-settings.h"
#include "fabric-tx-scheduler.h"

#include <memory>

namespace ns3
{
namespace fabric
{

/// What both ends of a connection have agreed on, and how it is named.
struct ConnectionTerms
{
    PeerAddress peer{0};       ///< The other end.
    ConnectionId cid{0};       ///< Own: peers put it into packets to here.
    ConnectionId peerCid{0};   ///< The peer's: goes into packets to there; 0 before set-up.
    uint32_t initiator{0};     ///< Number of the peer among all peers, for turns.
    uint32_t mtu{0};           ///< Bytes.
    uint16_t requestWindow{0}; ///< Packets.
    uint16_t dataWindow{0};    ///< Packets.
    uint16_t requestSpan{0};   ///< Requests.
    bool isOrdered{true};      ///< RT-10.
};

/**
 * @param bytes of a transaction
 * @param mtu payload of a packet, bytes
 * @return packets that carry it; an empty one takes one
 */
inline constexpr uint32_t
PacketsOf(uint32_t bytes, uint32_t mtu)
{
    return bytes == 0 ? 1 : (bytes + mtu - 1) / mtu;
}

inline constexpr uint32_t MAX_TRANSACTION = 0x7FFFFFFF; ///< Largest transaction, bytes.

/// What the connections of an endpoint share: settings, tables of finite size, queues and counters.
struct TransportShared
{
    /**
     * @param chosen settings of the endpoint, valid
     * @param accept settings of connections that peers open, valid
     */
    TransportShared(const TransportSettings& chosen, const ConnectionSettings& accept)
        : settings(chosen),
          accepted(accept),
          rto{chosen.rtoScale, chosen.minRto, chosen.maxRto, chosen.backsOff, chosen.initialRtt},
          congestion(CongestionControl::Make(chosen)),
          initiatorEntries(chosen.initiatorEntries),
          targetEntries(chosen.targetEntries),
          packetEntries(chosen.packetEntries),
          sendPayload(chosen.sendPayloadBytes),
          receivePayload(chosen.receivePayloadBytes),
          granted(chosen.grantLimitBytes),
          scheduler(chosen.isStrict, chosen.txWeights),
          grants(chosen.grantOrder)
    {
    }

    /**
     * Queues a packet that belongs to no window and is sent once. If too many wait, it is dropped,
     * as the network might have: none of these is relied on.
     *
     * @param peer whom to
     * @param packet NACK, REFUSE, CLOSED or RESET
     */
    void Reply(PeerAddress peer, const TransportPacket& packet)
    {
        if (replies.Size() >= MAX_REPLIES)
        {
            ++counters.dropped;
            return;
        }
        replies.Push({peer, 0, packet});
    }

    /// Payload that waited for its turn has gone on. @param bytes of it
    void GiveReceivePayload(uint64_t bytes)
    {
        receivePayload.Give(bytes);
        areParkedDue = true;
    }

    /// Granted bytes have come, or never will. @param bytes of them
    void GiveGranted(uint64_t bytes)
    {
        granted.Give(bytes);
        areGrantsDue = true;
    }

    static constexpr uint32_t MAX_REPLIES = 256; ///< Replies that wait for the wire. Chosen.

    TransportSettings settings;                    ///< Of the endpoint.
    ConnectionSettings accepted;                   ///< Of connections that peers open.
    RtoRule rto;                                   ///< From the settings.
    std::unique_ptr<CongestionControl> congestion; ///< Strategy.

    ResourcePool initiatorEntries; ///< Own requests.
    ResourcePool targetEntries;    ///< Peers' requests.
    ResourcePool packetEntries;    ///< PSNs in flight.
    ResourcePool sendPayload;      ///< Bytes kept for resends.
    ResourcePool receivePayload;   ///< Bytes that wait for their turn.
    ResourcePool granted;          ///< Bytes granted and not yet received.

    TxScheduler scheduler;        ///< Who sends next.
    GrantPolicy grants;           ///< Who is granted next.
    Ring<GrantCandidate> parked;  ///< Whose grant waits for payload memory.
    Ring<UlpEvent> events;        ///< Not taken yet; REQUEST is resolved when it is taken.
    Ring<OutgoingPacket> replies; ///< Sent once, of no window.
    TransportCounters counters;   ///< Of the endpoint.

    BufferPool<OutstandingPacket> packetTables; ///< Of the retransmission engines.
    BufferPool<OwnRequest> ownTables;           ///< Of the initiators.
    BufferPool<PeerRequest> peerTables;         ///< Of the targets.

    bool isRoomWanted{false}; ///< A request was refused.
    bool isRoomThere{false};  ///< Something was freed since.
    bool areGrantsDue{false}; ///< Another grant may be possible.
    bool areParkedDue{false}; ///< A parked one, too.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_TRANSPORT_SHARED_H
