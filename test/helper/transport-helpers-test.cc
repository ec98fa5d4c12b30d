/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-link-failure-options.h"
#include "fabric-program.h"
#include "fabric-routed-target-network.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-switched-target-network.h"
#include "fabric-tcp-bulk-traffic.h"
#include "fabric-transport-options.h"
#include "fabric-transport-traffic.h"
#include "support/fabric-csv-rows.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-scratch-folder.h"

#include "ns3/channel.h"
#include "ns3/double.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return hosts around one switch, of which the last receives
FabricContainer
MakeFabric(uint32_t senders)
{
    const TopologyPlan plan = MakeChainPlan({senders});
    FabricHelper helper;
    helper.SetChannelAttribute("DataRate", DataRateValue(DataRate("200Gbps")));
    helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
    return helper.Install(plan, MakeShortestPathRouting(plan));
}

/// @return the values of a metric of a summary by what they are about
std::map<std::string, double>
ValuesOf(const Summary& summary, const std::string& metric)
{
    std::stringstream csv;
    summary.WriteCsv(csv);
    std::map<std::string, double> values;
    for (const auto& row : ReadCsv(std::move(csv)))
    {
        if (row.at("metric") == metric)
        {
            values[SubjectOf(row)] = std::stod(row.at("value"));
        }
    }
    return values;
}

