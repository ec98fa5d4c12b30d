/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PORT_ASSEMBLY_H
#define FABRIC_PORT_ASSEMBLY_H

#include "fabric-frame-pool.h"
#include "fabric-lane-assembler.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ns3::fabric
{

/// Stands for the index in the pool of a frame of a host that waits for a flow channel (FC-9).
inline constexpr uint32_t WAITING_FRAME = 0xFFFFFFFF;

/**
 * What an input has more if the frames that it receives may be interrupted (VA-9).
 *
 * With cut-through a frame joins its queue with its head, and the assembler knows it by its index
 * in the pool. With store and forward it is kept here until its tail is in.
 */
struct PortAssembly
{
    /**
     * @param link by which frames come
     * @param storesFrames whether frames are used when their tail is in, not their head
     */
    PortAssembly(const LaneAssembler::Link& link, bool storesFrames)
        : assembler(link),
          storesFrames(storesFrames)
    {
    }

    /// @return when a frame is whole that is to be used then, NEVER for none, ps
    TimePs NextTail() const
    {
        return storesFrames ? assembler.NextTail() : NEVER;
    }

    /**
     * @param frame its index in the pool
     * @return how the frame comes in; nothing if all of it is there
     */
    std::optional<FrameArrival> ArrivalOf(uint8_t lane, uint32_t frame) const
    {
        return Knows(lane, frame) ? std::optional<FrameArrival>(assembler.Arrival(lane))
                                  : std::nullopt;
    }

    /**
     * @param frame its index in the pool
     * @return whether it is known by that, since more of it is to come
     */
    bool Knows(uint8_t lane, uint32_t frame) const
    {
        return (assembler.OpenLanes() >> lane & 1) != 0 && assembler.Handle(lane) == frame;
    }

    /**
     * A frame is not in the pool any more; what is still to come of it is for nothing.
     *
     * @param frame its index in the pool
     * @return whether more of it was to come
     */
    bool Forget(uint8_t lane, uint32_t frame)
    {
        const bool isKnown = Knows(lane, frame);
        if (isKnown)
        {
            assembler.Rename(lane, NO_FRAME);
        }
        return isKnown;
    }

    /**
     * @param frame index in the pool of the frame that is partly in, or NO_FRAME
     * @param output to which it goes now
     */
    void Redirect(uint8_t lane, uint32_t frame, uint16_t output)
    {
        assembler.Rename(lane, frame);
        outputs[lane] = output;
    }

    /**
     * @param frame of a host that waits for a flow channel
     * @return whether more of it is to come
     */
    bool IsWaitedFor(const Frame& frame) const
    {
        return Knows(frame.lane, WAITING_FRAME) && assembler.Head(frame.lane) == frame.time;
    }

    /// @return when the head of the oldest frame that is kept here took effect, NEVER for none, ps
    TimePs OldestHead() const
    {
        TimePs oldest = NEVER;
        for (uint8_t lane = 0; storesFrames && lane < DEFAULT_LANES; ++lane)
        {
            const bool isOpen = (assembler.OpenLanes() >> lane & 1) != 0;
            oldest = isOpen ? std::min(oldest, frames[lane].time) : oldest;
        }
        return oldest;
    }

    /// @return whether a frame is kept here
    bool IsStoring() const
    {
        return storesFrames && assembler.OpenLanes() != 0;
    }

    /// @return payload bytes of frames that are kept here
    uint64_t Payload() const
    {
        uint64_t bytes = 0;
        for (uint8_t lane = 0; storesFrames && lane < DEFAULT_LANES; ++lane)
        {
            bytes += (assembler.OpenLanes() >> lane & 1) != 0 ? frames[lane].payload : 0;
        }
        return bytes;
    }

    LaneAssembler assembler; ///< Frames that are partly in, by lane.
    bool storesFrames;       ///< Whether frames are used when their tail is in.
    bool isCut{false};       ///< Whether what comes in was on the link when it failed (WL-8).
    /// Output to which the frame of a lane goes that has joined its queue, by lane.
    std::array<uint16_t, DEFAULT_LANES> outputs{};
    /// Frames that are stored, or were last, by lane, with the time of their heads.
    std::array<Frame, DEFAULT_LANES> frames{};
};

} // namespace ns3::fabric

#endif // FABRIC_PORT_ASSEMBLY_H
