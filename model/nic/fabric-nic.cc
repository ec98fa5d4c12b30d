/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-nic.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

Nic::Nic(LocationId location, const NicConfig& config, MessageTable& messages)
    : m_location(location),
      m_messages(messages),
      m_config(config)
{
}

void
Nic::Connect(LinkRate rate,
             const LinkTiming& timing,
             InputLink* peer,
             Agenda* agenda,
             uint32_t port)
{
    m_transmitter.Connect(rate, timing, peer);
    m_arriving.Expect(m_transmitter.FramesInFlight()); // the link back is alike
    m_effectDelay = timing.delay + timing.dataLatency;
    m_agenda = agenda;
    m_decision = &agenda->Host(port);
}

uint32_t
Nic::SendMessage(LocationId dst, uint64_t bytes, uint8_t trafficClass, uint64_t tag, TimePs now)
{
    Message message;
    message.bytes = message.underWay = bytes;
    message.tag = tag;
    message.sentAt = now;
    message.sequence = m_messagesSent++;
    message.src = m_location;
    message.dst = dst;
    message.trafficClass = trafficClass;
    const uint32_t handle = m_messages.Put(message);

    FlowKey key;
    key.destination = dst;
    key.trafficClass = trafficClass;
    Enqueue(key, {bytes, handle, FrameKind::MESSAGE}, now);
    return handle;
}

void
Nic::SendPacket(const FlowKey& key, uint32_t bytes, uint32_t handle, TimePs now)
{
    m_packetBacklog += bytes;
    Enqueue(key, {bytes, handle, FrameKind::PACKET}, now);
}

uint32_t
Nic::QueueOf(const FlowKey& key)
{
    const auto [place, isNew] = m_queueOf.try_emplace(key, static_cast<uint32_t>(m_queues.size()));
    if (isNew)
    {
        const uint64_t hash = FlowKeyHash()(key) + m_location * uint64_t{0x9e3779b97f4a7c15};
        m_queues.push_back(
            {key, static_cast<uint32_t>(hash >> 32), VirtualLaneOf(key), NO_SEND_QUEUE, {}});
    }
    return place->second;
}

void
Nic::Append(uint32_t number, const Job& job)
{
    SendQueue& queue = m_queues[number];
    if (queue.jobs.IsEmpty())
    {
        WaitForTurn(number);
    }
    queue.jobs.Push(job);
    m_counts.offered += job.left;
}

void
Nic::Enqueue(const FlowKey& key, const Job& job, TimePs now)
{
    RunUntil(now);
    Append(QueueOf(key), job);
    const TimePs earliest = std::max(now, m_transmitter.FreeAt());
    m_sendAt = std::min(m_sendAt, earliest);
    if (earliest < *m_decision)
    {
        *m_decision = earliest;
        m_agenda->Wake(NextEffect());
    }
}

void
Nic::WaitForTurn(uint32_t number)
{
    m_lists.Append(m_virtualLanes ? m_queues[number].lane : LaneOf(number), Queues(), number);
}

Frame
Nic::MakeFrame(uint32_t number) const
{
    const SendQueue& queue = m_queues[number];
    const Job& job = queue.jobs.Front();
    Frame frame{};
    frame.src = m_location;
    frame.dst = queue.key.destination;
    frame.payload = static_cast<uint16_t>(std::min<uint64_t>(job.left, m_config.mtu));
    frame.dataFlow = queue.label;
    frame.handle = job.handle;
    frame.next = number;
    frame.kind = job.kind;
    frame.vc = ChannelOf(number) & (VIRTUAL_CHANNELS - 1);
    frame.last = job.left == frame.payload;
    frame.trafficClass = queue.key.trafficClass & 0xF;
    frame.vni = queue.key.vni;
    return frame;
}

