/* SPDX-License-Identifier: GPL-2.0-only */

// Trace sinks: each frame that a switch sends, and each message that is delivered.

#include "ns3/core-module.h"
#include "ns3/fabric-module.h"

#include <iostream>

using namespace ns3;

/// A switch puts the first bit of a frame on the wire.
void
FrameSent(std::string path, uint32_t port, const fabric::Frame& frame, Time now)
{
    std::cout << now.As(Time::NS) << " " << path << ": port " << port << ", " << frame.payload
              << " bytes to host " << fabric::HostOf(frame.dst) << "\n";
}

/// The last byte of a message has arrived.
void
MessageDelivered(const fabric::Message& message, Time now)
{
    std::cout << now.As(Time::NS) << " message of " << message.bytes << " bytes delivered after "
              << (now - PicoSeconds(message.sentAt)).As(Time::NS) << "\n";
}

int
main(int argc, char* argv[])
{
    fabric::ParseAttributes(__FILE__, argc, argv);

    const fabric::TopologyPlan chain = fabric::MakeChainPlan({1, 0}); // two switches, two hosts
    const FabricContainer fabric =
        FabricHelper().Install(chain, fabric::MakeShortestPathRouting(chain));
    Config::Connect("/NodeList/*/$ns3::FabricSwitch/Send", MakeCallback(&FrameSent));
    fabric.network->TraceConnectWithoutContext("MessageDelivered", MakeCallback(&MessageDelivered));

    FabricMessageSenderHelper(10000).Install(fabric, 0, 1); // 10000 bytes from host 0 to host 1
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}
