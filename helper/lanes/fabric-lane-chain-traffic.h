/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_CHAIN_TRAFFIC_H
#define FABRIC_LANE_CHAIN_TRAFFIC_H

#include "fabric-lane-chain-plan.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * Makes frames at random for the lanes of a LaneChainPlan. All enter at the first port and leave by
 * the last wire; the frames of a lane are one source.
 */
class LaneChainTraffic
{
  public:
    /**
     * @param rate of the links to the first port
     * @param end frames come until then
     */
    LaneChainTraffic(LinkRate rate, Time end);

    /// @param stream number of the random stream (ns-3's AssignStreams)
    void SetStream(int64_t stream);

    /**
     * Frames that are there at once, as a Poisson process.
     *
     * @param lane number of the lane
     * @param bytes of each on the wire, less than 64 KiB
     * @param meanGap mean time between them, above 0
     */
    void AddPoisson(uint8_t lane, uint64_t bytes, Time meanGap);

    /**
     * As AddPoisson(), by load.
     *
     * @param lane number of the lane
     * @param bytes of each on the wire, less than 64 KiB
     * @param load of the link, 0 for no frames
     */
    void AddPoissonLoad(uint8_t lane, uint64_t bytes, double load);

    /**
     * Frames that come over a link one after the other, with idle times at random between them.
     *
     * @param lane number of the lane
     * @param bytes of each on the wire, less than 64 KiB
     * @param load of the link without the gaps, above 0 and below 1
     * @param gaps in each frame, at equal distances
     * @param gap length of each gap, ps
     */
    void AddStream(uint8_t lane, uint64_t bytes, double load, uint64_t gaps, TimePs gap);

    /// @return number of frames to expect, gaps in streams not counted
    double GetExpectedFrames() const;

    /// Appends the frames, lane by lane. @param plan with its settings, rates and lanes
    void AppendTo(LaneChainPlan& plan);

  private:
    /// The frames of a lane.
    struct Source
    {
        uint8_t lane;     ///< Number of the lane.
        uint32_t bytes;   ///< Of each frame.
        double meanGap;   ///< Between frames, or idle between those of a stream, ps.
        bool isStream;    ///< Whether they come over a link.
        uint64_t gaps{0}; ///< In each frame of a stream.
        TimePs gap{0};    ///< Length of each, ps.
    };

    /// Adds a Poisson process, whose mean gap is in ps.
    void AddPoissonGap(uint8_t lane, uint64_t bytes, double meanGap);
    /// @return time at random, ps
    TimePs DrawGap(const Source& source);
    /// @return a frame of a source
    ChainFrame MakeFrame(const Source& source, TimePs time, const LaneChainPlan& plan) const;
    /// Stops a frame of a stream at its gaps. @return time that it takes, ps
    TimePs AddGaps(ChainFrame& frame, const Source& source, uint32_t flitBytes) const;

    LinkRate m_rate;                         ///< Of the links to the first port.
    TimePs m_end;                            ///< Frames come until then, ps.
    Ptr<ExponentialRandomVariable> m_random; ///< Times between frames.
    std::vector<Source> m_sources;           ///< In the order added.
    double m_expected{0};                    ///< Number of frames to expect.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_LANE_CHAIN_TRAFFIC_H
