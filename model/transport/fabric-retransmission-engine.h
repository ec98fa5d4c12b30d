/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RETRANSMISSION_ENGINE_H
#define FABRIC_RETRANSMISSION_ENGINE_H

#include "fabric-acceptance-poll.h"
#include "fabric-loss-detector.h"
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
 * | in flight    | sent before one that has come, a round trip   | to be resent              |
 * |              | and the reorder window ago (FindLost)         |                           |
 * | in flight    | missing: one `threshold` higher has come,     | to be resent              |
 * |              | last send older than a round trip (FindGaps)  |                           |
 * | in flight    | nothing was heard for long                    | to be resent as a probe   |
 * | in flight    | NACK TRIMMED of the last time that it was sent| to be resent, retries 0   |
 * | in flight    | NACK NO_RESOURCE                              | deadline later, retries 0 |
 * | either       | bitmap or NACK DUPLICATE says received        | delivered, retries 0      |
 * | delivered    | deadline passed; one retry more, since it was | to be resent, retries + 1 |
 * |              | heard of after it was sent                    |                           |
 * | to be resent | sent                                          | in flight                 |
 * | any          | acknowledged                                  | retired                   |
 *
 * What is delivered and not acknowledged waits for the peer's ULP: it is not lost, but the ACK may
 * have been.
 */
class RetransmissionEngine
{
  public:
    using Pool = PacketsInFlight::Pool; ///< Where tables come from.

    /// What learns of packets that are delivered.
    struct News
    {
        LossDetector& losses;          ///< Of the connection.
        TimePs now;                    ///< ps.
        TimePs shortestRtt;            ///< ps.
        TimePs initialRtt;             ///< What a round trip was expected to take, ps.
        AcceptancePoll* poll{nullptr}; ///< Null while nothing has waited for the peer's ULP.
    };

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

    /// @return packets that the peer has not got, as far as is known
    uint32_t InFabric() const
    {
        return Window().Span() - m_delivered.Count();
    }

