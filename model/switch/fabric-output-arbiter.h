/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTPUT_ARBITER_H
#define FABRIC_OUTPUT_ARBITER_H

#include "fabric-input-queue.h"

#include <vector>

namespace ns3
{
namespace fabric
{

/// Between what an output is shared fairly.
enum Arbitration
{
    ARBITRATE_BY_FLOW, ///< Between flow channels (for frames of no flow: virtual output queues).
    ARBITRATE_BY_PORT, ///< Between input ports; inside an input port who came first is served
                       ///< first.
};

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

  private:
    QueueRef m_tail{NO_QUEUE}; ///< The queue whose turn comes last.
};

/**
 * Chooses the queue that an output serves next on a virtual channel, fair between flow channels or
 * between input ports (FC-18).
 */
class OutputArbiter
{
  public:
    /**
     * @param arbitration between what the output is shared
     * @param inputs number of input ports
     */
    void Configure(Arbitration arbitration, uint32_t inputs)
    {
        m_byPort = arbitration == ARBITRATE_BY_PORT;
        m_groups.assign(m_byPort ? inputs : 0, QueueRing{});
    }

    /// @return whether no queue waits
    bool IsEmpty() const
    {
        return m_byPort ? m_turns.empty() : m_flows.IsEmpty();
    }

    /**
     * @param queues finds a queue
     * @return the queue whose turn it is; one must wait
     */
    template <typename Queues>
    QueueRef Front(Queues&& queues) const
    {
        return m_byPort ? m_groups[m_turns.front()].Front(queues) : m_flows.Front(queues);
    }

    /**
     * To be called before Front() if queues or their first frames have changed: between input
     * ports, an input port's turn is its oldest frame's.
     *
     * @param queues finds a queue
     * @param arrival tells when a queue's first frame came: `TimePs arrival(const InputQueue&)`
     */
    template <typename Queues, typename Arrival>
    void SettleTurn(Queues&& queues, Arrival&& arrival)
    {
        if (m_byPort && !m_turns.empty())
        {
            m_groups[m_turns.front()].TurnToOldest(queues, arrival);
        }
    }

    /**
     * @param queues finds a queue
     * @param ref a queue that begins to wait
     */
    template <typename Queues>
    void Append(Queues&& queues, QueueRef ref)
    {
        if (!m_byPort)
        {
            m_flows.Append(queues, ref);
            return;
        }
        QueueRing& flows = m_groups[ref.input];
        if (flows.IsEmpty())
        {
            m_turns.push_back(ref.input);
        }
        flows.Append(queues, ref);
    }

    /**
     * The queue whose turn it was has been served; the turn passes on.
     *
     * @param queues finds a queue
     * @param stays whether the queue still waits
     */
    template <typename Queues>
    void Served(Queues&& queues, bool stays)
    {
        if (!m_byPort)
        {
            Pass(m_flows, queues, stays);
            return;
        }
        const uint16_t input = m_turns.front();
        m_turns.erase(m_turns.begin());
        QueueRing& flows = m_groups[input];
        Pass(flows, queues, stays);
        if (!flows.IsEmpty())
        {
            m_turns.push_back(input);
        }
    }

    /**
     * The queue whose turn it is does not wait any more and was not served. The turn stays where it
     * is: with the next flow, or with the same input port.
     *
     * @param queues finds a queue
     */
    template <typename Queues>
    void RemoveFront(Queues&& queues)
    {
        if (!m_byPort)
        {
            m_flows.RemoveFront(queues);
            return;
        }
        QueueRing& flows = m_groups[m_turns.front()];
        flows.RemoveFront(queues);
        if (flows.IsEmpty())
        {
            m_turns.erase(m_turns.begin());
        }
    }

    /// @return bytes of memory held besides the object
    std::size_t MemoryBytes() const
    {
        return m_groups.capacity() * sizeof(QueueRing) + m_turns.capacity() * sizeof(uint16_t);
    }

  private:
    /**
     * @param ring of the queue that was served
     * @param queues finds a queue
     * @param stays whether the queue still waits
     */
    template <typename Queues>
    static void Pass(QueueRing& ring, Queues&& queues, bool stays)
    {
        if (stays)
        {
            ring.Rotate(queues);
        }
        else
        {
            ring.RemoveFront(queues);
        }
    }

    QueueRing m_flows;               ///< By flow: all queues.
    std::vector<QueueRing> m_groups; ///< By port: the queues of each input.
    std::vector<uint16_t> m_turns;   ///< By port: inputs that wait, whose turn it is first.
    bool m_byPort{false};            ///< Whether input ports are treated alike.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_OUTPUT_ARBITER_H
