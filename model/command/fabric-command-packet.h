/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_PACKET_H
#define FABRIC_COMMAND_PACKET_H

#include "fabric-command.h"
#include "fabric-message-table.h"

#include <cstdint>

namespace ns3::fabric
{

/// A packet between NICs: data of a command, or the acknowledgement of all its data.
struct CommandPacket
{
    bool isAck{false};            ///< Whether it is an acknowledgement.
    CommandOp op{CommandOp::PUT}; ///< Data: of what.
    uint32_t id{0};               ///< Of the command at its initiator.
    uint32_t bytes{0};            ///< Data: of this packet.
    uint64_t length{0};           ///< Data: of the whole command, bytes.
    TimePs postedAt{0};           ///< Data: when the application asked for it, ps.
};

/// What carries packets between NICs, and keeps their descriptors until they have arrived.
class CommandNetwork
{
  public:
    virtual ~CommandNetwork() = default;

    /// @return number of the NIC's queue of a flow
    virtual uint32_t QueueOf(const MessageFlow& flow) = 0;

    /// @return most data in a packet, bytes
    virtual uint32_t MostBytes() const = 0;

    /// @return bytes of a packet in its frame, with its header
    virtual uint32_t FrameBytes(const CommandPacket& packet) const = 0;

    /// Keeps a packet of this NIC. @return its handle
    virtual uint32_t Put(const CommandPacket& packet) = 0;

    /// @param source whose packet it is @return a packet that has arrived, which is kept no longer
    virtual CommandPacket Take(LocationId source, uint32_t handle) = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_PACKET_H
