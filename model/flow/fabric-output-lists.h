/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTPUT_LISTS_H
#define FABRIC_OUTPUT_LISTS_H

#include "fabric-input-queue.h"
#include "fabric-lane-table.h"
#include "fabric-port-turns.h"

#include <array>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/// Between what an output is shared fairly.
enum Arbitration
{
    ARBITRATE_BY_FLOW, ///< Between flow channels (for frames of no flow: virtual output queues).
    ARBITRATE_BY_PORT, ///< Between input ports; inside an input port who came first is served
                       ///< first.
};

/**
 * The queues that wait for an output, in a list for each virtual channel or virtual lane. In a list
 * they have turns, fair between flow channels or between input ports (FC-18); between the lists
 * somebody else chooses.
 *
 * What finds a queue by its QueueRef is passed in as `queues`: `InputQueue& queues(QueueRef)`.
 */
class OutputLists
{
  public:
    static constexpr uint32_t MOST = DEFAULT_LANES; ///< Lists of an output.

    /**
     * To be called while no queue waits.
     *
     * @param arbitration between what a list is shared
     */
    void Configure(Arbitration arbitration, uint32_t inputs)
    {
        m_byPort = arbitration == ARBITRATE_BY_PORT
                       ? std::make_unique<std::vector<PortTurns>>(MOST, PortTurns(inputs))
                       : nullptr;
    }

    /// @return bit mask of lists in which queues wait
    uint32_t Waiting() const
    {
        return m_waiting;
    }

    /// @return whether no queue waits in it
    bool IsEmpty(uint32_t list) const
    {
        return (m_waiting >> list & 1) == 0;
    }

    /**
     * @param queues finds a queue
     * @return the queue whose turn it is; one must wait
     */
    template <typename Queues>
    QueueRef Front(uint32_t list, Queues&& queues) const
    {
        return m_byPort ? (*m_byPort)[list].Front(queues) : m_byFlow[list].Front(queues);
    }

    /**
     * To be called before Front() if queues or their first frames have changed: between input
     * ports, an input port's turn is its oldest frame's.
     *
     * @param queues finds a queue
     * @param arrival tells when a queue's first frame came: `TimePs arrival(const InputQueue&)`
     */
    template <typename Queues, typename Arrival>
    void SettleTurn(uint32_t list, Queues&& queues, Arrival&& arrival)
    {
        if (m_byPort)
        {
            (*m_byPort)[list].SettleTurn(queues, arrival);
        }
    }

    /**
     * @param queues finds a queue
     * @param ref a queue that begins to wait
     */
    template <typename Queues>
    void Append(uint32_t list, Queues&& queues, QueueRef ref)
    {
        m_waiting |= 1U << list;
        m_byPort ? (*m_byPort)[list].Append(queues, ref) : m_byFlow[list].Append(queues, ref);
    }

    /**
     * The queue whose turn it was has been served; the turn passes on.
     *
     * @param queues finds a queue
     * @param stays whether the queue still waits
     */
    template <typename Queues>
    void Served(uint32_t list, Queues&& queues, bool stays)
    {
        m_byPort ? (*m_byPort)[list].Served(queues, stays) : m_byFlow[list].Served(queues, stays);
        NoteEmpty(list);
    }

    /**
     * The queue whose turn it is does not wait any more and was not served. The turn stays where it
     * is: with the next flow, or with the same input port.
     *
     * @param queues finds a queue
     */
    template <typename Queues>
    void RemoveFront(uint32_t list, Queues&& queues)
    {
        m_byPort ? (*m_byPort)[list].RemoveFront(queues) : m_byFlow[list].RemoveFront(queues);
        NoteEmpty(list);
    }

    /**
     * Nothing waits any more.
     *
     * @param queues finds a queue
     * @param visit is called with each queue that waited: `void visit(QueueRef)`
     */
    template <typename Queues, typename Visit>
    void TakeAll(Queues&& queues, Visit&& visit)
    {
        while (m_waiting != 0)
        {
            const auto list = static_cast<uint32_t>(__builtin_ctz(m_waiting));
            const QueueRef ref = Front(list, queues);
            RemoveFront(list, queues);
            visit(ref);
        }
    }

    /**
     * For checks.
     *
     * @param queues finds a queue
     * @param visit is called with each queue that waits: `void visit(QueueRef)`
     */
    template <typename Queues, typename Visit>
    void ForEach(uint32_t list, Queues&& queues, Visit&& visit) const
    {
        m_byPort ? (*m_byPort)[list].ForEach(queues, visit) : m_byFlow[list].ForEach(queues, visit);
    }

  private:
    /// @return whether no queue is in a list
    bool HasNone(uint32_t list) const
    {
        return m_byPort ? (*m_byPort)[list].IsEmpty() : m_byFlow[list].IsEmpty();
    }

    /// A queue has left a list.
    void NoteEmpty(uint32_t list)
    {
        m_waiting &= ~(uint32_t{HasNone(list)} << list);
    }

    uint32_t m_waiting{0};                            ///< See Waiting().
    std::unique_ptr<std::vector<PortTurns>> m_byPort; ///< By list; null if by flow.
    std::array<QueueRing, MOST> m_byFlow;             ///< By list; empty if by port.
};

} // namespace ns3::fabric

#endif // FABRIC_OUTPUT_LISTS_H
