/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_SOURCE_H
#define FABRIC_LANE_SOURCE_H

#include "fabric-lane-path.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * Makes packets of a lane as a Poisson process. Its random stream is the lane's number, so that all
 * paths get the same packets.
 */
class LaneSource
{
  public:
    /**
     * @param path takes the packets; must stay
     * @param meanGap between packets, 0 for none, ps
     */
    LaneSource(LanePath& path, uint32_t lane, double meanGap);
    ~LaneSource();

    LaneSource(const LaneSource&) = delete;
    LaneSource& operator=(const LaneSource&) = delete;

    /**
     * @param at time from which on the gap is another one
     * @param meanGap between packets, 0 for none, ps
     */
    void ChangeAt(Time at, double meanGap);

  private:
    /// Plans the next packet.
    void Plan();
    /// The gap changes.
    void Change(double meanGap);
    /// Makes a packet.
    void Send();

    LanePath& m_path;                     ///< Takes the packets.
    uint32_t m_lane;                      ///< Number of the lane.
    double m_meanGap;                     ///< Between packets, 0 for none, ps.
    Ptr<ExponentialRandomVariable> m_gap; ///< Between packets.
    EventId m_next;                       ///< The next packet.
    EventId m_change;                     ///< Of the gap.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_SOURCE_H
