/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RDMA_H
#define FABRIC_RDMA_H

#include "fabric-transport-packet.h"

#include <cstdint>

namespace ns3::fabric
{

/// What an application asks of the RDMA-like protocol above the transport.
enum class RdmaOperation : uint8_t
{
    WRITE, ///< Bytes go into the target's memory; its application is not told.
    READ,  ///< Bytes come from the target's memory; its application is not told.
    SEND,  ///< Bytes go into a receive buffer of the target, whose application is told.
};

inline constexpr uint32_t RDMA_OPERATIONS = 3; ///< How many operations there are.

/// What an application is told.
enum class RdmaEventType : uint8_t
{
    CONNECTED,  ///< A connection that was asked for is open.
    ACCEPTED,   ///< A peer has opened a connection.
    COMPLETION, ///< An own operation is complete, with a status.
    PRESENTED,  ///< A peer's operation was done here (see RdmaSettings::reportsOneSided).
    CLOSED,     ///< The connection was closed; nothing was lost.
    FAILED,     ///< The connection has failed, with a status; its last event.
};

/// Something that an application is told, in the order in which it happened.
struct RdmaEvent
{
    RdmaEventType type{RdmaEventType::COMPLETION}; ///< What happened.
    RdmaOperation operation{RdmaOperation::WRITE}; ///< COMPLETION, PRESENTED.
    TransportStatus status{TransportStatus::OK};   ///< COMPLETION, FAILED.
    bool isSolicited{false};                       ///< COMPLETION, PRESENTED: of a push.
    ConnectionId cid{NO_CONNECTION};               ///< The own CID.
    uint32_t rsn{0};     ///< COMPLETION, PRESENTED: number of the request.
    uint32_t bytes{0};   ///< COMPLETION, PRESENTED: of the operation.
    uint64_t cookie{0};  ///< COMPLETION, PRESENTED: as given to Post().
    PeerAddress peer{0}; ///< The other end.
    TimePs postedAt{0};  ///< COMPLETION: when it was posted, ps.
    TimePs at{0};        ///< When it happened, ps.
};

/// Settings of the RDMA-like protocol.
struct RdmaSettings
{
    /// What peers may write to and read from, bytes: a longer operation completes in error there.
    uint64_t memoryBytes{uint64_t{1} << 31};
    /// From the presentation of an operation to the answer, ps: the way to the host's memory.
    /// Default: half of a DMA read of 64 bytes, 547 ns (Neugebauer et al., spec 95), in whole
    /// nanoseconds, as defaults of attributes are.
    TimePs memoryLatency{273'000};
    /// Receive buffers at the start; a SEND that finds none is answered 'not ready'. UINT64_MAX is
    /// no limit.
    uint64_t receives{0};
    /// After 'not ready' a SEND is presented again this much later, ps. Chosen: 10 us.
    TimePs notReadyDelay{10'000'000};
    /// Whether PRESENTED is told of WRITE and READ as well, for traces; SEND is always told.
    bool reportsOneSided{false};

    /// @throw std::invalid_argument if a value is out of its range
    void Validate() const;
};

/// Payload and operations that went through an endpoint.
struct RdmaCounts
{
    uint64_t posted{0};           ///< Own operations.
    uint64_t completed{0};        ///< Of these, complete with status OK.
    uint64_t failed{0};           ///< Of these, complete with another one.
    uint64_t postedBytes{0};      ///< Payload of own operations.
    uint64_t completedBytes{0};   ///< Of those in `completed`.
    uint64_t failedBytes{0};      ///< Of those in `failed`.
    uint64_t outstanding{0};      ///< Own operations that are not complete, counted one by one.
    uint64_t outstandingBytes{0}; ///< Their payload, counted one by one.
    uint64_t placed{0};           ///< Peers' operations answered OK.
    uint64_t placedBytes{0};      ///< Payload of their WRITEs and SENDs.
    uint64_t suppliedBytes{0};    ///< Payload of their READs.
    uint64_t refused{0};          ///< Peers' operations completed in error.
    uint64_t notReady{0};         ///< SENDs that found no receive buffer.
};

} // namespace ns3::fabric

#endif // FABRIC_RDMA_H
