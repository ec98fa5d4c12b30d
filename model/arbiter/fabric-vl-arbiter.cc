/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-vl-arbiter.h"

#include "fabric-require.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

VlArbiter::VlArbiter(const VlArbiterSettings& settings, const LaneTable& table)
    : m_meterKind(settings.meter.kind),
      m_disqualifies(settings.over == OVER_DISQUALIFY),
      m_chargesOver(settings.chargeOver),
      m_isPlain(settings.mode == CHECK_LANES && settings.checkTime == CHECK_AT_PACKETS),
      m_settings(settings)
{
    RequireRange("virtual-lane arbiter", "bytes of a flit", settings.flitBytes, 1, 65535);
    m_groupTurns.assign(settings.mode == CHECK_GROUPS ? MAX_GROUPS : 0,
                        TurnArbiter(settings.turns));
    SetTable(table, 0);
}

void
VlArbiter::SetTable(const LaneTable& table, TimePs now)
{
    table.Validate();
    std::vector<std::unique_ptr<BandwidthMeter>> meters = MakeMeters(table);
    Update(now);
    for (const GroupSettings& group : table.groups)
    {
        if (!meters[group.group])
        {
            meters[group.group] = std::move(m_groups[group.group].meter);
        }
    }
    KeepTurns(table);
    for (std::size_t group = 0; group < MAX_GROUPS; ++group)
    {
        m_groups[group].meter = std::move(meters[group]);
    }
    m_table = table;
    IndexTable();
    CheckGroups(now);
    if (m_active)
    {
        MoveActive();
    }
}

void
VlArbiter::Update(TimePs now)
{
    if (m_active)
    {
        Settle(now);
    }
    if (now >= m_nextReturn)
    {
        ReturnLanes(now);
    }
}

bool
VlArbiter::ChooseBetween(LaneMask candidates, Grant& grant) const
{
    const LaneMask conforming = candidates & ~m_overLanes;
    if (conforming == 0)
    {
        if (m_disqualifies)
        {
            return false;
        }
        grant = ChooseOver(candidates);
        return true;
    }
    uint8_t level = 0;
    while ((conforming & m_lanesOfLevel[level]) == 0)
    {
        ++level;
    }
    grant = {PickLane(conforming & m_lanesOfLevel[level], level), level, true};
    return true;
}

void
VlArbiter::MoveActive()
{
    Active& active = *m_active;
    active.isMetered = (m_lanes >> active.grant.lane & 1) != 0;
    if (!active.grant.conforming)
    {
        active.grant.level = m_table.OverLevel();
    }
    if (!active.isMetered || active.settled == active.bytes)
    {
        active.alike = active.bytes;
        m_alikeUntil = NEVER;
        return;
    }
    // Another meter may count for it now: its next flit is checked anew.
    active.alike = active.settled;
    m_alikeUntil = active.start + m_settings.rate.TxTime(active.settled);
}

std::optional<uint32_t>
VlArbiter::ShareOf(uint8_t group) const
{
    const auto found =
        std::find_if(m_table.groups.begin(), m_table.groups.end(), [group](const auto& settings) {
            return settings.group == group;
        });
    return found == m_table.groups.end() ? std::nullopt : std::optional<uint32_t>(found->share);
}

std::vector<std::unique_ptr<BandwidthMeter>>
VlArbiter::MakeMeters(const LaneTable& table) const
{
    std::vector<std::unique_ptr<BandwidthMeter>> meters(MAX_GROUPS);
    for (const GroupSettings& group : table.groups)
    {
        if (ShareOf(group.group) != group.share)
        {
            meters[group.group] = MakeMeter(m_settings.meter, group.share, m_settings.rate);
        }
    }
    return meters;
}

