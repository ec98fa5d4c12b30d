/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TOKEN_BUCKET_H
#define FABRIC_TOKEN_BUCKET_H

#include "fabric-bandwidth-meter.h"
#include "fabric-share-clock.h"

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
class TokenBucket final : public MeterBase<TokenBucket>
{
  public:
    /// A train's flits come no slower than tokens do.
    static constexpr bool CHARGES_RUNS_AT_ONCE = true;

    /**
     * @param settings burst and debt
     * @param share of the link, 1/100 %
     * @param rate of the link
     */
    TokenBucket(const MeterSettings& settings, uint32_t share, const LinkRate& rate)
        : m_clock(share, rate, settings.burst, settings.debt)
    {
    }

    TimePs ConformsAt() const override
    {
        return m_clock.BelowDepth();
    }

    TimePs Charge(uint32_t bytes, TimePs now) override
    {
        m_clock.Charge(bytes, now);
        return m_clock.BelowDepth();
    }

  private:
    ShareClock m_clock; ///< Its level are the tokens that miss from a burst.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_TOKEN_BUCKET_H
