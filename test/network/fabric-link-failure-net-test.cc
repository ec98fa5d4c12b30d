/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel.h"
#include "fabric-network-scenario.h"
#include "fabric-random-network.h"
#include "fabric-refusal.h"
#include "fabric-small-tree.h"
#include "fabric-switch-port.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"

#include "ns3/test.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

void
TestRandomOutages(FunctionCase& test)
{
    uint32_t lost = 0;
    for (uint32_t seed = 1; seed <= 40; ++seed)
    {
        RandomRun run{seed};
        run.outages = true;
        const std::string what = "seed " + std::to_string(seed);
        const std::string reference = RunRandom(test, run);
        lost += reference.find("link-down 0\n") == std::string::npos;
        run.lookahead = false;
        test.ExpectSame(RunRandom(test, run), reference, what + ", no look-ahead");
        run.lookahead = true;
        run.threads = 2 + seed % 3;
        test.ExpectSame(RunRandom(test, run), reference, what + ", threads");
        run.traced = true;
        test.ExpectSame(RunRandom(test, run), reference, what + ", traced, threads");
        const char* schedulers[] = {"ns3::HeapScheduler",
                                    "ns3::ListScheduler",
                                    "ns3::CalendarScheduler",
                                    "ns3::PriorityQueueScheduler"};
        run.scheduler = schedulers[seed % 4];
        test.ExpectSame(RunRandom(test, run), reference, what + ", " + run.scheduler);
    }
    test.Expect(lost > 20, "something was lost on a link with " + std::to_string(lost) + " seeds");
}

void
TestTcpOverFailure(FunctionCase& test)
{
    std::string reference;
    for (const uint32_t threads : {1, 2})
    {
        for (const bool lookahead : {true, false})
        {
            CongestedRun run;
            run.threads = threads;
            run.lookahead = lookahead;
            run.tcpBytes = 1'000'000;
            CongestedTree tree(run);
            // TCP's only link at the receiver, one sender's, and both ways up of an edge switch.
            tree.fabric.FailHostLink(0, MicroSeconds(60), MicroSeconds(1060));
            tree.fabric.FailHostLink(8, MicroSeconds(30), MicroSeconds(1030));
            const uint32_t edge = tree.fabric.GetDevice(4)->GetSwitch()->GetNumber();
            for (const Ptr<FabricChannel>& link : tree.fabric.links)
            {
                if (link->GetDevice(0)->GetNode() == tree.fabric.switches.Get(edge))
                {
                    link->FailAt(MicroSeconds(1500));
                    link->RepairAt(MicroSeconds(2500));
                }
            }
            Simulator::Run();
            tree.fabric.network->CheckInvariants();
            test.Expect(tree.GetTcpBytes() == tree.GetTcpGoal(), "TCP has lost bytes");
            test.Expect(tree.fabric.network->IsEmpty(), "something is left in the fabric");
            test.Expect(tree.fabric.network->GetTotals().dropped.at("link-down") > 0,
                        "nothing was on the links");
            reference = reference.empty() ? tree.GetResult() : reference;
            test.ExpectSame(tree.GetResult(),
                            reference,
                            std::to_string(threads) + " threads, look-ahead " +
                                std::to_string(lookahead));
        }
    }
}

