/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-abort.h"
#include "fabric-function-case.h"
#include "fabric-refusal.h"
#include "fabric-scratch-folder.h"
#include "fabric-test-compat.h"
#include "fabric-vl-arbiter-queue-disc.h"

#include "ns3/boolean.h"
#include "ns3/csma-helper.h"
#include "ns3/data-rate.h"
#include "ns3/enum.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/node-container.h"
#include "ns3/packet-filter.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/queue-size.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/udp-header.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr uint16_t FIRST_PORT = 9000; ///< Port of lane 0; that of lane i is i more.
constexpr uint32_t PAYLOAD = 972;     ///< With IP and UDP headers 1000 B.

/// Traffic classes by UDP port.
class PortFilter : public PacketFilter
{
  private:
    bool CheckProtocol(Ptr<QueueDiscItem> item) const override
    {
        return DynamicCast<Ipv4QueueDiscItem>(item) != nullptr;
    }

    int32_t DoClassify(Ptr<QueueDiscItem> item) const override
    {
        UdpHeader header;
        item->GetPacket()->PeekHeader(header);
        return header.GetDestinationPort() - FIRST_PORT;
    }
};

/// Two nodes and a link of 1 Gb/s (csma: a gap of 96 ns, 12 B, between frames of 18 B more) with a
/// queue disc at the first; each lane has a flow.
class LaneBed
{
  public:
    /**
     * @param isCsma whether the devices are csma; classes are told by ports there, and by DSCP
     * otherwise
     * @param table of lanes; lane i carries class i
     * @param attributes of the queue disc
     */
    LaneBed(bool isCsma,
            const LaneTable& table,
            const std::map<std::string, std::string>& attributes)
        : m_isCsma(isCsma)
    {
        m_nodes.Create(2);
        InternetStackHelper().Install(m_nodes);
        const NetDeviceContainer devices = isCsma ? MakeCsma() : MakePointToPoint();
        ObjectFactory factory("ns3::VlArbiterQueueDisc");
        factory.Set("LinkOverhead", UintegerValue(isCsma ? 30 : 2));
        // Lane i has DSCP 8 i.
        factory.Set("DscpToClass", StringValue("8:1,16:2,24:3,32:4,40:5"));
        factory.Set("LaneQueueSize", QueueSizeValue(QueueSize("100p")));
        for (const auto& [name, value] : attributes)
        {
            factory.Set(name, StringValue(value));
        }
        m_disc = factory.Create<VlArbiterQueueDisc>();
        m_disc->SetLaneTable(table);
        if (isCsma)
        {
            m_disc->AddPacketFilter(CreateObject<PortFilter>());
        }
        m_nodes.Get(0)->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(devices.Get(0),
                                                                                   m_disc);
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        m_remote = addresses.Assign(devices).GetAddress(1);
        for (const LaneSettings& lane : table.lanes)
        {
            AddFlow(lane.lane);
        }
    }

    /**
     * @param lane sends from now on
     * @param until the last packet is sent before this
     */
    void Send(uint32_t lane, double load, Time until)
    {
        const Time gap = NanoSeconds(std::llround(8000 / load));
        Simulator::Schedule(gap, [this, lane, load, until] {
            if (Simulator::Now() < until)
            {
                const std::vector<uint8_t> number{static_cast<uint8_t>(m_sent[lane] >> 8),
                                                  static_cast<uint8_t>(m_sent[lane])};
                ++m_sent[lane];
                Ptr<Packet> packet = Create<Packet>(number.data(), 2);
                packet->AddPaddingAtEnd(PAYLOAD - 2);
                m_sockets[lane]->Send(packet);
                Send(lane, load, until);
            }
        });
    }

    /**
     * @param from beginning
     * @param until end
     * @return part of the link that its packets took, headers counted
     */
    double Share(uint32_t lane, Time from, Time until) const
    {
        uint64_t packets = 0;
        for (const Time& at : m_received.at(lane))
        {
            packets += at >= from && at < until;
        }
        const double bytes = static_cast<double>(packets) * (m_isCsma ? 1030 : 1002);
        return bytes * 8 / 1e9 / (until - from).GetSeconds();
    }

