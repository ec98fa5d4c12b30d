/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RETRANSMISSION_ENGINE_H
#define FABRIC_RETRANSMISSION_ENGINE_H

#include "fabric-buffer-pool.h"
#include "fabric-rtt-estimator.h"
#include "fabric-transmit-window.h"
#include "fabric-transport-packet.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ns3
{
namespace fabric
{

/**
 * A packet in flight: what is needed to send it again, and its timer. A window is full of them, so
 * two fill a cache line.
 */
class alignas(32) OutstandingPacket
{
  public:
    /// A packet that was not sent yet.
    OutstandingPacket()
        : type(TransportPacketType::ACK),
          isCounted(true),
          wasEarly(false),
          wasRefused(false),
          m_timeOut(0)
    {
    }

    /// @return last time it was sent, ps
    TimePs SentAt() const
    {
        return m_sentAt;
    }

    /// @return when it is resent if nothing is heard, ps
    TimePs Deadline() const
    {
        return m_sentAt + static_cast<TimePs>(m_timeOut);
    }

    /**
     * It is sent.
     *
     * @param now the time, ps
     * @param timeOut ps, less than 2^48
     */
    void Send(TimePs now, TimePs timeOut)
    {
        m_sentAt = now;
        m_timeOut = static_cast<uint64_t>(timeOut) & LONGEST;
    }

    /// @param deadline a later one, ps
    void PutOff(TimePs deadline)
    {
        // What was sent five minutes ago is as old as what was sent before that.
        m_sentAt = std::max(m_sentAt, deadline - static_cast<TimePs>(LONGEST));
        m_timeOut = static_cast<uint64_t>(deadline - m_sentAt) & LONGEST;
    }

    uint32_t rsn{0};              ///< Its request.
    uint32_t ssn{0};              ///< Solicited requests, grants and data.
    uint32_t offset{0};           ///< First byte of data or grant.
    uint32_t amount{0};           ///< Bytes of data or grant; length of a request.
    uint8_t retries{0};           ///< Resends by time-out since something was heard of it.
    TransportPacketType type : 4; ///< What it is.
    bool isCounted : 1;           ///< Whether it takes an entry of the shared CAM.
    bool wasEarly : 1;            ///< The resend that it waits for is for a gap.
    bool wasRefused : 1;          ///< The resend that it waits for follows a NACK NO_RESOURCE.

  private:
    static constexpr uint32_t TIME_OUT_BITS = 48; ///< 281 s; settings allow less than 2^47 ps.
    static constexpr uint64_t LONGEST = (uint64_t{1} << TIME_OUT_BITS) - 1; ///< Time-out, ps.

    uint64_t m_timeOut : TIME_OUT_BITS; ///< From the last time it was sent to the deadline, ps.
    TimePs m_sentAt{0};                 ///< ps.
};

static_assert(sizeof(OutstandingPacket) == 32, "two packets fill a cache line");

/**
 * The packets in flight of one window and direction (RT-12): the content of the CAM by (CID, PSN).
 * PSNs are neighbours, so the look-up is an index.
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
    using Pool = BufferPool<OutstandingPacket>; ///< Where tables come from.

    /// An engine for a window of one packet.
    RetransmissionEngine() = default;

    /**
     * @param first PSN of the first packet
     * @param size packets, 1 to 128
     */
    RetransmissionEngine(uint32_t first, uint32_t size)
        : m_window(first, size)
    {
    }

    /// @return the window
    const TransmitWindow& Window() const
    {
        return m_window;
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
        return m_slots.Size();
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
        if (m_window.Span() >= m_slots.Size())
        {
            Grow(pool);
        }
        const uint32_t psn = m_window.Take();
        m_slots.At(psn) = packet;
        m_deadline = std::min(m_deadline, packet.Deadline());
        return psn;
    }

    /**
     * @param psn in flight
     * @return the packet
     */
    OutstandingPacket& At(uint32_t psn)
    {
        return m_slots.At(psn);
    }

    /**
     * An ACK has come: what is newly acknowledged is retired, lowest PSN first.
     *
     * @param base of the ACK
     * @param acked its bitmap
     * @param pool where an empty table goes
     * @param retire is called with each PSN and packet retired
     * @return what became of the ACK
     */
    template <typename Retire>
    AckVerdict Acknowledge(uint32_t base, const PacketBitmap& acked, Pool& pool, Retire retire)
    {
        if (base == m_window.Base() && acked.IsEmpty())
        {
            return AckVerdict::TAKEN; // nothing new, as most of what rides along
        }
        const TransmitWindow::Result result = m_window.Acknowledge(base, acked);
        if (result.newlyAcked.IsEmpty())
        {
            return result.verdict;
        }
        if (HasResend())
        {
            m_resend = (m_resend & ~result.newlyAcked).From(m_window.Base() - result.first);
        }
        for (PacketBitmap left = result.newlyAcked; !left.IsEmpty();)
        {
            const uint32_t i = left.Lowest();
            left.Clear(i);
            retire(result.first + i, At(result.first + i));
        }
        if (m_window.Span() == 0)
        {
            m_deadline = NEVER;
            pool.Give(std::move(m_slots));
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
        ForEach(OfWindow(base, received), [](OutstandingPacket& packet) { packet.retries = 0; });
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
        const PacketBitmap have = OfWindow(base, received) | m_window.Acked();
        if (have.Width() <= threshold)
        {
            return 0;
        }
        const PacketBitmap missing =
            ~have & ~m_resend & PacketBitmap::First(have.Width() - threshold);
        uint32_t found = 0;
        for (PacketBitmap left = missing; !left.IsEmpty();)
        {
            const uint32_t i = left.Lowest();
            left.Clear(i);
            OutstandingPacket& packet = At(m_window.Base() + i);
            // One that was refused waits for its time, since a resend before it would be, too.
            if (packet.SentAt() < sentBefore && !packet.wasRefused)
            {
                packet.wasEarly = true;
                m_resend.Set(i);
                ++found;
            }
        }
        return found;
    }

    /// What Expire() has found.
    struct Expiry
    {
        uint32_t expired{0};      ///< Packets newly to be resent because of a time-out.
        bool isExhausted{false};  ///< Whether one of them was at the limit.
        bool isOwnRequest{false}; ///< Whether that one is of a request made here.
        uint32_t rsn{0};          ///< The request of that one.
    };

    /**
     * Scans for packets whose deadline has passed (RT-12).
     *
     * @param now the time, ps
     * @param limit resends by time-out that a packet may have
     * @return what was found
     */
    Expiry Expire(TimePs now, uint32_t limit)
    {
        Expiry result;
        m_deadline = NEVER;
        PacketBitmap waiting = m_window.Unacked() & ~m_resend;
        while (!waiting.IsEmpty())
        {
            const uint32_t i = waiting.Lowest();
            waiting.Clear(i);
            OutstandingPacket& packet = At(m_window.Base() + i);
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
                result.isExhausted = true;
                result.rsn = packet.rsn;
                result.isOwnRequest = packet.type != TransportPacketType::PULL_DATA &&
                                      packet.type != TransportPacketType::PUSH_GRANT &&
                                      packet.type != TransportPacketType::ERROR_RESPONSE;
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
     * @param psn of the packet
     * @param until it is resent then, ps
     * @return whether it is in flight
     */
    bool Refuse(uint32_t psn, TimePs until)
    {
        const uint32_t i = psn - m_window.Base();
        if (i >= m_window.Span() || m_window.Acked().Test(i))
        {
            return false;
        }
        OutstandingPacket& packet = At(psn);
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
    uint32_t NextResend(bool byRsn)
    {
        uint32_t best = m_resend.Lowest();
        if (byRsn)
        {
            for (PacketBitmap left = m_resend; !left.IsEmpty();)
            {
                const uint32_t i = left.Lowest();
                left.Clear(i);
                if (SequenceBefore(At(m_window.Base() + i).rsn, At(m_window.Base() + best).rsn))
                {
                    best = i;
                }
            }
        }
        return m_window.Base() + best;
    }

    /**
     * @param psn was resent
     * @param now the time, ps
     * @param timeOut its next one, ps
     */
    void Resent(uint32_t psn, TimePs now, TimePs timeOut)
    {
        OutstandingPacket& packet = At(psn);
        packet.Send(now, timeOut);
        packet.wasEarly = packet.wasRefused = false;
        m_resend.Clear(psn - m_window.Base());
        m_deadline = std::min(m_deadline, packet.Deadline());
    }

    /**
     * Gives all up.
     *
     * @param pool where the table goes
     * @param retire is called with each packet that is not acknowledged
     */
    template <typename Retire>
    void Abandon(Pool& pool, Retire retire)
    {
        ForEach(m_window.Unacked(), retire);
        pool.Give(std::move(m_slots));
        m_window = TransmitWindow(m_window.Next(), m_window.Size());
        m_resend = PacketBitmap();
        m_deadline = NEVER;
    }

  private:
    /// @return a bitmap of an ACK as seen from the window's base, packets in flight only
    PacketBitmap OfWindow(uint32_t base, const PacketBitmap& bitmap) const
    {
        const int32_t ahead = SequenceDistance(m_window.Base(), base);
        const uint32_t steps = static_cast<uint32_t>(ahead < 0 ? -int64_t{ahead} : ahead);
        const PacketBitmap seen = steps > PacketBitmap::BITS ? PacketBitmap()
                                  : ahead >= 0               ? bitmap.Raised(steps)
                                                             : bitmap.From(steps);
        return seen & m_window.Unacked();
    }

    /// Calls a function for each packet of a bitmap that is seen from the base.
    template <typename Function>
    void ForEach(PacketBitmap left, Function function)
    {
        while (!left.IsEmpty())
        {
            const uint32_t i = left.Lowest();
            left.Clear(i);
            function(At(m_window.Base() + i));
        }
    }

    /// @return logarithm of the table's size when there was no room in it: few packets, or many
    uint32_t BitsOfLarger() const
    {
        // One that grew by doubling would leave as much memory behind as it takes.
        constexpr uint32_t FEW = 2;
        constexpr uint32_t SOME = 4;
        if (m_slots.Size() < 1U << SOME)
        {
            return m_slots.IsEmpty() ? FEW : SOME;
        }
        uint32_t bits = SOME + 1;
        while (1U << bits < m_window.Size())
        {
            ++bits;
        }
        return bits;
    }

    /// Takes a larger table.
    void Grow(Pool& pool)
    {
        Buffer<OutstandingPacket> larger = pool.Take(BitsOfLarger());
        for (uint32_t psn = m_window.Base(); psn != m_window.Next(); ++psn)
        {
            larger.At(psn) = m_slots.At(psn);
        }
        pool.Give(std::move(m_slots));
        m_slots = std::move(larger);
    }

    TimePs m_deadline{NEVER};          ///< No packet's is before it, ps.
    Buffer<OutstandingPacket> m_slots; ///< By PSN; empty while idle.
    TransmitWindow m_window;           ///< PSNs in flight.
    PacketBitmap m_resend;             ///< To be resent, from the window's base on.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_RETRANSMISSION_ENGINE_H
