/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"

#include "fabric-port-map.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t NONE = 0xFFFFFFFF; ///< No channel, or no switch.

/**
 * Which channel depends on which. A channel's number is that of its sending port (PortMap) times
 * the number of virtual channels, plus its own. What depends on it are channels of the switch to
 * which it leads, so a row of one bit for each of those holds all, and noting one twice costs
 * nothing.
 *
 * Where groups are alike, a channel stands for its likes in all groups: what depends on one has a
 * like that depends on the other. A walk through such channels that comes back to its first one is
 * a cycle: going on, it comes to a like of this one in each group, and at last to itself.
 */
class DependencyGraph
{
  public:
    /// @param ports the topology; must stay as long as the graph
    /// @param groups that are alike, switch by switch
    DependencyGraph(const PortMap& ports, uint32_t virtualChannels, uint32_t groups)
        : m_ports(ports),
          m_virtualChannels(virtualChannels),
          m_groups(groups),
          m_period(ports.GetPorts() * virtualChannels / groups)
    {
        uint64_t bits = 0;
        m_firstBit.reserve(m_period + 1);
        for (uint32_t channel = 0; channel < m_period; ++channel)
        {
            m_firstBit.push_back(bits);
            const auto& receiver = ports.GetPeer(channel / virtualChannels);
            if (receiver.kind == PeerKind::SWITCH)
            {
                bits += uint64_t{ports.GetPorts(receiver.index)} * virtualChannels;
            }
        }
        m_firstBit.push_back(bits);
        m_wanted.resize(bits);
        m_used.resize(m_period);
    }

    /// @return the same where groups that are alike stand for themselves
    DependencyGraph OfAllGroups() const
    {
        DependencyGraph all(m_ports, m_virtualChannels, 1);
        for (uint32_t channel = 0; channel < GetChannels(); ++channel)
        {
            const uint32_t like = channel % m_period;
            std::copy(m_wanted.begin() + static_cast<int64_t>(m_firstBit[like]),
                      m_wanted.begin() + static_cast<int64_t>(m_firstBit[like + 1]),
                      all.m_wanted.begin() + static_cast<int64_t>(all.m_firstBit[channel]));
            all.m_used[channel] = m_used[like];
        }
        return all;
    }

    /// @return channels of all ports, used or not
    uint32_t GetChannels() const
    {
        return m_ports.GetPorts() * m_virtualChannels;
    }

    /**
     * @param hop one of its ports, and a virtual channel
     * @return number of the channel
     */
    uint32_t GetNumber(uint32_t sw, RouteHop hop) const
    {
        return m_ports.GetIndex(sw, hop.port) * m_virtualChannels + hop.vc;
    }

    /**
     * Notes that a route uses a channel.
     * @param held channel that the frame holds meanwhile, NONE after injection
     * @param wanted channel that it waits for; a channel of the switch to which `held` leads
     */
    void Add(uint32_t held, uint32_t wanted)
    {
        m_used[wanted % m_period] = true;
        if (held != NONE)
        {
            m_wanted[m_firstBit[held % m_period] + wanted - GetFirstWanted(held)] = true;
        }
    }

    /**
     * Notes that frames that hold a channel go on by any of some ports, if there is one virtual
     * channel.
     * @param held channel that leads to the switch of these ports
     */
    void AddRange(uint32_t held, PortRange range)
    {
        m_used[held] = true;
        const auto first = m_wanted.begin() + static_cast<int64_t>(m_firstBit[held] + range.first);
        std::fill(first, first + range.count, true);
    }

    /// @return who turns where, if there is one virtual channel
    std::vector<RouteTurn> GetTurns() const
    {
        std::vector<RouteTurn> turns;
        for (uint32_t held = 0; held < m_period; ++held)
        {
            const PortPeer& input = m_ports.GetPeer(held);
            for (uint32_t place = FindPlace(held, 0); !IsEnd(held, place);
                 place = FindPlace(held, place + 1))
            {
                turns.push_back({input.index, input.port, static_cast<uint16_t>(place)});
            }
        }
        return turns;
    }

    /// Notes a turn, if there is one virtual channel.
    void Add(const RouteTurn& turn)
    {
        const PortPeer& sender = m_ports.GetPeer(turn.sw, turn.input);
        const uint32_t held = m_ports.GetIndex(sender.index, sender.port);
        m_used[held] = true;
        Add(held, m_ports.GetIndex(turn.sw, turn.output));
    }

