/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MAX_MIN_H
#define FABRIC_MAX_MIN_H

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <vector>

namespace ns3::fabric
{

/// Part of a flow that goes over each link, by number of the link.
using LinkParts = std::map<std::size_t, double>;

/**
 * Max-min fair shares by water filling: all flows get more and more until a link is full; flows
 * over that link keep what they have, and the others go on.
 *
 * @param flows the links of each flow, at least one; a flow may be divided over several paths
 * @param capacity of each link
 * @return the share of each flow
 */
inline std::vector<double>
MaxMinShares(const std::vector<LinkParts>& flows, double capacity)
{
    std::vector<double> shares(flows.size(), -1); // below 0: not known yet
    for (std::size_t known = 0; known < flows.size();)
    {
        std::map<std::size_t, double> left;
        std::map<std::size_t, double> wanted; // by flows whose share is not known
        for (std::size_t flow = 0; flow < flows.size(); ++flow)
        {
            for (const auto& [link, part] : flows[flow])
            {
                left.try_emplace(link, capacity);
                left[link] -= std::max(shares[flow], 0.0) * part;
                wanted[link] += shares[flow] < 0 ? part : 0;
            }
        }
        double level = std::numeric_limits<double>::max();
        std::size_t full = 0;
        for (const auto& [link, part] : wanted)
        {
            if (part > 0 && left[link] / part < level)
            {
                level = left[link] / part;
                full = link;
            }
        }
        for (std::size_t flow = 0; flow < flows.size(); ++flow)
        {
            if (shares[flow] < 0 && flows[flow].count(full) != 0)
            {
                shares[flow] = level;
                ++known;
            }
        }
    }
    return shares;
}

} // namespace ns3::fabric

#endif // FABRIC_MAX_MIN_H
