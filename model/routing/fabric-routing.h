/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTING_H
#define FABRIC_ROUTING_H

#include "fabric-interval-routing.h"

#include <vector>

namespace ns3::fabric
{

/**
 * Which ports of a switch lead to a destination: computed from the address in a regular topology,
 * else looked up.
 */
class Routing
{
  public:
    /// A switch that reaches nobody.
    Routing() = default;

    /// @param rule for a switch of a regular topology
    explicit Routing(const IntervalRouting& rule)
        : m_rule(rule)
    {
    }

    /// @param table ports by location; locations beyond it are not reached
    explicit Routing(std::vector<PortRange> table)
        : m_table(std::move(table))
    {
    }

    /// @return acceptable ports; none if it can't be reached
    PortRange Route(LocationId dst) const
    {
        if (m_table.empty())
        {
            return m_rule.Route(dst);
        }
        return dst < m_table.size() ? m_table[dst] : PortRange{};
    }

  private:
    IntervalRouting m_rule{IntervalRoutingConfig{}}; ///< Used if the table is empty.
    std::vector<PortRange> m_table;                  ///< By location.
};

} // namespace ns3::fabric

#endif // FABRIC_ROUTING_H