    /// @return channels that are used
    uint64_t CountUsed() const
    {
        return m_groups * static_cast<uint64_t>(std::count(m_used.begin(), m_used.end(), true));
    }

    uint64_t CountDependencies() const
    {
        return m_groups * static_cast<uint64_t>(std::count(m_wanted.begin(), m_wanted.end(), true));
    }

    /// @return whether there is a cycle
    bool HasCycle() const
    {
        return FindCyclic() != NONE;
    }

    /// @return a cycle, a shortest of those through one of its channels; empty if there is none.
    /// Not of groups that are alike, whose channels stand for others.
    std::vector<Channel> FindCycle() const
    {
        const auto cyclic = FindCyclic();
        return cyclic == NONE ? std::vector<Channel>{} : FindShortestCycle(cyclic);
    }

  private:
    /**
     * @param held a channel that leads to a switch
     * @return first channel of that switch
     */
    uint32_t GetFirstWanted(uint32_t held) const
    {
        return GetNumber(m_ports.GetPeer(held / m_virtualChannels).index, {0, 0});
    }

    /**
     * @param held a channel
     * @param place where in its row to start
     * @return place of the next dependency in the row; the row's length if there is no more
     */
    uint32_t FindPlace(uint32_t held, uint32_t place) const
    {
        const auto row = m_firstBit[held];
        const auto length = static_cast<uint32_t>(m_firstBit[held + 1] - row);
        while (place < length && !m_wanted[row + place])
        {
            ++place;
        }
        return place;
    }

    /**
     * @param held a channel
     * @param place a place in its row
     * @return whether it is beyond the row's end
     */
    bool IsEnd(uint32_t held, uint32_t place) const
    {
        return place == m_firstBit[held + 1] - m_firstBit[held];
    }

    /// @return a channel that is on a cycle, NONE if there is none; depth first, without recursion
    uint32_t FindCyclic() const
    {
        enum : uint8_t
        {
            NEW,
            ON_PATH,
            DONE
        };

        struct Step
        {
            uint32_t channel; ///< Where the path is.
            uint32_t place;   ///< Where in its row to go on.
        };

        std::vector<uint8_t> state(m_period, NEW);
        std::vector<Step> path;
        for (uint32_t start = 0; start < m_period; ++start)
        {
            if (state[start] == NEW && m_used[start])
            {
                state[start] = ON_PATH;
                path.push_back({start, 0});
            }
            while (!path.empty())
            {
                auto& [channel, place] = path.back();
                place = FindPlace(channel, place);
                if (IsEnd(channel, place))
                {
                    state[channel] = DONE;
                    path.pop_back();
                    continue;
                }
                const auto next = (GetFirstWanted(channel) + place++) % m_period;
                if (state[next] == ON_PATH)
                {
                    return next;
                }
                if (state[next] == NEW)
                {
                    state[next] = ON_PATH;
                    path.push_back({next, 0});
                }
            }
        }
        return NONE;
    }

    /**
     * @param start a channel that is on a cycle
     * @return a shortest cycle through it; breadth first
     */
    std::vector<Channel> FindShortestCycle(uint32_t start) const
    {
        std::vector<uint32_t> reachedFrom(GetChannels(), NONE);
        std::vector<uint32_t> queue{start};
        for (std::size_t head = 0; reachedFrom[start] == NONE; ++head)
        {
            const auto held = queue[head];
            for (auto place = FindPlace(held, 0); !IsEnd(held, place);
                 place = FindPlace(held, place + 1))
            {
                const auto next = GetFirstWanted(held) + place;
                if (reachedFrom[next] == NONE)
                {
                    reachedFrom[next] = held;
                    queue.push_back(next);
                }
            }
        }
        std::vector<Channel> cycle;
        auto channel = start;
        do
        {
            channel = reachedFrom[channel];
            cycle.push_back(Describe(channel));
        } while (channel != start);
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
    }

    /**
     * @param channel number of a channel between switches
     * @return where it is in the plan
     */
    Channel Describe(uint32_t channel) const
    {
        const auto index = channel / m_virtualChannels;
        const auto& receiver = m_ports.GetPeer(index);
        const auto& sender = m_ports.GetPeer(receiver.index, receiver.port);
        return {sender.index,
                receiver.index,
                sender.port,
                receiver.port,
                static_cast<uint8_t>(channel % m_virtualChannels)};
    }

