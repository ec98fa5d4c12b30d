/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-chain.h"

#include "fabric-require.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{
namespace fabric
{

LaneChain::Hop::Hop(const LaneChainPlan& plan, std::size_t hop)
    : wire(plan.rates[hop], PreemptionRules(plan.settings)),
      waiting(plan.lanes.size()),
      arrivals(plan.frames.size()),
      lanes(plan.lanes),
      open(plan.lanes.size(), 0),
      heads(plan.frames.size(), NEVER),
      tails(plan.frames.size(), NEVER)
{
}

LaneChain::LaneChain(const LaneChainPlan& plan)
    : m_plan(plan)
{
    RequireRange("LaneChain", "the number of lanes", plan.lanes.size(), 1, MAX_LANES);
    for (std::size_t hop = 0; hop < plan.rates.size(); ++hop)
    {
        m_hops.emplace_back(plan, hop);
    }
    for (uint32_t handle = 0; handle < plan.frames.size(); ++handle)
    {
        PushSource(handle);
    }
    for (const RankChange& change : plan.changes)
    {
        Push({change.time, change.hop, RANKS, 0, WireEvent::NONE, change.lane, change.rank, 0});
    }
}

void
LaneChain::Run()
{
    for (TimePs now = NextTime(); now != NEVER; now = NextTime())
    {
        for (uint32_t hop = 0; hop < m_hops.size(); ++hop)
        {
            Advance(hop, now + 1);
        }
    }
    CheckEmpty();
}

TimePs
LaneChain::NextTime() const
{
    TimePs next = NEVER;
    for (const Hop& hop : m_hops)
    {
        next = std::min(next, hop.NextTime());
    }
    return next;
}

void
LaneChain::Advance(uint32_t position, TimePs until)
{
    Hop& hop = m_hops[position];
    for (TimePs now = hop.NextTime(); now < until; now = hop.NextTime())
    {
        while (!hop.entries.empty() && hop.entries.top().time == now)
        {
            const Entry entry = hop.entries.top();
            hop.entries.pop();
            Handle(entry);
        }
        StepHop(position, now);
    }
}

void
LaneChain::PushSource(uint32_t handle)
{
    const ChainFrame& frame = m_plan.frames[handle];
    Entry entry{frame.time, frame.enter, frame.source, 0, WireEvent::STARTS, frame.lane, 0, handle};
    Push(entry);
    for (const SourceStall& stall : frame.stalls)
    {
        entry.time += frame.rate.TxTime(stall.byte - entry.byte);
        entry.byte = stall.byte;
        entry.event = WireEvent::STOPS;
        Push(entry);
        entry.time += stall.time;
        entry.event = WireEvent::GOES_ON;
        Push(entry);
    }
}

void
LaneChain::Push(Entry entry)
{
    entry.order = m_order++;
    m_hops[entry.hop].entries.push(entry);
}

LaneAssembler&
LaneChain::Input(const Entry& entry)
{
    const bool isWire = entry.source == 0;
    LaneAssembler::Link link;
    link.rate = isWire ? m_plan.rates[entry.hop - 1] : m_plan.frames[entry.handle].rate;
    link.lanes = static_cast<uint32_t>(m_plan.lanes.size());
    link.levels = isWire ? m_plan.settings.levels : 1;
    link.flitBytes = m_plan.settings.flitBytes;
    return m_hops[entry.hop].inputs.try_emplace(entry.source, link).first->second;
}

void
LaneChain::Handle(const Entry& entry)
{
    Hop& hop = m_hops[entry.hop];
    if (entry.source == RANKS)
    {
        ChangeRank(hop, entry.lane, static_cast<uint8_t>(entry.byte));
        return;
    }
    const ChainFrame& frame = m_plan.frames[entry.handle];
    if (entry.source != 0 && frame.rate.BitsPerSecond() == 0)
    {
        hop.arrivals[entry.handle] = FrameArrival(frame.bytes);
        hop.waiting[entry.lane].push_back(entry.handle);
        return;
    }
    LaneAssembler& input = Input(entry);
    TakeWhole(input, entry.time);
    if (entry.event == WireEvent::STARTS)
    {
        Start(hop, input, entry);
    }
    else if (entry.event == WireEvent::STOPS)
    {
        const uint32_t handle = input.Stop(entry.time, entry.lane, entry.byte);
        hop.arrivals[handle].Stop(entry.byte);
        hop.wire.UpstreamStops(handle, entry.byte);
    }
    else
    {
        const uint32_t handle = input.GoOn(entry.time, entry.lane, entry.byte);
        hop.arrivals[handle].GoOn(entry.time);
        hop.wire.UpstreamGoesOn(handle, entry.time);
    }
}

void
LaneChain::ChangeRank(Hop& hop, uint8_t lane, uint8_t rank)
{
    hop.lanes[lane].rank = rank;
    if ((hop.wire.OpenLanes() >> lane & 1) != 0)
    {
        hop.wire.SetRank(hop.open[lane], rank);
    }
}

void
LaneChain::Start(Hop& hop, LaneAssembler& input, const Entry& entry)
{
    const ChainFrame& frame = m_plan.frames[entry.handle];
    input.Start(entry.time, entry.lane, frame.bytes, entry.handle);
    hop.arrivals[entry.handle] = input.Arrival(entry.lane);
    if (frame.leave >= entry.hop)
    {
        hop.waiting[entry.lane].push_back(entry.handle);
    }
}

void
LaneChain::TakeWhole(LaneAssembler& input, TimePs now)
{
    if (const std::optional<AssembledFrame> whole = input.TakeWhole(now))
    {
        m_interruptions += whole->stops;
    }
}

WireFrame
LaneChain::Offer(const Hop& hop, uint8_t lane) const
{
    const uint32_t handle = hop.waiting[lane].front();
    const PreemptionParty party{m_plan.frames[handle].bytes,
                                hop.lanes[lane].rank,
                                hop.lanes[lane].latencySensitive};
    return {lane, party, hop.arrivals[handle], handle};
}

std::size_t
LaneChain::Best(const Hop& hop, TimePs now, TimePs& ready) const
{
    std::size_t best = hop.lanes.size();
    for (std::size_t lane = 0; lane < hop.lanes.size(); ++lane)
    {
        if (hop.waiting[lane].empty() || (hop.wire.OpenLanes() >> lane & 1) != 0)
        {
            continue;
        }
        const WireFrame frame = Offer(hop, static_cast<uint8_t>(lane));
        const bool mayStart =
            m_plan.startsStopped || frame.arrival.KnownBytes() == frame.arrival.Bytes();
        const TimePs at = mayStart ? hop.wire.ReadyAt(frame) : NEVER;
        if (at > now)
        {
            ready = std::min(ready, at);
        }
        else if (best == hop.lanes.size() || hop.lanes[lane].priority > hop.lanes[best].priority)
        {
            best = lane;
        }
    }
    return best;
}

void
LaneChain::StepHop(uint32_t position, TimePs now)
{
    Hop& hop = m_hops[position];
    WireStep step = hop.wire.Settle(now);
    CarryOut(position, step, now);
    do
    {
        TimePs ready = NEVER;
        const std::size_t lane = Best(hop, now, ready);
        const bool isOffered = lane < hop.lanes.size();
        const WireFrame frame = isOffered ? Offer(hop, static_cast<uint8_t>(lane)) : WireFrame{};
        step = hop.wire.Step(now, isOffered ? &frame : nullptr);
        CarryOut(position, step, now);
        hop.next = std::min(step.nextTime, ready);
    } while (step.takes.event == WireEvent::STARTS);
}

void
LaneChain::CarryOut(uint32_t position, const WireStep& step, TimePs now)
{
    Hop& hop = m_hops[position];
    if (step.leaves.event != WireEvent::NONE)
    {
        hop.segments.push_back(step.segment);
    }
    if (step.leaves.event == WireEvent::ENDS)
    {
        hop.tails[step.leaves.handle] = now;
    }
    if (step.takes.event == WireEvent::STARTS)
    {
        hop.waiting[step.takes.lane].pop_front();
        hop.open[step.takes.lane] = step.takes.handle;
        hop.heads[step.takes.handle] = now;
    }
    for (const WireChange& change : {step.leaves, step.takes})
    {
        const bool travels = change.event != WireEvent::NONE && change.event != WireEvent::ENDS;
        if (travels && position + 1 < m_hops.size())
        {
            Push({now + m_plan.latencies[position],
                  position + 1,
                  0,
                  0,
                  change.event,
                  change.lane,
                  change.byte,
                  change.handle});
        }
    }
}

void
LaneChain::CheckEmpty()
{
    for (Hop& hop : m_hops)
    {
        bool isEmpty = hop.wire.OpenFrames() == 0;
        for (const std::deque<uint32_t>& queue : hop.waiting)
        {
            isEmpty = isEmpty && queue.empty();
        }
        for (auto& [source, input] : hop.inputs)
        {
            TakeWhole(input, input.NextTail());
            isEmpty = isEmpty && input.OpenLanes() == 0;
        }
        if (!isEmpty)
        {
            throw std::logic_error("LaneChain: a frame is left at the end");
        }
    }
}

} // namespace fabric
} // namespace ns3
