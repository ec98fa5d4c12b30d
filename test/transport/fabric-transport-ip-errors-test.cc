/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-refusal.h"
#include "fabric-test-compat.h"
#include "fabric-transport-header.h"
#include "support/fabric-function-case.h"
#include "udp-pair.h"

#include "ns3/config.h"
#include "ns3/error-model.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/udp-socket-factory.h"

#include <map>
#include <random>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

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
TestGarbage(FunctionCase& test)
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
TestBadInput(FunctionCase& test)
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
    for (const std::string name : {"RequestWindow", "DataWindow", "RequestSpan", "AckPackets"})
    {
        const std::string path = "ns3::FabricTransport::" + name;
        // AckPackets of 0 are as many as suit the congestion control, and the default.
        test.ExpectEqual(Config::SetDefaultFailSafe(path, UintegerValue(0)),
                         name == "AckPackets",
                         name + " of 0");
        test.Expect(!Config::SetDefaultFailSafe(path, UintegerValue(5000)), name + " of 5000");
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

/// Calls before Install(), and a second transport on a node.
void
TestUdpInstall(FunctionCase& test)
{
    Simulation simulation;
    FabricTransportHelper transport;
    const UdpPair pair(false, transport);
    const auto other =
        CreateObjectWithAttributes<FabricUdpTransport>("Port", UintegerValue(PORT + 1));
    test.ExpectSame(
        Refusal([&] { other->Connect(pair.GetRemote(), true, FabricTransport::EventCallback()); }),
        "ns3::FabricUdpTransport on no node: it is not installed; allowed is a call after "
        "Install(), or FabricTransportHelper::InstallNic() or InstallUdp(), until "
        "Simulator::Destroy()",
        "before");
    const std::string refusal = Refusal([&] { other->Install(pair.GetNode(0)); });
    test.Expect(refusal.find("the node has one already; allowed is one of a kind on a node") !=
                    std::string::npos,
                refusal);
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

} // namespace

/// Whenever the target goes silent, what is under way ends at the retry limit.
void
TestSilentTarget(FunctionCase& test)
{
    for (uint64_t seed = 1; seed <= 24; ++seed)
    {
        std::mt19937_64 random(seed);
        Simulation simulation;
        FabricTransportHelper transport;
        const std::vector<std::string> ways{"never", "always", "length"};
        transport.SetAttribute("Solicitation", StringValue(ways[random() % 3]));
        const std::vector<std::string> operations{"write", "read", "send"};
        transport.SetInitiatorAttribute("Operations", StringValue(operations[random() % 3]));
        transport.SetInitiatorAttribute("Ordered", BooleanValue(random() % 2 == 0));
        transport.SetInitiatorAttribute("Count", UintegerValue(100'000));
        transport.SetInitiatorAttribute("Outstanding", UintegerValue(1 + random() % 3));
        transport.SetInitiatorAttribute("Bytes", UintegerValue(1 + random() % 20'000));
        UdpPair pair(seed % 2 == 0, transport);
        pair.AddInitiator();
        auto errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        errors->SetRate(1);
        const Time gone = Seconds(2) + NanoSeconds(1 + random() % 300'000);
        for (uint32_t node = 0; node < 2; ++node)
        {
            Simulator::Schedule(
                gone,
                &PointToPointNetDevice::SetReceiveErrorModel,
                DynamicCast<PointToPointNetDevice>(pair.GetNode(node)->GetDevice(0)),
                errors);
        }
        Simulator::Stop(gone + MilliSeconds(320)); // 17 probes of the peer, and as many time-outs
        Simulator::Run();
        const std::string what = "seed " + std::to_string(seed);
        test.Expect(!pair.GetErrors().empty(), what + ": it fails");
        for (const RdmaEvent& event : pair.GetErrors())
        {
            test.Expect(event.status == TransportStatus::RETRY_LIMIT ||
                            event.status == TransportStatus::FLUSHED,
                        what + ": status");
        }
        const TransportEndpoint& endpoint = pair.GetTransport(0)->GetEndpoint().GetTransport();
        test.ExpectEqual(endpoint.Connections(), 0, what + ": connections");
    }
}

/// Errors and bad input of the transport over IP.
class FabricTransportIpErrorsTestSuite : public TestSuite
{
  public:
    FabricTransportIpErrorsTestSuite()
        : TestSuite("fabric-transport-ip-errors", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("RT-18 garbage is discarded and counted", TestGarbage);
        add("RT-18 errors are told, other connections go on", TestErrors);
        add("RT-18 a connection that is refused", TestRefused);
        add("RT-18 a target that goes silent ends what is under way", TestSilentTarget);
        add("RT-18 what is not allowed is refused with a sentence", TestBadInput);
        add("RT-18 calls before the installation, and a second one", TestUdpInstall);
        add("RT-18 peers without a route, nodes without IP", TestNoRoute);
    }
};

static FabricTransportIpErrorsTestSuite
    g_fabricTransportIpErrorsTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
