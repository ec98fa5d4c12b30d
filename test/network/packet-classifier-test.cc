/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-packet-classifier.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/tcp-header.h"
#include "ns3/test.h"
#include "ns3/udp-header.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr uint16_t IPV4 = 0x0800; ///< EtherType of IPv4.
constexpr uint16_t IPV6 = 0x86DD; ///< EtherType of IPv6.
constexpr uint16_t VLAN = 0x8100; ///< EtherType of a VLAN tag.
constexpr uint8_t TCP = 6;        ///< Protocol number of TCP.
constexpr uint8_t UDP = 17;       ///< Protocol number of UDP.

const FlowKey::Ip IPV4_SOURCE{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 1, 2, 3};
const FlowKey::Ip IPV4_DESTINATION{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 4, 5, 6};
const FlowKey::Ip IPV6_SOURCE{0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xa};
const FlowKey::Ip IPV6_DESTINATION{0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xb};

/**
 * @param payload bytes behind the UDP header
 * @return a UDP datagram from port 5000 to 4791
 */
Ptr<Packet>
MakeUdp(uint32_t payload)
{
    Ptr<Packet> packet = Create<Packet>(payload);
    UdpHeader header;
    header.SetSourcePort(5000);
    header.SetDestinationPort(4791);
    packet->AddHeader(header);
    return packet;
}

/**
 * @param header an IPv4 header of which addresses and length are still to be set
 * @param packet what it carries; changed
 * @return the same packet
 */
Ptr<Packet>
AddIpv4(Ipv4Header header, Ptr<Packet> packet)
{
    header.SetSource("10.1.2.3");
    header.SetDestination("10.4.5.6");
    header.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
    packet->AddHeader(header);
    return packet;
}

/**
 * @param protocol what it carries
 * @return an IPv4 header with DSCP 46
 */
Ipv4Header
MakeIpv4Header(uint8_t protocol)
{
    Ipv4Header header;
    header.SetProtocol(protocol);
    header.SetDscp(Ipv4Header::DSCP_EF);
    return header;
}

/**
 * @param nextHeader type of the first header behind it
 * @param packet what it carries; changed
 * @return the same packet with an IPv6 header of DSCP 46 and flow label 0xabcde
 */
Ptr<Packet>
AddIpv6(uint8_t nextHeader, Ptr<Packet> packet)
{
    Ipv6Header header;
    header.SetSource("2001:db8::a");
    header.SetDestination("2001:db8::b");
    header.SetNextHeader(nextHeader);
    header.SetFlowLabel(0xabcde);
    header.SetTrafficClass(46 << 2);
    header.SetPayloadLength(static_cast<uint16_t>(packet->GetSize()));
    packet->AddHeader(header);
    return packet;
}

/**
 * @param bytes first bytes
 * @param packet what follows
 * @return both together
 */
Ptr<Packet>
Prepend(const std::vector<uint8_t>& bytes, Ptr<Packet> packet)
{
    Ptr<Packet> whole = Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
    whole->AddAtEnd(packet);
    return whole;
}

/// @return a table by which DSCP 46 has class 5, DSCP 0 class 1 and the others class 0
DscpTable
MakeDscpTable()
{
    DscpTable table{};
    table[46] = 5;
    table[0] = 1;
    return table;
}

/// @return the key of an IPv4 packet of these tests, without what is above IP
FlowKey
MakeIpv4Key()
{
    FlowKey key;
    key.ipSource = IPV4_SOURCE;
    key.ipDestination = IPV4_DESTINATION;
    key.trafficClass = 5;
    return key;
}

/// @return the key of an IPv6 packet of these tests, without what is above IP
FlowKey
MakeIpv6Key()
{
    FlowKey key;
    key.ipSource = IPV6_SOURCE;
    key.ipDestination = IPV6_DESTINATION;
    key.flowLabel = 0xabcde;
    key.trafficClass = 5;
    return key;
}

/**
 * @param key a key without what is above IP
 * @param protocol protocol above IP
 * @return the key with it and the ports of these tests
 */
FlowKey
WithPorts(FlowKey key, uint8_t protocol)
{
    key.protocol = protocol;
    key.sourcePort = 5000;
    key.destinationPort = 4791;
    return key;
}

std::vector<uint8_t>
BytesOf(Ptr<const Packet> packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    return bytes;
}

/// A packet has a key, and stays as it is.
void
ExpectKey(FunctionCase& test,
          Ptr<const Packet> packet,
          uint16_t protocol,
          const FlowKey& expected,
          const std::string& what)
{
    const std::vector<uint8_t> before = BytesOf(packet);
    test.Expect(ClassifyPacket(packet, protocol, MakeDscpTable()) == expected, what);
    test.Expect(BytesOf(packet) == before, Text(what, ": packet changed"));
}

