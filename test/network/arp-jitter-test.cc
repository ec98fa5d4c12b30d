/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-arp-jitter.h"
#include "fabric-function-case.h"
#include "fabric-network-scenario.h"
#include "fabric-small-tree.h"
#include "fabric-test-compat.h"

#include "ns3/arp-l3-protocol.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A tree whose hosts have an IP stack, each with a socket for UDP.
struct IpTree
{
    static constexpr uint16_t PORT = 9;

    /// @param keepsJitter attribute of the devices
    explicit IpTree(bool keepsJitter)
    {
        FatTreeHelper helper = SmallTree();
        helper.SetDeviceAttribute("ArpJitter", BooleanValue(keepsJitter));
        fabric = helper.Install();
        InternetStackHelper().Install(fabric.hosts);
        ipv4 = Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(fabric.devices);
        ipv6 = Ipv6AddressHelper(Ipv6Address("2001:db8::"), Ipv6Prefix(64)).Assign(fabric.devices);
    }

    /**
     * Every host sends a packet to the next one.
     *
     * @param at when
     * @return how long each packet was under way, ascending
     */
    std::vector<Time> Send(Time at, bool isIpv6)
    {
        std::vector<Time> times;
        const uint32_t hosts = fabric.hosts.GetN();
        for (uint32_t i = 0; i < hosts; ++i)
        {
            const auto socket =
                Socket::CreateSocket(fabric.hosts.Get(i), UdpSocketFactory::GetTypeId());
            const uint32_t next = (i + 1) % hosts;
            const Address here = isIpv6 ? Address(Inet6SocketAddress(Ipv6Address::GetAny(), PORT))
                                        : Address(InetSocketAddress(Ipv4Address::GetAny(), PORT));
            const Address there = isIpv6
                                      ? Address(Inet6SocketAddress(ipv6.GetAddress(next, 1), PORT))
                                      : Address(InetSocketAddress(ipv4.GetAddress(next), PORT));
            socket->Bind(here);
            socket->SetRecvCallback(Callback<void, Ptr<Socket>>(
                [&times, at](Ptr<Socket>) { times.push_back(Simulator::Now() - at); }));
            Simulator::Schedule(at, [socket, there] { socket->SendTo(nullptr, 100, 0, there); });
        }
        Simulator::Stop(at + Seconds(1));
        Simulator::Run();
        std::sort(times.begin(), times.end());
        return times;
    }

    Simulation simulation;       ///< Ends with the tree.
    FabricContainer fabric;      ///< The tree.
    Ipv4InterfaceContainer ipv4; ///< Addresses.
    Ipv6InterfaceContainer ipv6; ///< Addresses.
};

/// @param times of 8 packets @return whether all are from low to high
bool
AreWithin(const std::vector<Time>& times, Time low, Time high)
{
    return times.size() == 8 && times.front() >= low && times.back() <= high;
}

/// Packets wait for no more than the way of request and answer.
void
TestAtOnce(FunctionCase& test)
{
    test.Expect(AreWithin(IpTree(false).Send(Seconds(0), false), NanoSeconds(1), MicroSeconds(12)),
                "the first packets of IPv4 take long");
    // An IPv6 address may be used when no duplicate has answered for a second.
    test.Expect(AreWithin(IpTree(false).Send(Seconds(3), true), NanoSeconds(1), MicroSeconds(12)),
                "the first packets of IPv6 take long");
}

/// ns-3's jitter is there for those who want it.
void
TestKept(FunctionCase& test)
{
    for (const bool isIpv6 : {false, true})
    {
        const auto times = IpTree(true).Send(Seconds(3), isIpv6);
        test.Expect(AreWithin(times, NanoSeconds(1), MilliSeconds(11)) &&
                        times.back() > MilliSeconds(2),
                    "ns-3's jitter is not kept");
    }
}

/// A jitter that is not ns-3's default stays.
void
TestOfUser(FunctionCase& test)
{
    {
        IpTree tree(false);
        for (uint32_t i = 0; i < tree.fabric.hosts.GetN(); ++i)
        {
            tree.fabric.hosts.Get(i)->GetObject<ArpL3Protocol>()->SetAttribute(
                "RequestJitter",
                StringValue("ns3::ConstantRandomVariable[Constant=3]"));
        }
        test.Expect(AreWithin(tree.Send(Seconds(0), false), MilliSeconds(3), MilliSeconds(4)),
                    "a jitter that the user has set is gone");
    }
    for (const auto& [low, high] : {std::pair<double, double>{3, 10}, {0, 5}})
    {
        IpTree tree(false);
        PointerValue value;
        tree.fabric.hosts.Get(0)->GetObject<ArpL3Protocol>()->GetAttribute("RequestJitter", value);
        const auto jitter = value.Get<UniformRandomVariable>();
        jitter->SetAttribute("Min", DoubleValue(low));
        jitter->SetAttribute("Max", DoubleValue(high));
        tree.Send(Seconds(0), false);
        test.Expect(jitter->GetMax() == high, "another range that the user has set is gone");
    }
}

/// Random streams of users stay theirs, and a node without IP is left alone.
void
TestStreams(FunctionCase& test)
{
    IpTree tree(false);
    const uint64_t before = RngSeedManager::GetNextStreamIndex();
    RemoveArpJitter(tree.fabric.hosts.Get(0));
    RemoveArpJitter(CreateObject<Node>());
    test.Expect(RngSeedManager::GetNextStreamIndex() == before + 1, "a random stream is taken");
}

/// Suite of the jitter of address resolution.
class ArpJitterTestSuite : public FunctionSuite
{
  public:
    ArpJitterTestSuite()
        : FunctionSuite("fabric-arp-jitter", kUnit)
    {
        Add("NQ-15 the first IP packet to a host arrives within microseconds", TestAtOnce);
        Add("NQ-15 ns-3's jitter of address resolution can be kept", TestKept);
        Add("NQ-15 another jitter of address resolution than ns-3's stays", TestOfUser);
        Add("NQ-15 no random stream is taken, and nodes without IP are left alone", TestStreams);
    }
};

ArpJitterTestSuite g_arpJitterTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
