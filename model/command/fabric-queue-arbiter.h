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
 * round robin. A class has its weight in grants in a round; a round ends when no class that waits
 * has any left.
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

    /// @return the queue that is served, which waits no longer; one must wait
    uint32_t Take()
    {
        Class& next = m_classes[Next()];
        --next.left;
        const uint32_t queue = next.queues.Front();
        next.queues.Pop();
        m_isListed[queue] = 0;
        --m_waiting;
        return queue;
    }

  private:
    /// A class of queues.
    struct Class
    {
        uint32_t weight{1};    ///< Grants in a round.
        uint32_t left{1};      ///< Of the present round.
        Ring<uint32_t> queues; ///< That wait, by turn.
    };

    /// @return number of the class whose turn it is
    std::size_t Next()
    {
        for (;;)
        {
            for (std::size_t i = 0; i < m_classes.size(); ++i)
            {
                if (m_classes[m_turn].left != 0 && !m_classes[m_turn].queues.IsEmpty())
                {
                    return m_turn;
                }
                m_turn = m_turn + 1 == m_classes.size() ? 0 : m_turn + 1;
            }
            for (Class& each : m_classes)
            {
                each.left = each.weight;
            }
        }
    }

    std::vector<Class> m_classes;    ///< By number.
    std::vector<uint8_t> m_isListed; ///< By queue: whether it waits.
    std::size_t m_turn{0};           ///< Class that has the turn.
    uint32_t m_waiting{0};           ///< Queues.
};

} // namespace ns3::fabric

#endif // FABRIC_QUEUE_ARBITER_H
