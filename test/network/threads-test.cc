/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel.h"
#include "fabric-network-scenario.h"
#include "fabric-port-sampler.h"
#include "fabric-random-network.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "support/fabric-function-case.h"

#include "ns3/test.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

void
TestRandomFabricsOnThreads(FunctionCase& test)
{
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomRun run{seed};
        const std::string reference = RunRandom(test, run);
        run.threads = 2 + seed % 3;
        const std::string what =
            "seed " + std::to_string(seed) + ", threads " + std::to_string(run.threads);
        test.ExpectSame(RunRandom(test, run), reference, what);
        run.traced = true;
        test.ExpectSame(RunRandom(test, run), reference, what + ", traced");
        run.lookahead = false;
        test.ExpectSame(RunRandom(test, run), reference, what + ", traced, no lookahead");
    }
}

/**
 * Runs a random network with and without look-ahead.
 *
 * @param run what it is
 * @param reference what it should give
 * @param threads on how many
 */
void
ExpectSameRuns(FunctionCase& test,
               RandomRun run,
               const std::string& reference,
               std::initializer_list<uint32_t> threads)
{
    for (const bool lookahead : {true, false})
    {
        for (const uint32_t count : threads)
        {
            run.lookahead = lookahead;
            run.threads = count;
            test.ExpectSame(RunRandom(test, run),
                            reference,
                            "seed " + std::to_string(run.seed) + ", threads " +
                                std::to_string(count) + (lookahead ? "" : ", no lookahead"));
        }
    }
}

void
TestFramesInPieces(FunctionCase& test)
{
    uint64_t preemptions = 0;
    const TestSeeds seeds(24);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomRun run{seed};
        run.lanes = true;
        run.preemptions = &preemptions;
        const std::string reference = RunRandom(test, run);
        ExpectSameRuns(test, run, reference, {1, 2, 2 + seed % 3});
    }
    test.Expect(preemptions > 10 * seeds.count,
                std::to_string(preemptions) + " frames were interrupted");
}

void
TestSlowHostsOnThreads(FunctionCase& test)
{
    const TestSeeds seeds(50);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomRun run{seed};
        const std::string fast = seed == seeds.first ? RunRandom(test, run) : "";
        run.slowHosts = true;
        run.outages = seed % 3 == 1;
        run.lanes = seed % 3 == 2;
        const std::string reference = RunRandom(test, run);
        test.Expect(reference != fast, "slow hosts change nothing");
        ExpectSameRuns(test, run, reference, {1, 2});
    }
}

void
TestCreditFramesOnThreads(FunctionCase& test)
{
    const TestSeeds seeds(30);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomRun run{seed};
        const std::string embedded = seed == seeds.first ? RunRandom(test, run) : "";
        run.creditFrames = true;
        run.slowHosts = seed % 2 == 1;
        run.outages = seed % 3 == 1;
        run.lanes = seed % 3 == 2;
        const std::string reference = RunRandom(test, run);
        test.Expect(reference != embedded, "credit frames change nothing");
        ExpectSameRuns(test, run, reference, {1, 2});
    }
}

void
TestLinkPausesOnThreads(FunctionCase& test)
{
    const TestSeeds seeds(30);
    uint64_t pauses = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomRun run{seed};
        run.linkPauses = true;
        run.slowHosts = seed % 2 == 1;
        run.outages = seed % 3 == 1;
        run.lanes = seed % 3 == 2;
        run.ended = [&pauses](const FabricContainer& fabric) {
            const SwitchChip& last = fabric.GetSwitch(fabric.switches.GetN() - 1)->GetChip();
            for (uint32_t port = 0; port < last.Config().ports; ++port)
            {
                pauses += last.Output(port).Counts().pauses; // it has no hosts
            }
        };
        const std::string reference = RunRandom(test, run);
        ExpectSameRuns(test, run, reference, {1, 2});
    }
    test.Expect(pauses > 20 * seeds.count, Text("pauses of core switches, are ", pauses));
}

/**
 * @param test fails if bytes are lost
 * @param prepare is called before the run
 * @return what the hosts received, the counters and samples of the ports
 */
