/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FAST_DIVISOR_H
#define FABRIC_FAST_DIVISOR_H

#include <cstdint>

namespace ns3::fabric
{

/**
 * Divides 16-bit numbers by a fixed 16-bit divisor d with one multiplication (3 - 4 cycles; a
 * division takes up to 26, and routing needs one for every frame and hop).
 *
 * With M = floor(2^32 / d) + 1 the product n M exceeds n 2^32 / d by n e / d, where
 * e = M d - 2^32 <= d. It has the same integer part in units of 2^32 if n e < 2^32, which holds as
 * n and d are less than 2^16.
 */
class FastDivisor
{
  public:
    /// @param divisor what to divide by, not 0
    explicit constexpr FastDivisor(uint16_t divisor)
        : m_multiplier((uint64_t(1) << 32) / divisor + 1)
    {
    }

    /**
     * @param n number to divide
     * @return n / divisor, rounded down
     */
    constexpr uint16_t Divide(uint16_t n) const
    {
        return static_cast<uint16_t>((n * m_multiplier) >> 32);
    }

  private:
    uint64_t m_multiplier; ///< M; 33 bits when the divisor is 1.
};

} // namespace ns3::fabric

#endif // FABRIC_FAST_DIVISOR_H
