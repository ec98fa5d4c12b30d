/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-dragonfly.h"
#include "fabric-fat-tree.h"
#include "fabric-function-case.h"
#include "fabric-hyperx.h"
#include "fabric-path-networks.h"
#include "fabric-route-walk.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-torus.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A topology, most often one whose switches have a PathRule.
struct PathTopology
{
    std::string name;             ///< For messages.
    TopologyPlan plan;            ///< What there is.
    std::vector<Routing> routing; ///< Of its switches.
};

/// Follows frames through what is left of a topology, step by step: the slow model of Reachability.
class SearchOfWays
{
  public:
    /// @param topology must stay @param ports of it, must stay
    SearchOfWays(const PathTopology& topology, const PortMap& ports)
        : m_topology(topology),
          m_ports(ports)
    {
    }

    /// The link at a port fails, in both directions.
    void Fail(uint32_t sw, uint16_t port)
    {
        m_down.insert({sw, port});
        const PortPeer& peer = m_ports.GetPeer(sw, port);
        if (peer.kind == PeerKind::SWITCH)
        {
            m_down.insert({peer.index, peer.port});
        }
    }

    /// @return whether a frame can come to a host by one of the ways that a switch has for it
    bool Arrives(uint32_t sw, const Way& way, uint32_t dst)
    {
        const PortPeer& peer = m_ports.GetPeer(sw, way.port);
        if (m_down.count({sw, way.port}) != 0 || peer.kind != PeerKind::SWITCH)
        {
            return m_down.count({sw, way.port}) == 0 && peer.index == dst;
        }
        const auto key = std::make_tuple(sw, way.port, way.vc, dst);
        const auto known = m_known.find(key);
        if (known != m_known.end())
        {
            return known->second;
        }
        const Ways next = WaysOf(peer.index, {peer.port, way.vc}, dst);
        return m_known[key] = std::any_of(next.begin(), next.end(), [&](const Way& w) {
                   return Arrives(peer.index, w, dst);
               });
    }

    /// @return what the rule of a switch says
    Ways WaysOf(uint32_t sw, CameBy at, uint32_t dst) const
    {
        Ways ways;
        if (const PathRule* paths = m_topology.routing[sw].Paths())
        {
            paths->FindWays(LocationOf(dst), at, ways);
            return ways;
        }
        const PortRange range = m_topology.routing[sw].Route(LocationOf(dst));
        for (uint32_t port = range.first; port < uint32_t{range.first} + range.count; ++port)
        {
            ways.push_back({static_cast<uint16_t>(port), 0, 0, 0, false});
        }
        return ways;
    }

    /// @param visit is called with each switch that frames for a host may come to, and how:
    /// `void visit(uint32_t, CameBy)`
    template <typename Visit>
    void ForEachArrival(uint32_t dst, Visit&& visit) const
    {
        std::set<std::tuple<uint32_t, uint16_t, uint8_t>> seen;
        std::vector<std::pair<uint32_t, CameBy>> open;
        for (const HostPlan& host : m_topology.plan.hosts)
        {
            open.push_back({host.edgeSwitch, {host.port, 0}});
        }
        while (!open.empty())
        {
            const auto [sw, at] = open.back();
            open.pop_back();
            if (!seen.insert({sw, at.port, at.vc}).second)
            {
                continue;
            }
            visit(sw, at);
            for (const Way& way : WaysOf(sw, at, dst))
            {
                const PortPeer& peer = m_ports.GetPeer(sw, way.port);
                if (peer.kind == PeerKind::SWITCH)
                {
                    open.push_back({peer.index, {peer.port, way.vc}});
                }
            }
        }
    }

  private:
    const PathTopology& m_topology;                 ///< What is searched.
    const PortMap& m_ports;                         ///< Of it.
    std::set<std::pair<uint32_t, uint32_t>> m_down; ///< Ports whose links are down.
    std::map<std::tuple<uint32_t, uint16_t, uint8_t, uint32_t>, bool> m_known; ///< See Arrives().
};

