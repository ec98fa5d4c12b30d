/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree-helper.h"
#include "fabric-flow-list-maker.h"
#include "fabric-flow-results.h"
#include "fabric-flow-traffic.h"
#include "fabric-flow-triggers.h"
#include "fabric-ideal-paths.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return the flows of a matrix for four hosts. @param lines after the first two
FlowList
ListOf(uint32_t connections, uint32_t triggers, const std::string& lines)
{
    std::istringstream is("Nodes 4\nConnections " + std::to_string(connections) + "\nTriggers " +
                          std::to_string(triggers) + "\n" + lines);
    return FlowListMaker("m.cm").Make(ConnectionMatrix::Read(is, "m.cm"), 4);
}

/// @return when each flow starts and ends on a fat tree of 16 hosts, ps
std::vector<std::pair<TimePs, TimePs>>
TimesOf(const FlowList& list)
{
    FatTreeHelper helper(4);
    const FabricContainer fabric = helper.Install();
    FabricMessageRecorder recorder(fabric.network);
    const FabricFlowTraffic traffic(fabric, list);
    Simulator::Run();
    std::vector<std::pair<TimePs, TimePs>> times(list.flows.size(), {NEVER, NEVER});
    for (const FabricMessageRecorder::Record& record : recorder.GetRecords())
    {
        times.at(record.message.tag - 1) = {record.message.sentAt, record.deliveredAt};
    }
    Simulator::Destroy();
    return times;
}

/// Nodes become hosts, and priorities classes.
void
TestListOfFlows(FunctionCase& test)
{
    std::istringstream is("3\n5 2 1 7 100 2\n2 5 0 8 200 1\n5 2 1 9 300 3\n");
    const FlowFile file = FlowFile::Read(is, "f.txt");
    NodeNumbers nodes;
    nodes.hosts = {0, 2, 5};
    const FlowList list = FlowListMaker("f.txt").Make(file, nodes, {3, 12});
    test.ExpectEqual(list.flows[0].src, 1U, "node 2 is host 1");
    test.ExpectEqual(list.flows[0].dst, 2U, "node 5 is host 2");
    test.ExpectEqual(list.flows[0].trafficClass, 3U, "priority 0");
    test.ExpectEqual(list.flows[1].trafficClass, 12U, "priority 1");
    test.ExpectEqual(list.flows[1].ofPair, 0U, "the first from 5 to 2");
    test.ExpectEqual(list.flows[2].ofPair, 1U, "the second one");
    test.ExpectEqual(list.flows[2].start, 3'000'000'000'000, "start");
    test.ExpectEqual(list.flows[2].port, 9U, "port");
    const auto refusal = [&file](const NodeNumbers& of, const std::vector<uint64_t>& classes) {
        return Refusal([&] { FlowListMaker("f.txt").Make(file, of, classes); });
    };
    test.ExpectEqual(refusal(nodes, {0}),
                     "f.txt:2: priority=1: allowed is 0 to 0, those to which --classes gives a "
                     "class",
                     "no class");
    nodes.hosts = {0, 2, 3};
    test.ExpectEqual(refusal(nodes, {0, 0}),
                     "f.txt:3: node 5 is no host of the topology; allowed are its 3 hosts, from 0 "
                     "to 3",
                     "no host");
    test.ExpectEqual(Refusal([&] { FlowListMaker("f.txt").Make(FlowFile(), nodes, {0}); }),
                     "f.txt: there are no flows; allowed is at least one",
                     "no flows");
}

