/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SLOW_SHAPER_H
#define FABRIC_SLOW_SHAPER_H

#include "fabric-shaping-table.h"
#include "fabric-wide-integer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// A token bucket by its level, in 10^-12 bits: filled when somebody looks.
class SlowBucket
{
  public:
    static constexpr WideInt BYTE = WideInt{8} * 1'000'000'000'000; ///< A byte.

    /// @param settings of the bucket, which is full
    explicit SlowBucket(const BucketSettings& settings = {})
        : m_settings(settings),
          m_level(settings.burst * BYTE)
    {
    }

    /// @return its level, after it was filled
    WideInt Level(TimePs now)
    {
        const WideInt more = m_settings.IsUnlimited() ? 0 : WideInt{m_settings.rate} * (now - m_at);
        m_level = std::min<WideInt>(m_settings.burst * BYTE, m_level + more);
        m_at = now;
        return m_level;
    }

    /// @return whether it may pay
    bool HasTokens(TimePs now)
    {
        return m_settings.IsUnlimited() || (!m_settings.IsOff() && Level(now) >= 0);
    }

    /// It pays for a frame.
    void Pay(uint32_t bytes, TimePs now)
    {
        Level(now);
        m_level -= m_settings.IsUnlimited() ? 0 : bytes * BYTE;
    }

    /// @return first time from now on at which it has tokens, NEVER for never
    TimePs FirstTime(TimePs now)
    {
        if (HasTokens(now))
        {
            return now;
        }
        if (m_settings.IsOff())
        {
            return NEVER;
        }
        const WideInt rate = m_settings.rate;
        return now + static_cast<TimePs>((-Level(now) + rate - 1) / rate);
    }

  private:
    BucketSettings m_settings; ///< Of the bucket.
    WideInt m_level;           ///< At m_at.
    TimePs m_at{0};            ///< When it was filled.
};

/**
 * The tree of SW-11 and the turns of SW-10 in the words of the requirements, as slow as they are:
 * each round robin is a list from whose front one goes to the end.
 */
class SlowShaper
{
  public:
    /// What it answers.
    struct Answer
    {
        uint32_t list;     ///< That may go.
        uint32_t queue;    ///< Of the list.
        uint32_t group;    ///< 1, 2 or 3.
        uint32_t priority; ///< At which it was found.
    };

    /// @param channels lists of a queue
    SlowShaper(const ShapingTable& table, uint32_t channels)
        : m_table(table),
          m_channels(channels),
          m_head(table.head)
    {
        for (uint32_t queue = 0; queue < HOST_SHAPING_QUEUES; ++queue)
        {
            m_leaves.emplace_back(LeafOf(queue).bucket);
        }
        for (uint8_t branch = 0; branch < SHAPING_BRANCHES; ++branch)
        {
            m_branches.emplace_back(table.BranchBucket(branch));
        }
        for (auto& group : m_turns)
        {
            for (auto& turns : group)
            {
                for (uint32_t queue = 0; queue < HOST_SHAPING_QUEUES; ++queue)
                {
                    turns.push_back(queue);
                }
            }
        }
        m_owed.resize(HOST_SHAPING_QUEUES);
        m_holder.resize(HOST_SHAPING_QUEUES, VIRTUAL_CHANNELS - 1);
    }

    /// @return who goes of some lists
    std::optional<Answer> Choose(uint32_t lists, TimePs now)
    {
        for (uint32_t group = 1; group <= 3; ++group)
        {
            for (uint32_t priority = 0; priority < (group == 3 ? 1U : 8U); ++priority)
            {
                for (const uint32_t queue : m_turns[group - 1][priority])
                {
                    if (Waits(queue, lists) && PriorityIn(group, queue) == priority &&
                        BucketOf(group, queue).HasTokens(now))
                    {
                        return Answer{ListOf(queue, lists), queue, group, priority};
                    }
                }
            }
        }
        return std::nullopt;
    }

