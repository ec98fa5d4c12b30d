/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ROUTE_WALK_H
#define FABRIC_ROUTE_WALK_H

#include "fabric-port-map.h"
#include "fabric-reachability.h"
#include "fabric-routing.h"
#include "fabric-topology.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace ns3::fabric
{

/// Single frames through a topology whose switches have a PathRule, without switches.
class RouteWalk
{
  public:
    static constexpr uint32_t LOST = 0xFFFFFFFF; ///< Links of a frame that does not arrive.

    /// The arguments must stay.
    RouteWalk(const TopologyPlan& plan, const std::vector<Routing>& routing)
        : m_plan(plan),
          m_routing(routing),
          m_ports(plan)
    {
        for (std::size_t sw = 0; sw < plan.switches.size(); ++sw)
        {
            m_reachability.AddSwitch(routing[sw], plan.switches[sw].ports);
        }
        for (const LinkPlan& link : plan.links)
        {
            m_reachability.AddLink(link.switchA, link.portA, link.switchB, link.portB);
        }
        for (uint32_t host = 0; host < plan.hosts.size(); ++host)
        {
            const HostPlan& place = plan.hosts[host];
            m_reachability.AddHost(LocationOf(host), place.edgeSwitch, place.port);
        }
    }

    const PortMap& Ports() const
    {
        return m_ports;
    }

    /// A link of the plan fails, for Around().
    void Fail(std::size_t link)
    {
        m_reachability.Fail(m_plan.links[link].switchA, m_plan.links[link].portA, m_now);
    }

    /// It is repaired.
    void Repair(std::size_t link)
    {
        m_reachability.Repair(m_plan.links[link].switchA, m_plan.links[link].portA, m_now);
    }

    /// What fails or is repaired from now on does so later.
    void Wait()
    {
        ++m_now;
    }

    /// The link of a host fails, for Leads().
    void FailHost(uint32_t host)
    {
        m_reachability.Fail(m_plan.hosts[host].edgeSwitch, m_plan.hosts[host].port, m_now);
    }

    /// It is repaired.
    void RepairHost(uint32_t host)
    {
        m_reachability.Repair(m_plan.hosts[host].edgeSwitch, m_plan.hosts[host].port, m_now);
    }

    /// @return whether a way of a switch leads to a host after failures
    bool Leads(uint32_t sw, const Way& way, uint32_t dst)
    {
        const std::shared_ptr<const DeadEnds> ends = m_reachability.Of(sw, m_now);
        const uint32_t number =
            m_routing[sw].Paths() ? DeadEnds::NumberOf(way.port, way.vc) : way.port;
        return !ends || !ends->Has(LocationOf(dst), number);
    }

    /// @return links between switches by which a frame goes that takes any of the ways that are
    /// drawn for it; LOST if it does not arrive, or takes one that was not proven
    uint32_t Drawn(uint32_t src, uint32_t dst, std::minstd_rand& random)
    {
        return Follow(src, dst, [&](uint32_t sw, CameBy at) {
            Ways ways;
            m_routing[sw].Paths()->DrawWays(LocationOf(dst), at, random, ways);
            const Way way = ways.at(random() % ways.size());
            Ways legal;
            m_routing[sw].Paths()->FindWays(LocationOf(dst), at, legal);
            const bool isLegal = std::any_of(legal.begin(), legal.end(), [&way](const Way& w) {
                return w.port == way.port && w.vc == way.vc && w.hops == way.hops &&
                       w.rank == way.rank && w.isDetour == way.isDetour;
            });
            return isLegal ? Ways{way} : Ways{};
        });
    }

    /// @return the same by ways that are left after failures, of the lowest rank
    uint32_t Around(uint32_t src, uint32_t dst, std::minstd_rand& random)
    {
        return Follow(src, dst, [&](uint32_t sw, CameBy at) {
            Ways ways;
            m_routing[sw].Paths()->FindWays(LocationOf(dst), at, ways);
            std::shuffle(ways.begin(), ways.end(), random);
            Ways best;
            for (const Way& way : ways)
            {
                if (Leads(sw, way, dst) && (best.empty() || way.rank < best.front().rank))
                {
                    best = {way};
                }
            }
            return best;
        });
    }

  private:
    /// @param choose gives the way that a frame takes at a switch, or none
    template <typename Choose>
    uint32_t Follow(uint32_t src, uint32_t dst, Choose&& choose) const
    {
        uint32_t sw = m_plan.hosts[src].edgeSwitch;
        CameBy at{m_plan.hosts[src].port, 0};
        for (uint32_t hops = 0; hops < 1000; ++hops)
        {
            const Ways ways = choose(sw, at);
            if (ways.empty())
            {
                return LOST;
            }
            const PortPeer& peer = m_ports.GetPeer(sw, ways.front().port);
            if (peer.kind == PeerKind::HOST)
            {
                return peer.index == dst ? hops : LOST;
            }
            sw = peer.index;
            at = {peer.port, ways.front().vc};
        }
        return LOST;
    }

    const TopologyPlan& m_plan;            ///< The topology.
    const std::vector<Routing>& m_routing; ///< Of its switches.
    PortMap m_ports;                       ///< Its links.
    Reachability m_reachability;           ///< After failures.
    TimePs m_now{0};                       ///< Of failures and repairs.
};

} // namespace ns3::fabric

#endif // FABRIC_ROUTE_WALK_H
