/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_RING_H
#define FABRIC_SWITCH_RING_H

#include "fabric-routing.h"
#include "fabric-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * Switches in a ring, each with a host at port 0, the next switch at port 1 and the one before at
 * port 2. All frames go the same way round, so each link's buffer may wait for the next one's.
 */
struct SwitchRing
{
    TopologyPlan plan;            ///< Of the ring.
    std::vector<Routing> routing; ///< Of each switch.

    explicit SwitchRing(uint32_t switches)
    {
        for (uint32_t i = 0; i < switches; ++i)
        {
            plan.switches.push_back({NO_GROUP, 3, Tier::EDGE});
            plan.links.push_back({i, (i + 1) % switches, 1, 2, LinkClass::FABRIC});
            plan.hosts.push_back({i, 0});
            std::vector<PortRange> table(FIRST_UNICAST + switches, PortRange{1, 1});
            table[LocationOf(i)] = PortRange{0, 1};
            routing.emplace_back(table);
        }
    }
};

/// How Stall::Describe() ends for such a ring of four that is full.
inline const std::string RING_CYCLE =
    ", since switch 0 waits at port 1 for buffer space in switch 1, "
    "which waits at port 1 for buffer space in switch 2, "
    "which waits at port 1 for buffer space in switch 3, "
    "which waits at port 1 for buffer space in switch 0";

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_RING_H
