/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-network-scenario.h"
#include "fabric-small-tree.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"

#include "ns3/fq-codel-queue-disc.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/queue-disc.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t DATAGRAM_PAYLOAD = 1000;                ///< Payload of a datagram.
constexpr uint32_t DATAGRAM_BYTES = DATAGRAM_PAYLOAD + 28; ///< With the headers of UDP and IPv4.
constexpr TimePs DATAGRAM_TIME = WireBytes(DATAGRAM_BYTES) * 40; ///< On links of 200 Gb/s, ps.
constexpr uint16_t DISC_PORT = 7;

/// Hosts 0 and 1 of a switch, of which host 0 sends datagrams through a queue disc.
class DiscPair
{
  public:
    /// @param disc type of the queue disc; empty for none @param room `QueueBytes`
    DiscPair(const std::string& disc, uint32_t room)
    {
        FatTreeHelper helper = SmallTree();
        helper.SetDeviceAttribute("QueueBytes", UintegerValue(room));
        fabric = helper.Install();
        InternetStackHelper().Install(fabric.hosts);
        if (!disc.empty())
        {
            TrafficControlHelper control;
            control.SetRootQueueDisc(disc);
            root = control.Install(fabric.devices.Get(0)).Get(0);
        }
        const auto addresses =
            Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(fabric.devices);
        const auto sink = Socket::CreateSocket(fabric.hosts.Get(1), UdpSocketFactory::GetTypeId());
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), DISC_PORT));
        sink->SetRecvCallback(Callback<void, Ptr<Socket>>([this](Ptr<Socket> socket) {
            while (const Ptr<Packet> packet = socket->Recv())
            {
                sizes.push_back(packet->GetSize());
                times.push_back(Simulator::Now().GetPicoSeconds());
            }
        }));
        m_socket = Socket::CreateSocket(fabric.hosts.Get(0), UdpSocketFactory::GetTypeId());
        m_socket->Connect(InetSocketAddress(addresses.GetAddress(1), DISC_PORT));
        fabric.GetDevice(0)->TraceConnectWithoutContext("MacTxDrop", refused.Sink());
        Send(MicroSeconds(1), 1, DATAGRAM_PAYLOAD); // address resolution
    }

    /// Sends datagrams at an instant. @param tos field of the IP header
    void Send(Time at, uint32_t count, uint32_t bytes, uint8_t tos = 0)
    {
        Simulator::Schedule(at, [this, count, bytes, tos] {
            m_socket->SetIpTos(tos);
            for (uint32_t i = 0; i < count; ++i)
            {
                m_socket->Send(Create<Packet>(bytes));
            }
        });
    }

    Simulation simulation;       ///< Ends with it.
    FabricContainer fabric;      ///< The hosts.
    Ptr<QueueDisc> root;         ///< Of host 0.
    std::vector<uint32_t> sizes; ///< Of what has arrived.
    std::vector<TimePs> times;   ///< When.
    Counter refused;             ///< By the device of host 0.

  private:
    Ptr<Socket> m_socket; ///< Sends.
};

/// @return from when a frame begins to when it has come through a switch, but for its own time
TimePs
TimeOfHead(const FabricContainer& fabric)
{
    return 2 * fabric.hostLinks.front()->GetDelay() +
           fabric.GetSwitch(0)->GetChip().Config().timing.latency;
}

