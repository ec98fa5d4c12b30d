/* SPDX-License-Identifier: GPL-2.0-only */

// A collective of hosts of a fabric (SC-3): all-reduces, all-gathers, all-to-alls and broadcasts by
// several algorithms, reduce, or a halo exchange in three dimensions, over native messages, the
// reliable transport, programmed I/O or TCP, or by the switches (SW-14), and the lower bound of its
// time.

#include "ns3/fabric-collective-plan.h"
#include "ns3/fabric-collective-player.h"
#include "ns3/fabric-csv-writer.h"
#include "ns3/fabric-ideal-paths.h"
#include "ns3/fabric-network-totals.h"
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
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

using fabric::Collective;
using fabric::CollectivePlayer;
using fabric::RankPlacement;

namespace
{

constexpr uint64_t MOST_MESSAGES = 1 << 23;   ///< Each takes some hundred bytes of memory.
constexpr uint32_t LEVELS = 17;               ///< Of trees of all hosts that there can be, and one.
constexpr int64_t PLACEMENT_STREAM = 1 << 20; ///< Random numbers; the fabric has those below.
constexpr uint64_t PIECE_BYTES = 16384;       ///< Of pieces, at most, unless `--pieces` says more.

/// What the options say.
struct Choice
{
    std::string collective{"allreduce-ring"};      ///< `--collective`
    uint32_t hosts{0};                             ///< `--hosts`
    uint64_t bytes{1 << 20};                       ///< `--bytes`
    std::string transport{"raw"};                  ///< `--transport`
    uint32_t pieces{0};                            ///< `--pieces`
    RankPlacement placement{RankPlacement::FIRST}; ///< `--placement`
    uint32_t jobs{1};                              ///< `--jobs`
};

/// Words of `--collective`.
const std::vector<std::pair<std::string, Collective>> COLLECTIVES{
    {"allreduce-ring", Collective::ALLREDUCE_RING},
    {"allreduce-tree", Collective::ALLREDUCE_TREE},
    {"allgather", Collective::ALLGATHER},
    {"alltoall", Collective::ALLTOALL},
    {"broadcast", Collective::BROADCAST},
    {"reduce", Collective::REDUCE},
    {"halo3d", Collective::HALO3D},
    {"allreduce-halving", Collective::ALLREDUCE_HALVING},
    {"allreduce-doubling", Collective::ALLREDUCE_DOUBLING},
    {"allreduce-double-tree", Collective::ALLREDUCE_DOUBLE_TREE},
    {"allgather-bruck", Collective::ALLGATHER_BRUCK},
    {"alltoall-bruck", Collective::ALLTOALL_BRUCK},
    {"broadcast-chain", Collective::BROADCAST_CHAIN}};

/// @return the words
std::vector<std::string>
CollectiveNames()
{
    std::vector<std::string> names;
    for (const auto& [name, collective] : COLLECTIVES)
    {
        names.push_back(name);
    }
    return names;
}

/// @return the collective that the options ask for
Collective
CollectiveOf(const Choice& choice)
{
    return fabric::EnumType<Collective>(COLLECTIVES).Read("--collective", choice.collective);
}

/// A collective of hosts, or several of the same kind at a time.
struct Job
{
    Collective collective;         ///< Which one.
    uint32_t ranks;                ///< Hosts that take part in each.
    uint64_t bytes;                ///< Of the buffer of each.
    uint32_t pieces;               ///< Of the buffer, or of each of its halves.
    uint32_t jobs;                 ///< How many there are.
    std::vector<uint32_t> hosts{}; ///< By rank, of one job after the other.
};

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
                fabric::ChoiceType(CollectiveNames()));
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
                "where ranks are: on the first hosts; on any, in random order; or on one of each "
                "group or pod in turn, and of each switch of it in turn",
                choice.placement,
                fabric::EnumType<RankPlacement>({{"first", RankPlacement::FIRST},
                                                 {"random", RankPlacement::RANDOM},
                                                 {"spread", RankPlacement::SPREAD}}));
    options.Add("jobs",
                "collectives at the same time, each of hosts of its own",
                choice.jobs,
                fabric::CountType(1U, fabric::MAX_HOSTS / 2));
}

/// @return messages of each rank at most
uint64_t
MessagesOfRank(const Job& job)
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
uint32_t
PiecesOf(const Choice& choice, Collective collective)
{
    if (choice.pieces != 0 || !fabric::HasPieces(collective))
    {
        return std::max(choice.pieces, 1U);
    }
    const uint64_t cut =
        collective == Collective::BROADCAST_CHAIN ? choice.bytes : (choice.bytes + 1) / 2;
    return static_cast<uint32_t>((cut + PIECE_BYTES - 1) / PIECE_BYTES);
}

