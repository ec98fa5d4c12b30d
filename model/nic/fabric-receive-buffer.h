/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RECEIVE_BUFFER_H
#define FABRIC_RECEIVE_BUFFER_H

#include "fabric-credit-frame.h"
#include "fabric-frame.h"
#include "fabric-link-rate.h"
#include "fabric-receive-pauses.h"

#include <algorithm>
#include <memory>

namespace ns3::fabric
{

/**
 * The receive buffer of a host that may be slower than its link: it drains at a rate, first in,
 * first out. It gives room back to the switch when a frame has left it, or pauses the switch when
 * it fills.
 *
 * Bytes drain as they come in, so a frame leaves when its last byte is in or when the drain has
 * come to it, whichever is later:
 *
 *   leaves(n) = max(tail(n), max(leaves(n - 1), head(n)) + bytes(n) / rate)
 *
 * So that is known when the switch starts the frame, and the buffer needs no events. At the link's
 * rate every frame leaves with its last byte.
 */
class ReceiveBuffer
{
  public:
    /**
     * @param link rate at which frames come in
     * @param drain rate at which they leave
     */
    ReceiveBuffer(LinkRate link, LinkRate drain)
        : m_link(link),
          m_drain(drain)
    {
    }

    /**
     * The switch has credits.
     *
     * @param room the switch's count of it
     * @param credits gives room back to the switch
     */
    void UseCredits(LinkCredits& room, const CreditPath& credits)
    {
        m_room = &room;
        m_credits = credits;
    }

    /// The switch has credits that come in frames. @param channels virtual channels in use
    void UseCreditFrames(const CreditSettings& settings, uint32_t channels)
    {
        m_creditReturn = std::make_unique<CreditReturn>(settings, channels);
    }

    /// @return what credit frames tell of, null if there are none
    CreditReturn* CreditsToTell() const
    {
        return m_creditReturn.get();
    }

    /// @return the way of credits to the switch
    CreditPath& Credits()
    {
        return m_credits;
    }

    /**
     * The switch is paused.
     *
     * @param config thresholds
     * @param bytes room
     */
    void UsePauses(const PauseConfig& config, uint32_t bytes)
    {
        m_pauses = std::make_unique<ReceivePauses>(config, bytes);
    }

    /// @return what pauses the switch, null if that has credits
    ReceivePauses* Pauses() const
    {
        return m_pauses.get();
    }

    /// @param frame that the switch starts, for which it has room if it has credits
    void Reserve(const Frame& frame)
    {
        if (m_room)
        {
            m_room->Consume(frame.vc, WireBytes(frame.payload));
        }
    }

    /**
     * The switch has put a frame on the link.
     *
     * @param frame the frame; its time is the arrival of its tail, not before that of any earlier
     * call, and becomes that at which its last byte leaves the buffer
     * @param known everything before this time is over, ps
     * @return whether it fits, as it does unless a pause comes too late
     */
    bool Take(Frame& frame, TimePs known)
    {
        if (m_pauses && !m_pauses->Arrive(frame))
        {
            return false;
        }
        Drain(frame);
        if (m_pauses)
        {
            m_pauses->Leave(frame, m_drainedAt);
        }
        GiveBack(frame, known);
        return true;
    }

    /**
     * The room of a frame is free at its time, since it has left, or was found damaged when its
     * tail should be in.
     *
     * @param known everything before this time is over, ps
     */
    void GiveBack(const Frame& frame, TimePs known)
    {
        if (m_creditReturn)
        {
            m_creditReturn->Leave(frame.vc, WireBytes(frame.payload), frame.time);
        }
        else if (m_room)
        {
            m_credits.Return(frame.vc, WireBytes(frame.payload), frame.time, known);
        }
    }

  private:
    /// @param frame its time becomes that at which it leaves
    void Drain(Frame& frame)
    {
        const uint32_t bytes = WireBytes(frame.payload);
        const TimePs head = frame.time - m_link.TxTime(bytes);
        m_drainedAt = std::max(frame.time, std::max(m_drainedAt, head) + m_drain.TxTime(bytes));
        frame.time = m_drainedAt;
    }

    LinkRate m_link;                              ///< Frames come in.
    LinkRate m_drain;                             ///< Frames leave.
    LinkCredits* m_room{nullptr};                 ///< The switch's count; null if it is paused.
    CreditPath m_credits;                         ///< To the switch.
    std::unique_ptr<CreditReturn> m_creditReturn; ///< Null if credits are no frames.
    std::unique_ptr<ReceivePauses> m_pauses;      ///< Null if the switch has credits.
    TimePs m_drainedAt{0};                        ///< When what is in the buffer has left it, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_RECEIVE_BUFFER_H
