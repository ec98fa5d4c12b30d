/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LOSSY_BED_H
#define FABRIC_LOSSY_BED_H

#include "fabric-chain.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"
#include "fabric-time-units.h"

#include <memory>
#include <utility>

namespace ns3::fabric
{

/// @return settings of a switch where class 1 is lossy, on a virtual channel of its own
inline SwitchConfig
LossyClassConfig()
{
    SwitchConfig config;
    config.buffer.shares.virtualChannels = 2;
    config.buffer.vcOfClass[1] = 1;
    config.buffer.lossyClasses = 0b10;
    config.buffer.SetLossyChannels();
    return config;
}

/// @return switches in a row, with links of 200 Gb/s and 100 ns, and hosts with the same channels
inline std::unique_ptr<TestBed>
MakeLossyBed(const ChainSources& sources, const SwitchConfig& config, bool lookahead = true)
{
    const TopologyPlan plan = MakeChainPlan(sources);
    NicConfig nic;
    nic.vcOfClass = config.buffer.vcOfClass;
    return std::make_unique<TestBed>(
        plan,
        MakeShortestPathRouting(plan),
        config,
        nic,
        [](std::size_t) { return std::make_pair(LinkRate(200'000'000'000), 100 * NS); },
        lookahead);
}

} // namespace ns3::fabric

#endif // FABRIC_LOSSY_BED_H
