/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_FRAME_REPLAY_H
#define FABRIC_LANE_FRAME_REPLAY_H

#include "fabric-helper.h"
#include "fabric-lane-latency-recorder.h"
#include "fabric-lane-traffic.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * Hosts of a fabric send frames, each as a message of its own. Lane i is the lane of traffic class
 * i.
 *
 * Times are measured at the switches: the latency of a frame is from its head at the first one to
 * its tail at the output of the last one, and its wait from that head to its first byte at the
 * output of the first one. The total is from the application that sends to the one that receives.
 */
class LaneFrameReplay
{
  public:
    /// Who sends the frames of a lane, and to whom.
    struct Route
    {
        uint32_t source;                 ///< Number of the host that sends.
        std::vector<uint32_t> receivers; ///< Numbers of the hosts that receive, in turn.
    };

    /**
     * Schedules all frames; each is sent at its time.
     *
     * @param frames what is sent, at least header and FCS long; must stay
     * @param recorder gets latencies and waits as frames arrive; must stay
     */
    LaneFrameReplay(const FabricContainer& fabric,
                    const std::vector<LaneFrame>& frames,
                    const std::vector<Route>& routes,
                    LaneLatencyRecorder& recorder);

    LaneFrameReplay(const LaneFrameReplay&) = delete;
    LaneFrameReplay& operator=(const LaneFrameReplay&) = delete;

    /// @return part of the frames that have arrived, 0 to 1
    double GetDone() const;

    /// @return when the last frame arrived, ps
    TimePs GetEnd() const;

  private:
    /// A frame on its way.
    struct Progress
    {
        TimePs head{NEVER};   ///< When its head took effect at its first switch, ps.
        bool hasBegun{false}; ///< Whether that has sent its first byte.
    };

    /// Listens to the switch of a host.
    void TraceSwitchOf(uint32_t host);
    /// A host sends a frame.
    void Send(uint32_t number);
    /// @return the number of a frame
    std::size_t NumberOf(const Frame& frame) const;
    /// A frame's head takes effect at a switch.
    void Arrive(uint32_t port, const Frame& frame, Time now);
    /// A frame's first byte is sent by a switch.
    void Begin(uint32_t port, const Frame& frame, Time now);
    /// A frame has come.
    void Receive(const Message& message);

    FabricContainer m_fabric;               ///< Hosts and switches.
    const std::vector<LaneFrame>& m_frames; ///< What is sent.
    std::vector<Route> m_routes;            ///< By lane.
    LaneLatencyRecorder& m_recorder;        ///< Gets latencies and waits.
    std::vector<Progress> m_progress;       ///< By number of the frame.
    std::vector<std::size_t> m_sent;        ///< Frames by lane.
    std::vector<uint32_t> m_traced;         ///< Switches that are listened to.
    std::size_t m_received{0};              ///< Frames.
    TimePs m_end{0};                        ///< When the last came, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_FRAME_REPLAY_H
