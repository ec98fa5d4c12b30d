/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UDP_PAIR_H
#define UDP_PAIR_H

#include "fabric-initiator-application.h"
#include "fabric-target-application.h"
#include "fabric-transport-helper.h"
#include "fabric-udp-transport.h"
#include "network/fabric-network-scenario.h"

#include "ns3/inet6-socket-address.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/point-to-point-helper.h"

#include <vector>

namespace ns3::fabric
{

inline constexpr uint16_t PORT = 4792; ///< Default of ns3::FabricUdpTransport.

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

    Ptr<FabricTargetApplication> GetTarget() const
    {
        return m_target;
    }

    Ptr<FabricUdpTransport> GetTransport(uint32_t node) const
    {
        return DynamicCast<FabricUdpTransport>(m_nodes.Get(node)->GetObject<FabricTransport>());
    }

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

} // namespace ns3::fabric

#endif // UDP_PAIR_H
