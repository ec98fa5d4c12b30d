/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"

#include "fabric-dependency-graph.h"
#include "fabric-frame-follower.h"
#include "fabric-table-follower.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t NONE = DependencyGraph::NONE; ///< No channel, or no switch.

/// @return how many groups of so many switches a plan has, each the next one's like if group
/// numbers go round; 1 if they are not alike
uint32_t
CountLikeGroups(const TopologyPlan& plan, const PortMap& ports, uint32_t groupSwitches)
{
    const auto switches = static_cast<uint32_t>(plan.switches.size());
    const auto hosts = static_cast<uint32_t>(plan.hosts.size());
    const uint32_t groups = groupSwitches == 0 ? 1 : switches / groupSwitches;
    if (groups <= 1 || switches % groupSwitches != 0 || hosts % groups != 0)
    {
        return 1;
    }
    const uint32_t groupHosts = hosts / groups;
    for (uint32_t sw = 0; sw < switches; ++sw)
    {
        const uint32_t like = (sw + groupSwitches) % switches;
        if (ports.GetPorts(sw) != ports.GetPorts(like) ||
            plan.switches[sw].tier != plan.switches[like].tier)
        {
            return 1;
        }
        for (uint16_t port = 0; port < ports.GetPorts(sw); ++port)
        {
            const PortPeer& peer = ports.GetPeer(sw, port);
            const PortPeer& there = ports.GetPeer(like, port);
            const uint32_t next = peer.kind == PeerKind::SWITCH
                                      ? (peer.index + groupSwitches) % switches
                                  : peer.kind == PeerKind::HOST ? (peer.index + groupHosts) % hosts
                                                                : peer.index;
            if (there.kind != peer.kind || there.port != peer.port || there.index != next)
            {
                return 1;
            }
        }
    }
    return groups;
}

/// Notes how much there is in a graph.
void
Count(const DependencyGraph& graph, RouteReport& report)
{
    report.channels = graph.CountUsed();
    report.dependencies = graph.CountDependencies();
}

/// @return whether copies of a group's frames that come to a switch by one port of its tree leave
/// by another: only at the root of a reduction by the same one
bool
Leaves(const GroupTree& group, uint32_t sw, const TreePort& input, const TreePort& output)
{
    return output.port != input.port || group.turnsAt == sw;
}

/// Has frames followed, and looks for cycles in what they do.
class RouteProof
{
  public:
    /// The arguments are those of CheckRoutes(), and must stay.
    /// @param tables what `route` tells, if that is by destination alone; else null
    RouteProof(const TopologyPlan& plan,
               uint32_t virtualChannels,
               const RouteFunction& route,
               const RouteDemands& demands,
               const std::vector<Routing>* tables = nullptr)
        : m_plan(plan),
          m_virtualChannels(virtualChannels),
          m_route(route),
          m_demands(demands),
          m_tables(virtualChannels == 1 ? tables : nullptr),
          m_ports(plan),
          m_groups(CountLikeGroups(plan, m_ports, demands.groupSwitches)),
          m_graph(m_ports, virtualChannels, m_groups)
    {
    }

    /// @param trees of groups, whose frames are followed too
    /// @return what was found
    RouteReport Check(const std::vector<GroupTree>& trees)
    {
        FollowRoutes();
        if (trees.empty())
        {
            return CheckLikeGroups();
        }
        DependencyGraph graph = m_groups == 1 ? std::move(m_graph) : m_graph.OfAllGroups();
        for (const GroupTree& tree : trees)
        {
            Follow(tree, graph);
        }
        Count(graph, m_report);
        m_report.cycle = graph.FindCycle();
        return m_report;
    }

    /// @return turns of routes, if there is one virtual channel and no groups that are alike
    std::vector<RouteTurn> FindTurns()
    {
        FollowRoutes();
        return m_graph.GetTurns();
    }

