/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-port-sampler.h"

#include "fabric-csv-writer.h"
#include "fabric-summary.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// Looks at the ports of a switch.
void
LookAtPorts(const fabric::SwitchChip& chip,
            uint32_t switchIndex,
            fabric::TimePs at,
            std::vector<fabric::PortSample>& samples)
{
    for (uint32_t port = 0; port < chip.Config().ports; ++port)
    {
        const uint32_t granted = chip.OutputBufferBytes(port, at);
        if (chip.QueuedBytes(port) != 0 || chip.HeldBytes(port) != 0 || granted != 0)
        {
            samples.push_back({at,
                               switchIndex,
                               port,
                               chip.QueuedBytes(port),
                               chip.HeldBytes(port),
                               chip.Output(port).Counts().bytes,
                               granted});
        }
    }
}

} // namespace

FabricPortSampler::FabricPortSampler(Ptr<FabricNetwork> network, Time period)
    : SwitchSampler(std::move(network), period, LookAtPorts)
{
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
    const auto& switches = GetNetwork().GetSwitches();
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
