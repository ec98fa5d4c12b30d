/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-packet-classifier.h"

#include "fabric-ether-type.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

// IANA protocol numbers.
constexpr uint8_t PROTOCOL_HOP_BY_HOP = 0;
constexpr uint8_t PROTOCOL_TCP = 6;
constexpr uint8_t PROTOCOL_UDP = 17;
constexpr uint8_t PROTOCOL_ROUTING = 43;
constexpr uint8_t PROTOCOL_FRAGMENT = 44;
constexpr uint8_t PROTOCOL_AUTHENTICATION = 51;
constexpr uint8_t PROTOCOL_DESTINATION_OPTIONS = 60;

/// Enough for a VLAN tag, the longest IPv4 header (60) and ports, and for usual IPv6 extensions.
constexpr uint32_t BYTES_READ = 128;

/// The first bytes of a packet, or of what is left of it.
struct Bytes
{
    const uint8_t* data; ///< The first.
    uint32_t size;       ///< How many there are.

    /// @return the 16-bit number at an offset
    uint16_t Read16(uint32_t offset) const
    {
        return static_cast<uint16_t>(data[offset] << 8 | data[offset + 1]);
    }

    /// @return what follows the first `count` bytes
    Bytes From(uint32_t count) const
    {
        return {data + count, size - count};
    }

    /// @return the first `count` bytes, or all if there are fewer
    Bytes First(uint32_t count) const
    {
        return {data, std::min(size, count)};
    }
};

/// @return the version in the first byte of an IP header, 0 if there is none
uint8_t
IpVersion(const Bytes& ip)
{
    return ip.size == 0 ? 0 : ip.data[0] >> 4;
}

/// @return the traffic class of a DSCP; throws if there is no such class
uint8_t
ClassOf(const DscpTable& classOfDscp, uint8_t dscp)
{
    const uint8_t trafficClass = classOfDscp[dscp];
    if (trafficClass >= TRAFFIC_CLASSES)
    {
        throw std::invalid_argument("packet classifier: DSCP " + std::to_string(dscp) +
                                    " has traffic class " + std::to_string(trafficClass) +
                                    ", allowed are 0 to " + std::to_string(TRAFFIC_CLASSES - 1));
    }
    return trafficClass;
}

/// @return an IPv4 address as an IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2)
FlowKey::Ip
MapIpv4(const uint8_t* address)
{
    FlowKey::Ip mapped = MAPPED_IPV4;
    std::copy_n(address, 4, mapped.begin() + MAPPED_IPV4_PREFIX);
    return mapped;
}

/// Reads what is above IP.
void
ReadTransport(const Bytes& transport, uint8_t protocol, FlowKey& key)
{
    key.protocol = protocol;
    if ((protocol == PROTOCOL_TCP || protocol == PROTOCOL_UDP) && transport.size >= 4)
    {
        key.sourcePort = transport.Read16(0);
        key.destinationPort = transport.Read16(2);
    }
}

/// Reads an IPv4 header (RFC 791) and what is above it.
void
ReadIpv4(const Bytes& ip, const DscpTable& classOfDscp, FlowKey& key)
{
    const uint32_t headerLength = ip.size < 20 ? 0 : (ip.data[0] & 0xf) * 4;
    if (IpVersion(ip) != 4 || headerLength < 20)
    {
        return;
    }
    key.trafficClass = ClassOf(classOfDscp, ip.data[1] >> 2);
    key.ipSource = MapIpv4(ip.data + 12);
    key.ipDestination = MapIpv4(ip.data + 16);
    const bool isFragment = (ip.Read16(6) & 0x3fff) != 0; // More fragments, or an offset.
    if (isFragment)
    {
        return;
    }
    // Behind the total length there may be padding.
    const Bytes datagram = ip.First(ip.Read16(2));
    ReadTransport(datagram.From(std::min(headerLength, datagram.size)), ip.data[9], key);
}

/// @return whether a next header value stands for an extension header that can be passed over
bool
IsExtension(uint8_t nextHeader)
{
    switch (nextHeader)
    {
    case PROTOCOL_HOP_BY_HOP:
    case PROTOCOL_ROUTING:
    case PROTOCOL_FRAGMENT:
    case PROTOCOL_AUTHENTICATION:
    case PROTOCOL_DESTINATION_OPTIONS:
        return true;
    default:
        return false;
    }
}

/// @return bytes of an extension header (RFC 8200, section 4; RFC 4302, 2.2)
uint32_t
ExtensionLength(const Bytes& extension, uint8_t type)
{
    switch (type)
    {
    case PROTOCOL_FRAGMENT:
        return 8;
    case PROTOCOL_AUTHENTICATION:
        return (extension.data[1] + 2U) * 4;
    default:
        return (extension.data[1] + 1U) * 8;
    }
}

/// Reads an IPv6 header (RFC 8200), passes over its extensions and reads what is above.
void
ReadIpv6(const Bytes& ip, const DscpTable& classOfDscp, FlowKey& key)
{
    if (IpVersion(ip) != 6 || ip.size < 40)
    {
        return;
    }
    key.trafficClass = ClassOf(classOfDscp, (ip.Read16(0) >> 6) & 0x3f);
    key.flowLabel = (ip.data[1] & 0xfU) << 16 | ip.Read16(2);
    std::copy_n(ip.data + 8, 16, key.ipSource.begin());
    std::copy_n(ip.data + 24, 16, key.ipDestination.begin());
    uint8_t nextHeader = ip.data[6];
    // Behind the payload length there may be padding.
    Bytes rest = ip.From(40).First(ip.Read16(4));
    while (IsExtension(nextHeader))
    {
        if (rest.size < 8)
        {
            return;
        }
        // A lone fragment (offset 0, no more) is a whole datagram (RFC 6946).
        if (nextHeader == PROTOCOL_FRAGMENT && (rest.Read16(2) & 0xfff9) != 0)
        {
            return;
        }
        const uint32_t length = ExtensionLength(rest, nextHeader);
        nextHeader = rest.data[0];
        rest = rest.From(std::min(length, rest.size));
    }
    ReadTransport(rest, nextHeader, key);
}

} // namespace

FlowKey
ClassifyPacket(const Ptr<const Packet>& packet,
               uint16_t protocol,
               const DscpTable& classOfDscp,
               const Mac48Address& source,
               const Mac48Address& destination)
{
    std::array<uint8_t, BYTES_READ> buffer;
    Bytes rest{buffer.data(), packet->CopyData(buffer.data(), BYTES_READ)};
    FlowKey key;
    source.CopyTo(key.macSource.data());
    destination.CopyTo(key.macDestination.data());
    if (protocol == ETHERTYPE_VLAN && rest.size >= 4)
    {
        key.vlan = rest.Read16(0) & 0xfff;
        protocol = rest.Read16(2);
        rest = rest.From(4);
    }
    key.trafficClass = ClassOf(classOfDscp, 0);
    if (protocol == ETHERTYPE_IPV4)
    {
        ReadIpv4(rest, classOfDscp, key);
    }
    else if (protocol == ETHERTYPE_IPV6)
    {
        ReadIpv6(rest, classOfDscp, key);
    }
    return key;
}

} // namespace ns3::fabric
