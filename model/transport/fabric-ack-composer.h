/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ACK_COMPOSER_H
#define FABRIC_ACK_COMPOSER_H

#include "fabric-receive-window.h"
#include "fabric-transport-packet.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ns3::fabric
{

/**
 * What the peer is told of the packets that came from it: the expected bases of both windows, the
 * time of the newest packet as an echo, and how many were marked (RT-9, RT-14). It rides along with
 * whatever goes to the peer; this says when it is sent alone, coalesced by count and time:
 *
 * | state   | event                              | next    |
 * |---------|------------------------------------|---------|
 * | nothing | a packet to acknowledge            | waiting |
 * | nothing | duplicate below the window         | due     |
 * | waiting | so many packets, or so long        | due     |
 * | waiting | all of it piggybacked              | nothing |
 * | due     | ACK sent, or all of it piggybacked | nothing |
 * | any     | the peer is asked for an answer    | asking  |
 * | asking  | ACK sent                           | nothing |
 */
class AckComposer
{
  public:
    /**
     * A packet of a window has come for the first time.
     *
     * @param packet with a piece
     */
    void Take(const TransportPacket& packet, TimePs now)
    {
        m_echoSentAt = packet.piece.sentAt;
        m_echoCameAt = now;
        const uint32_t payload = packet.PayloadBytes();
        m_isLongEcho = payload >= m_longest;
        m_longest = std::max(m_longest, payload);
        m_marksSeen = static_cast<uint16_t>(m_marksSeen + packet.isMarked);
        m_isMarkChange = m_isMarkChange || packet.isMarked != m_wasMarked;
        m_wasMarked = packet.isMarked;
    }

    /// @return whether a packet has come since the last call that is marked and the one before was
    /// not, or the other way round
    bool TakeMarkChange()
    {
        return std::exchange(m_isMarkChange, false);
    }

    /**
     * A packet may be acknowledged now.
     *
     * @param delay how long it may wait, ps
     */
    void Count(TimePs now, TimePs delay)
    {
        ++m_packets;
        Arm(now, delay);
    }

    /// There is news that may wait, but no packet to acknowledge. @copydetails Count()
    void Arm(TimePs now, TimePs delay)
    {
        m_deadline = std::min(m_deadline, now + delay);
    }

    /// An ACK is due at once.
    void Force()
    {
        m_deadline = 0;
    }

    /// An ACK is due at once, and wants an answer.
    void Ask()
    {
        m_asks = true;
        Force();
    }

    /**
     * @param packets how many are acknowledged at once
     * @return whether a stand-alone ACK is due
     */
    bool IsDue(TimePs now, uint32_t packets) const
    {
        return m_packets >= packets || m_deadline <= now;
    }

    /// @return when it is due by time, ps; NEVER if there is nothing to say
    TimePs Deadline() const
    {
        return m_deadline;
    }

    /**
     * Writes what rides along with a packet. What was received beyond the bases it can't say.
     *
     * @param packet of a window, ACK or CLOSE
     * @param requests what came in the request window
     * @param data what came in the data window
     * @param needsAck whether only an ACK can say all in any case
     */
    void RideOn(TransportPacket& packet,
                const ReceiveWindow& requests,
                const ReceiveWindow& data,
                TimePs now,
                bool needsAck = false)
    {
        packet.requestBase = requests.Base();
        packet.dataBase = data.Base();
        packet.marksSeen = m_marksSeen;
        if (m_echoSentAt != NEVER)
        {
            packet.echo = m_echoSentAt + (now - m_echoCameAt);
            packet.isLongEcho = m_isLongEcho;
            m_echoSentAt = NEVER;
        }
        if (!needsAck && !m_asks && requests.Received().IsEmpty() && data.Received().IsEmpty())
        {
            Clear(); // the bases say it all
        }
    }

    /**
     * Writes a stand-alone ACK, which says all.
     *
     * @param packet an ACK
     * @param requests what came in the request window
     * @param data what came in the data window
     */
    void Write(TransportPacket& packet,
               const ReceiveWindow& requests,
               const ReceiveWindow& data,
               TimePs now)
    {
        RideOn(packet, requests, data, now);
        packet.bitmaps.requestAcked = requests.Acked().Low();
        packet.bitmaps.dataAcked = data.Acked();
        packet.bitmaps.dataReceived = data.Received();
        packet.isProbe = packet.isProbe || m_asks;
        m_asks = false;
        Clear();
    }

  private:
    /// All that there is to say has been said.
    void Clear()
    {
        m_packets = 0;
        m_deadline = NEVER;
    }

    TimePs m_deadline{NEVER};   ///< Of a stand-alone ACK, ps.
    uint32_t m_packets{0};      ///< To be acknowledged.
    uint32_t m_longest{0};      ///< Most payload of a packet received, bytes.
    uint16_t m_marksSeen{0};    ///< Marked packets received.
    bool m_wasMarked{false};    ///< Whether the newest packet was.
    bool m_isMarkChange{false}; ///< See TakeMarkChange().
    bool m_asks{false};         ///< The next stand-alone ACK wants an answer.
    bool m_isLongEcho{false};   ///< Whether the newest packet had as much.
    TimePs m_echoSentAt{NEVER}; ///< `sentAt` of the newest packet; NEVER: told already.
    TimePs m_echoCameAt{0};     ///< When that packet came, ps.
};

} // namespace ns3::fabric

#endif // FABRIC_ACK_COMPOSER_H
