/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ip-mark.h"

#include "fabric-ether-type.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/node.h"
#include "ns3/packet.h"

namespace ns3::fabric
{

namespace
{

/**
 * @param packet that should begin with a header
 * @param version of IP
 * @param size least bytes of the header
 * @return whether it does; a wrong packet is left to the IP stack
 */
bool
BeginsWithIp(const Packet& packet, uint8_t version, uint32_t size)
{
    uint8_t first = 0;
    packet.CopyData(&first, 1);
    return packet.GetSize() >= size && first >> 4 == version;
}

/// Takes the header off, lets it say that there was congestion if it may, and puts it on again.
template <typename Header>
bool
SetCe(const Ptr<Packet>& packet, Header header)
{
    packet->RemoveHeader(header);
    const bool isCapable = header.GetEcn() != Header::ECN_NotECT;
    if (isCapable)
    {
        header.SetEcn(Header::ECN_CE);
    }
    packet->AddHeader(header);
    return isCapable;
}

} // namespace

bool
MarkIpPacket(Ptr<Packet> packet, uint16_t protocol)
{
    if (protocol == ETHERTYPE_IPV4 && BeginsWithIp(*packet, 4, 20))
    {
        Ipv4Header header;
        if (Node::ChecksumEnabled())
        {
            header.EnableChecksum(); // it is made anew
        }
        return SetCe(packet, header);
    }
    if (protocol == ETHERTYPE_IPV6 && BeginsWithIp(*packet, 6, 40))
    {
        return SetCe(packet, Ipv6Header());
    }
    return false;
}

} // namespace ns3::fabric