    /// @return whether packets are in flight, and the peer has got all of them
    bool IsAllDelivered() const
    {
        return !m_delivered.IsEmpty() && InFabric() == 0;
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
     * @param news learns of what is delivered with it
     * @param clear is called with each PSN and suspect packet that is delivered, and whether it
     * waits to be resent
     * @param retire is called with each PSN and packet retired
     * @return what became of the ACK
     */
    template <typename Clear, typename Retire>
    AckVerdict Acknowledge(uint32_t base,
                           const PacketBitmap& acked,
                           Pool& pool,
                           const News& news,
                           Clear clear,
                           Retire retire)
    {
        if (base == Window().Base() && acked.IsEmpty())
        {
            return AckVerdict::TAKEN; // nothing new in this window
        }
        const TransmitWindow::Result result = m_packets.Acknowledge(base, acked);
        if (result.newlyAcked.IsEmpty())
        {
            return result.verdict;
        }
        Deliver(result.first, result.newlyAcked & ~m_delivered, news, clear);
        if (news.poll != nullptr)
        {
            LearnAcceptance(result.first, result.newlyAcked & m_delivered, news);
        }
        const uint32_t step = Window().Base() - result.first;
        if (HasResend())
        {
            m_resend = (m_resend & ~result.newlyAcked).From(step);
        }
        m_delivered = (m_delivered | result.newlyAcked).From(step);
        m_packets.ForEach(result.first, result.newlyAcked, retire);
        if (m_packets.Release(pool))
        {
            m_deadline = NEVER;
            m_isAwaited = false;
        }
        return result.verdict;
    }

    /**
     * The peer has received packets that it does not acknowledge yet.
     *
     * @param base of the ACK
     * @param received its bitmap, bit i is PSN base + i
     * @param news learns of what is delivered
     * @param clear as in Acknowledge()
     */
    template <typename Clear>
    void NoteReceived(uint32_t base, const PacketBitmap& received, const News& news, Clear clear)
    {
        const PacketBitmap known = m_packets.OfWindow(base, received);
        if (m_isAwaited)
        {
            m_packets.ForEach(Window().Base(), known, [](uint32_t, OutstandingPacket& packet) {
                packet.retries = 0;
            });
        }
        const PacketBitmap fresh = known & ~m_delivered;
        if (!fresh.IsEmpty())
        {
            Deliver(Window().Base(), fresh, news, clear);
            m_delivered = m_delivered | fresh;
            m_resend = m_resend & ~fresh;
        }
    }

    /// The peer has received a packet twice.
    void NoteDuplicate(uint32_t psn)
    {
        const uint32_t i = psn - Window().Base();
        if (i >= Window().Span() || Window().Acked().Test(i))
        {
            return;
        }
        OutstandingPacket& packet = m_packets.At(psn);
        packet.retries = 0; // the peer is there, whether or not this is news
        if (m_delivered.Test(i))
        {
            return;
        }
        m_suspects -= packet.isSuspect;
        packet.isSuspect = packet.isProbe = false;
        m_delivered.Set(i);
        m_resend.Clear(i);
    }

    /**
     * Looks for packets that are lost by time (RT-14): RFC 8985, section 6.2, step 5.
     *
     * @param losses knows when one is; its timer is set for those that may be soon
     * @param reorderWindow ps
     * @return packets that are newly to be resent, bit i is PSN Window().Base() + i
     */
    PacketBitmap FindLost(LossDetector& losses, TimePs reorderWindow, TimePs now)
    {
        PacketBitmap found;
        const uint32_t overtaken = m_delivered.Width();
        for (PacketBitmap left = Undelivered(); !left.IsEmpty();)
        {
            const uint32_t i = left.Lowest();
            left.Clear(i);
            OutstandingPacket& packet = m_packets.At(Window().Base() + i);
            const TimePs lossTime =
                losses.LossTime(packet.SentAt(), packet.IsRequest(), i < overtaken, reorderWindow);
            if (lossTime == NEVER)
            {
                if (m_suspects == 0)
                {
                    break; // those above it were sent later still
                }
                continue;
            }
            if (packet.wasRefused)
            {
                continue; // it waits for its time, since a resend before it would be refused, too
            }
            if (lossTime > now)
            {
                losses.LowerTimer(lossTime);
                continue;
            }
            found.Set(i);
        }
        MarkEarly(found);
        return found;
    }

    /**
     * Looks for packets that are missing (RT-14): Falcon's early resend.
     *
     * @param threshold a PSN so much higher has come
     * @param sentBefore only packets whose last send was before this, ps
     * @return packets that are newly to be resent, bit i is PSN Window().Base() + i
     */
    PacketBitmap FindGaps(uint32_t threshold, TimePs sentBefore)
    {
        PacketBitmap found;
        if (m_delivered.Width() <= threshold)
        {
            return found;
        }
        const PacketBitmap missing =
            Undelivered() & PacketBitmap::First(m_delivered.Width() - threshold);
        m_packets.ForEach(Window().Base(), missing, [&](uint32_t psn, OutstandingPacket& packet) {
            if (packet.SentAt() < sentBefore && !packet.wasRefused)
            {
                found.Set(psn - Window().Base());
            }
        });
        MarkEarly(found);
        return found;
    }

    /// @return whether there is a packet in flight to probe with, and it is to be resent
    bool Probe()
    {
        for (PacketBitmap left = Undelivered(); !left.IsEmpty();)
        {
            const uint32_t i = left.Lowest();
            left.Clear(i);
            OutstandingPacket& packet = m_packets.At(Window().Base() + i);
            if (!packet.wasRefused)
            {
                Mark(i);
                packet.isProbe = true;
                packet.wasEarly = false;
                return true;
            }
        }
        return false;
    }

    /// What Expire() has found.
    struct Expiry
    {
        PacketBitmap lost;         ///< Newly to be resent, bit i is PSN Window().Base() + i.
        TimePs lostSentAt{-NEVER}; ///< When the last of them was sent, ps.
        /// When the first of those to be resent was sent that the peer has received, ps; NEVER:
        /// none
        TimePs waitsSince{NEVER};
        std::optional<uint32_t> exhausted; ///< PSN of a packet that was at the limit.
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
            Mark(i);
            packet.wasEarly = packet.isProbe = false;
            if (packet.wasRefused)
            {
                continue; // the peer is there, it had no room
            }
            // The first time-out of what was delivered says that the ULP is slow, not that the peer
            // is silent.
            const uint32_t most = std::min(limit + m_delivered.Test(i), MOST_RETRIES);
            if (packet.retries >= most)
            {
                result.exhausted = Window().Base() + i;
                return result;
            }
            ++packet.retries;
            if (m_delivered.Test(i))
            {
                m_isAwaited = true;
                result.waitsSince = std::min(result.waitsSince, packet.SentAt());
                continue;
            }
            result.lost.Set(i);
            result.lostSentAt = std::max(result.lostSentAt, packet.SentAt());
        }
        return result;
    }

