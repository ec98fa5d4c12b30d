/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_QUEUE_RING_H
#define FABRIC_QUEUE_RING_H

#include "fabric-types.h"

namespace ns3::fabric
{

/**
 * Round robin over queues, as those of one output and virtual channel.
 *
 * The list is circular and linked through the queues themselves, so it costs no memory per entry,
 * and going on to the next queue writes only `m_tail`. What finds a queue by its name is passed in
 * as `queues`: `Queue& queues(Ref)`; a queue has a member `Ref next`, which is NONE while it is in
 * no list.
 *
 * @tparam Ref names a queue
 * @tparam NONE names no queue
 */
template <typename Ref, const Ref& NONE>
class BasicQueueRing
{
  public:
    /// @return whether no queue is in the list
    bool IsEmpty() const
    {
        return m_tail == NONE;
    }

    /// @return the queue whose turn comes last, which knows the first; the list must not be empty
    Ref Tail() const
    {
        return m_tail;
    }

    /**
     * @param queues finds a queue
     * @return the queue whose turn it is; the list must not be empty
     */
    template <typename Queues>
    Ref Front(Queues&& queues) const
    {
        return queues(m_tail).next;
    }

    /**
     * @param queues finds a queue
     * @param ref a queue that is in no list; its turn comes last
     */
    template <typename Queues>
    void Append(Queues&& queues, Ref ref)
    {
        auto& queue = queues(ref);
        if (IsEmpty())
        {
            queue.next = ref;
        }
        else
        {
            auto& tail = queues(m_tail);
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
     * @param arrival tells when a queue's first frame came: `TimePs arrival(const Queue&)`
     */
    template <typename Queues, typename Arrival>
    void TurnToOldest(Queues&& queues, Arrival&& arrival)
    {
        Ref before = m_tail;
        Ref beforeOldest = m_tail;
        TimePs oldest = NEVER;
        do
        {
            const Ref candidate = queues(before).next;
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
        auto& tail = queues(m_tail);
        const Ref front = tail.next;
        if (front == m_tail)
        {
            m_tail = NONE;
        }
        else
        {
            tail.next = queues(front).next;
        }
        queues(front).next = NONE;
    }

    /**
     * Takes a queue out of the list. The order of the others stays, and the turn, if it is not its
     * own.
     *
     * @param queues finds a queue
     * @param ref a queue of the list
     */
    template <typename Queues>
    void Remove(Queues&& queues, Ref ref)
    {
        Ref before = m_tail;
        while (!(queues(before).next == ref))
        {
            before = queues(before).next;
        }
        if (before == ref)
        {
            m_tail = NONE;
        }
        else
        {
            queues(before).next = queues(ref).next;
            m_tail = m_tail == ref ? before : m_tail;
        }
        queues(ref).next = NONE;
    }

    /**
     * @param queues finds a queue
     * @param ref a queue of the list, whose turn it is now; that of those before it passes
     */
    template <typename Queues>
    void TurnTo(Queues&& queues, Ref ref)
    {
        while (!(Front(queues) == ref))
        {
            Rotate(queues);
        }
    }

    /**
     * @param queues finds a queue
     * @param visit is called with each queue, whose turn it is first
     */
    template <typename Queues, typename Visit>
    void ForEach(Queues&& queues, Visit&& visit) const
    {
        Ref ref = m_tail;
        while (!(ref == NONE))
        {
            ref = queues(ref).next;
            visit(ref);
            ref = ref == m_tail ? NONE : ref;
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
    Ref m_tail{NONE}; ///< The queue whose turn comes last.
};

} // namespace ns3::fabric

#endif // FABRIC_QUEUE_RING_H
