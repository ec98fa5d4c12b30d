/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-network-scenario.h"
#include "fabric-random-network.h"
#include "fabric-switch.h"
#include "fabric-test-seeds.h"
#include "support/fabric-abort.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// What flow channels did is the same bytes with look-ahead and without, on several threads and
/// with traces that come and go; and counting changes nothing.
void
TestFiguresOnThreads(FunctionCase& test)
{
    const TestSeeds seeds(24);
    uint64_t bytes = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomRun run{seed};
        run.statistics = true;
        run.outages = seed % 3 == 1;
        run.lanes = seed % 3 == 2;
        run.slowHosts = seed % 4 == 3;
        const std::string reference = RunRandom(test, run);
        bytes += reference.size();
        for (const bool lookahead : {true, false})
        {
            run.lookahead = lookahead;
            for (const uint32_t threads : {1, 2, 3})
            {
                run.threads = threads;
                run.traced = threads == 3;
                test.ExpectSame(RunRandom(test, run),
                                reference,
                                "seed " + std::to_string(seed) + ", threads " +
                                    std::to_string(threads) + (lookahead ? "" : ", no lookahead"));
            }
        }
    }
    test.Expect(bytes > 10'000 * seeds.count, "there are channels");
}

/// A small fat tree whose hosts send to one of them.
struct SmallIncast
{
    /// @param statistics attribute of the switches
    explicit SmallIncast(const std::string& statistics)
    {
        FatTreeHelper helper(4);
        helper.SetSwitchAttribute("FlowStatistics", StringValue(statistics));
        fabric = helper.Install();
        for (uint32_t host = 1; host < fabric.hosts.GetN(); ++host)
        {
            Simulator::Schedule(NanoSeconds(host), [this, host] {
                fabric.GetDevice(host)->SendMessage(LocationOf(0), 20'000);
            });
        }
    }

    Simulation simulation;  ///< Ends when this does.
    FabricContainer fabric; ///< The tree.
};

/// The trace source tells all that is kept, at the right time, and what is open can be read.
void
TestFlowClosed(FunctionCase& test)
{
    SmallIncast incast("all");
    const Ptr<FabricSwitch> edge = incast.fabric.GetSwitch(0);
    std::vector<FlowFigures> told;
    bool isPunctual = true;
    edge->TraceConnectWithoutContext(
        "FlowClosed",
        Callback<void, const FlowFigures&, Time>([&](const FlowFigures& figures, Time now) {
            told.push_back(figures);
            isPunctual =
                isPunctual && now == Simulator::Now() && now.GetPicoSeconds() == figures.closed;
        }));
    uint64_t open = 0;
    Simulator::Schedule(MicroSeconds(5), [&] {
        for (uint32_t port = 0; port < edge->GetChip().Config().ports; ++port)
        {
            for (const FlowFigures& figures : edge->GetFlowChannels(port))
            {
                ++open;
                test.Expect(figures.port == port && figures.dst == LocationOf(0) &&
                                figures.closed == NEVER && figures.frames > 0 &&
                                figures.opened <= MicroSeconds(5).GetPicoSeconds(),
                            "a channel that is open");
            }
        }
    });
    Simulator::Run();
    test.Expect(isPunctual, "Now() is wrong in a sink");
    test.Expect(open > 0, "channels are open while there are frames");
    const std::vector<FlowFigures>& closed = edge->GetClosedFlowChannels();
    test.Expect(!closed.empty() && told.size() == closed.size(), "all are told");
    uint64_t bytes = 0;
    for (std::size_t i = 0; i < std::min(told.size(), closed.size()); ++i)
    {
        bytes += closed[i].bytesSent;
        test.Expect(told[i].flow == closed[i].flow && told[i].port == closed[i].port &&
                        told[i].closed == closed[i].closed && told[i].bytes == closed[i].bytes,
                    "what is told is what is kept");
    }
    test.ExpectEqual(bytes, 20'000 * (incast.fabric.hosts.GetN() - 1), "all bytes went by");
}

/// Figures that are not there, and statistics of nothing, are refused.
void
TestStatisticsRefusals(FunctionCase& test)
{
    const auto expect = [&test](const std::string& sentence, const std::string& part) {
        test.Expect(sentence.find(part) != std::string::npos,
                    Text("'", sentence, "' has no '", part, "'"));
    };
    {
        SmallIncast off("off");
        const Ptr<FabricSwitch> edge = off.fabric.GetSwitch(0);
        expect(Refusal([&] { edge->GetFlowChannels(0); }), "allowed with FlowStatistics=open or");
        expect(Refusal([&] { edge->GetClosedFlowChannels(); }), "allowed with FlowStatistics=all");
    }
    {
        SmallIncast open("open");
        const Ptr<FabricSwitch> edge = open.fabric.GetSwitch(0);
        expect(Refusal([&] { edge->GetClosedFlowChannels(); }), "allowed with FlowStatistics=all");
        expect(Refusal([&] { edge->GetFlowChannels(4); }), "no port 4; allowed are 0 to 3");
        Simulator::Run();
        test.Expect(edge->GetChip().Statistics()->Closed().empty(), "ended channels are not kept");
    }
    for (const auto& [name, value] :
         {std::pair{"FlowChannels", "false"}, std::pair{"NoFlowClasses", "65535"}})
    {
        Simulation simulation;
        FatTreeHelper helper(2);
        helper.SetSwitchAttribute("FlowStatistics", StringValue("open"));
        helper.SetSwitchAttribute(name, StringValue(value));
        expect(Refusal([&helper] { helper.Install(); }),
               "FlowStatistics is on, and no class has flow channels; allowed is off");
    }
    expect(Abort([] {
               SmallIncast incast("off");
               incast.fabric.GetSwitch(0)->TraceConnectWithoutContext(
                   "FlowClosed",
                   Callback<void, const FlowFigures&, Time>([](const FlowFigures&, Time) {}));
               Simulator::Run();
           }),
           "FlowClosed has a sink and FlowStatistics is off");
}

/// The suite.
class FlowStatisticsNetSuite : public FunctionSuite
{
  public:
    FlowStatisticsNetSuite()
        : FunctionSuite("fabric-flow-statistics-net", kUnit)
    {
        Add("FC-3 DP-15 figures of flow channels are the same on threads and with traces",
            TestFiguresOnThreads);
        Add("FC-3 the trace source tells what a flow channel did when it ends", TestFlowClosed);
        Add("FC-3 figures that are not there are refused", TestStatisticsRefusals);
    }
};

const FlowStatisticsNetSuite g_flowStatisticsNetSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
