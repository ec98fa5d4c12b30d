/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel.h"
#include "fabric-message-sender.h"
#include "fabric-network-scenario.h"
#include "fabric-switch-port.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"

#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/names.h"
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
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ns3
{
namespace fabric
{

namespace
{

/// @return a tree of 8 hosts
FatTreeHelper
SmallTree(bool flowChannels = true)
{
    FatTreeConfig config;
    config.levels = 2;
    config.radix = 4;
    FatTreeHelper helper(config);
    helper.SetStream(1);
    helper.SetSwitchAttribute("FlowChannels", BooleanValue(flowChannels));
    return helper;
}

/// Counts calls.
struct Counter
{
    uint64_t calls{0}; ///< How many.
    uint64_t bytes{0}; ///< In them.

    /// @return a sink of packets
    Callback<void, Ptr<const Packet>> Sink()
    {
        return Callback<void, Ptr<const Packet>>([this](Ptr<const Packet> packet) {
            ++calls;
            bytes += packet->GetSize();
        });
    }
};

/// Counts calls that come with a path.
class SwitchPathCount
{
  public:
    /// A sink of frames.
    void Frame(std::string path, uint32_t, const fabric::Frame&, Time)
    {
        frames += path.find("FabricSwitch/Arrive") != std::string::npos;
    }

    /// A sink of packets.
    void Received(std::string path, Ptr<const Packet>)
    {
        received += path.find("FabricNetDevice/MacRx") != std::string::npos;
    }

    uint32_t frames{0};   ///< Calls of Frame().
    uint32_t received{0}; ///< Calls of Received().
};

/// Nothing is left, and the books balance.
void
ExpectEmpty(FunctionCase& test, const FabricContainer& fabric)
{
    fabric.network->CheckInvariants();
    test.Expect(fabric.network->IsEmpty(), "something is left in the fabric");
    test.Expect(fabric.network->GetTotals().inFlight == 0, "bytes are left in the fabric");
}

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
 * @param to address
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

/**
 * @param nodes hosts
 * @param addresses of the hosts
 * @return the echoes that came back: each host asks the next one
 */
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
TestRefusals(FunctionCase& test)
{
    Simulation simulation;
    FatTreeHelper helper = SmallTree();
    helper.SetDeviceAttribute("QueueBytes", UintegerValue(10'000));
    helper.SetDeviceAttribute("Mtu", UintegerValue(1500));
    const FabricContainer fabric = helper.Install();
    const Ptr<FabricNetDevice> sender = fabric.GetDevice(0);
    Counter offered;
    Counter refused;
    Counter received;
    sender->TraceConnectWithoutContext("MacTx", offered.Sink());
    sender->TraceConnectWithoutContext("MacTxDrop", refused.Sink());
    fabric.GetDevice(1)->TraceConnectWithoutContext("MacRx", received.Sink());

    sender->SendMessage(LocationOf(5), 1 << 20); // messages take no room of packets
    const Address to = fabric.GetDevice(1)->GetAddress();
    test.Expect(sender->Send(Create<Packet>(1500), to, 0x0800), "a packet of the MTU is refused");
    test.Expect(!sender->Send(Create<Packet>(1501), to, 0x0800), "a larger packet is not refused");
    test.Expect(!sender->Send(Create<Packet>(70), Mac48Address("02:00:00:00:00:09"), 0x0800),
                "a packet to nobody is not refused");
    test.Expect(!sender->Send(Create<Packet>(71), Mac48Address("00:00:00:00:00:02"), 0x0800),
                "a packet to a foreign address is not refused");
    test.Expect(!sender->Send(Create<Packet>(72), sender->GetAddress(), 0x0800),
                "a packet to itself is not refused");
    for (uint32_t i = 0; i < 7; ++i)
    {
        test.Expect(sender->Send(Create<Packet>(1000), to, 0x0800), "there is room");
    }
    test.Expect(sender->Send(Create<Packet>(1500), to, 0x0800), "there is room for 10000 bytes");
    test.Expect(!sender->Send(Create<Packet>(1), to, 0x0800), "there is room for 10001 bytes");
    fabric.network->CheckInvariants();
    Simulator::Run();
    test.Expect(offered.calls == 14, "MacTx was not called for each packet");
    test.Expect(received.bytes == 10'000 && received.calls == 9, "packets are lost");
    test.Expect(refused.calls == 5, "MacTxDrop was not called for each packet refused");
    const FabricTotals totals = fabric.network->GetTotals();
    test.Expect(totals.dropped.at("mtu") == 1501, "bytes too large");
    test.Expect(totals.dropped.at("unknown-destination") == 70 + 71 + 72, "bytes to nobody");
    test.Expect(totals.dropped.at("nic-queue") == 1, "bytes without room");
    test.Expect(totals.offered == (1 << 20) + offered.bytes, "bytes offered");
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
TestLooks(FunctionCase& test)
{
    Simulation simulation;
    const FabricContainer fabric = SmallTree().Install();
    const Ptr<Node> node = fabric.hosts.Get(3);
    const Ptr<NetDevice> device = node->GetDevice(0);
    test.Expect(device == fabric.GetDevice(3) && device->GetNode() == node &&
                    device->GetIfIndex() == 0,
                "node and device");
    test.Expect(device->GetMtu() == 4096 && device->IsLinkUp() && device->NeedsArp() &&
                    device->IsBroadcast() && device->IsMulticast() && !device->IsBridge() &&
                    !device->IsPointToPoint() && !device->SupportsSendFrom(),
                "what the device says of itself");
    test.Expect(device->GetAddress() == Address(Mac48Address("02:00:00:00:00:04")), "address");
    test.Expect(device->GetBroadcast() == Address(Mac48Address::GetBroadcast()),
                "broadcast address");

    const Ptr<Channel> channel = device->GetChannel();
    test.Expect(channel->GetNDevices() == 2, "ends of a channel");
    const Ptr<NetDevice> port = channel->GetDevice(0);
    test.Expect(channel->GetDevice(1) == device, "the host's end of a channel");
    test.Expect(DynamicCast<FabricSwitchPort>(port) && port->GetChannel() == channel &&
                    port->IsLinkUp(),
                "the switch's end of a channel");
    const Ptr<Node> switchNode = port->GetNode();
    test.Expect(switchNode->GetNDevices() == 4 &&
                    switchNode->GetObject<FabricSwitch>() == fabric.GetSwitch(1),
                "the switch's node");
    test.Expect(!port->Send(Create<Packet>(1), device->GetAddress(), 0x0800),
                "a switch's port sends");

    Names::Add("sender", node);
    SwitchPathCount frames;
    Counter packets;
    Config::Connect("/NodeList/*/$ns3::FabricSwitch/Arrive",
                    MakeCallback(&SwitchPathCount::Frame, &frames));
    Config::Connect("/NodeList/*/DeviceList/*/$ns3::FabricNetDevice/MacRx",
                    MakeCallback(&SwitchPathCount::Received, &frames));
    Config::ConnectWithoutContext("/Names/sender/DeviceList/0/$ns3::FabricNetDevice/MacTx",
                                  packets.Sink());
    device->Send(Create<Packet>(10), fabric.GetDevice(0)->GetAddress(), 0x0800);
    Simulator::Run();
    test.Expect(frames.frames == 3 && frames.received == 1 && packets.calls == 1,
                "Config paths connect");
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

void
TestReentrancy(FunctionCase& test)
{
    Simulation simulation;
    const FabricContainer fabric = SmallTree().Install();
    uint32_t received = 0;
    for (uint32_t i = 0; i < 8; ++i)
    {
        const Ptr<FabricNetDevice> device = fabric.GetDevice(i);
        device->SetMessageCallback(
            Callback<void, const Message&>([&received, device](const Message& message) {
                ++received;
                if (message.tag > 0)
                {
                    const auto to = static_cast<LocationId>(message.dst % 8 + 1);
                    device->SendMessage(to, (message.tag - 1) % 3 * 5000, 0, message.tag - 1);
                }
            }));
        device->SendMessage(static_cast<LocationId>((i + 1) % 8 + 1), 0, 0, 100);
    }
    Simulator::Run();
    test.Expect(received == 8 * 101, "messages sent by receivers: " + std::to_string(received));
    ExpectEmpty(test, fabric);
}

void
TestEmptyMessages(FunctionCase& test)
{
    for (const bool flowChannels : {true, false})
    {
        Simulation simulation;
        const FabricContainer fabric = SmallTree(flowChannels).Install();
        std::vector<uint32_t> order;
        fabric.GetDevice(6)->SetMessageCallback(Callback<void, const Message&>(
            [&order](const Message& message) { order.push_back(message.sequence); }));
        for (uint32_t i = 0; i < 5; ++i)
        {
            const uint32_t sequence =
                fabric.GetDevice(1)->SendMessage(LocationOf(6), i % 2 == 0 ? 0 : 5000);
            test.Expect(sequence == i, "number of a message");
        }
        fabric.network->CheckInvariants();
        Simulator::Run();
        test.Expect(order == std::vector<uint32_t>{0, 1, 2, 3, 4},
                    "empty messages arrive in order");
        ExpectEmpty(test, fabric);
    }
}

void
TestTwice(FunctionCase& test)
{
    std::vector<std::string> results;
    for (uint32_t i = 0; i < 2; ++i)
    {
        CongestedTree tree({});
        tree.fabric.network->StopAt(MicroSeconds(7)); // packets and messages are in flight
        Simulator::Run();
        test.Expect(tree.fabric.network->GetTotals().inFlight > 100'000, "little is in flight");
        results.push_back(tree.GetResult());
    }
    test.ExpectSame(results[1], results[0], "a second simulation in the process");
    {
        CongestedTree tree({});
        Simulator::Stop(NanoSeconds(6'543)); // ns-3's own, in the middle of windows
        Simulator::Run();
        tree.fabric.network->CheckInvariants();
    }
    {
        Simulation simulation;
        const FabricContainer fabric = SmallTree().Install();
        fabric.GetDevice(0)->SendMessage(LocationOf(1), 1); // and never runs
    }
}

/**
 * Runs a mistake in a process of its own.
 *
 * @param mistake what a user does
 * @return what it printed; empty if it did not abort
 */
std::string
Abort(const std::function<void()>& mistake)
{
    int ends[2];
    if (pipe(ends) != 0)
    {
        return "";
    }
    const pid_t child = fork();
    if (child == 0)
    {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        dup2(ends[1], STDERR_FILENO);
        try
        {
            mistake();
        }
        catch (const std::invalid_argument& error)
        {
            std::cerr << error.what() << std::endl; // a program ends so too, see RunProgram()
            std::abort();
        }
        _exit(0);
    }
    close(ends[1]);
    std::string printed;
    std::array<char, 512> buffer;
    ssize_t count;
    while ((count = read(ends[0], buffer.data(), buffer.size())) > 0)
    {
        printed.append(buffer.data(), static_cast<std::size_t>(count));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? printed : "";
}

void
TestBadUse(FunctionCase& test)
{
    const auto expect = [&test](const std::string& sentence, const std::function<void()>& mistake) {
        const std::string printed = Abort(mistake);
        test.Expect(printed.find("what():") == std::string::npos, "said twice: " + printed);
        test.Expect(printed.find(sentence) != std::string::npos,
                    "expected '" + sentence + "', got '" + printed + "'");
    };
    const auto switchAttribute = [](const std::string& name, const AttributeValue& value) {
        FatTreeHelper helper = SmallTree();
        helper.SetSwitchAttribute(name, value);
        helper.Install();
    };
    expect("location 1 at +0ns: a message to 1 in class 0 can't be sent; allowed are the locations "
           "1 to 8",
           [] { SmallTree().Install().GetDevice(0)->SendMessage(1, 10); });
    expect("a message to 9 in class 0 can't be sent",
           [] { SmallTree().Install().GetDevice(0)->SendMessage(9, 10); });
    expect("a message to 0 in class 0 can't be sent",
           [] { SmallTree().Install().GetDevice(0)->SendMessage(0, 10); });
    expect("a message to 2 in class 16 can't be sent",
           [] { SmallTree().Install().GetDevice(0)->SendMessage(2, 10, 16); });
    expect("a message to 2 in class 0 can't be sent; allowed are", [] {
        auto network = CreateObject<FabricNetwork>();
        for (uint32_t i = 0; i < 2; ++i)
        {
            CreateObject<FabricNetDevice>()->Install(CreateObject<Node>(), network);
        }
        network->GetDevices()[0]->SendMessage(2, 10); // no link
    });
    expect("ns3::FabricSwitch on node 8: ClassToVc: '0,7' is not a list",
           [&] { switchAttribute("ClassToVc", StringValue("0,7")); });
    expect("ns3::FabricNetDevice on node 0: ClassToVc: 'x' is not a list", [] {
        FatTreeHelper helper = SmallTree();
        helper.SetDeviceAttribute("ClassToVc", StringValue("x"));
        helper.Install();
    });
    expect("ClassToVc: class 1 uses virtual channel 1, but VirtualChannels is 1",
           [&] { switchAttribute("ClassToVc", StringValue("0,1")); });
    expect("differ in ClassToVc; the two ends of a link must have the same", [] {
        FatTreeHelper helper = SmallTree();
        helper.SetDeviceAttribute("ClassToVc", StringValue("0,1"));
        helper.Install();
    });
    expect("DropWatermark (16) must be below TargetWatermark (8)",
           [&] { switchAttribute("TargetWatermark", UintegerValue(8)); });
    expect("and that below HighWatermark (96)",
           [&] { switchAttribute("HighWatermark", UintegerValue(96)); });
    expect("ReservedBytes", [&] { switchAttribute("BufferBytes", UintegerValue(10'000)); });
    expect("a frame of 9024 bytes does not fit into the 5000 bytes reserved", [] {
        FatTreeHelper helper = SmallTree();
        helper.SetDeviceAttribute("Mtu", UintegerValue(9000));
        helper.SetSwitchAttribute("ReservedBytes", UintegerValue(5000));
        helper.Install();
    });
    expect("the rate of a FabricChannel is 0 bit/s", [] {
        FatTreeHelper helper = SmallTree();
        helper.SetChannelAttribute("DataRate", DataRateValue(DataRate("0bps")));
        helper.Install();
    });
    expect("two directions of links have the same error model", [] {
        FatTreeHelper helper = SmallTree();
        helper.SetChannelAttribute("ErrorModel", PointerValue(CreateObject<RateErrorModel>()));
        helper.Install();
    });
    expect("port 4 can't be linked; allowed are those of the ports 0 to 3", [] {
        const FabricContainer fabric = SmallTree().Install();
        fabric.GetSwitch(0)->Connect(4, fabric.GetSwitch(1), 0, CreateObject<FabricChannel>());
    });
    expect(
        "port 1 can't be linked; allowed are those of the ports 0 to 3 that have no link yet",
        [] {
            const FabricContainer fabric = SmallTree().Install();
            fabric.GetSwitch(0)->Connect(1, fabric.GetSwitch(1), 0, CreateObject<FabricChannel>());
        });
    expect("the MAC address 00:00:00:00:00:01 can't be set", [] {
        SmallTree().Install().GetDevice(0)->SetAddress(Mac48Address("00:00:00:00:00:01"));
    });
    expect("but 3 nodes and routing", [] {
        NodeContainer hosts;
        hosts.Create(3);
        SmallTree().Install(hosts);
    });
    expect("has no ns3::FabricNetDevice", [] {
        auto node = CreateObject<Node>();
        node->AddApplication(CreateObject<FabricMessageSender>());
        Simulator::Run();
    });
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
        Add("WL-1 packets that are refused are counted and traced", TestRefusals);
        Add("FC-2 flows of a pair of hosts have flow channels of their own", TestOwnFlows);
        Add("WL-1 DSCP gives the traffic class", TestDscp);
        Add("WL-1 TCP behind a queue disc", TestTrafficControl);
        Add("WL-1 node, device and channel as a user of ns-3 sees them", TestLooks);
        Add("WL-1 IPv4 global routing", TestRouting);
        Add("WL-1 a receiver of messages sends messages", TestReentrancy);
        Add("WL-1 empty messages", TestEmptyMessages);
        Add("DP-4 simulations one after the other, with packets in flight", TestTwice);
        Add("PR-1 bad use ends in one sentence", TestBadUse);
    }
};

FabricNetDeviceTestSuite g_fabricNetDeviceTestSuite; ///< Registers itself.

} // namespace

} // namespace fabric
} // namespace ns3
