/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-helper.h"
#include "fabric-network-scenario.h"
#include "fabric-random-network.h"
#include "support/fabric-error-streams.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-switch-ring.h"
#include "support/fabric-test-seeds.h"
#include "support/fabric-told-errors.h"

#include <algorithm>
#include <random>
#include <set>

namespace ns3::fabric
{

namespace
{

// ---- the graph ----

/// Edges by chance, and the obvious way to find out whether there is a cycle.
struct RandomWaits
{
    /// Ends of an edge.
    using Edge = std::pair<WaitForGraph::Buffer, WaitForGraph::Buffer>;

    std::set<Edge> edges; ///< All of them.

    RandomWaits(WaitForGraph& graph, std::minstd_rand& random)
    {
        const uint32_t buffers = 2 + random() % 20;
        const auto draw = [&] {
            const auto number = static_cast<uint32_t>(random() % buffers);
            return WaitForGraph::Buffer(number / 3, number % 3);
        };
        for (uint32_t left = random() % (2 * buffers); left > 0; --left)
        {
            const WaitForGraph::Buffer from = draw();
            const WaitForGraph::Buffer to = draw();
            if (from.first != to.first)
            {
                graph.Add(from, to.first, WaitCause::ROOM, to);
                edges.insert({from, to});
            }
        }
    }

    /// @return whether one is reached from another, over all edges again and again
    bool HasCycle() const
    {
        std::set<Edge> reached = edges;
        for (bool grows = true; grows;)
        {
            std::set<Edge> more = reached;
            for (const auto& [from, via] : reached)
            {
                for (const auto& [begin, to] : edges)
                {
                    if (begin == via)
                    {
                        more.insert({from, to});
                    }
                }
            }
            grows = more.size() != reached.size();
            reached = more;
        }
        return std::any_of(reached.begin(), reached.end(), [](const Edge& edge) {
            return edge.first == edge.second;
        });
    }

    /// @return whether there is an edge between buffers of two switches
    bool Has(uint32_t from, uint32_t to) const
    {
        return std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) {
            return edge.first.first == from && edge.second.first == to;
        });
    }
};

void
TestGraph(FunctionCase& self)
{
    const TestSeeds seeds(300);
    uint32_t found = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        WaitForGraph graph;
        const RandomWaits waits(graph, random);
        const std::vector<StallStep> cycle = graph.FindCycle();
        self.ExpectEqual(!cycle.empty(), waits.HasCycle(), Text("a cycle, seed ", seed));
        found += !cycle.empty();
        for (std::size_t i = 0; i < cycle.size(); ++i)
        {
            const StallStep& next = cycle[(i + 1) % cycle.size()];
            self.ExpectEqual(cycle[i].next, next.number, Text("it is closed, seed ", seed));
            self.Expect(waits.Has(cycle[i].number, cycle[i].next),
                        Text("each waits for the next, seed ", seed));
        }
    }
    self.Expect(found > seeds.count / 5 && found < seeds.count, "some have a cycle, some have not");
}

void
TestWords(FunctionCase& self)
{
    Stall stall;
    stall.bytes = 4'096;
    self.ExpectEqual(stall.Describe(), std::string("stalled: 4096 bytes cannot move"), "no reason");
    stall.reasons = {"the link of host 3 is down", "switch 0 waits at port 2 for its host"};
    self.ExpectEqual(stall.Describe(),
                     std::string("stalled: 4096 bytes cannot move, since the link of host 3 is "
                                 "down; switch 0 waits at port 2 for its host"),
                     "reasons");
    stall.cycle = {{0, 1, 5, WaitCause::ROOM},
                   {5, 2, 7, WaitCause::FLOW_CHANNEL},
                   {7, 3, 8, WaitCause::HOP_CREDITS},
                   {8, 4, 0, WaitCause::ACKS}};
    self.ExpectEqual(
        stall.Describe(),
        std::string("deadlock: 4096 bytes cannot move, since switch 0 waits at port 1 "
                    "for buffer space in switch 5, which waits at port 2 for a flow channel "
                    "to switch 7, which waits at port 3 for hop credits of switch 8, "
                    "which waits at port 4 for acknowledgements of switch 0"),
        "a cycle");
}

// ---- a ring ----

