/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-transport-endpoint.h"

#include "fabric-fetch.h"
#include "fabric-require.h"
#include "fabric-timer-heap.h"
#include "fabric-transport-connection.h"
#include "fabric-transport-shared.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace fabric
{

namespace
{

/// A peer's CID, to find the own one by. Needed at set-up and after errors only.
struct PeerKey
{
    PeerAddress peer{0};     ///< Who.
    ConnectionId peerCid{0}; ///< Its CID.

    /// @param other another @return whether it is the same
    bool operator==(const PeerKey& other) const
    {
        return peer == other.peer && peerCid == other.peerCid;
    }
};

/// Hash of a PeerKey.
struct PeerKeyHash
{
    /// @param key of a peer's connection @return its hash
    std::size_t operator()(const PeerKey& key) const
    {
        return std::hash<uint64_t>()(key.peer * 0x9E3779B97F4A7C15ULL + key.peerCid);
    }
};

constexpr uint32_t INDEX_BITS =
    16; ///< Of a CID: place in the table; above it 8 bits of generation.
constexpr uint32_t INDEX_MASK = (1U << INDEX_BITS) - 1; ///< Of the place in the table.

} // namespace

/// Connections and what they share. Places are counted from 1, since CID 0 is none.
class TransportEndpoint::Impl
{
  public:
    /// @copydoc TransportEndpoint::TransportEndpoint()
    Impl(const TransportSettings& settings, const ConnectionSettings& accepted)
        : m_shared(settings, accepted)
    {
    }

    /// A place of the table.
    struct Place
    {
        std::optional<TransportConnection> connection; ///< The one that has it now.
        uint8_t generation{0};                         ///< Of the next one that has it.
    };

    /// @param index of a place, from 1 @return the place
    Place& At(uint32_t index)
    {
        return *m_places[index - 1];
    }

    /// @param cid own @return the connection; nullptr if there is none
    TransportConnection* Find(ConnectionId cid)
    {
        const uint32_t index = cid & INDEX_MASK;
        if (index == 0 || index > m_places.size())
        {
            return nullptr;
        }
        std::optional<TransportConnection>& connection = At(index).connection;
        return connection && connection->Terms().cid == cid ? &*connection : nullptr;
    }

    /// @return a new connection's place; 0 if there is none
    uint32_t TakePlace()
    {
        uint32_t index = 0;
        if (!m_free.IsEmpty())
        {
            index = m_free.Front();
            m_free.Pop();
        }
        else if (m_places.size() < m_shared.settings.maxConnections)
        {
            m_places.push_back(std::make_unique<Place>());
            index = static_cast<uint32_t>(m_places.size());
        }
        else
        {
            return 0;
        }
        At(index).connection.emplace(m_shared);
        ++m_connections;
        return index;
    }

    /// @param index of a place @return the CID of the connection that takes it
    ConnectionId NewCid(uint32_t index)
    {
        return uint32_t{At(index).generation++} << INDEX_BITS | index;
    }

    /// @param peer an address @return its number, from 0
    uint32_t NumberOf(PeerAddress peer)
    {
        return m_numbers.try_emplace(peer, static_cast<uint32_t>(m_numbers.size())).first->second;
    }

    /// After a call for a connection: what it has to send, its timers, its end, what others may do
    /// now.
    void Settle(TransportConnection& connection, TimePs now)
    {
        m_now = std::max(m_now, now);
        Update(connection, now);
        if (m_shared.areParkedDue && !m_shared.parked.IsEmpty())
        {
            for (uint32_t left = m_shared.parked.Size(); left > 0; --left)
            {
                m_shared.grants.Add(m_shared.parked.Front());
                m_shared.parked.Pop();
            }
            m_shared.areGrantsDue = true;
        }
        m_shared.areParkedDue = false;
        if (m_shared.areGrantsDue)
        {
            m_shared.areGrantsDue = false;
            Grant(now);
        }
        if (m_shared.isRoomWanted && m_shared.isRoomThere)
        {
            m_shared.isRoomWanted = false;
            UlpEvent event;
            event.type = UlpEventType::ROOM;
            event.at = now;
            m_shared.events.Push(event);
        }
        m_shared.isRoomThere = false;
    }

    /// Puts a connection into the scheduler and the timers, or frees its place.
    void Update(TransportConnection& connection, TimePs now)
    {
        const uint32_t index = connection.Terms().cid & INDEX_MASK;
        if (connection.Phase() != TransportConnection::State::FREE)
        {
            connection.Schedule(now);
            m_deadlines.Lower(index, connection.NextDeadline());
            m_sends.Lower(index, connection.NextSend(now));
            return;
        }
        m_deadlines.Set(index, NEVER);
        m_sends.Set(index, NEVER);
        m_byPeer.erase({connection.Terms().peer, connection.Terms().peerCid});
        At(index).connection.reset();
        m_free.Push(index);
        --m_connections;
    }

    /// Grants what can be granted (RT-4).
    void Grant(TimePs now)
    {
        while (!m_shared.grants.IsEmpty())
        {
            const GrantCandidate candidate = m_shared.grants.Next();
            TransportConnection* connection = Find(candidate.cid);
            const uint32_t left =
                connection == nullptr ? 0 : connection->Target().ToGrant(candidate.rsn);
            if (left == 0)
            {
                m_shared.grants.Remove(); // its connection has failed
                continue;
            }
            const uint32_t bytes = Piece(*connection, candidate, left);
            if (!m_shared.granted.Has(bytes))
            {
                return; // comes again when granted data has arrived
            }
            if (connection->Target().WouldBuffer(candidate.rsn) &&
                !m_shared.receivePayload.Has(m_shared.granted.Used() + bytes))
            {
                m_shared.parked.Push(m_shared.grants.Remove());
                continue;
            }
            m_shared.grants.Grant(bytes);
            connection->Target().Grant(candidate.rsn, bytes);
            Update(*connection, now);
        }
    }

    /// @return bytes of the next grant of a candidate: whole packets, but for the last
    uint32_t Piece(const TransportConnection& connection,
                   const GrantCandidate& candidate,
                   uint32_t left) const
    {
        const uint32_t mtu = connection.Terms().mtu;
        const uint32_t quantum = m_shared.settings.grantQuantumBytes / mtu * mtu;
        return std::min({quantum, candidate.remaining, left});
    }

    /// CONNECT has come.
    void OnConnect(const TransportPacket& packet, PeerAddress peer, TimePs now)
    {
        if (!TransportConnection::AreTermsValid(packet))
        {
            ++m_shared.counters.malformed;
            return;
        }
        const auto known = m_byPeer.find({peer, packet.offer.sourceCid});
        if (known != m_byPeer.end())
        {
            TransportConnection& connection = *At(known->second).connection;
            connection.RepeatAccept();
            Settle(connection, now);
            return;
        }
        const uint32_t index = m_shared.settings.acceptsConnections ? TakePlace() : 0;
        if (index == 0)
        {
            TransportPacket refuse(TransportPacketType::REFUSE);
            refuse.status = TransportStatus::REFUSED;
            refuse.cid = packet.offer.sourceCid;
            m_shared.Reply(peer, refuse);
            return;
        }
        TransportConnection& connection = *At(index).connection;
        connection.Accept(NewCid(index), NumberOf(peer), peer, packet, now);
        m_byPeer[{peer, packet.offer.sourceCid}] = index;
        Settle(connection, now);
    }

    /// A packet has come for a connection that is not here.
    void OnStranger(const TransportPacket& packet, PeerAddress peer)
    {
        ++m_shared.counters.badCid;
        TransportPacket reply(TransportPacketType::NACK, NackCode::BAD_CID);
        switch (packet.type)
        {
        case TransportPacketType::CLOSE:
            reply.Become(TransportPacketType::CLOSED); // it was left, and the answer was lost
            reply.cid = packet.offer.sourceCid;
            break;
        case TransportPacketType::ACCEPT:
            reply.Become(TransportPacketType::RESET); // its CONNECT was given up
            reply.status = TransportStatus::BAD_CID;
            reply.cid = packet.offer.sourceCid;
            break;
        case TransportPacketType::CLOSED:
        case TransportPacketType::REFUSE:
        case TransportPacketType::RESET:
        case TransportPacketType::NACK:
            return;
        default:
            break;
        }
        reply.offer.sourceCid = packet.cid;
        m_shared.Reply(peer, reply);
    }

    /// A peer does not know a CID.
    void OnBadCid(const TransportPacket& packet, PeerAddress peer, TimePs now)
    {
        const auto known = m_byPeer.find({peer, packet.offer.sourceCid});
        if (known == m_byPeer.end())
        {
            ++m_shared.counters.badCid;
            return;
        }
        TransportConnection& connection = *At(known->second).connection;
        connection.PeerDoesNotKnow(now);
        Settle(connection, now);
    }

    /// A packet for a connection that is here.
    void OnPacket(TransportConnection& connection, const TransportPacket& packet, TimePs now)
    {
        const bool isNew = connection.Terms().peerCid == NO_CONNECTION;
        connection.Receive(packet, now);
        if (isNew && connection.Terms().peerCid != NO_CONNECTION)
        {
            connection.SetInitiator(NumberOf(connection.Terms().peer));
            m_byPeer[{connection.Terms().peer, connection.Terms().peerCid}] =
                connection.Terms().cid & INDEX_MASK;
        }
        Settle(connection, now);
    }

    /// @return classes that the tables of finite size let send, as bits of the scheduler
    uint8_t Allowed() const
    {
        uint8_t allowed = (1U << TX_CLASSES) - 1;
        if (!m_shared.packetEntries.Has(1))
        {
            allowed &= static_cast<uint8_t>(
                ~(TxScheduler::Bit(TxClass::GRANT) | TxScheduler::Bit(TxClass::DATA)));
        }
        else if (!m_shared.sendPayload.Has(m_largestMtu))
        {
            allowed &= static_cast<uint8_t>(~TxScheduler::Bit(TxClass::DATA));
        }
        return allowed;
    }

    /// @copydoc TransportEndpoint::NextPacket()
    std::optional<OutgoingPacket> NextPacket(TimePs now)
    {
        std::optional<OutgoingPacket> result;
        if (!m_shared.replies.IsEmpty())
        {
            result = m_shared.replies.Front();
            m_shared.replies.Pop();
            ++m_shared.counters.sent[static_cast<uint32_t>(result->packet.type)];
            return result;
        }
        while (const auto choice = m_shared.scheduler.Next(Allowed()))
        {
            std::optional<TransportConnection>& connection = At(choice->connection).connection;
            if (!connection)
            {
                continue;
            }
            result.emplace();
            const bool isSent = connection->Send(choice->txClass, result->packet, now);
            result->peer = connection->Terms().peer;
            result->place = choice->connection;
            Settle(*connection, now);
            if (isSent)
            {
                ++m_shared.counters.sent[static_cast<uint32_t>(result->packet.type)];
                return result;
            }
        }
        return std::nullopt;
    }

    /// @copydoc TransportEndpoint::NextTime()
    TimePs NextTime() const
    {
        return std::min(m_deadlines.Earliest(), m_sends.Earliest());
    }

    /// Stops a timer that has come. @param timers of all @param index whose @param time of it, ps
    static void StopTimer(TimerHeap& timers, uint32_t index, TimePs time)
    {
        if (timers.Time(index) == time)
        {
            timers.Set(index, NEVER);
        }
    }

    /// @copydoc TransportEndpoint::RunUntil()
    void RunUntil(TimePs now)
    {
        for (TimePs next = NextTime(); next <= now; next = NextTime())
        {
            const TimerHeap& first = m_deadlines.IsBefore(m_sends) ? m_deadlines : m_sends;
            const uint32_t index = first.First();
            TransportConnection& connection = *At(index).connection;
            StopTimer(m_deadlines, index, next);
            StopTimer(m_sends, index, next);
            connection.RunUntil(now);
            Settle(connection, now);
        }
    }

    /// @copydoc TransportEndpoint::NextEvent()
    std::optional<UlpEvent> NextEvent()
    {
        while (!m_shared.events.IsEmpty())
        {
            UlpEvent event = m_shared.events.Front();
            m_shared.events.Pop();
            if (event.type != UlpEventType::REQUEST)
            {
                return event;
            }
            TransportConnection* connection = Find(event.cid);
            if (connection == nullptr)
            {
                continue;
            }
            const bool isPresented = connection->Present(event);
            Settle(*connection, std::max(m_now, event.at));
            if (isPresented)
            {
                return event;
            }
        }
        return std::nullopt;
    }

    /// @copydoc TransportEndpoint::Push()
    std::optional<RequestId> Issue(ConnectionId cid,
                                   UlpOperation operation,
                                   uint32_t bytes,
                                   uint64_t tag,
                                   TimePs now)
    {
        RequireRange("Transport", "the size of a transaction", bytes, 0, MAX_TRANSACTION);
        TransportConnection* connection = Find(cid);
        if (connection == nullptr || !connection->CanRequest())
        {
            return std::nullopt;
        }
        const std::optional<RequestId> rsn = connection->Issue(operation, bytes, tag, now);
        if (!rsn)
        {
            ++m_shared.counters.refusals;
            m_shared.isRoomWanted = true;
            return rsn;
        }
        ++m_shared.counters.requests;
        Settle(*connection, now);
        return rsn;
    }

    TransportShared m_shared; ///< What the connections share.
    /// By the low 16 bits of the CID. They never move, and are used again.
    std::vector<std::unique_ptr<Place>> m_places;
    Ring<uint32_t> m_free; ///< Places without a connection, the longest free first.
    TimerHeap m_deadlines; ///< By place: of which a ULP may be told.
    TimerHeap m_sends;     ///< By place: after which something may be sent, no more.
    std::unordered_map<PeerKey, uint32_t, PeerKeyHash> m_byPeer; ///< Places, by the peer's CID.
    std::unordered_map<PeerAddress, uint32_t> m_numbers;         ///< Peers, in order of appearance.
    uint32_t m_connections{0};                                   ///< In use.
    uint32_t m_largestMtu{0}; ///< Of all connections so far, bytes.
    TimePs m_now{0};          ///< Latest time heard of, ps.
};

TransportEndpoint::TransportEndpoint(const TransportSettings& settings,
                                     const ConnectionSettings& accepted)
{
    settings.Validate();
    accepted.Validate();
    m_impl = std::make_unique<Impl>(settings, accepted);
    m_impl->m_largestMtu = accepted.mtu;
}

TransportEndpoint::~TransportEndpoint() = default;

ConnectionId
TransportEndpoint::Connect(PeerAddress peer, const ConnectionSettings& settings, TimePs now)
{
    settings.Validate();
    const uint32_t index = m_impl->TakePlace();
    if (index == 0)
    {
        return NO_CONNECTION;
    }
    TransportConnection& connection = *m_impl->At(index).connection;
    m_impl->m_largestMtu = std::max(m_impl->m_largestMtu, settings.mtu);
    const ConnectionId cid = m_impl->NewCid(index);
    connection.Connect(cid, peer, settings, now);
    m_impl->Settle(connection, now);
    return cid;
}

bool
TransportEndpoint::Close(ConnectionId cid, TimePs now)
{
    TransportConnection* connection = m_impl->Find(cid);
    if (connection == nullptr)
    {
        return false;
    }
    connection->Close(now);
    m_impl->Settle(*connection, now);
    return true;
}

bool
TransportEndpoint::Reset(ConnectionId cid, TimePs now)
{
    TransportConnection* connection = m_impl->Find(cid);
    if (connection == nullptr)
    {
        return false;
    }
    connection->Fail(TransportStatus::CONNECTION_RESET, std::nullopt, true, now);
    m_impl->Settle(*connection, now);
    return true;
}

std::optional<RequestId>
TransportEndpoint::Push(ConnectionId cid, uint32_t bytes, TimePs now, uint64_t tag)
{
    return m_impl->Issue(cid, UlpOperation::PUSH, bytes, tag, now);
}

std::optional<RequestId>
TransportEndpoint::Pull(ConnectionId cid, uint32_t bytes, TimePs now, uint64_t tag)
{
    return m_impl->Issue(cid, UlpOperation::PULL, bytes, tag, now);
}

bool
TransportEndpoint::CanRequest(ConnectionId cid) const
{
    const TransportConnection* connection = m_impl->Find(cid);
    return connection != nullptr && connection->CanRequest();
}

bool
TransportEndpoint::AckRequest(ConnectionId cid,
                              RequestId rsn,
                              UlpAnswer answer,
                              TimePs now,
                              TimePs retryAfter)
{
    TransportConnection* connection = m_impl->Find(cid);
    if (connection == nullptr)
    {
        return false;
    }
    const bool isValid = connection->Answer(rsn, answer, now, retryAfter);
    m_impl->Settle(*connection, now);
    return isValid;
}

bool
TransportEndpoint::Respond(ConnectionId cid, RequestId rsn, TimePs now)
{
    TransportConnection* connection = m_impl->Find(cid);
    if (connection == nullptr)
    {
        return false;
    }
    const bool isValid = connection->Respond(rsn);
    m_impl->Settle(*connection, now);
    return isValid;
}

void
TransportEndpoint::Receive(const TransportPacket& packet, PeerAddress peer, TimePs now)
{
    TransportCounters& counters = m_impl->m_shared.counters;
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
        m_impl->OnConnect(packet, peer, now);
        return;
    }
    if (packet.type == TransportPacketType::NACK && packet.nack == NackCode::BAD_CID)
    {
        m_impl->OnBadCid(packet, peer, now);
        return;
    }
    TransportConnection* connection = m_impl->Find(packet.cid);
    if (connection == nullptr || connection->Terms().peer != peer)
    {
        m_impl->OnStranger(packet, peer);
        return;
    }
    m_impl->OnPacket(*connection, packet, now);
}

