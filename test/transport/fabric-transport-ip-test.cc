/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-initiator-application.h"
#include "fabric-target-application.h"
#include "fabric-test-compat.h"
#include "fabric-transport-header.h"
#include "fabric-transport-helper.h"
#include "fabric-transport-layout.h"
#include "fabric-udp-transport.h"
#include "network/fabric-network-scenario.h"
#include "support/fabric-function-case.h"

#include "ns3/inet6-socket-address.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>

namespace ns3
{
namespace fabric
{

namespace
{

constexpr uint16_t PORT = 4792; ///< Default of ns3::FabricUdpTransport.

/// Two nodes with a link, and the transport over their IP stacks.
class UdpPair
{
  public:
    /**
     * @param useIpv6 whether the target is known by its IPv6 address
     * @param transport attributes of the transport
     * @param mtu of the devices
     */
    UdpPair(bool useIpv6, FabricTransportHelper& transport, uint16_t mtu = 1500)
        : m_helper(transport)
    {
        m_nodes.Create(2);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
        link.SetDeviceAttribute("Mtu", UintegerValue(mtu));
        link.SetChannelAttribute("Delay", StringValue("1us"));
        const NetDeviceContainer devices = link.Install(m_nodes);
        InternetStackHelper stack;
        stack.Install(m_nodes);
        stack.AssignStreams(m_nodes, 1000);
        Ipv4AddressHelper ipv4("10.0.0.0", "255.255.255.0");
        ipv4.Assign(devices);
        Ipv6AddressHelper ipv6(Ipv6Address("2001:db8::"), Ipv6Prefix(64));
        const Ipv6InterfaceContainer interfaces = ipv6.Assign(devices);
        m_remote = useIpv6 ? Address(Inet6SocketAddress(interfaces.GetAddress(1, 1), PORT))
                           : Address(InetSocketAddress("10.0.0.2", PORT));
        transport.InstallUdp(m_nodes);
        m_target =
            DynamicCast<FabricTargetApplication>(transport.InstallTarget(m_nodes.Get(1)).Get(0));
    }

    /// @return a new initiator on node 0
    Ptr<FabricInitiatorApplication> AddInitiator()
    {
        auto application = DynamicCast<FabricInitiatorApplication>(
            m_helper.InstallInitiator(m_nodes.Get(0), m_remote).Get(0));
        // IPv6 addresses are usable when duplicate address detection is over.
        application->SetStartTime(Seconds(2));
        application->TraceConnectWithoutContext(
            "Completed",
            Callback<void, const RdmaEvent&, Time>([this](const RdmaEvent& event, Time latency) {
                m_completed.push_back(event);
                m_latencies.push_back(latency);
            }));
        application->TraceConnectWithoutContext(
            "Error",
            Callback<void, const RdmaEvent&>(
                [this](const RdmaEvent& event) { m_errors.push_back(event); }));
        return application;
    }

    /// @return the target's application
    Ptr<FabricTargetApplication> GetTarget() const
    {
        return m_target;
    }

    /// @return the transport of a node
    Ptr<FabricUdpTransport> GetTransport(uint32_t node) const
    {
        return DynamicCast<FabricUdpTransport>(m_nodes.Get(node)->GetObject<FabricTransport>());
    }

    /// @return a node
    Ptr<Node> GetNode(uint32_t node) const
    {
        return m_nodes.Get(node);
    }

    /// @return address of the target
    Address GetRemote() const
    {
        return m_remote;
    }

    /// @return completions with status OK
    const std::vector<RdmaEvent>& GetCompleted() const
    {
        return m_completed;
    }

    /// @return their latencies
    const std::vector<Time>& GetLatencies() const
    {
        return m_latencies;
    }

    /// @return failures
    const std::vector<RdmaEvent>& GetErrors() const
    {
        return m_errors;
    }

