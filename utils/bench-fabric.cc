/* SPDX-License-Identifier: GPL-2.0-only */

// The benchmark (90-performance.md): packet-hops per second of processor time for given workloads,
// one row each. One frame or ACK frame over one link is one hop.

#include "fabric-allocation-count.h"
#include "fabric-benchmark-comparison.h"
#include "fabric-benchmark-result.h"
#include "fabric-benchmark-traffic.h"
#include "fabric-benchmark-workload.h"

#include "ns3/boolean.h"
#include "ns3/fabric-fat-tree-helper.h"
#include "ns3/fabric-manifest.h"
#include "ns3/fabric-program-options.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-progress-reporter.h"
#include "ns3/fabric-run-directory.h"
#include "ns3/fabric-summary.h"
#include "ns3/global-value.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>

using namespace ns3;

using fabric::BenchmarkComparison;
using fabric::BenchmarkResult;
using fabric::BenchmarkWorkload;
using fabric::BenchmarkWorkloads;

namespace
{

/// What to run, and how.
struct RunPlan
{
    BenchmarkWorkload workload;    ///< What is sent.
    std::string version;           ///< raw, flow or transport.
    bool lookahead;                ///< Whether switches run ahead.
    uint32_t threads;              ///< Threads that run switches.
    bool check;                    ///< Whether invariants are checked at the end.
    fabric::ProgressMode progress; ///< When progress is shown.
};

/// @return processor time of this process, s
double
ProcessorTime()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Counts allocations and hops in a part of a run.
class SteadyState
{
  public:
    /**
     * The part from half the time to shortly before its end: all queues have had their first
     * frames, and nobody has done sending yet.
     *
     * @param network the fabric
     * @param until the time, s
     */
    SteadyState(Ptr<FabricNetwork> network, double until)
        : m_network(network)
    {
        Simulator::Schedule(Seconds(until / 2), &SteadyState::Begin, this);
        Simulator::Schedule(Seconds(until * 0.95), &SteadyState::End, this);
    }

    /// @return allocations per data hop
    double Measure() const
    {
        const uint64_t hops = std::max<uint64_t>(1, m_dataHops);
        return static_cast<double>(m_allocations) / static_cast<double>(hops);
    }

  private:
    /// The steady state begins.
    void Begin()
    {
        m_dataHops = m_network->GetTotals().dataHops;
        m_allocations = fabric::AllocationCount();
    }

    /// The steady state ends.
    void End()
    {
        m_allocations = fabric::AllocationCount() - m_allocations;
        m_dataHops = m_network->GetTotals().dataHops - m_dataHops;
    }

    Ptr<FabricNetwork> m_network; ///< The fabric.
    uint64_t m_allocations{0};    ///< Before the steady state, then in it.
    uint64_t m_dataHops{0};       ///< Before the steady state, then in it.
};

/// One run of a workload.
class BenchmarkRun
{
  public:
    /// @param plan what to run; the fabric is built
    explicit BenchmarkRun(const RunPlan& plan)
        : m_plan(plan)
    {
        m_result.workload = plan.workload.name;
        m_result.version = plan.version;
        const double begin = ProcessorTime();
        Build();
        MakeTraffic();
        m_result.setup = ProcessorTime() - begin;
    }

    ~BenchmarkRun()
    {
        m_traffic.reset();
        m_fabric = FabricContainer();
        Simulator::Destroy();
    }

    BenchmarkRun(const BenchmarkRun&) = delete;
    BenchmarkRun& operator=(const BenchmarkRun&) = delete;

    /// @return what was measured
    BenchmarkResult Measure()
    {
        Run(m_plan.progress);
        return m_result;
    }

    /// @return allocations per data hop in the steady state; `until`: see SteadyState
    double MeasureAllocations(double until)
    {
        const SteadyState steady(m_fabric.network, until);
        Run(fabric::ProgressMode::OFF);
        return steady.Measure();
    }

