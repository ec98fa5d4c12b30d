/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RDMA_ENDPOINT_H
#define FABRIC_RDMA_ENDPOINT_H

#include "fabric-rdma.h"
#include "fabric-ring.h"
#include "fabric-transport-endpoint.h"

#include <optional>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * A small RDMA-like protocol (write, read, send) on top of the reliable transport of one NIC.
 *
 * WRITE and SEND are pushes, READ is a pull. The operation travels in the two highest bits of the
 * request's tag, the user's cookie in the others. Peers' WRITEs and READs are answered here, after
 * the time that the host's memory takes; a SEND needs a receive buffer:
 *
 * | presented | condition            | answer                                | requirement |
 * |-----------|----------------------|---------------------------------------|-------------|
 * | WRITE     | fits into the memory | OK after memoryLatency                | RT-2        |
 * | READ      | fits into the memory | OK at once, data after memoryLatency  | RT-2        |
 * | SEND      | a receive buffer     | takes it; OK after memoryLatency      | RT-2        |
 * | SEND      | no receive buffer    | NOT_READY, again after notReadyDelay  | RT-18       |
 * | any       | too long, or the tag | ERROR                                 | RT-18       |
 * |           | does not fit the     |                                       |             |
 * |           | transaction          |                                       |             |
 *
 * Operations that the transport has no room for wait in the send queue of their connection, in
 * order. It is driven as TransportEndpoint is, and has no clock either.
 */
class RdmaEndpoint
{
  public:
    static constexpr uint32_t COOKIE_BITS = 62; ///< Of a cookie.

    /**
     * @param transport settings of the transport below
     * @param rdma settings of the protocol
     * @param accepted settings of connections that peers open, see TransportEndpoint
     * @throw std::invalid_argument if a setting is out of its range
     */
    RdmaEndpoint(const TransportSettings& transport,
                 const RdmaSettings& rdma,
                 const ConnectionSettings& accepted = {});

    /// See TransportEndpoint::Connect().
    ConnectionId Connect(PeerAddress peer, const ConnectionSettings& settings, TimePs now);

    /**
     * Closes a connection when all its operations are complete; no further ones are taken.
     *
     * @param cid the own CID
     * @param now the time, ps
     * @return whether there is such a connection
     */
    bool Close(ConnectionId cid, TimePs now);

    /// See TransportEndpoint::Reset().
    bool Reset(ConnectionId cid, TimePs now);

    /**
     * Asks for an operation. Its COMPLETION follows, whatever happens.
     *
     * @param cid the own CID
     * @param operation what to do
     * @param bytes to move, 0 to 2^31 - 1
     * @param cookie any number below 2^62; the completion and the target see it
     * @param now the time, ps
     * @return false if there is no such connection, or it takes no operations any more
     * @throw std::invalid_argument if bytes or cookie are out of range
     */
    bool Post(ConnectionId cid,
              RdmaOperation operation,
              uint32_t bytes,
              uint64_t cookie,
              TimePs now);

    /// @param count receive buffers more
    void PostReceives(uint64_t count)
    {
        m_receives = count < UINT64_MAX - m_receives ? m_receives + count : UINT64_MAX;
    }

    /// See TransportEndpoint::Receive().
    void Receive(const TransportPacket& packet, PeerAddress peer, TimePs now);

    /// See TransportEndpoint::HasPacket().
    bool HasPacket() const
    {
        return m_transport.HasPacket();
    }

    /// See TransportEndpoint::NextPacket().
    std::optional<OutgoingPacket> NextPacket(TimePs now);

    /// @return the next time at which there is something to do; NEVER if none, ps
    TimePs NextTime() const;

    /**
     * Looks ahead: which of what is to come the user may be told of.
     *
     * @param packet on its way to here, for the first time
     * @return whether the user may be told of something when it comes. It holds until then, but not
     *         longer than TellsOfAll() is false
     */
    bool Foresee(const TransportPacket& packet);

    /// @return whether the user may be told of something whenever something happens
    bool TellsOfAll() const
    {
        return m_settings.reportsOneSided || m_takesSends;
    }

    /// @return the next time at which the user may be told of something if no packet comes; NEVER
    /// if none, ps
    TimePs NextReport() const
    {
        return TellsOfAll() ? NextTime() : m_transport.NextDeadline();
    }

