/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-graph-rule.h"

#include "fabric-mixed-bits.h"

#include <utility>

namespace ns3::fabric
{

namespace
{

/// Channels of trees of groups.
enum SpanningChannel : uint8_t
{
    UP = 1,   ///< Toward the root of the spanning tree.
    DOWN = 2, ///< Away from it.
};

} // namespace

GraphRule::GraphRule(std::shared_ptr<const GraphWiring> wiring, uint32_t number, bool makesDetours)
    : m_wiring(std::move(wiring)),
      m_number(number),
      m_makesDetours(makesDetours)
{
}

GraphRule::Place
GraphRule::PlaceOf(LocationId dst, CameBy at) const
{
    const uint32_t from = m_wiring->SwitchBehind(m_number, at.port);
    const bool isOfHost = from == GraphWiring::NO_SWITCH;
    return {m_wiring->HostAt(dst).sw, from, static_cast<uint8_t>(isOfHost ? 0 : at.vc + 1)};
}

bool
GraphRule::AddHost(LocationId dst, Ways& ways) const
{
    const GraphWiring::Host& host = m_wiring->HostAt(dst);
    if (host.sw == m_number)
    {
        ways.push_back({host.port, 0, 0, 0, false});
    }
    return host.sw == m_number;
}

bool
GraphRule::IsShortest(const GraphWiring::Link& link, const Place& place) const
{
    return m_wiring->Distance(link.sw, place.dst) + 1 == m_wiring->Distance(m_number, place.dst);
}

void
GraphRule::AddIfItFits(const GraphWiring::Link& link, const Place& place, Ways& ways) const
{
    // The distance is known, and that without coming back, which is looked for, is no less.
    const uint32_t least = place.links + 1 + m_wiring->Distance(link.sw, place.dst);
    if (link.sw == place.from || least > MOST_LINKS)
    {
        return;
    }
    const uint32_t hops = 1 + m_wiring->DistanceBut(link.sw, place.dst, {m_number, place.from});
    if (place.links + hops <= MOST_LINKS)
    {
        const bool isDetour = !IsShortest(link, place);
        const auto rank = static_cast<uint8_t>(isDetour && !m_makesDetours ? 1 : 0);
        ways.push_back({link.port, place.links, static_cast<uint8_t>(hops), rank, isDetour});
    }
}

void
GraphRule::AddShortest(const Place& place, Ways& ways) const
{
    for (const GraphWiring::Link& link : m_wiring->LinksOf(m_number))
    {
        if (IsShortest(link, place))
        {
            AddIfItFits(link, place, ways);
        }
    }
}

void
GraphRule::FindAll(const Place& place, Ways& ways) const
{
    for (const GraphWiring::Link& link : m_wiring->LinksOf(m_number))
    {
        AddIfItFits(link, place, ways);
    }
}

void
GraphRule::FindWays(LocationId dst, CameBy at, Ways& ways) const
{
    if (!AddHost(dst, ways))
    {
        FindAll(PlaceOf(dst, at), ways);
    }
}

void
GraphRule::DrawWays(LocationId dst, CameBy at, std::minstd_rand& random, Ways& ways) const
{
    if (AddHost(dst, ways))
    {
        return;
    }
    const Place place = PlaceOf(dst, at);
    AddShortest(place, ways);
    const std::vector<GraphWiring::Link>& links = m_wiring->LinksOf(m_number);
    for (uint32_t i = 0; m_makesDetours && i < DRAWN; ++i)
    {
        const GraphWiring::Link& link = links[random() % links.size()];
        if (!IsShortest(link, place))
        {
            AddIfItFits(link, place, ways);
        }
    }
    if (ways.empty())
    {
        FindAll(place, ways);
    }
}

bool
GraphRule::IsDeadEnd(LocationId dst, CameBy at, const std::vector<bool>& dead, Ways& ways) const
{
    if (m_wiring->HostAt(dst).sw == m_number)
    {
        return dead[DeadEnds::NumberOf(m_wiring->HostAt(dst).port, 0)];
    }
    const Place place = PlaceOf(dst, at);
    if (place.links >= MOST_LINKS)
    {
        return false; // there are no ways
    }
    // Links that are left first: the first that fits is enough.
    ways.clear();
    for (const bool isDead : {false, true})
    {
        for (const GraphWiring::Link& link : m_wiring->LinksOf(m_number))
        {
            if (dead[DeadEnds::NumberOf(link.port, place.links)] == isDead)
            {
                AddIfItFits(link, place, ways);
            }
            if (!ways.empty())
            {
                return isDead;
            }
        }
    }
    return false;
}

uint32_t
GraphRule::RootOfTree(uint32_t root, const std::vector<uint32_t>& switches) const
{
    for (const uint32_t sw : switches)
    {
        while (m_wiring->IsUp(root, sw))
        {
            root = m_wiring->NextInTree(root, sw);
        }
    }
    return root;
}

std::optional<TreeLink>
GraphRule::FindTreeLink(uint32_t root, uint32_t number) const
{
    const uint32_t next = m_wiring->NextInTree(m_number, root);
    std::vector<uint16_t> ports; // parallel links
    for (const GraphWiring::Link& link : m_wiring->LinksOf(m_number))
    {
        if (link.sw == next)
        {
            ports.push_back(link.port);
        }
    }
    const uint16_t port = ports[MixedBits(number, next) % ports.size()];
    return TreeLink{port, UP, DOWN}; // ways to the root of a tree only go up: RootOfTree()
}

} // namespace ns3::fabric
