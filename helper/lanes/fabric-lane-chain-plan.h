/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_CHAIN_PLAN_H
#define FABRIC_LANE_CHAIN_PLAN_H

#include "fabric-link-rate.h"
#include "fabric-preemption-rules.h"

#include <vector>

namespace ns3
{
namespace fabric
{

/// A pause of a source in the middle of a frame.
struct SourceStall
{
    uint32_t byte{0}; ///< First byte that is late, whole flits.
    TimePs time{0};   ///< How long it is late, ps.
};

/// A frame that enters a chain of ports.
struct ChainFrame
{
    TimePs time{0};                  ///< Its head takes effect at its first hop, ps.
    uint32_t bytes{0};               ///< On the wire, less than 64 KiB.
    uint32_t enter{0};               ///< First hop whose wire it takes.
    uint32_t leave{0};               ///< Last hop whose wire it takes.
    uint8_t lane{0};                 ///< Virtual lane.
    LinkRate rate;                   ///< Of its source's link; none: all of it is there at once.
    std::vector<SourceStall> stalls; ///< By byte.
    /// The source's number at its hop, 1 and up. Its frames come in the order of the plan.
    uint32_t source{1};
};

/// A virtual lane of a chain.
struct ChainLane
{
    uint8_t rank{0};              ///< Of its frames, see PreemptionRules.
    bool latencySensitive{false}; ///< Whether its frames may interrupt others.
    uint32_t priority{0}; ///< Of the frames that are ready the highest goes first, then the lowest
                          ///< lane.
};

/// A lane gets another rank at a hop, and so does its frame that is partly sent (VA-7, VA-11).
struct RankChange
{
    TimePs time{0};  ///< When, ps.
    uint32_t hop{0}; ///< Where.
    uint8_t lane{0}; ///< Virtual lane.
    uint8_t rank{0}; ///< The new one.
};

/// Ports in a row, and what goes over their wires.
struct LaneChainPlan
{
    PreemptionSettings settings;     ///< Of all ports.
    std::vector<LinkRate> rates;     ///< Of the wire of each hop.
    std::vector<TimePs> latencies;   ///< From the wire of each hop to the next hop, at least 1 ps.
    std::vector<ChainLane> lanes;    ///< By number.
    std::vector<ChainFrame> frames;  ///< By handle.
    std::vector<RankChange> changes; ///< Of ranks.
    bool startsStopped{false};       ///< A frame that has stopped upstream may start with what is
                                     ///< there, and leave a gap.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_LANE_CHAIN_PLAN_H
