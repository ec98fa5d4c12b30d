/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-command-helper.h"
#include "fabric-command-recorder.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-shortest-path-routing.h"
#include "support/fabric-early-restraints.h"
#include "support/fabric-error-streams.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <array>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return what all hosts of a tree learn, each of which writes to two others, as a text
std::string
Permute(FunctionCase& self, bool lookahead, uint32_t threads)
{
    FatTreeConfig config;
    config.levels = 2;
    config.radix = 4;
    FatTreeHelper helper(config);
    helper.SetStream(1);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    helper.SetNetworkAttribute("Threads", UintegerValue(threads));
    helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
    const FabricContainer fabric = helper.Install();
    FabricCommandHelper commands;
    commands.SetAttribute("Queues", UintegerValue(2));
    commands.SetApplicationAttribute("Count", UintegerValue(30));
    commands.SetApplicationAttribute("Bytes", UintegerValue(5000));
    std::vector<Ptr<FabricCommandQueues>> queues;
    const uint32_t hosts = fabric.hosts.GetN();
    for (uint32_t host = 0; host < hosts; ++host)
    {
        queues.push_back(commands.Install(fabric, host));
        commands.SetApplicationAttribute("Operation", StringValue("put"));
        commands.InstallInitiator(fabric, host, (host + 3) % hosts, 0);
        commands.SetApplicationAttribute("Operation", StringValue("send"));
        commands.InstallInitiator(fabric, host, (host + 5) % hosts, 1);
    }
    Simulator::Run();
    std::ostringstream text;
    for (const Ptr<FabricCommandQueues>& each : queues)
    {
        self.ExpectEqual(each->GetLatencies().size(), 60, "acknowledged");
        self.ExpectEqual(each->GetSendLatencies().size(), 30, "sends that have come");
        for (const TimePs latency : each->GetLatencies())
        {
            text << latency << '\n';
        }
        for (const TimePs latency : each->GetSendLatencies())
        {
            text << "send " << latency << '\n';
        }
    }
    self.Expect(fabric.network->IsEmpty(), "nothing is left");
    fabric.network->CheckInvariants();
    Simulator::Destroy();
    return text.str();
}

/// @return what hosts of a tree learn whose links lose frames, as a text
std::string
RunLossy(FunctionCase& self, bool lookahead, uint32_t threads)
{
    FatTreeHelper helper(4);
    helper.SetStream(1);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    helper.SetNetworkAttribute("Threads", UintegerValue(threads));
    helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
    helper.SetErrorModel(FrameErrors(0.01));
    const FabricContainer fabric = helper.Install();
    AssignErrorStreams(fabric, 1000);
    FabricCommandHelper commands;
    commands.SetAttribute("RetryTimeout", TimeValue(MicroSeconds(20)));
    commands.SetAttribute("RetryLimit", UintegerValue(50));
    std::vector<Ptr<FabricCommandQueues>> queues;
    const uint32_t hosts = fabric.hosts.GetN();
    uint64_t traced = 0;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        queues.push_back(commands.Install(fabric, host));
        const Callback<void, uint32_t, uint32_t, Time> count(
            [&traced](uint32_t, uint32_t, Time) { ++traced; });
        if (threads == 1)
        {
            queues.back()->TraceConnectWithoutContext("Resend", count);
        }
    }
    for (uint32_t host = 0; host < hosts; ++host)
    {
        for (const CommandOp op :
             {CommandOp::PUT, CommandOp::SEND, CommandOp::GET, CommandOp::ATOMIC})
        {
            CommandStream stream;
            stream.op = op;
            stream.flow.dst = static_cast<LocationId>((host + 3) % hosts + 1);
            stream.bytes = op == CommandOp::ATOMIC ? 0 : 20'000;
            stream.count = 20;
            stream.arguments.atomic.operand = 1;
            stream.arguments.atomic.fetches = true;
            queues[host]->Post(0, stream);
        }
    }
    Simulator::Run();
    std::ostringstream text;
    uint64_t resent = 0;
    for (const Ptr<FabricCommandQueues>& each : queues)
    {
        self.ExpectEqual(each->GetLatencies().size(), 80, "acknowledged");
        self.ExpectEqual(each->GetSendLatencies().size(), 20, "sends that have come");
        self.ExpectEqual(each->GetEngine().Memory().Read(0, 8), 20, "each atomic once");
        resent += each->GetEngine().Sender().Tracker().Counts().resent;
        for (const TimePs latency : each->GetLatencies())
        {
            text << latency << '\n';
        }
    }
    self.Expect(resent > 100, Text("only ", resent, " were sent again"));
    self.ExpectEqual(traced, threads == 1 ? resent : 0, "traced");
    self.Expect(fabric.network->IsEmpty(), "nothing is left");
    fabric.network->CheckInvariants();
    Simulator::Destroy();
    return text.str();
}

