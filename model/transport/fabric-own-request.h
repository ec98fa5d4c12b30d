/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OWN_REQUEST_H
#define FABRIC_OWN_REQUEST_H

#include "fabric-reorder-engine.h"
#include "fabric-transport-event.h"

namespace ns3::fabric
{

/// A request of the own ULP, from Push() or Pull() to its completion.
struct OwnRequest
{
    TimePs issuedAt{0};                ///< ps.
    uint64_t tag{0};                   ///< The ULP's.
    uint32_t length{0};                ///< Bytes.
    uint32_t ssn{0};                   ///< If it is solicited.
    uint32_t packets{0};               ///< That carry it.
    uint32_t packetsSent{0};           ///< Push: so far, resends apart.
    uint32_t packetsDone{0};           ///< Push: acknowledged. Pull: received.
    uint32_t granted{0};               ///< Solicited push: bytes. Pull that is admitted: to come.
    uint32_t nextRequest{0};           ///< Link of the list of requests to be sent.
    uint32_t nextData{0};              ///< Link of the list of pushes with data to be sent.
    RsnState state{RsnState::UNKNOWN}; ///< For the engine.
    UlpOperation operation{UlpOperation::PUSH};  ///< What it is.
    TransportStatus status{TransportStatus::OK}; ///< It will complete with.
    bool isSolicited{false};                     ///< Push: whether it asks for grants.
    bool isSent{false};   ///< Whether the pull request or solicited request has gone out.
    bool isListed{false}; ///< Whether it is in the list of pushes with data to be sent.
    bool isDone{false};   ///< It waits for its turn to complete.
};

} // namespace ns3::fabric

#endif // FABRIC_OWN_REQUEST_H