uint32_t
Nic::ReadyLane(uint32_t open, TimePs now)
{
    LinkCredits& credits = m_transmitter.Credits();
    credits.Collect(now);
    for (uint32_t i = 0; i < m_lanes; ++i)
    {
        const uint32_t lane = (m_turn + i) & (m_lanes - 1);
        if ((open >> lane & 1) == 0)
        {
            continue;
        }
        const uint32_t number = m_lists.Front(lane, Queues());
        if (credits.CanSend(ChannelOf(number), WireBytes(MakeFrame(number).payload)))
        {
            return lane;
        }
    }
    return NO_LANE;
}

void
Nic::SetEngine(NicEngine* engine, Alarm* alarm)
{
    m_engine = engine;
    m_alarm = alarm;
    m_reportDelay = engine->ReportDelay();
    // The switch is woken for the window with this time, which must begin after the cause.
    m_sendAt = *m_decision;
    m_engineDelay = alarm ? m_effectDelay : std::min(m_effectDelay, m_reportDelay);
    PlanEngine();
}

void
Nic::PlanEngine()
{
    m_engineNext = m_engine->NextTime();
    *m_decision = std::min(*m_decision, m_engineNext);
    if (!m_alarm)
    {
        return;
    }
    const TimePs report = m_engine->NextReport();
    if (report != NEVER)
    {
        m_alarm->WakeBy(report + m_reportDelay);
    }
}

void
Nic::HandleEngine(TimePs at)
{
    m_engine->Handle(at);
    *m_decision = m_sendAt;
    PlanEngine();
    PollEngine(at);
}

void
Nic::PollEngine(TimePs now)
{
    // What a credit or the end of a pause has brought forward may be hidden behind the engine's
    // time, so it is looked for again.
    if (!m_engineWaits || m_starves || m_isPaused)
    {
        m_sendAt = std::min(m_sendAt, std::max(now, m_transmitter.FreeAt()));
        *m_decision = std::min(*m_decision, m_sendAt);
    }
}

void
Nic::Decide(TimePs now)
{
    if (!m_engine)
    {
        Send(now);
        return;
    }
    if (!m_engineWaits)
    {
        PullEnginePacket(now);
    }
    Send(now);
    m_sendAt = *m_decision;
    *m_decision = std::min(m_sendAt, m_engineNext);
}

void
Nic::PullEnginePacket(TimePs now)
{
    const std::optional<EnginePacket> packet = m_engine->NextPacket(now);
    PlanEngine();
    if (!packet)
    {
        return;
    }
    m_engineWaits = true;
    Append(packet->queue, {packet->bytes, packet->handle, FrameKind::TRANSPORT});
}

void
Nic::UseLanes(const VlArbiterSettings& settings, LanePlans& plans)
{
    if (m_config.arbitratesLanes)
    {
        VlArbiterSettings own = settings;
        own.checkTime = CHECK_AT_PACKETS; // what a NIC sends is in one piece
        m_virtualLanes = std::make_unique<NicLanes>(plans.For(own), plans.Map());
    }
}

void
Nic::ChangeLanesAt(TimePs at, LanePlans& plans)
{
    if (!m_virtualLanes)
    {
        return;
    }
    m_virtualLanes->ChangeAt(at, plans.For(m_virtualLanes->arbiter.Settings()), plans.Map());
    m_nextTable = m_virtualLanes->NextTable();
    // Frames that wait may go with the new table, though nothing else happens.
    const TimePs earliest = std::max(at, m_transmitter.FreeAt());
    m_sendAt = std::min(m_sendAt, earliest);
    if (earliest < *m_decision)
    {
        *m_decision = earliest;
        m_agenda->Wake(NextEffect());
    }
}

void
Nic::UpdateLanes(TimePs now)
{
    do
    {
        m_virtualLanes->TakeNextTable();
        m_nextTable = m_virtualLanes->NextTable();
        std::vector<uint32_t> waiting;
        m_lists.TakeAll(Queues(), [&](uint32_t number) { waiting.push_back(number); });
        for (SendQueue& queue : m_queues)
        {
            queue.lane = VirtualLaneOf(queue.key);
        }
        for (const uint32_t number : waiting)
        {
            WaitForTurn(number);
        }
    } while (m_nextTable <= now);
}

