/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_UPLINK_WIRE_H
#define FABRIC_UPLINK_WIRE_H

#include "fabric-arbitrated-wire.h"
#include "fabric-nic-listener.h"

#include <array>

namespace ns3::fabric
{

/**
 * What the uplink of a host has more if its frames can be interrupted (VA-9): the wire, and the
 * frames that are partly sent.
 *
 * All bytes of a frame are in the host when it starts, so it has no gaps; the wire never waits.
 */
class UplinkWire : public ArbitratedWire
{
  public:
    /**
     * @param uplink puts frames on the link
     * @param settings the user's
     * @param table of lanes
     * @param listener sees what is sent; null for nobody
     */
    UplinkWire(Transmitter& uplink,
               const PreemptionSettings& settings,
               const LaneTable& table,
               NicListener* const& listener)
        : ArbitratedWire(uplink, settings, table),
          m_uplink(uplink),
          m_listener(listener)
    {
    }

    /// What has been sent by now leaves the wire.
    void Settle(LaneSender& lanes, TimePs now)
    {
        Note(ArbitratedWire::Settle(lanes, now), now);
    }

    /**
     * The wire chooses, and the switch is told.
     *
     * @param lanes that have granted the frame the wire
     * @param frame the best one that waits, which the uplink may damage; null for none
     * @return what happens now; nothing is charged for a frame that starts
     */
    WireStep Step(LaneSender& lanes, Frame* frame, TimePs now);

    /**
     * @param trafficClass of a flow
     * @param destination of the flow
     * @return whether a frame of it is partly sent: another one could overtake it if the table
     * has changed between them
     */
    bool IsPartlySent(uint8_t trafficClass, LocationId destination) const;

    /// The link has failed (WL-8): what is partly sent is lost, as the switch sees by itself.
    void Clear(LaneSender& lanes, TimePs now);

  private:
    /// A frame has left the wire, or goes on, if one has.
    void Note(const WireStep& step, TimePs now);

    /// Somebody is told what a frame has sent since it took the wire.
    void Report(const WireSegment& segment, TimePs now) const
    {
        if (m_listener)
        {
            m_listener->SegmentSent(m_frames[segment.lane], segment, now);
        }
    }

    Transmitter& m_uplink;                       ///< Link to the switch.
    NicListener* const& m_listener;              ///< Sees what is sent; null for nobody.
    std::array<Frame, DEFAULT_LANES> m_frames{}; ///< By lane; those of open lanes count.
};

} // namespace ns3::fabric

#endif // FABRIC_UPLINK_WIRE_H