/// Checks the traffic of the reliable transport over a network.
void
CheckPushes(FunctionCase& self, const TargetNetwork& network)
{
    TransportOptions options;
    options.bytes = 10'000;
    options.count = 3;
    FabricTransportHelper helper;
    options.SetAttributes(helper);
    FabricTransportTraffic traffic(network);
    traffic.Install(helper);
    self.Expect(traffic.GetDone() == 0, "nothing is done");
    Simulator::Run();
    traffic.CheckComplete();
    traffic.GetTotals().CheckConservation();
    const uint64_t all = uint64_t{30'000} * network.GetSenders();
    const TargetNetwork::Completion completion = traffic.GetCompletion();
    self.Expect(traffic.GetDone() == 1, "all is done");
    self.Expect(completion.bytes == all, "bytes");
    self.Expect(completion.bytesToTarget > all && completion.bytesToTarget < 1.1 * all,
                "over the link come headers too");
    self.ExpectEqual(completion.bytesFromTarget, 0, "no data come from it");
    self.Expect(completion.end * 1e-12 > 8e-9 * all / 200, "not faster than the link");
    self.Expect(network.GetPeakQueue() > 0, "packets wait");
    Summary summary;
    network.AddCompletion(summary, completion);
    network.AddOwnFigures(summary);
    traffic.AddFigures(summary);
    self.Expect(ValuesOf(summary, "goodput").size() == 1, "goodput");
    self.Expect(ValuesOf(summary, "cam_peak").size() == 3, "peaks of both engines, and of targets");
    Simulator::Destroy();
}

/// Pushes over a fabric and over a router are measured alike.
void
TestPushes(FunctionCase& self)
{
    CheckPushes(self, SwitchedTargetNetwork(MakeFabric(4), 2));
    RoutedTargetNetwork::Settings settings;
    settings.senders = 2;
    CheckPushes(self, RoutedTargetNetwork(settings));
}

/**
 * One push of 4000 bytes at 200 Gb/s through a switch: the columns by hand. On a link a data packet
 * has 88 bytes more than its payload (24 of the frame), an ACK 92 in all; two links and the
 * switch take 550 ns more.
 */
void
TestColumns(FunctionCase& self)
{
    const ScratchFolder folder(self, "transport-columns");
    const std::filesystem::path& out = folder.Get();
    const SwitchedTargetNetwork network(MakeFabric(1), 1);
    TransportOptions options;
    options.bytes = 4'000;
    options.push = "unsolicited";
    FabricTransportHelper helper;
    options.SetAttributes(helper);
    FabricTransportTraffic traffic(network);
    traffic.SampleWindows(NanoSeconds(1'200));
    traffic.Install(helper, true);
    Simulator::Run();
    RunDirectory directory(out, false);
    traffic.Write(directory);
    directory.Commit();
    const double end = traffic.GetCompletion().end * 1e-12;
    Simulator::Destroy();

    const CsvRows messages = ReadCsv(out / "messages.csv");
    self.Expect(messages.size() == 1 && messages[0].at("operation") == "write" &&
                    messages[0].at("status") == "ok",
                "a write");
    ExpectRow(self,
              messages,
              0,
              {{"host", 0},
               {"number", 0},
               {"bytes", 4'000},
               {"solicited", 0},
               {"start_s", 0},
               {"end_s", end},
               {"latency_s", end},
               {"fct_s", end}});

    double sentAt = 0;
    double acknowledgedAt = 0;
    std::string types;
    for (const auto& packet : ReadCsv(out / "packets.csv"))
    {
        const std::string& type = packet.at("type");
        const double time = std::stod(packet.at("time_s"));
        const bool isSent = packet.at("direction") == "tx";
        types += isSent ? type + " " : "";
        if (type == "pushUnslctdData")
        {
            sentAt = isSent ? time : sentAt;
            ExpectRow(self,
                      {packet},
                      0,
                      {{"host", isSent ? 0 : 1},
                       {"node", isSent ? 0 : 1},
                       {"peer", isSent ? 1 : 0},
                       {"resend", 0},
                       {"bytes", 4'000},
                       {"psn", 0},
                       {"sent_s", sentAt},
                       {"time_s", isSent ? sentAt : sentAt + 550e-9 + 4'088 * 8 / 200e9}});
        }
        acknowledgedAt = type == "ack" && packet.at("data_base") == "1" ? time : acknowledgedAt;
    }
    self.Expect(types == "connect accept ack pushUnslctdData ack close closed ", types);

    const double roundTrip = 2 * 550e-9 + (4'088 + 92) * 8 / 200e9;
    const CsvRows windows = ReadCsv(out / "windows.csv");
    self.Expect(windows.size() == 3, "samples of the connection");
    for (std::size_t i = 0; i < windows.size(); ++i)
    {
        const double time = 1.2e-6 * static_cast<double>(i + 1);
        const bool isOver = time > acknowledgedAt;
        ExpectRow(self,
                  windows,
                  i,
                  {{"time_s", time},
                   {"host", 0},
                   {"window_packets", 128},
                   {"in_flight_packets", isOver ? 0 : 1},
                   {"round_trip_s", isOver ? roundTrip : 0}});
    }
    self.Expect(windows.back().at("in_flight_packets") == "0", "the last is after the ACK");
}

/// Operations that fail are told, and have no latency.
void
TestFailures(FunctionCase& self)
{
    const ScratchFolder folder(self, "transport-failures");
    const std::filesystem::path& out = folder.Get();
    const SwitchedTargetNetwork network(MakeFabric(1), 1);
    TransportOptions options;
    options.bytes = 100;
    FabricTransportHelper helper;
    options.SetAttributes(helper);
    helper.SetAttribute("Loss", DoubleValue(1));
    helper.SetAttribute("RetryLimit", UintegerValue(1));
    FabricTransportTraffic traffic(network);
    traffic.Install(helper);
    Simulator::Run();
    Summary summary;
    traffic.AddFigures(summary);
    self.Expect(ValuesOf(summary, "latency").empty(), "latencies");
    const std::map<std::string, double> expected{{"status=ok", 0}, {"status=retry-limit", 1}};
    self.Expect(ValuesOf(summary, "operations") == expected, "one failed, none is complete");
    self.ExpectEqual(traffic.GetTotals().bytesDropped["failed"], 100, "bytes that failed");
    RunDirectory directory(out, false);
    traffic.Write(directory);
    directory.Commit();
    const CsvRows messages = ReadCsv(out / "messages.csv");
    self.Expect(messages.size() == 1 && messages[0].at("status") == "retry-limit", "status");
    self.Expect(messages[0].count("fct_s") == 0, "no flow completion time");
    Simulator::Destroy();
}

/// Checks that all is accounted for after connections failed, and not before. @return operations
/// that are complete
uint64_t
CheckFailedTraffic(FunctionCase& self,
                   const TargetNetwork& network,
                   const TransportOptions& options,
                   const std::string& what,
                   double loss,
                   uint32_t retryLimit)
{
    const uint64_t all = uint64_t{options.count} * network.GetSenders();
    FabricTransportHelper helper;
    options.SetAttributes(helper);
    helper.SetAttribute("Loss", DoubleValue(loss));
    helper.SetAttribute("RetryLimit", UintegerValue(retryLimit));
    FabricTransportTraffic traffic(network);
    traffic.SampleWindows(MilliSeconds(1)); // which must end
    traffic.Install(helper);
    Simulator::Stop(MicroSeconds(15));
    Simulator::Run();
    self.Expect(!Refusal<InvariantError>([&] { traffic.CheckComplete(); }).empty(),
                what + "operations that are under way are no results");
    Simulator::Run();
    traffic.CheckComplete();
    self.Expect(traffic.GetDone() == 1, what + "done");
    RunTotals totals = traffic.GetTotals();
    totals.CheckConservation();
    self.Expect(totals.bytesInFlight == 0 && totals.bytesDropped["failed"] > 0, what + "bytes");
    Summary summary;
    network.AddCompletion(summary, traffic.GetCompletion());
    traffic.AddFigures(summary);
    std::ostringstream csv;
    summary.WriteCsv(csv);
    self.Expect(csv.str().find("nan") == std::string::npos &&
                    csv.str().find("inf") == std::string::npos,
                what + "all figures are numbers");
    std::map<std::string, double> operations = ValuesOf(summary, "operations");
    const auto complete = static_cast<uint64_t>(operations["status=ok"]);
    double counted = 0;
    for (const auto& [status, number] : operations)
    {
        counted += number;
    }
    self.ExpectEqual(counted, all, what + "every operation is counted once");
    self.ExpectEqual(totals.bytesDelivered, complete * options.bytes, what + "complete bytes");
    Simulator::Destroy();
    return complete;
}

/// A link that fails for good, total loss, no retries: results, with pushes and pulls under way.
void
TestFailedConnections(FunctionCase& self)
{
    TransportOptions options;
    options.bytes = 20'000;
    options.count = 100;
    options.outstanding = 10;
    options.operations = {"push", "pull"};
    for (const std::string link : {"target", "sender"})
    {
        const FabricContainer fabric = MakeFabric(2);
        LinkFailureOptions failure;
        failure.failAt = MicroSeconds(12);
        failure.link = link;
        failure.Plan(fabric);
        const uint64_t complete =
            CheckFailedTraffic(self, SwitchedTargetNetwork(fabric, 2), options, link + ": ", 0, 2);
        self.Expect(link == "target" ? complete > 0 && complete < 100 : complete > 100,
                    link + ": " + std::to_string(complete) + " are complete");
    }
    for (const uint32_t retries : {0U, 2U})
    {
        const FabricHelper resolution; // of times: ps
        RoutedTargetNetwork::Settings settings;
        settings.senders = 2;
        const uint64_t complete = CheckFailedTraffic(self,
                                                     RoutedTargetNetwork(settings),
                                                     options,
                                                     "total loss: ",
                                                     1,
                                                     retries);
        self.ExpectEqual(complete, 0, "none arrives");
    }
}

/// An application that is stopped before it was started posts nothing: no figure divides by that.
void
TestNothingPosted(FunctionCase& self)
{
    const SwitchedTargetNetwork network(MakeFabric(1), 1);
    Summary summary;
    network.AddCompletion(summary, TargetNetwork::Completion());
    const std::map<std::string, double> none{{"", 0}};
    self.Expect(ValuesOf(summary, "goodput") == none, "goodput");
    self.Expect(ValuesOf(summary, "receiver_link_busy") == none, "link");
    Simulator::Destroy();
}

/// What is dropped is a figure on request.
void
TestDrops(FunctionCase& self)
{
    const FabricContainer fabric = MakeFabric(1);
    SwitchedTargetNetwork network(fabric, 1);
    Summary without;
    network.AddOwnFigures(without);
    network.ReportDrops();
    Summary with;
    network.AddOwnFigures(with);
    self.Expect(ValuesOf(without, "fabric_dropped").empty(), "not asked for");
    self.Expect(ValuesOf(with, "fabric_dropped").size() ==
                    fabric.network->GetTotals().dropped.size(),
                "a row for each cause");
    self.Expect(!Refusal([&] { SwitchedTargetNetwork(fabric, 2); }).empty(), "too many senders");
    Simulator::Destroy();
}

/// TCP moves all bytes over a router, and none if all packets are lost.
void
TestTcp(FunctionCase& self)
{
    const FabricHelper resolution; // of times: ps
    RoutedTargetNetwork::Settings settings;
    settings.senders = 2;
    settings.rate = DataRate("1Gbps");
    settings.mtu = 1'500;
    for (const double loss : {0.0, 1.0})
    {
        RoutedTargetNetwork network(settings);
        network.SetLoss(loss);
        const TcpBulkTraffic traffic(network, 50'000);
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        const TargetNetwork::Completion completion = traffic.GetCompletion();
        const bool isComplete = Refusal<InvariantError>([&] { traffic.CheckComplete(); }).empty();
        traffic.GetTotals().CheckConservation();
        self.Expect(isComplete == (loss == 0), "complete without losses");
        self.Expect(completion.bytes == (loss == 0 ? 100'000 : 0), "bytes");
        self.Expect(traffic.GetDone() == (loss == 0 ? 1 : 0), "part");
        self.Expect(loss != 0 || completion.end * 1e-12 > 100'000 * 8e-9, "1 Gb/s at most");
        Simulator::Destroy();
    }
}

/// @return part of the packets that a router marks of those that find so many in its queue
double
PartMarked(const RoutedTargetNetwork::RedMarking& marking, uint32_t waiting)
{
    const FabricHelper resolution; // of times: ps
    RoutedTargetNetwork::Settings settings;
    settings.mtu = 1'500;
    settings.marking = marking;
    const RoutedTargetNetwork network(settings);
    const Ptr<NetDevice> host = network.GetTarget()->GetDevice(1); // 0 is the loopback
    const Ptr<ns3::Channel> link = host->GetChannel();
    const Ptr<NetDevice> router = link->GetDevice(link->GetDevice(0) == host ? 1 : 0);
    const auto layer = router->GetNode()->GetObject<TrafficControlLayer>();
    const Ptr<QueueDisc> queue = layer->GetRootQueueDiscOnDevice(router);
    queue->Initialize();
    Ipv4Header header;
    header.SetEcn(Ipv4Header::ECN_ECT0);
    const auto push = [&queue, &header] {
        queue->Enqueue(Create<Ipv4QueueDiscItem>(Create<Packet>(1'000), Address(), 0x0800, header));
    };
    for (uint32_t i = 0; i < waiting; ++i)
    {
        push();
    }
    constexpr uint32_t PACKETS = 20'000;
    const uint32_t before = queue->GetStats().nTotalMarkedPackets;
    for (uint32_t i = 0; i < PACKETS; ++i)
    {
        push();
        queue->Dequeue();
    }
    const uint32_t marked = queue->GetStats().nTotalMarkedPackets - before;
    Simulator::Destroy();
    return static_cast<double>(marked) / PACKETS;
}

/// A router marks by DCTCP's single threshold, or by the curve of DCQCN.
void
TestPartMarked(FunctionCase& self)
{
    RoutedTargetNetwork::RedMarking marking;
    marking.minPackets = marking.maxPackets = 65;
    for (const uint32_t waiting : {10U, 64U, 65U, 66U, 100U})
    {
        self.Expect(PartMarked(marking, waiting) == (waiting < 65 ? 0 : 1),
                    "one threshold, " + std::to_string(waiting) + " packets wait");
    }
    marking = {5, 105, 0.1};
    for (const uint32_t waiting : {5U, 15U, 30U, 55U, 80U, 95U, 105U})
    {
        const double wanted = waiting < 105 ? 0.1 * (waiting - 5) / 100 : 1;
        const double part = PartMarked(marking, waiting);
        self.Expect(std::abs(part - wanted) <= 0.06 * wanted, // three sigma, and RED's spacing
                    std::to_string(part) + " for " + std::to_string(wanted) + ", " +
                        std::to_string(waiting) + " packets wait");
    }
}

/// A queue that marks holds less than one that does not.
void
TestMarks(FunctionCase& self)
{
    const FabricHelper resolution; // of times: ps
    uint64_t peaks[2];
    for (const bool marks : {false, true})
    {
        RoutedTargetNetwork::Settings settings;
        settings.senders = 4;
        settings.rate = DataRate("10Gbps");
        settings.marking.minPackets = settings.marking.maxPackets = marks ? 20 : 0;
        const RoutedTargetNetwork network(settings);
        TransportOptions options;
        options.bytes = 1'000'000;
        options.push = "unsolicited";
        options.congestionControl = marks ? "marks" : "fixed";
        FabricTransportHelper helper;
        options.SetAttributes(helper);
        FabricTransportTraffic traffic(network);
        traffic.Install(helper);
        Simulator::Run();
        traffic.CheckComplete();
        peaks[marks] = network.GetPeakQueue();
        Simulator::Destroy();
    }
    self.Expect(peaks[1] < peaks[0],
                std::to_string(peaks[1]) + " bytes with marks, " + std::to_string(peaks[0]) +
                    " without");
}

/// Options of the transport that do not go together are refused.
void
TestTransportOptions(FunctionCase& self)
{
    TransportOptions options;
    options.Check(2);
    options.CheckTcp(false);
    options.loss = 0.1;
    options.CheckTcp(true);
    self.Expect(Refusal([&] { options.CheckTcp(false); }).rfind("--protocol=tcp: ", 0) == 0,
                "losses of a fabric");
    options.loss = 0;
    options.ordered = false;
    self.Expect(Refusal([&] { options.CheckTcp(true); }) ==
                    "--ordered=false: allowed is only --protocol=rt with it",
                "order");
    options.trace = true;
    options.Check(1);
    self.Expect(!Refusal([&] { options.Check(2); }).empty(), "traces of two threads");
}

/// Links are found by name, and fail at the time that is said.
void
TestLinkFailure(FunctionCase& self)
{
    const FabricHelper resolution; // of times: ps
    LinkFailureOptions options;
    options.Check();
    options.Refuse("nothing");
    options.repairAt = MicroSeconds(3);
    self.Expect(!Refusal([&] { options.Check(); }).empty(), "repaired without having failed");
    options.failAt = MicroSeconds(1);
    options.Check();
    self.Expect(Refusal([&] { options.Refuse("0 over ip"); }).find("allowed is 0 over ip") !=
                    std::string::npos,
                "no fabric");
    const FabricContainer fabric = MakeFabric(2);
    for (const std::string link : {"x", "0-1", "0-0-0"})
    {
        options.link = link;
        self.Expect(Refusal([&] { options.Plan(fabric); }).rfind("--failLink=" + link, 0) == 0,
                    "no link " + link);
    }
    options.link = "sender";
    options.Plan(fabric);
    std::vector<Time> arrivals;
    fabric.GetDevice(2)->SetMessageCallback(Callback<void, const Message&>(
        [&arrivals](const Message&) { arrivals.push_back(Simulator::Now()); }));
    for (const int64_t us : {0, 2})
    {
        Simulator::Schedule(MicroSeconds(us),
                            [&fabric] { fabric.GetDevice(0)->SendMessage(LocationOf(2), 100); });
    }
    fabric.network->StopAt(MicroSeconds(10));
    Simulator::Run();
    self.Expect(arrivals.size() == 2 && arrivals[0] < MicroSeconds(1) &&
                    arrivals[1] > MicroSeconds(3),
                "what is sent meanwhile waits for the repair");
    Simulator::Destroy();
}

/// The suite.
class TransportHelpersSuite : public FunctionSuite
{
  public:
    TransportHelpersSuite()
        : FunctionSuite("fabric-transport-helpers", kUnit)
    {
        Add("RT-17 pushes over a fabric and over IP are measured alike", TestPushes);
        Add("SC-5 columns of operations, packets and windows are those by hand", TestColumns);
        Add("RT-18 operations that fail are told, and have no latency", TestFailures);
        Add("PR-4 connections that fail are results, in which all is accounted for",
            TestFailedConnections);
        Add("PR-3 where nothing was posted there is no goodput", TestNothingPosted);
        Add("WL-8 what a fabric drops is a figure on request", TestDrops);
        Add("RT-17 TCP moves all bytes to the target of a router", TestTcp);
        Add("RT-14 a router that marks holds less", TestMarks);
        Add("RT-14 a router marks by a threshold or a curve", TestPartMarked);
        Add("PR-4 options of the transport refuse what contradicts them", TestTransportOptions);
        Add("WL-8 a link fails and is repaired as options say", TestLinkFailure);
    }
};

const TransportHelpersSuite g_transportHelpersSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