    /**
     * Nothing of what has been sent is expected before a time, so no deadline passes until then.
     *
     * @param deadline of packets whose deadline has passed by now, ps
     */
    void PutOff(TimePs deadline, TimePs now)
    {
        m_deadline = NEVER;
        const PacketBitmap waiting = Window().Unacked() & ~m_resend;
        m_packets.ForEach(Window().Base(), waiting, [&](uint32_t, OutstandingPacket& packet) {
            if (packet.Deadline() <= now && !packet.wasRefused)
            {
                packet.PutOff(deadline);
            }
            m_deadline = std::min(m_deadline, packet.Deadline());
        });
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
        packet.isProbe = false;
        packet.retries = 0;
        packet.PutOff(until);
        m_resend.Clear(i);
        m_deadline = std::min(m_deadline, until);
        return true;
    }

    /**
     * The peer has got the header of a packet alone.
     *
     * @param sentAt when that copy was sent, ps
     * @return whether the packet is newly to be resent: that copy is the last one, and is missed
     */
    bool Trim(uint32_t psn, TimePs sentAt)
    {
        const uint32_t i = psn - Window().Base();
        if (i >= Window().Span() || !Undelivered().Test(i) || m_packets.At(psn).SentAt() != sentAt)
        {
            return false;
        }
        PacketBitmap found;
        found.Set(i);
        MarkEarly(found);
        m_packets.At(psn).retries = 0;
        return true;
    }

    /// @return lowest PSN of those to resend; one must wait. Resent() has to follow.
    uint32_t NextResend() const
    {
        return Window().Base() + m_resend.Lowest();
    }

    /**
     * Calls a function for each packet that waits to be resent, lowest PSN first.
     *
     * @param function gets the PSN and the packet
     */
    template <typename Function>
    void ForEachResend(Function function) const
    {
        for (PacketBitmap left = m_resend; !left.IsEmpty();)
        {
            const uint32_t i = left.Lowest();
            left.Clear(i);
            function(Window().Base() + i, At(Window().Base() + i));
        }
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
        m_resend = m_delivered = PacketBitmap();
        m_suspects = 0;
        m_deadline = NEVER;
    }

  private:
    static constexpr uint32_t MOST_RETRIES = UINT8_MAX; ///< That a packet counts.

    /// @return packets in flight that may be lost, from the window's base on
    PacketBitmap Undelivered() const
    {
        return PacketBitmap::First(Window().Span()) & ~m_delivered & ~m_resend;
    }