/// How a ring is run.
struct RingRun
{
    bool flowChannels{false};           ///< Of all switches.
    bool lookahead{true};               ///< Whether switches run ahead.
    uint32_t threads{1};                ///< That run them.
    uint64_t bytes{4 << 20};            ///< Of each message.
    uint32_t processes{1};              ///< Of each host, which send by turns; each is a flow.
    uint32_t flowIds{2047};             ///< Flow channels of a link.
    uint32_t hops{3};                   ///< Links between switches that each message passes.
    double errors{0};                   ///< Part of frames that links damage.
    std::string linkControl{"credits"}; ///< Of all switches.
    std::string receiveRate{"0bps"};    ///< Of all hosts.
    std::function<void(FabricContainer&)> before{}; ///< Called before it runs; may be empty.
    std::function<void(FabricContainer&)> after{};  ///< Called after it has run; may be empty.
};

/// Each of four hosts sends eight messages.
std::optional<Stall>
RunRing(const RingRun& run)
{
    Simulation simulation;
    const SwitchRing ring(4);
    FabricHelper helper;
    helper.SetStream(1);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(run.lookahead));
    helper.SetNetworkAttribute("Threads", UintegerValue(run.threads));
    helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
    helper.SetSwitchAttribute("FlowChannels", BooleanValue(run.flowChannels));
    helper.SetSwitchAttribute("FlowIds", UintegerValue(run.flowIds));
    helper.SetSwitchAttribute("LinkFlowControl", StringValue(run.linkControl));
    helper.SetSwitchAttribute("EdgeFlowControl", StringValue(run.linkControl));
    helper.SetDeviceAttribute("ReceiveRate", StringValue(run.receiveRate));
    if (run.errors > 0)
    {
        helper.SetErrorModel(FrameErrors(run.errors));
    }
    helper.SetRouteCheck(ROUTES_ARE_PROVEN); // they are not: it is to deadlock
    FabricContainer fabric = helper.Install(ring.plan, ring.routing);
    for (uint32_t i = 0; i < 4 * std::max(8U, run.processes); ++i)
    {
        Simulator::Schedule(NanoSeconds(100 * (i % 32)), [&fabric, &run, i] {
            MessageFlow flow;
            flow.dst = LocationOf((i + run.hops) % 4);
            flow.process = i / 4 % run.processes;
            fabric.GetDevice(i % 4)->SendMessage(flow, run.bytes);
        });
    }
    if (run.before)
    {
        run.before(fabric);
    }
    Simulator::Run();
    if (run.after)
    {
        run.after(fabric);
    }
    return fabric.network->FindStall();
}

/// All buffers of the ring fill with frames that go on in it.
void
TestRing(FunctionCase& self)
{
    const ToldErrors told;
    std::string reference;
    for (const uint32_t threads : {1, 2})
    {
        for (const bool lookahead : {true, false})
        {
            RingRun run;
            run.lookahead = lookahead;
            run.threads = threads;
            std::string broken;
            run.after = [&broken](const FabricContainer& fabric) {
                broken = Refusal<std::logic_error>([&] { fabric.network->CheckInvariants(); });
            };
            const auto stall = RunRing(run);
            self.Expect(stall && stall->IsDeadlock(), "the ring is deadlocked");
            const std::string text = stall ? stall->Describe() : "";
            reference = reference.empty() ? text : reference;
            self.ExpectEqual(text, reference, Text("ahead ", lookahead, ", threads ", threads));
            self.ExpectEqual(broken, reference, "checks say it too");
            self.Expect(text.find("deadlock: ") == 0 && text.find(RING_CYCLE) != text.npos, text);
        }
    }
}

/// Who is paused waits for who pauses it, however often the pauses are repeated.
void
TestRingOfPauses(FunctionCase& self)
{
    for (const std::string control : {"pause", "priority-pause"})
    {
        for (const bool lookahead : {true, false})
        {
            const ToldErrors told;
            RingRun run;
            run.lookahead = lookahead;
            run.linkControl = control;
            run.before = [&self](const FabricContainer& fabric) {
                fabric.network->StopAt(MilliSeconds(3));
                const auto isStalled = [&fabric] {
                    return fabric.network->FindStall().has_value();
                };
                Simulator::Schedule(MicroSeconds(5), [&self, isStalled] {
                    self.Expect(!isStalled(), "frames move at first");
                });
                Simulator::Schedule(MicroSeconds(2'500), [&self, isStalled] {
                    self.Expect(isStalled(), "and do not any more");
                });
            };
            const auto stall = RunRing(run);
            const std::string text = stall ? stall->Describe() : "";
            self.Expect(text.find("deadlock: ") == 0 && text.find(RING_CYCLE) != text.npos,
                        control + ": " + text);
            run.before = {};
            run.hops = 2;
            const auto none = RunRing(run);
            self.Expect(!none, control + ": " + (none ? none->Describe() : ""));
        }
    }
}

