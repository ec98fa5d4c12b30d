/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-channel.h"
#include "fabric-initiator-application.h"
#include "fabric-message-sender.h"
#include "fabric-nic-transport.h"
#include "fabric-refusal.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-target-application.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-transport-helper.h"
#include "fabric-udp-transport.h"
#include "network/fabric-network-scenario.h"
#include "nic-run.h"
#include "support/fabric-function-case.h"

#include "ns3/rng-seed-manager.h"

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/**
 * All operations are complete and nothing is left.
 *
 * @param test gets the failures
 * @param run what ran
 * @param count operations of each initiator
 * @param what is tested
 */
void
ExpectAllDone(FunctionCase& test, const NicRun& run, uint64_t count, const std::string& what)
{
    for (const auto& initiator : run.GetInitiators())
    {
        test.Expect(initiator->GetCompleted() == count && initiator->GetFailed() == 0,
                    what + ": " + std::to_string(initiator->GetCompleted()) + " of " +
                        std::to_string(count) + " operations complete");
    }
    for (uint32_t i = 0; i < run.GetFabric().hosts.GetN(); ++i)
    {
        const RdmaEndpoint& endpoint = run.GetTransport(i)->GetEndpoint();
        const TransportOccupancy occupancy = endpoint.GetTransport().Occupancy();
        test.Expect(endpoint.Counts().outstanding == 0, what + ": outstanding");
        test.Expect(occupancy.initiatorEntries.used == 0 && occupancy.targetEntries.used == 0 &&
                        occupancy.packetEntries.used == 0 && occupancy.sendPayload.used == 0 &&
                        occupancy.receivePayload.used == 0 && occupancy.granted.used == 0,
                    what + ": resources are free");
    }
    test.Expect(run.IsPunctual(), what + ": applications are told in time, in their context");
    test.Expect(run.GetFabric().network->IsEmpty(), what + ": the fabric is empty");
    run.GetFabric().network->CheckInvariants();
}

/**
 * Expects a scenario to do the same without look-ahead, and on two threads. No other run may be
 * there.
 *
 * @param test gets the failures
 * @param scenario that has look-ahead and one thread
 * @param expected its journal
 * @param what is tested
 */
void
ExpectSameOtherwise(FunctionCase& test,
                    NicScenario scenario,
                    const std::string& expected,
                    const std::string& what)
{
    scenario.lookahead = false;
    auto step = std::make_unique<NicRun>(scenario);
    test.ExpectSame(step->GetJournal(), expected, what + ", without look-ahead");
    step.reset(); // there is one simulator
    scenario.lookahead = true;
    scenario.threads = 2;
    const NicRun two(scenario);
    test.ExpectSame(two.GetJournal(), expected, what + ", on two threads");
}

/// No faults: nothing is resent.
void
TestCleanFabric(FunctionCase& test)
{
    for (const bool flowChannels : {true, false})
    {
        NicScenario scenario;
        scenario.flowChannels = flowChannels;
        const NicRun run(scenario);
        ExpectAllDone(test, run, scenario.count, "clean");
        test.Expect(run.GetResends() == 0, "nothing is resent");
    }
}

/// Every mix of faults, ordered and not.
void
TestNicFaults(FunctionCase& test)
{
    for (uint32_t mix = 1; mix < 32; ++mix)
    {
        NicScenario scenario;
        scenario.loss = mix & 1 ? 0.05 : 0;
        scenario.corrupt = mix & 2 ? 0.05 : 0;
        scenario.duplicate = mix & 4 ? 0.1 : 0;
        scenario.reorder = mix & 8 ? 0.2 : 0;
        scenario.frameErrors = mix & 16 ? 0.02 : 0;
        scenario.isOrdered = mix % 2 == 0;
        scenario.solicitation = mix % 3 == 0 ? "always" : "length";
        const NicRun run(scenario);
        const std::string what = "mix " + std::to_string(mix);
        ExpectAllDone(test, run, scenario.count, what);
        const bool loses = (mix & (1 | 2 | 16)) != 0;
        test.Expect(!loses || run.GetResends() > 0, what + ": resends");
    }
}

/// Results do not depend on look-ahead, whatever the latency of completions is.
void
TestLookahead(FunctionCase& test)
{
    for (const Time& latency : {Time(0), NanoSeconds(1), NanoSeconds(150), MicroSeconds(2)})
    {
        for (uint32_t mix = 0; mix < 12; ++mix)
        {
            NicScenario scenario;
            scenario.completionLatency = latency;
            scenario.isTargetSlow = mix & 8;
            scenario.loss = mix & 1 ? 0.03 : 0;
            scenario.reorder = mix & 2 ? 0.1 : 0;
            scenario.duplicate = mix & 2 ? 0.1 : 0;
            scenario.frameErrors = mix & 4 ? 0.01 : 0;
            scenario.messages = mix & 4;
            scenario.bytes = mix & 1 ? 3000 : 50000;
            scenario.marks = mix & 2;
            scenario.cnps = mix & 8;
            auto ahead = std::make_unique<NicRun>(scenario);
            const std::string expected = ahead->GetJournal();
            const FabricTotals totals = ahead->GetFabric().network->GetTotals();
            test.Expect(ahead->IsPunctual(), "punctual with look-ahead");
            const uint64_t marked = ahead->GetMarkedFrames();
            const uint64_t cnps = ahead->GetCnps();
            test.Expect((marked > 0) == scenario.marks, std::to_string(marked) + " are marked");
            test.Expect((cnps > 0) == (scenario.marks && scenario.cnps),
                        std::to_string(cnps) + " CNPs");
            test.Expect(expected.size() > 1000, "there is something to compare");
            ahead.reset(); // there is one simulator
            scenario.lookahead = false;
            const NicRun step(scenario);
            const std::string what = "latency " + std::to_string(latency.GetPicoSeconds()) +
                                     " ps, mix " + std::to_string(mix);
            test.ExpectSame(step.GetJournal(), expected, what);
            test.Expect(step.GetFabric().network->GetTotals().dataHops == totals.dataHops,
                        what + ": hops");
            test.Expect(step.GetMarkedFrames() == marked && step.GetCnps() == cnps,
                        what + ": marks and CNPs");
            test.Expect(step.IsPunctual(), what + ": punctual without look-ahead");
        }
    }
}