    /// @return packets of a lane that came
    std::size_t Received(uint32_t lane) const
    {
        return m_received.at(lane).size();
    }

    /// @return packets of a lane that were sent
    uint32_t Sent(uint32_t lane)
    {
        return m_sent[lane];
    }

    Ptr<VlArbiterQueueDisc> Disc() const
    {
        return m_disc;
    }

    /// @return packets that came behind a later one of their lane
    uint32_t Reordered() const
    {
        return m_reordered;
    }

  private:
    /// @return devices with a queue of one packet
    NetDeviceContainer MakePointToPoint()
    {
        PointToPointHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
        helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
        return helper.Install(m_nodes);
    }

    /// @return devices with a queue of one packet
    NetDeviceContainer MakeCsma()
    {
        CsmaHelper helper;
        helper.SetChannelAttribute("DataRate", StringValue("1Gbps"));
        helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
        return helper.Install(m_nodes);
    }

    /// Makes the sockets of a lane.
    void AddFlow(uint8_t lane)
    {
        const auto port = static_cast<uint16_t>(FIRST_PORT + lane);
        const Ptr<Socket> sender =
            Socket::CreateSocket(m_nodes.Get(0), UdpSocketFactory::GetTypeId());
        sender->Bind();
        sender->Connect(InetSocketAddress(m_remote, port));
        sender->SetIpTos(static_cast<uint8_t>(m_isCsma ? 0 : 8 * lane << 2));
        m_sockets[lane] = sender;
        const Ptr<Socket> receiver =
            Socket::CreateSocket(m_nodes.Get(1), UdpSocketFactory::GetTypeId());
        receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        m_received[lane];
        receiver->SetRecvCallback(MakeCallback(&LaneBed::Receive, this));
        m_laneOf[receiver] = lane;
    }

    /// A packet has come.
    void Receive(Ptr<Socket> socket)
    {
        const uint32_t lane = m_laneOf.at(socket);
        uint8_t number[2];
        const Ptr<Packet> packet = socket->Recv();
        packet->CopyData(number, 2);
        const int sequence = number[0] << 8 | number[1];
        const bool isFirst = m_received[lane].empty();
        m_reordered += !isFirst && sequence <= m_latest[lane];
        m_latest[lane] = sequence;
        m_received[lane].push_back(Simulator::Now());
    }

    bool m_isCsma;                                    ///< Which devices.
    NodeContainer m_nodes;                            ///< Both.
    Ptr<VlArbiterQueueDisc> m_disc;                   ///< What is tested.
    Ipv4Address m_remote;                             ///< Of the second node.
    std::map<uint32_t, Ptr<Socket>> m_sockets;        ///< Senders.
    std::map<Ptr<Socket>, uint32_t> m_laneOf;         ///< Receivers.
    std::map<uint32_t, uint32_t> m_sent;              ///< Packets.
    std::map<uint32_t, std::vector<Time>> m_received; ///< When each packet came.
    std::map<uint32_t, int> m_latest;                 ///< Its number.
    uint32_t m_reordered{0};                          ///< See Reordered().
};

/// @return a table whose lane i is of group groupOf[i] and carries class i
LaneTable
MakeTable(const std::vector<uint8_t>& groupOf, const std::vector<uint32_t>& percent)
{
    LaneTable table;
    for (std::size_t i = 0; i < groupOf.size(); ++i)
    {
        const auto lane = static_cast<uint8_t>(i);
        table.lanes.push_back({lane, 1, lane, groupOf[i], false});
    }
    for (std::size_t i = 0; i < percent.size(); ++i)
    {
        table.groups.push_back({static_cast<uint8_t>(i), percent[i] * 100});
    }
    return table;
}

