/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PACKET_TABLE_H
#define FABRIC_PACKET_TABLE_H

#include "fabric-handle-table.h"

#include "ns3/mac48-address.h"
#include "ns3/packet.h"

namespace ns3::fabric
{

/// A user's packet on its way through the fabric.
struct CarriedPacket
{
    Ptr<const Packet> packet; ///< The packet, not altered on the way; where it met
                              ///< congestion it is marked when it has arrived.
    Mac48Address source;      ///< Who sent it.
    Mac48Address destination; ///< Address that it was sent to; may be a group.
    uint16_t protocol{0};     ///< EtherType.
};

/// The users' packets under way, by handle.
using PacketTable = HandleTable<CarriedPacket>;

} // namespace ns3::fabric

#endif // FABRIC_PACKET_TABLE_H