/// @return a small topology of any kind
PathTopology
DrawTopology(std::minstd_rand& random)
{
    const auto draw = [&random](uint32_t least, uint32_t most) {
        return static_cast<uint32_t>(least + random() % (most - least + 1));
    };
    const uint32_t kind = draw(0, 4);
    const uint32_t hosts = draw(1, 2);
    if (kind == 0)
    {
        const Torus torus({{draw(2, 4), draw(2, 4)}, hosts, static_cast<TorusMode>(draw(0, 2))});
        return {"torus", torus.GetPlan(), torus.GetRouting()};
    }
    if (kind == 1)
    {
        const HyperX hyperX(
            {{draw(2, 4), draw(2, 3)}, hosts, {draw(1, 2)}, static_cast<HyperXMode>(draw(0, 3))});
        return {"HyperX", hyperX.GetPlan(), hyperX.GetRouting()};
    }
    if (kind == 2)
    {
        const TopologyPlan plan = DrawShortGraph(random, 14);
        return {"graph", plan, MakeGraphRouting(plan, hosts == 1 ? GRAPH_MINIMAL : GRAPH_ADAPTIVE)};
    }
    DragonflyConfig config;
    config.hostsPerSwitch = hosts;
    config.switchesPerGroup = draw(2, 4);
    config.globalPorts = draw(1, 2);
    config.groups = draw(2, std::min(config.switchesPerGroup * config.globalPorts + 1, 5U));
    config.localLinks = draw(1, 2);
    config.mode = static_cast<DragonflyMode>(draw(0, 2));
    const Dragonfly dragonfly(config);
    return {"dragonfly", dragonfly.GetPlan(), dragonfly.GetRouting()};
}

/// Ports that lead nowhere are those by which a search finds no way, for each host, virtual channel
/// and way that a frame may have come.
/// @param what has failed, for sentences @return ways that lead nowhere
uint64_t
ExpectAsSearched(FunctionCase& test,
                 const PathTopology& topology,
                 RouteWalk& walk,
                 SearchOfWays& search,
                 const std::string& what)
{
    uint64_t dead = 0;
    for (uint32_t dst = 0; dst < topology.plan.hosts.size(); ++dst)
    {
        search.ForEachArrival(dst, [&](uint32_t sw, CameBy at) {
            for (const Way& way : search.WaysOf(sw, at, dst))
            {
                const bool leads = walk.Leads(sw, way, dst);
                dead += !leads;
                test.Expect(leads == search.Arrives(sw, way, dst),
                            Text(what,
                                 ", ",
                                 topology.name,
                                 ": switch ",
                                 sw,
                                 " port ",
                                 way.port,
                                 " VC ",
                                 uint32_t{way.vc},
                                 " to host ",
                                 dst));
            }
        });
    }
    return dead;
}

void
TestDeadEnds(FunctionCase& test)
{
    const TestSeeds seeds(60);
    uint64_t dead = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const PathTopology topology = DrawTopology(random);
        const TopologyPlan& plan = topology.plan;
        RouteWalk walk(plan, topology.routing);
        SearchOfWays search(topology, walk.Ports());
        for (uint32_t i = 1 + random() % 4; i > 0; --i)
        {
            const std::size_t failed = random() % plan.links.size();
            walk.Fail(failed);
            search.Fail(plan.links[failed].switchA, plan.links[failed].portA);
        }
        if (random() % 2 == 0)
        {
            const auto host = static_cast<uint32_t>(random() % plan.hosts.size());
            walk.FailHost(host);
            search.Fail(plan.hosts[host].edgeSwitch, plan.hosts[host].port);
        }
        dead += ExpectAsSearched(test, topology, walk, search, "seed " + std::to_string(seed));
    }
    test.Expect(dead > 1000 || !seeds.AreMany(), Text(dead, " dead ends"));
}

/// @return a topology with tables or rules by destination
PathTopology
DrawTables(std::minstd_rand& random)
{
    if (random() % 2 == 0)
    {
        const TopologyPlan plan = DrawShortGraph(random, 14);
        return {"tables", plan, MakeGraphRouting(plan, GRAPH_UP_DOWN)};
    }
    FatTreeConfig config;
    config.levels = 2 + random() % 2;
    config.radix = 4;
    const FatTree tree(config);
    return {"fat tree", tree.GetPlan(), ToRouting(tree.GetRouting())};
}

