/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PORT_WIRE_H
#define FABRIC_PORT_WIRE_H

#include "fabric-arbitrated-wire.h"
#include "fabric-input-queue.h"

#include <array>
#include <vector>

namespace ns3::fabric
{

/// What an output with virtual lanes has more if its frames can be interrupted (VA-9) or their gaps
/// filled (VA-10).
struct PortWire : ArbitratedWire
{
    /// What has to be known of a frame that is partly sent until its tail has left.
    struct Sending
    {
        uint32_t handle{0};      ///< Its index in the pool, where it stays.
        QueueRef from{NO_QUEUE}; ///< The queue that it came from.
        uint8_t arrivedOn{0};    ///< Virtual channel by which it came.
        uint8_t arrivedLane{0};  ///< Virtual lane by which it came.
        uint32_t ackUnits{0};    ///< What is acknowledged when its tail has left, units.
        bool ackLost{false};     ///< Whether these are lost.
    };

    using ArbitratedWire::ArbitratedWire;

    /// @return its frame that is partly sent, null for none
    Sending* SendingFrom(QueueRef queue)
    {
        for (LaneMask open = wire.OpenLanes(); open != 0; open &= open - 1)
        {
            if (Sending& one = sending[LowestBit(open)]; one.from == queue)
            {
                return &one;
            }
        }
        return nullptr;
    }

    std::array<Sending, DEFAULT_LANES> sending{}; ///< By lane; those of wire.OpenLanes() count.
    /// Queues whose first frame can't start yet, so that others of their lane need not wait for
    /// them. They count as listed, and stand in no list.
    std::vector<QueueRef> waiting;
    TimePs nextReady{NEVER}; ///< When the first of these can start if nothing else happens, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_PORT_WIRE_H
