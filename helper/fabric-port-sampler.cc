/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-port-sampler.h"

#include "fabric-csv-writer.h"
#include "fabric-rank-link.h"
#include "fabric-summary.h"
#include "fabric-switch.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace ns3
{

FabricPortSampler::FabricPortSampler(Ptr<FabricNetwork> network, Time period)
    : m_network(network)
{
    const auto& switches = network->GetSwitches();
    m_samples.resize(switches.size());
    for (uint32_t i = 0; i < switches.size(); ++i)
    {
        switches[i]->GetChip().AddSampler(period.GetPicoSeconds(),
                                          [this, i](fabric::TimePs at) { Take(i, at); });
    }
}

void
FabricPortSampler::Take(uint32_t switchIndex, fabric::TimePs at)
{
    const fabric::SwitchChip& chip = m_network->GetSwitches()[switchIndex]->GetChip();
    for (uint32_t port = 0; port < chip.Config().ports; ++port)
    {
        const uint32_t granted = chip.OutputBufferBytes(port, at);
        if (chip.QueuedBytes(port) != 0 || chip.HeldBytes(port) != 0 || granted != 0)
        {
            m_samples[switchIndex].push_back({at,
                                              switchIndex,
                                              port,
                                              chip.QueuedBytes(port),
                                              chip.HeldBytes(port),
                                              chip.Output(port).Counts().bytes,
                                              granted});
        }
    }
}

void
FabricPortSampler::CatchUp(Time end)
{
    for (const Ptr<FabricSwitch>& fabricSwitch : m_network->GetSwitches())
    {
        fabricSwitch->GetChip().CatchUp(end.GetPicoSeconds());
    }
}

void
FabricPortSampler::AddRanks(Time end)
{
    if (fabric::RankCount() == 1)
    {
        return;
    }
    CatchUp(end);
    const std::vector<Sample> all = fabric::CollectFromRanks(Collect());
    m_samples.assign(m_samples.size(), {});
    for (const Sample& sample : all) // of a switch one rank has any
    {
        m_samples[sample.switchIndex].push_back(sample);
    }
}

std::vector<FabricPortSampler::Sample>
FabricPortSampler::Collect() const
{
    std::vector<Sample> samples;
    for (const std::vector<Sample>& some : m_samples)
    {
        samples.insert(samples.end(), some.begin(), some.end());
    }
    return samples;
}

std::vector<FabricPortSampler::Sample>
FabricPortSampler::GetSamples(Time end)
{
    CatchUp(end);
    std::vector<Sample> samples = Collect();
    const auto late = std::remove_if(samples.begin(), samples.end(), [end](const Sample& sample) {
        return sample.at >= end.GetPicoSeconds();
    });
    samples.erase(late, samples.end());
    std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
        return std::tie(a.at, a.switchIndex, a.port) < std::tie(b.at, b.switchIndex, b.port);
    });
    return samples;
}

void
FabricPortSampler::Write(std::ostream& os, Time end)
{
    std::vector<std::string> columns{"time_s",
                                     "switch",
                                     "port",
                                     "queued_bytes",
                                     "held_bytes",
                                     "sent_bytes"};
    const auto& switches = m_network->GetSwitches();
    const bool hasTiles = std::any_of(switches.begin(), switches.end(), [](const auto& one) {
        return one->GetChip().Config().crossbar.IsTiled();
    });
    if (hasTiles)
    {
        columns.emplace_back("output_buffer_bytes");
    }
    fabric::CsvWriter csv(os, columns);
    const auto write = [&csv](const Sample& sample, const auto&... more) {
        csv.Row(fabric::ToSeconds(sample.at),
                sample.switchIndex,
                sample.port,
                sample.queued,
                sample.held,
                sample.sent,
                more...);
    };
    for (const Sample& sample : GetSamples(end))
    {
        hasTiles ? write(sample, sample.granted) : write(sample);
    }
}

} // namespace ns3
