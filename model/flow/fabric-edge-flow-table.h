/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_EDGE_FLOW_TABLE_H
#define FABRIC_EDGE_FLOW_TABLE_H

#include "fabric-fetch.h"
#include "fabric-flow-key.h"
#include "fabric-flow-rules.h"
#include "fabric-key-index.h"
#include "fabric-types.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/**
 * The edge flow channel table (EFCT) of an ingress edge port (FC-2, FC-8, FC-9): gives every flow
 * that has frames in the fabric an id of its own.
 *
 * | state of an id | what happens                                   | next   |
 * |----------------|------------------------------------------------|--------|
 * | free           | Classify() of a key that matches no pattern    | in use |
 * | in use         | Classify() of a key that matches its pattern   | in use |
 * | in use         | Send(), Acknowledge() with frames still out    | in use |
 * | in use         | Acknowledge() that makes ack_flow == data_flow | free   |
 *
 * Memory: patterns and records are arrays indexed by id, and patterns are found through an index.
 * All of them grow, by doubling up to the capacity, when more ids are in use than ever before;
 * hints grow when one is larger than any before. Nothing else allocates, so nothing does in steady
 * state. A std::unordered_map whose nodes are kept would not allocate either, but took twice the
 * time, as it hashes three times for a channel made and freed.
 */
class EdgeFlowTable
{
  public:
    /// Hint of a sender that makes no promise: the key is looked up every time.
    static constexpr uint32_t NO_HINT = std::numeric_limits<uint32_t>::max();
    /// Hints are below this: they index an array of 16-byte entries, 1 MB at most.
    static constexpr uint32_t MAX_HINTS = 1 << 16;

    /**
     * @param fields fields that tell flows apart besides destination, FTAG and VNI, for keys that
     * match no ternary entry
     * @param capacity ids that can be in use together, 1 to 2047 (FC-9); ids are 1 to capacity
     * @throws std::invalid_argument if fields or capacity are out of range
     */
    explicit EdgeFlowTable(FlowFields fields = FLOW_ALL, uint32_t capacity = FLOW_IDS_PER_LINK - 1);

    /**
     * Adds a ternary entry. A key that has the rule's value in the bits of its mask is cut down to
     * the bits of its pattern, and keys of that rule that are then equal share a channel. Of
     * several rules that match the one added first wins. A rule may leave destination, FTAG or VNI
     * open to match any, but keys that differ in them still have channels of their own
     * (FlowKey::MaskOf()).
     *
     * @throws std::invalid_argument if an id is in use: its flow could change channel and be
     * overtaken; if there are MOST_FLOW_RULES already
     */
    void AddTernary(const FlowRule& rule);

    /**
     * Finds the channel of a frame, or makes one. The owner then calls Send() for the frame.
     *
     * @param key header fields of the frame
     * @param hint a small dense number for which the key is always the same, as a sender's queue
     * number, below MAX_HINTS, or NO_HINT. While the channel found last for a hint is in use, it is
     * returned without a look at the key.
     * @return the id, or nothing if a new one is needed and none is free: the header has to wait
     * (FC-9)
     * @throws std::invalid_argument if the hint is out of range
     */
    std::optional<FlowId> Classify(const FlowKey& key, uint32_t hint = NO_HINT)
    {
        if (hint < m_hints.size())
        {
            const Hint& last = m_hints[hint];
            if (last.id != NO_FLOW && m_records[last.id - 1].serial == last.serial)
            {
                return last.id;
            }
        }
        return Match(key, hint);
    }

    /// What was found last for a hint does not count any more: it stands for another key from now
    /// on. @param hint as for Classify()
    void ForgetHint(uint32_t hint)
    {
        if (hint < m_hints.size())
        {
            m_hints[hint] = {};
        }
    }

    /**
     * Counts a frame into the fabric. Fewer than 2^32 units can be out at a time; positions wrap.
     *
     * @param id channel of the frame, in use
     * @param units length of the frame in units of 256 bytes, at least 1 (FlowUnits())
     * @return data_flow of the frame: its position in the flow, in units since the id was allocated
     * @throws std::invalid_argument if the id is not in use or the frame has no units
     */
    uint32_t Send(FlowId id, uint32_t units);

    /**
     * Counts an acknowledgement. When nothing is left out, the id is free again and its pattern is
     * forgotten (FC-8). Acknowledging 0 units gives an id back on which nothing was sent.
     *
     * @param id channel that it acknowledges, in use
     * @param units what it acknowledges, in units of 256 bytes, at most FlowExtent()
     * @return whether the id was freed
     * @throws std::invalid_argument if the id is not in use or more is acknowledged than is out
     */
    bool Acknowledge(FlowId id, uint32_t units);

    /**
     * @param id a channel in use
     * @return data_flow - ack_flow, in units of 256 bytes (FC-5)
     * @throws std::invalid_argument if the id is not in use
     */
    uint32_t FlowExtent(FlowId id) const;

    /**
     * Something is known of a flow now: it begins, or something of it was acknowledged.
     *
     * @param id a channel in use
     * @throws std::invalid_argument if the id is not in use
     */
    void Hear(FlowId id, TimePs now)
    {
        m_records[IndexOf(id)].heardAt = now;
    }

