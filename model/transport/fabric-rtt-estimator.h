/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RTT_ESTIMATOR_H
#define FABRIC_RTT_ESTIMATOR_H

#include "fabric-types.h"

#include <algorithm>

namespace ns3::fabric
{

/// Smoothed round-trip time of a connection: a gain of 1/8 (RFC 6298, alpha).
class RttEstimator
{
  public:
    /// @param sample a measured round trip, ps, above 0
    void Sample(TimePs sample)
    {
        m_smoothed = m_smoothed == 0 ? sample : m_smoothed + (sample - m_smoothed) / 8;
        m_shortest = std::min(m_shortest, sample);
        m_last = sample;
    }

    /// @return smoothed round trip, ps; 0 before the first sample
    TimePs Smoothed() const
    {
        return m_smoothed;
    }

    /// @return shortest round trip, ps; NEVER before the first sample
    TimePs Shortest() const
    {
        return m_shortest;
    }

    /// Before there is a sample no less is expected. @param rtt a round trip or longer, ps
    void Expect(TimePs rtt)
    {
        m_last = rtt;
    }

    /**
     * @param initial shortest round trip to be expected before there is a sample, ps
     * @return what a round trip is expected to take, ps
     */
    TimePs Expected(TimePs initial) const
    {
        return m_smoothed == 0 ? std::max(initial, m_last) : m_smoothed;
    }

    /// @copydoc Expected() @return the last one that was measured, ps; before it what is expected
    TimePs Last(TimePs initial) const
    {
        return m_smoothed == 0 ? Expected(initial) : m_last;
    }

  private:
    TimePs m_smoothed{0};     ///< ps.
    TimePs m_last{0};         ///< What set-up has taken, then the last sample, ps.
    TimePs m_shortest{NEVER}; ///< ps.
};

/**
 * RTO = max(scale x round trip, minimum) (Falcon, spec 95), doubled for each resend of the packet
 * if it backs off, which is limited by the maximum.
 */
struct RtoRule
{
    double scale{4};       ///< Of the smoothed round trip.
    TimePs minimum{0};     ///< ps.
    TimePs maximum{NEVER}; ///< ps.
    bool backsOff{true};   ///< Whether resends double it.
    TimePs initialRtt{1};  ///< Round trip before there is a sample, ps.

    /**
     * @param resends of the packet so far
     * @return time-out of the packet, ps
     */
    TimePs Rto(const RttEstimator& rtt, uint32_t resends) const
    {
        const double base = std::max(scale * static_cast<double>(rtt.Expected(initialRtt)),
                                     static_cast<double>(minimum));
        const double factor =
            backsOff ? static_cast<double>(uint64_t{1} << std::min(resends, 40U)) : 1;
        return static_cast<TimePs>(
            std::max(base, std::min(base * factor, static_cast<double>(maximum))));
    }
};

} // namespace ns3::fabric

#endif // FABRIC_RTT_ESTIMATOR_H
