/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_UDP_PEERS_H
#define FABRIC_UDP_PEERS_H

#include "fabric-transport-packet.h"

#include "ns3/address.h"

#include <map>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// What a transport over UDP knows its peers by: an IPv4 peer's address and port as they are, an
/// IPv6 peer's by a number, since they are too long.
class UdpPeers
{
  public:
    /// @param remote an InetSocketAddress or Inet6SocketAddress @return what it is known by from
    /// now on
    PeerAddress Add(const Address& remote);

    /**
     * @param from whom a packet came from
     * @param mayAdd whether a peer that is not known may become so
     * @return what it is known by; nothing if it is not known, or as many are as may be
     */
    std::optional<PeerAddress> Find(const Address& from, bool mayAdd);

    /// @param peer that is known
    Address AddressOf(PeerAddress peer) const;

  private:
    std::vector<Address> m_ipv6;             ///< IPv6 peers.
    std::map<Address, PeerAddress> m_number; ///< Of IPv6 peers.
};

} // namespace ns3::fabric

#endif // FABRIC_UDP_PEERS_H
