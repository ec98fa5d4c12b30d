/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-helper.h"
#include "fabric-fat-tree-helper.h"
#include "support/fabric-error-streams.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint16_t PORT = 9; ///< Of all sockets.

/// How the hosts of a tree are.
struct IpCase
{
    bool lookahead{true};           ///< Whether windows are long.
    uint32_t threads{1};            ///< That run it.
    double loss{0};                 ///< Of frames, on each link.
    bool carries{true};             ///< Whether packets are carried by command queues.
    uint32_t without{100};          ///< A host without command queues.
    uint32_t queueBytes{16U << 20}; ///< Of the device.
};

/// A tree whose hosts have IP stacks and command queues.
struct IpHosts
{
    explicit IpHosts(const IpCase& how)
    {
        FatTreeHelper helper(4);
        helper.SetStream(1);
        helper.SetNetworkAttribute("Lookahead", BooleanValue(how.lookahead));
        helper.SetNetworkAttribute("Threads", UintegerValue(how.threads));
        helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
        helper.SetDeviceAttribute("QueueBytes", UintegerValue(how.queueBytes));
        if (how.loss != 0)
        {
            helper.SetErrorModel(FrameErrors(how.loss));
        }
        fabric = helper.Install();
        if (how.loss != 0)
        {
            AssignErrorStreams(fabric, 1000);
            commands.SetAttribute("RetryTimeout", TimeValue(MicroSeconds(20)));
            commands.SetAttribute("RetryLimit", UintegerValue(50));
        }
        commands.SetAttribute("Queues", UintegerValue(2));
        commands.SetAttribute("CarriesPackets", BooleanValue(how.carries));
        if (how.carries)
        {
            commands.SetAttribute("PacketQueue", UintegerValue(1));
        }
        for (uint32_t host = 0; host < fabric.hosts.GetN(); ++host)
        {
            queues.push_back(host == how.without ? nullptr : commands.Install(fabric, host));
        }
        InternetStackHelper().Install(fabric.hosts);
        addresses = Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(fabric.devices);
        for (uint32_t host = 0; host < fabric.hosts.GetN(); ++host)
        {
            sockets.push_back(
                Socket::CreateSocket(fabric.hosts.Get(host), UdpSocketFactory::GetTypeId()));
            sockets.back()->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
            sockets.back()->SetRecvCallback(
                Callback<void, Ptr<Socket>>([this, host](Ptr<Socket> socket) {
                    Address from;
                    while (const Ptr<Packet> packet = socket->RecvFrom(from))
                    {
                        Note(host, *packet, InetSocketAddress::ConvertFrom(from).GetIpv4());
                    }
                }));
        }
    }

    ~IpHosts()
    {
        Simulator::Destroy();
    }

    /// A packet has come, whose bytes are its number.
    void Note(uint32_t host, const Packet& packet, Ipv4Address from)
    {
        std::vector<uint8_t> bytes(packet.GetSize());
        packet.CopyData(bytes.data(), packet.GetSize());
        const uint32_t number = bytes[0] | bytes[1] << 8;
        bool isWhole = true;
        for (std::size_t i = 2; i < bytes.size(); ++i)
        {
            isWhole = isWhole && bytes[i] == static_cast<uint8_t>(number + i);
        }
        isInOrder = isInOrder && isWhole && number == next[{from.Get(), host}];
        next[{from.Get(), host}] = number + 1;
        ++received;
        text << host << ' ' << from << ' ' << number << ' ' << packet.GetSize() << ' '
             << Simulator::Now().GetPicoSeconds() << '\n';
    }

    /// A host sends a packet. @param bytes of UDP, at least 2
    void Send(uint32_t from, uint32_t to, uint32_t bytes)
    {
        std::vector<uint8_t> data(bytes);
        const uint32_t number = sent[{from, to}]++;
        data[0] = static_cast<uint8_t>(number);
        data[1] = static_cast<uint8_t>(number >> 8);
        for (std::size_t i = 2; i < bytes; ++i)
        {
            data[i] = static_cast<uint8_t>(number + i);
        }
        sockets[from]->SendTo(Create<Packet>(data.data(), bytes),
                              0,
                              InetSocketAddress(addresses.GetAddress(to), PORT));
    }

