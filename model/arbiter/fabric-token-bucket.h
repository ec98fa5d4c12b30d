/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TOKEN_BUCKET_H
#define FABRIC_TOKEN_BUCKET_H

#include "fabric-bandwidth-meter.h"

namespace ns3
{
namespace fabric
{

/**
 * Token bucket (VA-2): tokens come by the group's share, up to a burst, and a byte takes one. The
 * group conforms while there are tokens; the packet that takes the last may take more than there
 * are, and the next conforms when that has been made up for. So the share is exact in the long run,
 * and a group that was silent may send a burst at the speed of the link.
 */
class TokenBucket : public BandwidthMeter<TokenBucket>
{
  public:
    /// A train's flits come no slower than tokens do.
    static constexpr bool CHARGES_RUNS_AT_ONCE = true;

    /// Of a group that is not in use.
    TokenBucket() = default;

    /// @param rule of the meter
    explicit TokenBucket(const MeterRule& rule)
        : m_atDepth(rule.Clock().Empty())
    {
    }

    /// @return the first time from which the group conforms if nothing more is charged, ps; long
    /// past if it does now, NEVER for a share of 0
    TimePs ConformsAt() const
    {
        return ShareClock::BelowDepth(m_atDepth);
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
        return ShareClock::BelowDepth(m_atDepth);
    }

  private:
    /// When the clock's level, which is the tokens that miss from a burst, is at its depth.
    ShareClock::Instant m_atDepth{0, 0};
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_TOKEN_BUCKET_H
