/* SPDX-License-Identifier: GPL-2.0-only */

// Flows from a file, or drawn from a distribution of sizes at a load, over a topology from a file
// or by its name: native messages, or writes of the reliable transport.

#include "ns3/fabric-run.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-connection-matrix.h"
#include "ns3/fabric-file-warnings.h"
#include "ns3/fabric-flow-file.h"
#include "ns3/fabric-flow-list-maker.h"
#include "ns3/fabric-flow-list.h"
#include "ns3/fabric-flow-results.h"
#include "ns3/fabric-flow-traffic.h"
#include "ns3/fabric-flow-transport.h"
#include "ns3/fabric-goal-file.h"
#include "ns3/fabric-goal-traffic.h"
#include "ns3/fabric-graph-helper.h"
#include "ns3/fabric-known-cdfs.h"
#include "ns3/fabric-pause-recorder.h"
#include "ns3/fabric-poisson-flows.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-queue-length-file.h"
#include "ns3/fabric-size-cdf.h"
#include "ns3/fabric-text-lines.h"
#include "ns3/fabric-word-list.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// What says the classes of flows.
constexpr const char* CLASSES = "what --flows and --classes say of the messages";

/// What the command line says.
struct Options
{
    std::string flows;                                     ///< `--flows`
    std::string format{"rdma"};                            ///< `--format`
    std::vector<uint64_t> classes{0, 1, 2, 3, 4, 5, 6, 7}; ///< `--classes`
    std::string cdf;                                       ///< `--cdf`
    double load{0};                                        ///< `--load`
    Time arrivalTime{MilliSeconds(1)};                     ///< `--arrivalTime`
    Time duration;                                         ///< `--duration`
    fabric::FlowTransport transport;                       ///< What carries flows.

    /// @return what says the flows
    const std::string& Source() const
    {
        return cdf.empty() ? flows : cdf;
    }
};

/// What is read before the fabric is built, so that mistakes are told at once.
struct Input
{
    std::optional<fabric::FlowFile> flows;          ///< Of `--format=rdma`, or drawn.
    std::optional<fabric::ConnectionMatrix> matrix; ///< Of `--format=htsim`.
    std::optional<fabric::GoalFile> goal;           ///< Of `--format=goal`.
    std::optional<fabric::SizeCdf> cdf;             ///< Of `--cdf`.
};

/// Adds the program's own options.
void
AddOptions(FabricRun& run, Options& o)
{
    run.AddTreeOptions(true);
    fabric::ProgramOptions& options = run.GetOptions();
    options.AddRanks();
    options.Add("flows", "file of flows; empty for those that --cdf draws", o.flows);
    options.Add(
        "format",
        "format of --flows: flow.txt of ns-3's RDMA forks, a connection matrix of htsim, or a "
        "GOAL trace",
        o.format,
        fabric::ChoiceType({"rdma", "htsim", "goal"}));
    options.Add("classes",
                "traffic class of each priority of flow.txt, from priority 0 on",
                o.classes,
                fabric::CountsType(1, 256, 0, fabric::TRAFFIC_CLASSES - 1));
    options.Add("cdf",
                "sizes of flows that begin at random times, each to any other host: one of " +
                    fabric::WordList(fabric::KnownCdfs::Names()) +
                    ", or a file with a distribution; empty for --flows",
                o.cdf);
    options.Add("load",
                "part of the rate of its link at which each host sends with --cdf",
                o.load,
                fabric::NumberType(0, 1));
    options.Add("arrivalTime",
                "time in which flows begin with --cdf",
                o.arrivalTime,
                fabric::TimeType(NanoSeconds(1), Seconds(1000)));
    options.Add("duration",
                "simulated time after which the run ends, 0 for when all flows are done",
                o.duration,
                fabric::TimeType(Time(0), Seconds(1000)));
    o.transport.Add(options, CLASSES);
    options.ReserveAttributes({"ns3::FabricMessageSender::TrafficClass",
                               "ns3::FabricMessageSender::Vni",
                               "ns3::FabricMessageSender::Process"},
                              CLASSES);
}

/// Refuses options without effect.
void
CheckOptions(const FabricRun& run, const Options& o)
{
    const fabric::ProgramOptions& options = run.GetOptions();
    if (o.flows.empty() == o.cdf.empty())
    {
        throw fabric::BadInput(o.flows.empty()
                                   ? "--flows=: allowed is a file of flows, or --cdf and --load"
                                   : "--flows=" + o.flows +
                                         ": allowed is only one of --flows and "
                                         "--cdf");
    }
    if (o.cdf.empty())
    {
        options.RefuseGiven({"load", "arrivalTime"}, "--cdf");
    }
    else
    {
        options.RefuseGiven({"format", "classes"}, "--flows");
    }
    if (!o.cdf.empty() && o.load == 0)
    {
        fabric::ThrowNotAllowed("--load", "0", "a number above 0 with --cdf");
    }
    if (o.format != "rdma")
    {
        options.RefuseGiven({"classes"}, "--format=rdma");
    }
    o.transport.Check(options);
}

