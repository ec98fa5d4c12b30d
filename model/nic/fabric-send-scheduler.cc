/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-send-scheduler.h"

#include <vector>

namespace ns3::fabric
{

SendScheduler::SendScheduler(LocationId location, const NicConfig& config, Transmitter& uplink)
    : m_uplink(uplink),
      m_location(location),
      m_config(config)
{
}

uint32_t
SendScheduler::OpenQueue(const FlowKey& key)
{
    const uint32_t number = FindOrAdd(key);
    m_queues.Keep(number);
    return number;
}

uint32_t
SendScheduler::BeginMessage(const FlowKey& key)
{
    const uint32_t number = FindOrAdd(key);
    m_queues.BeginMessage(number);
    return number;
}

uint32_t
SendScheduler::FindOrAdd(const FlowKey& key)
{
    uint32_t number = m_queues.Find(key);
    if (number != NO_SEND_QUEUE)
    {
        return number;
    }
    number = m_queues.TakeIdle();
    if (number == NO_SEND_QUEUE)
    {
        number = AddQueue(key);
    }
    else
    {
        m_queues.Reuse(number, MakeQueue(key), key);
        if (m_forget)
        {
            m_forget(number);
        }
    }
    m_queues.Register(number);
    return number;
}

uint32_t
SendScheduler::AddQueue(const FlowKey& key)
{
    return m_queues.Add(MakeQueue(key), key);
}

SendQueue
SendScheduler::MakeQueue(const FlowKey& key) const
{
    const uint64_t hash = FlowKeyHash()(key) + m_location * uint64_t{0x9e3779b97f4a7c15};
    return {{},
            static_cast<uint32_t>(hash >> 32),
            m_restraints ? m_restraints->Find(key) : FlowRestraints::FREE,
            NO_SEND_QUEUE,
            key.destination,
            key.vni,
            key.trafficClass,
            VirtualLaneOf(key)};
}

uint32_t
SendScheduler::OpenFlow(uint32_t queue)
{
    if (m_queues.At(queue).flow == FlowRestraints::FREE)
    {
        m_restraints->Open(m_queues.Key(queue));
        for (uint32_t number = 0; number < m_queues.Size(); ++number)
        {
            // Where the switch tells fewer apart, others may be of the same flow.
            uint32_t& flow = m_queues.At(number).flow;
            flow = flow == FlowRestraints::FREE ? m_restraints->Find(m_queues.Key(number)) : flow;
        }
    }
    return m_queues.At(queue).flow;
}

void
SendScheduler::Append(uint32_t number, const SendJob& job)
{
    SendQueue& queue = m_queues.At(number);
    const bool wasHeld = queue.isHeld;
    if (queue.jobs.IsEmpty())
    {
        WaitForTurn(number);
    }
    queue.jobs.Push(job);
    m_counts.offered += job.left;
    m_packetBacklog += job.kind == FrameKind::PACKET ? job.left : 0;
    if (wasHeld && m_restraintListener)
    {
        m_restraintListener->QueueHeld(number);
    }
}

void
SendScheduler::Hold(uint32_t number)
{
    m_queues.At(number).isHeld = true;
    m_restraints->Hold(m_queues.At(number).flow, number);
    if (m_restraintListener)
    {
        m_restraintListener->QueueHeld(number);
    }
}

void
SendScheduler::Release(uint32_t number)
{
    m_queues.At(number).isHeld = false;
    if (m_restraintListener)
    {
        m_restraintListener->QueueReleased(number);
    }
    WaitForTurn(number);
}

void
SendScheduler::ApplyRestraints(TimePs now)
{
    m_restraints->Update(now, [this](uint32_t queue) { Release(queue); });
    for (LaneMask left = m_queues.Waiting(); left != 0; left &= left - 1)
    {
        const uint32_t list = LowestBit(left);
        while (!m_queues.IsEmpty(list) && IsStopped(m_queues.At(m_queues.Front(list))))
        {
            const uint32_t number = m_queues.Front(list);
            m_queues.TakeOut(list, number);
            Hold(number);
        }
    }
}

void
SendScheduler::ForgetPauses(TimePs up)
{
    m_counts.lostPauses += m_pauses.Forget(up);
    if (m_restraints)
    {
        m_counts.lostPauses += m_restraints->Forget(up, [this](uint32_t queue) { Release(queue); });
    }
}

Frame
SendScheduler::MakeFrame(uint32_t number) const
{
    const SendQueue& queue = m_queues.At(number);
    const SendJob& job = queue.jobs.Front();
    Frame frame{};
    frame.src = m_location;
    frame.dst = queue.destination;
    frame.payload = static_cast<uint16_t>(std::min<uint64_t>(job.left, m_config.mtu));
    frame.dataFlow = queue.label;
    frame.handle = job.handle;
    frame.next = number;
    frame.kind = job.kind;
    frame.vc = ChannelOf(queue) & (VIRTUAL_CHANNELS - 1);
    frame.last = job.left == frame.payload;
    frame.trafficClass = queue.trafficClass & 0xF;
    frame.vni = queue.vni;
    return frame;
}

SendOutcome
SendScheduler::SendRestrained(TimePs now)
{
    ApplyRestraints(now);
    SendOutcome outcome = SendUnrestrained(now);
    const TimePs released = std::max(m_restraints->NextChange(), m_uplink.FreeAt());
    outcome.next = m_restraints->HoldsAny() ? std::min(outcome.next, released) : outcome.next;
    return outcome;
}

SendOutcome
SendScheduler::SendUnrestrained(TimePs now)
{
    m_uplink.Credits().SetAwaited(false);
    m_isPaused = false;
    if (m_virtualLanes)
    {
        return SendByLane(now);
    }
    const LaneMask waiting = m_queues.Waiting();
    if (waiting == 0)
    {
        return {NEVER};
    }
    const uint32_t stopped = m_pauses.Stopped(now);
    const uint32_t lane = ReadyLane(waiting & ~stopped, now);
    if (lane != NO_LANE)
    {
        return SendFrame(lane, now);
    }
    LinkCredits& credits = m_uplink.Credits();
    credits.SetAwaited((waiting & ~stopped) != 0);
    m_isPaused = (waiting & stopped) != 0;
    return {std::min(credits.IsAwaited() ? credits.NextReturn() : NEVER,
                     m_isPaused ? m_pauses.NextChange() : NEVER)};
}

uint32_t
SendScheduler::ReadyLane(uint32_t open, TimePs now)
{
    LinkCredits& credits = m_uplink.Credits();
    credits.Collect(now);
    for (uint32_t i = 0; i < m_lanes; ++i)
    {
        const uint32_t lane = (m_turn + i) & (m_lanes - 1);
        if ((open >> lane & 1) == 0)
        {
            continue;
        }
        const Frame frame = MakeFrame(m_queues.Front(lane));
        if (credits.CanSend(frame.vc, WireBytes(frame.payload)))
        {
            return lane;
        }
    }
    return NO_LANE;
}

SendOutcome
SendScheduler::SendFrame(uint32_t lane, TimePs now)
{
    const uint32_t number = m_queues.Front(lane);
    Frame frame = MakeFrame(number);
    const Attempt attempt = m_uplink.Try(WireBytes(frame.payload), now);
    if (attempt == Attempt::LATER)
    {
        return {m_uplink.FreeAt()};
    }
    m_queues.TakeOut(lane, number);
    m_turn = static_cast<uint8_t>((lane + 1) & (m_lanes - 1));
    return Launch(number, frame, attempt, now);
}

SendOutcome
SendScheduler::Launch(uint32_t number, Frame& frame, Attempt attempt, TimePs now)
{
    frame.corrupt = attempt == Attempt::DAMAGED;
    const TimePs free = m_uplink.SendData(frame, now);
    const bool isOffered = TakeJob(number, frame);
    return {m_queues.Waiting() == 0 ? NEVER : free, FrameKind{frame.kind}, number, isOffered};
}

bool
SendScheduler::TakeJob(uint32_t number, const Frame& frame)
{
    m_counts.sent += frame.payload;
    m_packetBacklog -= frame.kind == FrameKind::PACKET ? frame.payload : 0;
    if (m_restraints)
    {
        m_restraints->Sent(m_queues.At(number).flow, FlowUnits(frame.payload));
    }

    Ring<SendJob>& jobs = m_queues.At(number).jobs;
    const bool isOffered = jobs.Front().isOffered;
    jobs.Front().left -= frame.payload;
    if (frame.last)
    {
        jobs.Pop();
    }
    if (!jobs.IsEmpty())
    {
        WaitForTurn(number);
    }
    return isOffered;
}

void
SendScheduler::UseLanes(const VlArbiterSettings& settings, LanePlans& plans)
{
    if (m_config.arbitratesLanes)
    {
        m_virtualLanes = std::make_unique<NicLanes>(plans.For(settings), plans.Map());
    }
}

void
SendScheduler::UsePieces(const PreemptionSettings& settings, NicListener* const& listener)
{
    if (m_virtualLanes)
    {
        const LaneTable& table = m_virtualLanes->arbiter.Table();
        m_wire = std::make_unique<UplinkWire>(m_uplink, settings, table, listener);
    }
}

void
SendScheduler::HoldBack(TimePs failed)
{
    m_uplink.Credits().SetAwaited(false);
    m_isPaused = false;
    if (m_wire)
    {
        m_wire->Clear(*m_virtualLanes, failed);
    }
}

bool
SendScheduler::ChangeLanesAt(TimePs at, LanePlans& plans)
{
    if (!m_virtualLanes)
    {
        return false;
    }
    m_virtualLanes->ChangeAt(at, plans.For(m_virtualLanes->arbiter.Settings()), plans.Map());
    m_nextTable = m_virtualLanes->NextTable();
    return true;
}

void
SendScheduler::UpdateLanes(TimePs now)
{
    do
    {
        m_virtualLanes->TakeNextTable();
        m_nextTable = m_virtualLanes->NextTable();
        const std::vector<uint32_t> waiting = m_queues.TakeAll();
        for (uint32_t number = 0; number < m_queues.Size(); ++number)
        {
            SendQueue& queue = m_queues.At(number);
            queue.lane = VirtualLaneOf(m_queues.Key(number));
        }
        for (const uint32_t number : waiting)
        {
            WaitForTurn(number);
        }
    } while (m_nextTable <= now);
    if (m_wire)
    {
        m_wire->SetTable(m_virtualLanes->arbiter.Table());
    }
}

uint32_t
SendScheduler::FirstToGo(uint32_t lane, uint32_t stopped) const
{
    const uint32_t first = m_queues.Front(lane);
    uint32_t number = first;
    while (IsHeld(m_queues.At(number), stopped))
    {
        number = m_queues.At(number).next;
        if (number == first)
        {
            return NO_SEND_QUEUE;
        }
    }
    return number;
}

uint32_t
SendScheduler::ChosenQueue(LaneMask candidates, TimePs now, Frame& frame)
{
    NicLanes& lanes = *m_virtualLanes;
    m_uplink.Credits().SetAwaited(false);
    m_isPaused = false;
    const uint32_t stopped = m_pauses.Stopped(now);
    const bool mayHold = stopped != 0 || (m_wire && m_wire->wire.OpenLanes() != 0);
    // A lane is looked at only when it is the arbiter's choice, as in switches.
    while (lanes.arbiter.Choose(candidates, now, lanes.grant))
    {
        const uint32_t lane = lanes.grant.lane;
        const uint32_t first = m_queues.Front(lane);
        const uint32_t number = mayHold ? FirstToGo(lane, stopped) : first;
        m_isPaused = m_isPaused || (stopped != 0 && number != first);
        candidates &= ~(LaneMask{1} << lane);
        if (number == NO_SEND_QUEUE)
        {
            continue;
        }
        frame = MakeFrame(number);
        if (m_uplink.Credits().CanSend(frame.vc, WireBytes(frame.payload)))
        {
            frame.lane = lane & (DEFAULT_LANES - 1);
            return number;
        }
        m_uplink.Credits().SetAwaited(true);
    }
    return NO_SEND_QUEUE;
}

SendOutcome
SendScheduler::SendByLane(TimePs now)
{
    if (m_nextTable <= now)
    {
        UpdateLanes(now);
    }
    m_uplink.Credits().Collect(now);
    if (m_wire)
    {
        return SendInPieces(now);
    }
    Frame frame;
    const uint32_t number = ChosenQueue(m_queues.Waiting(), now, frame);
    if (number == NO_SEND_QUEUE)
    {
        return {NextByLane(now)};
    }
    m_uplink.Credits().SetAwaited(false);
    m_isPaused = false;
    const Attempt attempt = m_uplink.Try(WireBytes(frame.payload), now);
    if (attempt == Attempt::LATER)
    {
        return {m_uplink.FreeAt()};
    }
    m_queues.TakeOut(frame.lane, number);
    m_virtualLanes->Begin(WireBytes(frame.payload), now);
    return Launch(number, frame, attempt, now);
}

SendOutcome
SendScheduler::SendInPieces(TimePs now)
{
    if (m_uplink.FreeAt() > now)
    {
        return {m_uplink.FreeAt()};
    }
    NicLanes& lanes = *m_virtualLanes;
    SendOutcome outcome{NEVER};
    m_wire->Settle(lanes, now);
    WireStep step;
    do
    {
        Frame frame;
        const LaneMask candidates = m_wire->Candidates(m_queues.Waiting(), now);
        const uint32_t number = ChosenQueue(candidates, now, frame);
        step = m_wire->Step(lanes, number == NO_SEND_QUEUE ? nullptr : &frame, now);
        if (step.takes.event == WireEvent::STARTS)
        {
            m_queues.TakeOut(frame.lane, number);
            lanes.Begin(WireBytes(frame.payload), now);
            outcome.isOffered = TakeJob(number, frame);
            outcome.sent = FrameKind{frame.kind};
            outcome.queue = number;
        }
        // Who waits next may have to interrupt soon, or what goes on has another rank now.
    } while (step.takes.event != WireEvent::NONE);
    if (m_uplink.FreeAt() > now) // the link repeats something
    {
        HoldWire(now);
        outcome.next = m_uplink.FreeAt();
        return outcome;
    }
    const TimePs next = m_wire->NextTime(lanes, m_queues.Waiting(), step.nextTime, now);
    outcome.next = std::min(next, NextByLane(now));
    return outcome;
}

TimePs
SendScheduler::NextByLane(TimePs now) const
{
    const LaneMask waiting = m_queues.Waiting();
    const LinkCredits& credits = m_uplink.Credits();
    return std::min({credits.IsAwaited() ? credits.NextReturn() : NEVER,
                     m_isPaused ? m_pauses.NextChange() : NEVER,
                     m_virtualLanes->NextReturn(waiting, now),
                     waiting == 0 ? NEVER : m_nextTable});
}

} // namespace ns3::fabric
