/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-carried-flows.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-flow-list-maker.h"
#include "fabric-flow-results.h"
#include "fabric-flow-traffic.h"
#include "fabric-goal-traffic.h"
#include "fabric-ideal-paths.h"
#include "fabric-program.h"
#include "fabric-rdma-flow-carrier.h"
#include "fabric-transport-ideal.h"
#include "support/fabric-csv-rows.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return how long a packet takes on a link of 100 Gb/s. @param bytes of header and payload
TimePs
OnLink(uint64_t bytes)
{
    return static_cast<TimePs>(WireBytes(static_cast<uint32_t>(bytes))) * 80;
}

/// A run over the reliable transport.
class CarriedRun
{
  public:
    using SetUp = std::function<void(FatTreeHelper&, FabricTransportHelper&)>; ///< Of a run.

    /// @param list of flows; stays @param setUp of fabric and transport; may be empty
    explicit CarriedRun(const FlowList& list, const SetUp& setUp = {}, uint32_t connections = 1)
        : m_list(list)
    {
        FatTreeHelper tree(4);
        FabricTransportHelper transport;
        if (setUp)
        {
            setUp(tree, transport);
        }
        fabric = tree.Install();
        carrier = std::make_unique<RdmaFlowCarrier>(fabric, list, transport, connections);
    }

    ~CarriedRun()
    {
        Simulator::Destroy();
    }

    CarriedRun(const CarriedRun&) = delete;
    CarriedRun& operator=(const CarriedRun&) = delete;

    /// Runs flows that start by time and trigger. @return this
    CarriedRun& Run()
    {
        const FabricFlowTraffic traffic(*carrier, m_list);
        Simulator::Run();
        return *this;
    }

    /// @return what came of each flow, by number
    std::map<uint32_t, FlowTimes> Times() const
    {
        return TimesByFlow(*carrier);
    }

    /// @return a figure, 0 if there is none. @param metric and what it is about
    double Figure(const std::string& metric) const
    {
        return FigureOf(*carrier, metric);
    }

    /// @return rows of messages.csv
    CsvRows Messages() const
    {
        return MessagesOf(*carrier);
    }

    FabricContainer fabric;                   ///< The fabric.
    std::unique_ptr<RdmaFlowCarrier> carrier; ///< Of the flows.

  private:
    const FlowList& m_list; ///< The flows.
};

