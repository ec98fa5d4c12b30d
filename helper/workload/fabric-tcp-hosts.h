/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TCP_HOSTS_H
#define FABRIC_TCP_HOSTS_H

#include "fabric-helper.h"

#include "ns3/ipv4-interface-container.h"
#include "ns3/socket.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::fabric
{

/**
 * Hosts of a fabric that use ns3's TCP: each has an IP stack and an address. Those that are
 * introduced know each other's hardware addresses, so that nobody asks for them (ARP). A host is
 * named by its place among them.
 */
class TcpHosts
{
  public:
    /// @param hosts by place, another one each; they have no IP yet
    TcpHosts(const FabricContainer& fabric, const std::vector<uint32_t>& hosts);

    /// @return how many there are
    uint32_t GetN() const
    {
        return m_interfaces.GetN();
    }

    /// Lets two hosts know each other's hardware addresses, unless they do.
    void Introduce(uint32_t one, uint32_t other) const;

    /// @return a socket of TCP at a host
    Ptr<Socket> MakeSocket(uint32_t host) const;

    /// @return the address of a host
    Ipv4Address AddressOf(uint32_t host) const
    {
        return m_interfaces.GetAddress(host);
    }

    /// @return which host has an address
    uint32_t PlaceOf(Ipv4Address address) const
    {
        return m_places.at(address);
    }

  private:
    std::vector<Ptr<FabricNetDevice>> m_devices; ///< By place.
    Ipv4InterfaceContainer m_interfaces;         ///< By place.
    std::map<Ipv4Address, uint32_t> m_places;    ///< By address.
};

} // namespace ns3::fabric

#endif // FABRIC_TCP_HOSTS_H
