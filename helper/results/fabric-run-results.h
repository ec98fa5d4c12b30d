/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RUN_RESULTS_H
#define FABRIC_RUN_RESULTS_H

#include "fabric-manifest.h"
#include "fabric-program-options.h"
#include "fabric-run-directory.h"
#include "fabric-run-totals.h"
#include "fabric-summary.h"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

namespace ns3
{
namespace fabric
{

/**
 * How every run ends (PR-3): a table on standard output and, with `--out`, summary.csv, the
 * program's own files and manifest.json.
 */
class RunResults
{
  public:
    /**
     * Prepares the folder of `--out`, so that a mistake there shows before the run, and begins the
     * manifest.
     *
     * @param options the options, after Parse(); outlives the results
     * @throws std::invalid_argument see RunDirectory
     */
    explicit RunResults(const ProgramOptions& options);

    /// @return the figures, to be filled in
    Summary& GetSummary();

    /// @return the folder of result files, null without `--out`
    RunDirectory* GetDirectory();

    /**
     * Adds the common figures, checks conservation where `--check` asks for it, prints the table
     * and writes the files.
     *
     * @param totals the common figures
     * @param events ns-3 events that were run
     * @param os where the table for people goes
     * @throws InvariantError if `--check` found a breach; nothing is written then
     * @throws std::runtime_error if the files could not be written
     */
    void Finish(const RunTotals& totals, uint64_t events, std::ostream& os);

    /**
     * Ends a run that has said its figures itself: writes the manifest, and gives the files of the
     * folder their names.
     *
     * @param events ns-3 events that were run
     * @throws std::runtime_error if the files could not be written
     */
    void Commit(uint64_t events);

  private:
    const ProgramOptions& m_options;         ///< What was asked for.
    std::optional<RunDirectory> m_directory; ///< Where files go.
    Manifest m_manifest;                     ///< How it was run.
    Summary m_summary;                       ///< The figures.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_RUN_RESULTS_H
