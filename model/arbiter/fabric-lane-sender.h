/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_SENDER_H
#define FABRIC_LANE_SENDER_H

#include "fabric-line-array.h"
#include "fabric-preemption-rules.h"
#include "fabric-vl-arbiter.h"

#include <array>
#include <memory>

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

/// What a transmitter has sent of a lane, by whether it conformed.
using LaneTotals = std::array<LaneCounts, 2>;

/// What a transmitter has more if it arbitrates between virtual lanes (VA-12): who is next, and
/// what was sent. Its owner has the queues.
class alignas(64) LaneSender
{
  public:
    /// @param plan of the arbiter
    explicit LaneSender(const std::shared_ptr<const LanePlan>& plan)
        : arbiter(plan)
    {
        m_counts.Grow(plan->LaneRoom());
    }

    /// A frame starts.
    void Begin(uint32_t bytes, TimePs now)
    {
        arbiter.Begin(grant, bytes, now);
        LaneCounts& sent = m_counts[grant.lane][grant.conforming];
        ++sent.frames;
        sent.bytes += bytes;
    }

    /**
     * The table changes (VA-11).
     *
     * @param plan of the arbiter, with its settings
     * @param now time, ps
     */
    void SetPlan(const std::shared_ptr<const LanePlan>& plan, TimePs now)
    {
        m_counts.Grow(plan->LaneRoom());
        arbiter.SetPlan(plan, now);
    }

    /**
     * @param waiting lanes with frames, none of which may go now
     * @return when the first of those that are disqualified conforms, NEVER for none, ps
     */
    TimePs NextReturn(LaneMask waiting) const
    {
        return arbiter.Disqualifies() ? arbiter.NextChange(waiting) : NEVER;
    }

    /**
     * @param lane any number
     * @return what was sent of it
     */
    LaneTotals Totals(uint32_t lane) const
    {
        return lane < m_counts.Size() ? m_counts[lane] : LaneTotals{};
    }

    /**
     * @param lane any number
     * @return its bytes that were sent, conforming or not
     */
    uint64_t Sent(uint32_t lane) const
    {
        const LaneTotals totals = Totals(lane);
        return totals[0].bytes + totals[1].bytes;
    }

    /// Fetches what a decision touches besides the object.
    void FetchArrays() const
    {
        arbiter.FetchArrays();
        FetchMemory(&m_counts[grant.lane], sizeof(LaneTotals)); // often the same lane again
    }

    /// @return bytes of memory held besides the object
    std::size_t MemoryBytes() const
    {
        return arbiter.MemoryBytes() + m_counts.MemoryBytes();
    }

    Grant grant{};           ///< What the frame that is ready was granted.
    bool lacksCredit{false}; ///< Whether a lane could not go for want of room at the receiver.
    VlArbiter arbiter;       ///< Who is next.

  private:
    LineArray<LaneTotals> m_counts; ///< What was sent.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_LANE_SENDER_H
