/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_WIRE_H
#define FABRIC_LANE_WIRE_H

#include "fabric-transmitter.h"
#include "fabric-wire-step.h"

#include <optional>
#include <vector>

namespace ns3::fabric
{

/**
 * The wire of a transmitting port with virtual lanes: frames that are partly sent, what is sent
 * when, and who goes next (VA-9, VA-10).
 *
 * There is no work per flit (DP-14). A frame is sent in segments, and something is computed only
 * when something changes: a frame begins to wait, the sender of a frame that is sent on by
 * cut-through stops or goes on, or the time comes that the last step gave. The owner then tells
 * what has changed and calls Step() with the frame that it would send next. Whatever a step does
 * takes effect at that instant, never later, so the entries that travel to the receiver are pushed
 * when their time is now (DP-2).
 *
 *   state of a frame | when                                              | next, change
 *   -----------------+---------------------------------------------------+-------------------------
 *   waiting          | it is ready, the wire is free, no frame is open   | running, STARTS
 *   waiting          | it may interrupt the frame that runs, or would go | running, STARTS
 *                    | on, which can be cut here                         |
 *   waiting          | no open frame is ready, interleaving is on        | running, STARTS (a fill)
 *   running          | its last byte is sent                             | gone, ENDS
 *   running or       | its rest never comes, or the link has failed      | gone
 *   interrupted      |                                                   |
 *   running          | it is interrupted                                 | interrupted, STOPS
 *   running          | the link repeats the next unit                    | interrupted, STOPS
 *   running          | its next flit is not there: a gap                 | interrupted, STOPS
 *   interrupted      | the wire is free, it is ready, it is the latest   | running, GOES_ON
 *                    | one; with interleaving: the latest one that is    |
 *
 * Open is what runs or is interrupted: at most one frame of a lane, since the receiver assembles by
 * lane, and at most PreemptionSettings::levels. Without interleaving, the wire is kept for the
 * latest interrupted frame also while that is not ready. What was begun in a gap is not interrupted
 * by the frame whose gap it was.
 */
class LaneWire
{
  public:
    /**
     * @param rules who may interrupt whom
     * @param link what it damages and repeats; null for a clean link
     */
    LaneWire(const LinkRate& rate, const PreemptionRules& rules, Transmitter* link = nullptr);

    /**
     * The frame that runs ends at this instant, has no further flit, or comes to a unit that the
     * link repeats. All that the owner has to tell about this instant is told before.
     *
     * @param now time, no earlier than the last step and no later than it asked for, ps
     * @return what leaves the wire
     * @throw std::logic_error if the time is not within those bounds
     */
    WireStep Settle(TimePs now);

    /**
     * Decides who has the wire from this instant on. If the waiting frame has taken it, the owner
     * calls again at the same time with its next choice, since that may have to interrupt soon. If
     * the link has to repeat something before, it takes the wire, and Hold() has to follow.
     *
     * @param now time, that of Settle(), ps
     * @param waiting the frame that the owner would send next, of a lane that is not open; null for
     * none. Of the frames that are ready it is the best one by priority; where none is ready, the
     * one that is ready first.
     * @return what leaves the wire and what takes it, and when to look again
     * @throw std::logic_error if the time is another, or the lane is open
     */
    WireStep Step(TimePs now, const WireFrame* waiting);

    /**
     * The sender of a frame has stopped in the middle of it. Settle() and Step() have to follow at
     * that time.
     *
     * @param handle of the frame; nothing happens if it is not partly sent
     * @param byte the first one that was not sent
     */
    void UpstreamStops(uint32_t handle, uint32_t byte);

    /**
     * The sender of a frame goes on. Settle() and Step() have to follow at that time.
     *
     * @param handle of the frame; nothing happens if it is not partly sent
     */
    void UpstreamGoesOn(uint32_t handle, TimePs now);

    /**
     * A frame that is partly sent has got another rank: it was found to be over its bandwidth at a
     * flit boundary (VA-7), or the table was changed (VA-11). Settle() and Step() have to follow.
     *
     * @param handle of the frame; nothing happens if it is not partly sent
     * @param rank the new one
     */
    void SetRank(uint32_t handle, uint8_t rank);

    /**
     * The table was changed (VA-11). Frames that are partly sent stay so, also if they are more.
     *
     * @param rules from now on; where frames can be cut is the same
     */
    void SetRules(const PreemptionRules& rules);

    /**
     * Something that is no frame of a lane takes the wire, on which no frame runs: an ACK frame, a
     * pause, a repeat. Nothing may be settled before its end, and if frames are open, that has to
     * follow then.
     *
     * @param now time, that of Settle(), ps
     * @param until its end, ps
     * @throw std::logic_error if the time is another, or a frame runs
     */
    void Hold(TimePs now, TimePs until);

    /**
     * The rest of a frame is not sent: it never comes, or the link has failed (WL-8). Settle() and
     * Step() have to follow at that time, or Restart().
     *
     * @param handle of a frame that is partly sent
     * @return what of it was sent since it took the wire; nothing if it was interrupted
     * @throw std::logic_error if the frame is not partly sent
     */
    std::optional<WireSegment> Break(TimePs now, uint32_t handle);

    /// The link has failed; the wire begins anew. All frames were broken before.
    void Restart(TimePs now);

    /**
     * @param now time, no earlier than the last step and no later than it asked for, ps
     * @return whether it is on the wire and its last byte has been sent, which is not settled yet
     */
    bool HasEnded(TimePs now, uint32_t handle) const
    {
        return m_runs && m_open.back().frame.handle == handle &&
               m_limit == m_open.back().frame.party.bytes && RunEnd() <= now;
    }

