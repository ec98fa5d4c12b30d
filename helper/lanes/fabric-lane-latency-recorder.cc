/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-latency-recorder.h"

namespace ns3::fabric
{

LaneLatencyRecorder::LaneLatencyRecorder(const std::vector<std::string>& names)
{
    for (const std::string& name : names)
    {
        m_lanes.push_back({name, {}, {}, {}});
    }
}

void
LaneLatencyRecorder::AddLatency(std::size_t lane, TimePs latency)
{
    m_lanes.at(lane).latencies.push_back(ToSeconds(latency));
}

void
LaneLatencyRecorder::AddTotal(std::size_t lane, TimePs time)
{
    m_lanes.at(lane).totals.push_back(ToSeconds(time));
}

void
LaneLatencyRecorder::AddWait(std::size_t lane, TimePs wait)
{
    m_lanes.at(lane).waits.push_back(ToSeconds(wait));
}

const std::vector<double>&
LaneLatencyRecorder::GetLatencies(std::size_t lane) const
{
    return m_lanes.at(lane).latencies;
}

const std::vector<double>&
LaneLatencyRecorder::GetWaits(std::size_t lane) const
{
    return m_lanes.at(lane).waits;
}

void
LaneLatencyRecorder::AddFigures(Summary& summary) const
{
    for (const Lane& lane : m_lanes)
    {
        summary.AddDistribution(lane.name + "_latency", {}, lane.latencies, "s");
        summary.AddDistribution(lane.name + "_wait", {}, lane.waits, "s");
        summary.AddDistribution(lane.name + "_total", {}, lane.totals, "s");
    }
}

} // namespace ns3::fabric