/// Triggers start connections when others are done.
void
TestTriggers(FunctionCase& test)
{
    const std::string lines = "0->1 id 1 start 1000000 size 50000 send_done_trigger 1\n"
                              "2->1 id 2 start 0 size 70000 recv_done_trigger 1\n"
                              "1->3 id 3 trigger 1 size 100 recv_done_trigger 2\n"
                              "1->2 id 4 trigger 1 size 100 recv_done_trigger 2\n"
                              "0->2 id 5 trigger 2 size 100\n"
                              "0->3 id 6 trigger 2 size 100\n";
    const auto barrier =
        TimesOf(ListOf(6, 2, lines + "trigger id 1 barrier count 2\ntrigger id 2 multishot\n"));
    test.ExpectEqual(barrier[0].first, 1'000'000, "its start");
    test.ExpectEqual(barrier[1].first, 0, "its start");
    const TimePs both = std::max(barrier[0].second, barrier[1].second);
    test.ExpectEqual(barrier[2].first, both, "when both are done");
    test.ExpectEqual(barrier[3].first, both, "when both are done");
    const TimePs first = std::min(barrier[2].second, barrier[3].second);
    const TimePs last = std::max(barrier[2].second, barrier[3].second);
    test.ExpectEqual(barrier[4].first, first, "the first shot");
    test.ExpectEqual(barrier[5].first, last, "the second shot");
    test.Expect(first != last, "not at once");
    const auto shots = TimesOf(ListOf(6,
                                      2,
                                      lines + "trigger id 1 multishot\n"
                                              "trigger id 2 multishot\n"));
    const auto [one, other] = std::minmax(shots[0].second, shots[1].second);
    test.ExpectEqual(shots[2].first, one, "the first shot");
    test.ExpectEqual(shots[3].first, other, "the second shot");
    const auto oneshot = TimesOf(ListOf(3,
                                        1,
                                        "0->1 id 1 start 5 size 9 send_done_trigger 1\n"
                                        "1->3 id 3 trigger 1 size 100\n"
                                        "1->2 id 4 trigger 1 size 100\ntrigger id 1 oneshot\n"));
    test.ExpectEqual(oneshot[1].first, oneshot[0].second, "all of them");
    test.ExpectEqual(oneshot[2].first, oneshot[0].second, "all of them");
}

/// On several ranks a delivery starts flows of its own host only.
void
TestKnownDeliveries(FunctionCase& test)
{
    const auto refusal = [](const std::string& next) {
        const FlowList list = ListOf(3,
                                     1,
                                     "0->1 id 1 start 0 size 9 recv_done_trigger 7\n"
                                     "1->2 id 2 trigger 7 size 9\n" +
                                         next + " id 3 trigger 7 size 9\ntrigger id 7 oneshot\n");
        return Refusal([&] { FabricFlowTraffic::RequireKnownDeliveries(list); });
    };
    test.ExpectEqual(refusal("1->3"), "", "flows of host 1");
    test.ExpectEqual(refusal("3->1"),
                     "trigger 7 starts a flow of host 3 when one to host 1 is done; allowed on "
                     "several ranks are triggers that start flows of the host that has got others",
                     "a flow of another host");
}

/// Connections that never start are told before the run, and triggers that fire too often.
void
TestTriggerMistakes(FunctionCase& test)
{
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"0->1 id 1 start 0 size 9 send_done_trigger 1\n1->3 id 2 trigger 1 size 1\n"
         "trigger id 1 barrier count 2\n",
         "m.cm:5: the connection never starts, since its trigger does not fire often enough"},
        {"0->1 id 1 start 0 size 9 send_done_trigger 1 recv_done_trigger 1\n"
         "1->3 id 2 trigger 1 size 1\ntrigger id 1 oneshot\n",
         "m.cm: trigger 1 is activated 2 times; allowed is 1, or a multishot"},
        {"0->1 id 1 start 0 size 9 send_done_trigger 1 recv_done_trigger 1\n"
         "1->3 id 2 trigger 1 size 1\ntrigger id 1 barrier count 1\n",
         "m.cm: trigger 1 is activated 2 times; allowed is 1, its count"},
        {"0->1 id 1 trigger 1 size 9 send_done_trigger 1\n1->3 id 2 start 0 size 1\n"
         "trigger id 1 oneshot\n",
         "m.cm:4: the connection never starts"},
    };
    for (const auto& [lines, sentence] : mistakes)
    {
        const std::string refusal = Refusal([&lines = lines] { ListOf(2, 1, lines); });
        test.ExpectEqual(refusal.substr(0, sentence.size()), sentence, "refused");
    }
    test.ExpectEqual(
        Refusal([] {
            std::istringstream is("Nodes 5\nConnections 1\n0->1 start 0 size 1");
            FlowListMaker("m.cm").Make(ConnectionMatrix::Read(is, "m.cm"), 4);
        }),
        "m.cm: the matrix has 5 nodes; allowed are at most the 4 hosts of the topology",
        "too many nodes");
}

