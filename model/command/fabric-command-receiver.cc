/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-receiver.h"

#include <iterator>

namespace ns3::fabric
{

void
CommandReceiver::Arrive(const Frame& frame)
{
    m_arriving.Push({frame.time, frame.handle, frame.src, frame.vni, frame.trafficClass});
}

void
CommandReceiver::Handle(TimePs now)
{
    while (m_arriving.Earliest() <= now)
    {
        const Arrival arrival = m_arriving.Front();
        m_arriving.Pop();
        const CommandPacket packet = m_network.Take(arrival.source, arrival.handle);
        ConnectionTracker& tracker = m_sender.Tracker();
        if (!tracker.IsOn())
        {
            Take(packet, arrival, 0);
            continue;
        }
        const uint32_t connection =
            m_network.QueueOf({arrival.source, arrival.trafficClass, arrival.vni});
        const bool isTaken = tracker.Take(connection, packet, now);
        FailConnections(now); // before what comes on the same connection
        if (isTaken)
        {
            Take(packet, arrival, connection);
        }
    }
    while (m_inside.Earliest() <= now)
    {
        const Inside inside = m_inside.Front();
        m_inside.Pop();
        if (!inside.IsOrdered())
        {
            TakeInside(inside, now);
        }
        else if (m_sender.Tracker().Turn(inside.connection) == inside.turn)
        {
            TakeOrdered(inside, now);
        }
    }
}

void
CommandReceiver::TakeOrdered(const Inside& inside, TimePs now)
{
    if (TakeInside(inside, now))
    {
        m_sender.Tracker().Finish(inside.connection, now);
    }
    else
    {
        m_sender.Tracker().Refuse(inside.connection, now);
    }
}

bool
CommandReceiver::TakeInside(const Inside& inside, TimePs now)
{
    const CommandPacket& packet = inside.packet;
    if (packet.kind == CommandPacketKind::REQUEST)
    {
        Serve(packet, inside.back, now);
        return true;
    }
    if (packet.op == CommandOp::TAGGED)
    {
        return m_target.TakeData(packet, inside.back, inside.connection, now);
    }
    if (m_got.count(CommandKey(inside.back.dst, packet.id, packet.turn)) == 0 &&
        !m_target.Admits(now))
    {
        return false;
    }
    TakeData(packet, inside.back, inside.connection, now);
    return true;
}

void
CommandReceiver::Serve(const CommandPacket& packet, const MessageFlow& back, TimePs now)
{
    ++m_counts.requests;
    if (packet.op != CommandOp::ATOMIC)
    {
        m_sender.Respond(back, packet, now);
        return;
    }
    const AtomicResult result = m_atomics.Do(packet.atomic, now);
    Passes(CommandStage::ATOMIC, packet, back.dst, result.at);
    CommandPacket answer;
    answer.id = packet.id;
    answer.turn = packet.turn;
    answer.kind = CommandPacketKind::ACK;
    answer.isRefused = result.isRefused;
    if (packet.atomic.fetches && !result.isRefused)
    {
        answer.kind = CommandPacketKind::REPLY;
        answer.op = CommandOp::ATOMIC;
        answer.bytes = packet.atomic.Bytes();
        answer.atomic.operand = result.word;
    }
    if (!result.isRefused)
    {
        m_counters.Advance(packet.counter, result.at);
    }
    m_sender.Send(back, answer, result.at);
}

TimePs
CommandReceiver::ThroughAt(const CommandPacket& packet, TimePs at, TimePs passes, TimePs& last)
{
    const TimePs waits = packet.bytes != 0 ? m_translation.Look() : 0;
    last = std::max(last, at + passes + waits);
    return last;
}

void
CommandReceiver::Take(const CommandPacket& packet, const Arrival& arrival, uint32_t connection)
{
    ConnectionTracker& tracker = m_sender.Tracker();
    const MessageFlow back{arrival.source, arrival.trafficClass, arrival.vni};
    const bool isOrdered = packet.track.epoch != 0 && packet.track.kind == TrackClass::ORDERED;
    Passes(CommandStage::FABRIC, packet, arrival.source, arrival.at);
    switch (packet.kind)
    {
    case CommandPacketKind::TRACK:
        return;
    case CommandPacketKind::ACK:
        TakeAck(packet, arrival.source, arrival.at + m_settings.stages.complete);
        return;
    case CommandPacketKind::REPLY:
        TakeReply(packet,
                  arrival.source,
                  ThroughAt(packet, arrival.at, m_settings.stages.complete, m_repliedAt));
        return;
    case CommandPacketKind::DATA:
    case CommandPacketKind::REQUEST:
        break;
    }
    const TimePs at = ThroughAt(packet, arrival.at, m_settings.stages.inbound, m_insideAt);
    Passes(CommandStage::INBOUND, packet, arrival.source, at);
    const bool isPlain = packet.kind == CommandPacketKind::DATA && packet.op != CommandOp::TAGGED;
    if (isPlain && !isOrdered)
    {
        TakeData(packet, back, connection, at);
        return;
    }
    m_inside.Push({at, back, connection, isOrdered ? tracker.Turn(connection) : 0, packet});
}

bool
CommandReceiver::IsForOwn(const CommandPacket& packet) const
{
    return !m_sender.Tracker().IsOn() || m_sender.IsUnder(packet.id, packet.turn);
}

void
CommandReceiver::TakeData(const CommandPacket& packet,
                          const MessageFlow& back,
                          uint32_t connection,
                          TimePs at)
{
    if (packet.bytes != 0)
    {
        const TimePs there = m_pcie.Write(PcieSide::NIC, m_writes, packet.bytes, at);
        Passes(CommandStage::WRITE, packet, back.dst, there);
    }
    if (!IsWhole(packet, back.dst, connection))
    {
        return;
    }
    m_counts.bytes += packet.length;
    m_counters.Advance(packet.counter, at);
    const bool isSend = packet.op == CommandOp::SEND;
    ++(isSend ? m_counts.sends : m_counts.puts);
    CommandPacket ack;
    ack.kind = CommandPacketKind::ACK;
    ack.id = packet.id;
    ack.turn = packet.turn;
    m_sender.Send(back, ack, at);
    if (isSend)
    {
        CommandReport report;
        report.event = CommandEvent::MESSAGE;
        report.postedAt = packet.postedAt;
        report.bytes = report.sent = packet.length;
        report.source = back.dst;
        report.isPacket = packet.isPacket;
        report.bits = packet.isPacket ? packet.bits : 0;
        const TimePs seen = m_target.Tell(m_writes, report, at);
        if (m_steps.IsOn() && seen != NEVER)
        {
            m_steps.Whole(CommandStage::EVENT, {back.dst, packet.turn, packet.id, false}, seen);
        }
    }
}

void
CommandReceiver::TakeAck(const CommandPacket& packet, LocationId source, TimePs at)
{
    if (!IsForOwn(packet))
    {
        return;
    }
    Passes(CommandStage::INBOUND, packet, source, at);
    const CommandEvent event = packet.isRefused ? CommandEvent::REFUSED : CommandEvent::COMPLETE;
    Complete(packet.id, event, 0, at);
}

void
CommandReceiver::TakeReply(const CommandPacket& packet, LocationId source, TimePs at)
{
    Passes(CommandStage::INBOUND, packet, source, at);
    if (packet.op == CommandOp::TAGGED)
    {
        m_target.TakeReply(packet, at);
        return;
    }
    if (!IsForOwn(packet))
    {
        return;
    }
    if (packet.bytes != 0)
    {
        const TimePs there = m_pcie.Write(PcieSide::NIC, m_events, packet.bytes, at);
        Passes(CommandStage::WRITE, packet, source, there);
    }
    OutstandingCommand& own = m_sender.Under(packet.id);
    own.got += packet.bytes;
    if (own.got == own.bytes || packet.op == CommandOp::ATOMIC)
    {
        Complete(packet.id, CommandEvent::COMPLETE, packet.atomic.operand, at);
    }
}

void
CommandReceiver::Complete(uint32_t id, CommandEvent event, uint64_t value, TimePs at)
{
    const OutstandingCommand own = m_sender.Complete(id);
    ++m_counts.acknowledged;
    m_counters.Advance(own.counter, at);
    const TimePs seen = TellEnd(own, event, value, at);
    if (m_steps.IsOn())
    {
        m_steps.Whole(CommandStage::EVENT, {0, own.turn, id, false}, seen);
    }
}

TimePs
CommandReceiver::TellEnd(const OutstandingCommand& own,
                         CommandEvent event,
                         uint64_t value,
                         TimePs at)
{
    CommandReport report;
    report.event = event;
    report.queue = own.queue;
    report.postedAt = own.postedAt;
    report.bytes = own.bytes;
    report.value = value;
    report.isPacket = own.isPacket;
    return m_toHost.TellOwn(m_events, report, at);
}

void
CommandReceiver::FailConnections(TimePs now)
{
    while (const std::optional<uint32_t> connection = m_sender.TakeFailed())
    {
        Fail(*connection, now);
    }
}

void
CommandReceiver::Fail(uint32_t connection, TimePs now)
{
    for (const OutstandingCommand& own : m_sender.TakeCommands(connection))
    {
        ++m_counts.failed;
        TellEnd(own, CommandEvent::FAILED, 0, now);
    }
    for (auto part = m_got.begin(); part != m_got.end();)
    {
        const bool hasFailed = part->second.connection == connection;
        if (hasFailed && part->second.op == CommandOp::SEND)
        {
            m_target.Release();
        }
        part = hasFailed ? m_got.erase(part) : std::next(part);
    }
    m_target.Fail(connection, now);
}

bool
CommandReceiver::IsWhole(const CommandPacket& packet, LocationId source, uint32_t connection)
{
    if (packet.bytes == packet.length)
    {
        return true;
    }
    const uint64_t key = CommandKey(source, packet.id, packet.turn);
    const auto place = m_got.try_emplace(key, Part{0, connection, packet.op}).first;
    place->second.got += packet.bytes;
    if (place->second.got != packet.length)
    {
        return false;
    }
    m_got.erase(place);
    return true;
}

} // namespace ns3::fabric
