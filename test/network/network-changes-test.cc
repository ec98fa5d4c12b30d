/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-network-scenario.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-scratch-folder.h"

#include "ns3/test.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/**
 * @param at time of a change
 * @param name attribute of FabricSwitch
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
    helper.SetSwitchAttribute("LaneChargeOverBandwidth", BooleanValue(true));
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

/// The file of a lane table is the one of the table in use, and can't become empty.
void
TestLaneTableFiles(FunctionCase& test)
{
    Simulation simulation;
    const ScratchFolder folder(test, "lane-tables");
    std::filesystem::create_directories(folder.Get());
    const std::string file = folder.Get() / "lanes.json";
    std::ofstream(file)
        << R"({"lanes": [{"lane": 0, "level": "high", "group": 0, "trafficClass": 0}],
                               "groups": [{"group": 0, "share": 50}]})";
    FatTreeHelper helper(2);
    helper.SetLaneTable(TwoLanes(0, 1));
    const FabricContainer fabric = helper.Install();
    const Ptr<FabricSwitch> one = fabric.GetSwitch(0);
    const auto set = [&one](const std::string& name) {
        return Refusal([&] { one->SetAttribute("LaneTableFile", StringValue(name)); });
    };
    const auto expectFile = [&](const std::string& expected) {
        StringValue now;
        one->GetAttribute("LaneTableFile", now);
        test.ExpectEqual(now.Get(), expected, "LaneTableFile");
    };
    expectFile("");
    test.ExpectEqual(set(""), std::string(), "a table without a file stays");
    test.ExpectEqual(set(file), std::string(), "a file");
    expectFile(file);
    test.ExpectEqual(set(""),
                     "ns3::FabricSwitch on node 2: LaneTableFile is '" + file +
                         "', and can't become empty in the run; allowed is the file of another "
                         "table",
                     "no file");
    expectFile(file);
    one->SetLaneTable(TwoLanes(1, 0));
    expectFile("");
    test.ExpectEqual(set(""), std::string(), "a table that was set after a file stays");
    test.ExpectEqual(FatTreeHelper(2).Install().GetSwitch(0)->SetAttributeFailSafe("LaneTableFile",
                                                                                   StringValue("")),
                     true,
                     "no table");
}

/// Suite of settings that change in the run.
class NetworkChangesTestSuite : public FunctionSuite
{
  public:
    NetworkChangesTestSuite()
        : FunctionSuite("fabric-network-changes", kUnit)
    {
        Add("DP-6 attributes set in the run take effect at the same time", TestChanges);
        Add("DP-6 attributes set at the start of a window", TestChangeAtWindow);
        Add("DP-6 attributes set before the run hold from its start", TestChangeBeforeRun);
        Add("DP-6 attributes that are fixed are refused", TestFixedAttributes);
        Add("VA-11 DP-6 a lane table that changes in the run", TestLaneTables);
        Add("VA-11 the file of a lane table in the run", TestLaneTableFiles);
        Add("VA-11 VA-14 lane table and settings of all ports", TestLaneAttributes);
    }
};

NetworkChangesTestSuite g_networkChangesTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
