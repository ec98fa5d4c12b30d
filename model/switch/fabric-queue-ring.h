/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_QUEUE_RING_H
#define FABRIC_QUEUE_RING_H

#include "fabric-input-queue.h"

namespace ns3
{
namespace fabric
{

/**
 * Round robin over the queues of one output and virtual channel.
 *
 * The list is circular and linked through the queues themselves, so it costs no memory per entry,
 * and going on to the next queue writes only `m_tail`. What finds a queue by its QueueRef is passed
 * in as `queues`: `InputQueue& queues(QueueRef)`.
 */
class QueueRing
{
  public:
    /// @return whether no queue is in the list
    bool IsEmpty() const
    {
        return m_tail == NO_QUEUE;
    }

    /**
     * @param queues finds a queue
     * @return the queue whose turn it is; the list must not be empty
     */
    template <typename Queues>
    QueueRef Front(Queues&& queues) const
    {
        return queues(m_tail).next;
    }

    /**
     * @param queues finds a queue
     * @param ref a queue that is in no list; its turn comes last
     */
    template <typename Queues>
    void Append(Queues&& queues, QueueRef ref)
    {
        InputQueue& queue = queues(ref);
        if (IsEmpty())
        {
            queue.next = ref;
        }
        else
        {
            InputQueue& tail = queues(m_tail);
            queue.next = tail.next;
            tail.next = ref;
        }
        m_tail = ref;
    }

    /**
     * Gives the turn to the queue whose first frame came first. The order in which the queues
     * follow each other stays.
     *
     * @param queues finds a queue
     * @param arrival tells when a queue's first frame came: `TimePs arrival(const InputQueue&)`
     */
    template <typename Queues, typename Arrival>
    void TurnToOldest(Queues&& queues, Arrival&& arrival)
    {
        QueueRef before = m_tail;
        QueueRef beforeOldest = m_tail;
        TimePs oldest = NEVER;
        do
        {
            const QueueRef candidate = queues(before).next;
            const TimePs came = arrival(queues(candidate));
            if (came < oldest)
            {
                oldest = came;
                beforeOldest = before;
            }
            before = candidate;
        } while (!(before == m_tail));
        m_tail = beforeOldest;
    }

    /**
     * The turn passes to the next queue.
     *
     * @param queues finds a queue
     */
    template <typename Queues>
    void Rotate(Queues&& queues)
    {
        m_tail = queues(m_tail).next;
    }

    /**
     * Takes the queue whose turn it is out of the list.
     *
     * @param queues finds a queue
     */
    template <typename Queues>
    void RemoveFront(Queues&& queues)
    {
        InputQueue& tail = queues(m_tail);
        const QueueRef front = tail.next;
        if (front == m_tail)
        {
            m_tail = NO_QUEUE;
        }
        else
        {
            tail.next = queues(front).next;
        }
        queues(front).next = NO_QUEUE;
    }

    /**
     * @param queues finds a queue
     * @param visit is called with each queue, whose turn it is first
     */
    template <typename Queues, typename Visit>
    void ForEach(Queues&& queues, Visit&& visit) const
    {
        QueueRef ref = m_tail;
        while (!(ref == NO_QUEUE))
        {
            ref = queues(ref).next;
            visit(ref);
            ref = ref == m_tail ? NO_QUEUE : ref;
        }
    }

    /**
     * The first queue was served.
     *
     * @param queues finds a queue
     * @param stays whether it stays in the list, as the last one
     */
    template <typename Queues>
    void Served(Queues&& queues, bool stays)
    {
        if (stays)
        {
            Rotate(queues);
        }
        else
        {
            RemoveFront(queues);
        }
    }

  private:
    QueueRef m_tail{NO_QUEUE}; ///< The queue whose turn comes last.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_QUEUE_RING_H
