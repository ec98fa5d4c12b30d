/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-shaping-plan.h"

namespace ns3::fabric
{

ShapingPlan::ShapingPlan(const ShapingTable& table, uint32_t channels)
    : m_table(table),
      m_channels(channels),
      m_branchOf(table.LastQueue() + 1, 0),
      m_leaves(table.LastQueue() + 1),
      m_leafClocks(table.LastQueue() + 1),
      m_headClock(table.head.Clock())
{
    for (uint8_t branch = 0; branch < SHAPING_BRANCHES; ++branch)
    {
        m_branches[branch] = table.BranchBucket(branch);
        m_branchClocks[branch] = m_branches[branch].Clock();
    }
    for (const ShapingLeaf& leaf : table.leaves)
    {
        const QueueMask bit = QueueMask{1} << leaf.queue;
        m_branchOf[leaf.queue] = leaf.branch;
        m_leaves[leaf.queue] = leaf.bucket;
        m_leafClocks[leaf.queue] = leaf.bucket.Clock();
        m_leafLevels[leaf.bucket.priority] |= bit;
        m_branchLevels[m_branches[leaf.branch].priority] |= bit;
    }
}

} // namespace ns3::fabric
