/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FRAME_TYPE_H
#define FABRIC_FRAME_TYPE_H

#include <cstdint>

namespace ns3::fabric
{

/// Frame type on the wire, 4 bits (WL-1): 0 to 7 are data frames, 8 to 15 control frames of a link.
enum class FrameType : uint8_t
{
    NATIVE = 0,   ///< Fabric-native payload.
    ETHERNET = 1, ///< Ethernet frame without its FCS.
    IPV4 = 2,     ///< IPv4 packet.
    IPV6 = 3,     ///< IPv6 packet.
    RELIABLE = 4, ///< Packet of the reliable transport (RT), see ns3::FabricTransportHeader.
    ACK = 8,      ///< ACK frame (WL-2), see ns3::FabricAckHeader.
    CREDIT = 9,   ///< Credit frame (WL-5), see ns3::FabricCreditHeader.
};

/// Width of the frame type on the wire, bits.
inline constexpr uint32_t FRAME_TYPE_BITS = 4;

/// @return whether frames of this type start with a fabric header; false for unknown codes too
inline constexpr bool
IsDataFrame(FrameType type)
{
    return type <= FrameType::RELIABLE;
}

} // namespace ns3::fabric

#endif // FABRIC_FRAME_TYPE_H
