/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_PACKET_H
#define FABRIC_TRANSPORT_PACKET_H

#include "fabric-packet-bitmap.h"
#include "fabric-types.h"

#include <array>
#include <cstdint>
#include <new>

namespace ns3::fabric
{

/// Address of a peer in the network below: a LocationId, or IPv4 address x 2^16 + UDP port. The
/// transport only compares it.
using PeerAddress = uint64_t;

/// Connection ID, 24 bits (Falcon, spec 95), allocated by the one that receives packets with it
/// (RT-1).
using ConnectionId = uint32_t;

inline constexpr ConnectionId NO_CONNECTION = 0;              ///< No connection.
inline constexpr ConnectionId MAX_CONNECTION_ID = 0x00FFFFFF; ///< Largest connection ID.
inline constexpr uint32_t CONNECTION_PLACE_BITS = 16; ///< Low bits of an own CID: its place.

/// @return its place among the connections of its endpoint, from 1 on, densely
inline constexpr uint32_t
PlaceOf(ConnectionId cid)
{
    return cid & ((1U << CONNECTION_PLACE_BITS) - 1);
}

/// A request of a ULP: its RSN, unique among those that are outstanding on its connection.
using RequestId = uint32_t;

/// What a packet of the transport is (RT-2). The window that its PSN belongs to is in brackets.
enum class TransportPacketType : uint8_t
{
    PULL_REQUEST,           ///< pullReq [requests].
    PUSH_SOLICITED_REQUEST, ///< pushSlctdReq [requests].
    PULL_DATA,              ///< pullData [data].
    PUSH_GRANT,             ///< pushGrnt [data].
    PUSH_SOLICITED_DATA,    ///< pushSlctdData [data].
    PUSH_UNSOLICITED_DATA,  ///< pushUnslctdData [data].
    ERROR_RESPONSE,         ///< The target's ULP completed a pull in error [data].
    ACK,                    ///< Stand-alone, with bitmaps [none].
    NACK,                   ///< See NackCode [none].
    CONNECT,                ///< Asks for a connection [none].
    ACCEPT,                 ///< Answer to CONNECT [none].
    REFUSE,                 ///< Answer to CONNECT [none].
    CLOSE,                  ///< The sender's requests are all complete, it wants to leave [none].
    CLOSED,                 ///< Answer to CLOSE [none].
    RESET,                  ///< The connection is gone, with a status [none].
};

inline constexpr uint32_t TRANSPORT_PACKET_TYPES = 15; ///< How many types there are.

/// Why something is not done (Falcon's codes, spec 95). None of these packets is relied on: what
/// causes a NACK causes it again when the packet is resent.
enum class NackCode : uint8_t
{
    NONE,        ///< The packet is no NACK.
    NO_RESOURCE, ///< The packet `psn` was not taken, CAM or payload memory is full: send it later.
    NOT_READY,   ///< The target ULP was not ready for request `rsn`, for the `amount`-th time.
    BAD_CID,     ///< There is no connection `sourceCid` here (the CID that the peer has used).
    IN_ERROR,    ///< The target ULP completed push `rsn` in error; `psn` is its last data to come.
    ERROR_HEARD, ///< Answer to IN_ERROR with its `rsn` and `psn`: the target may acknowledge now.
    DUPLICATE,   ///< The packet `psn` had come before (as TCP's DSACK, RFC 2883).
    CREDIT_WANTED, ///< There are requests up to `rsn`, exclusive, that have no credit.
    CREDIT,        ///< Requests below `rsn` may be sent: there are entries for them.
    CREDIT_ONLY,   ///< From now on requests need credits. Those below `rsn` have come.
    CREDIT_HEARD,  ///< Answer to CREDIT_ONLY: requests below `rsn` were or will be sent, no others.
    CONGESTION,    ///< Packets come that were marked on their way: DCQCN's CNP.
    TRIMMED,       ///< Of the packet `psn` that was sent at `sentAt` only the header has come.
};

inline constexpr uint32_t NACK_CODES = 13; ///< How many codes there are.

/// How a request or a connection ended (RT-18).
enum class TransportStatus : uint8_t
{
    OK,               ///< As wanted.
    RETRY_LIMIT,      ///< A packet was resent as often as is allowed.
    TARGET_NOT_READY, ///< The target ULP was not ready as often as is allowed.
    BAD_CID,          ///< The peer does not know the connection.
    CONNECTION_RESET, ///< The peer has reset the connection, or the own ULP has.
    REMOTE_ERROR,     ///< The target ULP completed the request in error.
    REFUSED,          ///< The peer does not accept the connection.
    FLUSHED,          ///< Outstanding when the connection failed by another request.
};

inline constexpr uint32_t TRANSPORT_STATUSES = 8; ///< How many statuses there are.

/// What a packet of a window says of its transaction, and a NACK of the packet or request that it
/// is about.
struct TransportPiece
{
    uint32_t psn{0};    ///< Types with a window; NACK NO_RESOURCE, DUPLICATE, TRIMMED, IN_ERROR,
                        ///< ERROR_HEARD.
    uint32_t rsn{0};    ///< Types with a window; NACK NOT_READY, IN_ERROR, ERROR_HEARD, CREDIT...
    uint32_t ssn{0};    ///< Solicited requests, their grants and their data.
    uint32_t length{0}; ///< Requests and push data: bytes of the whole transaction.
    uint32_t offset{0}; ///< Data and grants: first byte of this piece.
    uint32_t amount{0}; ///< Data: payload bytes in this packet; PUSH_GRANT: bytes granted;
                        ///< NACK NOT_READY: how often.
    uint64_t tag{0};    ///< Requests and push data: the ULP's.
    TimePs sentAt{0};   ///< With a window: when it was put on the wire, the sender's clock;
                        ///< NACK TRIMMED: as the packet said.
};

/// What an ACK says beyond the bases.
struct AckBitmaps
{
    uint64_t requestAcked{0};  ///< Bit i is PSN requestBase + i.
    PacketBitmap dataAcked;    ///< Bit i is PSN dataBase + i.
    PacketBitmap dataReceived; ///< Received, and perhaps not acknowledged by the ULP yet.
};

/// Requests that may be sent at first, where requests need credits.
inline constexpr std::array<uint32_t, 3> FIRST_CREDITS{0, 1, 16};

/// What packets of set-up and tear-down say.
struct ConnectionOffer
{
    ConnectionId sourceCid{0}; ///< CONNECT, ACCEPT, REFUSE, CLOSE, CLOSED, RESET: the sender's;
                               ///< NACK BAD_CID: the one that is not known.
    uint16_t requestWindow{0}; ///< CONNECT, ACCEPT: packets.
    uint16_t dataWindow{0};    ///< CONNECT, ACCEPT: packets.
    uint16_t requestSpan{0};   ///< CONNECT, ACCEPT: requests, see ConnectionSettings.
    uint16_t mtu{0};           ///< CONNECT, ACCEPT: payload bytes.
    bool needsCredit{false};   ///< CONNECT, ACCEPT: requests to the sender need credits.
    uint8_t firstCredit{0}; ///< With needsCredit: place in FIRST_CREDITS of what there is at first.
    bool isOrdered{false};  ///< CONNECT: RT-10.
};

/**
 * A packet of the transport as a plain descriptor: what its header says, and no payload bytes.
 * Which fields a type has is said at each; the others are 0.
 *
 * Many are in flight in a large system, so it fills one cache line: parts that no type has together
 * share their place.
 */
struct TransportPacket
{
    TransportPacket()
        : TransportPacket(TransportPacketType::ACK)
    {
    }

