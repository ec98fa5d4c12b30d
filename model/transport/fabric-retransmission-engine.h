/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RETRANSMISSION_ENGINE_H
#define FABRIC_RETRANSMISSION_ENGINE_H

#include "fabric-packets-in-flight.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ns3::fabric
{

/**
 * Which packets in flight of one window and direction are to be sent again (RT-12).
 *
 * | packet       | event                                         | next                      |
 * |--------------|-----------------------------------------------|---------------------------|
 * | in flight    | deadline passed, fewer retries than the limit | to be resent, retries + 1 |
 * | in flight    | deadline passed, retries at the limit         | the connection fails      |
 * | in flight    | missing: one `threshold` higher has come,     | to be resent              |
 * |              | last send older than a round trip             |                           |
 * | in flight    | NACK NO_RESOURCE                              | deadline later, retries 0 |
 * | in flight    | bitmap says received, not acknowledged        | retries 0                 |
 * | to be resent | sent                                          | in flight                 |
 * | either       | acknowledged                                  | retired                   |
 */
class RetransmissionEngine
{
  public:
    using Pool = PacketsInFlight::Pool; ///< Where tables come from.

    /// An engine for a window of one packet.
    RetransmissionEngine() = default;

    /**
     * @param first PSN of the first packet
     * @param size packets, 1 to 128
     */
    RetransmissionEngine(uint32_t first, uint32_t size)
        : m_packets(first, size)
    {
    }

    const TransmitWindow& Window() const
    {
        return m_packets.Window();
    }

    /// @return whether a packet waits to be resent
    bool HasResend() const
    {
        return !m_resend.IsEmpty();
    }

    /// @return no packet's deadline is before this, ps; NEVER if nothing is in flight
    TimePs Deadline() const
    {
        return m_deadline;
    }

    /// @return packets for which the table has room now
    std::size_t Slots() const
    {
        return m_packets.Slots();
    }

    /**
     * A new packet is sent. The window must not be full.
     *
     * @param packet with its times
     * @param pool where tables come from
     * @return its PSN
     */
    uint32_t Register(const OutstandingPacket& packet, Pool& pool)
    {
        m_deadline = std::min(m_deadline, packet.Deadline());
        return m_packets.Add(packet, pool);
    }

    /// @param psn in flight
    const OutstandingPacket& At(uint32_t psn) const
    {
        return m_packets.At(psn);
    }

    /**
     * An ACK has come: what is newly acknowledged is retired, lowest PSN first.
     *
     * @param base of the ACK
     * @param pool where an empty table goes
     * @param retire is called with each PSN and packet retired
     * @return what became of the ACK
     */
    template <typename Retire>
    AckVerdict Acknowledge(uint32_t base, const PacketBitmap& acked, Pool& pool, Retire retire)
    {
        if (base == Window().Base() && acked.IsEmpty())
        {
            return AckVerdict::TAKEN; // nothing new, as most of what rides along
        }
        const TransmitWindow::Result result = m_packets.Acknowledge(base, acked);
        if (result.newlyAcked.IsEmpty())
        {
            return result.verdict;
        }
        if (HasResend())
        {
            m_resend = (m_resend & ~result.newlyAcked).From(Window().Base() - result.first);
        }
        m_packets.ForEach(result.first, result.newlyAcked, retire);
        if (m_packets.Release(pool))
        {
            m_deadline = NEVER;
        }
        return result.verdict;
    }

    /**
     * The peer has received packets that it does not acknowledge yet.
     *
     * @param base of the ACK
     * @param received its bitmap, bit i is PSN base + i
     */
    void NoteReceived(uint32_t base, const PacketBitmap& received)
    {
        m_packets.ForEach(Window().Base(),
                          m_packets.OfWindow(base, received),
                          [](uint32_t, OutstandingPacket& packet) { packet.retries = 0; });
    }

    /**
     * Looks for packets that are missing (RT-14): early resend.
     *
     * @param base of an ACK
     * @param received its bitmap, bit i is PSN base + i
     * @param threshold a PSN so much higher has come
     * @param sentBefore only packets whose last send was before this, ps
     * @return packets that are newly to be resent
     */
    uint32_t ResendGaps(uint32_t base,
                        const PacketBitmap& received,
                        uint32_t threshold,
                        TimePs sentBefore)
    {
        const PacketBitmap have = m_packets.OfWindow(base, received) | Window().Acked();
        if (have.Width() <= threshold)
        {
            return 0;
        }
        const PacketBitmap missing =
            ~have & ~m_resend & PacketBitmap::First(have.Width() - threshold);
        uint32_t found = 0;
        m_packets.ForEach(Window().Base(), missing, [&](uint32_t psn, OutstandingPacket& packet) {
            // One that was refused waits for its time, since a resend before it would be, too.
            if (packet.SentAt() < sentBefore && !packet.wasRefused)
            {
                packet.wasEarly = true;
                m_resend.Set(psn - Window().Base());
                ++found;
            }
        });
        return found;
    }

    /// What Expire() has found.
    struct Expiry
    {
        uint32_t expired{0};               ///< Packets newly to be resent because of a time-out.
        std::optional<uint32_t> exhausted; ///< PSN of one of them that was at the limit.
    };

    /**
     * Scans for packets whose deadline has passed (RT-12).
     *
     * @param limit resends by time-out that a packet may have
     * @return what was found
     */
    Expiry Expire(TimePs now, uint32_t limit)
    {
        Expiry result;
        m_deadline = NEVER;
        PacketBitmap waiting = Window().Unacked() & ~m_resend;
        while (!waiting.IsEmpty())
        {
            const uint32_t i = waiting.Lowest();
            waiting.Clear(i);
            OutstandingPacket& packet = m_packets.At(Window().Base() + i);
            if (packet.Deadline() > now)
            {
                m_deadline = std::min(m_deadline, packet.Deadline());
                continue;
            }
            packet.wasEarly = false;
            m_resend.Set(i);
            if (packet.wasRefused)
            {
                continue; // the peer is there, it had no room
            }
            if (packet.retries >= limit)
            {
                result.exhausted = Window().Base() + i;
                return result;
            }
            ++packet.retries;
            ++result.expired;
        }
        return result;
    }

    /**
     * The peer had no room for a packet.
     *
     * @param until it is resent then, ps
     * @return whether it is in flight
     */
    bool Refuse(uint32_t psn, TimePs until)
    {
        const uint32_t i = psn - Window().Base();
        if (i >= Window().Span() || Window().Acked().Test(i))
        {
            return false;
        }
        OutstandingPacket& packet = m_packets.At(psn);
        packet.wasRefused = true;
        packet.retries = 0;
        packet.PutOff(until);
        m_resend.Clear(i);
        m_deadline = std::min(m_deadline, until);
        return true;
    }

    /**
     * @param byRsn the one with the lowest RSN instead of the lowest PSN
     * @return PSN of the packet to resend next; one must wait. Resent() has to follow.
     */
    uint32_t NextResend(bool byRsn) const
    {
        uint32_t best = m_resend.Lowest();
        if (byRsn)
        {
            for (PacketBitmap left = m_resend; !left.IsEmpty();)
            {
                const uint32_t i = left.Lowest();
                left.Clear(i);
                if (SequenceBefore(At(Window().Base() + i).rsn, At(Window().Base() + best).rsn))
                {
                    best = i;
                }
            }
        }
        return Window().Base() + best;
    }

    /**
     * @param psn was resent
     * @param timeOut its next one, ps
     */
    void Resent(uint32_t psn, TimePs now, TimePs timeOut)
    {
        OutstandingPacket& packet = m_packets.At(psn);
        packet.Send(now, timeOut);
        packet.wasEarly = packet.wasRefused = false;
        m_resend.Clear(psn - Window().Base());
        m_deadline = std::min(m_deadline, packet.Deadline());
    }

    /**
     * Gives all up.
     *
     * @param pool where the table goes
     * @param retire is called with each PSN and packet that is not acknowledged
     */
    template <typename Retire>
    void Abandon(Pool& pool, Retire retire)
    {
        m_packets.ForEach(Window().Base(), Window().Unacked(), retire);
        m_packets.Abandon(pool);
        m_resend = PacketBitmap();
        m_deadline = NEVER;
    }

  private:
    TimePs m_deadline{NEVER};  ///< No packet's is before it, ps.
    PacketsInFlight m_packets; ///< In flight.
    PacketBitmap m_resend;     ///< To be resent, from the window's base on.
};

} // namespace ns3::fabric

#endif // FABRIC_RETRANSMISSION_ENGINE_H
