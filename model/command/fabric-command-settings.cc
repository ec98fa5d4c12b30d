/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-settings.h"

#include "fabric-pcie-settings.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/// @throws std::invalid_argument unless a number is in its range
void
RequireWithin(const char* what, uint64_t value, uint64_t least, uint64_t most, const char* why = "")
{
    if (value < least || value > most)
    {
        throw std::invalid_argument("command queues: " + std::string(what) + " is " +
                                    std::to_string(value) + "; allowed is " +
                                    std::to_string(least) + " to " + std::to_string(most) + why);
    }
}

/// @throws std::invalid_argument unless a number is a power of two in its range
void
RequirePower(const char* what, uint64_t value, uint64_t least, uint64_t most)
{
    if (value < least || value > most || (value & (value - 1)) != 0)
    {
        throw std::invalid_argument("command queues: " + std::string(what) + " is " +
                                    std::to_string(value) + "; allowed is a power of two from " +
                                    std::to_string(least) + " to " + std::to_string(most));
    }
}

/// @throws std::invalid_argument unless a time is in its range, in which sums do not overflow
void
RequireTime(const char* what, TimePs value, TimePs least)
{
    if (value < least || value > LONGEST_STEP)
    {
        throw std::invalid_argument("command queues: " + std::string(what) + " is " +
                                    std::to_string(value) + " ps; allowed is " +
                                    std::to_string(least) + " to " + std::to_string(LONGEST_STEP));
    }
}

void
ValidateDynamic(const DynamicPathSettings& dynamic)
{
    if (!(dynamic.stopBelow >= 0 && dynamic.stopBelow <= dynamic.resumeAbove &&
          dynamic.resumeAbove <= 1))
    {
        throw std::invalid_argument("command queues: the dynamic policy stops below " +
                                    std::to_string(dynamic.stopBelow) + " and resumes above " +
                                    std::to_string(dynamic.resumeAbove) +
                                    "; allowed is 0 to 1, and the first is at most the second");
    }
    RequireWithin("the pause of the dynamic policy", dynamic.pause, 1, 1 << 30);
    RequireTime("the backlog of the dynamic policy", dynamic.backlog, 0);
    RequireWithin("the window of the dynamic policy", dynamic.window, 1, 65536);
}

void
ValidateMatching(const MatchingSettings& matching)
{
    RequireWithin("the number of target queues", matching.targetQueues, 0, MOST_TARGET_QUEUES);
    RequireWithin("the number of slots of the low-latency buffer of a target queue",
                  matching.bufferSlots,
                  0,
                  MOST_LOW_LATENCY_SLOTS);
    RequireWithin("the eager part of a rendezvous message",
                  matching.eager,
                  0,
                  matching.rendezvous,
                  ", the threshold");
    RequireWithin("the number of list entries", matching.entries, 1, MOST_MATCH_ENTRIES);
    RequireWithin("the number of unexpected messages", matching.unexpected, 0, MOST_MATCH_ENTRIES);
    RequireTime("the time to look at an entry", matching.entryTime, 0);
}

void
ValidateOutbound(const CommandSettings& settings)
{
    RequireWithin("the number of chopping units", settings.chopping.units, 1, MOST_CHOPPING_UNITS);
    const auto requireRate = [](const char* what, uint64_t rate) {
        if (rate != 0)
        {
            RequireWithin(what, rate, LinkRate::LOWEST, LinkRate::HIGHEST, " bit/s, or 0");
        }
    };
    requireRate("the rate of a chopping unit for writes", settings.chopping.putRate);
    requireRate("the rate of a chopping unit for reads", settings.chopping.getRate);
    const double hitRatio = settings.translation.hitRatio;
    if (!(hitRatio >= 0 && hitRatio <= 1))
    {
        throw std::invalid_argument("command queues: the hit ratio of address translation is " +
                                    std::to_string(hitRatio) + "; allowed is 0 to 1");
    }
    RequireTime("the time of a miss of address translation", settings.translation.missTime, 0);
    RequireWithin("the number of shaped classes",
                  settings.shaper.rates.size(),
                  0,
                  MOST_COMMAND_CLASSES);
    for (const uint64_t rate : settings.shaper.rates)
    {
        requireRate("the rate of a shaped class", rate);
    }
    RequireWithin("the burst of the shaper", settings.shaper.burst, 1, MOST_SHAPER_BURST);
}

