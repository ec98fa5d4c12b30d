/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COLLECTIVE_JOBS_H
#define FABRIC_COLLECTIVE_JOBS_H

#include "fabric-exchange-plan.h"
#include "fabric-job-list.h"
#include "fabric-types.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

struct FabricContainer;

namespace fabric
{

class CollectivePlayer;

/// Collectives that run beside each other, each on hosts of its own.
struct CollectiveJobs
{
    std::vector<CollectiveJob> jobs;    ///< At least one.
    std::vector<std::size_t> numbers{}; ///< Of the jobs, of which only some may run.
    std::vector<uint32_t> hosts{};      ///< By rank, of one job after the other.
    std::vector<TimePs> lateness{};     ///< Of ranks after the start of their job, by rank, ps.
    std::vector<double> lowerBounds{};  ///< The shortest times that they can take, s.

    /// @return ranks of all jobs
    uint32_t Ranks() const;

    /**
     * @param only numbers of some of the jobs
     * @return these, on the hosts and with the lateness that they have anyway, without lower bounds
     * @throws BadInput if there is no job of a number
     */
    CollectiveJobs Select(const std::vector<uint64_t>& only) const;

    /**
     * Finds the lower bounds.
     *
     * @param fabric that has the hosts
     * @param inSwitches whether switches make the sums
     */
    void FindLowerBounds(const FabricContainer& fabric, bool inSwitches);

    /// @return the earliest end that all can have, s; the lower bounds are known
    double EarliestEnd() const;

    /// @return the plan of all jobs
    ExchangePlan Plan() const;

    /// Lets jobs begin when they are to, and ranks that are late after that.
    void SetStarts(CollectivePlayer& player) const;
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_COLLECTIVE_JOBS_H
