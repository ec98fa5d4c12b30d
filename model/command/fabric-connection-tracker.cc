/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-connection-tracker.h"

#include <algorithm>

namespace ns3::fabric
{

TrackClass
ConnectionTracker::ClassOf(const CommandPacket& packet)
{
    // What may be done twice, or in any order, comes packet by packet; what changes the state of
    // the target comes in order.
    const bool isMessage = packet.kind == CommandPacketKind::DATA && packet.op != CommandOp::PUT;
    const bool isAtomic =
        packet.kind == CommandPacketKind::REQUEST && packet.op == CommandOp::ATOMIC;
    return isMessage || isAtomic ? TrackClass::ORDERED : TrackClass::SINGLE;
}

ConnectionTracker::Connection&
ConnectionTracker::At(uint32_t connection)
{
    while (m_connections.size() <= connection)
    {
        m_connections.emplace_back(m_settings);
    }
    return m_connections[connection];
}

void
ConnectionTracker::Plan(uint32_t connection)
{
    const TimePs next = m_connections[connection].tracked.NextTime();
    if (next != m_timers.Time(connection))
    {
        m_timers.Set(connection, next);
    }
}

void
ConnectionTracker::Admit(const DepartingPacket& packet)
{
    Connection& connection = At(packet.nicQueue);
    const TrackClass kind = ClassOf(packet.packet);
    Ring<DepartingPacket>& held = connection.held[static_cast<uint32_t>(kind)];
    if (!held.IsEmpty() || !connection.tracked.HasRoom(kind))
    {
        held.Push(packet);
        return;
    }
    Go(connection, kind, packet);
    Plan(packet.nicQueue);
}

void
ConnectionTracker::Go(Connection& connection, TrackClass kind, DepartingPacket packet)
{
    const PacketTrack track = connection.tracked.Track(kind, packet);
    connection.tracked.Find(track)->packet.track = packet.packet.track = track;
    if (packet.packet.kind == CommandPacketKind::ACK)
    {
        packet.packet.acks = connection.tracked.Tell(); // it goes there anyhow
    }
    ++m_counts.tracked;
    m_sender.Offer(packet);
}

void
ConnectionTracker::Release(Connection& connection)
{
    for (const TrackClass kind : {TrackClass::SINGLE, TrackClass::ORDERED})
    {
        Ring<DepartingPacket>& held = connection.held[static_cast<uint32_t>(kind)];
        while (!held.IsEmpty() && connection.tracked.HasRoom(kind))
        {
            const DepartingPacket packet = held.Front();
            held.Pop();
            Go(connection, kind, packet);
        }
    }
}

void
ConnectionTracker::Gone(uint32_t connection, const PacketTrack& track, TimePs now)
{
    Connection& known = At(connection);
    known.tracked.Gone(track, now);
    Release(known); // what must not overtake it
    Plan(connection);
}

void
ConnectionTracker::Open(uint32_t connection)
{
    At(connection).tracked.Open();
}

void
ConnectionTracker::Close(uint32_t connection)
{
    At(connection).tracked.Close();
}

bool
ConnectionTracker::Take(uint32_t connection, const CommandPacket& packet, TimePs now)
{
    Connection& known = At(connection);
    for (const uint8_t epoch : {packet.track.epoch, packet.acks.epoch})
    {
        if (epoch != 0 && IsLaterEpoch(epoch, known.tracked.Epoch()))
        {
            Begin(connection, epoch, now);
        }
    }
    if (packet.acks.epoch != 0)
    {
        known.tracked.Learn(packet.acks, now);
        Release(known);
    }
    const bool isTracked = packet.track.epoch != 0;
    const TrackVerdict verdict =
        isTracked ? known.tracked.Take(packet.track, now) : TrackVerdict::FRESH;
    m_counts.again += verdict == TrackVerdict::AGAIN ? 1 : 0;
    m_counts.early += verdict == TrackVerdict::EARLY ? 1 : 0;
    m_counts.stale += verdict == TrackVerdict::STALE ? 1 : 0;
    Plan(connection);
    return verdict == TrackVerdict::FRESH && packet.kind != CommandPacketKind::TRACK;
}

void
ConnectionTracker::Finish(uint32_t connection, TimePs now)
{
    At(connection).tracked.Finish(now);
    Plan(connection);
}

void
ConnectionTracker::Refuse(uint32_t connection, TimePs now)
{
    ++m_counts.refused;
    At(connection).tracked.Refuse(now);
    Plan(connection);
}

void
ConnectionTracker::Allow(TimePs now)
{
    for (uint32_t connection = 0; connection < m_connections.size(); ++connection)
    {
        m_connections[connection].tracked.Allow(now);
        Plan(connection);
    }
}

void
ConnectionTracker::Begin(uint32_t connection, uint8_t epoch, TimePs now)
{
    Connection& failed = m_connections[connection];
    failed.tracked.Begin(epoch);
    for (Ring<DepartingPacket>& held : failed.held)
    {
        for (; !held.IsEmpty(); held.Pop())
        {
            m_sender.Discard(held.Front(), now);
        }
    }
    m_sender.Fail(connection);
}

void
ConnectionTracker::SendAcks(uint32_t connection, bool isTracked)
{
    DepartingPacket sent;
    sent.nicQueue = connection;
    sent.packet.kind = CommandPacketKind::TRACK;
    sent.packet.acks = m_connections[connection].tracked.Tell();
    ++m_counts.acks;
    if (isTracked)
    {
        Go(m_connections[connection], TrackClass::SINGLE, sent);
        return;
    }
    m_sender.Offer(sent);
}

void
ConnectionTracker::Handle(TimePs now)
{
    while (m_timers.Earliest() <= now)
    {
        const uint32_t number = m_timers.First();
        Connection& connection = m_connections[number];
        m_again.clear();
        const auto due = connection.tracked.Handle(now, m_again);
        if (due.hasFailed)
        {
            ++m_counts.failures;
            Begin(number, NextEpoch(connection.tracked.Epoch()), now);
        }
        else
        {
            for (const PacketTrack& track : m_again)
            {
                ++m_counts.resent;
                m_sender.SendAgain(*connection.tracked.Find(track), now);
            }
            Release(connection);
        }
        if (due.isAck || due.isProbe)
        {
            SendAcks(number, due.isProbe);
        }
        Plan(number);
    }
}

uint64_t
ConnectionTracker::Kept() const
{
    uint64_t kept = 0;
    for (const Connection& each : m_connections)
    {
        kept += each.tracked.Kept() + each.held[0].Size() + each.held[1].Size();
    }
    return kept;
}

} // namespace ns3::fabric
