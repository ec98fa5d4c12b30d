/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_SHARED_H
#define FABRIC_TRANSPORT_SHARED_H

#include "fabric-buffer-pool.h"
#include "fabric-grant-control.h"
#include "fabric-outstanding-packet.h"
#include "fabric-own-request.h"
#include "fabric-peer-request.h"
#include "fabric-reply-queue.h"
#include "fabric-resource-pool.h"
#include "fabric-ring.h"
#include "fabric-room-notice.h"
#include "fabric-transport-counters.h"
#include "fabric-transport-event.h"
#include "fabric-transport-path.h"
#include "fabric-transport-settings.h"
#include "fabric-tx-scheduler.h"

#include <cstddef>

namespace ns3
{
namespace fabric
{

/// What the windows of all connections share.
struct DeliveryShared
{
    /// @param chosen settings of the endpoint @param counted its counters
    DeliveryShared(const TransportSettings& chosen, TransportCounters& counted)
        : settings(chosen),
          counters(counted),
          path(chosen),
          packetEntries(chosen.packetEntries),
          payload(chosen.sendPayloadBytes)
    {
    }

    const TransportSettings& settings;    ///< Of the endpoint.
    TransportCounters& counters;          ///< Of the endpoint.
    PathRules path;                       ///< Time-outs and congestion control.
    ResourcePool packetEntries;           ///< PSNs in flight.
    ResourcePool payload;                 ///< Bytes kept for resends.
    BufferPool<OutstandingPacket> tables; ///< Of the packets in flight.
    RoomNotice room;                      ///< For ULPs whose request was refused.
};

/// What the requests of the own ULPs share.
struct InitiatorShared
{
    /**
     * @param chosen settings of the endpoint
     * @param counted its counters
     * @param told what ULPs are told
     * @param delivery of the endpoint
     */
    InitiatorShared(const TransportSettings& chosen,
                    TransportCounters& counted,
                    Ring<UlpEvent>& told,
                    DeliveryShared& delivery)
        : counters(counted),
          events(told),
          payload(delivery.payload),
          room(delivery.room),
          entries(chosen.initiatorEntries)
    {
    }

    TransportCounters& counters;   ///< Of the endpoint.
    Ring<UlpEvent>& events;        ///< Of the endpoint.
    const ResourcePool& payload;   ///< Bytes kept for resends.
    RoomNotice& room;              ///< For ULPs whose request was refused.
    ResourcePool entries;          ///< Own requests.
    BufferPool<OwnRequest> tables; ///< Of them.
};

/// What the requests of all peers share.
struct TargetShared
{
    /// @param chosen settings of the endpoint @param counted its counters
    TargetShared(const TransportSettings& chosen, TransportCounters& counted)
        : counters(counted),
          entries(chosen.targetEntries),
          payload(chosen.receivePayloadBytes),
          grants(chosen, payload)
    {
    }

    /// Payload that waited for its turn has gone on. @param bytes of it
    void GivePayload(uint64_t bytes)
    {
        payload.Give(bytes);
        grants.Unpark();
    }

    TransportCounters& counters;    ///< Of the endpoint.
    ResourcePool entries;           ///< Peers' requests.
    ResourcePool payload;           ///< Bytes that wait for their turn.
    GrantControl grants;            ///< Who is granted how much.
    BufferPool<PeerRequest> tables; ///< Of the requests.
};

/// What the connections of an endpoint share, in parts: each unit of a connection gets its own.
struct TransportShared
{
    /**
     * @param chosen settings of the endpoint, valid
     * @param accept settings of connections that peers open, valid
     */
    TransportShared(const TransportSettings& chosen, const ConnectionSettings& accept)
        : settings(chosen),
          accepted(accept),
          replies(counters),
          scheduler(chosen.isStrict, chosen.txWeights),
          delivery(settings, counters),
          initiators(settings, counters, events, delivery),
          targets(settings, counters)
    {
    }

    TransportShared(const TransportShared&) = delete;            ///< Its parts know each other.
    TransportShared& operator=(const TransportShared&) = delete; ///< Its parts know each other.

    /// @return bytes of memory held
    std::size_t MemoryBytes() const
    {
        return events.MemoryBytes() + replies.MemoryBytes() + scheduler.MemoryBytes() +
               delivery.tables.MemoryBytes() + initiators.tables.MemoryBytes() +
               targets.tables.MemoryBytes() + targets.grants.MemoryBytes();
    }

    TransportSettings settings;  ///< Of the endpoint.
    ConnectionSettings accepted; ///< Of connections that peers open.
    TransportCounters counters;  ///< Of the endpoint.
    Ring<UlpEvent> events;       ///< Not taken yet; REQUEST is resolved when it is taken.
    ReplyQueue replies;          ///< Sent once, of no window.
    TxScheduler scheduler;       ///< Who sends next.
    DeliveryShared delivery;     ///< Windows.
    InitiatorShared initiators;  ///< Own requests.
    TargetShared targets;        ///< Peers' requests.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_TRANSPORT_SHARED_H