/// Connections whose flows switches restrain and pace give the same results however they are run.
void
TestRestrained(FunctionCase& test)
{
    for (uint32_t mix = 0; mix < 16; ++mix)
    {
        NicScenario scenario;
        scenario.tools = true;
        scenario.loss = mix & 1 ? 0.03 : 0;
        scenario.frameErrors = mix & 2 ? 0.01 : 0;
        scenario.messages = mix & 4;
        scenario.bytes = mix & 8 ? 3000 : 50000;
        const std::string what = "mix " + std::to_string(mix);
        auto ahead = std::make_unique<NicRun>(scenario);
        const std::string expected = ahead->GetJournal();
        test.Expect(ahead->GetRestraints() > 10,
                    what + ": " + std::to_string(ahead->GetRestraints()) + " restraints");
        ExpectAllDone(test, *ahead, scenario.count, what);
        ahead.reset(); // there is one simulator
        ExpectSameOtherwise(test, scenario, expected, what);
    }
}

/// Trimmed packets are sent again, without a time-out where nothing else is lost, and results are
/// the same however they are run.
void
TestTrimmed(FunctionCase& test)
{
    for (uint32_t mix = 0; mix < 16; ++mix)
    {
        NicScenario scenario;
        scenario.trims = true;
        scenario.flowChannels = mix & 1;
        scenario.loss = mix & 2 ? 0.03 : 0;
        scenario.frameErrors = mix & 2 ? 0.01 : 0;
        scenario.reorder = mix & 4 ? 0.1 : 0;
        scenario.duplicate = mix & 4 ? 0.1 : 0;
        scenario.solicitation = mix & 8 ? "always" : "never";
        scenario.bytes = 50000;
        const std::string what = "mix " + std::to_string(mix);
        auto ahead = std::make_unique<NicRun>(scenario);
        const std::string expected = ahead->GetJournal();
        const FabricTotals totals = ahead->GetFabric().network->GetTotals();
        ahead->GetFabric().network->CheckInvariants();
        const uint64_t trimmed = ahead->GetTrimmedFrames();
        test.Expect(trimmed > 100, what + ": " + std::to_string(trimmed) + " trimmed");
        test.Expect(totals.dropped.at("trimmed") > trimmed * 2000, what + ": bytes");
        ExpectAllDone(test, *ahead, scenario.count, what);
        uint64_t headers = 0;
        uint64_t resends = 0;
        uint64_t timeOuts = 0;
        for (uint32_t host = 0; host < ahead->GetFabric().hosts.GetN(); ++host)
        {
            const TransportCounters& counters =
                ahead->GetTransport(host)->GetEndpoint().GetTransport().Counters();
            headers += counters.trimmed;
            resends += counters.trimResends;
            timeOuts += counters.timeOuts;
        }
        test.Expect(headers > 100 && resends > headers / 2, what + ": resends");
        if (mix == 0)
        {
            test.ExpectEqual(headers, trimmed, "each header comes");
            test.ExpectEqual(timeOuts, 0, "none is missed for longer than a round trip");
        }
        ahead.reset(); // there is one simulator
        scenario.lookahead = false;
        auto step = std::make_unique<NicRun>(scenario);
        test.ExpectSame(step->GetJournal(), expected, what + ", without look-ahead");
        test.ExpectEqual(step->GetTrimmedFrames(), trimmed, what + ": trimmed");
        step.reset();
        scenario.lookahead = true;
        scenario.threads = 2;
        const NicRun two(scenario);
        test.ExpectSame(two.GetJournal(), expected, what + ", on two threads");
    }
}

/// What switches write on packets gives the same results however they are run, with all that may
/// happen to packets; and it does something.
void
TestTelemetry(FunctionCase& test)
{
    const TestSeeds seeds(24);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        const auto draw = [&random](uint64_t parts) { return random() % parts == 0; };
        NicScenario scenario;
        scenario.telemetry = true;
        scenario.flowChannels = draw(2);
        scenario.isTargetSlow = draw(4);
        scenario.loss = draw(2) ? 0.03 : 0;
        scenario.reorder = draw(2) ? 0.1 : 0;
        scenario.duplicate = draw(2) ? 0.1 : 0;
        scenario.corrupt = draw(3) ? 0.02 : 0;
        scenario.frameErrors = draw(3) ? 0.01 : 0;
        scenario.messages = draw(2);
        scenario.tools = scenario.flowChannels && draw(3);
        scenario.trims = !scenario.tools && !scenario.messages && draw(3);
        scenario.bytes = static_cast<uint32_t>(1 + random() % 100'000);
        scenario.solicitation = draw(2) ? "never" : "length";
        const std::string what = "seed " + std::to_string(seed);
        auto ahead = std::make_unique<NicRun>(scenario);
        const std::string expected = ahead->GetJournal();
        ExpectAllDone(test, *ahead, scenario.count, what);
        ahead.reset(); // there is one simulator
        ExpectSameOtherwise(test, scenario, expected, what);
        scenario.telemetry = false;
        const NicRun fixed(scenario);
        test.Expect(fixed.GetJournal() != expected, what + ": it does something");
    }
}

/// Where HPCC can't be it is refused with a sentence.
void
TestTelemetryRefused(FunctionCase& test)
{
    const auto refuse = [&test](const std::string& part,
                                const std::function<void(FabricHelper&)>& choose,
                                const std::function<void(FabricTransportHelper&)>& chooseMore) {
        const Simulation simulation;
        const std::string sentence = Refusal([&] {
            FabricHelper helper;
            helper.SetSwitchAttribute("Telemetry", BooleanValue(true));
            choose(helper);
            const TopologyPlan plan = MakeChainPlan({1, 0, 1});
            const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
            FabricTransportHelper transport;
            transport.SetAttribute("CongestionControl", StringValue("hpcc"));
            chooseMore(transport);
            transport.InstallNic(fabric.hosts);
            fabric.hosts.Get(0)->GetObject<FabricTransport>()->Connect(
                fabric.GetDevice(1)->GetAddress(),
                true,
                FabricTransport::EventCallback());
        });
        test.Expect(sentence.find(part) != std::string::npos &&
                        (part.empty() == sentence.empty()) &&
                        (part.empty() || sentence.find("allowed is") != std::string::npos),
                    part + ": " + sentence);
    };
    const auto nothing = [](auto&) {};
    refuse("", nothing, nothing);
    refuse(
        "switch 0 writes nothing on packets",
        [](FabricHelper& helper) { helper.SetSwitchAttribute("Telemetry", BooleanValue(false)); },
        nothing);
    refuse(
        "packets take any of several ways",
        [](FabricHelper& helper) {
            helper.SetSwitchAttribute("UnorderedClasses", UintegerValue(1));
        },
        nothing);
    refuse("packets take any of several ways", nothing, [](FabricTransportHelper& transport) {
        transport.SetAttribute("Sprayed", BooleanValue(true));
    });
    refuse("the peer is 3 switches away, and HpccHops is 2",
           nothing,
           [](FabricTransportHelper& transport) {
               transport.SetAttribute("HpccHops", UintegerValue(2));
           });
    refuse("CamLookupRate is above 0", nothing, [](FabricTransportHelper& transport) {
        transport.SetAttribute("CamLookupRate", DoubleValue(1e8));
    });
    refuse(
        "Crossbar is tiled, and Telemetry is true",
        [](FabricHelper& helper) { helper.SetSwitchAttribute("Crossbar", StringValue("tiled")); },
        nothing);
}

