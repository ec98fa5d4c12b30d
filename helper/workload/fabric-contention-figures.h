/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONTENTION_FIGURES_H
#define FABRIC_CONTENTION_FIGURES_H

#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// What is measured, which says what is worse.
enum class ContentionQuantity
{
    LATENCY,   ///< More is worse.
    BANDWIDTH, ///< Less is worse.
};

/// Values of one ring or other arrangement of ranks: by rank and iteration.
using RankValues = std::vector<std::vector<double>>;

/// Figures with their names.
using NamedFigures = std::vector<std::pair<std::string, double>>;

/**
 * The figures that GPCNeT tells of a test (Chunduri et al., SC'19): min, max, mean, mean of the
 * worst rank of each arrangement (`mean_of_worst`), and what 99 % and 99.9 % of all values are no
 * worse than (nearest rank; of latencies the high end, of bandwidths the low one).
 *
 * @param arrangements at least one, with at least one value of each rank
 */
NamedFigures ContentionFigures(const std::vector<RankValues>& arrangements,
                               ContentionQuantity quantity);

/**
 * @param isolated figures without other traffic
 * @param congested the same with it
 * @return how much worse each of them is, as a ratio: above 1 is worse, whatever is measured
 */
NamedFigures CongestionImpact(const NamedFigures& isolated,
                              const NamedFigures& congested,
                              ContentionQuantity quantity);

} // namespace ns3::fabric

#endif // FABRIC_CONTENTION_FIGURES_H
