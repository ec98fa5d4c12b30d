/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_PLANS_H
#define FABRIC_LANE_PLANS_H

#include "fabric-lane-map.h"
#include "fabric-lane-plan.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace ns3::fabric
{

/**
 * All that follows from a lane table: a map of traffic classes to lanes, and a plan for each kind
 * of link, made when the first such link asks for it (VA-11). There is one for all switches and
 * hosts with the same table, whichever way they came to it, so that it stays in the caches.
 */
class LanePlans
{
  public:
    /**
     * @param table of lanes; class 0 has one
     * @return what follows from it, which others with an equal table share
     */
    static std::shared_ptr<LanePlans> Of(const LaneTable& table);

    /// @param table of lanes; class 0 has one
    explicit LanePlans(const LaneTable& table);

    /**
     * @return its plan, which all with the same settings share
     * @throws std::invalid_argument with a sentence if settings or table are wrong (VA-14)
     */
    std::shared_ptr<const LanePlan> For(const VlArbiterSettings& settings);

    /// @return lanes of each class; those of class 0 for classes that no lane carries
    const std::shared_ptr<const LaneMap>& Map() const
    {
        return m_map;
    }

    const LaneTable& Table() const
    {
        return m_table;
    }

  private:
    LaneTable m_table;                                    ///< The table.
    std::shared_ptr<const LaneMap> m_map;                 ///< See Map().
    mutable std::mutex m_mutex;                           ///< Switches may be in several threads.
    std::vector<std::shared_ptr<const LanePlan>> m_plans; ///< By settings.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_PLANS_H
