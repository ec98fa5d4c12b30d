/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TRANSPORT_PACKET_CASES_H
#define TRANSPORT_PACKET_CASES_H

#include "fabric-transport-layout.h"
#include "fabric-transport-packet.h"

#include <random>

namespace ns3::fabric
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
    const auto type = static_cast<TransportPacketType>(random() % TRANSPORT_PACKET_TYPES);
    const NackCode nack = type == TransportPacketType::NACK
                              ? static_cast<NackCode>(1 + random() % (NACK_CODES - 1))
                              : NackCode::NONE;
    TransportPacket packet(type, nack);
    packet.status = static_cast<TransportStatus>(random() % TRANSPORT_STATUSES);
    packet.isRequestPsn = Draw(random, 1) != 0;
    packet.isLongEcho = Draw(random, 1) != 0;
    packet.isMarked = Draw(random, 1) != 0;
    packet.isProbe = Draw(random, 1) != 0;
    packet.isCorrupt = random() % 4 == 0;
    packet.cid = static_cast<ConnectionId>(Draw(random, 24));
    const uint16_t parts = TransportParts(packet.type, packet.nack);
    const auto has = [parts](uint16_t part) { return (parts & part) != 0; };
    const auto word = [&random, &has](uint16_t part) {
        return has(part) ? static_cast<uint32_t>(Draw(random, 32)) : 0;
    };
    packet.requestBase = word(PART_BASES);
    packet.dataBase = word(PART_BASES);
    if (has(PART_ECHO))
    {
        packet.marksSeen = static_cast<uint16_t>(Draw(random, 16));
        packet.echo = random() % 4 == 0 ? NEVER : static_cast<TimePs>(Draw(random, 62));
    }
    if (packet.HasPiece())
    {
        TransportPiece& piece = packet.piece;
        piece.psn = word(PART_PSN);
        piece.rsn = word(PART_RSN);
        piece.ssn = word(PART_SSN);
        piece.length = word(PART_LENGTH);
        piece.tag = has(PART_LENGTH) ? random() : 0;
        piece.offset = word(PART_OFFSET);
        piece.amount = word(PART_AMOUNT);
        piece.sentAt = has(PART_SENT) ? static_cast<TimePs>(Draw(random, 63)) : 0;
    }
    else if (packet.HasBitmaps())
    {
        packet.bitmaps.requestAcked = random();
        packet.bitmaps.dataAcked = PacketBitmap(random(), random());
        packet.bitmaps.dataReceived = PacketBitmap(random(), random());
    }
    else
    {
        ConnectionOffer& offer = packet.offer;
        offer.sourceCid = word(PART_SOURCE) & MAX_CONNECTION_ID;
        offer.requestWindow = static_cast<uint16_t>(word(PART_SETTINGS));
        offer.dataWindow = static_cast<uint16_t>(word(PART_SETTINGS));
        offer.requestSpan = static_cast<uint16_t>(word(PART_SETTINGS));
        offer.mtu = static_cast<uint16_t>(word(PART_SETTINGS));
        offer.needsCredit = has(PART_SETTINGS) && Draw(random, 1) != 0;
        offer.firstCredit =
            offer.needsCredit ? static_cast<uint8_t>(random() % FIRST_CREDITS.size()) : 0;
        offer.isOrdered = has(PART_SETTINGS) && Draw(random, 1) != 0;
    }
    return packet;
}

/// @return whether two pieces say the same
inline bool
IsSame(const TransportPiece& a, const TransportPiece& b)
{
    return a.psn == b.psn && a.rsn == b.rsn && a.ssn == b.ssn && a.length == b.length &&
           a.offset == b.offset && a.amount == b.amount && a.tag == b.tag && a.sentAt == b.sentAt;
}

/// @return whether the bitmaps of two ACKs say the same
inline bool
IsSame(const AckBitmaps& a, const AckBitmaps& b)
{
    return a.requestAcked == b.requestAcked && a.dataAcked == b.dataAcked &&
           a.dataReceived == b.dataReceived;
}

/// @return whether two offers say the same
inline bool
IsSame(const ConnectionOffer& a, const ConnectionOffer& b)
{
    return a.sourceCid == b.sourceCid && a.requestWindow == b.requestWindow &&
           a.dataWindow == b.dataWindow && a.requestSpan == b.requestSpan && a.mtu == b.mtu &&
           a.needsCredit == b.needsCredit && a.firstCredit == b.firstCredit &&
           a.isOrdered == b.isOrdered;
}

/// @return whether two packets say the same
inline bool
IsSame(const TransportPacket& a, const TransportPacket& b)
{
    return a.type == b.type && a.nack == b.nack && a.status == b.status &&
           a.isLongEcho == b.isLongEcho && a.isRequestPsn == b.isRequestPsn &&
           a.isMarked == b.isMarked && a.isProbe == b.isProbe && a.isCorrupt == b.isCorrupt &&
           a.cid == b.cid && a.requestBase == b.requestBase && a.dataBase == b.dataBase &&
           a.marksSeen == b.marksSeen && a.echo == b.echo &&
           (a.HasPiece()     ? IsSame(a.piece, b.piece)
            : a.HasBitmaps() ? IsSame(a.bitmaps, b.bitmaps)
                             : IsSame(a.offer, b.offer));
}

} // namespace ns3::fabric

#endif // TRANSPORT_PACKET_CASES_H