void
ValidateTracking(const TrackingSettings& tracking, uint32_t targetQueues)
{
    RequireTime("the time-out of packets", tracking.timeout, 0);
    RequireWithin("the number of times that a packet is sent again", tracking.limit, 0, 65535);
    RequireWithin("the number of packets of a connection under way",
                  tracking.window,
                  1,
                  MOST_TRACKED);
    RequireWithin("the number of packets of an acknowledgement",
                  tracking.ackEvery,
                  1,
                  MOST_TRACKED);
    RequireTime("the longest wait for an acknowledgement", tracking.ackDelay, 0);
    RequireTime("the time until a refused message is tried again", tracking.notReady, 1);
    if (tracking.hasFlowControl && !tracking.IsOn())
    {
        throw std::invalid_argument(
            "command queues: flow control of messages is on and the time-out of packets is 0 ps; "
            "allowed is flow control with a time-out, since its messages are sent again");
    }
    if (tracking.hasFlowControl && targetQueues == 0)
    {
        throw std::invalid_argument(
            "command queues: flow control of messages is on and there is no target queue; allowed "
            "is at least one, by which software lets messages come again");
    }
}

void
ValidateClasses(const CommandSettings& settings)
{
    RequireWithin("the number of class weights",
                  settings.classWeights.size(),
                  1,
                  MOST_COMMAND_CLASSES);
    for (const uint32_t weight : settings.classWeights)
    {
        RequireWithin("the weight of a class", weight, 1, 65536);
    }
    RequireWithin("the number of queues with a class",
                  settings.queueClasses.size(),
                  0,
                  settings.queues,
                  ", the queues");
    for (const uint8_t queueClass : settings.queueClasses)
    {
        RequireWithin("the class of a queue",
                      queueClass,
                      0,
                      settings.classWeights.size() - 1,
                      ", for which there are weights");
    }
}

} // namespace

void
WriteBackSettings::Validate() const
{
    if (every == 0 && !onEmpty && interval == 0)
    {
        throw std::invalid_argument(
            "command queues: read pointers are written back neither by number, nor on empty, nor "
            "on time; allowed is one of these at least, so that no driver waits for ever");
    }
    RequireTime("the interval of writes of read pointers", interval, 0);
}

void
CommandSettings::Validate() const
{
    RequireWithin("the number of queues", queues, 1, MOST_COMMAND_QUEUES);
    RequirePower("the number of slots of a ring", ringSlots, LEAST_RING_SLOTS, MOST_RING_SLOTS);
    RequireWithin("the number of slots of the low-latency buffer",
                  lowLatencySlots,
                  0,
                  MOST_LOW_LATENCY_SLOTS);
    RequireWithin("the limit of inline data", inlineBytes, 0, MOST_INLINE_BYTES);
    RequireWithin("the number of commands for each doorbell", batch, 1, MOST_RING_SLOTS);
    ValidateDynamic(dynamic);
    writeBack.Validate();
    RequireWithin("the number of slots of a read", readSlots, 1, MOST_RING_SLOTS);
    RequireWithin("the number of slots that are read ahead",
                  prefetchSlots,
                  std::max(readSlots, MOST_COMMAND_SLOTS),
                  MOST_RING_SLOTS);
    RequireWithin("the number of queues with reads", prefetchQueues, 1, MOST_COMMAND_QUEUES);
    RequireWithin("the number of flow queues", flowQueues, 1, MOST_FLOW_QUEUES);
    RequireWithin("the number of commands in flow queues", flowCredits, 1, 65536);
    RequireWithin("the number of commands in a flow queue", flowDepth, 1, 65536);
    RequireWithin("the number of packets that are read ahead", readAhead, 1, 65536);
    ValidateClasses(*this);
    ValidateMatching(matching);
    ValidateOutbound(*this);
    ValidateTracking(tracking, matching.targetQueues);
    RequirePower("the memory for atomics", atomics.memory, 8, MOST_ATOMIC_BYTES);
    RequireTime("the time between two atomics", atomics.interval, 1);
    RequireTime("the time of an atomic", atomics.latency, 0);
    RequireWithin("the number of counters", atomics.counters, 0, MOST_COUNTERS);
    RequirePower("the number of slots of an event queue",
                 eventSlots,
                 LEAST_EVENT_SLOTS,
                 MOST_EVENT_SLOTS);
    RequireTime("the time to make a command", driver.command, 1);
    for (const TimePs time : {driver.slot,
                              driver.fence,
                              driver.doorbell,
                              driver.lowLatencySlot,
                              driver.look,
                              driver.event,
                              driver.copy,
                              stages.read,
                              stages.outbound,
                              stages.inbound,
                              stages.complete,
                              stages.respond})
    {
        RequireTime("a time", time, 0);
    }
    RequireTime("the time between two grants", stages.grant, 1);
    RequireTime("the time between two commands", stages.parse, 1);
}

} // namespace ns3::fabric
