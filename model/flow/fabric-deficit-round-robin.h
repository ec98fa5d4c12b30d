/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DEFICIT_ROUND_ROBIN_H
#define FABRIC_DEFICIT_ROUND_ROBIN_H

#include "fabric-ring.h"

#include "ns3/assert.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * Deficit round robin (Shreedhar and Varghese, SIGCOMM'95): in each round a party may send a
 * quantum, and what it leaves of it, since its next item is larger, is added to that of the next
 * round. So what two parties that always wait have sent since both began differs by less than a
 * quantum and a largest item, whatever the sizes. Who ceases to wait loses what it has left.
 *
 * With items of cost 1 and a quantum of 1 it is plain round robin.
 *
 * A decision takes O(1) if the quantum is no less than a largest item, else as many rounds as there
 * are quanta in one. What a party has left stands beside its name in a ring, which allocates
 * nothing once it has grown.
 *
 * @tparam Party names who takes turns
 */
template <typename Party>
class DeficitRoundRobin
{
  public:
    /// @param quantum of a turn, above 0
    explicit DeficitRoundRobin(uint32_t quantum)
        : m_quantum(quantum)
    {
    }

    /// @return whether nobody waits
    bool IsEmpty() const
    {
        return m_turns.IsEmpty();
    }

    /// @return whose turn it is; one must wait
    Party Front() const
    {
        return m_turns.Front().party;
    }

    /**
     * To be called before Front() if parties or their next items have changed: the turn passes on
     * from those that have too little left for their next item.
     *
     * @param cost of a party's next item: `uint32_t cost(Party)`
     */
    template <typename Cost>
    void Settle(Cost&& cost)
    {
        while (!IsEmpty() && cost(Front()) > m_turns.Front().left)
        {
            PassOn();
        }
    }

    /// @param party begins to wait; its turn comes last
    void Append(Party party)
    {
        m_turns.Push({party, m_quantum});
    }

    /**
     * The party whose turn it is has been served, and still waits. It keeps the turn unless nothing
     * is left of it.
     *
     * @param cost of what it has sent
     */
    void Charge(uint32_t cost)
    {
        Turn& turn = m_turns.Front();
        NS_ASSERT_MSG(cost <= turn.left, "a turn that was not settled");
        turn.left -= cost;
        if (turn.left == 0)
        {
            PassOn();
        }
    }

    /// The party whose turn it is waits no longer.
    void RemoveFront()
    {
        m_turns.Pop();
    }

    /// Parties wait no longer. @param which tells whether it is one: `bool which(Party)`
    template <typename Which>
    void Remove(Which&& which)
    {
        m_turns.Remove([&which](const Turn& turn) { return which(turn.party); });
    }

    /// @param visit is called with each party that waits, whose turn it is first
    template <typename Visit>
    void ForEach(Visit&& visit) const
    {
        for (uint32_t i = 0; i < m_turns.Size(); ++i)
        {
            visit(m_turns.At(i).party);
        }
    }

  private:
    /// A party that waits.
    struct Turn
    {
        Party party;   ///< Its name.
        uint32_t left; ///< What it may send in its next turn, or still in this one.
    };

    /// The turn of the first party is over; with its next one it gets a quantum more.
    void PassOn()
    {
        const Turn turn = m_turns.Front();
        m_turns.Pop();
        m_turns.Push({turn.party, turn.left + m_quantum});
    }

    uint32_t m_quantum; ///< Of a turn.
    Ring<Turn> m_turns; ///< Whose turn it is first.
};

} // namespace ns3::fabric

#endif // FABRIC_DEFICIT_ROUND_ROBIN_H
