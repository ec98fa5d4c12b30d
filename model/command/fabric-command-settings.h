/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_SETTINGS_H
#define FABRIC_COMMAND_SETTINGS_H

#include "fabric-address-translation.h"
#include "fabric-chopping-units.h"
#include "fabric-command.h"
#include "fabric-outbound-shaper.h"
#include "fabric-tracking-settings.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

inline constexpr uint32_t LEAST_RING_SLOTS = 64;         ///< Of a ring (libcxi).
inline constexpr uint32_t MOST_RING_SLOTS = 65536;       ///< Of a ring (libcxi).
inline constexpr uint32_t MOST_COMMAND_QUEUES = 1024;    ///< Transmit queues (Cassini).
inline constexpr uint32_t MOST_TARGET_QUEUES = 512;      ///< Target queues (Cassini).
inline constexpr uint32_t MOST_MATCH_ENTRIES = 1U << 20; ///< And messages; chosen.
inline constexpr uint32_t LEAST_EVENT_SLOTS = 4;         ///< Of an event queue; chosen.
inline constexpr uint32_t MOST_ATOMIC_BYTES = 1U << 24;  ///< Of memory; chosen.
inline constexpr uint32_t MOST_COUNTERS = 65535;         ///< Counting events; chosen.
inline constexpr uint32_t MOST_EVENT_SLOTS = 1U << 20;   ///< Of an event queue; chosen.
inline constexpr uint32_t MOST_FLOW_QUEUES = 4096;       ///< Of a NIC; chosen.
inline constexpr uint32_t MOST_COMMAND_CLASSES = 16;     ///< Of queues; chosen.
inline constexpr uint32_t MOST_LOW_LATENCY_SLOTS = 16;   ///< Of a buffer; chosen.
inline constexpr uint32_t MOST_CHOPPING_UNITS = 4096;    ///< Of a NIC; chosen.
inline constexpr uint32_t MOST_SHAPER_BURST = 65535;     ///< Bytes; chosen.

/// When the NIC writes read pointers back (NQ-4).
struct WriteBackSettings
{
    /// Commands, at most those of a quarter of the ring; 0 for not by number. Cassini: 256 slots
    /// and on empty by default.
    uint32_t every{256};
    bool onEmpty{true}; ///< When the ring has become empty.
    TimePs interval{0}; ///< No command waits longer for it; 0 for no such limit, ps.

    /// @throws std::invalid_argument with a sentence that says what is allowed
    void Validate() const;
};

/// How the driver chooses the path of a command (NQ-8).
enum CommandPath : uint8_t
{
    PATH_MEMORY,      ///< It writes the ring and rings the doorbell.
    PATH_LOW_LATENCY, ///< It writes the ring, then the NIC's buffer.
    PATH_DYNAMIC,     ///< What the state of the ring and the NIC's statistics say.
};

/// Of the dynamic policy (NQ-8).
struct DynamicPathSettings
{
    double stopBelow{0.5};   ///< It no longer speculates when less is accepted, of the writes.
    double resumeAbove{0.9}; ///< It does so again when more is accepted.
    uint32_t pause{256};     ///< It does so again after this many commands, too.
    /// The driver can't keep up if a command has waited for longer and another one waits, or if it
    /// would have, had all before it gone to the buffer; chosen: half as much again as a read of
    /// the ring takes, ps.
    TimePs backlog{1'000'000};
    uint32_t window{16}; ///< Writes over which the NIC's statistics are averaged.
};

