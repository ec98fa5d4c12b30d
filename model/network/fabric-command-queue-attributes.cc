/* SPDX-License-Identifier: GPL-2.0-only */
// The attributes of ns3::FabricCommandQueues.
#include "fabric-attributed-type.h"
#include "fabric-command-queues.h"
#include "fabric-dependent-attributes.h"
#include "fabric-pcie-attributes.h"

#include "ns3/data-rate.h"

#include <algorithm>
#include <string>

namespace ns3
{

using fabric::AtomicSettings;
using fabric::ChoppingSettings;
using fabric::CommandSettings;
using fabric::CommandStageTimes;
using fabric::DriverTimes;
using fabric::DynamicPathSettings;
using fabric::MatchingSettings;
using fabric::ShaperSettings;
using fabric::TimePs;
using fabric::TrackingSettings;
using fabric::TranslationSettings;
using fabric::WriteBackSettings;

TypeId
FabricCommandQueues::AddQueueAttributes(TypeId tid)
{
    const CommandSettings defaults;
    return fabric::AttributedType(tid, fabric::BEFORE_INSTALL, &FabricCommandQueues::m_settings)
        .Add("Queues", "Command queues, each with a core of the host. Cassini: up to 1024.")
        .Sets(&CommandSettings::queues, defaults.queues)
        .Add("RingSlots",
             "Slots of 64 bytes of a ring, a power of two; 4 hold the status and one stays free. "
             "Cassini: 64 to 65536.")
        .Sets(&CommandSettings::ringSlots, defaults.ringSlots)
        .Add("LowLatencySlots",
             "Slots of the low-latency buffer of a queue; 0 for no buffer. Cassini: 128 bytes.")
        .Sets(&CommandSettings::lowLatencySlots, defaults.lowLatencySlots)
        .Add("InlineBytes", "Data of at most this many bytes goes in its command. Cassini: 192.")
        .Sets(&CommandSettings::inlineBytes, defaults.inlineBytes)
        .Add("Batch", "Commands for each ring of the doorbell, at most.")
        .Sets(&CommandSettings::batch, defaults.batch)
        .Add("Policy",
             "How the driver chooses the path of a command: `memory`, the ring and its doorbell; "
             "`low-latency`, the NIC's buffer as well, where it fits; `dynamic`, by what it knows "
             "of the ring and of the NIC's statistics.")
        .SetsOneOf(&CommandSettings::path,
                   fabric::PATH_DYNAMIC,
                   "dynamic",
                   fabric::PATH_MEMORY,
                   "memory",
                   fabric::PATH_LOW_LATENCY,
                   "low-latency")
        .Add("CarriesPackets",
             "Whether packets of the node's network stack, such as IP, are sends of a command "
             "queue, where the other node has command queues, too. Otherwise the NIC takes them as "
             "they are, without PCIe.")
        .Sets(&FabricCommandQueues::m_carriesPackets, false)
        .Add("PacketQueue", "Command queue of such packets.")
        .Sets(&FabricCommandQueues::m_packetQueue, 0)
        .Add("ClassWeights", "Commands of each class of queues in a round, such as 1,3.")
        .Sets(&FabricCommandQueues::m_classWeights, "1")
        .Add("QueueClasses",
             "Class of each queue, such as 0,0,1; further queues have the last one. Empty for 0.")
        .Sets(&FabricCommandQueues::m_queueClasses, "")
        .In(&CommandSettings::dynamic)
        .Add("SpeculateAbove",
             "The dynamic policy begins to speculate when more low-latency writes than this are "
             "accepted, of a window.")
        .Sets(&DynamicPathSettings::resumeAbove, defaults.dynamic.resumeAbove, {0, 1})
        .Add("SpeculateUntil", "It speculates no longer when less than this is accepted.")
        .Sets(&DynamicPathSettings::stopBelow, defaults.dynamic.stopBelow, {0, 1})
        .Add("SpeculationPause", "After this many commands it tries again.")
        .Sets(&DynamicPathSettings::pause, defaults.dynamic.pause)
        .Add("BacklogTime",
             "A driver with the dynamic policy can't keep up, and takes the ring, if a command has "
             "waited for longer and another one waits, or if it would have, had all gone to the "
             "NIC's buffer. Chosen: half as much again as a read of the ring takes.")
        .Sets(&DynamicPathSettings::backlog, defaults.dynamic.backlog, fabric::StepTimes())
        .Add("SpeculationWindow", "Low-latency writes of a window.")
        .Sets(&DynamicPathSettings::window, defaults.dynamic.window);
}

TypeId
FabricCommandQueues::AddFetchAttributes(TypeId tid)
{
    const CommandSettings defaults;
    return fabric::AttributedType(tid, fabric::BEFORE_INSTALL, &FabricCommandQueues::m_settings)
        .Add("ReadSlots", "Slots of a read of a ring, at most. Cassini reads 64 to 256 bytes.")
        .Sets(&CommandSettings::readSlots, defaults.readSlots)
        .Add("PrefetchSlots", "Slots of a queue that are on the NIC or on their way. Chosen.")
        .Sets(&CommandSettings::prefetchSlots, defaults.prefetchSlots)
        .Add("PrefetchQueues", "Queues with reads under way, at most. Cassini: 48.")
        .Sets(&CommandSettings::prefetchQueues, defaults.prefetchQueues)
        .Add("FlowQueues", "Flow queues of the NIC, one flow each. Chosen.")
        .Sets(&CommandSettings::flowQueues, defaults.flowQueues)
        .Add("FlowCredits", "Commands in all flow queues, at most. Cassini: 256.")
        .Sets(&CommandSettings::flowCredits, defaults.flowCredits)
        .Add("FlowDepth", "Commands in one flow queue, at most. Chosen.")
        .Sets(&CommandSettings::flowDepth, defaults.flowDepth)
        .Add("ReadAhead", "Packets of a flow whose data is read ahead of the wire. Chosen.")
        .Sets(&CommandSettings::readAhead, defaults.readAhead)
        .In(&CommandSettings::writeBack)
        .Add("WriteBackEvery",
             "Commands after which the NIC writes the read pointer of a queue to the host, at most "
             "those of a quarter of the ring; 0 for not by number. Cassini: 256 slots and on empty "
             "by default.")
        .Sets(&WriteBackSettings::every, defaults.writeBack.every)
        .Add("WriteBackOnEmpty", "Whether it does so when a ring has become empty.")
        .Sets(&WriteBackSettings::onEmpty, defaults.writeBack.onEmpty)
        .Add("WriteBackInterval", "No command waits longer for it; 0 for no such limit.")
        .Sets(&WriteBackSettings::interval, Time(0), fabric::StepTimes());
}

TypeId
FabricCommandQueues::AddOutboundAttributes(TypeId tid)
{
    const CommandSettings defaults;
    const auto rate = [](uint64_t value) { return DataRateValue(DataRate(value)); };
    const fabric::AttributedType type(tid,
                                      fabric::BEFORE_INSTALL,
                                      &FabricCommandQueues::m_settings);
    type.Add("PutRate",
             "Rate at which a chopping unit cuts data of a write; 0 for no limit. Fitted to "
             "Cassini's published 22.1 GB/s of writes of 64 KiB.")
        .Uses(rate(defaults.chopping.putRate),
              MakeDataRateAccessor(&FabricCommandQueues::m_putRate),
              MakeDataRateChecker())
        .Add("GetRate",
             "Rate at which one cuts data that another NIC reads; 0 for no limit. Fitted to "
             "Cassini's published 21.5 GB/s of reads of 64 KiB.")
        .Uses(rate(defaults.chopping.getRate),
              MakeDataRateAccessor(&FabricCommandQueues::m_getRate),
              MakeDataRateChecker())
        .Add("ShaperRates",
             "Rate of each traffic class that may enter the network, in Gb/s on the wire, such as "
             "0,60; 0, and empty, for no limit.")
        .Sets(&FabricCommandQueues::m_shaperRates, "")
        .In(&CommandSettings::chopping)
        .Add("ChoppingUnits",
             "Units that cut messages into packets, one message each at a time. Chosen.")
        .Sets(&ChoppingSettings::units, defaults.chopping.units);
    type.In(&CommandSettings::shaper)
        .Add("ShaperBurst", "Bytes of a shaped class that may go at once after a pause. Chosen.")
        .Sets(&ShaperSettings::burst, defaults.shaper.burst);
    return type.In(&CommandSettings::translation)
        .Add("TranslationHitRatio",
             "Packets with data whose address is in the NIC's cache, of all; others wait.")
        .Sets(&TranslationSettings::hitRatio, defaults.translation.hitRatio, {0, 1})
        .Add("TranslationTime",
             "How long a packet waits for an address that is not in the cache. Chosen: a read "
             "over PCIe.")
        .Sets(&TranslationSettings::missTime, defaults.translation.missTime, fabric::StepTimes());
}

TypeId
FabricCommandQueues::AddMatchingAttributes(TypeId tid)
{
    const CommandSettings settings;
    const MatchingSettings& defaults = settings.matching;
    return fabric::AttributedType(tid, fabric::BEFORE_INSTALL, &FabricCommandQueues::m_settings)
        .Add("EventSlots",
             "Slots of an event queue in host memory, a power of two. A driver has no more "
             "commands under way; an event of a message without a slot is lost. Chosen.")
        .Sets(&CommandSettings::eventSlots, settings.eventSlots)
        .In(&CommandSettings::matching)
        .Add("TargetQueues",
             "Command queues for targets, which come behind the others; each with a core. "
             "Cassini: up to 512.")
        .Sets(&MatchingSettings::targetQueues, defaults.targetQueues)
        .Add("TargetLowLatencySlots",
             "Slots of the low-latency buffer of a target queue. Cassini has none there.")
        .Sets(&MatchingSettings::bufferSlots, defaults.bufferSlots)
        .Add("RendezvousBytes",
             "Matched messages that are longer are fetched by their target. libfabric's cxi "
             "provider: 16 KiB.")
        .Sets(&MatchingSettings::rendezvous, defaults.rendezvous)
        .Add("EagerBytes",
             "Of these the initiator sends so much at once. libfabric's cxi provider: 2 KiB.")
        .Sets(&MatchingSettings::eager, defaults.eager)
        .Add("MatchEntries", "Entries of the priority and the overflow list together. Chosen.")
        .Sets(&MatchingSettings::entries, defaults.entries)
        .Add("UnexpectedMessages", "Unexpected messages at a time. Chosen.")
        .Sets(&MatchingSettings::unexpected, defaults.unexpected)
        .Add("MatchTime",
             "Time of the NIC to look at an entry or at an unexpected message. Chosen: 500 M/s.")
        .Sets(&MatchingSettings::entryTime, defaults.entryTime, fabric::StepTimes());
}

TypeId
FabricCommandQueues::AddAtomicAttributes(TypeId tid)
{
    const AtomicSettings defaults;
    return fabric::AttributedType(tid,
                                  fabric::BEFORE_INSTALL,
                                  &FabricCommandQueues::m_settings,
                                  &CommandSettings::atomics)
        .Add("AtomicMemory",
             "Bytes of host memory that atomics may change, a power of two. Chosen.")
        .Sets(&AtomicSettings::memory, defaults.memory)
        .Add("AtomicInterval", "Time between two atomics. Cassini: 67.6 M/s.")
        .Sets(&AtomicSettings::interval, defaults.interval, fabric::StepTimes(NanoSeconds(1)))
        .Add("AtomicTime", "Time of an atomic, while others on its word wait. Chosen.")
        .Sets(&AtomicSettings::latency, defaults.latency, fabric::StepTimes())
        .Add("Counters", "Counting events of the NIC. Chosen.")
        .Sets(&AtomicSettings::counters, defaults.counters);
}

TypeId
FabricCommandQueues::AddTrackingAttributes(TypeId tid)
{
    const TrackingSettings defaults;
    return fabric::AttributedType(tid,
                                  fabric::BEFORE_INSTALL,
                                  &FabricCommandQueues::m_settings,
                                  &CommandSettings::tracking)
        .Add("RetryTimeout",
             "A packet is sent again if it has no answer after this; doubled each time, up to 64 "
             "times as much. 0: the NIC keeps no track of packets, and none is sent again.")
        .Sets(&TrackingSettings::timeout, Time(0), fabric::StepTimes())
        .Add("RetryLimit",
             "A packet is sent again this often; then its connection fails, with all commands that "
             "have begun on it. Chosen.")
        .Sets(&TrackingSettings::limit, defaults.limit)
        .Add("RetryWindow",
             "Packets of a connection under way: of writes, reads and answers, and as many of "
             "messages and atomics. Chosen.")
        .Sets(&TrackingSettings::window, defaults.window)
        .Add("AckEvery", "Packets of a connection that are acknowledged together. Chosen.")
        .Sets(&TrackingSettings::ackEvery, defaults.ackEvery)
        .Add("AckDelay", "No packet waits longer for its acknowledgement. Chosen.")
        .Sets(&TrackingSettings::ackDelay, defaults.ackDelay, fabric::StepTimes())
        .Add("FlowControl",
             "Whether a message that finds no list entry, or no slot for its event, disables the "
             "lists and waits at its initiator, with all behind it, until software enables them. "
             "It needs RetryTimeout.")
        .Sets(&TrackingSettings::hasFlowControl, false)
        .Add("NotReadyTime", "A message that waits so is tried again after this, too. Chosen.")
        .Sets(&TrackingSettings::notReady, defaults.notReady, fabric::StepTimes(TimePs{1}));
}

TypeId
FabricCommandQueues::AddStageAttributes(TypeId tid)
{
    const CommandStageTimes defaults;
    return fabric::AttributedType(tid,
                                  fabric::BEFORE_INSTALL,
                                  &FabricCommandQueues::m_settings,
                                  &CommandSettings::stages)
        .Add("GrantTime",
             "Between two choices of a queue. Chosen: three times Cassini's 67.6 M atomics/s.")
        .Sets(&CommandStageTimes::grant, defaults.grant, fabric::StepTimes(NanoSeconds(1)))
        .Add("ParseTime", "Between two commands of all queues. Chosen: 100 M/s.")
        .Sets(&CommandStageTimes::parse, defaults.parse, fabric::StepTimes(NanoSeconds(1)))
        .Add("ReadTime",
             "From a grant to a read request on PCIe. Fitted to Cassini's published step of 0.60 "
             "us between 64 and 128 bytes.")
        .Sets(&CommandStageTimes::read, defaults.read, fabric::StepTimes())
        .Add("OutboundTime",
             "From a command with its data to its packet. With InboundTime fitted to Cassini's "
             "published 1.64 us of a send of 8 bytes.")
        .Sets(&CommandStageTimes::outbound, defaults.outbound, fabric::StepTimes())
        .Add("InboundTime", "From a packet's tail to its write over PCIe. See OutboundTime.")
        .Sets(&CommandStageTimes::inbound, defaults.inbound, fabric::StepTimes())
        .Add("CompleteTime",
             "From an acknowledgement's tail to its event on PCIe. Fitted to Cassini's published "
             "2.07 us of a write of 8 bytes.")
        .Sets(&CommandStageTimes::complete, defaults.complete, fabric::StepTimes())
        .Add("RespondTime",
             "From data that was read for another NIC to its packet. Fitted to Cassini's published "
             "2.69 us of a read of 8 bytes.")
        .Sets(&CommandStageTimes::respond, defaults.respond, fabric::StepTimes());
}

TypeId
FabricCommandQueues::AddDriverAttributes(TypeId tid)
{
    const DriverTimes defaults;
    return fabric::AttributedType(tid,
                                  fabric::BEFORE_INSTALL,
                                  &FabricCommandQueues::m_settings,
                                  &CommandSettings::driver)
        .Add("CommandTime", "Time of software to make a command. Chosen.")
        .Sets(&DriverTimes::command, defaults.command, fabric::StepTimes(NanoSeconds(1)))
        .Add("SlotTime", "Time to write a slot of a ring in the cache. Chosen: 13 GB/s.")
        .Sets(&DriverTimes::slot, defaults.slot, fabric::StepTimes())
        .Add("FenceTime", "Time of a store fence. Chosen.")
        .Sets(&DriverTimes::fence, defaults.fence, fabric::StepTimes())
        .Add("DoorbellTime", "Time to store into a register of the NIC. Chosen.")
        .Sets(&DriverTimes::doorbell, defaults.doorbell, fabric::StepTimes())
        .Add("LowLatencySlotTime",
             "Time to write a slot into the NIC's buffer, and to flush it. Chosen: 3.2 GB/s of a "
             "core, as BlockTime of ns3::FabricPio.")
        .Sets(&DriverTimes::lowLatencySlot, defaults.lowLatencySlot, fabric::StepTimes())
        .Add("LookTime",
             "Time to look at a status or an event that the NIC has written: the core's caches "
             "do not have it. Chosen.")
        .Sets(&DriverTimes::look, defaults.look, fabric::StepTimes())
        .Add("EventTime",
             "Time of software to take a message from its event queue: the next one is seen no "
             "earlier. Chosen.")
        .Sets(&DriverTimes::event, defaults.event, fabric::StepTimes())
        .Add("CopyTime", "Time to copy 64 bytes of an unexpected message. Chosen: 13 GB/s.")
        .Sets(&DriverTimes::copy, defaults.copy, fabric::StepTimes());
}

// ---- combinations of attributes in which one would have no effect ----

void
FabricCommandQueues::RequireEffectsOfPolicy() const
{
    const CommandSettings usual;
    const auto requireNoSpeculation = [&](const std::string& lack, const std::string& needed) {
        const DynamicPathSettings& dynamic = m_settings.dynamic;
        fabric::RequireDefaults(
            {{"SpeculateAbove", dynamic.resumeAbove != usual.dynamic.resumeAbove},
             {"SpeculateUntil", dynamic.stopBelow != usual.dynamic.stopBelow},
             {"SpeculationPause", dynamic.pause != usual.dynamic.pause},
             {"BacklogTime", dynamic.backlog != usual.dynamic.backlog},
             {"SpeculationWindow", dynamic.window != usual.dynamic.window}},
            lack,
            needed);
    };
    const bool hasSlotTime = m_settings.driver.lowLatencySlot != usual.driver.lowLatencySlot;
    if (m_settings.path == fabric::PATH_MEMORY)
    {
        fabric::RequireDefaults(
            {{"LowLatencySlots", m_settings.lowLatencySlots != usual.lowLatencySlots},
             {"TargetLowLatencySlots",
              m_settings.matching.bufferSlots != usual.matching.bufferSlots},
             {"LowLatencySlotTime", hasSlotTime}},
            "Policy is memory",
            "Policy=dynamic or low-latency");
    }
    if (m_settings.path != fabric::PATH_DYNAMIC)
    {
        requireNoSpeculation("Policy is not dynamic", "Policy=dynamic");
    }
    if (m_settings.matching.targetQueues == 0)
    {
        fabric::RequireDefaults({{"TargetLowLatencySlots",
                                  m_settings.matching.bufferSlots != usual.matching.bufferSlots}},
                                "TargetQueues is 0",
                                "TargetQueues above 0");
    }
    if (m_settings.lowLatencySlots == 0 && m_settings.matching.bufferSlots == 0)
    {
        const std::string lack = "no queue has a low-latency buffer";
        const std::string needed = "LowLatencySlots above 0";
        fabric::RequireDefaults({{"LowLatencySlotTime", hasSlotTime}}, lack, needed);
        requireNoSpeculation(lack, needed);
    }
}

void
FabricCommandQueues::RequireEffectsOfTracking() const
{
    const TrackingSettings& tracking = m_settings.tracking;
    const TrackingSettings usual;
    if (!tracking.IsOn())
    {
        fabric::RequireDefaults({{"RetryLimit", tracking.limit != usual.limit},
                                 {"RetryWindow", tracking.window != usual.window},
                                 {"AckEvery", tracking.ackEvery != usual.ackEvery},
                                 {"AckDelay", tracking.ackDelay != usual.ackDelay}},
                                "RetryTimeout is 0",
                                "RetryTimeout above 0");
    }
    if (tracking.ackEvery == 1) // none waits
    {
        fabric::RequireDefaults({{"AckDelay", tracking.ackDelay != usual.ackDelay}},
                                "AckEvery is 1",
                                "AckEvery above 1");
    }
    if (!tracking.hasFlowControl)
    {
        fabric::RequireDefaults({{"NotReadyTime", tracking.notReady != usual.notReady}},
                                "FlowControl is false",
                                "FlowControl=true");
    }
}

void
FabricCommandQueues::RequireEffects() const
{
    RequireEffectsOfPolicy();
    RequireEffectsOfTracking();
    if (!m_carriesPackets)
    {
        fabric::RequireDefaults({{"PacketQueue", m_packetQueue != 0}},
                                "CarriesPackets is false",
                                "CarriesPackets=true");
    }
    if (m_settings.queueClasses.empty())
    {
        fabric::RequireDefaults({{"ClassWeights", m_settings.classWeights.size() > 1}},
                                "QueueClasses is empty, so that all queues are of class 0",
                                "QueueClasses");
    }
    const auto& rates = m_settings.shaper.rates;
    if (std::all_of(rates.begin(), rates.end(), [](uint64_t rate) { return rate == 0; }))
    {
        fabric::RequireDefaults(
            {{"ShaperBurst", m_settings.shaper.burst != ShaperSettings().burst}},
            "ShaperRates limits no class",
            "ShaperRates above 0");
    }
    if (m_settings.translation.hitRatio >= 1)
    {
        fabric::RequireDefaults(
            {{"TranslationTime",
              m_settings.translation.missTime != TranslationSettings().missTime}},
            "TranslationHitRatio is 1",
            "TranslationHitRatio below 1");
    }
}

} // namespace ns3
