/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-delivery-journal.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-function-case.h"
#include "fabric-initiator-application.h"
#include "fabric-network-scenario.h"
#include "fabric-reduction-helper.h"
#include "fabric-refusal.h"
#include "fabric-small-row.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-transport-helper.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Random reductions, messages and a group beside. @return what members were told, line by line
std::string
RunReductions(FunctionCase& test, uint32_t seed, bool lookahead, uint32_t threads)
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
    FabricGroupHelper groups(fabric);
    const LocationId group = groups.Create({0, 3, 7});
    FabricReductionHelper reductions(groups);
    std::ostringstream journal;
    uint64_t expected = 0;
    uint64_t combined = 0;
    std::vector<int64_t> sums;
    for (uint32_t i = 0; i < 3; ++i)
    {
        std::vector<uint32_t> members;
        for (uint32_t host = 0; host < hosts; ++host)
        {
            if (random() % 2 == 0 || host == hosts - 1)
            {
                members.push_back(host);
            }
        }
        reductions.SetWindow(1 + random() % 20);
        reductions.SetTrafficClass(random() % 4);
        const bool isToOne = random() % 3 == 0;
        const LocationId sum =
            isToOne ? reductions.CreateTo(members.front(), members, ReductionOperation::SUM)
                    : reductions.Create(members, ReductionOperation::SUM);
        test.ExpectEqual(sum, FIRST_REDUCTION + i, "location");
        std::vector<uint32_t> at(hosts);
        for (uint32_t n = 0; n < 4; ++n)
        {
            const uint64_t bytes = random() % 50'000;
            int64_t total = 0;
            for (const uint32_t member : members)
            {
                const int64_t value = static_cast<int64_t>(random() % 1000) - 500;
                const Ptr<FabricNetDevice> device = fabric.GetDevice(member);
                at[member] += random() % 6000;
                Simulator::Schedule(NanoSeconds(at[member]), [device, sum, bytes, value] {
                    device->Reduce(sum, bytes, value);
                });
                total += value;
                ++expected;
            }
            combined += (members.size() - 1) * bytes;
            sums.push_back(total);
        }
    }
    for (uint32_t i = 0; i < 40; ++i)
    {
        const Ptr<FabricNetDevice> device = fabric.GetDevice(i % 2 == 0 ? 3 : 7);
        const LocationId to = i % 3 == 0 ? group : LocationOf(random() % 3);
        const uint64_t bytes = random() % 20'000;
        Simulator::Schedule(NanoSeconds(random() % 20'000),
                            [device, to, bytes] { device->SendMessage(to, bytes); });
    }
    uint64_t callbacks = 0;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        fabric.GetDevice(host)->SetReductionCallback(
            Callback<void, const ReductionResult&>([&, host](const ReductionResult& result) {
                ++callbacks;
                test.ExpectEqual(result.member, LocationOf(host), "whose callback");
            }));
    }
    uint64_t told = 0;
    fabric.network->TraceConnectWithoutContext(
        "ReductionDone",
        Callback<void, const ReductionResult&, Time>([&](const ReductionResult& result, Time now) {
            journal << now.GetPicoSeconds() << " " << result.reduction << " " << result.member
                    << " " << result.number << " " << result.bytes << " " << result.startedAt << " "
                    << result.hasValue << " " << result.Value() << "\n";
            const std::size_t place = (result.reduction - FIRST_REDUCTION) * 4 + result.number;
            test.ExpectEqual(result.Value(), result.hasValue ? sums[place] : 0, "value");
            test.Expect(result.startedAt < now.GetPicoSeconds(), "begun before");
            ++told;
        }));
    JournalDeliveries(fabric.network, journal);
    Simulator::Run();
    fabric.network->CheckInvariants();
    const FabricTotals totals = fabric.network->GetTotals();
    test.ExpectEqual(totals.combined, combined, Text("seed ", seed, ": combined"));
    test.ExpectEqual(told, expected, Text("seed ", seed, ": results"));
    test.ExpectEqual(callbacks, expected, Text("seed ", seed, ": callbacks"));
    test.Expect(fabric.network->IsEmpty(), Text("seed ", seed, ": something is left"));
    return journal.str();
}

