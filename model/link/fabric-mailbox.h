/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MAILBOX_H
#define FABRIC_MAILBOX_H

#include "fabric-agenda.h"
#include "fabric-credit-path.h"
#include "fabric-input-link.h"
#include "fabric-link-credits.h"

#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * What leaves a switch by one port for a switch that another thread may be running: frames and
 * ACKs, and the credits for what came in by that port (DP-15).
 *
 * The sender writes here as if it were the receiver, so a hop costs the sender nothing more. When
 * both switches rest, the contents are moved on. That is soon enough, since what is sent in a
 * window takes effect after the receiver's window (DP-2).
 */
class Mailbox : private Alarm
{
  public:
    /// @param filled gets this mailbox when something is put into it; the sender's thread writes it
    explicit Mailbox(std::vector<Mailbox*>& filled)
        : m_filled(&filled)
    {
        m_agenda.Resize(1);
        m_agenda.SetAlarm(this);
        m_link.Attach(&m_agenda, 0);
    }

    // Switches point into it.
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;

    /**
     * @param receiver end of the link that frames and ACKs are for
     * @param credits way of the credits
     */
    void Connect(InputLink* receiver, const CreditPath& credits)
    {
        m_receiver = receiver;
        m_creditPath = credits;
    }

    /// @return where the sender puts frames and ACKs
    InputLink& Link()
    {
        return m_link;
    }

    /// @return the way on which the sender puts credits
    CreditPath MakeCreditPath()
    {
        return m_creditPath.Divert(&m_credits, &m_isWaiting, &m_decision, &m_agenda);
    }

    /**
     * Moves the contents to the receiver, and wakes it.
     *
     * @param known both switches have decided everything before this time, ps
     */
    void Deliver(TimePs known)
    {
        for (Ring<Frame>& frames = m_link.Frames(); !frames.IsEmpty(); frames.Pop())
        {
            m_receiver->Push(frames.Front());
        }
        for (Ring<AckBatch>& acks = m_link.Acks(); !acks.IsEmpty(); acks.Pop())
        {
            m_receiver->Push(acks.Front());
        }
        m_credits.TakeReturns([this, known](TimePs when, uint32_t vc, uint32_t bytes) {
            m_creditPath.Deliver(when, vc, bytes, known);
        });
        m_agenda.At(Task::DATA, 0) = NEVER;
        m_agenda.At(Task::CONTROL, 0) = NEVER;
        m_agenda.PlanRun(NEVER);
    }

    /// @return bytes of memory held, with the object
    std::size_t MemoryBytes() const
    {
        return sizeof(*this) + m_link.Frames().MemoryBytes() + m_link.Acks().MemoryBytes() +
               m_credits.MemoryBytes();
    }

  private:
    /// Something is put into the empty mailbox; nobody need know of more.
    void WakeBy(TimePs) override
    {
        m_agenda.PlanRun(0);
        m_filled->push_back(this);
    }

    Agenda m_agenda;                 ///< Calls WakeBy().
    InputLink m_link;                ///< Frames and ACKs.
    LinkCredits m_credits;           ///< Credits.
    InputLink* m_receiver{nullptr};  ///< Gets frames and ACKs.
    CreditPath m_creditPath;         ///< Credits go this way.
    std::vector<Mailbox*>* m_filled; ///< Mailboxes with contents.
    bool m_isWaiting{true};          ///< Each credit calls m_agenda.
    TimePs m_decision{NEVER};        ///< Written by credits, not read.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_MAILBOX_H
