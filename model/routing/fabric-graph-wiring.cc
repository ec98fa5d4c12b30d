/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-graph-wiring.h"

#include <algorithm>
#include <utility>

namespace ns3::fabric
{

GraphWiring::GraphWiring(NeighbourLinks links, std::vector<Host> hosts, uint32_t root)
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
    }
    FindDistances();
    FindParents(root);
}

void
GraphWiring::FindDistances()
{
    const auto switches = static_cast<uint32_t>(m_links.size());
    WideSearch search(switches);
    for (uint32_t first = 0; first < switches; first += WideSearch::WIDTH)
    {
        search.Start(std::min(WideSearch::WIDTH, switches - first),
                     [first](uint32_t i) { return first + i; });
        for (uint32_t links = 0; !search.Front().empty(); ++links)
        {
            for (const uint32_t sw : search.Front())
            {
                uint8_t* distances = m_distances.data() + std::size_t{sw} * switches + first;
                WideSearch::ForEach(search.Now(sw), [=](uint32_t i) {
                    distances[i] = static_cast<uint8_t>(std::min<uint32_t>(links, FAR - 1));
                });
            }
            search.Step(m_links);
        }
    }
}

void
GraphWiring::FindParents(uint32_t root)
{
    WideSearch search(static_cast<uint32_t>(m_links.size())); // trees may be deeper than FAR
    search.Join(root, 1);
    while (search.Step(m_links))
    {
        for (const uint32_t sw : search.Front())
        {
            for (const Link& link : m_links[sw])
            {
                if (search.Before(link.sw) != 0)
                {
                    m_parents[sw] = link.sw; // the last such one
                }
            }
        }
    }
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
    const uint8_t shortest = Distance(from, to);
    uint8_t least = FAR;
    for (const Link& link : m_links[from])
    {
        if (least == shortest)
        {
            break; // none is shorter
        }
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
        for (const uint32_t b : edges) // beside each other in memory
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
