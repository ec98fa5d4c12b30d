/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONNECTION_TERMS_H
#define FABRIC_CONNECTION_TERMS_H

#include "fabric-transport-packet.h"
#include "fabric-transport-settings.h"

#include <cstdint>

namespace ns3::fabric
{

inline constexpr uint32_t MAX_TRANSACTION = 0x7FFFFFFF; ///< Largest transaction, bytes.

/**
 * @param bytes of a transaction
 * @param mtu payload of a packet, bytes
 * @return packets that carry it; an empty one takes one
 */
inline constexpr uint32_t
PacketsOf(uint32_t bytes, uint32_t mtu)
{
    return bytes == 0 ? 1 : (bytes + mtu - 1) / mtu;
}

/// What both ends of a connection have agreed on, and how it is named.
struct ConnectionTerms
{
    /**
     * The own terms, until the peer's are known.
     *
     * @param ordered what its initiator has chosen (RT-10)
     */
    void Propose(const ConnectionSettings& settings, bool ordered);

    /// Takes the smaller of own and the peer's. @param offer the peer's, valid
    void Agree(const ConnectionOffer& offer);

    /// Writes what the peer has to know. @param packet CONNECT or ACCEPT
    void WriteTo(TransportPacket& packet) const;

    /**
     * @param offer of a peer, which may say anything
     * @return whether it is within what the transport knows
     */
    static bool AreValid(const ConnectionOffer& offer);

    PeerAddress peer{0};       ///< The other end.
    ConnectionId cid{0};       ///< Own: peers put it into packets to here.
    ConnectionId peerCid{0};   ///< The peer's: goes into packets to there; 0 before set-up.
    uint32_t initiator{0};     ///< Number of the peer among all peers, for turns.
    uint32_t mtu{0};           ///< Bytes.
    uint16_t requestWindow{0}; ///< Packets.
    uint16_t dataWindow{0};    ///< Packets.
    uint16_t requestSpan{0};   ///< Requests.
    bool isOrdered{true};      ///< RT-10.
};

} // namespace ns3::fabric

#endif // FABRIC_CONNECTION_TERMS_H
