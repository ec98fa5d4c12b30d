/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACK_FRAME_H
#define FABRIC_ACK_FRAME_H

#include "fabric-ack-batch.h"
#include "fabric-transmitter.h"

namespace ns3::fabric
{

/// An ACK frame that takes a link's wire, with ACKs for the receiver (WL-2). It is sent when it
/// ends.
class AckFrame
{
  public:
    /**
     * @param link whose wire is free
     * @param count of ACKs that follow, at most MAX_ACKS_PER_FRAME
     */
    AckFrame(Transmitter& link, uint32_t count, TimePs now)
        : m_link(link),
          m_attempt(link.TryControl(AckFrameBytes(count), now))
    {
        if (!IsDelayed())
        {
            m_batch.time = link.StartControl(AckFrameBytes(count), now);
        }
    }

    ~AckFrame()
    {
        if (!IsDelayed())
        {
            Push();
        }
    }

    AckFrame(const AckFrame&) = delete;
    AckFrame& operator=(const AckFrame&) = delete;

    /// @return whether the wire is taken by something else, so that nothing is sent
    bool IsDelayed() const
    {
        return m_attempt == Attempt::LATER;
    }

    /// @param ack is sent too
    void Add(const Ack& ack)
    {
        if (m_batch.IsFull())
        {
            Push();
            m_batch.count = 0;
        }
        m_batch.Add(ack);
    }

  private:
    /// Puts a part of it on the link, unless that damages it.
    void Push()
    {
        if (m_attempt == Attempt::CLEAN)
        {
            m_link.PushAcks(m_batch);
        }
        else
        {
            m_link.LoseAcks(m_batch.count);
        }
    }

    Transmitter& m_link; ///< Takes it.
    Attempt m_attempt;   ///< What becomes of it.
    AckBatch m_batch;    ///< The part of it that is not on the link.
};

} // namespace ns3::fabric

#endif // FABRIC_ACK_FRAME_H
