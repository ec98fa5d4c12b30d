/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LANE_BED_H
#define FABRIC_LANE_BED_H

#include "fabric-chain.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace ns3::fabric
{

/// @return lanes of VA-6: 0 to 3 in group 0, 4 and 5 in group 1, class i on lane `first` + i
inline LaneTable
WorkedExample(uint8_t first = 0)
{
    LaneTable table;
    for (uint8_t i = 0; i < 6; ++i)
    {
        table.lanes.push_back({static_cast<uint8_t>(first + i), 0, i, uint8_t{i >= 4}, false});
    }
    table.groups = {{0, 4000}, {1, 2000}};
    return table;
}

/// A chain of switches with the lanes of VA-6, whose settings can be changed before Build().
struct LaneBed
{
    static constexpr uint64_t RATE = 100'000'000'000; ///< Of all links, bit/s.
    static constexpr TimePs DELAY = 100'000;          ///< Of all links, ps.
    static constexpr uint32_t PAYLOAD = 1000;         ///< Of each frame, bytes.

    SwitchConfig config;          ///< Of the switches.
    NicConfig nic;                ///< Of the hosts.
    TopologyPlan plan;            ///< The chain.
    std::unique_ptr<TestBed> bed; ///< After Build().

    /// @param chain hosts that send, per switch
    explicit LaneBed(const ChainSources& chain)
        : plan(MakeChainPlan(chain))
    {
        nic.mtu = PAYLOAD;
        config.lanes = LaneArbitration{WorkedExample(), {}};
        config.lanes->arbiter.chargeOver = true;
    }

    /// Makes switches and hosts. @param lookahead whether switches run ahead
    void Build(bool lookahead = true)
    {
        const std::pair<LinkRate, TimePs> link{LinkRate(RATE), DELAY};
        bed = std::make_unique<TestBed>(
            plan,
            MakeShortestPathRouting(plan),
            config,
            nic,
            [link](std::size_t) { return link; },
            lookahead);
    }
};

} // namespace ns3::fabric

#endif // FABRIC_LANE_BED_H
