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
 * What is on a link for its receiver, by time (DP-1). A first entry, and whom to tell of it, are in
 * one line of the cache.
 *
 * @tparam Entry has a member `time`, when it takes effect, ps
 * @tparam TASK of the receiver that takes it in
 */
template <typename Entry, Task TASK>
class alignas(CACHE_LINE) ArrivalRing : public Ring<Entry, RingFront::INSIDE>
{
  public:
    ArrivalRing()
        : m_port(0),
          m_sharesTask(0),
          m_isLost(0)
    {
    }

    /// @param agenda of the receiving switch
    void Attach(Agenda* agenda, uint32_t port)
    {
        m_agenda = agenda;
        m_port = port & ((1U << PORT_BITS) - 1);
    }

    /// The task may be planned though nothing is on the link.
    void ShareTask()
    {
        m_sharesTask = 1;
    }

    /// @param isLost whether what is on the link is lost
    void SetLost(bool isLost)
    {
        m_isLost = isLost ? 1 : 0;
    }

    /// @return see SetLost()
    bool IsLost() const
    {
        return m_isLost != 0;
    }

    /// @param entry takes effect no earlier than the one before it
    void Push(const Entry& entry)
    {
        if (this->IsEmpty())
        {
            m_sharesTask != 0 ? m_agenda->Note(TASK, m_port, entry.time)
                              : m_agenda->Begin(TASK, m_port, entry.time);
        }
        Ring<Entry, RingFront::INSIDE>::Push(entry);
    }

  private:
    static constexpr uint32_t PORT_BITS = 14; ///< More than there are ports.

    uint16_t m_port : PORT_BITS; ///< Of the link at the receiving switch.
    uint16_t m_sharesTask : 1;   ///< See ShareTask().
    uint16_t m_isLost : 1;       ///< See SetLost().
    Agenda* m_agenda{nullptr};   ///< Of the receiving switch.
};

/// Frames on a link.
using FrameRing = ArrivalRing<Frame, Task::DATA>;

/// ACKs on a link.
using AckRing = ArrivalRing<AckBatch, Task::CONTROL>;

static_assert(sizeof(FrameRing) == CACHE_LINE && sizeof(AckRing) == CACHE_LINE,
              "a frame on its own touches one line");

/**
 * The receiving end of a link at a switch.
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
        m_frames.Attach(agenda, port);
        m_acks.Attach(agenda, port);
    }

    /// @param frames of full size that are on the link at a time; ACK frames are fewer as a rule
    void Expect(uint32_t frames)
    {
        m_frames.Expect(frames);
        m_acks.Expect(frames);
    }

    /// The link has failed, or what was on it then is gone. @param isCut whether what comes in was
    /// sent before
    void SetCut(bool isCut)
    {
        m_frames.SetLost(isCut); // both know, as each has its line of the cache
        m_acks.SetLost(isCut);
    }

    /// @return see SetCut()
    bool IsCut() const
    {
        return m_acks.IsLost();
    }

    /// @param frame takes effect at frame.time, no earlier than the frame before it
    void Push(const Frame& frame)
    {
        m_frames.Push(frame);
    }

    /// @param batch takes effect at batch.time, no earlier than the batch before it
    void Push(const AckBatch& batch)
    {
        m_acks.Push(batch);
    }

    /// @return the frames that the receiver has not handled yet
    FrameRing& Frames()
    {
        return m_frames;
    }

    /// @copydoc Frames()
    const FrameRing& Frames() const
    {
        return m_frames;
    }

    /// @return the ACKs that the receiver has not handled yet
    AckRing& Acks()
    {
        return m_acks;
    }

    /// @copydoc Acks()
    const AckRing& Acks() const
    {
        return m_acks;
    }

  private:
    FrameRing m_frames; ///< By time.
    AckRing m_acks;     ///< By time.
};

} // namespace ns3::fabric

#endif // FABRIC_INPUT_LINK_H
