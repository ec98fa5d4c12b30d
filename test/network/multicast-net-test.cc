/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-group-helper.h"
#include "fabric-message-sender.h"
#include "fabric-network-scenario.h"
#include "fabric-refusal.h"
#include "fabric-small-row.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Random groups and what their members send. @return what was delivered, line by line
std::string
RunGroups(FunctionCase& test, uint32_t seed, bool lookahead, uint32_t threads)
{
    const Simulation simulation;
    std::minstd_rand random(seed);
    FabricHelper helper;
    helper.SetStream(1);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    helper.SetNetworkAttribute("Threads", UintegerValue(threads));
    helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
    const FabricContainer fabric = InstallRow(helper);
    const uint32_t hosts = fabric.hosts.GetN();
    std::vector<std::vector<uint32_t>> members(1 + random() % 3);
    for (std::vector<uint32_t>& group : members)
    {
        for (uint32_t host = 0; host < hosts; ++host)
        {
            if (random() % 2 == 0 || host >= hosts - 2)
            {
                group.push_back(host);
            }
        }
    }
    const std::vector<LocationId> groups = FabricGroupHelper(fabric).Create(members);
    uint64_t expected = 0;
    uint64_t callbacks = 0;
    for (uint32_t i = 0; i < 60; ++i)
    {
        const std::size_t number = random() % groups.size();
        const uint32_t from = members[number][random() % members[number].size()];
        auto sender = CreateObject<FabricMessageSender>();
        sender->SetAttribute("Remote", UintegerValue(groups[number]));
        sender->SetAttribute("Bytes", UintegerValue(random() % 40'000));
        sender->SetStartTime(NanoSeconds(random() % 20'000));
        fabric.hosts.Get(from)->AddApplication(sender);
        expected += members[number].size() - 1;
    }
    std::ostringstream journal;
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>([&](const Message& message, Time now) {
            journal << now.GetPicoSeconds() << " " << message.src << " " << message.dst << " "
                    << message.group << " " << message.sequence << " " << message.bytes << "\n";
            test.Expect(message.group >= FIRST_GROUP && message.dst != message.src, "a member");
            ++callbacks;
        }));
    Simulator::Run();
    fabric.network->CheckInvariants();
    const FabricTotals totals = fabric.network->GetTotals();
    test.Expect(totals.copied > 0 && totals.delivered == totals.offered + totals.copied,
                Text("seed ", seed, ": the books"));
    test.ExpectEqual(callbacks, expected, Text("seed ", seed, ": deliveries"));
    test.Expect(fabric.network->IsEmpty(), Text("seed ", seed, ": something is left"));
    return journal.str();
}

/// Windows and threads change nothing that members see.
void
TestGroupRuns(FunctionCase& test)
{
    const TestSeeds seeds(12);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const std::string told = RunGroups(test, seed, true, 1);
        const std::string what = "seed " + std::to_string(seed);
        test.Expect(!told.empty(), what);
        test.ExpectSame(RunGroups(test, seed, false, 1), told, what + ", without look-ahead");
        test.ExpectSame(RunGroups(test, seed, true, 2), told, what + ", on two threads");
    }
}

/// What there can be no group of.
void
TestGroupRefusals(FunctionCase& test)
{
    const auto refuses = [&](const FabricHelper& helper,
                             const std::vector<uint32_t>& members,
                             const std::string& words) {
        const FabricContainer fabric = InstallRow(helper);
        const std::string told = Refusal([&] { FabricGroupHelper(fabric).Create(members); });
        test.Expect(told.find(words) != told.npos && told.find("allowed") != told.npos, told);
        test.ExpectEqual(fabric.network->GetGroups(), 0, "none is made");
    };
    const Simulation simulation;
    refuses(FabricHelper(), {3}, "a group has 1 members");
    refuses(FabricHelper(), {3, 4, 3}, "a group has the member 3 twice");
    refuses(FabricHelper(), {3, 400}, "a group has the member 400");
    FabricHelper lossy;
    lossy.SetSwitchAttribute("LossyClasses", UintegerValue(0xFFFF));
    refuses(lossy, {0, 1}, "LossyClasses is 65535");
    FabricHelper paused;
    paused.SetSwitchAttribute("LinkFlowControl", StringValue("pause"));
    refuses(paused, {0, 1}, "links have no credits");
    FabricHelper damaged;
    damaged.SetErrorModel(ObjectFactory("ns3::RateErrorModel"));
    refuses(damaged, {0, 1}, "links may lose frames");
    const FabricContainer fabric = InstallRow(FabricHelper());
    FabricGroupHelper groups(fabric);
    groups.Create({0, 4});
    const std::string fails = Refusal([&] { fabric.FailLink(0, 1, Seconds(1), Seconds(2)); });
    test.Expect(fails.find("a link can't fail while there are groups") != fails.npos, fails);
    const std::string other = Refusal([&] { FabricGroupHelper(fabric).Create({1, 4}); });
    test.Expect(other.find("another helper has made groups") != other.npos, other);
}

} // namespace

/// Groups in a fabric.
class MulticastNetTestSuite : public TestSuite
{
  public:
    MulticastNetTestSuite()
        : TestSuite("fabric-multicast-net", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("FC-16 DP-5 DP-15 applications send to groups", TestGroupRuns);
        add("FC-16 groups that can't be are refused", TestGroupRefusals);
    }
};

static MulticastNetTestSuite g_multicastNetTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