/// Links fail and are repaired in any order, several at an instant and one by one, those of hosts
/// too: what is known is what a search finds that begins anew each time.
void
TestChanges(FunctionCase& test)
{
    const TestSeeds seeds(60);
    uint64_t dead = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const PathTopology topology = seed % 3 == 0 ? DrawTables(random) : DrawTopology(random);
        const TopologyPlan& plan = topology.plan;
        RouteWalk walk(plan, topology.routing);
        std::set<std::size_t> down; // links, then hosts
        for (uint32_t step = 0; step < 8; ++step)
        {
            walk.Wait();
            const bool areRepairs = random() % 2 == 0;
            for (uint32_t i = 1 + random() % 4; i > 0; --i)
            {
                const std::size_t links = plan.links.size();
                const std::size_t link =
                    random() % 8 == 0 ? links + random() % plan.hosts.size() : random() % links;
                const auto host = static_cast<uint32_t>(link - links);
                if (down.insert(link).second)
                {
                    link < links ? walk.Fail(link) : walk.FailHost(host);
                }
                else
                {
                    down.erase(link);
                    link < links ? walk.Repair(link) : walk.RepairHost(host);
                }
                while (areRepairs && down.size() > 1 && random() % 2 == 0)
                {
                    const std::size_t repaired = *down.begin();
                    down.erase(repaired);
                    repaired < links ? walk.Repair(repaired)
                                     : walk.RepairHost(static_cast<uint32_t>(repaired - links));
                }
            }
            if (random() % 3 == 0)
            {
                continue; // nobody asks
            }
            SearchOfWays search(topology, walk.Ports());
            for (const std::size_t link : down)
            {
                const std::size_t host = link - plan.links.size();
                link < plan.links.size()
                    ? search.Fail(plan.links[link].switchA, plan.links[link].portA)
                    : search.Fail(plan.hosts[host].edgeSwitch, plan.hosts[host].port);
            }
            dead +=
                ExpectAsSearched(test,
                                 topology,
                                 walk,
                                 search,
                                 "seed " + std::to_string(seed) + ", step " + std::to_string(step));
        }
    }
    test.Expect(dead > 10000 || !seeds.AreMany(), Text(dead, " dead ends"));
}

/// A frame that has come to its last group by its first global link gets to its switch by another
/// one of the group where the link between them has failed.
void
TestLastGroup(FunctionCase& test)
{
    for (const DragonflyMode mode : {DRAGONFLY_MINIMAL, DRAGONFLY_VALIANT, DRAGONFLY_UGAL})
    {
        DragonflyConfig config; // p = h = 2, a = 4, 9 groups
        config.mode = mode;
        const Dragonfly dragonfly(config);
        const TopologyPlan& plan = dragonfly.GetPlan();
        for (std::size_t link = 0; link < plan.links.size(); ++link)
        {
            const LinkPlan& failed = plan.links[link];
            if (failed.linkClass != LinkClass::LOCAL)
            {
                continue;
            }
            RouteWalk walk(plan, dragonfly.GetRouting());
            walk.Fail(link);
            const auto global = static_cast<uint16_t>(plan.switches[failed.switchA].ports - 1);
            const uint32_t dst = failed.switchB * config.hostsPerSwitch;
            Ways ways;
            dragonfly.GetRouting()[failed.switchA].Paths()->FindWays(LocationOf(dst),
                                                                     {global, 0},
                                                                     ways);
            const auto left = std::count_if(ways.begin(), ways.end(), [&](const Way& way) {
                return walk.Leads(failed.switchA, way, dst);
            });
            // Minimal routing has no channel for one more link.
            test.ExpectEqual(left,
                             mode == DRAGONFLY_MINIMAL ? 0 : 2,
                             Text("mode ", uint32_t{mode}, ", link ", link));
        }
    }
}

/// The suite.
class WaysAroundSuite : public FunctionSuite
{
  public:
    WaysAroundSuite()
        : FunctionSuite("fabric-ways-around", kUnit)
    {
        Add("WL-8 FC-13 ports that lead nowhere, against a search", TestDeadEnds);
        Add("WL-8 FC-13 the same when links fail and are repaired, one by one and at once",
            TestChanges);
        Add("WL-8 FC-13 ways around inside the last group of a dragonfly", TestLastGroup);
    }
};

WaysAroundSuite g_waysAroundSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