/// Neither windows nor threads change anything.
void
TestCommandThreads(FunctionCase& self)
{
    const std::string expected = Permute(self, false, 1);
    self.ExpectSame(Permute(self, true, 1), expected, "look-ahead");
    self.ExpectSame(Permute(self, true, 2), expected, "two threads");
    self.ExpectSame(Permute(self, true, 3), expected, "three threads");
}

/// What is lost by links that damage frames is sent again; neither windows nor threads change that.
void
TestLossyLinks(FunctionCase& self)
{
    const std::string expected = RunLossy(self, false, 1);
    self.ExpectSame(RunLossy(self, true, 1), expected, "look-ahead");
    self.ExpectSame(RunLossy(self, true, 2), expected, "two threads");
}

/// @return two hosts at a switch
FabricContainer
InstallPair(bool lookahead = true, double loss = 0)
{
    FabricHelper helper;
    if (loss != 0)
    {
        helper.SetErrorModel(FrameErrors(loss));
    }
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    const TopologyPlan plan = MakeChainPlan({1});
    return helper.Install(plan, MakeShortestPathRouting(plan));
}

/// A target tells on the wire which message is missing: no message waits for a time-out.
void
TestGapsAreTold(FunctionCase& self)
{
    const FabricContainer fabric = InstallPair(true, 0.002);
    AssignErrorStreams(fabric, 1000);
    FabricCommandHelper commands;
    commands.SetAttribute("RetryTimeout", TimeValue(MilliSeconds(10)));
    const Ptr<FabricCommandQueues> queues = commands.Install(fabric, 0);
    commands.Install(fabric, 1);
    CommandStream stream;
    stream.op = CommandOp::SEND;
    stream.flow.dst = 2;
    stream.bytes = 1000;
    stream.count = 3000;
    uint32_t resent = 0;
    Time last;
    queues->TraceConnectWithoutContext(
        "Resend",
        Callback<void, uint32_t, uint32_t, Time>([&resent, &last](uint32_t, uint32_t, Time at) {
            ++resent;
            last = at;
        }));
    queues->Post(0, stream);
    Simulator::Run();
    self.ExpectEqual(queues->GetLatencies().size(), 3000, "acknowledged");
    self.Expect(resent > 50, Text("only ", resent, " were sent again"));
    self.Expect(last < MilliSeconds(1), Text("the last one at ", last));
    Simulator::Destroy();
}

/// What waits in the retry buffer until one that is sent again has gone goes after it, though
/// nothing else happens any more.
void
TestHeldPacketsGo(FunctionCase& self)
{
    constexpr std::array WINDOWS{1U, 2U, 64U}; // the last one: times of packets are kept, too
    for (uint32_t seed = 0; seed < 300; ++seed)
    {
        const FabricContainer fabric = InstallPair(true, 0.3);
        AssignErrorStreams(fabric, 1000 * (seed + 1));
        FabricCommandHelper commands;
        commands.SetAttribute("RetryTimeout", TimeValue(MicroSeconds(1)));
        commands.SetAttribute("RetryLimit", UintegerValue(200));
        commands.SetAttribute("RetryWindow", UintegerValue(WINDOWS[seed % WINDOWS.size()]));
        const Ptr<FabricCommandQueues> queues = commands.Install(fabric, 0);
        commands.Install(fabric, 1);
        CommandStream stream;
        stream.op = CommandOp::SEND;
        stream.flow.dst = 2;
        stream.bytes = 20'000;
        stream.count = 20;
        queues->Post(0, stream);
        Simulator::Run();
        self.ExpectEqual(queues->GetLatencies().size(), 20, Text("acknowledged, seed ", seed));
        self.ExpectEqual(queues->GetEngine().Sender().Tracker().Kept(), 0, Text("seed ", seed));
        Simulator::Destroy();
    }
}

