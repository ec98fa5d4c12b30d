/* SPDX-License-Identifier: GPL-2.0-only */

// A host writes or sends to another host, or reads from it, by the command queues of its NIC
// (NQ-17): latency and command rate by the path that the driver chooses, and what a command costs
// on PCIe.

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/fabric-chain.h"
#include "ns3/fabric-command-helper.h"
#include "ns3/fabric-command-recorder.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-pcie-option.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-seconds.h"
#include "ns3/fabric-settling-time.h"
#include "ns3/fabric-shortest-path-routing.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <stdexcept>

using namespace ns3;

namespace
{

constexpr uint64_t MOST_COMMANDS = 4'000'000; ///< Each takes some bytes of memory.
constexpr uint64_t MOST_TRACED = 100'000;     ///< As above, with a timeline: 2 KB and more.
constexpr uint64_t MOST_QUEUES = 64;          ///< Each is a core that writes commands.
constexpr uint64_t MOST_ENTRIES = 10'000;     ///< Each is a command at the begin.
constexpr uint64_t TAG = 1;                   ///< Match bits of messages; other entries have 0.

/// What the options say.
struct Choice
{
    std::string policy{"dynamic"}; ///< `--policy`
    std::string operation{"put"};  ///< `--operation`
    uint64_t bytes{8};             ///< `--bytes`
    uint64_t rendezvous{16384};    ///< `--rendezvous`
    uint64_t entries{0};           ///< `--entries`
    double load{0};                ///< `--load`
    uint64_t queues{1};            ///< `--queues`
    uint64_t batch{1};             ///< `--batch`
    uint64_t ringSlots{1024};      ///< `--ringSlots`
    std::string pcie{"4x16"};      ///< `--pcie`
    double loss{0};                ///< `--loss`
    Time retryTimeout{0};          ///< `--retryTimeout`
    bool trace{false};             ///< `--trace`
};

/// Adds the options of the program.
void
AddOptions(fabric::ProgramOptions& options, Choice& choice)
{
    options.Add("policy",
                "how the driver chooses the path of a command",
                choice.policy,
                fabric::ChoiceType({"memory", "low-latency", "dynamic"}));
    options.Add("operation",
                "what commands ask for",
                choice.operation,
                fabric::ChoiceType({"put", "send", "tagged", "get"}));
    options.Add("bytes", "data of a command", choice.bytes, fabric::SizeType(0, 1 << 30));
    options.Add("rendezvous",
                "longer tagged messages are fetched by their target",
                choice.rendezvous,
                fabric::SizeType(2048, 1 << 30));
    options.Add("entries",
                "list entries at the target that tagged messages pass before they meet theirs",
                choice.entries,
                fabric::CountType(uint64_t{0}, MOST_ENTRIES));
    options.Add("load",
                "commands that are asked for, of all queues together, in millions per second, at "
                "random times; 0 for one at a time in each queue",
                choice.load,
                fabric::NumberType(0.0, 1000.0));
    options.Add("queues",
                "command queues of the first of two hosts, each with a core",
                choice.queues,
                fabric::CountType(uint64_t{1}, MOST_QUEUES));
    options.Add("batch",
                "commands for each ring of the doorbell, at most",
                choice.batch,
                fabric::CountType(uint64_t{1}, uint64_t{fabric::MOST_RING_SLOTS}));
    options.Add(
        "ringSlots",
        "slots of 64 bytes of a ring, a power of two",
        choice.ringSlots,
        fabric::CountType(uint64_t{fabric::LEAST_RING_SLOTS}, uint64_t{fabric::MOST_RING_SLOTS}));
    options.Add("pcie", "generation and lanes of PCIe, such as 4x16", choice.pcie);
    options.Add("loss",
                "frames that each link loses, of all",
                choice.loss,
                fabric::NumberType(0.0, 1.0));
    options.Add("retryTimeout",
                "the NIC sends a packet again that has no answer after this; 0: it keeps no track "
                "of packets",
                choice.retryTimeout,
                fabric::TimeType(Time(0), Seconds(10)));
    options.Add("trace", "write the stages of every command to stages.csv", choice.trace);
    options.AddDuration(MicroSeconds(200));
    const std::string queues = "ns3::FabricCommandQueues::";
    const std::pair<const char*, const char*> reserved[] = {{"Queues", "--queues"},
                                                            {"RingSlots", "--ringSlots"},
                                                            {"Batch", "--batch"},
                                                            {"Policy", "--policy"},
                                                            {"RendezvousBytes", "--rendezvous"},
                                                            {"RetryTimeout", "--retryTimeout"},
                                                            {"PcieGeneration", "--pcie"},
                                                            {"PcieLanes", "--pcie"}};
    for (const auto& [attribute, option] : reserved)
    {
        options.ReserveAttributes({queues + attribute}, option);
    }
}

/// Refuses options that have no effect with others. @param options of the program
void
RefuseIdle(const fabric::ProgramOptions& options, const Choice& choice)
{
    if (choice.operation != "tagged")
    {
        options.RefuseGiven({"rendezvous", "entries"}, "--operation=tagged");
    }
    if (choice.load == 0)
    {
        options.RefuseGiven({"batch"}, "--load above 0"); // else a queue has one at a time
    }
}

/// @return what makes command queues as the options say
FabricCommandHelper
MakeHelper(const Choice& choice)
{
    FabricCommandHelper helper;
    helper.SetAttribute("Queues", UintegerValue(choice.queues));
    helper.SetAttribute("RingSlots", UintegerValue(choice.ringSlots));
    helper.SetAttribute("Batch", UintegerValue(choice.batch));
    helper.SetAttribute("Policy", StringValue(choice.policy));
    helper.SetAttribute("RendezvousBytes", UintegerValue(choice.rendezvous));
    helper.SetAttribute("RetryTimeout", TimeValue(choice.retryTimeout));
    fabric::SetPcie(helper, choice.pcie);
    return helper;
}

/// @return command queues of a host; a mistake names the options that were given
Ptr<FabricCommandQueues>
InstallQueues(const FabricCommandHelper& helper,
              const FabricContainer& fabric,
              uint32_t host,
              const fabric::ProgramOptions& options)
{
    try
    {
        return helper.Install(fabric, host);
    }
    catch (const std::invalid_argument& error)
    {
        throw fabric::BadInput(options.ShowGiven({"ringSlots", "pcie", "retryTimeout"}) +
                               error.what());
    }
}

/// @return when commands begin: tagged messages when their entries are in the list
Time
StartOf(const Choice& choice)
{
    return choice.operation == "tagged" ? NanoSeconds(2000 + 100 * choice.entries) : Time(0);
}

/// Lets a queue issue commands as long as the run lasts.
void
InstallInitiators(FabricCommandHelper& helper,
                  const FabricContainer& fabric,
                  const Choice& choice,
                  Time duration)
{
    const double perQueue = choice.load * 1e6 / static_cast<double>(choice.queues);
    const Time gap = choice.load == 0 ? Time(0) : PicoSeconds(fabric::WholeGap(1e12 / perQueue));
    const double most = choice.load == 0 ? duration.GetSeconds() / 100e-9
                                         : duration.GetSeconds() * perQueue * 1.1 + 100;
    const uint64_t allowed = choice.trace ? MOST_TRACED : MOST_COMMANDS;
    if (most * static_cast<double>(choice.queues) > static_cast<double>(allowed))
    {
        throw fabric::BadInput("--duration: up to " +
                               std::to_string(std::llround(most) * choice.queues) +
                               " commands would be issued in that time, allowed are " +
                               std::to_string(allowed) + (choice.trace ? " with --trace" : ""));
    }
    helper.SetApplicationAttribute("Operation", StringValue(choice.operation));
    helper.SetApplicationAttribute("MatchBits", UintegerValue(TAG));
    helper.SetApplicationAttribute("Bytes", UintegerValue(choice.bytes));
    helper.SetApplicationAttribute("Interval", TimeValue(gap));
    helper.SetApplicationAttribute("Poisson", BooleanValue(choice.load != 0));
    helper.SetApplicationAttribute("Outstanding", UintegerValue(choice.load == 0 ? 1 : 0));
    helper.SetApplicationAttribute("Count", UintegerValue(std::llround(most)));
    for (uint32_t queue = 0; queue < choice.queues; ++queue)
    {
        const auto initiator = helper.InstallInitiator(fabric, 0, 1, queue);
        initiator->AssignStreams(queue);
        initiator->SetStartTime(StartOf(choice));
    }
}

/// Software of the target waits for tagged messages, and for others before these.
void
AppendEntries(FabricCommandQueues& target, const Choice& choice)
{
    const uint32_t room = target.GetSettings().matching.entries - 1; // beside the messages' own
    if (choice.entries > room)
    {
        fabric::ThrowNotAllowed("--entries",
                                std::to_string(choice.entries),
                                "at most " + std::to_string(room) +
                                    ", one less than MatchEntries of ns3::FabricCommandQueues");
    }
    fabric::CommandStream stream;
    stream.op = fabric::CommandOp::APPEND;
    const auto queue = static_cast<uint32_t>(choice.queues);
    if (choice.entries != 0)
    {
        stream.count = choice.entries;
        target.Post(queue, stream);
    }
    stream.count = 1;
    stream.arguments.entry.bits = TAG;
    stream.arguments.entry.isUseOnce = false;
    stream.arguments.entry.bytes = choice.bytes;
    target.Post(queue, stream);
}

/// The figures of latency and rate.
void
AddLatencyFigures(fabric::Summary& summary,
                  const Choice& choice,
                  const FabricCommandQueues& initiator,
                  const FabricCommandQueues& target,
                  Time end,
                  Time duration)
{
    const bool isMessage = choice.operation == "send" || choice.operation == "tagged";
    // What software sees later, since the target is behind, is no part of the rate.
    const auto found = isMessage ? target.GetSendLatencies(end) : initiator.GetLatencies(end);
    std::vector<double> latencies;
    for (const fabric::TimePs latency : found)
    {
        latencies.push_back(fabric::ToSeconds(latency));
    }
    summary.Add("command_rate",
                {},
                static_cast<double>(latencies.size()) / duration.GetSeconds(),
                "1/s");
    summary.Add("goodput",
                {},
                8.0 * static_cast<double>(choice.bytes * latencies.size()) / duration.GetSeconds(),
                "bit/s");
    summary.AddDistribution("latency", {}, latencies, "s");
}

/// The figures of command queues and PCIe.
void
AddQueueFigures(fabric::Summary& summary, fabric::CommandEngine& engine)
{
    const fabric::CommandNicCounts& nic = engine.Processor().Counts();
    const fabric::CommandHostCounts& host = engine.Host().Counts();
    const auto addPerCommand =
        [&](const char* metric, const char* from, uint64_t count, const char* unit) {
            if (nic.commands != 0)
            {
                summary.Add(metric,
                            {{"from", from}},
                            static_cast<double>(count) / static_cast<double>(nic.commands),
                            unit);
            }
        };
    for (const auto& [side, name] :
         {std::pair{fabric::PcieSide::HOST, "host"}, std::pair{fabric::PcieSide::NIC, "nic"}})
    {
        const fabric::PcieCounts& counts = engine.Pcie().Counts(side);
        addPerCommand("pcie_bytes_per_command", name, counts.bytes, "B");
        addPerCommand("pcie_tlps_per_command", name, counts.tlps, "1");
    }
    summary.Add("low_latency_accepted", {}, nic.accepted, "1");
    summary.Add("low_latency_dropped", {}, nic.dropped, "1");
    summary.Add("commands", {}, nic.commands, "1");
    summary.Add("doorbells", {}, host.doorbells, "1");
    summary.Add("ring_reads", {}, nic.reads, "1");
    summary.Add("ring_write_backs", {}, nic.writeBacks, "1");
    summary.Add("ring_full", {}, host.waits, "1");
}

/// The figures of packets that are tracked, of both hosts.
void
AddTrackingFigures(fabric::Summary& summary,
                   fabric::CommandEngine& initiator,
                   fabric::CommandEngine& target)
{
    const fabric::TrackingCounts& there = initiator.Sender().Tracker().Counts();
    const fabric::TrackingCounts& back = target.Sender().Tracker().Counts();
    summary.Add("packets_tracked", {}, there.tracked + back.tracked, "1");
    summary.Add("packets_resent", {}, there.resent + back.resent, "1");
    summary.Add("packets_repeated", {}, there.again + back.again, "1");
    summary.Add("packets_early", {}, there.early + back.early, "1");
    summary.Add("tracking_acks", {}, there.acks + back.acks, "1");
    summary.Add("commands_failed", {}, initiator.Receiver().Counts().failed, "1");
}

/// One host issues commands to another one.
void
Run(FabricRun& run, const Choice& choice)
{
    const Time duration = run.GetOptions().Common().duration;
    if (choice.trace && run.GetOptions().Common().threads > 1)
    {
        fabric::ThrowNotAllowed("--trace", "true", "false, or --threads=1");
    }
    FabricCommandHelper helper = MakeHelper(choice);
    const fabric::TopologyPlan plan = fabric::MakeChainPlan({1});
    if (choice.loss > 0)
    {
        ObjectFactory errors("ns3::RateErrorModel");
        errors.Set("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
        errors.Set("ErrorRate", DoubleValue(choice.loss));
        run.GetHelper().SetErrorModel(errors);
    }
    const FabricContainer& fabric = run.Install(plan, fabric::MakeShortestPathRouting(plan));
    const auto bytes = static_cast<uint32_t>(choice.bytes);
    fabric::SettlingTime(fabric, run.GetLinkRate().CalculateBytesTxTime(bytes))
        .Require("--duration", duration);
    const Ptr<FabricCommandQueues> initiator = InstallQueues(helper, fabric, 0, run.GetOptions());
    const Ptr<FabricCommandQueues> target = InstallQueues(helper, fabric, 1, run.GetOptions());
    FabricCommandRecorder recorder;
    if (choice.trace)
    {
        recorder.Add(initiator);
        recorder.Add(target);
    }
    if (choice.operation == "tagged")
    {
        AppendEntries(*target, choice);
    }
    const Time measured = duration - StartOf(choice);
    if (!measured.IsStrictlyPositive())
    {
        throw fabric::BadInput("--entries=" + std::to_string(choice.entries) +
                               ": they are in the list after " +
                               std::to_string(StartOf(choice).GetNanoSeconds()) +
                               " ns, allowed is a time before --duration");
    }
    InstallInitiators(helper, fabric, choice, measured);
    run.RunFor(duration);

    AddLatencyFigures(run.GetSummary(), choice, *initiator, *target, duration, measured);
    AddQueueFigures(run.GetSummary(), initiator->GetEngine());
    if (!choice.retryTimeout.IsZero())
    {
        AddTrackingFigures(run.GetSummary(), initiator->GetEngine(), target->GetEngine());
    }
    run.Finish([&](fabric::RunDirectory& directory) {
        if (choice.trace)
        {
            recorder.WriteStages(directory.Open("stages.csv"));
        }
    });
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Choice choice;
        FabricRun run("fabric-nic.cc",
                      "A host writes or sends to another host by the command queues of its NIC: "
                      "latency, command rate, and what a command costs on PCIe.");
        AddOptions(run.GetOptions(), choice);
        run.Parse(argc, argv);
        RefuseIdle(run.GetOptions(), choice);
        Run(run, choice);
        return fabric::EXIT_DONE;
    });
}
