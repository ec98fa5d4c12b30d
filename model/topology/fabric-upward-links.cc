/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-upward-links.h"

#include <algorithm>
#include <random>

namespace ns3::fabric
{

namespace
{

/// Orders switches from the bottom up: see FindUpwardLinks().
class TurnOrder
{
  public:
    TurnOrder(const PortMap& ports, uint32_t switches, const std::vector<RouteTurn>& turns)
        : m_ports(ports),
          m_turns(switches),
          m_left(switches),
          m_rank(switches, PortMap::UNREACHED)
    {
        for (const RouteTurn& turn : turns)
        {
            std::vector<bool>& ofSwitch = m_turns[turn.sw];
            ofSwitch.resize(std::size_t{ports.GetPorts(turn.sw)} * ports.GetPorts(turn.sw));
            ofSwitch[PlaceOf(turn.sw, turn.input, turn.output)] = true;
            ++m_left[turn.sw];
        }
    }

    /// @return which links lead up; none if there is no order of all switches
    std::optional<UpwardLinks> Find()
    {
        std::vector<uint32_t> order; // grows while it is gone through
        for (uint32_t sw = 0; sw < m_left.size(); ++sw)
        {
            if (m_left[sw] == 0)
            {
                order.push_back(sw);
            }
        }
        for (uint32_t i = 0; i < order.size(); ++i)
        {
            m_rank[order[i]] = i;
            LeaveOut(order[i], order);
        }
        return order.size() == m_left.size() ? std::optional(LinksUp()) : std::nullopt;
    }

  private:
    /// @return where a turn is noted
    std::size_t PlaceOf(uint32_t sw, uint16_t input, uint16_t output) const
    {
        return std::size_t{input} * m_ports.GetPorts(sw) + output;
    }

    /// Turns from and to a switch do not count any more. @param order is appended to
    void LeaveOut(uint32_t sw, std::vector<uint32_t>& order)
    {
        for (uint16_t port = 0; port < m_ports.GetPorts(sw); ++port)
        {
            const PortPeer& peer = m_ports.GetPeer(sw, port);
            if (peer.kind == PeerKind::SWITCH && m_left[peer.index] != 0)
            {
                for (uint16_t other = 0; other < m_ports.GetPorts(peer.index); ++other)
                {
                    Forget(peer.index, PlaceOf(peer.index, peer.port, other));
                    Forget(peer.index, PlaceOf(peer.index, other, peer.port));
                }
                if (m_left[peer.index] == 0)
                {
                    order.push_back(peer.index);
                }
            }
        }
    }

    /// A turn does not count any more, if it did.
    void Forget(uint32_t sw, std::size_t place)
    {
        m_left[sw] -= m_turns[sw][place] ? 1 : 0;
        m_turns[sw][place] = false;
    }

    UpwardLinks LinksUp() const
    {
        UpwardLinks up(m_ports.GetPorts());
        for (uint32_t sw = 0; sw < m_rank.size(); ++sw)
        {
            for (uint16_t port = 0; port < m_ports.GetPorts(sw); ++port)
            {
                const PortPeer& peer = m_ports.GetPeer(sw, port);
                up[m_ports.GetIndex(sw, port)] =
                    peer.kind == PeerKind::SWITCH && m_rank[peer.index] > m_rank[sw];
            }
        }
        return up;
    }

    const PortMap& m_ports;                 ///< The topology.
    std::vector<std::vector<bool>> m_turns; ///< By switch and PlaceOf(); none where there are none.
    std::vector<uint32_t> m_left;           ///< Turns that count, by switch.
    std::vector<uint32_t> m_rank;           ///< Place in the order.
};

/// Grows a tree link by link: see FindUpwardLinks().
class TreeGrower
{
  public:
    TreeGrower(const PortMap& ports, uint32_t switches, const std::vector<RouteTurn>& turns)
        : m_ports(ports),
          m_switches(switches),
          m_routes(ports.GetPorts())
    {
        for (const RouteTurn& turn : turns)
        {
            m_routes[Into(turn.sw, turn.input)].push_back(ports.GetIndex(turn.sw, turn.output));
        }
    }

