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
    const uint32_t number = m_queues.Find(key);
    if (number != NO_SEND_QUEUE)
    {
        return number;
    }
    const uint64_t hash = FlowKeyHash()(key) + m_location * uint64_t{0x9e3779b97f4a7c15};
    return m_queues.Add(key, static_cast<uint32_t>(hash >> 32), VirtualLaneOf(key));
}

void
SendScheduler::Append(uint32_t number, const SendJob& job)
{
    Ring<SendJob>& jobs = m_queues.At(number).jobs;
    if (jobs.IsEmpty())
    {
        WaitForTurn(number);
    }
    jobs.Push(job);
    m_counts.offered += job.left;
    m_packetBacklog += job.kind == FrameKind::PACKET ? job.left : 0;
}

void
SendScheduler::WaitForTurn(uint32_t number)
{
    const SendQueue& queue = m_queues.At(number);
    m_queues.Append(m_virtualLanes ? queue.lane : LaneOf(queue), number);
}

Frame
SendScheduler::MakeFrame(uint32_t number) const
{
    const SendQueue& queue = m_queues.At(number);
    const SendJob& job = queue.jobs.Front();
    Frame frame{};
    frame.src = m_location;
    frame.dst = queue.key.destination;
    frame.payload = static_cast<uint16_t>(std::min<uint64_t>(job.left, m_config.mtu));
    frame.dataFlow = queue.label;
    frame.handle = job.handle;
    frame.next = number;
    frame.kind = job.kind;
    frame.vc = ChannelOf(queue) & (VIRTUAL_CHANNELS - 1);
    frame.last = job.left == frame.payload;
    frame.trafficClass = queue.key.trafficClass & 0xF;
    frame.vni = queue.key.vni;
    return frame;
}

SendOutcome
SendScheduler::Send(TimePs now)
{
    m_starves = false;
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
    m_starves = (waiting & ~stopped) != 0;
    m_isPaused = (waiting & stopped) != 0;
    return {std::min(m_starves ? m_uplink.Credits().NextReturn() : NEVER,
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
    m_counts.sent += frame.payload;
    m_packetBacklog -= frame.kind == FrameKind::PACKET ? frame.payload : 0;

    Ring<SendJob>& jobs = m_queues.At(number).jobs;
    jobs.Front().left -= frame.payload;
    if (frame.last)
    {
        jobs.Pop();
    }
    if (!jobs.IsEmpty())
    {
        WaitForTurn(number);
    }
    return {m_queues.Waiting() == 0 ? NEVER : free, FrameKind{frame.kind}};
}

void
SendScheduler::UseLanes(const VlArbiterSettings& settings, LanePlans& plans)
{
    if (m_config.arbitratesLanes)
    {
        VlArbiterSettings own = settings;
        own.checkTime = CHECK_AT_PACKETS; // what a NIC sends is in one piece
        m_virtualLanes = std::make_unique<NicLanes>(plans.For(own), plans.Map());
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
            queue.lane = VirtualLaneOf(queue.key);
        }
        for (const uint32_t number : waiting)
        {
            WaitForTurn(number);
        }
    } while (m_nextTable <= now);
}

uint32_t
SendScheduler::FirstToGo(uint32_t lane, uint32_t stopped) const
{
    const uint32_t first = m_queues.Front(lane);
    uint32_t number = first;
    while ((stopped >> LaneOf(m_queues.At(number)) & 1) != 0)
    {
        number = m_queues.At(number).next;
        if (number == first)
        {
            return NO_SEND_QUEUE;
        }
    }
    return number;
}

SendOutcome
SendScheduler::SendByLane(TimePs now)
{
    NicLanes& lanes = *m_virtualLanes;
    if (m_nextTable <= now)
    {
        UpdateLanes(now);
    }
    const uint32_t stopped = m_pauses.Stopped(now);
    m_uplink.Credits().Collect(now);
    LaneMask candidates = m_queues.Waiting();
    // A lane is looked at only when it is the arbiter's choice, as in switches.
    while (lanes.arbiter.Choose(candidates, now, lanes.grant))
    {
        const uint32_t lane = lanes.grant.lane;
        const uint32_t first = m_queues.Front(lane);
        const uint32_t number = stopped == 0 ? first : FirstToGo(lane, stopped);
        m_isPaused = m_isPaused || number != first;
        candidates &= ~(LaneMask{1} << lane);
        if (number == NO_SEND_QUEUE)
        {
            continue;
        }
        Frame frame = MakeFrame(number);
        const uint32_t bytes = WireBytes(frame.payload);
        if (m_uplink.Credits().CanSend(frame.vc, bytes))
        {
            m_starves = false;
            m_isPaused = false;
            const Attempt attempt = m_uplink.Try(bytes, now);
            if (attempt == Attempt::LATER)
            {
                return {m_uplink.FreeAt()};
            }
            frame.lane = lane & (DEFAULT_LANES - 1);
            m_queues.TakeOut(lane, number);
            lanes.Begin(bytes, now);
            return Launch(number, frame, attempt, now);
        }
        m_starves = true;
    }
    return {NextByLane(now)};
}

TimePs
SendScheduler::NextByLane(TimePs now) const
{
    const LaneMask waiting = m_queues.Waiting();
    return std::min({m_starves ? m_uplink.Credits().NextReturn() : NEVER,
                     m_isPaused ? m_pauses.NextChange() : NEVER,
                     m_virtualLanes->NextReturn(waiting, now),
                     waiting == 0 ? NEVER : m_nextTable});
}

} // namespace ns3::fabric
