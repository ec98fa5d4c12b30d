/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-carried-flows.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-flow-traffic.h"
#include "fabric-goal-traffic.h"
#include "fabric-ideal-paths.h"
#include "fabric-port-sampler.h"
#include "fabric-program.h"
#include "fabric-tcp-flow-carrier.h"
#include "fabric-tcp-hosts.h"
#include "fabric-tcp-stream.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/inet-socket-address.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-dctcp.h"
#include "ns3/uinteger.h"

#include <functional>
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

constexpr uint64_t SEGMENT = 4056;    ///< With 40 bytes of headers as much as a frame has.
constexpr uint64_t SYN_BYTES = 48;    ///< IP, TCP, and options: window scale and SACK.
constexpr uint64_t HEADER_BYTES = 40; ///< IP and TCP.

/// Attributes of TCP that make its times simple, until the case is over.
class PlainTcp
{
  public:
    PlainTcp()
    {
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
        Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
        Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(1)));
        Config::SetDefault("ns3::FabricNetDevice::DscpToClass",
                           StringValue(TcpFlowCarrier::DscpToClass()));
    }

    ~PlainTcp()
    {
        Config::Reset();
    }

    PlainTcp(const PlainTcp&) = delete;
    PlainTcp& operator=(const PlainTcp&) = delete;
};

/// A run over TCP.
class TcpRun
{
  public:
    using SetUp = std::function<void(FatTreeHelper&)>; ///< Of a run.

    /// @param list of flows; stays @param setUp of the fabric; may be empty
    explicit TcpRun(const FlowList& list, const SetUp& setUp = {})
        : m_list(list)
    {
        FatTreeHelper tree(4);
        tree.SetSwitchAttribute("FlowChannels", BooleanValue(false));
        if (setUp)
        {
            setUp(tree);
        }
        fabric = tree.Install();
        carrier = std::make_unique<TcpFlowCarrier>(fabric, list);
    }

    ~TcpRun()
    {
        Simulator::Destroy();
    }

    TcpRun(const TcpRun&) = delete;
    TcpRun& operator=(const TcpRun&) = delete;

    /// Runs flows that start by time and trigger. @return this
    TcpRun& Run()
    {
        const FabricFlowTraffic traffic(*carrier, m_list);
        Simulator::Run();
        return *this;
    }

    FabricContainer fabric;                  ///< The fabric.
    std::unique_ptr<TcpFlowCarrier> carrier; ///< Of the flows.

  private:
    const PlainTcp m_tcp;   ///< What TCP is like.
    const FlowList& m_list; ///< The flows.
};

/// @return the flows of a matrix for four hosts. @param lines after the first three
FlowList
MatrixOf(uint32_t connections, uint32_t triggers, const std::string& lines)
{
    std::istringstream is("Nodes 4\nConnections " + std::to_string(connections) + "\nTriggers " +
                          std::to_string(triggers) + "\n" + lines);
    return FlowListMaker("m.cm").Make(ConnectionMatrix::Read(is, "m.cm"), 4);
}

/// A flow of up to a first window takes a handshake, and its packets one after the other.
void
TestTcpAlone(FunctionCase& test)
{
    const std::vector<uint64_t> sizes{1, 1000, SEGMENT, 3 * SEGMENT, 10 * SEGMENT};
    std::string lines;
    for (std::size_t i = 0; i < sizes.size(); ++i)
    {
        lines +=
            "0 15 0 100 " + std::to_string(sizes[i]) + " " + std::to_string(0.001 * (i + 1)) + "\n";
    }
    const FlowList list = FlowsOf(static_cast<uint32_t>(sizes.size()), lines);
    TcpRun run(list);
    run.Run().carrier->CheckComplete();
    const auto times = TimesByFlow(*run.carrier);
    test.ExpectEqual(times.size(), sizes.size(), "all are done");
    const FabricIdealPaths paths(run.fabric.network);
    const EmptyPath path = paths.Find(LocationOf(0), LocationOf(15));
    for (const auto& [flow, of] : times)
    {
        const TimePs connected = 2 * path.CompletionTime(SYN_BYTES); // there and back
        EmptyPath data = path;
        data.Send(connected, HEADER_BYTES); // the ACK of the handshake
        const uint64_t segments = (sizes[flow] + SEGMENT - 1) / SEGMENT;
        const TimePs there = data.Send(connected, sizes[flow] + segments * HEADER_BYTES);
        test.ExpectEqual(of.fct, there, Text(sizes[flow], " bytes"));
        test.ExpectEqual(of.start, list.flows[flow].start, "it starts at its time");
        test.ExpectEqual(of.ideal,
                         path.CompletionTime(sizes[flow]),
                         "its ideal is that of a native message");
        test.Expect(of.standalone > of.ideal, "and by HPCC's formula");
    }
}

