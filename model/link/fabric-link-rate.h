/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINK_RATE_H
#define FABRIC_LINK_RATE_H

#include "fabric-types.h"

namespace ns3
{
namespace fabric
{

/**
 * A link's rate, kept as the time of a byte: a multiplication per frame instead of a division.
 *
 * The time of a byte is held in 1/65536 ps, so that rates with a fractional one (3 Gb/s: 2666.67 ps)
 * are off by less than 1 ps in a frame of 64 KiB.
 */
class LinkRate
{
  public:
    LinkRate() = default;

    /// @param bitsPerSecond the rate in bit/s, above 0
    explicit LinkRate(uint64_t bitsPerSecond)
        : m_bitsPerSecond(bitsPerSecond),
          m_psPerByte(static_cast<uint64_t>(8e12 * ONE / static_cast<double>(bitsPerSecond) + 0.5))
    {
    }

    /**
     * @param bytes bytes on the wire
     * @return the time that they take, ps, rounded up
     */
    TimePs TxTime(uint32_t bytes) const
    {
        return static_cast<TimePs>((bytes * m_psPerByte + ONE - 1) >> FRACTION_BITS);
    }

    /// @return the rate, bit/s
    uint64_t BitsPerSecond() const
    {
        return m_bitsPerSecond;
    }

  private:
    static constexpr uint32_t FRACTION_BITS = 16;            ///< Of the time of a byte.
    static constexpr uint64_t ONE = uint64_t{1} << FRACTION_BITS; ///< 1 ps.

    uint64_t m_bitsPerSecond{0}; ///< The rate, bit/s.
    uint64_t m_psPerByte{0};     ///< Time of a byte, ps * 65536.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_LINK_RATE_H
