/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_PATH_H
#define FABRIC_CREDIT_PATH_H

#include "fabric-agenda.h"
#include "fabric-link-credits.h"
#include "fabric-mailbox.h"

namespace ns3
{
namespace fabric
{

/**
 * The way of credits from an input port back to the sender on that link.
 *
 * A sender that waits for credit says so in `starves`; only then does a credit put something on its
 * agenda. That has to happen even if another credit is on its way: this one may be earlier, and who
 * knows of which first depends on the windows.
 */
class CreditPath
{
  public:
    /**
     * To a switch.
     *
     * @param credits the sender's count
     * @param starves whether the sender waits for a credit
     * @param agenda of the sender
     * @param port of the sender, whose decision a credit that it waits for brings forward
     * @param delay from the end of a frame's stay in the buffer to the sender's knowledge, ps
     */
    CreditPath(LinkCredits* credits, bool* starves, Agenda* agenda, uint32_t port, TimePs delay)
        : m_credits(credits),
          m_starves(starves),
          m_agenda(agenda),
          m_port(port),
          m_delay(delay)
    {
    }

    /**
     * To a NIC, which its switch looks at by itself.
     *
     * @param credits the sender's count
     * @param starves whether the sender waits for a credit
     * @param decision the sender's next, brought forward by a credit that it waits for
     * @param delay from the end of a frame's stay in the buffer to the sender's knowledge, ps
     */
    CreditPath(LinkCredits* credits, bool* starves, TimePs* decision, TimePs delay)
        : m_credits(credits),
          m_starves(starves),
          m_decision(decision),
          m_delay(delay)
    {
    }

    CreditPath() = default;

    /// @param mailbox takes the credits from now on, since another thread may run the sender
    void SetMailbox(Mailbox* mailbox)
    {
        m_mailbox = mailbox;
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
            m_mailbox->Put(this, when, vc, bytes);
            return;
        }
        Deliver(when, vc, bytes, known);
    }

    /// Fetches the sender's count, before FetchSlots().
    void FetchSender() const
    {
        FetchMemory(m_credits, m_mailbox ? 0 : sizeof(LinkCredits));
    }

    /// Fetches what Return() writes at the sender, as far as that is not another thread's.
    void FetchSlots() const
    {
        if (m_credits && !m_mailbox)
        {
            m_credits->FetchNextSlots();
        }
    }

    /**
     * @param when time at which the sender has the credit, ps
     * @param vc virtual channel
     * @param bytes of the frame that left the buffer
     * @param known the sender has decided everything before this time, ps
     */
    void Deliver(TimePs when, uint32_t vc, uint32_t bytes, TimePs known)
    {
        m_credits->Return(when, vc, bytes, known);
        if (!*m_starves)
        {
            return;
        }
        if (m_agenda)
        {
            m_agenda->Note(Task::DECIDE, m_port, when);
        }
        else
        {
            *m_decision = std::min(*m_decision, when);
        }
    }

  private:
    LinkCredits* m_credits{nullptr}; ///< The sender's count.
    bool* m_starves{nullptr};        ///< Whether the sender waits.
    Mailbox* m_mailbox{nullptr};     ///< Takes the credits; null for none.
    TimePs* m_decision{nullptr};     ///< The sender's next decision, if it is a NIC.
    Agenda* m_agenda{nullptr};       ///< Of the sender, if it is a switch.
    uint32_t m_port{0};              ///< Of the sender, if it is a switch.
    TimePs m_delay{0};               ///< Of the way back.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_CREDIT_PATH_H
