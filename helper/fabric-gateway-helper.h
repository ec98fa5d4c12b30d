/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GATEWAY_HELPER_H
#define FABRIC_GATEWAY_HELPER_H

#include "fabric-helper.h"

#include "ns3/ipv4-address.h"

namespace ns3
{

/**
 * Lets hosts of a fabric reach other networks by IPv4, over one of them that has a link there.
 * ns-3's global router does not find it: it takes the link of each host, which ends at a switch,
 * for a network of its own.
 *
 * @code
 * FabricGatewayHelper(fabric, 15).Route("10.2.0.0", "255.255.255.0");
 * @endcode
 *
 * It sets static routes, which go before those of the global router. Nodes behind the gateway find
 * back to the fabric by either.
 */
class FabricGatewayHelper
{
  public:
    /**
     * @param fabric whose hosts that have an IPv4 address on it can get routes
     * @param host number of the gateway
     * @throws std::invalid_argument with a sentence if there is no such host, it has no IPv4
     * address on the fabric, or it does not forward packets
     */
    FabricGatewayHelper(const FabricContainer& fabric, uint32_t host);

    /**
     * @param network that the hosts are to reach over the gateway
     * @param mask of the network
     * @throws std::invalid_argument with a sentence if a host has no static routing
     */
    void Route(Ipv4Address network, Ipv4Mask mask) const;

    /**
     * The same for all that a host has no other static route for; what only the global router
     * knows is behind the gateway then, too.
     *
     * @throws std::invalid_argument as Route()
     */
    void RouteAll() const;

  private:
    FabricContainer m_fabric; ///< The fabric.
    uint32_t m_host;          ///< Number of the gateway.
    Ipv4Address m_address;    ///< Of it, on the fabric.
};

} // namespace ns3

#endif // FABRIC_GATEWAY_HELPER_H
