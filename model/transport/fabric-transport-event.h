/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_EVENT_H
#define FABRIC_TRANSPORT_EVENT_H

#include "fabric-transport-packet.h"

namespace ns3::fabric
{

/// What a ULP is told.
enum class UlpEventType : uint8_t
{
    CONNECTED,  ///< Connect() has come to its end: the connection is open.
    ACCEPTED,   ///< A peer has opened a connection to here.
    COMPLETION, ///< A request of this ULP is complete: pushCompl or pullResp, or an error.
    REQUEST,    ///< A request of the peer, to be answered with AckRequest() or Respond().
    ROOM,       ///< Push() or Pull() was refused for want of room; there is some now.
    CLOSED,     ///< The connection was closed by Close() here or at the peer; nothing was lost.
    FAILED,     ///< The connection has failed with `status`; the last event of this connection.
};

/// What the target ULP says to a request (RT-2, RT-18).
enum class UlpAnswer : uint8_t
{
    OK,        ///< ULP-ACK: the pushed data is placed. To a pull: it is taken, Respond() follows.
    NOT_READY, ///< Not now: present it again later.
    ERROR,     ///< Completed in error; the connection goes on.
};

/// What a ULP asks for (RT-2).
enum class UlpOperation : uint8_t
{
    PUSH, ///< pushReq: bytes go to the target.
    PULL, ///< pullReq: bytes come from the target.
};

/// Something that a ULP is told, in the order in which it happened.
struct UlpEvent
{
    UlpEventType type{UlpEventType::ROOM};       ///< What happened.
    UlpOperation operation{UlpOperation::PUSH};  ///< COMPLETION, REQUEST.
    TransportStatus status{TransportStatus::OK}; ///< COMPLETION, FAILED.
    bool isSolicited{false};                     ///< COMPLETION, REQUEST: of a push.
    ConnectionId cid{0};                         ///< The own CID; 0 for ROOM.
    RequestId rsn{0};                            ///< COMPLETION: the own, REQUEST: the peer's.
    uint32_t bytes{0};                           ///< COMPLETION, REQUEST: of the transaction.
    uint64_t tag{0};     ///< COMPLETION, REQUEST: as given to Push()/Pull().
    PeerAddress peer{0}; ///< The other end; 0 for ROOM.
    TimePs issuedAt{0};  ///< COMPLETION: when it was pushed or pulled, ps.
    TimePs at{0};        ///< When it happened, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_EVENT_H
