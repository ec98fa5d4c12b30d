/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel.h"
#include "fabric-network-scenario.h"
#include "fabric-random-network.h"
#include "fabric-switch-port.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"

#include "ns3/test.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{
namespace fabric
{

namespace
{

/**
 * Runs the congested tree to its end and checks what has to be true of every run.
 *
 * @param test fails if it is not
 * @param run what the run is
 * @param prepare is called before the run
 * @return what the hosts received, and the counters
 */
std::string
RunToEnd(FunctionCase& test,
         const CongestedRun& run,
         const std::function<void(CongestedTree&)>& prepare = {})
{
    CongestedTree tree(run);
    if (prepare)
    {
        prepare(tree);
    }
    Simulator::Run();
    test.Expect(tree.GetTcpBytes() == tree.GetTcpGoal(),
                "TCP brought " + std::to_string(tree.GetTcpBytes()) + " bytes of " +
                    std::to_string(tree.GetTcpGoal()));
    tree.fabric.network->CheckInvariants();
    test.Expect(tree.fabric.network->IsEmpty(), "something is left in the fabric");
    test.Expect(tree.hosts->IsPunctual(), "Now() is wrong in a message callback");
    return tree.GetResult();
}

/// @return the four runs with and without lookahead and flow channels
std::vector<CongestedRun>
BothModes()
{
    CongestedRun ahead;
    CongestedRun exact;
    exact.lookahead = false;
    return {ahead, exact};
}

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

/**
 * @param at time of a change
 * @param name attribute of FabricSwitch
 * @param value its value
 * @return what changes it in the run
 */
std::function<void(CongestedTree&)>
Changing(Time at, const std::string& name, Ptr<AttributeValue> value)
{
    // Planned late, so that at the start of a window the switches have handled it already.
    const Time late = std::min(at, PicoSeconds(1));
    return [=](CongestedTree& tree) {
        tree.At(at - late, [=] {
            Simulator::Schedule(late, [=] {
                Config::Set("/NodeList/*/$ns3::FabricSwitch/" + name, *value);
            });
        });
    };
}

void
TestChanges(FunctionCase& test)
{
    struct Change
    {
        std::string name;
        Ptr<AttributeValue> value;
    };

    const std::vector<Change> changes{{"AckIdleTimer", Create<TimeValue>(NanoSeconds(1))},
                                      {"AckLongestTimer", Create<TimeValue>(NanoSeconds(500))},
                                      {"HopCredits", Create<BooleanValue>(false)}};
    const std::string unchanged = RunToEnd(test, {});
    for (const Change& change : changes)
    {
        // 80 ns is the lookahead: at the start of a window, in it, and at 0.
        for (const int64_t at : {0, 4'000'000, 4'000'001, 4'037'000, 6'079'999})
        {
            const auto prepare = Changing(PicoSeconds(at), change.name, change.value);
            const std::string ahead = RunToEnd(test, BothModes()[0], prepare);
            const std::string exact = RunToEnd(test, BothModes()[1], prepare);
            test.ExpectSame(exact, ahead, change.name + " set at " + std::to_string(at) + " ps");
            test.Expect(ahead != unchanged, change.name + " has no effect");
        }
    }
}

void
TestChangeAtWindow(FunctionCase& test)
{
    std::set<std::string> different;
    for (uint32_t window = 40; window < 80; ++window)
    {
        const Time at = NanoSeconds(80 * window);
        std::vector<std::string> results;
        for (const CongestedRun& run : BothModes())
        {
            CongestedTree tree(run);
            // ACKs of an idle link stay where they are.
            Changing(at, "AckLongestTimer", Create<TimeValue>(Seconds(1)))(tree);
            Changing(at, "AckIdleTimer", Create<TimeValue>(Seconds(1)))(tree);
            tree.fabric.network->StopAt(at + NanoSeconds(240));
            Simulator::Run();
            tree.fabric.network->CheckInvariants();
            results.push_back(tree.GetTotals());
        }
        test.ExpectSame(results[1],
                        results[0],
                        "set at the start of window " + std::to_string(window));
        different.insert(results[0]);
    }
    test.Expect(different.size() == 40, "something happens in each window");
}

void
TestChangeBeforeRun(FunctionCase& test)
{
    const auto idle = [](FabricHelper& helper, Time time) {
        helper.SetSwitchAttribute("AckIdleTimer", TimeValue(time));
    };
    std::vector<std::string> results;
    for (const bool late : {false, true})
    {
        Simulation simulation;
        FatTreeHelper helper(2);
        idle(helper, NanoSeconds(late ? 30 : 700));
        const FabricContainer fabric = helper.Install();
        if (late)
        {
            Config::Set("/NodeList/*/$ns3::FabricSwitch/AckIdleTimer", TimeValue(NanoSeconds(700)));
            Config::Set("/NodeList/*/$ns3::FabricSwitch/AckLongestTimer",
                        TimeValue(NanoSeconds(90)));
        }
        fabric.GetDevice(0)->SendMessage(LocationOf(1), 20'000);
        Simulator::Run();
        results.push_back(std::to_string(Simulator::Now().GetPicoSeconds()) + " " +
                          std::to_string(fabric.network->GetTotals().controlHops));
    }
    test.ExpectSame(results[1], results[0], "set after Install and before Run");
}

void
TestFixedAttributes(FunctionCase& test)
{
    Simulation simulation;
    FatTreeHelper helper(2);
    const FabricContainer fabric = helper.Install();
    const auto refuses =
        [&test](Ptr<Object> object, const std::string& name, const AttributeValue& value) {
            test.Expect(!object->SetAttributeFailSafe(name, value), name + " is not refused");
        };
    const Ptr<FabricSwitch> fabricSwitch = fabric.GetSwitch(0);
    refuses(fabricSwitch, "Ports", UintegerValue(8));
    refuses(fabricSwitch, "FlowChannels", BooleanValue(false));
    refuses(fabricSwitch, "Arbitration", StringValue("port"));
    refuses(fabricSwitch, "Forwarding", StringValue("store-and-forward"));
    refuses(fabricSwitch, "Latency", TimeValue(NanoSeconds(1)));
    refuses(fabricSwitch, "ControlLatency", TimeValue(NanoSeconds(1)));
    refuses(fabricSwitch, "BufferBytes", UintegerValue(1 << 20));
    refuses(fabricSwitch, "ReservedBytes", UintegerValue(1 << 16));
    refuses(fabricSwitch, "VirtualChannels", UintegerValue(2));
    refuses(fabricSwitch, "ClassToVc", StringValue("0"));
    refuses(fabricSwitch, "NoFlowClasses", UintegerValue(1));
    refuses(fabricSwitch, "UnorderedClasses", UintegerValue(1));
    refuses(fabricSwitch, "FlowFields", UintegerValue(0));
    refuses(fabricSwitch, "FlowIds", UintegerValue(1));
    refuses(fabricSwitch, "HighWatermark", UintegerValue(1000));
    refuses(fabricSwitch, "TargetWatermark", UintegerValue(50));
    refuses(fabricSwitch, "DropWatermark", UintegerValue(1));
    refuses(fabric.GetDevice(0), "Mtu", UintegerValue(1500));
    refuses(fabric.GetDevice(0), "QueueBytes", UintegerValue(1));
    refuses(fabric.GetDevice(0), "ClassToVc", StringValue("0"));
    refuses(fabric.GetDevice(0)->GetChannel(), "DataRate", DataRateValue(DataRate("1Gbps")));
    refuses(fabric.GetDevice(0)->GetChannel(), "Delay", TimeValue(NanoSeconds(1)));
    refuses(fabric.GetDevice(0)->GetChannel(), "ErrorModel", PointerValue());
    test.Expect(!fabric.GetDevice(0)->SetMtu(1500), "SetMtu() is not refused");
    test.Expect(fabricSwitch->SetAttributeFailSafe("AckIdleTimer", TimeValue(NanoSeconds(1))),
                "AckIdleTimer is refused");
    test.Expect(fabricSwitch->SetAttributeFailSafe("HopCredits", BooleanValue(false)),
                "HopCredits is refused");
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

/**
 * Sends a message between two hosts and runs to the end.
 *
 * @param lookahead whether switches run ahead
 * @param prepare is called before the run with the fabric
 * @param arrived is called when the message arrives
 */
void
RunMessage(bool lookahead,
           const std::function<void(const FabricContainer&)>& prepare,
           const std::function<void()>& arrived)
{
    Simulation simulation;
    FatTreeHelper helper(2);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    const FabricContainer fabric = helper.Install();
    fabric.GetDevice(1)->SetMessageCallback(
        Callback<void, const Message&>([&arrived](const Message&) { arrived(); }));
    fabric.GetDevice(0)->SendMessage(LocationOf(1), 4000);
    prepare(fabric);
    Simulator::Run();
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

/// @return classes 0 and 1 on lanes of their own, with these levels
LaneTable
TwoLanes(uint8_t level0, uint8_t level1)
{
    LaneTable table;
    table.lanes = {{0, level0, 0, 0, false}, {1, level1, 1, 1, false}};
    table.groups = {{0, 10000}, {1, 10000}};
    return table;
}

/**
 * Seven hosts send to one, in two classes, of which class 0 is above class 1 until the lane table
 * changes.
 *
 * @param test whose case it is
 * @param lookahead whether switches run ahead
 * @param changeAt when class 1 gets above class 0; 0 for never
 * @return what was delivered when
 */
std::string
RunLanes(FunctionCase& test, bool lookahead, Time changeAt)
{
    Simulation simulation;
    FatTreeConfig config;
    config.levels = 2;
    config.radix = 4;
    config.hosts = 8;
    FatTreeHelper helper(config);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    helper.SetStream(1);
    helper.SetSwitchAttribute("LaneBurst", UintegerValue(1 << 20));
    helper.SetLaneTable(TwoLanes(0, 1));
    const FabricContainer fabric = helper.Install();
    std::ostringstream journal;
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>([&journal](const Message& message, Time now) {
            journal << now.GetPicoSeconds() << " " << message.src << " " << message.bytes << "\n";
        }));
    for (uint32_t host = 1; host < 8; ++host)
    {
        fabric.GetDevice(host)->SendMessage(LocationOf(0), 100'000, host % 2);
    }
    if (!changeAt.IsZero())
    {
        Simulator::Schedule(changeAt, &FabricNetwork::SetLaneTable, fabric.network, TwoLanes(1, 0));
    }
    Simulator::Run();
    fabric.network->CheckInvariants();
    test.Expect(fabric.network->IsEmpty(), "something is left in the fabric");
    return journal.str();
}

void
TestLaneTables(FunctionCase& test)
{
    const std::string unchanged = RunLanes(test, true, Time(0));
    test.ExpectSame(RunLanes(test, false, Time(0)), unchanged, "one table");
    for (const int64_t at : {1, 5'000'000, 10'123'457})
    {
        const std::string ahead = RunLanes(test, true, PicoSeconds(at));
        test.ExpectSame(RunLanes(test, false, PicoSeconds(at)), ahead, "a table that changes");
        test.Expect(ahead != unchanged, "the second table has no effect");
    }
}

void
TestLaneAttributes(FunctionCase& test)
{
    Simulation simulation;
    FatTreeHelper helper(2);
    helper.SetLaneTable(TwoLanes(0, 1));
    helper.SetSwitchAttribute("LaneMode", StringValue("group"));
    helper.SetSwitchAttribute("LaneDebt", UintegerValue(77));
    const FabricContainer fabric = helper.Install();
    const VlArbiterSettings& settings = fabric.GetSwitch(0)->GetChip().Lanes(0)->arbiter.Settings();
    test.Expect(settings.mode == CHECK_GROUPS && settings.meter.debt == 77, "settings of ports");
    test.Expect(settings.rate.BitsPerSecond() == 200'000'000'000, "rate of ports");
    std::string refusal;
    try
    {
        LaneTable other = TwoLanes(0, 1);
        other.lanes[0].trafficClass = 5;
        fabric.network->SetLaneTable(other);
    }
    catch (const std::invalid_argument& error)
    {
        refusal = error.what();
    }
    test.Expect(refusal.find("no lane carries class 0") != std::string::npos, refusal);
    test.Expect(!fabric.GetSwitch(0)->SetAttributeFailSafe("LaneMode", StringValue("lane")),
                "LaneMode is not refused");
}

/// Tests of FabricNetwork and FabricSwitch.
class FabricNetworkTestSuite : public FunctionSuite
{
  public:
    FabricNetworkTestSuite()
        : FunctionSuite("fabric-network", kUnit)
    {
        Add("DP-5 same bytes with and without lookahead, whatever the scheduler", TestSchedulers);
        Add("DP-5 same bytes in random fabrics of unequal windows", TestRandomFabrics);
        Add("DP-5 same bytes when Lookahead changes in the run", TestLookaheadChanges);
        Add("DP-5 Now() is right in trace sinks, which change nothing", TestTraces);
        Add("DP-5 a sink that is disconnected at the instant of its call", TestDisconnectInside);
        Add("DP-6 attributes set in the run take effect at the same time", TestChanges);
        Add("DP-6 attributes set at the start of a window", TestChangeAtWindow);
        Add("DP-6 attributes set before the run hold from its start", TestChangeBeforeRun);
        Add("DP-6 attributes that are fixed are refused", TestFixedAttributes);
        Add("VA-11 DP-6 a lane table that changes in the run", TestLaneTables);
        Add("VA-11 VA-14 lane table and settings of all ports", TestLaneAttributes);
        Add("DP-5 StopAt() ends a run at the same state", TestStopAt);
        Add("DP-5 StopAt() called in the run", TestStopInRun);
        Add("DP-5 StopAt() at the instant of an arrival", TestStopAtArrival);
        Add("DP-7 messages and events of one instant have one order", TestTies);
        Add("DP-5 a run in pieces", TestGoOn);
        Add("WL-4 damaged frames are accounted for, at any time of the run", TestConservation);
    }
};

FabricNetworkTestSuite g_fabricNetworkTestSuite; ///< Registers itself.

} // namespace

} // namespace fabric
} // namespace ns3