/// Windows and threads change nothing that members see.
void
TestReductionRuns(FunctionCase& test)
{
    const TestSeeds seeds(12);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const std::string told = RunReductions(test, seed, true, 1);
        const std::string what = "seed " + std::to_string(seed);
        test.Expect(!told.empty(), what);
        test.ExpectSame(RunReductions(test, seed, false, 1), told, what + ", without look-ahead");
        test.ExpectSame(RunReductions(test, seed, true, 2), told, what + ", on two threads");
    }
}

/// Hosts that reduce, and write to, read from and send to each other by the transport in the same
/// NICs.
class SharedNics
{
  public:
    static constexpr uint32_t OPERATIONS = 12; ///< Of each connection: as many of each kind.
    static constexpr uint32_t REDUCED = 6;     ///< Operations of each reduction.

    SharedNics(FunctionCase& test, uint32_t seed, bool lookahead, uint32_t threads)
        : m_test(test),
          m_random(seed),
          m_fabric(Install(lookahead, threads)),
          m_groups(m_fabric),
          m_reductions(m_groups)
    {
        const bool transportFirst =
            m_random() % 2 == 0; // its engine is in the NIC before the other
        if (transportFirst)
        {
            AddTransport();
        }
        AddReduction(ReductionOperation::SUM, [](int64_t a, int64_t b) { return a + b; });
        AddReduction(ReductionOperation::MIN, [](int64_t a, int64_t b) { return std::min(a, b); });
        AddReduction(ReductionOperation::OR, [](int64_t a, int64_t b) { return a | b; });
        if (!transportFirst)
        {
            AddTransport();
        }
        m_fabric.network->TraceConnectWithoutContext(
            "ReductionDone",
            Callback<void, const ReductionResult&, Time>(
                [this](const ReductionResult& result, Time now) { Note(result, now); }));
    }

    /// @return what all were told, line by line
    std::string Run()
    {
        Simulator::Run();
        m_fabric.network->CheckInvariants();
        m_test.Expect(m_fabric.network->IsEmpty(), "something is left");
        const FabricTotals totals = m_fabric.network->GetTotals();
        m_test.ExpectEqual(totals.combined, m_combined, "combined");
        m_test.ExpectEqual(totals.inFlight, 0, "in flight");
        m_test.ExpectEqual(totals.delivered, totals.offered + totals.copied - m_combined, "books");
        m_test.ExpectEqual(m_results, m_begun, "results");
        const uint64_t connections = m_fabric.hosts.GetN();
        m_test.ExpectEqual(m_completed, connections * OPERATIONS, "operations of the transport");
        m_test.ExpectEqual(m_presented, connections * OPERATIONS / 3, "sends that came");
        m_test.Expect(m_firstResult < m_lastCompleted && m_firstCompleted < m_lastResult,
                      "both go on at the same time");
        return m_journal.str();
    }

  private:
    static FabricContainer Install(bool lookahead, uint32_t threads)
    {
        FabricHelper helper;
        helper.SetStream(1);
        helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
        helper.SetNetworkAttribute("Threads", UintegerValue(threads));
        helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
        return InstallRow(helper);
    }

