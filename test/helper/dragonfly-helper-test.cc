/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-dragonfly-helper.h"
#include "fabric-hyperx-helper.h"
#include "fabric-ideal-paths.h"
#include "fabric-message-recorder.h"
#include "fabric-pattern-traffic.h"
#include "fabric-torus-helper.h"
#include "network/fabric-network-scenario.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-switch-ring.h"
#include "support/fabric-test-seeds.h"

#include "ns3/simulator.h"

#include <iostream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return a dragonfly of 72 hosts
DragonflyConfig
SmallDragonflyOf(DragonflyMode mode)
{
    DragonflyConfig config;
    config.mode = mode;
    return config;
}

/// Routes that can deadlock are refused with the cycle, or warned of.
void
TestRouteCheck(FunctionCase& test)
{
    const SwitchRing ring(4);
    FabricHelper helper;
    const std::string cycle =
        "FabricHelper: the routes can deadlock: frames that go from switch 0 port 1 (VC 0) from "
        "switch 1 port 1 (VC 0) from switch 2 port 1 (VC 0) from switch 3 port 1 (VC 0) can wait "
        "each for the next in a circle; allowed are routes without such a circle, or "
        "SetRouteCheck()";
    test.ExpectEqual(Refusal([&] { helper.Install(ring.plan, ring.routing); }), cycle, "refused");
    helper.SetRouteCheck(ROUTES_ARE_WARNED);
    std::ostringstream written;
    std::streambuf* const before = std::cerr.rdbuf(written.rdbuf());
    helper.Install(ring.plan, ring.routing);
    std::cerr.rdbuf(before);
    test.ExpectEqual(written.str(), cycle + "\n", "warned of");
    Simulator::Destroy();
}

/// Links between groups may have a delay and a rate of their own, and empty paths are known.
void
TestPathsOfDragonfly(FunctionCase& test)
{
    for (const auto mode : {DRAGONFLY_MINIMAL, DRAGONFLY_UGAL})
    {
        DragonflyHelper helper(SmallDragonflyOf(mode));
        DragonflyHelper::CheckRoutes(helper.GetDragonfly());
        helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
        helper.SetChannelAttribute(LinkClass::GLOBAL, "Delay", TimeValue(NanoSeconds(700)));
        helper.SetChannelAttribute(LinkClass::GLOBAL, "DataRate", StringValue("100Gbps"));
        const FabricContainer fabric = helper.Install();
        const FabricIdealPaths paths(fabric.network);
        FabricMessageRecorder recorder(fabric.network);
        // One after the other, so that each is alone: 0 sends to all.
        for (uint32_t to = 1; to < 72; ++to)
        {
            Simulator::Schedule(MicroSeconds(20 * to), [&fabric, to] {
                fabric.GetDevice(0)->SendMessage(LocationOf(to), 9000);
            });
        }
        Simulator::Run();
        test.ExpectEqual(recorder.GetRecords().size(), std::size_t{71}, "all arrive");
        std::set<TimePs> times;
        for (const FabricMessageRecorder::Record& record : recorder.GetRecords())
        {
            const EmptyPath path = paths.Find(LocationOf(0), record.message.dst);
            test.ExpectEqual(record.CompletionTime(),
                             path.CompletionTime(9000),
                             "to " + std::to_string(record.message.dst));
            times.insert(record.CompletionTime());
        }
        // On the same switch, in the group, and four kinds of paths to others: g, gl, lg, lgl.
        test.ExpectEqual(times.size(), std::size_t{5}, "kinds of paths by their times");
        Simulator::Destroy();
    }
}