/// Refuses a plan that takes too much memory.
void
RequireMessages(const Choice& choice, const Job& job)
{
    if (MessagesOfRank(job) * job.ranks * job.jobs <= MOST_MESSAGES)
    {
        return;
    }
    const std::string most = "send " + std::to_string(MOST_MESSAGES) +
                             " messages at most with --collective=" + choice.collective;
    if (fabric::HasPieces(job.collective))
    {
        fabric::ThrowNotAllowed("--pieces",
                                std::to_string(job.pieces),
                                "as many as " + std::to_string(job.ranks * job.jobs) + " hosts " +
                                    most);
    }
    fabric::ThrowNotAllowed("--hosts", std::to_string(job.ranks), "as many as " + most);
}

/// @return the hosts of ranks
std::vector<uint32_t>
PlaceHosts(const FabricContainer& fabric, RankPlacement placement, uint32_t ranks)
{
    if (fabric.switches.GetN() == 1 && placement != RankPlacement::FIRST)
    {
        throw fabric::BadInput(
            "--placement: allowed is first where there is one switch, whose hosts are all alike");
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

/// @return what the options ask for
Job
MakeJob(const Choice& choice, const FabricContainer& fabric)
{
    const uint32_t hosts = fabric.hosts.GetN();
    const Collective collective = CollectiveOf(choice);
    const uint32_t most = hosts / choice.jobs;
    if (most < 2)
    {
        fabric::ThrowNotAllowed("--jobs",
                                std::to_string(choice.jobs),
                                "1 to " + std::to_string(hosts / 2) + " with " +
                                    std::to_string(hosts) + " hosts");
    }
    Job job{collective,
            choice.hosts == 0 ? most : choice.hosts,
            choice.bytes,
            PiecesOf(choice, collective),
            choice.jobs};
    if (job.ranks < 2 || job.ranks > most)
    {
        fabric::ThrowNotAllowed("--hosts",
                                std::to_string(choice.hosts),
                                "0 (all) or 2 to " + std::to_string(most) +
                                    (job.jobs == 1
                                         ? ", the hosts of the fabric"
                                         : ", as there are " + std::to_string(hosts) +
                                               " hosts and " + std::to_string(job.jobs) + " jobs"));
    }
    RequireMessages(choice, job);
    job.hosts = PlaceHosts(fabric, choice.placement, job.ranks * job.jobs);
    return job;
}

/// @return the shortest time that a collective can take, s @param inSwitches where sums are made:
/// then the link of each host carries its whole buffer
double
LowerBound(const FabricContainer& fabric, const Job& job, bool inSwitches)
{
    uint64_t rate = 0; // of the fastest host
    for (const uint32_t host : job.hosts)
    {
        rate = std::max(rate, fabric.hostLinks[host]->GetRate().BitsPerSecond());
    }
    const double bytes = inSwitches ? static_cast<double>(job.bytes)
                                    : fabric::LeastLinkBytes(job.collective, job.ranks, job.bytes);
    return 8 * bytes / static_cast<double>(rate);
}

/**
 * Adds the figures of a collective that is done.
 *
 * @param done has its times: a CollectivePlayer or fabric::SwitchCollective
 */
template <typename Done>
void
AddTimes(fabric::Summary& summary, const Done& done, double bound, uint64_t bytes)
{
    const double seconds = fabric::ToSeconds(done.GetCompletionTime());
    if (seconds < bound)
    {
        throw fabric::InvariantError("the collective took " + std::to_string(seconds) +
                                     " s, less than its lower bound, " + std::to_string(bound) +
                                     " s");
    }
    summary.AddTime("completion_time", {}, done.GetCompletionTime());
    summary.Add("lower_bound", {}, bound, "s");
    summary.Add("algorithm_bandwidth", {}, 8 * static_cast<double>(bytes) / seconds, "bit/s");
}

/// Adds the figures of ranks that are through.
template <typename Done>
void
AddRankTimes(fabric::Summary& summary, const Done& done)
{
    std::vector<double> ofRanks;
    for (const fabric::TimePs time : done.GetRankTimes())
    {
        ofRanks.push_back(fabric::ToSeconds(time));
    }
    summary.AddDistribution("rank_time", {}, ofRanks, "s");
}

/// Adds the figures of several jobs: each takes until its last rank is through.
void
AddJobTimes(fabric::Summary& summary, const CollectivePlayer& player, const Job& job)
{
    const std::vector<fabric::TimePs> ofRanks = player.GetRankTimes();
    std::vector<double> ofJobs;
    for (auto first = ofRanks.begin(); first != ofRanks.end(); first += job.ranks)
    {
        ofJobs.push_back(fabric::ToSeconds(*std::max_element(first, first + job.ranks)));
    }
    summary.AddDistribution("job_time", {}, ofJobs, "s");
}

/// Adds the figures of a collective that is done.
void
AddFigures(fabric::Summary& summary, const CollectivePlayer& player, double bound, const Job& job)
{
    AddTimes(summary, player, bound, job.bytes);
    summary.Add("messages", {}, player.GetMessages(), "1");
    AddRankTimes(summary, player);
    if (job.jobs > 1)
    {
        AddJobTimes(summary, player, job);
    }
}

/// Writes where each rank is, and when it was through.
template <typename Done>
void
WriteRanks(std::ostream& os, const FabricContainer& fabric, const Job& job, const Done& done)
{
    fabric::CsvWriter csv(os, {"rank", "host", "switch", "group", "time_s", "job"});
    const std::vector<fabric::TimePs> times = done.GetRankTimes();
    for (uint32_t rank = 0; rank < job.hosts.size(); ++rank)
    {
        const uint32_t host = job.hosts[rank];
        const uint32_t edgeSwitch = fabric.edgeSwitches[host];
        const uint32_t group = fabric.groups[edgeSwitch];
        csv.Row(rank % job.ranks,
                host,
                edgeSwitch,
                group == fabric::NO_GROUP ? std::nullopt : std::optional(group),
                fabric::ToSeconds(times[rank]),
                rank / job.ranks);
    }
}

/// @return what writes that into a folder
template <typename Done>
FabricRun::WriteFiles
RanksWriter(const FabricContainer& fabric, const Job& job, const Done& done)
{
    return [&](fabric::RunDirectory& directory) {
        WriteRanks(directory.Open("ranks.csv"), fabric, job, done);
    };
}

/// All ranks begin at the start of the run.
void
PlanStart(CollectivePlayer& player)
{
    Simulator::ScheduleNow([&player] { player.Start(); });
}

/// Runs a collective whose messages are native ones.
void
RunMessages(FabricRun& run,
            const FabricContainer& fabric,
            CollectivePlayer& player,
            double bound,
            const Job& job)
{
    PlanStart(player);
    run.RunUntilDelivered(0, player.GetMessages());
    player.AddRanks();
    AddFigures(run.GetSummary(), player, bound, job);
    run.Finish(RanksWriter(fabric, job, player));
}

/// Runs a collective whose payload the transport counts.
template <typename Transport>
void
RunStreams(FabricRun& run,
           const FabricContainer& fabric,
           CollectivePlayer& player,
           const Transport& transport,
           double bound,
           const Job& job)
{
    PlanStart(player);
    run.RunUntilIdle([&player] { return player.GetDone(); });
    player.AddRanks();
    if (!player.IsDone())
    {
        throw fabric::InvariantError(
            "the run ended with " + std::to_string(static_cast<int>(100 * player.GetDone())) +
            " % of the messages delivered" +
            (transport.GetFailure().empty() ? "" : "; " + transport.GetFailure()));
    }
    AddFigures(run.GetSummary(), player, bound, job);
    fabric::RunTotals totals = transport.GetTotals();
    totals.simulatedTime = player.GetEnd();
    const FabricTotals counted = fabric.network->GetTotalsOfRanks();
    totals.dataHops = counted.dataHops;
    totals.controlHops = counted.controlHops;
    run.Finish(totals, RanksWriter(fabric, job, player));
}

/// Runs a collective that switches carry out.
void
RunInSwitches(FabricRun& run, const FabricContainer& fabric, double bound, const Job& job)
{
    const bool isToAll = job.collective != Collective::REDUCE;
    fabric::SwitchCollective collective(fabric, job.hosts, isToAll);
    Simulator::ScheduleNow([&] { collective.Start(job.bytes); });
    run.RunUntilIdle([&collective] { return collective.GetDone(); });
    if (!collective.IsDone() || !collective.IsRight())
    {
        throw fabric::InvariantError("the collective in switches: not all ranks have the result");
    }
    AddTimes(run.GetSummary(), collective, bound, job.bytes);
    if (isToAll)
    {
        run.GetSummary().AddTime("expected_time",
                                 {},
                                 collective.GetIdealTime(job.bytes).GetPicoSeconds());
    }
    AddRankTimes(run.GetSummary(), collective);
    run.Finish(fabric::TotalsOf(*fabric.network, collective.GetEnd()),
               RanksWriter(fabric, job, collective));
}

/// Refuses pieces of what is not cut.
void
RequirePieces(const Choice& choice)
{
    if (choice.pieces != 0 && !fabric::HasPieces(CollectiveOf(choice)))
    {
        fabric::ThrowNotAllowed("--pieces",
                                std::to_string(choice.pieces),
                                "0 with --collective=" + choice.collective +
                                    ", which sends no pieces");
    }
}

/// Refuses a collective that switches can't carry out, or can't well.
void
RequireSwitchCollective(const Choice& choice)
{
    if (choice.transport == "switch" && choice.jobs > 1)
    {
        fabric::ThrowNotAllowed("--jobs",
                                std::to_string(choice.jobs),
                                "1 with --transport=switch, which makes one reduction");
    }
    if (choice.transport == "switch" && choice.collective != "allreduce-tree" &&
        choice.collective != "reduce")
    {
        fabric::ThrowNotAllowed("--collective",
                                choice.collective,
                                "allreduce-tree or reduce with --transport=switch");
    }
}

/// Refuses what ranks of MPI can't do, of which none knows at once what another has seen.
void
CheckRanks(const Choice& choice)
{
    if (choice.transport == "tcp" || choice.transport == "switch")
    {
        fabric::ThrowNotAllowed("--transport",
                                choice.transport,
                                choice.transport == "switch"
                                    ? "raw, rt or pio with --mpi, since groups are on one rank"
                                    : "raw, rt or pio with --mpi, since all hosts begin when the "
                                      "last connection of any rank is open");
    }
    if (choice.collective == "allreduce-tree" || choice.collective == "broadcast")
    {
        fabric::ThrowNotAllowed("--collective",
                                choice.collective,
                                "any but allreduce-tree and broadcast with --mpi, since a host "
                                "of a broadcast sends on when another has the message, which "
                                "another rank may have");
    }
}

/// Runs the program.
void
Run(FabricRun& run, const Choice& choice)
{
    const FabricContainer& fabric = run.InstallTree();
    const Job job = MakeJob(choice, fabric);
    const double bound = LowerBound(fabric, job, choice.transport == "switch");
    if (choice.transport == "switch")
    {
        RunInSwitches(run, fabric, bound, job);
        return;
    }
    const fabric::ExchangePlan plan =
        fabric::PlanJobs(fabric::PlanCollective(job.collective, job.ranks, job.bytes, job.pieces),
                         job.jobs);
    if (choice.transport == "raw")
    {
        fabric::RawCollectiveTransport transport(fabric, job.hosts);
        CollectivePlayer player(plan, transport);
        RunMessages(run, fabric, player, bound, job);
    }
    else if (choice.transport == "pio")
    {
        fabric::PioCollectiveTransport transport(fabric, job.hosts);
        CollectivePlayer player(plan, transport);
        RunMessages(run, fabric, player, bound, job);
    }
    else if (choice.transport == "rt")
    {
        FabricTransportTraffic::SetGrantDefaults(
            run.GetOptions(),
            run.GetHostRate(),
            FabricIdealPaths(fabric.network).LongestRoundTrip());
        fabric::RdmaCollectiveTransport transport(fabric, plan, job.hosts);
        CollectivePlayer player(plan, transport);
        RunStreams(run, fabric, player, transport, bound, job);
    }
    else
    {
        TcpBulkTraffic::SetDefaults(run.GetOptions(), fabric.GetDevice(0)->GetMtu(), false);
        fabric::TcpCollectiveTransport transport(fabric, plan, job.hosts);
        CollectivePlayer player(plan, transport);
        RunStreams(run, fabric, player, transport, bound, job);
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Choice choice;
        FabricRun run("fabric-collectives.cc",
                      "Hosts carry out a collective: its time, and the lower bound of that.");
        AddOptions(run, choice);
        run.Parse(argc, argv, [&] {
            RequirePieces(choice);
            RequireSwitchCollective(choice);
            if (run.GetOptions().Common().mpi)
            {
                CheckRanks(choice);
            }
        });
        Run(run, choice);
        return fabric::EXIT_DONE;
    });
}
