/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-log.h"

#include "fabric-program.h"
#include "fabric-rank-link.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace ns3::fabric
{

FlowLog::FlowLog(std::size_t flows, std::size_t outcomes)
    : m_states(flows),
      m_outcomes(outcomes)
{
}

void
FlowLog::Start(uint32_t flow)
{
    m_states[flow].start = Simulator::Now().GetPicoSeconds();
    ++m_started;
}

void
FlowLog::Receive(uint32_t flow, TimePs at)
{
    m_end = Simulator::Now().GetPicoSeconds();
    m_states[flow].received = at;
}

void
FlowLog::End(uint32_t flow, std::size_t outcome)
{
    m_end = Simulator::Now().GetPicoSeconds();
    ++m_outcomes[outcome];
    if (outcome == SUCCESS)
    {
        m_states[flow].told = m_end;
    }
}

void
FlowLog::AddRanks()
{
    if (RankCount() == 1)
    {
        return;
    }
    const std::vector<State> all = CollectFromRanks(m_states);
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        State& state = m_states[i % m_states.size()]; // NEVER where another rank knows
        state.start = std::min(state.start, all[i].start);
        state.received = std::min(state.received, all[i].received);
        state.told = std::min(state.told, all[i].told);
    }
    m_outcomes = SumOverRanks(m_outcomes);
    m_started = SumOverRanks({m_started}).front();
    m_end = static_cast<TimePs>(MostOfRanks({static_cast<uint64_t>(m_end)}).front());
}

uint64_t
FlowLog::CountOver() const
{
    return std::accumulate(m_outcomes.begin(), m_outcomes.end(), uint64_t{0});
}

double
FlowLog::GetDone() const
{
    return static_cast<double>(CountOver()) / static_cast<double>(m_states.size());
}

void
FlowLog::CheckComplete() const
{
    const uint64_t over = CountOver();
    // What was to start after one that has failed does not start.
    const uint64_t expected = m_outcomes[SUCCESS] == over ? m_states.size() : m_started;
    if (over != expected)
    {
        throw InvariantError("the run ended with " + std::to_string(over) + " of " +
                             std::to_string(expected) + " flows over");
    }
}

} // namespace ns3::fabric
