/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_LANES_H
#define FABRIC_NIC_LANES_H

#include "fabric-lane-plans.h"
#include "fabric-lane-sender.h"
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
        : NicLanes(plan, std::move(map), MemoryFor(*plan))
    {
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
        if (number >= m_next.size())
        {
            m_next.resize(number + 1, NO_QUEUE);
        }
        Append(m_turns[lane], number);
        m_waiting |= LaneMask{1} << lane;
    }

    /// @return lanes with queues that wait
    LaneMask Waiting() const
    {
        return m_waiting;
    }

    /**
     * @param lane in which a queue waits
     * @return the queue whose turn it is
     */
    uint32_t First(uint32_t lane) const
    {
        return m_turns[lane].first;
    }

    /**
     * @param number of a queue that waits
     * @return the queue whose turn comes after it in its lane, or NO_QUEUE
     */
    uint32_t Next(uint32_t number) const
    {
        return m_next[number];
    }

    /**
     * A queue is served, and waits no longer. Those whose turn was before it lose it, since they
     * could not use it.
     *
     * @param lane of the queue
     * @param number of the queue
     */
    void TakeOut(uint32_t lane, uint32_t number)
    {
        Turns& turns = m_turns[lane];
        while (turns.first != number)
        {
            Append(turns, RemoveFirst(turns));
        }
        RemoveFirst(turns);
        m_waiting &= ~(turns.first == NO_QUEUE ? LaneMask{1} << lane : 0U);
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
        std::vector<uint32_t> queues;
        for (; m_waiting != 0; m_waiting &= m_waiting - 1)
        {
            Turns& turns = m_turns[LowestBit(m_waiting)];
            while (turns.first != NO_QUEUE)
            {
                queues.push_back(RemoveFirst(turns));
            }
        }
        std::unique_ptr<LineMemory> memory = MemoryFor(*change.plan);
        SetPlan(change.plan, *memory, change.at);
        m_turns = LineArray<Turns>(*memory, Room());
        m_memory = std::move(memory);
        m_map = change.map;
        return queues;
    }

    /// Fetches what the next frame's choice touches of the object.
    void Fetch() const
    {
        FetchMemory(this, 2 * CACHE_LINE);
    }

    /// Fetches what the next frame's choice touches besides the object.
    void FetchArrays() const
    {
        LaneSender::FetchArrays();
        m_turns.Fetch(Room());
        FetchMemory(m_next.data(), m_next.size() * sizeof(uint32_t));
    }

    /// @return bytes of memory held with the object
    std::size_t MemoryBytes() const
    {
        std::size_t bytes = sizeof(*this) + HeapBytes() + LineArray<Turns>::BytesOf(Room()) +
                            m_next.capacity() * sizeof(uint32_t) + PartOf(m_map) +
                            m_changes.capacity() * sizeof(Change);
        for (const Change& change : m_changes)
        {
            bytes += PartOf(change.plan) + PartOf(change.map);
        }
        return bytes;
    }

    static constexpr uint32_t NO_QUEUE = 0xFFFFFFFF; ///< No queue waits.

  private:
    /// Queues of a lane, linked by m_next.
    struct Turns
    {
        uint32_t first{NO_QUEUE}; ///< Whose turn it is.
        uint32_t last{NO_QUEUE};  ///< Whose turn comes last.
    };

    /// In a memory.
    NicLanes(const std::shared_ptr<const LanePlan>& plan,
             std::shared_ptr<const LaneMap> map,
             std::unique_ptr<LineMemory> memory)
        : LaneSender(plan, *memory),
          m_turns(*memory, plan->LaneRoom()),
          m_map(std::move(map)),
          m_memory(std::move(memory))
    {
    }

    /// @return memory for a plan
    static std::unique_ptr<LineMemory> MemoryFor(const LanePlan& plan)
    {
        return std::make_unique<LineMemory>(LinesFor(plan) +
                                            LineArray<Turns>::BytesOf(plan.LaneRoom()));
    }

    /// A queue that is in no list gets into one as the last.
    void Append(Turns& turns, uint32_t number)
    {
        (turns.first == NO_QUEUE ? turns.first : m_next[turns.last]) = number;
        turns.last = number;
    }

    /// @return the first queue of a list that is not empty, which it leaves
    uint32_t RemoveFirst(Turns& turns)
    {
        const uint32_t number = turns.first;
        turns.first = m_next[number];
        m_next[number] = NO_QUEUE;
        return number;
    }

    /// A table to come.
    struct Change
    {
        TimePs at;                            ///< From which on it counts, ps.
        std::shared_ptr<const LanePlan> plan; ///< Of the arbiter.
        std::shared_ptr<const LaneMap> map;   ///< Lanes of each class.
    };

    // What every frame touches comes first; with the base it is in two lines of the cache.

    LaneMask m_waiting{0};                ///< Lanes with queues that wait.
    LineArray<Turns> m_turns;             ///< Queues that wait, by lane.
    TimePs m_nextTable{NEVER};            ///< See NextTable().
    std::vector<uint32_t> m_next;         ///< By queue: whose turn comes after it.
    std::shared_ptr<const LaneMap> m_map; ///< Lanes of each class.
    std::vector<Change> m_changes;        ///< Tables to come, by time.
    std::unique_ptr<LineMemory> m_memory; ///< Where arrays stand.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_NIC_LANES_H
