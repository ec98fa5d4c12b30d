/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_LATENCY_RECORDER_H
#define FABRIC_LANE_LATENCY_RECORDER_H

#include "fabric-summary.h"
#include "fabric-types.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// Keeps how long the frames of each virtual lane took, and how long they waited at the beginning.
class LaneLatencyRecorder
{
  public:
    /// @param names of the lanes by number, as metrics begin with them
    explicit LaneLatencyRecorder(const std::vector<std::string>& names);

    /// @throws std::out_of_range if there is no such lane; so do the others
    void AddLatency(std::size_t lane, TimePs latency);

    /// @param time of one of its frames from the application that sends to its last byte, ps
    void AddTotal(std::size_t lane, TimePs time);

    /// @param wait of one of its frames before its first byte was sent, ps
    void AddWait(std::size_t lane, TimePs wait);

    /// @return latencies of its frames, s, in the order in which they were added
    const std::vector<double>& GetLatencies(std::size_t lane) const;

    /// @return waits of its frames, s, in the order in which they were added
    const std::vector<double>& GetWaits(std::size_t lane) const;

    /// Adds `NAME_latency`, `NAME_wait` and `NAME_total` of each lane. @param summary the figures
    void AddFigures(Summary& summary) const;

  private:
    /// A lane.
    struct Lane
    {
        std::string name;              ///< As metrics begin with it.
        std::vector<double> latencies; ///< s.
        std::vector<double> waits;     ///< s.
        std::vector<double> totals;    ///< s.
    };

    std::vector<Lane> m_lanes; ///< By number.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_LATENCY_RECORDER_H
