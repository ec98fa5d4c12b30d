/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_NAMES_H
#define FABRIC_TRANSPORT_NAMES_H

#include "fabric-rdma.h"
#include "fabric-transport-packet.h"

#include <array>
#include <cstddef>

namespace ns3::fabric
{

/// What results and logs call things of the transport, by value.
struct TransportNames
{
    /// Of operations.
    static constexpr std::array<const char*, RDMA_OPERATIONS> OPERATIONS{"write", "read", "send"};
    /// Of statuses.
    static constexpr std::array<const char*, TRANSPORT_STATUSES> STATUSES{"ok",
                                                                          "retry-limit",
                                                                          "target-not-ready",
                                                                          "bad-cid",
                                                                          "connection-reset",
                                                                          "remote-error",
                                                                          "refused",
                                                                          "flushed"};
    /// Of packets: Falcon's where it has one.
    static constexpr std::array<const char*, TRANSPORT_PACKET_TYPES> PACKETS{"pullReq",
                                                                             "pushSlctdReq",
                                                                             "pullData",
                                                                             "pushGrnt",
                                                                             "pushSlctdData",
                                                                             "pushUnslctdData",
                                                                             "errorResp",
                                                                             "ack",
                                                                             "nack",
                                                                             "connect",
                                                                             "accept",
                                                                             "refuse",
                                                                             "close",
                                                                             "closed",
                                                                             "reset"};
};

/// @return the name of an operation
constexpr const char*
NameOf(RdmaOperation operation)
{
    return TransportNames::OPERATIONS[static_cast<std::size_t>(operation)];
}

/// @return the name of a status, as in messages.csv
constexpr const char*
NameOf(TransportStatus status)
{
    return TransportNames::STATUSES[static_cast<std::size_t>(status)];
}

/// @return the name of a type of packets
constexpr const char*
NameOf(TransportPacketType type)
{
    return TransportNames::PACKETS[static_cast<std::size_t>(type)];
}

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_NAMES_H
