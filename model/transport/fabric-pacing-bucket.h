/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PACING_BUCKET_H
#define FABRIC_PACING_BUCKET_H

#include "fabric-types.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ns3::fabric
{

/**
 * When packets may be sent at a rate: a token bucket that holds one packet, so that one that the
 * wire has delayed does not delay those after it. Whoever has it knows the rate, which may change.
 */
class PacingBucket
{
  public:
    /**
     * Time passes.
     *
     * @param rate until then, b/s
     * @param time not before that of the last call, ps
     */
    void Drain(double rate, TimePs time)
    {
        const double sent = rate * static_cast<double>(time - m_now) / PS_PER_SECOND;
        m_owed = std::max(m_owed - sent, -m_size);
        m_now = time;
    }

    /// A packet is sent. @param bytes of it
    void Charge(uint32_t bytes)
    {
        m_size = std::max(m_size, BITS * bytes);
        m_owed += BITS * bytes;
    }

    /// @return whether the next packet has to wait, if it is not the wire that sets the rate
    bool IsAhead() const
    {
        return m_owed > 0;
    }

    /// @return when nothing is owed any more @param rate from now on, above 0, b/s
    TimePs ReadyAt(double rate) const
    {
        return IsAhead() ? m_now + static_cast<TimePs>(std::ceil(m_owed / rate * PS_PER_SECOND))
                         : m_now;
    }

    /// @return up to which time all this is known, ps
    TimePs Now() const
    {
        return m_now;
    }

  private:
    static constexpr double BITS = 8;             ///< Of a byte.
    static constexpr double PS_PER_SECOND = 1e12; ///< ps.

    double m_owed{0}; ///< Bits that were sent ahead of the rate; below 0: behind it.
    double m_size{0}; ///< Bits that it may be behind: the longest packet's.
    TimePs m_now{0};  ///< See Now().
};

} // namespace ns3::fabric

#endif // FABRIC_PACING_BUCKET_H
