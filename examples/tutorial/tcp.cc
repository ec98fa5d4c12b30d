/* SPDX-License-Identifier: GPL-2.0-only */

// TCP over a fabric: an incast of BulkSendApplications.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/fabric-module.h"
#include "ns3/internet-module.h"

#include <iostream>

using namespace ns3;

/// Bytes have arrived at the sink. @param last is set to the present time
void
Received(Time* last, Ptr<const Packet>, const Address&)
{
    *last = Simulator::Now();
}

int
main(int argc, char* argv[])
{
    // What ns-3 sets TCP to is meant for slow links; the command line may still say otherwise.
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(4096 - 60)); // MTU - headers
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));
    fabric::ParseAttributes(__FILE__, argc, argv);

    FatTreeHelper tree(4); // 16 hosts
    const FabricContainer fabric = tree.Install();
    InternetStackHelper().Install(fabric.hosts);
    const Ipv4InterfaceContainer addresses =
        Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(fabric.devices);

    const InetSocketAddress receiver(addresses.GetAddress(0), 5001);
    PacketSinkHelper sink("ns3::TcpSocketFactory", receiver);
    const ApplicationContainer sinks = sink.Install(fabric.hosts.Get(0));
    BulkSendHelper bulk("ns3::TcpSocketFactory", receiver);
    bulk.SetAttribute("MaxBytes", UintegerValue(1 << 20)); // 1 MiB from each sender
    for (uint32_t host = 1; host <= 8; ++host)
    {
        bulk.Install(fabric.hosts.Get(host));
    }
    Time last;
    sinks.Get(0)->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Received, &last));
    Simulator::Run();

    const uint64_t bytes = DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx();
    std::cout << bytes << " bytes in " << last.As(Time::US) << ", "
              << 8e-9 * static_cast<double>(bytes) / last.GetSeconds() << " Gb/s\n";
    Simulator::Destroy();
    return 0;
}
