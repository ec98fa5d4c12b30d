/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PLAN_DRAFT_H
#define FABRIC_PLAN_DRAFT_H

#include "fabric-topology.h"

#include <cstdint>
#include <random>

namespace ns3::fabric
{

/// A plan that is drawn link by link: each new link, or host, has the next port of its switch.
struct PlanDraft
{
    TopologyPlan plan; ///< So far.

    /// @param switches that it has, without ports
    explicit PlanDraft(uint32_t switches)
    {
        plan.switches.assign(switches, {NO_GROUP, 0, Tier::EDGE});
    }

    /// Links two switches.
    void Link(uint32_t a, uint32_t b)
    {
        const uint16_t portA = NextPort(a);
        plan.links.push_back({a, b, portA, NextPort(b), LinkClass::FABRIC});
    }

    /// Gives a switch a host.
    void Host(uint32_t sw)
    {
        plan.hosts.push_back({sw, NextPort(sw)});
    }

    /// Draws up to two links more for each switch, but a host where both ends are one switch.
    void LinkAtRandom(std::mt19937& random)
    {
        const auto switches = static_cast<uint32_t>(plan.switches.size());
        for (uint32_t i = random() % (2 * switches); i > 0; --i)
        {
            const uint32_t a = random() % switches;
            const uint32_t b = random() % switches;
            a == b ? Host(a) : Link(a, b);
        }
    }

  private:
    /// @return a new port of a switch
    uint16_t NextPort(uint32_t sw)
    {
        return plan.switches[sw].ports++;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_PLAN_DRAFT_H