void
TestPauses(FunctionCase& test)
{
    for (const char* control : {"pause", "priority-pause"})
    {
        std::string reference;
        for (const bool lookahead : {true, false})
        {
            Simulation simulation;
            FatTreeHelper helper(4);
            helper.SetStream(1);
            helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
            helper.SetSwitchAttribute("EdgeFlowControl", StringValue(control));
            helper.SetSwitchAttribute("Fgfc", BooleanValue(false)); // leaves nothing to pause
            const FabricContainer fabric = helper.Install();
            std::ostringstream journal;
            fabric.network->TraceConnectWithoutContext(
                "MessageDelivered",
                Callback<void, const Message&, Time>([&](const Message& message, Time now) {
                    journal << now.GetPicoSeconds() << " " << message.src << "\n";
                }));
            // An incast that pauses its senders; one of them loses its link while it is paused.
            for (uint32_t i = 1; i < 16; ++i)
            {
                Simulator::Schedule(Time(0), [=] {
                    fabric.GetDevice(i)->SendMessage(LocationOf(0), 2'000'000, 0);
                });
            }
            for (uint32_t i = 0; i < 8; ++i)
            {
                const Time from = MicroSeconds(100) + NanoSeconds(9'137 * i);
                fabric.FailHostLink(1, from, from + NanoSeconds(4'100 + 400 * i));
                fabric.FailHostLink(5 + i, from, from + NanoSeconds(1'100 + 70 * i));
            }
            Simulator::Run();
            fabric.network->CheckInvariants(); // no buffer was overrun
            test.Expect(fabric.network->IsEmpty(), "something is left in the fabric");
            uint64_t pauses = 0;
            for (const Ptr<FabricSwitch>& s : fabric.network->GetSwitches())
            {
                for (uint32_t port = 0; port < 4; ++port)
                {
                    pauses += s->GetChip().Output(port).Counts().pauses;
                }
            }
            test.Expect(pauses > 20, std::to_string(pauses) + " pauses");
            const FabricTotals totals = fabric.network->GetTotals();
            journal << totals.delivered << " " << totals.dropped.at("link-down") << " " << pauses;
            test.Expect(totals.dropped.at("link-down") < 16 * 2 * 5'000, "too much was lost");
            reference = reference.empty() ? journal.str() : reference;
            test.ExpectSame(journal.str(), reference, std::string(control) + " without look-ahead");
        }
    }
}

void
TestDevices(FunctionCase& test)
{
    Simulation simulation;
    FatTreeHelper helper(4);
    const FabricContainer fabric = helper.Install();
    const Ptr<FabricNetDevice> device = fabric.GetDevice(3);
    std::ostringstream seen;
    device->AddLinkChangeCallback(Callback<void>([&] {
        seen << Simulator::Now().GetNanoSeconds() << (device->IsLinkUp() ? " up " : " down ");
    }));
    device->FailAt(NanoSeconds(5'000));
    device->RepairAt(NanoSeconds(9'000));
    const Ptr<FabricSwitchPort> port = fabric.GetSwitch(0)->GetPort(0);
    test.Expect(port->IsLinkUp(), "a port that is to fail later is down");
    Simulator::Run();
    test.Expect(seen.str() == "5000 down 9000 up ", "told: " + seen.str());
}

/**
 * Host 0 sends a message of one frame each microsecond.
 *
 * @param fabric stays until the end of the run
 * @param to host that gets them
 * @param count how many, from 0 us on
 * @param delivered gets the numbers of those that arrive
 */
void
SendEachMicrosecond(const FabricContainer& fabric,
                    uint32_t to,
                    uint32_t count,
                    std::set<uint32_t>& delivered)
{
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>(
            [&delivered](const Message& message, Time) { delivered.insert(message.sequence); }));
    for (uint32_t i = 0; i < count; ++i)
    {
        Simulator::Schedule(MicroSeconds(i), [&fabric, to] {
            fabric.GetDevice(0)->SendMessage(LocationOf(to), 1000);
        });
    }
}

/**
 * Switches far from a link hear of its failure and of its repair after RoutingUpdateDelay, neither
 * earlier nor later: of two ways to a host one fails, and what takes it until then is lost.
 */
void
TestRoutingUpdateDelay(FunctionCase& test)
{
    Simulation simulation;
    FatTreeHelper helper = SmallTree();
    helper.SetNetworkAttribute("RoutingUpdateDelay", TimeValue(MicroSeconds(100)));
    helper.SetNetworkAttribute("Lookahead", BooleanValue(false)); // counters are those of now
    const FabricContainer fabric = helper.Install();
    constexpr uint32_t SENT = 500;
    std::set<uint32_t> delivered;
    SendEachMicrosecond(fabric, 2, SENT, delivered); // from switch 0 to 1 by core 4 or 5
    // Another link fails before, so that routing is updated while this one is not known to fail.
    fabric.GetLink(3, 5)->FailAt(MicroSeconds(10));
    fabric.GetLink(1, 4)->FailAt(MicroSeconds(50));
    fabric.GetLink(1, 4)->RepairAt(MicroSeconds(250));
    const Transmitter& down = fabric.GetSwitch(4)->GetChip().Output(1);
    std::vector<uint64_t> frames; // that core 4 sent to switch 1
    for (const uint32_t at : {50, 248, 349, 370})
    {
        Simulator::Schedule(MicroSeconds(at),
                            [&frames, &down] { frames.push_back(down.Counts().frames); });
    }
    Simulator::Run();
    fabric.network->CheckInvariants();
    uint32_t lastLost = 0;
    for (uint32_t i = 0; i < SENT; ++i)
    {
        lastLost = delivered.count(i) == 0 ? i : lastLost;
    }
    test.Expect(delivered.size() < SENT - 30, std::to_string(delivered.size()) + " delivered");
    test.Expect(lastLost >= 140 && lastLost < 150, "last lost: " + std::to_string(lastLost));
    test.Expect(frames[0] > 10 && frames[1] == frames[0], "core 4 sends on a link that is down");
    test.Expect(frames[2] == frames[0], "core 4 is used before routing knows of the repair");
    test.Expect(frames[3] > frames[2], "core 4 is not used after routing knows of the repair");
}

/**
 * A switch goes by what it sees of its own links, and not by news of them that come later: an
 * outage which is over before routing knows of it is not repeated when routing does.
 *
 * @param to host to which host 0 sends
 * @param fail makes an outage of 10 us at 50 us, in which host 0 can't reach it
 */
void
ExpectOneOutage(FunctionCase& test,
                const std::string& what,
                uint32_t to,
                const std::function<void(const FabricContainer&)>& fail)
{
    Simulation simulation;
    FatTreeHelper helper = SmallTree();
    helper.SetNetworkAttribute("RoutingUpdateDelay", TimeValue(MicroSeconds(100)));
    const FabricContainer fabric = helper.Install();
    constexpr uint32_t SENT = 300;
    std::set<uint32_t> delivered;
    SendEachMicrosecond(fabric, to, SENT, delivered);
    fail(fabric);
    Simulator::Run();
    fabric.network->CheckInvariants();
    uint32_t lost = 0;
    for (uint32_t i = 0; i < SENT; ++i)
    {
        const bool isLost = delivered.count(i) == 0;
        lost += isLost ? 1 : 0;
        test.Expect(!isLost || (i >= 48 && i <= 62), Text(what, ": the message of ", i, " us"));
    }
    test.Expect(lost >= 9, Text(what, ": only ", lost, " messages are lost"));
}

void
TestShortOutages(FunctionCase& test)
{
    const Time from = MicroSeconds(50);
    const Time until = MicroSeconds(60);
    ExpectOneOutage(test, "a host's link", 1, [=](const FabricContainer& fabric) {
        fabric.FailHostLink(1, from, until);
    });
    ExpectOneOutage(test, "both ways up of a switch", 2, [=](const FabricContainer& fabric) {
        fabric.FailLink(0, 4, from, until);
        fabric.FailLink(0, 5, from, until);
    });
}

/// Two links fail, of which the later one was told of first: both are gone around afterwards.
void
TestToldBefore(FunctionCase& test)
{
    Simulation simulation;
    FatTreeHelper helper = SmallTree();
    helper.SetNetworkAttribute("RoutingUpdateDelay", TimeValue(Time(0)));
    const FabricContainer fabric = helper.Install();
    constexpr uint32_t SENT = 100;
    uint32_t delivered = 0;
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>([&](const Message&, Time) { ++delivered; }));
    fabric.GetLink(3, 5)->FailAt(MicroSeconds(200));
    fabric.GetLink(1, 4)->FailAt(MicroSeconds(50));
    for (uint32_t i = 0; i < SENT; ++i)
    {
        Simulator::Schedule(MicroSeconds(210 + i), [&fabric] {
            fabric.GetDevice(0)->SendMessage(LocationOf(2), 1000); // by core 5 only
            fabric.GetDevice(0)->SendMessage(LocationOf(6), 1000); // by core 4 only
        });
    }
    Simulator::Run();
    test.ExpectEqual(delivered, 2 * SENT, "delivered");
    ExpectEmpty(test, fabric);
}

void
TestRefusedFailures(FunctionCase& test)
{
    Simulation simulation;
    FatTreeHelper helper(4);
    const FabricContainer fabric = helper.Install();
    const Ptr<FabricChannel> link = fabric.links[0];
    const auto expect = [&test](const std::function<void()>& call, const std::string& part) {
        const std::string sentence = Refusal(call);
        test.Expect(sentence.find(part) != std::string::npos, "'" + sentence + "', not " + part);
    };
    expect([&] { link->RepairAt(Seconds(1)); }, "it has not failed");
    link->FailAt(MicroSeconds(10));
    expect([&] { link->FailAt(MicroSeconds(20)); }, "it has failed already");
    expect([&] { link->RepairAt(MicroSeconds(10)); }, "allowed are times after +10000ns");
    expect([&] { CreateObject<FabricChannel>()->FailAt(Seconds(1)); }, "it has no ends yet");
    expect([&] { fabric.GetLink(0, 1); }, "no such link between the switches 0 and 1");
    expect([&] { CreateObject<FabricSwitchPort>()->FailAt(Seconds(1)); }, "the port has no link");
    // A time that has passed is the next one that no switch is ahead of.
    const Time window = fabric.GetSwitch(0)->GetLookahead();
    const Ptr<FabricChannel> other = fabric.hostLinks[0];
    Simulator::Schedule(window * int64_t{3} + PicoSeconds(1), [&] { other->FailAt(Time(0)); });
    Simulator::Schedule(window * int64_t{4} - PicoSeconds(1),
                        [&] { test.Expect(other->IsUp(), "it has failed too early"); });
    Simulator::Schedule(window * int64_t{4} + PicoSeconds(1),
                        [&] { test.Expect(!other->IsUp(), "it has not failed"); });
    Simulator::Run();
}

/// Suite of links that fail, in ns-3.
class FabricLinkFailureNetTestSuite : public FunctionSuite
{
  public:
    FabricLinkFailureNetTestSuite()
        : FunctionSuite("fabric-link-failure-net", kUnit)
    {
        Add("WL-8 DP-5 DP-15 links fail in random fabrics: the same bytes with and without "
            "look-ahead, on any number of threads, for all schedulers, with traces",
            TestRandomOutages);
        Add("WL-8 TCP survives links that fail for 1 ms", TestTcpOverFailure);
        Add("WL-8 WL-5 hosts that are paused lose their links", TestPauses);
        Add("WL-8 devices tell of their links", TestDevices);
        Add("WL-8 routing changes when RoutingUpdateDelay is over", TestRoutingUpdateDelay);
        Add("WL-8 switches go by what they see of their own links", TestShortOutages);
        Add("WL-8 routing knows of two failures, the later of which was told of first",
            TestToldBefore);
        Add("WL-8 DP-6 bad times are refused, near ones put off", TestRefusedFailures);
    }
};

FabricLinkFailureNetTestSuite g_fabricLinkFailureNetTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
