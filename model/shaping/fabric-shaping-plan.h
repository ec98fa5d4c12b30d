/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SHAPING_PLAN_H
#define FABRIC_SHAPING_PLAN_H

#include "fabric-shaping-table.h"
#include "fabric-turn-table.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// One bit for each shaping queue.
using QueueMask = uint32_t;

/// What follows from a shaping table for all outputs that have it. It never changes.
class ShapingPlan
{
  public:
    /// By priority of buckets, the queues that these may pay for.
    using Levels = std::array<QueueMask, BucketSettings::PRIORITIES>;

    /**
     * @param table that is right
     * @param channels lists of a queue: VIRTUAL_CHANNELS at a port to a switch, 1 at one to a host
     */
    ShapingPlan(const ShapingTable& table, uint32_t channels);

    /// @return the queue of a frame
    uint8_t QueueOf(uint8_t trafficClass, uint16_t vni) const
    {
        return m_table.QueueOf(trafficClass, vni);
    }

    /// @return list of an output in which frames of a queue wait
    uint8_t ListOf(uint8_t queue, uint8_t vc) const
    {
        return static_cast<uint8_t>(m_channels == 1 ? queue : queue * m_channels + vc);
    }

    /// @return queue of a list
    uint32_t QueueOfList(uint32_t list) const
    {
        return list / m_channels;
    }

    /// @param lists bit mask @return the queues that they are of
    QueueMask QueuesOf(uint32_t lists) const
    {
        if (m_channels == 1)
        {
            return lists;
        }
        QueueMask queues = 0;
        for (; lists != 0; lists &= lists - 1)
        {
            queues |= QueueMask{1} << QueueOfList(LowestBit(lists));
        }
        return queues;
    }

    /// @return lists of a queue
    uint32_t Channels() const
    {
        return m_channels;
    }

    /// @return branch of a queue
    uint8_t BranchOf(uint32_t queue) const
    {
        return m_branchOf[queue];
    }

    /// @return queues by the priority of their leaves
    const Levels& LeafLevels() const
    {
        return m_leafLevels;
    }

    /// @return queues by the priority of their branches
    const Levels& BranchLevels() const
    {
        return m_branchLevels;
    }

    /// @return a full bucket of a leaf; one without tokens for a queue that has none
    TokenBucket Leaf(uint32_t queue) const
    {
        return TokenBucket(m_leaves[queue], m_leafClocks[queue]);
    }

    /// @return a full bucket of a branch
    TokenBucket Branch(uint32_t branch) const
    {
        return TokenBucket(m_branches[branch], m_branchClocks[branch]);
    }

    /// @return a full bucket of the head
    TokenBucket Head() const
    {
        return TokenBucket(m_table.head, m_headClock);
    }

    /// @return queues that it may have
    uint32_t Queues() const
    {
        return static_cast<uint32_t>(m_leaves.size());
    }

  private:
    ShapingTable m_table;                                    ///< What it follows from.
    uint32_t m_channels;                                     ///< Lists of a queue.
    std::vector<uint8_t> m_branchOf;                         ///< By queue.
    Levels m_leafLevels{};                                   ///< See LeafLevels().
    Levels m_branchLevels{};                                 ///< See BranchLevels().
    std::vector<BucketSettings> m_leaves;                    ///< By queue.
    std::array<BucketSettings, SHAPING_BRANCHES> m_branches; ///< By number.
    std::vector<ShareClock> m_leafClocks;                    ///< By queue.
    std::array<ShareClock, SHAPING_BRANCHES> m_branchClocks; ///< By number.
    ShareClock m_headClock;                                  ///< Of the head.
};

} // namespace ns3::fabric

#endif // FABRIC_SHAPING_PLAN_H