/// The patterns send what they say.
void
TestPatternsOfTraffic(FunctionCase& test)
{
    for (const std::string& name : FabricPattern::Names())
    {
        if (name == "tornado")
        {
            continue; // needs rings
        }
        DragonflyHelper helper(SmallDragonflyOf(DRAGONFLY_UGAL));
        const FabricContainer fabric = helper.Install();
        FabricMessageRecorder recorder(fabric.network);
        FabricPattern pattern;
        pattern.name = name;
        pattern.bytes = 100;
        pattern.groupHosts = 8;
        FabricPatternTraffic traffic(fabric, pattern);
        traffic.SendOnce();
        Simulator::Run();
        const auto& records = recorder.GetRecords();
        test.ExpectEqual(records.size(), std::size_t{traffic.CountOnce()}, name);
        std::set<uint32_t> receivers;
        for (const FabricMessageRecorder::Record& record : records)
        {
            const uint32_t src = HostOf(record.message.src);
            const uint32_t dst = HostOf(record.message.dst);
            receivers.insert(dst);
            test.Expect(src != dst, name + ": to itself");
            test.Expect(name != "shift" || dst == (src + 36) % 72, "shift by half the hosts");
            test.Expect(name != "bit-complement" || dst == 71 - src, "complement");
            test.Expect(name != "adversarial" || dst / 8 == (src / 8 + 1) % 9, "the next group");
        }
        const bool isDrawn = name == "uniform" || name == "adversarial";
        test.Expect(isDrawn ? receivers.size() > 30 : receivers.size() == 72, name + ": receivers");
        Simulator::Destroy();
    }
}

/// Patterns that are none, or for which the fabric has not the shape, are refused.
void
TestRefusedPatterns(FunctionCase& test)
{
    const FabricContainer fabric = TorusHelper({{5, 4}, 2, TORUS_DIMENSION_ORDER}).Install();
    const auto refusal = [&fabric](const std::string& name, uint32_t groupHosts) -> std::string {
        FabricPattern pattern;
        pattern.name = name;
        pattern.groupHosts = groupHosts;
        pattern.rings = name == "tornado" ? std::vector<uint32_t>{5, 4} : std::vector<uint32_t>{};
        try
        {
            FabricPatternTraffic traffic(fabric, pattern);
        }
        catch (const std::invalid_argument& error)
        {
            return error.what();
        }
        return "";
    };
    for (const std::string name : {"Random", "unifrm", "hotspot", ""})
    {
        test.ExpectEqual(refusal(name, 0),
                         "--pattern=" + name +
                             ": allowed is one of shift, random, bit-complement, uniform, "
                             "adversarial, tornado, all-to-all",
                         "a name");
    }
    for (const uint32_t groupHosts : {0U, 1U, 3U, 40U, 0x80000002U})
    {
        test.ExpectEqual(
            refusal("tornado", groupHosts),
            "--pattern=tornado: its rings with groupHosts=" + std::to_string(groupHosts) +
                " hosts on each switch are not the 40 hosts of the fabric",
            "other rings");
    }
    test.ExpectEqual(refusal("tornado", 2), std::string(), "its rings");
    test.ExpectEqual(
        refusal("adversarial", 7),
        std::string("--pattern=adversarial: groups of 7 hosts are no whole part of 40"),
        "groups");
    Simulator::Destroy();
}

/// A torus and a HyperX are installed, empty paths are known, and a tornado goes nearly halfway
/// round each ring.
void
TestGrids(FunctionCase& test)
{
    const TorusHelper torus({{5, 4}, 2, TORUS_DIMENSION_ORDER});
    const HyperXHelper hyperX({{5, 4}, 2, {1, 2}, HYPERX_MINIMAL});
    TorusHelper::CheckRoutes(torus.GetTorus());
    HyperXHelper::CheckRoutes(hyperX.GetHyperX());
    for (const bool isTorus : {true, false})
    {
        const FabricContainer fabric = isTorus ? torus.Install() : hyperX.Install();
        const FabricIdealPaths paths(fabric.network);
        const FabricMessageRecorder recorder(fabric.network);
        FabricPattern pattern;
        pattern.name = "tornado";
        pattern.bytes = 3000;
        pattern.groupHosts = 2;
        pattern.rings = {5, 4};
        FabricPatternTraffic traffic(fabric, pattern);
        traffic.SendOnce();
        Simulator::Schedule(MicroSeconds(50),
                            [&fabric] { fabric.GetDevice(0)->SendMessage(LocationOf(25), 9000); });
        Simulator::Run();
        test.ExpectEqual(recorder.GetRecords().size(), std::size_t{41}, "all arrive");
        const FabricMessageRecorder::Record& alone = recorder.GetRecords().back();
        test.ExpectEqual(alone.CompletionTime(),
                         paths.Find(LocationOf(0), LocationOf(25)).CompletionTime(9000),
                         "alone");
        for (std::size_t i = 0; i < 40; ++i)
        {
            const Message& message = recorder.GetRecords()[i].message;
            const uint32_t src = HostOf(message.src);
            const uint32_t x = (src / 2 % 5 + 2) % 5;
            const uint32_t y = (src / 10 + 1) % 4;
            test.ExpectEqual(HostOf(message.dst), (y * 5 + x) * 2 + src % 2, "two right, one up");
        }
        Simulator::Destroy();
    }
}

