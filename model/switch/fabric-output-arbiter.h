/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTPUT_ARBITER_H
#define FABRIC_OUTPUT_ARBITER_H

#include "fabric-input-queue.h"

#include <memory>
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

/**
 * Input ports that take turns at an output, each with the list of its queues. Inside an input port
 * the turn is that of the queue whose first frame is the oldest.
 */
class PortTurns
{
  public:
    /// @param inputs number of input ports
    explicit PortTurns(uint32_t inputs)
        : m_groups(inputs)
    {
    }

    /// @return whether no queue waits
    bool IsEmpty() const
    {
        return m_turns.empty();
    }

    /// @return the queue whose turn it is; one must wait
    template <typename Queues>
    QueueRef Front(Queues&& queues) const
    {
        return m_groups[m_turns.front()].Front(queues);
    }

    /// @copydoc OutputArbiter::SettleTurn()
    template <typename Queues, typename Arrival>
    void SettleTurn(Queues&& queues, Arrival&& arrival)
    {
        if (!m_turns.empty())
        {
            m_groups[m_turns.front()].TurnToOldest(queues, arrival);
        }
    }

    /// @copydoc OutputArbiter::Append()
    template <typename Queues>
    void Append(Queues&& queues, QueueRef ref)
    {
        QueueRing& group = m_groups[ref.input];
        if (group.IsEmpty())
        {
            m_turns.push_back(ref.input);
        }
        group.Append(queues, ref);
    }

    /// @copydoc OutputArbiter::Served()
    template <typename Queues>
    void Served(Queues&& queues, bool stays)
    {
        const uint16_t input = m_turns.front();
        m_turns.erase(m_turns.begin());
        QueueRing& group = m_groups[input];
        group.Served(queues, stays);
        if (!group.IsEmpty())
        {
            m_turns.push_back(input);
        }
    }

    /// @copydoc OutputArbiter::RemoveFront()
    template <typename Queues>
    void RemoveFront(Queues&& queues)
    {
        QueueRing& group = m_groups[m_turns.front()];
        group.RemoveFront(queues);
        if (group.IsEmpty())
        {
            m_turns.erase(m_turns.begin());
        }
    }

    /// @copydoc OutputArbiter::ForEach()
    template <typename Queues, typename Visit>
    void ForEach(Queues&& queues, Visit&& visit) const
    {
        for (const QueueRing& group : m_groups)
        {
            group.ForEach(queues, visit);
        }
    }

    /// @return bytes of memory held with the object
    std::size_t MemoryBytes() const
    {
        return sizeof(*this) + m_groups.capacity() * sizeof(QueueRing) +
               m_turns.capacity() * sizeof(uint16_t);
    }

  private:
    std::vector<QueueRing> m_groups; ///< The queues of each input.
    std::vector<uint16_t> m_turns;   ///< Inputs that wait, whose turn it is first.
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
        m_ports = arbitration == ARBITRATE_BY_PORT ? std::make_unique<PortTurns>(inputs) : nullptr;
    }

    /// @return whether no queue waits
    bool IsEmpty() const
    {
        return m_ports ? m_ports->IsEmpty() : m_flows.IsEmpty();
    }

    /**
     * @param queues finds a queue
     * @return the queue whose turn it is; one must wait
     */
    template <typename Queues>
    QueueRef Front(Queues&& queues) const
    {
        return m_ports ? m_ports->Front(queues) : m_flows.Front(queues);
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
        if (m_ports)
        {
            m_ports->SettleTurn(queues, arrival);
        }
    }

    /**
     * @param queues finds a queue
     * @param ref a queue that begins to wait
     */
    template <typename Queues>
    void Append(Queues&& queues, QueueRef ref)
    {
        m_ports ? m_ports->Append(queues, ref) : m_flows.Append(queues, ref);
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
        m_ports ? m_ports->Served(queues, stays) : m_flows.Served(queues, stays);
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
        m_ports ? m_ports->RemoveFront(queues) : m_flows.RemoveFront(queues);
    }

    /**
     * For checks and for changes of what an output is arbitrated between.
     *
     * @param queues finds a queue
     * @param visit is called with each queue that waits: `void visit(QueueRef)`
     */
    template <typename Queues, typename Visit>
    void ForEach(Queues&& queues, Visit&& visit) const
    {
        m_ports ? m_ports->ForEach(queues, visit) : m_flows.ForEach(queues, visit);
    }

    /// @return bytes of memory held besides the object
    std::size_t MemoryBytes() const
    {
        return m_ports ? m_ports->MemoryBytes() : 0;
    }

  private:
    QueueRing m_flows;                  ///< By flow: all queues.
    std::unique_ptr<PortTurns> m_ports; ///< By port; null if by flow.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_OUTPUT_ARBITER_H
