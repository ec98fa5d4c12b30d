/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_LOAD_H
#define FABRIC_LANE_LOAD_H

#include "fabric-lane-link-settings.h"
#include "fabric-lane-source.h"

#include "ns3/nstime.h"

#include <memory>
#include <vector>

namespace ns3::fabric
{

/// Loads all lanes of a link at random, each as much as it is told.
class LaneLoad
{
  public:
    /**
     * @param path takes the packets; must stay
     * @param loads of the link by each lane of the table, in its order, 0 for none
     * @throws std::invalid_argument if there is not one load for each lane
     */
    LaneLoad(LanePath& path, const LaneLinkSettings& link, const std::vector<double>& loads);

    /**
     * @param at time from which on the loads are others
     * @param loads as for the constructor
     * @throws std::invalid_argument if there is not one load for each lane
     */
    void ChangeAt(Time at, const std::vector<double>& loads);

  private:
    /// @return time between packets, 0 for none, ps
    double GapOf(double load) const;
    /// Refuses loads that are not one for each lane.
    void CheckLoads(const std::vector<double>& loads) const;

    LaneLinkSettings m_link;                            ///< The link.
    std::vector<std::unique_ptr<LaneSource>> m_sources; ///< In the order of the table.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_LOAD_H
