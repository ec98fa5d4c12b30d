/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTING_H
#define FABRIC_ROUTING_H

#include "fabric-interval-routing.h"
#include "fabric-path-rule.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Where the hosts of a fabric are, for tables with an entry for each switch that has hosts: these
 * are numbered in the order in which hosts come to them. All tables of a fabric share it.
 */
struct HostPlaces
{
    /// Where a host is.
    struct Place
    {
        uint16_t edge; ///< Number of its switch among those with hosts.
        uint16_t port; ///< Of its switch.
    };

    /// Number of no switch with hosts.
    static constexpr uint16_t NO_EDGE = 0xFFFF;

    /// By location. Those that are no host's have the number after the last switch.
    std::vector<Place> places;
};

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
        : m_size(table.size())
    {
        Keep(std::move(table));
    }

    /**
     * A table with an entry for each switch that has hosts. Copies share it.
     *
     * @param table ports by the numbers of these switches, and a last entry of none
     * @param hosts where they are
     * @param edge number of this switch among them, NO_EDGE if it has no hosts
     */
    Routing(std::vector<PortRange> table, std::shared_ptr<const HostPlaces> hosts, uint16_t edge)
        : m_size(hosts->places.size()),
          m_places(hosts, hosts->places.data()),
          m_edge(edge)
    {
        Keep(std::move(table));
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
        if (!m_table)
        {
            return m_rule.Route(dst);
        }
        if (dst >= m_size)
        {
            return {};
        }
        if (!m_places)
        {
            return m_table.get()[dst];
        }
        const HostPlaces::Place& place = m_places.get()[dst];
        return place.edge == m_edge ? PortRange{place.port, 1} : m_table.get()[place.edge];
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
    /// Keeps a table, unless it is empty. What is copied is a pointer to it.
    void Keep(std::vector<PortRange> table)
    {
        if (!table.empty())
        {
            const auto kept = std::make_shared<const std::vector<PortRange>>(std::move(table));
            m_table = {kept, kept->data()};
        }
    }

    IntervalRouting m_rule{IntervalRoutingConfig{}};   ///< Used if there is no table.
    std::shared_ptr<const PortRange> m_table;          ///< By location or switch; null for none.
    std::size_t m_size{0};                             ///< Locations that it has.
    std::shared_ptr<const HostPlaces::Place> m_places; ///< By location; null if the table is so.
    uint16_t m_edge{HostPlaces::NO_EDGE};              ///< Of this switch.
    std::shared_ptr<const PathRule> m_paths;           ///< See Paths().
};

} // namespace ns3::fabric

#endif // FABRIC_ROUTING_H