/// Two applications that answer each other.
struct PingPong
{
    void Ping(const CommandReport& report)
    {
        text << "0 " << report.isOwn << ' ' << report.bytes << ' ' << Simulator::Now() << '\n';
        if (!report.isOwn && ++rounds < 10)
        {
            left->Post(0, Stream(2));
        }
    }

    void Pong(const CommandReport& report)
    {
        text << "1 " << report.isOwn << ' ' << report.bytes << ' ' << Simulator::Now() << '\n';
        if (!report.isOwn)
        {
            right->Post(0, Stream(1));
        }
    }

    static CommandStream Stream(LocationId dst)
    {
        CommandStream stream;
        stream.op = CommandOp::SEND;
        stream.flow.dst = dst;
        stream.bytes = 100;
        return stream;
    }

    Ptr<FabricCommandQueues> left;
    Ptr<FabricCommandQueues> right;
    uint32_t rounds{0};
    std::ostringstream text;
};

/// @return what applications of two hosts learn that answer each other
std::string
PlayPingPong(FunctionCase& self, bool lookahead)
{
    const FabricContainer fabric = InstallPair(lookahead);
    const FabricCommandHelper commands;
    PingPong game;
    game.left = commands.Install(fabric, 0);
    game.right = commands.Install(fabric, 1);
    game.left->SetReportCallback(MakeCallback(&PingPong::Ping, &game));
    game.right->SetReportCallback(MakeCallback(&PingPong::Pong, &game));
    Simulator::Schedule(NanoSeconds(5), [&] { game.left->Post(0, PingPong::Stream(2)); });
    Simulator::Run();
    self.ExpectEqual(game.rounds, 10, "rounds");
    self.Expect(fabric.network->IsEmpty(), "nothing is left");
    Simulator::Destroy();
    return game.text.str();
}

/// An application is called when software sees an event, whatever the windows are.
void
TestReports(FunctionCase& self)
{
    self.ExpectSame(PlayPingPong(self, true), PlayPingPong(self, false), "look-ahead");
}

/// Times and latencies that an application has learnt of, of own commands and of others' sends.
struct Learnt
{
    void Learn(const CommandReport& report)
    {
        reports[report.isOwn ? 0 : 1].push_back(report);
    }

    /// @return latencies of what it has learnt by a time, ps
    std::vector<TimePs> Until(uint32_t kind, TimePs end) const
    {
        std::vector<TimePs> latencies;
        for (const CommandReport& report : reports[kind])
        {
            if (report.at <= end)
            {
                latencies.push_back(report.at - report.postedAt);
            }
        }
        return latencies;
    }

    std::array<std::vector<CommandReport>, 2> reports; ///< Own ones first.
};

/// Latencies until a time are those that an application has been told by then.
void
TestLatenciesUntil(FunctionCase& self)
{
    const FabricContainer fabric = InstallPair();
    const FabricCommandHelper commands;
    std::array<Learnt, 2> learnt;
    std::vector<Ptr<FabricCommandQueues>> queues;
    for (uint32_t host = 0; host < 2; ++host)
    {
        queues.push_back(commands.Install(fabric, host));
        queues[host]->SetReportCallback(MakeCallback(&Learnt::Learn, &learnt[host]));
    }
    for (uint32_t host = 0; host < 2; ++host)
    {
        CommandStream stream = PingPong::Stream(static_cast<LocationId>(2 - host));
        stream.count = 20;
        stream.gap = 100'000;
        queues[host]->Post(0, stream);
    }
    Simulator::Run();
    for (uint32_t host = 0; host < 2; ++host)
    {
        for (uint32_t kind = 0; kind < 2; ++kind)
        {
            self.ExpectEqual(learnt[host].reports[kind].size(), 20, "reports");
            for (const CommandReport& report : learnt[host].reports[kind])
            {
                for (const TimePs end : {report.at - 1, report.at})
                {
                    const Time until = PicoSeconds(end);
                    self.Expect((kind == 0 ? queues[host]->GetLatencies(until)
                                           : queues[host]->GetSendLatencies(until)) ==
                                    learnt[host].Until(kind, end),
                                Text("host ", host, ", kind ", kind, ", until ", end));
                }
            }
        }
    }
    Simulator::Destroy();
}

