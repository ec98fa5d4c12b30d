/* SPDX-License-Identifier: GPL-2.0-only */

// A collective of hosts of a fabric (SC-3): all-reduces, all-gathers, all-to-alls and broadcasts by
// several algorithms, reduce, or a halo exchange in three dimensions, over native messages, the
// reliable transport, programmed I/O or TCP, or by the switches (SW-14), and the lower bound of its
// time.

#include "ns3/fabric-collective-figures.h"
#include "ns3/fabric-collective-jobs.h"
#include "ns3/fabric-collective-names.h"
#include "ns3/fabric-collective-plan.h"
#include "ns3/fabric-collective-player.h"
#include "ns3/fabric-host-list.h"
#include "ns3/fabric-ideal-paths.h"
#include "ns3/fabric-job-list.h"
#include "ns3/fabric-network-totals.h"
#include "ns3/fabric-number-text.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-pio-collective-transport.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-rank-placement.h"
#include "ns3/fabric-raw-collective-transport.h"
#include "ns3/fabric-rdma-collective-transport.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-switch-collective.h"
#include "ns3/fabric-tcp-bulk-traffic.h"
#include "ns3/fabric-tcp-collective-transport.h"
#include "ns3/fabric-transport-traffic.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

using fabric::Collective;
using fabric::CollectiveFigures;
using fabric::CollectiveJob;
using fabric::CollectiveJobs;
using fabric::CollectivePlayer;
using fabric::RankPlacement;

namespace
{

constexpr uint64_t MOST_MESSAGES = 1 << 23;   ///< Each takes some hundred bytes of memory.
constexpr uint32_t LEVELS = 17;               ///< Of trees of all hosts that there can be, and one.
constexpr int64_t PLACEMENT_STREAM = 1 << 20; ///< Random numbers; the fabric has those below.
constexpr int64_t SKEW_STREAM = 1 << 21;      ///< Random numbers of `--skew`.
constexpr uint64_t PIECE_BYTES = 16384;       ///< Of pieces, at most, unless `--pieces` says more.

/// What the options say.
struct Choice
{
    Collective collective{Collective::ALLREDUCE_RING}; ///< `--collective`
    uint32_t hosts{0};                                 ///< `--hosts`
    uint64_t bytes{1 << 20};                           ///< `--bytes`
    std::string transport{"raw"};                      ///< `--transport`
    uint32_t pieces{0};                                ///< `--pieces`
    std::string placement{"first"};                    ///< `--placement`
    uint32_t jobs{1};                                  ///< `--jobs`
    std::string jobFile;                               ///< `--jobFile`
    std::vector<uint64_t> onlyJobs;                    ///< `--onlyJobs`
    Time skew;                                         ///< `--skew`
    uint32_t straggler{0};                             ///< `--straggler`
    Time late;                                         ///< `--late`

