/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-edge-flow-table.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3
{
namespace fabric
{

namespace
{

/// Records made at first: most ports carry few flows at a time.
constexpr std::size_t FIRST_RECORDS = 8;

} // namespace

EdgeFlowTable::EdgeFlowTable(FlowFields fields, uint32_t capacity)
    : m_capacity(capacity),
      m_fields(fields)
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
EdgeFlowTable::AddTernary(const FlowKey& value, const FlowKey& mask)
{
    if (InUse() != 0)
    {
        throw std::invalid_argument("edge flow table: a ternary entry is added while " +
                                    std::to_string(InUse()) +
                                    " ids are in use, allowed is this only while none is");
    }
    m_ternary.push_back({value & mask, mask});
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
    Release(record);
    return true;
}

uint32_t
EdgeFlowTable::FlowExtent(FlowId id) const
{
    const Record& record = m_records[IndexOf(id)];
    return record.dataFlow - record.ackFlow;
}

bool
EdgeFlowTable::IsInUse(FlowId id) const
{
    return id != NO_FLOW && id <= m_records.size() && m_records[id - 1].serial != FREE;
}

std::size_t
EdgeFlowTable::HeapBytes() const
{
    // Not a bucket array: the one bucket of an empty map is inside it.
    const std::size_t buckets = m_records.empty() ? 0 : m_ids.bucket_count() * sizeof(void*);
    // A node has its value, the link to the next and the hash.
    const std::size_t node = sizeof(PatternMap::value_type) + sizeof(void*) + sizeof(std::size_t);
    return buckets + m_records.size() * node + m_records.capacity() * sizeof(Record) +
           m_free.capacity() * sizeof(PatternMap::node_type) + m_hints.capacity() * sizeof(Hint) +
           m_ternary.capacity() * sizeof(TernaryEntry);
}

void
EdgeFlowTable::Check() const
{
    const auto require = [](bool holds, FlowId id, const char* sentence) {
        if (!holds)
        {
            throw std::logic_error("edge flow table: id " + std::to_string(id) + ' ' + sentence);
        }
    };
    std::vector<bool> seen(m_records.size());
    const auto visit = [&](FlowId id) {
        require(id != NO_FLOW && id <= m_records.size(), id, "was never made");
        require(!seen[id - 1], id, "is there twice among the free ids and those in use");
        seen[id - 1] = true;
    };
    for (const auto& node : m_free)
    {
        visit(node.mapped());
        require(!IsInUse(node.mapped()), node.mapped(), "is in use and on the free list");
    }
    for (const auto& entry : m_ids)
    {
        const FlowId id = entry.second;
        visit(id);
        require(IsInUse(id), id, "has a pattern but is not in use");
        require(m_records[id - 1].pattern == &entry.first, id, "does not know its own pattern");
        require(m_ids.count(entry.first) == 1 && m_ids.find(entry.first)->second == id,
                id,
                "is not found by its pattern");
    }
    const auto lost = std::find(seen.begin(), seen.end(), false);
    require(lost == seen.end(),
            static_cast<FlowId>(lost - seen.begin() + 1),
            "is neither free nor in use");
    require(m_records.size() <= m_capacity,
            static_cast<FlowId>(m_records.size()),
            "is past the capacity");
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
    const auto entry = m_ids.find(pattern);
    const FlowId id = entry != m_ids.end() ? entry->second : Allocate(pattern);
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
    for (const TernaryEntry& entry : m_ternary)
    {
        if ((key & entry.mask) == entry.value)
        {
            return key & (entry.mask | FlowKey::MaskOf(0));
        }
    }
    return key.Select(m_fields);
}

FlowId
EdgeFlowTable::Allocate(const FlowKey& pattern)
{
    PatternMap::const_iterator entry;
    if (!m_free.empty())
    {
        PatternMap::node_type node = std::move(m_free.back());
        m_free.pop_back();
        node.key() = pattern;
        entry = m_ids.insert(std::move(node)).position;
    }
    else if (m_records.size() < m_capacity)
    {
        if (m_records.size() == m_records.capacity())
        {
            Grow();
        }
        m_records.emplace_back();
        entry = m_ids.emplace(pattern, static_cast<FlowId>(m_records.size())).first;
    }
    else
    {
        return NO_FLOW;
    }
    m_records[entry->second - 1] = {++m_allocated, &entry->first, 0, 0};
    return entry->second;
}

void
EdgeFlowTable::Grow()
{
    const std::size_t wanted = std::max(FIRST_RECORDS, 2 * m_records.size());
    const std::size_t size = std::min<std::size_t>(wanted, m_capacity);
    m_records.reserve(size);
    m_free.reserve(size);
    m_ids.reserve(size);
}

void
EdgeFlowTable::Release(Record& record)
{
    m_free.push_back(m_ids.extract(*record.pattern));
    record = {};
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

std::size_t
EdgeFlowTable::IndexOf(FlowId id) const
{
    if (!IsInUse(id))
    {
        throw std::invalid_argument("edge flow table: flow " + std::to_string(id) +
                                    " is not in use, allowed are only ids that Classify() gave and "
                                    "that were not freed since");
    }
    return id - 1;
}

} // namespace fabric
} // namespace ns3
