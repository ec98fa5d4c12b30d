/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PROGRAM_RUN_H
#define FABRIC_PROGRAM_RUN_H

#include "fabric-manifest.h"
#include "fabric-program-options.h"
#include "fabric-progress-reporter.h"
#include "fabric-run-directory.h"
#include "fabric-run-totals.h"
#include "fabric-summary.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ns3::fabric
{

/**
 * A program from its command line to its results, whatever it simulates: options, the folder of
 * result files, the simulator's run with its progress shown, and the table and files at the end.
 *
 * @code
 * fabric::ProgramRun run("my-program.cc", "What it shows.");
 * run.GetOptions().AddDuration(MilliSeconds(1));
 * run.Parse(argc, argv);
 * // ... build the scenario ...
 * Simulator::Stop(run.GetOptions().Common().duration);
 * run.RunTo(run.GetOptions().Common().duration);
 * run.GetSummary().Add("goodput", {}, goodput, "bit/s");
 * run.Finish(totals);
 * @endcode
 */
class ProgramRun
{
  public:
    /// Writes a program's own files into the folder of results.
    using WriteFiles = std::function<void(RunDirectory&)>;

    /**
     * @param file the program's source file
     * @param usage what the program shows
     */
    ProgramRun(const std::string& file, const std::string& usage);
    virtual ~ProgramRun() = default;

    ProgramRun(const ProgramRun&) = delete;
    ProgramRun& operator=(const ProgramRun&) = delete;

    /// @return the options, to add the program's own
    ProgramOptions& GetOptions()
    {
        return m_options;
    }

    const ProgramOptions& GetOptions() const
    {
        return m_options;
    }

    /**
     * Reads the options and prepares the folder of results, which rank 0 has alone if there are
     * several.
     *
     * @param argc number of arguments
     * @param argv the arguments
     * @param check looks at the options before the folder is made, and throws; may be empty
     * @throws std::invalid_argument with a sentence for the first mistake
     */
    virtual void Parse(int argc, char* argv[], const std::function<void()>& check = {});

    /// @return the figures, to be filled in
    Summary& GetSummary()
    {
        return m_summary;
    }

    /// @return the folder of result files, null without `--out`; after Parse()
    RunDirectory* GetDirectory()
    {
        return m_directory ? &*m_directory : nullptr;
    }

    /**
     * Runs the simulator until it ends, and shows progress.
     *
     * @param source what to ask for it
     */
    void Run(const ProgressReporter::Source& source) const;

    /**
     * Runs until nothing is left to do. On several ranks no progress is shown, since none knows
     * what others have done.
     *
     * @param done part of the work that is done, 0 to 1
     */
    void RunUntilIdle(const std::function<double()>& done) const;

    /**
     * Runs until it is stopped (Simulator::Stop(), FabricNetwork::StopAt()).
     *
     * @param end when it will be, for the progress that is shown
     */
    void RunTo(Time end) const;

    /**
     * Checks conservation, prints the table, writes the files and destroys the simulator. The table
     * and summary.csv have the common figures after the program's own (PR-3).
     *
     * @param totals the common figures
     * @param write writes the program's own files; may be empty
     * @throws InvariantError if the totals do not add up; nothing is written then
     */
    virtual void Finish(const RunTotals& totals, const WriteFiles& write = {});

    /**
     * Ends a program that has printed figures of its own, of one simulation or many: writes its
     * files and the manifest.
     *
     * @param events ns-3 events that were run
     * @throws std::runtime_error if the files could not be written
     */
    void WriteResults(uint64_t events, const WriteFiles& write);

  private:
    /// Makes the process one of several ranks (`--mpi`).
    void JoinRanks() const;
    /// Writes the manifest and gives the files of the folder their names.
    void Commit(uint64_t events);

    ProgramOptions m_options;                ///< What was asked for.
    std::optional<RunDirectory> m_directory; ///< Where files go.
    std::optional<Manifest> m_manifest;      ///< How it is run; after Parse().
    Summary m_summary;                       ///< The figures.
};

} // namespace ns3::fabric

#endif // FABRIC_PROGRAM_RUN_H