/// Times of the driver on its core.
struct DriverTimes
{
    TimePs command{30'000};  ///< To make a command, and for the application's call; chosen, ps.
    TimePs slot{5'000};      ///< To write a slot of a ring in the cache: 13 GB/s; chosen, ps.
    TimePs fence{10'000};    ///< A store fence; chosen, ps.
    TimePs doorbell{10'000}; ///< A store of 8 bytes to the NIC; chosen, ps.
    /// To write a slot into the NIC's buffer: a line of write-combining memory and its flush, as
    /// PioSettings::blockTime; chosen: 3.2 GB/s of a core, ps.
    TimePs lowLatencySlot{20'000}; ///< See above, ps.
    /// To look at the status in memory after the NIC has written it: a miss of the core's caches
    /// that finds it in the shared one; chosen, ps.
    TimePs look{25'000}; ///< See above, ps.
    /// To take a message from an event queue, so that the next one may come; chosen, ps.
    TimePs event{0}; ///< See above, ps.
    /// To copy 64 bytes of an unexpected message out of its overflow buffer; chosen: 13 GB/s, ps.
    TimePs copy{5'000}; ///< See above, ps.
};

/// Times of the NIC's stages. Cassini's are not published one by one; those that are fitted make
/// the latencies that libcxi's documentation has of it, over one switch with cables of 2 m.
struct CommandStageTimes
{
    /// Between two choices of a queue. Chosen: 200 M/s, three times Cassini's 67.6 M atomics/s.
    TimePs grant{5'000};
    TimePs parse{10'000}; ///< Between two commands of all queues; chosen: 100 M/s, ps.
    /// From a grant, or a command whose data is in memory, to the read request on PCIe. Fitted to
    /// the step of 0.60 us between 64 and 128 B, of which a DMA read has 547 ns, ps.
    TimePs read{100'000};
    TimePs outbound{352'000}; ///< From a command with its data to its packet. Fitted, ps.
    /// From a packet's tail to its write over PCIe. With `outbound` fitted to the 1.64 us of a send
    /// of 8 bytes; how they divide it is chosen, ps.
    TimePs inbound{352'000};
    /// From an acknowledgement's tail to its event on PCIe. Fitted to the 2.07 us of a write of 8
    /// bytes, ps.
    TimePs complete{57'000}; ///< See above, ps.
    /// From data that was read for another NIC to its packet. Fitted to the 2.69 us of a read of 8
    /// bytes, ps.
    TimePs respond{20'000}; ///< See above, ps.
};

/// How messages meet those who wait for them (NQ-12, NQ-14).
struct MatchingSettings
{
    uint32_t targetQueues{1};   ///< Command queues for targets.
    uint32_t bufferSlots{0};    ///< Of their low-latency buffers. Cassini has them for initiators.
    uint64_t rendezvous{16384}; ///< Longer messages are fetched by their target (libfabric's cxi).
    uint64_t eager{2048};       ///< Of these the initiator sends so much at once (libfabric's cxi).
    uint32_t entries{65536};    ///< In lists; chosen.
    uint32_t unexpected{65536}; ///< Unexpected messages; chosen.
    /// To look at an entry or at an unexpected message; chosen: 500 M/s, ps.
    TimePs entryTime{2'000}; ///< See above, ps.
};

/// Atomics and counting events (NQ-12, NQ-13).
struct AtomicSettings
{
    uint32_t memory{4096};   ///< Host memory that atomics may change, bytes; chosen.
    TimePs interval{14'793}; ///< Between two of them: Cassini's 67.6 M/s, ps.
    TimePs latency{100'000}; ///< Of one, while others on its word wait; chosen, ps.
    uint32_t counters{2048}; ///< Counting events; chosen.
};

/// Settings of the command queues of a host (NQ-2 to NQ-9).
struct CommandSettings
{
    uint32_t queues{1};             ///< Of the NIC, for initiators.
    uint32_t ringSlots{1024};       ///< Of each ring, with 4 for its status; a power of 2.
    uint32_t lowLatencySlots{2};    ///< Of each queue's buffer: 128 B (Cassini).
    uint32_t inlineBytes{192};      ///< Most data in a command (Cassini).
    uint32_t batch{1};              ///< Commands for each ring of the doorbell, at most.
    CommandPath path{PATH_DYNAMIC}; ///< The driver's policy.
    DynamicPathSettings dynamic;    ///< Of it.
    WriteBackSettings writeBack;    ///< Of read pointers, where a queue has no other one.

    uint32_t readSlots{4};       ///< Of a read of the ring, at most; 256 B (Cassini's largest).
    uint32_t prefetchSlots{64};  ///< On the NIC or on the way, of a queue; chosen.
    uint32_t prefetchQueues{48}; ///< With reads under way at a time (Cassini).
    uint32_t flowQueues{64};     ///< One flow each; chosen.
    uint32_t flowCredits{256};   ///< Commands in flow queues (Cassini).
    uint32_t flowDepth{64};      ///< Commands in one of them; chosen.
    uint32_t readAhead{16};      ///< Packets of a flow whose data is read ahead; chosen.

    std::vector<uint32_t> classWeights{1}; ///< Commands of each class of queues in a round.
    std::vector<uint8_t> queueClasses;     ///< By queue; those beyond have the last one, or 0.

    MatchingSettings matching; ///< Of messages.
    AtomicSettings atomics;    ///< And counting events.
    uint32_t eventSlots{4096}; ///< Of an event queue; chosen.

    ChoppingSettings chopping;       ///< Of messages into packets.
    TranslationSettings translation; ///< Of addresses.
    ShaperSettings shaper;           ///< Of what enters the network.
    TrackingSettings tracking;       ///< Of packets and connections.

    DriverTimes driver;       ///< Of software.
    CommandStageTimes stages; ///< Of the NIC.

    /// @return command queues of both kinds: those for targets come behind the others
    uint32_t AllQueues() const
    {
        return queues + matching.targetQueues;
    }

    /// @param queue number of one @return what it is for
    CommandQueueKind KindOf(uint32_t queue) const
    {
        return queue < queues ? CommandQueueKind::INITIATOR : CommandQueueKind::TARGET;
    }

    /// @param kind of a queue @return slots of its low-latency buffer
    uint32_t BufferSlots(CommandQueueKind kind) const
    {
        return kind == CommandQueueKind::INITIATOR ? lowLatencySlots : matching.bufferSlots;
    }

    /// @param queue number of one @return its class
    uint8_t ClassOf(uint32_t queue) const
    {
        return queueClasses.empty()          ? 0
               : queue < queueClasses.size() ? queueClasses[queue]
                                             : queueClasses.back();
    }

    /// @throws std::invalid_argument with a sentence that says what is allowed
    void Validate() const;
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_SETTINGS_H
