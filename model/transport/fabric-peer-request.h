/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PEER_REQUEST_H
#define FABRIC_PEER_REQUEST_H

#include "fabric-reorder-engine.h"
#include "fabric-transport-event.h"

namespace ns3::fabric
{

/// A request of the peer's ULP, from its first packet until it is over here.
struct PeerRequest
{
    TimePs retryAt{NEVER};             ///< Not ready: presented again then; in error: told, ps.
    uint64_t tag{0};                   ///< The peer ULP's.
    uint32_t length{0};                ///< Bytes.
    uint32_t ssn{0};                   ///< If it is solicited.
    uint32_t packets{0};               ///< That carry it.
    uint32_t packetsReceived{0};       ///< Push: so far.
    uint32_t received{0};              ///< Push: bytes so far.
    uint32_t granted{0};               ///< Solicited push: bytes decided on.
    uint32_t grantSent{0};             ///< Solicited push: bytes told.
    uint32_t buffered{0};              ///< Bytes in the payload memory.
    uint32_t heldPsn{0};               ///< Push: acknowledged when the ULP has.
    uint32_t packetsResponded{0};      ///< Pull: data packets sent so far, resends apart.
    uint32_t next{0};                  ///< Link of the list of those to present, or to respond to.
    uint32_t nextGrant{0};             ///< Link of the list of those with a grant to be sent.
    uint32_t notReady{0};              ///< How often the ULP was not ready.
    uint8_t errorRepeats{0};           ///< Push in error: how often the peer was told again.
    RsnState state{RsnState::UNKNOWN}; ///< For the engine.
    UlpOperation operation{UlpOperation::PUSH}; ///< What it is.
    bool isSolicited{false};                    ///< Push: whether it asks for grants.
    bool isComplete{false};                     ///< Whether it can be presented.
    bool isPresented{false};                    ///< Whether the ULP has it.
    bool isAnswered{false};                     ///< Whether the ULP has said its last word.
    bool isError{false};                        ///< Whether that was ERROR.
};

} // namespace ns3::fabric

#endif // FABRIC_PEER_REQUEST_H