/// Messages at a load come as often as they should.
void
TestPatternAtLoad(FunctionCase& test)
{
    DragonflyHelper helper(SmallDragonflyOf(DRAGONFLY_MINIMAL));
    const FabricContainer fabric = helper.Install();
    FabricMessageRecorder recorder(fabric.network);
    FabricPattern pattern;
    pattern.name = "uniform";
    pattern.bytes = 1000;
    FabricPatternTraffic traffic(fabric, pattern);
    traffic.SendEvery(NanoSeconds(400));
    fabric.network->StopAt(MicroSeconds(40));
    Simulator::Run();
    // 72 hosts, 100 messages each, of which 1 % are under way at the end; deviation 85.
    const auto messages = static_cast<double>(recorder.GetRecords().size());
    test.Expect(messages > 6700 && messages < 7500, "messages: " + std::to_string(messages));
    Simulator::Destroy();
}

/// @return when messages were delivered while links fail and are repaired
std::string
DeliverWhileLinksFail(FunctionCase& test, DragonflyMode mode, uint32_t seed, bool lookahead)
{
    Simulation simulation;
    DragonflyHelper helper(SmallDragonflyOf(mode));
    helper.SetStream(seed);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    const FabricContainer fabric = helper.Install();
    const FabricMessageRecorder recorder(fabric.network);
    std::minstd_rand random(seed + 1);
    for (uint32_t i = 0; i < 12; ++i)
    {
        const Ptr<FabricChannel> link = fabric.links[random() % fabric.links.size()];
        const Time from = NanoSeconds(1'000 + 2'000 * i + random() % 1'000);
        link->FailAt(from);
        link->RepairAt(from + NanoSeconds(1'500));
    }
    for (uint32_t i = 0; i < 720; ++i)
    {
        const uint32_t from = i % 72;
        const LocationId to = LocationOf((from + 1 + random() % 71) % 72);
        Simulator::Schedule(NanoSeconds(40 * i), [&fabric, from, to] {
            fabric.GetDevice(from)->SendMessage(to, 30'000);
        });
    }
    Simulator::Run();
    const std::string what = "mode " + std::to_string(mode) + ", seed " + std::to_string(seed);
    fabric.network->CheckInvariants();
    test.Expect(fabric.network->IsEmpty() && !fabric.network->FindStall(), what + ": at rest");
    test.Expect(recorder.GetRecords().size() > 600, what + ": most are delivered");
    std::ostringstream text;
    recorder.WriteMessages(text);
    return text.str();
}

/// Flows that leave a failed link go on by another one, on the channel of that.
void
TestFailuresInTraffic(FunctionCase& test)
{
    for (const auto mode : {DRAGONFLY_MINIMAL, DRAGONFLY_VALIANT, DRAGONFLY_UGAL})
    {
        const TestSeeds seeds(3);
        for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
        {
            test.ExpectSame(DeliverWhileLinksFail(test, mode, seed, true),
                            DeliverWhileLinksFail(test, mode, seed, false),
                            "windows, mode " + std::to_string(mode) + ", seed " +
                                std::to_string(seed));
        }
    }
}

/// Suite of helpers for dragonflies.
class DragonflyHelperSuite : public FunctionSuite
{
  public:
    DragonflyHelperSuite()
        : FunctionSuite("fabric-dragonfly-helper", kUnit)
    {
        Add("FC-13 routes that can deadlock are refused", TestRouteCheck);
        Add("FC-13 empty paths of a dragonfly", TestPathsOfDragonfly);
        Add("FC-13 patterns of traffic", TestPatternsOfTraffic);
        Add("SC-1 patterns that the fabric can't have are refused", TestRefusedPatterns);
        Add("FC-13 messages at a load", TestPatternAtLoad);
        Add("FC-13 a torus and a HyperX by their helpers", TestGrids);
        Add("FC-13 WL-8 links fail in traffic", TestFailuresInTraffic);
    }
};

DragonflyHelperSuite g_dragonflyHelperSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
