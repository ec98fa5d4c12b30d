/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-abort.h"
#include "fabric-chain.h"
#include "fabric-channel.h"
#include "fabric-message-sender-helper.h"
#include "fabric-message-sender.h"
#include "fabric-network-scenario.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-small-tree.h"
#include "fabric-switch-port.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/names.h"

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

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
    expect("differ in VirtualChannels, ClassToVc or LossyClasses; the two ends of a link must have "
           "the same",
           [] {
               auto network = CreateObject<FabricNetwork>();
               for (const uint32_t channels : {1, 2})
               {
                   auto fabricSwitch =
                       CreateObjectWithAttributes<FabricSwitch>("VirtualChannels",
                                                                UintegerValue(channels));
                   fabricSwitch->Install(CreateObject<Node>(), network);
               }
               const auto& switches = network->GetSwitches();
               switches[0]->Connect(0, switches[1], 0, CreateObject<FabricChannel>());
           });
    expect("LanePreemption is true, and the switch has no virtual lanes",
           [&] { switchAttribute("LanePreemption", BooleanValue(true)); });
    expect("LaneInterleaving is true, and the switch has no virtual lanes",
           [&] { switchAttribute("LaneInterleaving", BooleanValue(true)); });
    const auto ofUnordered = [](const std::string& name, const AttributeValue& value) {
        FatTreeHelper helper = SmallTree();
        helper.SetSwitchAttribute("UnorderedClasses", UintegerValue(0xFFFF));
        helper.SetSwitchAttribute(name, value);
        helper.Install();
    };
    expect("SlowPathTime is set, and all flow channels are of UnorderedClasses",
           [&] { ofUnordered("SlowPathTime", TimeValue(MicroSeconds(4))); });
    expect("Reroute is set, and all flow channels are of UnorderedClasses",
           [&] { ofUnordered("Reroute", BooleanValue(true)); });
    expect("WayDivisor is 2, and no class of UnorderedClasses has flow channels; allowed is 4",
           [&] { switchAttribute("WayDivisor", UintegerValue(2)); });
    expect("TurnQuantum is 5000, and turns are by frames, which have none; allowed is 9024",
           [&] { switchAttribute("TurnQuantum", UintegerValue(5000)); });
    expect("DropWatermark (16) must be below TargetWatermark (8)",
           [&] { switchAttribute("TargetWatermark", UintegerValue(8)); });
    expect("and that below HighWatermark (96)",
           [&] { switchAttribute("HighWatermark", UintegerValue(96)); });
    expect("ReservedBytes", [&] { switchAttribute("BufferBytes", UintegerValue(10'000)); });
    expect("ns3::FabricSwitch on node 8: port 0: a frame of 9024 bytes does not fit into the 5000",
           [] {
               FatTreeHelper helper = SmallTree();
               helper.SetDeviceAttribute("Mtu", UintegerValue(9000));
               helper.SetSwitchAttribute("ReservedBytes", UintegerValue(5000));
               helper.Install();
           });
    const auto receiver = [](const std::string& name, const std::string& value) {
        FatTreeHelper helper = SmallTree();
        helper.SetDeviceAttribute(1, name, StringValue(value));
        helper.Install();
    };
    expect("ns3::FabricNetDevice on node 1: ReceiveRate is 9999 bit/s; allowed are 0",
           [&] { receiver("ReceiveRate", "9999bps"); });
    expect("port 1: ReceiveBuffer is 9023; allowed is at least 9024 bytes",
           [&] { receiver("ReceiveBuffer", "9023"); });
    const auto link = [](const std::string& name, const std::string& value) {
        FatTreeHelper helper = SmallTree();
        helper.SetChannelAttribute(name, StringValue(value));
        helper.Install();
    };
    link("Delay", "2ps");
    expect("ns3::FabricChannel: Delay is 1 ps; allowed are 2 ps to 1 s",
           [&] { link("Delay", "1ps"); });
    expect("ns3::FabricChannel: Delay is 0 ps; allowed", [&] { link("Delay", "0ns"); });
    expect("ns3::FabricChannel: DataRate is 0 bit/s; allowed are 10000 to 1000000000000000",
           [&] { link("DataRate", "0bps"); });
    expect("FabricHelper: Mtu of host 8 is set; allowed are the hosts 0 to 7", [] {
        FatTreeHelper helper = SmallTree();
        helper.SetDeviceAttribute(8, "Mtu", UintegerValue(1500));
        helper.Install();
    });
    expect("FabricHelper: DataRate of link 8 is set; allowed are the links 0 to 7", [] {
        FatTreeHelper helper = SmallTree();
        helper.SetLinkAttribute(8, "DataRate", StringValue("1Gbps"));
        helper.Install();
    });
    expect("FabricHelper: Delay of the link of host 8 is set; allowed are the hosts 0 to 7", [] {
        FatTreeHelper helper = SmallTree();
        helper.SetHostLinkAttribute(8, "Delay", StringValue("1us"));
        helper.Install();
    });
    expect("FabricHelper: Delay of global links is set; allowed are kinds of links that the plan "
           "has",
           [] {
               FatTreeHelper helper = SmallTree();
               helper.SetChannelAttribute(LinkClass::GLOBAL, "Delay", StringValue("1us"));
               helper.Install();
           });
    expect("FabricHelper: DataRate of link 0 is set; the plan has no links", [] {
        const TopologyPlan plan = MakeChainPlan({2});
        FabricHelper helper;
        helper.SetLinkAttribute(0, "DataRate", StringValue("1Gbps"));
        helper.Install(plan, MakeShortestPathRouting(plan));
    });
    const FabricContainer tree = SmallTree().Install();
    expect("FabricContainer::GetDevice(): host is 99, allowed is 0 to 7.",
           [&] { tree.GetDevice(99); });
    expect("FabricContainer::GetSwitch(): switch is 99, allowed is 0 to 5.",
           [&] { tree.GetSwitch(99); });
    expect("FabricContainer::FailHostLink(): host is 8, allowed is 0 to 7.",
           [&] { tree.FailHostLink(8, NanoSeconds(1), NanoSeconds(2)); });
    expect("there is no such link between the switches 0 and 99; allowed are two that are linked, "
           "from 0 to 5",
           [&] { tree.FailLink(0, 99, NanoSeconds(1), NanoSeconds(2)); });
    for (const Time& to : {Seconds(1), Seconds(2)})
    {
        std::ostringstream sentence;
        sentence << "the link can't be repaired at " << to.As(Time::NS)
                 << ": allowed are times after " << Seconds(2).As(Time::NS);
        expect(sentence.str(), [&] { tree.FailLink(0, 4, Seconds(2), to); });
        expect(sentence.str(), [&] { tree.FailHostLink(0, Seconds(2), to); });
    }
    expect("the link can't fail at -1ns: allowed are times after +0ns, when it changed last",
           [&] { tree.FailLink(0, 4, NanoSeconds(-1), Seconds(1)); });
    expect("the run can't end at -1ns; allowed are times from 0 on",
           [&] { tree.network->StopAt(NanoSeconds(-1)); });
    expect("FabricSwitch::GetPort(): port is 4, allowed is 0 to 3.",
           [&] { tree.GetSwitch(0)->GetPort(4); });
    expect("FabricChannel::GetDevice(): end is 2, allowed is 0 to 1.",
           [&] { tree.links.front()->GetDevice(2); });
    expect("FabricContainer::GetDevice(): host is 8, allowed is 0 to 7.",
           [&] { FabricMessageSenderHelper(64).Install(tree, 0, 8); });
    expect("FabricContainer::GetDevice(): host is 9, allowed is 0 to 7.",
           [&] { FabricMessageSenderHelper(64).Install(tree, 9, 1); });
    expect("FabricContainer::GetDevice(): host is 0, but there is none yet.", [] {
        FabricContainer empty;
        empty.network = CreateObject<FabricNetwork>();
        empty.GetDevice(0);
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
    const std::string nowhere =
        "it is in no fabric; allowed is a device that FabricHelper has installed, until "
        "Simulator::Destroy()";
    const Address other = Mac48Address("02:00:00:00:00:02");
    expect("location 0 at +0ns: " + nowhere,
           [&] { CreateObject<FabricNetDevice>()->Send(Create<Packet>(10), other, 0x0800); });
    expect(nowhere, [] { CreateObject<FabricNetDevice>()->SendMessage(1, 10); });
    const auto afterEnd = [&tree](const std::function<void(FabricNetDevice&)>& use) {
        const Ptr<FabricNetDevice> device = tree.GetDevice(0);
        Simulator::Destroy();
        use(*device);
    };
    expect("location 1 at +0ns: " + nowhere,
           [&] { afterEnd([](FabricNetDevice& device) { device.SendMessage(2, 10); }); });
    expect(nowhere, [&] { afterEnd([](FabricNetDevice& device) { device.Reduce(2, 10, 1); }); });
    expect(nowhere, [&] {
        afterEnd([&](FabricNetDevice& device) { device.Send(Create<Packet>(10), other, 0x0800); });
    });
    expect("can't be sent; allowed is an ns3::Mac48Address", [&tree] {
        tree.GetDevice(0)->Send(Create<Packet>(10), Ipv4Address("1.2.3.4"), 0x0800);
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

/// What is refused changes nothing, so that the right call can follow it.
void
TestGoesOnAfterRefusal(FunctionCase& test)
{
    Simulation simulation;
    const FabricContainer tree = SmallTree().Install();
    const Ptr<FabricNetDevice> device = tree.GetDevice(0);
    test.Expect(!Refusal([&] { tree.FailLink(0, 4, Seconds(2), Seconds(1)); }).empty(), "a link");
    test.Expect(!Refusal([&] { tree.FailHostLink(1, Seconds(2), Seconds(2)); }).empty(), "a host");
    test.Expect(!Refusal([&] { tree.network->StopAt(Seconds(-1)); }).empty(), "a stop");
    test.Expect(!Refusal([&] { device->SendMessage(99, 10); }).empty(), "a message");
    test.Expect(!Refusal([&] { device->Reduce(FIRST_REDUCTION, 10, 1); }).empty(), "a reduction");
    tree.FailLink(0, 4, MicroSeconds(1), MicroSeconds(2));
    tree.FailHostLink(1, MicroSeconds(1), MicroSeconds(2));
    device->SendMessage(LocationOf(7), 10);
    Simulator::Run();
    test.Expect(tree.network->GetTotals().delivered == 10, "the message has come");
    test.Expect(tree.hostLinks[1]->IsUp() && tree.GetLink(0, 4)->IsUp(), "links are up");
}

void
TestSlowReceiver(FunctionCase& test)
{
    Simulation simulation;
    FatTreeHelper helper = SmallTree();
    helper.SetDeviceAttribute(1, "ReceiveRate", StringValue("50Gbps"));
    const FabricContainer fabric = helper.Install();
    const auto& config = fabric.GetSwitch(0)->GetChip().Config();
    const TimePs head =
        2 * fabric.GetDevice(0)->GetChannel()->GetObject<FabricChannel>()->GetDelay() +
        config.timing.latency;
    constexpr TimePs FRAME = TimePs{WireBytes(MAX_PAYLOAD)} * 160;
    std::vector<TimePs> messages;
    for (const uint32_t host : {1, 3})
    {
        fabric.GetDevice(host)->SetMessageCallback(
            Callback<void, const Message&>([&messages](const Message&) {
                messages.push_back(Simulator::Now().GetPicoSeconds());
            }));
    }
    TimePs packet = 0;
    fabric.GetDevice(1)->TraceConnectWithoutContext(
        "MacRx",
        Callback<void, Ptr<const Packet>>(
            [&packet](Ptr<const Packet>) { packet = Simulator::Now().GetPicoSeconds(); }));
    fabric.GetDevice(0)->SendMessage(LocationOf(1), 100 * MAX_PAYLOAD);
    fabric.GetDevice(2)->SendMessage(LocationOf(3), 100 * MAX_PAYLOAD);
    const TimePs late = 1'000'000'000;
    Simulator::Schedule(PicoSeconds(late), [&fabric] {
        fabric.GetDevice(0)->Send(Create<Packet>(1000), fabric.GetDevice(1)->GetAddress(), 0x88B5);
    });
    Simulator::Schedule(PicoSeconds(head + 40 * FRAME), [&] {
        fabric.network->CheckInvariants();
        test.ExpectEqual(fabric.network->GetTotals().delivered,
                         (100 + 40) * uint64_t{MAX_PAYLOAD},
                         "what is in the host's buffer is in flight");
    });
    Simulator::Run();
    test.ExpectEqual(messages.size(), 2U, "messages");
    test.ExpectEqual(messages.at(0),
                     head + 100 * FRAME / 4,
                     "to a host that is as fast as its link");
    test.ExpectEqual(messages.at(1), head + 100 * FRAME, "to the slow host");
    test.ExpectEqual(packet, late + head + TimePs{WireBytes(1000)} * 160, "a packet to it");
    ExpectEmpty(test, fabric);
}

/// Suite of how devices are used, well and badly.
class NetDeviceUseTestSuite : public FunctionSuite
{
  public:
    NetDeviceUseTestSuite()
        : FunctionSuite("fabric-net-device-use", kUnit)
    {
        Add("WL-1 packets that are refused are counted and traced", TestRefusals);
        Add("WL-1 node, device and channel as a user of ns-3 sees them", TestLooks);
        Add("WL-1 a receiver of messages sends messages", TestReentrancy);
        Add("WL-1 empty messages", TestEmptyMessages);
        Add("DP-4 simulations one after the other, with packets in flight", TestTwice);
        Add("WL-5 a message or packet is there when it has left the receive buffer",
            TestSlowReceiver);
        Add("PR-1 bad use ends in one sentence", TestBadUse);
        Add("PR-1 what is refused changes nothing", TestGoesOnAfterRefusal);
    }
};

NetDeviceUseTestSuite g_netDeviceUseTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
