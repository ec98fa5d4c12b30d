/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TIMELY_SETTINGS_H
#define FABRIC_TIMELY_SETTINGS_H

#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// What is chosen of TIMELY (Mittal et al., SIGCOMM'15). Where it does not say otherwise a default
/// is what Zhu et al. (CoNEXT'16) and the simulator of HPCC's authors take for the paper's.
struct TimelySettings
{
    TimePs low{50'000'000};   ///< T_low: below it the rate is only raised, ps, 0 to high.
    TimePs high{500'000'000}; ///< T_high: above it the rate is only lowered, ps, low to 10 s.
    /// D_min: the gradient is measured in it, ps, 0 to 10 s: that of the paper's network. 0: the
    /// shortest round trip that the connection has measured.
    TimePs minRtt{20'000'000};
    double gain{0.875};      ///< alpha: of the average of differences, above 0 to 1.
    double beta{0.8};        ///< Strength of a decrease, above 0 to 1. Patched: 0.008.
    double maxDecrease{0.5}; ///< Largest, above 0 to 1. The authors' code at Berkeley: 0.5.
    double increase{10e6};   ///< delta: additive increase, b/s, 0 to 1e12. For 10 Gb/s.
    uint32_t hyperEvents{5}; ///< Falling gradients in a row, then increases are larger, 1 to 1e6.
    uint32_t hyperFactor{5}; ///< N: and so many times as large, 1 to 1000.
    /// The rate changes after so many acknowledged bytes, 0 to 2^40: a segment, 16 KiB to 64 KiB in
    /// the paper. 0: once in a round trip, as in the simulator of HPCC's authors.
    uint64_t segmentBytes{16 * 1024};
    double minRate{10e6}; ///< Lowest rate, b/s, 1e3 to 1e15. For 10 Gb/s.
    /// Whether it is Zhu et al.'s patched TIMELY, which has one fixed point and not many.
    bool isPatched{false};
};

} // namespace ns3::fabric

#endif // FABRIC_TIMELY_SETTINGS_H
