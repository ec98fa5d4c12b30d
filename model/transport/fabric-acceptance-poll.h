/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACCEPTANCE_POLL_H
#define FABRIC_ACCEPTANCE_POLL_H

#include "fabric-types.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace ns3::fabric
{

/**
 * When a peer is polled that has received all there is, and whose ULP has not accepted it yet. The
 * ACK that would say so may have been lost, and nothing would be heard until a time-out. A poll is
 * an ACK that wants an answer: it sends no packet again, so it changes no time-out.
 *
 * A round begins with news. In it
 *
 * | event                                     | what follows                                      |
 * |-------------------------------------------|---------------------------------------------------|
 * | longer than the ULP usually takes         | a poll                                            |
 * | an answer: all waits still                | a poll after as long again, then twice that, ...  |
 * | no answer                                 | a poll after two waits for an answer, then four   |
 * | no answer to three polls, or the ULP      | none any more: what is left is the time-out       |
 * | usually takes longer than the time-out    |                                                   |
 *
 * The usual time is the average of those from sending a packet to its acknowledgement, and four
 * times their variation (RFC 6298), or a wait for an answer if that is longer. Before one is known
 * it is such a wait.
 */
class AcceptancePoll
{
  public:
    /**
     * A packet that had waited for the ULP is acknowledged. If that may be the answer to a poll it
     * says nothing of the ULP, as an ACK of a packet that was sent twice nothing of the round trip
     * (Karn).
     *
     * @param sentAt when it was sent, ps
     * @param shortestRtt no answer takes less, ps
     */
    void Learn(TimePs sentAt, TimePs shortestRtt, TimePs now)
    {
        if (m_unanswered > 0 && now - m_askedAt >= shortestRtt)
        {
            return;
        }
        Smooth(now - sentAt);
    }

    /// A packet that waits for the ULP is sent again by a time-out. @param time since it was sent,
    /// ps: the ULP takes as long at least
    void LearnTimeOut(TimePs time)
    {
        Smooth(time);
    }

    /**
     * The peer has told all that it knows, or something new.
     *
     * @param isNews whether something of it was new: a round begins
     */
    void Hear(TimePs now, bool isNews)
    {
        m_heardAt = now;
        if (isNews)
        {
            m_pause = 0;
            m_unanswered = 0;
        }
        else if (m_unanswered > 0)
        {
            m_unanswered = 0;
            m_next = now + m_pause;
            m_pause *= 2;
        }
    }

    /**
     * @param sentAt when the oldest packet was sent that waits, ps
     * @param deadline its time-out, before which an answer is to come, ps
     * @param wait for an answer, ps
     * @return when the peer is polled, ps; NEVER if it is not
     */
    TimePs Time(TimePs sentAt, TimePs deadline, TimePs wait) const
    {
        if (m_unanswered >= MOST || sentAt + m_usual >= deadline)
        {
            return NEVER;
        }
        const TimePs late = sentAt + m_usual + std::max(4 * m_variation, wait);
        return m_pause != 0 ? m_next : std::max(std::min(late, deadline - wait), m_heardAt + wait);
    }

    /**
     * The peer is polled.
     *
     * @param sentAt when the oldest packet was sent that waits, ps
     * @param wait for an answer, ps
     */
    void Ask(TimePs sentAt, TimePs wait, TimePs now)
    {
        m_askedAt = now;
        if (m_pause == 0)
        {
            m_pause = std::max(now - sentAt, wait);
        }
        ++m_unanswered;
        m_next = now + (wait << m_unanswered);
    }

  private:
    /// Takes a time from sending to acceptance into the averages, as RFC 6298 does.
    void Smooth(TimePs time)
    {
        if (m_usual == 0)
        {
            m_usual = time;
            m_variation = time / 2;
            return;
        }
        const TimePs error = time - m_usual;
        m_usual += error / 8;
        m_variation += (std::abs(error) - m_variation) / 4;
    }

    static constexpr uint32_t MOST = 3; ///< Polls without an answer. Chosen.

    TimePs m_usual{0};        ///< From sending to acceptance, ps; 0 before one is known.
    TimePs m_variation{0};    ///< Of it, ps.
    TimePs m_heardAt{0};      ///< When the peer has told so, ps.
    TimePs m_askedAt{0};      ///< Last poll, ps.
    TimePs m_next{0};         ///< Next poll of a round that has one, ps.
    TimePs m_pause{0};        ///< After the next answer, ps; 0 while a round has no poll.
    uint32_t m_unanswered{0}; ///< Polls.
};

} // namespace ns3::fabric

#endif // FABRIC_ACCEPTANCE_POLL_H
