/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_COUNTS_H
#define FABRIC_COMMAND_COUNTS_H

#include <cstdint>

namespace ns3::fabric
{

/// What the NIC's side of command queues has done so far.
struct CommandNicCounts
{
    uint64_t commands{0};      ///< Processed, without no-ops.
    uint64_t noops{0};         ///< Processed.
    uint64_t accepted{0};      ///< Low-latency commands that came from a buffer.
    uint64_t dropped{0};       ///< Low-latency commands that had to be read from the ring.
    uint64_t droppedPieces{0}; ///< Writes to a buffer that were dropped.
    uint64_t reads{0};         ///< Of rings, over PCIe.
    uint64_t readSlots{0};     ///< Slots of these.
    uint64_t writeBacks{0};    ///< Of read pointers.
    uint64_t errors{0};        ///< Malformed commands, each of which halts its queue.
};

/// What software has done so far.
struct CommandHostCounts
{
    uint64_t posted{0};     ///< Commands written to rings, without no-ops.
    uint64_t lowLatency{0}; ///< Of these, to a buffer as well.
    uint64_t doorbells{0};  ///< Rung.
    uint64_t looks{0};      ///< At a new status.
    uint64_t waits{0};      ///< Times that a ring was full.
    uint64_t abandoned{0};  ///< Commands not written, since their queue has halted.
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_COUNTS_H
