/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BASE_DELAY_H
#define FABRIC_BASE_DELAY_H

#include "fabric-types.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/**
 * The base delay of the way to a peer: the shortest round trip that was seen of a packet as long as
 * any that is sent. On a slow link a short packet is faster, and would make a queue of the time
 * that a long one takes on the wire.
 *
 * It may be forgotten after a while, since a way can get longer: it is the shortest of this period
 * and the one before.
 */
class BaseDelay
{
  public:
    /**
     * A packet is sent. The first that is longer than all before begins anew.
     *
     * @param bytes of its payload
     */
    void Send(uint32_t bytes, TimePs now)
    {
        if (bytes > m_longest)
        {
            m_longest = bytes;
            m_since = now;
            m_shortest = m_before = NEVER;
        }
    }

    /**
     * A round trip was measured with a packet as long as any before it.
     *
     * @param rtt ps
     * @param newest when the newest data packet was sent that the peer has, as far as is known, ps
     * @param period after which it counts no more, at the latest after two; 0 for never, ps
     */
    void Measure(TimePs rtt, TimePs newest, TimePs now, TimePs period)
    {
        if (newest < m_since)
        {
            return; // none of the longer packets has come
        }
        if (period > 0 && now >= m_periodEnd)
        {
            m_before = now - m_periodEnd < period ? m_shortest : NEVER;
            m_shortest = NEVER;
            m_periodEnd = now + period;
        }
        m_shortest = std::min(m_shortest, rtt);
    }

    /// @return ps; NEVER while nothing was measured
    TimePs Get() const
    {
        return std::min(m_shortest, m_before);
    }

  private:
    TimePs m_shortest{NEVER}; ///< Of this period, ps.
    TimePs m_before{NEVER};   ///< Of the period before, ps.
    TimePs m_periodEnd{0};    ///< ps.
    TimePs m_since{0};        ///< Packets sent before it were shorter, ps.
    uint32_t m_longest{0};    ///< Longest payload that was sent, bytes.
};

} // namespace ns3::fabric

#endif // FABRIC_BASE_DELAY_H
