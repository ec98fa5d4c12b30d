/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-packet-format.h"

#include <algorithm>
#include <array>

namespace ns3::fabric
{

namespace
{

/// The transport's types of packets, by CommandPacketKind; an ACK says whether it is a TRACK.
constexpr std::array<TransportPacketType, 5> TYPES{TransportPacketType::PUSH_UNSOLICITED_DATA,
                                                   TransportPacketType::ACK,
                                                   TransportPacketType::PULL_REQUEST,
                                                   TransportPacketType::PULL_DATA,
                                                   TransportPacketType::ACK};

/// Puts an atomic operation into a request or a reply.
void
PutAtomic(TransportPacket& packet, const AtomicRequest& atomic)
{
    packet.piece.tag = atomic.operand;
    packet.echo = static_cast<TimePs>(atomic.compare);
    packet.dataBase = atomic.address;
    packet.piece.psn |= static_cast<uint32_t>(atomic.op) << 8 | (atomic.isWide ? 1U << 12 : 0) |
                        (atomic.isSigned ? 1U << 13 : 0) | (atomic.fetches ? 1U << 14 : 0);
}

/// @return what PutAtomic() has put into a packet
AtomicRequest
TakeAtomic(const TransportPacket& packet)
{
    AtomicRequest atomic;
    atomic.operand = packet.piece.tag;
    atomic.compare = static_cast<uint64_t>(packet.echo);
    atomic.address = packet.dataBase;
    atomic.op = static_cast<AtomicOp>(packet.piece.psn >> 8 & 0xF);
    atomic.isWide = (packet.piece.psn >> 12 & 1) != 0;
    atomic.isSigned = (packet.piece.psn >> 13 & 1) != 0;
    atomic.fetches = (packet.piece.psn >> 14 & 1) != 0;
    return atomic;
}

/// Puts what is acknowledged, and the sequence of the packet itself, into an ACK.
void
PutAcks(TransportPacket& packet, const CommandPacket& from)
{
    const PacketAcks& acks = from.acks;
    packet.bitmaps.requestAcked = acks.singles;
    packet.bitmaps.dataAcked = {acks.singleBase | uint64_t{acks.orderedBase} << 32,
                                from.track.sequence | uint64_t{acks.epoch} << 32 |
                                    uint64_t{acks.isNotReady} << 40 |
                                    uint64_t{acks.isMissing} << 41 | uint64_t{acks.taken} << 48};
}

/// Takes what PutAcks() has put into a packet.
void
TakeAcks(const TransportPacket& packet, CommandPacket& to)
{
    const uint64_t low = packet.bitmaps.dataAcked.Low();
    const uint64_t high = packet.bitmaps.dataAcked.High();
    to.acks.singles = packet.bitmaps.requestAcked;
    to.acks.singleBase = static_cast<uint32_t>(low);
    to.acks.orderedBase = static_cast<uint32_t>(low >> 32);
    to.acks.epoch = static_cast<uint8_t>(high >> 32);
    to.acks.isNotReady = (high >> 40 & 1) != 0;
    to.acks.isMissing = (high >> 41 & 1) != 0;
    to.acks.taken = static_cast<uint8_t>(high >> 48);
    to.track.sequence = static_cast<uint32_t>(high);
}

} // namespace

TransportPacket
ToTransport(const CommandPacket& packet)
{
    TransportPacket made(TYPES[static_cast<std::size_t>(packet.kind)]);
    made.cid = packet.track.epoch | static_cast<uint32_t>(packet.track.kind) << 8;
    made.marksSeen = packet.turn;
    if (made.type == TransportPacketType::ACK)
    {
        made.requestBase = packet.id;
        made.dataBase = packet.isRefused ? 1 : 0;
        made.isProbe = packet.kind == CommandPacketKind::TRACK;
        PutAcks(made, packet);
        return made;
    }
    made.requestBase = packet.track.sequence;
    made.piece.psn = static_cast<uint32_t>(packet.op) | uint32_t{packet.isPacket} << 15 |
                     uint32_t{packet.counter} << 16;
    made.piece.rsn = packet.id;
    made.piece.amount = packet.bytes;
    made.piece.length = static_cast<uint32_t>(packet.length);
    made.piece.offset = static_cast<uint32_t>(packet.eager);
    made.piece.tag = packet.bits;
    made.piece.sentAt = packet.postedAt;
    made.dataBase = packet.offset;
    if (packet.op == CommandOp::ATOMIC)
    {
        PutAtomic(made, packet.atomic);
    }
    return made;
}

CommandPacket
FromTransport(const TransportPacket& packet)
{
    CommandPacket made;
    made.kind = static_cast<CommandPacketKind>(std::find(TYPES.begin(), TYPES.end(), packet.type) -
                                               TYPES.begin());
    made.track.epoch = static_cast<uint8_t>(packet.cid);
    made.track.kind = static_cast<TrackClass>(packet.cid >> 8 & 1);
    made.turn = packet.marksSeen;
    if (made.kind == CommandPacketKind::ACK)
    {
        made.kind = packet.isProbe ? CommandPacketKind::TRACK : CommandPacketKind::ACK;
        made.id = packet.requestBase;
        made.isRefused = packet.dataBase != 0;
        TakeAcks(packet, made);
        return made;
    }
    made.track.sequence = packet.requestBase;
    made.op = static_cast<CommandOp>(packet.piece.psn & 0xFF);
    made.isPacket = (packet.piece.psn >> 15 & 1) != 0;
    made.counter = static_cast<uint16_t>(packet.piece.psn >> 16);
    made.id = packet.piece.rsn;
    made.bytes = packet.piece.amount;
    made.length = packet.piece.length;
    made.eager = packet.piece.offset;
    made.bits = packet.piece.tag;
    made.postedAt = packet.piece.sentAt;
    if (made.op != CommandOp::ATOMIC)
    {
        made.offset = packet.dataBase;
    }
    else
    {
        made.atomic = TakeAtomic(packet);
    }
    return made;
}

} // namespace ns3::fabric