    /// @param random draws the order in which links are tried; null for that of ports
    /// @return the links up of a tree over all members; none if it got stuck
    std::optional<UpwardLinks> Grow(uint32_t root,
                                    const std::vector<uint32_t>& members,
                                    std::minstd_rand* random)
    {
        m_waits = m_routes;
        m_seen.assign(m_waits.size(), 0);
        m_ofTree.assign(m_switches, {});
        m_isIn.assign(m_switches, false);
        UpwardLinks up(m_ports.GetPorts());
        std::vector<End> open;
        Join(root, random, open);
        for (std::size_t i = 0; i < open.size(); ++i)
        {
            if (random)
            {
                std::swap(open[i], open[i + (*random)() % (open.size() - i)]);
            }
            const End end = open[i];
            const PortPeer peer = m_ports.GetPeer(end.sw, end.port);
            if (!m_isIn[peer.index] && Add(end))
            {
                up[m_ports.GetIndex(peer.index, peer.port)] = true;
                Join(peer.index, random, open);
            }
        }
        const auto isIn = [this](uint32_t sw) { return m_isIn[sw]; };
        return std::all_of(members.begin(), members.end(), isIn) ? std::optional(std::move(up))
                                                                 : std::nullopt;
    }

  private:
    /// A port of a switch of the tree.
    struct End
    {
        uint32_t sw;   ///< The switch.
        uint16_t port; ///< Its port.
    };

    /// @return the channel by which frames come in by a port: the index of the port that sends
    uint32_t Into(uint32_t sw, uint16_t port) const
    {
        const PortPeer& peer = m_ports.GetPeer(sw, port);
        return m_ports.GetIndex(peer.index, peer.port);
    }

    /// A switch is in the tree. @param open links that could be the next ones, appended to
    void Join(uint32_t sw, std::minstd_rand* random, std::vector<End>& open)
    {
        m_isIn[sw] = true;
        const std::size_t first = open.size();
        for (uint16_t port = 0; port < m_ports.GetPorts(sw); ++port)
        {
            if (m_ports.GetPeer(sw, port).kind == PeerKind::SWITCH)
            {
                open.push_back({sw, port});
            }
        }
        if (random)
        {
            std::shuffle(open.begin() + static_cast<int64_t>(first), open.end(), *random);
        }
    }

    /// @param end where the link leaves the tree @return whether it could join: it closes no circle
    bool Add(const End& end)
    {
        const uint32_t down = m_ports.GetIndex(end.sw, end.port);
        const uint32_t up = Into(end.sw, end.port);
        std::vector<uint32_t> into; // from the tree's other links
        const std::size_t before = m_waits[up].size();
        m_waits[up].push_back(down); // a reduction turns at its root
        for (const uint16_t port : m_ofTree[end.sw])
        {
            m_waits[up].push_back(m_ports.GetIndex(end.sw, port));
            into.push_back(Into(end.sw, port));
            m_waits[into.back()].push_back(down);
        }
        if (IsInCircle(up) || IsInCircle(down))
        {
            m_waits[up].resize(before);
            for (const uint32_t channel : into)
            {
                m_waits[channel].pop_back();
            }
            return false;
        }
        const PortPeer& peer = m_ports.GetPeer(end.sw, end.port);
        m_ofTree[end.sw].push_back(end.port);
        m_ofTree[peer.index].push_back(peer.port);
        return true;
    }

    /// @return whether a channel waits for itself
    bool IsInCircle(uint32_t channel)
    {
        ++m_search;
        std::vector<uint32_t> open{channel};
        while (!open.empty())
        {
            const uint32_t at = open.back();
            open.pop_back();
            for (const uint32_t next : m_waits[at])
            {
                if (next == channel)
                {
                    return true;
                }
                if (m_seen[next] != m_search)
                {
                    m_seen[next] = m_search;
                    open.push_back(next);
                }
            }
        }
        return false;
    }