    FabricCommandHelper commands;
    FabricContainer fabric;
    std::vector<Ptr<FabricCommandQueues>> queues;
    Ipv4InterfaceContainer addresses;
    std::vector<Ptr<Socket>> sockets;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> next; ///< By address and host.
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> sent; ///< By hosts.
    bool isInOrder{true};
    uint32_t received{0};
    std::ostringstream text;
};

/// Each host sends to some others at random times. @return what has come where, and when
std::string
PlayUdp(FunctionCase& self, const IpCase& how)
{
    IpHosts all(how);
    std::mt19937 random(7);
    const uint32_t hosts = all.fabric.hosts.GetN();
    uint32_t packets = 0;
    for (uint32_t from = 0; from < hosts; ++from)
    {
        for (uint32_t i = 1; i <= 3; ++i) // who waits for an address has room for few
        {
            const uint32_t to = (from + i) % hosts;
            Simulator::Schedule(NanoSeconds(i), [&all, from, to] { all.Send(from, to, 2); });
            ++packets;
        }
        for (uint32_t i = 0; i < 40; ++i)
        {
            const uint32_t to = (from + 1 + random() % 3) % hosts;
            const uint32_t bytes = 2 + random() % 3900;
            Simulator::Schedule(NanoSeconds(1'000'000 + random() % 200'000),
                                [&all, from, to, bytes] { all.Send(from, to, bytes); });
            ++packets;
        }
        if (all.queues[from])
        {
            CommandStream stream; // beside them
            stream.flow.dst = static_cast<LocationId>((from + 2) % hosts + 1);
            stream.bytes = 3000;
            stream.count = 40;
            stream.start = 1'000'000'000;
            stream.gap = 3'000'000;
            all.queues[from]->Post(0, stream);
        }
    }
    Simulator::Stop(MilliSeconds(100));
    Simulator::Run();
    self.ExpectEqual(all.received, packets, "packets that have come");
    self.Expect(all.isInOrder, "each once, in order and with its bytes");
    uint64_t sends = 0;
    for (const Ptr<FabricCommandQueues>& each : all.queues)
    {
        if (each)
        {
            self.ExpectEqual(each->GetLatencies().size(), 40, "commands beside them");
            self.ExpectEqual(each->GetSendLatencies().size(), 0, "packets are not told of");
            sends += each->GetEngine().Receiver().Counts().sends;
        }
    }
    // Those of address resolution, too.
    self.Expect(how.carries ? sends >= packets : sends == 0, Text("sends: ", sends));
    all.fabric.network->CheckInvariants();
    return all.text.str();
}

/// Packets of UDP come once, in order and whole, beside commands; windows and threads change
/// nothing.
void
TestPackets(FunctionCase& self)
{
    const std::string expected = PlayUdp(self, IpCase{false});
    self.ExpectSame(PlayUdp(self, IpCase{true}), expected, "look-ahead");
    IpCase threads;
    threads.threads = 2;
    self.ExpectSame(PlayUdp(self, threads), expected, "two threads");
    IpCase without;
    without.carries = false;
    self.Expect(PlayUdp(self, without) != expected, "without command queues they come earlier");
}

/// What links lose is sent again by the NIC.
void
TestLossyPackets(FunctionCase& self)
{
    IpCase how;
    how.loss = 0.01;
    const std::string expected = PlayUdp(self, how);
    how.lookahead = false;
    self.ExpectSame(PlayUdp(self, how), expected, "look-ahead");
}

/// @return how long a packet takes between two hosts that know their addresses
TimePs
TimeOfPacket(bool carries)
{
    IpCase how;
    how.carries = carries;
    IpHosts all(how);
    for (const uint32_t at : {1, 100})
    {
        Simulator::Schedule(MicroSeconds(at), [&all] { all.Send(0, 1, 100); });
    }
    Simulator::Stop(MicroSeconds(200));
    Simulator::Run();
    const std::string text = all.text.str();
    return std::stoll(text.substr(text.rfind(' '))) - 100'000'000;
}

/// @return how long a send takes between the same hosts
TimePs
TimeOfSend(uint64_t bytes)
{
    IpHosts all({});
    CommandStream stream;
    stream.op = CommandOp::SEND;
    stream.flow.dst = 2;
    stream.bytes = bytes;
    all.queues[0]->Post(0, stream);
    Simulator::Run();
    return all.queues[1]->GetSendLatencies().at(0);
}

/// A packet takes as long as a send of its size.
void
TestLatency(FunctionCase& self)
{
    const TimePs send = TimeOfSend(128); // with the headers of IP and UDP
    self.ExpectNear(static_cast<double>(TimeOfPacket(true)),
                    static_cast<double>(send),
                    30'000,
                    "as a send");
    self.Expect(TimeOfPacket(false) < send / 2, "as a frame");
}

/// TCP runs over it, beside a host without command queues.
void
TestTcp(FunctionCase& self)
{
    IpCase how;
    how.without = 3;
    IpHosts all(how);
    const auto sink = [&all](uint32_t host) {
        PacketSinkHelper helper("ns3::TcpSocketFactory",
                                InetSocketAddress(Ipv4Address::GetAny(), 80));
        return helper.Install(all.fabric.hosts.Get(host)).Get(0)->GetObject<PacketSink>();
    };
    const Ptr<PacketSink> sinks[] = {sink(5), sink(3)};
    for (const uint32_t to : {5, 3})
    {
        BulkSendHelper sender("ns3::TcpSocketFactory",
                              InetSocketAddress(all.addresses.GetAddress(to), 80));
        sender.SetAttribute("MaxBytes", UintegerValue(2'000'000));
        sender.Install(all.fabric.hosts.Get(0));
    }
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    for (const Ptr<PacketSink>& each : sinks)
    {
        self.ExpectEqual(each->GetTotalRx(), 2'000'000, "bytes of TCP");
    }
    self.Expect(all.queues[5]->GetEngine().Receiver().Counts().bytes > 2'000'000, "by sends");
}

/// What can't be is refused, also what there is no room for.
void
TestRefusedPackets(FunctionCase& self)
{
    IpCase how;
    how.queueBytes = 10'000;
    IpHosts all(how);
    Simulator::Schedule(MicroSeconds(1), [&all] { all.Send(0, 1, 100); });
    Simulator::Schedule(MicroSeconds(50), [&all] {
        for (uint32_t i = 0; i < 10; ++i)
        {
            all.Send(0, 1, 3000);
        }
    });
    Simulator::Schedule(MicroSeconds(100), [&all] { all.Send(0, 1, 3000); });
    Simulator::Stop(MicroSeconds(99));
    Simulator::Run();
    self.ExpectEqual(all.received, 1 + 3, "those that there was room for");
    Simulator::Stop(MicroSeconds(99));
    Simulator::Run();
    self.ExpectEqual(all.received, 1 + 3 + 1, "there is room again");
}

/// A queue that there is not is refused.
void
TestRefusedQueue(FunctionCase& self)
{
    const FabricContainer fabric = FatTreeHelper(4).Install();
    FabricCommandHelper commands;
    commands.SetAttribute("CarriesPackets", BooleanValue(true));
    commands.SetAttribute("PacketQueue", UintegerValue(1));
    self.ExpectSame(Refusal([&] { commands.Install(fabric, 0); }),
                    "ns3::FabricCommandQueues on node 0: PacketQueue is 1; allowed is 0 to 0",
                    "refusal");
    Simulator::Destroy();
}

/// The suite.
class CommandIpSuite : public FunctionSuite
{
  public:
    CommandIpSuite()
        : FunctionSuite("fabric-command-ip", kUnit)
    {
        Add("NQ-15 DP-5 packets of UDP beside commands", TestPackets);
        Add("NQ-15 NQ-11 packets that links lose", TestLossyPackets);
        Add("NQ-15 a packet takes as long as a send", TestLatency);
        Add("NQ-15 TCP over command queues", TestTcp);
        Add("NQ-15 packets without room", TestRefusedPackets);
        Add("NQ-15 a queue that there is not", TestRefusedQueue);
    }
};

CommandIpSuite g_commandIpSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
