/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/fabric-network-scenario.h"
#include "support/fabric-function-case.h"

#include "fabric-initiator-application.h"
#include "fabric-target-application.h"
#include "fabric-test-compat.h"
#include "fabric-transport-header.h"
#include "fabric-transport-helper.h"
#include "fabric-transport-layout.h"
#include "fabric-udp-transport.h"

#include "ns3/inet6-socket-address.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/udp-socket-factory.h"

#include <memory>
#include <random>

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
            Callback<void, const RdmaEvent&>([this](const RdmaEvent& event) {
                m_errors.push_back(event);
            }));
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
TestOperations(FunctionCase& test)
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
        add("RT-15 write, read and send over IPv4 and IPv6", TestOperations);
    }
};

static FabricTransportIpTestSuite g_fabricTransportIpTestSuite; ///< Registers the suite.

} // namespace fabric
} // namespace ns3
