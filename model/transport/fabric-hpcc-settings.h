/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HPCC_SETTINGS_H
#define FABRIC_HPCC_SETTINGS_H

#include "fabric-hop-stack.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// What is chosen of HPCC (Li et al., SIGCOMM'19); the defaults are the paper's where it has one.
struct HpccSettings
{
    /// T: round trip of the longest way in an empty network, which is the same for all connections,
    /// ps, 1 ns to 10 s. Chosen: 13 us, five switches with links of 1 us.
    TimePs baseRtt{13'000'000};
    double utilization{0.95}; ///< eta: part of a link that is to be used, 0.01 to 1.
    uint32_t maxStage{5};     ///< Rounds of additive increase at most, 0 to 1000.
    /// N: flows that share a link, 1 to 1e6. They add W_AI = W_init (1 - eta) / N each, so that
    /// they fill no queue. Chosen: 100; the authors' script has W_init / 2500, which is 125.
    uint32_t flows{100};
    /// Lowest rate, b/s, 1e3 to 1e15. Configuration of the authors' simulator: 100 Mb/s.
    double minRate{100e6};
    uint32_t hops{5}; ///< Switches that a header has room for, 1 to MOST_HOPS.
};

/// @param hops that there is room for @return bytes of the telemetry header on the wire: 2 for the
/// number of hops and the path, and 8 for each hop (SIGCOMM'19: 42 bytes for five)
constexpr uint32_t
TelemetryBytes(uint32_t hops)
{
    return 2 + 8 * hops;
}

} // namespace ns3::fabric

#endif // FABRIC_HPCC_SETTINGS_H
