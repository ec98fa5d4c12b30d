/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_SENDER_H
#define FABRIC_LANE_SENDER_H

#include "fabric-preemption-rules.h"
#include "fabric-vl-arbiter.h"

#include <array>

namespace ns3
{
namespace fabric
{

/// Arbitration between virtual lanes at the transmitters of a switch and of its hosts (VA-11,
/// VA-12).
struct LaneArbitration
{
    LaneTable table;           ///< What the fabric manager says; may change in the run.
    VlArbiterSettings arbiter; ///< Of each transmitter; the rate is the transmitter's.
    /// Whether frames on the wires of outputs are interrupted (VA-9), and gaps filled (VA-10).
    PreemptionSettings preemption{};

    /// @return whether outputs have a PortWire, so that frames may come in pieces
    bool HasWires() const
    {
        return preemption.preempt || preemption.interleave || arbiter.checkTime == CHECK_AT_FLITS;
    }
};

/// What a transmitter has sent of a lane since the start, conforming or not.
struct LaneCounts
{
    uint64_t frames{0}; ///< Data frames.
    uint64_t bytes{0};  ///< Their bytes on the wire.
};

/// What a transmitter has more if it arbitrates between virtual lanes (VA-12): who is next, and
/// what was sent. Its owner has the queues.
struct alignas(64) LaneSender
{
    /**
     * @param settings of the arbiter
     * @param table the lanes
     * @throws std::invalid_argument with a sentence if either is wrong (VA-14)
     */
    LaneSender(const VlArbiterSettings& settings, const LaneTable& table)
        : arbiter(settings, table)
    {
    }

    /// A frame starts.
    void Begin(uint32_t bytes, TimePs now)
    {
        arbiter.Begin(grant, bytes, now);
        LaneCounts& sent = counts[grant.lane][grant.conforming];
        ++sent.frames;
        sent.bytes += bytes;
    }

    /**
     * @param waiting lanes with frames, none of which may go now
     * @return when the first of those that are disqualified conforms, NEVER for none, ps
     */
    TimePs NextReturn(LaneMask waiting) const
    {
        return arbiter.Settings().over == OVER_DISQUALIFY ? arbiter.NextChange(waiting) : NEVER;
    }

    /**
     * @param lane number of a lane
     * @return its bytes that were sent, conforming or not
     */
    uint64_t Sent(uint32_t lane) const
    {
        return counts[lane][0].bytes + counts[lane][1].bytes;
    }

    Grant grant{};           ///< What the frame that is ready was granted.
    bool lacksCredit{false}; ///< Whether a lane could not go for want of room at the receiver.
    VlArbiter arbiter;       ///< Who is next.
    /// What was sent, by lane, then by whether it conformed.
    std::array<std::array<LaneCounts, 2>, DEFAULT_LANES> counts{};
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_LANE_SENDER_H
