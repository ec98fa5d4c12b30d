/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MESSAGE_TABLE_H
#define FABRIC_MESSAGE_TABLE_H

#include "fabric-handle-table.h"
#include "fabric-types.h"

namespace ns3::fabric
{

/// Number of no queue of a NIC.
inline constexpr uint32_t NO_SEND_QUEUE = 0xFFFFFFFF;

/// What tells the native messages of a host apart, as far as switches look at it (FC-2).
struct MessageFlow
{
    LocationId dst{0};       ///< Destination endpoint.
    uint8_t trafficClass{0}; ///< Traffic class tag, FTAG.
    uint16_t vni{0};         ///< Virtual network.
    uint32_t process{0};     ///< Process or thread that sends.
};

/// A native message from its send to its delivery.
struct Message
{
    uint64_t bytes{0};             ///< Size of the message.
    uint64_t underWay{0};          ///< Bytes neither carried by the destination's link nor lost.
    uint64_t tag{0};               ///< The user's.
    TimePs sentAt{0};              ///< When the application sent it, ps.
    uint32_t sequence{0};          ///< Number of the message at its source, from 0.
    uint32_t process{0};           ///< Process or thread that has sent it.
    uint32_t queue{NO_SEND_QUEUE}; ///< Of the source's NIC; NO_SEND_QUEUE if an engine sends it.
    LocationId src{0};             ///< Source endpoint.
    LocationId dst{0};             ///< Destination endpoint.
    LocationId group{0};           ///< If it is to a group, its location (FC-16); 0 for none.
    uint16_t vni{0};               ///< Virtual network.
    uint8_t trafficClass{0};       ///< Traffic class tag, FTAG.
    bool isDamaged{false};         ///< Whether a part of it is lost.
    bool isPio{false};             ///< Whether a FabricPio has sent it.
    uint16_t copies{1};            ///< Endpoints that have not got it yet.

    /**
     * A frame of it was put on the destination's link.
     *
     * @param payload of the frame, bytes
     * @return whether nothing of it is under way any more
     */
    bool Arrive(uint32_t payload)
    {
        underWay -= payload;
        return underWay == 0;
    }

    /// A frame of it is lost. @copydetails Arrive()
    bool Lose(uint32_t payload)
    {
        isDamaged = true;
        return Arrive(payload);
    }
};

/// The messages under way in a fabric, by handle.
using MessageTable = HandleTable<Message>;

} // namespace ns3::fabric

#endif // FABRIC_MESSAGE_TABLE_H
