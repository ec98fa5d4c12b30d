/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rank-placement.h"
#include "fabric-topology.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return where hosts are in groups of some switches each, with some hosts each
std::vector<HostPlace>
PlacesOf(uint32_t groups, uint32_t switches, uint32_t hosts)
{
    std::vector<HostPlace> places;
    for (uint32_t i = 0; i < groups * switches * hosts; ++i)
    {
        places.push_back({i / hosts / switches, i / hosts});
    }
    return places;
}

/// Groups first, then switches, then hosts of a switch, by hand.
void
TestSpread(FunctionCase& self)
{
    const auto spread = [](const std::vector<HostPlace>& places, uint32_t ranks) {
        return PlaceRanks(RankPlacement::SPREAD, places, ranks, {});
    };
    using Hosts = std::vector<uint32_t>;
    self.Expect(spread(PlacesOf(3, 2, 2), 7) == Hosts{0, 4, 8, 2, 6, 10, 1}, "groups");
    // Without groups all switches are one.
    const std::vector<HostPlace> row{{NO_GROUP, 0}, {NO_GROUP, 0}, {NO_GROUP, 1}, {NO_GROUP, 2}};
    self.Expect(spread(row, 4) == Hosts{0, 2, 3, 1}, "switches without groups");
    // The first group has one host only, the second one two switches.
    const std::vector<HostPlace> uneven{{0, 0}, {1, 1}, {1, 1}, {1, 2}};
    self.Expect(spread(uneven, 4) == Hosts{0, 1, 3, 2}, "groups of other sizes");
}

/// Whatever the placement, no host has two ranks; spread ranks are as even as can be.
void
TestRanks(FunctionCase& self)
{
    std::mt19937 random(5);
    const auto draw = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    for (uint32_t round = 0; round < 200; ++round)
    {
        const uint32_t groups = 1 + random() % 5;
        const uint32_t switches = 1 + random() % 4;
        const uint32_t each = 1 + random() % 4;
        const std::vector<HostPlace> places = PlacesOf(groups, switches, each);
        const auto ranks = static_cast<uint32_t>(random() % (places.size() + 1));
        for (const auto placement :
             {RankPlacement::FIRST, RankPlacement::RANDOM, RankPlacement::SPREAD})
        {
            const std::vector<uint32_t> hosts = PlaceRanks(placement, places, ranks, draw);
            self.ExpectEqual(hosts.size(), ranks, "ranks");
            self.ExpectEqual(std::set(hosts.begin(), hosts.end()).size(), ranks, "hosts");
            std::map<uint32_t, uint32_t> ofGroup;
            std::map<uint32_t, uint32_t> ofSwitch;
            for (const uint32_t host : hosts)
            {
                self.Expect(host < places.size(), "a host that there is");
                ++ofGroup[places[host].group];
                ++ofSwitch[places[host].edgeSwitch];
            }
            if (placement == RankPlacement::FIRST)
            {
                self.Expect(hosts == FirstHosts(ranks), "the first ones");
            }
            else if (placement == RankPlacement::SPREAD)
            {
                for (uint32_t group = 0; group < groups; ++group)
                {
                    self.ExpectEqual(ofGroup[group],
                                     ranks / groups + (group < ranks % groups ? 1 : 0),
                                     "of a group");
                }
                for (const auto& [number, count] : ofSwitch)
                {
                    self.Expect(count <= ranks / groups / switches + 1, "of a switch");
                }
            }
        }
    }
    self.ExpectEqual(Refusal([] { PlaceRanks(RankPlacement::FIRST, PlacesOf(1, 1, 2), 3, {}); }),
                     "PlaceRanks(): the number of ranks is 3, allowed is 0 to 2.",
                     "more ranks than hosts");
}

/// Every host has each rank as often as others, nearly.
void
TestDraws(FunctionCase& self)
{
    std::mt19937 random(6);
    const auto draw = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    const std::vector<HostPlace> places = PlacesOf(2, 2, 2);
    std::map<uint32_t, uint32_t> first;
    for (uint32_t round = 0; round < 8000; ++round)
    {
        ++first[PlaceRanks(RankPlacement::RANDOM, places, 2, draw).front()];
    }
    for (uint32_t host = 0; host < places.size(); ++host)
    {
        self.ExpectNear(first[host], 1000, 150, "rank 0 at a host");
    }
}

/// The suite.
class RankPlacementSuite : public FunctionSuite
{
  public:
    RankPlacementSuite()
        : FunctionSuite("fabric-rank-placement", kUnit)
    {
        Add("SC-3 spread ranks are on groups in turn, and on their switches", TestSpread);
        Add("SC-3 no host has two ranks", TestRanks);
        Add("SC-3 random ranks are anywhere", TestDraws);
    }
};

const RankPlacementSuite g_rankPlacementSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