/// Lanes 0-3 in group 0, 4-5 in group 1, every lane allocated 10 % and sending more.
void
CompareShares(FunctionCase& test,
              bool isCsma,
              const std::map<std::string, std::string>& attributes,
              double first,
              double second)
{
    LaneBed bed(isCsma, MakeTable({0, 0, 0, 0, 1, 1}, {40, 20}), attributes);
    // Five sliding windows of 1 MiB.
    const Time begin = MilliSeconds(10);
    const Time end = begin + NanoSeconds(5 * 8 * 1024 * 1024);
    for (uint32_t lane = 0; lane < 6; ++lane)
    {
        bed.Send(lane, 0.3 + 0.01 * lane, end);
    }
    Simulator::Stop(end);
    Simulator::Run();
    for (uint32_t lane = 0; lane < 6; ++lane)
    {
        const double share = bed.Share(lane, begin, end);
        test.ExpectNear(
            share,
            lane < 4 ? first : second,
            0.0025,
            Text("lane ", lane, ", ", attributes.begin()->first, " ", attributes.begin()->second));
    }
    Simulator::Destroy();
}

/// Shares on a device against closed forms.
void
TestShares(FunctionCase& test, bool isCsma)
{
    const auto compare =
        [&](const std::map<std::string, std::string>& attributes, double first, double second) {
            CompareShares(test, isCsma, attributes, first, second);
        };
    // What is left is 40 %: by lane 1/6 of it each, by group half of it for each.
    compare({{"Mode", "lane"}}, 0.1 + 0.4 / 6, 0.1 + 0.4 / 6);
    compare({{"Mode", "group"}}, 0.1 + 0.2 / 4, 0.1 + 0.2 / 2);
    // The worked example: who always exceeds his share.
    compare({{"Mode", "lane"}, {"ChargeOverBandwidth", "true"}}, 1.0 / 6, 1.0 / 6);
    compare({{"Mode", "group"}, {"ChargeOverBandwidth", "true"}}, 1.0 / 8, 1.0 / 4);
    // Nothing but shares.
    compare({{"OverBandwidth", "disqualify"}}, 0.1, 0.1);
    compare({{"OverBandwidth", "disqualify"}, {"Meter", "leaky-bucket"}}, 0.1, 0.1);
    compare({{"OverBandwidth", "disqualify"}, {"Meter", "sliding-window"}}, 0.1, 0.1);
}

/// Packets that are disqualified are sent when they conform, though nothing else happens.
void
TestWake(FunctionCase& test)
{
    LaneBed bed(false,
                MakeTable({0}, {10}),
                {{"OverBandwidth", "disqualify"}, {"Meter", "leaky-bucket"}});
    bed.Send(0, 1, MicroSeconds(400)); // 49 packets in 400 us, then none any more
    Simulator::Stop(MilliSeconds(10));
    Simulator::Run();
    test.ExpectEqual(bed.Sent(0), 49, "packets sent");
    test.ExpectEqual(bed.Received(0), 49, "all come");
    // 1002 B last 80.16 us at 10 % of the link; the first starts at 8 us.
    const double last = 8e-6 + 48 * 80.16e-6 + 8.016e-6;
    test.ExpectNear(bed.Share(0, Time(0), Seconds(last - 1e-8)),
                    48 * 8.016e-6 / last,
                    1e-4,
                    "one packet is still to come then");
    test.ExpectNear(bed.Share(0, Time(0), Seconds(last + 1e-8)),
                    49 * 8.016e-6 / last,
                    1e-4,
                    "each is sent at the moment when it conforms");
    Simulator::Destroy();
}

