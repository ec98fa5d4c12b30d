/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_PATH_H
#define FABRIC_CREDIT_PATH_H

#include "fabric-credit-end.h"
#include "fabric-mailbox.h"

namespace ns3::fabric
{

/// The way of credits from an input port back to the sender on that link.
class CreditPath
{
  public:
    /**
     * @param end where they come in
     * @param delay from the end of a frame's stay in the buffer to the sender's knowledge, ps
     */
    CreditPath(const CreditEnd& end, TimePs delay)
        : m_end(end),
          m_delay(delay)
    {
    }

    CreditPath() = default;

    /// @param mailbox takes the credits from now on, since another thread may run the sender
    void SetMailbox(Mailbox* mailbox)
    {
        m_mailbox = mailbox;
    }

    /// @return where they come in
    CreditEnd& End()
    {
        return m_end;
    }

    /**
     * @param vc virtual channel
     * @param bytes of the frame that leaves the buffer
     * @param end when its tail leaves, ps
     * @param known the sender has decided everything before this time, ps
     */
    void Return(uint32_t vc, uint32_t bytes, TimePs end, TimePs known)
    {
        const TimePs when = end + m_delay;
        if (m_mailbox)
        {
            m_mailbox->Put(&m_end, when, vc, bytes);
            return;
        }
        m_end.Deliver(when, vc, bytes, known);
    }

    /// Fetches the sender's count, before FetchSlots(), as far as that is not another thread's.
    void FetchSender() const
    {
        if (!m_mailbox)
        {
            m_end.FetchCredits();
        }
    }

    /// Fetches what Return() writes at the sender, as far as that is not another thread's. @param
    /// most credits
    void FetchSlots(uint32_t most) const
    {
        if (!m_mailbox)
        {
            m_end.FetchSlots(most);
        }
    }

  private:
    CreditEnd m_end;             ///< Where they come in.
    Mailbox* m_mailbox{nullptr}; ///< Takes the credits; null for none.
    TimePs m_delay{0};           ///< Of the way back.
};

} // namespace ns3::fabric

#endif // FABRIC_CREDIT_PATH_H