uint32_t
Nic::FirstToGo(uint32_t lane, uint32_t stopped)
{
    const uint32_t first = m_lists.Front(lane, Queues());
    uint32_t number = first;
    while ((stopped >> LaneOf(number) & 1) != 0)
    {
        number = m_queues[number].next;
        if (number == first)
        {
            return NO_SEND_QUEUE;
        }
    }
    return number;
}

void
Nic::SendByLane(TimePs now)
{
    NicLanes& lanes = *m_virtualLanes;
    if (m_nextTable <= now)
    {
        UpdateLanes(now);
    }
    const uint32_t stopped = m_pauses.Stopped(now);
    m_transmitter.Credits().Collect(now);
    LaneMask candidates = m_lists.Waiting();
    // A lane is looked at only when it is the arbiter's choice, as in switches.
    while (lanes.arbiter.Choose(candidates, now, lanes.grant))
    {
        const uint32_t lane = lanes.grant.lane;
        const uint32_t first = m_lists.Front(lane, Queues());
        const uint32_t number = stopped == 0 ? first : FirstToGo(lane, stopped);
        m_isPaused = m_isPaused || number != first;
        candidates &= ~(LaneMask{1} << lane);
        if (number == NO_SEND_QUEUE)
        {
            continue;
        }
        Frame frame = MakeFrame(number);
        const uint32_t bytes = WireBytes(frame.payload);
        if (m_transmitter.Credits().CanSend(frame.vc, bytes))
        {
            frame.lane = lane & (DEFAULT_LANES - 1);
            m_lists.TakeOut(lane, Queues(), number);
            lanes.Begin(bytes, now);
            m_starves = false;
            m_isPaused = false;
            const TimePs free = Launch(number, frame, now);
            *m_decision = m_lists.Waiting() == 0 && !m_engine ? NEVER : free;
            return;
        }
        m_starves = true;
    }
    PlanLanes(now);
}

void
Nic::PlanLanes(TimePs now)
{
    *m_decision = std::min({m_starves ? m_transmitter.Credits().NextReturn() : NEVER,
                            m_isPaused ? m_pauses.NextChange() : NEVER,
                            m_virtualLanes->NextReturn(m_lists.Waiting(), now),
                            m_lists.Waiting() == 0 ? NEVER : m_nextTable});
}

void
Nic::Send(TimePs now)
{
    *m_decision = NEVER;
    m_starves = false;
    m_isPaused = false;
    if (m_outages && IsHeldBack(now))
    {
        return;
    }
    if (m_virtualLanes)
    {
        SendByLane(now);
        return;
    }
    const LaneMask waiting = m_lists.Waiting();
    if (waiting == 0)
    {
        return;
    }
    const uint32_t stopped = m_pauses.Stopped(now);
    const uint32_t lane = ReadyLane(waiting & ~stopped, now);
    if (lane != NO_LANE)
    {
        const TimePs free = SendFrame(lane, now);
        // An engine is asked again: what it has to send is not known before.
        *m_decision = m_lists.Waiting() == 0 && !m_engine ? NEVER : free;
        return;
    }
    m_starves = (waiting & ~stopped) != 0;
    m_isPaused = (waiting & stopped) != 0;
    *m_decision = std::min(m_starves ? m_transmitter.Credits().NextReturn() : NEVER,
                           m_isPaused ? m_pauses.NextChange() : NEVER);
}

void
Nic::FailLinkAt(TimePs at, TimePs known)
{
    if (!m_outages)
    {
        m_outages = std::make_unique<LinkOutages>();
    }
    m_outages->Fail(at, known);
}

void
Nic::RepairLinkAt(TimePs at, TimePs quiet, TimePs told)
{
    const TimePs resume = m_outages->Repair(at, quiet, told);
    m_sendAt = std::min(m_sendAt, resume);
    *m_decision = std::min(*m_decision, resume);
    m_agenda->Wake(NextEffect());
}

