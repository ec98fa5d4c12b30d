/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_LANES_H
#define FABRIC_NIC_LANES_H

#include "fabric-lane-plans.h"
#include "fabric-lane-sender.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// What a NIC has more if its uplink arbitrates between virtual lanes (VA-12): the lane of each
/// flow, and tables to come.
class NicLanes : public LaneSender
{
  public:
    /// @param plan of the arbiter
    NicLanes(const std::shared_ptr<const LanePlan>& plan, std::shared_ptr<const LaneMap> map)
        : NicLanes(plan, std::move(map), std::make_unique<LineMemory>(LinesFor(*plan)))
    {
    }

    /**
     * @param trafficClass of a flow
     * @param src its source
     * @param dst its destination
     */
    uint8_t LaneOfFlow(uint8_t trafficClass, LocationId src, LocationId dst) const
    {
        return m_map->LaneOfFlow(trafficClass, src, dst);
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
    }

    /// @return when the next table counts, NEVER for none, ps
    TimePs NextTable() const
    {
        return m_changes.empty() ? NEVER : m_changes.front().at;
    }

    /// The next table counts: flows may have other lanes.
    void TakeNextTable()
    {
        const Change change = m_changes.front();
        m_changes.erase(m_changes.begin());
        auto memory = std::make_unique<LineMemory>(LinesFor(*change.plan));
        SetPlan(change.plan, *memory, change.at);
        m_memory = std::move(memory);
        m_map = change.map;
    }

  private:
    NicLanes(const std::shared_ptr<const LanePlan>& plan,
             std::shared_ptr<const LaneMap> map,
             std::unique_ptr<LineMemory> memory)
        : LaneSender(plan, *memory),
          m_map(std::move(map)),
          m_memory(std::move(memory))
    {
    }

    /// A table to come.
    struct Change
    {
        TimePs at;                            ///< From which on it counts, ps.
        std::shared_ptr<const LanePlan> plan; ///< Of the arbiter.
        std::shared_ptr<const LaneMap> map;   ///< Lanes of each class.
    };

    std::shared_ptr<const LaneMap> m_map; ///< Lanes of each class.
    std::vector<Change> m_changes;        ///< Tables to come, by time.
    std::unique_ptr<LineMemory> m_memory; ///< Where arrays stand.
};

} // namespace ns3::fabric

#endif // FABRIC_NIC_LANES_H
