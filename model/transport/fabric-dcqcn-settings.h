/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DCQCN_SETTINGS_H
#define FABRIC_DCQCN_SETTINGS_H

#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// What is chosen of DCQCN (Zhu et al., SIGCOMM'15); the defaults are the paper's (figure 14) where
/// it has one.
struct DcqcnSettings
{
    double lineRate{200e9}; ///< Of the NIC, with which a connection begins, b/s, 1e3 to 1e15.
    /// Whether the wire is faster than that, so that packets are paced at it, too.
    bool isBelowWire{false};
    /// The receiver sends no two CNPs of a connection within this time, ps, 0 to 1 s.
    TimePs cnpInterval{50'000'000};
    double alphaGain{1.0 / 256}; ///< g, above 0 to 1.
    /// K: without a CNP alpha is reduced so often, ps, 1 ns to 10 s. Longer than the interval of
    /// CNPs.
    TimePs alphaTimer{55'000'000};
    /// The rate is raised so often, ps, 1 ns to 10 s. NVIDIA's `rpg_time_reset`: 300 us.
    TimePs rateTimer{55'000'000};
    uint64_t rateBytes{10'000'000}; ///< And after so many bytes, 1 to 2^40.
    uint32_t recoveryRounds{5};     ///< F: rounds of fast recovery, 0 to 100.
    double rateIncrease{40e6};      ///< R_AI: additive increase, b/s, 0 to 1e12.
    /// R_HAI: hyper increase, b/s, 0 to 1e12. The paper publishes no number. Chosen: 10 R_AI, the
    /// proportion of IEEE 802.1Q's rpgHaiRate and rpgAiRate.
    double hyperIncrease{400e6};
    double minRate{10e6}; ///< Lowest rate, b/s, 1e3 to 1e15 (IEEE 802.1Q, rpgMinRate).
};

} // namespace ns3::fabric

#endif // FABRIC_DCQCN_SETTINGS_H