/// Refuses a file that can't be read. @param content what should be in it
void
RequireFile(const std::string& option, const std::string& name, const std::string& content)
{
    fabric::ReadFileOf("--" + option, [&] { return fabric::TextLines::Open(name, content); });
}

/// @return what the files say
Input
ReadInput(const Options& o)
{
    Input input;
    if (o.cdf.empty())
    {
        RequireFile("flows", o.flows, "flows");
    }
    else if (!fabric::KnownCdfs::Has(o.cdf))
    {
        RequireFile("cdf",
                    o.cdf,
                    "a distribution, or one of " + fabric::WordList(fabric::KnownCdfs::Names()));
    }
    if (!o.cdf.empty())
    {
        input.cdf = fabric::KnownCdfs::Find(o.cdf);
    }
    else if (o.format == "htsim")
    {
        input.matrix = fabric::ConnectionMatrix::Read(o.flows);
    }
    else if (o.format == "goal")
    {
        input.goal = fabric::GoalFile::Read(o.flows);
    }
    else
    {
        input.flows = fabric::FlowFile::Read(o.flows);
    }
    return input;
}

/// Refuses what ranks of MPI can't do, of which none knows at once what another has seen.
void
CheckRanks(const Options& o, const Input& input)
{
    if (!input.matrix)
    {
        return;
    }
    const auto list = fabric::FlowListMaker(o.flows).Make(*input.matrix,
                                                          fabric::MAX_HOSTS,
                                                          o.duration.IsZero() ? 0 : 1);
    try
    {
        FabricFlowTraffic::RequireKnownDeliveries(list);
    }
    catch (const std::invalid_argument& error)
    {
        throw fabric::BadInput("--mpi: " + o.flows + ": " + error.what());
    }
}

/// Tells the user what was left out of the file of flows.
void
Warn(const Input& input)
{
    if (input.matrix)
    {
        fabric::TellWarnings(input.matrix->warnings);
    }
    else if (input.goal)
    {
        fabric::TellWarnings(input.goal->warnings);
    }
    else
    {
        fabric::TellWarnings(input.flows->warnings);
    }
}

/// @return rates of the links of hosts, bit/s
std::vector<uint64_t>
HostRates(const FabricContainer& fabric)
{
    std::vector<uint64_t> rates;
    for (const Ptr<FabricChannel>& link : fabric.hostLinks)
    {
        DataRateValue rate;
        link->GetAttribute("DataRate", rate);
        rates.push_back(rate.Get().GetBitRate());
    }
    return rates;
}

/// @return flows at a load, over the links that hosts have
fabric::FlowFile
DrawFlows(const FabricContainer& fabric,
          const fabric::NodeNumbers& nodes,
          const fabric::SizeCdf& cdf,
          const Options& o)
{
    return FabricPoissonFlows(cdf, o.load).Draw(nodes, HostRates(fabric), o.arrivalTime);
}

/// @return the flows of the run
fabric::FlowList
MakeList(const Input& input,
         const FabricContainer& fabric,
         const fabric::NodeNumbers& nodes,
         const Options& o)
{
    const fabric::FlowListMaker maker(o.flows);
    const auto hosts = static_cast<uint32_t>(nodes.hosts.size());
    if (input.matrix)
    {
        const std::vector<uint64_t> rates = HostRates(fabric);
        const auto fastest = static_cast<double>(*std::max_element(rates.begin(), rates.end()));
        const double inRun = fastest / 8 * o.duration.GetSeconds();
        return maker.Make(*input.matrix, hosts, static_cast<uint64_t>(std::ceil(inRun)));
    }
    if (input.goal)
    {
        return maker.Make(*input.goal, hosts);
    }
    return maker.Make(*input.flows, nodes, o.classes);
}

/// Writes the queue lengths that were sampled.
void
WriteQueueLengths(std::ostream& os,
                  FabricPortSampler& sampler,
                  const fabric::NodeNumbers& nodes,
                  Time end)
{
    fabric::QueueLengthFile file(os);
    for (const FabricPortSampler::Sample& sample : sampler.GetSamples(end))
    {
        if (sample.queued != 0)
        {
            file.Write(sample.at, nodes.switches[sample.switchIndex], sample.port, sample.queued);
        }
    }
}

/// What runs: flows, who starts them and what carries them.
struct Work
{
    fabric::FlowList list;                    ///< The flows.
    fabric::FlowTransport::Carriers carriers; ///< What carries them.
    std::optional<FabricFlowTraffic> traffic; ///< Starts flows by time and trigger.
    std::optional<FabricGoalTraffic> goal;    ///< Starts those of a trace.
};