    explicit TransportPacket(TransportPacketType which, NackCode code = NackCode::NONE)
        : isProbe(false),
          isMarked(false),
          isCorrupt(false),
          isRequestPsn(false),
          isLongEcho(false),
          status(TransportStatus::OK),
          bitmaps()
    {
        Become(which, code);
    }

    /// Makes it one of another type. What it has in common with all others stays, the rest is 0.
    void Become(TransportPacketType which, NackCode code = NackCode::NONE)
    {
        type = which;
        nack = code;
        if (HasPiece())
        {
            new (&piece) TransportPiece;
        }
        else if (HasOffer())
        {
            new (&offer) ConnectionOffer;
        }
        else
        {
            new (&bitmaps) AckBitmaps;
        }
    }

    /// @return whether it has a `piece`
    bool HasPiece() const
    {
        return type <= TransportPacketType::ERROR_RESPONSE ||
               (type == TransportPacketType::NACK && nack != NackCode::BAD_CID);
    }

    /// @return whether it has `bitmaps`
    bool HasBitmaps() const
    {
        return type == TransportPacketType::ACK;
    }

    /// @return whether it has an `offer`
    bool HasOffer() const
    {
        return !HasPiece() && !HasBitmaps();
    }

    /// @return bytes of payload that follow the header
    uint32_t PayloadBytes() const
    {
        switch (type)
        {
        case TransportPacketType::PULL_DATA:
        case TransportPacketType::PUSH_SOLICITED_DATA:
        case TransportPacketType::PUSH_UNSOLICITED_DATA:
            return piece.amount;
        default:
            return 0;
        }
    }

