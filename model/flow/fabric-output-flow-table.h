/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_OUTPUT_FLOW_TABLE_H
#define FABRIC_OUTPUT_FLOW_TABLE_H

#include "fabric-ack-counts.h"
#include "fabric-fetch.h"
#include "fabric-input-queue.h"
#include "fabric-types.h"

#include <algorithm>
#include <vector>

namespace ns3::fabric
{

/**
 * OFCT, the output flow channel table of a port (FC-4): gives flows their flow_id on the outgoing
 * link, and leads ACKs that come back to the input port and flow_id that the frames came with.
 *
 * An entry takes 8 bytes; its data_flow is that of the input table's record, to which it leads. The
 * last id that was freed is the next one given, so few lines of the neighbour's table are touched.
 * Each free entry knows the one that was freed before it.
 */
class OutputFlowTable
{
  public:
    /// @param capacity most ids in use at a time; FLOW_IDS_PER_LINK - 1 on a real link (FC-9)
    explicit OutputFlowTable(uint32_t capacity = FLOW_IDS_PER_LINK - 1)
        : m_capacity(static_cast<uint16_t>(capacity))
    {
    }

    /**
     * @param source input port and incoming flow_id
     * @return a flow_id for the outgoing link, NO_FLOW if all are in use
     */
    FlowId Allocate(QueueRef source, TimePs now)
    {
        FlowId id = m_lastFreed;
        if (id != NO_FLOW)
        {
            Entry& entry = m_entries[id - 1];
            m_lastFreed = entry.source.queue;
            entry.source = source;
            ++entry.uses;
        }
        else if (m_entries.size() < m_capacity)
        {
            m_entries.push_back({source, {}, 0});
            id = static_cast<FlowId>(m_entries.size());
        }
        else
        {
            return NO_FLOW;
        }
        ++m_inUse;
        m_peakInUse = std::max(m_peakInUse, m_inUse);
        ++m_allocated;
        m_useTime -= static_cast<uint64_t>(now);
        return id;
    }

    /**
     * @param id a flow_id in use
     * @return input port and incoming flow_id of its frames, NO_QUEUE if the id is not in use
     */
    QueueRef Source(FlowId id) const
    {
        if (id == NO_FLOW || id > m_entries.size())
        {
            return NO_QUEUE;
        }
        const QueueRef source = m_entries[id - 1].source;
        return source.input == FREE ? NO_QUEUE : source;
    }

    /// @param id a flow_id, whose entry is fetched; one that is not in use too
    void FetchEntry(FlowId id) const
    {
        // A pointer that is chosen, not a branch that has to be guessed.
        const void* const nothing = this;
        FetchMemory(id < m_entries.size() ? &m_entries[id] : nothing, 1);
    }

    /// @param id a flow_id in use @return what its ACKs have said so far
    AckCounts& Heard(FlowId id)
    {
        return m_entries[id - 1].heard;
    }

    /// @copydoc Heard()
    const AckCounts& Heard(FlowId id) const
    {
        return m_entries[id - 1].heard;
    }

    /// @param id a flow_id in use, whose frames are all acknowledged (FC-8)
    void Release(FlowId id, TimePs now)
    {
        m_useTime += static_cast<uint64_t>(now);
        m_entries[id - 1].source = {FREE, m_lastFreed};
        m_lastFreed = id;
        --m_inUse;
    }

    /// The link has failed: all ids are free, and none is given until Resume() (WL-8).
    void Suspend()
    {
        m_entries.clear();
        m_lastFreed = NO_FLOW;
        m_inUse = 0;
        m_suspended = m_suspended == 0 ? m_capacity : m_suspended;
        m_capacity = 0;
    }

    /// The receiver of a repaired link is ready.
    void Resume()
    {
        m_capacity = m_suspended;
        m_suspended = 0;
    }

    /// @return whether no id is given, since the link has failed
    bool IsSuspended() const
    {
        return m_suspended != 0;
    }

    /// @param id a flow_id in use @return how often it was given before, modulo 65536
    uint16_t Uses(FlowId id) const
    {
        return m_entries[id - 1].uses;
    }

    /// @return highest id that was ever in use since the link came up
    uint32_t Size() const
    {
        return static_cast<uint32_t>(m_entries.size());
    }

    /// @return number of ids in use
    uint32_t InUse() const
    {
        return m_inUse;
    }

    /// @return highest number of ids that were in use at a time
    uint32_t PeakInUse() const
    {
        return m_peakInUse;
    }

    /// @return flow_ids given since the start, each use of an id counted
    uint64_t Allocated() const
    {
        return m_allocated;
    }

    /**
     * Its mean over a time is what FC-9 needs of ids; divided by Allocated() it is how long a flow
     * kept its id.
     *
     * @param until present time, ps
     * @return ids in use summed over time since the start, ps
     */
    TimePs UseTime(TimePs until) const
    {
        return static_cast<TimePs>(m_useTime + uint64_t{InUse()} * static_cast<uint64_t>(until));
    }

  private:
    /// Input port of an entry that is not in use.
    static constexpr uint16_t FREE = NO_QUEUE.input;

    /// A flow_id.
    struct Entry
    {
        QueueRef source; ///< Input port and incoming flow_id; if it is not in use FREE and the
                         ///< flow_id that was freed before it.
        AckCounts heard; ///< What its ACKs have said so far.
        uint16_t uses;   ///< How often it was given before, modulo 65536.
    };

    std::vector<Entry> m_entries; ///< By flow_id - 1.
    FlowId m_lastFreed{NO_FLOW};  ///< Of those that are not in use.
    uint16_t m_inUse{0};          ///< See InUse().
    uint16_t m_peakInUse{0};      ///< Most ids that were in use at a time.
    uint16_t m_capacity;          ///< Most ids in use at a time.
    uint16_t m_suspended{0};      ///< What m_capacity was before Suspend(); 0 while ids are given.
    uint64_t m_allocated{0};      ///< Ids given.
    /// Times of release less times of allocation, ps: all that the sum over time needs, for one
    /// addition each. It wraps while ids are in use, which UseTime() undoes.
    uint64_t m_useTime{0};
};

} // namespace ns3::fabric

#endif // FABRIC_OUTPUT_FLOW_TABLE_H