std::string
RunTree(FunctionCase& test,
        const CongestedRun& run,
        const std::function<void(CongestedTree&)>& prepare = {})
{
    CongestedTree tree(run);
    FabricPortSampler sampler(tree.fabric.network, NanoSeconds(7777));
    if (prepare)
    {
        prepare(tree);
    }
    Simulator::Run();
    tree.fabric.network->CheckInvariants();
    test.Expect(tree.GetTcpBytes() == tree.GetTcpGoal(), "TCP has lost bytes");
    test.Expect(tree.fabric.network->IsEmpty(), "something is left in the fabric");
    std::ostringstream text;
    sampler.Write(text, MicroSeconds(600)); // TCP ends minutes later
    return tree.GetResult() + text.str();
}

void
TestCongestedTree(FunctionCase& test)
{
    struct Threads
    {
        double errorRate;
        uint32_t threads;
    };

    const std::vector<Threads> all{{0.003, 2}, {0, 3}, {0, 2}, {0.003, 7}, {0, 7}, {0.003, 3}};
    std::map<double, std::string> references; // by error rate
    CongestedRun run;
    for (uint32_t i = 0; i < std::min<std::size_t>(TestSeeds(6).count, all.size()); ++i)
    {
        const Threads& one = all[i];
        run.errorRate = one.errorRate;
        if (references.count(one.errorRate) == 0)
        {
            run.threads = 1;
            references[one.errorRate] = RunTree(test, run);
        }
        run.threads = one.threads;
        test.ExpectSame(RunTree(test, run),
                        references[one.errorRate],
                        std::to_string(one.threads) + " threads, error rate " +
                            std::to_string(one.errorRate));
    }
}

void
TestTracesAndLookahead(FunctionCase& test)
{
    CongestedRun run;
    const std::string reference = RunTree(test, run);
    run.threads = 3;
    SwitchTraces traces;
    const std::string result = RunTree(test, run, [&traces](CongestedTree& tree) {
        for (uint32_t i = 0; i < 100; ++i)
        {
            // Some switches or all.
            const uint32_t number = i / 4 % tree.fabric.switches.GetN();
            const std::string nodes =
                "/NodeList/" + (i % 4 < 2
                                    ? std::string("*")
                                    : std::to_string(tree.fabric.switches.Get(number)->GetId()));
            tree.At(NanoSeconds(253 * (i + 1)),
                    [&traces, i, nodes] { traces.Connect(i % 2 == 0, nodes); });
            tree.At(NanoSeconds(311 * (i + 1)), [&tree, i] {
                tree.fabric.network->SetAttribute("Lookahead", BooleanValue(i % 3 != 0));
            });
        }
    });
    test.ExpectSame(result, reference, "traces and lookahead come and go");
    test.Expect(traces.calls > 500, std::to_string(traces.calls) + " calls of sinks");
    test.Expect(traces.punctual, "Now() is wrong in a sink");
}

/**
 * Runs messages and packets through a fat tree of which one core switch knows no routes, so that
 * frames are dropped inside windows.
 *
 * @param test fails if nothing is lost or something is left
 * @param threads that run switches
 * @return what was delivered, and the counters
 */