    /// A frame of an answer goes.
    void Serve(const Answer& answer, uint32_t bytes, TimePs now)
    {
        BucketOf(answer.group, answer.queue).Pay(bytes, now);
        std::deque<uint32_t>& turns = m_turns[answer.group - 1][answer.priority];
        while (turns.back() != answer.queue)
        {
            turns.push_back(turns.front());
            turns.pop_front();
        }
        ServeChannel(answer.queue, answer.list % m_channels, static_cast<int64_t>(bytes));
    }

    /// @return first time after now at which a queue that may not go now may
    TimePs NextReturn(uint32_t lists, TimePs now)
    {
        TimePs next = NEVER;
        for (uint32_t queue = 0; queue < HOST_SHAPING_QUEUES; ++queue)
        {
            if (Waits(queue, lists))
            {
                TimePs own = NEVER;
                for (uint32_t group = 1; group <= 3; ++group)
                {
                    own = std::min(own, BucketOf(group, queue).FirstTime(now));
                }
                next = own == now ? next : std::min(next, own);
            }
        }
        return next;
    }

  private:
    /// @return settings of a queue's leaf
    ShapingLeaf LeafOf(uint32_t queue) const
    {
        for (const ShapingLeaf& leaf : m_table.leaves)
        {
            if (leaf.queue == queue)
            {
                return leaf;
            }
        }
        return {};
    }

    /// @return whether any list of a queue is among some
    bool Waits(uint32_t queue, uint32_t lists) const
    {
        for (uint32_t channel = 0; channel < m_channels; ++channel)
        {
            const uint32_t list = queue * m_channels + channel;
            if (list < 32 && (lists >> list & 1) != 0)
            {
                return true;
            }
        }
        return false;
    }

    /// @return priority of a queue in a group
    uint32_t PriorityIn(uint32_t group, uint32_t queue) const
    {
        return group == 1   ? LeafOf(queue).bucket.priority
               : group == 2 ? m_table.BranchBucket(LeafOf(queue).branch).priority
                            : 0;
    }

    /// @return what pays for a queue in a group
    SlowBucket& BucketOf(uint32_t group, uint32_t queue)
    {
        return group == 1   ? m_leaves[queue]
               : group == 2 ? m_branches[LeafOf(queue).branch]
                            : m_head;
    }

    /// @return the list of a queue whose turn it is
    uint32_t ListOf(uint32_t queue, uint32_t lists) const
    {
        const auto waits = [&](uint32_t channel) {
            return (lists >> (queue * m_channels + channel) & 1) != 0;
        };
        const uint32_t holder = m_holder[queue];
        if (m_channels == 1 || (waits(holder) && m_owed[queue][holder] < 0))
        {
            return queue * m_channels + (m_channels == 1 ? 0 : holder);
        }
        for (uint32_t step = 1; step <= m_channels; ++step)
        {
            if (waits((holder + step) % m_channels))
            {
                return queue * m_channels + (holder + step) % m_channels;
            }
        }
        return queue * m_channels;
    }

    /// A channel of a queue sends: its turn goes on, or begins with a quantum less its debts.
    void ServeChannel(uint32_t queue, uint32_t channel, int64_t bytes)
    {
        int64_t& owed = m_owed[queue][channel];
        const bool goesOn = channel == m_holder[queue] && owed < 0;
        if (!goesOn)
        {
            owed = std::max<int64_t>(owed, 0) - int64_t{WireBytes(JUMBO_PAYLOAD)};
        }
        m_holder[queue] = channel;
        owed += bytes;
    }

    using Turns = std::array<std::array<std::deque<uint32_t>, 8>, 3>; ///< By group and priority.

    ShapingTable m_table;                                        ///< Settings.
    uint32_t m_channels;                                         ///< Lists of a queue.
    std::vector<SlowBucket> m_leaves;                            ///< By queue.
    std::vector<SlowBucket> m_branches;                          ///< By number.
    SlowBucket m_head;                                           ///< Of all.
    Turns m_turns;                                               ///< Of queues.
    std::vector<std::array<int64_t, VIRTUAL_CHANNELS>> m_owed{}; ///< Below 0: left of a turn.
    std::vector<uint32_t> m_holder;                              ///< Whose turn it is, by queue.
};

} // namespace ns3::fabric

#endif // FABRIC_SLOW_SHAPER_H