    const PortMap& m_ports;                      ///< The topology.
    const uint32_t m_switches;                   ///< How many there are.
    std::vector<std::vector<uint32_t>> m_routes; ///< By channel: those that it waits for.
    std::vector<std::vector<uint32_t>> m_waits;  ///< The same with the tree.
    std::vector<std::vector<uint16_t>> m_ofTree; ///< By switch: its ports in the tree.
    std::vector<bool> m_isIn;                    ///< By switch: whether it is in the tree.
    std::vector<uint32_t> m_seen;                ///< By channel: the last search that saw it.
    uint32_t m_search{0};                        ///< Number of the search.
};

/// @return how often a tree is tried: in small graphs from each switch and with many orders of
/// links
uint32_t
TriesOf(uint32_t ports, uint32_t switches)
{
    constexpr uint64_t work = 4'000'000;
    const uint64_t most = work / (uint64_t{ports} * ports);
    return static_cast<uint32_t>(std::clamp<uint64_t>(most, 4, 64 * uint64_t{switches}));
}

/// @param visit is called with a switch's links up or down: `void visit(const PortPeer&)`
template <typename Visit>
void
ForEachUpward(const PortMap& ports, const UpwardLinks& up, uint32_t sw, bool isUp, Visit&& visit)
{
    for (uint16_t port = 0; port < ports.GetPorts(sw); ++port)
    {
        const PortPeer& peer = ports.GetPeer(sw, port);
        if (peer.kind == PeerKind::SWITCH &&
            up[isUp ? ports.GetIndex(sw, port) : ports.GetIndex(peer.index, peer.port)])
        {
            visit(peer);
        }
    }
}

/// @return links up or down from a switch to each, PortMap::UNREACHED where none lead there
std::vector<uint32_t>
Climb(const PortMap& ports, const UpwardLinks& up, uint32_t switches, uint32_t from, bool isUp)
{
    std::vector<uint32_t> heights(switches, PortMap::UNREACHED);
    heights[from] = 0;
    std::vector<uint32_t> reached{from}; // grows while it is gone through
    for (std::size_t i = 0; i < reached.size(); ++i)
    {
        ForEachUpward(ports, up, reached[i], isUp, [&](const PortPeer& peer) {
            if (heights[peer.index] == PortMap::UNREACHED)
            {
                heights[peer.index] = heights[reached[i]] + 1;
                reached.push_back(peer.index);
            }
        });
    }
    return heights;
}

} // namespace

std::vector<uint32_t>
NearestTops(const PortMap& ports,
            const UpwardLinks& up,
            uint32_t switches,
            const std::vector<uint32_t>& members)
{
    std::vector<uint32_t> farthest(switches, 0);
    for (const uint32_t member : members)
    {
        const std::vector<uint32_t> heights = Climb(ports, up, switches, member, true);
        for (uint32_t sw = 0; sw < switches; ++sw)
        {
            farthest[sw] = std::max(farthest[sw], heights[sw]);
        }
    }
    std::vector<uint32_t> tops;
    const uint32_t least = *std::min_element(farthest.begin(), farthest.end());
    for (uint32_t sw = 0; least != PortMap::UNREACHED && sw < switches; ++sw)
    {
        if (farthest[sw] == least)
        {
            tops.push_back(sw);
        }
    }
    return tops;
}

std::vector<uint32_t>
HeightsBelow(const PortMap& ports, const UpwardLinks& up, uint32_t switches, uint32_t top)
{
    return Climb(ports, up, switches, top, false);
}

std::optional<UpwardLinks>
FindUpwardLinks(const PortMap& ports,
                uint32_t switches,
                const std::vector<RouteTurn>& turns,
                const std::vector<uint32_t>& members)
{
    std::optional<UpwardLinks> up = TurnOrder(ports, switches, turns).Find();
    if (up && !NearestTops(ports, *up, switches, members).empty())
    {
        return up;
    }
    TreeGrower grower(ports, switches, turns);
    std::minstd_rand random;
    const uint32_t tries = TriesOf(ports.GetPorts(), switches);
    for (uint32_t i = 0; i < tries; ++i)
    {
        up = grower.Grow(i % switches, members, i < switches ? nullptr : &random);
        if (up)
        {
            return up;
        }
    }
    return std::nullopt;
}

} // namespace ns3::fabric