    /// @return until when a steady state lasts, s: nobody is done, or the last is not
    double SteadyUntil() const
    {
        // A pair's messages come one after another, and so do the pushes that an incast's target
        // grants: the first is complete while others are still being set up.
        const auto pattern = m_plan.workload.pattern;
        const bool isInTurn =
            pattern == fabric::BenchmarkPattern::PAIR ||
            (pattern == fabric::BenchmarkPattern::INCAST && m_plan.version == "transport");
        return fabric::ToSeconds(isInTurn ? m_traffic->GetLast() : m_traffic->GetFirst());
    }

  private:
    /// Builds the fabric.
    void Build()
    {
        const BenchmarkWorkload& workload = m_plan.workload;
        FatTreeHelper helper(workload.radix);
        helper.SetStream(1); // so that every run does the same work
        helper.SetNetworkAttribute("Lookahead", BooleanValue(m_plan.lookahead));
        helper.SetNetworkAttribute("Threads", UintegerValue(m_plan.threads));
        helper.SetSwitchAttribute("FlowChannels", BooleanValue(m_plan.version != "raw"));
        helper.SetChannelAttribute("DataRate",
                                   DataRateValue(DataRate(workload.gbps * 1'000'000'000)));
        helper.SetChannelAttribute("Delay", TimeValue(PicoSeconds(workload.delay)));
        m_fabric = helper.Install();
    }

    /// Installs what sends.
    void MakeTraffic()
    {
        if (m_plan.version == "transport")
        {
            m_traffic = std::make_unique<fabric::BenchmarkPushes>(m_plan.workload, m_fabric);
            return;
        }
        m_traffic = std::make_unique<fabric::BenchmarkMessages>(m_plan.workload, m_fabric);
    }

    /// Runs until all is delivered.
    void Run(fabric::ProgressMode mode)
    {
        uint64_t delivered = 0;
        const fabric::BenchmarkLoad& load = m_traffic->GetLoad();
        m_traffic->SetCallback([&delivered] { ++delivered; });
        const auto done = [this, &load] {
            const FabricTotals totals = m_fabric.network->GetTotals();
            // The headers of the transport are payload of the fabric.
            return std::min(1.0,
                            static_cast<double>(totals.delivered) /
                                static_cast<double>(load.bytes));
        };
        fabric::ProgressReporter progress(
            mode,
            {[&load, &delivered] { return delivered < load.messages; }, done});
        progress.Start();
        const auto wallStart = std::chrono::steady_clock::now();
        const double start = ProcessorTime();
        Simulator::Run();
        m_result.run = ProcessorTime() - start;
        m_result.wall =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - wallStart).count();
        m_result.threads = m_fabric.network->GetThreads();
        progress.Stop();
        m_traffic->SetCallback([] {});
        if (delivered != load.messages)
        {
            Break("the run ended with " + std::to_string(delivered) + " of " +
                  std::to_string(load.messages) + " messages delivered");
        }
        if (m_plan.check)
        {
            Check();
        }
        Count();
    }

    /// Checks the fabric at the end.
    void Check() const
    {
        try
        {
            m_fabric.network->CheckInvariants();
        }
        catch (const std::logic_error& error)
        {
            Break(error.what());
        }
        if (!m_fabric.network->IsEmpty())
        {
            Break("the fabric is not empty at the end");
        }
    }

    /// Takes down what does not depend on the machine.
    void Count()
    {
        const FabricTotals totals = m_fabric.network->GetTotals();
        m_result.dataHops = totals.dataHops;
        m_result.controlHops = totals.controlHops;
        m_result.events = Simulator::GetEventCount();
        m_result.simulated = fabric::ToSeconds(m_traffic->GetLast());
        const std::size_t bytes = m_fabric.network->GetMemoryBytes() + m_traffic->GetMemoryBytes();
        m_result.kibPerHost = static_cast<double>(bytes) / 1024 / m_fabric.hosts.GetN();
    }

    /// @param what is broken
    [[noreturn]] void Break(const std::string& what) const
    {
        throw fabric::InvariantError(m_result.Name() + ": " + what);
    }

    RunPlan m_plan;                                      ///< What to run.
    FabricContainer m_fabric;                            ///< The fabric.
    std::unique_ptr<fabric::BenchmarkTraffic> m_traffic; ///< What is sent, and was delivered.
    BenchmarkResult m_result;                            ///< What was measured.
};

/**
 * @param plan what to run
 * @param repeat how often
 * @return the run of median speed, with the allocations of one more run
 */
BenchmarkResult
Measure(const RunPlan& plan, uint32_t repeat)
{
    std::vector<BenchmarkResult> results;
    double steadyUntil = 0;
    for (uint32_t i = 0; i < repeat; ++i)
    {
        BenchmarkRun run(plan);
        results.push_back(run.Measure());
        steadyUntil = run.SteadyUntil();
    }
    std::sort(results.begin(), results.end(), [](const auto& a, const auto& b) {
        return a.wall < b.wall;
    });
    BenchmarkResult median = results[results.size() / 2];
    median.allocations = BenchmarkRun(plan).MeasureAllocations(steadyUntil);
    return median;
}

/// @return the names of the workloads
std::vector<std::string>
WorkloadNames()
{
    std::vector<std::string> names;
    for (const BenchmarkWorkload& workload : BenchmarkWorkloads())
    {
        names.push_back(workload.name);
    }
    return names;
}

/// Words of `--version`.
const std::vector<std::string> VERSIONS{"raw", "flow", "transport"};

/// Largest push of the transport, bytes.
constexpr uint64_t LARGEST_PUSH = 0x7FFFFFFF;

/// What the command line asks for beyond the common options.
struct Choices
{
    std::vector<std::string> workloads{"P128", "P1024", "I100"}; ///< `--workload`
    std::vector<std::string> versions{"raw", "flow"};            ///< `--version`
    std::string scheduler{"ns3::HeapScheduler"};                 ///< `--scheduler`
    uint32_t repeat{3};                                          ///< `--repeat`
    uint64_t bytes{0};                                           ///< `--bytes`
    std::string compare;                                         ///< `--compare`
};

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

/// Adds the options and reads the command line.
void
Parse(fabric::ProgramOptions& options, Choices& choices, int argc, char* argv[])
{
    options.AddChoices("workload", "what to run", choices.workloads, WorkloadNames());
    options.AddChoices("version",
                       "raw frames, flow channels, or the reliable transport over these",
                       choices.versions,
                       VERSIONS);
    options.AddChoice("scheduler",
                      "ns-3 scheduler",
                      choices.scheduler,
                      {"ns3::HeapScheduler",
                       "ns3::MapScheduler",
                       "ns3::CalendarScheduler",
                       "ns3::PriorityQueueScheduler"});
    options.AddCount("repeat", "runs of each, of which the median counts", choices.repeat, 1U, 99U);
    options.AddSize("bytes",
                    "that each sender sends, 0 for what the workload says",
                    choices.bytes,
                    {0, uint64_t{1} << 40});
    options.AddText("compare",
                    "bench.csv of an earlier run, whose ratios are shown beside each row",
                    choices.compare);
    options.ReserveAttributes({"SchedulerType"}, "--scheduler");
    options.ReserveAttributes({"ns3::FabricSwitch::FlowChannels"}, "--version");
    options.ReserveAttributes({"ns3::FabricNetwork::Lookahead"}, "--lookahead");
    options.ReserveAttributes({"ns3::FabricNetwork::Threads"}, "--threads");
    options.ReserveAttributes({"ns3::FabricMessageSender::Bytes"}, "--bytes");
    options.ReserveAttributes({"ns3::FabricChannel::DataRate",
                               "ns3::FabricChannel::Delay",
                               "ns3::FabricSwitch::Ports",
                               "ns3::FabricMessageSender::Remote",
                               "ns3::FabricMessageSender::Count",
                               "ns3::FabricMessageSender::Interval",
                               "ns3::FabricMessageSender::Tag",
                               "ns3::FabricInitiatorApplication::Remote",
                               "ns3::FabricInitiatorApplication::Operations",
                               "ns3::FabricInitiatorApplication::Bytes",
                               "ns3::FabricInitiatorApplication::Count",
                               "ns3::FabricInitiatorApplication::Interval",
                               "ns3::Application::StartTime"},
                              "another --workload");
    options.Parse(argc, argv);
    RefuseNone("workload", choices.workloads, WorkloadNames());
    RefuseNone("version", choices.versions, VERSIONS);
    const auto& versions = choices.versions;
    if (choices.bytes > LARGEST_PUSH &&
        std::find(versions.begin(), versions.end(), "transport") != versions.end())
    {
        fabric::ThrowNotAllowed("--bytes",
                                std::to_string(choices.bytes),
                                "up to 2147483647 bytes with --version=transport");
    }
}

/// @return what to run, in order
std::vector<RunPlan>
MakePlans(const fabric::ProgramOptions& options, const Choices& choices)
{
    std::vector<RunPlan> plans;
    for (BenchmarkWorkload workload : BenchmarkWorkloads())
    {
        const auto& names = choices.workloads;
        if (std::find(names.begin(), names.end(), workload.name) == names.end())
        {
            continue;
        }
        workload.bytes = choices.bytes == 0 ? workload.bytes : choices.bytes;
        for (const std::string& version : choices.versions)
        {
            plans.push_back({workload,
                             version,
                             options.GetLookahead(),
                             options.GetThreads(),
                             options.GetCheck(),
                             options.GetProgress()});
        }
    }
    return plans;
}

/// Measures, and prints each row as soon as it is measured.
std::vector<BenchmarkResult>
MeasureAll(const std::vector<RunPlan>& plans,
           uint32_t repeat,
           const std::optional<BenchmarkComparison>& comparison)
{
    std::vector<BenchmarkResult> results;
    fabric::PrintBenchmarkHeader(std::cout);
    if (comparison)
    {
        BenchmarkComparison::PrintHeader(std::cout);
    }
    std::cout << std::endl;
    for (const RunPlan& plan : plans)
    {
        results.push_back(Measure(plan, repeat));
        fabric::PrintBenchmarkRow(std::cout, results.back());
        if (comparison)
        {
            comparison->PrintRatios(std::cout, results.back());
        }
        std::cout << std::endl;
    }
    if (comparison)
    {
        comparison->PrintDifferences(std::cout, results);
    }
    return results;
}

/// Writes the files of `--out`.
void
WriteFiles(fabric::RunDirectory& directory,
           const fabric::Manifest& manifest,
           const std::vector<BenchmarkResult>& results)
{
    uint64_t events = 0;
    for (const BenchmarkResult& result : results)
    {
        events += result.events;
    }
    fabric::WriteBenchmark(directory.Open("bench.csv"), results);
    manifest.Write(directory.Open(fabric::RunDirectory::MANIFEST), events);
    directory.Commit();
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Choices choices;
        fabric::ProgramOptions options("bench-fabric.cc", "Measures the speed of the simulator.");
        Parse(options, choices, argc, argv);
        const fabric::Manifest manifest(options);
        std::optional<BenchmarkComparison> comparison;
        if (!choices.compare.empty())
        {
            comparison.emplace(choices.compare);
        }
        std::optional<fabric::RunDirectory> directory;
        if (!options.GetOut().empty())
        {
            directory.emplace(options.GetOut(), options.GetForce());
        }
        GlobalValue::Bind("SchedulerType", StringValue(choices.scheduler));

        const std::vector<BenchmarkResult> results =
            MeasureAll(MakePlans(options, choices), choices.repeat, comparison);
        if (directory)
        {
            WriteFiles(*directory, manifest, results);
        }
        return fabric::EXIT_DONE;
    });
}
