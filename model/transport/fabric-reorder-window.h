/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REORDER_WINDOW_H
#define FABRIC_REORDER_WINDOW_H

#include "fabric-types.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/**
 * How long a packet may come later than one that was sent after it, before it is taken for lost
 * (RFC 8985, section 6.2): quarters of the shortest round trip, none until reordering was seen.
 *
 * | event                                          | quarters                                 |
 * |------------------------------------------------|------------------------------------------|
 * | a packet was taken for lost and was not        | one, or twice as many, once in a round   |
 * |                                                | trip                                     |
 * | 16 recoveries without that                     | half as many, at least one if there was  |
 *
 * RFC 8985 has one more instead of twice as many, and one instead of half as many: a message in a
 * data centre is over in fewer round trips than that takes.
 */
class ReorderWindow
{
  public:
    static constexpr uint32_t RECOVERIES = 16; ///< RFC 8985: RACK.reo_wnd_persist.

    /**
     * @param shortestRtt ps
     * @param least its shortest length, ps
     * @param most its longest, ps
     * @return its length, ps
     */
    TimePs Length(TimePs shortestRtt, TimePs least, TimePs most) const
    {
        const TimePs quarter = shortestRtt / 4;
        if (m_quarters != 0 && quarter > most / m_quarters)
        {
            return most; // their sum may be more than a time can say
        }
        return std::clamp(quarter * TimePs{m_quarters}, least, most);
    }

    /**
     * A packet was taken for lost and was not.
     *
     * @param rtt ps
     * @param isLongest whether it may not grow any more
     */
    void Grow(TimePs now, TimePs rtt, bool isLongest)
    {
        m_left = RECOVERIES;
        if (now >= m_roundEnd && !isLongest)
        {
            m_roundEnd = now + rtt;
            m_quarters = std::clamp(2 * m_quarters, 1U, MOST);
        }
    }

    /// Packets were taken for lost. @param rtt ps: what comes within it is the same recovery
    void Recover(TimePs now, TimePs rtt)
    {
        if (now < m_recoveryEnd)
        {
            return;
        }
        m_recoveryEnd = now + rtt;
        if (--m_left == 0)
        {
            m_left = RECOVERIES;
            m_quarters = std::max(m_quarters / 2, std::min(m_quarters, 1U));
        }
    }

  private:
    static constexpr uint32_t MOST = 1U << 20; ///< Quarters.

    TimePs m_roundEnd{0};        ///< It does not grow before, ps.
    TimePs m_recoveryEnd{0};     ///< No further recovery before, ps.
    uint32_t m_quarters{0};      ///< Of the shortest round trip.
    uint32_t m_left{RECOVERIES}; ///< Recoveries until it is halved.
};

} // namespace ns3::fabric

#endif // FABRIC_REORDER_WINDOW_H
