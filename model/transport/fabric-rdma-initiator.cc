/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rdma-initiator.h"

#include "fabric-rdma-tag.h"

#include <utility>

namespace ns3::fabric
{

void
RdmaInitiator::Open(ConnectionId cid)
{
    const uint32_t place = PlaceOf(cid);
    if (place >= m_queues.size())
    {
        m_queues.resize(place + 1);
    }
    m_queues[place].cid = cid;
    m_queues[place].isClosing = false;
}

void
RdmaInitiator::Close(ConnectionId cid, TimePs now)
{
    Queue& queue = *Find(cid);
    queue.isClosing = true;
    if (queue.work.IsEmpty())
    {
        m_transport.Close(cid, now);
    }
}

std::optional<RequestId>
RdmaInitiator::TryRequest(ConnectionId cid, const RdmaWork& work, TimePs now)
{
    const uint64_t tag = RdmaTag::Of(work.operation, work.cookie);
    return work.operation == RdmaOperation::READ ? m_transport.Pull(cid, work.bytes, now, tag)
                                                 : m_transport.Push(cid, work.bytes, now, tag);
}

bool
RdmaInitiator::Post(ConnectionId cid, const RdmaWork& work, TimePs now)
{
    Queue* queue = Find(cid);
    if (!queue || queue->isClosing || !m_transport.CanRequest(cid))
    {
        return false;
    }
    ++m_counts.posted;
    ++m_counts.outstanding;
    m_counts.postedBytes += work.bytes;
    m_counts.outstandingBytes += work.bytes;
    if (!queue->work.IsEmpty() || !TryRequest(cid, work, now))
    {
        queue->work.Push(work);
        if (!queue->waits)
        {
            queue->waits = true;
            m_waiting.Push(cid);
        }
    }
    return true;
}

void
RdmaInitiator::Flush(TimePs now)
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
RdmaInitiator::FlushQueue(Queue& queue, TimePs now)
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
RdmaInitiator::Count(const UlpEvent& event)
{
    const bool isOk = event.status == TransportStatus::OK;
    ++(isOk ? m_counts.completed : m_counts.failed);
    (isOk ? m_counts.completedBytes : m_counts.failedBytes) += event.bytes;
    --m_counts.outstanding;
    m_counts.outstandingBytes -= event.bytes;
}

void
RdmaInitiator::Complete(const UlpEvent& event)
{
    Count(event);
    RdmaEvent told = RdmaTag::EventOf(RdmaEventType::COMPLETION, event);
    told.postedAt = TakePostedAt(event);
    m_events.Push(told);
}

TimePs
RdmaInitiator::TakePostedAt(const UlpEvent& event)
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
RdmaInitiator::Forget(const UlpEvent& event)
{
    Queue* queue = Find(event.cid);
    if (!queue)
    {
        return;
    }
    while (!queue->work.IsEmpty())
    {
        const RdmaWork work = queue->work.Front();
        UlpEvent flushed = event;
        flushed.status = TransportStatus::FLUSHED;
        flushed.bytes = work.bytes;
        flushed.tag = RdmaTag::Of(work.operation, work.cookie);
        flushed.issuedAt = work.postedAt;
        queue->work.Pop();
        Count(flushed);
        m_events.Push(RdmaTag::EventOf(RdmaEventType::COMPLETION, flushed));
    }
    queue->late = {};
    queue->cid = NO_CONNECTION;
    queue->waits = false;
}

} // namespace ns3::fabric
