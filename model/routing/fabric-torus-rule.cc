/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-torus-rule.h"

#include "fabric-mixed-bits.h"

#include <algorithm>

namespace ns3::fabric
{

TorusRule::TorusRule(std::shared_ptr<const SwitchGrid> grid, uint32_t number, TorusMode mode)
    : GridRule(std::move(grid), number),
      m_mode(mode)
{
}

uint32_t
TorusRule::LinksInRing(const Point& dst, uint32_t dimension, bool up) const
{
    const uint32_t from = up ? Own()[dimension] : dst[dimension];
    const uint32_t to = up ? dst[dimension] : Own()[dimension];
    return to >= from ? to - from : to + Grid().Width(dimension) - from;
}

uint32_t
TorusRule::ShortestInRing(const Point& dst, uint32_t dimension) const
{
    return std::min(LinksInRing(dst, dimension, true), LinksInRing(dst, dimension, false));
}

Way
TorusRule::WayAlong(const Point& dst, uint32_t dimension, bool up, Order order) const
{
    uint32_t hops = LinksInRing(dst, dimension, up);
    const bool isLong = hops > ShortestInRing(dst, dimension);
    for (uint32_t d = 0; d < Grid().Dimensions(); ++d)
    {
        hops += d == dimension ? 0 : ShortestInRing(dst, d);
    }
    const bool passesDateLine =
        up ? dst[dimension] < Own()[dimension] : dst[dimension] > Own()[dimension];
    const auto vc = static_cast<uint8_t>(2 * order + (passesDateLine ? 0 : 1));
    const uint8_t rank = isLong && m_mode != TORUS_ADAPTIVE ? 1 : 0;
    return {PortOf(Grid(), dimension, up),
            vc,
            static_cast<uint8_t>(std::min(hops, 0xFFU)),
            rank,
            isLong};
}

void
TorusRule::AddRing(const Point& dst, Order order, uint8_t mostRank, Ways& ways) const
{
    const uint32_t dimensions = Grid().Dimensions();
    uint32_t dimension = order == FROM_FIRST ? 0 : dimensions - 1;
    while (IsAligned(dst, dimension))
    {
        order == FROM_FIRST ? ++dimension : --dimension;
    }
    for (const bool up : {true, false})
    {
        const Way way = WayAlong(dst, dimension, up, order);
        if (way.rank <= mostRank)
        {
            ways.push_back(way);
        }
    }
}

void
TorusRule::AddWays(const Point& dst, CameBy at, uint8_t mostRank, Ways& ways) const
{
    const uint32_t firstLink = Grid().HostsPerSwitch();
    if (at.port < firstLink)
    {
        AddRing(dst, FROM_FIRST, mostRank, ways);
        if (m_mode != TORUS_DIMENSION_ORDER)
        {
            AddRing(dst, FROM_LAST, mostRank, ways);
        }
        return;
    }
    const auto order = static_cast<Order>(at.vc / 2);
    const uint32_t dimension = (at.port - firstLink) / 2;
    if (IsAligned(dst, dimension))
    {
        AddRing(dst, order, mostRank, ways);
        return;
    }
    // What came from below goes on up.
    const bool up = at.port == PortOf(Grid(), dimension, false);
    Way way = WayAlong(dst, dimension, up, order);
    way.rank = 0;
    ways.push_back(way);
}

bool
TorusRule::IsRootAbove(const Point& root, uint32_t dimension, uint32_t number) const
{
    const uint32_t up = LinksInRing(root, dimension, true);
    const uint32_t down = LinksInRing(root, dimension, false);
    return up == down ? MixedBits(number, dimension) % 2 == 0 : up < down;
}

uint8_t
TorusRule::ChannelFromRoot(const Point& root, uint32_t dimension, bool up) const
{
    const uint32_t width = Grid().Width(dimension);
    const uint32_t from = (Own()[dimension] + (up ? width - 1 : 1)) % width;
    const bool hasPassedDateLine = up ? from < root[dimension] : from > root[dimension];
    return static_cast<uint8_t>(2 * FROM_LAST + (hasPassedDateLine ? 1 : 0));
}

std::optional<TreeLink>
TorusRule::FindTreeLink(uint32_t root, uint32_t number) const
{
    const Point point = Grid().PointOf(static_cast<uint16_t>(root));
    const uint32_t dimension = FirstUnaligned(point);
    const bool up = IsRootAbove(point, dimension, number);
    const Way way = WayAlong(point, dimension, up, FROM_FIRST);
    return TreeLink{way.port, way.vc, ChannelFromRoot(point, dimension, !up)};
}

void
TorusRule::FindOn(const Point& dst, CameBy at, Ways& ways) const
{
    AddWays(dst, at, 1, ways);
}

void
TorusRule::DrawOn(const Point& dst, CameBy at, std::minstd_rand& /* random */, Ways& ways) const
{
    AddWays(dst, at, 0, ways);
}

} // namespace ns3::fabric
