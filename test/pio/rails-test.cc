/* SPDX-License-Identifier: GPL-2.0-only */
// Hosts on two fabrics, as those of clusters for AI with their rails.
#include "fabric-command-helper.h"
#include "fabric-device-engines.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-incast-helper.h"
#include "fabric-message-sender-helper.h"
#include "fabric-nic-transport.h"
#include "fabric-pio-helper.h"
#include "fabric-software-allreduce.h"
#include "fabric-switch-port.h"
#include "fabric-switched-target-network.h"
#include "fabric-transport-helper.h"
#include "fabric-transport-traffic.h"
#include "fabric-triggered-allreduce.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t RAIL_HOSTS = 16; ///< Of a fat tree of switches with four ports.

/// What a rail has carried.
struct Carried
{
    uint64_t offered;   ///< Bytes.
    uint64_t delivered; ///< Bytes.
    uint64_t dataHops;  ///< Frames times links.

    bool operator==(const Carried& other) const
    {
        return offered == other.offered && delivered == other.delivered &&
               dataHops == other.dataHops;
    }
};

/// Installs traffic on a fabric. @return what has to live as long as the run
using Traffic = std::function<std::shared_ptr<void>(const FabricContainer&)>;

/// Two fat trees on the same hosts, which have other numbers in the second.
struct Rails
{
    Rails()
    {
        NodeContainer hosts;
        hosts.Create(RAIL_HOSTS);
        NodeContainer backwards;
        for (uint32_t i = RAIL_HOSTS; i > 0; --i)
        {
            backwards.Add(hosts.Get(i - 1));
        }
        FatTreeHelper helper(4);
        helper.SetStream(1);
        rails = {helper.Install(hosts), helper.Install(backwards)};
    }

    std::vector<FabricContainer> rails; ///< The first and the second.
};

/**
 * Runs two rails.
 *
 * @param traffic of each; null for none
 * @return what each has carried
 */
std::vector<Carried>
RunRails(FunctionCase& self, const std::vector<Traffic>& traffic)
{
    const Rails both;
    std::vector<std::shared_ptr<void>> alive;
    for (std::size_t i = 0; i < traffic.size(); ++i)
    {
        alive.push_back(traffic[i] ? traffic[i](both.rails[i]) : nullptr);
    }
    Simulator::Run();
    std::vector<Carried> carried;
    for (const FabricContainer& rail : both.rails)
    {
        rail.network->CheckInvariants();
        self.Expect(rail.network->IsEmpty(), "a rail is empty in the end");
        const FabricTotals totals = rail.network->GetTotals();
        self.ExpectEqual(totals.delivered, totals.offered, "all is delivered");
        carried.push_back({totals.offered, totals.delivered, totals.dataHops});
    }
    alive.clear();
    Simulator::Destroy();
    return carried;
}

/// Each rail carries what it was given, and nothing of what the other was given.
void
ExpectOnRails(FunctionCase& self, const std::string& what, const Traffic& traffic)
{
    const Carried none{0, 0, 0};
    const std::vector<Carried> first = RunRails(self, {traffic, nullptr});
    const std::vector<Carried> second = RunRails(self, {nullptr, traffic});
    const std::vector<Carried> both = RunRails(self, {traffic, traffic});
    self.Expect(first[0].delivered > 0, what + " carries something");
    self.Expect(first[1] == none, what + " of the first rail is on the second");
    self.Expect(second[0] == none, what + " of the second rail is on the first");
    self.Expect(second[1] == first[0], what + " is as much on the second rail as on the first");
    self.Expect(both[0] == first[0] && both[1] == second[1], what + " of both rails");
}

/// A helper keeps nothing that the run needs.
Traffic
WithoutState(std::function<void(const FabricContainer&)> install)
{
    return [install = std::move(install)](const FabricContainer& fabric) {
        install(fabric);
        return nullptr;
    };
}