/// The table changes while packets wait.
void
TestTableChange(FunctionCase& test)
{
    std::size_t before = 0; // packets received while no lane could send
    LaneBed bed(false, MakeTable({0, 1, 2}, {50, 30, 20}), {{"OverBandwidth", "disqualify"}});
    for (uint32_t lane = 0; lane < 3; ++lane)
    {
        bed.Send(lane, 0.5, MilliSeconds(1)); // less than the queues hold
    }
    Simulator::Schedule(MicroSeconds(700), [&] {
        // No lane may send at all; other groups; then all may.
        bed.Disc()->SetLaneTable(MakeTable({0, 1, 2}, {0, 0, 0}));
        test.ExpectEqual(Refusal([&] {
                             bed.Disc()->SetLaneTable(MakeTable({0, 1}, {50, 30}));
                         }),
                         "lane table: lane 2 has packets that wait, allowed are tables that have "
                         "this lane",
                         "a lane that has packets");
        test.ExpectEqual(bed.Disc()->GetLaneTable().lanes.size(), 3, "the old table stays");
    });
    Simulator::Schedule(MilliSeconds(2), [&] {
        before = bed.Received(0) + bed.Received(1) + bed.Received(2);
        bed.Disc()->SetLaneTable(MakeTable({2, 0, 1}, {50, 30, 20}));
    });
    Simulator::Stop(MilliSeconds(10));
    Simulator::Run();
    test.Expect(before < 100, "shares of 0 let nothing pass");
    for (uint32_t lane = 0; lane < 3; ++lane)
    {
        test.ExpectEqual(bed.Received(lane), bed.Sent(lane), Text("lane ", lane));
    }
    test.ExpectEqual(bed.Reordered(), 0, "packets in order");
    Simulator::Destroy();
}

/// @return a datagram with a DSCP, a source port and a destination port
Ptr<QueueDiscItem>
MakeItem(uint8_t dscp, uint16_t port, uint16_t destination = 80)
{
    Ptr<Packet> packet = Create<Packet>(100);
    UdpHeader udp;
    udp.SetSourcePort(port);
    udp.SetDestinationPort(destination);
    packet->AddHeader(udp);
    Ipv4Header header;
    header.SetSource("10.0.0.1");
    header.SetDestination("10.0.0.2");
    header.SetProtocol(17);
    header.SetPayloadSize(108);
    header.SetTos(static_cast<uint8_t>(dscp << 2));
    return Create<Ipv4QueueDiscItem>(packet, Address(), 0x0800, header);
}

/// How packets find their lanes.
void
TestLaneChoice(FunctionCase& test)
{
    LaneTable table = MakeTable({0, 0, 0}, {100});
    table.lanes[1].trafficClass = table.lanes[2].trafficClass = 3;
    ObjectFactory factory("ns3::VlArbiterQueueDisc");
    factory.Set("DscpToClass", StringValue("46:3,10:7"));
    const auto disc = factory.Create<VlArbiterQueueDisc>();
    disc->SetLaneTable(table);
    test.ExpectEqual(+*disc->GetLane(MakeItem(0, 1)), 0, "class 0 has lane 0");
    test.Expect(!disc->GetLane(MakeItem(10, 1)).has_value(), "class 7 has none");
    std::map<uint8_t, uint32_t> flows;
    for (uint16_t port = 1; port <= 400; ++port)
    {
        const uint8_t lane = *disc->GetLane(MakeItem(46, port));
        test.ExpectEqual(+*disc->GetLane(MakeItem(46, port)), +lane, Text("flow ", port));
        ++flows[lane];
    }
    test.Expect(flows.size() == 2 && flows[1] > 150 && flows[2] > 150,
                "400 flows on lanes 1 and 2");
    StringValue classes;
    disc->GetAttribute("DscpToClass", classes);
    test.ExpectEqual(classes.Get(), "46:3,10:7", "the attribute is what was set");
    test.Expect(!disc->Enqueue(MakeItem(10, 1)), "a packet of class 7 has nowhere to wait");
    test.ExpectEqual(disc->GetStats().GetNDroppedPackets(VlArbiterQueueDisc::NO_LANE_DROP),
                     1,
                     "dropped for that reason");
}

/// A group with 10 % of the link conforms when its packet has been over for nine times as long.
void
TestConforming(FunctionCase& test)
{
    LaneBed bed(false,
                MakeTable({0}, {10}),
                {{"OverBandwidth", "disqualify"}, {"Meter", "leaky-bucket"}});
    bed.Send(0, 1, MicroSeconds(10)); // one packet, at 8 us
    for (const auto& [at, isConforming] : {std::pair(MicroSeconds(7), true),
                                           std::pair(MicroSeconds(20), false),
                                           std::pair(MicroSeconds(88), false),
                                           std::pair(MicroSeconds(89), true)}) // 8 + 80.16
    {
        Simulator::Schedule(at, [&bed, &test, expected = isConforming] {
            test.ExpectEqual(bed.Disc()->IsConforming(0), expected, Text(Simulator::Now()));
        });
    }
    Simulator::Stop(MicroSeconds(100));
    Simulator::Run();
    test.ExpectEqual(bed.Received(0), 1, "packets");
    Simulator::Destroy();
}

