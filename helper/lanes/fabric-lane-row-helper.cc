/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-row-helper.h"

#include "fabric-shortest-path-routing.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <functional>
#include <map>
#include <stdexcept>

namespace ns3
{

namespace
{

/// Refuses a plan whose hops differ.
void
CheckHops(const fabric::LaneChainPlan& plan)
{
    bool isEqual = !plan.rates.empty() && plan.latencies.size() == plan.rates.size();
    for (std::size_t hop = 0; isEqual && hop < plan.rates.size(); ++hop)
    {
        isEqual = plan.rates[hop].BitsPerSecond() == plan.rates[0].BitsPerSecond() &&
                  plan.latencies[hop] == plan.latencies[0];
    }
    if (!isEqual)
    {
        throw std::invalid_argument("LaneRowHelper: the hops of the plan differ in rate or "
                                    "latency, or there are none; allowed are equal ones");
    }
}

} // namespace

LaneRowHelper::LaneRowHelper(const fabric::LaneChainPlan& plan)
{
    CheckHops(plan);
    const Time hop = PicoSeconds(plan.latencies[0]);
    const Time latency = PicoSeconds(plan.latencies[0] / 9 * 7);
    m_helper.SetChannelAttribute("DataRate",
                                 DataRateValue(DataRate(plan.rates[0].BitsPerSecond())));
    m_helper.SetChannelAttribute("Delay", TimeValue(hop - latency));
    m_helper.SetDeviceAttribute("Mtu", UintegerValue(fabric::JUMBO_PAYLOAD));
    m_helper.SetSwitchAttribute("Latency", TimeValue(latency));
    m_helper.SetSwitchAttribute("LanePreemption", BooleanValue(plan.settings.preempt));
    m_helper.SetSwitchAttribute("LaneInterleaving", BooleanValue(plan.settings.interleave));
    m_helper.SetLaneTable(MakeTable(plan.lanes));
}

FabricHelper&
LaneRowHelper::GetHelper()
{
    return m_helper;
}

FabricContainer
LaneRowHelper::Install(const fabric::ChainSources& sources) const
{
    const fabric::TopologyPlan plan = fabric::MakeChainPlan(sources);
    return m_helper.Install(plan, fabric::MakeShortestPathRouting(plan));
}

fabric::LaneTable
LaneRowHelper::MakeTable(const std::vector<fabric::ChainLane>& lanes)
{
    fabric::LaneTable table;
    std::map<uint8_t, uint8_t, std::greater<>> levels; // by rank, the highest first
    for (const fabric::ChainLane& lane : lanes)
    {
        levels[lane.rank] = 0;
    }
    table.levels.clear();
    for (auto& [rank, level] : levels)
    {
        level = static_cast<uint8_t>(table.levels.size());
        table.levels.push_back("rank-" + std::to_string(rank));
    }
    for (const fabric::ChainLane& lane : lanes)
    {
        const auto number = static_cast<uint8_t>(table.lanes.size());
        table.lanes.push_back({number, levels[lane.rank], number, 0, lane.latencySensitive});
    }
    table.groups = {{0, fabric::GroupSettings::FULL_SHARE}};
    return table;
}

} // namespace ns3
