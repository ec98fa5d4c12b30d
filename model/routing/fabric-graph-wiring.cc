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
        FindDistances(sw);
    }
    for (uint32_t sw = 0; sw < m_links.size(); ++sw)
    {
        for (const Link& link : m_links[sw])
        {
            if (sw != root && Distance(link.sw, root) + 1 == Distance(sw, root))
            {
                m_parents[sw] = link.sw; // the last such one
            }
        }
    }
}

void
GraphWiring::FindDistances(uint32_t to)
{
    uint8_t* const distances = &m_distances[to * m_links.size()];
    std::vector<uint32_t> reached{to}; // grows while it is gone through
    distances[to] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i)
    {
        const uint8_t next = std::min<uint8_t>(distances[reached[i]] + 1, FAR - 1);
        for (const Link& link : m_links[reached[i]])
        {
            if (distances[link.sw] == FAR)
            {
                distances[link.sw] = next;
                reached.push_back(link.sw);
            }
        }
    }
}

uint8_t
GraphWiring::DistanceBut(uint32_t from, uint32_t to, uint32_t but) const
{
    if (from == to)
    {
        return 0;
    }
    uint8_t least = FAR;
    for (const Link& link : m_links[from])
    {
        const uint8_t further = Distance(link.sw, to);
        if (link.sw != but && further < FAR)
        {
            least = std::min<uint8_t>(least, further + 1);
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
