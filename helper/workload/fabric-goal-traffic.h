/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GOAL_TRAFFIC_H
#define FABRIC_GOAL_TRAFFIC_H

#include "fabric-flow-carrier.h"
#include "fabric-flow-list.h"
#include "fabric-goal-file.h"
#include "fabric-goal-progress.h"
#include "fabric-helper.h"
#include "fabric-summary.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/// Carries out a GOAL trace on the first hosts of a fabric. Each send is a flow of a list. On
/// several ranks of MPI each one carries out what its own hosts do.
class FabricGoalTraffic
{
  public:
    /**
     * Each send is a native message (fabric::MessageFlowCarrier).
     *
     * @param fabric whose hosts are the ranks; stays as long as they do something
     * @param file the trace; outlives this object
     * @param list its sends as flows (fabric::FlowListMaker); outlives this object
     */
    FabricGoalTraffic(const FabricContainer& fabric,
                      const fabric::GoalFile& file,
                      const fabric::FlowList& list);

    /**
     * @param carrier of the flows of the list; stays as long as hosts do something
     * @param file the trace; outlives this object
     */
    FabricGoalTraffic(fabric::FlowCarrier& carrier, const fabric::GoalFile& file);

    FabricGoalTraffic(const FabricGoalTraffic&) = delete;
    FabricGoalTraffic& operator=(const FabricGoalTraffic&) = delete;

    /// Gets what was done on other ranks of MPI; all of them have to call it, once, when the
    /// simulation is over.
    void AddRanks();

    /**
     * Refuses operations that wait for ever, when the simulation has ended since nothing happens
     * any more. All ranks of MPI have to call it. Where messages were lost nothing is said.
     *
     * @param name of the file, for the sentence
     * @throws std::invalid_argument with a sentence
     */
    void RequireDone(const std::string& name) const;

    /// Adds the figures: operations, operations_done, and execution_time if all are done.
    void AddTo(fabric::Summary& summary) const;

  private:
    /// A calculation begins.
    void Calculate(uint32_t operation, uint64_t nanoseconds);
    /// Begins with the run.
    void Plan();

    std::unique_ptr<fabric::FlowCarrier> m_own; ///< Null if another was given.
    fabric::FlowCarrier& m_carrier;             ///< Of the messages.
    fabric::GoalProgress m_progress;            ///< How far the ranks are.
    Time m_last;                                ///< When something was done last.
    uint64_t m_doneElsewhere{0};                ///< Operations on other ranks of MPI.
};

} // namespace ns3

#endif // FABRIC_GOAL_TRAFFIC_H
