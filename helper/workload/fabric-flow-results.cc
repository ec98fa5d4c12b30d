/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-results.h"

#include "fabric-fct-file.h"
#include "fabric-ideal-path.h"
#include "fabric-ideal-paths.h"
#include "fabric-message-flow-carrier.h"
#include "fabric-message-ideals.h"
#include "fabric-statistics.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t PORTS = 65536; ///< Numbers of ports.

/// Adds the figures of a distribution that are told of each range of sizes.
void
AddRange(fabric::Summary& summary,
         const std::string& metric,
         const std::string& range,
         const std::vector<double>& values,
         const std::string& unit)
{
    for (const auto& [stat, value] : fabric::Distribution(values))
    {
        if (stat == "mean" || stat == "p50" || stat == "p99")
        {
            summary.Add(metric, {{"size", range}, {"stat", stat}}, value, unit);
        }
    }
}

/// Completion times and slowdowns of some flows.
struct RangeTimes
{
    std::vector<double> fct;       ///< Completion times, s.
    std::vector<double> slowdowns; ///< These over the ideal ones.
};

} // namespace

FabricFlowResults::FabricFlowResults(const fabric::FlowList& list,
                                     std::vector<fabric::FlowTimes> times)
    : m_list(list),
      m_rows(std::move(times))
{
}

FabricFlowResults::FabricFlowResults(Ptr<FabricNetwork> network,
                                     const fabric::FlowList& list,
                                     const FabricMessageRecorder& recorder)
    : m_list(list)
{
    const FabricIdealPaths paths(network);
    const FabricMessageIdeals ideals(network);
    for (const FabricMessageRecorder::Record& record : recorder.GetRecords())
    {
        const fabric::Message& message = record.message;
        const fabric::IdealPath alone(paths.Find(message.src, message.dst));
        m_rows.push_back({fabric::MessageFlowCarrier::FlowOf(message),
                          message.sentAt,
                          record.CompletionTime(),
                          ideals.TimeOf(message, alone.path).value_or(0),
                          alone.HpccIdeal(message.bytes)});
    }
}

uint64_t
FabricFlowResults::RangeOf(uint64_t bytes)
{
    uint64_t most = 1000;
    while (most < bytes)
    {
        most *= 10;
    }
    return most;
}

void
FabricFlowResults::AddTo(fabric::Summary& summary) const
{
    RangeTimes all;
    std::map<uint64_t, RangeTimes> ranges;
    fabric::TimePs begin = fabric::NEVER;
    fabric::TimePs end = 0;
    uint64_t bytes = 0;
    for (const fabric::FlowTimes& row : m_rows)
    {
        const uint64_t size = m_list.flows[row.flow].bytes;
        for (RangeTimes* times : {&all, &ranges[RangeOf(size)]})
        {
            times->fct.push_back(fabric::ToSeconds(row.fct));
            if (row.ideal != 0)
            {
                times->slowdowns.push_back(fabric::Slowdown(row.fct, row.ideal));
            }
        }
        begin = std::min(begin, row.start);
        end = std::max(end, row.start + row.fct);
        bytes += size;
    }
    summary.Add("flows", {}, m_list.flows.size(), "1");
    summary.Add("flows_done", {}, m_rows.size(), "1");
    if (!m_rows.empty())
    {
        summary.AddTime("completion_time", {}, end - begin);
        summary.Add("goodput",
                    {},
                    8 * static_cast<double>(bytes) / fabric::ToSeconds(end - begin),
                    "bit/s");
    }
    summary.AddDistribution("fct", {}, all.fct, "s");
    summary.AddDistribution("slowdown", {}, all.slowdowns, "1");
    for (const auto& [most, times] : ranges)
    {
        const std::string range = std::to_string(most);
        summary.Add("flows_done", {{"size", range}}, times.fct.size(), "1");
        AddRange(summary, "fct", range, times.fct, "s");
        AddRange(summary, "slowdown", range, times.slowdowns, "1");
    }
}

void
FabricFlowResults::WriteFct(std::ostream& os, const fabric::NodeNumbers& nodes) const
{
    fabric::FctFile file(os, nodes.hosts.size() + nodes.switches.size());
    for (const fabric::FlowTimes& row : m_rows)
    {
        const fabric::FlowList::Flow& flow = m_list.flows[row.flow];
        file.Write(
            {nodes.hosts[flow.src],
             nodes.hosts[flow.dst],
             fabric::FctFile::FIRST_PORT + flow.ofPair % (PORTS - fabric::FctFile::FIRST_PORT),
             flow.port,
             flow.bytes,
             row.start,
             row.fct,
             row.standalone});
    }
}

} // namespace ns3
