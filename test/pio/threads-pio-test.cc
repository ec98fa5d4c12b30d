/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree-helper.h"
#include "fabric-message-recorder.h"
#include "fabric-pio-helper.h"
#include "support/fabric-function-case.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <sstream>
#include <string>

namespace ns3::fabric
{

namespace
{

/// @return messages of all hosts of a tree, each to another one, as a text
std::string
Permute(FunctionCase& self, bool lookahead, uint32_t threads)
{
    FatTreeConfig config;
    config.levels = 2;
    config.radix = 4;
    FatTreeHelper helper(config);
    helper.SetStream(1);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    helper.SetNetworkAttribute("Threads", UintegerValue(threads));
    helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
    const FabricContainer fabric = helper.Install();
    const FabricMessageRecorder recorder(fabric.network);
    FabricPioHelper pio;
    pio.SetAttribute("Blocks", UintegerValue(40));
    pio.SetAttribute("Threads", UintegerValue(2));
    pio.SetApplicationAttribute("Bytes", UintegerValue(5000));
    pio.SetApplicationAttribute("Count", UintegerValue(20));
    const uint32_t hosts = fabric.hosts.GetN();
    for (uint32_t host = 0; host < hosts; ++host)
    {
        pio.SetAttribute("SdmaBytes", UintegerValue(host % 3 == 0 ? 1 : 0));
        pio.Install(fabric, host);
        pio.InstallSender(fabric, host, (host + 3) % hosts, 0);
        pio.InstallSender(fabric, host, (host + 5) % hosts, 1);
    }
    Simulator::Run();
    self.ExpectEqual(recorder.GetRecords().size(), hosts * 40, "messages");
    self.Expect(fabric.network->IsEmpty(), "nothing is left");
    fabric.network->CheckInvariants();
    std::ostringstream text;
    recorder.WriteMessages(text);
    Simulator::Destroy();
    return text.str();
}

/// Neither windows nor threads change anything.
void
TestPioThreads(FunctionCase& self)
{
    const std::string expected = Permute(self, false, 1);
    self.ExpectSame(Permute(self, true, 1), expected, "look-ahead");
    self.ExpectSame(Permute(self, true, 2), expected, "two threads");
    self.ExpectSame(Permute(self, true, 3), expected, "three threads");
}

/// The suite.
class PioThreadsSuite : public FunctionSuite
{
  public:
    PioThreadsSuite()
        : FunctionSuite("fabric-pio-threads", kUnit)
    {
        Add("PC-10 DP-15 windows and threads", TestPioThreads);
    }
};

PioThreadsSuite g_pioThreadsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
