/* SPDX-License-Identifier: GPL-2.0-only */

// The benchmark (90-performance.md): packet-hops per second of processor time for given workloads,
// one row each. One frame or ACK frame over one link is one hop.

#include "fabric-allocation-count.h"
#include "fabric-benchmark-result.h"
#include "fabric-benchmark-traffic.h"
#include "fabric-benchmark-workload.h"

#include "ns3/boolean.h"
#include "ns3/fabric-dragonfly-helper.h"
#include "ns3/fabric-fat-tree-helper.h"
#include "ns3/fabric-program-run.h"
#include "ns3/fabric-program.h"
#include "ns3/global-value.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <memory>
#include <numeric>
#include <stdexcept>

// test/python/test_bench_guards.py counts the instructions between these two by valgrind's
// callgrind.
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

using namespace ns3;

using fabric::BenchmarkResult;
using fabric::BenchmarkWorkload;
using fabric::BenchmarkWorkloads;

namespace
{

/// @return whether hosts send by the reliable transport
bool
HasTransport(const std::string& version)
{
    return version == "transport" || version == "full";
}

/// @return a lane for pushes and one for writes, which share links evenly
fabric::LaneTable
TwoLanes()
{
    constexpr uint8_t WRITES = fabric::BenchmarkEngines::WRITES;
    fabric::LaneTable table;
    table.lanes = {{0, 0, 0, 0, false}, {1, 0, 1, WRITES, false}};
    table.groups = {{0, fabric::GroupSettings::FULL_SHARE / 2},
                    {1, fabric::GroupSettings::FULL_SHARE / 2}};
    return table;
}

/// What to run.
struct RunPlan
{
    BenchmarkWorkload workload; ///< What is sent.
    std::string version;        ///< raw, flow, transport or full.
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
        m_allocations = fabric::Allocations().calls;
    }

    /// The steady state ends.
    void End()
    {
        m_allocations = fabric::Allocations().calls - m_allocations;
        m_dataHops = m_network->GetTotals().dataHops - m_dataHops;
    }

    Ptr<FabricNetwork> m_network; ///< The fabric.
    uint64_t m_allocations{0};    ///< Before the steady state, then in it.
    uint64_t m_dataHops{0};       ///< Before the steady state, then in it.
};

/// What a run takes from the heap.
struct HeapUse
{
    double allocations; ///< In the steady state, per data hop.
    double kibPerHost;  ///< Held at the end, KiB per host.
};

