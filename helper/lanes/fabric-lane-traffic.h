/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_TRAFFIC_H
#define FABRIC_LANE_TRAFFIC_H

#include "fabric-link-rate.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/// A frame that a host sends on a virtual lane.
struct LaneFrame
{
    TimePs time{0};    ///< When, ps.
    uint32_t bytes{0}; ///< On the wire.
    uint8_t lane{0};   ///< Virtual lane.
};

/// Draws the frames of virtual lanes at random, as LaneFrameReplay sends them.
class LaneTraffic
{
  public:
    /**
     * @param rate of the links of the hosts that send
     * @param end frames come until then
     */
    LaneTraffic(LinkRate rate, Time end);

    /// @param stream number of the random stream (ns-3's AssignStreams)
    void SetStream(int64_t stream);

    /**
     * Frames as a Poisson process.
     *
     * @param bytes of each on the wire, less than 64 KiB
     * @param meanGap mean time between them, above 0
     */
    void AddPoisson(uint8_t lane, uint64_t bytes, Time meanGap);

    /**
     * As AddPoisson(), by load.
     *
     * @param bytes of each on the wire, less than 64 KiB
     * @param load of the link, 0 for no frames
     */
    void AddPoissonLoad(uint8_t lane, uint64_t bytes, double load);

    /**
     * Frames one after the other as a link takes them, with idle times at random between them.
     *
     * @param bytes of each on the wire, less than 64 KiB
     * @param load of the link, above 0 and below 1
     */
    void AddStream(uint8_t lane, uint64_t bytes, double load);

    /// @return number of frames to expect
    double GetExpectedFrames() const;

    /// @return the frames, lane by lane
    std::vector<LaneFrame> Draw();

  private:
    /// The frames of a lane.
    struct Source
    {
        uint8_t lane;   ///< Number of the lane.
        uint32_t bytes; ///< Of each frame.
        double meanGap; ///< From the begin of a frame and `busy` to the next frame, ps.
        TimePs busy;    ///< How long a frame keeps the next one from coming, ps.
    };

    /// Adds a Poisson process, whose mean gap is in ps.
    void AddPoissonGap(uint8_t lane, uint64_t bytes, double meanGap);

    LinkRate m_rate;                         ///< Of the links.
    TimePs m_end;                            ///< Frames come until then, ps.
    Ptr<ExponentialRandomVariable> m_random; ///< Times between frames.
    std::vector<Source> m_sources;           ///< In the order added.
    double m_expected{0};                    ///< Number of frames to expect.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_TRAFFIC_H