/// The columns of messages.csv, the figures and the totals, also in the middle of a run.
void
TestTcpFigures(FunctionCase& test)
{
    const FlowList list = FlowsOf(2, "3 12 5 100 400000 0.000001\n1 2 0 100 70 1\n");
    TcpRun run(list);
    const FabricFlowTraffic traffic(*run.carrier, list);
    Simulator::Stop(MicroSeconds(12));
    Simulator::Run();
    test.ExpectEqual(Refusal<InvariantError>([&run] { run.carrier->CheckComplete(); }),
                     "the run ended with 0 of 2 flows over",
                     "it is under way");
    const RunTotals now = run.carrier->GetTotals(12'000'000);
    now.CheckConservation();
    test.ExpectEqual(now.bytesOffered, 400'000, "one has started");
    test.Expect(now.bytesDelivered > 0 && now.bytesDelivered < 400'000, "a part is there");
    test.ExpectEqual(now.bytesInFlight, 400'000 - now.bytesDelivered, "the rest is not");
    Simulator::Run();
    run.carrier->CheckComplete();
    const FlowTimes of = TimesByFlow(*run.carrier).at(0);
    const CsvRows rows = MessagesOf(*run.carrier);
    test.ExpectEqual(rows.size(), 2U, "two flows");
    ExpectRow(test,
              rows,
              0,
              {{"src", 3},
               {"dst", 12},
               {"message", 0},
               {"traffic_class", 5},
               {"bytes", 400'000},
               {"start_s", 1e-6},
               {"end_s", 1e-6 + of.fct * 1e-12},
               {"fct_s", of.fct * 1e-12},
               {"ideal_s", of.ideal * 1e-12}});
    const double latency = std::stod(rows[0].at("latency_s"));
    test.Expect(latency > of.fct * 1e-12 + 0.4e-6, "the sender knows it an ACK later");
    test.ExpectEqual(FigureOf(*run.carrier, "operations;status=ok"), 2, "both are complete");
    test.ExpectEqual(FigureOf(*run.carrier, "connections"), 2, "a connection each");
    test.ExpectEqual(FigureOf(*run.carrier, "latency;stat=max"), latency, "the same latency");
    const RunTotals totals = run.carrier->GetTotals(run.carrier->GetEnd());
    totals.CheckConservation();
    test.ExpectEqual(totals.bytesDelivered, 400'070, "all is there");
    test.ExpectEqual(totals.bytesInFlight, 0, "nothing is left");
    test.Expect(totals.dataHops > 0, "hops");
    test.ExpectEqual(run.carrier->GetDone(), 1, "done");
}

/// Packets of both directions have the class of their flow, but for SYNs.
void
TestTcpClasses(FunctionCase& test)
{
    const FlowList list = FlowsOf(3, "0 15 5 100 9000 0\n1 14 0 100 9000 0\n2 15 3 100 9000 0\n");
    TcpRun run(list);
    ClassWatch watch(run.fabric);
    run.Run().carrier->CheckComplete();
    using Classes = std::set<uint32_t>;
    test.Expect(watch.seen[0] == Classes({0, 5}), "a SYN and data");
    test.Expect(watch.seen[1] == Classes({0}), "of the usual class");
    test.Expect(watch.seen[2] == Classes({0, 3}), "another class");
    test.Expect(watch.seen[15] == Classes({3, 5}), "answers, to both");
    test.Expect(watch.seen[14] == Classes({0}), "answers of the usual class");
}

/// @return what waits in switches, bytes, on average, in an incast over DCTCP
/// @param markClasses those that switches mark
double
MeanQueue(uint32_t markClasses)
{
    const FlowList list = FlowsOf(3,
                                  "0 15 0 100 4000000 0\n"
                                  "1 15 0 100 4000000 0\n"
                                  "2 15 0 100 4000000 0\n");
    TcpRun run(list, [markClasses](FatTreeHelper& tree) {
        tree.SetSwitchAttribute("MarkClasses", UintegerValue(markClasses));
    });
    FabricPortSampler sampler(run.fabric.network, MicroSeconds(1));
    run.Run().carrier->CheckComplete();
    const TimePs end = run.carrier->GetEnd();
    double queued = 0;
    for (const auto& sample : sampler.GetSamples(PicoSeconds(end)))
    {
        queued += static_cast<double>(sample.queued);
    }
    return queued / (static_cast<double>(end) / 1e6);
}

/// DCTCP takes notice of marks: queues are shorter. Packets of other classes would have no ECT.
void
TestTcpMarks(FunctionCase& test)
{
    std::vector<double> queues;
    for (const uint32_t markClasses : {0, 0xffff})
    {
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpDctcp::GetTypeId()));
        queues.push_back(MeanQueue(markClasses));
    }
    test.Expect(queues[1] < queues[0] / 2,
                Text(queues[1], " bytes, and ", queues[0], " without marks"));
    const FlowList list = FlowsOf(2, "0 1 0 100 1 0\n0 1 3 100 1 0\n");
    const auto refusal = [&list] {
        return Refusal([&list] { TcpFlowCarrier::RequireClasses(list); });
    };
    test.ExpectEqual(refusal(), "", "without marks");
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpDctcp::GetTypeId()));
    test.ExpectEqual(refusal(),
                     "a flow has traffic class 3; allowed is class 0 where TCP goes by marks "
                     "(ns3::TcpDctcp, UseEcn), since ns-3 sets no ECT beside a DSCP",
                     "with marks");
    Config::Reset();
}

/// What attributes ask for marks.
void
TestTcpWantsMarks(FunctionCase& test)
{
    test.Expect(!TcpFlowCarrier::WantsMarks(), "ns-3's usual TCP has no ECN");
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpDctcp::GetTypeId()));
    test.Expect(TcpFlowCarrier::WantsMarks(), "DCTCP");
    Config::Reset();
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    test.Expect(TcpFlowCarrier::WantsMarks(), "ECN");
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("AcceptOnly"));
    test.Expect(!TcpFlowCarrier::WantsMarks(), "nobody asks for it");
    Config::Reset();
}

