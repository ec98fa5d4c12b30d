/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_RECORDER_H
#define FABRIC_LANE_RECORDER_H

#include "fabric-lane-table.h"
#include "fabric-run-totals.h"
#include "fabric-summary.h"
#include "fabric-types.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace ns3::fabric
{

/**
 * Counts what becomes of the packets of lanes that share a link, and how long they take. Packets of
 * a lane arrive in the order in which they were made. Shares, latencies and what is sent above the
 * bandwidth of a group are those of the later part of a run, when queues are filled and bursts used
 * up.
 */
class LaneRecorder
{
  public:
    /// What became of the packets of one lane.
    struct Counts
    {
        uint64_t offered{0};           ///< Packets that were made.
        uint64_t dropped{0};           ///< Of those, packets that found the lane's queue full.
        uint64_t delivered{0};         ///< Of those, packets that arrived.
        uint64_t conforming{0};        ///< Packets that the arbiter chose as conforming.
        uint64_t over{0};              ///< Packets that it chose as Over-Bandwidth.
        uint64_t countedDelivered{0};  ///< Arrived in the part that counts.
        uint64_t countedConforming{0}; ///< Chosen as conforming in that part.
        uint64_t countedOver{0};       ///< Chosen as Over-Bandwidth in that part.
        std::vector<double> latencies; ///< Of packets that arrived in that part, s.
        std::deque<TimePs> underWay;   ///< When packets that wait or are on the link were made, ps.
    };

    /// @param countFrom beginning of the part of the run that counts
    LaneRecorder(const LaneTable& table, Time countFrom);

    /**
     * A packet of a lane was made.
     *
     * @param isQueued whether there was room for it
     * @throws std::out_of_range if the table has no such lane; so do the others
     */
    void Made(uint32_t lane, bool isQueued);

    /**
     * The arbiter has chosen a packet of a lane.
     *
     * @param isConforming whether its group had not exceeded its bandwidth
     */
    void Chosen(uint32_t lane, bool isConforming);

    /// The oldest packet of a lane has arrived.
    void Delivered(uint32_t lane);

    const std::map<uint32_t, Counts>& GetLanes() const;

    /**
     * Adds share, latency and over_bandwidth_share of each lane.
     *
     * @param summary the figures
     * @param packetsOfLink packets that fit on the link in the part that counts
     */
    void AddFigures(Summary& summary, double packetsOfLink) const;

    /**
     * Adds what was offered, delivered, and dropped by `lane-queue`.
     *
     * @param totals the common figures
     * @param payload of each packet, bytes
     */
    void AddTotals(RunTotals& totals, uint32_t payload) const;

  private:
    Time m_countFrom;                   ///< Beginning of the part that counts.
    std::map<uint32_t, Counts> m_lanes; ///< By number.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_RECORDER_H
