/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RANK_PACKET_H
#define FABRIC_RANK_PACKET_H

#include "fabric-byte-stream.h"
#include "fabric-packet-table.h"

namespace ns3::fabric
{

/**
 * ns-3 registers some of its types of tags when one is made. A rank where none was made does not
 * know those of packets that come from others.
 */
void RegisterTags();

/// Writes a packet for another rank, with its bytes and tags.
void WritePacket(const CarriedPacket& carried, ByteWriter& writer);

/**
 * @return what WritePacket() wrote
 * @throws std::invalid_argument with a sentence if it has a tag of a type that this rank does not
 * know
 */
CarriedPacket ReadPacket(ByteReader& reader);

} // namespace ns3::fabric

#endif // FABRIC_RANK_PACKET_H