/// A trigger of the receiver is activated when the last byte is there, and one of the sender when
/// that is acknowledged.
void
TestTcpTriggers(FunctionCase& test)
{
    const FlowList list =
        MatrixOf(3,
                 2,
                 "0->1 id 1 start 1000 size 5000 send_done_trigger 1 recv_done_trigger 2\n"
                 "0->2 id 2 trigger 1 size 100\n1->3 id 3 trigger 2 size 100\n"
                 "trigger id 1 oneshot\ntrigger id 2 oneshot\n");
    TcpRun run(list);
    run.Run().carrier->CheckComplete();
    const auto times = TimesByFlow(*run.carrier);
    const CsvRows rows = MessagesOf(*run.carrier);
    test.ExpectEqual(times.at(2).start,
                     times.at(0).start + times.at(0).fct,
                     "when the last byte is there");
    test.ExpectEqual(ToSeconds(times.at(1).start - times.at(0).start),
                     std::stod(rows[0].at("latency_s")),
                     "when the sender knows that");
    test.Expect(times.at(1).start > times.at(2).start, "which is later");
}

/// A trace: each rank sends on when it has got something, be it empty.
void
TestTcpTrace(FunctionCase& test)
{
    const GoalFile file = RelayTrace(0);
    const FlowList list = FlowListMaker("t.goal").Make(file, 16);
    TcpRun run(list);
    const FabricGoalTraffic traffic(*run.carrier, file);
    Simulator::Run();
    run.carrier->CheckComplete();
    const auto times = TimesByFlow(*run.carrier);
    test.ExpectEqual(times.at(1).start,
                     times.at(0).start + times.at(0).fct + 700'000,
                     "after it has got the message and has calculated");
    Summary summary;
    traffic.AddTo(summary);
    std::ostringstream csv;
    summary.WriteCsv(csv);
    test.Expect(csv.str().find("operations_done,5,") != std::string::npos, csv.str());
}

