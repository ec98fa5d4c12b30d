/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-vl-arbiter.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3::fabric
{

VlArbiter::VlArbiter(const VlArbiterSettings& settings, const LaneTable& table)
    : m_memory(std::make_unique<LineMemory>(0))
{
    Adopt(std::make_shared<const LanePlan>(settings, table), *m_memory, 0);
}

VlArbiter::VlArbiter(std::shared_ptr<const LanePlan> plan, LineMemory& memory)
{
    Adopt(std::move(plan), memory, 0);
}

void
VlArbiter::SetTable(const LaneTable& table, TimePs now)
{
    auto memory = std::make_unique<LineMemory>(0);
    SetPlan(std::make_shared<const LanePlan>(Settings(), table), *memory, now);
    m_memory = std::move(memory);
}

void
VlArbiter::SetPlan(std::shared_ptr<const LanePlan> plan, LineMemory& memory, TimePs now)
{
    Update(now);
    Adopt(std::move(plan), memory, now);
    if (IsSending())
    {
        MoveActive();
    }
}

void
VlArbiter::Adopt(std::shared_ptr<const LanePlan> plan, LineMemory& memory, TimePs now)
{
    if (!m_plan && !plan->IsSimple())
    {
        m_rare = std::make_unique<Rare>();
    }
    // What every frame touches stands together: levels' turns, then meters behind them.
    m_levelTurns = LevelTurnsFor(*plan, memory);
    m_meters = MetersFor(*plan, memory);
    if (plan->ChoosesGroups())
    {
        m_rare->groupTurns = GroupTurnsFor(*plan, memory);
    }
    m_plan = std::move(plan);
    CheckGroups(now);
}

GroupMeters
VlArbiter::MetersFor(const LanePlan& plan, LineMemory& memory) const
{
    GroupMeters meters(memory, plan.Settings().meter.kind, plan.GroupRoom());
    for (uint32_t group = 0; group < plan.GroupRoom(); ++group)
    {
        const LanePlan::GroupPlan& next = plan.Group(group);
        if (next.isUsed && m_plan && m_plan->ShareOf(group) == next.share)
        {
            meters.Keep(group, plan.GroupRoom(), next.rule, m_meters, m_plan->GroupRoom());
        }
        else if (next.isUsed)
        {
            meters.Begin(group, plan.GroupRoom(), next.rule);
        }
    }
    return meters;
}

TurnTable
VlArbiter::LevelTurnsFor(const LanePlan& plan, LineMemory& memory) const
{
    const std::vector<std::string>& levels = plan.Table().levels;
    const auto over = static_cast<uint32_t>(levels.size());
    // Who is not in the table any more may come back, so the room that there is stays.
    TurnTable turns(memory,
                    plan.Settings().turns,
                    over + 1,
                    std::max(m_levelTurns.Members(), plan.TurnRoom()));
    if (!m_plan)
    {
        return turns;
    }
    const std::vector<std::string>& names = Table().levels;
    for (uint32_t level = 0; level < over; ++level)
    {
        const auto old = std::find(names.begin(), names.end(), levels[level]);
        if (old != names.end())
        {
            turns.Keep(level, m_levelTurns, static_cast<uint32_t>(old - names.begin()));
        }
    }
    turns.Keep(over, m_levelTurns, m_plan->OverLevel());
    return turns;
}

TurnTable
VlArbiter::GroupTurnsFor(const LanePlan& plan, LineMemory& memory) const
{
    const TurnTable& before = m_rare->groupTurns;
    TurnTable turns(memory,
                    plan.Settings().turns,
                    std::max(before.Rows(), plan.GroupRoom()),
                    std::max(before.Members(), plan.LaneRoom()));
    for (uint32_t group = 0; group < before.Rows(); ++group)
    {
        turns.Keep(group, before, group);
    }
    return turns;
}

bool
VlArbiter::ChooseBetween(LaneMask candidates, TimePs now, Grant& grant)
{
    Update(now);
    if (candidates == 0)
    {
        return false;
    }
    const LaneMask conforming = candidates & ~m_overLanes;
    if (conforming == 0)
    {
        if (Disqualifies())
        {
            return false;
        }
        grant = ChooseOver(candidates);
        return true;
    }
    const uint8_t level = m_plan->HighestLevel(conforming);
    grant = {PickLane(conforming & m_plan->LanesOfLevel(level), level), level, true};
    return true;
}

void
VlArbiter::MoveActive()
{
    Active& active = m_rare->active;
    active.isMetered = (m_plan->Lanes() >> active.grant.lane & 1) != 0;
    if (!active.grant.conforming)
    {
        active.grant.level = m_plan->OverLevel();
    }
    if (!active.isMetered || active.settled == active.bytes)
    {
        active.alike = active.bytes;
        active.alikeUntil = NEVER;
        return;
    }
    // Another meter may count for it now: its next flit is checked anew.
    active.alike = active.settled;
    active.alikeUntil = active.start + Settings().rate.TxTime(active.settled);
}

void
VlArbiter::CheckGroups(TimePs now)
{
    m_overGroups = 0;
    m_overLanes = 0;
    m_nextReturn = NEVER;
    for (const GroupSettings& settings : Table().groups)
    {
        NoteCharge(settings.group, ConformsAt(settings.group), now);
    }
}

void
VlArbiter::ReturnLanes(TimePs now)
{
    m_nextReturn = NEVER;
    for (uint32_t rest = m_overGroups; rest != 0; rest &= rest - 1)
    {
        const uint32_t group = LowestBit(rest);
        const TimePs conformsAt = ConformsAt(group);
        if (conformsAt > now)
        {
            m_nextReturn = std::min(m_nextReturn, conformsAt);
            continue;
        }
        m_overGroups &= ~(rest & -rest);
        m_overLanes &= ~LanesOf(group);
    }
}

TimePs
VlArbiter::NextChange(LaneMask candidates, TimePs now) const
{
    TimePs first = NEVER;
    for (LaneMask over = candidates & m_overLanes; over != 0; over &= over - 1)
    {
        const TimePs conformsAt = ConformsAt(m_plan->Place(LowestBit(over)).group);
        first = conformsAt > now ? std::min(first, conformsAt) : first;
    }
    return first;
}

Grant
VlArbiter::ChooseOver(LaneMask over) const
{
    const uint8_t level = m_plan->OverLevel();
    if (!m_plan->ChoosesGroups())
    {
        return {static_cast<uint8_t>(m_levelTurns.Pick(level, over)), level, false};
    }
    const uint32_t group = m_levelTurns.Pick(level, GroupsOf(over));
    const LaneMask ofGroup = over & LanesOf(group);
    const LaneMask lanes = ofGroup & m_plan->LanesOfLevel(m_plan->HighestLevel(ofGroup));
    return {static_cast<uint8_t>(m_rare->groupTurns.Pick(group, lanes)), level, false};
}

uint32_t
VlArbiter::GroupsOf(LaneMask lanes) const
{
    uint32_t groups = 0;
    while (lanes != 0)
    {
        const uint8_t group = m_plan->Place(LowestBit(lanes)).group;
        groups |= uint32_t{1} << group;
        lanes &= ~LanesOf(group);
    }
    return groups;
}

void
VlArbiter::BeginInGroup(const Grant& grant, uint32_t bytes, TimePs now)
{
    const uint8_t group = m_plan->Place(grant.lane).group;
    if (!m_plan->ChoosesGroups())
    {
        m_levelTurns.Served(grant.level, grant.lane);
    }
    else
    {
        m_levelTurns.Served(grant.level, group);
        m_rare->groupTurns.Served(group, grant.lane);
    }
    if (Settings().checkTime == CHECK_AT_FLITS)
    {
        Activate(grant, bytes, now);
        return;
    }
    if (IsCharged(grant))
    {
        ChargePacket(group, bytes, now);
    }
}

Grant
VlArbiter::Resume(const Grant& grant, uint32_t bytes, TimePs now)
{
    if (Settings().checkTime != CHECK_AT_FLITS || (m_plan->Lanes() >> grant.lane & 1) == 0)
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
    const LanePlan::LanePlace& place = m_plan->Place(lane);
    const bool conforming = IsConforming(place.group, now);
    return {lane, conforming ? place.level : m_plan->OverLevel(), conforming};
}

void
VlArbiter::Activate(const Grant& grant, uint32_t bytes, TimePs now)
{
    m_rare->active = {true, grant, true, now, 0, 0, bytes, NEVER};
    LookAhead();
}

void
VlArbiter::LookAhead()
{
    Active& active = m_rare->active;
    const FlitTrain rest = TrainUpTo(active.bytes);
    const bool isCharged = IsCharged(active.grant);
    const uint8_t group = m_plan->Place(active.grant.lane).group;
    active.alike =
        active.settled +
        m_meters.BytesAlike(group, m_plan->GroupRoom(), m_plan->Group(group).rule, rest, isCharged);
    active.alikeUntil =
        active.alike < active.bytes ? rest.FlitTime(active.alike - active.settled) : NEVER;
}

Grant
VlArbiter::Settle(TimePs now)
{
    Active& active = m_rare->active;
    while (active.isSending && now >= active.alikeUntil)
    {
        const TimePs boundary = active.alikeUntil;
        ChargeFlits(active.alike);
        active.grant = Check(active.grant.lane, boundary);
        LookAhead();
    }
    ChargeFlits(std::min(BytesBegun(now), active.alike));
    return active.grant;
}

uint32_t
VlArbiter::BytesBegun(TimePs now) const
{
    const Active& active = m_rare->active;
    uint32_t begun = active.settled;
    uint32_t end = active.bytes;
    const uint32_t flit = Settings().flitBytes;
    while (begun < end)
    {
        // Flits from `begun` on may have begun, those from `end` on have not.
        const uint32_t middle = begun + (end - begun - 1) / flit / 2 * flit;
        const bool hasBegun = active.start + Settings().rate.TxTime(middle) < now;
        begun = hasBegun ? std::min(middle + flit, active.bytes) : begun;
        end = hasBegun ? end : middle;
    }
    return begun;
}

FlitTrain
VlArbiter::TrainUpTo(uint32_t end) const
{
    const Active& active = m_rare->active;
    return {active.start,
            active.settled,
            end - active.settled,
            Settings().flitBytes,
            Settings().rate};
}

void
VlArbiter::ChargeFlits(uint32_t upTo)
{
    Active& active = m_rare->active;
    if (upTo <= active.settled)
    {
        return;
    }
    if (active.isMetered && IsCharged(active.grant))
    {
        const FlitTrain train = TrainUpTo(upTo);
        const uint8_t group = m_plan->Place(active.grant.lane).group;
        m_meters.ChargeTrain(group, m_plan->GroupRoom(), m_plan->Group(group).rule, train);
        NoteCharge(group, ConformsAt(group), train.FlitTime(0));
    }
    active.settled = upTo;
}

void
VlArbiter::End(TimePs now)
{
    if (IsSending())
    {
        Settle(now);
        m_rare->active.isSending = false;
    }
}

std::size_t
VlArbiter::ArrayBytes(const LanePlan& plan, std::size_t levelTurns, std::size_t groupTurns)
{
    const std::size_t untilMeters = (levelTurns + alignof(uint64_t) - 1) & ~(alignof(uint64_t) - 1);
    const std::size_t meters = GroupMeters::BytesOf(plan.Settings().meter.kind, plan.GroupRoom());
    return LineMemory::LinesOf(untilMeters + meters) + LineMemory::LinesOf(groupTurns);
}

std::size_t
VlArbiter::LinesFor(const LanePlan& plan)
{
    const TurnPolicy policy = plan.Settings().turns;
    return ArrayBytes(
        plan,
        TurnTable::BytesOf(policy, plan.OverLevel() + 1U, plan.TurnRoom()),
        plan.ChoosesGroups() ? TurnTable::BytesOf(policy, plan.GroupRoom(), plan.LaneRoom()) : 0);
}

} // namespace ns3::fabric