/// A queue disc that is disposed of while it waits for a packet to conform does not wake.
void
TestDispose(FunctionCase& test)
{
    LaneBed bed(false,
                MakeTable({0}, {10}),
                {{"OverBandwidth", "disqualify"}, {"Meter", "leaky-bucket"}});
    bed.Send(0, 1, MicroSeconds(400));
    // 30 us after the begin of the 13th packet, and 50 us before that of the next one.
    Simulator::Schedule(MilliSeconds(1), [&bed] { bed.Disc()->Dispose(); });
    Simulator::Stop(MilliSeconds(10));
    Simulator::Run();
    test.ExpectEqual(bed.Received(0), 13, "packets");
    Simulator::Destroy();
}

/// It makes its own queues; who gives it others is told so.
void
TestOwnQueues(FunctionCase& test)
{
    const std::string printed = Abort([] {
        NodeContainer nodes(2);
        InternetStackHelper().Install(nodes);
        const NetDeviceContainer devices = PointToPointHelper().Install(nodes);
        TrafficControlHelper helper;
        const uint16_t root = helper.SetRootQueueDisc("ns3::VlArbiterQueueDisc");
        const auto classes = helper.AddQueueDiscClasses(root, 2, "ns3::QueueDiscClass");
        helper.AddChildQueueDiscs(root, classes, "ns3::FifoQueueDisc");
        const QueueDiscContainer discs = helper.Install(devices);
        for (uint32_t i = 0; i < discs.GetN(); ++i)
        {
            DynamicCast<VlArbiterQueueDisc>(discs.Get(i))->SetLaneTable(MakeTable({0}, {100}));
        }
        Simulator::Stop(MicroSeconds(1));
        Simulator::Run();
    });
    test.Expect(printed.find("it has 2 classes and 0 queues; allowed are none") !=
                    std::string::npos,
                printed);
}

/// What a filter says counts, class 0 too, and where it says nothing the DSCP does.
void
TestFilterComesFirst(FunctionCase& test)
{
    LaneTable table = MakeTable({0, 0}, {100});
    table.lanes[1].trafficClass = 3;
    ObjectFactory factory("ns3::VlArbiterQueueDisc");
    factory.Set("DscpToClass", StringValue("46:3"));
    const auto disc = factory.Create<VlArbiterQueueDisc>();
    disc->SetLaneTable(table);
    disc->AddPacketFilter(CreateObject<PortFilter>());
    test.ExpectEqual(+*disc->GetLane(MakeItem(46, 1, FIRST_PORT)), 0, "the filter says class 0");
    test.ExpectEqual(+*disc->GetLane(MakeItem(0, 1, FIRST_PORT + 3)), 1, "the filter says 3");
    constexpr uint16_t NO_MATCH = FIRST_PORT - 1;
    test.ExpectEqual(+*disc->GetLane(MakeItem(46, 1, NO_MATCH)), 1, "the DSCP says class 3");
}

/// From a new table on its lanes carry the classes that it says.
void
TestClassesChange(FunctionCase& test)
{
    LaneBed bed(false, MakeTable({0, 0}, {100}), {});
    const auto laneOf = [&bed](uint8_t dscp) { return +*bed.Disc()->GetLane(MakeItem(dscp, 1)); };
    Simulator::Schedule(MicroSeconds(1), [&] {
        test.ExpectEqual(laneOf(8), 1, "class 1 before");
        LaneTable table = MakeTable({0, 0}, {100});
        std::swap(table.lanes[0].trafficClass, table.lanes[1].trafficClass);
        bed.Disc()->SetLaneTable(table);
        test.ExpectEqual(laneOf(8), 0, "class 1 afterwards");
        test.ExpectEqual(laneOf(0), 1, "class 0 afterwards");
    });
    Simulator::Stop(MicroSeconds(2));
    Simulator::Run();
    Simulator::Destroy();
}