    /// @return whether a frame is on the wire
    bool Runs() const
    {
        return m_runs;
    }

    /// @return whether an open frame would go on if the wire were free
    bool HasReady(TimePs now) const
    {
        return Resumable(now) < m_open.size();
    }

    /// @return whether a frame of any rank may start if no open one is ready (VA-10)
    bool MayFill() const
    {
        return m_open.empty() ||
               (m_rules.Settings().interleave && m_open.size() < m_rules.Settings().levels);
    }

    /// @return the lanes of frames that are partly sent; no other frame of these can start
    LaneMask OpenLanes() const
    {
        return m_openLanes;
    }

    /// @return frames that are partly sent
    uint32_t OpenFrames() const
    {
        return static_cast<uint32_t>(m_open.size());
    }

    /**
     * @param frame one that waits
     * @return when it can be sent without the wire running dry, NEVER if none of it is there, ps
     */
    TimePs ReadyAt(const WireFrame& frame) const
    {
        return frame.arrival.ReadyAt(0, m_rate, m_rules.Settings().flitBytes);
    }

    /// @return what was done
    const WireCounts& Counts() const
    {
        return m_counts;
    }

    const LinkRate& Rate() const
    {
        return m_rate;
    }

  private:
    /// A frame that is partly sent.
    struct OpenFrame
    {
        WireFrame frame;
        uint32_t sent{0};                  ///< Bytes, up to the present segment.
        uint32_t interrupted{0};           ///< Bytes of frames that have interrupted it.
        std::vector<UnitRepeat> repeats{}; ///< Units that the link repeats, the first one last.

        /// @return bytes that are there or will come, up to the next unit that the link repeats
        uint32_t KnownBytes() const
        {
            const uint32_t known = frame.arrival.KnownBytes();
            return repeats.empty() ? known : std::min(known, repeats.back().byte);
        }
    };

    /// Refuses to settle at a time that is not due.
    void CheckDue(TimePs now) const;
    /// Refuses a step that is not settled, or a lane that is open.
    void CheckStep(TimePs now, const WireFrame* waiting) const;
    /// @return whether the run, which has come to what was known of it, goes on
    bool Extend();
    /// The frame that runs is interrupted if it can be cut here.
    void TryCut(TimePs now, const WireFrame& urgent, WireStep& step);
    /// The free wire is given to somebody.
    void Choose(TimePs now, const WireFrame* waiting, WireStep& step);
    /// What is counted of a time in which the wire was kept idle ends.
    void EndKeeping(TimePs now);
    /// @return position of the open frame that would go on now, or the number of open ones
    std::size_t Resumable(TimePs now) const;
    /// @return whether a frame may interrupt an open one, wherever that can be cut
    bool MayInterrupt(const WireFrame& urgent, const OpenFrame& victim) const;
    /// @return whether a frame may interrupt an open one that is not on the wire
    bool MayPass(const WireFrame& urgent, const OpenFrame& victim) const;
    /// @return bytes of the run up to the first cut at or after now, 0 for none
    uint32_t RunToCut(TimePs now) const;
    /// @return what the frame that runs has sent since it took the wire, up to a byte; is counted
    WireSegment CountRun(uint32_t byte);
    /// The frame that runs leaves the wire.
    void Leave(WireEvent event, uint32_t byte, WireStep& step);
    /// A frame that waited takes the wire, others being interrupted by it, if Begin() lets it.
    void Preempt(TimePs now, const WireFrame& urgent, WireStep& step);
    /// A frame that waited takes the wire, unless the link has to repeat something before. @return
    /// whether it does
    bool Begin(TimePs now, const WireFrame& frame, WireStep& step);
    /// An interrupted frame takes the wire, unless the link has to repeat its next unit before.
    void Resume(TimePs now, std::size_t position, WireStep& step);
    /// The last open frame runs from now on.
    void Run(TimePs now, WireEvent event, WireStep& step);
    /// @return when the next step is due
    TimePs NextTime(TimePs now, const WireFrame* waiting) const;
    /// @return when the first open frame that may go on is ready, NEVER for none, ps
    TimePs NextReady() const;
    /// @return when the run comes to what is known of it, ps
    TimePs RunEnd() const;

    /// @return when an open frame can go on, ps
    TimePs ReadyAt(const OpenFrame& open) const
    {
        return open.frame.arrival.ReadyAt(open.sent, m_rate, m_rules.Settings().flitBytes);
    }

    /// @return an open frame, null if it is none
    OpenFrame* Find(uint32_t handle);

    LinkRate m_rate;               ///< Of the link.
    Transmitter* m_link;           ///< What it damages and repeats; null for a clean link.
    PreemptionRules m_rules;       ///< Who may interrupt whom.
    std::vector<OpenFrame> m_open; ///< Partly sent, by when each was last on the wire.
    LaneMask m_openLanes{0};       ///< Their lanes.
    bool m_runs{false};            ///< Whether the last of them is on the wire.
    bool m_keptIdle{false};        ///< Whether a frame could be sent, but the wire is kept.
    TimePs m_start{0};             ///< Start of the present segment, ps.
    uint32_t m_limit{0};           ///< Bytes of the running frame up to which it need not stop.
    TimePs m_idleSince{0};         ///< When the wire began to be kept, ps.
    TimePs m_last{0};              ///< When it was last settled, ps.
    TimePs m_next{NEVER};          ///< When the next step is due, ps.
    WireCounts m_counts;           ///< Done so far.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_WIRE_H
