/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-recorder.h"

#include "ns3/simulator.h"

#include <string>

namespace ns3::fabric
{

LaneRecorder::LaneRecorder(const LaneTable& table, Time countFrom)
    : m_countFrom(countFrom)
{
    for (const LaneSettings& lane : table.lanes)
    {
        m_lanes[lane.lane];
    }
}

void
LaneRecorder::Made(uint32_t lane, bool isQueued)
{
    Counts& counts = m_lanes.at(lane);
    ++counts.offered;
    if (isQueued)
    {
        counts.underWay.push_back(Simulator::Now().GetPicoSeconds());
    }
    else
    {
        ++counts.dropped;
    }
}

void
LaneRecorder::Chosen(uint32_t lane, bool isConforming)
{
    Counts& counts = m_lanes.at(lane);
    const bool isCounted = Simulator::Now() >= m_countFrom;
    ++(isConforming ? counts.conforming : counts.over);
    (isConforming ? counts.countedConforming : counts.countedOver) += isCounted;
}

void
LaneRecorder::Delivered(uint32_t lane)
{
    Counts& counts = m_lanes.at(lane);
    ++counts.delivered;
    const TimePs made = counts.underWay.front();
    counts.underWay.pop_front();
    if (Simulator::Now() >= m_countFrom)
    {
        ++counts.countedDelivered;
        counts.latencies.push_back(ToSeconds(Simulator::Now().GetPicoSeconds() - made));
    }
}

const std::map<uint32_t, LaneRecorder::Counts>&
LaneRecorder::GetLanes() const
{
    return m_lanes;
}

void
LaneRecorder::AddFigures(Summary& summary, double packetsOfLink) const
{
    const auto subjectOf = [](uint32_t lane) {
        return Summary::Subject{{"lane", std::to_string(lane)}};
    };
    for (const auto& [lane, counts] : m_lanes)
    {
        const double share = static_cast<double>(counts.countedDelivered) / packetsOfLink;
        summary.Add("share", subjectOf(lane), share, "1");
    }
    for (const auto& [lane, counts] : m_lanes)
    {
        summary.AddDistribution("latency", subjectOf(lane), counts.latencies, "s");
    }
    for (const auto& [lane, counts] : m_lanes)
    {
        const uint64_t chosen = counts.countedConforming + counts.countedOver;
        if (chosen != 0)
        {
            const double over = static_cast<double>(counts.countedOver);
            summary.Add("over_bandwidth_share",
                        subjectOf(lane),
                        over / static_cast<double>(chosen),
                        "1");
        }
    }
}

void
LaneRecorder::AddTotals(RunTotals& totals, uint32_t payload) const
{
    for (const auto& [lane, counts] : m_lanes)
    {
        totals.bytesOffered += counts.offered * payload;
        totals.bytesDelivered += counts.delivered * payload;
        totals.bytesDropped["lane-queue"] += counts.dropped * payload;
    }
}

} // namespace ns3::fabric
