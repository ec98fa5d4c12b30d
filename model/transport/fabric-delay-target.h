/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DELAY_TARGET_H
#define FABRIC_DELAY_TARGET_H

#include "fabric-types.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ns3::fabric
{

/// What a delay-based control aims at (Swift, Kumar et al., SIGCOMM'20, section 3.1 and 3.2).
struct DelayTargetSettings
{
    /// Round trip in an empty network, ps, 0 to 10 s; 0: it is measured.
    TimePs baseDelay{0};
    /// How long a measured one counts, ps, 0 to 100 s; 0: always.
    TimePs baseDelayPeriod{0};
    /// Longest round trip in an empty network, where somebody knows it, ps: a measured one is not
    /// taken for longer. All measurements of an incast from the start have its queue in them.
    TimePs longestBaseDelay{NEVER};
    /// Aimed at beyond the base delay, ps, 0 to 10 s. Chosen: 25 us, which the paper has for the
    /// whole of a small network.
    TimePs targetDelay{25'000'000};
    /// Aimed at more for each switch on the way, ps, 0 to 1 s; a measured base has the way's own.
    TimePs hopDelay{0};
    /// Flow scaling: so many base delays more are aimed at when the window is at its least, 0 to
    /// 100. Chosen: 5. The paper says that it is there and publishes no number.
    double flowScaling{5};
    double leastScaledWindow{0.1}; ///< Where flow scaling ends, packets, 0.001 to 1 (Swift: 0.1).
    double mostScaledWindow{100};  ///< Where it begins, packets, above 1 to 10000 (Swift: 100).
};

/**
 * The round trip that a delay-based control aims at:
 *
 *   base + targetDelay + hops x hopDelay + scaling
 *   scaling = range x clamp((1 / sqrt(window) - 1 / sqrt(most)) / (1 / sqrt(least) - 1 /
 * sqrt(most))) range = flowScaling x base
 *
 * Flow scaling lets the queue grow with the square root of the number of flows, since that many
 * flows that are not in step make it vary so much.
 */
class DelayTarget
{
  public:
    /// @param settings the user's, valid
    explicit DelayTarget(const DelayTargetSettings& settings)
        : m_settings(settings),
          m_begin(1 / std::sqrt(settings.mostScaledWindow)),
          m_scale(settings.flowScaling / (1 / std::sqrt(settings.leastScaledWindow) - m_begin))
    {
    }

    /**
     * @param measured base delay that was measured, ps
     * @param hops switches on the way
     * @param window packets, above 0
     * @return ps
     */
    double Get(TimePs measured, uint32_t hops, double window) const
    {
        const auto base = static_cast<double>(
            m_settings.baseDelay > 0 ? m_settings.baseDelay
                                     : std::min(measured, m_settings.longestBaseDelay));
        const double scaling = m_scale * (1 / std::sqrt(window) - m_begin);
        return static_cast<double>(m_settings.targetDelay) +
               static_cast<double>(m_settings.hopDelay) * hops +
               base * (1 + std::clamp(scaling, 0.0, m_settings.flowScaling));
    }

  private:
    DelayTargetSettings m_settings; ///< The user's.
    double m_begin;                 ///< 1 / sqrt(window) where scaling begins.
    double m_scale;                 ///< Base delays for each 1 / sqrt(window).
};

} // namespace ns3::fabric

#endif // FABRIC_DELAY_TARGET_H
