/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAUSE_PATH_H
#define FABRIC_PAUSE_PATH_H

#include "fabric-mailbox.h"
#include "fabric-pause-end.h"

namespace ns3::fabric
{

/// The way of pauses from a switch to the switch whose link it pauses.
class PausePath
{
  public:
    /**
     * @param end where they come in
     * @param port of the link there
     */
    PausePath(PauseEnd* end, uint32_t port)
        : m_end(end),
          m_port(port)
    {
    }

    PausePath() = default;

    /// @param mailbox takes the pauses from now on, since another thread may run the paused switch
    void SetMailbox(Mailbox* mailbox)
    {
        m_mailbox = mailbox;
    }

    /// @return where they come in
    PauseEnd* End() const
    {
        return m_end;
    }

    /// @param order is obeyed at order.time
    void Tell(const PauseOrder& order)
    {
        if (m_mailbox)
        {
            m_mailbox->Put(m_end, m_port, order);
            return;
        }
        m_end->TakePause(m_port, order, Attempt::CLEAN);
    }

  private:
    PauseEnd* m_end{nullptr};    ///< Where they come in.
    Mailbox* m_mailbox{nullptr}; ///< Takes the pauses; null for none.
    uint32_t m_port{0};          ///< Of the link there.
};

} // namespace ns3::fabric

#endif // FABRIC_PAUSE_PATH_H
