/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SMALL_DRAGONFLY_H
#define FABRIC_SMALL_DRAGONFLY_H

#include "fabric-dragonfly.h"
#include "fabric-test-bed.h"

#include <random>
#include <utility>

namespace ns3::fabric
{

inline constexpr uint64_t DRAGONFLY_RATE = 200'000'000'000; ///< Of all links, bit/s.
inline constexpr TimePs DELAY_INSIDE = 100'000;  ///< Of links inside a group, and to hosts, ps.
inline constexpr TimePs DELAY_BETWEEN = 400'000; ///< Of links between groups, ps.

/// A dragonfly of 72 hosts whose switches can be changed before Build().
struct SmallDragonfly
{
    DragonflyConfig shape; ///< p = h = 2, a = 4, 9 groups.
    SwitchConfig config;   ///< Of its switches.

    explicit SmallDragonfly(DragonflyMode mode)
    {
        shape.mode = mode;
        config.buffer.shares.virtualChannels = VIRTUAL_CHANNELS;
    }

    /// Class 0 is sprayed: each frame chooses for itself.
    void Spray()
    {
        config.flowChannels.noFlowClasses = 1;
        config.flowChannels.unorderedClasses = 1;
    }

    /// Switches of a group tell each other of their links. @param time between two words, ps
    void TellLoads(TimePs time = 1'000'000)
    {
        config.congestion.neighbourLoads = {true, time};
    }

    /// @param lookahead whether switches run ahead
    TestBed Build(bool lookahead = true) const
    {
        const Dragonfly dragonfly(shape);
        const TopologyPlan& plan = dragonfly.GetPlan();
        return TestBed(
            plan,
            dragonfly.GetRouting(),
            config,
            NicConfig{},
            [&plan](std::size_t link) {
                const bool isGlobal =
                    link < plan.links.size() && plan.links[link].linkClass == LinkClass::GLOBAL;
                return std::pair(LinkRate(DRAGONFLY_RATE), isGlobal ? DELAY_BETWEEN : DELAY_INSIDE);
            },
            lookahead);
    }
};

/// Any hosts send to any others, more than once to the same.
inline void
SendAnything(TestBed& bed, uint32_t seed)
{
    std::minstd_rand random(seed);
    for (uint32_t n = 0; n < 400; ++n)
    {
        const auto src = static_cast<uint32_t>(random() % 72);
        const auto dst = static_cast<uint32_t>((src + 1 + random() % 71) % 72);
        const TimePs at = random() % 3'000'000;
        bed.Send(src, n % 3 == 0 ? dst : (src + 8) % 72, 1 + random() % 30'000, 0, at);
    }
}

} // namespace ns3::fabric

#endif // FABRIC_SMALL_DRAGONFLY_H