bool
TransportEndpoint::HasPacket() const
{
    return !m_impl->m_shared.replies.IsEmpty() ||
           (m_impl->m_shared.scheduler.Waiting() & m_impl->Allowed()) != 0;
}

std::optional<OutgoingPacket>
TransportEndpoint::NextPacket(TimePs now)
{
    return m_impl->NextPacket(now);
}

TimePs
TransportEndpoint::NextTime() const
{
    return m_impl->NextTime();
}

TimePs
TransportEndpoint::NextDeadline() const
{
    return m_impl->m_deadlines.Earliest();
}

bool
TransportEndpoint::MayTell(const TransportPacket& packet) const
{
    const TransportConnection* connection = m_impl->Find(packet.cid);
    return connection == nullptr || connection->MayTell(packet);
}

void
TransportEndpoint::RunUntil(TimePs now)
{
    m_impl->RunUntil(now);
}

std::optional<UlpEvent>
TransportEndpoint::NextEvent()
{
    return m_impl->NextEvent();
}

const TransportCounters&
TransportEndpoint::Counters() const
{
    return m_impl->m_shared.counters;
}

TransportOccupancy
TransportEndpoint::Occupancy() const
{
    const TransportShared& shared = m_impl->m_shared;
    return {shared.initiatorEntries.Occupancy(),
            shared.targetEntries.Occupancy(),
            shared.packetEntries.Occupancy(),
            shared.sendPayload.Occupancy(),
            shared.receivePayload.Occupancy(),
            shared.granted.Occupancy()};
}

