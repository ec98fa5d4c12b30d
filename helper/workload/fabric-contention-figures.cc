/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-contention-figures.h"

#include "fabric-statistics.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>

namespace ns3::fabric
{

namespace
{

/// @return the mean of values, added up in ascending order, so that it does not depend on theirs
double
MeanOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// @return the mean of the worst rank; of what is worse the higher it is
double
WorstMean(const RankValues& ranks)
{
    std::vector<double> means;
    std::transform(ranks.begin(), ranks.end(), std::back_inserter(means), MeanOf);
    return *std::max_element(means.begin(), means.end());
}

} // namespace

NamedFigures
ContentionFigures(const std::vector<RankValues>& arrangements, ContentionQuantity quantity)
{
    // Bandwidths count below zero here, so that more is worse of both.
    const double sign = quantity == ContentionQuantity::LATENCY ? 1 : -1;
    std::vector<double> all;
    std::vector<double> worst;
    for (RankValues ranks : arrangements)
    {
        for (std::vector<double>& values : ranks)
        {
            std::transform(values.begin(), values.end(), values.begin(), [sign](double value) {
                return sign * value;
            });
            all.insert(all.end(), values.begin(), values.end());
        }
        worst.push_back(WorstMean(ranks));
    }
    std::sort(all.begin(), all.end());
    const auto [least, most] = std::minmax({sign * all.front(), sign * all.back()});
    return {{"min", least},
            {"max", most},
            {"mean", sign * MeanOf(all)},
            {"mean_of_worst", sign * MeanOf(worst)},
            {"p99", sign * NearestRank(all, 990)},
            {"p99.9", sign * NearestRank(all, 999)}};
}

NamedFigures
CongestionImpact(const NamedFigures& isolated,
                 const NamedFigures& congested,
                 ContentionQuantity quantity)
{
    NamedFigures impact;
    for (std::size_t i = 0; i < isolated.size(); ++i)
    {
        const double ratio = congested[i].second / isolated[i].second;
        impact.emplace_back(isolated[i].first,
                            quantity == ContentionQuantity::LATENCY ? ratio : 1 / ratio);
    }
    return impact;
}

} // namespace ns3::fabric
