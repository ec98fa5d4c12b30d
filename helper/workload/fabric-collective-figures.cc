/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-collective-figures.h"

#include "fabric-collective-jobs.h"
#include "fabric-collective-names.h"
#include "fabric-csv-writer.h"
#include "fabric-helper.h"
#include "fabric-program.h"
#include "fabric-run-directory.h"
#include "fabric-summary.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// Nothing is sooner than it can be. @param what took the time
void
RequireBound(const std::string& what, TimePs time, double bound)
{
    const double seconds = ToSeconds(time);
    if (seconds < bound)
    {
        throw InvariantError(what + " took " + std::to_string(seconds) +
                             " s, less than its lower bound, " + std::to_string(bound) + " s");
    }
}

/// Adds the distribution of some times.
void
AddTimeDistribution(Summary& summary, const std::string& metric, const std::vector<TimePs>& times)
{
    std::vector<double> seconds;
    for (const TimePs time : times)
    {
        seconds.push_back(ToSeconds(time));
    }
    summary.AddDistribution(metric, {}, seconds, "s");
}

} // namespace

CollectiveFigures::CollectiveFigures(const FabricContainer& fabric,
                                     const CollectiveJobs& jobs,
                                     CollectiveTimes times)
    : m_fabric(fabric),
      m_jobs(jobs),
      m_times(std::move(times))
{
    // A job is not done before a rank that is late begins, whatever has come for it until then.
    std::transform(m_times.ranks.begin(),
                   m_times.ranks.end(),
                   jobs.lateness.begin(),
                   m_times.ranks.begin(),
                   std::plus<>());
}

void
CollectiveFigures::AddTimes(Summary& summary, bool isMixed) const
{
    const double bound = m_jobs.EarliestEnd();
    RequireBound("the collective", m_times.completion, bound);
    summary.AddTime("completion_time", {}, m_times.completion);
    summary.Add("lower_bound", {}, bound, "s");
    if (!isMixed)
    {
        summary.Add("algorithm_bandwidth",
                    {},
                    8 * static_cast<double>(m_jobs.jobs.front().bytes) /
                        ToSeconds(m_times.completion),
                    "bit/s");
    }
}

void
CollectiveFigures::AddRankTimes(Summary& summary) const
{
    AddTimeDistribution(summary, "rank_time", m_times.ranks);
}

void
CollectiveFigures::AddJobTimes(Summary& summary) const
{
    const std::vector<TimePs> times = TimesOfJobs();
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        RequireBound("job " + std::to_string(m_jobs.numbers[i]), times[i], m_jobs.lowerBounds[i]);
    }
    if (times.size() > 1)
    {
        AddTimeDistribution(summary, "job_time", times);
    }
}

void
CollectiveFigures::Write(RunDirectory& directory) const
{
    WriteRanks(directory);
    WriteJobs(directory);
}

std::vector<TimePs>
CollectiveFigures::TimesOfJobs() const
{
    std::vector<TimePs> times;
    auto first = m_times.ranks.begin();
    for (const CollectiveJob& job : m_jobs.jobs)
    {
        times.push_back(*std::max_element(first, first + job.ranks));
        first += job.ranks;
    }
    return times;
}

void
CollectiveFigures::WriteRanks(RunDirectory& directory) const
{
    CsvWriter csv(directory.Open("ranks.csv"),
                  {"rank", "host", "switch", "group", "time_s", "job"});
    uint32_t first = 0;
    for (std::size_t job = 0; job < m_jobs.jobs.size(); ++job)
    {
        for (uint32_t rank = 0; rank < m_jobs.jobs[job].ranks; ++rank)
        {
            const uint32_t host = m_jobs.hosts[first + rank];
            const uint32_t edgeSwitch = m_fabric.edgeSwitches[host];
            const uint32_t group = m_fabric.groups[edgeSwitch];
            csv.Row(rank,
                    host,
                    edgeSwitch,
                    group == NO_GROUP ? std::nullopt : std::optional(group),
                    ToSeconds(m_times.ranks[first + rank]),
                    m_jobs.numbers[job]);
        }
        first += m_jobs.jobs[job].ranks;
    }
}

void
CollectiveFigures::WriteJobs(RunDirectory& directory) const
{
    CsvWriter csv(directory.Open("jobs.csv"),
                  {"job", "collective", "hosts", "bytes", "start_s", "time_s", "lower_bound_s"});
    const std::vector<TimePs> times = TimesOfJobs();
    for (std::size_t i = 0; i < m_jobs.jobs.size(); ++i)
    {
        const CollectiveJob& job = m_jobs.jobs[i];
        csv.Row(m_jobs.numbers[i],
                NameOf(job.collective),
                job.ranks,
                job.bytes,
                ToSeconds(job.start),
                ToSeconds(times[i]),
                m_jobs.lowerBounds[i]);
    }
}

} // namespace ns3::fabric
