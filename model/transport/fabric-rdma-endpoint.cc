/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rdma-endpoint.h"

#include "fabric-require.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace fabric
{

namespace
{

constexpr const char* WHERE = "RDMA"; ///< Names the class in complaints.

constexpr uint32_t MOST_BYTES = 0x7FFFFFFF; ///< Of an operation, as the transport's transactions.

/// Bits of the tag that hold the cookie.
constexpr uint64_t COOKIE_MASK = (uint64_t{1} << RdmaEndpoint::COOKIE_BITS) - 1;

/**
 * @param operation what to do
 * @param cookie the user's
 * @return the tag of its request
 */
uint64_t
TagOf(RdmaOperation operation, uint64_t cookie)
{
    return static_cast<uint64_t>(operation) << RdmaEndpoint::COOKIE_BITS | cookie;
}

/**
 * @param packet of a peer
 * @return whether it is of a SEND and tells so
 */
bool
IsSend(const TransportPacket& packet)
{
    return packet.HasPiece() && packet.piece.tag >> RdmaEndpoint::COOKIE_BITS ==
                                    static_cast<uint64_t>(RdmaOperation::SEND);
}

/**
 * @param event of a request
 * @return the operation that its tag says
 */
RdmaOperation
OperationOf(const UlpEvent& event)
{
    return static_cast<RdmaOperation>(event.tag >> RdmaEndpoint::COOKIE_BITS);
}

/**
 * @param event of a request
 * @return whether its tag says an operation that fits the transaction; a peer may say anything
 */
bool
IsConsistent(const UlpEvent& event)
{
    switch (OperationOf(event))
    {
    case RdmaOperation::WRITE:
    case RdmaOperation::SEND:
        return event.operation == UlpOperation::PUSH;
    case RdmaOperation::READ:
        return event.operation == UlpOperation::PULL;
    }
    return false; // 3 is no operation
}

} // namespace

void
RdmaSettings::Validate() const
{
    const auto time = [](const char* what, TimePs value) {
        // As unsigned numbers negative ones are out of range.
        RequireRange(WHERE, what, static_cast<uint64_t>(value), 0, 1'000'000'000'000);
    };
    time("memory latency in ps", memoryLatency);
    time("not-ready delay in ps", notReadyDelay);
}

RdmaEndpoint::RdmaEndpoint(const TransportSettings& transport,
                           const RdmaSettings& rdma,
                           const ConnectionSettings& accepted)
    : m_transport(transport, accepted),
      m_settings(rdma),
      m_receives(rdma.receives)
{
    rdma.Validate();
}

RdmaEndpoint::Queue*
RdmaEndpoint::Find(ConnectionId cid)
{
    const uint32_t index = IndexOf(cid);
    const bool isThere =
        cid != NO_CONNECTION && index < m_queues.size() && m_queues[index].cid == cid;
    return isThere ? &m_queues[index] : nullptr;
}

RdmaEndpoint::Queue&
RdmaEndpoint::Open(ConnectionId cid, PeerAddress peer)
{
    const uint32_t index = IndexOf(cid);
    if (index >= m_queues.size())
    {
        m_queues.resize(index + 1);
    }
    m_answers.Reserve();
    Queue& queue = m_queues[index];
    queue.cid = cid;
    queue.peer = peer;
    queue.isClosing = false;
    return queue;
}

ConnectionId
RdmaEndpoint::Connect(PeerAddress peer, const ConnectionSettings& settings, TimePs now)
{
    const ConnectionId cid = m_transport.Connect(peer, settings, now);
    if (cid != NO_CONNECTION)
    {
        Open(cid, peer);
    }
    Drain(now);
    return cid;
}

bool
RdmaEndpoint::Close(ConnectionId cid, TimePs now)
{
    Queue* queue = Find(cid);
    if (!queue)
    {
        return false;
    }
    queue->isClosing = true;
    if (queue->work.IsEmpty())
    {
        m_transport.Close(cid, now);
    }
    Drain(now);
    return true;
}

bool
RdmaEndpoint::Reset(ConnectionId cid, TimePs now)
{
    const bool isThere = Find(cid) && m_transport.Reset(cid, now);
    Drain(now);
    return isThere;
}

std::optional<RequestId>
RdmaEndpoint::TryRequest(ConnectionId cid, const Work& work, TimePs now)
{
    const uint64_t tag = TagOf(work.operation, work.cookie);
    return work.operation == RdmaOperation::READ ? m_transport.Pull(cid, work.bytes, now, tag)
                                                 : m_transport.Push(cid, work.bytes, now, tag);
}

bool
RdmaEndpoint::Post(ConnectionId cid,
                   RdmaOperation operation,
                   uint32_t bytes,
                   uint64_t cookie,
                   TimePs now)
{
    RequireRange(WHERE, "size of an operation in bytes", bytes, 0, MOST_BYTES);
    RequireRange(WHERE, "cookie", cookie, 0, COOKIE_MASK);
    Queue* queue = Find(cid);
    if (!queue || queue->isClosing || !m_transport.CanRequest(cid))
    {
        return false;
    }
    ++m_counts.posted;
    ++m_counts.outstanding;
    m_counts.postedBytes += bytes;
    m_counts.outstandingBytes += bytes;
    const Work work{operation, bytes, cookie, now};
    if (!queue->work.IsEmpty() || !TryRequest(cid, work, now))
    {
        queue->work.Push(work);
        if (!queue->waits)
        {
            queue->waits = true;
            m_waiting.Push(cid);
        }
    }
    Drain(now);
    return true;
}

void
RdmaEndpoint::Receive(const TransportPacket& packet, PeerAddress peer, TimePs now)
{
    RunUntil(now);
    m_transport.Receive(packet, peer, now);
    Drain(now);
}

bool
RdmaEndpoint::Foresee(const TransportPacket& packet)
{
    // A SEND is told of in the order of requests: perhaps when another packet than its own comes.
    m_takesSends = m_takesSends || IsSend(packet);
    return TellsOfAll() || m_transport.MayTell(packet);
}

std::optional<OutgoingPacket>
RdmaEndpoint::NextPacket(TimePs now)
{
    const std::optional<OutgoingPacket> packet = m_transport.NextPacket(now);
    Drain(now);
    return packet;
}

TimePs
RdmaEndpoint::NextTime() const
{
    const TimePs answer = m_answers.IsEmpty() ? NEVER : m_answers.Front().at;
    return std::min(answer, m_transport.NextTime());
}

void
RdmaEndpoint::RunUntil(TimePs now)
{
    for (TimePs next = NextTime(); next <= now; next = NextTime())
    {
        if (!m_answers.IsEmpty() && m_answers.Front().at <= next)
        {
            const Answer answer = m_answers.Front();
            m_answers.Pop();
            Give(answer, next);
        }
        else
        {
            m_transport.RunUntil(next);
        }
        Drain(next);
    }
}

std::optional<RdmaEvent>
RdmaEndpoint::NextEvent()
{
    if (m_events.IsEmpty())
    {
        return std::nullopt;
    }
    const RdmaEvent event = m_events.Front();
    m_events.Pop();
    return event;
}

void
RdmaEndpoint::Flush(TimePs now)
{
    // One look at each connection that waits; whose work is not all taken comes last again.
    for (uint32_t left = m_waiting.Size(); left > 0; --left)
    {
        const ConnectionId cid = m_waiting.Front();
        m_waiting.Pop();
        Queue* queue = Find(cid);
        if (!queue)
        {
            continue; // it has failed meanwhile
        }
        queue->waits = !FlushQueue(*queue, now);
        if (queue->waits)
        {
            m_waiting.Push(cid);
        }
    }
}

bool
RdmaEndpoint::FlushQueue(Queue& queue, TimePs now)
{
    while (!queue.work.IsEmpty())
    {
        const std::optional<RequestId> rsn = TryRequest(queue.cid, queue.work.Front(), now);
        if (!rsn)
        {
            return false;
        }
        queue.late.Push({*rsn, queue.work.Front().postedAt});
        queue.work.Pop();
    }
    if (queue.isClosing)
    {
        m_transport.Close(queue.cid, now);
    }
    return true;
}

void
RdmaEndpoint::Drain(TimePs now)
{
    while (const std::optional<UlpEvent> event = m_transport.NextEvent())
    {
        Handle(*event, now);
    }
}

void
RdmaEndpoint::Handle(const UlpEvent& event, TimePs now)
{
    switch (event.type)
    {
    case UlpEventType::CONNECTED:
        Tell(RdmaEventType::CONNECTED, event);
        break;
    case UlpEventType::ACCEPTED:
        Open(event.cid, event.peer);
        Tell(RdmaEventType::ACCEPTED, event);
        break;
    case UlpEventType::COMPLETION:
        Complete(event);
        break;
    case UlpEventType::REQUEST:
        Present(event, now);
        break;
    case UlpEventType::ROOM:
        Flush(now);
        break;
    case UlpEventType::CLOSED:
        Forget(event, RdmaEventType::CLOSED);
        break;
    case UlpEventType::FAILED:
        Forget(event, RdmaEventType::FAILED);
        break;
    }
}

void
RdmaEndpoint::Present(const UlpEvent& event, TimePs now)
{
    const RdmaOperation operation = OperationOf(event);
    if (!IsConsistent(event) || event.bytes > m_settings.memoryBytes)
    {
        ++m_counts.refused;
        m_transport.AckRequest(event.cid, event.rsn, UlpAnswer::ERROR, now);
        return;
    }
    if (operation != RdmaOperation::SEND)
    {
        Grant(event, operation, now);
        return;
    }
    if (m_receives == 0)
    {
        ++m_counts.notReady;
        m_transport.AckRequest(event.cid,
                               event.rsn,
                               UlpAnswer::NOT_READY,
                               now,
                               m_settings.notReadyDelay);
        return;
    }
    m_receives -= m_receives == UINT64_MAX ? 0 : 1;
    Grant(event, operation, now);
}

void
RdmaEndpoint::Grant(const UlpEvent& event, RdmaOperation operation, TimePs now)
{
    ++m_counts.placed;
    if (operation == RdmaOperation::READ)
    {
        m_counts.suppliedBytes += event.bytes;
        m_transport.AckRequest(event.cid, event.rsn, UlpAnswer::OK, now);
    }
    else
    {
        m_counts.placedBytes += event.bytes;
    }
    if (operation == RdmaOperation::SEND || m_settings.reportsOneSided)
    {
        Tell(RdmaEventType::PRESENTED, event);
    }
    const Answer answer{now + m_settings.memoryLatency, event.cid, event.rsn, operation};
    if (m_settings.memoryLatency == 0)
    {
        Give(answer, now);
    }
    else
    {
        m_answers.Push(answer);
    }
}

void
RdmaEndpoint::Give(const Answer& answer, TimePs now)
{
    // The connection may have failed meanwhile; then the transport does nothing.
    if (answer.operation == RdmaOperation::READ)
    {
        m_transport.Respond(answer.cid, answer.rsn, now);
    }
    else
    {
        m_transport.AckRequest(answer.cid, answer.rsn, UlpAnswer::OK, now);
    }
}

void
RdmaEndpoint::Count(const UlpEvent& event)
{
    const bool isOk = event.status == TransportStatus::OK;
    ++(isOk ? m_counts.completed : m_counts.failed);
    (isOk ? m_counts.completedBytes : m_counts.failedBytes) += event.bytes;
    --m_counts.outstanding;
    m_counts.outstandingBytes -= event.bytes;
}

void
RdmaEndpoint::Complete(const UlpEvent& event)
{
    Count(event);
    UlpEvent told = event;
    told.issuedAt = TakePostedAt(event);
    Tell(RdmaEventType::COMPLETION, told);
}

TimePs
RdmaEndpoint::TakePostedAt(const UlpEvent& event)
{
    TimePs postedAt = event.issuedAt;
    Queue* queue = Find(event.cid);
    if (!queue)
    {
        return postedAt;
    }
    Ring<Late>& late = queue->late;
    for (uint32_t i = 0; i < late.Size(); ++i)
    {
        // RSNs rise, and wrap.
        const auto ahead = static_cast<int32_t>(event.rsn - late.At(i).rsn);
        if (ahead <= 0)
        {
            postedAt = ahead == 0 ? std::exchange(late.At(i).postedAt, NEVER) : postedAt;
            break;
        }
    }
    while (!late.IsEmpty() && late.Front().postedAt == NEVER)
    {
        late.Pop();
    }
    return postedAt;
}

void
RdmaEndpoint::Forget(const UlpEvent& event, RdmaEventType type)
{
    if (Queue* queue = Find(event.cid))
    {
        while (!queue->work.IsEmpty())
        {
            const Work work = queue->work.Front();
            UlpEvent flushed = event;
            flushed.status = TransportStatus::FLUSHED;
            flushed.bytes = work.bytes;
            flushed.tag = TagOf(work.operation, work.cookie);
            flushed.issuedAt = work.postedAt;
            queue->work.Pop();
            Count(flushed);
            Tell(RdmaEventType::COMPLETION, flushed);
        }
        queue->late = {};
        queue->cid = NO_CONNECTION;
        queue->waits = false;
    }
    Tell(type, event);
}

void
RdmaEndpoint::Tell(RdmaEventType type, const UlpEvent& event)
{
    RdmaEvent told;
    told.type = type;
    told.operation = OperationOf(event);
    told.status = event.status;
    told.isSolicited = event.isSolicited;
    told.cid = event.cid;
    told.rsn = event.rsn;
    told.bytes = event.bytes;
    told.cookie = event.tag & COOKIE_MASK;
    told.peer = event.peer;
    told.postedAt = event.issuedAt;
    told.at = event.at;
    m_events.Push(told);
}

std::size_t
RdmaEndpoint::MemoryBytes() const
{
    std::size_t bytes = m_transport.MemoryBytes() + m_queues.capacity() * sizeof(Queue) +
                        m_waiting.MemoryBytes() + m_answers.MemoryBytes() + m_events.MemoryBytes();
    for (const Queue& queue : m_queues)
    {
        bytes += queue.work.MemoryBytes() + queue.late.MemoryBytes();
    }
    return bytes;
}

} // namespace fabric
} // namespace ns3
