/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree-helper.h"
#include "fabric-flow-traffic.h"
#include "fabric-message-recorder.h"
#include "fabric-pattern-traffic.h"
#include "fabric-tcp-flow-carrier.h"
#include "fabric-topology.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/config.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// Source, destination, class and size of messages.
using Messages = std::multiset<std::tuple<uint32_t, uint32_t, uint32_t, uint64_t>>;

/// @return a pattern. @param name of it
FabricPattern
PatternOf(const std::string& name)
{
    FabricPattern pattern;
    pattern.name = name;
    pattern.shift = 3;
    pattern.bytes = 5000;
    return pattern;
}

/// What is listed is what would be sent once, also of the class that attributes say.
void
TestListedOnce(FunctionCase& test)
{
    for (const std::string name : {"shift", "random", "bit-complement", "all-to-all"})
    {
        Config::SetDefault("ns3::FabricMessageSender::TrafficClass", UintegerValue(6));
        FatTreeHelper tree(4);
        const FabricContainer fabric = tree.Install();
        FabricPatternTraffic traffic(fabric, PatternOf(name));
        const FabricMessageRecorder recorder(fabric.network);
        traffic.SendOnce();
        Simulator::Run();
        Messages sent;
        for (const FabricMessageRecorder::Record& record : recorder.GetRecords())
        {
            const Message& message = record.message;
            sent.emplace(HostOf(message.src),
                         HostOf(message.dst),
                         message.trafficClass,
                         message.bytes);
        }
        Messages listed;
        for (const FlowList::Flow& flow : traffic.ListOnce().flows)
        {
            listed.emplace(flow.src, flow.dst, flow.trafficClass, flow.bytes);
            test.ExpectEqual(flow.start, 0, "at once");
        }
        test.ExpectEqual(listed.size(), traffic.CountOnce(), "as many as are sent");
        test.Expect(listed == sent, name);
        Simulator::Destroy();
        Config::Reset();
    }
}

/// Messages at a load: in the order of time, before the end, as many as were expected, and numbered
/// between two hosts.
void
TestListedAtLoad(FunctionCase& test)
{
    FatTreeHelper tree(4);
    const FabricContainer fabric = tree.Install();
    FabricPatternTraffic traffic(fabric, PatternOf("uniform"));
    const FlowList list = traffic.ListEvery(MicroSeconds(1), MicroSeconds(200));
    test.Expect(list.flows.size() > 2900 && list.flows.size() < 3500, "16 hosts, 200 each");
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> next;
    std::map<uint32_t, uint32_t> ofHost;
    TimePs before = 0;
    for (const FlowList::Flow& flow : list.flows)
    {
        test.Expect(flow.start >= before && flow.start < 200'000'000, "its start");
        before = flow.start;
        test.Expect(flow.src != flow.dst, "to another");
        test.ExpectEqual(flow.ofPair, (next[{flow.src, flow.dst}]++), "its number");
        ++ofHost[flow.src];
    }
    for (const auto& [host, count] : ofHost)
    {
        test.Expect(count > 140 && count < 260, Text("host ", host, " sends ", count));
    }
    test.ExpectEqual(ofHost.size(), 16U, "all hosts send");
    test.ExpectEqual(Refusal([&] { traffic.ListEvery(NanoSeconds(1), Seconds(1)); }),
                     "--load: 16000000000 messages would be sent in --warmUp and --duration; "
                     "allowed are at most 10000000",
                     "too many");
    test.ExpectEqual(Refusal([&] { traffic.ListEvery(Seconds(1000), NanoSeconds(1)); }),
                     "--load: no message begins in --warmUp and --duration; allowed are times in "
                     "which some do",
                     "none");
    Simulator::Destroy();
}

/// What starts in a warm-up is no result, but its bytes count when they arrive after it.
void
TestListedWarmUp(FunctionCase& test)
{
    FatTreeHelper tree(4);
    const FabricContainer fabric = tree.Install();
    FabricPatternTraffic traffic(fabric, PatternOf("shift"));
    const FlowList list = traffic.ListEvery(MicroSeconds(2), MicroSeconds(100));
    TcpFlowCarrier carrier(fabric, list);
    const FabricFlowTraffic starts(carrier, list);
    Simulator::Run();
    const std::vector<FlowTimes> all = carrier.GetTimes();
    test.ExpectEqual(all.size(), list.flows.size(), "all are done");
    const TimePs from = 50'000'000;
    const auto bytes = 5000 * std::count_if(all.begin(), all.end(), [](const FlowTimes& times) {
                           return times.start + times.fct >= from;
                       });
    test.ExpectEqual(carrier.GetBytesSince(from), static_cast<uint64_t>(bytes), "from then on");
    test.ExpectEqual(carrier.GetBytesSince(0), 5000 * all.size(), "of all");
    carrier.LeaveOutBefore(from);
    const std::vector<FlowTimes> late = carrier.GetTimes();
    const auto expected = std::count_if(all.begin(), all.end(), [](const FlowTimes& times) {
        return times.start >= from;
    });
    test.ExpectEqual(late.size(), static_cast<std::size_t>(expected), "those that start late");
    test.Expect(!late.empty() && late.size() < all.size(), "a part");
    test.Expect(std::all_of(late.begin(),
                            late.end(),
                            [](const FlowTimes& times) { return times.start >= from; }),
                "no others");
    test.ExpectEqual(carrier.GetBytesSince(from), static_cast<uint64_t>(bytes), "as before");
    Simulator::Destroy();
}

/// Suite of patterns as lists of flows.
class PatternListSuite : public FunctionSuite
{
  public:
    PatternListSuite()
        : FunctionSuite("fabric-pattern-list", kUnit)
    {
        Add("SC-3 messages of a pattern as flows", TestListedOnce);
        Add("SC-3 messages at a load as flows", TestListedAtLoad);
        Add("SC-3 flows of a warm-up", TestListedWarmUp);
    }
};

PatternListSuite g_patternListSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
