/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTPUT_LISTS_H
#define FABRIC_OUTPUT_LISTS_H

#include "fabric-input-queue.h"
#include "fabric-lane-table.h"
#include "fabric-party-turns.h"

#include <array>
#include <memory>
#include <vector>

namespace ns3::fabric
{

class Shaper;

/**
 * The queues that wait for an output, in a list for each virtual channel or virtual lane, or for
 * each virtual channel of a shaping queue. In a list
 * they have turns by frames or by bytes, fair between flow channels or between input ports (FC-18);
 * between the lists somebody else chooses.
 *
 * What finds a queue by its QueueRef is passed in as `queues`: `InputQueue& queues(QueueRef)`.
 */
class OutputLists
{
  public:
    static constexpr uint32_t USUAL = DEFAULT_LANES; ///< Lists of an output without shaping.
    static constexpr uint32_t MOST = 32;             ///< Lists of one with shaping (SW-8).

    /**
     * To be called while no queue waits.
     *
     * @param arbitration between what a list is shared
     * @param turns how long they are
     * @param shaper chooses between MOST lists; null if there are USUAL ones
     */
    void Configure(Arbitration arbitration,
                   const TurnSettings& turns,
                   uint32_t inputs,
                   Shaper* shaper = nullptr)
    {
        m_parties.reset();
        if (arbitration == ARBITRATE_BY_FLOW && turns.unit == TURNS_BY_FRAMES && !shaper)
        {
            return;
        }
        m_parties = std::make_unique<Parties>();
        m_parties->shaper = shaper;
        m_parties->lists.resize(shaper ? MOST : USUAL);
        for (PartyTurns& list : m_parties->lists)
        {
            list.Configure(arbitration, turns, inputs);
        }
    }

    /// @return who chooses between the lists by traffic shaping (SW-10); null if nobody does
    Shaper* GetShaper() const
    {
        return m_parties ? m_parties->shaper : nullptr;
    }

    /// @return number of lists
    uint32_t Count() const
    {
        return m_parties ? static_cast<uint32_t>(m_parties->lists.size()) : USUAL;
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

    /// @return whether queues wait, and have turns by flow
    bool KnowsLast() const
    {
        return (static_cast<uint32_t>(m_waiting != 0) & static_cast<uint32_t>(!m_parties)) != 0;
    }

    /// @return the queue whose turn comes last in the first list in which queues wait; it knows
    /// the first. KnowsLast() must hold
    QueueRef Last() const
    {
        return m_byFlow[__builtin_ctz(m_waiting)].Tail();
    }

    /**
     * @param queues finds a queue
     * @return the queue whose turn it is; one must wait
     */
    template <typename Queues>
    QueueRef Front(uint32_t list, Queues&& queues) const
    {
        return m_parties ? m_parties->lists[list].Front(queues) : m_byFlow[list].Front(queues);
    }

    /**
     * To be called before Front() if queues or their first frames have changed: by port, an input
     * port's turn is its oldest frame's; by bytes, a turn is over if too little is left of it for
     * that frame.
     *
     * @param queues finds a queue
     * @param first finds a queue's first frame: `const Frame& first(const InputQueue&)`
     */
    template <typename Queues, typename First>
    void SettleTurn(uint32_t list, Queues&& queues, First&& first)
    {
        if (m_parties)
        {
            m_parties->lists[list].SettleTurn(queues, first);
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
        m_parties ? m_parties->lists[list].Append(queues, ref) : m_byFlow[list].Append(queues, ref);
    }

    /**
     * The queue whose turn it was has been served; the turn passes on, by bytes if it is over.
     *
     * @param queues finds a queue
     * @param stays whether the queue still waits
     * @param bytes of the frame on the wire
     */
    template <typename Queues>
    void Served(uint32_t list, Queues&& queues, bool stays, uint32_t bytes)
    {
        m_parties ? m_parties->lists[list].Served(queues, stays, bytes)
                  : m_byFlow[list].Served(queues, stays);
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
        m_parties ? m_parties->lists[list].RemoveFront(queues) : m_byFlow[list].RemoveFront(queues);
        NoteEmpty(list);
    }

    /**
     * A queue, whoever's turn it is, does not wait any more and was not served.
     *
     * @param queues finds a queue
     * @param ref a queue of the list
     */
    template <typename Queues>
    void Remove(uint32_t list, Queues&& queues, QueueRef ref)
    {
        m_parties ? m_parties->lists[list].Remove(queues, ref) : m_byFlow[list].Remove(queues, ref);
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
        m_parties ? m_parties->lists[list].ForEach(queues, visit)
                  : m_byFlow[list].ForEach(queues, visit);
    }

  private:
    /// Lists of who takes turns, where these are not flows by frames, or lists are many.
    struct Parties
    {
        std::vector<PartyTurns> lists; ///< By list.
        Shaper* shaper{nullptr};       ///< See GetShaper().
    };

    /// @return whether no queue is in a list
    bool HasNone(uint32_t list) const
    {
        return m_parties ? m_parties->lists[list].IsEmpty() : m_byFlow[list].IsEmpty();
    }

    /// A queue has left a list.
    void NoteEmpty(uint32_t list)
    {
        m_waiting &= ~(uint32_t{HasNone(list)} << list);
    }

    std::unique_ptr<Parties> m_parties;    ///< Null if by flow and frames, and without shaping.
    uint32_t m_waiting{0};                 ///< See Waiting().
    std::array<QueueRing, USUAL> m_byFlow; ///< By list; empty if there are parties.
};

} // namespace ns3::fabric

#endif // FABRIC_OUTPUT_LISTS_H
