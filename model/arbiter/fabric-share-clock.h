/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SHARE_CLOCK_H
#define FABRIC_SHARE_CLOCK_H

#include "fabric-link-rate.h"
#include "fabric-wide-integer.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>

namespace ns3::fabric
{

/**
 * The bucket that token and leaky buckets have in common, kept as a time: when its level has fallen
 * to its depth. Bytes raise the level, and it falls by the group's share of the link. The clock
 * says how that time moves and is the same for all groups with this share of such a link, so it
 * never changes; who has a bucket keeps the time.
 *
 * A byte lasts `8e16 / (share * bit/s)` ps, share in 1/100 %: a fraction of whole numbers, which is
 * kept exactly, as whole ps and the rest of a division. So a bucket costs an addition and a
 * comparison (no division where a byte lasts whole ps, as with most shares and rates) and does not
 * drift, however long it runs.
 */
class ShareClock
{
  public:
    /// A time or a span of time: `whole + rest / m_parts` ps.
    struct Instant
    {
        TimePs whole;  ///< Whole ps.
        uint64_t rest; ///< Fraction, less than m_parts.

        /// @return whether this is earlier
        bool operator<(const Instant& other) const
        {
            return std::tie(whole, rest) < std::tie(other.whole, other.rest);
        }
    };

    /// A clock of no use, of a share of 0.
    ShareClock() = default;

    /**
     * @param share of the link, 1/100 %
     * @param depth level up to which the group conforms, bytes
     * @param debt level above the depth up to which it may be charged while it does not, bytes
     * @throws std::invalid_argument if the bucket would take longer than LONGEST to empty
     */
    ShareClock(uint32_t share, const LinkRate& rate, uint32_t depth, uint32_t debt);

    /// @return when the level of an empty bucket is at the depth
    Instant Empty() const
    {
        return {m_parts == 0 ? NEVER : std::numeric_limits<TimePs>::min() / 2, 0};
    }

    /// @return whether a byte lasts whole ps, so that no times have rests; also for a share of 0
    bool IsWhole() const
    {
        return m_parts <= 1;
    }

    /**
     * Only where IsWhole().
     *
     * @param before when the level is at the depth if nothing more is charged, ps
     * @param bytes that are sent
     * @return when it is after it, ps
     */
    TimePs ChargeWhole(TimePs before, uint32_t bytes, TimePs now) const
    {
        const auto time = static_cast<TimePs>(bytes * m_psPerByte);
        if (now < before)
        {
            return std::min(before + time, std::max(before, now + m_debtTime.whole));
        }
        return std::max(before, now - m_depthTime.whole) + time;
    }

    /**
     * @param [in,out] atDepth when the level is at the depth, if nothing more is charged
     * @param bytes that are sent
     */
    void Charge(Instant& atDepth, uint32_t bytes, TimePs now) const
    {
        if (IsWhole())
        {
            atDepth.whole = ChargeWhole(atDepth.whole, bytes, now);
        }
        else
        {
            ChargeExact(atDepth, bytes, {now, 0});
        }
    }

  private:
    static constexpr TimePs LONGEST = 1'000'000'000'000'000'000; ///< 11.6 days, ps.

    /// Not inline, so that who charges stays small where a byte lasts whole ps.
    void ChargeExact(Instant& atDepth, uint32_t bytes, const Instant& now) const;

    /// Of two, the later.
    static Instant Latest(const Instant& a, const Instant& b)
    {
        return a < b ? b : a;
    }

    /// @return the time that bytes last at the group's share
    Instant TimeOf(uint32_t bytes) const
    {
        const TimePs whole = static_cast<TimePs>(bytes * m_psPerByte);
        const Wide rest = Wide{bytes} * m_restPerByte;
        return {whole + static_cast<TimePs>(rest / m_parts), static_cast<uint64_t>(rest % m_parts)};
    }

    /// @return the sum
    Instant Add(const Instant& a, const Instant& b) const
    {
        const bool carries = a.rest >= m_parts - b.rest;
        return {a.whole + b.whole + carries,
                carries ? a.rest - (m_parts - b.rest) : a.rest + b.rest};
    }

    /// @return the difference
    Instant Subtract(const Instant& a, const Instant& b) const
    {
        const bool borrows = a.rest < b.rest;
        return {a.whole - b.whole - borrows,
                borrows ? a.rest + (m_parts - b.rest) : a.rest - b.rest};
    }

    using Wide = WideUint; ///< For products of bytes and fractions.

    // What every charge touches comes first.

    uint64_t m_parts{0};       ///< Denominator of fractions; 0 for a share of 0.
    uint64_t m_psPerByte{0};   ///< Time of a byte, whole ps.
    Instant m_depthTime{0, 0}; ///< Time of the depth.
    Instant m_debtTime{0, 0};  ///< Time of the debt.
    uint64_t m_restPerByte{0}; ///< Fraction of the time of a byte.
};

} // namespace ns3::fabric

#endif // FABRIC_SHARE_CLOCK_H