/// UDP and TCP over IPv4.
void
TestIpv4(FunctionCase& test)
{
    const FlowKey udp = WithPorts(MakeIpv4Key(), UDP);
    ExpectKey(test, AddIpv4(MakeIpv4Header(UDP), MakeUdp(1000)), IPV4, udp, "UDP");

    Ptr<Packet> segment = Create<Packet>(1000);
    TcpHeader header;
    header.SetSourcePort(5000);
    header.SetDestinationPort(4791);
    segment->AddHeader(header);
    const FlowKey tcp = WithPorts(MakeIpv4Key(), TCP);
    ExpectKey(test, AddIpv4(MakeIpv4Header(TCP), segment), IPV4, tcp, "TCP");

    FlowKey icmp = MakeIpv4Key();
    icmp.protocol = 1;
    ExpectKey(test,
              AddIpv4(MakeIpv4Header(1), Create<Packet>(64)),
              IPV4,
              icmp,
              "ICMP has no ports");

    Ptr<Packet> padded = AddIpv4(MakeIpv4Header(UDP), Create<Packet>(0));
    padded->AddAtEnd(MakeUdp(18));
    FlowKey portless = MakeIpv4Key();
    portless.protocol = UDP;
    ExpectKey(test, padded, IPV4, portless, "padding is not read as ports");

    std::vector<uint8_t> bytes = BytesOf(AddIpv4(MakeIpv4Header(UDP), MakeUdp(100)));
    bytes[0] = 0x46; // Six words, one of options.
    bytes.insert(bytes.begin() + 20, {1, 1, 1, 1});
    ExpectKey(test, Prepend(bytes, Create<Packet>()), IPV4, udp, "options are passed over");
}

/**
 * @param protocol protocol above IP
 * @return the key of an IPv6 packet without ports
 */
FlowKey
WithoutPorts(uint8_t protocol)
{
    FlowKey key = MakeIpv6Key();
    key.protocol = protocol;
    return key;
}

