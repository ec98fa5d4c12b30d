/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ETHER_TYPE_H
#define FABRIC_ETHER_TYPE_H

#include <cstdint>

namespace ns3::fabric
{

// EtherTypes, of the IEEE 802 numbers registry. ns-3 has names of its own for some, but other ones
// from 3.49 on (iana::) than before (PROT_NUMBER of each protocol).

inline constexpr uint16_t ETHERTYPE_IPV4 = 0x0800;        ///< IP version 4.
inline constexpr uint16_t ETHERTYPE_ARP = 0x0806;         ///< Address resolution.
inline constexpr uint16_t ETHERTYPE_VLAN = 0x8100;        ///< VLAN tag.
inline constexpr uint16_t ETHERTYPE_IPV6 = 0x86DD;        ///< IP version 6.
inline constexpr uint16_t ETHERTYPE_MAC_CONTROL = 0x8808; ///< Pauses (IEEE Std 802.3, 31.4).
/// OUI Extended: OUI and a protocol id follow (IEEE Std 802-2014, 9.2.4).
inline constexpr uint16_t ETHERTYPE_OUI_EXTENDED = 0x88B7;

} // namespace ns3::fabric

#endif // FABRIC_ETHER_TYPE_H
