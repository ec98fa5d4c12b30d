/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-delivery-journal.h"
#include "fabric-dragonfly-helper.h"
#include "fabric-function-case.h"
#include "fabric-group-helper.h"
#include "fabric-hyperx-helper.h"
#include "fabric-path-networks.h"
#include "fabric-reduction-helper.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-torus-helper.h"
#include "network/fabric-network-scenario.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return a fabric of one of three kinds @param adjust sets attributes: `void adjust(helper)`
template <typename Adjust>
FabricContainer
InstallPaths(uint32_t kind, uint32_t mode, Adjust&& adjust)
{
    const auto install = [&adjust](auto helper) {
        helper.SetStream(1);
        adjust(helper);
        return helper.Install();
    };
    if (kind == 0)
    {
        DragonflyConfig config;
        config.mode = static_cast<DragonflyMode>(mode % 3);
        config.groups = 3 + mode % 3;
        return install(DragonflyHelper(config));
    }
    if (kind == 1)
    {
        const auto torusMode = static_cast<TorusMode>(mode % 3);
        return install(TorusHelper(TorusConfig{{3, 4}, 2, torusMode}));
    }
    const auto hyperXMode = static_cast<HyperXMode>(mode % 4);
    return install(HyperXHelper(HyperXConfig{{3, 4}, 2, {2}, hyperXMode}));
}

/// Random groups and reductions, and messages beside. @return what was told, line by line
std::string
RunPathGroups(FunctionCase& test, uint32_t seed, bool lookahead, uint32_t threads)
{
    const Simulation simulation;
    std::minstd_rand random(seed);
    const uint32_t mode = random() % 12;
    const FabricContainer fabric = InstallPaths(seed % 3, mode, [&](auto& helper) {
        helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
        helper.SetNetworkAttribute("Threads", UintegerValue(threads));
        helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
    });
    const uint32_t hosts = fabric.hosts.GetN();
    FabricGroupHelper groups(fabric);
    std::vector<std::vector<uint32_t>> members(1 + random() % 3);
    for (std::vector<uint32_t>& each : members)
    {
        each = DrawSome(random, hosts, 2);
    }
    const std::vector<LocationId> locations = groups.Create(members);
    FabricReductionHelper reductions(groups);
    const std::vector<uint32_t> reduced = DrawSome(random, hosts, 2);
    const LocationId sum = reductions.Create(reduced, ReductionOperation::SUM);
    uint64_t results = 0;
    for (uint32_t n = 0; n < 3; ++n)
    {
        for (const uint32_t member : reduced)
        {
            const Ptr<FabricNetDevice> device = fabric.GetDevice(member);
            const Time at = MicroSeconds(6 * n) + NanoSeconds(random() % 6000);
            Simulator::Schedule(at, [device, sum, n, member] {
                device->Reduce(sum, 9000 * n, member);
            });
            ++results;
        }
    }
    uint64_t expected = 0;
    for (uint32_t i = 0; i < 80; ++i)
    {
        const std::size_t number = random() % locations.size();
        const bool isToGroup = random() % 2 == 0;
        const uint32_t from =
            isToGroup ? members[number][random() % members[number].size()] : random() % hosts;
        const uint32_t other = (from + 1 + random() % (hosts - 1)) % hosts;
        const LocationId to = isToGroup ? locations[number] : LocationOf(other);
        const Ptr<FabricNetDevice> device = fabric.GetDevice(from);
        const uint64_t bytes = random() % 20'000;
        Simulator::Schedule(NanoSeconds(random() % 20'000),
                            [device, to, bytes] { device->SendMessage(to, bytes); });
        expected += isToGroup ? members[number].size() - 1 : 1;
    }
    std::ostringstream journal;
    uint64_t told = 0;
    uint64_t value = 0;
    for (const uint32_t member : reduced)
    {
        value += member;
    }
    fabric.network->TraceConnectWithoutContext(
        "ReductionDone",
        Callback<void, const ReductionResult&, Time>([&](const ReductionResult& result, Time now) {
            journal << now.GetPicoSeconds() << " result of " << result.member << "\n";
            test.ExpectEqual(result.Value(), value, "value");
            ++told;
        }));
    uint64_t delivered = 0;
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>([&](const Message&, Time) { ++delivered; }));
    JournalDeliveries(fabric.network, journal);
    Simulator::Run();
    fabric.network->CheckInvariants();
    const FabricTotals totals = fabric.network->GetTotals();
    const std::string what = "seed " + std::to_string(seed);
    test.ExpectEqual(totals.delivered + totals.combined,
                     totals.offered + totals.copied,
                     what + ": the books");
    test.ExpectEqual(delivered, expected, what + ": deliveries");
    test.ExpectEqual(told, results, what + ": results");
    test.Expect(fabric.network->IsEmpty(), what + ": something is left");
    return journal.str();
}

