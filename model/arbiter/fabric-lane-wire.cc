/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-lane-wire.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

LaneWire::LaneWire(const LinkRate& rate, const PreemptionRules& rules, Transmitter* link)
    : m_rate(rate),
      m_link(link),
      m_rules(rules)
{
    m_open.reserve(rules.Settings().levels);
}

WireStep
LaneWire::Settle(TimePs now)
{
    CheckDue(now);
    m_counts.idleWhileWaiting += m_keptIdle ? now - m_last : 0;
    m_last = now;
    WireStep step;
    while (m_runs && RunEnd() <= now)
    {
        const bool isWhole = m_limit == m_open.back().frame.party.bytes;
        if (isWhole || !Extend())
        {
            m_counts.gaps += m_limit == m_open.back().frame.arrival.KnownBytes() && !isWhole;
            Leave(isWhole ? WireEvent::ENDS : WireEvent::STOPS, m_limit, step);
        }
    }
    return step;
}

WireStep
LaneWire::Step(TimePs now, const WireFrame* waiting)
{
    CheckStep(now, waiting);
    const bool isReady = waiting && ReadyAt(*waiting) <= now;
    const WireFrame* ready = isReady ? waiting : nullptr;
    WireStep step;
    if (!m_runs)
    {
        Choose(now, ready, step);
    }
    else if (ready)
    {
        TryCut(now, *ready, step);
    }
    const bool hasStarted = step.takes.event == WireEvent::STARTS;
    step.nextTime = NextTime(now, hasStarted ? nullptr : waiting);
    m_next = step.nextTime;
    return step;
}

void
LaneWire::CheckDue(TimePs now) const
{
    const TimePs latest = m_runs ? std::min(m_next, RunEnd()) : m_next;
    if (now < m_last || now > latest)
    {
        throw std::logic_error("wire: a step at " + std::to_string(now) + " ps, allowed are " +
                               std::to_string(m_last) + " to " + std::to_string(latest) + " ps");
    }
}

void
LaneWire::CheckStep(TimePs now, const WireFrame* waiting) const
{
    if (now != m_last || (m_runs && RunEnd() <= now))
    {
        throw std::logic_error("wire: a step at " + std::to_string(now) +
                               " ps, allowed is the time for which it was settled, " +
                               std::to_string(m_last) + " ps");
    }
    if (waiting && (waiting->lane >= MAX_LANES || (m_openLanes >> waiting->lane & 1) != 0))
    {
        throw std::logic_error("wire: a frame of lane " + std::to_string(waiting->lane) +
                               " can't start, allowed is a lane less than " +
                               std::to_string(MAX_LANES) + " of which no frame is partly sent");
    }
}

bool
LaneWire::Extend()
{
    const OpenFrame& running = m_open.back();
    const uint32_t known = running.KnownBytes();
    // The times of the segment's flits are fixed by its start, so that is what has to be late
    // enough for the flits to come.
    if (known <= m_limit || ReadyAt(running) > m_start)
    {
        return false;
    }
    m_limit = known;
    return true;
}

void
LaneWire::TryCut(TimePs now, const WireFrame& urgent, WireStep& step)
{
    if (!MayInterrupt(urgent, m_open.back()))
    {
        return;
    }
    const uint32_t run = RunToCut(now);
    if (run != 0 && m_start + m_rate.TxTime(run) == now)
    {
        Leave(WireEvent::STOPS, m_open.back().sent + run, step);
        Preempt(now, urgent, step);
    }
}

void
LaneWire::Choose(TimePs now, const WireFrame* waiting, WireStep& step)
{
    const std::size_t next = Resumable(now);
    if (next < m_open.size())
    {
        if (waiting && MayPass(*waiting, m_open[next]))
        {
            Preempt(now, *waiting, step);
        }
        else
        {
            Resume(now, next, step);
        }
    }
    else if (waiting && m_open.empty())
    {
        Begin(now, *waiting, step);
    }
    else if (waiting && m_rules.Settings().interleave && m_open.size() < m_rules.Settings().levels)
    {
        ++m_counts.fills;
        Begin(now, *waiting, step);
    }
    else if (waiting && MayPass(*waiting, m_open.back()))
    {
        Preempt(now, *waiting, step);
    }
    const bool repeats = m_link && m_link->FreeAt() > now;
    const bool isKept = waiting && !m_runs && !repeats;
    if (!isKept)
    {
        EndKeeping(now);
    }
    m_idleSince = m_keptIdle ? m_idleSince : now;
    m_keptIdle = isKept;
}

