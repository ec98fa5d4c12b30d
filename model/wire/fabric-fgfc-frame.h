/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FGFC_FRAME_H
#define FABRIC_FGFC_FRAME_H

#include "fabric-flow-key.h"

#include <algorithm>

namespace ns3::fabric
{

/// What a frame of fine-grain flow control names its flow by (CM-4).
enum class FgfcProtocol : uint8_t
{
    NATIVE = 0, ///< Process or thread.
    VLAN = 1,   ///< VLAN.
    IPV4 = 2,   ///< IPv4 pair, protocol and ports.
    IPV6 = 3,   ///< IPv6 pair, protocol, ports and flow label.
};

/// Highest protocol in use.
inline constexpr FgfcProtocol LAST_FGFC_PROTOCOL = FgfcProtocol::IPV6;

/// @return what names the flow, by the fields that it has
inline FgfcProtocol
FgfcProtocolOf(const FlowKey& flow)
{
    constexpr FlowKey::Ip NO_IP{};
    if (flow.ipSource == NO_IP && flow.ipDestination == NO_IP)
    {
        return flow.vlan != 0 ? FgfcProtocol::VLAN : FgfcProtocol::NATIVE;
    }
    // IPv4 mapped into IPv6: ten bytes of 0, two of 0xFF (RFC 4291, 2.5.5.2).
    const auto isMapped = [](const FlowKey::Ip& ip) {
        return std::all_of(ip.begin(), ip.begin() + 10, [](uint8_t b) { return b == 0; }) &&
               ip[10] == 0xFF && ip[11] == 0xFF;
    };
    return isMapped(flow.ipSource) && isMapped(flow.ipDestination) ? FgfcProtocol::IPV4
                                                                   : FgfcProtocol::IPV6;
}

/// @return bytes of FabricFgfcHeader
inline constexpr uint32_t
FgfcHeaderBytes(FgfcProtocol protocol)
{
    constexpr uint32_t COMMON = 24;                    // see FabricFgfcHeader
    constexpr uint32_t PORTS = 5;                      // protocol and ports
    constexpr uint32_t IPV4_PAIR = 8;                  // two addresses
    constexpr uint32_t IPV6_PAIR = 2 * 16;             // two addresses
    constexpr uint32_t LABEL = 3;                      // flow label
    constexpr uint32_t SHORTEST_ETHERNET_PAYLOAD = 46; // IEEE Std 802.3-2018, 3.2.7
    const uint32_t bytes = protocol == FgfcProtocol::IPV4   ? COMMON + IPV4_PAIR + PORTS
                           : protocol == FgfcProtocol::IPV6 ? COMMON + IPV6_PAIR + PORTS + LABEL
                                                            : COMMON;
    return std::max(bytes, SHORTEST_ETHERNET_PAYLOAD);
}

/// @param flow the fields that name it @return bytes of a frame on the wire: with Ethernet header
/// and check sequence, and as for pauses preamble and gap
inline uint32_t
FgfcFrameBytes(const FlowKey& flow)
{
    constexpr uint32_t ETHERNET = 14 + FCS_BYTES + 8 + 12; // IEEE Std 802.3-2018, 3.1.1 and 4.4.2
    return ETHERNET + FgfcHeaderBytes(FgfcProtocolOf(flow));
}

} // namespace ns3::fabric

#endif // FABRIC_FGFC_FRAME_H
