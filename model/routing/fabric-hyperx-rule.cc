/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-hyperx-rule.h"

#include "fabric-mixed-bits.h"

#include <algorithm>

namespace ns3::fabric
{

namespace
{

/// Channels of modes that go through dimensions in their order.
enum OrderChannel : uint8_t
{
    ON_DETOUR = 0, ///< To another switch of the line than the destination's.
    TO_ALIGN = 1,  ///< To that with the destination's coordinate.
};

/// Channels of trees of groups.
enum TreeChannel : uint8_t
{
    TO_ROOT = 1,   ///< As TO_ALIGN.
    FROM_ROOT = 2, ///< Against the order of dimensions.
};

} // namespace

HyperXRule::HyperXRule(const std::shared_ptr<const HyperXWiring>& wiring,
                       uint32_t number,
                       HyperXMode mode)
    : GridRule(std::shared_ptr<const SwitchGrid>(wiring, &wiring->Grid()), number),
      m_wiring(wiring),
      m_mode(mode)
{
}

HyperXRule::Place
HyperXRule::PlaceOf(const Point& dst, CameBy at) const
{
    Place place{0, NO_DIMENSION, NO_DIMENSION, 0};
    for (uint32_t d = 0; d < Grid().Dimensions(); ++d)
    {
        if (!IsAligned(dst, d))
        {
            ++place.left;
            place.next = std::min(place.next, d);
        }
    }
    if (at.port >= Grid().HostsPerSwitch())
    {
        const uint32_t dimension = m_wiring->DimensionOf(at.port);
        place.detoured = IsAligned(dst, dimension) ? NO_DIMENSION : dimension;
        place.links = static_cast<uint8_t>(at.vc + 1);
    }
    return place;
}

bool
HyperXRule::CanDetour(const Point& dst, const Place& place, uint32_t dimension) const
{
    const bool fits =
        IsInOrder() ? dimension == place.next : place.links + 1U + place.left <= MOST_LINKS;
    return fits && !IsAligned(dst, dimension) && dimension != place.detoured &&
           Grid().Width(dimension) > 2;
}

void
HyperXRule::AddLinks(uint32_t dimension, uint32_t coordinate, Way way, Ways& ways) const
{
    const uint16_t first = m_wiring->PortTo(dimension, Own()[dimension], coordinate);
    for (uint32_t n = 0; n < m_wiring->Trunk(dimension); ++n)
    {
        way.port = static_cast<uint16_t>(first + n);
        ways.push_back(way);
    }
}

void
HyperXRule::AddShortest(const Point& dst, const Place& place, Ways& ways) const
{
    const uint8_t vc = IsInOrder() ? static_cast<uint8_t>(TO_ALIGN) : place.links;
    const Way way{0, vc, static_cast<uint8_t>(place.left), 0, false};
    const uint32_t end = IsInOrder() ? place.next + 1 : Grid().Dimensions();
    for (uint32_t d = place.next; d < end; ++d)
    {
        if (!IsAligned(dst, d))
        {
            AddLinks(d, dst[d], way, ways);
        }
    }
}

Way
HyperXRule::DetourFrom(const Place& place) const
{
    const bool byLoad = m_mode == HYPERX_BY_DIMENSION || m_mode == HYPERX_ADAPTIVE;
    const uint8_t vc = IsInOrder() ? static_cast<uint8_t>(ON_DETOUR) : place.links;
    return {0,
            vc,
            static_cast<uint8_t>(place.left + 1),
            static_cast<uint8_t>(byLoad ? 0 : 1),
            true};
}

void
HyperXRule::AddDetours(const Point& dst,
                       const Place& place,
                       uint32_t dimension,
                       uint32_t first,
                       uint32_t count,
                       Ways& ways) const
{
    const uint32_t width = Grid().Width(dimension);
    for (uint32_t i = 0; i < width && count > 0; ++i)
    {
        const uint32_t coordinate = (first + i) % width;
        if (coordinate != Own()[dimension] && coordinate != dst[dimension])
        {
            AddLinks(dimension, coordinate, DetourFrom(place), ways);
            --count;
        }
    }
}

std::optional<TreeLink>
HyperXRule::FindTreeLink(uint32_t root, uint32_t number) const
{
    const Point point = Grid().PointOf(static_cast<uint16_t>(root));
    const uint32_t d = FirstUnaligned(point);
    const uint64_t link = MixedBits(number, d) % m_wiring->Trunk(d);
    const uint16_t first = m_wiring->PortTo(d, Own()[d], point[d]);
    return TreeLink{static_cast<uint16_t>(first + link), TO_ROOT, FROM_ROOT};
}

void
HyperXRule::FindOn(const Point& dst, CameBy at, Ways& ways) const
{
    const Place place = PlaceOf(dst, at);
    if (!IsInOrder() && place.links + place.left > MOST_LINKS)
    {
        return; // it can't have come so
    }
    AddShortest(dst, place, ways);
    for (uint32_t d = 0; d < Grid().Dimensions(); ++d)
    {
        if (CanDetour(dst, place, d))
        {
            AddDetours(dst, place, d, 0, Grid().Width(d), ways);
        }
    }
}

void
HyperXRule::DrawOn(const Point& dst, CameBy at, std::minstd_rand& random, Ways& ways) const
{
    const Place place = PlaceOf(dst, at);
    AddShortest(dst, place, ways);
    if (DetourFrom(place).rank > 0)
    {
        return;
    }
    SwitchGrid::Point dimensions{};
    uint32_t choices = 0;
    for (uint32_t d = 0; d < Grid().Dimensions(); ++d)
    {
        if (CanDetour(dst, place, d))
        {
            dimensions[choices++] = static_cast<uint16_t>(d);
        }
    }
    for (uint32_t i = 0; choices > 0 && i < DRAWN; ++i)
    {
        const uint32_t d = dimensions[random() % choices];
        const auto first = static_cast<uint32_t>(random() % Grid().Width(d));
        AddDetours(dst, place, d, first, 1, ways);
    }
}

} // namespace ns3::fabric
