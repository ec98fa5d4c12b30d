/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-file.h"

#include "fabric-seconds.h"
#include "fabric-text-lines.h"
#include "fabric-topology.h"

#include <algorithm>
#include <cmath>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t LAST_NODE = 2 * MAX_HOSTS - 1; ///< The greatest number of a node.
constexpr double PS_OF_SECOND = 1e12;             ///< Picoseconds.
constexpr std::size_t WORDS = 6;                  ///< Of a line with a port; others have one less.

/// @return whether the first flow has a port
bool
HasPort(const TextLines& lines)
{
    const std::size_t words = lines.GetWords().size();
    if (words != WORDS && words != WORDS - 1)
    {
        lines.Refuse("the line has " + std::to_string(words) +
                     " words; allowed are 6, source, destination, priority, port, bytes and start, "
                     "or 5 without a port");
    }
    return words == WORDS;
}

/// @return a flow, as its line says. @param hasPort whether there is a port among the words
FlowFile::Flow
ReadFlow(TextLines& lines, bool hasPort)
{
    const std::size_t words = hasPort ? WORDS : WORDS - 1;
    if (lines.GetWords().size() != words)
    {
        lines.Refuse("the line has " + std::to_string(lines.GetWords().size()) +
                     " words; allowed are " + std::to_string(words) + ", as in the first flow");
    }
    FlowFile::Flow flow{};
    flow.src = lines.Count("source", 0U, LAST_NODE);
    flow.dst = lines.Count("destination", 0U, LAST_NODE);
    flow.priority = lines.Count("priority", 0U, 65535U);
    flow.port = hasPort ? lines.Count("port", 0U, 65535U) : FlowFile::USUAL_PORT;
    flow.bytes = lines.Count("bytes", uint64_t{1}, FlowFile::MOST_BYTES);
    flow.start = std::llround(lines.Number("start", 0, FlowFile::LAST_START) * PS_OF_SECOND);
    flow.line = lines.GetLine();
    if (flow.src == flow.dst)
    {
        lines.Refuse("node " + std::to_string(flow.src) +
                     " sends to itself; allowed are flows between two nodes");
    }
    return flow;
}

} // namespace

FlowFile
FlowFile::Read(std::istream& is, const std::string& name)
{
    TextLines lines(is, name);
    FlowFile file;
    lines.NextLine("the number of flows");
    const auto count = lines.Count("number of flows", 0U, MOST_FLOWS);
    lines.EndLine("the number of flows alone");
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!lines.FindLine())
        {
            lines.Refuse("the file ends; allowed is a line with flow " + std::to_string(i + 1) +
                         " of " + std::to_string(count));
        }
        file.hasPorts = i == 0 ? HasPort(lines) : file.hasPorts;
        file.flows.push_back(ReadFlow(lines, file.hasPorts));
    }
    if (lines.FindLine())
    {
        file.warnings.push_back(lines.LeftOut(count, "flows"));
    }
    std::stable_sort(file.flows.begin(), file.flows.end(), [](const Flow& a, const Flow& b) {
        return a.start < b.start;
    });
    return file;
}

FlowFile
FlowFile::Read(const std::string& name)
{
    std::ifstream file = TextLines::Open(name, "flows");
    return Read(file, name);
}

void
FlowFile::Write(std::ostream& os) const
{
    os << flows.size() << "\n";
    for (const Flow& flow : flows)
    {
        os << flow.src << " " << flow.dst << " " << flow.priority << " "
           << (hasPorts ? NumberText(flow.port) + " " : "") << flow.bytes << " "
           << NumberText(ToSeconds(flow.start)) << "\n";
    }
}

} // namespace ns3::fabric
