/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-edge-flow-table.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/// Records made at first: most ports carry few flows at a time.
constexpr std::size_t FIRST_RECORDS = 8;

static_assert(MOST_FLOW_RULES >> (32 - FlowKey::FLOW_LABEL_BITS) == 0,
              "the number of a rule has room");

} // namespace

EdgeFlowTable::EdgeFlowTable(FlowFields fields, uint32_t capacity)
    : m_capacity(capacity),
      m_fieldMask(FlowKey::MaskOf(fields))
{
    if (capacity < 1 || capacity >= FLOW_IDS_PER_LINK)
    {
        throw std::invalid_argument("edge flow table: capacity is " + std::to_string(capacity) +
                                    ", allowed are 1 to " + std::to_string(FLOW_IDS_PER_LINK - 1));
    }
    if (fields > FLOW_ALL)
    {
        throw std::invalid_argument("edge flow table: flow fields are " + std::to_string(fields) +
                                    ", allowed are 0 to " + std::to_string(FLOW_ALL));
    }
}

void
EdgeFlowTable::AddTernary(const FlowRule& rule)
{
    if (InUse() != 0)
    {
        throw std::invalid_argument("edge flow table: a ternary entry is added while " +
                                    std::to_string(InUse()) +
                                    " ids are in use, allowed is this only while none is");
    }
    if (m_rules.size() == MOST_FLOW_RULES)
    {
        throw std::invalid_argument("edge flow table: it has " + std::to_string(m_rules.size()) +
                                    " ternary entries, allowed are no more");
    }
    m_rules.push_back({rule.value & rule.mask, rule.mask, rule.pattern | FlowKey::MaskOf(0)});
}

uint32_t
EdgeFlowTable::Send(FlowId id, uint32_t units)
{
    if (units == 0)
    {
        throw std::invalid_argument("edge flow table: a frame of flow " + std::to_string(id) +
                                    " has 0 units, allowed is 1 or more");
    }
    Record& record = m_records[IndexOf(id)];
    const uint32_t position = record.dataFlow;
    record.dataFlow += units;
    return position;
}

bool
EdgeFlowTable::Acknowledge(FlowId id, uint32_t units)
{
    Record& record = m_records[IndexOf(id)];
    const uint32_t extent = record.dataFlow - record.ackFlow;
    if (units > extent)
    {
        throw std::invalid_argument("edge flow table: " + std::to_string(units) +
                                    " units of flow " + std::to_string(id) +
                                    " are acknowledged, allowed are at most the " +
                                    std::to_string(extent) + " that are out");
    }
    record.ackFlow += units;
    if (units < extent)
    {
        return false;
    }
    Release(id);
    return true;
}

uint32_t
EdgeFlowTable::FlowExtent(FlowId id) const
{
    const Record& record = m_records[IndexOf(id)];
    return record.dataFlow - record.ackFlow;
}

void
EdgeFlowTable::Check() const
{
    const auto require = [](bool holds, std::size_t id, const char* sentence) {
        if (!holds)
        {
            throw std::logic_error("edge flow table: id " + std::to_string(id) + ' ' + sentence);
        }
    };
    require(m_records.size() <= m_capacity, m_records.size(), "is past the capacity");
    std::vector<bool> isFree(m_records.size());
    for (const FlowId id : m_free)
    {
        require(id != NO_FLOW && id <= m_records.size(), id, "is free but was never used");
        require(!isFree[id - 1], id, "is on the free list twice");
        isFree[id - 1] = true;
    }
    for (std::size_t i = 0; i < m_records.size(); ++i)
    {
        const Record& record = m_records[i];
        require(isFree[i] == (record.serial == FREE), i + 1, "is not either free or in use");
        if (!isFree[i])
        {
            const FlowId found = Find(m_patterns[i], record.hash);
            require(found == i + 1, i + 1, "is not what its pattern leads to");
        }
    }
    require(m_indexOf.Size() == InUse(), m_indexOf.Size(), "patterns are not those of ids in use");
}

std::optional<FlowId>
EdgeFlowTable::Match(const FlowKey& key, uint32_t hint)
{
    if (hint >= MAX_HINTS && hint != NO_HINT)
    {
        throw std::invalid_argument("edge flow table: hint is " + std::to_string(hint) +
                                    ", allowed are 0 to " + std::to_string(MAX_HINTS - 1));
    }
    const FlowKey pattern = PatternOf(key);
    const uint32_t hash = HashOf(pattern);
    FlowId id = Find(pattern, hash);
    if (id == NO_FLOW)
    {
        id = Allocate(pattern, hash);
    }
    if (id == NO_FLOW)
    {
        ++m_failed;
        return std::nullopt;
    }
    if (hint != NO_HINT)
    {
        Remember(hint, id);
    }
    return id;
}

FlowKey
EdgeFlowTable::PatternOf(const FlowKey& key) const
{
    for (std::size_t i = 0; i < m_rules.size(); ++i)
    {
        if (m_rules[i].Matches(key))
        {
            return (key & m_rules[i].pattern).WithRule(static_cast<uint32_t>(i + 1));
        }
    }
    return key & m_fieldMask;
}

FlowId
EdgeFlowTable::Find(const FlowKey& pattern, uint32_t hash) const
{
    const uint32_t index =
        m_indexOf.Find(hash, [&](uint32_t i) { return m_patterns[i] == pattern; });
    return static_cast<FlowId>(index + 1);
}

FlowId
EdgeFlowTable::Allocate(const FlowKey& pattern, uint32_t hash)
{
    FlowId id;
    if (!m_free.empty())
    {
        id = m_free.back();
        m_free.pop_back();
    }
    else if (m_records.size() < m_capacity)
    {
        if (m_records.size() == m_records.capacity())
        {
            Grow();
        }
        m_records.emplace_back();
        m_patterns.emplace_back();
        id = static_cast<FlowId>(m_records.size());
    }
    else
    {
        return NO_FLOW;
    }
    m_records[id - 1] = {++m_allocated, 0, 0, hash};
    m_patterns[id - 1] = pattern;
    m_indexOf.Add(hash, id - 1U);
    return id;
}

void
EdgeFlowTable::Grow()
{
    const std::size_t wanted = std::max(FIRST_RECORDS, 2 * m_records.size());
    const std::size_t size = std::min<std::size_t>(wanted, m_capacity);
    m_records.reserve(size);
    m_patterns.reserve(size);
    m_free.reserve(size);
}

void
EdgeFlowTable::Release(FlowId id)
{
    Record& record = m_records[id - 1];
    m_indexOf.Remove(record.hash, id - 1U);
    record.serial = FREE;
    m_free.push_back(id);
}

void
EdgeFlowTable::Remember(uint32_t hint, FlowId id)
{
    if (hint >= m_hints.size())
    {
        // Doubling, because hints are dense and mostly come in rising order.
        m_hints.resize(std::min<std::size_t>(MAX_HINTS, std::max(hint + 1, 2 * hint)));
    }
    m_hints[hint] = {m_records[id - 1].serial, id};
}

void
EdgeFlowTable::ThrowNotInUse(FlowId id)
{
    throw std::invalid_argument("edge flow table: flow " + std::to_string(id) +
                                " is not in use, allowed are only ids that Classify() gave and "
                                "that were not freed since");
}

} // namespace ns3::fabric
