/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_SENDER_H
#define FABRIC_LANE_SENDER_H

#include "fabric-line-array.h"
#include "fabric-preemption-rules.h"
#include "fabric-vl-arbiter.h"

#include <algorithm>
#include <array>
#include <memory>

namespace ns3::fabric
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

    /// @return bytes of frames that may be partly sent besides the lowest one, where none has gaps
    uint32_t NestedBytes() const
    {
        const uint32_t levels = preemption.levels != 0 ? preemption.levels : MAX_LEVELS + 1;
        const uint64_t most = uint64_t{levels - 1} * preemption.mostUrgentBytes;
        const uint64_t allowed = std::min<uint64_t>(most, preemption.mostBytesPerVictim);
        return preemption.preempt ? static_cast<uint32_t>(allowed) : 0;
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
class alignas(CACHE_LINE) LaneSender
{
  public:
    /**
     * @param plan of the arbiter
     * @param memory to stand in
     */
    LaneSender(const std::shared_ptr<const LanePlan>& plan, LineMemory& memory)
        : m_counts(memory, plan->LaneRoom()),
          m_room(static_cast<uint8_t>(plan->LaneRoom())),
          arbiter(plan, memory)
    {
    }

    /**
     * @param plan of an arbiter
     * @return bytes of memory in which a new sender stands
     */
    static std::size_t LinesFor(const LanePlan& plan)
    {
        return LineArray<LaneTotals>::BytesOf(plan.LaneRoom()) + VlArbiter::LinesFor(plan);
    }

    /**
     * @param candidates lanes that have a frame which may go
     * @return whether one of them may go; `grant` says who
     */
    bool Choose(LaneMask candidates, TimePs now)
    {
        return arbiter.Choose(candidates, now, grant);
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
     * @param memory to stand in from now on
     */
    void SetPlan(const std::shared_ptr<const LanePlan>& plan, LineMemory& memory, TimePs now)
    {
        const auto room = static_cast<uint8_t>(std::max<uint32_t>(m_room, plan->LaneRoom()));
        LineArray<LaneTotals> counts(memory, room);
        std::copy(m_counts.begin(), m_counts.begin() + m_room, counts.begin());
        m_counts = counts;
        m_room = room;
        arbiter.SetPlan(plan, memory, now);
    }

    /**
     * @param waiting lanes with frames, none of which may go now
     * @return when the first of those that are disqualified conforms, NEVER for none, ps
     */
    TimePs NextReturn(LaneMask waiting, TimePs now) const
    {
        return arbiter.Disqualifies() ? arbiter.NextChange(waiting, now) : NEVER;
    }

    /// @return what was sent of it
    LaneTotals Totals(uint32_t lane) const
    {
        return lane < m_room ? m_counts[lane] : LaneTotals{};
    }

    /// @return its bytes that were sent, conforming or not
    uint64_t Sent(uint32_t lane) const
    {
        const LaneTotals totals = Totals(lane);
        return totals[0].bytes + totals[1].bytes;
    }

    /// Fetches what a decision touches of the object.
    void Fetch() const
    {
        FetchMemory(this, CACHE_LINE);
    }

    /// Fetches what a decision touches besides the object.
    void FetchArrays() const
    {
        arbiter.FetchArrays();
        FetchMemory(&m_counts[grant.lane], sizeof(LaneTotals)); // often the same lane again
    }

    /// @return lanes that there is room for
    uint32_t Room() const
    {
        return m_room;
    }

  private:
    // What a frame touches is in the first line of the cache.

    LineArray<LaneTotals> m_counts; ///< What was sent.
    uint8_t m_room;                 ///< Lanes that there is room for.

  public:
    Grant grant{};     ///< What the frame that is ready was granted.
    VlArbiter arbiter; ///< Who is next.
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_SENDER_H
