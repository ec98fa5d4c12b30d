/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BENCHMARK_RESULT_H
#define FABRIC_BENCHMARK_RESULT_H

#include "ns3/fabric-csv-writer.h"

#include <cstdint>
#include <iomanip>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// One measurement of the benchmark: a row of bench.csv.
struct BenchmarkResult
{
    std::string workload;    ///< Name.
    std::string version;     ///< raw, flow, transport or full.
    uint64_t dataHops{0};    ///< Data frames times links.
    uint64_t controlHops{0}; ///< ACK frames times links.
    uint64_t events{0};      ///< ns-3 events.
    double setup{0};         ///< Processor time to build the fabric, s.
    double run{0};           ///< Processor time to run it, s.
    double kibPerHost{0};  ///< Memory held at the end, ns-3's objects included, KiB for each host.
    double allocations{0}; ///< Allocations per data hop in the steady state.
    double simulated{0};   ///< Simulated time, s.
    uint32_t threads{1};   ///< Threads that ran switches.
    double wall{0};        ///< Time that a clock on the wall shows for the run, s.

    /// @return workload and version, for sentences
    std::string Name() const
    {
        return workload + " " + version;
    }

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

/// Prints the header of the table for people.
inline void
PrintBenchmarkHeader(std::ostream& os)
{
    os << "workload  version     data hops  ctrl hops    events  ev/hop  setup s    run s  Mhops/s "
          " "
          "KiB/host  alloc/hop  threads   wall s"
       << std::endl;
}

/// Prints a row of the table for people.
inline void
PrintBenchmarkRow(std::ostream& os, const BenchmarkResult& r)
{
    os << std::fixed << std::left << std::setw(10) << r.workload << std::setw(10) << r.version
       << std::right << std::setw(11) << r.dataHops << std::setw(11) << r.controlHops
       << std::setw(10) << r.events << std::setprecision(3) << std::setw(8) << r.EventsPerHop()
       << std::setw(9) << r.setup << std::setw(9) << r.run << std::setprecision(2) << std::setw(9)
       << r.HopsPerSecond() / 1e6 << std::setprecision(1) << std::setw(10) << r.kibPerHost
       << std::setprecision(4) << std::setw(11) << r.allocations << std::setw(9) << r.threads
       << std::setprecision(3) << std::setw(9) << r.wall << std::endl;
}

/// Writes the table for machines, bench.csv.
inline void
WriteBenchmark(std::ostream& os, const std::vector<BenchmarkResult>& results)
{
    CsvWriter csv(os,
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
    for (const BenchmarkResult& r : results)
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

} // namespace ns3::fabric

#endif // FABRIC_BENCHMARK_RESULT_H