bool
Nic::IsHeldBack(TimePs now)
{
    const TimePs until = m_outages->HeldUntil(now);
    if (until != 0)
    {
        *m_decision = until;
        return true;
    }
    if (const TimePs up = m_outages->TakeUpTime(now); up != 0)
    {
        m_counts.lostPauses += m_pauses.Forget(up);
    }
    return false;
}

TimePs
Nic::SendFrame(uint32_t lane, TimePs now)
{
    const uint32_t number = m_lists.Front(lane, Queues());
    m_lists.TakeOut(lane, Queues(), number);
    m_turn = static_cast<uint8_t>((lane + 1) & (m_lanes - 1));
    return Launch(number, MakeFrame(number), now);
}

TimePs
Nic::Launch(uint32_t number, Frame frame, TimePs now)
{
    frame.corrupt = m_transmitter.Corrupts(frame);
    const TimePs free = m_transmitter.SendData(frame, now);
    m_counts.sent += frame.payload;
    m_packetBacklog -= frame.kind == FrameKind::PACKET ? frame.payload : 0;
    m_engineWaits = m_engineWaits && frame.kind != FrameKind::TRANSPORT;

    Ring<Job>& jobs = m_queues[number].jobs;
    jobs.Front().left -= frame.payload;
    if (frame.last)
    {
        jobs.Pop();
    }
    if (!jobs.IsEmpty())
    {
        WaitForTurn(number);
    }
    return free;
}

void
Nic::Expect(const Frame& frame, TimePs known)
{
    while (!m_arriving.IsEmpty() && m_arriving.Front().time <= known)
    {
        m_arriving.Pop();
    }
    if (frame.corrupt)
    {
        m_counts.corrupt += frame.payload;
        m_listener->FrameDamaged(frame);
        return;
    }
    if (m_outages)
    {
        const TimePs tx = m_transmitter.Rate().TxTime(WireBytes(frame.payload));
        if (m_outages->Cuts(frame.time - m_transmitter.Timing().delay - tx, frame.time))
        {
            Lose(frame);
            return;
        }
    }
    m_arriving.Push({frame.time, frame.payload});
    m_counts.arrived += frame.payload;
    ++m_counts.framesArrived;
    if (frame.kind == FrameKind::PACKET)
    {
        m_listener->PacketComplete(frame, frame.time);
        return;
    }
    if (frame.kind == FrameKind::TRANSPORT)
    {
        TakeTransport(frame);
        return;
    }
    Message& message = m_messages.At(frame.handle);
    if (!message.Arrive(frame.payload))
    {
        return;
    }
    if (message.isDamaged)
    {
        m_listener->MessageLost(frame.handle);
        return;
    }
    m_listener->MessageComplete(frame.handle, frame.time);
}

void
Nic::Lose(const Frame& frame)
{
    m_counts.linkDown += frame.payload;
    m_listener->FrameDamaged(frame);
}

void
Nic::TakeTransport(const Frame& frame)
{
    if (!m_engine)
    {
        m_listener->FrameDamaged(frame); // nobody here speaks it
        return;
    }
    m_engine->Arrive(frame);
    PlanEngine();
}

uint64_t
Nic::DeliveredBy(TimePs at) const
{
    uint64_t delivered = m_counts.arrived;
    for (uint32_t i = m_arriving.Size(); i-- > 0 && m_arriving.At(i).time > at;)
    {
        delivered -= m_arriving.At(i).bytes;
    }
    return delivered;
}

std::size_t
Nic::MemoryBytes() const
{
    std::size_t bytes = m_transmitter.MemoryBytes() + m_pauses.MemoryBytes() +
                        m_arriving.MemoryBytes() + m_queues.capacity() * sizeof(SendQueue);
    bytes += m_virtualLanes ? m_virtualLanes->MemoryBytes() : 0;
    for (const SendQueue& queue : m_queues)
    {
        bytes += queue.jobs.MemoryBytes();
    }
    return bytes;
}

} // namespace fabric
} // namespace ns3
