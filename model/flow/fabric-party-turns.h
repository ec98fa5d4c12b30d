/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PARTY_TURNS_H
#define FABRIC_PARTY_TURNS_H

#include "fabric-deficit-round-robin.h"
#include "fabric-input-queue.h"
#include "fabric-turn-settings.h"

#include <vector>

namespace ns3::fabric
{

/**
 * Parties that take turns at an output, by frames or by bytes. Each queue is a party, or each input
 * port with the list of its queues, of which the one whose first frame is the oldest is served.
 *
 * Out of line, since most switches have turns by frames between flows, which don't come by here.
 */
class PartyTurns
{
  public:
    /**
     * To be called while no queue waits.
     *
     * @param arbitration who the parties are
     * @param settings how long a turn is
     */
    void Configure(Arbitration arbitration, const TurnSettings& settings, uint32_t inputs)
    {
        m_byPort = arbitration == ARBITRATE_BY_PORT;
        m_byBytes = settings.unit == TURNS_BY_BYTES;
        m_inputs = inputs;
        m_turns = DeficitRoundRobin<QueueRef>(m_byBytes ? settings.quantum : 1);
    }

    /// @return whether no queue waits
    bool IsEmpty() const
    {
        return m_turns.IsEmpty();
    }

    /// @return the queue whose turn it is; one must wait
    template <typename Queues>
    [[gnu::cold, gnu::noinline]] QueueRef Front(Queues&& queues) const
    {
        const QueueRef party = m_turns.Front();
        return m_byPort ? m_groups[party.input].Front(queues) : party;
    }

    /// See OutputLists::SettleTurn()
    template <typename Queues, typename First>
    [[gnu::cold, gnu::noinline]] void SettleTurn(Queues&& queues, First&& first)
    {
        m_turns.Settle([&](QueueRef party) {
            QueueRef ref = party;
            if (m_byPort)
            {
                QueueRing& group = m_groups[party.input];
                group.TurnToOldest(queues, [&first](const InputQueue& q) { return first(q).time; });
                ref = group.Front(queues);
            }
            return CostOf(WireBytes(first(queues(ref)).payload));
        });
    }

    /// See OutputLists::Append()
    template <typename Queues>
    [[gnu::cold, gnu::noinline]] void Append(Queues&& queues, QueueRef ref)
    {
        if (!m_byPort)
        {
            m_turns.Append(ref);
            return;
        }
        m_groups.resize(m_inputs); // most lists are never used
        QueueRing& group = m_groups[ref.input];
        if (group.IsEmpty())
        {
            m_turns.Append({ref.input, 0});
        }
        group.Append(queues, ref);
    }

    /// See OutputLists::Served()
    template <typename Queues>
    [[gnu::cold, gnu::noinline]] void Served(Queues&& queues, bool stays, uint32_t bytes)
    {
        if (m_byPort)
        {
            QueueRing& group = m_groups[m_turns.Front().input];
            group.Served(queues, stays);
            stays = !group.IsEmpty();
        }
        if (stays)
        {
            m_turns.Charge(CostOf(bytes));
        }
        else
        {
            m_turns.RemoveFront();
        }
    }

    /// See OutputLists::RemoveFront()
    template <typename Queues>
    [[gnu::cold, gnu::noinline]] void RemoveFront(Queues&& queues)
    {
        if (m_byPort)
        {
            QueueRing& group = m_groups[m_turns.Front().input];
            group.RemoveFront(queues);
            if (!group.IsEmpty())
            {
                return;
            }
        }
        m_turns.RemoveFront();
    }

    /// See OutputLists::Remove()
    template <typename Queues>
    [[gnu::cold, gnu::noinline]] void Remove(Queues&& queues, QueueRef ref)
    {
        if (m_byPort)
        {
            QueueRing& group = m_groups[ref.input];
            group.Remove(queues, ref);
            if (!group.IsEmpty())
            {
                return;
            }
        }
        m_turns.Remove([this, ref](QueueRef party) {
            return m_byPort ? party.input == ref.input : party == ref;
        });
    }

    /// See OutputLists::ForEach()
    template <typename Queues, typename Visit>
    void ForEach(Queues&& queues, Visit&& visit) const
    {
        m_turns.ForEach([&](QueueRef party) {
            if (m_byPort)
            {
                m_groups[party.input].ForEach(queues, visit);
            }
            else
            {
                visit(party);
            }
        });
    }

  private:
    /// @param bytes of a frame on the wire
    /// @return what it takes of a turn
    uint32_t CostOf(uint32_t bytes) const
    {
        return m_byBytes ? bytes : 1;
    }

    bool m_byPort{false};            ///< Whether the parties are input ports.
    bool m_byBytes{false};           ///< Whether turns are counted in bytes.
    uint32_t m_inputs{0};            ///< Number of input ports.
    std::vector<QueueRing> m_groups; ///< By port: the queues of each; none before the first waits.
    /// Parties that wait: queues, or input ports, of which only the input counts.
    DeficitRoundRobin<QueueRef> m_turns{1};
};

} // namespace ns3::fabric

#endif // FABRIC_PARTY_TURNS_H