/// One run of a workload.
class BenchmarkRun
{
  public:
    /**
     * Builds the fabric.
     *
     * @param run says how
     * @param plan what to run
     */
    BenchmarkRun(const fabric::ProgramRun& run, const RunPlan& plan)
        : m_run(run),
          m_plan(plan)
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
        Run(true);
        return m_result;
    }

    /// @return what is counted of the heap; `until`: see SteadyState
    HeapUse MeasureHeap(double until)
    {
        const SteadyState steady(m_fabric.network, until);
        Run(false); // it would allocate
        const uint64_t bytes = fabric::Allocations().bytes - m_bytesBefore;
        return {steady.Measure(), static_cast<double>(bytes) / 1024 / m_fabric.hosts.GetN()};
    }

    /// @return until when a steady state lasts, s: nobody is done, or the last is not
    double SteadyUntil() const
    {
        // A pair's messages come one after another, and so do random ones and the pushes that an
        // incast's target grants: the first is complete while others are still being set up.
        const auto pattern = m_plan.workload.pattern;
        const bool isInTurn =
            pattern == fabric::BenchmarkPattern::PAIR ||
            pattern == fabric::BenchmarkPattern::UNIFORM ||
            (pattern == fabric::BenchmarkPattern::INCAST && HasTransport(m_plan.version));
        return fabric::ToSeconds(isInTurn ? m_traffic->GetLast() : m_traffic->GetFirst());
    }

  private:
    /// Builds the fabric.
    void Build()
    {
        const BenchmarkWorkload& workload = m_plan.workload;
        if (workload.radix != 0)
        {
            BuildBy(FatTreeHelper(workload.radix));
            return;
        }
        DragonflyHelper helper(workload.dragonfly);
        helper.SetChannelAttribute(fabric::LinkClass::GLOBAL,
                                   "Delay",
                                   TimeValue(PicoSeconds(workload.globalDelay)));
        BuildBy(helper);
    }

    /// Builds the fabric. @param helper of its topology
    template <typename Helper>
    void BuildBy(Helper helper)
    {
        const BenchmarkWorkload& workload = m_plan.workload;
        helper.SetStream(1); // so that every run does the same work
        helper.SetOptions(m_run.GetOptions());
        helper.SetSwitchAttribute("FlowChannels", BooleanValue(m_plan.version != "raw"));
        if (m_plan.version == "full")
        {
            helper.SetLaneTable(TwoLanes());
        }
        helper.SetChannelAttribute("DataRate",
                                   DataRateValue(DataRate(workload.gbps * 1'000'000'000)));
        helper.SetChannelAttribute("Delay", TimeValue(PicoSeconds(workload.delay)));
        m_fabric = helper.Install();
    }

    /// Installs what sends.
    void MakeTraffic()
    {
        const bool isRandom = m_plan.workload.pattern == fabric::BenchmarkPattern::UNIFORM;
        if (isRandom && m_plan.version == "transport")
        {
            m_traffic = std::make_unique<fabric::BenchmarkRandomPushes>(m_fabric);
        }
        else if (isRandom)
        {
            m_traffic = std::make_unique<fabric::BenchmarkRandomMessages>(m_fabric);
        }
        else if (m_plan.version == "full")
        {
            m_traffic = std::make_unique<fabric::BenchmarkEngines>(m_fabric);
        }
        else if (m_plan.version == "transport")
        {
            m_traffic = std::make_unique<fabric::BenchmarkPushes>(m_fabric);
        }
        else
        {
            m_traffic = std::make_unique<fabric::BenchmarkMessages>(m_fabric);
        }
        m_traffic->Install(m_plan.workload);
    }

    /// Runs until all is delivered.
    void Run(bool showsProgress)
    {
        uint64_t delivered = 0;
        const uint64_t messages = m_traffic->GetMessages();
        m_traffic->SetCallback([&delivered] { ++delivered; });
        const auto done = [this] {
            const FabricTotals totals = m_fabric.network->GetTotals();
            // The headers of the transport are payload of the fabric.
            return std::min(1.0,
                            static_cast<double>(totals.delivered) /
                                static_cast<double>(m_traffic->GetBytes()));
        };
        const auto active = [messages, &delivered] { return delivered < messages; };
        const auto wallStart = std::chrono::steady_clock::now();
        const double start = ProcessorTime();
        CALLGRIND_START_INSTRUMENTATION;
        showsProgress ? m_run.Run({active, done}) : Simulator::Run();
        CALLGRIND_STOP_INSTRUMENTATION;
        m_result.run = ProcessorTime() - start;
        m_result.wall =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - wallStart).count();
        m_result.threads = m_fabric.network->GetThreads();
        m_traffic->SetCallback([] {});
        if (delivered != messages)
        {
            Break("the run ended with " + std::to_string(delivered) + " of " +
                  std::to_string(messages) + " messages delivered");
        }
        if (const uint64_t untold = m_traffic->GetUntold())
        {
            Break("the run ended with " + std::to_string(untold) + " writes left");
        }
        if (m_run.GetOptions().Common().check)
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
    }

    /// @param what is broken
    [[noreturn]] void Break(const std::string& what) const
    {
        throw fabric::InvariantError(m_result.Name() + ": " + what);
    }

    const fabric::ProgramRun& m_run;                     ///< How to run it.
    uint64_t m_bytesBefore{fabric::Allocations().bytes}; ///< Held when it began.
    RunPlan m_plan;                                      ///< What to run.
    FabricContainer m_fabric;                            ///< The fabric.
    std::unique_ptr<fabric::BenchmarkTraffic> m_traffic; ///< What is sent, and was delivered.
    BenchmarkResult m_result;                            ///< What was measured.
};

/**
 * @param run says how
 * @param plan what to run
 * @param repeat how often
 * @return the run of median speed, with the use of the heap by one more run
 */
BenchmarkResult
Measure(const fabric::ProgramRun& run, const RunPlan& plan, uint32_t repeat)
{
    std::vector<BenchmarkResult> results;
    double steadyUntil = 0;
    for (uint32_t i = 0; i < repeat; ++i)
    {
        BenchmarkRun one(run, plan);
        results.push_back(one.Measure());
        steadyUntil = one.SteadyUntil();
    }
    std::sort(results.begin(), results.end(), [](const auto& a, const auto& b) {
        return a.wall < b.wall;
    });
    BenchmarkResult median = results[results.size() / 2];
    // To count costs a fiftieth of the time where many messages begin.
    fabric::Allocations().on = true;
    const HeapUse heap = BenchmarkRun(run, plan).MeasureHeap(steadyUntil);
    fabric::Allocations().on = false;
    median.allocations = heap.allocations;
    median.kibPerHost = heap.kibPerHost;
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

/// Largest push of the transport, bytes.
constexpr uint64_t LARGEST_PUSH = 0x7FFFFFFF;

/// What the command line asks for beyond the common options.
struct Choices
{
    std::vector<std::string> workloads{"P128", "P1024", "I100"}; ///< `--workload`
    std::vector<std::string> versions{"raw", "flow"};            ///< `--version`
    std::string scheduler{"ns3::PriorityQueueScheduler"};        ///< `--scheduler`
    uint32_t repeat{3};                                          ///< `--repeat`
    uint64_t bytes{0};                                           ///< `--bytes`
};

/// Adds the options.
void
AddOptions(fabric::ProgramOptions& options, Choices& choices)
{
    options.Add("workload",
                "workloads to run",
                choices.workloads,
                fabric::ChoicesType(WorkloadNames(), 1));
    options.Add("version",
                "raw frames, flow channels, the reliable transport over these, or that beside "
                "command queues, with arbitration between two virtual lanes",
                choices.versions,
                fabric::ChoicesType({"raw", "flow", "transport", "full"}, 1));
    options.Add("scheduler",
                "ns-3 scheduler",
                choices.scheduler,
                fabric::ChoiceType({"ns3::HeapScheduler",
                                    "ns3::MapScheduler",
                                    "ns3::CalendarScheduler",
                                    "ns3::PriorityQueueScheduler"}));
    options.Add("repeat",
                "runs of each, of which the median is reported",
                choices.repeat,
                fabric::CountType(1U, 99U));
    options.Add("bytes",
                "bytes sent by each sender, 0 for the workload's own",
                choices.bytes,
                fabric::SizeType(0, uint64_t{1} << 40));
    options.ReserveAttributes({"SchedulerType"}, "--scheduler");
    options.ReserveAttributes({"ns3::FabricSwitch::FlowChannels"}, "--version");
    options.ReserveAttributes({"ns3::FabricMessageSender::Bytes"}, "--bytes");
    options.ReserveAttributes({"ns3::FabricChannel::DataRate",
                               "ns3::FabricChannel::Delay",
                               "ns3::FabricSwitch::Ports",
                               "ns3::FabricMessageSender::Remote",
                               "ns3::FabricMessageSender::Count",
                               "ns3::FabricMessageSender::Interval",
                               "ns3::FabricMessageSender::Tag",
                               "ns3::FabricCommandApplication::Remote",
                               "ns3::FabricCommandApplication::Bytes",
                               "ns3::FabricCommandApplication::Count",
                               "ns3::FabricCommandApplication::Interval",
                               "ns3::FabricCommandApplication::TrafficClass",
                               "ns3::FabricInitiatorApplication::Remote",
                               "ns3::FabricInitiatorApplication::Operations",
                               "ns3::FabricInitiatorApplication::Bytes",
                               "ns3::FabricInitiatorApplication::Count",
                               "ns3::FabricInitiatorApplication::Interval",
                               "ns3::Application::StartTime"},
                              "another --workload");
}

/// @return whether a workload is to be run
bool
Chooses(const Choices& choices, const BenchmarkWorkload& workload)
{
    const auto& names = choices.workloads;
    return std::find(names.begin(), names.end(), workload.name) != names.end();
}

/// Refuses options that do not go together.
void
CheckOptions(const Choices& choices)
{
    const auto& versions = choices.versions;
    if (choices.bytes > LARGEST_PUSH && std::any_of(versions.begin(), versions.end(), HasTransport))
    {
        fabric::ThrowNotAllowed("--bytes",
                                std::to_string(choices.bytes),
                                "up to 2147483647 bytes with --version=transport");
    }
    const bool isFull = std::find(versions.begin(), versions.end(), "full") != versions.end();
    for (const BenchmarkWorkload& workload : BenchmarkWorkloads())
    {
        // Its two lanes need channels of their own, and paths of a dragonfly need all there are.
        const bool isDragonfly = workload.radix == 0;
        if (isDragonfly && isFull && Chooses(choices, workload))
        {
            fabric::ThrowNotAllowed("--version",
                                    "full",
                                    "raw, flow or transport with --workload=" + workload.name);
        }
    }
}

/// @return what to run, in order
std::vector<RunPlan>
MakePlans(const Choices& choices)
{
    std::vector<RunPlan> plans;
    for (BenchmarkWorkload workload : BenchmarkWorkloads())
    {
        if (!Chooses(choices, workload))
        {
            continue;
        }
        workload.bytes = choices.bytes == 0 ? workload.bytes : choices.bytes;
        for (const std::string& version : choices.versions)
        {
            plans.push_back({workload, version});
        }
    }
    return plans;
}

/// Measures, and prints each row as soon as it is measured.
std::vector<BenchmarkResult>
MeasureAll(const fabric::ProgramRun& run, const Choices& choices)
{
    std::vector<BenchmarkResult> results;
    fabric::PrintBenchmarkHeader(std::cout);
    for (const RunPlan& plan : MakePlans(choices))
    {
        results.push_back(Measure(run, plan, choices.repeat));
        fabric::PrintBenchmarkRow(std::cout, results.back());
    }
    return results;
}

/// @return ns-3 events of all runs
uint64_t
CountEvents(const std::vector<BenchmarkResult>& results)
{
    return std::accumulate(
        results.begin(),
        results.end(),
        uint64_t{0},
        [](uint64_t events, const BenchmarkResult& result) { return events + result.events; });
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Choices choices;
        fabric::ProgramRun run("bench-fabric.cc", "Measures the speed of the simulator.");
        AddOptions(run.GetOptions(), choices);
        run.Parse(argc, argv, [&choices] { CheckOptions(choices); });
        GlobalValue::Bind("SchedulerType", StringValue(choices.scheduler));

        const std::vector<BenchmarkResult> results = MeasureAll(run, choices);
        run.WriteResults(CountEvents(results), [&results](fabric::RunDirectory& directory) {
            fabric::WriteBenchmark(directory.Open("bench.csv"), results);
        });
        return fabric::EXIT_DONE;
    });
}
