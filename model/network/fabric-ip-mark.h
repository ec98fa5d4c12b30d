/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_IP_MARK_H
#define FABRIC_IP_MARK_H

#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{

class Packet;

namespace fabric
{

/**
 * Tells the ends of an IP packet that it met congestion: a packet whose ECN field says that its
 * ends understand it gets CE (RFC 3168, section 5), as a router on its way would do it. Others are
 * left alone, as are packets of other protocols.
 *
 * @param packet begins with the header of its protocol
 * @return whether it has CE now
 */
bool MarkIpPacket(Ptr<Packet> packet, uint16_t protocol);

} // namespace fabric
} // namespace ns3

#endif // FABRIC_IP_MARK_H
