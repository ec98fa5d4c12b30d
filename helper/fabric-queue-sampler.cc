/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-queue-sampler.h"

#include "fabric-csv-writer.h"
#include "fabric-summary.h"
#include "fabric-topology.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// Names of fabric::WaitingQueue::Kind.
constexpr std::array<const char*, 3> KINDS{"flow", "way", "output"};

/// A reason why a queue may not be served, and its name.
struct HoldName
{
    fabric::InputQueue::Hold hold; ///< The reason.
    const char* name;              ///< Its name.
};

/// All of them.
constexpr std::array<HoldName, 5> HOLDS{{{fabric::InputQueue::NO_HEADROOM, "hop-credits"},
                                         {fabric::InputQueue::CHANGES_PATH, "path-change"},
                                         {fabric::InputQueue::OVER_LIMIT, "limit"},
                                         {fabric::InputQueue::PACED, "pacing"},
                                         {fabric::InputQueue::AWAITS_TURN, "turn"}}};

/// @return names of all that hold a queue, with + between them
std::string
NamesOf(uint8_t holds)
{
    std::string names;
    for (const HoldName& one : HOLDS)
    {
        if ((holds & one.hold) != 0)
        {
            names += (names.empty() ? "" : "+") + std::string(one.name);
        }
    }
    return names;
}

/// Looks at the queues of a switch.
void
LookAtQueues(const fabric::SwitchChip& chip,
             uint32_t switchIndex,
             fabric::TimePs at,
             std::vector<fabric::QueueSample>& samples)
{
    for (const fabric::WaitingQueue& queue : chip.WaitingQueues())
    {
        samples.push_back({at, switchIndex, queue});
    }
}

} // namespace

FabricQueueSampler::FabricQueueSampler(Ptr<FabricNetwork> network, Time period)
    : SwitchSampler(std::move(network), period, LookAtQueues)
{
}

void
FabricQueueSampler::Write(std::ostream& os, Time end)
{
    fabric::CsvWriter csv(os,
                          {"time_s",
                           "switch",
                           "port",
                           "queue",
                           "flow_id",
                           "src",
                           "dst",
                           "output",
                           "vc",
                           "traffic_class",
                           "frames",
                           "queued_bytes",
                           "held_by"});
    for (const Sample& sample : GetSamples(end))
    {
        const fabric::WaitingQueue& queue = sample.queue;
        const bool isToHost = queue.dst < fabric::FIRST_GROUP;
        csv.Row(fabric::ToSeconds(sample.at),
                sample.switchIndex,
                queue.port,
                std::string(KINDS.at(queue.kind)),
                queue.flow == fabric::NO_FLOW ? std::nullopt : std::optional(queue.flow),
                fabric::HostOf(queue.src),
                isToHost ? std::optional(fabric::HostOf(queue.dst)) : std::nullopt,
                queue.output,
                queue.vc,
                queue.trafficClass,
                queue.frames,
                queue.bytes,
                NamesOf(queue.holds));
    }
}

} // namespace ns3
