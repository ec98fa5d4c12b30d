/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-arbitrated-wire.h"

#include <algorithm>

namespace ns3::fabric
{

ArbitratedWire::ArbitratedWire(Transmitter& link,
                               const PreemptionSettings& settings,
                               const LaneTable& table)
    : wire(link.Rate(), PreemptionRules(settings.For(table)), &link),
      m_settings(settings)
{
    SetTable(table);
}

WireStep
ArbitratedWire::Settle(LaneSender& lanes, TimePs now)
{
    VlArbiter& arbiter = lanes.arbiter;
    if (arbiter.NextStanding() <= now)
    {
        const Grant grant = arbiter.Settle(now);
        Regrant(grant, m_standings[grant.lane].handle, arbiter.Table());
    }
    const WireStep step = wire.Settle(now);
    if (step.leaves.event != WireEvent::NONE)
    {
        arbiter.End(now);
    }
    return step;
}

WireStep
ArbitratedWire::Step(LaneSender& lanes, const WireFrame* waiting, TimePs now)
{
    VlArbiter& arbiter = lanes.arbiter;
    const WireStep step = wire.Step(now, waiting);
    if (step.leaves.event != WireEvent::NONE)
    {
        arbiter.End(now);
    }
    const WireChange& takes = step.takes;
    Standing& standing = m_standings[takes.lane];
    if (takes.event == WireEvent::STARTS)
    {
        standing = {lanes.grant, waiting->party.bytes, takes.handle};
    }
    else if (takes.event == WireEvent::GOES_ON)
    {
        const uint32_t left = standing.bytes - takes.byte;
        Regrant(arbiter.Resume(standing.grant, left, now), takes.handle, arbiter.Table());
    }
    return step;
}

void
ArbitratedWire::Regrant(const Grant& grant, uint32_t handle, const LaneTable& table)
{
    m_standings[grant.lane].grant = grant;
    wire.SetRank(handle, PreemptionRules::RankOfLevel(grant.level, table.OverLevel()));
}

WireFrame
ArbitratedWire::Waiting(const LaneSender& lanes,
                        uint32_t bytes,
                        const FrameArrival& arrival,
                        uint32_t handle) const
{
    const Grant& grant = lanes.grant;
    const uint8_t overLevel = lanes.arbiter.Table().OverLevel();
    const PreemptionParty party{bytes,
                                PreemptionRules::RankOfLevel(grant.level, overLevel),
                                (m_urgent >> grant.lane & 1) != 0};
    return {grant.lane, party, arrival, handle};
}

std::optional<WireSegment>
ArbitratedWire::Break(LaneSender& lanes, TimePs now, uint32_t handle)
{
    const std::optional<WireSegment> segment = wire.Break(now, handle);
    if (segment) // else it was interrupted
    {
        lanes.arbiter.End(now);
    }
    return segment;
}

void
ArbitratedWire::SetTable(const LaneTable& table)
{
    m_urgent = m_settings.preempt ? table.LatencySensitiveLanes() : 0;
    wire.SetRules(PreemptionRules(m_settings.For(table)));
    for (LaneMask open = wire.OpenLanes(); open != 0; open &= open - 1)
    {
        const Standing& standing = m_standings[LowestBit(open)];
        Grant grant = standing.grant;
        const auto lane =
            std::find_if(table.lanes.begin(), table.lanes.end(), [&grant](const auto& settings) {
                return settings.lane == grant.lane;
            });
        // A lane that is gone has no claim to the link.
        const bool keepsLevel = grant.conforming && lane != table.lanes.end();
        grant.level = keepsLevel ? lane->level : table.OverLevel();
        Regrant(grant, standing.handle, table);
    }
}

TimePs
ArbitratedWire::NextTime(const LaneSender& lanes, LaneMask waiting, TimePs step, TimePs now) const
{
    const LaneMask urgent = waiting & m_urgent & ~wire.OpenLanes();
    if (urgent == 0)
    {
        return step; // else it does not matter how the frame on the wire stands until then
    }
    const VlArbiter& arbiter = lanes.arbiter;
    return std::min({step, arbiter.NextChange(urgent, now), arbiter.NextStanding()});
}

void
ArbitratedWire::Tell(Transmitter& transmitter, const WireStep& step, TimePs now)
{
    const WireChange& leaves = step.leaves;
    if (leaves.event == WireEvent::STOPS)
    {
        transmitter.PushChange(FrameKind::STOPS, leaves.lane, leaves.byte, now);
    }
    const WireChange& takes = step.takes;
    if (takes.event == WireEvent::GOES_ON)
    {
        transmitter.PushChange(FrameKind::GOES_ON, takes.lane, takes.byte, now);
    }
}

} // namespace ns3::fabric
