/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RATE_PACER_H
#define FABRIC_RATE_PACER_H

#include "fabric-pacing-bucket.h"
#include "fabric-types.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/// When packets may be sent at a rate that others change.
class RatePacer
{
  public:
    /**
     * @param line highest rate, with which it begins, b/s
     * @param isBelowWire whether the wire is faster; if not, it paces nothing at that rate
     */
    RatePacer(double line, bool isBelowWire)
        : m_line(line),
          m_rate(line),
          m_isBelowWire(isBelowWire)
    {
    }

    /// @param rate from now on, above 0, b/s
    void SetRate(double rate, TimePs now)
    {
        m_bucket.Drain(m_rate, now);
        m_rate = std::min(rate, m_line);
        Plan();
    }

    /// A packet is sent. @param bytes of it
    void Send(uint32_t bytes, TimePs now)
    {
        m_bucket.Drain(m_rate, now);
        m_bucket.Charge(bytes);
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
    /// Finds when nothing is owed any more.
    void Plan()
    {
        m_readyAt = m_isBelowWire || m_rate < m_line ? m_bucket.ReadyAt(m_rate) : m_bucket.Now();
    }

    double m_line;         ///< b/s.
    double m_rate;         ///< b/s.
    bool m_isBelowWire;    ///< Whether `m_line` is to be paced.
    PacingBucket m_bucket; ///< Of what is sent.
    TimePs m_readyAt{0};   ///< ps.
};

} // namespace ns3::fabric

#endif // FABRIC_RATE_PACER_H
