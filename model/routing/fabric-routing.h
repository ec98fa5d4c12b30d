/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTING_H
#define FABRIC_ROUTING_H

#include "fabric-interval-routing.h"
#include "fabric-path-rule.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Which ports of a switch lead to a destination: computed from the address in a regular topology,
 * else looked up. Where that depends on how a frame came, a PathRule tells it, and Route() nothing.
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

    /// @param rule for a switch where ways depend on how a frame came
    explicit Routing(std::shared_ptr<const PathRule> rule)
        : m_paths(std::move(rule))
    {
    }

    /// @return what tells ways by how a frame came; null where that does not matter
    const PathRule* Paths() const
    {
        return m_paths.get();
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

    /**
     * @param dst a destination
     * @param at how a frame comes
     * @return one of the shortest ways, nothing if it can't be reached
     */
    std::optional<Way> ShortestWay(LocationId dst, CameBy at) const
    {
        if (m_paths)
        {
            return m_paths->Knows(dst) ? std::optional(m_paths->ShortestWay(dst, at))
                                       : std::nullopt;
        }
        const PortRange range = Route(dst);
        return range.count == 0 ? std::nullopt : std::optional(Way{range.first, 0, 0, 0, false});
    }

  private:
    IntervalRouting m_rule{IntervalRoutingConfig{}}; ///< Used if the table is empty.
    std::vector<PortRange> m_table;                  ///< By location.
    std::shared_ptr<const PathRule> m_paths;         ///< See Paths().
};

} // namespace ns3::fabric

#endif // FABRIC_ROUTING_H
