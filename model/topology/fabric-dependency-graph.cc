/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-dependency-graph.h"

#include <algorithm>

namespace ns3::fabric
{

DependencyGraph::DependencyGraph(const PortMap& ports, uint32_t virtualChannels, uint32_t groups)
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

DependencyGraph
DependencyGraph::OfAllGroups() const
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

std::vector<RouteTurn>
DependencyGraph::GetTurns() const
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

uint64_t
DependencyGraph::CountUsed() const
{
    return m_groups * static_cast<uint64_t>(std::count(m_used.begin(), m_used.end(), true));
}

uint64_t
DependencyGraph::CountDependencies() const
{
    return m_groups * static_cast<uint64_t>(std::count(m_wanted.begin(), m_wanted.end(), true));
}

std::vector<Channel>
DependencyGraph::FindCycle() const
{
    const auto cyclic = FindCyclic();
    return cyclic == NONE ? std::vector<Channel>{} : FindShortestCycle(cyclic);
}

uint32_t
DependencyGraph::FindPlace(uint32_t held, uint32_t place) const
{
    const auto row = m_firstBit[held];
    const auto length = static_cast<uint32_t>(m_firstBit[held + 1] - row);
    while (place < length && !m_wanted[row + place])
    {
        ++place;
    }
    return place;
}

uint32_t
DependencyGraph::FindCyclic() const
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

std::vector<Channel>
DependencyGraph::FindShortestCycle(uint32_t start) const
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

Channel
DependencyGraph::Describe(uint32_t channel) const
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

} // namespace ns3::fabric
