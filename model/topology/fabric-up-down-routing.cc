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
        : m_ports(ports),
          m_order(switches),
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

    /// @return which neighbours lead to the target
    NextSwitch Towards(uint32_t target) const
    {
        std::vector<uint32_t> down = DownDistances(target);
        std::vector<uint32_t> way = down;
        for (const uint32_t sw : m_order)
        {
            if (down[sw] == PortMap::UNREACHED)
            {
                ForEachAbove(sw,
                             [&](uint32_t above) { way[sw] = std::min(way[sw], way[above] + 1); });
            }
        }
        return [this, down = std::move(down), way = std::move(way)](uint32_t sw, uint32_t next) {
            const bool goesDown = down[sw] != PortMap::UNREACHED;
            return IsAbove(next, sw) != goesDown &&
                   (goesDown ? down[next] : way[next]) + 1 == way[sw];
        };
    }

  private:
    bool IsAbove(uint32_t a, uint32_t b) const
    {
        return m_rank[a] < m_rank[b];
    }

    /// @param visit is called for each neighbour above the switch
    template <typename Visit>
    void ForEachAbove(uint32_t sw, const Visit& visit) const
    {
        for (uint16_t port = 0; port < m_ports.GetPorts(sw); ++port)
        {
            const PortPeer& peer = m_ports.GetPeer(sw, port);
            if (peer.kind == PeerKind::SWITCH && IsAbove(peer.index, sw))
            {
                visit(peer.index);
            }
        }
    }

    /// @return links from each switch to the target by links that lead down, or UNREACHED
    std::vector<uint32_t> DownDistances(uint32_t target) const
    {
        std::vector<uint32_t> down(m_order.size(), PortMap::UNREACHED);
        down[target] = 0;
        // From the bottom up: what is below a switch comes later in the order.
        for (auto sw = m_order.rbegin(); sw != m_order.rend(); ++sw)
        {
            if (down[*sw] != PortMap::UNREACHED)
            {
                ForEachAbove(*sw, [&](uint32_t above) {
                    down[above] = std::min(down[above], down[*sw] + 1);
                });
            }
        }
        return down;
    }

    const PortMap& m_ports;        ///< Links.
    std::vector<uint32_t> m_order; ///< Switches from the top down.
    std::vector<uint32_t> m_rank;  ///< Place of each switch in that order.
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
    return MakeRoutingTables(plan, ports, [&order](uint32_t target) {
        return order.Towards(target);
    });
}

} // namespace ns3::fabric
