/* SPDX-License-Identifier: GPL-2.0-only */

// The smallest program with a fabric: 64 of 128 hosts send to one, and a victim to its neighbour.
// --ns3::FabricSwitch::FlowChannels=false shows what it would be without flow channels.

#include "ns3/fabric-fat-tree-helper.h"
#include "ns3/fabric-incast-helper.h"
#include "ns3/fabric-program.h"
#include "ns3/simulator.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    fabric::ParseAttributes(__FILE__, argc, argv);

    FatTreeHelper tree(8); // switches of 8 ports, 128 hosts
    const FabricContainer fabric = tree.Install();
    IncastHelper incast(64, 1 << 20);           // 64 hosts send 1 MiB each to host 0
    incast.SetVictim(1 << 16, MicroSeconds(3)); // one more sends to host 1, 64 KiB every 3 us
    incast.Install(fabric);
    fabric.network->StopAt(MilliSeconds(1));
    Simulator::Run();
    for (const uint32_t host : {IncastHelper::RECEIVER, IncastHelper::VICTIM_RECEIVER})
    {
        const uint64_t bytes = fabric.GetDevice(host)->GetNic().DeliveredBy(fabric::NEVER);
        std::cout << "host " << host << " got " << bytes * 8e-6 << " Gb/s\n"; // bits in 1 ms
    }
    Simulator::Destroy();
    return 0;
}