  private:
    /// Follows the copies of a group's frames, whoever sends them.
    void Follow(const GroupTree& group, DependencyGraph& graph) const
    {
        for (uint32_t sw = 0; sw < group.ports.size(); ++sw)
        {
            for (const TreePort& input : group.ports[sw])
            {
                const PortPeer& sender = m_ports.GetPeer(sw, input.port);
                const uint32_t held = HeldBy(group, sender, graph);
                for (const TreePort& output : group.ports[sw])
                {
                    if (Leaves(group, sw, input, output) &&
                        m_ports.GetPeer(sw, output.port).kind == PeerKind::SWITCH)
                    {
                        graph.Add(held, graph.GetNumber(sw, {output.port, output.vc}));
                    }
                }
            }
        }
    }

    /// @return destinations that are needed
    std::vector<uint32_t> FindDestinations() const
    {
        std::vector<uint32_t> destinations;
        auto lastSwitch = NONE;
        for (uint32_t dst = 0; dst < m_plan.hosts.size(); ++dst)
        {
            const auto sw = m_plan.hosts[dst].edgeSwitch;
            if ((sw == lastSwitch && m_demands.oneHostPerSwitch) ||
                sw >= m_plan.switches.size() / m_groups)
            {
                continue;
            }
            lastSwitch = sw;
            if (destinations.size() == m_demands.mostDestinations)
            {
                break;
            }
            destinations.push_back(dst);
        }
        return destinations;
    }

    /// Follows the frames for all destinations that are needed.
    void FollowRoutes()
    {
        const std::vector<uint32_t> destinations = FindDestinations();
        if (m_tables &&
            TableFollower(m_plan, m_ports, *m_tables, m_demands, m_graph).Follow(destinations))
        {
            return;
        }
        FrameFollower frames(m_plan, m_ports, m_virtualChannels, m_route, m_demands, m_graph);
        for (const uint32_t dst : destinations)
        {
            frames.Follow(dst);
        }
        m_report.fault = frames.GetFault();
    }

    /// @return what was found of routes alone
    RouteReport CheckLikeGroups()
    {
        Count(m_graph, m_report);
        if (m_groups == 1)
        {
            m_report.cycle = m_graph.FindCycle();
        }
        else if (m_graph.HasCycle())
        {
            RouteDemands all = m_demands;
            all.groupSwitches = 0;
            return RouteProof(m_plan, m_virtualChannels, m_route, all).Check({});
        }
        return m_report;
    }

    /// @return the channel of a group's frames from a sender, NONE for a host
    static uint32_t HeldBy(const GroupTree& group,
                           const PortPeer& sender,
                           const DependencyGraph& graph)
    {
        if (sender.kind != PeerKind::SWITCH)
        {
            return NONE;
        }
        const TreePorts& ports = group.ports[sender.index];
        const auto port = FindTreePort(ports, sender.port);
        if (port == ports.end())
        {
            throw std::invalid_argument("route check: a tree has a link at one of its ends only; "
                                        "allowed are links at both");
        }
        return graph.GetNumber(sender.index, {port->port, port->vc});
    }

    const TopologyPlan& m_plan;           ///< The topology.
    const uint32_t m_virtualChannels;     ///< Of each link.
    const RouteFunction& m_route;         ///< What the switches do.
    const RouteDemands& m_demands;        ///< What the routes must satisfy.
    const std::vector<Routing>* m_tables; ///< For TableFollower; null if that can't be.
    PortMap m_ports;                      ///< Who is connected to which port.
    uint32_t m_groups;                    ///< That are alike, 1 if there are none.
    DependencyGraph m_graph;              ///< What was found to depend on what.
    RouteReport m_report;                 ///< What was found.
};

/// @return virtual channels that routing and trees need for a class
uint32_t
ChannelsOf(const std::vector<Routing>& routing, const std::vector<GroupTree>& groups)
{
    uint32_t channels = 1;
    for (const GroupTree& group : groups)
    {
        channels = std::max(channels, group.VirtualChannels());
    }
    for (const Routing& r : routing)
    {
        channels = std::max(channels, r.Paths() ? r.Paths()->VirtualChannels() : 1);
    }
    return channels;
}

/// @return switches of a group, if all groups' rules say that they are alike; else 0
uint32_t
GroupSwitchesOf(const std::vector<Routing>& routing)
{
    const PathRule* first = routing.empty() ? nullptr : routing.front().Paths();
    const uint32_t switches = first ? first->GroupSwitches() : 0;
    for (std::size_t i = 0; switches != 0 && i < routing.size(); ++i)
    {
        const PathRule* like = routing[i % switches].Paths();
        if (!like || !routing[i].Paths() || !routing[i].Paths()->IsAlike(*like))
        {
            return 0;
        }
    }
    return switches;
}

