/* SPDX-License-Identifier: GPL-2.0-only */

// A fabric on several processes: mpirun -np 2 fabric-tutorial-ranks

#include "ns3/core-module.h"
#include "ns3/fabric-module.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    fabric::ParseAttributes(__FILE__, argc, argv);
    if (fabric::HasMpi())
    {
        fabric::EnableRanks(); // before anything is made
    }

    FatTreeHelper tree(8);
    const FabricContainer fabric = tree.Install();
    const FabricMessageSenderHelper sender(1 << 20);
    for (uint32_t host = 0; host < fabric.hosts.GetN(); ++host)
    {
        sender.Install(fabric, host, (host + 64) % fabric.hosts.GetN());
    }
    FabricMessageRecorder recorder(fabric.network);
    Simulator::Run();

    recorder.AddRanks(); // all ranks call it
    const FabricTotals totals = fabric.network->GetTotalsOfRanks();
    if (fabric::OwnRank() == 0)
    {
        const FabricMessageRecorder::Record& last = recorder.GetRecords().back();
        std::cout << totals.delivered << " bytes in " << PicoSeconds(last.deliveredAt).As(Time::US)
                  << "\n";
    }
    Simulator::Destroy();
    fabric::DisableRanks();
    return 0;
}