/// What stands on packets that meet nobody: each switch in its turn, and no queue.
void
TestTelemetryRecords(FunctionCase& test)
{
    const Simulation simulation;
    FabricHelper helper;
    helper.SetSwitchAttribute("Telemetry", BooleanValue(true));
    const TopologyPlan plan = MakeChainPlan({1, 1});
    const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
    FabricTransportHelper transport;
    transport.SetAttribute("CongestionControl", StringValue("hpcc"));
    transport.SetAttribute("AckPackets", UintegerValue(8)); // else ACKs have most of the handles
    transport.SetInitiatorAttribute("Bytes", UintegerValue(1 << 20));
    transport.InstallNic(fabric.hosts);
    transport.InstallTarget(fabric.hosts);
    transport.InstallInitiator(fabric.hosts.Get(0), fabric.GetDevice(1)->GetAddress());
    Simulator::Run();
    HopTable& table = *fabric.network->GetHopStacks(LocationOf(0));
    uint32_t written = 0;
    for (uint32_t handle = 0; handle < 256; ++handle)
    {
        const HopStack& stack = table.At(handle); // as the last packet has left it
        if (stack.room == 0)
        {
            continue; // an ACK, or never used
        }
        ++written;
        test.ExpectEqual(stack.count, 2, "switches");
        for (uint32_t i = 0; i < 2; ++i)
        {
            const HopRecord& hop = stack.hops[i];
            test.ExpectEqual(hop.switchId, i, "in the order of the way");
            test.ExpectEqual(hop.queued, 0, "nobody is there");
            test.ExpectEqual(hop.rate, 200'000'000'000, "rate");
        }
        test.Expect(stack.hops[0].time < stack.hops[1].time, "one after the other");
    }
    test.Expect(written > 5, "packets under way");
}

/// Without the helper somebody has to say what T is; over IP no switch writes on packets.
void
TestTelemetryAlone(FunctionCase& test)
{
    const auto refusalOf = [](const std::string& type) {
        const Simulation simulation;
        FabricHelper helper;
        helper.SetSwitchAttribute("Telemetry", BooleanValue(true));
        const TopologyPlan plan = MakeChainPlan({2});
        const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        ObjectFactory factory(type);
        factory.Set("CongestionControl", StringValue("hpcc"));
        const auto transport = factory.Create<FabricTransport>();
        return Refusal([&] {
            if (const auto nic = DynamicCast<FabricNicTransport>(transport))
            {
                nic->Install(fabric.hosts.Get(0));
            }
            else
            {
                DynamicCast<FabricUdpTransport>(transport)->Install(fabric.hosts.Get(0));
            }
        });
    };
    const std::string nic = refusalOf("ns3::FabricNicTransport");
    test.Expect(nic.find("HpccBaseRtt is 0 with CongestionControl hpcc") != std::string::npos, nic);
    const std::string udp = refusalOf("ns3::FabricUdpTransport");
    test.Expect(udp.find("CongestionControl is 'hpcc', which needs switches") != std::string::npos,
                udp);
}

/// A transport that shows its settings.
class OpenNicTransport : public FabricNicTransport
{
  public:
    /// @return its type, which makes this class
    static TypeId GetTypeId()
    {
        static const TypeId tid = TypeId("ns3::fabric::OpenNicTransport")
                                      .SetParent<FabricNicTransport>()
                                      .AddConstructor<OpenNicTransport>();
        return tid;
    }

    using TransportAttributes::GetTransportSettings;
};

/// Rates that attributes leave open are by that of the link: 200 Gb/s.
void
TestLineRate(FunctionCase& test)
{
    const auto settingsOf = [](const std::string& rate) {
        const Simulation simulation;
        const TopologyPlan plan = MakeChainPlan({2});
        const FabricContainer fabric = FabricHelper().Install(plan, MakeShortestPathRouting(plan));
        const auto transport = CreateObjectWithAttributes<OpenNicTransport>("CongestionControl",
                                                                            StringValue("timely"),
                                                                            "LineRate",
                                                                            StringValue(rate));
        transport->Install(fabric.hosts.Get(0));
        return transport->GetTransportSettings();
    };

    struct Row
    {
        const char* given;
        double rate;
        bool isBelowWire;
    };

    for (const Row& row :
         {Row{"0bps", 200e9, false}, Row{"50Gbps", 50e9, true}, Row{"400Gbps", 400e9, false}})
    {
        const TransportSettings settings = settingsOf(row.given);
        test.ExpectEqual(settings.lineRate, row.rate, Text(row.given, ": line rate"));
        test.ExpectEqual(settings.isBelowWire, row.isBelowWire, Text(row.given, ": paced at it"));
        test.ExpectEqual(settings.timely.increase, row.rate / 1000, Text(row.given, ": delta"));
        test.ExpectEqual(settings.timely.minRate, row.rate / 1000, Text(row.given, ": the lowest"));
    }
}

/// Packets, acknowledgements and timers cost no ns-3 event: those of long operations are few.
void
TestEvents(FunctionCase& test)
{
    NicScenario scenario;
    scenario.bytes = 4 << 20;
    scenario.count = 3;
    scenario.loss = 0.01;
    const uint64_t before = Simulator::GetEventCount();
    const NicRun run(scenario);
    const uint64_t events = Simulator::GetEventCount() - before;
    uint64_t packets = 0;
    for (uint32_t i = 0; i < run.GetFabric().hosts.GetN(); ++i)
    {
        for (const uint64_t sent :
             run.GetTransport(i)->GetEndpoint().GetTransport().Counters().sent)
        {
            packets += sent;
        }
    }
    ExpectAllDone(test, run, scenario.count, "events");
    test.Expect(packets > 10000, "packets");
    // Two switches have a window every 150 ns; a packet of 4 KiB takes 165 ns.
    const double windows = 2.0 * static_cast<double>(Simulator::Now().GetPicoSeconds()) / 150000;
    test.Expect(static_cast<double>(events) < 1.05 * windows + 1000,
                std::to_string(events) + " events for " + std::to_string(packets) +
                    " packets and " + std::to_string(windows) + " windows");
}

/// Nodes without a device, peers that are none, an MTU above the device's.
void
TestBadNicInput(FunctionCase& test)
{
    const Simulation simulation;
    FabricHelper helper;
    const TopologyPlan plan = MakeChainPlan({2});
    const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
    FabricTransportHelper transport;
    const auto says = [&test](const std::string& actual, const std::string& words) {
        test.Expect(actual.find("ns3::FabricNicTransport on node ") == 0 &&
                        actual.find(words) != std::string::npos,
                    "'" + actual + "' says '" + words + "'");
    };
    test.ExpectSame(Refusal([&] { transport.SetAttribute("DataWindow", UintegerValue(200)); }),
                    "ns3::FabricTransport::DataWindow=200: allowed is a whole number from 1 "
                    "to 128",
                    "of both transports");
    test.ExpectSame(Refusal([&] { transport.SetAttribute("TrafficClass", UintegerValue(16)); }),
                    "ns3::FabricNicTransport::TrafficClass=16: allowed is a whole "
                    "number from 0 to 15",
                    "of that in the NIC");
    test.ExpectSame(Refusal([&] { transport.SetAttribute("Port", UintegerValue(0)); }),
                    "ns3::FabricUdpTransport::Port=0: allowed is a whole number from 1 to "
                    "65535",
                    "of that over UDP");
    says(Refusal([&] { transport.InstallNic(NodeContainer(CreateObject<Node>())); }),
         "the node needs an ns3::FabricNetDevice with a link");
    transport.InstallNic(fabric.hosts);
    const auto connect = [&fabric](const Address& remote) {
        return Refusal([&] {
            fabric.hosts.Get(0)->GetObject<FabricTransport>()->Connect(
                remote,
                true,
                FabricTransport::EventCallback());
        });
    };
    says(connect(fabric.GetDevice(0)->GetAddress()), "the peer is no other host");
    says(connect(Mac48Address("02:00:00:00:00:09")), "the peer is no other host");
    says(connect(Mac48Address("00:00:00:00:00:01")), "the peer is no other host");
    says(connect(InetSocketAddress("10.0.0.2", 4792)), "the peer is no other host");
    says(connect(Address()), "the peer is no other host");
    test.ExpectSame(connect(fabric.GetDevice(1)->GetAddress()), "", "a host");
    Simulator::Run(); // a connection made before the run is set up in it
    const auto& endpoint = fabric.hosts.Get(0)->GetObject<FabricTransport>()->GetEndpoint();
    test.Expect(endpoint.GetTransport().Connections() == 1, "it is there");
}

/// A transport knows that switches send the packets of its class by several ways.
void
TestSprayedClass(FunctionCase& test)
{
    const auto isSprayed = [](uint32_t unordered, uint32_t noFlow, uint32_t trafficClass) {
        const Simulation simulation;
        FabricHelper helper;
        helper.SetSwitchAttribute("NoFlowClasses", UintegerValue(noFlow));
        helper.SetSwitchAttribute("UnorderedClasses", UintegerValue(unordered));
        const TopologyPlan plan = MakeChainPlan({2});
        const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        FabricTransportHelper transport;
        transport.SetAttribute("TrafficClass", UintegerValue(trafficClass));
        transport.InstallNic(fabric.hosts);
        return fabric.hosts.Get(0)->GetObject<FabricNicTransport>()->IsSprayed();
    };
    test.Expect(isSprayed(2, 2, 1), "the class is");
    test.Expect(!isSprayed(2, 2, 0), "another one");
    test.Expect(!isSprayed(0, 2, 1), "without flow channels, and in order");
    test.Expect(isSprayed(3, 2, 0), "with flow channels, and by several ways");
    test.Expect(!isSprayed(2, 0, 0), "with flow channels, and in order");
}

/// Calls before Install(), and a second one.
void
TestNicInstall(FunctionCase& test)
{
    const Simulation simulation;
    FabricHelper helper;
    const TopologyPlan plan = MakeChainPlan({2});
    const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
    const Address remote = fabric.GetDevice(1)->GetAddress();
    const auto transport = CreateObject<FabricNicTransport>();
    const auto refuses = [&test](const std::string& call, const std::function<void()>& mistake) {
        test.ExpectSame(Refusal(mistake),
                        "ns3::FabricNicTransport on no node: it is not installed; allowed is a "
                        "call after Install(), or FabricTransportHelper::InstallNic() or "
                        "InstallUdp(), until Simulator::Destroy()",
                        call);
    };
    refuses("Connect()",
            [&] { transport->Connect(remote, true, FabricTransport::EventCallback()); });
    refuses("Post()", [&] { transport->Post(1, RdmaOperation::WRITE, 1, 0); });
    refuses("Close()", [&] { transport->Close(1); });
    refuses("Reset()", [&] { transport->Reset(1); });
    refuses("View()", [&] { transport->View(1); });
    refuses("PostReceives()", [&] { transport->PostReceives(1); });
    refuses("GetEndpoint()", [&] { transport->GetEndpoint(); });

    transport->Install(fabric.hosts.Get(0));
    const auto refusesAgain = [&test](const std::string& what, const std::string& actual) {
        test.Expect(actual.find("ns3::FabricNicTransport on node ") == 0 &&
                        actual.find(what) != std::string::npos,
                    actual);
    };
    refusesAgain("the device has one already; allowed is one",
                 Refusal([&] { FabricTransportHelper().InstallNic(fabric.hosts.Get(0)); }));
    refusesAgain("it is installed already; allowed is once",
                 Refusal([&] { transport->Install(fabric.hosts.Get(1)); }));
    FabricTransportHelper().InstallNic(fabric.hosts.Get(1));
    const ConnectionId cid = transport->Connect(remote, true, FabricTransport::EventCallback());
    test.Expect(transport->Post(cid, RdmaOperation::WRITE, 1'000, 0), "it works as before");
    Simulator::Run();
    Simulator::Destroy();
    refuses("Connect()",
            [&] { transport->Connect(remote, true, FabricTransport::EventCallback()); });
    refuses("View()", [&] { transport->View(cid); });
    test.ExpectEqual(transport->GetEndpoint().Counts().completedBytes, 1'000, "bytes");
}

/// @return what applications are told if half of the packets are late, with the `run`-th numbers
std::string
JournalOfRun(uint32_t seed, uint64_t run)
{
    RngSeedManager::SetSeed(seed);
    RngSeedManager::SetRun(run);
    NicScenario scenario;
    scenario.reorder = 0.5;
    return NicRun(scenario).GetJournal();
}

/// Faults are drawn from ns-3's random streams.
void
TestFaultRuns(FunctionCase& test)
{
    const std::string first = JournalOfRun(1, 1);
    test.Expect(JournalOfRun(1, 2) != first, "another run");
    test.Expect(JournalOfRun(2, 1) != first, "another seed");
    test.ExpectSame(JournalOfRun(1, 1), first, "the same run");
}

/**
 * @param classes that a switch marks, one bit each
 * @param rules of the switch for single classes
 * @param trafficClass of a transport that obeys marks
 * @return the sentence with which it is refused
 */
std::string
RefusedMarks(uint64_t classes, const std::string& rules, uint64_t trafficClass)
{
    const Simulation simulation;
    FabricHelper helper;
    helper.SetSwitchAttribute("MarkClasses", UintegerValue(classes));
    helper.SetSwitchAttribute("MarkRules", StringValue(rules));
    const TopologyPlan plan = MakeChainPlan({1});
    const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
    FabricTransportHelper transport;
    transport.SetAttribute("CongestionControl", StringValue("marks"));
    transport.SetAttribute("TrafficClass", UintegerValue(trafficClass));
    return Refusal([&] { transport.InstallNic(fabric.hosts); });
}

/// Who obeys marks needs a switch that makes them.
void
TestNoMarks(FunctionCase& test)
{
    const std::string expected =
        "ns3::FabricNicTransport on node 0: CongestionControl is 'marks', but no switch marks "
        "frames of traffic class 3; allowed is fixed or delay, or marks where MarkClasses or "
        "MarkRules of ns3::FabricSwitch has that class";
    test.ExpectSame(RefusedMarks(0, "", 3), expected, "no class");
    test.ExpectSame(RefusedMarks(0xFFF7, "", 3), expected, "all other classes");
    test.ExpectSame(RefusedMarks(0, "2:10:20:1", 3), expected, "a rule of another class");
    test.ExpectSame(RefusedMarks(8, "", 3), "", "its class");
    test.ExpectSame(RefusedMarks(0, "3:10:20:1", 3), "", "a rule of its class");
}

/// A host without the transport that is connected to: the attempt fails, and nothing is left.
void
TestNobodyThere(FunctionCase& test)
{
    const Simulation simulation;
    FabricHelper helper;
    const TopologyPlan plan = MakeChainPlan({2});
    const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
    FabricTransportHelper transport;
    transport.SetAttribute("RetryLimit", UintegerValue(2));
    transport.InstallNic(fabric.hosts.Get(0));
    const auto initiator = DynamicCast<FabricInitiatorApplication>(
        transport.InstallInitiator(fabric.hosts.Get(0), fabric.GetDevice(1)->GetAddress()).Get(0));
    TransportStatus status = TransportStatus::OK;
    initiator->TraceConnectWithoutContext(
        "Error",
        Callback<void, const RdmaEvent&>(
            [&status](const RdmaEvent& event) { status = event.status; }));
    Simulator::Run();
    test.Expect(initiator->GetFailed() == 1 && status == TransportStatus::RETRY_LIMIT, "fails");
    test.Expect(fabric.network->IsEmpty(), "no packet is left");
    fabric.network->CheckInvariants();
}

/// The target's or the initiator's link fails for good: what was posted fails, each operation with
/// an event, what was not is counted, and the application is done.
void
TestLinkFailsForGood(FunctionCase& test)
{
    for (const uint32_t host : {0U, 2U})
    {
        const Simulation simulation;
        FabricHelper helper;
        const TopologyPlan plan = MakeChainPlan({2});
        const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        FabricTransportHelper transport;
        transport.SetAttribute("RetryLimit", UintegerValue(3));
        transport.SetInitiatorAttribute("Operations", StringValue("write,read"));
        transport.SetInitiatorAttribute("Count", UintegerValue(50));
        transport.SetInitiatorAttribute("Outstanding", UintegerValue(8));
        transport.InstallNic(fabric.hosts);
        transport.InstallTarget(fabric.hosts.Get(2));
        const auto initiator = DynamicCast<FabricInitiatorApplication>(
            transport.InstallInitiator(fabric.hosts.Get(0), fabric.GetDevice(2)->GetAddress())
                .Get(0));
        uint32_t errors = 0;
        uint32_t connections = 0;
        initiator->TraceConnectWithoutContext(
            "Error",
            Callback<void, const RdmaEvent&>([&](const RdmaEvent& event) {
                errors += event.type == RdmaEventType::COMPLETION;
                connections += event.type == RdmaEventType::FAILED;
            }));
        fabric.hostLinks[host]->FailAt(MicroSeconds(20));
        Simulator::Run();
        const std::string what = "link of host " + std::to_string(host) + ": ";
        test.Expect(initiator->GetCompleted() > 0, what + "some are complete");
        test.ExpectEqual(initiator->GetFailed(), 8, what + "operations that failed");
        test.ExpectEqual(errors, 8, what + "an event for each");
        test.ExpectEqual(connections, 1, what + "one for the connection");
        test.ExpectEqual(initiator->GetUnposted(),
                         50 - 8 - initiator->GetCompleted(),
                         what + "operations that are never posted");
        test.Expect(initiator->IsDone(), what + "done");
        fabric.network->CheckInvariants();
    }
}

/// An application that is stopped, or whose target closes the connection: what is under way ends as
/// it should, the rest is never posted.
void
TestStopped(FunctionCase& test)
{
    for (const bool isStopped : {true, false})
    {
        const Simulation simulation;
        FabricHelper helper;
        const TopologyPlan plan = MakeChainPlan({1});
        const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        FabricTransportHelper transport;
        transport.SetInitiatorAttribute("Count", UintegerValue(50));
        transport.SetInitiatorAttribute("Outstanding", UintegerValue(2));
        transport.InstallNic(fabric.hosts);
        const auto target = DynamicCast<FabricTargetApplication>(
            transport.InstallTarget(fabric.hosts.Get(1)).Get(0));
        const auto initiator = DynamicCast<FabricInitiatorApplication>(
            transport.InstallInitiator(fabric.hosts.Get(0), fabric.GetDevice(1)->GetAddress())
                .Get(0));
        const auto node = fabric.hosts.Get(1)->GetObject<FabricTransport>();
        uint32_t closed = 0;
        target->TraceConnectWithoutContext(
            "Connection",
            Callback<void, const RdmaEvent&>([&](const RdmaEvent& event) {
                closed += event.type == RdmaEventType::CLOSED;
                if (event.type == RdmaEventType::ACCEPTED && !isStopped)
                {
                    Simulator::Schedule(MicroSeconds(30),
                                        [node, cid = event.cid] { node->Close(cid); });
                }
            }));
        if (isStopped)
        {
            initiator->SetAttribute("Interval", TimeValue(MicroSeconds(40)));
            initiator->SetStopTime(MicroSeconds(30));
            Simulator::Schedule(NanoSeconds(30'001), [&] {
                test.Expect(initiator->IsDone() && initiator->GetUnposted() == 49,
                            "one is complete, and there is no next time");
            });
        }
        Simulator::Run();
        const std::string what = isStopped ? "stopped: " : "closed by the target: ";
        test.Expect(initiator->GetCompleted() > 0 && initiator->GetUnposted() > 0 &&
                        initiator->GetCompleted() + initiator->GetUnposted() == 50,
                    what + "some are complete, the others were never posted");
        test.Expect(initiator->IsDone() && initiator->GetFailed() == 0, what + "done");
        test.Expect(!initiator->LookAtConnection(), what + "there is no connection any more");
        test.ExpectEqual(closed, 1, what + "the target is told");
    }
}

/// Two hosts with an initiator and a target, to whose traces tests listen.
struct ApplicationPair
{
    /// @param transport installs the applications
    explicit ApplicationPair(FabricTransportHelper transport)
    {
        const TopologyPlan plan = MakeChainPlan({1});
        fabric = FabricHelper().Install(plan, MakeShortestPathRouting(plan));
        transport.InstallNic(fabric.hosts);
        target = DynamicCast<FabricTargetApplication>(
            transport.InstallTarget(fabric.hosts.Get(1)).Get(0));
        const Address& remote = fabric.GetDevice(1)->GetAddress();
        initiator = DynamicCast<FabricInitiatorApplication>(
            transport.InstallInitiator(fabric.hosts.Get(0), remote).Get(0));
    }

    Simulation simulation;                     ///< Ends with them.
    FabricContainer fabric;                    ///< Both hosts.
    Ptr<FabricTargetApplication> target;       ///< On the second host.
    Ptr<FabricInitiatorApplication> initiator; ///< On the first one.
};

/// Operations come in turn, as many at a time and as often as the attributes say, and both sides
/// are told how the connection begins and ends.
void
TestOperationsInTurn(FunctionCase& test)
{
    constexpr uint32_t COUNT = 7;
    constexpr uint32_t BYTES = 5000;
    for (const Time& interval : {Time(0), MicroSeconds(2)})
    {
        FabricTransportHelper transport;
        transport.SetInitiatorAttribute("Operations", StringValue("write,send"));
        transport.SetInitiatorAttribute("Bytes", UintegerValue(BYTES));
        transport.SetInitiatorAttribute("Count", UintegerValue(COUNT));
        transport.SetInitiatorAttribute("Outstanding", UintegerValue(3));
        transport.SetInitiatorAttribute("Interval", TimeValue(interval));
        const ApplicationPair pair(transport);
        const FabricInitiatorApplication& initiator = *pair.initiator;
        std::vector<Time> posted;
        pair.initiator->TraceConnectWithoutContext(
            "Posted",
            Callback<void, RdmaOperation, uint32_t, uint64_t>(
                [&](RdmaOperation operation, uint32_t bytes, uint64_t number) {
                    const bool isSend = number % 2 == 1;
                    test.Expect(operation == (isSend ? RdmaOperation::SEND : RdmaOperation::WRITE),
                                "they take turns");
                    test.Expect(bytes == BYTES && number == posted.size(), "size and number");
                    test.Expect(initiator.GetPosted() - initiator.GetCompleted() <= 3,
                                "outstanding");
                    test.Expect(posted.empty() || Simulator::Now() - posted.back() >= interval,
                                "interval");
                    posted.push_back(Simulator::Now());
                }));
        pair.initiator->TraceConnectWithoutContext(
            "Completed",
            Callback<void, const RdmaEvent&, Time>([&](const RdmaEvent& event, Time latency) {
                test.ExpectEqual(latency, Simulator::Now() - posted[event.cookie], "latency");
            }));
        std::vector<RdmaEventType> events[2];
        const auto note = [&events](uint32_t side) {
            return Callback<void, const RdmaEvent&>(
                [&events, side](const RdmaEvent& event) { events[side].push_back(event.type); });
        };
        pair.initiator->TraceConnectWithoutContext("Connection", note(0));
        pair.target->TraceConnectWithoutContext("Connection", note(1));
        Simulator::Run();
        test.ExpectEqual(posted.size(), COUNT, "posted");
        test.ExpectEqual(initiator.GetCompletedBytes(), COUNT * BYTES, "bytes that are complete");
        test.ExpectEqual(pair.target->GetReceivedBytes(), COUNT / 2 * BYTES, "bytes of sends");
        test.ExpectEqual(pair.target->GetAccepted(), 1, "connections");
        using Types = std::vector<RdmaEventType>;
        test.Expect(events[0] == Types{RdmaEventType::CONNECTED, RdmaEventType::CLOSED},
                    "it closes what it has opened");
        test.Expect(events[1] == Types{RdmaEventType::ACCEPTED, RdmaEventType::CLOSED},
                    "and the target learns of it");
        test.Expect(initiator.IsDone() && initiator.GetUnposted() == 0, "done");
    }
}

/// A target counts the connections of all initiators, and bytes of sends alone, also where it is
/// told of writes and reads.
void
TestTargetCounts(FunctionCase& test)
{
    constexpr uint32_t INITIATORS = 3;
    constexpr uint32_t BYTES = 5000;
    const Simulation simulation;
    const TopologyPlan plan = MakeChainPlan({INITIATORS});
    const FabricContainer fabric = FabricHelper().Install(plan, MakeShortestPathRouting(plan));
    FabricTransportHelper transport;
    transport.SetAttribute("ReportsOneSided", BooleanValue(true));
    transport.SetInitiatorAttribute("Operations", StringValue("write,send,read"));
    transport.SetInitiatorAttribute("Bytes", UintegerValue(BYTES));
    transport.SetInitiatorAttribute("Count", UintegerValue(6));
    transport.InstallNic(fabric.hosts);
    const auto target = DynamicCast<FabricTargetApplication>(
        transport.InstallTarget(fabric.hosts.Get(INITIATORS)).Get(0));
    for (uint32_t host = 0; host < INITIATORS; ++host)
    {
        transport.InstallInitiator(fabric.hosts.Get(host),
                                   fabric.GetDevice(INITIATORS)->GetAddress());
    }
    std::map<RdmaOperation, uint32_t> presented;
    target->TraceConnectWithoutContext(
        "Presented",
        Callback<void, const RdmaEvent&>([&](const auto& event) { ++presented[event.operation]; }));
    Simulator::Run();
    for (const RdmaOperation each :
         {RdmaOperation::WRITE, RdmaOperation::SEND, RdmaOperation::READ})
    {
        test.ExpectEqual(presented[each], 2 * INITIATORS, "of each operation");
    }
    test.ExpectEqual(target->GetPresented(), 6 * INITIATORS, "presented");
    test.ExpectEqual(target->GetReceivedBytes(), 2 * INITIATORS * BYTES, "bytes of sends");
    test.ExpectEqual(target->GetAccepted(), INITIATORS, "connections");
}

/// A send occupies a receive buffer for the processing time, but none is given back by a target
/// that was stopped, and nobody is told of what comes then.
void
TestReceiveBuffers(FunctionCase& test)
{
    constexpr uint32_t SENDS = 5;
    const Time work = MicroSeconds(20);
    for (const bool isStopped : {false, true})
    {
        FabricTransportHelper transport;
        transport.SetAttribute("NotReadyLimit", UintegerValue(100));
        transport.SetTargetAttribute("Receives", UintegerValue(1));
        transport.SetTargetAttribute("ProcessingTime", TimeValue(work));
        transport.SetInitiatorAttribute("Operations", StringValue("send"));
        transport.SetInitiatorAttribute("Count", UintegerValue(SENDS));
        transport.SetInitiatorAttribute("Outstanding", UintegerValue(1));
        const ApplicationPair pair(transport);
        std::vector<Time> presented;
        pair.target->TraceConnectWithoutContext(
            "Presented",
            Callback<void, const RdmaEvent&>([&](const RdmaEvent&) {
                test.Expect(presented.empty() || Simulator::Now() - presented.back() >= work,
                            "the buffer of the send before is free again");
                presented.push_back(Simulator::Now());
            }));
        if (isStopped)
        {
            pair.target->SetStopTime(MicroSeconds(15)); // the first send is in work then
        }
        Simulator::Run();
        test.ExpectEqual(presented.size(), isStopped ? 1 : SENDS, "sends that were presented");
        test.ExpectEqual(pair.initiator->GetCompleted(), isStopped ? 1 : SENDS, "are complete");
        test.ExpectEqual(pair.target->GetPresented(), presented.size(), "they are counted");
        test.Expect(pair.initiator->IsDone(), "done");
    }
}

/// A target that was stopped hears no more of what comes.
void
TestTargetHearsNoMore(FunctionCase& test)
{
    FabricTransportHelper transport;
    transport.SetInitiatorAttribute("Operations", StringValue("send"));
    transport.SetInitiatorAttribute("Bytes", UintegerValue(100));
    transport.SetInitiatorAttribute("Count", UintegerValue(10));
    transport.SetInitiatorAttribute("Interval", TimeValue(MicroSeconds(10)));
    const ApplicationPair pair(transport);
    pair.target->SetStopTime(MicroSeconds(45)); // five have come, those of 0 to 40 us
    Simulator::Run();
    test.ExpectEqual(pair.target->GetPresented(), 5, "presented before");
    test.ExpectEqual(pair.initiator->GetCompleted(), 10, "the transport goes on");
}

/// Results do not depend on the number of threads.
void
TestThreads(FunctionCase& test)
{
    for (uint32_t mix = 0; mix < 12; ++mix)
    {
        NicScenario scenario;
        scenario.isTargetSlow = mix & 8;
        scenario.loss = mix & 1 ? 0.03 : 0;
        scenario.reorder = mix & 2 ? 0.1 : 0;
        scenario.duplicate = mix & 2 ? 0.1 : 0;
        scenario.messages = mix & 4;
        scenario.bytes = mix & 1 ? 3000 : 50000;
        scenario.marks = mix & 2;
        scenario.cnps = mix & 1;
        std::string expected;
        uint64_t marked;
        {
            const NicRun one(scenario);
            expected = one.GetJournal();
            marked = one.GetMarkedFrames();
        }
        scenario.threads = 2;
        const NicRun two(scenario);
        const std::string what = "mix " + std::to_string(mix);
        test.Expect(two.GetFabric().network->GetThreads() == 2, what + ": there are two");
        test.ExpectSame(two.GetJournal(), expected, what);
        test.Expect(two.GetMarkedFrames() == marked && (marked > 0) == scenario.marks,
                    what + ": marks");
        ExpectAllDone(test, two, scenario.count, what);
    }
}

/// @return packets that came with a mark at a host to which three others push, over one switch
uint64_t
CountMarkedPackets(FunctionCase& test, bool isOverIp)
{
    Simulation simulation;
    FabricHelper helper;
    helper.SetStream(1);
    helper.SetSwitchAttribute("MarkClasses", UintegerValue(0xFFFF));
    helper.SetSwitchAttribute("MarkMinBytes", UintegerValue(20'000));
    helper.SetSwitchAttribute("MarkMaxBytes", UintegerValue(20'000));
    const TopologyPlan plan = MakeChainPlan({3});
    const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
    FabricTransportHelper transport;
    transport.SetAttribute("CongestionControl", StringValue("marks"));
    transport.SetAttribute("Solicitation", StringValue("never"));
    transport.SetInitiatorAttribute("Bytes", UintegerValue(200'000));
    transport.SetInitiatorAttribute("Count", UintegerValue(3));
    constexpr uint32_t TARGET = 3;
    Address remote = fabric.GetDevice(TARGET)->GetAddress();
    std::unique_ptr<IpHosts> hosts; // stays until the end of the run
    if (isOverIp)
    {
        // All begin at once.
        Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                           StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        hosts = std::make_unique<IpHosts>(fabric);
        transport.InstallUdp(fabric.hosts);
        remote = InetSocketAddress(hosts->GetAddress(TARGET), 4792);
    }
    else
    {
        transport.InstallNic(fabric.hosts);
    }
    transport.InstallTarget(fabric.hosts.Get(TARGET));
    for (uint32_t host = 0; host < TARGET; ++host)
    {
        transport.InstallInitiator(fabric.hosts.Get(host), remote);
    }
    uint64_t marked = 0;
    fabric.hosts.Get(TARGET)->GetObject<FabricTransport>()->TraceConnectWithoutContext(
        "Rx",
        Callback<void, const TransportPacket&, Time>(
            [&marked](const TransportPacket& packet, Time) { marked += packet.isMarked; }));
    Simulator::Run();
    const uint64_t frames = fabric.GetSwitch(0)->GetChip().Marker()->MarkedFrames();
    test.Expect(frames > 10, Text(frames, " frames are marked"));
    test.ExpectEqual(marked, frames, isOverIp ? "over IP" : "in the NIC");
    return marked;
}

/// What a switch marks is told to the endpoint, frame by frame.
void
TestMarks(FunctionCase& test)
{
    CountMarkedPackets(test, false);
    CountMarkedPackets(test, true);
}

/// A packet that is held back comes later, by at most the longest time.
void
TestHeldBack(FunctionCase& test)
{
    std::vector<Time> ends;
    for (const double part : {0.0, 1.0})
    {
        Simulation simulation;
        FabricHelper helper;
        const TopologyPlan plan = MakeChainPlan({1});
        const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        FabricTransportHelper transport;
        transport.SetAttribute("Reorder", DoubleValue(part));
        if (part > 0)
        {
            transport.SetAttribute("ReorderDelay", TimeValue(MicroSeconds(5)));
        }
        transport.SetInitiatorAttribute("Bytes", UintegerValue(100));
        transport.SetInitiatorAttribute("Count", UintegerValue(100));
        transport.SetInitiatorAttribute("Outstanding", UintegerValue(1));
        transport.InstallNic(fabric.hosts);
        transport.InstallTarget(fabric.hosts.Get(1));
        transport.InstallInitiator(fabric.hosts.Get(0), fabric.GetDevice(1)->GetAddress());
        Time last;
        fabric.hosts.Get(0)->GetObject<FabricTransport>()->TraceConnectWithoutContext(
            "Rx",
            Callback<void, const TransportPacket&, Time>(
                [&last](const TransportPacket&, Time now) { last = now; }));
        Simulator::Run();
        ends.push_back(last);
    }
    // A request and its ACK are held back for 2.5 us each, on average of 100 operations.
    const double each = (ends[1] - ends[0]).GetMicroSeconds() / 100.0;
    test.Expect(each > 3.5 && each < 10, Text(each, " us more for an operation"));
}

/// A target whose host receives slowly gets its rate, and nothing is sent again.
void
TestSlowTarget(FunctionCase& test)
{
    Simulation simulation;
    FabricHelper helper;
    helper.SetDeviceAttribute(1, "ReceiveRate", StringValue("50Gbps"));
    const TopologyPlan plan = MakeChainPlan({1});
    const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
    FabricTransportHelper transport;
    transport.SetInitiatorAttribute("Bytes", UintegerValue(100'000));
    transport.SetInitiatorAttribute("Count", UintegerValue(50));
    transport.SetInitiatorAttribute("Outstanding", UintegerValue(8));
    transport.InstallNic(fabric.hosts);
    transport.InstallTarget(fabric.hosts.Get(1));
    transport.InstallInitiator(fabric.hosts.Get(0), fabric.GetDevice(1)->GetAddress());
    TimePs last = 0;
    fabric.hosts.Get(1)->GetObject<FabricTransport>()->TraceConnectWithoutContext(
        "Rx",
        Callback<void, const TransportPacket&, Time>(
            [&last](const TransportPacket&, Time now) { last = now.GetPicoSeconds(); }));
    Simulator::Run();
    fabric.network->CheckInvariants();
    const NicCounts counts = fabric.GetDevice(1)->GetNic().Counts();
    const auto drains = static_cast<double>(
        160 * (counts.arrived + counts.framesArrived * (HEADER_BYTES + FCS_BYTES)));
    test.Expect(counts.arrived > 5'000'000, "all arrived");
    test.Expect(static_cast<double>(last) > drains && static_cast<double>(last) < 1.03 * drains,
                Text("the last packet came after ", last, " ps, the buffer took ", drains));
}

} // namespace

/// The transport in the NICs of a fabric.
class FabricTransportNicTestSuite : public TestSuite
{
  public:
    FabricTransportNicTestSuite()
        : TestSuite("fabric-transport-nic", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("RT-15 write, read and send over the fabric", TestCleanFabric);
        add("RT-15 every mix of faults is survived", TestNicFaults);
        add("RT-14 WL-4 marks of a switch reach the endpoint, over IP too", TestMarks);
        add("RT-15 packets that are held back come later", TestHeldBack);
        add("WL-5 a target that receives slowly gets its rate", TestSlowTarget);
        add("DP-4 no ns-3 event for a packet", TestEvents);
        add("RT-18 what is not allowed is refused with a sentence", TestBadNicInput);
        add("RT-18 calls before the installation, and a second one", TestNicInstall);
        add("FC-12 a transport knows that its class is sprayed", TestSprayedClass);
        add("RT-15 faults follow the number of the run", TestFaultRuns);
        add("RT-14 marks that nobody makes are refused", TestNoMarks);
        add("RT-18 a host without the transport", TestNobodyThere);
        add("RT-18 a link fails for good: all operations are accounted for", TestLinkFailsForGood);
        add("RT-18 what an application that is stopped leaves is never posted", TestStopped);
        add("RT-18 operations in turn, and the events of a connection", TestOperationsInTurn);
        add("RT-18 what a target counts of several initiators", TestTargetCounts);
        add("RT-18 sends occupy receive buffers for their time", TestReceiveBuffers);
        add("RT-18 a target that was stopped hears no more", TestTargetHearsNoMore);
        add("RT-14 HPCC: telemetry, however it is run", TestTelemetry);
        add("RT-14 HPCC: where it is refused", TestTelemetryRefused);
        add("RT-14 HPCC: records of packets", TestTelemetryRecords);
        add("RT-14 HPCC: without the helper, and over IP", TestTelemetryAlone);
        add("RT-14 line rates, and what is a part of them", TestLineRate);
        add("DP-15 threads change nothing that an application sees", TestThreads);
        add("DP-5 look-ahead changes nothing that an application sees", TestLookahead);
        add("CM-4 CM-7 DP-5 flows that are restrained and paced", TestRestrained);
        add("FC-15 RT-14 DP-5 packets that switches trim", TestTrimmed);
    }
};

static FabricTransportNicTestSuite g_fabricTransportNicTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
