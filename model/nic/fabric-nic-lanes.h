/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_LANES_H
#define FABRIC_NIC_LANES_H

#include "fabric-lane-map.h"
#include "fabric-lane-sender.h"
#include "fabric-ring.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * What a NIC has more if its uplink arbitrates between virtual lanes (VA-12): the turns of its
 * queues by lane, and tables to come.
 */
class NicLanes : public LaneSender
{
  public:
    /**
     * @param settings of the arbiter
     * @param table the lanes; class 0 has one
     * @throws std::invalid_argument with a sentence if either is wrong (VA-14)
     */
    NicLanes(const VlArbiterSettings& settings, const LaneTable& table)
        : LaneSender(settings, table)
    {
        IndexTable();
    }

    /**
     * @param trafficClass of a flow
     * @param src its source
     * @param dst its destination
     * @return its lane
     */
    uint8_t LaneOfFlow(uint8_t trafficClass, LocationId src, LocationId dst) const
    {
        return m_map.LaneOfFlow(trafficClass, src, dst);
    }

    /**
     * A queue with jobs begins to wait; its turn comes last in its lane.
     *
     * @param number of the queue
     * @param lane of its flow
     */
    void Wait(uint32_t number, uint8_t lane)
    {
        m_turns[lane].Push(number);
        m_waiting |= LaneMask{1} << lane;
    }

    /// @return lanes with queues that wait
    LaneMask Waiting() const
    {
        return m_waiting;
    }

    /**
     * @param lane in which a queue waits
     * @return its queues, whose turn it is first
     */
    const Ring<uint32_t>& Turns(uint32_t lane) const
    {
        return m_turns[lane];
    }

    /**
     * A queue is served, and waits no longer. Those whose turn was before it lose it, since they
     * could not use it.
     *
     * @param lane of the queue
     * @param place of the queue in Turns()
     */
    void TakeOut(uint32_t lane, uint32_t place)
    {
        Ring<uint32_t>& turns = m_turns[lane];
        for (; place != 0; --place)
        {
            const uint32_t passedOver = turns.Front();
            turns.Pop();
            turns.Push(passedOver);
        }
        turns.Pop();
        m_waiting &= ~(turns.IsEmpty() ? LaneMask{1} << lane : 0U);
    }

    /**
     * Changes the table in the run (VA-11).
     *
     * @param at time from which on it counts, ps
     * @param table fits to the settings; class 0 has a lane
     */
    void ChangeAt(TimePs at, const LaneTable& table)
    {
        const auto later = std::find_if(m_changes.begin(),
                                        m_changes.end(),
                                        [at](const auto& other) { return other.first > at; });
        m_changes.insert(later, {at, table});
        m_nextTable = m_changes.front().first;
    }

    /// @return when the next table counts, NEVER for none, ps
    TimePs NextTable() const
    {
        return m_nextTable;
    }

    /**
     * The next table counts: nothing waits any more, and flows may have other lanes.
     *
     * @return the queues that waited, for the owner to let them wait again
     */
    std::vector<uint32_t> TakeNextTable()
    {
        arbiter.SetTable(m_changes.front().second, m_changes.front().first);
        m_changes.erase(m_changes.begin());
        m_nextTable = m_changes.empty() ? NEVER : m_changes.front().first;
        IndexTable();
        std::vector<uint32_t> queues;
        for (; m_waiting != 0; m_waiting &= m_waiting - 1)
        {
            Ring<uint32_t>& turns = m_turns[LowestBit(m_waiting)];
            for (; !turns.IsEmpty(); turns.Pop())
            {
                queues.push_back(turns.Front());
            }
        }
        return queues;
    }

    /// @return bytes of memory held with the object
    std::size_t MemoryBytes() const
    {
        std::size_t bytes = sizeof(*this) + arbiter.MemoryBytes();
        for (const Ring<uint32_t>& turns : m_turns)
        {
            bytes += turns.MemoryBytes();
        }
        return bytes;
    }

  private:
    /// Makes what follows from the table.
    void IndexTable()
    {
        m_map = LaneMap(arbiter.Table());
        m_map.LetOthersUseClass0();
    }

    LaneMask m_waiting{0};                               ///< Lanes with queues that wait.
    TimePs m_nextTable{NEVER};                           ///< See NextTable().
    std::array<Ring<uint32_t>, DEFAULT_LANES> m_turns;   ///< Queues that wait, by lane.
    LaneMap m_map;                                       ///< Lanes of each class.
    std::vector<std::pair<TimePs, LaneTable>> m_changes; ///< Tables to come, by time.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_NIC_LANES_H
