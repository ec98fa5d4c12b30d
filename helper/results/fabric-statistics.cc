/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-statistics.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ns3::fabric
{

double
NearestRank(const std::vector<double>& sorted, uint32_t permille)
{
    if (sorted.empty() || permille > 1000)
    {
        throw std::invalid_argument("a quantile needs at least one value and a part of 0 to 1000");
    }
    const uint64_t rank = (static_cast<uint64_t>(sorted.size()) * permille + 999) / 1000;
    return sorted[rank == 0 ? 0 : rank - 1];
}

std::vector<std::pair<std::string, double>>
Distribution(std::vector<double> values)
{
    if (values.empty())
    {
        return {};
    }
    std::sort(values.begin(), values.end());
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return {{"min", values.front()},
            {"mean", sum / static_cast<double>(values.size())},
            {"p50", NearestRank(values, 500)},
            {"p90", NearestRank(values, 900)},
            {"p99", NearestRank(values, 990)},
            {"p99.9", NearestRank(values, 999)},
            {"max", values.back()}};
}

} // namespace ns3::fabric
