/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-matcher.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t NO_PLACE = MatchPool<MatchEntry>::NONE; ///< Of entries and of messages.

} // namespace

uint64_t
Matcher::Room(const Entry& entry)
{
    return entry.entry.bytes - (entry.entry.isLocallyManaged ? entry.used : 0);
}

bool
Matcher::Takes(const Entry& entry, const MatchHeader& header)
{
    return entry.entry.Wants(header) &&
           !(entry.entry.refusesLong && Amount(entry, header) > Room(entry));
}

uint64_t
Matcher::Amount(const Entry& entry, const MatchHeader& header)
{
    return entry.place == MatchPlace::SPARE ? header.eager : header.bytes;
}

bool
Matcher::Fill(Entry& entry, uint64_t& offset, uint64_t& bytes)
{
    offset = entry.entry.isLocallyManaged ? entry.used : 0;
    bytes = std::min(bytes, Room(entry));
    entry.used += bytes;
    return entry.entry.isUseOnce ||
           (entry.entry.isLocallyManaged && Room(entry) < entry.entry.leastFree);
}

uint32_t
Matcher::Find(const EntryList& list, const MatchHeader& header)
{
    for (uint32_t place = list.first; place != NO_PLACE; place = m_entries.Next(place))
    {
        ++m_passed;
        if (Takes(m_entries.At(place), header))
        {
            return place;
        }
    }
    return NO_PLACE;
}

MatchOutcome
Matcher::Arrive(const MatchHeader& header)
{
    m_passed = 0;
    uint32_t place = Find(m_priority, header);
    if (place == NO_PLACE && m_messages.Size() < m_mostUnexpected)
    {
        place = Find(m_spare, header);
    }
    MatchOutcome outcome;
    if (place != NO_PLACE)
    {
        outcome = Deliver(place, header);
    }
    outcome.passed = m_passed;
    return outcome;
}

MatchOutcome
Matcher::Deliver(uint32_t place, const MatchHeader& header)
{
    Entry& entry = m_entries.At(place);
    MatchOutcome outcome;
    outcome.place = entry.place;
    outcome.counter = entry.entry.counter;
    outcome.handle = HandleOf(place);
    outcome.tag = entry.entry.tag;
    outcome.bytes = Amount(entry, header);
    outcome.isUnlinked = Fill(entry, outcome.offset, outcome.bytes);
    if (entry.place == MatchPlace::SPARE)
    {
        ++entry.held;
        const uint32_t message = m_messages.Put({header, outcome.offset, outcome.bytes, place});
        m_messages.Append(m_unexpected, message);
    }
    if (outcome.isUnlinked)
    {
        Leave(place);
    }
    return outcome;
}

void
Matcher::Leave(uint32_t place)
{
    Entry& entry = m_entries.At(place);
    m_entries.Remove(entry.place == MatchPlace::PRIORITY ? m_priority : m_spare, place);
    entry.place = MatchPlace::NOWHERE;
    if (entry.held == 0)
    {
        m_entries.Free(place);
    }
}

FoundMessage
Matcher::Found(uint32_t place, bool isTaken)
{
    const Message& message = m_messages.At(place);
    Entry& keeper = m_entries.At(message.keptBy);
    FoundMessage found;
    found.header = message.header;
    found.spareTag = keeper.entry.tag;
    found.spareOffset = message.offset;
    found.kept = message.kept;
    if (isTaken)
    {
        const uint32_t keptBy = message.keptBy;
        m_messages.Remove(m_unexpected, place);
        m_messages.Free(place);
        --keeper.held;
        found.isSpareFree = keeper.held == 0 && keeper.place == MatchPlace::NOWHERE;
        if (found.isSpareFree)
        {
            m_entries.Free(keptBy);
        }
    }
    return found;
}

std::optional<uint64_t>
Matcher::Append(const MatchEntry& entry, MatchPlace place, std::vector<FoundMessage>& found)
{
    m_passed = 0;
    if (m_entries.Size() >= m_mostEntries)
    {
        return std::nullopt;
    }
    Entry added{entry, 0, 0, ++m_turn, place};
    const bool looks = place == MatchPlace::PRIORITY;
    uint32_t next = looks ? m_unexpected.first : NO_PLACE;
    while (next != NO_PLACE)
    {
        const uint32_t message = next;
        next = m_messages.Next(message);
        ++m_passed;
        if (!Takes(added, m_messages.At(message).header))
        {
            continue;
        }
        found.push_back(Found(message, true));
        found.back().bytes = found.back().header.bytes;
        if (Fill(added, found.back().offset, found.back().bytes))
        {
            return NO_ENTRY;
        }
    }
    const uint32_t put = m_entries.Put(added);
    m_entries.Append(looks ? m_priority : m_spare, put);
    return HandleOf(put);
}

void
Matcher::Search(const MatchEntry& entry, MatchSearch what, std::vector<FoundMessage>& found)
{
    m_passed = 0;
    uint32_t next = m_unexpected.first;
    while (next != NO_PLACE)
    {
        const uint32_t message = next;
        next = m_messages.Next(message);
        ++m_passed;
        if (entry.Wants(m_messages.At(message).header))
        {
            found.push_back(Found(message, what == MatchSearch::DELETE));
            if (entry.isUseOnce)
            {
                return;
            }
        }
    }
}

bool
Matcher::Forget(uint64_t message)
{
    for (uint32_t place = m_unexpected.first; place != NO_PLACE; place = m_messages.Next(place))
    {
        if (m_messages.At(place).header.message == message)
        {
            Found(place, true);
            return true;
        }
    }
    return false;
}

uint64_t
Matcher::FindTag(uint64_t tag)
{
    m_passed = 0;
    for (const EntryList& list : {m_priority, m_spare})
    {
        for (uint32_t place = list.first; place != NO_PLACE; place = m_entries.Next(place))
        {
            ++m_passed;
            if (m_entries.At(place).entry.tag == tag)
            {
                return HandleOf(place);
            }
        }
    }
    return NO_ENTRY;
}

bool
Matcher::Unlink(uint64_t handle)
{
    const auto place = static_cast<uint32_t>(handle);
    if (handle == NO_ENTRY || place >= m_entries.Places() || HandleOf(place) != handle)
    {
        return false;
    }
    const Entry& entry = m_entries.At(place);
    if (entry.place == MatchPlace::NOWHERE || entry.held != 0)
    {
        return false;
    }
    Leave(place);
    return true;
}

uint64_t
Matcher::HandleOf(uint32_t place) const
{
    return uint64_t{m_entries.At(place).turn} << 32 | place;
}

} // namespace ns3::fabric
