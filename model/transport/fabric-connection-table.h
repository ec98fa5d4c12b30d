/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONNECTION_TABLE_H
#define FABRIC_CONNECTION_TABLE_H

#include "fabric-ring.h"
#include "fabric-transport-connection.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * The connections of an endpoint, by their CIDs (RT-1). The low bits of a CID are the place in the
 * table, from 1 since CID 0 is none; above them are 8 bits of generation, so that a connection is
 * not taken for one before it. While there may be more places, none is used again before others
 * have rested as well: a CID comes again after thousands of connections, when no packet with it is
 * under way any more.
 */
class ConnectionTable
{
  public:
    /// A new connection, which has to be opened with this CID.
    struct Entry
    {
        TransportConnection& connection; ///< It.
        ConnectionId cid;                ///< Its own CID.
    };

    /// @param most connections at a time, 1 to 65535
    explicit ConnectionTable(uint32_t most)
        : m_most(most)
    {
    }

    /// @return the connection; nullptr if there is none
    const TransportConnection* Find(ConnectionId cid) const
    {
        const uint32_t place = PlaceOf(cid);
        if (place == 0 || place > m_places.size())
        {
            return nullptr;
        }
        const std::optional<TransportConnection>& connection = m_places[place - 1]->connection;
        return connection && connection->Terms().cid == cid ? &*connection : nullptr;
    }

    /// @copydoc Find()
    TransportConnection* Find(ConnectionId cid)
    {
        return const_cast<TransportConnection*>(std::as_const(*this).Find(cid));
    }

    /// @param place of a connection that is or was there @return the connection; nullptr if it is
    /// gone
    TransportConnection* At(uint32_t place)
    {
        std::optional<TransportConnection>& connection = m_places[place - 1]->connection;
        return connection ? &*connection : nullptr;
    }

    /**
     * Makes a connection.
     *
     * @param shared of the endpoint
     * @return it; nothing if there are as many as may be
     */
    std::optional<Entry> Add(TransportShared& shared);

    /// @param connection that is gone
    void Remove(const TransportConnection& connection);

    /// The peer's CID of a connection has become known.
    void AddPeer(const TransportConnection& connection);

    /// @return the connection that has it; nullptr if there is none
    TransportConnection* FindByPeer(PeerAddress peer, ConnectionId peerCid);

    /// @return its number among all peers, from 0
    uint32_t NumberOf(PeerAddress peer);

    /// @return the highest place there is
    uint32_t Places() const
    {
        return static_cast<uint32_t>(m_places.size());
    }

    /// @return how many connections there are
    uint32_t Size() const
    {
        return m_size;
    }

    /// Fetches the connections, if there are few.
    void Fetch() const;

  private:
    /// Places without a connection before one of them is used again, if there may be more.
    static constexpr uint32_t RESTING = 64;

    /// A place of the table. It never moves, and is used again.
    struct Place
    {
        std::optional<TransportConnection> connection; ///< The one that has it now.
        uint8_t generation{0};                         ///< Of the next one that has it.
    };

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
        /// @return its hash
        std::size_t operator()(const PeerKey& key) const
        {
            return std::hash<uint64_t>()(key.peer * 0x9E3779B97F4A7C15ULL + key.peerCid);
        }
    };

    /// @return a place without a connection, which is no longer among those; 0 for none
    uint32_t TakePlace();

    uint32_t m_most;                              ///< Connections at a time.
    uint32_t m_size{0};                           ///< Connections now.
    std::vector<std::unique_ptr<Place>> m_places; ///< From 1 on.
    Ring<uint32_t> m_free; ///< Places without a connection, the longest free first.
    std::unordered_map<PeerKey, uint32_t, PeerKeyHash> m_byPeer; ///< Places, by the peer's CID.
    std::unordered_map<PeerAddress, uint32_t> m_numbers;         ///< Peers, in order of appearance.
};

} // namespace ns3::fabric

#endif // FABRIC_CONNECTION_TABLE_H
