/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-dragonfly-rule.h"

#include "fabric-mixed-bits.h"

#include <algorithm>
#include <utility>

namespace ns3::fabric
{

DragonflyRule::DragonflyRule(std::shared_ptr<const DragonflyWiring> wiring,
                             uint32_t number,
                             DragonflyMode mode)
    : m_wiring(std::move(wiring)),
      m_byHosts(static_cast<uint16_t>(m_wiring->hostsPerSwitch)),
      m_bySwitches(static_cast<uint16_t>(m_wiring->switchesPerGroup)),
      m_hosts(m_wiring->hostsPerSwitch * m_wiring->switchesPerGroup * m_wiring->groups),
      m_group(number / m_wiring->switchesPerGroup),
      m_index(number % m_wiring->switchesPerGroup),
      m_firstLink(m_wiring->FirstLink(m_index)),
      m_endLink(m_wiring->FirstLink(m_index + 1)),
      m_mode(mode)
{
}

bool
DragonflyRule::Knows(LocationId dst) const
{
    return static_cast<uint16_t>(dst - FIRST_UNICAST) < m_hosts;
}

uint32_t
DragonflyRule::GroupSwitches() const
{
    return m_wiring->switchesPerGroup;
}

bool
DragonflyRule::IsAlike(const PathRule& other) const
{
    // Ways follow from what a destination is ahead, and from the place in the group.
    const auto* rule = dynamic_cast<const DragonflyRule*>(&other);
    return rule && rule->m_wiring == m_wiring && rule->m_index == m_index && rule->m_mode == m_mode;
}

DragonflyRule::PortKind
DragonflyRule::KindOf(uint16_t port) const
{
    if (port < m_wiring->hostsPerSwitch)
    {
        return PortKind::HOST;
    }
    return port < m_wiring->FirstGlobalPort() ? PortKind::LOCAL : PortKind::GLOBAL;
}

uint32_t
DragonflyRule::IndexBehind(uint16_t port) const
{
    const uint32_t place = (port - m_wiring->hostsPerSwitch) / m_wiring->localLinks;
    return place < m_index ? place : place + 1;
}

DragonflyRule::Place
DragonflyRule::PlaceOf(LocationId dst) const
{
    const auto host = static_cast<uint16_t>(dst - FIRST_UNICAST);
    const uint16_t sw = m_byHosts.Divide(host);
    const uint16_t group = m_bySwitches.Divide(sw);
    const uint32_t ahead = group + m_wiring->groups - m_group;
    return {host - sw * m_wiring->hostsPerSwitch,
            sw - group * m_wiring->switchesPerGroup,
            ahead >= m_wiring->groups ? ahead - m_wiring->groups : ahead};
}

bool
DragonflyRule::CanDetour(const Place& place) const
{
    return m_mode != DRAGONFLY_MINIMAL &&
           (place.offset == 0 ? m_wiring->switchesPerGroup : m_wiring->groups) > 2;
}

void
DragonflyRule::AddLocal(uint32_t index, Way way, Ways& ways) const
{
    const uint16_t first = m_wiring->LocalPort(m_index, index);
    for (uint32_t n = 0; n < m_wiring->localLinks; ++n)
    {
        way.port = static_cast<uint16_t>(first + n);
        ways.push_back(way);
    }
}

bool
DragonflyRule::AddOwnLinks(uint32_t offset, Way way, Ways& ways) const
{
    bool hasAny = false;
    for (uint32_t n = 0; n < m_wiring->globalLinks; ++n)
    {
        const uint32_t link = m_wiring->LinkTo(offset, n);
        if (link >= m_firstLink && link < m_endLink)
        {
            way.port = m_wiring->GlobalPort(link);
            ways.push_back(way);
            hasAny = true;
        }
    }
    return hasAny;
}

void
DragonflyRule::AddLinksOfOthers(uint32_t offset, Way way, Ways& ways) const
{
    uint32_t last = m_index;
    for (uint32_t n = 0; n < m_wiring->globalLinks; ++n)
    {
        const uint32_t index = m_wiring->SwitchOf(m_wiring->LinkTo(offset, n));
        if (index != m_index && index != last)
        {
            AddLocal(index, way, ways);
            last = index;
        }
    }
}

void
DragonflyRule::DrawLinksOfOthers(uint32_t offset,
                                 Way way,
                                 std::minstd_rand& random,
                                 Ways& ways) const
{
    const uint32_t links = m_wiring->globalLinks;
    const auto start = links > DRAWN ? static_cast<uint32_t>(random() % links) : 0;
    for (uint32_t i = 0; i < std::min(links, DRAWN); ++i)
    {
        const uint32_t link = m_wiring->LinkTo(offset, (start + i) % links);
        AddLocal(m_wiring->SwitchOf(link), way, ways);
    }
}

void
DragonflyRule::AddWaysToGroup(uint32_t offset,
                              uint8_t local,
                              uint8_t global,
                              uint8_t rank,
                              Ways& ways) const
{
    const bool hasOwn = AddOwnLinks(offset, {0, global, 2, rank, false}, ways);
    const auto next = static_cast<uint8_t>(hasOwn ? rank + 1 : rank);
    AddLinksOfOthers(offset, {0, local, 3, next, false}, ways);
}

bool
DragonflyRule::HasDetour(uint32_t index, uint32_t offset) const
{
    const uint32_t first = m_wiring->FirstLink(index);
    const uint32_t end = m_wiring->FirstLink(index + 1);
    for (uint32_t link = first; link < end; ++link)
    {
        if (m_wiring->OffsetOf(link) != offset)
        {
            return true;
        }
    }
    return false;
}

void
DragonflyRule::AddOwnDetours(uint32_t offset, uint8_t hops, Ways& ways) const
{
    for (uint32_t link = m_firstLink; link < m_endLink; ++link)
    {
        if (m_wiring->OffsetOf(link) != offset)
        {
            ways.push_back({m_wiring->GlobalPort(link), FIRST_GLOBAL, hops, 0, true});
        }
    }
}

void
DragonflyRule::AddDetours(const Place& place, Ways& ways) const
{
    const bool isInside = place.offset == 0;
    if (!isInside)
    {
        AddOwnDetours(place.offset, 4, ways);
    }
    for (uint32_t index = 0; index < m_wiring->switchesPerGroup; ++index)
    {
        const bool leads = isInside ? index != place.index : HasDetour(index, place.offset);
        if (index != m_index && leads)
        {
            AddLocal(index, {0, TO_DETOUR, static_cast<uint8_t>(isInside ? 2 : 5), 0, true}, ways);
        }
    }
}

void
DragonflyRule::DrawDetour(const Place& place, std::minstd_rand& random, Ways& ways) const
{
    if (place.offset == 0)
    {
        // Any switch but this one and the last.
        auto index = static_cast<uint32_t>(random() % (m_wiring->switchesPerGroup - 2));
        index += index >= std::min(m_index, place.index);
        index += index >= std::max(m_index, place.index);
        AddLocal(index, {0, TO_DETOUR, 2, 0, true}, ways);
        return;
    }
    // Any link of the group that does not lead to the last group.
    const uint32_t others = m_wiring->groups - 2;
    const auto drawn = static_cast<uint32_t>(random() % (m_wiring->globalLinks * others));
    const uint32_t offset = drawn % others + 1;
    const uint32_t link =
        m_wiring->LinkTo(offset >= place.offset ? offset + 1 : offset, drawn / others);
    const uint32_t index = m_wiring->SwitchOf(link);
    if (index == m_index)
    {
        ways.push_back({m_wiring->GlobalPort(link), FIRST_GLOBAL, 4, 0, true});
    }
    else
    {
        AddLocal(index, {0, TO_DETOUR, 5, 0, true}, ways);
    }
}

void
DragonflyRule::FindFirst(const Place& place, Ways& ways) const
{
    const bool detours = CanDetour(place);
    const uint8_t rank = detours && m_mode == DRAGONFLY_VALIANT ? 1 : 0;
    if (place.offset == 0)
    {
        AddLocal(place.index, {0, LastLocal(), 1, rank, false}, ways);
    }
    else
    {
        AddWaysToGroup(place.offset, TO_LAST_GROUP, FIRST_GLOBAL, rank, ways);
    }
    if (detours)
    {
        AddDetours(place, ways);
    }
}

void
DragonflyRule::FindFromLocal(const Place& place, uint8_t vc, Ways& ways) const
{
    if (vc == LastLocal())
    {
        return; // it should have been here
    }
    if (vc == TO_LAST_GROUP)
    {
        if (place.offset != 0)
        {
            AddOwnLinks(place.offset, {0, FIRST_GLOBAL, 2, 0, false}, ways);
        }
    }
    else if (place.offset == 0)
    {
        AddLocal(place.index, {0, LastLocal(), 1, 0, false}, ways);
    }
    else if (vc == TO_DETOUR)
    {
        AddOwnDetours(place.offset, 4, ways);
    }
    else
    {
        AddOwnLinks(place.offset, {0, SECOND_GLOBAL, 2, 0, false}, ways);
    }
}

void
DragonflyRule::FindFromGlobal(const Place& place, uint8_t vc, Ways& ways) const
{
    if (place.offset == 0)
    {
        AddLocal(place.index, {0, LastLocal(), 1, 0, false}, ways);
        const uint32_t switches = m_wiring->switchesPerGroup;
        const bool hasAround = m_mode != DRAGONFLY_MINIMAL && vc == FIRST_GLOBAL;
        for (uint32_t index = 0; hasAround && index < switches; ++index)
        {
            if (index != m_index && index != place.index)
            {
                AddLocal(index, {0, BETWEEN, 2, 1, true}, ways);
            }
        }
    }
    else if (m_mode != DRAGONFLY_MINIMAL && vc == FIRST_GLOBAL)
    {
        AddWaysToGroup(place.offset, BETWEEN, SECOND_GLOBAL, 0, ways);
    }
}

void
DragonflyRule::FindWays(LocationId dst, CameBy at, Ways& ways) const
{
    const Place place = PlaceOf(dst);
    if (place.offset == 0 && place.index == m_index)
    {
        ways.push_back({static_cast<uint16_t>(place.port), 0, 0, 0, false});
        return;
    }
    switch (KindOf(at.port))
    {
    case PortKind::HOST:
        FindFirst(place, ways);
        break;
    case PortKind::LOCAL:
        FindFromLocal(place, at.vc, ways);
        break;
    case PortKind::GLOBAL:
        FindFromGlobal(place, at.vc, ways);
        break;
    }
}

void
DragonflyRule::DrawWaysToGroup(uint32_t offset,
                               uint8_t local,
                               uint8_t global,
                               std::minstd_rand& random,
                               Ways& ways) const
{
    if (!AddOwnLinks(offset, {0, global, 2, 0, false}, ways))
    {
        DrawLinksOfOthers(offset, {0, local, 3, 0, false}, random, ways);
    }
}

void
DragonflyRule::DrawFirst(const Place& place, std::minstd_rand& random, Ways& ways) const
{
    const bool detours = CanDetour(place);
    const bool weighs = m_mode == DRAGONFLY_UGAL;
    if (weighs || !detours)
    {
        if (place.offset == 0)
        {
            AddLocal(place.index, {0, LastLocal(), 1, 0, false}, ways);
        }
        else
        {
            DrawWaysToGroup(place.offset, TO_LAST_GROUP, FIRST_GLOBAL, random, ways);
        }
    }
    for (uint32_t i = 0; detours && i < DRAWN; ++i)
    {
        DrawDetour(place, random, ways);
    }
}

void
DragonflyRule::DrawWays(LocationId dst, CameBy at, std::minstd_rand& random, Ways& ways) const
{
    const Place place = PlaceOf(dst);
    const PortKind kind = KindOf(at.port);
    const bool isInGroup = place.offset == 0;
    if (isInGroup && place.index == m_index)
    {
        ways.push_back({static_cast<uint16_t>(place.port), 0, 0, 0, false});
    }
    else if (kind == PortKind::HOST)
    {
        DrawFirst(place, random, ways);
    }
    else if (isInGroup)
    {
        AddLocal(place.index, {0, LastLocal(), 1, 0, false}, ways);
    }
    else if (kind == PortKind::GLOBAL)
    {
        DrawWaysToGroup(place.offset, BETWEEN, SECOND_GLOBAL, random, ways);
    }
    else
    {
        FindFromLocal(place, at.vc, ways);
    }
}

uint16_t
DragonflyRule::LocalPortOfTree(uint32_t index, uint32_t number) const
{
    const uint64_t link = MixedBits(number, 0) % m_wiring->localLinks;
    return static_cast<uint16_t>(m_wiring->LocalPort(m_index, index) + link);
}

std::optional<TreeLink>
DragonflyRule::FindTreeLink(uint32_t root, uint32_t number) const
{
    const uint32_t host = root * m_wiring->hostsPerSwitch;
    const Place place = PlaceOf(static_cast<LocationId>(FIRST_UNICAST + host));
    if (place.offset == 0)
    {
        return TreeLink{LocalPortOfTree(place.index, number), BETWEEN, BETWEEN};
    }
    // All switches of this group take the same link.
    const auto n = static_cast<uint32_t>(MixedBits(number, place.offset) % m_wiring->globalLinks);
    const uint32_t link = m_wiring->LinkTo(place.offset, n);
    const uint32_t index = m_wiring->SwitchOf(link);
    return index == m_index ? TreeLink{m_wiring->GlobalPort(link), FIRST_GLOBAL, SECOND_GLOBAL}
                            : TreeLink{LocalPortOfTree(index, number), TO_LAST_GROUP, FROM_ROOT};
}

uint32_t
DragonflyRule::RootOfTree(uint32_t root, const std::vector<uint32_t>& switches) const
{
    const uint32_t first = root - root % m_wiring->switchesPerGroup;
    uint32_t lowest = root;
    for (const uint32_t sw : switches)
    {
        lowest = sw >= first ? std::min(lowest, sw) : lowest;
    }
    return lowest;
}

bool
DragonflyRule::WeighsLinksOfNeighbours() const
{
    const bool hasDetours = m_mode != DRAGONFLY_MINIMAL && m_wiring->groups > 2;
    return m_wiring->switchesPerGroup > 1 && (hasDetours || m_wiring->globalLinks > 1);
}

ToldLinks
DragonflyRule::Told() const
{
    const auto first = static_cast<uint16_t>(m_wiring->FirstGlobalPort());
    const auto hosts = static_cast<uint16_t>(m_wiring->hostsPerSwitch);
    const uint32_t own = m_endLink - m_firstLink;
    return {{first, static_cast<uint16_t>(own)},
            {hosts, static_cast<uint16_t>(first - hosts)},
            (m_wiring->LinksOfGroup() - own) * m_wiring->localLinks};
}

bool
DragonflyRule::FindNextOutputs(LocationId dst, const Way& way, std::vector<uint16_t>& outputs) const
{
    const uint32_t offset = PlaceOf(dst).offset;
    const bool leaves = offset != 0;
    const bool isBehind = leaves && KindOf(way.port) == PortKind::LOCAL;
    const uint32_t index = isBehind ? IndexBehind(way.port) : 0;
    const uint32_t end = isBehind ? m_wiring->FirstLink(index + 1) : 0;
    for (uint32_t link = isBehind ? m_wiring->FirstLink(index) : 0; link < end; ++link)
    {
        // A detour goes to any other group.
        if ((m_wiring->OffsetOf(link) == offset) != way.isDetour)
        {
            outputs.push_back(m_wiring->GlobalPort(link));
        }
    }
    return leaves && way.isDetour;
}

} // namespace ns3::fabric