/// Uses the ring for every third command only.
class OwnPolicy : public CommandPolicy
{
  public:
    bool WantsStatus(const DriverView&) override
    {
        return false;
    }

    bool UsesLowLatency(const DriverView&) override
    {
        return ++m_commands % 3 != 0;
    }

  private:
    uint32_t m_commands{0};
};

/// A user puts in a policy of their own.
void
TestOwnPolicy(FunctionCase& self)
{
    const FabricContainer fabric = InstallPair();
    const FabricCommandHelper commands;
    const Ptr<FabricCommandQueues> queues = commands.Install(fabric, 0);
    commands.Install(fabric, 1);
    queues->SetPolicy(0, std::make_unique<OwnPolicy>());
    CommandStream stream = PingPong::Stream(2);
    stream.bytes = 8;
    stream.count = 300;
    queues->Post(0, stream);
    Simulator::Run();
    self.ExpectEqual(queues->GetEngine().Host().Counts().lowLatency, 200, "low latency");
    self.ExpectEqual(queues->GetEngine().Host().Counts().doorbells, 100, "by the ring");
    Simulator::Destroy();
}

/// Queues differ in when their read pointers come back, and a queue may have another policy later.
void
TestWriteBackOfQueues(FunctionCase& self)
{
    const FabricContainer fabric = InstallPair();
    FabricCommandHelper commands;
    commands.SetAttribute("Queues", UintegerValue(2));
    commands.SetAttribute("WriteBackOnEmpty", BooleanValue(false));
    const Ptr<FabricCommandQueues> queues = commands.Install(fabric, 0);
    commands.Install(fabric, 1);
    queues->SetWriteBack(1, {8, false, 0});
    CommandStream stream = PingPong::Stream(2);
    stream.bytes = 8;
    const auto writesAfter = [&](uint32_t queue, uint64_t count) {
        stream.count = count;
        queues->Post(queue, stream);
        Simulator::Run();
        return queues->GetEngine().Processor().Counts().writeBacks;
    };
    self.ExpectEqual(writesAfter(0, 200), 0, "every 256, as the attribute says");
    self.ExpectEqual(writesAfter(1, 203), 25, "every 8");
    queues->SetWriteBack(0, {16, false, 0});
    queues->SetWriteBack(1, {32, false, 0});
    self.ExpectEqual(writesAfter(0, 47), 25 + 2 + 2, "what was not told, and every 16");
    self.ExpectEqual(writesAfter(1, 33), 25 + 2 + 2 + 1, "every 32");
    Simulator::Destroy();
}

/// A driver that waits for room does not wait for a policy that is gone.
void
TestWriteBackOfFullRing(FunctionCase& self)
{
    const FabricContainer fabric = InstallPair();
    FabricCommandHelper commands;
    commands.SetAttribute("RingSlots", UintegerValue(64));
    commands.SetAttribute("Policy", StringValue("memory"));
    const Ptr<FabricCommandQueues> queues = commands.Install(fabric, 0);
    commands.Install(fabric, 1);
    queues->SetWriteBack(0, {0, false, 1'000'000'000'000});
    CommandStream stream = PingPong::Stream(2);
    stream.bytes = 8;
    stream.count = 300;
    queues->Post(0, stream);
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    self.ExpectEqual(queues->GetLatencies(Simulator::Now()).size(), 59, "as many as have room");
    queues->SetWriteBack(0, {256, false, 0});
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    self.ExpectEqual(queues->GetLatencies(Simulator::Now()).size(), 300, "all");
    Simulator::Destroy();
}