  private:
    FabricTransportHelper& m_helper;       ///< Of the applications.
    NodeContainer m_nodes;                 ///< Initiator and target.
    Address m_remote;                      ///< The target.
    Ptr<FabricTargetApplication> m_target; ///< On node 1.
    std::vector<RdmaEvent> m_completed;    ///< With status OK.
    std::vector<Time> m_latencies;         ///< Of these.
    std::vector<RdmaEvent> m_errors;       ///< With another status.
};

/**
 * All operations complete once, in order, and nothing is left.
 *
 * @param test gets the failures
 * @param pair that ran
 * @param count operations
 * @param bytes of each
 * @param what is tested
 */
void
ExpectAllDone(FunctionCase& test,
              const UdpPair& pair,
              uint64_t count,
              uint32_t bytes,
              const std::string& what)
{
    const auto& completed = pair.GetCompleted();
    test.Expect(completed.size() == count,
                what + ": " + std::to_string(completed.size()) + " of " + std::to_string(count) +
                    " operations complete");
    test.Expect(pair.GetErrors().empty(), what + ": no errors");
    for (uint64_t i = 0; i < completed.size(); ++i)
    {
        test.Expect(completed[i].cookie == i && completed[i].bytes == bytes,
                    what + ": order of completions at " + std::to_string(i));
    }
    for (uint32_t node = 0; node < 2; ++node)
    {
        const RdmaEndpoint& endpoint = pair.GetTransport(node)->GetEndpoint();
        const TransportOccupancy occupancy = endpoint.GetTransport().Occupancy();
        test.Expect(endpoint.Counts().outstanding == 0 && endpoint.Counts().outstandingBytes == 0,
                    what + ": outstanding");
        test.Expect(occupancy.initiatorEntries.used == 0 && occupancy.targetEntries.used == 0 &&
                        occupancy.packetEntries.used == 0 && occupancy.sendPayload.used == 0 &&
                        occupancy.receivePayload.used == 0 && occupancy.granted.used == 0,
                    what + ": resources are free");
        test.Expect(endpoint.GetTransport().Connections() == 0, what + ": connections");
    }
}

/// All three operations over both IP versions, also with a resolution of nanoseconds.
void
TestIpOperations(FunctionCase& test)
{
    for (const bool useIpv6 : {false, true})
    {
        for (const char* operations : {"write", "read", "send", "write,read,send"})
        {
            Simulation simulation;
            FabricTransportHelper transport;
            transport.SetInitiatorAttribute("Operations", StringValue(operations));
            transport.SetInitiatorAttribute("Count", UintegerValue(60));
            transport.SetInitiatorAttribute("Bytes", UintegerValue(20000));
            UdpPair pair(useIpv6, transport);
            const auto initiator = pair.AddInitiator();
            Simulator::Run();
            const std::string what = std::string(operations) + (useIpv6 ? " v6" : " v4");
            ExpectAllDone(test, pair, 60, 20000, what);
            test.Expect(initiator->IsDone() && initiator->GetCompletedBytes() == 60 * 20000, what);
            test.Expect(pair.GetTarget()->GetAccepted() == 1, what + ": accepted");
            const bool sends = std::string(operations).find("send") != std::string::npos;
            test.Expect((pair.GetTarget()->GetPresented() > 0) == sends, what + ": presented");
            test.Expect(pair.GetTransport(0)->GetDiscarded().empty() &&
                            pair.GetTransport(1)->GetDiscarded().empty(),
                        what + ": nothing is discarded");
        }
    }
}

/// Attributes of a random mix of faults.
void
SetFaults(FabricTransportHelper& transport, std::mt19937_64& random)
{
    const auto part = [&random](double most) {
        return DoubleValue(random() % 2 == 0 ? 0
                                             : most * static_cast<double>(random() % 100) / 100);
    };
    transport.SetAttribute("Loss", part(0.1));
    transport.SetAttribute("Corrupt", part(0.1));
    transport.SetAttribute("Duplicate", part(0.3));
    transport.SetAttribute("Reorder", part(0.5));
    transport.SetAttribute("ReorderDelay", TimeValue(NanoSeconds(1 + random() % 50000)));
    transport.SetAttribute("FaultSeed", UintegerValue(random() % 1000));
}

/// Exactly once and in order under every mix of faults; sequence numbers wrap on the way.
void
TestIpFaults(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 60; ++seed)
    {
        Simulation simulation;
        std::mt19937_64 random(seed);
        FabricTransportHelper transport;
        SetFaults(transport, random);
        transport.SetAttribute("FirstRequestPsn", UintegerValue(0xFFFFFFF8));
        transport.SetAttribute("FirstDataPsn", UintegerValue(0xFFFFFFE0));
        transport.SetAttribute("Solicitation",
                               StringValue(seed % 3 == 0   ? "always"
                                           : seed % 3 == 1 ? "never"
                                                           : "length"));
        transport.SetAttribute("CongestionControl", StringValue(seed % 2 == 0 ? "fixed" : "delay"));
        transport.SetInitiatorAttribute("Operations", StringValue("write,read,send"));
        transport.SetInitiatorAttribute("Count", UintegerValue(60));
        const uint32_t bytes = 1 + static_cast<uint32_t>(random() % 30000);
        transport.SetInitiatorAttribute("Bytes", UintegerValue(bytes));
        UdpPair pair(random() % 2 == 0, transport);
        pair.AddInitiator();
        Simulator::Run();
        ExpectAllDone(test, pair, 60, bytes, "seed " + std::to_string(seed));
    }
}

/// Sends datagrams of any kind to the transport's port.
class Vandal
{
  public:
    /**
     * @param node from which it sends
     * @param remote whom to
     * @param seed of what it sends
     */
    Vandal(Ptr<Node> node, const Address& remote, uint64_t seed)
        : m_random(seed),
          m_remote(remote)
    {
        m_socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
        Inet6SocketAddress::IsMatchingType(remote) ? m_socket->Bind6() : m_socket->Bind();
        for (uint32_t i = 0; i < 500; ++i)
        {
            Simulator::Schedule(Seconds(2) + MicroSeconds(i), &Vandal::Send, this);
        }
    }

