/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-grant-policy.h"

#include <algorithm>

namespace ns3::fabric
{

void
GrantPolicy::Add(const GrantCandidate& candidate)
{
    ++m_size;
    switch (m_order)
    {
    case GrantOrder::ARRIVAL:
        m_queue.Push(candidate);
        return;
    case GrantOrder::ROUND_ROBIN:
        if (candidate.initiator >= m_byInitiator.size())
        {
            m_byInitiator.resize(candidate.initiator + 1);
        }
        if (m_byInitiator[candidate.initiator].IsEmpty())
        {
            m_turns.Push(candidate.initiator);
        }
        m_byInitiator[candidate.initiator].Push(candidate);
        return;
    case GrantOrder::SHORTEST_FIRST:
        m_heap.push_back({candidate, m_arrivals++});
        std::push_heap(m_heap.begin(), m_heap.end());
        return;
    }
}

const GrantCandidate&
GrantPolicy::Next() const
{
    switch (m_order)
    {
    case GrantOrder::ROUND_ROBIN:
        return m_byInitiator[m_turns.Front()].Front();
    case GrantOrder::SHORTEST_FIRST:
        return m_heap.front().candidate;
    case GrantOrder::ARRIVAL:
        break;
    }
    return m_queue.Front();
}

void
GrantPolicy::Grant(uint32_t bytes)
{
    if (Next().remaining <= bytes)
    {
        Remove();
        return;
    }
    switch (m_order)
    {
    case GrantOrder::ARRIVAL:
        m_queue.Front().remaining -= bytes;
        return;
    case GrantOrder::ROUND_ROBIN: {
        const uint32_t initiator = m_turns.Front();
        m_byInitiator[initiator].Front().remaining -= bytes;
        m_turns.Pop();
        m_turns.Push(initiator);
        return;
    }
    case GrantOrder::SHORTEST_FIRST:
        // It was the least and has become less: it stays in front.
        m_heap.front().candidate.remaining -= bytes;
        return;
    }
}

GrantCandidate
GrantPolicy::Remove()
{
    --m_size;
    const GrantCandidate gone = Next();
    switch (m_order)
    {
    case GrantOrder::ARRIVAL:
        m_queue.Pop();
        break;
    case GrantOrder::ROUND_ROBIN: {
        const uint32_t initiator = m_turns.Front();
        m_turns.Pop();
        m_byInitiator[initiator].Pop();
        if (!m_byInitiator[initiator].IsEmpty())
        {
            m_turns.Push(initiator);
        }
        break;
    }
    case GrantOrder::SHORTEST_FIRST:
        std::pop_heap(m_heap.begin(), m_heap.end());
        m_heap.pop_back();
        break;
    }
    return gone;
}

} // namespace ns3::fabric
