/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-network-scenario.h"
#include "fabric-random-network.h"
#include "fabric-small-tree.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"

#include "ns3/test.h"

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return TypeIds of ns-3's schedulers
std::vector<std::string>
Schedulers()
{
    return {"ns3::MapScheduler",
            "ns3::HeapScheduler",
            "ns3::ListScheduler",
            "ns3::CalendarScheduler",
            "ns3::PriorityQueueScheduler"};
}

void
TestSchedulers(FunctionCase& test)
{
    for (const bool flowChannels : {true, false})
    {
        CongestedRun run;
        run.flowChannels = flowChannels;
        const std::string reference = RunToEnd(test, run);
        for (const bool lookahead : {true, false})
        {
            for (const std::string& scheduler : Schedulers())
            {
                run.lookahead = lookahead;
                run.scheduler = scheduler;
                test.ExpectSame(RunToEnd(test, run),
                                reference,
                                scheduler + (lookahead ? " with" : " without") + " lookahead, " +
                                    (flowChannels ? "with" : "without") + " flow channels");
            }
        }
    }
}

void
TestLookaheadChanges(FunctionCase& test)
{
    const std::string reference = RunToEnd(test, {});
    const std::string changed = RunToEnd(test, {}, [](CongestedTree& tree) {
        for (uint32_t i = 0; i < 400; ++i)
        {
            tree.At(NanoSeconds(137 * i), [&tree, i] {
                tree.fabric.network->SetAttribute("Lookahead", BooleanValue(i % 2 == 0));
            });
        }
    });
    test.ExpectSame(changed, reference, "Lookahead changes in the run");
}