/// Flows between two hosts do not wait for each other.
void
TestFlowsOfPair(FunctionCase& test)
{
    std::istringstream is("2\n0 1 0 100 1000000 0\n0 1 0 100 4096 0.000001\n");
    const auto times = TimesOf(FlowListMaker("f.txt").Make(FlowFile::Read(is, "f.txt"),
                                                           NodeNumbers::HostsFirst(16, 20),
                                                           {0}));
    test.Expect(times[1].second < times[0].second / 10, "the short one goes between");
}

/// Ranges of sizes, and figures of flows that are alone.
void
TestResults(FunctionCase& test)
{
    const std::vector<std::pair<uint64_t, uint64_t>> ranges{{1, 1000},
                                                            {1000, 1000},
                                                            {1001, 10000},
                                                            {10000, 10000},
                                                            {1'000'001, 10'000'000}};
    for (const auto& [bytes, range] : ranges)
    {
        test.ExpectEqual(FabricFlowResults::RangeOf(bytes), range, Text(bytes));
    }
    std::istringstream is("2\n0 15 0 100 5000 0\n3 2 0 200 800 0.001\n");
    const FlowList list = FlowListMaker("f.txt").Make(FlowFile::Read(is, "f.txt"),
                                                      NodeNumbers::HostsFirst(16, 20),
                                                      {0});
    FatTreeHelper helper(4);
    const FabricContainer fabric = helper.Install();
    FabricMessageRecorder recorder(fabric.network);
    const FabricFlowTraffic traffic(fabric, list);
    Simulator::Run();
    const FabricFlowResults results(fabric.network, list, recorder);
    std::ostringstream fct;
    results.WriteFct(fct, NodeNumbers::HostsFirst(16, 20));
    const FabricIdealPaths paths(fabric.network);
    const auto ideal = paths.Find(LocationOf(0), LocationOf(15)).CompletionTime(5000);
    test.ExpectEqual(recorder.GetRecords()[0].CompletionTime(), ideal, "alone");
    const std::string first =
        "0b000001 0b000f01 10000 100 5000 0 " + std::to_string((ideal + 500) / 1000) + " ";
    test.ExpectEqual(fct.str().substr(0, first.size()), first, "the first line");
    Summary summary;
    results.AddTo(summary);
    std::ostringstream csv;
    summary.WriteCsv(csv);
    for (const std::string line : {"flows,,,2,1\n",
                                   "flows_done,,,2,1\n",
                                   "flows_done,,1000,1,1\n",
                                   "flows_done,,10000,1,1\n",
                                   "slowdown,max,,1,1\n",
                                   "slowdown,p99,10000,1,1\n"})
    {
        test.Expect(csv.str().find(line) != std::string::npos, line + csv.str());
    }
    Simulator::Destroy();
}

/// Suite of lists of flows.
class FlowTrafficSuite : public FunctionSuite
{
  public:
    FlowTrafficSuite()
        : FunctionSuite("fabric-flow-traffic", kUnit)
    {
        Add("FF-2 hosts and classes of flows", TestListOfFlows);
        Add("FF-6 triggers", TestTriggers);
        Add("FF-6 triggers that fire too seldom or too often", TestTriggerMistakes);
        Add("WL-7 triggers that several ranks can carry out", TestKnownDeliveries);
        Add("FF-2 flows between two hosts", TestFlowsOfPair);
        Add("FF-4 figures of flows", TestResults);
    }
};

FlowTrafficSuite g_flowTrafficSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
