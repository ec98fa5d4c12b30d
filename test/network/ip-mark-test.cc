/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ether-type.h"
#include "fabric-function-case.h"
#include "fabric-ip-mark.h"
#include "fabric-network-scenario.h"
#include "fabric-test-compat.h"

#include "ns3/global-value.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/node.h"

#include <array>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t DATA = 1000; ///< Bytes behind the header.

/// @return data that begins with a given header, which is filled in
template <typename Header>
Ptr<Packet>
PacketOf(Header header, typename Header::EcnType ecn)
{
    header.SetDscp(Header::DSCP_AF21);
    header.SetEcn(ecn);
    std::vector<uint8_t> bytes(DATA);
    for (uint32_t i = 0; i < DATA; ++i)
    {
        bytes[i] = static_cast<uint8_t>(i * 7);
    }
    auto packet = Create<Packet>(bytes.data(), DATA);
    packet->AddHeader(header);
    return packet;
}

/// @return an IPv4 packet
Ptr<Packet>
MakeIpv4(Ipv4Header::EcnType ecn)
{
    Ipv4Header header;
    header.SetSource(Ipv4Address("10.0.0.1"));
    header.SetDestination(Ipv4Address("10.0.0.2"));
    header.SetProtocol(17);
    header.SetTtl(9);
    header.SetPayloadSize(DATA);
    if (Node::ChecksumEnabled())
    {
        header.EnableChecksum();
    }
    return PacketOf(header, ecn);
}

/// @return an IPv6 packet
Ptr<Packet>
MakeIpv6(Ipv6Header::EcnType ecn)
{
    Ipv6Header header;
    header.SetSource(Ipv6Address("2001::1"));
    header.SetDestination(Ipv6Address("2001::2"));
    header.SetNextHeader(17);
    header.SetHopLimit(9);
    header.SetPayloadLength(DATA);
    return PacketOf(header, ecn);
}

std::vector<uint8_t>
Bytes(const Ptr<const Packet>& packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    return bytes;
}

/// Marks a packet with an ECN field; what it should be then is another packet.
void
ExpectMarked(FunctionCase& test,
             const Ptr<Packet>& packet,
             uint16_t protocol,
             const Ptr<const Packet>& expected,
             bool isCapable)
{
    test.Expect(MarkIpPacket(packet, protocol) == isCapable, "whether the packet has CE");
    test.Expect(Bytes(packet) == Bytes(expected), "more or less than the ECN field has changed");
}

/// Only the ECN field of packets with such a header changes, and only where the ends understand it.
template <typename Header>
void
ExpectCe(FunctionCase& test, Ptr<Packet> (*make)(typename Header::EcnType), uint16_t protocol)
{
    for (const auto ecn : {Header::ECN_ECT0, Header::ECN_ECT1, Header::ECN_CE})
    {
        ExpectMarked(test, make(ecn), protocol, make(Header::ECN_CE), true);
    }
    const Ptr<Packet> plain = make(Header::ECN_NotECT);
    ExpectMarked(test, plain->Copy(), protocol, plain, false);
}

/// Both versions of IP, with checksums and without.
void
TestHeaders(FunctionCase& test)
{
    const bool before = Node::ChecksumEnabled();
    for (const bool checksum : {false, true})
    {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(checksum));
        ExpectCe<Ipv4Header>(test, MakeIpv4, ETHERTYPE_IPV4);
        ExpectCe<Ipv6Header>(test, MakeIpv6, ETHERTYPE_IPV6);
    }
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(before));
}

/// What is no IP packet is left alone.
void
TestOthers(FunctionCase& test)
{
    const Ptr<Packet> ip = MakeIpv4(Ipv4Header::ECN_ECT0);
    ExpectMarked(test, ip->Copy(), ETHERTYPE_ARP, ip, false);
    ExpectMarked(test, ip->Copy(), ETHERTYPE_IPV6, ip, false); // of another version
    const Ptr<Packet> beginning = ip->CreateFragment(0, 19);
    ExpectMarked(test, beginning->Copy(), ETHERTYPE_IPV4, beginning, false);
    const auto empty = Create<Packet>();
    ExpectMarked(test, empty->Copy(), ETHERTYPE_IPV4, empty, false);
}

/// @return packets with CE of those that two hosts send to a third one, whose switch marks frames
uint64_t
CountCe(FunctionCase& test, Ipv4Header::EcnType ecn)
{
    Simulation simulation;
    FatTreeConfig config;
    config.levels = 2;
    config.radix = 4;
    FatTreeHelper helper(config);
    helper.SetStream(1);
    helper.SetSwitchAttribute("MarkClasses", UintegerValue(0xFFFF));
    helper.SetSwitchAttribute("MarkMinBytes", UintegerValue(20'000));
    helper.SetSwitchAttribute("MarkMaxBytes", UintegerValue(20'000));
    const FabricContainer fabric = helper.Install();
    uint64_t received = 0;
    uint64_t marked = 0;
    fabric.GetDevice(0)->SetReceiveCallback(NetDevice::ReceiveCallback(
        [&](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&) {
            Ipv4Header header;
            packet->PeekHeader(header);
            marked += header.GetEcn() == Ipv4Header::ECN_CE;
            ++received;
            return true;
        }));
    constexpr uint32_t PACKETS = 100;
    for (uint32_t i = 0; i < PACKETS; ++i)
    {
        for (const uint32_t host : {2U, 5U})
        {
            fabric.GetDevice(host)->Send(MakeIpv4(ecn),
                                         fabric.GetDevice(0)->GetAddress(),
                                         ETHERTYPE_IPV4);
        }
    }
    Simulator::Run();
    uint64_t frames = 0;
    for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
    {
        frames += fabric.GetSwitch(i)->GetChip().Marker()->MarkedFrames();
    }
    const uint64_t atEdge = fabric.GetDevice(0)->GetSwitch()->GetChip().Marker()->MarkedFrames();
    test.Expect(received == 2 * PACKETS && atEdge > PACKETS / 2,
                std::to_string(received) + " packets, " + std::to_string(atEdge) + " marked");
    // Some were marked before by another switch.
    test.Expect(ecn == Ipv4Header::ECN_NotECT || (marked >= atEdge && marked <= frames),
                std::to_string(marked) + " packets with CE, of " + std::to_string(atEdge) + " to " +
                    std::to_string(frames));
    return marked;
}

/// What switches have marked has CE at the host that receives it, if its ends understand it.
void
TestOverFabric(FunctionCase& test)
{
    CountCe(test, Ipv4Header::ECN_ECT0);
    test.Expect(CountCe(test, Ipv4Header::ECN_NotECT) == 0, "packets that do not understand CE");
}

/// Suite of marks that IP packets get.
class IpMarkTestSuite : public FunctionSuite
{
  public:
    IpMarkTestSuite()
        : FunctionSuite("fabric-ip-mark", kUnit)
    {
        Add("RT-14 a mark is CE in the header of IPv4 and IPv6, and nothing else", TestHeaders);
        Add("RT-14 what is no IP packet is not marked", TestOthers);
        Add("RT-14 packets that met congestion in switches have CE where they arrive",
            TestOverFabric);
    }
};

IpMarkTestSuite g_ipMarkTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
