/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PACKETS_IN_FLIGHT_H
#define FABRIC_PACKETS_IN_FLIGHT_H

#include "fabric-buffer-pool.h"
#include "fabric-outstanding-packet.h"
#include "fabric-transmit-window.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ns3::fabric
{

/**
 * The packets in flight of one window and direction (RT-12): the content of the CAM by (CID, PSN).
 * PSNs are neighbours, so the look-up is an index into a ring that grows with use.
 */
class PacketsInFlight
{
  public:
    using Pool = BufferPool<OutstandingPacket>; ///< Where tables come from.

    /// A window of one packet.
    PacketsInFlight() = default;

    /**
     * @param first PSN of the first packet
     * @param size packets, 1 to 128
     */
    PacketsInFlight(uint32_t first, uint32_t size)
        : m_window(first, size)
    {
    }

    const TransmitWindow& Window() const
    {
        return m_window;
    }

    /// @return packets for which the table has room now
    std::size_t Slots() const
    {
        return m_slots.Size();
    }

    /// @return the packet
    OutstandingPacket& At(uint32_t psn)
    {
        return m_slots.At(psn);
    }

    /// @copydoc At()
    const OutstandingPacket& At(uint32_t psn) const
    {
        return m_slots.At(psn);
    }

    /**
     * A new packet goes out. The window must not be full.
     *
     * @param packet with its times
     * @param pool where tables come from
     * @return its PSN
     */
    uint32_t Add(const OutstandingPacket& packet, Pool& pool)
    {
        if (m_window.Span() >= m_slots.Size())
        {
            Grow(pool);
        }
        const uint32_t psn = m_window.Take();
        m_slots.At(psn) = packet;
        return psn;
    }

    /**
     * @param base of an ACK
     * @return what is newly acknowledged; it can still be looked up, until Release()
     */
    TransmitWindow::Result Acknowledge(uint32_t base, const PacketBitmap& acked)
    {
        return m_window.Acknowledge(base, acked);
    }

    /// Gives the table back if nothing is in flight. @param pool where it goes
    bool Release(Pool& pool)
    {
        if (m_window.Span() != 0)
        {
            return false;
        }
        pool.Give(std::move(m_slots));
        return true;
    }

    /// Gives all up. @param pool where the table goes
    void Abandon(Pool& pool)
    {
        pool.Give(std::move(m_slots));
        m_window = TransmitWindow(m_window.Next(), m_window.Size());
    }

    /**
     * @param base of an ACK
     * @param bitmap of it, bit i is PSN base + i
     * @return the packets of it that are not acknowledged, bit i is PSN Window().Base() + i
     */
    PacketBitmap OfWindow(uint32_t base, const PacketBitmap& bitmap) const
    {
        const int32_t ahead = SequenceDistance(m_window.Base(), base);
        const uint32_t steps = static_cast<uint32_t>(ahead < 0 ? -int64_t{ahead} : ahead);
        const PacketBitmap seen = steps > PacketBitmap::BITS ? PacketBitmap()
                                  : ahead >= 0               ? bitmap.Raised(steps)
                                                             : bitmap.From(steps);
        return seen & m_window.Unacked();
    }

    /**
     * Calls a function for each packet of a bitmap, lowest PSN first.
     *
     * @param first PSN of bit 0
     * @param function gets the PSN and the packet
     */
    template <typename Function>
    void ForEach(uint32_t first, PacketBitmap left, Function function)
    {
        while (!left.IsEmpty())
        {
            const uint32_t i = left.Lowest();
            left.Clear(i);
            function(first + i, At(first + i));
        }
    }

  private:
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

    Buffer<OutstandingPacket> m_slots; ///< By PSN; empty while idle.
    TransmitWindow m_window;           ///< PSNs in flight.
};

} // namespace ns3::fabric

#endif // FABRIC_PACKETS_IN_FLIGHT_H
