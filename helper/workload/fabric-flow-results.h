/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_RESULTS_H
#define FABRIC_FLOW_RESULTS_H

#include "fabric-flow-list.h"
#include "fabric-message-recorder.h"
#include "fabric-node-numbers.h"
#include "fabric-summary.h"

#include <cstdint>
#include <ostream>
#include <vector>

namespace ns3
{

/// What came of the flows of FabricFlowTraffic: completion times and slowdowns, also by size, and
/// fct.txt.
class FabricFlowResults
{
  public:
    /**
     * Works them out, when the run is over.
     *
     * @param network that has carried them
     * @param list the flows
     * @param recorder of the messages, and of no others
     */
    FabricFlowResults(Ptr<FabricNetwork> network,
                      const fabric::FlowList& list,
                      const FabricMessageRecorder& recorder);

    /**
     * Adds the figures: flows, flows_done, completion_time and goodput; fct and slowdown of all
     * flows, and mean, p50 and p99 of those of each range of sizes, with how many are done. A range
     * is named by the most bytes that it has.
     */
    void AddTo(fabric::Summary& summary) const;

    /// Writes fct.txt. @param os where to write @param nodes what hosts are in files
    void WriteFct(std::ostream& os, const fabric::NodeNumbers& nodes) const;

    /// @return the range of a flow: the least power of ten from 1000 on that is not below its bytes
    static uint64_t RangeOf(uint64_t bytes);

  private:
    /// A flow that is done.
    struct Row
    {
        uint32_t flow;             ///< Its number.
        fabric::TimePs start;      ///< When it started, ps.
        fabric::TimePs fct;        ///< How long it took, ps.
        fabric::TimePs ideal;      ///< How long it takes in the empty fabric, ps.
        fabric::TimePs standalone; ///< The same by HPCC's formula, ps.
    };

    const fabric::FlowList& m_list; ///< The flows.
    std::vector<Row> m_rows;        ///< In the order in which they were done.
};

} // namespace ns3

#endif // FABRIC_FLOW_RESULTS_H