  private:
    /// Sends bytes, or a header that says anything.
    void Send()
    {
        Ptr<Packet> packet;
        if (m_random() % 2 == 0)
        {
            std::vector<uint8_t> bytes(m_random() % 200);
            std::generate(bytes.begin(), bytes.end(), [this] {
                return static_cast<uint8_t>(m_random());
            });
            packet = Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
        }
        else
        {
            const TransportPacket said = AnyPacket();
            packet = Create<Packet>(m_random() % 4 == 0 ? 100 : said.PayloadBytes() % 1400);
            packet->AddHeader(FabricTransportHeader(said));
        }
        m_socket->SendTo(packet, 0, m_remote);
    }

    /// @return a packet with a right check; its numbers are near those in use, or anything
    TransportPacket AnyPacket()
    {
        const auto number = [this] {
            return static_cast<uint32_t>(m_random() % 3 == 0 ? m_random() : m_random() % 100);
        };
        const auto type = static_cast<TransportPacketType>(m_random() % TRANSPORT_PACKET_TYPES);
        TransportPacket said(type,
                             type == TransportPacketType::NACK
                                 ? static_cast<NackCode>(1 + m_random() % 3)
                                 : NackCode::NONE);
        said.status = static_cast<TransportStatus>(m_random() % TRANSPORT_STATUSES);
        said.cid = number() & MAX_CONNECTION_ID;
        said.requestBase = number();
        said.dataBase = number();
        said.echo = static_cast<TimePs>(number());
        if (said.HasPiece())
        {
            said.piece.psn = number();
            said.piece.rsn = number();
            said.piece.ssn = number();
            said.piece.length = number();
            said.piece.offset = number();
            said.piece.amount = static_cast<uint32_t>(m_random() % 1400);
        }
        else if (said.HasBitmaps())
        {
            said.bitmaps.requestAcked = m_random();
            said.bitmaps.dataAcked = PacketBitmap(m_random(), m_random());
            said.bitmaps.dataReceived = PacketBitmap(m_random(), m_random());
        }
        else
        {
            said.offer.sourceCid = number() & MAX_CONNECTION_ID;
            said.offer.requestWindow = static_cast<uint16_t>(number());
            said.offer.dataWindow = static_cast<uint16_t>(number());
            said.offer.requestSpan = static_cast<uint16_t>(number());
            said.offer.mtu = static_cast<uint16_t>(number());
        }
        return said;
    }

