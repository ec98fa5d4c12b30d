/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-udp-peers.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"

namespace ns3::fabric
{

namespace
{

constexpr uint32_t MOST_IPV6 = 65536;              ///< IPv6 peers that may become known.
constexpr PeerAddress IPV6 = PeerAddress{1} << 63; ///< Tells them from IPv4 peers.

} // namespace

PeerAddress
UdpPeers::Add(const Address& remote)
{
    if (InetSocketAddress::IsMatchingType(remote))
    {
        const InetSocketAddress address = InetSocketAddress::ConvertFrom(remote);
        return PeerAddress{address.GetIpv4().Get()} << 16 | address.GetPort();
    }
    // A flow label or the like makes no other peer.
    const Inet6SocketAddress address = Inet6SocketAddress::ConvertFrom(remote);
    const Address key = Inet6SocketAddress(address.GetIpv6(), address.GetPort());
    const auto [place, isNew] = m_number.try_emplace(key, IPV6 | m_ipv6.size());
    if (isNew)
    {
        m_ipv6.push_back(key);
    }
    return place->second;
}

std::optional<PeerAddress>
UdpPeers::Find(const Address& from, bool mayAdd)
{
    if (InetSocketAddress::IsMatchingType(from))
    {
        return Add(from);
    }
    // Who sends garbage must not fill the table.
    const auto found = m_number.find(from);
    if (found != m_number.end())
    {
        return found->second;
    }
    return mayAdd && m_ipv6.size() < MOST_IPV6 ? std::optional<PeerAddress>(Add(from))
                                               : std::nullopt;
}

Address
UdpPeers::AddressOf(PeerAddress peer) const
{
    if ((peer & IPV6) != 0)
    {
        return m_ipv6[peer & ~IPV6];
    }
    return InetSocketAddress(Ipv4Address(static_cast<uint32_t>(peer >> 16)),
                             static_cast<uint16_t>(peer));
}

} // namespace ns3::fabric
