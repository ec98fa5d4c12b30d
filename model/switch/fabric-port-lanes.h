/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PORT_LANES_H
#define FABRIC_PORT_LANES_H

#include "fabric-output-arbiter.h"
#include "fabric-port-wire.h"
#include "fabric-vl-arbiter.h"

#include <array>
#include <memory>
#include <vector>

namespace ns3
{
namespace fabric
{

/// What an output has sent of a lane since the start, conforming or not.
struct LaneCounts
{
    uint64_t frames{0}; ///< Data frames.
    uint64_t bytes{0};  ///< Their bytes on the wire.
};

/// What an output has more if it arbitrates between virtual lanes (VA-12).
struct PortLanes
{
    /**
     * @param settings of the arbiter
     * @param table the lanes
     * @throws std::invalid_argument with a sentence if either is wrong (VA-14)
     */
    PortLanes(const VlArbiterSettings& settings, const LaneTable& table)
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

    /// @return bytes of memory held with the object
    std::size_t MemoryBytes() const
    {
        std::size_t bytes = sizeof(*this) + arbiter.MemoryBytes();
        bytes += wire ? wire->MemoryBytes() : 0;
        for (const OutputArbiter& list : lists)
        {
            bytes += list.MemoryBytes();
        }
        return bytes;
    }

    Grant grant{};           ///< What the frame that is ready was granted.
    bool lacksCredit{false}; ///< Whether a lane could not go for want of room at the receiver.
    VlArbiter arbiter;       ///< Who is next.
    std::unique_ptr<PortWire> wire; ///< Null if no frame is interrupted and no gap filled.
    std::array<OutputArbiter, DEFAULT_LANES> lists; ///< Queues that wait, by lane.
    /// What was sent, by lane, then by whether it conformed.
    std::array<std::array<LaneCounts, 2>, DEFAULT_LANES> counts{};
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_PORT_LANES_H
