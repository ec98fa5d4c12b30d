/* SPDX-License-Identifier: GPL-2.0-only */

// An all-reduce of a word over a binomial tree of hosts: by triggered atomics of the NICs, which
// need no host after the start (NQ-13), or by software at each node of the tree; or by the switches
// on the way (SW-14).

#include "ns3/fabric-command-helper.h"
#include "ns3/fabric-network-totals.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-software-allreduce.h"
#include "ns3/fabric-switch-collective.h"
#include "ns3/fabric-triggered-allreduce.h"
#include "ns3/simulator.h"

#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// What the options say.
struct Choice
{
    std::string by{"nic"}; ///< `--by`
    uint64_t ranks{0};     ///< `--ranks`
    Time interval{0};      ///< `--interval`
};

/// Adds the options of the program.
void
AddOptions(FabricRun& run, Choice& choice)
{
    run.AddTreeOptions();
    fabric::ProgramOptions& options = run.GetOptions();
    options.AddRanks();
    options.Add("by",
                "who adds words and sends them on: the NICs or software of the hosts, or the "
                "switches",
                choice.by,
                fabric::ChoiceType({"nic", "host", "switch"}));
    options.Add("ranks",
                "hosts that take part, the first ones; 0 for all",
                choice.ranks,
                fabric::CountType(uint64_t{0}, uint64_t{fabric::MAX_HOSTS}));
    options.Add("interval",
                "software of each host looks at what has come once in this time; 0 for at once",
                choice.interval,
                fabric::TimeType(Time(0), Seconds(1)));
    options.AddDuration(MilliSeconds(1));
}

/// @return number of hosts that take part
uint32_t
RanksOf(const FabricContainer& fabric, const Choice& choice)
{
    const uint32_t hosts = fabric.hosts.GetN();
    if (choice.ranks > hosts)
    {
        throw fabric::BadInput("--ranks=" + std::to_string(choice.ranks) + ": there are " +
                               std::to_string(hosts) + " hosts; allowed is 0 to " +
                               std::to_string(hosts));
    }
    return choice.ranks == 0 ? hosts : static_cast<uint32_t>(choice.ranks);
}

/// @return command queues of the hosts that take part
std::vector<Ptr<FabricCommandQueues>>
InstallQueues(const FabricContainer& fabric, uint32_t ranks)
{
    const FabricCommandHelper helper;
    std::vector<Ptr<FabricCommandQueues>> queues;
    for (uint32_t host = 0; host < ranks; ++host)
    {
        queues.push_back(helper.Install(fabric, host));
    }
    return queues;
}

/// Says that not all have the result in time, which a longer time may not help.
[[noreturn]] void
ThrowTooShort(Time duration, const FabricNetwork& network)
{
    uint64_t lost = 0;
    for (const auto& [cause, bytes] : network.GetTotalsOfRanks().dropped)
    {
        lost += bytes;
    }
    const std::string why =
        lost == 0 ? "" : ", and " + std::to_string(lost) + " bytes of commands were dropped";
    const std::string remedy =
        lost == 0 ? "" : " with --ns3::FabricCommandQueues::RetryTimeout, or links without losses";
    throw fabric::BadInput("--duration=" + fabric::TimeText(duration) +
                           ": not all hosts have the result then" + why +
                           "; allowed is a longer time" + remedy);
}

/// Runs an all-reduce; all must have the result in the end. @return what it has taken
template <typename Allreduce>
Time
Play(FabricRun& run, const FabricContainer& fabric, Allreduce& allreduce, uint32_t ranks)
{
    std::vector<uint64_t> words(ranks);
    std::iota(words.begin(), words.end(), 1);
    const uint64_t expected = std::accumulate(words.begin(), words.end(), uint64_t{0});
    Simulator::Schedule(NanoSeconds(1), [&] { allreduce.Start(words); });
    const Time duration = run.GetOptions().Common().duration;
    run.RunFor(duration);
    if (!allreduce.IsDone())
    {
        ThrowTooShort(duration, *fabric.network);
    }
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        if (allreduce.GetResult(rank) != expected)
        {
            throw std::runtime_error("the all-reduce: rank " + std::to_string(rank) +
                                     " does not have the sum");
        }
    }
    return allreduce.GetDuration();
}

/// An all-reduce by the switches has to be done in time. @return what it has taken
Time
PlayInSwitches(FabricRun& run, const FabricContainer& fabric, uint32_t ranks)
{
    fabric::SwitchCollective allreduce(fabric, ranks, true);
    Simulator::Schedule(NanoSeconds(1), [&] { allreduce.Start(sizeof(uint64_t)); });
    const Time duration = run.GetOptions().Common().duration;
    run.RunFor(duration);
    allreduce.AddRanks();
    if (!allreduce.IsDone())
    {
        ThrowTooShort(duration, *fabric.network);
    }
    if (!allreduce.IsRight())
    {
        throw std::runtime_error("the all-reduce: a rank does not have the sum");
    }
    return PicoSeconds(allreduce.GetCompletionTime());
}

/// Runs the program.
void
Run(FabricRun& run, const Choice& choice)
{
    const FabricContainer& fabric = run.InstallTree();
    const uint32_t ranks = RanksOf(fabric, choice);
    std::vector<Ptr<FabricCommandQueues>> queues;
    if (choice.by != "switch")
    {
        queues = InstallQueues(fabric, ranks);
    }
    fabric::Summary& summary = run.GetSummary();
    Time taken;
    uint64_t calls = 0;
    if (choice.by == "switch")
    {
        taken = PlayInSwitches(run, fabric, ranks);
    }
    else if (choice.by == "nic")
    {
        FabricTriggeredAllreduce allreduce(queues, fabric::AtomicOp::SUM);
        taken = Play(run, fabric, allreduce, ranks);
    }
    else
    {
        FabricSoftwareAllreduce allreduce(queues, choice.interval, 1);
        taken = Play(run, fabric, allreduce, ranks);
        calls = allreduce.GetCalls();
    }
    summary.Add("allreduce_time", {}, taken.GetSeconds(), "s");
    summary.Add("allreduce_ranks", {}, ranks, "1");
    summary.Add("software_calls", {}, calls, "1");
    run.Finish();
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Choice choice;
        FabricRun run("fabric-allreduce.cc",
                      "An all-reduce of a word by the NICs of hosts, by their software, or by the "
                      "switches.");
        AddOptions(run, choice);
        run.Parse(argc, argv, [&] {
            if (choice.by != "host")
            {
                run.GetOptions().RefuseGiven({"interval"}, "--by=host");
            }
            if (choice.by == "host" && run.GetOptions().Common().mpi)
            {
                fabric::ThrowNotAllowed("--by", choice.by, "nic or switch with --mpi");
            }
        });
        Run(run, choice);
        return fabric::EXIT_DONE;
    });
}
