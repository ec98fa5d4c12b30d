/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RECEIVE_BUFFER_H
#define FABRIC_RECEIVE_BUFFER_H

#include "fabric-credit-path.h"
#include "fabric-frame.h"
#include "fabric-link-rate.h"

#include <algorithm>

namespace ns3::fabric
{

/**
 * The receive buffer of a host that may be slower than its link: it drains at a rate, first in,
 * first out, and gives room back when a frame has left it.
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
     * @param room the switch's count of it
     * @param credits gives room back to the switch
     */
    ReceiveBuffer(LinkRate link, LinkRate drain, LinkCredits& room, const CreditPath& credits)
        : m_link(link),
          m_drain(drain),
          m_room(room),
          m_credits(credits)
    {
    }

    /// @param frame that the switch starts, for which it has room
    void Reserve(const Frame& frame)
    {
        m_room.Consume(frame.vc, WireBytes(frame.payload));
    }

    /**
     * The switch has put a frame on the link.
     *
     * @param frame the frame; its time is the arrival of its tail, not before that of any earlier
     * call
     * @param known everything before this time is over, ps
     * @return when its last byte leaves the buffer, ps
     */
    TimePs Drain(const Frame& frame, TimePs known)
    {
        const uint32_t bytes = WireBytes(frame.payload);
        const TimePs head = frame.time - m_link.TxTime(bytes);
        m_drainedAt = std::max(frame.time, std::max(m_drainedAt, head) + m_drain.TxTime(bytes));
        m_credits.Return(frame.vc, bytes, m_drainedAt, known);
        return m_drainedAt;
    }

    /**
     * A frame is found damaged when its tail should be in, and its room is free then.
     *
     * @param frame the frame; its time is that
     * @param known everything before this time is over, ps
     */
    void Discard(const Frame& frame, TimePs known)
    {
        m_credits.Return(frame.vc, WireBytes(frame.payload), frame.time, known);
    }

  private:
    LinkRate m_link;       ///< Frames come in.
    LinkRate m_drain;      ///< Frames leave.
    LinkCredits& m_room;   ///< The switch's count.
    CreditPath m_credits;  ///< To the switch.
    TimePs m_drainedAt{0}; ///< When what is in the buffer has left it, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_RECEIVE_BUFFER_H
