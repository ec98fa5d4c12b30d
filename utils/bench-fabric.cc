/* SPDX-License-Identifier: GPL-2.0-only */

// The benchmark (90-performance.md): packet-hops per second of processor time for given workloads,
// one row each. One frame or ACK frame over one link is one hop.

#include "fabric-allocation-count.h"

#include "ns3/boolean.h"
#include "ns3/fabric-csv-writer.h"
#include "ns3/fabric-fat-tree-helper.h"
#include "ns3/fabric-incast-helper.h"
#include "ns3/fabric-message-recorder.h"
#include "ns3/fabric-message-sender.h"
#include "ns3/fabric-program-options.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run-directory.h"
#include "ns3/fabric-summary.h"
#include "ns3/global-value.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <memory>
#include <stdexcept>

using namespace ns3;

namespace
{

/// What is sent through which fabric.
struct Workload
{
    std::string name; ///< As on the command line.
    uint32_t radix;   ///< Of the fat tree of three levels.
    uint64_t gbps;    ///< Rate of the links, Gb/s.
    uint32_t senders; ///< Of an incast to host 0; 0 for a permutation i -> i + hosts/2.
    uint64_t bytes;   ///< That each host sends.
};

/// PF-1; link delay is 1 us in all.
const std::vector<Workload> WORKLOADS{
    {"P128", 8, 100, 0, 16'000'000},
    {"P1024", 16, 200, 0, 2'000'000},
    {"P8192", 32, 200, 0, 256'000},
    {"I100", 16, 200, 100, 1'000'000},
    {"I1000", 16, 200, 1000, 1'000'000},
};

/// One measurement.
struct Result
{
    std::string workload;    ///< Name.
    std::string version;     ///< raw or flow.
    uint64_t dataHops{0};    ///< Data frames times links.
    uint64_t controlHops{0}; ///< ACK frames times links.
    uint64_t events{0};      ///< ns-3 events.
    uint32_t threads{1};     ///< Threads that ran switches.
    double wall{0};          ///< Time that a clock on the wall shows for the run, s.
    double setup{0};         ///< Processor time to build the fabric, s.
    double run{0};           ///< Processor time to run it, s.
    double kibPerHost{0};    ///< Memory that the data path holds at the end, KiB for each host.
    double allocations{0};   ///< Allocations per data hop in the steady state.
    double simulated{0};     ///< Simulated time, s.
    double firstDelivery{0}; ///< Simulated time of the first complete message, s.

    /// @return all hops per second of processor time
    double HopsPerSecond() const
    {
        return static_cast<double>(dataHops + controlHops) / run;
    }

    /// @return ns-3 events per data hop
    double EventsPerHop() const
    {
        return static_cast<double>(events) / static_cast<double>(dataHops);
    }
};

/// @return processor time of this process, s
double
ProcessorTime()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Installs the senders of a workload.
void
InstallSenders(const Workload& workload, const FabricContainer& fabric)
{
    const uint32_t hosts = fabric.hosts.GetN();
    if (workload.senders != 0)
    {
        IncastHelper(workload.senders, workload.bytes).Install(fabric);
        return;
    }
    for (uint32_t host = 0; host < hosts; ++host)
    {
        auto sender = CreateObject<FabricMessageSender>();
        sender->SetAttribute("Remote",
                             UintegerValue(fabric::LocationOf((host + hosts / 2) % hosts)));
        sender->SetAttribute("Bytes", UintegerValue(workload.bytes));
        fabric.hosts.Get(host)->AddApplication(sender);
    }
}

/// Counts allocations and hops in the steady state: all queues have had their first frames, and no
/// message is complete yet.
struct SteadyState
{
    Ptr<FabricNetwork> network; ///< The fabric.
    uint64_t allocations{0};    ///< Before the steady state, then in it.
    uint64_t dataHops{0};       ///< Before the steady state, then in it.

    /// The steady state begins.
    void Begin()
    {
        dataHops = network->GetTotals().dataHops;
        allocations = fabric::AllocationCount();
    }

    /// The steady state ends.
    void End()
    {
        allocations = fabric::AllocationCount() - allocations;
        dataHops = network->GetTotals().dataHops - dataHops;
    }

    /// @return allocations per data hop
    double Measure() const
    {
        return static_cast<double>(allocations) / static_cast<double>(dataHops);
    }
};

/**
 * @param workload what to run
 * @param version raw or flow
 * @param how whether switches run ahead, and on how many threads
 * @param steadyUntil when the steady state ends, s; 0 for no count of allocations
 * @return what was measured
 */
Result
RunOnce(const Workload& workload,
        const std::string& version,
        const fabric::ProgramOptions& how,
        double steadyUntil)
{
    Result result;
    result.workload = workload.name;
    result.version = version;

    const double begin = ProcessorTime();
    FatTreeHelper helper(workload.radix);
    helper.SetStream(1); // so that every run does the same work
    helper.SetNetworkAttribute("Lookahead", BooleanValue(how.GetLookahead()));
    helper.SetNetworkAttribute("Threads", UintegerValue(how.GetThreads()));
    helper.SetSwitchAttribute("FlowChannels", BooleanValue(version == "flow"));
    helper.SetChannelAttribute("DataRate", DataRateValue(DataRate(workload.gbps * 1'000'000'000)));
    helper.SetChannelAttribute("Delay", TimeValue(MicroSeconds(1)));
    const FabricContainer fabric = helper.Install();
    InstallSenders(workload, fabric);
    result.setup = ProcessorTime() - begin;

    SteadyState steady{fabric.network};
    if (steadyUntil > 0)
    {
        Simulator::Schedule(Seconds(steadyUntil / 2), &SteadyState::Begin, &steady);
        Simulator::Schedule(Seconds(steadyUntil * 0.95), &SteadyState::End, &steady);
    }
    FabricMessageRecorder recorder(fabric.network);
    const auto wallStart = std::chrono::steady_clock::now();
    const double start = ProcessorTime();
    Simulator::Run();
    result.run = ProcessorTime() - start;
    result.wall =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - wallStart).count();
    result.threads = fabric.network->GetThreads();
    result.firstDelivery = fabric::ToSeconds(recorder.GetRecords().front().deliveredAt);
    if (steadyUntil > 0)
    {
        result.allocations = steady.Measure();
    }
    fabric.network->CheckInvariants();
    if (!fabric.network->IsEmpty())
    {
        throw fabric::InvariantError(workload.name + ": the fabric is not empty at the end");
    }
    const FabricTotals totals = fabric.network->GetTotals();
    result.dataHops = totals.dataHops;
    result.controlHops = totals.controlHops;
    result.events = Simulator::GetEventCount();
    result.simulated = fabric::ToSeconds(recorder.GetRecords().back().deliveredAt);
    result.kibPerHost =
        static_cast<double>(fabric.network->GetMemoryBytes()) / 1024 / fabric.hosts.GetN();
    Simulator::Destroy();
    return result;
}

/**
 * @param workload what to run
 * @param version raw or flow
 * @param how whether switches run ahead, and on how many threads
 * @param repeat how often
 * @return the run of median speed, with the allocations of one more run
 */
Result
Measure(const Workload& workload,
        const std::string& version,
        const fabric::ProgramOptions& how,
        uint32_t repeat)
{
    std::vector<Result> results;
    for (uint32_t i = 0; i < repeat; ++i)
    {
        results.push_back(RunOnce(workload, version, how, 0));
    }
    std::sort(results.begin(), results.end(), [](const Result& a, const Result& b) {
        return a.wall < b.wall;
    });
    Result median = results[results.size() / 2];
    median.allocations = RunOnce(workload, version, how, median.firstDelivery).allocations;
    return median;
}

/// Prints the table for people.
void
Print(const std::vector<Result>& results)
{
    std::cout
        << "workload version   data hops  ctrl hops    events  ev/hop  setup s    run s  Mhops/s  "
           "KiB/host  alloc/hop  threads   wall s\n"
        << std::fixed;
    for (const Result& r : results)
    {
        std::cout << std::left << std::setw(9) << r.workload << std::setw(8) << r.version
                  << std::right << std::setw(11) << r.dataHops << std::setw(11) << r.controlHops
                  << std::setw(10) << r.events << std::setprecision(3) << std::setw(8)
                  << r.EventsPerHop() << std::setw(9) << r.setup << std::setw(9) << r.run
                  << std::setprecision(2) << std::setw(9) << r.HopsPerSecond() / 1e6
                  << std::setprecision(1) << std::setw(10) << r.kibPerHost << std::setprecision(4)
                  << std::setw(11) << r.allocations << std::setw(9) << r.threads
                  << std::setprecision(3) << std::setw(9) << r.wall << "\n";
    }
}

/// Writes the table for machines.
void
Write(std::ostream& os, const std::vector<Result>& results)
{
    fabric::CsvWriter csv(os,
                          {"workload",
                           "version",
                           "data_hops",
                           "control_hops",
                           "events",
                           "setup_s",
                           "run_s",
                           "hops_per_s",
                           "events_per_data_hop",
                           "kib_per_host",
                           "allocations_per_data_hop",
                           "simulated_s",
                           "threads",
                           "wall_s"});
    for (const Result& r : results)
    {
        csv.Row(r.workload,
                r.version,
                r.dataHops,
                r.controlHops,
                r.events,
                r.setup,
                r.run,
                r.HopsPerSecond(),
                r.EventsPerHop(),
                r.kibPerHost,
                r.allocations,
                r.simulated,
                r.threads,
                r.wall);
    }
}

/// @return the names of the workloads
std::vector<std::string>
WorkloadNames()
{
    std::vector<std::string> names;
    for (const Workload& workload : WORKLOADS)
    {
        names.push_back(workload.name);
    }
    return names;
}

/// Refuses `--workload=none`, which would measure nothing.
void
RefuseNone(const std::string& option,
           const std::vector<std::string>& chosen,
           const std::vector<std::string>& words)
{
    if (chosen.empty())
    {
        fabric::ThrowNotAllowed("--" + option, "none", "all or " + fabric::AllowedChoice(words));
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        std::vector<std::string> names{"P128", "P1024", "I100"};
        std::vector<std::string> versions{"raw", "flow"};
        std::string scheduler = "ns3::HeapScheduler";
        uint32_t repeat = 3;
        fabric::ProgramOptions options("bench-fabric.cc", "Measures the speed of the simulator.");
        options.AddChoices("workload", "what to run", names, WorkloadNames());
        options.AddChoices("version", "raw frames or flow channels", versions, {"raw", "flow"});
        options.AddChoice("scheduler",
                          "ns-3 scheduler",
                          scheduler,
                          {"ns3::HeapScheduler",
                           "ns3::MapScheduler",
                           "ns3::CalendarScheduler",
                           "ns3::PriorityQueueScheduler"});
        options.AddCount("repeat", "runs of each, of which the median counts", repeat, 1U, 99U);
        options.ReserveAttributes({"SchedulerType"}, "--scheduler");
        options.ReserveAttributes({"ns3::FabricSwitch::FlowChannels"}, "--version");
        options.ReserveAttributes({"ns3::FabricNetwork::Lookahead"}, "--lookahead");
        options.ReserveAttributes({"ns3::FabricNetwork::Threads"}, "--threads");
        options.ReserveAttributes({"ns3::FabricChannel::DataRate",
                                   "ns3::FabricChannel::Delay",
                                   "ns3::FabricSwitch::Ports",
                                   "ns3::FabricMessageSender::Remote",
                                   "ns3::FabricMessageSender::Bytes",
                                   "ns3::FabricMessageSender::Count",
                                   "ns3::FabricMessageSender::Tag",
                                   "ns3::Application::StartTime"},
                                  "another --workload");
        options.Parse(argc, argv);
        RefuseNone("workload", names, WorkloadNames());
        RefuseNone("version", versions, {"raw", "flow"});
        std::unique_ptr<fabric::RunDirectory> directory;
        if (!options.GetOut().empty())
        {
            directory =
                std::make_unique<fabric::RunDirectory>(options.GetOut(), options.GetForce());
        }
        GlobalValue::Bind("SchedulerType", StringValue(scheduler));

        std::vector<Result> results;
        for (const Workload& workload : WORKLOADS)
        {
            for (const std::string& version : versions)
            {
                if (std::find(names.begin(), names.end(), workload.name) != names.end())
                {
                    results.push_back(Measure(workload, version, options, repeat));
                }
            }
        }
        Print(results);
        if (directory)
        {
            Write(directory->Open("bench.csv"), results);
            directory->Commit();
        }
        return fabric::EXIT_DONE;
    });
}
