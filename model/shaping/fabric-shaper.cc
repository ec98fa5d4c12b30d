/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-shaper.h"

#include <algorithm>

namespace ns3::fabric
{

Shaper::Shaper(std::shared_ptr<const ShapingPlan> plan)
    : m_plan(std::move(plan)),
      m_head(m_plan->Head()),
      m_channels(m_plan->Queues()),
      m_totals(m_plan->Queues())
{
    for (uint32_t queue = 0; queue < m_plan->Queues(); ++queue)
    {
        m_leaves.push_back(m_plan->Leaf(queue));
    }
    for (uint32_t branch = 0; branch < SHAPING_BRANCHES; ++branch)
    {
        m_branches[branch] = m_plan->Branch(branch);
    }
}

bool
Shaper::Choose(uint32_t lists, TimePs now, uint32_t& list)
{
    const QueueMask queues = m_plan->QueuesOf(lists);
    if (!GrantByLevel(WithLeafTokens(queues, now), Payer::LEAF, m_plan->LeafLevels()) &&
        !GrantByLevel(WithBranchTokens(queues, now), Payer::BRANCH, m_plan->BranchLevels()))
    {
        if (queues == 0 || !m_head.HasTokens(now))
        {
            return false;
        }
        Grant(queues, Payer::HEAD, 0);
    }
    const uint32_t channels = m_plan->Channels();
    const uint32_t first = grant.queue * channels;
    const uint32_t own = lists >> first & ((1U << channels) - 1);
    m_list = first + (channels == 1 ? 0 : m_channels[grant.queue].Choose(own));
    list = m_list;
    return true;
}

void
Shaper::Begin(uint32_t bytes, TimePs now)
{
    const uint32_t queue = grant.queue;
    const auto kind = static_cast<std::size_t>(grant.payer);
    switch (grant.payer)
    {
    case Payer::LEAF:
        m_leaves[queue].Pay(bytes, now);
        break;
    case Payer::BRANCH:
        m_branches[m_plan->BranchOf(queue)].Pay(bytes, now);
        break;
    default:
        m_head.Pay(bytes, now);
        break;
    }
    m_turns[kind][m_priority] = static_cast<uint8_t>((queue + 1) % HOST_SHAPING_QUEUES);
    m_channels[queue].Serve(m_list % m_plan->Channels(), bytes);
    ++m_totals[queue][kind].frames;
    m_totals[queue][kind].bytes += bytes;
}

TimePs
Shaper::NextReturn(uint32_t lists, TimePs now) const
{
    TimePs next = NEVER;
    for (QueueMask left = m_plan->QueuesOf(lists); left != 0; left &= left - 1)
    {
        const TimePs time = ReturnOf(LowestBit(left));
        next = time > now ? std::min(next, time) : next; // else it waits for something else
    }
    return next;
}

void
Shaper::Grant(QueueMask queues, Payer payer, uint8_t priority)
{
    const QueueMask later = queues & ~QueueMask{0}
                                         << m_turns[static_cast<std::size_t>(payer)][priority];
    grant.queue = static_cast<uint8_t>(LowestBit(later != 0 ? later : queues));
    grant.payer = payer;
    m_priority = priority;
}

bool
Shaper::GrantByLevel(QueueMask queues, Payer payer, const ShapingPlan::Levels& levels)
{
    for (uint8_t priority = 0; queues != 0 && priority < levels.size(); ++priority)
    {
        if (const QueueMask ofLevel = queues & levels[priority]; ofLevel != 0)
        {
            Grant(ofLevel, payer, priority);
            return true;
        }
    }
    return false;
}

QueueMask
Shaper::WithLeafTokens(QueueMask queues, TimePs now) const
{
    QueueMask with = 0;
    for (QueueMask left = queues; left != 0; left &= left - 1)
    {
        const uint32_t queue = LowestBit(left);
        with |= QueueMask{m_leaves[queue].HasTokens(now)} << queue;
    }
    return with;
}

QueueMask
Shaper::WithBranchTokens(QueueMask queues, TimePs now) const
{
    QueueMask with = 0;
    for (QueueMask left = queues; left != 0; left &= left - 1)
    {
        const uint32_t queue = LowestBit(left);
        with |= QueueMask{m_branches[m_plan->BranchOf(queue)].HasTokens(now)} << queue;
    }
    return with;
}

TimePs
Shaper::ReturnOf(uint32_t queue) const
{
    const TimePs own = m_leaves[queue].Return();
    const TimePs shared = m_branches[m_plan->BranchOf(queue)].Return();
    return std::min({own, shared, m_head.Return()});
}

} // namespace ns3::fabric
