/* SPDX-License-Identifier: GPL-2.0-only */

// ns-3's TCP over a fat tree: 160 flows between random hosts, each with a connection of its own,
// and how long each of them takes. What speeds them up or slows them down are attributes;
// doc/hosts.rst goes through the traps.

#include "ns3/boolean.h"
#include "ns3/bulk-send-application.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/error-model.h"
#include "ns3/fabric-command-helper.h"
#include "ns3/fabric-fat-tree-helper.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-statistics.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <deque>
#include <iostream>
#include <vector>

using namespace ns3;

/// A flow.
struct Flow
{
    uint32_t from;        ///< Host that sends.
    uint32_t to;          ///< Host that receives.
    Time start;           ///< When it opens its connection.
    uint64_t received{0}; ///< Bytes.
    Time end{};           ///< When the last of them came.
};

/// Bytes of a flow have come.
static void
Receive(Flow* flow, Ptr<const Packet> packet, const Address& /* sender */)
{
    flow->received += packet->GetSize();
    flow->end = Simulator::Now();
}

int
main(int argc, char* argv[])
{
    Config::SetDefault("ns3::BulkSendApplication::MaxBytes", UintegerValue(64 << 10));
    fabric::ParseAttributes(__FILE__, argc, argv); // sets what the command line says
    UintegerValue bytes;
    CreateObject<BulkSendApplication>()->GetAttribute("MaxBytes", bytes);

    FatTreeHelper tree(4); // switches of 4 ports, 16 hosts
    tree.SetErrorModel(
        ObjectFactory("ns3::RateErrorModel")); // damages nothing unless ErrorRate is set
    const FabricContainer fabric = tree.Install();

    BooleanValue carries;
    CreateObject<FabricCommandQueues>()->GetAttribute("CarriesPackets", carries);
    for (uint32_t host = 0; carries.Get() && host < fabric.hosts.GetN(); ++host)
    {
        FabricCommandHelper().Install(fabric, host);
    }

    InternetStackHelper().Install(fabric.hosts);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.0.0");
    const Ipv4InterfaceContainer interfaces = addresses.Assign(fabric.devices);

    auto random = CreateObject<UniformRandomVariable>();
    std::deque<Flow> flows; // that stay where they are
    for (uint16_t port = 1000; port < 1160; ++port)
    {
        const uint32_t from = random->GetInteger(0, 15);
        const uint32_t to = (from + random->GetInteger(1, 15)) % 16;
        flows.push_back({from, to, MicroSeconds(random->GetInteger(0, 20000))});

        BulkSendHelper sender("ns3::TcpSocketFactory",
                              InetSocketAddress(interfaces.GetAddress(to), port));
        sender.Install(fabric.hosts.Get(from)).Start(flows.back().start);
        PacketSinkHelper receiver("ns3::TcpSocketFactory",
                                  InetSocketAddress(Ipv4Address::GetAny(), port));
        receiver.Install(fabric.hosts.Get(to))
            .Get(0)
            ->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Receive, &flows.back()));
    }

    fabric.network->StopAt(Seconds(10));
    Simulator::Run();

    std::vector<double> times;
    std::cout << "src,dst,start_us,fct_us\n";
    for (const Flow& flow : flows)
    {
        if (flow.received == bytes.Get())
        {
            times.push_back((flow.end - flow.start).ToDouble(Time::US));
            std::cout << flow.from << ',' << flow.to << ',' << flow.start.ToDouble(Time::US) << ','
                      << times.back() << '\n';
        }
    }
    std::clog << times.size() << " of " << flows.size() << " flows are complete";
    for (const auto& [name, time] : fabric::Distribution(times))
    {
        std::clog << ", " << name << ' ' << time << " us";
    }
    std::clog << std::endl;
    Simulator::Destroy();
    return 0;
}
