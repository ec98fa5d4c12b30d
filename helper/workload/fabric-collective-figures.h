/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COLLECTIVE_FIGURES_H
#define FABRIC_COLLECTIVE_FIGURES_H

#include "fabric-types.h"

#include <string>
#include <vector>

namespace ns3
{

struct FabricContainer;

namespace fabric
{

struct CollectiveJobs;
class RunDirectory;
class Summary;

/// When collectives were over.
struct CollectiveTimes
{
    TimePs completion;         ///< Of all, since the begin, ps.
    std::vector<TimePs> ranks; ///< By rank, of one job after the other, each since it began, ps.
};

/// What is told of collectives that are done.
class CollectiveFigures
{
  public:
    /**
     * @param fabric on which they ran
     * @param jobs with lower bounds; both outlive it
     * @param times when they were over
     */
    CollectiveFigures(const FabricContainer& fabric,
                      const CollectiveJobs& jobs,
                      CollectiveTimes times);

    /**
     * Adds the time of all, and what it was at least.
     *
     * @param isMixed whether jobs are of different kinds, which have no bandwidth in common
     * @throws InvariantError if they took less
     */
    void AddTimes(Summary& summary, bool isMixed) const;

    /// Adds the distribution of the ranks' times since their jobs' starts.
    void AddRankTimes(Summary& summary) const;

    /// Adds the distribution of the jobs' times, until the last rank is through, if there are
    /// several.
    /// @throws InvariantError if one took less than it can
    void AddJobTimes(Summary& summary) const;

    /// Writes where each rank is and when it was through, and what each job was and how long it
    /// took.
    void Write(RunDirectory& directory) const;

  private:
    /// @return how long each job took, ps
    std::vector<TimePs> TimesOfJobs() const;

    /// Writes ranks.csv.
    void WriteRanks(RunDirectory& directory) const;

    /// Writes jobs.csv.
    void WriteJobs(RunDirectory& directory) const;

    const FabricContainer& m_fabric; ///< On which they ran.
    const CollectiveJobs& m_jobs;    ///< What was done.
    CollectiveTimes m_times;         ///< When it was over, ranks since the start of their jobs.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_COLLECTIVE_FIGURES_H