    /// @return whether jobs are of different kinds
    bool IsMixed() const
    {
        return !jobFile.empty();
    }
};

/// Placements that have a name.
const std::vector<std::pair<std::string, RankPlacement>> PLACEMENTS{
    {"first", RankPlacement::FIRST},
    {"random", RankPlacement::RANDOM},
    {"spread", RankPlacement::SPREAD}};

/// @return the names of placements
std::vector<std::string>
PlacementNames()
{
    std::vector<std::string> names;
    for (const auto& [name, placement] : PLACEMENTS)
    {
        names.push_back(name);
    }
    return names;
}

/// @return the placement with the name of `--placement`, nothing if that is a file
std::optional<RankPlacement>
NamedPlacement(const Choice& choice)
{
    return fabric::EnumType(PLACEMENTS).parse(choice.placement);
}

/// Adds the options of the program.
void
AddOptions(FabricRun& run, Choice& choice)
{
    run.AddTreeOptions(true);
    fabric::ProgramOptions& options = run.GetOptions();
    options.AddRanks();
    options.Add("collective",
                "what hosts do together",
                choice.collective,
                fabric::EnumType(fabric::CollectiveNames()));
    options.Add("hosts",
                "hosts that take part in each job, at least 2; 0 for all, or an equal part",
                choice.hosts,
                fabric::CountType(0U, fabric::MAX_HOSTS));
    options.Add("bytes",
                "bytes of the buffer of each host; of each face of halo3d",
                choice.bytes,
                fabric::SizeType(1, std::numeric_limits<int32_t>::max()));
    options.Add("transport",
                "what carries messages: native messages, the reliable transport, programmed I/O, "
                "or ns-3's TCP; or switch: the switches carry out allreduce-tree or reduce",
                choice.transport,
                fabric::ChoiceType({"raw", "rt", "pio", "tcp", "switch"}));
    options.Add("pieces",
                "pieces of the buffer of broadcast-chain, and of each half of that of "
                "allreduce-double-tree; 0 for as many as have 16 KiB at most",
                choice.pieces,
                fabric::CountType(0U, 1U << 23));
    options.Add("placement",
                "where ranks are: on the first hosts; on any, in random order; on one of each "
                "group or pod in turn, and of each switch of it in turn; or on those of a file, "
                "one job after the other",
                choice.placement,
                fabric::ChoiceOrFileType(PlacementNames(), "hosts by rank"));
    options.Add("jobs",
                "collectives at the same time, each of hosts of its own",
                choice.jobs,
                fabric::CountType(1U, fabric::MAX_HOSTS / 2));
    options.Add("jobFile",
                "file of jobs of different kinds at the same time, a line each: collective, hosts, "
                "bytes and start; empty for --collective",
                choice.jobFile);
    options.Add("onlyJobs",
                "numbers of jobs that run, from 0, on the hosts that they have beside the others; "
                "empty for all",
                choice.onlyJobs,
                fabric::CountsType(0, 1024, 0, fabric::MAX_HOSTS / 2 - 1));
    options.Add("skew",
                "each rank begins at a random time up to this late",
                choice.skew,
                fabric::TimeType(Time(0), Seconds(1)));
    options.Add("straggler",
                "rank that begins --late, of all jobs",
                choice.straggler,
                fabric::CountType(0U, fabric::MAX_HOSTS - 1));
    options.Add("late",
                "how much later rank --straggler begins, 0 for no straggler",
                choice.late,
                fabric::TimeType(Time(0), Seconds(1)));
}

/// @return messages of each rank at most
uint64_t
MessagesOfRank(const CollectiveJob& job)
{
    switch (job.collective)
    {
    case Collective::ALLREDUCE_RING:
        return uint64_t{2} * (job.ranks - 1);
    case Collective::ALLGATHER:
    case Collective::ALLTOALL:
        return job.ranks - 1;
    case Collective::BROADCAST_CHAIN:
        return uint64_t{job.pieces} + job.ranks; // rounds without messages take memory, too
    case Collective::ALLREDUCE_DOUBLE_TREE:
        return uint64_t{4} * (job.pieces + 2 * LEVELS);
    default:
        return 2 * LEVELS; // faces are fewer; trees have 2 on average
    }
}

/// @return pieces of a collective that has some: of its buffer, or of each half of it
/// @param pieces of `--pieces`
uint32_t
PiecesOf(const CollectiveJob& job, uint32_t pieces)
{
    if (pieces != 0 || !fabric::HasPieces(job.collective))
    {
        return std::max(pieces, 1U);
    }
    const uint64_t cut =
        job.collective == Collective::BROADCAST_CHAIN ? job.bytes : (job.bytes + 1) / 2;
    return static_cast<uint32_t>((cut + PIECE_BYTES - 1) / PIECE_BYTES);
}

/// Refuses a plan that takes too much memory. Jobs with fewer rounds than others have empty ones.
void
RequireMessages(const Choice& choice, const CollectiveJobs& jobs)
{
    uint64_t messages = 0;
    for (const CollectiveJob& job : jobs.jobs)
    {
        messages = std::max(messages, MessagesOfRank(job));
    }
    if (messages * jobs.Ranks() <= MOST_MESSAGES)
    {
        return;
    }
    if (choice.IsMixed())
    {
        throw fabric::BadInput(
            "--jobFile=" + choice.jobFile + ": its hosts send up to " + std::to_string(messages) +
            " messages each; allowed are jobs whose " + std::to_string(jobs.Ranks()) +
            " hosts send " + std::to_string(MOST_MESSAGES) + " at most");
    }
    const CollectiveJob& job = jobs.jobs.front();
    const std::string most = "send " + std::to_string(MOST_MESSAGES) +
                             " messages at most with --collective=" + NameOf(job.collective);
    if (fabric::HasPieces(job.collective))
    {
        fabric::ThrowNotAllowed("--pieces",
                                std::to_string(job.pieces),
                                "as many as " + std::to_string(jobs.Ranks()) + " hosts " + most);
    }
    fabric::ThrowNotAllowed("--hosts", std::to_string(job.ranks), "as many as " + most);
}

/// @return hosts of `--placement`, by rank of one job after the other; none if it is no file
std::vector<uint32_t>
ReadHosts(const Choice& choice, uint32_t hosts)
{
    if (NamedPlacement(choice))
    {
        return {};
    }
    return fabric::ReadFileOf("--placement",
                              [&] { return fabric::HostList::Read(choice.placement, hosts); });
}

/// @return the hosts of ranks @param placement with a name
std::vector<uint32_t>
PlaceByName(const FabricContainer& fabric, RankPlacement placement, uint32_t ranks)
{
    if (fabric.switches.GetN() == 1 && placement != RankPlacement::FIRST)
    {
        throw fabric::BadInput("--placement: allowed is first or a file where there is one switch, "
                               "whose hosts are all alike");
    }
    std::vector<fabric::HostPlace> places;
    for (const uint32_t edgeSwitch : fabric.edgeSwitches)
    {
        places.push_back({fabric.groups[edgeSwitch], edgeSwitch});
    }
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(PLACEMENT_STREAM);
    return fabric::PlaceRanks(placement, places, ranks, [&random](uint32_t n) {
        return random->GetInteger(0, n - 1);
    });
}

/// @return the hosts of ranks @param placed those of a file
std::vector<uint32_t>
PlaceHosts(const Choice& choice,
           const FabricContainer& fabric,
           const std::vector<uint32_t>& placed,
           uint32_t ranks)
{
    if (const auto placement = NamedPlacement(choice))
    {
        return PlaceByName(fabric, *placement, ranks);
    }
    if (placed.size() != ranks)
    {
        throw fabric::BadInput("--placement=" + choice.placement + ": it has " +
                               std::to_string(placed.size()) + " hosts; allowed are " +
                               std::to_string(ranks) + ", one for each rank of the jobs");
    }
    return placed;
}

/// @return jobs of one kind, as the options ask for
std::vector<CollectiveJob>
MakeEqualJobs(const Choice& choice, uint32_t hosts)
{
    if (hosts < 2)
    {
        throw fabric::BadInput("the fabric has one host, and a collective needs two ranks; allowed "
                               "are two hosts or more");
    }
    const uint32_t most = hosts / choice.jobs;
    if (most < 2)
    {
        fabric::ThrowNotAllowed("--jobs",
                                std::to_string(choice.jobs),
                                fabric::SpanText(1U, hosts / 2) + " with " + std::to_string(hosts) +
                                    " hosts");
    }
    const uint32_t ranks = choice.hosts == 0 ? most : choice.hosts;
    if (ranks < 2 || ranks > most)
    {
        fabric::ThrowNotAllowed("--hosts",
                                std::to_string(choice.hosts),
                                "0 (all) or " + fabric::SpanText(2U, most) +
                                    (choice.jobs == 1 ? ", the hosts of the fabric"
                                                      : ", as there are " + std::to_string(hosts) +
                                                            " hosts and " +
                                                            std::to_string(choice.jobs) + " jobs"));
    }
    return std::vector<CollectiveJob>(choice.jobs, {choice.collective, ranks, choice.bytes});
}

/// @return how late each of so many ranks is
std::vector<fabric::TimePs>
DrawLateness(const Choice& choice, uint32_t ranks)
{
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(SKEW_STREAM);
    const auto skew = static_cast<double>(choice.skew.GetPicoSeconds());
    std::vector<fabric::TimePs> lateness(ranks, 0);
    if (!choice.skew.IsZero())
    {
        std::generate(lateness.begin(), lateness.end(), [&random, skew] {
            return static_cast<fabric::TimePs>(random->GetValue(0, skew));
        });
    }
    if (!choice.late.IsZero())
    {
        if (choice.straggler >= ranks)
        {
            fabric::ThrowNotAllowed("--straggler",
                                    std::to_string(choice.straggler),
                                    fabric::SpanText(0U, ranks - 1) + ", the ranks of the jobs");
        }
        lateness[choice.straggler] += choice.late.GetPicoSeconds();
    }
    return lateness;
}

/// @return what is to be done, and by which hosts @param listed jobs of `--jobFile`
CollectiveJobs
MakeJobs(const Choice& choice, const FabricContainer& fabric, std::vector<CollectiveJob> listed)
{
    const std::vector<uint32_t> placed = ReadHosts(choice, fabric.hosts.GetN());
    const bool hasAll = placed.empty() || choice.hosts != 0;
    const uint32_t hosts = hasAll ? fabric.hosts.GetN() : static_cast<uint32_t>(placed.size());
    CollectiveJobs jobs{choice.IsMixed() ? std::move(listed) : MakeEqualJobs(choice, hosts)};
    if (jobs.Ranks() > fabric.hosts.GetN())
    {
        throw fabric::BadInput("--jobFile=" + choice.jobFile + ": its jobs have " +
                               std::to_string(jobs.Ranks()) + " hosts; allowed are up to " +
                               std::to_string(fabric.hosts.GetN()) + ", the hosts of the fabric");
    }
    for (CollectiveJob& job : jobs.jobs)
    {
        job.pieces = PiecesOf(job, choice.pieces);
    }
    RequireMessages(choice, jobs);
    jobs.hosts = PlaceHosts(choice, fabric, placed, jobs.Ranks());
    jobs.lateness = DrawLateness(choice, jobs.Ranks());
    jobs.numbers.resize(jobs.jobs.size());
    std::iota(jobs.numbers.begin(), jobs.numbers.end(), 0);
    if (!choice.onlyJobs.empty())
    {
        jobs = jobs.Select(choice.onlyJobs);
    }
    jobs.FindLowerBounds(fabric, choice.transport == "switch");
    return jobs;
}

/// @return what writes into a folder
FabricRun::WriteFiles
FilesOf(const CollectiveFigures& figures)
{
    return [&figures](fabric::RunDirectory& directory) { figures.Write(directory); };
}

/// @return figures of a collective that is done, of which those of messages are in the summary
CollectiveFigures
AddFigures(FabricRun& run,
           const FabricContainer& fabric,
           const CollectivePlayer& player,
           const CollectiveJobs& jobs,
           bool isMixed)
{
    CollectiveFigures figures(fabric, jobs, {player.GetCompletionTime(), player.GetRankTimes()});
    figures.AddTimes(run.GetSummary(), isMixed);
    run.GetSummary().Add("messages", {}, player.GetMessages(), "1");
    figures.AddRankTimes(run.GetSummary());
    figures.AddJobTimes(run.GetSummary());
    return figures;
}

/// Ranks begin at the start of the run, or when their job is to.
void
PlanStart(CollectivePlayer& player, const CollectiveJobs& jobs)
{
    jobs.SetStarts(player);
    Simulator::ScheduleNow([&player] { player.Start(); });
}

/// Runs a collective whose messages are native ones.
void
RunMessages(FabricRun& run,
            const FabricContainer& fabric,
            CollectivePlayer& player,
            const CollectiveJobs& jobs,
            bool isMixed)
{
    PlanStart(player, jobs);
    run.RunUntilDelivered(0, player.GetMessages());
    player.AddRanks();
    const CollectiveFigures figures = AddFigures(run, fabric, player, jobs, isMixed);
    run.Finish(FilesOf(figures));
}

/// Runs a collective whose payload the transport counts.
template <typename Transport>
void
RunStreams(FabricRun& run,
           const FabricContainer& fabric,
           CollectivePlayer& player,
           const Transport& transport,
           const CollectiveJobs& jobs,
           bool isMixed)
{
    PlanStart(player, jobs);
    run.RunUntilIdle([&player] { return player.GetDone(); });
    player.AddRanks();
    if (!player.IsDone())
    {
        throw fabric::InvariantError(
            "the run ended with " + std::to_string(static_cast<int>(100 * player.GetDone())) +
            " % of the messages delivered" +
            (transport.GetFailure().empty() ? "" : "; " + transport.GetFailure()));
    }
    const CollectiveFigures figures = AddFigures(run, fabric, player, jobs, isMixed);
    fabric::RunTotals totals = transport.GetTotals();
    totals.simulatedTime = player.GetEnd();
    const FabricTotals counted = fabric.network->GetTotalsOfRanks();
    totals.dataHops = counted.dataHops;
    totals.controlHops = counted.controlHops;
    run.Finish(totals, FilesOf(figures));
}

/// Runs a collective that switches carry out.
void
RunInSwitches(FabricRun& run, const FabricContainer& fabric, const CollectiveJobs& jobs)
{
    const CollectiveJob& job = jobs.jobs.front();
    const bool isToAll = job.collective != Collective::REDUCE;
    fabric::SwitchCollective collective(fabric, jobs.hosts, isToAll);
    Simulator::ScheduleNow([&] { collective.Start(job.bytes); });
    run.RunUntilIdle([&collective] { return collective.GetDone(); });
    collective.AddRanks();
    if (!collective.IsDone() || !collective.IsRight())
    {
        throw fabric::InvariantError("the collective in switches: not all ranks have the result");
    }
    const CollectiveFigures figures(fabric,
                                    jobs,
                                    {collective.GetCompletionTime(), collective.GetRankTimes()});
    figures.AddTimes(run.GetSummary(), false);
    if (isToAll)
    {
        run.GetSummary().AddTime("expected_time",
                                 {},
                                 collective.GetIdealTime(job.bytes).GetPicoSeconds());
    }
    figures.AddRankTimes(run.GetSummary());
    run.Finish(fabric::TotalsOf(*fabric.network, collective.GetEnd()), FilesOf(figures));
}

/// @return jobs of `--jobFile`, none without
std::vector<CollectiveJob>
ReadJobs(const Choice& choice)
{
    if (!choice.IsMixed())
    {
        return {};
    }
    return fabric::ReadFileOf("--jobFile", [&] { return fabric::JobList::Read(choice.jobFile); });
}

/// Refuses options without effect.
void
CheckOptions(const FabricRun& run, const Choice& choice)
{
    for (const std::string name : {"collective", "hosts", "bytes", "pieces", "jobs"})
    {
        if (choice.IsMixed() && run.GetOptions().IsGiven(name))
        {
            throw fabric::BadInput("--jobFile=" + choice.jobFile +
                                   ": allowed is only one of --jobFile and --" + name);
        }
    }
    if (choice.pieces != 0 && !fabric::HasPieces(choice.collective))
    {
        fabric::ThrowNotAllowed("--pieces",
                                std::to_string(choice.pieces),
                                "0 with --collective=" + NameOf(choice.collective) +
                                    ", which sends no pieces");
    }
    if (choice.late.IsZero())
    {
        run.GetOptions().RefuseGiven({"straggler"}, "--late above 0");
    }
    if (choice.transport == "switch")
    {
        run.GetOptions().RefuseGiven({"skew", "straggler", "late"},
                                     "--transport=raw, rt, pio or tcp");
    }
}

/// Refuses a collective that switches can't carry out, or can't well.
void
RequireSwitchCollective(const Choice& choice)
{
    if (choice.IsMixed())
    {
        fabric::ThrowNotAllowed("--transport",
                                choice.transport,
                                "raw, rt, pio or tcp with --jobFile, since switches make one "
                                "reduction");
    }
    if (choice.jobs > 1)
    {
        fabric::ThrowNotAllowed("--jobs",
                                std::to_string(choice.jobs),
                                "1 with --transport=switch, which makes one reduction");
    }
    if (choice.collective != Collective::ALLREDUCE_TREE && choice.collective != Collective::REDUCE)
    {
        fabric::ThrowNotAllowed("--collective",
                                NameOf(choice.collective),
                                "allreduce-tree or reduce with --transport=switch");
    }
}

/// @return whether a sender goes on when another has its message
bool
AwaitsDeliveries(Collective collective)
{
    return collective == Collective::ALLREDUCE_TREE || collective == Collective::BROADCAST;
}

/// Refuses what ranks of MPI can't do, of which none knows at once what another has seen.
void
CheckRanks(const Choice& choice, const std::vector<CollectiveJob>& listed)
{
    if (choice.transport == "tcp")
    {
        fabric::ThrowNotAllowed("--transport",
                                choice.transport,
                                "raw, rt, pio or switch with --mpi, since all hosts begin when the "
                                "last connection of any rank is open");
    }
    if (choice.transport == "switch")
    {
        return; // no host awaits another
    }
    const std::string allowed = "any but allreduce-tree and broadcast with --mpi, since a host of "
                                "a broadcast sends on when "
                                "another has the message, which another rank may have";
    if (!choice.IsMixed() && AwaitsDeliveries(choice.collective))
    {
        fabric::ThrowNotAllowed("--collective", NameOf(choice.collective), allowed);
    }
    for (const CollectiveJob& job : listed)
    {
        if (AwaitsDeliveries(job.collective))
        {
            throw fabric::BadInput("--jobFile=" + choice.jobFile + ": a job is " +
                                   NameOf(job.collective) + "; allowed is " + allowed);
        }
    }
}

/// Runs the program.
void
Run(FabricRun& run, const Choice& choice, const std::vector<CollectiveJob>& listed)
{
    const FabricContainer& fabric = run.InstallTree();
    const CollectiveJobs jobs = MakeJobs(choice, fabric, listed);
    if (choice.transport == "switch")
    {
        RunInSwitches(run, fabric, jobs);
        return;
    }
    const fabric::ExchangePlan plan = jobs.Plan();
    if (choice.transport == "raw")
    {
        fabric::RawCollectiveTransport transport(fabric, jobs.hosts);
        CollectivePlayer player(plan, transport);
        RunMessages(run, fabric, player, jobs, choice.IsMixed());
    }
    else if (choice.transport == "pio")
    {
        fabric::PioCollectiveTransport transport(fabric, jobs.hosts);
        CollectivePlayer player(plan, transport);
        RunMessages(run, fabric, player, jobs, choice.IsMixed());
    }
    else if (choice.transport == "rt")
    {
        FabricTransportTraffic::SetGrantDefaults(
            run.GetOptions(),
            run.GetHostRate(),
            FabricIdealPaths(fabric.network).LongestHostRoundTrip());
        fabric::RdmaCollectiveTransport transport(fabric, plan, jobs.hosts);
        CollectivePlayer player(plan, transport);
        RunStreams(run, fabric, player, transport, jobs, choice.IsMixed());
    }
    else
    {
        TcpBulkTraffic::SetDefaults(run.GetOptions(),
                                    fabric.GetDevice(0)->GetMtu(),
                                    false,
                                    run.GetHostRate());
        fabric::TcpCollectiveTransport transport(fabric, plan, jobs.hosts);
        CollectivePlayer player(plan, transport);
        RunStreams(run, fabric, player, transport, jobs, choice.IsMixed());
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Choice choice;
        std::vector<CollectiveJob> listed;
        FabricRun run("fabric-collectives.cc",
                      "Hosts carry out a collective: its time, and the lower bound of that.");
        AddOptions(run, choice);
        run.Parse(argc, argv, [&] {
            CheckOptions(run, choice);
            if (choice.transport == "switch")
            {
                RequireSwitchCollective(choice);
            }
            listed = ReadJobs(choice);
            if (run.GetOptions().Common().mpi)
            {
                CheckRanks(choice, listed);
            }
        });
        Run(run, choice, listed);
        return fabric::EXIT_DONE;
    });
}
