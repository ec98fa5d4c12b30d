/* SPDX-License-Identifier: GPL-2.0-only */

// A topology of one's own: four switches in a ring, two hosts on each.

#include "ns3/core-module.h"
#include "ns3/fabric-module.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    fabric::ParseAttributes(__FILE__, argc, argv);

    fabric::TopologyPlan ring;
    for (uint32_t i = 0; i < 4; ++i)
    {
        ring.switches.push_back({fabric::NO_GROUP, 4, fabric::Tier::EDGE}); // 4 ports each
        // Port 0 of each switch is linked to port 1 of the next one.
        ring.links.push_back({i, (i + 1) % 4, 0, 1, fabric::LinkClass::FABRIC});
        ring.hosts.push_back({i, 2});
        ring.hosts.push_back({i, 3});
    }
    const auto shortest = fabric::MakeShortestPathRouting(ring);
    const auto upDown = fabric::MakeUpDownRouting(ring);
    std::cout << "shortest paths: " << fabric::CheckRoutes(ring, shortest).Describe();
    std::cout << "up*/down*: " << fabric::CheckRoutes(ring, upDown).Describe();

    const FabricContainer fabric = FabricHelper().Install(ring, upDown);
    const FabricMessageSenderHelper sender(1 << 20); // messages of 1 MiB
    for (uint32_t host = 0; host < 8; ++host)
    {
        sender.Install(fabric, host, (host + 4) % 8); // to the opposite switch
    }
    const FabricMessageRecorder recorder(fabric.network);
    Simulator::Run();
    const Time last = PicoSeconds(recorder.GetRecords().back().deliveredAt);
    std::cout << fabric.network->GetTotals().delivered << " bytes in " << last.As(Time::US) << "\n";
    Simulator::Destroy();
    return 0;
}
