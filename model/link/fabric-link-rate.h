/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LINK_RATE_H
#define FABRIC_LINK_RATE_H

#include "fabric-types.h"
#include "fabric-wide-integer.h"

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

/**
 * A link's rate, kept as the time of a byte: a multiplication per frame instead of a division.
 *
 * The time of a byte is held in 1/65536 ps, rounded down. So rates with a fractional one (3 Gb/s:
 * 2666.67 ps) are off by less than 1 ps in a frame of less than 64 KiB, and the time of a frame
 * that is a whole number of ps is exact.
 */
class LinkRate
{
  public:
    static constexpr uint64_t LOWEST = 10'000;                 ///< A frame of 64 KiB takes 52 s.
    static constexpr uint64_t HIGHEST = 1'000'000'000'000'000; ///< A byte takes 524 of 1/65536 ps.

    LinkRate() = default;

    /**
     * @param bitsPerSecond the rate in bit/s, from LOWEST to HIGHEST
     * @throws std::invalid_argument if it is anything else
     */
    explicit LinkRate(uint64_t bitsPerSecond)
        : m_bitsPerSecond(bitsPerSecond)
    {
        if (bitsPerSecond < LOWEST || bitsPerSecond > HIGHEST)
        {
            throw std::invalid_argument("link: a rate of " + std::to_string(bitsPerSecond) +
                                        " bit/s is not possible; allowed are " +
                                        std::to_string(LOWEST) + " to " + std::to_string(HIGHEST));
        }
        m_psPerByte = 8 * PS_PER_SECOND * ONE / bitsPerSecond;
    }

    /**
     * @param bytes bytes on the wire, less than 64 KiB
     * @return the time that they take, ps, rounded up
     */
    TimePs TxTime(uint32_t bytes) const
    {
        return static_cast<TimePs>((bytes * m_psPerByte + ONE - 1) >> FRACTION_BITS);
    }

    /**
     * The inverse of TxTime().
     *
     * @param elapsed time since the first byte began, not negative, less than 140 s, ps
     * @param most bytes to count at most
     * @return the bytes that have ended by then
     */
    uint32_t BytesBy(TimePs elapsed, uint32_t most) const
    {
        const uint64_t bytes = (static_cast<uint64_t>(elapsed) << FRACTION_BITS) / m_psPerByte;
        return bytes < most ? static_cast<uint32_t>(bytes) : most;
    }

    /// @param elapsed any time, not negative, ps @return whole bytes that it has room for
    uint64_t BytesIn(TimePs elapsed) const
    {
        return static_cast<uint64_t>((static_cast<WideUint>(elapsed) << FRACTION_BITS) /
                                     m_psPerByte);
    }

    /**
     * How much longer some bytes take at this rate than others at another, without the error of two
     * rounded times.
     *
     * @param bytes at this rate, less than 64 KiB
     * @param other another rate
     * @param otherBytes at the other rate, less than 64 KiB
     * @return the difference, rounded up, negative if the others take longer, ps
     */
    TimePs LongerThan(uint32_t bytes, const LinkRate& other, uint32_t otherBytes) const
    {
        const auto difference = static_cast<TimePs>(bytes * m_psPerByte) -
                                static_cast<TimePs>(otherBytes * other.m_psPerByte);
        const auto one = static_cast<TimePs>(ONE);
        return difference > 0 ? (difference + one - 1) / one : difference / one;
    }

    uint64_t BitsPerSecond() const
    {
        return m_bitsPerSecond;
    }

  private:
    static constexpr uint64_t PS_PER_SECOND = 1'000'000'000'000;  ///< 10^12.
    static constexpr uint32_t FRACTION_BITS = 16;                 ///< Of the time of a byte.
    static constexpr uint64_t ONE = uint64_t{1} << FRACTION_BITS; ///< 1 ps.

    uint64_t m_bitsPerSecond{0}; ///< The rate, bit/s.
    uint64_t m_psPerByte{0};     ///< Time of a byte, ps * 65536.
};

} // namespace ns3::fabric

#endif // FABRIC_LINK_RATE_H