/// Of a burst those come that a lane has room for, and those that the device takes at once.
void
TestLaneQueueSize(FunctionCase& test)
{
    for (const std::size_t room : {1, 7, 20})
    {
        LaneBed bed(false, MakeTable({0}, {100}), {{"LaneQueueSize", std::to_string(room) + "p"}});
        bed.Send(0, 8000, NanoSeconds(41)); // a packet each nanosecond
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        test.ExpectEqual(bed.Sent(0), 40, "packets of the burst");
        // The device sends one, and has another one in its queue.
        test.ExpectEqual(bed.Received(0), room + 2, Text("with room for ", room));
        Simulator::Destroy();
    }
}

/// Shares are of the rate that the attribute says, if it says one.
void
TestLinkRate(FunctionCase& test)
{
    for (const uint32_t megabits : {0, 1000, 500, 250})
    {
        LaneBed bed(false,
                    MakeTable({0}, {10}),
                    {{"LinkRate", std::to_string(megabits) + "Mbps"},
                     {"OverBandwidth", "disqualify"},
                     {"Meter", "leaky-bucket"}});
        const Time end = MilliSeconds(20);
        bed.Send(0, 0.5, end);
        Simulator::Stop(end);
        Simulator::Run();
        const double rate = megabits == 0 ? 1 : megabits / 1000.0; // of the device's
        test.ExpectNear(bed.Share(0, MilliSeconds(2), end),
                        0.1 * rate,
                        0.001,
                        Text("10 % of ", megabits, " Mb/s"));
        Simulator::Destroy();
    }
}

/// A group that offers a multiple of its share conforms with that part of its packets.
void
TestGrants(FunctionCase& test)
{
    LaneBed bed(false, MakeTable({0, 1}, {10, 90}), {{"Meter", "sliding-window"}});
    std::map<bool, uint32_t> grants;
    bed.Disc()->TraceConnectWithoutContext(
        "Grant",
        Callback<void, Ptr<const QueueDiscItem>, uint32_t, uint32_t, bool>(
            [&](Ptr<const QueueDiscItem>, uint32_t lane, uint32_t level, bool conforming) {
                // Of levels 0 to 2 the lane has 1, and Over-Bandwidth is below all.
                test.ExpectEqual(level, conforming ? 1 : 3, "level");
                test.ExpectEqual(lane, 0, "lane");
                ++grants[conforming];
            }));
    const Time end = NanoSeconds(5 * 8 * 1024 * 1024); // five windows of 1 MiB
    bed.Send(0, 0.5, end);
    Simulator::Stop(end);
    Simulator::Run();
    const double conforming = grants[true];
    test.ExpectNear(conforming / (conforming + grants[false]),
                    0.1 / 0.5,
                    0.01,
                    "part of the packets that conforms");
    Simulator::Destroy();
}

/// A table of a file counts, and not one that was set.
void
TestTableFile(FunctionCase& test)
{
    const ScratchFolder folder(test, "lane-table");
    std::filesystem::create_directories(folder.Get());
    const std::string file = folder.Get() / "table.csv";
    std::ofstream(file) << "lane,level,group\n0,low,0\n5,low,1\n\n"
                        << "group,share\n0,30\n1,20\n";
    LaneBed bed(false, MakeTable({0}, {100}), {{"TableFile", file}});
    Simulator::Stop(MicroSeconds(1));
    Simulator::Run();
    test.ExpectEqual(bed.Disc()->GetLaneTable().Lanes(), 1U | 1U << 5, "lanes of the file");
    test.ExpectEqual(bed.Disc()->GetLaneTable().groups.size(), 2, "groups of the file");
    Simulator::Destroy();
}

