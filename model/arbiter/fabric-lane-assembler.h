/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_ASSEMBLER_H
#define FABRIC_LANE_ASSEMBLER_H

#include "fabric-frame-arrival.h"
#include "fabric-lane-table.h"

#include <optional>
#include <vector>

namespace ns3::fabric
{

/// A frame whose last byte is in.
struct AssembledFrame
{
    uint32_t handle{0}; ///< The owner's name for it.
    uint32_t bytes{0};  ///< On the wire.
    TimePs head{0};     ///< When its first byte took effect, ps.
    TimePs tail{0};     ///< When its last byte took effect, ps.
    uint32_t stops{0};  ///< How often it was interrupted on the link.
    uint8_t lane{0};    ///< Virtual lane.
};

/**
 * The receiving end of a link with virtual lanes: assembles frames by lane (VA-9).
 *
 *   state of a lane | entry               | next state
 *   ----------------+---------------------+-------------------------------------------
 *   none            | a frame starts      | flowing
 *   flowing         | it stops            | stopped
 *   stopped         | it goes on          | flowing
 *   flowing         | its tail is reached | none; the frame is handed out by TakeWhole()
 *   either          | it breaks           | none; its owner drops it or ends it
 *
 * One lane of the link is flowing at a time, and a number of others are stopped that is less than
 * the number of levels. All else is a fault of the sender or of the ring, and is refused. A frame
 * may be sent on as soon as it has started: who does that is told of stops and goings-on by the
 * handle that Stop() and GoOn() return, and begins with Arrival(). The buffer holds room for a
 * whole frame from its head on, and it is given back for whole frames, whatever pieces a frame
 * comes and goes in, so link credits know nothing of this.
 */
class LaneAssembler
{
  public:
    /// The link.
    struct Link
    {
        LinkRate rate;                 ///< Of the sender.
        uint32_t lanes{DEFAULT_LANES}; ///< Lanes are 0 to lanes - 1.
        uint32_t levels{1};            ///< Frames that may be partly in at a time.
        uint32_t flitBytes{8};         ///< Frames are cut at multiples of this.
    };

    /// @throw std::invalid_argument if lanes, levels or the flit are 0 or lanes more than MAX_LANES
    explicit LaneAssembler(const Link& link);

    /**
     * A frame's head takes effect.
     *
     * @param bytes of the frame on the wire
     * @param handle the owner's name for it
     * @throw std::logic_error if a frame of that lane is partly in, another frame flows, or more
     * frames are partly in than there are levels
     */
    void Start(TimePs now, uint8_t lane, uint32_t bytes, uint32_t handle);

    /**
     * The sender has interrupted the frame that flows.
     *
     * @param now the time at which that takes effect, ps
     * @param byte the first one that was not sent
     * @return the owner's name for the frame
     * @throw std::logic_error if no frame of that lane flows, or it can't have come to that byte,
     * or the byte begins no flit
     */
    uint32_t Stop(TimePs now, uint8_t lane, uint32_t byte);

    /**
     * The sender goes on with a frame.
     *
     * @param now the time at which that takes effect, ps
     * @param byte the first one that comes
     * @return the owner's name for the frame
     * @throw std::logic_error if no frame of that lane has stopped, or at another byte, or another
     * frame flows
     */
    uint32_t GoOn(TimePs now, uint8_t lane, uint32_t byte);

    /**
     * The rest of a frame never comes.
     *
     * @return the owner's name for the frame
     * @throw std::logic_error if no frame of that lane is partly in
     */
    uint32_t Break(uint8_t lane);

    /**
     * @param lane of a frame that is partly in
     * @param handle the owner's name for it from now on
     */
    void Rename(uint8_t lane, uint32_t handle)
    {
        m_lanes[lane].handle = handle;
    }

    /// @return when the frame that flows is whole if it does not stop, NEVER for none, ps
    TimePs NextTail() const;

    /**
     * To be called at NextTail(), before the entries of that instant.
     *
     * @return the frame that has become whole; none if there is none
     */
    std::optional<AssembledFrame> TakeWhole(TimePs now);

    /**
     * @param lane of a frame that is partly in
     * @return how it comes in, to send it on by cut-through
     * @throw std::logic_error if there is none
     */
    const FrameArrival& Arrival(uint8_t lane) const;

    /**
     * @param lane of a frame that is partly in
     * @return the owner's name for it
     */
    uint32_t Handle(uint8_t lane) const
    {
        return m_lanes[lane].handle;
    }

    /**
     * @param lane of a frame that is partly in
     * @return when its first byte took effect, ps
     */
    TimePs Head(uint8_t lane) const
    {
        return m_lanes[lane].head;
    }

    /// @return lanes of frames that are partly in
    LaneMask OpenLanes() const
    {
        return m_openLanes;
    }

  private:
    /// A lane of the link.
    struct Lane
    {
        FrameArrival arrival; ///< Of the frame that is partly in.
        uint32_t handle{0};   ///< The owner's name for it.
        uint32_t stops{0};    ///< How often it was interrupted.
        TimePs head{0};       ///< When its first byte took effect, ps.
    };

    /// Stands for no lane.
    static constexpr uint8_t NO_LANE = 255;

    /// @return the lane, of which a frame must be partly in
    const Lane& OpenLane(const char* what, uint8_t lane) const;
    /// Refuses an entry while a frame flows.
    void RequireFree(const char* what, uint8_t lane) const;

    Link m_link;                ///< The link.
    std::vector<Lane> m_lanes;  ///< By number.
    LaneMask m_openLanes{0};    ///< Lanes of frames that are partly in.
    uint32_t m_openFrames{0};   ///< Their number.
    uint8_t m_flowing{NO_LANE}; ///< The lane that is on the link.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_ASSEMBLER_H
