/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_LIST_MAKER_H
#define FABRIC_FLOW_LIST_MAKER_H

#include "fabric-connection-matrix.h"
#include "fabric-flow-file.h"
#include "fabric-flow-list.h"
#include "fabric-goal-file.h"
#include "fabric-node-numbers.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// Makes lists of flows of what files say. The name of the file is for sentences.
class FlowListMaker
{
  public:
    /// @param name of the file
    explicit FlowListMaker(const std::string& name)
        : m_name(name)
    {
    }

    /**
     * @param nodes which nodes of the file are hosts
     * @param classes traffic class of each priority
     * @throws std::invalid_argument with a sentence if there are no flows, a node is no host or a
     * priority has no class
     */
    FlowList Make(const FlowFile& file,
                  const NodeNumbers& nodes,
                  const std::vector<uint64_t>& classes) const;

    /**
     * @param hosts of the fabric; those of the matrix are the first of them
     * @param endless bytes of a connection without end: more than a host can send in the run; 0 if
     * the run ends when all flows are done
     * @throws std::invalid_argument with a sentence if there are no flows, too few hosts, flows
     * that nothing starts, triggers that are activated too often, or connections without end in a
     * run without one
     */
    FlowList Make(const ConnectionMatrix& matrix, uint32_t hosts, uint64_t endless = 0) const;

    /**
     * Makes a flow of each send, rank by rank; FabricGoalTraffic starts them. Which operations are
     * done is known before the run unless receives take messages of any rank or tag, or the order
     * in which receives of one source and tag begin depends on times.
     *
     * @param hosts of the fabric; the ranks are the first of them
     * @throws std::invalid_argument with a sentence if there are no sends, too few hosts, or
     * operations that are never done
     */
    FlowList Make(const GoalFile& file, uint32_t hosts) const;

  private:
    /// @return with what a sentence of a line begins
    std::string AtLine(uint32_t line) const;
    /// @return which host a node is. @param line that names it
    uint32_t RequireHost(const NodeNumbers& nodes, uint32_t node, uint32_t line) const;
    /// Numbers the flows of each pair of hosts, and refuses a list without flows.
    void NumberFlows(FlowList& list) const;
    /// Refuses a file of more hosts than there are. @param what it is
    void RequireHosts(const std::string& what, std::size_t needed, uint32_t hosts) const;
    /// Refuses operations that are never done.
    void CheckOperations(const GoalFile& file) const;
    /// Refuses flows that nothing starts, and triggers that are activated too often.
    void CheckTriggers(const FlowList& list) const;

    const std::string m_name; ///< Of the file.
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_LIST_MAKER_H
