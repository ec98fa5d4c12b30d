/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-connection-table.h"

#include "fabric-fetch.h"

namespace ns3::fabric
{

std::optional<ConnectionTable::Entry>
ConnectionTable::Add(TransportShared& shared)
{
    const uint32_t place = TakePlace();
    if (place == 0)
    {
        return std::nullopt;
    }
    Place& taken = *m_places[place - 1];
    taken.connection.emplace(shared);
    ++m_size;
    return Entry{*taken.connection, uint32_t{taken.generation++} << CONNECTION_PLACE_BITS | place};
}

uint32_t
ConnectionTable::TakePlace()
{
    if (m_free.Size() < RESTING && m_places.size() < m_most)
    {
        m_places.push_back(std::make_unique<Place>());
        return static_cast<uint32_t>(m_places.size());
    }
    if (m_free.IsEmpty())
    {
        return 0;
    }
    const uint32_t place = m_free.Front();
    m_free.Pop();
    return place;
}

void
ConnectionTable::Remove(const TransportConnection& connection)
{
    const uint32_t place = PlaceOf(connection.Terms().cid);
    m_byPeer.erase({connection.Terms().peer, connection.Terms().peerCid});
    m_places[place - 1]->connection.reset();
    m_free.Push(place);
    --m_size;
}

void
ConnectionTable::AddPeer(const TransportConnection& connection)
{
    const ConnectionTerms& terms = connection.Terms();
    m_byPeer[{terms.peer, terms.peerCid}] = PlaceOf(terms.cid);
}

TransportConnection*
ConnectionTable::FindByPeer(PeerAddress peer, ConnectionId peerCid)
{
    const auto known = m_byPeer.find({peer, peerCid});
    return known == m_byPeer.end() ? nullptr : At(known->second);
}

uint32_t
ConnectionTable::NumberOf(PeerAddress peer)
{
    return m_numbers.try_emplace(peer, static_cast<uint32_t>(m_numbers.size())).first->second;
}

void
ConnectionTable::Fetch() const
{
    constexpr std::size_t FEW = 4; // of more it is not known which are next
    if (m_places.size() > FEW)
    {
        return;
    }
    for (const auto& place : m_places)
    {
        FetchMemory(place.get(), sizeof(Place));
    }
}

} // namespace ns3::fabric