/// UDP over IPv6, with and without extension headers.
void
TestIpv6(FunctionCase& test)
{
    const FlowKey udp = WithPorts(MakeIpv6Key(), UDP);
    ExpectKey(test, AddIpv6(UDP, MakeUdp(1000)), IPV6, udp, "UDP");

    const std::vector<uint8_t> hopByHop{60, 0, 1, 4, 0, 0, 0, 0};
    const std::vector<uint8_t> options{43, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const std::vector<uint8_t> routing{51, 0, 0, 0, 0, 0, 0, 0};
    const std::vector<uint8_t> authentication{44, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const std::vector<uint8_t> loneFragment{17, 0, 0, 6, 0, 0, 0, 9}; // With reserved bits.
    Ptr<Packet> packet = Prepend(loneFragment, MakeUdp(100));
    for (const auto* extension : {&authentication, &routing, &options, &hopByHop})
    {
        packet = Prepend(*extension, packet);
    }
    ExpectKey(test, AddIpv6(0, packet), IPV6, udp, "five extensions");

    ExpectKey(test,
              AddIpv6(43, Prepend({17, 20, 0, 0, 0, 0, 0, 0}, MakeUdp(400))),
              IPV6,
              WithoutPorts(UDP),
              "ports behind the bytes that are read");
    ExpectKey(test,
              AddIpv6(43, Prepend({17, 0, 0, 0, 0, 0, 0}, Create<Packet>())),
              IPV6,
              MakeIpv6Key(),
              "an extension that is cut short");
    ExpectKey(test, AddIpv6(59, Create<Packet>(7)), IPV6, WithoutPorts(59), "no next header");

    Ptr<Packet> padded = AddIpv6(UDP, Create<Packet>(0));
    padded->AddAtEnd(MakeUdp(18));
    ExpectKey(test, padded, IPV6, WithoutPorts(UDP), "padding is not read as ports");
}

/// The fragments of a datagram have one key.
void
TestFragments(FunctionCase& test)
{
    Ipv4Header first = MakeIpv4Header(UDP);
    first.SetMoreFragments();
    ExpectKey(test, AddIpv4(first, MakeUdp(1000)), IPV4, MakeIpv4Key(), "IPv4, first");
    Ipv4Header last = MakeIpv4Header(UDP);
    last.SetLastFragment();
    last.SetFragmentOffset(1008);
    ExpectKey(test, AddIpv4(last, Create<Packet>(500)), IPV4, MakeIpv4Key(), "IPv4, last");
    Ipv4Header whole = MakeIpv4Header(UDP);
    whole.SetDontFragment();
    ExpectKey(test,
              AddIpv4(whole, MakeUdp(10)),
              IPV4,
              WithPorts(MakeIpv4Key(), UDP),
              "IPv4, not to be fragmented");

    const std::vector<uint8_t> more{17, 0, 0, 1, 0, 0, 0, 9};
    const std::vector<uint8_t> end{17, 0, 0x03, 0xf0, 0, 0, 0, 9};
    ExpectKey(test, AddIpv6(44, Prepend(more, MakeUdp(1000))), IPV6, MakeIpv6Key(), "IPv6, first");
    ExpectKey(test, AddIpv6(44, Prepend(end, MakeUdp(500))), IPV6, MakeIpv6Key(), "IPv6, last");
}

/// Frames without IP, VLAN tags, and tables that cannot be.
void
TestOthers(FunctionCase& test)
{
    FlowKey expected;
    expected.trafficClass = 1;
    ExpectKey(test, MakeUdp(100), 0x0806, expected, "ARP");
    ExpectKey(test,
              AddIpv4(MakeIpv4Header(UDP), MakeUdp(100)),
              IPV6,
              expected,
              "IPv4 said to be IPv6");
    ExpectKey(test, AddIpv6(UDP, MakeUdp(100)), IPV4, expected, "IPv6 said to be IPv4");

    const FlowKey key = ClassifyPacket(Create<Packet>(100),
                                       0x0806,
                                       MakeDscpTable(),
                                       Mac48Address("02:00:00:00:00:0a"),
                                       Mac48Address("02:00:00:00:00:0b"));
    expected.macSource = {2, 0, 0, 0, 0, 0xa};
    expected.macDestination = {2, 0, 0, 0, 0, 0xb};
    test.Expect(key == expected, "MAC addresses");

    FlowKey tagged = WithPorts(MakeIpv4Key(), UDP);
    tagged.vlan = 0x234;
    const Ptr<Packet> packet = AddIpv4(MakeIpv4Header(UDP), MakeUdp(100));
    ExpectKey(test, Prepend({0xf2, 0x34, 0x08, 0x00}, packet), VLAN, tagged, "VLAN and IPv4");

    DscpTable wrong{};
    wrong[46] = 16;
    const std::string sentence = Refusal([&] { ClassifyPacket(packet, IPV4, wrong); });
    test.Expect(sentence.find("DSCP 46 has traffic class 16, allowed are 0 to 15") !=
                    std::string::npos,
                sentence);
}

/**
 * Cuts a packet at every length.
 *
 * @param packet a UDP packet
 * @param ipBytes bytes of its IP header
 * @param network its key without what is above IP
 */
void
Cut(FunctionCase& test,
    Ptr<const Packet> packet,
    uint16_t protocol,
    uint32_t ipBytes,
    const FlowKey& network)
{
    FlowKey none;
    none.trafficClass = 1;
    FlowKey portless = network;
    portless.protocol = UDP;
    for (uint32_t size = 0; size <= packet->GetSize(); ++size)
    {
        const FlowKey& expected = size < ipBytes       ? none
                                  : size < ipBytes + 4 ? portless
                                                       : WithPorts(network, UDP);
        ExpectKey(test,
                  packet->CreateFragment(0, size),
                  protocol,
                  expected,
                  "size " + std::to_string(size));
    }
}

/// Packets cut at every length, and random bytes.
void
TestTruncated(FunctionCase& test)
{
    Cut(test, AddIpv4(MakeIpv4Header(UDP), MakeUdp(200)), IPV4, 20, MakeIpv4Key());
    Cut(test, AddIpv6(UDP, MakeUdp(200)), IPV6, 40, MakeIpv6Key());
    for (uint32_t seed = 1; seed <= 20000; ++seed)
    {
        std::mt19937 random(seed);
        std::vector<uint8_t> bytes(random() % 160);
        std::generate(bytes.begin(), bytes.end(), [&] {
            // Small numbers more often: they are extension headers and their lengths.
            return static_cast<uint8_t>(random() % 2 == 0 ? random() : random() % 61);
        });
        const uint16_t protocol = random() % 3 == 0 ? VLAN : random() % 2 == 0 ? IPV4 : IPV6;
        const std::size_t first = protocol == VLAN ? 4 : 0;
        if (bytes.size() > first)
        {
            bytes[first] = protocol == IPV4 ? 0x40 | (bytes[first] & 0xf) : 0x60;
        }
        if (bytes.size() > 6 && protocol == VLAN)
        {
            bytes[2] = 0x86;
            bytes[3] = 0xdd;
        }
        const Ptr<Packet> packet =
            Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
        const FlowKey key = ClassifyPacket(packet, protocol);
        test.Expect(key.flowLabel <= 0xfffff && key.vlan <= 0xfff &&
                        (key.sourcePort == 0 || key.protocol == UDP || key.protocol == TCP),
                    Text("seed ", seed));
    }
}

/// The suite.
class PacketClassifierSuite : public FunctionSuite
{
  public:
    PacketClassifierSuite()
        : FunctionSuite("fabric-packet-classifier", kUnit)
    {
        Add("FC-2 IPv4: addresses, protocol, ports, and FTAG by DSCP", TestIpv4);
        Add("FC-2 IPv6: addresses, flow label, protocol and ports behind extensions", TestIpv6);
        Add("FC-2 all fragments of a datagram have one key, of addresses only", TestFragments);
        Add("FC-2 without IP only MAC addresses and VLAN; FTAG is that of DSCP 0", TestOthers);
        Add("FC-2 packets cut short at any byte, and random bytes, are classified", TestTruncated);
    }
};

PacketClassifierSuite g_packetClassifierSuite; ///< Registers the suite.

} // namespace
