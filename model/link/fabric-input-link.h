/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_INPUT_LINK_H
#define FABRIC_INPUT_LINK_H

#include "fabric-ack-batch.h"
#include "fabric-agenda.h"
#include "fabric-frame.h"
#include "fabric-ring.h"

namespace ns3::fabric
{

/**
 * The receiving end of a link at a switch: rings of timed entries (DP-1).
 *
 * Frames and ACKs have a ring each, since the switch's pipelines for them differ in length: an ACK
 * frame may take effect before a data frame that was sent before it.
 */
class InputLink
{
  public:
    /// @param agenda of the receiving switch
    void Attach(Agenda* agenda, uint32_t port)
    {
        m_agenda = agenda;
        m_port = port;
    }

    /// @param frames of full size that are on the link at a time; ACK frames are fewer as a rule
    void Expect(uint32_t frames)
    {
        m_frames.Expect(frames);
        m_acks.Expect(frames);
    }

    /// @param frame takes effect at frame.time, no earlier than the frame before it
    void Push(const Frame& frame)
    {
        if (m_frames.IsEmpty())
        {
            m_agenda->Note(Task::DATA, m_port, frame.time);
        }
        m_frames.Push(frame);
    }

    /// @param batch takes effect at batch.time, no earlier than the batch before it
    void Push(const AckBatch& batch)
    {
        if (m_acks.IsEmpty())
        {
            m_agenda->Note(Task::CONTROL, m_port, batch.time);
        }
        m_acks.Push(batch);
    }

    /// @return the frames that the receiver has not handled yet
    Ring<Frame>& Frames()
    {
        return m_frames;
    }

    /// @copydoc Frames()
    const Ring<Frame>& Frames() const
    {
        return m_frames;
    }

    /// @return the ACKs that the receiver has not handled yet
    Ring<AckBatch>& Acks()
    {
        return m_acks;
    }

    /// @copydoc Acks()
    const Ring<AckBatch>& Acks() const
    {
        return m_acks;
    }

  private:
    Ring<Frame> m_frames;      ///< By time.
    Ring<AckBatch> m_acks;     ///< By time.
    Agenda* m_agenda{nullptr}; ///< Of the receiving switch.
    uint32_t m_port{0};        ///< Of the link at the receiving switch.
};

} // namespace ns3::fabric

#endif // FABRIC_INPUT_LINK_H
