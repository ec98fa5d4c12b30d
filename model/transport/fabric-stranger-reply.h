/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_STRANGER_REPLY_H
#define FABRIC_STRANGER_REPLY_H

#include "fabric-transport-packet.h"

#include <optional>

namespace ns3::fabric
{

/// @param connect a CONNECT that is not accepted @return the answer
TransportPacket RefusalOf(const TransportPacket& connect);

/**
 * @param packet any but CONNECT, for a connection that is not here
 * @return the answer (RT-18), so that the peer gives the connection up; nothing if it has already
 */
std::optional<TransportPacket> ReplyToStranger(const TransportPacket& packet);

} // namespace ns3::fabric

#endif // FABRIC_STRANGER_REPLY_H
