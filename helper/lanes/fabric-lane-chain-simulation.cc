/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-chain-simulation.h"

#include "fabric-require.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

LaneChainSimulation::LaneChainSimulation(const LaneChainPlan& plan, TimePs window)
    : m_plan(plan),
      m_chain(plan),
      m_window(window)
{
    const auto least = std::min_element(plan.latencies.begin(), plan.latencies.end());
    const TimePs longest = least == plan.latencies.end() ? NEVER : *least;
    RequireRange("LaneChainSimulation", "the window in ps", window, TimePs{1}, longest);
    for (const ChainFrame& frame : plan.frames)
    {
        m_wires += frame.leave - frame.enter + 1;
    }
}

void
LaneChainSimulation::Start()
{
    Plan();
}

void
LaneChainSimulation::Plan()
{
    const TimePs next = m_chain.NextTime();
    if (next != NEVER)
    {
        const Time begin = PicoSeconds(next / m_window * m_window);
        Simulator::Schedule(begin - Simulator::Now(), &LaneChainSimulation::Advance, this);
    }
}

void
LaneChainSimulation::Advance()
{
    const TimePs end = Simulator::Now().GetPicoSeconds() + m_window;
    for (uint32_t hop = 0; hop < m_plan.rates.size(); ++hop)
    {
        m_chain.Advance(hop, end);
    }
    Plan();
}

double
LaneChainSimulation::GetDone() const
{
    const uint64_t taken = GetWireTotals().Get().frames;
    return m_wires == 0 ? 1 : static_cast<double>(taken) / static_cast<double>(m_wires);
}

void
LaneChainSimulation::CheckEmpty()
{
    m_chain.CheckEmpty();
}

void
LaneChainSimulation::AddLatencies(LaneLatencyRecorder& recorder) const
{
    for (uint32_t handle = 0; handle < m_plan.frames.size(); ++handle)
    {
        const ChainFrame& frame = m_plan.frames[handle];
        recorder.AddLatency(frame.lane, m_chain.TailAt(frame.leave, handle) - frame.time);
        recorder.AddWait(frame.lane, m_chain.HeadAt(frame.enter, handle) - frame.time);
    }
}

WireTotals
LaneChainSimulation::GetWireTotals() const
{
    WireTotals totals;
    for (uint32_t hop = 0; hop < m_plan.rates.size(); ++hop)
    {
        totals.Add(m_chain.Counts(hop));
    }
    return totals;
}

RunTotals
LaneChainSimulation::GetTotals() const
{
    RunTotals totals;
    for (uint32_t handle = 0; handle < m_plan.frames.size(); ++handle)
    {
        const ChainFrame& frame = m_plan.frames[handle];
        totals.bytesOffered += frame.bytes;
        totals.simulatedTime = std::max(totals.simulatedTime, m_chain.TailAt(frame.leave, handle));
    }
    for (uint32_t hop = 0; hop < m_plan.rates.size(); ++hop)
    {
        for (const WireSegment& segment : m_chain.Segments(hop))
        {
            const bool isLast = hop == m_plan.frames[segment.handle].leave;
            totals.bytesDelivered += isLast ? segment.bytes : 0;
        }
    }
    totals.dataHops = GetWireTotals().Get().frames;
    return totals;
}

} // namespace fabric
} // namespace ns3
