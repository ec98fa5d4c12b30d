/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-collective-bound.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::fabric
{

namespace
{

/// @return time of bytes on the slowest of some links, s
double
TimeOnSlowest(double bytes, const std::vector<uint64_t>& rates)
{
    return 8 * bytes / static_cast<double>(*std::min_element(rates.begin(), rates.end()));
}

} // namespace

double
LeastRankBytes(Collective collective, uint32_t ranks, uint64_t bytes)
{
    switch (collective)
    {
    case Collective::ALLREDUCE_RING:
    case Collective::ALLREDUCE_TREE:
    case Collective::ALLREDUCE_HALVING:
    case Collective::ALLREDUCE_DOUBLING:
    case Collective::ALLREDUCE_DOUBLE_TREE:
        return ranks == 1 ? 0 : static_cast<double>(bytes);
    case Collective::ALLGATHER:
    case Collective::ALLTOALL:
    case Collective::ALLGATHER_BRUCK:
    case Collective::ALLTOALL_BRUCK:
        return std::floor(LeastLinkBytes(collective, ranks, bytes)); // some parts have a byte more
    default:
        return LeastLinkBytes(collective, ranks, bytes);
    }
}

double
LeastTime(Collective collective, uint64_t bytes, const std::vector<uint64_t>& rates)
{
    const auto ranks = static_cast<uint32_t>(rates.size());
    const double together = std::accumulate(rates.begin(), rates.end(), 0.0);
    return std::max(TimeOnSlowest(LeastRankBytes(collective, ranks, bytes), rates),
                    8 * LeastLinkBytes(collective, ranks, bytes) / (together / ranks));
}

double
LeastTimeInSwitches(uint64_t bytes, const std::vector<uint64_t>& rates)
{
    return TimeOnSlowest(static_cast<double>(bytes), rates);
}

} // namespace ns3::fabric
