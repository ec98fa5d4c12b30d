/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_LEAKY_BUCKET_H
#define FABRIC_LEAKY_BUCKET_H

#include "fabric-bandwidth-meter.h"

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
class LeakyBucket : public BandwidthMeter<LeakyBucket>
{
  public:
    /// A train's flits come no slower than the bucket leaks.
    static constexpr bool CHARGES_RUNS_AT_ONCE = true;

    /// Of a group that is not in use.
    LeakyBucket() = default;

    /// @param rule of the meter
    explicit LeakyBucket(const MeterRule& rule)
        : m_atDepth(rule.Clock().Empty())
    {
    }

    /// @return the first time from which the group conforms if nothing more is charged, ps; long
    /// past if it does now, NEVER for a share of 0
    TimePs ConformsAt() const
    {
        return ShareClock::AtDepth(m_atDepth);
    }

    /**
     * @param rule of the meter
     * @param bytes that are sent, at most 65535
     * @param now time, ps
     * @return ConformsAt() after it
     */
    TimePs Charge(const MeterRule& rule, uint32_t bytes, TimePs now)
    {
        rule.Clock().Charge(m_atDepth, bytes, now);
        return ShareClock::AtDepth(m_atDepth);
    }

  private:
    /// When the clock's level, which is the bucket's, is at its depth.
    ShareClock::Instant m_atDepth{0, 0};
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_LEAKY_BUCKET_H
