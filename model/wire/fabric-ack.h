/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACK_H
#define FABRIC_ACK_H

#include "fabric-types.h"

namespace ns3::fabric
{

/// What an ACK says, 3 bits (WL-2).
enum class AckType : uint8_t
{
    NORMAL = 0,                         ///< Frames left the fabric; clears earlier congestion.
    NEW_ENDPOINT_CONGESTION = 1,        ///< Congestion at the egress, made on enqueue (CM-2).
    PERSISTENT_ENDPOINT_CONGESTION = 2, ///< As NORMAL, while congestion lasts (CM-2).
    HEADROOM = 3,                       ///< Credit for the upstream IFCT (CM-5).
    REROUTE = 4,         ///< A link of the path is overloaded: choose another (CM-9).
    LINK_CONGESTION = 5, ///< How loaded the links inside the fabric are (FC-12).
    LOST = 6,            ///< Frames were dropped or damaged (WL-6).
    CHECK = 7,           ///< Whether a flow channel still exists.
};

/// Highest type in use.
inline constexpr AckType LAST_ACK_TYPE = AckType::CHECK;

inline constexpr uint8_t CHECK_ASKS = 0;    ///< A CHECK of the sender of frames asks for a flow_id.
inline constexpr uint8_t CHECK_IS_OVER = 1; ///< Their receiver has nothing of it.
inline constexpr uint8_t CHECK_GOES_ON = 2; ///< Their receiver has something of it.
inline constexpr uint8_t CHECK_NUMBERS = 64; ///< Checks are numbered from 0 to one less.

/**
 * @param what CHECK_ASKS, CHECK_IS_OVER or CHECK_GOES_ON
 * @param number of the check, below CHECK_NUMBERS: an answer has that of its question
 * @return ack_flow of a CHECK
 */
inline constexpr uint8_t
CheckWord(uint8_t what, uint8_t number)
{
    return static_cast<uint8_t>(number << 2 | what);
}

/// @param word ack_flow of a CHECK @return what it says
inline constexpr uint8_t
WhatOfCheck(uint8_t word)
{
    return word & 3;
}

/// @param word ack_flow of a CHECK @return its number
inline constexpr uint8_t
NumberOfCheck(uint8_t word)
{
    return word >> 2;
}

/**
 * One acknowledgement, 25 bits on the wire: flow_id 11, type 3, ack_flow 8, CRC 3 (WL-2).
 *
 * | type                           | ack_flow                                                    |
 * |--------------------------------|-------------------------------------------------------------|
 * | NORMAL                         | position: units of 256 bytes that have left so far          |
 * | NEW_ENDPOINT_CONGESTION        | severity                                                    |
 * | PERSISTENT_ENDPOINT_CONGESTION | position as above                                           |
 * | HEADROOM                       | credit given so far, units of 256 bytes; 255 ends metering  |
 * | REROUTE                        | switches with a choice of paths that it has still to reach; |
 * |                                | 128 more if only a better path is worth the change          |
 * | LINK_CONGESTION                | load (EncodeLoad()) of the ways to a group of destinations, |
 * |                                | or of a link, whose number is in place of the flow_id       |
 * | LOST                           | position as above; those since the last ACK were lost       |
 * | CHECK                          | CheckWord(): whether it asks or answers, and a number       |
 *
 * Positions and credits count from the time at which the link came up (AckCounts). A persistent ACK
 * has a position and not a severity, since CM-2 sends it in place of the normal one: without it the
 * flow_extent would never come down.
 */
struct Ack
{
    FlowId flow;     ///< Flow channel on the link that the ACK takes, not NO_FLOW.
    AckType type;    ///< What it says.
    uint8_t ackFlow; ///< See the table above.
};

/**
 * @param b another
 * @return whether they say the same
 */
inline constexpr bool
operator==(const Ack& a, const Ack& b)
{
    return a.flow == b.flow && a.type == b.type && a.ackFlow == b.ackFlow;
}

/// @return whether such an ACK may have that ack_flow
inline constexpr bool
IsAckFlow(AckType type, uint8_t ackFlow)
{
    return type != AckType::CHECK || WhatOfCheck(ackFlow) <= CHECK_GOES_ON;
}

/// @return whether it says a position, which lowers the flow_extent (FC-6)
inline constexpr bool
LowersFlowExtent(AckType type)
{
    return type == AckType::NORMAL || type == AckType::PERSISTENT_ENDPOINT_CONGESTION ||
           type == AckType::LOST;
}

inline constexpr uint32_t ACK_BITS = 25;           ///< One ACK (WL-2).
inline constexpr uint32_t ACK_FRAMING_BYTES = 9;   ///< Of an ACK frame, 4 of them the FCS (WL-2).
inline constexpr uint32_t MAX_ACKS_PER_FRAME = 48; ///< WL-2.

/// Bits of the word in which links send: Ethernet's 64b/66b blocks (IEEE Std 802.3, clause 49).
inline constexpr uint32_t LINK_WORD_BITS = 64;

/// @return bytes of the ACK frame, FCS included (WL-2)
inline constexpr uint32_t
AckFrameBytes(uint32_t count)
{
    return ACK_FRAMING_BYTES + (ACK_BITS * count + 7) / 8;
}

/**
 * Whether a frame with so many ACKs should go now and not wait for another one (WL-3).
 *
 * Frames take whole words of a link. A count is efficient when the padding of the last word has no
 * room for one more ACK, which would have cost nothing. A full frame always is.
 *
 * @return whether they fill their words; false for none
 */
inline constexpr bool
FramesEfficiently(uint32_t count)
{
    if (count == 0 || count >= MAX_ACKS_PER_FRAME)
    {
        return count != 0;
    }
    const uint32_t bits = 8 * ACK_FRAMING_BYTES + ACK_BITS * count;
    const uint32_t padding = (LINK_WORD_BITS - bits % LINK_WORD_BITS) % LINK_WORD_BITS;
    return padding < ACK_BITS;
}

} // namespace ns3::fabric

#endif // FABRIC_ACK_H
