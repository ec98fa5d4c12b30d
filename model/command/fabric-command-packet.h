/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_PACKET_H
#define FABRIC_COMMAND_PACKET_H

#include "fabric-atomic.h"
#include "fabric-command.h"
#include "fabric-message-table.h"
#include "fabric-packet-track.h"

#include <cstdint>

namespace ns3::fabric
{

/// What a packet between NICs is.
enum class CommandPacketKind : uint8_t
{
    DATA,    ///< Data of a command.
    ACK,     ///< The acknowledgement of all its data.
    REQUEST, ///< Data is wanted: a GET, or the rest of a TAGGED one by rendezvous.
    REPLY,   ///< Data that was wanted.
    TRACK,   ///< Nothing but what it says of packets that have come.
};

/// A packet between NICs.
struct CommandPacket
{
    CommandPacketKind kind{CommandPacketKind::DATA}; ///< What it is.
    CommandOp op{CommandOp::PUT};                    ///< Of the command; ACK: not said.
    bool isRefused{false};                           ///< ACK: nobody wanted the data.
    bool isPacket{false}; ///< SEND DATA: it carries a packet of the network stack.
    uint32_t id{0};       ///< Of the command at its initiator; REQUEST and REPLY of TAGGED:
                          ///< of the message at its target.
    uint32_t bytes{0};    ///< DATA, REPLY: of this packet.
    uint32_t offset{0};   ///< DATA, REPLY: of its first byte in the data of the command.
    uint64_t length{0};   ///< DATA: of the whole command; REQUEST: that are wanted, bytes.
    uint64_t eager{0};    ///< TAGGED DATA: bytes that come by themselves.
    uint64_t bits{0};     ///< TAGGED DATA: match bits; of a packet: its handle.
    uint16_t counter{0};  ///< DATA, REQUEST: of the target, see CommandArguments.
    uint16_t turn{0};     ///< Tells commands, and messages, of one id apart; answers repeat it.
    AtomicRequest atomic; ///< ATOMIC; REPLY: its operand is the word that was fetched.
    TimePs postedAt{0};   ///< DATA: when the application asked for it, ps.
    PacketTrack track;    ///< Its place among those of its connection.
    PacketAcks acks;      ///< ACK, TRACK: what has come the other way.
};

/// @return what tells a command from all others whose data is on its way, also from one of the same
/// id that has failed @param source of it
inline uint64_t
CommandKey(LocationId source, uint32_t id, uint16_t turn)
{
    return uint64_t{source} << 40 | uint64_t{turn} << 24 | id; // a NIC has less than 2^24 under way
}

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

    /// @param handle of a packet of this NIC that has not arrived @return the packet
    virtual CommandPacket At(uint32_t handle) = 0;

    /// @param queue number of the NIC's queue @return where its packets go
    virtual LocationId DestinationOf(uint32_t queue) const = 0;

    /// A packet goes once more. @param queue number of the NIC's queue
    virtual void Resent([[maybe_unused]] uint32_t queue,
                        [[maybe_unused]] const CommandPacket& packet,
                        [[maybe_unused]] TimePs now)
    {
    }

    /// @param source whose packet it is @return a packet that has arrived, which is kept no longer
    virtual CommandPacket Take(LocationId source, uint32_t handle) = 0;
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_PACKET_H
