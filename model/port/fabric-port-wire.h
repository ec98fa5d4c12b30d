/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PORT_WIRE_H
#define FABRIC_PORT_WIRE_H

#include "fabric-input-queue.h"
#include "fabric-lane-wire.h"
#include "fabric-vl-arbiter.h"

#include <array>
#include <vector>

namespace ns3::fabric
{

/// What an output with virtual lanes has more if its frames can be interrupted (VA-9) or their gaps
/// filled (VA-10).
struct PortWire
{
    /// What has to be known of a frame that is partly sent until its tail has left.
    struct Sending
    {
        uint32_t handle{0};       ///< Its index in the pool, where it stays.
        QueueRef from{NO_QUEUE};  ///< The queue that it came from.
        uint8_t arrivedOn{0};     ///< Virtual channel by which it came.
        uint8_t arrivedLane{0};   ///< Virtual lane by which it came.
        Grant grant{0, 0, false}; ///< How it stands.
        uint32_t ackUnits{0};     ///< What is acknowledged when its tail has left, units.
        bool ackLost{false};      ///< Whether these are lost.
    };

    /// @param rules who may interrupt whom
    PortWire(const LinkRate& rate, const PreemptionRules& rules)
        : wire(rate, rules),
          flitBytes(rules.Settings().flitBytes),
          preempts(rules.Settings().preempt)
    {
    }

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

    /// @param table of lanes, which has changed
    void NoteUrgentLanes(const LaneTable& table)
    {
        urgent = preempts ? table.LatencySensitiveLanes() : 0;
    }

    /// @return the frame's rank
    static uint8_t RankOf(const Grant& grant, const LaneTable& table)
    {
        return PreemptionRules::RankOfLevel(grant.level, table.OverLevel());
    }

    LaneWire wire;                                ///< What is sent when.
    std::array<Sending, DEFAULT_LANES> sending{}; ///< By lane; those of wire.OpenLanes() count.
    /// Queues whose first frame can't start yet, so that others of their lane need not wait for
    /// them. They count as listed, and stand in no list.
    std::vector<QueueRef> waiting;
    TimePs nextReady{NEVER}; ///< When the first of these can start if nothing else happens, ps.
    LaneMask urgent{0};      ///< Lanes whose frames may interrupt others.
    uint32_t flitBytes;      ///< Where frames are cut.
    bool preempts;           ///< Whether frames are interrupted at all.
};

} // namespace ns3::fabric

#endif // FABRIC_PORT_WIRE_H
