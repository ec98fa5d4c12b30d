/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rank-placement.h"

#include "fabric-require.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace ns3::fabric
{

namespace
{

/// @return all hosts, those of each group and of each of its switches in turn
std::vector<uint32_t>
SpreadOrder(const std::vector<HostPlace>& places)
{
    std::map<uint32_t, std::set<uint32_t>> switches; // of each group
    for (const HostPlace& place : places)
    {
        switches[place.group].insert(place.edgeSwitch);
    }
    std::map<uint32_t, uint32_t> turns; // of switches in their groups
    for (const auto& [group, ofGroup] : switches)
    {
        uint32_t turn = 0;
        for (const uint32_t each : ofGroup)
        {
            turns[each] = turn++;
        }
    }
    std::map<uint32_t, uint32_t> hosts; // of each switch so far
    std::vector<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>> order;
    for (uint32_t host = 0; host < places.size(); ++host)
    {
        const HostPlace& place = places[host];
        order.emplace_back(hosts[place.edgeSwitch]++, turns[place.edgeSwitch], place.group, host);
    }
    std::sort(order.begin(), order.end());
    std::vector<uint32_t> sorted;
    for (const auto& each : order)
    {
        sorted.push_back(std::get<3>(each));
    }
    return sorted;
}

} // namespace

std::vector<uint32_t>
FirstHosts(uint32_t ranks)
{
    std::vector<uint32_t> hosts(ranks);
    std::iota(hosts.begin(), hosts.end(), 0);
    return hosts;
}

std::vector<uint32_t>
PlaceRanks(RankPlacement placement,
           const std::vector<HostPlace>& places,
           uint32_t ranks,
           const DrawFunction& draw)
{
    const auto all = static_cast<uint32_t>(places.size());
    RequireRange("PlaceRanks()", "the number of ranks", ranks, 0, all);
    std::vector<uint32_t> hosts = placement == RankPlacement::RANDOM   ? DrawOrder(all, draw)
                                  : placement == RankPlacement::SPREAD ? SpreadOrder(places)
                                                                       : FirstHosts(all);
    hosts.resize(ranks);
    return hosts;
}

} // namespace ns3::fabric
