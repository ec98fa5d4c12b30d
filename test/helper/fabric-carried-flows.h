/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CARRIED_FLOWS_H
#define FABRIC_CARRIED_FLOWS_H

#include "fabric-flow-list-maker.h"
#include "fabric-goal-file.h"
#include "fabric-logged-flow-carrier.h"
#include "fabric-switch.h"
#include "fabric-topology.h"
#include "support/fabric-csv-rows.h"

#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace ns3::fabric
{

/// @return flows of a fat tree of 16 hosts. @param lines of flow.txt @param count how many
inline FlowList
FlowsOf(uint32_t count, const std::string& lines)
{
    std::istringstream is(std::to_string(count) + "\n" + lines);
    return FlowListMaker("f.txt").Make(FlowFile::Read(is, "f.txt"),
                                       NodeNumbers::HostsFirst(16, 20),
                                       {0, 1, 2, 3, 4, 5, 6, 7});
}

/// @return a trace: each rank sends on when it has got something. @param bytes that the second one
/// sends to the third
inline GoalFile
RelayTrace(uint32_t bytes)
{
    const std::string text = std::to_string(bytes) + "b";
    std::istringstream is("num_ranks 3\nrank 0 {\na: send 5000b to 1 tag 3\n}\n"
                          "rank 1 {\na: recv 5000b from 0 tag 3\nb: calc 700\nc: send " +
                          text + " to 2\nb requires a\nc requires b\n}\nrank 2 {\na: recv " + text +
                          " from 1\n}\n");
    return GoalFile::Read(is, "t.goal");
}

/// @return what came of each flow, by number
inline std::map<uint32_t, FlowTimes>
TimesByFlow(const LoggedFlowCarrier& carrier)
{
    std::map<uint32_t, FlowTimes> times;
    for (const FlowTimes& of : carrier.GetTimes())
    {
        times[of.flow] = of;
    }
    return times;
}

/// @return a figure of a carrier, 0 if there is none. @param metric and what it is about
inline double
FigureOf(const LoggedFlowCarrier& carrier, const std::string& metric)
{
    Summary summary;
    carrier.AddFigures(summary);
    std::stringstream csv;
    summary.WriteCsv(csv);
    for (const auto& row : ReadCsv(std::move(csv)))
    {
        const std::string subject = SubjectOf(row);
        if (row.at("metric") + (subject.empty() ? "" : ";" + subject) == metric)
        {
            return std::stod(row.at("value"));
        }
    }
    return 0;
}

/// @return rows of messages.csv
inline CsvRows
MessagesOf(const LoggedFlowCarrier& carrier)
{
    std::stringstream csv;
    carrier.WriteMessages(csv);
    return ReadCsv(std::move(csv));
}

/// Writes down the classes of frames with payload that come from hosts, by host.
class ClassWatch
{
  public:
    /// @param fabric whose switches are watched
    explicit ClassWatch(const FabricContainer& fabric)
    {
        for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
        {
            fabric.GetSwitch(i)->TraceConnectWithoutContext(
                "Arrive",
                Callback<void, uint32_t, const Frame&, Time>(
                    [this](uint32_t, const Frame& frame, Time) {
                        seen[HostOf(frame.src)].insert(frame.trafficClass);
                    }));
        }
    }

    std::map<uint32_t, std::set<uint32_t>> seen; ///< Classes by host.
};

} // namespace ns3::fabric

#endif // FABRIC_CARRIED_FLOWS_H
