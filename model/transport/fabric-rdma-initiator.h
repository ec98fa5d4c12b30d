/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RDMA_INITIATOR_H
#define FABRIC_RDMA_INITIATOR_H

#include "fabric-rdma.h"
#include "fabric-ring.h"
#include "fabric-transport-endpoint.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// An own operation.
struct RdmaWork
{
    RdmaOperation operation; ///< What to do.
    uint32_t bytes;          ///< To move.
    uint64_t cookie;         ///< The user's.
    TimePs postedAt;         ///< When it was posted, ps.
};

/**
 * The own operations of the RDMA-like protocol, from Post() to their completion. Those that the
 * transport has no room for wait in the send queue of their connection, in order.
 */
class RdmaInitiator
{
  public:
    /**
     * @param transport below
     * @param counts of the endpoint
     * @param events that the user is told
     */
    RdmaInitiator(TransportEndpoint& transport, RdmaCounts& counts, Ring<RdmaEvent>& events)
        : m_transport(transport),
          m_counts(counts),
          m_events(events)
    {
    }

    /// A connection is there.
    void Open(ConnectionId cid);

    /// @return whether there is such a connection
    bool Has(ConnectionId cid) const
    {
        const uint32_t place = PlaceOf(cid);
        return cid != NO_CONNECTION && place < m_queues.size() && m_queues[place].cid == cid;
    }

    /// Closes a connection when all its operations are complete; no further ones are taken.
    void Close(ConnectionId cid, TimePs now);

    /// @return false if there is no such connection, or it takes no operations any more
    bool Post(ConnectionId cid, const RdmaWork& work, TimePs now);

    /// The transport has room: hands it waiting work of all connections, in turn.
    void Flush(TimePs now);

    /// An operation is complete, and the user told. @param event the transport's
    void Complete(const UlpEvent& event);

    /// A connection is gone: operations that wait complete as flushed. @param event the transport's
    void Forget(const UlpEvent& event);

  private:
    /// When an operation was posted that had to wait in the send queue.
    struct Late
    {
        RequestId rsn;   ///< Its request.
        TimePs postedAt; ///< When it was posted, ps; NEVER once it is complete.
    };

    /// The send queue of a connection.
    struct Queue
    {
        ConnectionId cid{NO_CONNECTION}; ///< The own CID; NO_CONNECTION while it is not in use.
        bool isClosing{false};           ///< Close() waits for `work`.
        bool waits{false};               ///< Stands in m_waiting.
        Ring<RdmaWork> work;             ///< Not yet taken by the transport.
        Ring<Late> late;                 ///< Taken later than they were posted, by RSN.
    };

    /// @return the queue of a connection in use, or null
    Queue* Find(ConnectionId cid)
    {
        return Has(cid) ? &m_queues[PlaceOf(cid)] : nullptr;
    }

    /// Hands work to the transport. @return its RSN, if it was taken
    std::optional<RequestId> TryRequest(ConnectionId cid, const RdmaWork& work, TimePs now);

    /// Hands waiting work of one connection to the transport. @return whether all was taken
    bool FlushQueue(Queue& queue, TimePs now);

    /// @return when the operation of a completion was posted, ps
    TimePs TakePostedAt(const UlpEvent& event);

    /// Counts an own operation that is complete.
    void Count(const UlpEvent& event);

    TransportEndpoint& m_transport; ///< Below.
    RdmaCounts& m_counts;           ///< Of the endpoint.
    Ring<RdmaEvent>& m_events;      ///< Not taken yet.
    std::vector<Queue> m_queues;    ///< By place of the connection.
    Ring<ConnectionId> m_waiting;   ///< Connections with waiting work, in turn.
};

} // namespace ns3::fabric

#endif // FABRIC_RDMA_INITIATOR_H