    std::mt19937_64 m_random; ///< Draws.
    Address m_remote;         ///< Whom to.
    Ptr<Socket> m_socket;     ///< From which it sends.
};

/// A stranger who sends garbage does no harm to others.
void
TestIpGarbage(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        for (const bool useIpv6 : {false, true})
        {
            Simulation simulation;
            FabricTransportHelper transport;
            transport.SetInitiatorAttribute("Operations", StringValue("write,read,send"));
            transport.SetInitiatorAttribute("Count", UintegerValue(60));
            transport.SetInitiatorAttribute("Bytes", UintegerValue(20000));
            UdpPair pair(useIpv6, transport);
            pair.AddInitiator();
            Vandal vandal(pair.GetNode(0), pair.GetRemote(), seed);
            Simulator::Run();
            const std::string what = "seed " + std::to_string(seed);
            test.Expect(pair.GetCompleted().size() == 60 && pair.GetErrors().empty(), what);
            const auto& discarded = pair.GetTransport(1)->GetDiscarded();
            test.Expect(discarded.count("header") > 0 && discarded.count("length") > 0,
                        what + ": discarded and counted");
            const TransportCounters& counters =
                pair.GetTransport(1)->GetEndpoint().GetTransport().Counters();
            test.Expect(counters.badCid > 0 || discarded.count("stranger") > 0,
                        what + ": packets of strangers are counted");
        }
    }
}

/**
 * @param transport attributes
 * @param mtu of the devices
 * @return the sentence with which the transport or the connection is refused
 */
std::string
RefusedMtu(FabricTransportHelper& transport, uint16_t mtu)
{
    Simulation simulation;
    try
    {
        UdpPair pair(false, transport, mtu);
        pair.GetTransport(0)->Connect(pair.GetRemote(), true, FabricTransport::EventCallback());
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/// MTUs, strategies and peers that are not allowed.
void
TestBadIpInput(FunctionCase& test)
{
    const auto refused = [](const std::string& name, const AttributeValue& value, uint16_t mtu) {
        FabricTransportHelper transport;
        transport.SetAttribute(name, value);
        return RefusedMtu(transport, mtu);
    };
    const auto expect = [&test](const std::string& actual, const std::string& words) {
        test.Expect(actual.find("ns3::FabricUdpTransport on node ") == 0 &&
                        actual.find(words) != std::string::npos,
                    "'" + actual + "' says '" + words + "'");
    };
    // 1500 - 20 - 8 - 68 = 1404
    test.ExpectSame(refused("Mtu", UintegerValue(1404), 1500), "", "the largest MTU");
    expect(refused("Mtu", UintegerValue(1405), 1500), "Mtu is 1405");
    expect(refused("Mtu", UintegerValue(1405), 1500), "allowed is 64 to 1404");
    expect(refused("Mtu", UintegerValue(63), 1500), "Mtu is 63, allowed is 0 or 64 to 9000");
    test.ExpectSame(refused("Mtu", UintegerValue(9000), 9100), "", "a jumbo MTU");
    expect(refused("Solicitation", StringValue("maybe"), 1500),
           "Solicitation is 'maybe', allowed is one of never, always, length, congestion");
    expect(refused("GrantOrder", StringValue(""), 1500), "arrival, round-robin, shortest-first");
    expect(refused("CongestionControl", StringValue("luck"), 1500), "fixed, delay, marks");
    expect(refused("TxWeights", StringValue("1,2,3"), 1500), "6 whole numbers from 1 to 255");
    expect(refused("TxWeights", StringValue("0,1,1,1,1,1"), 1500), "");
    expect(refused("GrantQuantumBytes", UintegerValue(1 << 30), 1500), "");
    expect(refused("MaxRto", TimeValue(NanoSeconds(1)), 1500), "");
    for (const char* name : {"RequestWindow", "DataWindow", "RequestSpan", "AckPackets"})
    {
        test.Expect(
            !CreateObject<FabricUdpTransport>()->SetAttributeFailSafe(name, UintegerValue(0)),
            std::string(name) + " of 0");
        test.Expect(
            !CreateObject<FabricUdpTransport>()->SetAttributeFailSafe(name, UintegerValue(5000)),
            std::string(name) + " of 5000");
    }
}

/// A peer that can't be reached at all, and a node without IP.
void
TestNoRoute(FunctionCase& test)
{
    Simulation simulation;
    FabricTransportHelper transport;
    UdpPair pair(false, transport);
    const std::vector<Address> unreachable{InetSocketAddress("192.168.7.7", PORT),
                                           Inet6SocketAddress(Ipv6Address("2001:db9::1"), PORT),
                                           Mac48Address("02:00:00:00:00:01"),
                                           Address()};
    for (const Address& remote : unreachable)
    {
        std::string refusal;
        try
        {
            pair.GetTransport(0)->Connect(remote, true, FabricTransport::EventCallback());
        }
        catch (const std::invalid_argument& error)
        {
            refusal = error.what();
        }
        test.Expect(refusal.find("no route to the peer") != std::string::npos, refusal);
    }
    std::string refusal;
    try
    {
        transport.InstallUdp(NodeContainer(CreateObject<Node>()));
    }
    catch (const std::invalid_argument& error)
    {
        refusal = error.what();
    }
    test.Expect(refusal.find("the node has no IP stack") != std::string::npos, refusal);
    try
    {
        transport.SetAttribute("Speed", UintegerValue(1));
    }
    catch (const std::invalid_argument& error)
    {
        refusal = error.what();
    }
    test.Expect(refusal.find("there is no attribute Speed") != std::string::npos, refusal);
}

/// Errors are told with their status, and other connections go on.
void
TestErrors(FunctionCase& test)
{
    Simulation simulation;
    FabricTransportHelper transport;
    transport.SetAttribute("MemoryBytes", UintegerValue(50000));
    transport.SetAttribute("RetryLimit", UintegerValue(3));
    transport.SetTargetAttribute("Receives", UintegerValue(0));
    transport.SetInitiatorAttribute("Count", UintegerValue(20));
    UdpPair pair(false, transport);
    const auto good = pair.AddInitiator();
    const auto tooLong = pair.AddInitiator();
    tooLong->SetAttribute("Bytes", UintegerValue(50001));
    good->SetAttribute("Bytes", UintegerValue(50000));
    const auto notReady = pair.AddInitiator();
    notReady->SetAttribute("Operations", StringValue("send"));
    notReady->SetAttribute("Count", UintegerValue(1));
    notReady->SetAttribute("Bytes", UintegerValue(100));
    const auto nobody = pair.AddInitiator();
    // The node is there, but nobody listens at this port.
    nobody->SetAttribute("Remote", AddressValue(InetSocketAddress("10.0.0.2", PORT + 1)));
    Simulator::Run();
    test.Expect(good->GetCompleted() == 20 && good->GetFailed() == 0, "the others go on");
    test.Expect(tooLong->GetFailed() == 20, "too long");
    test.Expect(notReady->GetFailed() == 1, "not ready");
    test.Expect(nobody->GetCompleted() == 0 && nobody->GetFailed() == 20, "nobody there");
    std::map<TransportStatus, uint32_t> seen;
    for (const RdmaEvent& event : pair.GetErrors())
    {
        seen[event.status] += event.type == RdmaEventType::COMPLETION;
    }
    test.Expect(seen[TransportStatus::REMOTE_ERROR] == 20,
                "remote errors " + std::to_string(seen[TransportStatus::REMOTE_ERROR]));
    test.Expect(seen[TransportStatus::TARGET_NOT_READY] == 1,
                "not ready " + std::to_string(seen[TransportStatus::TARGET_NOT_READY]));
    test.Expect(seen[TransportStatus::RETRY_LIMIT] + seen[TransportStatus::FLUSHED] == 20,
                "retry limit");
    test.Expect(pair.GetTransport(0)->GetEndpoint().Counts().outstanding == 0, "all is told");
    test.Expect(pair.GetTransport(0)->GetEndpoint().GetTransport().Connections() == 0,
                "connections are gone");
}

/// A target that accepts nobody.
void
TestRefused(FunctionCase& test)
{
    Simulation simulation;
    FabricTransportHelper transport;
    transport.SetAttribute("AcceptsConnections", BooleanValue(false));
    UdpPair pair(false, transport);
    const auto initiator = pair.AddInitiator();
    Simulator::Run();
    test.Expect(initiator->GetFailed() == 1 && pair.GetErrors().size() == 2, "refused");
    test.Expect(!pair.GetErrors().empty() &&
                    pair.GetErrors().back().status == TransportStatus::REFUSED,
                "status");
}

/// A link that loses everything for 1 ms in mid-message.
void
TestOutage(FunctionCase& test)
{
    Simulation simulation;
    FabricTransportHelper transport;
    transport.SetInitiatorAttribute("Bytes", UintegerValue(4 << 20));
    UdpPair pair(false, transport);
    pair.AddInitiator();
    auto model = CreateObject<RateErrorModel>();
    model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    model->SetRate(1);
    model->Disable();
    pair.GetNode(1)->GetDevice(0)->SetAttribute("ReceiveErrorModel", PointerValue(model));
    Simulator::Schedule(Seconds(2) + MilliSeconds(1), &ErrorModel::Enable, model);
    Simulator::Schedule(Seconds(2) + MilliSeconds(2), &ErrorModel::Disable, model);
    Simulator::Run();
    ExpectAllDone(test, pair, 1, 4 << 20, "outage");
    // 4 MiB take 3.6 ms at 10 Gb/s, the outage 1 ms, and then the last time-out may last so long.
    const Time latency = pair.GetLatencies().at(0);
    test.Expect(latency > MicroSeconds(4300) && latency < MilliSeconds(8),
                "latency " + std::to_string(latency.GetMicroSeconds()) + " us");
    test.Expect(pair.GetTransport(0)->GetEndpoint().GetTransport().Counters().timeOuts > 0,
                "time-outs");
}

/// Packets leave at the rate of the device, so that none wait below, and the link is full.
void
TestPacing(FunctionCase& test)
{
    Simulation simulation;
    FabricTransportHelper transport;
    transport.SetInitiatorAttribute("Bytes", UintegerValue(4 << 20));
    UdpPair pair(false, transport);
    pair.AddInitiator();
    uint32_t most = 0;
    Callback<void, uint32_t, uint32_t> note(
        [&most](uint32_t /* before */, uint32_t packets) { most = std::max(most, packets); });
    DynamicCast<PointToPointNetDevice>(pair.GetNode(0)->GetDevice(0))
        ->GetQueue()
        ->TraceConnectWithoutContext("PacketsInQueue", note);
    Simulator::Run();
    ExpectAllDone(test, pair, 1, 4 << 20, "pacing");
    test.Expect(most <= 1, std::to_string(most) + " packets in the device's queue");
    const double seconds = pair.GetLatencies().at(0).GetSeconds();
    const double ideal = (4 << 20) * 8.0 / 10e9 * 1502 / 1404;
    test.Expect(seconds < 1.02 * ideal, std::to_string(seconds) + " s");
}

} // namespace

/// The transport over IP.
class FabricTransportIpTestSuite : public TestSuite
{
  public:
    FabricTransportIpTestSuite()
        : TestSuite("fabric-transport-ip", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("RT-15 write, read and send over IPv4 and IPv6", TestIpOperations);
        add("RT-17 exactly once and in order under every mix of faults", TestIpFaults);
        add("RT-13 packets leave at the rate of the device", TestPacing);
        add("RT-17 an outage of 1 ms is survived", TestOutage);
        add("RT-18 garbage is discarded and counted", TestIpGarbage);
        add("RT-18 errors are told, other connections go on", TestErrors);
        add("RT-18 a connection that is refused", TestRefused);
        add("RT-18 what is not allowed is refused with a sentence", TestBadIpInput);
        add("RT-18 peers without a route, nodes without IP", TestNoRoute);
    }
};

static FabricTransportIpTestSuite g_fabricTransportIpTestSuite; ///< Registers the suite.

} // namespace fabric
} // namespace ns3
