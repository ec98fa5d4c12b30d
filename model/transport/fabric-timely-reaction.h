/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TIMELY_REACTION_H
#define FABRIC_TIMELY_REACTION_H

#include "fabric-timely-settings.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// What an ACK tells TIMELY.
struct TimelySample
{
    TimePs rtt;      ///< Measured round trip, ps; 0 if this ACK has none.
    TimePs shortest; ///< Shortest round trip of the way, ps, above 0; of use where minRtt is 0.
    uint64_t bytes;  ///< Payload that is newly acknowledged.
    uint32_t base;   ///< First data packet that is not acknowledged.
    uint32_t next;   ///< Data packet that is sent next.
};

/**
 * The rate of one connection by TIMELY (Mittal et al., SIGCOMM'15, algorithm 1): it follows the
 * round trip and how it changes.
 *
 * Each time that a segment was acknowledged, with the round trip of the last packet:
 *
 * | round trip          | rate R                                                                 |
 * |---------------------|------------------------------------------------------------------------|
 * | below T_low         | R + f delta                                                            |
 * | above T_high        | R (1 - f beta (1 - T_high / rtt))                                      |
 * | between, g <= 0     | R + f N delta, N more than 1 after as many events with g < 0 in a row  |
 * | between, g > 0      | R (1 - f beta g)                                                       |
 * | between, if patched | (1 - w) f delta + R (1 - f beta w (rtt - T_low) / T_low)               |
 *
 * The gradient g is the average of differences between round trips, d = (1 - alpha) d + alpha (rtt
 * - rtt before), divided by D_min. With f, the time since the last event divided by D_min, 1 at
 * most, it does not matter how long segments are; and no event takes more than maxDecrease of the
 * rate. Both are of the code that the authors have published. The last line is algorithm 2 of Zhu
 * et al. (CoNEXT'16) with T_low as the reference: w goes from 0 to 1 while g goes from -1/4 to 1/4.
 */
class TimelyReaction
{
  public:
    /**
     * @param settings valid; they outlive it
     * @param lineRate of the NIC, with which it begins, b/s
     */
    TimelyReaction(const TimelySettings& settings, double lineRate);

    /**
     * An ACK has come.
     *
     * @param now not before that of the last call, ps
     * @return whether the rate may have changed
     */
    bool TakeAck(const TimelySample& sample, TimePs now);

    /// @return R, b/s
    double Rate() const
    {
        return m_rate;
    }

    /// @return g at the last event
    double Gradient() const
    {
        return m_gradient;
    }

  private:
    /// @return whether a segment is acknowledged, or a round trip over
    bool IsEvent(const TimelySample& sample) const;

    /// @param f part of an event that this one counts for @return what R changes to, b/s
    double RateAfter(double rtt, double f) const;

    /// As RateAfter(), of round trips between both limits, as Zhu et al. have it.
    double PatchedRateAfter(double rtt, double f) const;

    const TimelySettings* m_settings; ///< Of the endpoint.
    double m_line;                    ///< b/s.
    double m_rate;                    ///< R, b/s.
    double m_difference{0};           ///< d, ps.
    double m_gradient{0};             ///< g.
    uint64_t m_acked{0};              ///< Bytes since the last event.
    TimePs m_lastRtt{0};              ///< At the last event, ps; 0 before the first.
    TimePs m_lastEvent{0};            ///< ps.
    uint32_t m_falling{0};            ///< Events with g < 0 in a row.
    uint32_t m_roundEnd{0};           ///< The round trip is over when this PSN is acknowledged.
};

} // namespace ns3::fabric

#endif // FABRIC_TIMELY_REACTION_H
