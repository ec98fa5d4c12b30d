/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_LANES_H
#define FABRIC_NIC_LANES_H

#include "fabric-lane-plans.h"
#include "fabric-lane-sender.h"
#include "fabric-ring.h"
#include "fabric-shared-memory.h"

#include <algorithm>
#include <memory>
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
     * @param plan of the arbiter
     * @param map lanes of each class
     */
    NicLanes(const std::shared_ptr<const LanePlan>& plan, std::shared_ptr<const LaneMap> map)
        : LaneSender(plan),
          m_map(std::move(map))
    {
        m_turns.Grow(plan->LaneRoom());
    }

    /**
     * @param trafficClass of a flow
     * @param src its source
     * @param dst its destination
     * @return its lane
     */
    uint8_t LaneOfFlow(uint8_t trafficClass, LocationId src, LocationId dst) const
    {
        return m_map->LaneOfFlow(trafficClass, src, dst);
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
     * @param plan of the arbiter, with its settings and the new table
     * @param map lanes of each class of the new table
     */
    void ChangeAt(TimePs at,
                  const std::shared_ptr<const LanePlan>& plan,
                  const std::shared_ptr<const LaneMap>& map)
    {
        const auto later = std::find_if(m_changes.begin(),
                                        m_changes.end(),
                                        [at](const auto& other) { return other.at > at; });
        m_changes.insert(later, {at, plan, map});
        m_nextTable = m_changes.front().at;
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
        const Change change = m_changes.front();
        m_changes.erase(m_changes.begin());
        m_nextTable = m_changes.empty() ? NEVER : m_changes.front().at;
        SetPlan(change.plan, change.at);
        m_map = change.map;
        m_turns.Grow(change.plan->LaneRoom());
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
        std::size_t bytes = sizeof(*this) + LaneSender::MemoryBytes() + m_turns.MemoryBytes() +
                            PartOf(m_map) + m_changes.capacity() * sizeof(Change);
        for (const Change& change : m_changes)
        {
            bytes += PartOf(change.plan) + PartOf(change.map);
        }
        for (const Ring<uint32_t>& turns : m_turns)
        {
            bytes += turns.MemoryBytes();
        }
        return bytes;
    }

  private:
    /// A table to come.
    struct Change
    {
        TimePs at;                            ///< From which on it counts, ps.
        std::shared_ptr<const LanePlan> plan; ///< Of the arbiter.
        std::shared_ptr<const LaneMap> map;   ///< Lanes of each class.
    };

    LaneMask m_waiting{0};                ///< Lanes with queues that wait.
    TimePs m_nextTable{NEVER};            ///< See NextTable().
    LineArray<Ring<uint32_t>> m_turns;    ///< Queues that wait, by lane.
    std::shared_ptr<const LaneMap> m_map; ///< Lanes of each class.
    std::vector<Change> m_changes;        ///< Tables to come, by time.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_NIC_LANES_H
