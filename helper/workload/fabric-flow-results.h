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

namespace fabric
{

/// What came of a flow that is done.
struct FlowTimes
{
    uint32_t flow; ///< Its number.
    TimePs start;  ///< When it started, ps.
    TimePs fct;    ///< How long it took until its last byte was there, ps.
    TimePs ideal;  ///< How long it takes in the empty fabric, ps; 0: not known, it went by SDMA.
    TimePs standalone; ///< The same by HPCC's formula, ps.
};

} // namespace fabric

/// What came of the flows of FabricFlowTraffic: completion times and slowdowns, also by size, and
/// fct.txt.
class FabricFlowResults
{
  public:
    /**
     * @param list the flows; stays
     * @param times what came of them, in the order in which they were done
     */
    FabricFlowResults(const fabric::FlowList& list, std::vector<fabric::FlowTimes> times);

    /**
     * Works out what came of native messages, when the run is over.
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
    const fabric::FlowList& m_list;        ///< The flows.
    std::vector<fabric::FlowTimes> m_rows; ///< In the order in which they were done.
};

} // namespace ns3

#endif // FABRIC_FLOW_RESULTS_H
