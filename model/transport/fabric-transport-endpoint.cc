/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-endpoint.h"

#include "fabric-require.h"
#include "fabric-stranger-reply.h"

#include <algorithm>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// @return the same @throw std::invalid_argument if one is out of its range
template <typename Settings>
const Settings&
Valid(const Settings& settings)
{
    settings.Validate();
    return settings;
}

} // namespace

TransportEndpoint::TransportEndpoint(const TransportSettings& settings,
                                     const ConnectionSettings& accepted)
    : m_shared(Valid(settings), Valid(accepted)),
      m_connections(settings.maxConnections),
      m_lookups(settings),
      m_largestMtu(accepted.mtu)
{
}

// ---- the ULPs ----

ConnectionId
TransportEndpoint::Connect(PeerAddress peer, const ConnectionSettings& settings, TimePs now)
{
    settings.Validate();
    const std::optional<ConnectionTable::Entry> entry = m_connections.Add(m_shared);
    if (!entry)
    {
        return NO_CONNECTION;
    }
    m_largestMtu = std::max(m_largestMtu, settings.mtu);
    entry->connection.SetInitiator(m_connections.NumberOf(peer));
    entry->connection.Connect(entry->cid, peer, settings, now);
    Settle(entry->connection, now);
    return entry->cid;
}

bool
TransportEndpoint::Close(ConnectionId cid, TimePs now)
{
    TransportConnection* connection = m_connections.Find(cid);
    if (connection == nullptr)
    {
        return false;
    }
    connection->Close(now);
    Settle(*connection, now);
    return true;
}

bool
TransportEndpoint::Reset(ConnectionId cid, TimePs now)
{
    TransportConnection* connection = m_connections.Find(cid);
    if (connection == nullptr)
    {
        return false;
    }
    connection->Fail(TransportStatus::CONNECTION_RESET, std::nullopt, true, now);
    Settle(*connection, now);
    return true;
}

bool
TransportEndpoint::CanRequest(ConnectionId cid) const
{
    const TransportConnection* connection = m_connections.Find(cid);
    return connection != nullptr && connection->CanRequest();
}

std::optional<RequestId>
TransportEndpoint::Issue(ConnectionId cid,
                         UlpOperation operation,
                         uint32_t bytes,
                         uint64_t tag,
                         TimePs now)
{
    RequireRange("Transport", "the size of a transaction", bytes, 0, MAX_TRANSACTION);
    TransportConnection* connection = m_connections.Find(cid);
    if (connection == nullptr || !connection->CanRequest())
    {
        return std::nullopt;
    }
    const std::optional<RequestId> rsn = connection->Issue(operation, bytes, tag, now);
    if (!rsn)
    {
        ++m_shared.counters.refusals;
        m_shared.delivery.room.Want();
        return rsn;
    }
    ++m_shared.counters.requests;
    Settle(*connection, now);
    return rsn;
}

bool
TransportEndpoint::AckRequest(ConnectionId cid,
                              RequestId rsn,
                              UlpAnswer answer,
                              TimePs now,
                              TimePs retryAfter)
{
    TransportConnection* connection = m_connections.Find(cid);
    if (connection == nullptr)
    {
        return false;
    }
    const bool isValid = connection->Answer(rsn, answer, now, retryAfter);
    Settle(*connection, now);
    return isValid;
}

bool
TransportEndpoint::Respond(ConnectionId cid, RequestId rsn, TimePs now)
{
    TransportConnection* connection = m_connections.Find(cid);
    if (connection == nullptr)
    {
        return false;
    }
    const bool isValid = connection->Target().Respond(rsn);
    Settle(*connection, now);
    return isValid;
}

std::optional<UlpEvent>
TransportEndpoint::NextEvent()
{
    while (!m_shared.events.IsEmpty())
    {
        UlpEvent event = m_shared.events.Front();
        m_shared.events.Pop();
        if (event.type != UlpEventType::REQUEST)
        {
            return event;
        }
        TransportConnection* connection = m_connections.Find(event.cid);
        if (connection == nullptr)
        {
            continue;
        }
        const bool isPresented = connection->Target().Present(event);
        Settle(*connection, std::max(m_now, event.at));
        if (isPresented)
        {
            return event;
        }
    }
    return std::nullopt;
}

// ---- after each call ----

void
TransportEndpoint::Settle(TransportConnection& connection, TimePs now)
{
    m_now = std::max(m_now, now);
    Update(connection, now);
    if (m_shared.targets.grants.TakeDue())
    {
        Grant(now);
    }
    if (m_shared.targets.credits.TakeDue())
    {
        GiveCredits(now);
    }
    if (m_shared.delivery.room.Take())
    {
        UlpEvent event;
        event.type = UlpEventType::ROOM;
        event.at = now;
        m_shared.events.Push(event);
    }
}

