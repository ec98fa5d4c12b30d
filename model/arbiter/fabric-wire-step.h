/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WIRE_STEP_H
#define FABRIC_WIRE_STEP_H

#include "fabric-frame-arrival.h"
#include "fabric-preemption-rules.h"

namespace ns3::fabric
{

/// A frame that waits for a wire.
struct WireFrame
{
    uint8_t lane{0};       ///< Virtual lane, less than MAX_LANES.
    PreemptionParty party; ///< Bytes on the wire, rank, whether it may interrupt others.
    FrameArrival arrival;  ///< What is there of it.
    uint32_t handle{0};    ///< The owner's name for it, its own while it is partly sent.
};

/// What happens to a frame on a wire.
enum class WireEvent : uint8_t
{
    NONE,    ///< Nothing.
    STARTS,  ///< Its first byte is sent.
    STOPS,   ///< It is interrupted, or has no flit to send.
    GOES_ON, ///< It goes on where it stopped.
    ENDS,    ///< Its last byte has been sent.
};

/// A change on a wire. All but ENDS travel to the receiver (DP-14), which knows the end by itself.
struct WireChange
{
    WireEvent event{WireEvent::NONE}; ///< What happens.
    uint8_t lane{0};                  ///< Lane of the frame.
    uint32_t byte{0};                 ///< First byte of it that was not sent before, or not yet.
    uint32_t handle{0};               ///< The owner's name for it.
};

/// A run of a frame's bytes on the wire: byte i of it has left at start + TxTime(i - first + 1).
struct WireSegment
{
    TimePs start{0};    ///< Begin of the first byte, ps.
    uint32_t first{0};  ///< First byte, a number of whole flits.
    uint32_t bytes{0};  ///< Length; 0 for no segment.
    uint32_t handle{0}; ///< The owner's name for the frame.
    uint8_t lane{0};    ///< Lane of the frame.
};

/// What happens on a wire at one instant: at most one frame leaves it and then one takes it.
struct WireStep
{
    WireChange leaves;      ///< STOPS, ENDS or NONE.
    WireChange takes;       ///< STARTS, GOES_ON or NONE.
    WireSegment segment;    ///< What the frame that leaves has sent since it took the wire.
    bool isDamaged{false};  ///< Whether the link damages the frame that starts.
    TimePs nextTime{NEVER}; ///< When the next step is due if nothing is told before, ps.
};

/// What a wire has done since the start.
struct WireCounts
{
    uint64_t frames{0};         ///< Frames that were begun.
    uint64_t segments{0};       ///< Runs that have ended.
    uint64_t bytes{0};          ///< In those.
    uint64_t preemptions{0};    ///< Frames begun while another could have gone on (VA-9).
    uint64_t fills{0};          ///< Frames begun in the gap of another (VA-10).
    uint64_t gaps{0};           ///< Times that a frame had no flit to send before its end.
    TimePs idleWhileWaiting{0}; ///< Nothing was sent though a frame could have been, ps (VA-13).
    uint64_t wastedFlits{0};    ///< Whole flits that such times had room for, each by itself.
};

} // namespace ns3::fabric

#endif // FABRIC_WIRE_STEP_H
