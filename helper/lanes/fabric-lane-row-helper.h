/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_ROW_HELPER_H
#define FABRIC_LANE_ROW_HELPER_H

#include "fabric-chain.h"
#include "fabric-helper.h"
#include "fabric-lane-chain-plan.h"

namespace ns3
{

/**
 * Builds switches in a row whose ports are those of a LaneChainPlan: the same rate, time from port
 * to port, lanes, preemption and interleaving. Lane i carries traffic class i.
 */
class LaneRowHelper
{
  public:
    /**
     * @param plan with one rate and one latency for all hops; of the latency 7/9 are the switch's,
     * 350 of 450 ns, and the rest is the delay of the links
     * @throw std::invalid_argument if it has no hops, or they differ
     */
    explicit LaneRowHelper(const fabric::LaneChainPlan& plan);

    /// @return the helper that installs, to set attributes before
    FabricHelper& GetHelper();

    /**
     * @param sources hosts on each switch, for each hop of the plan; the last switch gets one more
     * @return switches and hosts
     * @throw std::invalid_argument see MakeChainPlan()
     */
    FabricContainer Install(const fabric::ChainSources& sources) const;

    /**
     * @param lanes of a plan
     * @return their table: the lanes of a rank are a level, and all are one bandwidth group that
     * has the whole link
     */
    static fabric::LaneTable MakeTable(const std::vector<fabric::ChainLane>& lanes);

  private:
    FabricHelper m_helper; ///< Installs.
};

} // namespace ns3

#endif // FABRIC_LANE_ROW_HELPER_H
