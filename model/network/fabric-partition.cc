/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-partition.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

/// @return its work, in ports
uint64_t
Weight(const SwitchGraph::Vertex& vertex)
{
    return vertex.fabricPorts + uint64_t{2} * vertex.hosts;
}

} // namespace

Partition::Partition(const SwitchGraph& graph, uint32_t parts)
    : m_partOf(graph.switches.size(), NONE),
      m_weights(parts, 0)
{
    uint64_t total = 0;
    for (const SwitchGraph::Vertex& vertex : graph.switches)
    {
        total += Weight(vertex);
    }
    m_fullWeight = (total + parts - 1) / parts;
    PlacePinned(graph);
    PlaceHosts(graph);
    PlaceOthers(graph);
}

void
Partition::Place(uint32_t number, uint32_t part, const SwitchGraph& graph)
{
    m_partOf[number] = part;
    m_weights[part] += Weight(graph.switches[number]);
}

void
Partition::PlacePinned(const SwitchGraph& graph)
{
    for (uint32_t number = 0; number < m_partOf.size(); ++number)
    {
        if (const std::optional<uint32_t> part = graph.switches[number].pinnedTo)
        {
            Place(number, *part, graph);
        }
    }
}

void
Partition::PlaceHosts(const SwitchGraph& graph)
{
    const bool haveHosts = std::any_of(graph.switches.begin(),
                                       graph.switches.end(),
                                       [](const auto& vertex) { return vertex.hosts != 0; });
    const auto isMeant = [&](uint32_t number) {
        return m_partOf[number] == NONE && (!haveHosts || graph.switches[number].hosts != 0);
    };
    uint64_t total = 0;
    for (uint32_t number = 0; number < m_partOf.size(); ++number)
    {
        total += isMeant(number) ? Weight(graph.switches[number]) : 0;
    }
    // Each part gets as much of it as it has room: all the same, but for what is pinned.
    std::vector<uint64_t> room;
    uint64_t roomOfAll = 0;
    for (const uint64_t weight : m_weights)
    {
        room.push_back(m_fullWeight > weight ? m_fullWeight - weight : 0);
        roomOfAll += room.back();
    }
    uint32_t part = 0;
    uint64_t before = 0;           // work of the switches before this one
    uint64_t roomBehind = room[0]; // room of the parts up to this one
    for (uint32_t number = 0; number < m_partOf.size(); ++number)
    {
        if (!isMeant(number))
        {
            continue;
        }
        const uint64_t weight = Weight(graph.switches[number]);
        // Where the middle of its work falls.
        while (part + 1 < room.size() &&
               (2 * before + weight) * roomOfAll >= 2 * total * roomBehind)
        {
            roomBehind += room[++part];
        }
        before += weight;
        Place(number, part, graph);
    }
}

void
Partition::PlaceOthers(const SwitchGraph& graph)
{
    std::vector<std::vector<uint32_t>> neighbours(m_partOf.size());
    for (const auto& [a, b] : graph.links)
    {
        neighbours[a].push_back(b);
        neighbours[b].push_back(a);
    }
    std::vector<uint32_t> links(m_weights.size());
    for (bool isNear = true;;)
    {
        std::vector<uint32_t> next;
        for (uint32_t number = 0; number < m_partOf.size(); ++number)
        {
            const auto isPlaced = [this](uint32_t other) { return m_partOf[other] != NONE; };
            if (m_partOf[number] == NONE &&
                (!isNear ||
                 std::any_of(neighbours[number].begin(), neighbours[number].end(), isPlaced)))
            {
                next.push_back(number);
            }
        }
        if (next.empty() && !isNear)
        {
            return;
        }
        isNear = !next.empty(); // else the rest is linked with nothing that has hosts
        for (const uint32_t number : next)
        {
            std::fill(links.begin(), links.end(), 0);
            for (const uint32_t other : neighbours[number])
            {
                if (m_partOf[other] != NONE)
                {
                    ++links[m_partOf[other]];
                }
            }
            Place(number, ChoosePart(links, Weight(graph.switches[number])), graph);
        }
    }
}

uint32_t
Partition::ChoosePart(const std::vector<uint32_t>& links, uint64_t weight) const
{
    const auto isFull = [&](uint32_t part) { return m_weights[part] + weight > m_fullWeight; };
    uint32_t best = 0;
    for (uint32_t part = 1; part < links.size(); ++part)
    {
        const bool isLighter = m_weights[part] < m_weights[best];
        const bool isCloser =
            links[part] > links[best] || (links[part] == links[best] && isLighter);
        const bool isBetter =
            isFull(part) == isFull(best) ? (isFull(part) ? isLighter : isCloser) : isFull(best);
        best = isBetter ? part : best;
    }
    return best;
}

} // namespace ns3::fabric
