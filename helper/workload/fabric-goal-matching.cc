/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-goal-matching.h"

namespace ns3::fabric
{

GoalMatching::GoalMatching(const GoalFile& file)
    : m_kinds(file.ranks.size(), 0)
{
    for (std::size_t rank = 0; rank < file.ranks.size(); ++rank)
    {
        for (const GoalFile::Operation& operation : file.ranks[rank])
        {
            if (operation.kind == GoalFile::Kind::RECV)
            {
                const uint32_t kind =
                    KindOf(operation.peer == GoalFile::ANY, operation.tag == GoalFile::ANY);
                m_kinds[rank] |= 1U << kind;
            }
        }
    }
}

std::vector<GoalMatching::Key>
GoalMatching::KeysOf(const Key& message) const
{
    const auto& [dst, src, tag] = message;
    std::vector<Key> keys;
    for (const bool takesAnySource : {false, true})
    {
        for (const bool takesAnyTag : {false, true})
        {
            if ((m_kinds[dst] >> KindOf(takesAnySource, takesAnyTag) & 1) != 0)
            {
                keys.emplace_back(dst,
                                  takesAnySource ? GoalFile::ANY : src,
                                  takesAnyTag ? GoalFile::ANY : tag);
            }
        }
    }
    return keys;
}

uint32_t
GoalMatching::Send(uint32_t src, const GoalFile::Operation& operation)
{
    return m_streams[{operation.peer, src, operation.tag}].sent++;
}

bool
GoalMatching::Receive(uint32_t dst, const GoalFile::Operation& operation, uint32_t number)
{
    const Key key{dst, operation.peer, operation.tag};
    std::deque<uint32_t>& untaken = m_untaken[key];
    while (!untaken.empty() && m_messages[untaken.front()].receive != NONE)
    {
        untaken.pop_front(); // a receive of another kind has it
    }
    if (untaken.empty())
    {
        m_receives[key].emplace_back(m_started++, number);
        return false;
    }
    Message& message = m_messages[untaken.front()];
    untaken.pop_front();
    message.receive = number;
    return message.isHere;
}

uint32_t
GoalMatching::Deliver(uint32_t src, const GoalFile::Operation& operation, uint32_t place)
{
    const Key key{operation.peer, src, operation.tag};
    std::vector<uint32_t>& known = m_streams[key].messages;
    while (known.size() <= place)
    {
        known.push_back(Learn(key));
    }
    Message& message = m_messages[known[place]];
    message.isHere = true;
    return message.receive;
}

uint32_t
GoalMatching::Learn(const Key& key)
{
    const auto number = static_cast<uint32_t>(m_messages.size());
    Message& message = m_messages.emplace_back();
    const std::vector<Key> keys = KeysOf(key);
    std::deque<std::pair<uint64_t, uint32_t>>* first = nullptr;
    for (const Key& asked : keys)
    {
        auto& receives = m_receives[asked];
        if (!receives.empty() && (!first || receives.front() < first->front()))
        {
            first = &receives;
        }
    }
    if (first)
    {
        message.receive = first->front().second;
        first->pop_front();
        return number;
    }
    for (const Key& asked : keys)
    {
        m_untaken[asked].push_back(number);
    }
    return number;
}

} // namespace ns3::fabric
