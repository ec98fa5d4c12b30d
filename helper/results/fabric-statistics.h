/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_STATISTICS_H
#define FABRIC_STATISTICS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * A quantile by nearest rank: the smallest of n values that at least the given part of them do not
 * exceed, which is the ceil(n x part)-th smallest. It is always one of the values.
 *
 * @param sorted values in ascending order, at least one
 * @param permille the part in thousandths, 0..1000 (integer, so that the rank is exact); 0 gives
 * the minimum
 * @return the quantile
 * @throws std::invalid_argument for no values or a part beyond 1000
 */
double NearestRank(const std::vector<double>& sorted, uint32_t permille);

/**
 * @param values any values, in any order
 * @return min, mean, p50, p90, p99, p99.9 and max with their names; nothing for no values. The mean
 * adds up in ascending order, so that it does not depend on the order given.
 */
std::vector<std::pair<std::string, double>> Distribution(std::vector<double> values);

} // namespace ns3::fabric

#endif // FABRIC_STATISTICS_H
