/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-carried-flows.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-flow-traffic.h"
#include "fabric-goal-traffic.h"
#include "fabric-ideal-paths.h"
#include "fabric-message-recorder.h"
#include "fabric-pio-flow-carrier.h"
#include "support/fabric-function-case.h"

#include "ns3/config.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// What came of a flow.
struct Arrival
{
    Message message; ///< That was delivered.
    TimePs at;       ///< When its last byte was there, ps.
};

/// Runs flows by programmed I/O, on a fat tree of 16 hosts. @param threads of each host, with a
/// context each
std::map<uint32_t, Arrival>
RunByPio(const FlowList& list, uint32_t threads)
{
    Config::SetDefault("ns3::FabricPio::Threads", UintegerValue(threads));
    Config::SetDefault("ns3::FabricPio::Contexts", UintegerValue(threads));
    FatTreeHelper tree(4);
    const FabricContainer fabric = tree.Install();
    const FabricMessageRecorder recorder(fabric.network);
    PioFlowCarrier carrier(fabric, list);
    const FabricFlowTraffic traffic(carrier, list);
    Simulator::Run();
    std::map<uint32_t, Arrival> arrivals;
    for (const FabricMessageRecorder::Record& record : recorder.GetRecords())
    {
        arrivals[MessageFlowCarrier::FlowOf(record.message)] = {record.message, record.deliveredAt};
    }
    Simulator::Destroy();
    Config::Reset();
    return arrivals;
}

/// Each flow is a message of its class and size, which counts from the start of the flow on.
void
TestPioFlows(FunctionCase& test)
{
    const FlowList list = FlowsOf(3,
                                  "3 12 5 100 5000 0.000001\n"
                                  "3 7 0 100 64 0.000001\n"
                                  "12 3 2 100 9000 0.000002\n");
    const auto arrivals = RunByPio(list, 1);
    test.ExpectEqual(arrivals.size(), 3U, "all are done");
    for (const auto& [flow, arrival] : arrivals)
    {
        const FlowList::Flow& of = list.flows[flow];
        test.ExpectEqual(HostOf(arrival.message.src), of.src, "its source");
        test.ExpectEqual(HostOf(arrival.message.dst), of.dst, "its destination");
        test.ExpectEqual(+arrival.message.trafficClass, +of.trafficClass, "its class");
        test.ExpectEqual(arrival.message.bytes, of.bytes, "its size");
        test.ExpectEqual(arrival.message.sentAt, of.start, "its start");
    }
    test.Expect(arrivals.at(1).at > arrivals.at(0).at, "a thread writes one after the other");
}

/// No flow is sooner there than a thread can write it, and the fabric carry its last packet.
void
TestPioTimes(FunctionCase& test)
{
    const FlowList list = FlowsOf(3,
                                  "0 15 0 100 1 0\n"
                                  "0 15 0 100 10000 0.001\n"
                                  "0 15 0 100 1000000 0.002\n");
    const auto arrivals = RunByPio(list, 1);
    for (const auto& [flow, arrival] : arrivals)
    {
        const TimePs writes = PioSettings().LeastTime(list.flows[flow].bytes);
        const TimePs took = arrival.at - arrival.message.sentAt;
        test.Expect(took > writes && took < 2 * writes + 5'000'000,
                    Text(list.flows[flow].bytes, " bytes take ", took, " ps, of which ", writes));
    }
}

/// Threads share flows by receiver, and those to one receiver in turn.
void
TestPioThreads(FunctionCase& test)
{
    std::string lines;
    for (const char* dst : {"4", "5", "6", "7", "8"})
    {
        lines += std::string("0 ") + dst + " 0 100 100000 0\n";
    }
    lines += "0 4 0 100 100000 0\n0 4 0 100 100000 0\n";
    const FlowList list = FlowsOf(7, lines);
    const auto one = RunByPio(list, 1);
    const auto four = RunByPio(list, 4);
    const std::vector<uint32_t> expected{0, 1, 2, 3, 0, 1, 2};
    for (uint32_t flow = 0; flow < 7; ++flow)
    {
        test.ExpectEqual(one.at(flow).message.process, 0U, "one thread");
        test.ExpectEqual(four.at(flow).message.process, expected[flow], "its thread");
    }
    const TimePs writes = PioSettings().LeastTime(100'000);
    test.Expect(one.at(3).at > 4 * writes, "it waits for the three before it");
    test.Expect(four.at(3).at < 2 * writes, "it does not");
    test.Expect(four.at(4).at > 2 * writes, "it waits for the first, which has its thread");
}

/// Triggers of both ends are activated when the last byte is there.
void
TestPioTriggers(FunctionCase& test)
{
    std::istringstream is("Nodes 4\nConnections 3\nTriggers 2\n"
                          "0->1 id 1 start 1000 size 5000 send_done_trigger 1 recv_done_trigger 2\n"
                          "0->2 id 2 trigger 1 size 100\n1->3 id 3 trigger 2 size 100\n"
                          "trigger id 1 oneshot\ntrigger id 2 oneshot\n");
    const FlowList list = FlowListMaker("m.cm").Make(ConnectionMatrix::Read(is, "m.cm"), 4);
    const auto arrivals = RunByPio(list, 1);
    test.ExpectEqual(arrivals.size(), 3U, "all are done");
    test.ExpectEqual(arrivals.at(1).message.sentAt, arrivals.at(0).at, "of the sender");
    test.ExpectEqual(arrivals.at(2).message.sentAt, arrivals.at(0).at, "of the receiver");
}

/// A trace: each rank sends on when it has got something.
void
TestPioTrace(FunctionCase& test)
{
    const GoalFile file = RelayTrace(9);
    const FlowList list = FlowListMaker("t.goal").Make(file, 16);
    FatTreeHelper tree(4);
    const FabricContainer fabric = tree.Install();
    const FabricMessageRecorder recorder(fabric.network);
    PioFlowCarrier carrier(fabric, list);
    const FabricGoalTraffic traffic(carrier, file);
    Simulator::Run();
    const auto& records = recorder.GetRecords();
    test.ExpectEqual(records.size(), 2U, "both messages");
    test.ExpectEqual(records[1].message.sentAt,
                     records[0].deliveredAt + 700'000,
                     "after it has got the message and has calculated");
    Summary summary;
    traffic.AddTo(summary);
    std::ostringstream csv;
    summary.WriteCsv(csv);
    test.Expect(csv.str().find("operations_done,5,") != std::string::npos, csv.str());
    Simulator::Destroy();
}

/// Suite of flows by programmed I/O.
class PioFlowCarrierSuite : public FunctionSuite
{
  public:
    PioFlowCarrierSuite()
        : FunctionSuite("fabric-pio-flow-carrier", kUnit)
    {
        Add("SC-3 flows by programmed input and output", TestPioFlows);
        Add("SC-3 times of flows by programmed input and output", TestPioTimes);
        Add("SC-3 threads of flows by programmed input and output", TestPioThreads);
        Add("FF-6 triggers over programmed input and output", TestPioTriggers);
        Add("FF-7 a trace over programmed input and output", TestPioTrace);
    }
};

PioFlowCarrierSuite g_pioFlowCarrierSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
