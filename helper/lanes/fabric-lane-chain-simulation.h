/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_CHAIN_SIMULATION_H
#define FABRIC_LANE_CHAIN_SIMULATION_H

#include "fabric-lane-chain.h"
#include "fabric-lane-latency-recorder.h"
#include "fabric-run-totals.h"
#include "fabric-wire-totals.h"

namespace ns3
{
namespace fabric
{

/**
 * Runs a LaneChain in ns-3's event loop, window by window, and says what came of its frames.
 *
 * @code
 * fabric::LaneChainSimulation chain(plan, 450'000); // plan.latencies are 450 ns or more
 * chain.Start();
 * Simulator::Run();
 * chain.CheckEmpty();
 * chain.AddLatencies(recorder);
 * @endcode
 */
class LaneChainSimulation
{
  public:
    /**
     * @param plan to run; must stay
     * @param window simulated time that an event handles, 1 ps to the least of the plan's
     * latencies; the results do not depend on it
     * @throw std::invalid_argument see LaneChain, or if the window is out of its range
     */
    LaneChainSimulation(const LaneChainPlan& plan, TimePs window);

    /// Schedules the first window.
    void Start();

    /// @return part of the wires on the ways of all frames that frames have taken, 0 to 1
    double GetDone() const;

    /**
     * To be called at the end.
     *
     * @throw std::logic_error if a frame is left anywhere
     */
    void CheckEmpty();

    /**
     * Adds latencies, from a frame's head at its first port to its tail on its last wire, and
     * waits, from that head to its first byte on the first wire; at the end.
     *
     * @param recorder has the lanes of the plan
     */
    void AddLatencies(LaneLatencyRecorder& recorder) const;

    /// @return what all wires did
    WireTotals GetWireTotals() const;

    /// @return bytes on the wire, not payload; at the end
    RunTotals GetTotals() const;

  private:
    /// Schedules the next window in which something happens.
    void Plan();
    /// Runs a window.
    void Advance();

    const LaneChainPlan& m_plan; ///< What is run.
    LaneChain m_chain;           ///< The ports.
    TimePs m_window;             ///< Simulated time that an event handles, ps.
    uint64_t m_wires{0};         ///< On the ways of all frames.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_LANE_CHAIN_SIMULATION_H