void
VlArbiter::KeepTurns(const LaneTable& table)
{
    std::vector<TurnArbiter> turns(table.levels.size() + 1, TurnArbiter(m_settings.turns));
    for (std::size_t level = 0; level < table.levels.size() && !m_levelTurns.empty(); ++level)
    {
        const auto& names = m_table.levels;
        const auto old = std::find(names.begin(), names.end(), table.levels[level]);
        if (old != names.end())
        {
            turns[level] = m_levelTurns[static_cast<std::size_t>(old - names.begin())];
        }
    }
    if (!m_levelTurns.empty())
    {
        turns.back() = m_levelTurns.back();
    }
    m_levelTurns = std::move(turns);
}

void
VlArbiter::IndexTable()
{
    m_lanes = m_table.Lanes();
    m_overLevel = m_table.OverLevel();
    m_lanesOfLevel = {};
    for (Group& group : m_groups)
    {
        group.lanes = 0;
    }
    for (const LaneSettings& lane : m_table.lanes)
    {
        m_places[lane.lane] = {lane.level, lane.group};
        m_lanesOfLevel[lane.level] |= LaneMask{1} << lane.lane;
        m_groups[lane.group].lanes |= LaneMask{1} << lane.lane;
    }
    for (const GroupSettings& group : m_table.groups)
    {
        m_groups[group.group].conformsAt = m_groups[group.group].meter->ConformsAt();
    }
}

void
VlArbiter::CheckGroups(TimePs now)
{
    m_overGroups = 0;
    m_overLanes = 0;
    m_nextReturn = NEVER;
    for (const GroupSettings& settings : m_table.groups)
    {
        Group& group = m_groups[settings.group];
        NoteCharge(group, group.conformsAt, now);
    }
    PlanUpdate();
}

void
VlArbiter::ReturnLanes(TimePs now)
{
    m_nextReturn = NEVER;
    for (uint32_t rest = m_overGroups; rest != 0; rest &= rest - 1)
    {
        const Group& group = m_groups[LowestBit(rest)];
        if (group.conformsAt > now)
        {
            m_nextReturn = std::min(m_nextReturn, group.conformsAt);
            continue;
        }
        m_overGroups &= ~(rest & -rest);
        m_overLanes &= ~group.lanes;
    }
    PlanUpdate();
}

TimePs
VlArbiter::NextChange(LaneMask candidates) const
{
    TimePs first = NEVER;
    for (LaneMask over = candidates & m_overLanes; over != 0; over &= over - 1)
    {
        const uint8_t group = m_places[LowestBit(over)].group;
        first = std::min(first, m_groups[group].conformsAt);
    }
    return first;
}

Grant
VlArbiter::ChooseOver(LaneMask over) const
{
    const uint8_t level = m_table.OverLevel();
    if (m_settings.mode == CHECK_LANES)
    {
        return {static_cast<uint8_t>(m_levelTurns[level].Pick(over)), level, false};
    }
    const uint32_t group = m_levelTurns[level].Pick(GroupsOf(over));
    const LaneMask lanes = HighestOf(over & m_groups[group].lanes);
    return {static_cast<uint8_t>(m_groupTurns[group].Pick(lanes)), level, false};
}

uint32_t
VlArbiter::GroupsOf(LaneMask lanes) const
{
    uint32_t groups = 0;
    while (lanes != 0)
    {
        const uint8_t group = m_places[LowestBit(lanes)].group;
        groups |= uint32_t{1} << group;
        lanes &= ~m_groups[group].lanes;
    }
    return groups;
}

LaneMask
VlArbiter::HighestOf(LaneMask lanes) const
{
    uint8_t level = 0;
    while ((lanes & m_lanesOfLevel[level]) == 0)
    {
        ++level;
    }
    return lanes & m_lanesOfLevel[level];
}

void
VlArbiter::BeginInGroup(const Grant& grant, uint32_t bytes, TimePs now)
{
    const uint8_t group = m_places[grant.lane].group;
    if (m_settings.mode == CHECK_LANES)
    {
        m_levelTurns[grant.level].Served(grant.lane);
    }
    else
    {
        m_levelTurns[grant.level].Served(group);
        m_groupTurns[group].Served(grant.lane);
    }
    if (m_settings.checkTime == CHECK_AT_FLITS)
    {
        Activate(grant, bytes, now);
        return;
    }
    if (grant.conforming || m_chargesOver)
    {
        NoteCharge(m_groups[group], m_groups[group].Charge(m_meterKind, bytes, now), now);
    }
}