/// When the NICs of a node that has two are done with writes to two hosts, ps; 0 for one without.
using TwoTimes = std::array<TimePs, 2>;

/// @param writes whether each NIC of the node does
TwoTimes
WriteByTwoNics(FunctionCase& self, const std::array<bool, 2>& writes)
{
    NodeContainer nodes(3);
    NodeContainer hosts(nodes.Get(0), nodes.Get(0));
    hosts.Add(nodes.Get(1));
    hosts.Add(nodes.Get(2));
    const TopologyPlan plan = MakeChainPlan({3});
    const FabricContainer fabric =
        FabricHelper().Install(hosts, plan, MakeShortestPathRouting(plan));
    const FabricCommandHelper commands;
    std::vector<Ptr<FabricCommandQueues>> queues;
    for (uint32_t host = 0; host < 4; ++host)
    {
        queues.push_back(commands.Install(fabric, host));
        self.Expect(queues[host]->GetDevice() == fabric.GetDevice(host), Text("NIC ", host));
    }
    self.Expect(fabric.GetDevice(0)->GetNode() == fabric.GetDevice(1)->GetNode(), "one node");
    CommandStream stream;
    stream.bytes = 1 << 20;
    stream.count = 4;
    for (uint32_t nic = 0; nic < 2; ++nic)
    {
        stream.flow.dst = LocationOf(2 + nic);
        if (writes[nic])
        {
            queues[nic]->Post(0, stream);
        }
    }
    stream.op = CommandOp::SEND;
    stream.bytes = 8;
    stream.flow.dst = LocationOf(1);
    queues[3]->Post(0, stream);
    Simulator::Run();
    self.ExpectEqual(queues[0]->GetSendLatencies().size(), 0, "the other NIC learns nothing");
    self.ExpectEqual(queues[1]->GetSendLatencies().size(), 4, "what is sent to a NIC");
    const TwoTimes times{queues[0]->GetLastCompletion(), queues[1]->GetLastCompletion()};
    Simulator::Destroy();
    return times;
}

/// Two NICs of a node share neither link nor PCIe.
void
TestTwoNics(FunctionCase& self)
{
    const TwoTimes both = WriteByTwoNics(self, {true, true});
    const TwoTimes first = WriteByTwoNics(self, {true, false});
    const TwoTimes second = WriteByTwoNics(self, {false, true});
    self.Expect(first[0] > 0 && first[1] == 0 && second[1] > 0 && second[0] == 0, "each alone");
    self.ExpectEqual(both[0], first[0], "the first one beside the second");
    self.ExpectEqual(both[1], second[1], "the second one beside the first");
}

/**
 * Hosts write to one host; the first of them, from another queue, to an idle one, too.
 *
 * @param isAlone whether it writes to the idle one only
 * @return when that is done, ps
 */
TimePs
WriteBesideIncast(FunctionCase& self, bool isAlone, bool restrains)
{
    FatTreeConfig config;
    config.levels = 2;
    config.radix = 8;
    FatTreeHelper helper(config);
    helper.SetStream(1);
    UseEarlyRestraints(helper);
    if (!restrains)
    {
        helper.SetSwitchAttribute("Fgfc", BooleanValue(false));
        helper.SetSwitchAttribute("FgfcPauseTime", TimeValue(MicroSeconds(100))); // the default
    }
    const FabricContainer fabric = helper.Install();
    FabricCommandHelper commands;
    commands.SetAttribute("Queues", UintegerValue(2));
    commands.SetApplicationAttribute("Bytes", UintegerValue(65536));
    const uint32_t hosts = fabric.hosts.GetN();
    std::vector<Ptr<FabricCommandQueues>> queues;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        queues.push_back(commands.Install(fabric, host));
    }
    commands.SetApplicationAttribute("Count", UintegerValue(20));
    for (uint32_t host = 0; host < 16 && !isAlone; ++host)
    {
        commands.InstallInitiator(fabric, host, hosts - 1, 0);
    }
    commands.InstallInitiator(fabric, 0, hosts / 2 + 1, 1);
    TimePs end = 0;
    queues[0]->SetReportCallback(Callback<void, const CommandReport&>(
        [&end](const CommandReport& report) { end = report.queue == 1 ? report.at : end; }));
    Simulator::Run();
    self.Expect(fabric.network->IsEmpty(), "nothing is left");
    fabric.network->CheckInvariants();
    Simulator::Destroy();
    return end;
}

