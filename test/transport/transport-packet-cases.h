/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TRANSPORT_PACKET_CASES_H
#define TRANSPORT_PACKET_CASES_H

#include "fabric-transport-layout.h"
#include "fabric-transport-packet.h"

#include <random>

namespace ns3
{
namespace fabric
{

using Random = std::mt19937_64; ///< The same with every standard library.

/// @return a random field of so many bits
inline uint64_t
Draw(Random& random, uint32_t bits)
{
    return random() >> (64 - bits);
}

/**
 * @param random draws
 * @return a packet in which every field that its type has, and no other, is random
 */
inline TransportPacket
RandomPacket(Random& random)
{
    TransportPacket packet;
    packet.type = static_cast<TransportPacketType>(random() % TRANSPORT_PACKET_TYPES);
    packet.nack = packet.type == TransportPacketType::NACK
                      ? static_cast<NackCode>(1 + random() % (NACK_CODES - 1))
                      : NackCode::NONE;
    packet.status = static_cast<TransportStatus>(random() % TRANSPORT_STATUSES);
    packet.isOrdered = Draw(random, 1) != 0;
    packet.isRequestPsn = Draw(random, 1) != 0;
    packet.isMarked = Draw(random, 1) != 0;
    packet.isProbe = Draw(random, 1) != 0;
    packet.isCorrupt = random() % 4 == 0;
    packet.cid = static_cast<ConnectionId>(Draw(random, 24));
    const uint16_t parts = TransportParts(packet.type, packet.nack);
    const auto has = [parts](uint16_t part) { return (parts & part) != 0; };
    const auto word = [&random, &has](uint16_t part) {
        return has(part) ? static_cast<uint32_t>(Draw(random, 32)) : 0;
    };
    packet.sourceCid = word(PART_SOURCE) & MAX_CONNECTION_ID;
    packet.psn = word(PART_PSN);
    packet.rsn = word(PART_RSN);
    packet.ssn = word(PART_SSN);
    packet.length = word(PART_LENGTH);
    packet.tag = has(PART_LENGTH) ? random() : 0;
    packet.offset = word(PART_OFFSET);
    packet.amount = word(PART_AMOUNT);
    packet.requestBase = word(PART_BASES);
    packet.dataBase = word(PART_BASES);
    packet.sentAt = has(PART_SENT) ? static_cast<TimePs>(Draw(random, 63)) : 0;
    if (has(PART_ECHO))
    {
        packet.marksSeen = static_cast<uint16_t>(Draw(random, 16));
        packet.echo = random() % 4 == 0 ? NEVER : static_cast<TimePs>(Draw(random, 62));
    }
    if (has(PART_BITMAPS))
    {
        packet.requestAcked = random();
        packet.dataAcked = PacketBitmap(random(), random());
        packet.dataReceived = PacketBitmap(random(), random());
    }
    packet.requestWindow = static_cast<uint16_t>(word(PART_SETTINGS));
    packet.dataWindow = static_cast<uint16_t>(word(PART_SETTINGS));
    packet.requestSpan = static_cast<uint16_t>(word(PART_SETTINGS));
    packet.mtu = static_cast<uint16_t>(word(PART_SETTINGS));
    return packet;
}

/// @return whether two packets say the same
inline bool
IsSame(const TransportPacket& a, const TransportPacket& b)
{
    return a.type == b.type && a.nack == b.nack && a.status == b.status &&
           a.isOrdered == b.isOrdered && a.isRequestPsn == b.isRequestPsn &&
           a.isMarked == b.isMarked && a.isProbe == b.isProbe && a.isCorrupt == b.isCorrupt &&
           a.cid == b.cid && a.sourceCid == b.sourceCid && a.psn == b.psn && a.rsn == b.rsn &&
           a.ssn == b.ssn && a.length == b.length && a.offset == b.offset && a.amount == b.amount &&
           a.tag == b.tag && a.requestBase == b.requestBase && a.dataBase == b.dataBase &&
           a.requestAcked == b.requestAcked && a.dataAcked == b.dataAcked &&
           a.dataReceived == b.dataReceived && a.requestWindow == b.requestWindow &&
           a.dataWindow == b.dataWindow && a.requestSpan == b.requestSpan && a.mtu == b.mtu &&
           a.marksSeen == b.marksSeen && a.sentAt == b.sentAt && a.echo == b.echo;
}

} // namespace fabric
} // namespace ns3

#endif // TRANSPORT_PACKET_CASES_H
