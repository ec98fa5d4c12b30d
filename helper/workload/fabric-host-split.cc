/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-host-split.h"

#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// @return which of `count` that are spread evenly over `places` is at a place, as those before it
uint64_t
SpreadBefore(uint64_t place, uint64_t count, uint64_t places)
{
    return place * count / places;
}

/**
 * @param used hosts that have a job
 * @return these, in the order in which they are given out: victims' first
 */
std::vector<uint32_t>
Interleave(uint32_t hosts, uint32_t victims, uint32_t used)
{
    std::vector<uint32_t> jobs[2];
    for (uint64_t i = 0; i < used; ++i)
    {
        const bool isVictim = SpreadBefore(i, victims, used) != SpreadBefore(i + 1, victims, used);
        jobs[isVictim ? 0 : 1].push_back(static_cast<uint32_t>(SpreadBefore(i, hosts, used)));
    }
    jobs[0].insert(jobs[0].end(), jobs[1].begin(), jobs[1].end());
    return jobs[0];
}

} // namespace

std::vector<uint32_t>
DrawOrder(uint32_t n, const DrawFunction& draw)
{
    std::vector<uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    for (uint32_t i = n; i > 1; --i)
    {
        std::swap(order[i - 1], order[draw(i)]);
    }
    return order;
}

HostSplit::HostSplit(uint32_t hosts,
                     uint32_t victims,
                     uint32_t aggressors,
                     JobPlacement placement,
                     const DrawFunction& draw)
{
    const uint64_t used = uint64_t{victims} + aggressors;
    if (used > hosts)
    {
        throw std::invalid_argument(std::to_string(victims) + " victims and " +
                                    std::to_string(aggressors) + " aggressors do not fit on " +
                                    std::to_string(hosts) + " hosts");
    }
    std::vector<uint32_t> order;
    if (placement == JobPlacement::RANDOM)
    {
        order = DrawOrder(hosts, draw);
    }
    else if (placement == JobPlacement::INTERLEAVED)
    {
        order = Interleave(hosts, victims, static_cast<uint32_t>(used));
    }
    else
    {
        order.resize(hosts);
        std::iota(order.begin(), order.end(), 0);
    }
    const auto begin = order.begin() + victims;
    this->victims.assign(order.begin(), begin);
    this->aggressors.assign(begin, begin + aggressors);
}

} // namespace ns3::fabric