/// A flow that the switch restrains waits in its queue, the host's others go on.
void
TestRestrainedQueue(FunctionCase& self)
{
    const auto alone = static_cast<double>(WriteBesideIncast(self, true, true));
    const auto beside = static_cast<double>(WriteBesideIncast(self, false, true));
    const auto without = static_cast<double>(WriteBesideIncast(self, false, false));
    self.Expect(beside < 1.3 * alone, Text("restrained: ", beside / alone));
    self.Expect(without > 2 * alone, Text("not restrained: ", without / alone));
}

/// The packets that come in say which part of a command's data they have.
void
ExpectAllOfIt(FunctionCase& self, const CommandStory& story)
{
    std::map<uint32_t, uint32_t> parts; // bytes by offset
    for (const CommandSpan& span : story.spans)
    {
        if (span.stage == CommandStage::INBOUND && span.bytes != 0)
        {
            parts[span.offset] += span.bytes;
        }
    }
    uint32_t end = 0;
    for (const auto& [offset, bytes] : parts)
    {
        self.ExpectEqual(offset, end, "offset");
        end = offset + bytes;
    }
    self.Expect(parts.size() > 1 && end == 20'000, Text("parts that end at ", end));
}

/// Commands of all kinds between hosts of a tree. @return their stages as a text
std::string
RecordStages(FunctionCase& self, bool lookahead)
{
    FatTreeHelper helper(4);
    helper.SetStream(1);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    const FabricContainer fabric = helper.Install();
    const FabricCommandHelper commands;
    FabricCommandRecorder recorder;
    std::vector<Ptr<FabricCommandQueues>> queues;
    const uint32_t hosts = fabric.hosts.GetN();
    for (uint32_t host = 0; host < hosts; ++host)
    {
        queues.push_back(commands.Install(fabric, host));
        recorder.Add(queues.back());
    }
    for (uint32_t host = 0; host < hosts; ++host)
    {
        for (const CommandOp op : {CommandOp::PUT, CommandOp::SEND, CommandOp::GET})
        {
            CommandStream stream;
            stream.op = op;
            stream.flow.dst = static_cast<LocationId>((host + 5) % hosts + 1);
            stream.bytes = 20'000;
            stream.count = 3;
            queues[host]->Post(0, stream);
        }
    }
    Simulator::Run();
    const std::vector<CommandStory> stories = recorder.GetStories();
    self.ExpectEqual(stories.size(), 9 * hosts, "commands");
    for (const CommandStory& story : stories)
    {
        std::map<CommandStage, uint32_t> bytes;
        bool isSeen = false;
        for (const CommandSpan& span : story.spans)
        {
            bytes[span.stage] += span.bytes;
            isSeen = isSeen || (span.stage == CommandStage::EVENT && span.place == story.source);
        }
        self.Expect(isSeen, "software sees the end");
        for (const CommandStage stage :
             {CommandStage::CUT, CommandStage::LINK, CommandStage::FABRIC, CommandStage::INBOUND})
        {
            self.ExpectEqual(bytes[stage], 20'000, NameOf(stage));
        }
        ExpectAllOfIt(self, story);
    }
    std::ostringstream text;
    recorder.WriteStages(text);
    Simulator::Destroy();
    return text.str();
}

/// Stages of a network are the same whatever its windows are, and are not traced by threads.
void
TestStagesOfNetwork(FunctionCase& self)
{
    self.ExpectSame(RecordStages(self, true), RecordStages(self, false), "look-ahead");
    FatTreeHelper helper(4);
    helper.SetNetworkAttribute("Threads", UintegerValue(2));
    const FabricContainer fabric = helper.Install();
    const FabricCommandHelper commands;
    FabricCommandRecorder recorder;
    const Ptr<FabricCommandQueues> queues = commands.Install(fabric, 0);
    commands.Install(fabric, 1);
    recorder.Add(queues);
    self.ExpectSame(
        Refusal([&] { queues->Post(0, PingPong::Stream(2)); }),
        "ns3::FabricCommandQueues on node 0: Stage is traced or logged, but there are 2 threads; "
        "allowed is 1",
        "threads");
    Simulator::Destroy();
}

/// In the file of stages commands to another host name it, and those to the own NIC name none.
void
TestDestinationsOfStages(FunctionCase& self)
{
    const FabricContainer fabric = InstallPair();
    const FabricCommandHelper commands;
    FabricCommandRecorder recorder;
    const Ptr<FabricCommandQueues> queues = commands.Install(fabric, 0);
    commands.Install(fabric, 1);
    recorder.Add(queues);
    CommandStream append;
    append.op = CommandOp::APPEND;
    queues->Post(0, PingPong::Stream(2));
    queues->Post(1, append);
    Simulator::Run();
    std::ostringstream text;
    recorder.WriteStages(text);
    Simulator::Destroy();
    std::istringstream rows(text.str());
    std::string row;
    std::getline(rows, row);
    self.ExpectEqual(row.rfind("src,dst,queue,command,operation,", 0), 0, row);
    uint32_t sends = 0;
    uint32_t appends = 0;
    while (std::getline(rows, row))
    {
        const bool isSend = row.rfind("0,1,0,0,send,", 0) == 0;
        const bool isAppend = row.rfind("0,,1,0,append,", 0) == 0;
        sends += isSend;
        appends += isAppend;
        self.Expect(isSend || isAppend, row);
    }
    self.Expect(sends > 0 && appends > 0, "both are there");
}

/// What can't be is refused in a sentence.
void
TestCommandRefusals(FunctionCase& self)
{
    const FabricContainer fabric = InstallPair();
    FabricCommandHelper commands;
    const Ptr<FabricCommandQueues> queues = commands.Install(fabric, 0);
    const std::string who = "ns3::FabricCommandQueues on node 0: ";
    const auto refuses = [&self](const std::string& sentence, auto action) {
        self.ExpectSame(Refusal(action), sentence, "refusal");
    };
    refuses(who + "the device has an ns3::FabricCommandQueues already; allowed is one",
            [&] { commands.Install(fabric, 0); });
    refuses(who + "there is no queue 2; allowed is 0 to 1",
            [&] { queues->Post(2, PingPong::Stream(2)); });
    refuses(who + "operation 2 can't be posted to queue 1; allowed are APPEND, SEARCH, "
                  "UNLINK and ENABLE",
            [&] { queues->Post(1, PingPong::Stream(2)); });
    refuses(who + "a command to location 2 in class 0 can't be posted; allowed are other hosts "
                  "with command queues and classes 0 to 15",
            [&] { queues->Post(0, PingPong::Stream(2)); });
    commands.SetAttribute("ClassWeights", StringValue("1,,2"));
    refuses("ns3::FabricCommandQueues on node 1: ClassWeights is '1,,2'; allowed are whole "
            "numbers with commas between them",
            [&] { commands.Install(fabric, 1); });
    commands.SetAttribute("ClassWeights", StringValue("1"));
    commands.SetAttribute("PcieMps", UintegerValue(100));
    refuses("ns3::FabricCommandQueues on node 1: PCIe: the maximum payload size (MPS) is 100; "
            "allowed is a power of two from 128 to 4096",
            [&] { commands.Install(fabric, 1); });
    commands.SetAttribute("PcieMps", UintegerValue(256));
    commands.SetAttribute("FlowControl", BooleanValue(true));
    refuses(
        "ns3::FabricCommandQueues on node 1: command queues: flow control of messages is on and "
        "the time-out of packets is 0 ps; allowed is flow control with a time-out, since its "
        "messages are sent again",
        [&] { commands.Install(fabric, 1); });
    commands.SetAttribute("RetryTimeout", TimeValue(MicroSeconds(10)));
    commands.SetAttribute("TargetQueues", UintegerValue(0));
    refuses(
        "ns3::FabricCommandQueues on node 1: command queues: flow control of messages is on and "
        "there is no target queue; allowed is at least one, by which software lets messages "
        "come again",
        [&] { commands.Install(fabric, 1); });
    commands.SetAttribute("TargetQueues", UintegerValue(1));
    commands.SetAttribute("RetryWindow", UintegerValue(65));
    refuses("ns3::FabricCommandQueues on node 1: command queues: the number of packets of a "
            "connection under way is 65; allowed is 1 to 64",
            [&] { commands.Install(fabric, 1); });
    commands.SetAttribute("RetryWindow", UintegerValue(64));
    commands.SetAttribute("FlowControl", BooleanValue(false));
    commands.SetAttribute("RetryTimeout", TimeValue(Time(0)));
    commands.Install(fabric, 1);
    CommandStream stream = PingPong::Stream(2);
    stream.op = CommandOp::NOOP;
    refuses(who + "operation 0 can't be posted to queue 0; allowed are PUT, SEND, TAGGED, GET "
                  "and ATOMIC",
            [&] { queues->Post(0, stream); });
    stream = PingPong::Stream(2);
    refuses(who + "there is no queue 2; allowed is 0 to 1", [&] { queues->SetWriteBack(2, {}); });
    refuses(who + "command queues: read pointers are written back neither by number, nor on empty, "
                  "nor on time; allowed is one of these at least, so that no driver waits for ever",
            [&] {
                queues->SetWriteBack(0, {0, false, 0});
            });
    stream.badSlots = 3;
    queues->Post(0, stream);
    stream.badSlots = 0;
    stream.count = 5000;
    queues->Post(0, stream);
    Simulator::Run();
    refuses(who + "queue 0 has halted, since a command was malformed; allowed are the others",
            [&] { queues->Post(0, stream); });
    Simulator::Destroy();
    const auto refusesNowhere = [&refuses](FabricCommandQueues& nowhere) {
        const std::string sentence =
            "ns3::FabricCommandQueues on no node: they are not installed; allowed is a call after "
            "Install(), until Simulator::Destroy()";
        refuses(sentence, [&] { nowhere.Post(0, PingPong::Stream(2)); });
        refuses(sentence, [&] { nowhere.SetPolicy(0, nullptr); });
        refuses(sentence, [&] { nowhere.SetWriteBack(0, {}); });
        refuses(sentence, [&] { nowhere.GetEngine(); });
    };
    refusesNowhere(*CreateObject<FabricCommandQueues>());
    Simulator::Destroy();
    refusesNowhere(*queues);
}

/// The suite.
class CommandNetSuite : public FunctionSuite
{
  public:
    CommandNetSuite()
        : FunctionSuite("fabric-command-net", kUnit)
    {
        Add("NQ-3 DP-5 DP-15 windows and threads", TestCommandThreads);
        Add("NQ-11 DP-5 DP-15 links that lose packets", TestLossyLinks);
        Add("NQ-8 a user's own policy", TestOwnPolicy);
        Add("NQ-1 a node with two NICs", TestTwoNics);
        Add("NQ-4 a policy of read pointers for each queue", TestWriteBackOfQueues);
        Add("NQ-4 another policy while a driver waits", TestWriteBackOfFullRing);
        Add("NQ-13 DP-5 applications that answer each other", TestReports);
        Add("NQ-13 latencies until a time", TestLatenciesUntil);
        Add("NQ-16 a restrained queue and another one", TestRestrainedQueue);
        Add("NQ-11 a gap is told on the wire", TestGapsAreTold);
        Add("NQ-11 what waits for a resend goes after it", TestHeldPacketsGo);
        Add("NQ-17 DP-5 stages of a network", TestStagesOfNetwork);
        Add("NQ-17 destinations in the file of stages", TestDestinationsOfStages);
        Add("NQ-2 what is refused", TestCommandRefusals);
    }
};

CommandNetSuite g_commandNetSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
