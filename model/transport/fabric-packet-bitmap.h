/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PACKET_BITMAP_H
#define FABRIC_PACKET_BITMAP_H

#include <cstdint>

namespace ns3::fabric
{

/**
 * 128 bits, one per packet of a sliding window; bit i stands for PSN base + i (RT-6). 128 is the
 * width of the bitmap in Falcon's extended ACK (OCP Falcon 0.9, spec 95).
 */
class PacketBitmap
{
  public:
    static constexpr uint32_t BITS = 128; ///< Width.

    /// An empty bitmap.
    constexpr PacketBitmap() = default;

    /**
     * @param low bits 0 to 63
     * @param high bits 64 to 127
     */
    constexpr PacketBitmap(uint64_t low, uint64_t high)
        : m_low(low),
          m_high(high)
    {
    }

    /**
     * @param n number of bits, 0 to 128
     * @return a bitmap in which bits 0 to n - 1 are set
     */
    static constexpr PacketBitmap First(uint32_t n)
    {
        return {n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1,
                n >= BITS ? ~uint64_t{0}
                : n > 64  ? (uint64_t{1} << (n - 64)) - 1
                          : 0};
    }

    /// @return bits 0 to 63
    constexpr uint64_t Low() const
    {
        return m_low;
    }

    /// @return bits 64 to 127
    constexpr uint64_t High() const
    {
        return m_high;
    }

    /**
     * @param i bit, 0 to 127
     * @return whether it is set
     */
    constexpr bool Test(uint32_t i) const
    {
        return ((i < 64 ? m_low >> i : m_high >> (i - 64)) & 1) != 0;
    }

    /// @param i bit that is set, 0 to 127
    constexpr void Set(uint32_t i)
    {
        (i < 64 ? m_low : m_high) |= uint64_t{1} << (i % 64);
    }

    /// @param i bit that is cleared, 0 to 127
    constexpr void Clear(uint32_t i)
    {
        (i < 64 ? m_low : m_high) &= ~(uint64_t{1} << (i % 64));
    }

    /// @return whether no bit is set
    constexpr bool IsEmpty() const
    {
        return (m_low | m_high) == 0;
    }

    /// @return the number of set bits
    constexpr uint32_t Count() const
    {
        return static_cast<uint32_t>(__builtin_popcountll(m_low) + __builtin_popcountll(m_high));
    }

    /// @return the lowest set bit; BITS if there is none
    constexpr uint32_t Lowest() const
    {
        return m_low != 0    ? static_cast<uint32_t>(__builtin_ctzll(m_low))
               : m_high != 0 ? 64 + static_cast<uint32_t>(__builtin_ctzll(m_high))
                             : BITS;
    }

    /// @return one more than the highest set bit; 0 if there is none
    constexpr uint32_t Width() const
    {
        return m_high != 0  ? BITS - static_cast<uint32_t>(__builtin_clzll(m_high))
               : m_low != 0 ? 64 - static_cast<uint32_t>(__builtin_clzll(m_low))
                            : 0;
    }

    /// @return how many bits are set from bit 0 on without a gap
    constexpr uint32_t LeadingSet() const
    {
        return PacketBitmap(~m_low, ~m_high).Lowest();
    }

    /**
     * @param n by how much the window's base moves on, 0 to 128
     * @return the bitmap seen from the new base; the bits below it are gone
     */
    constexpr PacketBitmap From(uint32_t n) const
    {
        if (n == 0)
        {
            return *this;
        }
        if (n >= 64)
        {
            return {n >= BITS ? 0 : m_high >> (n - 64), 0};
        }
        return {m_low >> n | m_high << (64 - n), m_high >> n};
    }

    /**
     * @param n by how much the bitmap's base is ahead of the wanted one, 0 to 128
     * @return the bitmap seen from a base that is n lower; bits above 127 are gone
     */
    constexpr PacketBitmap Raised(uint32_t n) const
    {
        if (n == 0)
        {
            return *this;
        }
        if (n >= 64)
        {
            return {0, n >= BITS ? 0 : m_low << (n - 64)};
        }
        return {m_low << n, m_high << n | m_low >> (64 - n)};
    }

    /// @param other a bitmap with the same base @return the bits set in either
    constexpr PacketBitmap operator|(const PacketBitmap& other) const
    {
        return {m_low | other.m_low, m_high | other.m_high};
    }

    /// @param other a bitmap with the same base @return the bits set in both
    constexpr PacketBitmap operator&(const PacketBitmap& other) const
    {
        return {m_low & other.m_low, m_high & other.m_high};
    }

    /// @return the bits that are not set
    constexpr PacketBitmap operator~() const
    {
        return {~m_low, ~m_high};
    }

    /// @param other another @return whether the same bits are set
    constexpr bool operator==(const PacketBitmap& other) const
    {
        return m_low == other.m_low && m_high == other.m_high;
    }

    /// @param other another @return whether a bit differs
    constexpr bool operator!=(const PacketBitmap& other) const
    {
        return !(*this == other);
    }

  private:
    uint64_t m_low{0};  ///< Bits 0 to 63.
    uint64_t m_high{0}; ///< Bits 64 to 127.
};

} // namespace ns3::fabric

#endif // FABRIC_PACKET_BITMAP_H
