/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PACKET_CLASSIFIER_H
#define FABRIC_PACKET_CLASSIFIER_H

#include "fabric-class-map.h"
#include "fabric-flow-key.h"

#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>

namespace ns3::fabric
{

/**
 * Reads the header fields of a packet that tell its flow (FC-2). The packet is not changed.
 *
 * - One 802.1Q tag in front gives the VLAN.
 * - IPv4 and IPv6 give addresses, protocol, flow label, and the traffic class by their DSCP. IPv6
 *   extension headers are passed over as far as the first 128 bytes of the packet reach.
 * - TCP and UDP give ports.
 * - All fragments of a datagram give the same key: addresses and flow label (RFC 6437, section 2),
 * no protocol and no ports, which only the first fragment has.
 * - Anything else, and an IP header that is cut short or malformed, gives the MAC addresses and the
 * VLAN with the traffic class of DSCP 0. A header above IP that is cut short gives no ports.
 *
 * Destination, VNI and process are the caller's to fill in: they are not in the packet.
 *
 * @param packet the packet, starting behind its Ethernet header as NetDevice::Send() takes it
 * @param protocol EtherType of the packet, as NetDevice::Send() takes it
 * @param classOfDscp traffic class of each DSCP
 * @param source MAC source
 * @param destination MAC destination
 * @throws std::invalid_argument if the table gives a traffic class that does not exist
 */
FlowKey ClassifyPacket(const Ptr<const Packet>& packet,
                       uint16_t protocol,
                       const DscpTable& classOfDscp = {},
                       const Mac48Address& source = {},
                       const Mac48Address& destination = {});

} // namespace ns3::fabric

#endif // FABRIC_PACKET_CLASSIFIER_H
