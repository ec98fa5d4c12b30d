/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-nic.h"

#include <optional>

namespace ns3::fabric
{

Nic::Nic(LocationId location, const NicConfig& config, MessageTable& messages)
    : m_location(location),
      m_arrivals(messages),
      m_messages(messages),
      m_scheduler(location, config, m_uplink)
{
}

void
Nic::Connect(LinkRate rate,
             const LinkTiming& timing,
             InputLink* peer,
             Agenda* agenda,
             uint32_t port)
{
    m_uplink.Connect(rate, timing, peer);
    m_arrivals.Expect(m_uplink.FramesInFlight()); // the link back is alike
    m_effectDelay = timing.delay + timing.dataLatency;
    m_agenda = agenda;
    m_port = port;
    m_decision = &agenda->AddHost(port);
}

ReceiveBuffer&
Nic::MakeReceiveBuffer()
{
    const LinkRate& link = m_uplink.Rate(); // the link back is alike
    const uint64_t drain = Config().receive.bitsPerSecond;
    m_receiveBuffer = std::make_unique<ReceiveBuffer>(link, drain != 0 ? LinkRate(drain) : link);
    return *m_receiveBuffer;
}

void
Nic::UseCredits(LinkCredits& room, const CreditPath& credits)
{
    MakeReceiveBuffer().UseCredits(room, credits);
}

void
Nic::UsePauses(const PauseConfig& config, PauseEnd& end)
{
    MakeReceiveBuffer().UsePauses(config, Config().receive.Room());
    m_pauseEnd = &end;
    m_isUnusual = true;
    const LinkTiming& timing = m_uplink.Timing();
    m_effectDelay = timing.delay + std::min(timing.dataLatency, timing.controlLatency);
}

void
Nic::UseCreditFrames(const CreditSettings& settings, uint32_t channels, CreditFrameEnd& end)
{
    m_receiveBuffer->UseCreditFrames(settings, channels);
    m_creditEnd = &end;
    m_isUnusual = true;
    const LinkTiming& timing = m_uplink.Timing();
    m_effectDelay = timing.delay + std::min(timing.dataLatency, timing.controlLatency);
}

uint32_t
Nic::NewMessage(const MessageFlow& flow, uint64_t bytes, uint64_t tag, TimePs now)
{
    Message message;
    message.bytes = message.underWay = bytes;
    message.tag = tag;
    message.sentAt = now;
    message.sequence = m_messagesSent++;
    message.src = m_location;
    message.dst = flow.dst;
    message.group = flow.dst >= FIRST_GROUP ? flow.dst : 0;
    message.vni = flow.vni;
    message.process = flow.process;
    message.trafficClass = flow.trafficClass;
    return m_messages.Put(message);
}

FlowKey
Nic::KeyOf(const MessageFlow& flow)
{
    FlowKey key;
    key.destination = flow.dst;
    key.trafficClass = flow.trafficClass;
    key.vni = flow.vni;
    key.process = flow.process;
    return key;
}

uint32_t
Nic::AddQueue(const MessageFlow& flow)
{
    return m_scheduler.AddQueue(KeyOf(flow));
}

uint32_t
Nic::SendMessage(const MessageFlow& flow, uint64_t bytes, uint64_t tag, TimePs now)
{
    const uint32_t handle = NewMessage(flow, bytes, tag, now);
    RunUntil(now);
    const FrameKind kind = flow.dst >= FIRST_GROUP ? FrameKind::GROUP : FrameKind::MESSAGE;
    const uint32_t queue = m_scheduler.BeginMessage(KeyOf(flow));
    m_messages.At(handle).queue = queue;
    Enqueue(queue, {bytes, handle, kind}, now);
    return handle;
}

void
Nic::Enqueue(uint32_t queue, const SendJob& job, TimePs now)
{
    m_scheduler.Append(queue, job);
    SendFrom(now);
}

bool
Nic::DecideFrom(TimePs from)
{
    const TimePs earliest = std::max(from, m_uplink.FreeAt());
    m_sendAt = std::min(m_sendAt, earliest);
    const bool isEarlier = earliest < *m_decision;
    BringForward(earliest);
    return isEarlier;
}

void
Nic::SendFrom(TimePs from)
{
    if (DecideFrom(from))
    {
        m_agenda->Wake(NextEffect());
    }
}

void
Nic::ChangeLanesAt(TimePs at, LanePlans& plans)
{
    if (m_scheduler.ChangeLanesAt(at, plans))
    {
        SendFrom(at); // frames that wait may go with the new table, though nothing else happens
    }
}

void
Nic::SetEngine(NicEngine* engine, Alarm* alarm)
{
    if (m_engine.IsUsed())
    {
        AddEngine(*engine, alarm);
        return;
    }
    // The switch is woken for the window with this time, which must begin after the cause.
    m_sendAt = *m_decision;
    m_engine.Put(*engine, alarm, m_effectDelay);
    m_scheduler.SetRestraintListener(m_engine);
    DecideByEngine();
}

void
Nic::AddEngine(NicEngine& engine, Alarm* alarm)
{
    if (!m_engines)
    {
        m_engines = std::make_unique<EngineGroup>(m_engine);
    }
    m_engines->Add(engine, alarm, m_effectDelay);
    m_engine.Put(*m_engines, nullptr, m_effectDelay);
    DecideByEngine();
}

void
Nic::TakeAlarm(TimePs now)
{
    RunUntil(now);
    if (m_engines)
    {
        m_engines->TakeAlarm(now);
        return;
    }
    m_engine.TakeAlarm(now);
}

void
Nic::EngineHasWork(TimePs now)
{
    m_engine.Plan();
    DecideByEngine();
    PollEngine(now);
    m_agenda->Wake(NextEffect());
}

void
Nic::HandleEngine()
{
    const TimePs at = m_engine.Next();
    m_engine.Handle();
    SetDecision(m_sendAt);
    DecideByEngine();
    PollEngine(at);
}

void
Nic::PollEngine(TimePs now)
{
    // What a credit or the end of a pause has brought forward may be hidden behind the engine's
    // time, so it is looked for again.
    if (m_engine.MayBeAsked() || m_scheduler.IsHindered())
    {
        m_sendAt = std::min(m_sendAt, std::max(now, m_uplink.FreeAt()));
        BringForward(m_sendAt);
    }
}

void
Nic::Decide(TimePs now)
{
    if (!m_engine.IsUsed())
    {
        Send(now);
        return;
    }
    bool isSent = false;
    do
    {
        PullPacket(now);
        isSent = Send(now);
        // A packet that has to wait for the end of a restraint makes way for the next.
    } while (m_engine.TakeHeld() && !isSent);
    m_sendAt = *m_decision;
    DecideByEngine();
}

void
Nic::PullPacket(TimePs now)
{
    while (m_engine.MayBeAsked())
    {
        const std::optional<EnginePacket> packet = m_engine.Pull(now);
        if (!packet)
        {
            return;
        }
        m_scheduler.Append(packet->queue,
                           {packet->bytes, packet->handle, packet->kind, m_engine.OffersAll()});
    }
}

bool
Nic::Send(TimePs now)
{
    if (m_isUnusual && ComesFirst(now))
    {
        return true;
    }
    const SendOutcome outcome = m_scheduler.Send(now);
    SetDecision(m_isUnusual ? std::min(outcome.next, NextDuty(now)) : outcome.next);
    if (m_engine.IsUsed() && outcome.sent)
    {
        if (outcome.isOffered)
        {
            m_engine.PacketGoes(outcome.queue, now, std::max(now, m_uplink.FreeAt()));
            // Others have their packets in the queues already, but for those that waited for this
            // one to go.
            if ((m_engines || m_engine.MayBeAsked()) && !m_scheduler.Wire())
            {
                BringForward(m_uplink.FreeAt()); // see below
            }
            return true;
        }
        m_engine.Sent(*outcome.sent, outcome.queue);
        if (!m_scheduler.Wire()) // which has the end of a frame as its next time
        {
            SetDecision(m_uplink.FreeAt()); // what the engine has to send is not known before
        }
    }
    return outcome.sent.has_value();
}

bool
Nic::ComesFirst(TimePs now)
{
    return (m_outages && IsHeldBack(now)) || (m_pauseEnd && SendPause(now)) ||
           (m_creditEnd && SendCredits(now));
}

TimePs
Nic::NextDuty(TimePs now)
{
    // Who waits for the end of a pause must not sleep over an outage, which ends it.
    const TimePs resume = m_outages ? m_outages->NextResume(now) : NEVER;
    const TimePs pause = m_pauseEnd ? m_receiveBuffer->Pauses()->NextTime(now) : NEVER;
    const TimePs credit = m_creditEnd ? m_receiveBuffer->CreditsToTell()->DueAt() : NEVER;
    const TimePs due = std::min(pause, credit); // a host has only one of them
    // One that is due waits for the wire, whose next step is planned.
    return due > now ? std::min(resume, std::max(due, m_uplink.FreeAt())) : resume;
}

bool
Nic::SendCredits(TimePs now)
{
    CreditReturn& credits = *m_receiveBuffer->CreditsToTell();
    if (!credits.IsDue(now) || !m_scheduler.IsWireFree(now))
    {
        return false;
    }
    const auto tell = [&](const CreditOrder& order) {
        m_creditEnd->TakeCredits(m_port, order, now);
    };
    SendCreditFrame(m_uplink, credits, m_receiveBuffer->Credits(), now, 0, tell);
    m_scheduler.HoldWire(now);
    SetDecision(m_uplink.FreeAt());
    return true;
}

bool
Nic::SendPause(TimePs now)
{
    ReceivePauses& pauses = *m_receiveBuffer->Pauses();
    if (!pauses.HasOrder(now) || !m_scheduler.IsWireFree(now))
    {
        return false;
    }
    PauseOrder order;
    const Attempt attempt = m_uplink.TryPause(pauses, now, order);
    m_scheduler.HoldWire(now);
    if (attempt != Attempt::LATER)
    {
        m_pauseEnd->TakePause(m_port, order, attempt);
    }
    SetDecision(m_uplink.FreeAt());
    return true;
}

bool
Nic::IsHeldBack(TimePs now)
{
    if (const TimePs until = m_outages->HeldUntil(now); until != 0)
    {
        m_scheduler.HoldBack(m_outages->FailedAt(now));
        SetDecision(until);
        return true;
    }
    if (const TimePs up = m_outages->TakeUpTime(now); up != 0)
    {
        // All of the outage may have passed while the wire was taken by a repeat of the link.
        m_scheduler.HoldBack(m_outages->FailedAt(now));
        m_scheduler.ForgetPauses(up);
        m_uplink.Open(up);
        if (m_pauseEnd)
        {
            m_receiveBuffer->Pauses()->LinkUp();
        }
    }
    return false;
}

void
Nic::FailLinkAt(TimePs at, TimePs known)
{
    if (!m_outages)
    {
        m_outages = std::make_unique<LinkOutages>();
        m_isUnusual = true;
    }
    m_outages->Fail(at, known);
}

void
Nic::RepairLinkAt(TimePs at, TimePs quiet, TimePs told)
{
    const TimePs resume = m_outages->Repair(at, quiet, told);
    m_sendAt = std::min(m_sendAt, resume);
    BringForward(resume);
    m_agenda->Wake(NextEffect());
}

void
Nic::ReserveRoom(const Frame& frame)
{
    m_receiveBuffer->Reserve(frame);
}

bool
Nic::Buffer(Frame& frame, bool isCut, TimePs known)
{
    const bool isLost = isCut || frame.corrupt;
    const bool fits = isLost || m_receiveBuffer->Take(frame, known);
    if (isLost)
    {
        m_receiveBuffer->GiveBack(frame, known);
    }
    if (m_creditEnd)
    {
        DecideFrom(std::max(known, m_receiveBuffer->CreditsToTell()->DueAt()));
    }
    if (const ReceivePauses* pauses = Pauses())
    {
        DecideFrom(std::max(known, pauses->NextKnown()));
    }
    return fits;
}

void
Nic::Expect(Frame& frame, TimePs known)
{
    const bool isCut = m_outages && IsCut(frame);
    if (m_receiveBuffer && !Buffer(frame, isCut, known))
    {
        m_arrivals.Overflow(frame);
        m_listener->FrameDamaged(frame);
        return;
    }
    switch (m_arrivals.Take(frame, known, isCut))
    {
    case Arrival::DAMAGED:
        m_listener->FrameDamaged(frame);
        break;
    case Arrival::PACKET:
        m_listener->PacketComplete(frame, frame.time);
        break;
    case Arrival::ENGINE:
        TakeForEngine(frame);
        break;
    case Arrival::PART:
        break;
    case Arrival::MESSAGE_COMPLETE:
        m_listener->MessageComplete(frame.handle, frame.time);
        break;
    case Arrival::MESSAGE_LOST:
        m_listener->MessageLost(frame.handle);
        break;
    }
}

bool
Nic::IsCut(const Frame& frame) const
{
    const TimePs tx = m_uplink.Rate().TxTime(WireBytes(frame.payload));
    return m_outages->Cuts(frame.time - m_uplink.Timing().delay - tx, frame.time);
}

void
Nic::TakeForEngine(const Frame& frame)
{
    if (frame.kind == FrameKind::GROUP && !IsOfReduction(frame))
    {
        TakeForGroup(frame);
        return;
    }
    if (!m_engine.Takes(frame.kind))
    {
        m_listener->FrameDamaged(frame); // nobody here speaks it
        return;
    }
    m_engine.Arrive(frame);
    DecideByEngine();
}

void
Nic::TakeForGroup(const Frame& frame)
{
    if (m_groupAssembly.Take(frame.handle, frame.payload, m_messages.At(frame.handle).bytes))
    {
        m_listener->MessageComplete(frame.handle, frame.time);
    }
}

void
Nic::Lose(const Frame& frame)
{
    if (m_receiveBuffer)
    {
        m_receiveBuffer->GiveBack(frame, 0);
    }
    m_arrivals.Lose(frame);
    m_listener->FrameDamaged(frame);
}

} // namespace ns3::fabric
