/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-graph-wiring.h"

#include <algorithm>
#include <utility>

namespace ns3::fabric
{

GraphWiring::GraphWiring(std::vector<std::vector<Link>> links,
                         std::vector<Host> hosts,
                         uint32_t root)
    : m_links(std::move(links)),
      m_behind(m_links.size()),
      m_hosts(std::move(hosts)),
      m_distances(m_links.size() * m_links.size(), FAR),
      m_parents(m_links.size(), root)
{
    for (uint32_t sw = 0; sw < m_links.size(); ++sw)
    {
        for (const Link& link : m_links[sw])
        {
            m_behind[sw].resize(link.port + 1U, NO_SWITCH);
            m_behind[sw][link.port] = link.sw;
        }
        const std::vector<uint32_t> distances = FindDistances(sw);
        std::transform(distances.begin(),
                       distances.end(),
                       m_distances.begin() + sw * m_links.size(),
                       [](uint32_t distance) {
                           return distance == UNREACHED ? FAR
                                                        : std::min<uint32_t>(distance, FAR - 1);
                       });
    }
    const std::vector<uint32_t> depths = FindDistances(root); // trees may be deeper than FAR
    for (uint32_t sw = 0; sw < m_links.size(); ++sw)
    {
        for (const Link& link : m_links[sw])
        {
            if (sw != root && depths[link.sw] + 1 == depths[sw])
            {
                m_parents[sw] = link.sw; // the last such one
            }
        }
    }
}

std::vector<uint32_t>
GraphWiring::FindDistances(uint32_t to) const
{
    std::vector<uint32_t> distances(m_links.size(), UNREACHED);
    std::vector<uint32_t> reached{to}; // grows while it is gone through
    distances[to] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i)
    {
        for (const Link& link : m_links[reached[i]])
        {
            if (distances[link.sw] == UNREACHED)
            {
                distances[link.sw] = distances[reached[i]] + 1;
                reached.push_back(link.sw);
            }
        }
    }
    return distances;
}

bool
GraphWiring::LeadsOn(uint32_t from, uint32_t to, const std::array<uint32_t, 2>& back) const
{
    if (from == to)
    {
        return true;
    }
    const uint8_t distance = Distance(from, to);
    return std::any_of(m_links[from].begin(), m_links[from].end(), [&](const Link& link) {
        return Distance(link.sw, to) + 1 == distance && link.sw != back[0] && link.sw != back[1];
    });
}

uint8_t
GraphWiring::DistanceBut(uint32_t from, uint32_t to, const std::array<uint32_t, 2>& back) const
{
    if (from == to)
    {
        return 0;
    }
    uint8_t least = FAR;
    for (const Link& link : m_links[from])
    {
        const uint8_t further = Distance(link.sw, to);
        if (further < FAR && further + 1 < least && link.sw != back[0] && link.sw != back[1] &&
            LeadsOn(link.sw, to, back))
        {
            least = further + 1;
        }
    }
    return least;
}

uint8_t
GraphWiring::Diameter() const
{
    std::vector<uint32_t> edges;
    for (const Host& host : m_hosts)
    {
        edges.push_back(host.sw);
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    uint8_t most = 0;
    for (const uint32_t a : edges)
    {
        for (const uint32_t b : edges)
        {
            most = std::max(most, Distance(a, b));
        }
    }
    return most;
}

bool
GraphWiring::IsBelow(uint32_t sw, uint32_t top) const
{
    while (sw != top && m_parents[sw] != sw)
    {
        sw = m_parents[sw];
    }
    return sw == top;
}

uint32_t
GraphWiring::NextInTree(uint32_t from, uint32_t to) const
{
    if (!IsBelow(to, from))
    {
        return m_parents[from];
    }
    while (m_parents[to] != from)
    {
        to = m_parents[to];
    }
    return to;
}

} // namespace ns3::fabric