/// What would end the run when it begins is said before.
void
TestCheckSettings(FunctionCase& test)
{
    const auto refusal = [](const std::string& rate, const LaneTable& table) {
        ObjectFactory factory("ns3::VlArbiterQueueDisc");
        factory.Set("LinkRate", StringValue(rate));
        const auto disc = factory.Create<VlArbiterQueueDisc>();
        if (!table.lanes.empty())
        {
            disc->SetLaneTable(table);
        }
        return Refusal([&disc] { disc->CheckSettings(); });
    };
    const LaneTable good = MakeTable({0}, {100});
    test.ExpectEqual(refusal("1Gbps", good), "", "what is right");
    test.Expect(refusal("0bps", good).find("LinkRate is 0") != std::string::npos, "no rate");
    test.Expect(refusal("1Gbps", {}).find("lane table: ") == 0, "no table");
}

/// As the child of another queue disc it cannot wake itself, so nobody may have to wait for that.
void
TestChild(FunctionCase& test)
{
    for (const char* over : {"demote", "disqualify"})
    {
        const std::string printed = Abort([over] {
            NodeContainer nodes(2);
            InternetStackHelper().Install(nodes);
            const NetDeviceContainer devices = PointToPointHelper().Install(nodes);
            TrafficControlHelper helper;
            const uint16_t root = helper.SetRootQueueDisc("ns3::PrioQueueDisc");
            const auto classes = helper.AddQueueDiscClasses(root, 3, "ns3::QueueDiscClass");
            helper.AddChildQueueDiscs(root,
                                      classes,
                                      "ns3::VlArbiterQueueDisc",
                                      "OverBandwidth",
                                      StringValue(over),
                                      "LinkRate",
                                      StringValue("1Gbps"));
            const QueueDiscContainer discs = helper.Install(devices);
            for (uint32_t i = 0; i < 2 * classes.size(); ++i)
            {
                DynamicCast<VlArbiterQueueDisc>(
                    discs.Get(i % 2)->GetQueueDiscClass(i / 2)->GetQueueDisc())
                    ->SetLaneTable(MakeTable({0, 1, 2}, {50, 30, 20}));
            }
            Simulator::Stop(MicroSeconds(1));
            Simulator::Run();
        });
        const bool isRefused = printed.find("child of another queue disc") != std::string::npos;
        test.Expect(isRefused == (over == std::string("disqualify")), over + (": " + printed));
    }
}

/// The suite.
class VlArbiterQueueDiscSuite : public FunctionSuite
{
  public:
    VlArbiterQueueDiscSuite()
        : FunctionSuite("fabric-vl-arbiter-queue-disc", kUnit)
    {
        Add("VA-6, VA-12 shares on point-to-point devices, classes by DSCP",
            [](FunctionCase& test) { TestShares(test, false); });
        Add("VA-6, VA-12 shares on csma devices, classes by a filter",
            [](FunctionCase& test) { TestShares(test, true); });
        Add("VA-4, VA-12 a child of another queue disc disqualifies nobody", TestChild);
        Add("VA-4, VA-12 a queue disc wakes itself when a disqualified packet conforms", TestWake);
        Add("VA-11, VA-12 a table changed in flight loses and reorders no packet of a lane",
            TestTableChange);
        Add("VA-12 what a filter says comes before the DSCP", TestFilterComesFirst);
        Add("VA-11, VA-12 a new table's lanes carry its classes", TestClassesChange);
        Add("VA-12 lanes have room for as many packets as LaneQueueSize says", TestLaneQueueSize);
        Add("VA-2, VA-12 shares are of LinkRate", TestLinkRate);
        Add("VA-2, VA-12 packets are granted as conforming up to the share", TestGrants);
        Add("VA-2, VA-12 a group conforms when its share allows it", TestConforming);
        Add("VA-4, VA-12 what is disposed of does not wake", TestDispose);
        Add("VA-12 it takes no classes and no queues", TestOwnQueues);
        Add("VA-12 the table of a file", TestTableFile);
        Add("VA-12, VA-14 settings are checked before the run", TestCheckSettings);
        Add("VA-1, VA-12 lanes by class; flows of a class are spread over its lanes",
            TestLaneChoice);
    }
};

VlArbiterQueueDiscSuite g_vlArbiterQueueDiscSuite; ///< Registers the suite.

} // namespace