/// The ideal by hand: packets of 4032 bytes over two links that store and forward.
void
TestCarriedIdeal(FunctionCase& test)
{
    const PathLink link{LinkRate(100'000'000'000), 1'000'000, Handover::TAIL, 0};
    const EmptyPath path({link, link}, 4096);
    ConnectionSettings settings;
    settings.mtu = 4032;
    const TransportIdeal ideal(path, path, settings);
    const auto header = [](TransportPacketType type) { return TransportHeaderBytes(type); };
    const uint32_t unsolicited = header(TransportPacketType::PUSH_UNSOLICITED_DATA);
    const uint32_t solicited = header(TransportPacketType::PUSH_SOLICITED_DATA);
    const TimePs delays = 2'000'000;
    test.ExpectEqual(ideal.CompletionTime(1), delays + 2 * OnLink(unsolicited + 1), "a byte");
    test.ExpectEqual(ideal.CompletionTime(4032),
                     delays + 2 * OnLink(unsolicited + 4032),
                     "a full packet");
    // Most often the second link sends the last packet when it has the one before.
    test.ExpectEqual(ideal.CompletionTime(4033),
                     delays + 2 * OnLink(unsolicited + 4032) + OnLink(unsolicited + 1),
                     "two packets");
    const TimePs asks = 2 * delays +
                        2 * OnLink(header(TransportPacketType::PUSH_SOLICITED_REQUEST)) +
                        2 * OnLink(header(TransportPacketType::PUSH_GRANT));
    const TimePs data = delays + 6 * OnLink(solicited + 4032);
    test.ExpectEqual(ideal.CompletionTime(5 * 4032), asks + data, "it asks first");
    settings.solicitation = Solicitation::NEVER;
    test.ExpectEqual(TransportIdeal(path, path, settings).CompletionTime(5 * 4032),
                     delays + 6 * OnLink(unsolicited + 4032),
                     "it does not ask");
    const TimePs base = 2 * delays + 2 * 4032 * 80;
    test.ExpectEqual(ideal.HpccIdeal(5 * 4032),
                     base + 5 * OnLink(solicited + 4032),
                     "by HPCC's formula");
}

/// A flow that is alone takes its ideal time, whatever its size is.
void
TestCarriedAlone(FunctionCase& test)
{
    const std::vector<uint64_t>
        sizes{1, 100, 4032, 4033, 10'000, 16'384, 16'385, 65'537, 100'000, 524'289, 1'048'576};
    std::string lines;
    for (std::size_t i = 0; i < sizes.size(); ++i)
    {
        lines +=
            "0 15 0 100 " + std::to_string(sizes[i]) + " " + std::to_string(0.001 * (i + 1)) + "\n";
    }
    const FlowList list = FlowsOf(static_cast<uint32_t>(sizes.size()), lines);
    for (const bool hasFlowChannels : {false, true})
    {
        CarriedRun run(list, [&](FatTreeHelper& tree, FabricTransportHelper& transport) {
            tree.SetSwitchAttribute("FlowChannels", BooleanValue(hasFlowChannels));
            transport.SetAttribute("CongestionControl",
                                   StringValue(hasFlowChannels ? "fixed" : "delay"));
        });
        run.Run().carrier->CheckComplete();
        const auto times = run.Times();
        test.ExpectEqual(times.size(), sizes.size(), "all are done");
        for (const auto& [flow, of] : times)
        {
            // Acknowledgements of grants go between data, of the transport and of flow channels.
            const bool isExact = sizes[flow] <= 65'537 && !hasFlowChannels;
            const TimePs most = of.ideal + (isExact ? 0 : of.ideal / 1000);
            test.Expect(of.fct >= of.ideal && of.fct <= most,
                        Text(sizes[flow], " bytes: ", of.fct, ", not ", of.ideal));
            test.ExpectEqual(of.start, list.flows[flow].start, "it starts at its time");
        }
    }
}

/// The columns of messages.csv, the figures and the totals of one flow.
void
TestCarriedFigures(FunctionCase& test)
{
    const FlowList list = FlowsOf(1, "3 12 5 100 5000 0.000001\n");
    CarriedRun run(list);
    run.Run();
    const FlowTimes of = run.Times().at(0);
    const CsvRows rows = run.Messages();
    test.ExpectEqual(rows.size(), 1U, "a flow");
    const double latency = std::stod(rows[0].at("latency_s"));
    ExpectRow(test,
              rows,
              0,
              {{"src", 3},
               {"dst", 12},
               {"message", 0},
               {"traffic_class", 5},
               {"bytes", 5000},
               {"start_s", 1e-6},
               {"end_s", 1e-6 + of.fct * 1e-12},
               {"fct_s", of.fct * 1e-12},
               {"ideal_s", of.ideal * 1e-12},
               {"slowdown", 1},
               {"hpcc_ideal_s", of.standalone * 1e-12}});
    test.Expect(latency > 2 * of.fct * 1e-12 - 1e-6 && latency < 2 * of.fct * 1e-12 + 3e-6,
                "the initiator knows it after another way, and its host later");
    test.ExpectEqual(run.Figure("operations;status=ok"), 1, "an operation");
    test.ExpectEqual(run.Figure("connections"), 1, "a connection");
    test.ExpectEqual(run.Figure("latency;stat=max"), latency, "the same latency");
    const RunTotals totals = run.carrier->GetTotals(run.carrier->GetEnd());
    totals.CheckConservation();
    test.ExpectEqual(totals.bytesOffered, 5000, "offered");
    test.ExpectEqual(totals.bytesDelivered, 5000, "delivered");
    test.ExpectEqual(ToSeconds(totals.simulatedTime), 1e-6 + latency, "until all is known");
    test.Expect(totals.dataHops > 0 && totals.controlHops > 0, "hops");
    test.ExpectEqual(run.carrier->GetDone(), 1, "done");
}

/// Flows of two hosts share a connection of their class, or take several in turn.
void
TestCarriedConnections(FunctionCase& test)
{
    const FlowList list = FlowsOf(5,
                                  "0 1 0 100 1000000 0\n0 1 1 100 100 0\n1 0 0 100 100 0\n"
                                  "0 1 0 100 100 0.000001\n0 1 0 100 100 0.000001\n");
    const auto run = [&](uint32_t connections) {
        CarriedRun carried(
            list,
            [](FatTreeHelper&, FabricTransportHelper& transport) {
                transport.SetAttribute("Solicitation", StringValue("never"));
            },
            connections);
        carried.Run().carrier->CheckComplete();
        const std::vector<FlowTimes> times = carried.carrier->GetTimes();
        test.Expect(std::is_sorted(times.begin(),
                                   times.end(),
                                   [](const FlowTimes& a, const FlowTimes& b) {
                                       return a.start + a.fct < b.start + b.fct;
                                   }),
                    "as they are done");
        return std::pair(carried.Figure("connections"), carried.Times());
    };
    const auto [one, waits] = run(1);
    test.ExpectEqual(one, 3, "of two classes, and back");
    test.Expect(waits.at(3).fct > waits.at(0).ideal / 2, "it waits for what is before it");
    const auto [all, apart] = run(8);
    test.ExpectEqual(all, 5, "a connection each");
    test.Expect(apart.at(3).fct < apart.at(0).fct / 10, "it does not wait");
    test.Expect(apart.at(4).fct < apart.at(0).fct / 10, "it does not wait either");
}

/// Frames have the class of their flow, in both directions: those of another are not dropped.
void
TestCarriedClasses(FunctionCase& test)
{
    for (const bool isLossy : {true, false})
    {
        std::string lines = "14 15 3 100 100 0\n"; // says what is usual
        for (uint32_t src = 0; src < 12; ++src)
        {
            lines += std::to_string(src) + " 15 " + (isLossy ? "5" : "4") + " 100 100000 0\n";
        }
        const FlowList list = FlowsOf(13, lines);
        CarriedRun run(list, [](FatTreeHelper& tree, FabricTransportHelper& transport) {
            tree.SetSwitchAttribute("FlowChannels", BooleanValue(false));
            const StringValue classToVc("0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0");
            tree.SetSwitchAttribute("VirtualChannels", UintegerValue(2));
            tree.SetSwitchAttribute("ClassToVc", classToVc);
            tree.SetDeviceAttribute("ClassToVc", classToVc);
            tree.SetSwitchAttribute("LossyClasses", UintegerValue(1 << 5));
            tree.SetSwitchAttribute("LossyDropBytes", UintegerValue(20'000));
            transport.SetAttribute("Solicitation", StringValue("never"));
        });
        run.Run().carrier->CheckComplete();
        test.ExpectEqual(run.Times().size(), 13U, "all are done");
        test.ExpectEqual(run.Figure("resends") > 0, isLossy, "what is lost is sent again");
        test.ExpectEqual(run.Figure("fabric_dropped;cause=tail-drop") > 0, isLossy, "it is lost");
    }
}

/// Both ends send in the class of the connection, until its place is another's.
void
TestCarriedEnds(FunctionCase& test)
{
    FatTreeHelper tree(4);
    const FabricContainer fabric = tree.Install();
    FabricTransportHelper helper;
    helper.SetAttribute("TrafficClass", UintegerValue(3));
    helper.SetAttribute("MaxConnections", UintegerValue(2)); // a third one has the place of another
    helper.InstallNic(fabric.hosts);
    const auto source = fabric.hosts.Get(0)->GetObject<FabricNicTransport>();
    const auto target = fabric.hosts.Get(12)->GetObject<FabricNicTransport>();
    ClassWatch watch(fabric);
    const auto expect = [&](const std::set<uint32_t>& there,
                            const std::set<uint32_t>& back,
                            const std::string& what) {
        Simulator::Run();
        test.Expect(watch.seen[0] == there, what + ", from the source");
        test.Expect(watch.seen[12] == back, what + ", from the target");
        watch.seen.clear();
    };
    const FabricTransport::EventCallback nobody([](const RdmaEvent&) {});
    const ConnectionId five = source->ConnectAtOnce(*target, false, 5, nobody);
    const ConnectionId three = source->ConnectAtOnce(*target, false, 3, nobody);
    source->Post(five, RdmaOperation::WRITE, 10'000, 1);
    expect({5}, {5}, "the class of the connection");
    source->Post(five, RdmaOperation::SEND, 10'000, 1);
    Simulator::Schedule(MicroSeconds(15), [&target] { target->PostReceives(1); });
    expect({5}, {5}, "an answer 'not ready'");
    source->Post(three, RdmaOperation::WRITE, 10'000, 1);
    source->Post(five, RdmaOperation::READ, 10'000, 1);
    expect({3, 5}, {3, 5}, "both classes");
    source->Close(five);
    expect({5}, {3}, "what says that a connection is over has the usual class");
    const ConnectionId other = source->Connect(fabric.GetDevice(12)->GetAddress(), false, nobody);
    test.ExpectEqual(PlaceOf(other), PlaceOf(five), "it has the place of the first");
    source->Post(other, RdmaOperation::WRITE, 10'000, 1);
    expect({3}, {3}, "the usual class");
    test.ExpectEqual(
        Refusal([&] { source->ConnectAtOnce(*source, false, 3, nobody); }),
        "ns3::FabricNicTransport on node 0: the peer is no other host; allowed is the address of "
        "an ns3::FabricNetDevice of the same fabric",
        "itself");
    test.ExpectEqual(Refusal([&] { source->ConnectAtOnce(*target, false, 16, nobody); }),
                     "ns3::FabricNicTransport on node 0: the traffic class is 16; allowed is 0 to "
                     "15",
                     "no class");
    Simulator::Destroy();
}

/// Classes that switches treat in different ways can't share a transport, nor do without marks.
void
TestCarriedRefusals(FunctionCase& test)
{
    const FlowList list = FlowsOf(2, "0 1 3 100 100 0\n0 1 5 100 100 0\n");
    const auto refusal = [&list](const CarriedRun::SetUp& setUp) {
        const std::string sentence = Refusal([&] { const CarriedRun run(list, setUp); });
        Simulator::Destroy();
        return sentence;
    };
    test.ExpectEqual(refusal([](FatTreeHelper& tree, FabricTransportHelper&) {
                         tree.SetSwitchAttribute("NoFlowClasses", UintegerValue(1 << 5));
                         tree.SetSwitchAttribute("UnorderedClasses", UintegerValue(1 << 5));
                     }),
                     "ns3::FabricNicTransport on node 0: switches send frames by several ways of "
                     "only one of the traffic classes 3 (TrafficClass) and 5; allowed are classes "
                     "of which all or none are in UnorderedClasses of ns3::FabricSwitch",
                     "ways");
    test.ExpectEqual(refusal([](FatTreeHelper& tree, FabricTransportHelper& transport) {
                         tree.SetSwitchAttribute("MarkClasses", UintegerValue(1 << 3));
                         transport.SetAttribute("CongestionControl", StringValue("dcqcn"));
                     }),
                     "ns3::FabricNicTransport on node 0: CongestionControl is 'dcqcn', but no "
                     "switch marks frames of traffic class 5; allowed is fixed or delay, or dcqcn "
                     "where MarkClasses or MarkRules of ns3::FabricSwitch has that class",
                     "marks");
    test.ExpectEqual(refusal([](FatTreeHelper&, FabricTransportHelper& transport) {
                         transport.SetAttribute("MaxConnections", UintegerValue(1));
                     }),
                     "host 0 can't connect to host 1; allowed are as many connections of a host "
                     "as ns3::FabricTransport::MaxConnections says, and AcceptsConnections",
                     "connections");
    const FlowList large = FlowsOf(1, "0 1 3 100 2147483648 0\n");
    test.ExpectEqual(Refusal([&large] { RdmaFlowCarrier::RequireSizes(large); }),
                     "a flow has 2147483648 bytes; allowed are up to 2147483647, as much as an "
                     "operation of the reliable transport has",
                     "too long");
    const FlowList fits = FlowsOf(1, "0 1 3 100 2147483647 0\n");
    test.ExpectEqual(Refusal([&fits] { RdmaFlowCarrier::RequireSizes(fits); }), "", "it fits");
}

/// A trigger of the sender is activated an acknowledgement later than one of the receiver.
void
TestCarriedTriggers(FunctionCase& test)
{
    std::istringstream is("Nodes 4\nConnections 3\nTriggers 2\n"
                          "0->1 id 1 start 1000 size 5000 send_done_trigger 1 recv_done_trigger 2\n"
                          "0->2 id 2 trigger 1 size 100\n1->3 id 3 trigger 2 size 100\n"
                          "trigger id 1 oneshot\ntrigger id 2 oneshot\n");
    const FlowList list = FlowListMaker("m.cm").Make(ConnectionMatrix::Read(is, "m.cm"), 4);
    CarriedRun run(list);
    run.Run().carrier->CheckComplete();
    const auto times = run.Times();
    const TimePs received = times.at(0).start + times.at(0).fct;
    const TimePs latency = 273'000; // CompletionLatency
    test.ExpectEqual(times.at(0).start, 1000, "its start");
    test.ExpectEqual(times.at(2).start, received + latency, "when the receiver knows it");
    test.ExpectEqual(ToSeconds(times.at(1).start - times.at(0).start),
                     std::stod(run.Messages()[0].at("latency_s")),
                     "when the sender knows it");
    test.Expect(times.at(1).start > times.at(2).start + 1'000'000, "that is later");
}

/// A trace: each rank sends on when it has got something.
void
TestCarriedTrace(FunctionCase& test)
{
    const GoalFile file = RelayTrace(9);
    const FlowList list = FlowListMaker("t.goal").Make(file, 16);
    CarriedRun run(list);
    const FabricGoalTraffic traffic(*run.carrier, file);
    Simulator::Run();
    run.carrier->CheckComplete();
    const auto times = run.Times();
    test.ExpectEqual(times.at(1).start,
                     times.at(0).start + times.at(0).fct + 273'000 + 700'000,
                     "after it has got the message and has calculated");
    Summary summary;
    traffic.AddTo(summary);
    std::ostringstream csv;
    summary.WriteCsv(csv);
    test.Expect(csv.str().find("operations_done,5,") != std::string::npos, csv.str());
}

/// What fails is a result: bytes are accounted for, and flows after it are not posted.
void
TestCarriedFailures(FunctionCase& test)
{
    const FlowList list = FlowsOf(3, "0 1 0 100 1000 0\n0 1 0 100 2000 0.1\n2 3 0 100 50 0\n");
    CarriedRun run(list, [](FatTreeHelper&, FabricTransportHelper& transport) {
        transport.SetAttribute("Loss", DoubleValue(1));
        transport.SetAttribute("RetryLimit", UintegerValue(1));
    });
    const FabricFlowTraffic traffic(*run.carrier, list);
    Simulator::Stop(MicroSeconds(1));
    Simulator::Run();
    test.ExpectEqual(Refusal<InvariantError>([&run] { run.carrier->CheckComplete(); }),
                     "the run ended with 0 of 3 flows over",
                     "flows that are under way are no results");
    const RunTotals now = run.carrier->GetTotals(1'000'000);
    now.CheckConservation();
    test.ExpectEqual(now.bytesInFlight, 1050, "both are under way");
    Simulator::Run();
    run.carrier->CheckComplete();
    test.ExpectEqual(run.Times().size(), 0U, "none has arrived");
    test.ExpectEqual(run.Figure("operations;status=retry-limit"), 2, "both fail");
    test.ExpectEqual(run.Figure("operations;status=not-posted"), 1, "the last is not posted");
    test.ExpectEqual(run.Figure("operations;status=ok"), 0, "none is complete");
    const RunTotals totals = run.carrier->GetTotals(run.carrier->GetEnd());
    totals.CheckConservation();
    test.ExpectEqual(totals.bytesOffered, 1050, "what was posted");
    test.ExpectEqual(totals.bytesDropped.at("failed"), 1050, "has failed");
    test.ExpectEqual(run.carrier->GetDone(), 1, "done");
}

/// What was to start after a flow that has failed does not start, and is no mistake.
void
TestCarriedRest(FunctionCase& test)
{
    std::istringstream is("Nodes 4\nConnections 2\nTriggers 1\n"
                          "0->1 id 1 start 0 size 5000 send_done_trigger 1\n"
                          "0->2 id 2 trigger 1 size 100\ntrigger id 1 oneshot\n");
    const FlowList list = FlowListMaker("m.cm").Make(ConnectionMatrix::Read(is, "m.cm"), 4);
    CarriedRun run(list, [](FatTreeHelper&, FabricTransportHelper& transport) {
        transport.SetAttribute("Loss", DoubleValue(1));
        transport.SetAttribute("RetryLimit", UintegerValue(1));
    });
    run.Run().carrier->CheckComplete();
    test.ExpectEqual(run.carrier->GetDone(), 0.5, "one of two is over");
}

/// Suite of flows over the reliable transport.
class RdmaFlowCarrierSuite : public FunctionSuite
{
  public:
    RdmaFlowCarrierSuite()
        : FunctionSuite("fabric-rdma-flow-carrier", kUnit)
    {
        Add("PR-3 ideal time of a push", TestCarriedIdeal);
        Add("PR-3 flows that are alone take their ideal time", TestCarriedAlone);
        Add("PR-3 figures of a flow over the transport", TestCarriedFigures);
        Add("RT-1 connections of flows", TestCarriedConnections);
        Add("FF-2 traffic classes over the transport", TestCarriedClasses);
        Add("PR-4 what the transport can't carry", TestCarriedRefusals);
        Add("FF-6 triggers over the transport", TestCarriedTriggers);
        Add("FF-7 a trace over the transport", TestCarriedTrace);
        Add("RT-18 flows that fail", TestCarriedFailures);
        Add("RT-18 flows after one that fails", TestCarriedRest);
        Add("RT-1 ends of connections of a class", TestCarriedEnds);
    }
};

RdmaFlowCarrierSuite g_rdmaFlowCarrierSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
