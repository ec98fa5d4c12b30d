/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-timeline.h"

#include <algorithm>
#include <array>

namespace ns3::fabric
{

namespace
{

/// Names of stages, by value.
constexpr std::array<const char*, COMMAND_STAGES> STAGES{"core",
                                                         "driver",
                                                         "store",
                                                         "arbiter",
                                                         "fetch",
                                                         "parser",
                                                         "trigger",
                                                         "cut",
                                                         "data",
                                                         "outbound",
                                                         "queue",
                                                         "link",
                                                         "fabric",
                                                         "inbound",
                                                         "match",
                                                         "list",
                                                         "atomic",
                                                         "write",
                                                         "event"};

constexpr int64_t NOT_KNOWN = -1; ///< Place of a command.

/// @return whether something else may begin at the place where a stage has ended
bool
HandsOver(CommandStage stage)
{
    return stage <= CommandStage::TRIGGER || stage == CommandStage::INBOUND ||
           stage == CommandStage::MATCH || stage == CommandStage::LIST ||
           stage == CommandStage::ATOMIC;
}

} // namespace

const char*
NameOf(CommandStage stage)
{
    return STAGES[static_cast<std::size_t>(stage)];
}

int64_t
CommandTimeline::Find(const CommandStep& step)
{
    if (step.stage > CommandStage::TRIGGER)
    {
        const auto named = m_named.find(KeyOf(step.name));
        return named == m_named.end() ? NOT_KNOWN : named->second;
    }
    const Writing key{step.place, step.queue, step.command.sequence};
    if (step.stage == CommandStage::CORE)
    {
        m_known.push_back({{step.place, step.queue, step.command, {}}, {}});
        m_written[key] = static_cast<int64_t>(m_known.size()) - 1;
    }
    const auto written = m_written.find(key);
    return written == m_written.end() ? NOT_KNOWN : written->second;
}

void
CommandTimeline::Add(const CommandStep& step)
{
    const int64_t place = Find(step);
    if (place == NOT_KNOWN)
    {
        return;
    }
    m_known[place].steps.push_back(step);
    if (step.stage <= CommandStage::TRIGGER && step.name.IsGiven())
    {
        m_named[KeyOf(step.name)] = place;
        m_written.erase({step.place, step.queue, step.command.sequence});
    }
    if (step.message.IsGiven())
    {
        m_named[KeyOf(step.message)] = place;
    }
}

std::vector<CommandSpan>
CommandTimeline::SpansOf(const Known& known)
{
    std::vector<CommandStep> steps = known.steps;
    std::stable_sort(steps.begin(),
                     steps.end(),
                     [](const CommandStep& left, const CommandStep& right) {
                         return std::tie(left.at, left.place) < std::tie(right.at, right.place);
                     });
    std::map<LocationId, TimePs> handedOver{{known.story.source, known.story.command.postedAt}};
    std::map<std::tuple<CommandPacketKind, uint32_t>, TimePs> packets;
    std::vector<CommandSpan> spans;
    for (const CommandStep& step : steps)
    {
        const auto packet = packets.find({step.kind, step.offset});
        const bool isOnItsWay = step.isOfPacket && packet != packets.end();
        const TimePs begin = isOnItsWay ? packet->second : handedOver[step.place];
        spans.push_back({step.stage,
                         step.place,
                         begin,
                         step.at,
                         step.isOfPacket,
                         step.kind,
                         step.offset,
                         step.bytes});
        if (step.isOfPacket && step.stage != CommandStage::WRITE)
        {
            packets[{step.kind, step.offset}] = step.at;
        }
        if (HandsOver(step.stage))
        {
            handedOver[step.place] = step.at;
        }
    }
    return spans;
}

std::vector<CommandStory>
CommandTimeline::Stories() const
{
    std::vector<CommandStory> stories;
    for (const Known& known : m_known)
    {
        stories.push_back(known.story);
        stories.back().spans = SpansOf(known);
    }
    // NICs tell of what they do in windows, one after the other.
    std::sort(
        stories.begin(),
        stories.end(),
        [](const CommandStory& left, const CommandStory& right) {
            return std::tie(left.command.postedAt, left.source, left.queue, left.command.sequence) <
                   std::tie(right.command.postedAt,
                            right.source,
                            right.queue,
                            right.command.sequence);
        });
    return stories;
}

} // namespace ns3::fabric