/// Hosts that receive slowly, and pause nobody any more since nothing comes, hide no deadlock.
void
TestRingOfSlowHosts(FunctionCase& self)
{
    for (const std::string control : {"pause", "priority-pause"})
    {
        const ToldErrors told;
        RingRun run;
        run.linkControl = control;
        run.receiveRate = "50Gbps";
        run.before = [](const FabricContainer& fabric) {
            fabric.network->StopAt(MilliSeconds(10));
        };
        const auto stall = RunRing(run);
        const std::string text = stall ? stall->Describe() : "";
        self.Expect(text.find("deadlock: ") == 0 && text.find(RING_CYCLE) != text.npos,
                    control + ": " + text);
        run.hops = 2;
        const auto none = RunRing(run);
        self.Expect(!none, control + ": " + (none ? none->Describe() : ""));
    }
}

/// Hop credits keep each flow's part of the buffers so small that there is space for others, but
/// not for any number of them.
void
TestRingWithFlowChannels(FunctionCase& self)
{
    for (const uint32_t hops : {1, 2, 3})
    {
        RingRun run;
        run.flowChannels = true;
        run.hops = hops;
        const auto stall = RunRing(run);
        self.Expect(!stall, Text(hops, " hops: ", stall ? stall->Describe() : ""));
    }
    for (const uint32_t processes : {16, 100})
    {
        const ToldErrors told;
        RingRun run;
        run.flowChannels = true;
        run.processes = processes;
        run.bytes = 200'000;
        const auto stall = RunRing(run);
        const std::string text = stall ? stall->Describe() : "";
        self.Expect(processes == 16 ? !stall : text.find(RING_CYCLE) != text.npos,
                    Text(processes, " flows: ", text));
    }
}

/// Flows that keep the only flow channels of a link wait for those of the next one.
void
TestFlowChannels(FunctionCase& self)
{
    for (const uint32_t ids : {1, 3})
    {
        const ToldErrors told;
        RingRun run;
        run.flowChannels = true;
        run.flowIds = ids;
        run.processes = 8;
        const auto stall = RunRing(run);
        const std::string text = stall ? stall->Describe() : "";
        const std::string begin = "switch 0 waits at port 1 for a flow channel to switch 1, which";
        self.Expect(text.find(begin) != text.npos, Text(ids, " flow channels: ", text));
        self.ExpectEqual(stall ? stall->cycle.size() : 0, 4, "once around");
    }
}

