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
    IPV6 = 3,   ///< IPv6 pair, protocol, ports and flow label; any of them.
};

/// Highest protocol in use.
inline constexpr FgfcProtocol LAST_FGFC_PROTOCOL = FgfcProtocol::IPV6;

/**
 * @return what names the flow, by the fields that it has. Fields above IP name it by IPV6, also
 * where the switch does not tell flows apart by addresses: these are 0 then.
 */
inline FgfcProtocol
FgfcProtocolOf(const FlowKey& flow)
{
    const auto isMapped = [](const FlowKey::Ip& ip) {
        return std::equal(ip.begin(), ip.begin() + MAPPED_IPV4_PREFIX, MAPPED_IPV4.begin());
    };
    if (flow.flowLabel == 0 && isMapped(flow.ipSource) && isMapped(flow.ipDestination))
    {
        return FgfcProtocol::IPV4;
    }
    constexpr FlowKey::Ip NO_IP{};
    const bool hasIp = flow.ipSource != NO_IP || flow.ipDestination != NO_IP ||
                       flow.protocol != 0 || flow.sourcePort != 0 || flow.destinationPort != 0 ||
                       flow.flowLabel != 0;
    return hasIp ? FgfcProtocol::IPV6 : flow.vlan != 0 ? FgfcProtocol::VLAN : FgfcProtocol::NATIVE;
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
