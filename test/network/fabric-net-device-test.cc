/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-gateway-helper.h"
#include "fabric-network-scenario.h"
#include "fabric-small-tree.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/udp-echo-client.h"
#include "ns3/udp-echo-helper.h"
#include "ns3/udp-socket-factory.h"
#if __has_include("ns3/ping.h")
#include "ns3/ping.h"
#else
#include "ns3/v4ping.h"
#endif

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

void
TestTcp(FunctionCase& test)
{
    for (const bool flowChannels : {true, false})
    {
        for (const uint64_t queueBytes : {16 << 20, 12'000}) // the second drops packets
        {
            CongestedRun run;
            run.flowChannels = flowChannels;
            run.queueBytes = queueBytes;
            run.tcpBytes = 300'000;
            CongestedTree tree(run);
            Counter refused;
            for (uint32_t i = 0; i < 16; ++i)
            {
                tree.fabric.GetDevice(i)->TraceConnectWithoutContext("MacTxDrop", refused.Sink());
            }
            Simulator::Run();
            test.Expect(tree.GetTcpBytes() == tree.GetTcpGoal(),
                        "TCP brought " + std::to_string(tree.GetTcpBytes()) + " of " +
                            std::to_string(tree.GetTcpGoal()) + " bytes");
            ExpectEmpty(test, tree.fabric);
            test.Expect((refused.calls > 0) == (queueBytes == 12'000), "packets refused");
            const FabricTotals totals = tree.fabric.network->GetTotals();
            const auto refusal = totals.dropped.find("nic-queue");
            test.Expect((refusal == totals.dropped.end() ? 0 : refusal->second) == refused.bytes,
                        "the bytes refused are not those traced");
        }
    }
}

void
TestDamage(FunctionCase& test)
{
    CongestedRun run;
    run.errorRate = 0.01;
    run.tcpBytes = 300'000;
    CongestedTree tree(run);
    Simulator::Run();
    test.Expect(tree.GetTcpBytes() == tree.GetTcpGoal(), "TCP has lost bytes");
    test.Expect(tree.fabric.network->GetTotals().dropped.at("corrupt") > 10'000,
                "little was damaged");
    ExpectEmpty(test, tree.fabric);
}

/**
 * @param from node that pings
 * @param answered is called for each answer
 */
void
AddPing(Ptr<Node> from, Ipv4Address to, const std::function<void()>& answered)
{
#if __has_include("ns3/ping.h")
    auto ping = CreateObject<Ping>();
    ping->SetAttribute("Destination", AddressValue(to));
    ping->SetAttribute("VerboseMode", StringValue("Silent"));
    ping->SetAttribute("Count", UintegerValue(3));
    ping->TraceConnectWithoutContext(
        "Rtt",
        Callback<void, uint16_t, Time>([answered](uint16_t, Time) { answered(); }));
#else
    auto ping = CreateObject<V4Ping>();
    ping->SetAttribute("Remote", Ipv4AddressValue(to));
    ping->TraceConnectWithoutContext("Rtt", Callback<void, Time>([answered](Time) { answered(); }));
#endif
    ping->SetStopTime(MilliSeconds(2500));
    from->AddApplication(ping);
}

void
TestPing(FunctionCase& test)
{
    for (const bool flowChannels : {true, false})
    {
        Simulation simulation;
        const FabricContainer fabric = SmallTree(flowChannels).Install();
        const IpHosts hosts(fabric);
        const uint32_t n = fabric.hosts.GetN();
        std::vector<uint32_t> answers(n * n, 0);
        for (uint32_t from = 0; from < n; ++from)
        {
            for (uint32_t to = 0; to < n; ++to)
            {
                if (to != from)
                {
                    AddPing(fabric.hosts.Get(from), hosts.GetAddress(to), [&answers, from, to, n] {
                        ++answers[from * n + to];
                    });
                }
            }
        }
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        for (uint32_t i = 0; i < answers.size(); ++i)
        {
            // All ask for addresses at once, and ns-3's ARP may drop what waits for an answer; what
            // the device was given has all been delivered, as is checked below.
            const bool isSelf = i / n == i % n;
            test.Expect(isSelf ? answers[i] == 0 : answers[i] == 2 || answers[i] == 3,
                        "host " + std::to_string(i / n) + " has " + std::to_string(answers[i]) +
                            " answers of host " + std::to_string(i % n));
        }
        ExpectEmpty(test, fabric);
        const FabricTotals totals = fabric.network->GetTotals();
        test.Expect(totals.offered == totals.delivered, "a packet was dropped");
    }
}

/// @return the echoes that came back: each host asks the next one
uint64_t
RunEcho(const NodeContainer& nodes, const std::vector<Address>& addresses)
{
    Counter echoes;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        UdpEchoServerHelper(9).Install(nodes.Get(i)).Start(Seconds(0));
        UdpEchoClientHelper client(addresses[(i + 1) % nodes.GetN()], 9);
        client.SetAttribute("MaxPackets", UintegerValue(5));
        client.SetAttribute("Interval",
                            TimeValue(MilliSeconds(50))); // ARP keeps 3 packets at a time
        ApplicationContainer clients = client.Install(nodes.Get(i));
        DynamicCast<UdpEchoClient>(clients.Get(0))->SetFill(std::string(3999, 'f')); // and a 0
        clients.Get(0)->TraceConnectWithoutContext("Rx", echoes.Sink());
        clients.Start(Seconds(2)); // after the detection of duplicate addresses of IPv6
    }
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    return echoes.bytes / 4000;
}

void
TestUdp(FunctionCase& test)
{
    for (const bool flowChannels : {true, false})
    {
        Simulation simulation;
        const FabricContainer fabric = SmallTree(flowChannels).Install();
        const IpHosts hosts(fabric);
        std::vector<Address> addresses;
        for (uint32_t i = 0; i < 8; ++i)
        {
            addresses.push_back(hosts.GetAddress(i));
        }
        test.Expect(RunEcho(fabric.hosts, addresses) == 8 * 5, "UDP over IPv4: echoes are missing");
        ExpectEmpty(test, fabric);
    }
}

void
TestIpv6(FunctionCase& test)
{
    for (const bool flowChannels : {true, false})
    {
        Simulation simulation;
        const FabricContainer fabric = SmallTree(flowChannels).Install();
        const IpHosts hosts(fabric);
        Ipv6AddressHelper helper;
        helper.SetBase(Ipv6Address("2001:db8::"), Ipv6Prefix(64));
        const Ipv6InterfaceContainer interfaces = helper.Assign(fabric.devices);
        std::vector<Address> addresses;
        for (uint32_t i = 0; i < 8; ++i)
        {
            addresses.push_back(interfaces.GetAddress(i, 1));
        }
        test.Expect(RunEcho(fabric.hosts, addresses) == 8 * 5, "UDP over IPv6: echoes are missing");
        ExpectEmpty(test, fabric);
    }
}

void
TestBroadcast(FunctionCase& test)
{
    Simulation simulation;
    const FabricContainer fabric = SmallTree().Install();
    std::array<uint32_t, 8> received{};
    std::array<Counter, 8> promiscuous;
    for (uint32_t i = 0; i < 8; ++i)
    {
        fabric.GetDevice(i)->SetReceiveCallback(NetDevice::ReceiveCallback(
            [&received,
             i](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t protocol, const Address& from) {
                received[i] += packet->GetSize() == 100 && protocol == 0x1234 &&
                               Mac48Address::ConvertFrom(from) == FabricNetDevice::MacOf(3);
                return true;
            }));
        fabric.GetDevice(i)->SetPromiscReceiveCallback(
            NetDevice::PromiscReceiveCallback([&promiscuous, i](Ptr<NetDevice>,
                                                                Ptr<const Packet> packet,
                                                                uint16_t,
                                                                const Address&,
                                                                const Address& to,
                                                                NetDevice::PacketType type) {
                const bool group = Mac48Address::ConvertFrom(to).IsGroup();
                promiscuous[i].calls += group == (type != NetDevice::PACKET_HOST);
                promiscuous[i].bytes += packet->GetSize();
                return true;
            }));
    }
    const Ptr<FabricNetDevice> sender = fabric.GetDevice(2);
    test.Expect(sender->Send(Create<Packet>(100), sender->GetBroadcast(), 0x1234),
                "broadcast refused");
    test.Expect(
        sender->Send(Create<Packet>(100), sender->GetMulticast(Ipv4Address("224.0.0.5")), 0x1234),
        "multicast refused");
    test.Expect(sender->Send(Create<Packet>(100), fabric.GetDevice(7)->GetAddress(), 0x1234),
                "packet refused");
    Simulator::Run();
    for (uint32_t i = 0; i < 8; ++i)
    {
        const uint32_t expected = i == 2 ? 0 : i == 7 ? 3 : 2;
        test.Expect(received[i] == expected && promiscuous[i].calls == expected,
                    "host " + std::to_string(i) + " received " + std::to_string(received[i]));
    }
    test.Expect(fabric.network->GetTotals().offered == 1500, "each copy is offered");
    ExpectEmpty(test, fabric);
}

void
TestOwnFlows(FunctionCase& test)
{
    Simulation simulation;
    const FabricContainer fabric = SmallTree().Install();
    const IpHosts hosts(fabric);
    std::vector<Ptr<Socket>> sockets;
    for (uint16_t i = 0; i < 6; ++i)
    {
        sockets.push_back(Socket::CreateSocket(fabric.hosts.Get(0), UdpSocketFactory::GetTypeId()));
        sockets.back()->Connect(InetSocketAddress(hosts.GetAddress(5), 100 + i % 2));
    }
    sockets[0]->Send(Create<Packet>(10)); // lets ARP ask
    Simulator::Schedule(Seconds(1), [&] {
        for (uint32_t i = 0; i < 60; ++i)
        {
            sockets[i % 6]->Send(Create<Packet>(3900));
        }
    });
    uint32_t most = 0;
    for (uint32_t i = 0; i < 300; ++i)
    {
        Simulator::Schedule(Seconds(1) + NanoSeconds(20 * i), [&] {
            const SwitchChip& edge = fabric.GetSwitch(0)->GetChip();
            for (uint32_t port = 0; port < edge.Config().ports; ++port)
            {
                most = std::max(most, edge.InputFlows(port).InUse());
            }
        });
    }
    Simulator::Run();
    test.Expect(most == 6,
                "6 sockets of a pair of hosts have " + std::to_string(most) + " flow channels");
    ExpectEmpty(test, fabric);
}

void
TestDscp(FunctionCase& test)
{
    Simulation simulation;
    FatTreeHelper helper = SmallTree();
    helper.SetDeviceAttribute("DscpToClass", StringValue("46:3,10:1"));
    const FabricContainer fabric = helper.Install();
    const IpHosts hosts(fabric);
    std::map<uint32_t, uint32_t> framesOfClass;
    fabric.GetSwitch(0)->TraceConnectWithoutContext(
        "Arrive",
        Callback<void, uint32_t, const Frame&, Time>([&](uint32_t, const Frame& frame, Time) {
            framesOfClass[frame.trafficClass] += frame.src == LocationOf(0) && frame.payload > 1000;
        }));
    for (const uint8_t dscp : {0, 10, 46, 46})
    {
        Ptr<Socket> socket =
            Socket::CreateSocket(fabric.hosts.Get(0), UdpSocketFactory::GetTypeId());
        socket->Connect(InetSocketAddress(hosts.GetAddress(5), 100));
        socket->SetIpTos(static_cast<uint8_t>(dscp << 2)); // DSCP is the upper six bits (RFC 2474)
        socket->Send(Create<Packet>(10));                  // lets ARP ask
        Simulator::Schedule(Seconds(1), [socket] { socket->Send(Create<Packet>(2000)); });
    }
    Simulator::Run();
    const std::map<uint32_t, uint32_t> expected{{0, 1}, {1, 1}, {3, 2}};
    for (const auto& [trafficClass, frames] : framesOfClass)
    {
        const auto place = expected.find(trafficClass);
        test.Expect(place != expected.end() && place->second == frames,
                    std::to_string(frames) + " frames in class " + std::to_string(trafficClass));
    }
    test.Expect(framesOfClass.size() == expected.size(), "classes are missing");
    ExpectEmpty(test, fabric);
}

void
TestTrafficControl(FunctionCase& test)
{
    Simulation simulation;
    const FabricContainer fabric = SmallTree().Install();
    InternetStackHelper().Install(fabric.hosts);
    TrafficControlHelper control;
    control.SetRootQueueDisc("ns3::PfifoFastQueueDisc");
    const QueueDiscContainer discs = control.Install(fabric.devices);
    IpHosts hosts(fabric);
    Ptr<PacketSink> sink = hosts.AddSink(0, 5000);
    hosts.AddBulkSend(5, 0, 5000, 200'000);
    Simulator::Run();
    test.Expect(sink->GetTotalRx() == 200'000, "TCP has lost bytes behind a queue disc");
    test.Expect(discs.Get(5)->GetStats().nTotalSentPackets > 100, "the queue disc was passed by");
    ExpectEmpty(test, fabric);
}

void
TestRouting(FunctionCase& test)
{
    Simulation simulation;
    const FabricContainer fabric = SmallTree().Install();
    IpHosts hosts(fabric);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    Ptr<PacketSink> sink = hosts.AddSink(0, 5000);
    hosts.AddBulkSend(5, 0, 5000, 20'000);
    Simulator::Run();
    test.Expect(sink->GetTotalRx() == 20'000, "TCP with global routing");
}

/**
 * A host has a link to a node outside, to which others send by TCP.
 *
 * @param route sets routes of the hosts, over host 7 with the address 10.0.0.8
 * @return bytes that arrive there
 */
uint64_t
SendOutside(FunctionCase& test, const std::function<void(const FabricContainer&)>& route)
{
    Simulation simulation;
    const FabricContainer fabric = SmallTree().Install();
    NodeContainer outside;
    outside.Create(1);
    PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    const NetDeviceContainer link = wire.Install(fabric.hosts.Get(7), outside.Get(0));
    InternetStackHelper().Install(outside);
    IpHosts hosts(fabric);
    const Ipv4InterfaceContainer ends = Ipv4AddressHelper("10.2.0.0", "255.255.255.0").Assign(link);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    route(fabric);
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
    const auto received = DynamicCast<PacketSink>(sink.Install(outside).Get(0));
    BulkSendHelper send("ns3::TcpSocketFactory", InetSocketAddress(ends.GetAddress(1), 5000));
    send.SetAttribute("MaxBytes", UintegerValue(20'000));
    for (const uint32_t host : {0, 3, 6})
    {
        send.Install(fabric.hosts.Get(host));
    }
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    fabric.network->CheckInvariants();
    test.Expect(fabric.network->IsEmpty(), "something is left in the fabric");
    return received->GetTotalRx();
}

/// Hosts reach what is behind one of them, by routes that a helper of ours sets.
void
TestGateway(FunctionCase& test)
{
    test.ExpectEqual(SendOutside(test, [](const FabricContainer&) {}), 0, "global routing alone");
    test.ExpectEqual(SendOutside(test,
                                 [](const FabricContainer& fabric) {
                                     FabricGatewayHelper(fabric, 7).Route("10.2.0.0",
                                                                          "255.255.255.0");
                                 }),
                     3 * 20'000,
                     "a route to a network");
    test.ExpectEqual(SendOutside(test,
                                 [](const FabricContainer& fabric) {
                                     FabricGatewayHelper(fabric, 7).RouteAll();
                                 }),
                     3 * 20'000,
                     "a route to all");
    test.ExpectEqual(SendOutside(test,
                                 [](const FabricContainer& fabric) {
                                     FabricGatewayHelper(fabric, 7).Route("10.3.0.0",
                                                                          "255.255.255.0");
                                 }),
                     0,
                     "a route to another network");
    Simulation simulation;
    const FabricContainer fabric = SmallTree().Install();
    const auto refusal = [&fabric](uint32_t host) {
        return Refusal([&] { FabricGatewayHelper gateway(fabric, host); });
    };
    test.ExpectEqual(refusal(7),
                     "FabricGatewayHelper: host 7 has no IPv4 address on the fabric; allowed are "
                     "hosts that Ipv4AddressHelper has given one",
                     "no stack");
    InternetStackHelper stack;
    stack.SetRoutingHelper(Ipv4GlobalRoutingHelper());
    stack.Install(fabric.hosts);
    test.Expect(refusal(7).find("has no IPv4 address") != std::string::npos, "no address");
    const IpHosts hosts(fabric);
    test.ExpectEqual(Refusal([&] { FabricGatewayHelper(fabric, 7).RouteAll(); }),
                     "FabricGatewayHelper: host 0 has no ns3::Ipv4StaticRouting; allowed are hosts "
                     "whose InternetStackHelper installs it, as it does by itself",
                     "no static routes");
    fabric.hosts.Get(7)->GetObject<Ipv4>()->SetAttribute("IpForward", BooleanValue(false));
    test.ExpectEqual(refusal(7),
                     "FabricGatewayHelper: host 7 does not forward packets; allowed is one with "
                     "IpForward of ns3::Ipv4",
                     "no forwarding");
    test.Expect(refusal(8).find("host is 8, allowed is 0 to 7") != std::string::npos, "no host");
    Simulator::Run();
}

/// Tests of FabricNetDevice.
class FabricNetDeviceTestSuite : public FunctionSuite
{
  public:
    FabricNetDeviceTestSuite()
        : FunctionSuite("fabric-net-device", kUnit)
    {
        Add("WL-1 TCP through a congested fat tree gets every byte", TestTcp);
        Add("WL-4 TCP over links that damage frames gets every byte", TestDamage);
        Add("WL-1 ping between all hosts, ARP by broadcast", TestPing);
        Add("WL-1 UDP echo over IPv4", TestUdp);
        Add("WL-1 UDP echo over IPv6, neighbour discovery by multicast", TestIpv6);
        Add("WL-1 broadcast, multicast and unicast packets", TestBroadcast);
        Add("FC-2 flows of a pair of hosts have flow channels of their own", TestOwnFlows);
        Add("WL-1 DSCP gives the traffic class", TestDscp);
        Add("WL-1 TCP behind a queue disc", TestTrafficControl);
        Add("WL-1 IPv4 global routing", TestRouting);
        Add("WL-1 hosts reach what is behind one of them", TestGateway);
    }
};

FabricNetDeviceTestSuite g_fabricNetDeviceTestSuite; ///< Registers itself.

} // namespace

} // namespace ns3::fabric