void
TestTraces(FunctionCase& test)
{
    for (const double errorRate : {0.0, 0.002})
    {
        std::vector<std::map<std::string, std::string>> logs;
        for (CongestedRun run : BothModes())
        {
            run.errorRate = errorRate;
            const std::string reference = RunToEnd(test, run);
            SwitchTraces whole;
            test.ExpectSame(RunToEnd(test, run, [&](CongestedTree&) { whole.Connect(true); }),
                            reference,
                            "a sink changes the results");
            test.Expect(whole.calls > 10'000, "the sinks were called");
            test.Expect((whole.drops > 0) == (errorRate > 0), "drops were traced");
            test.Expect(whole.punctual, "Now() is wrong in a sink");
            logs.push_back(whole.log);

            SwitchTraces part;
            const std::string result = RunToEnd(test, run, [&](CongestedTree& tree) {
                for (uint32_t i = 0; i < 200; ++i)
                {
                    tree.At(NanoSeconds(253 * (i + 1)), [&part, i] { part.Connect(i % 2 == 0); });
                }
            });
            test.ExpectSame(result, reference, "sinks that come and go change the results");
            test.Expect(part.calls > 1000 && part.calls < whole.calls,
                        "sinks that come and go were called");
            test.Expect(part.punctual, "Now() is wrong in a sink that came in the run");
        }
        test.Expect(logs[0] == logs[1], "frames differ with and without lookahead");
    }
}

void
TestDisconnectInside(FunctionCase& test)
{
    const std::string reference = RunToEnd(test, {});
    using Sink = Callback<void, uint32_t, const Frame&, Time>;
    std::vector<std::unique_ptr<Sink>> sinks;
    SwitchTraces traces;
    const std::string result = RunToEnd(test, {}, [&](CongestedTree& tree) {
        for (uint32_t i = 0; i < tree.fabric.switches.GetN(); ++i)
        {
            const Ptr<FabricSwitch> fabricSwitch = tree.fabric.GetSwitch(i);
            sinks.push_back(std::make_unique<Sink>());
            Sink* sink = sinks.back().get();
            *sink = Sink([fabricSwitch, &traces, sink](uint32_t, const Frame&, Time now) {
                ++traces.calls;
                traces.punctual = traces.punctual && now == Simulator::Now();
                Simulator::ScheduleNow([fabricSwitch, sink] {
                    fabricSwitch->TraceDisconnectWithoutContext("Send", *sink);
                });
            });
            for (uint32_t k = 0; k < 20; ++k)
            {
                tree.At(MicroSeconds(k), [fabricSwitch, sink] {
                    fabricSwitch->TraceConnectWithoutContext("Send", *sink);
                });
            }
        }
    });
    test.ExpectSame(result, reference, "sinks that leave at once change the results");
    test.Expect(traces.calls > 20 && traces.punctual, "sinks that leave at once were called");
}

void
TestStopAt(FunctionCase& test)
{
    for (const double errorRate : {0.0, 0.005})
    {
        // Starts of windows (80 ns), instants inside, and a time long after the last message.
        for (const int64_t at : {1, 80'000, 2'345'678, 4'000'000, 12'345'000, 40'000'000})
        {
            std::vector<std::string> results;
            for (CongestedRun run : BothModes())
            {
                run.errorRate = errorRate;
                CongestedTree tree(run);
                tree.fabric.network->StopAt(PicoSeconds(at));
                Simulator::Run();
                test.Expect(Simulator::Now() == PicoSeconds(at), "the run ended at another time");
                tree.fabric.network->CheckInvariants();
                results.push_back(tree.GetResult());
            }
            test.ExpectSame(results[1], results[0], "stopped at " + std::to_string(at) + " ps");
        }
    }
}

void
TestStopInRun(FunctionCase& test)
{
    std::vector<std::string> results;
    for (const CongestedRun& run : BothModes())
    {
        CongestedTree tree(run);
        tree.fabric.network->StopAt(MicroSeconds(3)); // is replaced
        tree.At(NanoSeconds(2'999), [&tree] { tree.fabric.network->StopAt(MicroSeconds(90)); });
        tree.At(NanoSeconds(6'480), [&tree] { tree.fabric.network->StopAt(NanoSeconds(6'481)); });
        Simulator::Run();
        test.Expect(Simulator::Now() == NanoSeconds(6'560),
                    "the windows under way are to be finished");
        tree.fabric.network->CheckInvariants();
        results.push_back(tree.GetResult());
    }
    test.ExpectSame(results[1], results[0], "stopped in the run");
}

void
TestGoOn(FunctionCase& test)
{
    const std::string reference = RunToEnd(test, {});
    for (const CongestedRun& run : BothModes())
    {
        CongestedTree tree(run);
        for (const int64_t at : {1, 2'345'678, 4'000'000, 4'000'001, 12'345'000})
        {
            tree.fabric.network->StopAt(PicoSeconds(at));
            Simulator::Run();
            tree.fabric.network->CheckInvariants();
        }
        tree.fabric.network->StopAt(Seconds(1000));
        Simulator::Run();
        test.ExpectSame(tree.GetResult(), reference, "a run in pieces");
    }
}

void
TestConservation(FunctionCase& test)
{
    std::vector<std::string> results;
    for (CongestedRun run : BothModes())
    {
        run.errorRate = 0.003;
        std::ostringstream samples;
        CongestedTree tree(run);
        for (uint32_t i = 0; i < 500; ++i)
        {
            tree.At(NanoSeconds(i * 97), [&tree, &samples] {
                tree.fabric.network->CheckInvariants();
                const FabricTotals totals = tree.fabric.network->GetTotals();
                samples << Simulator::Now().GetPicoSeconds() << " " << totals.offered << " "
                        << totals.delivered << "\n";
            });
        }
        Simulator::Run();
        const FabricTotals totals = tree.fabric.network->GetTotals();
        test.Expect(totals.dropped.at("corrupt") > 0, "no frame was damaged");
        test.Expect(totals.inFlight == 0, "something is in flight at the end");
        test.Expect(tree.GetTcpBytes() == tree.GetTcpGoal(), "TCP has lost bytes");
        test.Expect(tree.fabric.network->IsEmpty(), "lost messages are forgotten");
        results.push_back(samples.str() + tree.GetResult());
    }
    test.ExpectSame(results[1], results[0], "samples in the run");
}

void
TestRandomFabrics(FunctionCase& test)
{
    for (uint32_t seed = 1; seed <= 60; ++seed)
    {
        const std::string ahead = RunRandom(test, {seed});
        test.ExpectSame(RunRandom(test, {seed, false}), ahead, "seed " + std::to_string(seed));
        test.ExpectSame(RunRandom(test, {seed, true, true}),
                        ahead,
                        "traced, seed " + std::to_string(seed));
    }
}

/// @return when the message of RunMessage() arrives
Time
ArrivalTime()
{
    Time arrival;
    RunMessage(
        true,
        [](const FabricContainer&) {},
        [&arrival] { arrival = Simulator::Now(); });
    return arrival;
}

void
TestTies(FunctionCase& test)
{
    const Time arrival = ArrivalTime();
    for (const bool lookahead : {true, false})
    {
        for (Time ahead = PicoSeconds(2); ahead < arrival; ahead += PicoSeconds(9'999))
        {
            std::string order;
            const auto prepare = [&](const FabricContainer&) {
                // Planned `ahead` of the arrival: an event at its instant, which plans one more.
                Simulator::Schedule(arrival - ahead, [&order, ahead] {
                    Simulator::Schedule(ahead, [&order] {
                        order += "earlier ";
                        Simulator::ScheduleNow([&order] { order += "within"; });
                    });
                });
            };
            RunMessage(lookahead, prepare, [&order] { order += "message "; });
            test.ExpectSame(order,
                            "earlier message within",
                            "planned ahead by " + std::to_string(ahead.GetPicoSeconds()));
        }
    }
}

void
TestStopAtArrival(FunctionCase& test)
{
    const Time arrival = ArrivalTime();
    for (const bool lookahead : {true, false})
    {
        for (const bool after : {false, true})
        {
            uint32_t arrivals = 0;
            uint64_t delivered = 0;
            const Time end = arrival + PicoSeconds(after ? 1 : 0);
            const auto prepare = [&](const FabricContainer& fabric) {
                fabric.network->StopAt(end);
                Simulator::ScheduleDestroy([&delivered, network = fabric.network] {
                    delivered = network->GetTotals().delivered;
                });
            };
            RunMessage(lookahead, prepare, [&arrivals] { ++arrivals; });
            test.Expect(arrivals == (after ? 1 : 0), "messages at the end of the run");
            test.Expect(delivered == (after ? 4000 : 0), "bytes at the end of the run");
        }
    }
}

/// The totals are those of the end of the run, after Simulator::Destroy() too, when time begins at
/// 0 again, and in the next run.
void
TestTotalsAfterDestroy(FunctionCase& test)
{
    bool anyInFlight = false;
    for (CongestedRun run : BothModes())
    {
        for (const Time& end : {Time(0), MicroSeconds(3), MicroSeconds(17), Seconds(1000)})
        {
            CongestedTree tree(run);
            tree.fabric.network->StopAt(end);
            Simulator::Run();
            const std::string totals = tree.GetTotals();
            anyInFlight = anyInFlight || tree.fabric.network->GetTotals().inFlight > 0;
            Simulator::Destroy();
            test.ExpectSame(tree.GetTotals(), totals, "after it");
            Simulator::Schedule(MicroSeconds(5), [&] {
                test.ExpectSame(tree.GetTotals(), totals, "in the next run");
            });
            Simulator::Run();
        }
    }
    test.Expect(anyInFlight, "no run was ended in its middle");
}

/**
 * Hops by closed form: frames cross the links of their path, and with flow channels each is
 * acknowledged over the two links between switches.
 */
void
TestHops(FunctionCase& test)
{
    constexpr uint32_t FRAMES = 10;
    for (const bool flowChannels : {true, false})
    {
        Simulation simulation;
        FatTreeHelper helper = SmallTree(flowChannels);
        const FabricContainer fabric = helper.Install();
        // From edge 0 by a core to edge 3: four links. A frame each 2 us, so each has an ACK.
        for (uint32_t i = 0; i < FRAMES; ++i)
        {
            Simulator::Schedule(MicroSeconds(2 * i), [&fabric] {
                fabric.GetDevice(0)->SendMessage(LocationOf(7), 1000);
            });
        }
        Simulator::Run();
        const FabricTotals totals = fabric.network->GetTotals();
        test.ExpectEqual(totals.dataHops, 4 * FRAMES, "data");
        test.ExpectEqual(totals.controlHops, flowChannels ? 2 * FRAMES : 0, "control");
    }
}

/// Tests of FabricNetwork and FabricSwitch.
class FabricNetworkTestSuite : public FunctionSuite
{
  public:
    FabricNetworkTestSuite()
        : FunctionSuite("fabric-network", kUnit)
    {
        Add("PR-3 WL-2 hops of data and of ACKs by closed form", TestHops);
        Add("DP-5 same bytes with and without lookahead, whatever the scheduler", TestSchedulers);
        Add("DP-5 same bytes in random fabrics of unequal windows", TestRandomFabrics);
        Add("DP-5 same bytes when Lookahead changes in the run", TestLookaheadChanges);
        Add("DP-5 Now() is right in trace sinks, which change nothing", TestTraces);
        Add("DP-5 a sink that is disconnected at the instant of its call", TestDisconnectInside);
        Add("DP-5 StopAt() ends a run at the same state", TestStopAt);
        Add("DP-5 StopAt() called in the run", TestStopInRun);
        Add("DP-5 StopAt() at the instant of an arrival", TestStopAtArrival);
        Add("PR-3 totals can be read after Simulator::Destroy()", TestTotalsAfterDestroy);
        Add("DP-7 messages and events of one instant have one order", TestTies);
        Add("DP-5 a run in pieces", TestGoOn);
        Add("WL-4 damaged frames are accounted for, at any time of the run", TestConservation);
    }
};

FabricNetworkTestSuite g_fabricNetworkTestSuite; ///< Registers itself.

} // namespace

} // namespace ns3::fabric