    /// All hosts but two, which are drawn, reduce by random values at random times.
    void AddReduction(ReductionOperation operation,
                      const std::function<int64_t(int64_t, int64_t)>& combine)
    {
        std::vector<uint32_t> members(m_fabric.hosts.GetN());
        std::iota(members.begin(), members.end(), 0);
        members.erase(members.begin() + m_random() % members.size());
        members.erase(members.begin() + m_random() % members.size());
        m_reductions.SetWindow(1 + m_random() % 20);
        const LocationId reduction = m_reductions.Create(members, operation);
        for (uint32_t number = 0; number < REDUCED; ++number)
        {
            const uint64_t bytes = m_random() % 40'000;
            std::vector<int64_t> values;
            for (const uint32_t member : members)
            {
                values.push_back(static_cast<int64_t>(m_random() % 1000) - 500);
                const Ptr<FabricNetDevice> device = m_fabric.GetDevice(member);
                const Time at = MicroSeconds(2 * number) + NanoSeconds(m_random() % 2'000);
                Simulator::Schedule(at, [device, reduction, bytes, value = values.back()] {
                    device->Reduce(reduction, bytes, value);
                });
            }
            m_expected[{reduction, number}] =
                std::accumulate(values.begin() + 1, values.end(), values.front(), combine);
            m_begun += members.size();
            m_combined += (members.size() - 1) * bytes;
        }
    }

    /// Each host has a connection to another one.
    void AddTransport()
    {
        FabricTransportHelper transport;
        const auto bytes = static_cast<uint32_t>(1 + m_random() % 20'000);
        transport.SetInitiatorAttribute("Operations", StringValue("write,read,send"));
        transport.SetInitiatorAttribute("Bytes", UintegerValue(bytes));
        transport.SetInitiatorAttribute("Count", UintegerValue(OPERATIONS));
        transport.SetInitiatorAttribute("Outstanding", UintegerValue(1 + m_random() % 8));
        transport.InstallNic(m_fabric.hosts);
        const ApplicationContainer targets = transport.InstallTarget(m_fabric.hosts);
        const uint32_t hosts = m_fabric.hosts.GetN();
        const auto distance = static_cast<uint32_t>(1 + m_random() % (hosts - 1));
        for (uint32_t host = 0; host < hosts; ++host)
        {
            const Address remote = m_fabric.GetDevice((host + distance) % hosts)->GetAddress();
            const Ptr<Application> initiator =
                transport.InstallInitiator(m_fabric.hosts.Get(host), remote).Get(0);
            initiator->TraceConnectWithoutContext(
                "Completed",
                Callback<void, const RdmaEvent&, Time>(
                    [this, host](const RdmaEvent& event, Time) { Note(host, event); }));
            targets.Get(host)->TraceConnectWithoutContext(
                "Presented",
                Callback<void, const RdmaEvent&>([this, bytes](const RdmaEvent& event) {
                    m_test.ExpectEqual(event.bytes, bytes, "bytes of a send");
                    ++m_presented;
                }));
        }
    }

    /// An operation of a host's transport is complete.
    void Note(uint32_t host, const RdmaEvent& event)
    {
        m_firstCompleted = m_completed++ == 0 ? Simulator::Now() : m_firstCompleted;
        m_lastCompleted = Simulator::Now();
        m_journal << Simulator::Now().GetPicoSeconds() << " host " << host << " completes "
                  << event.cookie << " at " << event.at << "\n";
    }

    /// A member was told a result.
    void Note(const ReductionResult& result, Time now)
    {
        m_test.ExpectEqual(result.Value(),
                           m_expected.at({result.reduction, result.number}),
                           Text("result ", result.number, " of ", result.reduction));
        m_firstResult = m_results++ == 0 ? now : m_firstResult;
        m_lastResult = now;
        m_journal << now.GetPicoSeconds() << " member " << result.member << " of "
                  << result.reduction << " has " << result.Value() << "\n";
    }

    Simulation m_simulation;            ///< Destroyed last.
    FunctionCase& m_test;               ///< Fails.
    std::minstd_rand m_random;          ///< Decides.
    FabricContainer m_fabric;           ///< The fabric.
    FabricGroupHelper m_groups;         ///< Its groups.
    FabricReductionHelper m_reductions; ///< Its reductions.
    /// Results, by reduction and number.
    std::map<std::pair<LocationId, uint32_t>, int64_t> m_expected;
    uint64_t m_combined{0};       ///< Payload of contributions that go into others, bytes.
    uint64_t m_begun{0};          ///< Operations of members.
    uint64_t m_results{0};        ///< Results that members were told.
    uint64_t m_completed{0};      ///< Operations of the transport.
    uint64_t m_presented{0};      ///< Sends of the transport.
    Time m_firstResult;           ///< When it was told.
    Time m_lastResult;            ///< When it was told.
    Time m_firstCompleted;        ///< When it was told.
    Time m_lastCompleted;         ///< When it was told.
    std::ostringstream m_journal; ///< What all were told.
};

/// Reductions and the transport share NICs and links: all is done, with the right results.
void
TestReductionsBesideTransport(FunctionCase& test)
{
    const TestSeeds seeds(8);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const std::string what = "seed " + std::to_string(seed);
        const std::string told = SharedNics(test, seed, true, 1).Run();
        test.ExpectSame(SharedNics(test, seed, false, 1).Run(), told, what + ", no look-ahead");
        test.ExpectSame(SharedNics(test, seed, true, 2).Run(), told, what + ", on two threads");
    }
}

/// The helper's time is what an operation alone takes, whatever the links are.
void
TestIdealTimes(FunctionCase& test)
{
    for (uint32_t i = 0; i < 24; ++i)
    {
        const Simulation simulation;
        FabricHelper helper;
        helper.SetStream(1);
        helper.SetSwitchAttribute("ReductionLatency", TimeValue(NanoSeconds(i % 3 * 100)));
        helper.SetSwitchAttribute("Forwarding",
                                  StringValue(i % 4 == 3 ? "store-and-forward" : "cut-through"));
        if (i % 4 == 1)
        {
            helper.SetHostChannelAttribute("DataRate", StringValue("100Gbps"));
        }
        if (i % 4 == 2)
        {
            helper.SetHostChannelAttribute("DataRate", StringValue("400Gbps"));
        }
        const FabricContainer fabric = InstallRow(helper);
        FabricGroupHelper groups(fabric);
        FabricReductionHelper reductions(groups);
        reductions.SetWindow(i % 5 == 4 ? 1000 : 1 << i % 5 * 2); // 1, 4, 16 or 64 frames
        const std::vector<uint32_t> members =
            i % 2 == 0 ? std::vector<uint32_t>{0, 1, 4, 7} : std::vector<uint32_t>{0, 1, 2, 3};
        const LocationId largest = reductions.Create(members, ReductionOperation::MAX_DOUBLE);
        const uint64_t bytes = i < 8 ? 0 : i < 16 ? 5000 : 300'000;
        for (const uint32_t member : members)
        {
            fabric.GetDevice(member)->ReduceDouble(largest, bytes, member / 4.0);
        }
        Time end;
        fabric.network->TraceConnectWithoutContext(
            "ReductionDone",
            Callback<void, const ReductionResult&, Time>(
                [&](const ReductionResult& result, Time now) {
                    end = now;
                    test.Expect(result.Double() == members.back() / 4.0, "the largest");
                }));
        Simulator::Run();
        test.ExpectEqual(reductions.GetIdealTime(largest, bytes).GetPicoSeconds(),
                         end.GetPicoSeconds(),
                         Text("run ", i));
    }
}

/// @return three switches with two hosts each, all linked to each other: each way is one link
FabricContainer
InstallTriangle(bool goesRound = false)
{
    constexpr uint32_t SWITCHES = 3;
    TopologyPlan plan;
    std::vector<Routing> routing;
    for (uint32_t sw = 0; sw < SWITCHES; ++sw)
    {
        plan.switches.push_back({NO_GROUP, 4, Tier::EDGE});
        plan.links.push_back({sw, (sw + 1) % SWITCHES, 2, 3, LinkClass::FABRIC});
        std::vector<PortRange> table(FIRST_UNICAST);
        for (uint32_t host = 0; host < 2 * SWITCHES; ++host)
        {
            const uint32_t ahead = (host + SWITCHES - sw) % SWITCHES; // switches
            const uint32_t port = ahead == 0 ? host / SWITCHES : goesRound ? 2 : 1 + ahead;
            table.push_back({static_cast<uint16_t>(port), 1});
        }
        routing.emplace_back(table);
    }
    for (uint32_t host = 0; host < 2 * SWITCHES; ++host)
    {
        plan.hosts.push_back({host % SWITCHES, static_cast<uint16_t>(host / SWITCHES)});
    }
    FabricHelper helper;
    helper.SetRouteCheck(ROUTES_ARE_PROVEN); // they are not if they go round
    return helper.Install(plan, routing);
}

/// Three stars over a triangle would make a circle of its links, and two would if one is of a
/// reduction: at its root frames turn round. So trees are no stars at the first member, and none is
/// refused, but where routes themselves go round.
void
TestCirclesOfTrees(FunctionCase& test)
{
    const std::vector<std::vector<uint32_t>> members{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}};
    for (const bool goesRound : {false, true})
    {
        for (uint32_t reduced = 0; reduced < 8; ++reduced)
        {
            const Simulation simulation;
            const FabricContainer fabric = InstallTriangle(goesRound);
            FabricGroupHelper groups(fabric);
            FabricReductionHelper reductions(groups);
            for (uint32_t i = 0; i < members.size(); ++i)
            {
                const std::string told = Refusal([&] {
                    (reduced >> i & 1) != 0 ? reductions.Create(members[i], ReductionOperation::SUM)
                                            : groups.Create(members[i]);
                });
                const std::string what = "reductions " + std::to_string(reduced) + ", tree " +
                                         std::to_string(i) + ": " + told;
                test.ExpectEqual(told.find("can deadlock") != told.npos, goesRound, what);
                test.ExpectEqual(told.find("up and then down") != told.npos, goesRound, what);
                test.ExpectEqual(told.empty(), !goesRound, what);
            }
            test.ExpectEqual(fabric.network->GetGroups() + fabric.network->GetReductions().Size(),
                             goesRound ? 0 : members.size(),
                             "trees that are made");
        }
    }
}

