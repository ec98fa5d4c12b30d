/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REORDER_WINDOW_H
#define FABRIC_REORDER_WINDOW_H

#include "fabric-recent-maximum.h"
#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * How long a packet may come later than one that was sent after it, before it is taken for lost
 * (RFC 8985, section 6.2), on a way where packets come in order as a rule: no time at all until one
 * was late, then a quarter more than the latest one was.
 *
 * | event                              | longest lateness                          |
 * |------------------------------------|-------------------------------------------|
 * | a packet was late, resent or not   | at least that                             |
 * | 16 recoveries                      | what was before the last 16 is forgotten  |
 *
 * RFC 8985 counts in quarters of the shortest round trip, one more for each packet that was resent
 * for nothing: a message in a data centre is over in fewer round trips than that takes. How late a
 * packet was is known, since it is known when it was sent.
 */
class ReorderWindow
{
  public:
    static constexpr uint32_t RECOVERIES = 16; ///< RFC 8985: RACK.reo_wnd_persist.

    /// @return its length, ps
    TimePs Length() const
    {
        return m_lateness.WithMargin();
    }

    /// A packet has come later than one that was sent after it. @param late by so much, ps
    void Measure(TimePs late)
    {
        m_lateness.Add(late);
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
            m_lateness.NextPeriod();
        }
    }

  private:
    RecentMaximum m_lateness;    ///< How late packets were.
    TimePs m_recoveryEnd{0};     ///< No further recovery before, ps.
    uint32_t m_left{RECOVERIES}; ///< Recoveries until this period is over.
};

} // namespace ns3::fabric

#endif // FABRIC_REORDER_WINDOW_H