/// What a device has no room for waits in the queue disc, and its link is never idle meanwhile.
void
TestDiscWaits(FunctionCase& test)
{
    constexpr uint32_t COUNT = 500;
    for (const uint32_t room : {500U, 5'000U, 10'000U, 1U << 20})
    {
        DiscPair pair("ns3::FifoQueueDisc", room < DATAGRAM_BYTES ? DATAGRAM_BYTES : room);
        const Time at = MicroSeconds(100);
        pair.Send(at, COUNT, DATAGRAM_PAYLOAD);
        Simulator::Run();
        const std::string what = " with room for " + std::to_string(room);
        test.ExpectEqual(pair.times.size(), COUNT + 1, "datagrams" + what);
        test.ExpectEqual(pair.refused.calls, uint64_t{0}, "refused" + what);
        for (uint32_t i = 1; i <= COUNT && i < pair.times.size(); ++i)
        {
            test.ExpectEqual(pair.times[i] - at.GetPicoSeconds() - TimeOfHead(pair.fabric),
                             i * DATAGRAM_TIME,
                             "datagram " + std::to_string(i) + what);
        }
        ExpectEmpty(test, pair.fabric);
    }
    DiscPair bare("", 10'000);
    bare.Send(MicroSeconds(100), COUNT, DATAGRAM_PAYLOAD);
    Simulator::Run();
    test.Expect(bare.refused.calls > COUNT / 2, "without a queue disc packets are refused");
    test.Expect(!bare.fabric.GetDevice(0)->GetObject<NetDeviceQueueInterface>(),
                "ns-3 would install a queue disc");
}

/// An urgent datagram passes those that wait in the queue disc.
void
TestDiscPriority(FunctionCase& test)
{
    constexpr uint32_t ROOM = 10'000;
    constexpr uint32_t COUNT = 200;
    constexpr uint8_t LOW_DELAY = 0x10; // band 0 of ns-3's pfifo_fast
    DiscPair pair("ns3::PfifoFastQueueDisc", ROOM);
    pair.Send(MicroSeconds(100), COUNT, DATAGRAM_PAYLOAD);
    pair.Send(MicroSeconds(100) + PicoSeconds(1), 1, 10, LOW_DELAY);
    Simulator::Run();
    test.ExpectEqual(pair.times.size(), COUNT + 2U, "datagrams");
    for (uint32_t i = 1; i < pair.sizes.size(); ++i)
    {
        if (pair.sizes[i] == 10)
        {
            // What the device had taken is before it.
            test.Expect(i <= ROOM / DATAGRAM_BYTES + 3,
                        std::to_string(i - 1) + " datagrams before the urgent one");
            return;
        }
    }
    test.Expect(false, "the urgent datagram has not come");
}

/// Whether ns-3 ends a run whose queue discs have found no quantum, before the device can give them
/// one.
#ifdef NS3_ASSERT_ENABLE
constexpr bool NEEDS_QUANTUM = true;
#else
constexpr bool NEEDS_QUANTUM = false;
#endif

/// Queue discs with a quantum, which ns-3 takes from the device, give turns and return.
void
TestDiscQuantum(FunctionCase& test)
{
    for (const char* type :
         {"ns3::FqCoDelQueueDisc", "ns3::FqCobaltQueueDisc", "ns3::FqPieQueueDisc"})
    {
        for (const bool hasOthers : {false, true})
        {
            if (hasOthers && NEEDS_QUANTUM)
            {
                continue;
            }
            DiscPair pair(type, 10'000);
            if (hasOthers)
            {
                // The more interfaces, the sooner ns-3 begins with the traffic control layer.
                NodeContainer ends(pair.fabric.hosts.Get(0));
                ends.Create(1);
                for (uint32_t i = 0; i < 40; ++i)
                {
                    const NetDeviceContainer devices = PointToPointHelper().Install(ends);
                    if (i == 0)
                    {
                        InternetStackHelper().Install(ends.Get(1));
                    }
                    const std::string net = "10.1." + std::to_string(i) + ".0";
                    Ipv4AddressHelper(net.c_str(), "255.255.255.0").Assign(devices);
                }
            }
            pair.Send(MicroSeconds(100), 100, DATAGRAM_PAYLOAD);
            Simulator::Stop(Seconds(1));
            Simulator::Run();
            test.ExpectEqual(pair.times.size(), 101U, std::string("datagrams of ") + type);
        }
    }
}

/// A queue disc below another one has a quantum, too, and keeps one that was set.
void
TestQuantumBelow(FunctionCase& test)
{
    for (const uint32_t quantum : {0U, 300U})
    {
        Simulation simulation;
        const FabricContainer fabric = SmallTree().Install();
        InternetStackHelper().Install(fabric.hosts);
        TrafficControlHelper control;
        const uint16_t root = control.SetRootQueueDisc("ns3::PrioQueueDisc");
        const auto classes = control.AddQueueDiscClasses(root, 3, "ns3::QueueDiscClass");
        control.AddChildQueueDiscs(root, classes, "ns3::FqCoDelQueueDisc");
        const auto disc = control.Install(fabric.devices.Get(0)).Get(0);
        const auto child = [&disc](std::size_t i) {
            return DynamicCast<FqCoDelQueueDisc>(disc->GetQueueDiscClass(i)->GetQueueDisc());
        };
        for (std::size_t i = 0; NEEDS_QUANTUM && i < 3; ++i)
        {
            child(i)->SetQuantum(4096);
        }
        child(0)->SetQuantum(NEEDS_QUANTUM && quantum == 0 ? 4096 : quantum);
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        test.ExpectEqual(child(0)->GetQuantum(), quantum == 0 ? 4096 : quantum, "the first");
        test.ExpectEqual(child(2)->GetQuantum(), 4096U, "the last");
    }
}

/// Nobody looks for room while a link is down, so that a run ends; after a repair it goes on.
void
TestLinkBelowDisc(FunctionCase& test)
{
    constexpr uint32_t COUNT = 200;
    for (const bool isRepaired : {false, true})
    {
        DiscPair pair("ns3::FifoQueueDisc", 10'000);
        const Time at = MicroSeconds(100);
        pair.Send(at, COUNT, DATAGRAM_PAYLOAD);
        pair.fabric.GetDevice(0)->FailAt(at + PicoSeconds(20 * DATAGRAM_TIME));
        if (isRepaired)
        {
            pair.fabric.GetDevice(0)->RepairAt(MilliSeconds(1));
        }
        Simulator::Run();
        const std::size_t came = pair.times.size();
        test.Expect(isRepaired ? came > COUNT - 5 && came <= COUNT + 1 : came > 10 && came < 25,
                    std::to_string(came) + " datagrams have come");
        test.Expect(!isRepaired || pair.times.back() > MilliSeconds(1).GetPicoSeconds(),
                    "some come after the repair");
    }
}

/// Suite of queue discs above devices.
class QueueDiscNetTestSuite : public FunctionSuite
{
  public:
    QueueDiscNetTestSuite()
        : FunctionSuite("fabric-queue-disc-net", kUnit)
    {
        Add("WL-1 what has no room waits in the queue disc, and the link is busy", TestDiscWaits);
        Add("WL-1 urgent packets pass those in the queue disc", TestDiscPriority);
        Add("WL-1 queue discs with a quantum", TestDiscQuantum);
        Add("WL-1 queue discs with a quantum below another one", TestQuantumBelow);
        Add("WL-8 a link fails below a queue disc that waits", TestLinkBelowDisc);
    }
};

QueueDiscNetTestSuite g_queueDiscNetTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
