/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-up-down-routing.h"

#include "fabric-routing-tables.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/// Which switches are above which.
class UpDownOrder
{
  public:
    UpDownOrder(const PortMap& ports, std::size_t switches, uint32_t root)
        : m_order(switches),
          m_rank(switches)
    {
        const std::vector<uint32_t> depth = ports.GetDistances(root);
        RequireReached(depth, root);
        std::iota(m_order.begin(), m_order.end(), 0);
        std::stable_sort(m_order.begin(), m_order.end(), [&depth](uint32_t a, uint32_t b) {
            return depth[a] < depth[b];
        });
        for (uint32_t i = 0; i < switches; ++i)
        {
            m_rank[m_order[i]] = i;
        }
    }

    bool IsAbove(uint32_t a, uint32_t b) const
    {
        return m_rank[a] < m_rank[b];
    }

  private:
    std::vector<uint32_t> m_order; ///< Switches from the top down.
    std::vector<uint32_t> m_rank;  ///< Place of each switch in that order.
};

/// Makes the tables for up to 64 targets at a time: from each target up against the links by which
/// frames go down, and then on by those that lead down, by which they have come up.
class UpDownTables
{
  public:
    UpDownTables(const TopologyPlan& plan, const PortMap& ports, const UpDownOrder& order)
        : m_order(order),
          m_tables(plan, ports),
          m_down(static_cast<uint32_t>(plan.switches.size())),
          m_way(static_cast<uint32_t>(plan.switches.size()))
    {
    }

    std::vector<Routing> Make()
    {
        for (uint32_t first = 0; first < m_tables.Targets().size(); first += WideSearch::WIDTH)
        {
            FindWaysDown(first);
            FindWaysUp(first);
        }
        return m_tables.Take();
    }

  private:
    /// A switch from which frames go down to targets.
    struct Descent
    {
        uint32_t sw;             ///< The switch.
        WideSearch::Set targets; ///< Those that are as many links away.
    };

    /// Notes ways down, and who has them.
    void FindWaysDown(uint32_t first)
    {
        const auto isUp = [this](uint32_t from, uint32_t to) { return m_order.IsAbove(to, from); };
        m_descents.clear();
        m_tables.Start(m_down, first);
        do
        {
            m_descents.emplace_back();
            for (const uint32_t sw : m_down.Front())
            {
                m_tables.Note(m_down, isUp, sw, first);
                m_descents.back().push_back({sw, m_down.Now(sw)});
            }
        } while (m_down.Step(m_tables.Links(), isUp));
    }

    /// Notes ways up, of those that have none down.
    void FindWaysUp(uint32_t first)
    {
        const auto isDown = [this](uint32_t from, uint32_t to) {
            return m_order.IsAbove(from, to);
        };
        m_way.Clear();
        for (uint32_t sw = 0; sw < m_tables.Links().size(); ++sw)
        {
            m_way.Close(sw, m_down.Reached(sw));
        }
        for (std::size_t links = 0; links < m_descents.size() || !m_way.Front().empty(); ++links)
        {
            m_way.Step(m_tables.Links(), isDown);
            for (const uint32_t sw : m_way.Front())
            {
                m_tables.Note(m_way, isDown, sw, first);
            }
            if (links < m_descents.size())
            {
                for (const Descent& descent : m_descents[links])
                {
                    m_way.Join(descent.sw, descent.targets);
                }
            }
        }
    }

    const UpDownOrder& m_order;                   ///< Of switches.
    RoutingTables m_tables;                       ///< What is made.
    WideSearch m_down;                            ///< Where frames go down.
    WideSearch m_way;                             ///< All ways.
    std::vector<std::vector<Descent>> m_descents; ///< By links to the target.
};

} // namespace

std::vector<Routing>
MakeUpDownRouting(const TopologyPlan& plan, uint32_t root)
{
    const PortMap ports(plan);
    if (root >= plan.switches.size())
    {
        throw std::invalid_argument("topology: there is no switch " + std::to_string(root) +
                                    " to be the root; allowed is a number below " +
                                    std::to_string(plan.switches.size()));
    }
    const UpDownOrder order(ports, plan.switches.size(), root);
    return UpDownTables(plan, ports, order).Make();
}

} // namespace ns3::fabric
