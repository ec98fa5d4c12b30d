/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSMIT_WINDOW_H
#define FABRIC_TRANSMIT_WINDOW_H

#include "fabric-packet-bitmap.h"
#include "fabric-sequence-number.h"

#include <cstdint>

namespace ns3::fabric
{

/// What an ACK has done to a transmit window.
enum class AckVerdict : uint8_t
{
    TAKEN,     ///< Base and bitmap were taken; perhaps they said nothing new.
    STALE,     ///< Its base is older than the window's (RT-7).
    IMPOSSIBLE ///< It acknowledges what was never sent.
};

/**
 * The sending side of a sliding window (RT-6, RT-7).
 *
 *   base (BSN): oldest PSN not acknowledged; next (NSN): PSN of the next new packet;
 *   bit i of the bitmap: PSN base + i is acknowledged. Bit 0 is never set: base has moved over it.
 *
 * | event                                   | action                                 |
 * |-----------------------------------------|----------------------------------------|
 * | new packet, next - base < size          | gets PSN next; next + 1                |
 * | new packet, next - base = size          | waits                                  |
 * | ACK, its base before base               | discarded                              |
 * | ACK, its base or a bit at or after next | discarded (garbage)                    |
 * | ACK otherwise                           | base = its base; bitmap OR its bitmap; |
 * |                                         | base over all leading set bits         |
 */
class TransmitWindow
{
  public:
    /// PSNs that an ACK has newly acknowledged: bit i is PSN first + i.
    struct Result
    {
        AckVerdict verdict{AckVerdict::TAKEN}; ///< What became of the ACK.
        uint32_t first{0};                     ///< The base before the ACK.
        PacketBitmap newlyAcked;               ///< Empty unless taken.
    };

    /// A window of one packet that starts at 0.
    TransmitWindow() = default;

    /**
     * @param first PSN of the first packet
     * @param size packets, 1 to 128
     */
    TransmitWindow(uint32_t first, uint32_t size)
        : m_base(first),
          m_next(first),
          m_size(size)
    {
    }

    /// @return oldest PSN that is not acknowledged, BSN
    uint32_t Base() const
    {
        return m_base;
    }

    /// @return PSN of the next new packet, NSN
    uint32_t Next() const
    {
        return m_next;
    }

    /// @return largest distance of next and base
    uint32_t Size() const
    {
        return m_size;
    }

    /// @return PSNs from base to next
    uint32_t Span() const
    {
        return m_next - m_base;
    }

    /// @return whether no further packet may go out
    bool IsFull() const
    {
        return Span() >= m_size;
    }

    /// @return packets that are not acknowledged
    uint32_t InFlight() const
    {
        return Span() - m_acked.Count();
    }

    /// @return the bitmap, bit i is PSN Base() + i
    const PacketBitmap& Acked() const
    {
        return m_acked;
    }

    /// @return the packets that are not acknowledged, bit i is PSN Base() + i
    PacketBitmap Unacked() const
    {
        return ~m_acked & PacketBitmap::First(Span());
    }

    /// @return PSN of a new packet; the window must not be full
    uint32_t Take()
    {
        return m_next++;
    }

    /**
     * @param base of an ACK: all PSNs before it are acknowledged
     * @param bitmap of the ACK, bit i is PSN base + i; empty in a piggybacked one
     * @return what becomes of the ACK
     */
    AckVerdict Judge(uint32_t base, const PacketBitmap& bitmap) const
    {
        if (SequenceBefore(base, m_base))
        {
            return AckVerdict::STALE;
        }
        const uint32_t step = base - m_base;
        return step > Span() || step + bitmap.Width() > Span() ? AckVerdict::IMPOSSIBLE
                                                               : AckVerdict::TAKEN;
    }

    /**
     * @param base of an ACK
     * @param bitmap of the ACK
     * @return what is newly acknowledged
     */
    Result Acknowledge(uint32_t base, const PacketBitmap& bitmap)
    {
        Result result;
        result.first = m_base;
        result.verdict = Judge(base, bitmap);
        if (result.verdict != AckVerdict::TAKEN)
        {
            return result;
        }
        const uint32_t step = base - m_base;
        const PacketBitmap known = PacketBitmap::First(step) | bitmap.Raised(step);
        result.newlyAcked = known & ~m_acked;
        m_acked = m_acked | known;
        const uint32_t leading = m_acked.LeadingSet();
        m_acked = m_acked.From(leading);
        m_base += leading;
        return result;
    }

  private:
    uint32_t m_base{0};   ///< BSN.
    uint32_t m_next{0};   ///< NSN.
    uint32_t m_size{1};   ///< Packets.
    PacketBitmap m_acked; ///< From the base on.
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSMIT_WINDOW_H
