/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LOSS_DETECTOR_H
#define FABRIC_LOSS_DETECTOR_H

#include "fabric-loss-past.h"
#include "fabric-types.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
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
 * | one that was sent before the newest was   | how late it has come is learned                   |
 * | a copy was, and perhaps an earlier one    | it measures nothing                               |
 * | neither sent nor heard anything for long  | a probe is due; the next after twice the time     |
 * | something was delivered                   | the next probe after the shortest time again      |
 */
class LossDetector
{
  public:
    // ---- evidence ----

    /**
     * A packet was delivered.
     *
     * @param sentAt when it was sent, ps
     * @param isRequest whether it is of the request window
     * @param initialRtt what a round trip was expected to take, ps
     */
    void Deliver(TimePs sentAt, bool isRequest, TimePs now, TimePs initialRtt)
    {
        Hear(now);
        m_hasMeasured = true;
        if (sentAt >= m_newest[isRequest].sentAt)
        {
            m_newest[isRequest] = {sentAt, now - sentAt};
            Smooth(now - sentAt, initialRtt);
        }
    }

    /**
     * @param sentAt when a packet was sent that is delivered now, ps
     * @param isRequest whether it is of the request window
     * @return how much later it has come than the newest one, by the time since they were sent, ps;
     * 0 if none that was sent after it has come
     */
    TimePs Lateness(TimePs sentAt, bool isRequest, TimePs now) const
    {
        const Evidence& newest = m_newest[isRequest];
        return sentAt < newest.sentAt ? std::max<TimePs>(now - sentAt - newest.rtt, 0) : 0;
    }

    /**
     * Data is delivered that was sent once, before Deliver() learns of it: how late it is. Requests
     * that have come may be acknowledged later, so they say nothing.
     *
     * @param sentAt when it was sent, ps
     */
    void MeasureData(TimePs sentAt, TimePs now)
    {
        if (const TimePs late = Lateness(sentAt, false, now); late > 0)
        {
            MakePast().Measure(late);
        }
    }

    /// A stand-alone ACK has said all of both windows: what came in one shows what is lost in the
    /// other. What rides along does not say what came beyond the bases.
    void Share()
    {
        const bool isRequest = m_newest[1].sentAt > m_newest[0].sentAt;
        m_newest[!isRequest] = m_newest[isRequest];
    }

    /// A packet was delivered, and it is not known when it was sent.
    void Hear(TimePs now)
    {
        m_hasNews = true;
        m_quietSince = now;
        m_probes = 0;
    }

    /// @param isRequest whether in the request window @return round trip of the newest packet that
    /// was delivered, ps; 0 if none was
    TimePs NewestRtt(bool isRequest) const
    {
        return m_newest[isRequest].rtt;
    }

    /// @return when the newest data packet was sent that was delivered, ps
    TimePs NewestSent() const
    {
        return m_newest[0].sentAt;
    }

    /// @return whether something was delivered since TakeNews()
    bool HasNews() const
    {
        return m_hasNews;
    }

    /// @return whether something was delivered since this was called last
    bool TakeNews()
    {
        const bool hasNews = m_hasNews;
        m_hasNews = m_hasMeasured = false;
        return hasNews;
    }

    /// @return whether of all that was delivered since TakeNews() it is not known when it was sent
    bool HasOnlyCopies() const
    {
        return m_hasNews && !m_hasMeasured;
    }

    /// Takes a round trip into the averages, with the gains of RFC 6298.
    void Smooth(TimePs rtt, TimePs initialRtt)
    {
        if (m_smoothed == 0)
        {
            m_smoothed = rtt;
            m_variation = initialRtt; // the first ones may be far from what follows
        }
        const TimePs error = rtt - m_smoothed;
        m_smoothed += error / 8;
        m_variation += (std::abs(error) - m_variation) / 4;
    }

    /**
     * @param sentAt of a packet, ps
     * @param isRequest whether it is of the request window
     * @param isOvertaken whether a later packet of its window has come, if they were sent at once
     * @param reorderWindow ps
     * @return from when on it is lost, ps; NEVER if it was not sent before one that was delivered
     */
    TimePs LossTime(TimePs sentAt, bool isRequest, bool isOvertaken, TimePs reorderWindow) const
    {
        const Evidence& newest = m_newest[isRequest];
        const bool isOlder = sentAt < newest.sentAt || (isOvertaken && sentAt == newest.sentAt);
        return isOlder ? sentAt + newest.rtt + reorderWindow : NEVER;
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

    /// Data is sent. @param isBulk whether it is far into a transaction
    void SendData(bool isBulk)
    {
        m_isBulk = isBulk;
    }

    /// @return whether the last data to be sent is far into a transaction
    bool IsBulk() const
    {
        return m_isBulk;
    }

    /**
     * As QUIC's (RFC 9002, section 6.2.1), with the time for which the peer keeps an ACK in it.
     *
     * @param first before a round trip was measured, ps
     * @param least by which it is longer than a round trip, ps
     * @return how long an answer is waited for before a probe is due, ps
     */
    TimePs Wait(TimePs first, TimePs least) const
    {
        return m_smoothed == 0 ? first + least : m_smoothed + std::max(4 * m_variation, least);
    }

    /// @param wait for an answer, ps @return when a probe is due, if something is in flight, ps
    TimePs ProbeTime(TimePs wait) const
    {
        return m_quietSince + (wait << m_probes);
    }

    /// @return since when nothing was sent or delivered, ps; -1 if nothing ever was
    TimePs QuietSince() const
    {
        return m_quietSince;
    }

    /// A probe is due.
    void Probe(TimePs now)
    {
        m_quietSince = now;
        m_probes = std::min<uint8_t>(m_probes + 1, MOST_PROBES);
    }

    // ---- what was learned ----

    /// @return the past, made if there was none
    LossPast& MakePast()
    {
        if (!m_past)
        {
            m_past = std::make_unique<LossPast>();
        }
        return *m_past;
    }

    /// @return the past; nullptr if nothing was ever lost or late
    LossPast* GetPast() const
    {
        return m_past.get();
    }

  private:
    /// The newest packet of a window that was delivered.
    struct Evidence
    {
        TimePs sentAt{-NEVER}; ///< When it was sent, ps.
        TimePs rtt{0};         ///< From then to its ACK, ps.
    };

    static constexpr uint8_t MOST_PROBES = 10; ///< Doublings of the wait.

    std::array<Evidence, 2> m_newest; ///< Of data, and of requests.
    TimePs m_smoothed{0};             ///< Average of such round trips, ps; 0 before the first.
    TimePs m_variation{0};            ///< How far they are from it on average, ps.
    TimePs m_timer{NEVER};            ///< A packet may be lost then, ps.
    TimePs m_quietSince{-1};          ///< Nothing was sent or delivered since, ps.
    std::unique_ptr<LossPast> m_past; ///< None while nothing was lost or late.
    uint8_t m_probes{0};              ///< Since something was delivered.
    bool m_hasNews{false};            ///< Something was delivered.
    bool m_isBulk{false};             ///< The last data to be sent is far into a transaction.
    bool m_hasMeasured{false};        ///< And it is known when it was sent.
};

} // namespace ns3::fabric

#endif // FABRIC_LOSS_DETECTOR_H
