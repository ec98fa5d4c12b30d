/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_PACKET_FORMAT_H
#define FABRIC_COMMAND_PACKET_FORMAT_H

#include "fabric-command-packet.h"
#include "fabric-transport-packet.h"

namespace ns3::fabric
{

/**
 * Packets of commands have the headers of the reliable transport, whose fields say other things.
 *
 * | header                  | packets of commands           |
 * |-------------------------|-------------------------------|
 * | pushUnsolicitedData     | data of a command             |
 * | pullRequest             | data is wanted                |
 * | pullData                | data that was wanted          |
 * | ACK                     | acknowledgement of a command  |
 * | ACK, with the probe bit | nothing but what has come     |
 *
 * @param packet of a command
 * @return the same in the format of the reliable transport
 */
TransportPacket ToTransport(const CommandPacket& packet);

/// @param packet that ToTransport() has made @return what it has made it of
CommandPacket FromTransport(const TransportPacket& packet);

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_PACKET_FORMAT_H
