/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SPRAY_WINDOW_H
#define FABRIC_SPRAY_WINDOW_H

#include "fabric-recent-maximum.h"
#include "fabric-types.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/**
 * How long a packet may come later than one that was sent after it, before it is taken for lost,
 * where packets take any of several ways, so that their order says nothing. They are late by what
 * waits on one way more than on another, which changes within some round trips.
 *
 * The length is the longest of
 * - a quarter more than the latest packet of the last four to eight round trips was;
 * - one and a half times what a round trip is longer than the shortest one, with the time for which
 *   an ACK may wait: so long a queue there is on average;
 * - two round trips as they are expected before one was measured, until a window of packets has
 *   come: nothing is known yet, and queues are just building up.
 *
 * The three numbers were chosen by a sweep; doc/design/019-loss-by-time.md has it.
 */
class SprayWindow
{
  public:
    /// What is known of the way apart from lateness.
    struct Way
    {
        TimePs initialRtt;  ///< Round trip that is expected before one is measured, ps.
        TimePs rtt;         ///< Smoothed round trip, ps.
        TimePs shortestRtt; ///< Shortest one, at most rtt, ps.
        TimePs ackDelay;    ///< For which an ACK may wait, ps.
    };

    static constexpr uint32_t FIRST_PACKETS = 128; ///< Until so many have come little is known.
    static constexpr uint32_t PERIOD = 4;          ///< Round trips of a period.

    /// @return its length, ps
    TimePs Length(const Way& way) const
    {
        const TimePs queue = way.rtt - way.shortestRtt + way.ackDelay;
        const TimePs first = m_delivered < FIRST_PACKETS ? 2 * way.initialRtt : 0;
        return std::max({m_lateness.WithMargin(), queue + queue / 2, first});
    }

    /// A packet has come later than one that was sent after it. @param late by so much, ps
    void Measure(TimePs late)
    {
        m_lateness.Add(late);
    }

    /**
     * An ACK has come.
     *
     * @param packets of data that it is for
     * @param rtt smoothed round trip, ps
     */
    void Deliver(uint32_t packets, TimePs now, TimePs rtt)
    {
        m_delivered = std::min(m_delivered + packets, FIRST_PACKETS);
        if (now >= m_periodEnd)
        {
            m_periodEnd = now + PERIOD * rtt;
            m_lateness.NextPeriod();
        }
    }

  private:
    RecentMaximum m_lateness; ///< How late packets were.
    TimePs m_periodEnd{0};    ///< Of this period, ps.
    uint32_t m_delivered{0};  ///< Packets so far, up to FIRST_PACKETS.
};

} // namespace ns3::fabric

#endif // FABRIC_SPRAY_WINDOW_H