/// What there can be no reduction of.
void
TestReductionRefusals(FunctionCase& test)
{
    const auto refuses = [&](const FabricHelper& helper,
                             const std::vector<uint32_t>& members,
                             uint32_t window,
                             const std::string& words) {
        const FabricContainer fabric = InstallRow(helper);
        FabricGroupHelper groups(fabric);
        FabricReductionHelper reductions(groups);
        reductions.SetWindow(window);
        const std::string told =
            Refusal([&] { reductions.Create(members, ReductionOperation::SUM); });
        test.Expect(told.find(words) != told.npos && told.find("allowed") != told.npos, told);
        test.ExpectEqual(fabric.network->GetReductions().Size(), 0, "none is made");
    };
    const Simulation simulation;
    refuses(FabricHelper(), {}, 64, "a group has 0 members");
    refuses(FabricHelper(), {3, 4, 3}, 64, "a group has the member 3 twice");
    refuses(FabricHelper(), {3, 400}, 64, "a group has the member 400");
    refuses(FabricHelper(), {3, 4}, 0, "its window is 0");
    refuses(FabricHelper(), {3, 4}, 2000, "switch 1 has 1024 slots left");
    FabricHelper lossy;
    lossy.SetSwitchAttribute("LossyClasses", UintegerValue(0xFFFF));
    refuses(lossy, {0, 1}, 64, "a reduction can't be made, since LossyClasses is 65535");
    FabricHelper discarding;
    discarding.SetSwitchAttribute("DiscardClasses", UintegerValue(4));
    refuses(discarding, {0, 1}, 64, "a reduction can't be made, since DiscardClasses is 4");
    FabricHelper limited;
    limited.SetSwitchAttribute("MaxFrameBytes", UintegerValue(4096));
    refuses(limited, {0, 1}, 64, "MaxFrameBytes is 4096, and hosts have frames of");
    FabricHelper paused;
    paused.SetSwitchAttribute("LinkFlowControl", StringValue("pause"));
    refuses(paused, {0, 1}, 64, "links have no credits");
    FabricHelper damaged;
    damaged.SetErrorModel(ObjectFactory("ns3::RateErrorModel"));
    refuses(damaged, {0, 1}, 64, "links may lose frames");
    const FabricContainer fabric = InstallRow(FabricHelper());
    FabricGroupHelper groups(fabric);
    FabricReductionHelper reductions(groups);
    const std::string target = Refusal([&] {
        reductions.CreateTo(2, {0, 1}, ReductionOperation::SUM);
    });
    test.Expect(target.find("a reduction is to the host 2") != target.npos, target);
    reductions.SetTrafficClass(16);
    const std::string ftag = Refusal([&] { reductions.Create({0, 1}, ReductionOperation::SUM); });
    test.Expect(ftag.find("its traffic class is 16; allowed are 0 to 15") != ftag.npos, ftag);
    reductions.SetTrafficClass(0);
    for (uint32_t i = 0; i < 16; ++i)
    {
        reductions.Create({0, 1}, ReductionOperation::SUM);
    }
    const std::string slots = Refusal([&] { reductions.Create({0, 4}, ReductionOperation::SUM); });
    test.Expect(slots.find("switch 0 has 0 slots left") != slots.npos, slots);
    const std::string fails = Refusal([&] { fabric.FailLink(0, 1, Seconds(1), Seconds(2)); });
    test.Expect(fails.find("a link can't fail while there are groups") != fails.npos, fails);
    const std::string discards =
        Refusal([&] { fabric.GetSwitch(0)->SetAttribute("DiscardClasses", UintegerValue(1)); });
    test.Expect(discards.find("groups or reductions have trees") != discards.npos, discards);
    const std::string other = Refusal([&] { FabricGroupHelper(fabric).Create({1, 4}); });
    test.Expect(other.find("another helper has made groups") != other.npos, other);
    Reductions& table = fabric.network->GetReductions();
    const auto begin = [&](LocationId location, LocationId member, uint64_t bytes, bool isDouble) {
        return Refusal([&] { table.Begin(location, member, bytes, isDouble); });
    };
    const LocationId first = FIRST_REDUCTION;
    test.Expect(begin(first + 16, 1, 5, false).find("there is none; allowed are 16") != 0, "none");
    test.Expect(begin(first, 3, 5, false).find("can't begin here") != std::string::npos, "member");
    test.Expect(begin(first, 1, 5, true).find("wrong kind") != std::string::npos, "kind");
    table.Begin(first, 1, 5, false);
    const std::string size = begin(first, 2, 6, false);
    test.Expect(size.find("number 0, has 6 bytes; allowed are 5") != size.npos, size);
}

} // namespace

/// Reductions in a fabric.
class ReductionNetTestSuite : public TestSuite
{
  public:
    ReductionNetTestSuite()
        : TestSuite("fabric-reduction-net", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("SW-14 DP-5 DP-15 hosts reduce", TestReductionRuns);
        add("SW-14 RT-15 DP-5 DP-15 hosts reduce beside their transport",
            TestReductionsBesideTransport);
        add("SW-14 the time of an operation alone", TestIdealTimes);
        add("SW-14 FC-16 FC-13 trees make no circle, or are refused", TestCirclesOfTrees);
        add("SW-14 reductions that can't be are refused", TestReductionRefusals);
    }
};

static ReductionNetTestSuite g_reductionNetTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
