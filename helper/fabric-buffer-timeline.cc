/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-buffer-timeline.h"

#include "fabric-csv-writer.h"
#include "fabric-rank-link.h"
#include "fabric-seconds.h"

#include <algorithm>
#include <functional>

namespace ns3
{

FabricBufferTimeline::FabricBufferTimeline(const FabricContainer& fabric,
                                           uint32_t receiver,
                                           Time period)
    : m_fabric(fabric),
      m_period(period),
      m_held(fabric.tiers.size())
{
    const FabricSwitch* const apart = fabric.GetDevice(receiver)->GetSwitch();
    for (uint32_t i = 0; i < fabric.tiers.size(); ++i)
    {
        const Ptr<FabricSwitch> one = fabric.GetSwitch(i);
        const std::string name =
            PeekPointer(one) == apart ? RECEIVER : fabric::NameOf(fabric.tiers[i]);
        const auto found = std::find(m_names.begin(), m_names.end(), name);
        m_tiers.push_back(static_cast<uint32_t>(found - m_names.begin()));
        if (found == m_names.end())
        {
            m_names.push_back(name);
        }
        fabric::SwitchChip& chip = one->GetChip();
        chip.AddSampler(period.GetPicoSeconds(), [&chip, &held = m_held[i]](fabric::TimePs) {
            held.push_back(static_cast<uint32_t>(chip.Counts().heldBytes));
        });
    }
}

void
FabricBufferTimeline::Finish(Time end)
{
    m_end = end;
    const fabric::TimePs last = end.GetPicoSeconds();
    // The first sample is after one period; that at the end is not taken any more.
    const auto samples = static_cast<std::size_t>((last - 1) / m_period.GetPicoSeconds());
    m_series.assign(m_names.size(), Series(samples));
    for (uint32_t i = 0; i < m_held.size(); ++i)
    {
        m_fabric.GetSwitch(i)->GetChip().CatchUp(last);
        Series& series = m_series[m_tiers[i]];
        std::transform(series.begin(),
                       series.end(),
                       m_held[i].begin(),
                       series.begin(),
                       std::plus<>());
    }
    for (Series& series : m_series)
    {
        series = fabric::SumOverRanks(series);
    }
}

uint64_t
FabricBufferTimeline::Outside(std::size_t sample) const
{
    uint64_t bytes = 0;
    for (std::size_t tier = 0; tier < m_names.size(); ++tier)
    {
        bytes += m_names[tier] == RECEIVER ? 0 : m_series[tier][sample];
    }
    return bytes;
}

Time
FabricBufferTimeline::GetContainmentTime(Time from, double level) const
{
    std::size_t sample = m_series.front().size();
    if (sample > 0 && static_cast<double>(Outside(sample - 1)) > level)
    {
        return m_end - from;
    }
    while (sample > 0 && static_cast<double>(Outside(sample - 1)) <= level)
    {
        --sample;
    }
    return std::max(TimeOf(sample) - from, Time(0));
}

double
FabricBufferTimeline::GetMean(Time from, Time to) const
{
    double sum = 0;
    uint32_t samples = 0;
    for (std::size_t sample = 0; sample < m_series.front().size(); ++sample)
    {
        if (TimeOf(sample) >= from && TimeOf(sample) < to)
        {
            sum += static_cast<double>(Outside(sample));
            ++samples;
        }
    }
    return samples == 0 ? 0 : sum / samples;
}

void
FabricBufferTimeline::Write(std::ostream& os) const
{
    fabric::CsvWriter csv(os, {"time_s", "tier", "held_bytes"});
    for (std::size_t sample = 0; sample < m_series.front().size(); ++sample)
    {
        const Time at = TimeOf(sample);
        for (std::size_t tier = 0; tier < m_names.size(); ++tier)
        {
            csv.Row(fabric::ToSeconds(at.GetPicoSeconds()), m_names[tier], m_series[tier][sample]);
        }
    }
}

} // namespace ns3
