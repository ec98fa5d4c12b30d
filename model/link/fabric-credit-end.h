/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_END_H
#define FABRIC_CREDIT_END_H

#include "fabric-agenda.h"
#include "fabric-link-credits.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/**
 * Where credits come in: at the sender of a link, a switch or a NIC.
 *
 * A sender that waits for credit says so with its count; only then does a credit put something on
 * its agenda. That has to happen even if another credit is on its way: this one may be earlier, and
 * who knows of which first depends on the windows.
 */
class CreditEnd
{
  public:
    /**
     * At a switch.
     *
     * @param credits the sender's count
     * @param agenda of the sender
     * @param port of the sender, whose decision a credit that it waits for brings forward
     */
    CreditEnd(LinkCredits* credits, Agenda* agenda, uint32_t port)
        : m_credits(credits),
          m_agenda(agenda),
          m_port(port)
    {
    }

    /**
     * At a NIC, which its switch looks at by itself.
     *
     * @param credits the sender's count
     * @param agenda of its switch
     * @param port of its switch
     */
    static CreditEnd OfHost(LinkCredits& credits, Agenda& agenda, uint32_t port)
    {
        CreditEnd end(&credits, &agenda, port);
        end.m_isHost = true;
        return end;
    }

    CreditEnd() = default;

    /**
     * @param when time at which the sender has the credit, ps
     * @param vc virtual channel
     * @param bytes of the frame that left the buffer
     * @param known the sender has decided everything before this time, ps
     */
    void Deliver(TimePs when, uint32_t vc, uint32_t bytes, TimePs known)
    {
        m_credits->Return(when, vc, bytes, known);
        if (!m_credits->IsAwaited())
        {
            return;
        }
        m_isHost ? m_agenda->BringHostForward(m_port, when)
                 : m_agenda->Note(Task::DECIDE, m_port, when);
    }

    /// Fetches the sender's count, before FetchSlots().
    void FetchCredits() const
    {
        FetchMemory(m_credits, sizeof(LinkCredits));
    }

    /// Fetches what Deliver() writes. @param most credits
    void FetchSlots(uint32_t most) const
    {
        if (m_credits)
        {
            m_credits->FetchNextSlots(most);
        }
    }

  private:
    LinkCredits* m_credits{nullptr}; ///< The sender's count.
    Agenda* m_agenda{nullptr};       ///< Of the sender, or of its switch.
    uint32_t m_port{0};              ///< Of the sender, or of its switch.
    bool m_isHost{false};            ///< Whether it is a NIC.
};

} // namespace ns3::fabric

#endif // FABRIC_CREDIT_END_H
