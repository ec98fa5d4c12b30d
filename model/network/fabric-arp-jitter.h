/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ARP_JITTER_H
#define FABRIC_ARP_JITTER_H

#include "ns3/node.h"
#include "ns3/ptr.h"

namespace ns3::fabric
{

/**
 * Lets a node ask for the MAC address of an IP address at once. In ns-3 the request waits for up to
 * 10 ms, drawn at random, so that stations of a wireless network do not collide: a thousand times
 * the round trip of a fabric. The same is done for neighbor solicitations of IPv6. A jitter other
 * than ns-3's default was chosen by the user and stays.
 *
 * @param node with an IP stack, or without
 */
void RemoveArpJitter(const Ptr<Node>& node);

} // namespace ns3::fabric

#endif // FABRIC_ARP_JITTER_H
