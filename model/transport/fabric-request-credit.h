/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REQUEST_CREDIT_H
#define FABRIC_REQUEST_CREDIT_H

#include "fabric-sequence-number.h"
#include "fabric-types.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/**
 * Which own requests of a connection the target has entries for, as the initiator knows it (see
 * CreditControl):
 *
 * | state   | event                                          | next                              |
 * |---------|------------------------------------------------|-----------------------------------|
 * | trusted | told at set-up, or by CREDIT_ONLY              | metered                           |
 * | metered | a request has no credit, and was not asked for | asks                              |
 * |         | or as many again are new                       |                                   |
 * | asks    | nothing is heard in time                       | asks again, and waits twice as    |
 * |         |                                                | long, up to 16 times              |
 * | asks    | CREDIT for all that was asked for              | metered                           |
 */
class RequestCredit
{
  public:
    /// @return whether the target has an entry for it
    bool Covers(uint32_t rsn) const
    {
        return !m_isMetered || SequenceBefore(rsn, m_limit);
    }

    /**
     * Credits are needed from now on.
     *
     * @param limit RSNs below it were or will be sent
     */
    void Meter(uint32_t limit)
    {
        if (!m_isMetered)
        {
            m_isMetered = true;
            m_limit = m_asked = limit;
        }
    }

    /// @return whether credits are needed
    bool IsMetered() const
    {
        return m_isMetered;
    }

    /// @return RSNs below it have an entry
    uint32_t Limit() const
    {
        return m_limit;
    }

    /**
     * The target has told how far it may go. An older one says nothing new.
     *
     * @param limit RSNs below it have an entry
     * @return whether it makes sense
     */
    bool Raise(uint32_t limit)
    {
        if (m_isMetered && SequenceBefore(m_limit, limit))
        {
            m_limit = limit;
            m_asked = SequenceBefore(m_asked, limit) ? limit : m_asked;
            m_tries = 0;
            m_isHeard = true;
        }
        return m_isMetered;
    }

    /**
     * @param wanted there are requests up to this RSN, exclusive
     * @param delay after which it is asked again, ps
     * @return whether the target is to be asked now
     */
    bool TakeAsk(uint32_t wanted, TimePs now, TimePs delay)
    {
        if (Covers(wanted - 1))
        {
            m_askAt = NEVER;
            return false;
        }
        const bool isNew = SequenceDistance(m_asked, wanted) > SequenceDistance(m_limit, m_asked);
        if (m_isHeard && !isNew)
        {
            m_askAt = now + delay;
        }
        m_isHeard = false;
        if (!isNew && now < m_askAt)
        {
            return false;
        }
        m_tries = isNew ? 0 : std::min(m_tries + 1, MOST_DOUBLINGS);
        m_asked = wanted;
        m_askAt = now + (delay << m_tries);
        return true;
    }

    /// @return when it is asked again, ps; NEVER if not
    TimePs Deadline() const
    {
        return m_askAt;
    }

  private:
    static constexpr uint32_t MOST_DOUBLINGS = 4; ///< Of the time between two questions.

    TimePs m_askAt{NEVER};   ///< It is asked again, ps.
    uint32_t m_limit{0};     ///< RSNs below it have an entry.
    uint32_t m_asked{0};     ///< RSNs below it were asked for.
    uint32_t m_tries{0};     ///< Questions in vain.
    bool m_isMetered{false}; ///< Credits are needed.
    bool m_isHeard{false};   ///< There was an answer since the last look.
};

} // namespace ns3::fabric

#endif // FABRIC_REQUEST_CREDIT_H
