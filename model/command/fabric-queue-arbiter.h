/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_QUEUE_ARBITER_H
#define FABRIC_QUEUE_ARBITER_H

#include "fabric-ring.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Which command queue is served next (NQ-9): between classes weighted round robin, within a class
 * round robin. A class may be served as often as its weight says in a round; a round ends when no
 * class that waits has any of it left.
 */
class QueueArbiter
{
  public:
    /// @param weights of the classes, at least 1 each
    explicit QueueArbiter(const std::vector<uint32_t>& weights)
        : m_classes(weights.size())
    {
        for (std::size_t i = 0; i < weights.size(); ++i)
        {
            m_classes[i].weight = m_classes[i].left = weights[i];
        }
    }

    /// @return whether no queue waits
    bool IsEmpty() const
    {
        return m_waiting == 0;
    }

    /// @param queue waits from now on; it may wait already @param queueClass its class, always the
    /// same
    void Add(uint32_t queue, uint8_t queueClass)
    {
        if (queue >= m_isListed.size())
        {
            m_isListed.resize(queue + 1, 0);
        }
        if (m_isListed[queue] == 0)
        {
            m_isListed[queue] = 1;
            m_classes[queueClass].queues.Push(queue);
            ++m_waiting;
        }
    }

    /// @return the queue whose turn it is; it goes on waiting, and one must wait
    uint32_t Front() const
    {
        return m_classes[Next()].queues.Front();
    }

    /// @return the queue that is served, which waits no longer; one must wait
    uint32_t Take()
    {
        m_turn = Next();
        if (m_classes[m_turn].left == 0)
        {
            BeginRound();
        }
        --m_classes[m_turn].left;
        return Remove(m_classes[m_turn]);
    }

    /// The queue whose turn it is can't be served and waits no longer: its class keeps what it has
    /// left of the round, so that it loses nothing by that.
    void SetAside()
    {
        Remove(m_classes[Next()]);
    }

  private:
    /// A class of queues.
    struct Class
    {
        uint32_t weight{1};    ///< Of a round.
        uint32_t left{1};      ///< Of the present round.
        Ring<uint32_t> queues; ///< That wait, by turn.
    };

    /// @return number of the class whose turn it is; if it has nothing left, a round is over
    std::size_t Next() const
    {
        std::size_t next = m_classes.size();
        std::size_t turn = m_turn;
        for (std::size_t i = 0; i < m_classes.size(); ++i)
        {
            if (!m_classes[turn].queues.IsEmpty())
            {
                if (m_classes[turn].left != 0)
                {
                    return turn;
                }
                next = next == m_classes.size() ? turn : next;
            }
            turn = turn + 1 == m_classes.size() ? 0 : turn + 1;
        }
        return next;
    }

    /// All classes get what their weights say.
    void BeginRound()
    {
        for (Class& each : m_classes)
        {
            each.left = each.weight;
        }
    }

    /// The first queue of a class waits no longer. @return its number
    uint32_t Remove(Class& of)
    {
        const uint32_t queue = of.queues.Front();
        of.queues.Pop();
        m_isListed[queue] = 0;
        --m_waiting;
        return queue;
    }

    std::vector<Class> m_classes;    ///< By number.
    std::vector<uint8_t> m_isListed; ///< By queue: whether it waits.
    std::size_t m_turn{0};           ///< Class that has the turn.
    uint32_t m_waiting{0};           ///< Queues.
};

} // namespace ns3::fabric

#endif // FABRIC_QUEUE_ARBITER_H