    /**
     * @param id a channel in use
     * @return when it was heard of last, ps
     * @throws std::invalid_argument if the id is not in use
     */
    TimePs HeardAt(FlowId id) const
    {
        return m_records[IndexOf(id)].heardAt;
    }

    /**
     * @param key header fields of a frame
     * @return the pattern that it belongs to, with the number of the rule that made it
     */
    FlowKey PatternOf(const FlowKey& key) const;

    /// @return whether it is the id of a channel in use
    bool IsInUse(FlowId id) const
    {
        return id != NO_FLOW && id <= m_records.size() && m_records[id - 1].serial != FREE;
    }

    /// Fetches what Classify() looks at first. @param hint as there
    void FetchHint(uint32_t hint) const
    {
        const void* const nothing = this;
        FetchMemory(hint < m_hints.size() ? &m_hints[hint] : nothing, sizeof(Hint));
    }

    /// Fetches what Classify() looks at then. @param hint as there
    void FetchRecordOf(uint32_t hint) const
    {
        const FlowId id = hint < m_hints.size() ? m_hints[hint].id : NO_FLOW;
        const void* const nothing = this;
        FetchMemory(id != NO_FLOW ? &m_records[id - 1] : nothing, sizeof(Record));
    }

    /// @return ids in use now
    uint32_t InUse() const
    {
        return static_cast<uint32_t>(m_records.size() - m_free.size());
    }

    /// @return most ids that were in use together
    uint32_t PeakInUse() const
    {
        return static_cast<uint32_t>(m_records.size());
    }

    /// @return channels made since the start
    uint64_t Allocated() const
    {
        return m_allocated;
    }

    /// @return channels freed since the start
    uint64_t Released() const
    {
        return m_allocated - InUse();
    }

    /// @return calls of Classify() that found no free id
    uint64_t Failed() const
    {
        return m_failed;
    }

    /**
     * Checks the table (FC-17).
     *
     * @throws std::logic_error with what is wrong: an id that is neither free nor in use, or both;
     * an id used twice; a pattern without its id
     */
    void Check() const;

  private:
    static constexpr uint64_t FREE = 0; ///< Serial of a record that is not in use.

    /// An id's record, at index id - 1.
    struct Record
    {
        uint64_t serial{FREE}; ///< Which allocation this is, counted from 1, or FREE.
        uint32_t dataFlow{0};  ///< Units sent.
        uint32_t ackFlow{0};   ///< Units acknowledged.
        uint32_t hash{0};      ///< Hash of the pattern.
        TimePs heardAt{0};     ///< See Hear().
    };

    /// What Classify() found last for a hint. An id is reused, a serial is not, so a hint that
    /// outlived its channel is recognized and does not lead to another flow's.
    struct Hint
    {
        uint64_t serial{FREE}; ///< Serial of the record at that time.
        FlowId id{NO_FLOW};    ///< The id, or NO_FLOW for none yet.
    };

    /**
     * The part of Classify() that looks at the key.
     *
     * @param key header fields of the frame
     * @param hint as for Classify()
     * @return as for Classify()
     */
    std::optional<FlowId> Match(const FlowKey& key, uint32_t hint);

    /// @param hash of the pattern @return the id that has a pattern, NO_FLOW if none has it
    FlowId Find(const FlowKey& pattern, uint32_t hash) const;

    /**
     * Takes the id that became free last, or else the lowest that was never used.
     *
     * @param pattern pattern to store
     * @return the id, or NO_FLOW if none is free
     */
    FlowId Allocate(const FlowKey& pattern, uint32_t hash);

    /// Makes room for twice the records, up to the capacity.
    void Grow();

    /**
     * Makes an id free and forgets its pattern.
     *
     * @param id an id in use
     */
    void Release(FlowId id);

    /**
     * @param hint as for Classify(), in range
     * @param id the id found
     */
    void Remember(uint32_t hint, FlowId id);

    /**
     * @return the index of its record
     * @throws std::invalid_argument if it is not in use
     */
    std::size_t IndexOf(FlowId id) const
    {
        if (!IsInUse(id))
        {
            ThrowNotInUse(id);
        }
        return id - 1;
    }

    /// @throws std::invalid_argument that an id is not in use
    [[noreturn]] static void ThrowNotInUse(FlowId id);

    // By use: the first two are all that a hit with a hint, Send() and Acknowledge() touch.
    std::vector<Record> m_records;   ///< Records of all ids ever used, so PeakInUse() many.
    std::vector<Hint> m_hints;       ///< Indexed by hint.
    std::vector<FlowKey> m_patterns; ///< Patterns, as the records; void where an id is free.
    KeyIndex m_indexOf;              ///< Of records in use, by pattern.
    std::vector<FlowId> m_free;      ///< Free ids of those ever used, the last freed on top.
    FlowRules m_rules;               ///< Ternary entries in the order of matching.
    uint64_t m_allocated{0};         ///< Allocations, and the serial of the last.
    uint64_t m_failed{0};            ///< Calls of Classify() without a free id.
    uint32_t m_capacity;             ///< Ids that can be in use together.
    FlowKey m_fieldMask;             ///< Mask of the fields that take part.
};

} // namespace ns3::fabric

#endif // FABRIC_EDGE_FLOW_TABLE_H