Grant
VlArbiter::Resume(const Grant& grant, uint32_t bytes, TimePs now)
{
    if (m_settings.checkTime == CHECK_AT_PACKETS || (m_lanes >> grant.lane & 1) == 0)
    {
        return grant;
    }
    const Grant standing = Check(grant.lane, now);
    Activate(standing, bytes, now);
    return standing;
}

Grant
VlArbiter::Check(uint8_t lane, TimePs now) const
{
    const LanePlace& place = m_places[lane];
    const bool conforming = m_groups[place.group].meter->IsConforming(now);
    return {lane, conforming ? place.level : m_table.OverLevel(), conforming};
}

void
VlArbiter::Activate(const Grant& grant, uint32_t bytes, TimePs now)
{
    m_active = Active{grant, now, 0, 0, bytes, true};
    PlanUpdate();
    LookAhead();
}

void
VlArbiter::LookAhead()
{
    Active& active = *m_active;
    const FlitTrain rest{active.start,
                         active.settled,
                         active.bytes - active.settled,
                         m_settings.flitBytes,
                         m_settings.rate};
    const bool isCharged = active.grant.conforming || m_settings.chargeOver;
    const uint8_t group = m_places[active.grant.lane].group;
    active.alike = active.settled + m_groups[group].meter->BytesAlike(rest, isCharged);
    m_alikeUntil =
        active.alike < active.bytes ? rest.FlitTime(active.alike - active.settled) : NEVER;
}

Grant
VlArbiter::Settle(TimePs now)
{
    while (m_active && now >= m_alikeUntil)
    {
        const TimePs boundary = m_alikeUntil;
        ChargeFlits(m_active->alike);
        m_active->grant = Check(m_active->grant.lane, boundary);
        LookAhead();
    }
    ChargeFlits(std::min(BytesBegun(now), m_active->alike));
    return m_active->grant;
}

uint32_t
VlArbiter::BytesBegun(TimePs now) const
{
    uint32_t begun = m_active->settled;
    uint32_t end = m_active->bytes;
    const uint32_t flit = m_settings.flitBytes;
    while (begun < end)
    {
        // Flits from `begun` on may have begun, those from `end` on have not.
        const uint32_t middle = begun + (end - begun - 1) / flit / 2 * flit;
        const bool hasBegun = m_active->start + m_settings.rate.TxTime(middle) < now;
        begun = hasBegun ? std::min(middle + flit, m_active->bytes) : begun;
        end = hasBegun ? end : middle;
    }
    return begun;
}

void
VlArbiter::ChargeFlits(uint32_t upTo)
{
    Active& active = *m_active;
    if (upTo <= active.settled)
    {
        return;
    }
    if (active.isMetered && (active.grant.conforming || m_settings.chargeOver))
    {
        const FlitTrain train{active.start,
                              active.settled,
                              upTo - active.settled,
                              m_settings.flitBytes,
                              m_settings.rate};
        const uint8_t group = m_places[active.grant.lane].group;
        BandwidthMeter& meter = *m_groups[group].meter;
        meter.ChargeTrain(train);
        NoteCharge(m_groups[group], meter.ConformsAt(), train.FlitTime(0));
    }
    active.settled = upTo;
}

void
VlArbiter::End(TimePs now)
{
    if (m_active)
    {
        Settle(now);
        m_active.reset();
        m_alikeUntil = NEVER;
        PlanUpdate();
    }
}

std::size_t
VlArbiter::MemoryBytes() const
{
    std::size_t bytes = (m_levelTurns.capacity() + m_groupTurns.capacity()) * sizeof(TurnArbiter);
    for (const Group& group : m_groups)
    {
        bytes += group.meter ? group.meter->MemoryBytes() : 0;
    }
    return bytes;
}

} // namespace fabric
} // namespace ns3