    /// A packet is to be resent. @param i from the window's base on
    void Mark(uint32_t i)
    {
        m_resend.Set(i);
        OutstandingPacket& packet = m_packets.At(Window().Base() + i);
        if (!packet.isSuspect && !m_delivered.Test(i))
        {
            packet.isSuspect = true;
            ++m_suspects;
        }
    }

    /// Packets are to be resent before their time. @param found from the window's base on
    void MarkEarly(const PacketBitmap& found)
    {
        m_packets.ForEach(Window().Base(), found, [this](uint32_t psn, OutstandingPacket& packet) {
            Mark(psn - Window().Base());
            packet.wasEarly = true;
            packet.isProbe = false;
        });
    }

    /**
     * Packets were delivered. Of those that were sent once the last was sent last.
     *
     * @param first PSN of bit 0, from which m_resend begins too
     * @param fresh the packets
     * @param clear as in Acknowledge()
     */
    template <typename Clear>
    void Deliver(uint32_t first, const PacketBitmap& fresh, const News& news, Clear clear)
    {
        if (fresh.IsEmpty())
        {
            return;
        }
        MeasureLateness(first, fresh, news);
        if (m_suspects == 0)
        {
            const OutstandingPacket& last = m_packets.At(first + fresh.Width() - 1);
            news.losses.Deliver(last.SentAt(), last.IsRequest(), news.now, news.initialRtt);
            return;
        }
        m_packets.ForEach(first, fresh, [&](uint32_t psn, OutstandingPacket& packet) {
            const bool wasSuspect = packet.isSuspect;
            if (wasSuspect)
            {
                --m_suspects;
                clear(psn, packet, m_resend.Test(psn - first));
                packet.isSuspect = packet.isProbe = false;
                packet.retries = 0;
            }
            // If it may have been an earlier copy that has come, it measures nothing.
            if (wasSuspect && news.now - packet.SentAt() < news.shortestRtt)
            {
                news.losses.Hear(news.now);
            }
            else
            {
                news.losses.Deliver(packet.SentAt(), packet.IsRequest(), news.now, news.initialRtt);
            }
        });
    }

    /**
     * Data is acknowledged that had waited for the peer's ULP: how long the oldest packet did. If
     * one was sent again meanwhile, that is not known.
     *
     * @param first PSN of bit 0
     * @param accepted the packets
     * @param news learns of it
     */
    void LearnAcceptance(uint32_t first, const PacketBitmap& accepted, const News& news) const
    {
        if (accepted.IsEmpty() || m_isAwaited)
        {
            return;
        }
        if (const OutstandingPacket& oldest = m_packets.At(first + accepted.Lowest());
            !oldest.IsRequest())
        {
            news.poll->Learn(oldest.SentAt(), news.shortestRtt, news.now);
        }
    }

    /**
     * Packets were delivered: how late data is that was sent once. Of several the oldest is the
     * latest.
     *
     * @param first PSN of bit 0
     * @param fresh the packets
     * @param news learns of it
     */
    void MeasureLateness(uint32_t first, PacketBitmap fresh, const News& news) const
    {
        for (; !fresh.IsEmpty(); fresh.Clear(fresh.Lowest()))
        {
            const OutstandingPacket& packet = m_packets.At(first + fresh.Lowest());
            if (!packet.isSuspect)
            {
                if (!packet.IsRequest())
                {
                    news.losses.MeasureData(packet.SentAt(), news.now);
                }
                return;
            }
        }
    }

    TimePs m_deadline{NEVER};  ///< No packet's is before it, ps.
    PacketsInFlight m_packets; ///< In flight.
    PacketBitmap m_resend;     ///< To be resent, from the window's base on.
    PacketBitmap m_delivered;  ///< The peer has them, from the window's base on.
    uint32_t m_suspects{0};    ///< Packets that were resent or wait for that, and not delivered.
    bool m_isAwaited{false};   ///< The ACK of a delivered packet has taken too long.
};

} // namespace ns3::fabric

#endif // FABRIC_RETRANSMISSION_ENGINE_H
