/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-receiver.h"

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
        Take(m_network.Take(arrival.source, arrival.handle), arrival);
    }
    while (m_inside.Earliest() <= now)
    {
        const Inside inside = m_inside.Front();
        m_inside.Pop();
        if (inside.packet.kind == CommandPacketKind::REQUEST)
        {
            Serve(inside.packet, inside.back, now);
        }
        else
        {
            m_target.TakeData(inside.packet, inside.back, now);
        }
    }
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
    CommandPacket answer;
    answer.id = packet.id;
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
CommandReceiver::Take(const CommandPacket& packet, const Arrival& arrival)
{
    switch (packet.kind)
    {
    case CommandPacketKind::ACK:
        Complete(packet.id,
                 packet.isRefused ? CommandEvent::REFUSED : CommandEvent::COMPLETE,
                 0,
                 arrival.at + m_settings.stages.complete);
        return;
    case CommandPacketKind::REPLY:
        TakeReply(packet, ThroughAt(packet, arrival.at, m_settings.stages.complete, m_repliedAt));
        return;
    case CommandPacketKind::DATA:
        if (packet.op != CommandOp::TAGGED)
        {
            TakeData(packet, arrival);
            return;
        }
        break;
    case CommandPacketKind::REQUEST:
        break;
    }
    m_inside.Push({ThroughAt(packet, arrival.at, m_settings.stages.inbound, m_insideAt),
                   {arrival.source, arrival.trafficClass, arrival.vni},
                   packet});
}

void
CommandReceiver::TakeData(const CommandPacket& packet, const Arrival& arrival)
{
    const TimePs at = ThroughAt(packet, arrival.at, m_settings.stages.inbound, m_insideAt);
    if (packet.bytes != 0)
    {
        m_pcie.Write(PcieSide::NIC, m_writes, packet.bytes, at);
    }
    if (!IsWhole(packet, arrival.source))
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
    m_sender.Send({arrival.source, arrival.trafficClass, arrival.vni}, ack, at);
    if (isSend)
    {
        CommandReport report;
        report.event = CommandEvent::MESSAGE;
        report.postedAt = packet.postedAt;
        report.bytes = report.sent = packet.length;
        report.source = arrival.source;
        m_toHost.TellMessage(m_writes, report, at);
    }
}

void
CommandReceiver::TakeReply(const CommandPacket& packet, TimePs at)
{
    if (packet.op == CommandOp::TAGGED)
    {
        m_target.TakeReply(packet, at);
        return;
    }
    if (packet.bytes != 0)
    {
        m_pcie.Write(PcieSide::NIC, m_events, packet.bytes, at);
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
    CommandReport report;
    report.event = event;
    report.queue = own.queue;
    report.postedAt = own.postedAt;
    report.bytes = own.bytes;
    report.value = value;
    m_toHost.TellOwn(m_events, report, at);
}

bool
CommandReceiver::IsWhole(const CommandPacket& packet, LocationId source)
{
    if (packet.bytes == packet.length)
    {
        return true;
    }
    const auto place = m_got.try_emplace(uint64_t{source} << 32 | packet.id, 0).first;
    place->second += packet.bytes;
    if (place->second != packet.length)
    {
        return false;
    }
    m_got.erase(place);
    return true;
}

} // namespace ns3::fabric