    const PortMap& m_ports;           ///< The topology.
    uint32_t m_virtualChannels;       ///< Of each link.
    uint32_t m_groups;                ///< That are alike.
    uint32_t m_period;                ///< Channels of a group.
    std::vector<uint64_t> m_firstBit; ///< First bit of each channel's row, and the end of the last.
    std::vector<bool> m_wanted;       ///< All rows.
    std::vector<bool> m_used;         ///< Whether a route uses the channel.
};

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

/// Follows the frames for one destination after the other, and builds the graph from what they do.
class RouteFollower
{
  public:
    /// The arguments are those of CheckRoutes(), and must stay.
    /// @param tables what `route` tells, if that is by destination alone; else null
    RouteFollower(const TopologyPlan& plan,
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
          m_graph(m_ports, virtualChannels, m_groups),
          m_reachedFor(m_graph.GetChannels(), NONE)
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
    /// A frame at the input of a switch.
    struct Arrival
    {
        uint32_t sw;        ///< The switch.
        uint32_t held;      ///< Channel that it came by, NONE for injection.
        uint16_t inputPort; ///< Port that it came in by.
        uint8_t vc;         ///< Virtual channel that it came on.
    };

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
        if (m_tables && FollowTables(destinations))
        {
            return;
        }
        for (const uint32_t dst : destinations)
        {
            FindDistances(dst);
            Follow(dst);
        }
    }

    /// Finds how far it is to a destination's switch, if somebody asks.
    void FindDistances(uint32_t dst)
    {
        const uint32_t sw = m_plan.hosts[dst].edgeSwitch;
        if (m_demands.shortest && sw != m_distancesTo)
        {
            m_distance = m_ports.GetDistances(sw);
            m_distancesTo = sw;
        }
    }

    /**
     * Does what Follow() does of all destinations, where a switch does the same with all frames for
     * one: so it is asked once for each. Entries of tables that are beside each other are read
     * together.
     * @return whether all is well; if not Follow() finds out what is wrong, and again what was
     * noted
     */
    bool FollowTables(const std::vector<uint32_t>& destinations)
    {
        constexpr std::size_t together = 16; // entries of a cache line
        const std::size_t switches = m_plan.switches.size();
        FindSources();
        std::vector<PortRange> ranges(together * switches);
        for (std::size_t first = 0; first < destinations.size(); first += together)
        {
            const std::size_t count = std::min(together, destinations.size() - first);
            for (std::size_t sw = 0; sw < switches; ++sw)
            {
                for (std::size_t i = 0; i < count; ++i)
                {
                    ranges[i * switches + sw] =
                        (*m_tables)[sw].Route(LocationOf(destinations[first + i]));
                }
            }
            for (std::size_t i = 0; i < count; ++i)
            {
                if (!FollowTable(destinations[first + i], &ranges[i * switches]))
                {
                    return false;
                }
            }
        }
        return true;
    }

    /// Finds switches with hosts, and how many they have.
    void FindSources()
    {
        m_hostsAt.assign(m_plan.switches.size(), 0);
        m_sources.clear();
        for (const HostPlan& host : m_plan.hosts)
        {
            if (++m_hostsAt[host.edgeSwitch] == 1)
            {
                m_sources.push_back(host.edgeSwitch);
            }
        }
    }

    /// FollowTables() for one destination. @param ranges where switches send its frames, by switch;
    /// that of a switch which delivers becomes empty
    bool FollowTable(uint32_t dst, PortRange* ranges)
    {
        FindDistances(dst);
        m_got.assign(m_plan.switches.size(), false);
        m_visited.clear();
        for (const uint32_t sw : m_sources)
        {
            if (m_hostsAt[sw] > 1 || sw != m_plan.hosts[dst].edgeSwitch)
            {
                m_got[sw] = true;
                m_visited.push_back(sw);
            }
        }
        for (std::size_t i = 0; i < m_visited.size(); ++i) // grows while it is gone through
        {
            if (!Visit(m_visited[i], dst, ranges[m_visited[i]]))
            {
                return false;
            }
        }
        for (const uint32_t sw : m_visited)
        {
            for (uint32_t n = 0; n < ranges[sw].count; ++n)
            {
                const auto port = static_cast<uint16_t>(ranges[sw].first + n);
                const uint32_t next = m_ports.GetPeer(sw, port).index;
                if (!KeepsDown(sw, next, ranges[next]))
                {
                    return false;
                }
                m_graph.AddRange(m_ports.GetIndex(sw, port), ranges[next]);
            }
        }
        return true;
    }

