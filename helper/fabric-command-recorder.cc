/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-recorder.h"

#include "fabric-csv-writer.h"
#include "fabric-summary.h"

#include <array>
#include <optional>
#include <string>

namespace ns3
{

using fabric::CommandSpan;
using fabric::CommandStory;
using fabric::ToSeconds;

namespace
{

/// Names of operations, by value.
constexpr std::array<const char*, fabric::COMMAND_OPS> OPERATIONS{"noop",
                                                                  "put",
                                                                  "send",
                                                                  "tagged",
                                                                  "get",
                                                                  "atomic",
                                                                  "append",
                                                                  "search",
                                                                  "unlink",
                                                                  "enable"};

/// Names of packets, by value.
constexpr std::array<const char*, 5> PACKETS{"data", "ack", "request", "reply", "track"};

/// @return a value if it is one of what is asked for
template <typename T>
std::optional<T>
If(bool isThere, const T& value)
{
    return isThere ? std::make_optional(value) : std::nullopt;
}

/// Writes a stage of a command.
void
WriteSpan(fabric::CsvWriter& csv, const CommandStory& story, const CommandSpan& span)
{
    const fabric::Command& command = story.command;
    const bool hasTarget = command.op < fabric::CommandOp::APPEND;
    const std::string packet = PACKETS[static_cast<std::size_t>(span.kind)];
    csv.Row(fabric::HostOf(story.source),
            If(hasTarget, fabric::HostOf(command.dst)),
            story.queue,
            command.sequence,
            OPERATIONS[static_cast<std::size_t>(command.op)],
            command.bytes,
            If(span.isOfPacket, packet),
            If(span.isOfPacket, span.offset),
            If(span.isOfPacket, span.bytes),
            fabric::NameOf(span.stage),
            fabric::HostOf(span.place),
            ToSeconds(span.begin),
            ToSeconds(span.end));
}

} // namespace

void
FabricCommandRecorder::Add(Ptr<FabricCommandQueues> queues)
{
    queues->TraceConnectWithoutContext(
        "Stage",
        Callback<void, const fabric::CommandStep&>(
            [this](const fabric::CommandStep& step) { m_timeline.Add(step); }));
}

void
FabricCommandRecorder::WriteStages(std::ostream& os) const
{
    fabric::CsvWriter csv(os,
                          {"src",
                           "dst",
                           "queue",
                           "command",
                           "operation",
                           "bytes",
                           "packet",
                           "offset",
                           "packet_bytes",
                           "stage",
                           "host",
                           "begin_s",
                           "end_s"});
    for (const CommandStory& story : GetStories())
    {
        for (const CommandSpan& span : story.spans)
        {
            WriteSpan(csv, story, span);
        }
    }
}

} // namespace ns3