/// What fits into the buffers can't fill them. Frames that pass one link or two leave the ring as
/// fast as they come: of those that pass two an output sends as many as of its host.
void
TestRingThatRuns(FunctionCase& self)
{
    for (const auto& [bytes, hops] : {std::pair{10'000, 3}, {4 << 20, 1}, {4 << 20, 2}})
    {
        RingRun run;
        run.bytes = static_cast<uint64_t>(bytes);
        run.hops = static_cast<uint32_t>(hops);
        self.Expect(!RunRing(run), "nothing is held up");
    }
}

/// Who asks nothing is told at the end, once; who stops the run early, too.
void
TestWarning(FunctionCase& self)
{
    for (const bool stopped : {false, true})
    {
        const ToldErrors told;
        RingRun run;
        if (stopped)
        {
            run.before = [](const FabricContainer& fabric) {
                fabric.network->StopAt(MilliSeconds(50));
            };
        }
        const auto stall = RunRing(run);
        self.ExpectEqual(told.Get(), stall ? stall->Describe() + "\n" : "?", "told");
    }
    const ToldErrors told;
    RingRun run;
    run.hops = 1;
    RunRing(run);
    self.ExpectEqual(told.Get(), std::string(), "a run without one says nothing");
}

/// A link that is down for good is no deadlock, and one that is to be repaired is no stall.
void
TestDown(FunctionCase& self)
{
    RingRun run;
    run.hops = 1;
    run.before = [](const FabricContainer& fabric) {
        fabric.hostLinks[3]->FailAt(MicroSeconds(10));
    };
    auto stall = RunRing(run);
    self.Expect(stall && !stall->IsDeadlock(), "its messages can't leave");
    const std::string text = stall ? stall->Describe() : "";
    self.Expect(text.find("stalled: ") == 0, text);
    self.Expect(text.find("since the link of host 3 is down") != text.npos, text);
    bool wasStalled = false;
    run.before = [&wasStalled](const FabricContainer& fabric) {
        fabric.hostLinks[3]->FailAt(MicroSeconds(10));
        fabric.hostLinks[3]->RepairAt(MilliSeconds(900));
        Simulator::Schedule(MilliSeconds(800), [&wasStalled, &fabric] {
            wasStalled = fabric.network->FindStall().has_value();
        });
    };
    self.Expect(!RunRing(run) && !wasStalled, "a repair ends it");
}

/// Random fabrics with all that there is: at no time anybody speaks of a deadlock, and at the end
/// of no stall either.
void
TestNoFalseAlarm(FunctionCase& self)
{
    const TestSeeds seeds(40);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        for (const bool lookahead : {true, false})
        {
            RandomRun run{seed};
            run.lookahead = lookahead;
            run.outages = seed % 2 == 0;
            run.lanes = seed % 3 == 0;
            run.slowHosts = seed % 5 == 0;
            run.creditFrames = seed % 7 == 0;
            run.linkPauses = seed % 4 == 1;
            run.installed = [&self, seed](const FabricContainer& fabric) {
                for (uint32_t i = 0; i < 50; ++i)
                {
                    Simulator::Schedule(NanoSeconds(700 * i), [&self, &fabric, seed] {
                        const auto stall = fabric.network->FindStall();
                        self.Expect(!stall || !stall->IsDeadlock(),
                                    Text("a false alarm, seed ", seed));
                    });
                }
            };
            run.ended = [&self, seed](const FabricContainer& fabric) {
                self.Expect(!fabric.network->FindStall(), Text("stalled, seed ", seed));
            };
            RunRandom(self, run);
        }
    }
}

/// Messages that are lost are told of, once each, and are no stall.
void
TestLost(FunctionCase& self)
{
    for (const uint32_t threads : {1, 2})
    {
        uint32_t delivered = 0;
        uint32_t lost = 0;
        RingRun run;
        run.hops = 1;
        run.bytes = 100'000;
        run.errors = 0.01;
        run.threads = threads;
        run.before = [&](const FabricContainer& fabric) {
            fabric.network->TraceConnectWithoutContext(
                "MessageDelivered",
                Callback<void, const Message&, Time>(
                    [&delivered](const Message&, Time) { ++delivered; }));
            fabric.network->TraceConnectWithoutContext(
                "MessageLost",
                Callback<void, const Message&>([&lost](const Message& message) {
                    lost += message.bytes == 100'000 && message.underWay == 0;
                }));
        };
        self.Expect(!RunRing(run), "nothing is held up");
        self.Expect(lost > 0 && delivered > 0, "some are lost, some are not");
        self.ExpectEqual(lost + delivered, 32, "each is one or the other");
    }
}

/// The suite.
class FabricStallSuite : public FunctionSuite
{
  public:
    FabricStallSuite()
        : FunctionSuite("fabric-stall", kUnit)
    {
        Add("PR-4 cycles of buffers that wait are found where there are any", TestGraph);
        Add("PR-4 a stall is told in one sentence", TestWords);
        Add("PR-4 a ring without flow channels is deadlocked, and the cycle is named", TestRing);
        Add("PR-4 WL-5 so is a ring whose switches pause each other", TestRingOfPauses);
        Add("PR-4 WL-5 hosts that receive slowly hide no deadlock", TestRingOfSlowHosts);
        Add("PR-4 CM-5 a ring with flow channels is not, unless there are many flows",
            TestRingWithFlowChannels);
        Add("PR-4 FC-9 a ring whose links have too few flow channels is", TestFlowChannels);
        Add("PR-4 nor is a ring whose buffers suffice", TestRingThatRuns);
        Add("PR-4 Simulator::Destroy() tells of a deadlock", TestWarning);
        Add("PR-4 WL-8 links that are down are a stall, those to be repaired none", TestDown);
        Add("PR-4 normal runs are no deadlock at any time", TestNoFalseAlarm);
        Add("WL-4 each message is delivered or told to be lost", TestLost);
    }
};

const FabricStallSuite g_fabricStallSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