void
TransportEndpoint::Update(TransportConnection& connection, TimePs now)
{
    const uint32_t place = PlaceOf(connection.Terms().cid);
    if (connection.IsGone())
    {
        m_timers.Stop(place);
        m_shared.scheduler.Resume(place); // whoever is there next may go another way
        m_connections.Remove(connection);
        return;
    }
    connection.Schedule(now);
    m_timers.Lower(place, connection.NextDeadline(), connection.NextSend(now));
}

void
TransportEndpoint::Grant(TimePs now)
{
    GrantControl& grants = m_shared.targets.grants;
    while (!grants.IsEmpty())
    {
        const GrantCandidate candidate = grants.Next();
        TransportConnection* connection = m_connections.Find(candidate.cid);
        if (grants.IsPullNext())
        {
            if (connection == nullptr || !connection->Initiator().WaitsToAsk(candidate.rsn))
            {
                grants.Drop(); // its connection has failed
                continue;
            }
            if (!grants.Ask())
            {
                return; // comes again when data has arrived
            }
            connection->Initiator().Ask();
            Update(*connection, now);
            continue;
        }
        const uint32_t left =
            connection == nullptr ? 0 : connection->Target().ToGrant(candidate.rsn);
        if (left == 0)
        {
            grants.Drop(); // its connection has failed
            continue;
        }
        TransportTarget& target = connection->Target();
        const GrantControl::Decision decision =
            grants.Decide(left, connection->Terms().mtu, target.WouldBuffer(candidate.rsn));
        if (decision.verdict == GrantControl::Verdict::WAIT)
        {
            return; // comes again when granted data has arrived
        }
        if (decision.verdict == GrantControl::Verdict::GRANT)
        {
            target.Grant(candidate.rsn, decision.bytes);
            Update(*connection, now);
        }
    }
}

void
TransportEndpoint::GiveCredits(TimePs now)
{
    CreditControl& credits = m_shared.targets.credits;
    while (const std::optional<CreditControl::Waiter> waiter = credits.Next())
    {
        if (TransportConnection* connection = m_connections.Find(waiter->cid))
        {
            connection->Target().Serve(*waiter);
            Update(*connection, now);
        }
    }
    if (!credits.TakeShortage())
    {
        return;
    }
    for (uint32_t left = m_connections.Places(); left > 0; --left)
    {
        m_lastMetered = m_lastMetered % m_connections.Places() + 1;
        TransportConnection* connection = m_connections.At(m_lastMetered);
        if (connection != nullptr && connection->Target().IsTrusted())
        {
            connection->MeterPeer();
            return;
        }
    }
}

// ---- packets and timers ----

void
TransportEndpoint::LookUp(const TransportPacket& packet, PeerAddress peer, TimePs now)
{
    m_lookups.Push(packet, peer, now);
    TakeLookedUp(now);
}

void
TransportEndpoint::ReceiveHeader(const TransportPacket& packet, PeerAddress peer, TimePs now)
{
    if (packet.isCorrupt)
    {
        ++m_shared.counters.corrupt;
        return;
    }
    ++m_shared.counters.trimmed;
    TransportConnection* connection = m_connections.Find(packet.cid);
    if (connection == nullptr || connection->Terms().peer != peer)
    {
        ++m_shared.counters.badCid; // the whole packet will come, and be answered
        return;
    }
    connection->ReceiveHeader(packet, now);
    Settle(*connection, now);
}

void
TransportEndpoint::TakeTelemetry(const TransportPacket& packet,
                                 PeerAddress peer,
                                 const HopStack& stack,
                                 TimePs now)
{
    TransportConnection* connection = m_connections.Find(packet.cid);
    if (!packet.isCorrupt && stack.count > 0 && connection != nullptr &&
        connection->Terms().peer == peer)
    {
        connection->TakeTelemetry(packet, stack, now);
    }
}

void
TransportEndpoint::TakeLookedUp(TimePs now)
{
    while (m_lookups.Next() <= now)
    {
        const LookupPipeline::Arrival arrival = m_lookups.Take();
        Take(arrival.packet, arrival.peer, arrival.at);
    }
}

void
TransportEndpoint::Take(const TransportPacket& packet, PeerAddress peer, TimePs now)
{
    TransportCounters& counters = m_shared.counters;
    if (packet.isCorrupt)
    {
        ++counters.corrupt;
        return;
    }
    if (static_cast<uint32_t>(packet.type) >= TRANSPORT_PACKET_TYPES)
    {
        ++counters.malformed;
        return;
    }
    ++counters.received[static_cast<uint32_t>(packet.type)];
    if (packet.type == TransportPacketType::CONNECT)
    {
        OnConnect(packet, peer, now);
        return;
    }
    if (packet.type == TransportPacketType::NACK && packet.nack == NackCode::BAD_CID)
    {
        OnBadCid(packet, peer, now);
        return;
    }
    TransportConnection* connection = m_connections.Find(packet.cid);
    if (connection == nullptr || connection->Terms().peer != peer)
    {
        OnStranger(packet, peer);
        return;
    }
    OnPacket(*connection, packet, now);
}