/// Messages of applications.
void
TestMessagesOnRails(FunctionCase& self)
{
    ExpectOnRails(self, "a sender", WithoutState([](const FabricContainer& fabric) {
                      FabricMessageSenderHelper(1'000'000).Install(fabric, 1, 0);
                  }));
    ExpectOnRails(self, "an incast", WithoutState([](const FabricContainer& fabric) {
                      IncastHelper(4, 1 << 16).Install(fabric);
                  }));
}

/// Programmed I/O and command queues.
void
TestEnginesOnRails(FunctionCase& self)
{
    ExpectOnRails(self, "programmed I/O", WithoutState([](const FabricContainer& fabric) {
                      FabricPioHelper pio;
                      pio.SetApplicationAttribute("Bytes", UintegerValue(3000));
                      pio.InstallSender(fabric, 2, 7); // before there is any
                      for (uint32_t host = 0; host < RAIL_HOSTS; ++host)
                      {
                          pio.Install(fabric, host); // so that nodes have one on both rails
                      }
                  }));
    ExpectOnRails(self, "a command queue", WithoutState([](const FabricContainer& fabric) {
                      FabricCommandHelper commands;
                      for (uint32_t host = 0; host < RAIL_HOSTS; ++host)
                      {
                          commands.Install(fabric, host);
                      }
                      commands.SetApplicationAttribute("Bytes", UintegerValue(30'000));
                      commands.InstallInitiator(fabric, 2, 7);
                  }));
    const auto queuesOf = [](const FabricContainer& fabric) {
        std::vector<Ptr<FabricCommandQueues>> queues;
        for (uint32_t host = 0; host < 5; ++host)
        {
            queues.push_back(FabricCommandHelper().Install(fabric, host));
        }
        return queues;
    };
    ExpectOnRails(self, "an all-reduce of NICs", [&](const FabricContainer& fabric) {
        auto sum = std::make_shared<FabricTriggeredAllreduce>(queuesOf(fabric), AtomicOp::SUM);
        Simulator::Schedule(NanoSeconds(5), [sum] { sum->Start({1, 2, 3, 4, 5}); });
        return sum;
    });
    ExpectOnRails(self, "an all-reduce of software", [&](const FabricContainer& fabric) {
        auto sum = std::make_shared<FabricSoftwareAllreduce>(queuesOf(fabric), Time(0), 1);
        Simulator::Schedule(NanoSeconds(5), [sum] { sum->Start({1, 2, 3, 4, 5}); });
        return sum;
    });
}

/// The reliable transport, and traffic over it.
void
TestTransportOnRails(FunctionCase& self)
{
    ExpectOnRails(self, "a transport", WithoutState([](const FabricContainer& fabric) {
                      FabricTransportHelper transport;
                      transport.SetAttribute("CongestionControl", StringValue("delay"));
                      transport.InstallNic(fabric.devices);
                      transport.InstallTarget(fabric.devices);
                      transport.SetInitiatorAttribute("Bytes", UintegerValue(50'000));
                      transport.InstallInitiator(fabric.GetDevice(3),
                                                 fabric.GetDevice(9)->GetAddress());
                  }));
    ExpectOnRails(self, "senders to a target", [](const FabricContainer& fabric) {
        struct Run
        {
            explicit Run(const FabricContainer& fabric)
                : network(fabric, 3),
                  traffic(network)
            {
                FabricTransportHelper helper;
                helper.SetInitiatorAttribute("Bytes", UintegerValue(20'000));
                traffic.Install(helper, false);
            }

            SwitchedTargetNetwork network;
            FabricTransportTraffic traffic;
        };

        return std::make_shared<Run>(fabric);
    });
}

/// Each device has one of a kind, which is found on it; the first one is that of the node.
void
TestFindEngines(FunctionCase& self)
{
    const Rails both;
    const FabricContainer& first = both.rails[0];
    const FabricContainer& second = both.rails[1];
    const uint32_t there = RAIL_HOSTS - 1 - 2; // the number of host 2 on the second rail
    const Ptr<Node> node = first.hosts.Get(2);
    self.Expect(second.hosts.Get(there) == node, "the same host");
    FabricPioHelper pio;
    const Ptr<FabricPio> later = pio.Install(second, there);
    self.Expect(!FindEngine<FabricPio>(first.GetDevice(2)), "none on the first rail");
    const Ptr<FabricPio> sooner = pio.Install(first, 2);
    self.Expect(FindEngine<FabricPio>(second.GetDevice(there)) == later, "on the second rail");
    self.Expect(FindEngine<FabricPio>(first.GetDevice(2)) == sooner, "on the first rail");
    self.Expect(node->GetObject<FabricPio>() == later, "the node has what was installed first");
    const std::string begin = " on node " + std::to_string(node->GetId()) + ": the device has ";
    for (const Ptr<FabricNetDevice>& device : {first.GetDevice(2), second.GetDevice(there)})
    {
        self.ExpectEqual(Refusal([&] { CreateObject<FabricPio>()->Install(device); }),
                         "ns3::FabricPio" + begin + "an ns3::FabricPio already; allowed is one",
                         "a second one");
        const auto queues = [&device] { CreateObject<FabricCommandQueues>()->Install(device); };
        queues();
        self.ExpectEqual(Refusal(queues),
                         "ns3::FabricCommandQueues" + begin +
                             "an ns3::FabricCommandQueues already; allowed is one",
                         "second command queues");
        const FabricTransportHelper transport;
        self.ExpectEqual(
            Refusal([&] { transport.InstallTarget(NetDeviceContainer(device)); }),
            "FabricTransportHelper: a device of node " + std::to_string(node->GetId()) +
                " has no ns3::FabricNicTransport; allowed are devices after InstallNic()",
            "no transport");
        transport.InstallNic(NetDeviceContainer(device));
        self.ExpectEqual(Refusal([&] { transport.InstallNic(NetDeviceContainer(device)); }),
                         "ns3::FabricNicTransport" + begin + "one already; allowed is one",
                         "a second transport");
    }
    self.ExpectEqual(Refusal([&] {
                         FabricTransportHelper().InstallNic(
                             NetDeviceContainer(first.GetSwitch(0)->GetPort(0)));
                     }),
                     "FabricTransportHelper: a device is of type ns3::FabricSwitchPort; allowed is "
                     "ns3::FabricNetDevice",
                     "no host");
    Simulator::Run();
    Simulator::Destroy();
}

/// A host has command queues for a rail only if they are in its NIC there.
void
TestQueuesOfAnotherRail(FunctionCase& self)
{
    const Rails both;
    const FabricCommandHelper commands;
    const Ptr<FabricCommandQueues> queues = commands.Install(both.rails[1], 0);
    commands.Install(both.rails[0], RAIL_HOSTS - 1 - 5); // host 5 of the second rail
    CommandStream stream;
    stream.op = CommandOp::PUT;
    stream.flow.dst = LocationOf(5);
    stream.bytes = 100;
    self.Expect(Refusal([&] {
                    queues->Post(0, stream);
                }).find("allowed are other hosts with command queues") != std::string::npos,
                "a host with queues on the other rail");
    commands.Install(both.rails[1], 5);
    self.ExpectEqual(Refusal([&] { queues->Post(0, stream); }), "", "a host with queues");
    Simulator::Run();
    self.ExpectEqual(both.rails[1].network->GetTotals().delivered,
                     both.rails[1].network->GetTotals().offered,
                     "all is delivered");
    Simulator::Destroy();
}

/// The suite.
class RailsSuite : public FunctionSuite
{
  public:
    RailsSuite()
        : FunctionSuite("fabric-rails", kUnit)
    {
        Add("SC-1 messages go over the rail that they were given", TestMessagesOnRails);
        Add("SC-1 PIO and command queues are on the rail that they were given", TestEnginesOnRails);
        Add("SC-1 transports are on the rail that they were given", TestTransportOnRails);
        Add("SC-1 a host has command queues for its rail alone", TestQueuesOfAnotherRail);
        Add("SC-1 what works in the NIC of each rail is found", TestFindEngines);
    }
};

const RailsSuite g_railsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
