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
#include "fabric-transport-helper.h"
#include "network/fabric-network-scenario.h"
#include "support/fabric-function-case.h"

#include <memory>
#include <stdexcept>

namespace ns3
{
namespace fabric
{

namespace
{

/// What differs between runs that must have the same results, or not.
struct NicScenario
{
    uint32_t threads{1};                       ///< DP-15.
    bool lookahead{true};                      ///< DP-2.
    Time completionLatency;                    ///< 0 for the default.
    double loss{0};                            ///< Of packets.
    double corrupt{0};                         ///< Of packets.
    double duplicate{0};                       ///< Of packets.
    double reorder{0};                         ///< Of packets.
    double frameErrors{0};                     ///< Of frames on links (WL-4).
    std::string solicitation{"length"};        ///< RT-3.
    std::string operations{"write,read,send"}; ///< In turn.
    bool isOrdered{true};                      ///< RT-10.
    bool flowChannels{true};                   ///< FC.
    uint32_t bytes{20000};                     ///< Of each operation.
    uint64_t count{40};                        ///< Of each initiator.
    bool messages{false};                      ///< Whether native messages are sent beside.
    bool marks{false};                         ///< Whether switches mark, and senders obey.
};

/// Hosts on two switches, all of which have the transport in their NICs; all but one are
/// initiators.
class NicRun
{
  public:
    /// @param scenario what to run
    explicit NicRun(const NicScenario& scenario)
        : m_simulation()
    {
        FabricHelper helper;
        helper.SetStream(1);
        helper.SetNetworkAttribute("Lookahead", BooleanValue(scenario.lookahead));
        helper.SetNetworkAttribute("Threads", UintegerValue(scenario.threads));
        helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
        helper.SetSwitchAttribute("FlowChannels", BooleanValue(scenario.flowChannels));
        if (scenario.marks)
        {
            helper.SetSwitchAttribute("MarkClasses", UintegerValue(1));
            helper.SetSwitchAttribute("MarkMinBytes", UintegerValue(4000));
            helper.SetSwitchAttribute("MarkMaxBytes", UintegerValue(60000));
            helper.SetSwitchAttribute("MarkProbability", DoubleValue(0.5));
        }
        if (scenario.frameErrors > 0)
        {
            ObjectFactory errors("ns3::RateErrorModel");
            errors.Set("ErrorRate", DoubleValue(scenario.frameErrors));
            errors.Set("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
            helper.SetErrorModel(errors);
        }
        const TopologyPlan plan = MakeChainPlan({3, 2});
        m_fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        AssignErrorStreams();
        FabricTransportHelper transport;
        if (!scenario.completionLatency.IsZero())
        {
            transport.SetAttribute("CompletionLatency", TimeValue(scenario.completionLatency));
        }
        transport.SetAttribute("Loss", DoubleValue(scenario.loss));
        transport.SetAttribute("Corrupt", DoubleValue(scenario.corrupt));
        transport.SetAttribute("Duplicate", DoubleValue(scenario.duplicate));
        transport.SetAttribute("Reorder", DoubleValue(scenario.reorder));
        transport.SetAttribute("Solicitation", StringValue(scenario.solicitation));
        transport.SetAttribute("CongestionControl",
                               StringValue(scenario.marks ? "marks" : "fixed"));
        transport.SetInitiatorAttribute("Operations", StringValue(scenario.operations));
        transport.SetInitiatorAttribute("Ordered", BooleanValue(scenario.isOrdered));
        transport.SetInitiatorAttribute("Bytes", UintegerValue(scenario.bytes));
        transport.SetInitiatorAttribute("Count", UintegerValue(scenario.count));
        transport.SetInitiatorAttribute("Outstanding", UintegerValue(8));
        transport.InstallNic(m_fabric.hosts);
        transport.InstallTarget(m_fabric.hosts);
        const uint32_t target = m_fabric.hosts.GetN() - 1;
        for (uint32_t i = 0; i < target; ++i)
        {
            Connect(transport, i, target);
        }
        if (scenario.messages)
        {
            AddMessages();
        }
        Simulator::Run();
    }

    /// @return what applications were told, line by line
    std::string GetJournal() const
    {
        return m_journal.str();
    }

    /// @return whether an application was told of each event when it should
    bool IsPunctual() const
    {
        return m_isPunctual;
    }

    /// @return the fabric
    const FabricContainer& GetFabric() const
    {
        return m_fabric;
    }

    /// @return the initiators
    const std::vector<Ptr<FabricInitiatorApplication>>& GetInitiators() const
    {
        return m_initiators;
    }

    /// @return the transport of a host
    Ptr<FabricNicTransport> GetTransport(uint32_t host) const
    {
        return DynamicCast<FabricNicTransport>(
            m_fabric.hosts.Get(host)->GetObject<FabricTransport>());
    }

    /// @return frames that switches have marked
    uint64_t GetMarkedFrames() const
    {
        uint64_t marked = 0;
        for (const Ptr<FabricSwitch>& fabricSwitch : m_fabric.network->GetSwitches())
        {
            const CongestionMarker* marker = fabricSwitch->GetChip().Marker();
            marked += marker ? marker->MarkedFrames() : 0;
        }
        return marked;
    }

    /// @return resends of all hosts
    uint64_t GetResends() const
    {
        uint64_t resends = 0;
        for (uint32_t i = 0; i < m_fabric.hosts.GetN(); ++i)
        {
            resends += GetTransport(i)->GetEndpoint().GetTransport().Counters().resends;
        }
        return resends;
    }

  private:
    /// Random streams that do not depend on what ran before in this process.
    void AssignErrorStreams()
    {
        int64_t stream = 1'000'000;
        for (uint32_t i = 0; i < m_fabric.switches.GetN(); ++i)
        {
            const Ptr<Node> node = m_fabric.switches.Get(i);
            for (uint32_t d = 0; d < node->GetNDevices(); ++d)
            {
                const auto channel = DynamicCast<FabricChannel>(node->GetDevice(d)->GetChannel());
                for (const Ptr<ErrorModel>& model : channel->GetErrorModels())
                {
                    if (model)
                    {
                        DynamicCast<RateErrorModel>(model)->AssignStreams(stream++);
                    }
                }
            }
        }
    }

    /// An initiator on one host for a target on another.
    void Connect(FabricTransportHelper& transport, uint32_t from, uint32_t to)
    {
        auto initiator = DynamicCast<FabricInitiatorApplication>(
            transport
                .InstallInitiator(m_fabric.hosts.Get(from), m_fabric.GetDevice(to)->GetAddress())
                .Get(0));
        initiator->TraceConnectWithoutContext(
            "Completed",
            Callback<void, const RdmaEvent&, Time>(
                [this, from](const RdmaEvent& event, Time) { Note("completed", from, event); }));
        initiator->TraceConnectWithoutContext(
            "Error",
            Callback<void, const RdmaEvent&>(
                [this, from](const RdmaEvent& event) { Note("error", from, event); }));
        m_initiators.push_back(initiator);
        if (from == 0)
        {
            auto target =
                DynamicCast<FabricTargetApplication>(m_fabric.hosts.Get(to)->GetApplication(0));
            target->TraceConnectWithoutContext(
                "Presented",
                Callback<void, const RdmaEvent&>(
                    [this, to](const RdmaEvent& event) { Note("presented", to, event); }));
        }
    }

    /// Native messages between the hosts, in the same NICs.
    void AddMessages()
    {
        for (uint32_t i = 0; i < m_fabric.hosts.GetN(); ++i)
        {
            auto sender = CreateObject<FabricMessageSender>();
            const uint32_t remote = (i + 1) % m_fabric.hosts.GetN();
            sender->SetAttribute("Remote", UintegerValue(LocationOf(remote)));
            sender->SetAttribute("Bytes", UintegerValue(30000));
            sender->SetAttribute("Count", UintegerValue(10));
            sender->SetAttribute("Interval", TimeValue(NanoSeconds(1300)));
            m_fabric.hosts.Get(i)->AddApplication(sender);
        }
        m_fabric.network->TraceConnectWithoutContext(
            "MessageDelivered",
            Callback<void, const Message&, Time>([this](const Message& message, Time now) {
                m_journal << now.GetPicoSeconds() << " message " << message.src << " to "
                          << message.dst << "\n";
            }));
    }

    /// Writes down what an application was told.
    void Note(const char* what, uint32_t host, const RdmaEvent& event)
    {
        m_journal << Simulator::Now().GetPicoSeconds() << " host " << host << " " << what << " "
                  << event.cookie << " from " << event.cid << " status "
                  << static_cast<int>(event.status) << " at " << event.at << "\n";
        m_isPunctual = m_isPunctual && Simulator::Now().GetPicoSeconds() > event.at &&
                       Simulator::GetContext() == m_fabric.hosts.Get(host)->GetId();
    }

    Simulation m_simulation;                                   ///< Ends with the run.
    FabricContainer m_fabric;                                  ///< The fabric.
    std::vector<Ptr<FabricInitiatorApplication>> m_initiators; ///< By host.
    std::ostringstream m_journal;                              ///< What applications were told.
    bool m_isPunctual{true};                                   ///< When they should.
};

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
        for (uint32_t mix = 0; mix < 8; ++mix)
        {
            NicScenario scenario;
            scenario.completionLatency = latency;
            scenario.loss = mix & 1 ? 0.03 : 0;
            scenario.reorder = mix & 2 ? 0.1 : 0;
            scenario.duplicate = mix & 2 ? 0.1 : 0;
            scenario.frameErrors = mix & 4 ? 0.01 : 0;
            scenario.messages = mix & 4;
            scenario.bytes = mix & 1 ? 3000 : 50000;
            scenario.marks = mix & 2;
            auto ahead = std::make_unique<NicRun>(scenario);
            const std::string expected = ahead->GetJournal();
            const FabricTotals totals = ahead->GetFabric().network->GetTotals();
            test.Expect(ahead->IsPunctual(), "punctual with look-ahead");
            const uint64_t marked = ahead->GetMarkedFrames();
            test.Expect((marked > 0) == scenario.marks, std::to_string(marked) + " are marked");
            test.Expect(expected.size() > 1000, "there is something to compare");
            ahead.reset(); // there is one simulator
            scenario.lookahead = false;
            const NicRun step(scenario);
            const std::string what = "latency " + std::to_string(latency.GetPicoSeconds()) +
                                     " ps, mix " + std::to_string(mix);
            test.ExpectSame(step.GetJournal(), expected, what);
            test.Expect(step.GetFabric().network->GetTotals().dataHops == totals.dataHops,
                        what + ": hops");
            test.Expect(step.GetMarkedFrames() == marked, what + ": marks");
            test.Expect(step.IsPunctual(), what + ": punctual without look-ahead");
        }
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

/// Results do not depend on the number of threads.
void
TestThreads(FunctionCase& test)
{
    for (uint32_t mix = 0; mix < 8; ++mix)
    {
        NicScenario scenario;
        scenario.loss = mix & 1 ? 0.03 : 0;
        scenario.reorder = mix & 2 ? 0.1 : 0;
        scenario.duplicate = mix & 2 ? 0.1 : 0;
        scenario.messages = mix & 4;
        scenario.bytes = mix & 1 ? 3000 : 50000;
        scenario.marks = mix & 2;
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
        add("DP-4 no ns-3 event for a packet", TestEvents);
        add("RT-18 what is not allowed is refused with a sentence", TestBadNicInput);
        add("RT-18 a host without the transport", TestNobodyThere);
        add("DP-15 threads change nothing that an application sees", TestThreads);
        add("DP-5 look-ahead changes nothing that an application sees", TestLookahead);
    }
};

static FabricTransportNicTestSuite g_fabricTransportNicTestSuite; ///< Registers the suite.

} // namespace fabric
} // namespace ns3