    /// @return whether its PSN is of the request window (RT-6)
    bool IsRequest() const
    {
        return type <= TransportPacketType::PUSH_SOLICITED_REQUEST;
    }

    /// @return whether it answers a request of its receiver, and is not of one of its sender
    bool IsAnswer() const
    {
        return type == TransportPacketType::PULL_DATA || type == TransportPacketType::PUSH_GRANT ||
               type == TransportPacketType::ERROR_RESPONSE;
    }

    bool IsPushData() const
    {
        return type == TransportPacketType::PUSH_SOLICITED_DATA ||
               type == TransportPacketType::PUSH_UNSOLICITED_DATA;
    }

    /// @return whether its PSN is of the data window (RT-6)
    bool IsData() const
    {
        return type > TransportPacketType::PUSH_SOLICITED_REQUEST &&
               type <= TransportPacketType::ERROR_RESPONSE;
    }

    TransportPacketType type : 4; ///< What it is.
    bool isProbe : 1;             ///< ACK, types with a window: an ACK is wanted at once.
    bool isMarked : 1;            ///< Set on its way by a congested port (as ECN's CE).
    bool isCorrupt : 1;           ///< Damaged on its way, found by its CRC. Not in the header.
    bool isRequestPsn : 1;      ///< NACK NO_RESOURCE, DUPLICATE, TRIMMED: the PSN is of the request
                                ///< window.
    bool isLongEcho : 1;        ///< With `echo`: its packet had as much payload as any before it.
    NackCode nack : 4;          ///< NACK only.
    TransportStatus status : 3; ///< ERROR_RESPONSE, REFUSE, RESET.
    uint16_t marksSeen{0};      ///< With `requestBase`: marked packets received so far, mod 2^16.
    ConnectionId cid{0};        ///< Destination CID; 0 where it is not known (CONNECT, BAD_CID).
    uint32_t requestBase{0};    ///< Types with a window, ACK, CLOSE: expected PSN.
    uint32_t dataBase{0}; ///< As `requestBase`, of the data window. In CONNECT and ACCEPT both
                          ///< are the first PSNs that their sender will use.
    TimePs echo{NEVER};   ///< With `requestBase`: `sentAt` of the newest packet received plus
                          ///< the time that it has waited here, ps; NEVER if there is none.

    union {
        TransportPiece piece;  ///< See HasPiece().
        AckBitmaps bitmaps;    ///< See HasBitmaps().
        ConnectionOffer offer; ///< See HasOffer().
    };
};

static_assert(sizeof(TransportPacket) == 64, "a packet in flight fills one cache line");

struct HopStack;

/// A packet and whom it goes to.
struct OutgoingPacket
{
    PeerAddress peer{0};           ///< Address in the network below.
    uint32_t place{0};             ///< PlaceOf() the own CID, 0 for none.
    TransportPacket packet;        ///< What is sent.
    const HopStack* seen{nullptr}; ///< ACK: what switches have written on the newest packet that
                                   ///< has come, until the next is sent; null for nothing.
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_PACKET_H