void
LaneWire::EndKeeping(TimePs now)
{
    if (m_keptIdle)
    {
        const uint64_t gap = m_rate.BytesIn(now - m_idleSince);
        m_counts.wastedFlits += gap / m_rules.Settings().flitBytes;
    }
    m_keptIdle = false;
}

void
LaneWire::Hold(TimePs now, TimePs until)
{
    if (now != m_last || m_runs)
    {
        throw std::logic_error("wire: held at " + std::to_string(now) +
                               " ps, allowed is the time for which it was settled, " +
                               std::to_string(m_last) + " ps, if no frame runs");
    }
    EndKeeping(now);
    m_last = until;
    m_next = m_open.empty() ? NEVER : until;
}

std::size_t
LaneWire::Resumable(TimePs now) const
{
    for (std::size_t i = m_open.size(); i-- > 0;)
    {
        if (ReadyAt(m_open[i]) <= now)
        {
            return i;
        }
        if (!m_rules.Settings().interleave)
        {
            break;
        }
    }
    return m_open.size();
}

bool
LaneWire::MayInterrupt(const WireFrame& urgent, const OpenFrame& victim) const
{
    // It delays all that are open, whichever of them would be sent now.
    const auto hasBudget = [&](const OpenFrame& open) {
        return m_rules.IsWithinBudget(open.interrupted, urgent.party.bytes);
    };
    return m_rules.MayInterrupt(urgent.party, victim.frame.party) &&
           m_open.size() < m_rules.Settings().levels &&
           std::all_of(m_open.begin(), m_open.end(), hasBudget);
}

bool
LaneWire::MayPass(const WireFrame& urgent, const OpenFrame& victim) const
{
    return MayInterrupt(urgent, victim) &&
           m_rules.IsCuttable(victim.frame.party.bytes, victim.sent);
}

uint32_t
LaneWire::RunToCut(TimePs now) const
{
    const OpenFrame& running = m_open.back();
    const PreemptionSettings& settings = m_rules.Settings();
    const uint32_t known = m_limit - running.sent;
    // What has been sent by now, in whole flits, the present one among them.
    uint32_t run = m_rate.BytesBy(now - m_start, known);
    run = run / settings.flitBytes * settings.flitBytes;
    run += m_rate.TxTime(run) < now - m_start ? settings.flitBytes : 0;
    // A run is a flit at least, else frames could interrupt each other for nothing.
    run = std::max(run, settings.flitBytes);
    if (running.sent + run < settings.leastSentBytes)
    {
        run = m_rules.RoundUp(settings.leastSentBytes - running.sent);
    }
    const bool isCuttable = m_rules.IsCuttable(running.frame.party.bytes, running.sent + run);
    return isCuttable ? run : 0;
}

WireSegment
LaneWire::CountRun(uint32_t byte)
{
    const OpenFrame& running = m_open.back();
    ++m_counts.segments;
    m_counts.bytes += byte - running.sent;
    return {m_start, running.sent, byte - running.sent, running.frame.handle, running.frame.lane};
}

void
LaneWire::Leave(WireEvent event, uint32_t byte, WireStep& step)
{
    OpenFrame& running = m_open.back();
    step.leaves = {event, running.frame.lane, byte, running.frame.handle};
    step.segment = CountRun(byte);
    running.sent = byte;
    m_runs = false;
    if (event == WireEvent::ENDS)
    {
        m_openLanes &= ~(LaneMask{1} << running.frame.lane);
        m_open.pop_back();
    }
}

void
LaneWire::Preempt(TimePs now, const WireFrame& urgent, WireStep& step)
{
    if (!Begin(now, urgent, step))
    {
        return;
    }
    for (auto open = m_open.begin(); open != m_open.end() - 1; ++open)
    {
        open->interrupted += urgent.party.bytes;
    }
    ++m_counts.preemptions;
}