void
TransportEndpoint::OnConnect(const TransportPacket& packet, PeerAddress peer, TimePs now)
{
    if (!ConnectionTerms::AreValid(packet.offer))
    {
        ++m_shared.counters.malformed;
        return;
    }
    if (TransportConnection* known = m_connections.FindByPeer(peer, packet.offer.sourceCid))
    {
        known->RepeatAccept();
        Settle(*known, now);
        return;
    }
    const std::optional<ConnectionTable::Entry> entry =
        m_shared.settings.acceptsConnections ? m_connections.Add(m_shared) : std::nullopt;
    if (!entry)
    {
        m_shared.replies.Push(peer, RefusalOf(packet));
        return;
    }
    TransportConnection& connection = entry->connection;
    connection.Accept(entry->cid, m_connections.NumberOf(peer), peer, packet, now);
    m_connections.AddPeer(connection);
    Settle(connection, now);
}

void
TransportEndpoint::OnStranger(const TransportPacket& packet, PeerAddress peer)
{
    ++m_shared.counters.badCid;
    if (const std::optional<TransportPacket> reply = ReplyToStranger(packet))
    {
        m_shared.replies.Push(peer, *reply);
    }
}

void
TransportEndpoint::OnBadCid(const TransportPacket& packet, PeerAddress peer, TimePs now)
{
    TransportConnection* connection = m_connections.FindByPeer(peer, packet.offer.sourceCid);
    if (connection == nullptr)
    {
        ++m_shared.counters.badCid;
        return;
    }
    connection->PeerDoesNotKnow(now);
    Settle(*connection, now);
}

void
TransportEndpoint::OnPacket(TransportConnection& connection,
                            const TransportPacket& packet,
                            TimePs now)
{
    const bool isNew = connection.Terms().peerCid == NO_CONNECTION;
    connection.Receive(packet, now);
    if (isNew && connection.Terms().peerCid != NO_CONNECTION)
    {
        m_connections.AddPeer(connection);
    }
    Settle(connection, now);
}

std::optional<OutgoingPacket>
TransportEndpoint::NextPacket(TimePs now)
{
    std::optional<OutgoingPacket> result;
    if (!m_shared.replies.IsEmpty())
    {
        m_shared.waitsSince = now;
        result = m_shared.replies.Take();
        ++m_shared.counters.sent[static_cast<uint32_t>(result->packet.type)];
        return result;
    }
    while (const auto choice = m_shared.scheduler.Next(Allowed()))
    {
        TransportConnection* connection = m_connections.At(choice->connection);
        if (connection == nullptr)
        {
            continue;
        }
        result.emplace();
        const bool isSent = connection->Send(choice->txClass, result->packet, now);
        result->peer = connection->Terms().peer;
        result->place = choice->connection;
        if (std::exchange(m_shared.delivery.isSeenTold, false))
        {
            result->seen = &m_shared.delivery.seen;
        }
        Settle(*connection, now);
        if (isSent)
        {
            m_shared.waitsSince = now;
            ++m_shared.counters.sent[static_cast<uint32_t>(result->packet.type)];
            return result;
        }
    }
    return std::nullopt;
}

void
TransportEndpoint::RunUntil(TimePs now)
{
    while (NextTime() <= now)
    {
        if (m_lookups.Next() <= m_timers.Next())
        {
            TakeLookedUp(m_lookups.Next());
            continue;
        }
        TransportConnection& connection = *m_connections.At(m_timers.TakeNext());
        connection.RunUntil(now);
        Settle(connection, now);
    }
}

// ---- to look at ----

TransportOccupancy
TransportEndpoint::Occupancy() const
{
    return {m_shared.initiators.entries.Occupancy(),
            m_shared.targets.entries.Occupancy(),
            m_shared.delivery.packetEntries.Occupancy(),
            m_shared.delivery.payload.Occupancy(),
            m_shared.targets.payload.Occupancy(),
            m_shared.targets.grants.Occupancy(),
            m_shared.targets.credits.Kept()};
}

std::optional<ConnectionView>
TransportEndpoint::View(ConnectionId cid, TimePs now) const
{
    const TransportConnection* connection = m_connections.Find(cid);
    return connection == nullptr ? std::nullopt
                                 : std::make_optional(connection->View(std::max(m_now, now)));
}

} // namespace ns3::fabric
