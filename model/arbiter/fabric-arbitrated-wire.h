/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ARBITRATED_WIRE_H
#define FABRIC_ARBITRATED_WIRE_H

#include "fabric-lane-sender.h"
#include "fabric-lane-wire.h"
#include "fabric-transmitter.h"

#include <array>
#include <optional>

namespace ns3::fabric
{

/**
 * A wire whose frames an arbiter of virtual lanes chooses (VA-12): the ranks of frames follow from
 * what they were granted, and the arbiter hears what the wire does. It is what outputs of switches
 * and uplinks of hosts have alike; who owns it has the queues.
 *
 *   on the wire       | at the arbiter
 *   ------------------+-----------------------------------------------------------------
 *   a frame starts    | the owner tells, by LaneSender::Begin()
 *   it stops or ends  | End()
 *   it goes on        | Resume() with what it was granted; its rank may be another (VA-7)
 *   a flit passes its | Settle(); its rank is another
 *   bandwidth         |
 *   the table changes | all that is partly sent gets the ranks of the new one (VA-11)
 */
class ArbitratedWire
{
  public:
    /**
     * @param link whose wire it is
     * @param settings the user's
     * @param table of lanes
     */
    ArbitratedWire(Transmitter& link, const PreemptionSettings& settings, const LaneTable& table);

    /// @copydoc LaneWire::Settle()
    WireStep Settle(LaneSender& lanes, TimePs now);

    /**
     * LaneWire::Step(), after Settle().
     *
     * @param lanes whose grant is that of the frame that waits
     * @param waiting the frame that the owner would send next, see Waiting(); null for none
     */
    WireStep Step(LaneSender& lanes, const WireFrame* waiting, TimePs now);

    /**
     * @param lanes that have granted a frame the wire
     * @param bytes of the frame on the wire
     * @param arrival what is there of it
     * @param handle the owner's name for it
     * @return the frame
     */
    WireFrame Waiting(const LaneSender& lanes,
                      uint32_t bytes,
                      const FrameArrival& arrival,
                      uint32_t handle) const;

    /// LaneWire::Break(). @param lanes of the wire
    std::optional<WireSegment> Break(LaneSender& lanes, TimePs now, uint32_t handle);

    /// The table of lanes is another from now on (VA-11).
    void SetTable(const LaneTable& table);

    /**
     * @param waiting lanes with frames
     * @return those of them whose frames are worth offering first
     */
    LaneMask Candidates(LaneMask waiting, TimePs now) const
    {
        const LaneMask closed = waiting & ~wire.OpenLanes();
        // A frame of a higher level that may not interrupt would hide one that may.
        const bool isFree = !wire.Runs() && !wire.HasReady(now) && wire.MayFill();
        return isFree ? closed : closed & m_urgent;
    }

    /// @return whether the wire is kept for a frame that has no flit: those of other lanes than
    /// Candidates() wait though nothing is sent
    bool IsKept(TimePs now) const
    {
        return !wire.Runs() && !wire.HasReady(now) && !wire.MayFill();
    }

    /**
     * @param lanes of the wire
     * @param waiting lanes with frames
     * @param step when the wire looks again, ps
     * @return when that or the standing of a frame gives something to decide, ps
     */
    TimePs NextTime(const LaneSender& lanes, LaneMask waiting, TimePs step, TimePs now) const;

    /// Tells the receiver of a link that a frame was interrupted or goes on (DP-14).
    static void Tell(Transmitter& transmitter, const WireStep& step, TimePs now);

    /// @return where frames are cut, bytes
    uint32_t FlitBytes() const
    {
        return m_settings.flitBytes;
    }

    LaneWire wire; ///< What is sent when.

  private:
    /// How a frame stands that is partly sent.
    struct Standing
    {
        Grant grant{0, 0, false}; ///< What it was granted last.
        uint32_t bytes{0};        ///< Of it on the wire.
        uint32_t handle{0};       ///< The owner's name for it.
    };

    /// A frame has got another grant.
    void Regrant(const Grant& grant, uint32_t handle, const LaneTable& table);

    PreemptionSettings m_settings;                     ///< The user's.
    LaneMask m_urgent{0};                              ///< Lanes whose frames may interrupt others.
    std::array<Standing, DEFAULT_LANES> m_standings{}; ///< By lane; those of open lanes count.
};

} // namespace ns3::fabric

#endif // FABRIC_ARBITRATED_WIRE_H