/// Windows and threads change nothing that members see.
void
TestPathGroupRuns(FunctionCase& test)
{
    const TestSeeds seeds(24);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const std::string told = RunPathGroups(test, seed, true, 1);
        const std::string what = "seed " + std::to_string(seed);
        test.Expect(!told.empty(), what);
        test.ExpectSame(RunPathGroups(test, seed, false, 1), told, what + ", without look-ahead");
        test.ExpectSame(RunPathGroups(test, seed, true, 2), told, what + ", on two threads");
    }
}

/// The helpers' times are what a message and an operation alone take.
void
TestPathGroupTimes(FunctionCase& test)
{
    for (uint32_t i = 0; i < 36; ++i)
    {
        const Simulation simulation;
        std::minstd_rand random(i + 1);
        const FabricContainer fabric = InstallPaths(i % 3, i / 3, [i](auto& helper) {
            helper.SetSwitchAttribute(
                "Forwarding",
                StringValue(i % 4 == 3 ? "store-and-forward" : "cut-through"));
            if (i % 5 == 1)
            {
                helper.SetHostChannelAttribute("DataRate", StringValue("100Gbps"));
            }
        });
        FabricGroupHelper groups(fabric);
        FabricReductionHelper reductions(groups);
        const std::vector<uint32_t> members = DrawSome(random, fabric.hosts.GetN(), 2);
        const LocationId group = groups.Create(members);
        const LocationId reduction = reductions.Create(members, ReductionOperation::SUM);
        const uint32_t from = members[random() % members.size()];
        const uint64_t bytes = i < 12 ? 0 : i < 24 ? 5000 : 100'000;
        Time end;
        fabric.network->TraceConnectWithoutContext(
            "MessageDelivered",
            Callback<void, const Message&, Time>([&](const Message&, Time now) { end = now; }));
        fabric.network->TraceConnectWithoutContext(
            "ReductionDone",
            Callback<void, const ReductionResult&, Time>(
                [&](const ReductionResult&, Time now) { end = now; }));
        fabric.GetDevice(from)->SendMessage(group, bytes);
        Simulator::Run();
        test.ExpectEqual(end.GetPicoSeconds(),
                         groups.GetIdealTime(group, from, bytes).GetPicoSeconds(),
                         Text("run ", i, ": a message"));
        const Time begin = MilliSeconds(1);
        for (const uint32_t member : members)
        {
            const Ptr<FabricNetDevice> device = fabric.GetDevice(member);
            Simulator::Schedule(begin - Simulator::Now(), [device, reduction, bytes] {
                device->Reduce(reduction, bytes, 1);
            });
        }
        Simulator::Run();
        test.ExpectEqual((end - begin).GetPicoSeconds(),
                         reductions.GetIdealTime(reduction, bytes).GetPicoSeconds(),
                         Text("run ", i, ": an operation"));
    }
}

/// Routes of two channels leave two for trees, if no other class has them.
void
TestPathGroupRefusals(FunctionCase& test)
{
    const Simulation simulation;
    for (uint32_t kind = 0; kind < 3; ++kind)
    {
        const FabricContainer fabric = InstallPaths(kind, 0, [](auto& helper) {
            helper.SetSwitchAttribute("ClassToVc", StringValue("0,1"));
            helper.SetDeviceAttribute("ClassToVc", StringValue("0,1"));
        });
        FabricGroupHelper groups(fabric);
        FabricReductionHelper reductions(groups);
        const std::string group = Refusal([&] { groups.Create({0, 20}); });
        test.Expect(group.find("groups: frames on the way") == 0, group);
        const std::string sum = Refusal([&] {
            reductions.Create({0, 20}, ReductionOperation::SUM);
        });
        test.ExpectSame(sum, group, "the same");
        test.ExpectEqual(fabric.network->GetGroups(), 0, "none is made");
        test.ExpectEqual(fabric.network->GetReductions().Size(), 0, "none is made");
        const FabricContainer other = InstallPaths(kind, 0, [](auto&) {});
        FabricGroupHelper(other).Create({0, 20});
    }
}

} // namespace

/// Groups and reductions in dragonflies, tori and HyperX.
class PathGroupsHelperTestSuite : public TestSuite
{
  public:
    PathGroupsHelperTestSuite()
        : TestSuite("fabric-path-groups-helper", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("FC-16 SW-14 DP-5 DP-15 groups and reductions beside messages", TestPathGroupRuns);
        add("FC-16 SW-14 what takes as long as its tree says", TestPathGroupTimes);
        add("FC-16 SW-14 trees without virtual channels are refused", TestPathGroupRefusals);
    }
};

static PathGroupsHelperTestSuite g_pathGroupsHelperTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
