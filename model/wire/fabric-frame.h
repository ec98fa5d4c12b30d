/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FRAME_H
#define FABRIC_FRAME_H

#include "fabric-types.h"

namespace ns3::fabric
{

/// What a data frame carries.
enum class FrameKind : uint8_t
{
    MESSAGE,   ///< Part of a native message; `handle` names the message.
    PACKET,    ///< A user's ns-3 packet; `handle` names it in the packet table.
    TRANSPORT, ///< Packet of the reliable transport; `handle` names it in the transport's table.
               ///< With less payload than that has, a switch has trimmed it (FC-15).
    COMMAND,   ///< Packet of command queues; `handle` names it in the transport's table.
    GROUP,   ///< Part of a native message to a group (FC-16); in a switch `dataFlow` tells copies.
    STOPS,   ///< No frame: the one of the lane is interrupted before byte `handle` (DP-14).
    GOES_ON, ///< No frame: the one of the lane goes on with byte `handle` (DP-14).
    BREAKS,  ///< No frame: the one of the lane ends before its last byte, damaged (WL-8).
};

/**
 * A frame in flight or in a buffer: a descriptor of 32 bytes, so that two fill a cache line.
 *
 * The header on the wire (FabricHeader) is made from it only when somebody looks.
 */
struct Frame
{
    TimePs time;       ///< When it takes effect at the receiver, ps.
    LocationId src;    ///< Source endpoint.
    LocationId dst;    ///< Destination endpoint.
    FlowId flow;       ///< Flow channel on this link, NO_FLOW for none.
    uint16_t payload;  ///< Bytes of payload.
    uint32_t dataFlow; ///< Position in its flow, in units of 256 bytes; without flow, its hash.
    uint32_t handle;   ///< What it carries: message, packet.

    union {
        uint32_t next;     ///< In a switch: next frame of its queue. From a host: its NIC queue.
        uint32_t severity; ///< From a switch: what that knows of congestion at its endpoint (CM-3).
    };

    FrameKind kind : 3;       ///< What it is.
    uint8_t marked : 1;       ///< A port on its way was congested (RT-14).
    uint8_t lane : 4;         ///< Virtual lane.
    uint8_t vc : 2;           ///< Virtual channel.
    uint8_t corrupt : 1;      ///< Damaged on the link: its receiver drops it.
    uint8_t last : 1;         ///< Last frame of its message.
    uint8_t trafficClass : 4; ///< Traffic class tag, FTAG.
    uint16_t vni;             ///< Virtual network.
};

static_assert(sizeof(Frame) == 32, "two frames fill a cache line");

/// @return whether it carries a value of a reduction, to be combined or as its result (SW-14)
constexpr bool
IsOfReduction(const Frame& frame)
{
    return frame.kind == FrameKind::GROUP && frame.dst >= FIRST_REDUCTION;
}

} // namespace ns3::fabric

#endif // FABRIC_FRAME_H
