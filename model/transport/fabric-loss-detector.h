/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LOSS_DETECTOR_H
#define FABRIC_LOSS_DETECTOR_H

#include "fabric-reorder-window.h"
#include "fabric-resend-history.h"
#include "fabric-types.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace ns3::fabric
{

/**
 * When packets of a connection are taken for lost, by time (RACK-TLP, RFC 8985): a packet that was
 * sent before another that has come, once a round trip and the reorder window have passed. It is
 * one for both windows, and knows times alone; RetransmissionEngine has the packets.
 *
 * | event                                     | what follows                                      |
 * |-------------------------------------------|---------------------------------------------------|
 * | a packet was delivered                    | the newest so far is the measure of all others    |
 * | a copy was, in less than a round trip     | it was the one before: it measures nothing        |
 * | neither sent nor heard anything for long  | a probe is due; the next after twice the time     |
 * | something was delivered                   | the next probe after the shortest time again      |
 */
class LossDetector
{
  public:
    /// What is known once packets were taken for lost.
    struct Past
    {
        ResendHistory resends; ///< Which.
        ReorderWindow reorder; ///< What was learned of it.
    };

    // ---- evidence ----

    /**
     * A packet was delivered.
     *
     * @param sentAt when it was last sent, ps
     * @param wasResent whether it may be an earlier copy that has come
     * @param shortestRtt no copy can have come in less, ps
     */
    void Deliver(TimePs sentAt, bool wasResent, TimePs now, TimePs shortestRtt)
    {
        m_hasNews = true;
        m_quietSince = now;
        m_probes = 0;
        const TimePs rtt = now - sentAt;
        if (sentAt >= m_newest && !(wasResent && rtt < shortestRtt))
        {
            m_newest = sentAt;
            m_rtt = rtt;
        }
    }

    /// @return whether something was delivered since this was called last
    bool TakeNews()
    {
        const bool hasNews = m_hasNews;
        m_hasNews = false;
        return hasNews;
    }

    /**
     * @param sentAt of a packet, ps
     * @param isOvertaken whether a later packet of its window has come, if they were sent at once
     * @return whether it was sent before one that was delivered
     */
    bool IsOlder(TimePs sentAt, bool isOvertaken) const
    {
        return sentAt < m_newest || (isOvertaken && sentAt == m_newest);
    }

    /**
     * @param sentAt of a packet that IsOlder(), ps
     * @param reorderWindow ps
     * @return from when on it is lost, ps
     */
    TimePs LossTime(TimePs sentAt, TimePs reorderWindow) const
    {
        return sentAt + m_rtt + reorderWindow;
    }

    /// @return round trip of the newest packet that was delivered, ps
    TimePs Rtt() const
    {
        return m_rtt;
    }

    // ---- timers ----

    /// @return when a packet may be lost next, ps; NEVER if none is waited for
    TimePs Timer() const
    {
        return m_timer;
    }

    /// Packets are looked for: stops the timer.
    void StopTimer()
    {
        m_timer = NEVER;
    }

    /// @param time when a packet is lost, ps
    void LowerTimer(TimePs time)
    {
        m_timer = std::min(m_timer, time);
    }

    /// A packet is sent.
    void Send(TimePs now)
    {
        m_quietSince = now;
    }

    /**
     * @param first wait for a probe, ps
     * @return when one is due, if something is in flight, ps
     */
    TimePs ProbeTime(TimePs first) const
    {
        return m_quietSince + (first << m_probes);
    }

    /// A probe is due.
    void Probe(TimePs now)
    {
        m_quietSince = now;
        m_probes = std::min<uint8_t>(m_probes + 1, MOST_PROBES);
    }

    // ---- what was learned ----

    /// @return the past, made if there was none
    Past& MakePast()
    {
        if (!m_past)
        {
            m_past = std::make_unique<Past>();
        }
        return *m_past;
    }

    /// @return the past; nullptr if nothing was ever lost
    Past* GetPast() const
    {
        return m_past.get();
    }

  private:
    static constexpr uint8_t MOST_PROBES = 10; ///< Doublings of the wait.

    TimePs m_newest{-NEVER};      ///< Send time of the newest packet that was delivered, ps.
    TimePs m_rtt{0};              ///< Its round trip, ps.
    TimePs m_timer{NEVER};        ///< A packet may be lost then, ps.
    TimePs m_quietSince{0};       ///< Nothing was sent or delivered since, ps.
    std::unique_ptr<Past> m_past; ///< None while nothing was lost.
    uint8_t m_probes{0};          ///< Since something was delivered.
    bool m_hasNews{false};        ///< Something was delivered.
};

} // namespace ns3::fabric

#endif // FABRIC_LOSS_DETECTOR_H