/// What fails is a result: bytes are accounted for.
void
TestTcpFailures(FunctionCase& test)
{
    const FlowList list = FlowsOf(3, "0 4 0 100 1000 0.01\n1 5 0 100 2000000 0\n2 3 0 100 50 0\n");
    TcpRun run(list);
    run.fabric.FailHostLink(4, MicroSeconds(1), Seconds(10'000));
    run.fabric.FailHostLink(5, MicroSeconds(30), Seconds(10'000));
    run.Run().carrier->CheckComplete();
    const auto times = TimesByFlow(*run.carrier);
    test.ExpectEqual(times.size(), 1U, "one has arrived");
    test.ExpectEqual(FigureOf(*run.carrier, "operations;status=not-connected"), 1, "one");
    test.ExpectEqual(FigureOf(*run.carrier, "operations;status=connection-lost"), 1, "another");
    test.ExpectEqual(FigureOf(*run.carrier, "operations;status=ok"), 1, "the last");
    test.ExpectEqual(FigureOf(*run.carrier, "connections"), 2, "that were open");
    const RunTotals totals = run.carrier->GetTotals(run.carrier->GetEnd());
    totals.CheckConservation();
    test.ExpectEqual(totals.bytesOffered, 2'001'050, "what was to be sent");
    test.Expect(totals.bytesDelivered > 50 && totals.bytesDelivered < 2'000'000, "a part is there");
    test.ExpectEqual(totals.bytesDropped.at("failed"),
                     2'001'050 - totals.bytesDelivered,
                     "the rest has failed");
    test.ExpectEqual(totals.bytesInFlight, 0, "nothing is under way");
    test.ExpectEqual(run.carrier->GetDone(), 1, "done");
}

/// Flows of a host to others and to the same one do not wait for each other.
void
TestTcpConnections(FunctionCase& test)
{
    std::string lines = "0 1 0 100 20000000 0\n";
    for (uint32_t i = 0; i < 30; ++i)
    {
        lines += "0 1 0 100 100 0.000001\n1 0 0 100 100 0.000001\n";
    }
    const FlowList list = FlowsOf(61, lines);
    TcpRun run(list);
    run.Run().carrier->CheckComplete();
    const auto times = TimesByFlow(*run.carrier);
    test.ExpectEqual(times.size(), 61U, "all are done");
    for (uint32_t flow = 1; flow < 61; ++flow)
    {
        test.Expect(times.at(flow).fct < times.at(0).fct / 10, "it does not wait");
    }
}

/// A host has only so many ports.
void
TestTcpPorts(FunctionCase& test)
{
    FlowList list;
    FlowList::Flow flow{};
    flow.src = 3;
    list.flows.assign(TcpFlowCarrier::MOST_FLOWS, flow);
    test.ExpectEqual(Refusal([&list] { TcpFlowCarrier::RequirePorts(list); }), "", "they fit");
    flow.src = 2;
    list.flows.push_back(flow);
    test.ExpectEqual(Refusal([&list] { TcpFlowCarrier::RequirePorts(list); }), "", "of another");
    flow.src = 3;
    list.flows.push_back(flow);
    test.ExpectEqual(Refusal([&list] { TcpFlowCarrier::RequirePorts(list); }),
                     "host 3 starts more flows than it has ports; allowed are up to 64512",
                     "one too many");
}

/// A stream that is longer than TCP's buffer, in several parts; what is acknowledged was received.
void
TestTcpStream(FunctionCase& test)
{
    const PlainTcp plain;
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(50'000));
    FatTreeHelper tree(4);
    const FabricContainer fabric = tree.Install();
    const TcpHosts hosts(fabric, {3, 12});
    test.ExpectEqual(hosts.GetN(), 2, "two hosts");
    test.ExpectEqual(hosts.PlaceOf(hosts.AddressOf(1)), 1, "the place of an address");
    hosts.Introduce(0, 1);
    hosts.Introduce(1, 0); // which they know
    TcpStream stream;
    const auto listener = hosts.MakeSocket(1);
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 80));
    listener->Listen();
    uint64_t seen = 0;
    listener->SetAcceptCallback(
        {},
        Callback<void, Ptr<Socket>, const Address&>([&](const Ptr<Socket>& socket, const Address&) {
            stream.SetReceiver(socket, [&] {
                test.Expect(stream.GetReceived() > seen, "more");
                seen = stream.GetReceived();
            });
        }));
    const auto sender = hosts.MakeSocket(0);
    sender->Bind();
    uint64_t acknowledged = 0;
    stream.SetSender(sender, [&] {
        test.Expect(stream.GetAcknowledged() >= acknowledged, "never less");
        acknowledged = stream.GetAcknowledged();
        test.Expect(acknowledged <= stream.GetReceived() &&
                        stream.GetReceived() <= stream.GetWritten() &&
                        stream.GetWritten() <= stream.GetOffered() &&
                        stream.GetWritten() <= acknowledged + 50'000,
                    "it is sent before it is received, and that before it is acknowledged");
    });
    sender->SetConnectCallback(Callback<void, Ptr<Socket>>([&](const Ptr<Socket>&) {
                                   stream.Offer(1);
                                   stream.Offer(499'999);
                                   test.ExpectEqual(stream.GetWritten(), 50'000, "it is full");
                               }),
                               {});
    sender->Connect(InetSocketAddress(hosts.AddressOf(1), 80));
    Simulator::Run();
    for (const uint64_t bytes : {stream.GetOffered(),
                                 stream.GetWritten(),
                                 stream.GetReceived(),
                                 stream.GetAcknowledged(),
                                 acknowledged,
                                 seen})
    {
        test.ExpectEqual(bytes, 500'000, "all");
    }
    listener->SetAcceptCallback({}, {});
    Simulator::Destroy();
}

/// Suite of flows over TCP.
class TcpFlowCarrierSuite : public FunctionSuite
{
  public:
    TcpFlowCarrierSuite()
        : FunctionSuite("fabric-tcp-flow-carrier", kUnit)
    {
        Add("SC-3 bytes over a connection of TCP", TestTcpStream);
        Add("SC-3 flows of TCP that are alone", TestTcpAlone);
        Add("PR-3 figures of a flow over TCP", TestTcpFigures);
        Add("FF-2 traffic classes over TCP", TestTcpClasses);
        Add("SC-3 marks for DCTCP", TestTcpMarks);
        Add("SC-3 TCP that goes by marks", TestTcpWantsMarks);
        Add("FF-6 triggers over TCP", TestTcpTriggers);
        Add("FF-7 a trace over TCP", TestTcpTrace);
        Add("SC-3 flows of TCP that fail", TestTcpFailures);
        Add("SC-3 flows of TCP side by side", TestTcpConnections);
        Add("PR-4 what TCP can't carry", TestTcpPorts);
    }
};

TcpFlowCarrierSuite g_tcpFlowCarrierSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