std::string
RunWithHole(FunctionCase& test, uint32_t threads, bool flowChannels)
{
    Simulation simulation;
    FatTreeHelper helper(4);
    helper.SetStream(1);
    helper.SetNetworkAttribute("Threads", UintegerValue(threads));
    helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
    helper.SetSwitchAttribute("FlowChannels", BooleanValue(flowChannels));
    const FabricContainer fabric = helper.Install();
    fabric.GetSwitch(fabric.switches.GetN() - 1)->GetChip().SetRouting(Routing());
    const uint32_t hosts = fabric.hosts.GetN();
    IpHosts journal(fabric);
    for (uint32_t i = 0; i < 20 * hosts; ++i)
    {
        const Ptr<FabricNetDevice> device = fabric.GetDevice(i % hosts);
        const LocationId to = LocationOf((i * 7 + hosts / 2) % hosts);
        if (to == device->GetLocation())
        {
            continue;
        }
        Simulator::Schedule(NanoSeconds(40 * i), [=] {
            device->SendMessage(to, 2'000 * (i % 9), static_cast<uint8_t>(i % 3));
            device->Send(Create<Packet>(100 + i), FabricNetDevice::MacOf(to), 0x88B5);
        });
    }
    Simulator::Run();
    fabric.network->CheckInvariants();
    test.Expect(fabric.network->IsEmpty(), "something is left in the fabric");
    const FabricTotals totals = fabric.network->GetTotals();
    test.Expect(totals.dropped.at("no-route") > 100'000, "little was dropped");
    test.Expect(totals.delivered > 100'000, "little was delivered");
    return journal.GetJournal() + std::to_string(totals.delivered) + " " +
           std::to_string(totals.dropped.at("no-route")) + " " + std::to_string(totals.dataHops) +
           " " + std::to_string(totals.controlHops);
}

void
TestLostFrames(FunctionCase& test)
{
    for (const bool flowChannels : {true, false})
    {
        const std::string reference = RunWithHole(test, 1, flowChannels);
        for (const uint32_t threads : {2, 3, 5})
        {
            test.ExpectSame(RunWithHole(test, threads, flowChannels),
                            reference,
                            std::to_string(threads) + " threads");
        }
    }
}

void
TestThreadsStopAt(FunctionCase& test)
{
    for (const int64_t at : {1, 80'000, 2'345'678, 12'345'000})
    {
        std::string results[2];
        for (const uint32_t threads : {1, 2})
        {
            CongestedRun run;
            run.threads = threads;
            CongestedTree tree(run);
            tree.fabric.network->StopAt(PicoSeconds(at));
            Simulator::Run();
            tree.fabric.network->CheckInvariants();
            results[threads - 1] = tree.GetResult();
            tree.fabric.network->StopAt(Seconds(1000));
            Simulator::Run();
            results[threads - 1] += tree.GetResult();
        }
        test.ExpectSame(results[1], results[0], "stopped at " + std::to_string(at) + " ps");
    }
}

void
TestNumberOfThreads(FunctionCase& test)
{
    for (const uint32_t threads : {1, 2, 5, 200})
    {
        Simulation simulation;
        FatTreeHelper helper(2); // 5 switches
        helper.SetNetworkAttribute("Threads", UintegerValue(threads));
        const FabricContainer fabric = helper.Install();
        const uint32_t switches = fabric.switches.GetN();
        test.Expect(fabric.network->GetThreads() == std::min(threads, switches),
                    std::to_string(fabric.network->GetThreads()) + " threads instead of " +
                        std::to_string(threads));
        bool isRefused = false;
        try
        {
            fabric.network->Add(CreateObject<FabricChannel>(),
                                SwitchPort{0, 0},
                                PeekPointer(fabric.GetDevice(0)));
        }
        catch (const std::invalid_argument&)
        {
            isRefused = true;
        }
        test.Expect(isRefused == (threads > 1), "a link that is added when switches are divided");
        test.Expect(!fabric.network->SetAttributeFailSafe("Threads", UintegerValue(2)),
                    "Threads can be changed when there are links");
    }
}

/// Tests of a fabric on several threads.
class ThreadsTestSuite : public FunctionSuite
{
  public:
    ThreadsTestSuite()
        : FunctionSuite("fabric-threads", kUnit)
    {
        Add("DP-15 same bytes on any number of threads in random fabrics",
            TestRandomFabricsOnThreads);
        Add("DP-15 VA-9 VA-11 same bytes with frames in pieces and lanes that change",
            TestFramesInPieces);
        Add("DP-15 WL-5 same bytes with hosts that receive slowly", TestSlowHostsOnThreads);
        Add("DP-15 WL-5 same bytes with credit frames", TestCreditFramesOnThreads);
        Add("DP-15 WL-5 same bytes with switches that pause each other", TestLinkPausesOnThreads);
        Add("DP-15 same bytes with TCP, error models and samples", TestCongestedTree);
        Add("DP-15 same bytes with traces and lookahead that come and go", TestTracesAndLookahead);
        Add("DP-15 same bytes with frames lost inside windows", TestLostFrames);
        Add("DP-15 StopAt() ends a run at the same state", TestThreadsStopAt);
        Add("DP-15 number of threads, and what it fixes", TestNumberOfThreads);
    }
};

ThreadsTestSuite g_threadsTestSuite; ///< Registers itself.

} // namespace

} // namespace ns3::fabric