    /// @return whether a switch sends a destination's frames to it, or to switches, which are to be
    /// visited then; as Take()
    bool Visit(uint32_t sw, uint32_t dst, PortRange& range)
    {
        if (range.count == 0 || uint32_t{range.first} + range.count > m_ports.GetPorts(sw))
        {
            return false;
        }
        const PortPeer* peers = &m_ports.GetPeer(sw, range.first);
        if (range.count == 1 && peers->kind == PeerKind::HOST && peers->index == dst)
        {
            range.count = 0;
            return true;
        }
        for (uint32_t n = 0; n < range.count; ++n)
        {
            const uint32_t next = peers[n].index;
            if (peers[n].kind != PeerKind::SWITCH ||
                (m_demands.shortest && m_distance[next] + 1 != m_distance[sw]))
            {
                return false;
            }
            if (!m_got[next])
            {
                m_got[next] = true;
                m_visited.push_back(next);
            }
        }
        return true;
    }

    /// @return whether frames that came down to a switch are not sent up by it; as CheckDemands()
    bool KeepsDown(uint32_t last, uint32_t sw, PortRange range) const
    {
        const Tier tier = m_plan.switches[sw].tier;
        for (uint32_t n = 0;
             m_demands.upDown && m_plan.switches[last].tier > tier && n < range.count;
             ++n)
        {
            const auto port = static_cast<uint16_t>(range.first + n);
            if (m_plan.switches[m_ports.GetPeer(sw, port).index].tier > tier)
            {
                return false;
            }
        }
        return true;
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
            return RouteFollower(m_plan, m_virtualChannels, m_route, all).Check({});
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

    /**
     * Follows the frames for one destination from all other hosts.
     * @param dst number of the destination
     */
    void Follow(uint32_t dst)
    {
        for (uint32_t src = 0; src < m_plan.hosts.size(); ++src)
        {
            if (src != dst && !IsAlike(src, dst))
            {
                m_pending.push_back(
                    {m_plan.hosts[src].edgeSwitch, NONE, m_plan.hosts[src].port, 0});
            }
        }
        while (!m_pending.empty())
        {
            const auto at = m_pending.back();
            m_pending.pop_back();
            m_hops.clear();
            m_route(at.sw, at.inputPort, at.vc, LocationOf(dst), m_hops);
            if (m_hops.empty())
            {
                Note(RouteFault::NO_ROUTE, at, dst);
            }
            for (const auto& hop : m_hops)
            {
                Take(at, hop, dst);
            }
        }
    }

    /// @return whether frames of a host go as those of the host before, which is on its switch
    bool IsAlike(uint32_t src, uint32_t dst) const
    {
        const uint32_t sw = m_plan.hosts[src].edgeSwitch;
        return m_demands.oneHostPerSwitch && src != 0 && m_plan.hosts[src - 1].edgeSwitch == sw &&
               m_plan.hosts[dst].edgeSwitch != sw;
    }

    /**
     * Looks at one hop, and notes where the frame arrives if none got there before.
     *
     * @param hop where it may go
     * @param dst number of the destination
     */
    void Take(const Arrival& at, RouteHop hop, uint32_t dst)
    {
        if (hop.port >= m_ports.GetPorts(at.sw) || hop.vc >= m_virtualChannels)
        {
            Note(RouteFault::BAD_OUTPUT, at, dst);
            return;
        }
        const auto& peer = m_ports.GetPeer(at.sw, hop.port);
        if (peer.kind != PeerKind::SWITCH)
        {
            if (peer.kind == PeerKind::NONE)
            {
                Note(RouteFault::BAD_OUTPUT, at, dst);
            }
            else if (peer.index != dst)
            {
                Note(RouteFault::WRONG_HOST, at, dst);
            }
            return;
        }
        CheckDemands(at, peer.index, dst);
        const auto channel = m_graph.GetNumber(at.sw, hop);
        m_graph.Add(at.held, channel);
        if (m_reachedFor[channel] != dst)
        {
            m_reachedFor[channel] = dst;
            m_pending.push_back({peer.index, channel, peer.port, hop.vc});
        }
    }

    /**
     * @param next switch to which it goes
     * @param dst number of the destination
     */
    void CheckDemands(const Arrival& at, uint32_t next, uint32_t dst)
    {
        if (m_demands.shortest && m_distance[next] + 1 != m_distance[at.sw])
        {
            Note(RouteFault::DETOUR, at, dst);
        }
        if (m_demands.upDown && at.held != NONE)
        {
            const auto tier = m_plan.switches[at.sw].tier;
            const auto& last = m_ports.GetPeer(at.sw, at.inputPort);
            if (m_plan.switches[last.index].tier > tier && m_plan.switches[next].tier > tier)
            {
                Note(RouteFault::DOWN_THEN_UP, at, dst);
            }
        }
    }

    /**
     * Keeps a fault if it is the first.
     *
     * @param fault what is wrong
     * @param dst number of the destination
     */
    void Note(RouteFault fault, const Arrival& at, uint32_t dst)
    {
        if (!m_report.fault)
        {
            m_report.fault = {fault, at.sw, at.inputPort, at.vc, LocationOf(dst)};
        }
    }

    const TopologyPlan& m_plan;           ///< The topology.
    const uint32_t m_virtualChannels;     ///< Of each link.
    const RouteFunction& m_route;         ///< What the switches do.
    const RouteDemands& m_demands;        ///< What the routes must satisfy.
    const std::vector<Routing>* m_tables; ///< See FollowTables(); null if that can't be.
    PortMap m_ports;                      ///< Who is connected to which port.
    uint32_t m_groups;                    ///< That are alike, 1 if there are none.
    DependencyGraph m_graph;              ///< What was found to depend on what.
    std::vector<uint32_t> m_reachedFor;   ///< Last destination for which each channel was reached.
    std::vector<Arrival> m_pending;       ///< Arrivals still to be looked at.
    std::vector<RouteHop> m_hops;         ///< Choices at the arrival that is looked at.
    std::vector<uint32_t> m_distance;     ///< Hops from each switch to the destination's.
    uint32_t m_distancesTo{NONE};         ///< That switch.
    std::vector<uint32_t> m_sources;      ///< Switches with hosts.
    std::vector<uint32_t> m_hostsAt;      ///< How many hosts, by switch.
    std::vector<bool> m_got;         ///< By switch: whether frames for a destination get there.
    std::vector<uint32_t> m_visited; ///< Those, in the order in which it was found.
    RouteReport m_report;            ///< What was found.
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

/// @return it in words, to follow the description of the frame
const char*
GetText(RouteFault fault)
{
    switch (fault)
    {
    case RouteFault::NO_ROUTE:
        return "has no route";
    case RouteFault::BAD_OUTPUT:
        return "is routed to a port or virtual channel that is not there";
    case RouteFault::WRONG_HOST:
        return "is delivered to another host";
    case RouteFault::DETOUR:
        return "takes a hop that is on no shortest path";
    case RouteFault::DOWN_THEN_UP:
        return "came down and is routed up again";
    }
    return "";
}

} // namespace

std::string
RouteFaultAt::Describe() const
{
    return "a frame to location " + std::to_string(dst) + " that came in by port " +
           std::to_string(inputPort) + ", VC " + std::to_string(vc) + " of switch " +
           std::to_string(sw) + " " + GetText(fault);
}

std::string
RouteReport::DescribeCycle() const
{
    std::string text = "frames that go";
    for (const Channel& channel : cycle)
    {
        text += " from switch " + std::to_string(channel.from) + " port " +
                std::to_string(channel.fromPort) + " (VC " + std::to_string(channel.vc) + ")";
    }
    return text + " can wait each for the next in a circle";
}

void
RouteReport::RequireGood() const
{
    if (!IsGood())
    {
        throw std::logic_error(Describe());
    }
}

std::string
RouteReport::Describe() const
{
    auto text = std::to_string(channels) + " channels, " + std::to_string(dependencies) +
                " dependencies, " + (cycle.empty() ? "free of deadlock" : "a cycle:") + "\n";
    for (const auto& channel : cycle)
    {
        text += "  switch " + std::to_string(channel.from) + " port " +
                std::to_string(channel.fromPort) + " -> switch " + std::to_string(channel.to) +
                " port " + std::to_string(channel.toPort) + ", VC " + std::to_string(channel.vc) +
                "\n";
    }
    return fault ? text + fault->Describe() + "\n" : text;
}

namespace
{

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
    return RouteFollower(plan, virtualChannels, route, demands).Check(groups);
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
    return RouteFollower(plan, virtualChannels, route, own, areTables ? &routing : nullptr)
        .Check(groups);
}

std::vector<RouteTurn>
FindTurns(const TopologyPlan& plan, const std::vector<Routing>& routing)
{
    RouteDemands demands;
    demands.oneHostPerSwitch = true;
    const RouteFunction route = MakeRouteFunction(routing);
    return RouteFollower(plan, 1, route, demands, &routing).FindTurns();
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

} // namespace ns3::fabric
