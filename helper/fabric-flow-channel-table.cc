/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-channel-table.h"

#include "fabric-csv-writer.h"
#include "fabric-flow-statistics.h"
#include "fabric-summary.h"
#include "fabric-switch.h"
#include "fabric-topology.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Figures of a flow channel, and the number of its switch.
using ChannelRow = std::pair<uint32_t, fabric::FlowFigures>;

/// @return a row for each flow channel, in the order of the file
std::vector<ChannelRow>
ChannelRows(const FabricNetwork& network)
{
    std::vector<ChannelRow> rows;
    const auto& switches = network.GetSwitches();
    for (uint32_t i = 0; i < switches.size(); ++i)
    {
        const fabric::SwitchChip& chip = switches[i]->GetChip();
        if (chip.Config().flowChannels.statistics != fabric::CLOSED_FLOW_STATISTICS)
        {
            continue;
        }
        for (const fabric::FlowFigures& figures : switches[i]->GetClosedFlowChannels())
        {
            rows.emplace_back(i, figures);
        }
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            for (const fabric::FlowFigures& figures : switches[i]->GetFlowChannels(port))
            {
                rows.emplace_back(i, figures);
            }
        }
    }
    // Those of a switch stand in the order of their ends already.
    std::stable_sort(rows.begin(), rows.end(), [](const ChannelRow& a, const ChannelRow& b) {
        return std::tie(a.second.closed, a.first) < std::tie(b.second.closed, b.first);
    });
    return rows;
}

} // namespace

void
WriteFlowChannels(std::ostream& os, const FabricNetwork& network)
{
    fabric::CsvWriter csv(os,
                          {"opened_s",
                           "closed_s",
                           "switch",
                           "port",
                           "flow_id",
                           "src",
                           "dst",
                           "traffic_class",
                           "output",
                           "output_flow_id",
                           "frames",
                           "bytes",
                           "frames_sent",
                           "bytes_sent",
                           "queue_units",
                           "flow_units",
                           "peak_queue_units",
                           "peak_flow_units",
                           "peak_total_units"});
    for (const auto& [number, figures] : ChannelRows(network))
    {
        const bool isOpen = figures.closed == fabric::NEVER;
        csv.Row(fabric::ToSeconds(figures.opened),
                isOpen ? std::nullopt : std::optional(fabric::ToSeconds(figures.closed)),
                number,
                figures.port,
                figures.flow,
                fabric::HostOf(figures.src),
                fabric::HostOf(figures.dst),
                figures.trafficClass,
                figures.output,
                figures.outgoing,
                figures.frames,
                figures.bytes,
                figures.framesSent,
                figures.bytesSent,
                figures.queueExtent,
                figures.flowExtent,
                figures.mostQueueExtent,
                figures.mostFlowExtent,
                figures.mostTotalExtent);
    }
}

} // namespace ns3
