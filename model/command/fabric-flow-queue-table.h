/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_QUEUE_TABLE_H
#define FABRIC_FLOW_QUEUE_TABLE_H

#include "fabric-command.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/**
 * Which flow queue a command goes to (NQ-9): a hash of its destination and class tells where to
 * look, and a queue belongs to one flow as long as it has commands. If all are taken by others, the
 * command has to wait.
 */
class FlowQueueTable
{
  public:
    /**
     * @param queues how many there are
     * @param credits commands in all of them, at most
     * @param depth commands in one of them, at most
     */
    FlowQueueTable(uint32_t queues, uint32_t credits, uint32_t depth)
        : m_queues(queues),
          m_credits(credits),
          m_depth(depth)
    {
    }

    /// @return queue for a command, nothing if it has to wait
    std::optional<uint32_t> Enter(const Command& command)
    {
        if (m_credits == 0)
        {
            return std::nullopt;
        }
        const uint64_t flow = FlowOf(command);
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
        const auto home =
            static_cast<uint32_t>((flow * 0x9E3779B97F4A7C15U >> 32) % m_queues.size());
        const std::optional<uint32_t> place = Find(flow, home);
        if (!place || m_queues[*place].commands == m_depth)
        {
            return std::nullopt;
        }
        Queue& queue = m_queues[*place];
        if (queue.commands == 0)
        {
            queue.flow = flow;
            queue.isAway = *place != home;
            m_away += queue.isAway ? 1 : 0;
        }
        ++queue.commands;
        --m_credits;
        return place;
    }

    /// @param queue that a command of it has left
    void Leave(uint32_t queue)
    {
        Queue& left = m_queues[queue];
        --left.commands;
        ++m_credits;
        m_away -= left.commands == 0 && left.isAway ? 1 : 0;
    }

    /// @return commands that may still come
    uint32_t Credits() const
    {
        return m_credits;
    }

    /// @return commands in a queue
    uint32_t Commands(uint32_t queue) const
    {
        return m_queues[queue].commands;
    }

  private:
    /// A queue, which may belong to a flow.
    struct Queue
    {
        uint64_t flow{0};     ///< See FlowOf().
        uint32_t commands{0}; ///< In it; 0 if it belongs to none.
        bool isAway{false};   ///< Another flow was in the place that its hash tells.
    };

    /// @return what tells flows apart
    static uint64_t FlowOf(const Command& command)
    {
        return uint64_t{command.dst} << 32 | uint64_t{command.vni} << 8 | command.trafficClass;
    }

    /// @param home place that its hash tells @return the queue of a flow, or one that is free
    std::optional<uint32_t> Find(uint64_t flow, uint32_t home) const
    {
        if (m_away == 0 && m_queues[home].commands == 0)
        {
            return home; // nobody was ever sent on from here
        }
        std::optional<uint32_t> isFree;
        for (uint32_t i = 0; i < m_queues.size(); ++i)
        {
            const auto place = static_cast<uint32_t>((home + i) % m_queues.size());
            const Queue& queue = m_queues[place];
            if (queue.commands != 0 && queue.flow == flow)
            {
                return place;
            }
            if (queue.commands == 0 && !isFree)
            {
                isFree = place;
            }
        }
        return isFree;
    }

    std::vector<Queue> m_queues; ///< By number.
    uint32_t m_credits;          ///< Left.
    uint32_t m_depth;            ///< Commands in one.
    uint32_t m_away{0};          ///< Queues whose flow is away from home.
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_QUEUE_TABLE_H
