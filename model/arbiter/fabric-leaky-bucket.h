/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LEAKY_BUCKET_H
#define FABRIC_LEAKY_BUCKET_H

#include "fabric-bandwidth-meter.h"
#include "fabric-share-clock.h"

namespace ns3
{
namespace fabric
{

/**
 * Leaky bucket (VA-2), as the continuous-state leaky bucket of ITU-T I.371: bytes are poured in and
 * leak out by the group's share. The group conforms while no more than the tolerance stands in the
 * bucket. With a tolerance of 0 a packet conforms once the one before it has leaked out, so
 * conforming traffic is even and nothing is saved up for a burst.
 */
class LeakyBucket final : public MeterBase<LeakyBucket>
{
  public:
    /// A train's flits come no slower than the bucket leaks.
    static constexpr bool CHARGES_RUNS_AT_ONCE = true;

    /**
     * @param settings tolerance and debt
     * @param share of the link, 1/100 %
     * @param rate of the link
     */
    LeakyBucket(const MeterSettings& settings, uint32_t share, const LinkRate& rate)
        : m_clock(share, rate, settings.tolerance, settings.debt)
    {
    }

    TimePs ConformsAt() const override
    {
        return m_clock.AtDepth();
    }

    TimePs Charge(uint32_t bytes, TimePs now) override
    {
        m_clock.Charge(bytes, now);
        return m_clock.AtDepth();
    }

  private:
    ShareClock m_clock; ///< Its level is the bucket's.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_LEAKY_BUCKET_H
