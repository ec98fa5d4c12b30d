/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-collective-jobs.h"

#include "fabric-collective-bound.h"
#include "fabric-collective-plan.h"
#include "fabric-collective-player.h"
#include "fabric-helper.h"
#include "fabric-option-type.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace ns3::fabric
{

uint32_t
CollectiveJobs::Ranks() const
{
    return std::accumulate(jobs.begin(), jobs.end(), 0U, [](uint32_t sum, const auto& job) {
        return sum + job.ranks;
    });
}

CollectiveJobs
CollectiveJobs::Select(const std::vector<uint64_t>& only) const
{
    for (const uint64_t number : only)
    {
        if (number >= jobs.size())
        {
            ThrowNotAllowed("--onlyJobs",
                            std::to_string(number),
                            "numbers below " + std::to_string(jobs.size()) +
                                ", as many as there are jobs");
        }
    }
    CollectiveJobs some;
    uint32_t first = 0;
    const auto take = [&first](const auto& all, uint32_t ranks, auto& taken) {
        const auto begin = all.begin() + first;
        taken.insert(taken.end(), begin, begin + ranks);
    };
    for (std::size_t number = 0; number < jobs.size(); ++number)
    {
        const CollectiveJob& job = jobs[number];
        if (std::find(only.begin(), only.end(), number) != only.end())
        {
            some.jobs.push_back(job);
            some.numbers.push_back(number);
            take(hosts, job.ranks, some.hosts);
            take(lateness, job.ranks, some.lateness);
        }
        first += job.ranks;
    }
    return some;
}

void
CollectiveJobs::FindLowerBounds(const FabricContainer& fabric, bool inSwitches)
{
    lowerBounds.clear();
    auto host = hosts.begin();
    for (const CollectiveJob& job : jobs)
    {
        std::vector<uint64_t> rates;
        for (uint32_t rank = 0; rank < job.ranks; ++rank)
        {
            rates.push_back(fabric.hostLinks[*host++]->GetRate().BitsPerSecond());
        }
        lowerBounds.push_back(inSwitches ? LeastTimeInSwitches(job.bytes, rates)
                                         : LeastTime(job.collective, job.bytes, rates));
    }
}

double
CollectiveJobs::EarliestEnd() const
{
    double end = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i)
    {
        end = std::max(end, ToSeconds(jobs[i].start) + lowerBounds[i]);
    }
    return end;
}

ExchangePlan
CollectiveJobs::Plan() const
{
    const CollectiveJob& one = jobs.front();
    std::vector<ExchangePlan> plans;
    plans.reserve(jobs.size());
    std::vector<const ExchangePlan*> ofJobs;
    for (const CollectiveJob& job : jobs)
    {
        const bool isKnown = !plans.empty() && job.collective == one.collective &&
                             job.ranks == one.ranks && job.bytes == one.bytes;
        if (!isKnown)
        {
            plans.push_back(PlanCollective(job.collective, job.ranks, job.bytes, job.pieces));
        }
        ofJobs.push_back(isKnown ? &plans.front() : &plans.back());
    }
    return PlanJobs(ofJobs);
}

void
CollectiveJobs::SetStarts(CollectivePlayer& player) const
{
    auto late = lateness.begin();
    uint32_t rank = 0;
    for (const CollectiveJob& job : jobs)
    {
        for (uint32_t i = 0; i < job.ranks; ++i)
        {
            player.Delay(rank++, job.start + *late++);
        }
    }
}

} // namespace ns3::fabric
