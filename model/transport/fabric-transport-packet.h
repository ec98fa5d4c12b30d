/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_PACKET_H
#define FABRIC_TRANSPORT_PACKET_H

#include "fabric-packet-bitmap.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3
{
namespace fabric
{

/// Address of a peer in the network below: a LocationId, or IPv4 address x 2^16 + UDP port. The
/// transport only compares it.
using PeerAddress = uint64_t;

/// Connection ID, 24 bits (Falcon, spec 95), allocated by the one that receives packets with it
/// (RT-1).
using ConnectionId = uint32_t;

inline constexpr ConnectionId NO_CONNECTION = 0;              ///< No connection.
inline constexpr ConnectionId MAX_CONNECTION_ID = 0x00FFFFFF; ///< Largest connection ID.

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
};

inline constexpr uint32_t NACK_CODES = 6; ///< How many codes there are.

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

/**
 * A packet of the transport as a plain descriptor: what its header says, and no payload bytes.
 * Which fields a type has is said at each; the others are 0.
 */
struct TransportPacket
{
    // What data takes, in the first cache line.
    TransportPacketType type{TransportPacketType::ACK}; ///< What it is.
    bool isProbe{false};                                ///< ACK: an ACK is wanted for it.
    bool isMarked{false};    ///< Set on its way by a congested port (as ECN's CE).
    bool isCorrupt{false};   ///< Damaged on its way, found by its CRC. Not in the header.
    uint16_t marksSeen{0};   ///< With `requestBase`: marked packets received so far, mod 2^16.
    ConnectionId cid{0};     ///< Destination CID; 0 where it is not known (CONNECT, BAD_CID).
    uint32_t psn{0};         ///< Types with a window; NACK NO_RESOURCE, IN_ERROR, ERROR_HEARD.
    uint32_t rsn{0};         ///< Requests, grants, data, ERROR_RESPONSE, NACK NOT_READY,
                             ///< IN_ERROR, ERROR_HEARD.
    uint32_t length{0};      ///< Requests and push data: bytes of the whole transaction.
    uint32_t offset{0};      ///< Data and grants: first byte of this piece.
    uint32_t amount{0};      ///< Data: payload bytes in this packet; PUSH_GRANT: bytes granted;
                             ///< NACK NOT_READY: how often.
    uint32_t requestBase{0}; ///< Types with a window, ACK, CLOSE: expected PSN.
    uint32_t dataBase{0};    ///< As `requestBase`, of the data window. In CONNECT and ACCEPT both
                             ///< are the first PSNs that their sender will use.
    uint64_t tag{0};         ///< Requests and push data: the ULP's.
    TimePs sentAt{0};        ///< With a window: when it was put on the wire, the sender's clock.
    TimePs echo{NEVER};      ///< With `requestBase`: `sentAt` of the newest packet received plus
                             ///< the time that it has waited here, ps; NEVER if there is none.

    // What the others take besides.
    uint32_t ssn{0};               ///< Solicited requests, their grants and their data.
    ConnectionId sourceCid{0};     ///< CONNECT, ACCEPT, REFUSE, CLOSE, CLOSED, RESET: the sender's;
                                   ///< NACK BAD_CID: the one that is not known.
    NackCode nack{NackCode::NONE}; ///< NACK only.
    TransportStatus status{TransportStatus::OK}; ///< ERROR_RESPONSE, REFUSE, RESET.
    bool isOrdered{false};                       ///< CONNECT: RT-10.
    bool isRequestPsn{false};  ///< NACK NO_RESOURCE: `psn` is of the request window.
    uint16_t requestWindow{0}; ///< CONNECT, ACCEPT: packets.
    uint16_t dataWindow{0};    ///< CONNECT, ACCEPT: packets.
    uint16_t requestSpan{0};   ///< CONNECT, ACCEPT: requests, see ConnectionSettings.
    uint16_t mtu{0};           ///< CONNECT, ACCEPT: payload bytes.
    uint64_t requestAcked{0};  ///< ACK: bit i is PSN requestBase + i.
    PacketBitmap dataAcked;    ///< ACK: bit i is PSN dataBase + i.
    PacketBitmap dataReceived; ///< ACK: received, and perhaps not acknowledged by the ULP yet.

    /// @return bytes of payload that follow the header
    uint32_t PayloadBytes() const
    {
        switch (type)
        {
        case TransportPacketType::PULL_DATA:
        case TransportPacketType::PUSH_SOLICITED_DATA:
        case TransportPacketType::PUSH_UNSOLICITED_DATA:
            return amount;
        default:
            return 0;
        }
    }

    /// @return whether its PSN is of the request window (RT-6)
    bool IsRequest() const
    {
        return type <= TransportPacketType::PUSH_SOLICITED_REQUEST;
    }

    /// @return whether its PSN is of the data window (RT-6)
    bool IsData() const
    {
        return type > TransportPacketType::PUSH_SOLICITED_REQUEST &&
               type <= TransportPacketType::ERROR_RESPONSE;
    }
};

/// A packet and whom it goes to.
struct OutgoingPacket
{
    PeerAddress peer{0};    ///< Address in the network below.
    TransportPacket packet; ///< What is sent.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_TRANSPORT_PACKET_H
