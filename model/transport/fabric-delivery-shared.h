/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DELIVERY_SHARED_H
#define FABRIC_DELIVERY_SHARED_H

#include "fabric-buffer-pool.h"
#include "fabric-hop-stack.h"
#include "fabric-outstanding-packet.h"
#include "fabric-resource-pool.h"
#include "fabric-restraint-source.h"
#include "fabric-room-notice.h"
#include "fabric-transport-counters.h"
#include "fabric-transport-path.h"
#include "fabric-transport-settings.h"

namespace ns3::fabric
{

/// What the windows of all connections share.
struct DeliveryShared
{
    /// @param chosen settings of the endpoint
    DeliveryShared(const TransportSettings& chosen, TransportCounters& counted)
        : settings(chosen),
          counters(counted),
          ackPackets(chosen.PacketsOfAck()),
          acksMarkChanges(chosen.AcksMarkChanges()),
          path(chosen),
          packetEntries(chosen.packetEntries),
          payload(chosen.sendPayloadBytes)
    {
    }

    const TransportSettings& settings;          ///< Of the endpoint.
    TransportCounters& counters;                ///< Of the endpoint.
    uint32_t ackPackets;                        ///< An ACK is sent after so many.
    bool acksMarkChanges;                       ///< An ACK is sent at once when marks begin or end.
    PathRules path;                             ///< Time-outs and congestion control.
    ResourcePool packetEntries;                 ///< PSNs in flight.
    ResourcePool payload;                       ///< Bytes kept for resends.
    BufferPool<OutstandingPacket> tables;       ///< Of the packets in flight.
    RoomNotice room;                            ///< For ULPs whose request was refused.
    const RestraintSource* restraints{nullptr}; ///< Null where nobody holds packets back.
    HopStack seen{};                            ///< HPCC: goes with the ACK that is written.
    bool isSeenTold{false};                     ///< HPCC: whether it does.
};

} // namespace ns3::fabric

#endif // FABRIC_DELIVERY_SHARED_H