std::optional<ConnectionView>
TransportEndpoint::View(ConnectionId cid) const
{
    const TransportConnection* connection = m_impl->Find(cid);
    if (connection == nullptr)
    {
        return std::nullopt;
    }
    ConnectionView view;
    connection->Describe(view);
    return view;
}

uint32_t
TransportEndpoint::Connections() const
{
    return m_impl->m_connections;
}

void
TransportEndpoint::FetchShared() const
{
    FetchMemory(m_impl.get(), sizeof(Impl));
}

void
TransportEndpoint::FetchConnections() const
{
    constexpr std::size_t FEW = 4; // of more it is not known which are next
    if (m_impl->m_places.size() > FEW)
    {
        return;
    }
    for (const auto& place : m_impl->m_places)
    {
        FetchMemory(place.get(), sizeof(Impl::Place));
    }
}

std::size_t
TransportEndpoint::MemoryBytes() const
{
    const TransportShared& shared = m_impl->m_shared;
    std::size_t bytes = sizeof(Impl) + m_impl->m_places.size() * sizeof(Impl::Place) +
                        m_impl->m_places.capacity() * sizeof(m_impl->m_places[0]) +
                        m_impl->m_deadlines.MemoryBytes() + m_impl->m_sends.MemoryBytes() +
                        m_impl->m_free.MemoryBytes() + shared.scheduler.MemoryBytes() +
                        shared.grants.MemoryBytes() + shared.events.MemoryBytes() +
                        shared.replies.MemoryBytes() + shared.parked.MemoryBytes() +
                        shared.packetTables.MemoryBytes() + shared.ownTables.MemoryBytes() +
                        shared.peerTables.MemoryBytes();
    // A node of a map: key, value, pointer; and a bucket.
    bytes += m_impl->m_byPeer.size() * (sizeof(PeerKey) + 4 * sizeof(void*));
    bytes += m_impl->m_numbers.size() * (2 * sizeof(uint64_t) + 2 * sizeof(void*));
    for (const auto& place : m_impl->m_places)
    {
        bytes += place->connection ? place->connection->MemoryBytes() : 0;
    }
    return bytes;
}

} // namespace fabric
} // namespace ns3