/// Plans all that will be done. @param work gets it, and stays where it is
void
Plan(Work& work,
     const FabricRun& run,
     const FabricContainer& fabric,
     const Input& input,
     const Options& o)
{
    work.list = MakeList(input, fabric, run.GetNodes(), o);
    work.carriers = o.transport.Make(run, fabric, work.list, o.Source());
    if (input.goal)
    {
        work.goal.emplace(work.carriers.Carrier(), *input.goal);
    }
    else
    {
        work.traffic.emplace(work.carriers.Carrier(), work.list);
    }
}

/// Runs until all flows are done.
void
RunUntilDone(FabricRun& run, const Work& work, const Options& o)
{
    try
    {
        if (work.carriers.logged)
        {
            run.RunUntilIdle([&work] { return work.carriers.logged->GetDone(); });
        }
        else
        {
            run.RunUntilDelivered(0, work.list.flows.size());
        }
    }
    catch (const fabric::InvariantError&)
    {
        if (work.goal)
        {
            work.goal->RequireDone(o.flows); // of which messages may be missing for that reason
        }
        throw;
    }
    if (work.goal)
    {
        work.goal->RequireDone(o.flows);
    }
}

/// Runs to the end. @return when that was
Time
RunAll(FabricRun& run, const Work& work, const Options& o)
{
    if (!o.duration.IsZero())
    {
        run.RunFor(o.duration);
    }
    else
    {
        RunUntilDone(run, work, o);
    }
    if (work.carriers.logged)
    {
        work.carriers.logged->AddRanks();
    }
    if (!o.duration.IsZero())
    {
        return o.duration;
    }
    if (!work.carriers.logged)
    {
        return run.GetLastDelivery();
    }
    work.carriers.logged->CheckComplete();
    return PicoSeconds(work.carriers.logged->GetEnd());
}

/// @return what came of the flows
FabricFlowResults
MakeResults(FabricRun& run, const FabricContainer& fabric, const Work& work)
{
    return work.carriers.logged ? FabricFlowResults(work.list, work.carriers.logged->GetTimes())
                                : FabricFlowResults(fabric.network, work.list, run.GetRecorder());
}

/// Ends the program. @param end of the run @param write writes the program's own files
void
Finish(FabricRun& run, const Work& work, Time end, const FabricRun::WriteFiles& write)
{
    if (!work.carriers.logged)
    {
        run.Finish(write);
        return;
    }
    work.carriers.logged->AddFigures(run.GetSummary());
    run.Finish(work.carriers.logged->GetTotals(end.GetPicoSeconds()),
               [&work, &write](fabric::RunDirectory& directory) {
                   work.carriers.logged->WriteMessages(directory.Open("messages.csv"));
                   write(directory);
               });
}

/// Runs the flows and ends the program.
void
RunFlows(FabricRun& run, const FabricContainer& fabric, const Input& input, const Options& o)
{
    const fabric::NodeNumbers nodes = run.GetNodes();
    Work work;
    Plan(work, run, fabric, input, o);
    std::unique_ptr<FabricPauseRecorder> pauses;
    // On all ranks, of which rank 0 alone has a folder.
    if (!run.GetOptions().Common().out.empty() && FabricPauseRecorder::HasPauses(fabric))
    {
        pauses = std::make_unique<FabricPauseRecorder>(fabric, nodes);
    }
    const Time end = RunAll(run, work, o);
    if (work.goal)
    {
        work.goal->AddRanks();
    }
    if (pauses)
    {
        pauses->AddRanks();
    }
    const FabricFlowResults results = MakeResults(run, fabric, work);
    results.AddTo(run.GetSummary());
    if (work.goal)
    {
        work.goal->AddTo(run.GetSummary());
    }
    Finish(run, work, end, [&](fabric::RunDirectory& directory) {
        results.WriteFct(directory.Open("fct.txt"), nodes);
        if (input.cdf)
        {
            input.flows->Write(directory.Open("flow.txt"));
            GraphHelper::MakeFile(fabric, nodes).Write(directory.Open("topology.txt"));
        }
        if (pauses)
        {
            pauses->Write(directory.Open("pfc.txt"), end.GetPicoSeconds());
        }
        if (run.GetSampler())
        {
            WriteQueueLengths(directory.Open("qlen.txt"), *run.GetSampler(), nodes, end);
        }
    });
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Options o;
        Input input;
        FabricRun run("fabric-run.cc", "Flows from a file, or at a load, over a fabric.");
        AddOptions(run, o);
        run.Parse(argc, argv, [&] {
            CheckOptions(run, o);
            input = ReadInput(o);
            if (run.GetOptions().Common().mpi)
            {
                CheckRanks(o, input);
            }
        });
        o.transport.SetFabric(run);
        const FabricContainer& fabric = run.InstallTree();
        if (input.cdf)
        {
            input.flows = DrawFlows(fabric, run.GetNodes(), *input.cdf, o);
        }
        Warn(input);
        RunFlows(run, fabric, input, o);
        return fabric::EXIT_DONE;
    });
}
