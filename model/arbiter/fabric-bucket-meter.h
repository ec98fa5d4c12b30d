/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BUCKET_METER_H
#define FABRIC_BUCKET_METER_H

#include "fabric-bandwidth-meter.h"

namespace ns3::fabric
{

/**
 * A bucket that is filled by what is sent and empties by the group's share. What tells buckets
 * apart is their depth and whether the group still conforms at it; their rule says both.
 *
 * Token bucket (VA-2): tokens come by the group's share, up to a burst, and a byte takes one. The
 * group conforms while there are tokens; the packet that takes the last may take more than there
 * are, and the next conforms when that has been made up for. So the share is exact in the long run,
 * and a group that was silent may send a burst at the speed of the link. The level is the tokens
 * that miss from a burst.
 *
 * Leaky bucket (VA-2), as the continuous-state leaky bucket of ITU-T I.371: bytes are poured in and
 * leak out by the group's share. The group conforms while no more than the tolerance stands in the
 * bucket. With a tolerance of 0 a packet conforms once the one before it has leaked out, so
 * conforming traffic is even and nothing is saved up for a burst.
 */
class BucketMeter : public BandwidthMeter<BucketMeter>
{
  public:
    /// A train's flits come no slower than the bucket empties.
    static constexpr bool CHARGES_RUNS_AT_ONCE = true;

    /// @param atDepth when the level is at the depth
    explicit BucketMeter(const ShareClock::Instant& atDepth)
        : m_atDepth(atDepth)
    {
    }

    /// @return when the level is at the depth
    const ShareClock::Instant& AtDepth() const
    {
        return m_atDepth;
    }

    /// @return the first time from which the group conforms if nothing more is charged, ps; long
    /// past if it does now, NEVER for a share of 0
    TimePs ConformsAt(const MeterRule& rule) const
    {
        return m_atDepth.rest != 0 ? m_atDepth.whole + 1 : rule.ConformsAt(m_atDepth.whole);
    }

    /**
     * @param bytes that are sent, at most 65535
     * @return ConformsAt() after it
     */
    TimePs Charge(const MeterRule& rule, uint32_t bytes, TimePs now)
    {
        rule.Clock().Charge(m_atDepth, bytes, now);
        return ConformsAt(rule);
    }

  private:
    ShareClock::Instant m_atDepth; ///< When the clock's level is at its depth.
};

} // namespace ns3::fabric

#endif // FABRIC_BUCKET_METER_H
