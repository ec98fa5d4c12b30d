/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PORT_TURNS_H
#define FABRIC_PORT_TURNS_H

#include "fabric-input-queue.h"

#include <vector>

namespace ns3::fabric
{

/**
 * Input ports that take turns at an output, each with the list of its queues. Inside an input port
 * the turn is that of the queue whose first frame is the oldest.
 */
class PortTurns
{
  public:
    explicit PortTurns(uint32_t inputs)
        : m_inputs(inputs)
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

    /// See OutputLists::SettleTurn()
    template <typename Queues, typename Arrival>
    void SettleTurn(Queues&& queues, Arrival&& arrival)
    {
        if (!m_turns.empty())
        {
            m_groups[m_turns.front()].TurnToOldest(queues, arrival);
        }
    }

    /// See OutputLists::Append()
    template <typename Queues>
    void Append(Queues&& queues, QueueRef ref)
    {
        m_groups.resize(m_inputs); // most lists are never used
        QueueRing& group = m_groups[ref.input];
        if (group.IsEmpty())
        {
            m_turns.push_back(ref.input);
        }
        group.Append(queues, ref);
    }

    /// See OutputLists::Served()
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

    /// See OutputLists::RemoveFront()
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

    /// See OutputLists::ForEach()
    template <typename Queues, typename Visit>
    void ForEach(Queues&& queues, Visit&& visit) const
    {
        for (const QueueRing& group : m_groups)
        {
            group.ForEach(queues, visit);
        }
    }

  private:
    uint32_t m_inputs;               ///< Number of input ports.
    std::vector<QueueRing> m_groups; ///< The queues of each input; none before the first waits.
    std::vector<uint16_t> m_turns;   ///< Inputs that wait, whose turn it is first.
};

} // namespace ns3::fabric

#endif // FABRIC_PORT_TURNS_H
