/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RATE_PACER_H
#define FABRIC_RATE_PACER_H

#include "fabric-types.h"

#include <algorithm>
#include <cmath>

namespace ns3::fabric
{

/**
 * When packets may be sent at a rate that others change: a token bucket that holds one packet, so
 * that one that the wire has delayed does not delay those after it. As ReactionPoint's, whose rate
 * changes by itself.
 */
class RatePacer
{
  public:
    /// @param line rate of the wire, at which it begins and paces nothing, b/s
    explicit RatePacer(double line)
        : m_line(line),
          m_rate(line)
    {
    }

    /// @param rate from now on, above 0, b/s
    void SetRate(double rate, TimePs now)
    {
        Drain(now);
        m_rate = std::min(rate, m_line);
        Plan();
    }

    /// A packet is sent. @param bytes of it
    void Send(uint32_t bytes, TimePs now)
    {
        Drain(now);
        m_bucket = std::max(m_bucket, BITS * bytes);
        m_owed += BITS * bytes;
        Plan();
    }

    /// @return no packet is to be sent before this, ps
    TimePs ReadyAt() const
    {
        return m_readyAt;
    }

    /// @return b/s
    double Rate() const
    {
        return m_rate;
    }

  private:
    static constexpr double BITS = 8;             ///< Of a byte.
    static constexpr double PS_PER_SECOND = 1e12; ///< ps.

    /// Time passes at the present rate.
    void Drain(TimePs now)
    {
        const double sent = m_rate * static_cast<double>(now - m_now) / PS_PER_SECOND;
        m_owed = std::max(m_owed - sent, -m_bucket);
        m_now = now;
    }

    /// Finds when nothing is owed any more.
    void Plan()
    {
        const bool isPaced = m_owed > 0 && m_rate < m_line;
        m_readyAt =
            m_now + (isPaced ? static_cast<TimePs>(std::ceil(m_owed / m_rate * PS_PER_SECOND)) : 0);
    }

    double m_line;       ///< b/s.
    double m_rate;       ///< b/s.
    double m_owed{0};    ///< Bits that were sent ahead of the rate; below 0: behind it.
    double m_bucket{0};  ///< Bits that it may be behind: the longest packet's.
    TimePs m_now{0};     ///< Up to which all this is known, ps.
    TimePs m_readyAt{0}; ///< ps.
};

} // namespace ns3::fabric

#endif // FABRIC_RATE_PACER_H