/// Refuses virtual channels that can't be.
void
RequireChannels(uint32_t virtualChannels, const std::vector<GroupTree>& groups)
{
    if (virtualChannels == 0 || virtualChannels > VIRTUAL_CHANNELS)
    {
        throw std::invalid_argument("route check: " + std::to_string(virtualChannels) +
                                    " virtual channels are not possible; allowed are 1 to " +
                                    std::to_string(VIRTUAL_CHANNELS));
    }
    for (const GroupTree& group : groups)
    {
        if (group.VirtualChannels() > virtualChannels)
        {
            throw std::invalid_argument("route check: a tree takes " +
                                        std::to_string(group.VirtualChannels()) +
                                        " virtual channels; allowed are the " +
                                        std::to_string(virtualChannels) + " that links have");
        }
    }
}

} // namespace

RouteReport
CheckRoutes(const TopologyPlan& plan,
            uint32_t virtualChannels,
            const RouteFunction& route,
            const RouteDemands& demands,
            const std::vector<GroupTree>& groups)
{
    RequireChannels(virtualChannels, groups);
    return RouteProof(plan, virtualChannels, route, demands).Check(groups);
}

RouteReport
CheckRoutes(const TopologyPlan& plan,
            const std::vector<Routing>& routing,
            const RouteDemands& demands,
            const std::vector<GroupTree>& groups)
{
    RouteDemands own = demands;
    own.groupSwitches = GroupSwitchesOf(routing);
    const uint32_t virtualChannels = ChannelsOf(routing, groups);
    RequireChannels(virtualChannels, groups);
    const RouteFunction route = MakeRouteFunction(routing);
    const bool areTables =
        std::none_of(routing.begin(), routing.end(), [](const Routing& r) { return r.Paths(); });
    return RouteProof(plan, virtualChannels, route, own, areTables ? &routing : nullptr)
        .Check(groups);
}

std::vector<RouteTurn>
FindTurns(const TopologyPlan& plan, const std::vector<Routing>& routing)
{
    RouteDemands demands;
    demands.oneHostPerSwitch = true;
    const RouteFunction route = MakeRouteFunction(routing);
    return RouteProof(plan, 1, route, demands, &routing).FindTurns();
}

std::vector<RouteTurn>
TurnsOf(const PortMap& ports, const GroupTree& group)
{
    const auto isLink = [&ports](uint32_t sw, const TreePort& port) {
        return ports.GetPeer(sw, port.port).kind == PeerKind::SWITCH;
    };
    std::vector<RouteTurn> turns;
    for (uint32_t sw = 0; sw < group.ports.size(); ++sw)
    {
        for (const TreePort& input : group.ports[sw])
        {
            for (const TreePort& output : group.ports[sw])
            {
                if (Leaves(group, sw, input, output) && isLink(sw, input) && isLink(sw, output))
                {
                    turns.push_back({sw, input.port, output.port});
                }
            }
        }
    }
    return turns;
}

RouteReport
CheckTurns(const TopologyPlan& plan,
           const std::vector<RouteTurn>& turns,
           const std::vector<GroupTree>& groups)
{
    const PortMap ports(plan);
    DependencyGraph graph(ports, 1, 1);
    const auto add = [&graph](const RouteTurn& turn) { graph.Add(turn); };
    std::for_each(turns.begin(), turns.end(), add);
    for (const GroupTree& group : groups)
    {
        const std::vector<RouteTurn> own = TurnsOf(ports, group);
        std::for_each(own.begin(), own.end(), add);
    }
    RouteReport report;
    Count(graph, report);
    report.cycle = graph.FindCycle();
    return report;
}

void
ProveRoutes(const TopologyPlan& plan, const std::vector<Routing>& routing)
{
    RouteDemands demands;
    demands.oneHostPerSwitch = true;
    CheckRoutes(plan, routing, demands).RequireGood();
}

} // namespace ns3::fabric
