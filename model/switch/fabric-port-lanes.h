/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PORT_LANES_H
#define FABRIC_PORT_LANES_H

#include "fabric-lane-sender.h"
#include "fabric-output-arbiter.h"
#include "fabric-port-wire.h"

#include <memory>

namespace ns3
{
namespace fabric
{

/// What an output has more if it arbitrates between virtual lanes (VA-12).
struct PortLanes : LaneSender
{
    using LaneSender::LaneSender;

    /**
     * There are lists for all lanes in use.
     *
     * @param arbitration between queues of a lane
     * @param inputs number of input ports
     */
    void MakeLists(Arbitration arbitration, uint32_t inputs)
    {
        const uint32_t before = lists.Size();
        lists.Grow(arbiter.Plan().LaneRoom());
        for (uint32_t lane = before; lane < lists.Size(); ++lane)
        {
            lists[lane].Configure(arbitration, inputs);
        }
    }

    /// @return bytes of memory held with the object
    std::size_t MemoryBytes() const
    {
        std::size_t bytes = sizeof(*this) + LaneSender::MemoryBytes() + lists.MemoryBytes();
        bytes += wire ? wire->MemoryBytes() : 0;
        for (const OutputArbiter& list : lists)
        {
            bytes += list.MemoryBytes();
        }
        return bytes;
    }

    std::unique_ptr<PortWire> wire; ///< Null if no frame is interrupted and no gap filled.
    LineArray<OutputArbiter> lists; ///< Queues that wait, by lane.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_PORT_LANES_H