    /// @param now all timers up to this time are run, ps
    void RunUntil(TimePs now);

    /// @return the oldest event that was not taken yet
    std::optional<RdmaEvent> NextEvent();

    /// @return the transport below
    const TransportEndpoint& GetTransport() const
    {
        return m_transport;
    }

    /// @return what was counted so far
    const RdmaCounts& Counts() const
    {
        return m_counts;
    }

    /// @return bytes of memory held
    std::size_t MemoryBytes() const;

  private:
    /// An operation that waits in the send queue.
    struct Work
    {
        RdmaOperation operation; ///< What to do.
        uint32_t bytes;          ///< To move.
        uint64_t cookie;         ///< The user's.
        TimePs postedAt;         ///< When it was posted, ps.
    };

    /// When an operation was posted that had to wait in the send queue.
    struct Late
    {
        RequestId rsn;   ///< Its request.
        TimePs postedAt; ///< When it was posted, ps; NEVER once it is complete.
    };

    /// What is known of a connection besides what the transport knows.
    struct Queue
    {
        ConnectionId cid{NO_CONNECTION}; ///< The own CID; NO_CONNECTION while it is not in use.
        PeerAddress peer{0};             ///< The other end.
        bool isClosing{false};           ///< Close() waits for `work`.
        bool waits{false};               ///< Stands in m_waiting.
        Ring<Work> work;                 ///< Not yet taken by the transport.
        Ring<Late> late;                 ///< Taken later than they were posted, by RSN.
    };

    /// An answer that waits for the memory.
    struct Answer
    {
        TimePs at;               ///< When it is given, ps.
        ConnectionId cid;        ///< The own CID.
        uint32_t rsn;            ///< The peer's request.
        RdmaOperation operation; ///< READ: its data goes out. Else its answer is OK.
    };

    /// @return the index of a CID among the queues
    static uint32_t IndexOf(ConnectionId cid)
    {
        return cid & 0xFFFF;
    }

    /// @return the queue of a connection in use, or null
    Queue* Find(ConnectionId cid);
    /// @return the queue of a connection, made if need be
    Queue& Open(ConnectionId cid, PeerAddress peer);
    /// Hands work to the transport. @return its RSN, if it was taken
    std::optional<RequestId> TryRequest(ConnectionId cid, const Work& work, TimePs now);
    /// @return when the operation of a completion was posted, ps
    TimePs TakePostedAt(const UlpEvent& event);
    /// Hands waiting work of all connections to the transport, in turn.
    void Flush(TimePs now);
    /// Hands waiting work of one connection to the transport. @return whether all was taken
    bool FlushQueue(Queue& queue, TimePs now);
    /// Takes what the transport has to tell.
    void Drain(TimePs now);
    /// Handles one event of the transport.
    void Handle(const UlpEvent& event, TimePs now);
    /// Answers a peer's request.
    void Present(const UlpEvent& event, TimePs now);
    /// An operation may be done. Answers later, or at once.
    void Grant(const UlpEvent& event, RdmaOperation operation, TimePs now);
    /// Gives an answer.
    void Give(const Answer& answer, TimePs now);
    /// Counts an own operation that is complete.
    void Count(const UlpEvent& event);
    /// An own operation is complete.
    void Complete(const UlpEvent& event);
    /// A connection has come to its end.
    void Forget(const UlpEvent& event, RdmaEventType type);
    /// Passes an event on.
    void Tell(RdmaEventType type, const UlpEvent& event);

    TransportEndpoint m_transport; ///< Below.
    RdmaSettings m_settings;       ///< The user's.
    RdmaCounts m_counts;           ///< So far.
    bool m_takesSends{false};      ///< A SEND has come, or is on its way.
    uint64_t m_receives;           ///< Receive buffers that are free.
    std::vector<Queue> m_queues;   ///< By the CIDs' indices.
    Ring<ConnectionId> m_waiting;  ///< Connections with waiting work, in turn.
    Ring<Answer> m_answers;        ///< By time, since all wait equally long.
    Ring<RdmaEvent> m_events;      ///< Not taken yet.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_RDMA_ENDPOINT_H
