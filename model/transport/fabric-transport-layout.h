/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_LAYOUT_H
#define FABRIC_TRANSPORT_LAYOUT_H

#include "fabric-transport-packet.h"

#include <array>
#include <cstdint>

namespace ns3::fabric
{

/// Parts of a header of the transport, in the order in which they stand on the wire.
enum TransportPart : uint16_t
{
    PART_SOURCE = 1 << 0,    ///< Source CID.
    PART_PSN = 1 << 1,       ///< PSN.
    PART_SENT = 1 << 2,      ///< When it was sent.
    PART_RSN = 1 << 3,       ///< RSN.
    PART_SSN = 1 << 4,       ///< SSN.
    PART_LENGTH = 1 << 5,    ///< Length of the transaction, and the ULP's tag.
    PART_OFFSET = 1 << 6,    ///< First byte of this piece.
    PART_AMOUNT = 1 << 7,    ///< Bytes of this piece, or granted; how often.
    PART_BASES = 1 << 8,     ///< Expected, or first, PSN of both windows.
    PART_ECHO = 1 << 9,      ///< Marks seen and time echoed.
    PART_BITMAPS = 1 << 10,  ///< What was acknowledged and received beyond the bases.
    PART_SETTINGS = 1 << 11, ///< What both ends agree on.
};

/// Bytes of each part, in the order of their bits.
inline constexpr std::array<uint8_t, 12>
    TRANSPORT_PART_BYTES{3, 4, 8, 4, 4, 12, 4, 4, 8, 10, 40, 8};

/// Version, type, NACK code, status, flags and destination CID, which every packet has.
inline constexpr uint32_t TRANSPORT_FIXED_BYTES = 6;

inline constexpr uint32_t TRANSPORT_CHECK_BYTES = 4; ///< CRC-32C over the header.

/// @return the parts of its header, TransportPart values
constexpr uint16_t
TransportParts(TransportPacketType type, NackCode nack)
{
    constexpr uint16_t RIDING_ACK = PART_BASES | PART_ECHO;
    constexpr uint16_t IN_WINDOW = PART_PSN | PART_SENT | PART_RSN | RIDING_ACK;
    constexpr uint16_t PIECE = PART_OFFSET | PART_AMOUNT;
    switch (type)
    {
    case TransportPacketType::PULL_REQUEST:
        return IN_WINDOW | PART_LENGTH;
    case TransportPacketType::PUSH_SOLICITED_REQUEST:
        return IN_WINDOW | PART_SSN | PART_LENGTH;
    case TransportPacketType::PULL_DATA:
        return IN_WINDOW | PIECE;
    case TransportPacketType::PUSH_GRANT:
        return IN_WINDOW | PART_SSN | PIECE;
    case TransportPacketType::PUSH_SOLICITED_DATA:
        return IN_WINDOW | PART_SSN | PART_LENGTH | PIECE;
    case TransportPacketType::PUSH_UNSOLICITED_DATA:
        return IN_WINDOW | PART_LENGTH | PIECE;
    case TransportPacketType::ERROR_RESPONSE:
        return IN_WINDOW;
    case TransportPacketType::ACK:
        return RIDING_ACK | PART_BITMAPS;
    case TransportPacketType::CONNECT:
    case TransportPacketType::ACCEPT:
        return PART_SOURCE | PART_BASES | PART_SETTINGS;
    case TransportPacketType::CLOSE:
        return PART_SOURCE | RIDING_ACK;
    case TransportPacketType::REFUSE:
    case TransportPacketType::CLOSED:
    case TransportPacketType::RESET:
        return PART_SOURCE;
    case TransportPacketType::NACK:
        break;
    }
    switch (nack)
    {
    case NackCode::NO_RESOURCE:
    case NackCode::DUPLICATE:
        return PART_PSN;
    case NackCode::TRIMMED:
        return PART_PSN | PART_SENT;
    case NackCode::NOT_READY:
        return PART_RSN | PART_AMOUNT;
    case NackCode::IN_ERROR:
    case NackCode::ERROR_HEARD:
        return PART_PSN | PART_RSN;
    case NackCode::BAD_CID:
        return PART_SOURCE;
    case NackCode::CREDIT_WANTED:
    case NackCode::CREDIT:
    case NackCode::CREDIT_ONLY:
    case NackCode::CREDIT_HEARD:
        return PART_RSN;
    case NackCode::CONGESTION:
    case NackCode::NONE:
        break;
    }
    return 0;
}

/// @return bytes of its header on the wire
constexpr uint32_t
TransportHeaderBytes(TransportPacketType type, NackCode nack = NackCode::NONE)
{
    uint32_t bytes = TRANSPORT_FIXED_BYTES + TRANSPORT_CHECK_BYTES;
    const uint16_t parts = TransportParts(type, nack);
    for (uint32_t part = 0; part < TRANSPORT_PART_BYTES.size(); ++part)
    {
        bytes += (parts >> part & 1) != 0 ? TRANSPORT_PART_BYTES[part] : 0U;
    }
    return bytes;
}

/// Bytes of the headers of all types but NACK, whose length goes with its code.
inline constexpr std::array<uint32_t, TRANSPORT_PACKET_TYPES> TRANSPORT_HEADER_BYTES = [] {
    std::array<uint32_t, TRANSPORT_PACKET_TYPES> bytes{};
    for (uint32_t type = 0; type < TRANSPORT_PACKET_TYPES; ++type)
    {
        bytes[type] = TransportHeaderBytes(static_cast<TransportPacketType>(type));
    }
    return bytes;
}();

/// @return bytes of its header and its payload on the wire
inline uint32_t
TransportBytes(const TransportPacket& packet)
{
    const uint32_t header = packet.type == TransportPacketType::NACK
                                ? TransportHeaderBytes(packet.type, packet.nack)
                                : TRANSPORT_HEADER_BYTES[static_cast<uint32_t>(packet.type)];
    return header + packet.PayloadBytes();
}

/// @return whether switches write telemetry on it, or it says what they have written on another
inline bool
CarriesTelemetry(const TransportPacket& packet)
{
    return packet.type == TransportPacketType::ACK || packet.PayloadBytes() > 0;
}

/// @param telemetry bytes of it, in headers that have any @return bytes of its header and its
/// payload on the wire
inline uint32_t
TransportBytes(const TransportPacket& packet, uint32_t telemetry)
{
    return TransportBytes(packet) + (telemetry > 0 && CarriesTelemetry(packet) ? telemetry : 0);
}

/// The longest header of a packet with payload: what the layer below must have room for besides
/// the MTU of a connection.
inline constexpr uint32_t TRANSPORT_DATA_HEADER_BYTES =
    TransportHeaderBytes(TransportPacketType::PUSH_SOLICITED_DATA);

/// The longest header of all.
inline constexpr uint32_t TRANSPORT_MAX_HEADER_BYTES =
    TransportHeaderBytes(TransportPacketType::ACK) > TRANSPORT_DATA_HEADER_BYTES
        ? TransportHeaderBytes(TransportPacketType::ACK)
        : TRANSPORT_DATA_HEADER_BYTES;

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_LAYOUT_H