bool
LaneWire::Begin(TimePs now, const WireFrame& frame, WireStep& step)
{
    std::vector<UnitRepeat> repeats;
    if (m_link && m_link->Errors())
    {
        const Attempt attempt = m_link->TryInUnits(frame.party.bytes, now, repeats);
        if (attempt == Attempt::LATER)
        {
            return false;
        }
        step.isDamaged = attempt == Attempt::DAMAGED;
        std::reverse(repeats.begin(), repeats.end());
    }
    m_open.push_back({frame, 0, 0, std::move(repeats)});
    m_openLanes |= LaneMask{1} << frame.lane;
    ++m_counts.frames;
    Run(now, WireEvent::STARTS, step);
    return true;
}

void
LaneWire::Resume(TimePs now, std::size_t position, WireStep& step)
{
    const auto first = m_open.begin() + static_cast<std::ptrdiff_t>(position);
    std::rotate(first, first + 1, m_open.end());
    OpenFrame& open = m_open.back();
    if (!open.repeats.empty() && open.repeats.back().byte == open.sent)
    {
        m_link->RepeatUntil(now + open.repeats.back().taken);
        open.repeats.pop_back();
        return;
    }
    Run(now, WireEvent::GOES_ON, step);
}

void
LaneWire::Run(TimePs now, WireEvent event, WireStep& step)
{
    const OpenFrame& running = m_open.back();
    step.takes = {event, running.frame.lane, running.sent, running.frame.handle};
    m_start = now;
    m_limit = running.KnownBytes();
    m_runs = true;
}

TimePs
LaneWire::NextTime(TimePs now, const WireFrame* waiting) const
{
    TimePs next = m_runs ? RunEnd() : NextReady();
    if (waiting)
    {
        const TimePs ready = ReadyAt(*waiting);
        if (ready > now)
        {
            next = std::min(next, ready);
        }
        else if (m_runs && MayInterrupt(*waiting, m_open.back()))
        {
            const uint32_t run = RunToCut(now);
            next = run != 0 ? std::min(next, m_start + m_rate.TxTime(run)) : next;
        }
    }
    return next;
}

TimePs
LaneWire::NextReady() const
{
    TimePs next = NEVER;
    for (std::size_t i = m_open.size(); i-- > 0;)
    {
        next = std::min(next, ReadyAt(m_open[i]));
        if (!m_rules.Settings().interleave)
        {
            break;
        }
    }
    return next;
}

TimePs
LaneWire::RunEnd() const
{
    return m_start + m_rate.TxTime(m_limit - m_open.back().sent);
}

std::optional<WireSegment>
LaneWire::Break(TimePs now, uint32_t handle)
{
    OpenFrame* const broken = Find(handle);
    if (!broken)
    {
        throw std::logic_error("wire: frame " + std::to_string(handle) +
                               " breaks, but it is not partly sent");
    }
    std::optional<WireSegment> segment;
    if (m_runs && broken == &m_open.back())
    {
        segment = CountRun(broken->sent + m_rate.BytesBy(now - m_start, m_limit - broken->sent));
        m_runs = false;
    }
    m_openLanes &= ~(LaneMask{1} << broken->frame.lane);
    m_open.erase(m_open.begin() + (broken - m_open.data()));
    return segment;
}

void
LaneWire::Restart(TimePs now)
{
    m_counts.idleWhileWaiting += m_keptIdle ? now - m_last : 0;
    EndKeeping(now);
    m_last = now;
    m_next = NEVER;
}

LaneWire::OpenFrame*
LaneWire::Find(uint32_t handle)
{
    for (OpenFrame& open : m_open)
    {
        if (open.frame.handle == handle)
        {
            return &open;
        }
    }
    return nullptr;
}

void
LaneWire::UpstreamStops(uint32_t handle, uint32_t byte)
{
    if (OpenFrame* open = Find(handle))
    {
        open->frame.arrival.Stop(byte);
        m_limit = m_runs && open == &m_open.back() ? std::min(m_limit, byte) : m_limit;
    }
}

void
LaneWire::UpstreamGoesOn(uint32_t handle, TimePs now)
{
    if (OpenFrame* open = Find(handle))
    {
        open->frame.arrival.GoOn(now);
    }
}

void
LaneWire::SetRank(uint32_t handle, uint8_t rank)
{
    if (OpenFrame* open = Find(handle))
    {
        open->frame.party.rank = rank;
    }
}

void
LaneWire::SetRules(const PreemptionRules& rules)
{
    m_rules = rules;
    m_open.reserve(rules.Settings().levels);
}

} // namespace ns3::fabric
