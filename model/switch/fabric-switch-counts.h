/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_COUNTS_H
#define FABRIC_SWITCH_COUNTS_H

#include "fabric-switch-observer.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3::fabric
{

/// What a switch has done since the start.
struct SwitchCounts
{
    uint64_t heldBytes{0};     ///< Bytes in all input buffers now.
    uint64_t peakHeldBytes{0}; ///< Most bytes in all input buffers at a time.
    std::array<uint64_t, static_cast<std::size_t>(DropCause::COUNT)> droppedPayload{}; ///< Bytes.
    uint64_t droppedFrames{0};   ///< Frames dropped for any cause.
    uint64_t trimmedFrames{0};   ///< Frames whose header has gone on without their payload (FC-15).
    uint64_t copiedFrames{0};    ///< Copies beyond the first of frames to groups (FC-16).
    uint64_t copiedPayload{0};   ///< Their payload, bytes.
    uint64_t combinedFrames{0};  ///< Frames that went into the results of others (SW-14).
    uint64_t combinedPayload{0}; ///< Their payload, bytes.
    uint64_t lostAcks{0};        ///< ACKs that were on a link that failed (WL-8).
    uint64_t reportedLossUnits{
        0}; ///< Units of 256 B that ACKs of type LOST told its edge ports of.
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_COUNTS_H
