/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-share-clock.h"

#include "fabric-lane-table.h"

#include <numeric>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/// A byte lasts BYTE_PARTS / (share * bit/s) ps: bits of a byte, ps of a second, parts of a share.
constexpr uint64_t BYTE_PARTS = 8 * 1'000'000'000'000 * uint64_t{GroupSettings::FULL_SHARE};

/// Largest charge at once, bytes.
constexpr uint32_t LARGEST_CHARGE = 65535;

} // namespace

ShareClock::ShareClock(uint32_t share, const LinkRate& rate, uint32_t depth, uint32_t debt)
{
    if (share == 0)
    {
        return;
    }
    const uint64_t shareRate = share * rate.BitsPerSecond();
    const uint64_t common = std::gcd(shareRate, BYTE_PARTS);
    m_parts = shareRate / common;
    m_psPerByte = BYTE_PARTS / common / m_parts;
    m_restPerByte = BYTE_PARTS / common % m_parts;
    const Wide longest = (Wide{depth} + debt + LARGEST_CHARGE) * (m_psPerByte + 1);
    if (longest > Wide{LONGEST})
    {
        throw std::invalid_argument("bandwidth meter: a bucket of " + std::to_string(depth) +
                                    " bytes and " + std::to_string(debt) +
                                    " bytes of debt takes more than 10^6 s to empty at " +
                                    std::to_string(shareRate / GroupSettings::FULL_SHARE) +
                                    " bit/s; allowed are buckets that take less");
    }
    m_depthTime = TimeOf(depth);
    m_debtTime = TimeOf(debt);
}

void
ShareClock::ChargeExact(Instant& atDepth, uint32_t bytes, const Instant& now) const
{
    const Instant time = TimeOf(bytes);
    if (now < atDepth)
    {
        const Instant most = Latest(atDepth, Add(now, m_debtTime));
        const Instant charged = Add(atDepth, time);
        atDepth = charged < most ? charged : most;
        return;
    }
    atDepth = Add(Latest(atDepth, Subtract(now, m_depthTime)), time);
}

} // namespace ns3::fabric
