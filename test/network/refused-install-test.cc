/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-channel.h"
#include "fabric-command-queues.h"
#include "fabric-helper.h"
#include "fabric-net-device.h"
#include "fabric-network.h"
#include "fabric-pio.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-subnet-manager.h"
#include "fabric-switch.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/error-model.h"
#include "ns3/node-container.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <string>

namespace ns3::fabric
{

namespace
{

/// A chain of two switches, each with two hosts and a port that is free.
struct SmallChain
{
    SmallChain()
    {
        const TopologyPlan plan = MakeChainPlan({2, 2});
        fabric = FabricHelper().Install(plan, MakeShortestPathRouting(plan));
    }

    ~SmallChain()
    {
        Simulator::Destroy();
    }

    SmallChain(const SmallChain&) = delete;
    SmallChain& operator=(const SmallChain&) = delete;

    FabricContainer fabric; ///< The chain.
};

/// Expects that something is refused with a sentence. @param words in it
template <typename Action>
void
ExpectRefused(FunctionCase& self, const std::string& words, Action&& action)
{
    const std::string sentence = Refusal(action);
    self.Expect(sentence.find(words) != sentence.npos, words + ": " + sentence);
}

/// A device that is refused is no part of the network.
void
TestDevice(FunctionCase& self)
{
    const SmallChain chain;
    const NodeContainer node(1);
    const std::size_t devices = chain.fabric.network->GetDevices().size();
    const auto wrong =
        CreateObjectWithAttributes<FabricNetDevice>("ClassToVc", StringValue("nonsense"));
    ExpectRefused(self, "ClassToVc", [&] { wrong->Install(node.Get(0), chain.fabric.network); });
    self.ExpectEqual(chain.fabric.network->GetDevices().size(), devices, "devices");
    self.ExpectEqual(chain.fabric.network->GetTotals().offered, 0U, "totals");
    const auto device = CreateObject<FabricNetDevice>();
    const auto install = [&] { device->Install(node.Get(0), chain.fabric.network); };
    install();
    self.ExpectEqual(chain.fabric.network->GetDevices().size(), devices + 1, "devices then");
    ExpectRefused(self, "it is installed already; allowed is once", install);
}

/// What works in a NIC is in none when it was refused, and is installed once.
template <typename Engine>
void
TestEngine(FunctionCase& self, const std::string& name, const char* attribute)
{
    const SmallChain chain;
    const auto engine = CreateObject<Engine>();
    engine->Install(chain.fabric.GetDevice(0));
    const auto second = CreateObject<Engine>();
    ExpectRefused(self, "already; allowed is one", [&] {
        second->Install(chain.fabric.GetDevice(0));
    });
    self.Expect(!second->GetDevice(), name + ": it is in no device");
    const auto wrong = CreateObjectWithAttributes<Engine>(attribute, UintegerValue(1));
    ExpectRefused(self, name + " on node 1", [&] { wrong->Install(chain.fabric.GetDevice(1)); });
    self.Expect(!wrong->GetDevice(), name + ": nor is one whose settings were refused");
    second->Install(chain.fabric.GetDevice(1));
    self.Expect(second->GetDevice() == chain.fabric.GetDevice(1), name + ": then it is");
    ExpectRefused(self, "installed already; allowed is once", [&] {
        second->Install(chain.fabric.GetDevice(2));
    });
    self.Expect(second->GetDevice() == chain.fabric.GetDevice(1), name + ": and stays there");
}

/// What is not in a NIC has nothing to tell.
void
TestEngines(FunctionCase& self)
{
    TestEngine<FabricPio>(self, "FabricPio", "Blocks");
    TestEngine<FabricCommandQueues>(self, "FabricCommandQueues", "RingSlots");
    const SmallChain chain;
    const auto pio = CreateObjectWithAttributes<FabricPio>("Blocks", UintegerValue(1));
    ExpectRefused(self, "FabricPio on node 1", [&] { pio->Install(chain.fabric.GetDevice(1)); });
    ExpectRefused(self, "is in no node", [&] { pio->GetQueued(0); });
}

/// A switch is installed once, and a link that is refused is not half made.
void
TestSwitch(FunctionCase& self)
{
    const SmallChain chain;
    const NodeContainer nodes(2);
    ExpectRefused(self, "it is installed already; allowed is once", [&] {
        chain.fabric.GetSwitch(0)->Install(nodes.Get(0), chain.fabric.network);
    });
    Ptr<FabricSwitch> switches[2];
    for (uint32_t i = 0; i < 2; ++i)
    {
        switches[i] = CreateObjectWithAttributes<FabricSwitch>("MaxFrameBytes",
                                                               UintegerValue(2400),
                                                               "Ports",
                                                               UintegerValue(4));
        switches[i]->Install(nodes.Get(i), chain.fabric.network);
    }
    const std::size_t links = chain.fabric.network->GetSubnetManager().Links().size();
    const auto lossy =
        CreateObjectWithAttributes<FabricChannel>("ErrorModel",
                                                  PointerValue(CreateObject<RateErrorModel>()),
                                                  "ReverseErrorModel",
                                                  PointerValue(CreateObject<RateErrorModel>()));
    ExpectRefused(self, "MaxFrameBytes is less than a jumbo frame", [&] {
        switches[0]->Connect(0, switches[1], 0, lossy);
    });
    self.ExpectEqual(chain.fabric.network->GetSubnetManager().Links().size(), links, "links");
    switches[0]->Connect(0, switches[1], 0, CreateObject<FabricChannel>());
    self.ExpectEqual(chain.fabric.network->GetSubnetManager().Links().size(), links + 1, "then");
}

/// The suite.
class RefusedInstallSuite : public FunctionSuite
{
  public:
    RefusedInstallSuite()
        : FunctionSuite("fabric-refused-install", kUnit)
    {
        Add("PR-4 a device that is refused is no part of the network", TestDevice);
        Add("PR-4 what works in a NIC is in none when it was refused", TestEngines);
        Add("PR-4 a switch is installed once, and a refused link is not made", TestSwitch);
    }
};

const RefusedInstallSuite g_refusedInstallSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
