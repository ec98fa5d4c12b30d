/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TOKEN_BUCKET_H
#define FABRIC_TOKEN_BUCKET_H

#include "fabric-lane-table.h"
#include "fabric-share-clock.h"

#include <cstdint>
#include <limits>

namespace ns3::fabric
{

/// Rate and depth of a token bucket, and what it is worth beside others (SW-11).
struct BucketSettings
{
    static constexpr uint64_t UNLIMITED = std::numeric_limits<uint64_t>::max(); ///< Of `rate`.
    static constexpr uint32_t MOST_BURST = 1U << 30;                            ///< Bytes.
    static constexpr uint32_t PRIORITIES = 8; ///< Numbers of priorities, of which 0 goes first.

    /// Tokens come by this, bit/s: 0 for none, LinkRate::LOWEST to HIGHEST, or UNLIMITED.
    uint64_t rate{0};
    /// Tokens that it holds at most, bytes. Chosen: two frames of 8 KiB.
    uint32_t burst{16 * 1024};
    uint8_t priority{0}; ///< Between buckets of its kind, 0 first.

    /// @return whether it never has tokens
    bool IsOff() const
    {
        return rate == 0;
    }

    /// @return whether it always has tokens
    bool IsUnlimited() const
    {
        return rate == UNLIMITED;
    }

    /// @return the clock of its buckets; one of no use for one without tokens, or unlimited
    ShareClock Clock() const
    {
        return IsOff() || IsUnlimited()
                   ? ShareClock()
                   : ShareClock(GroupSettings::FULL_SHARE, LinkRate(rate), burst, 0);
    }
};

/**
 * A token bucket. It has tokens while it is not in debt, so one that is empty pays for a frame of
 * any size and is in debt then: bursts below a frame work, and who chooses need not know the frame.
 * In any time t it pays for at most burst + rate * t and a frame. It is full at first.
 *
 * What it keeps is the instant at which it is out of debt, exact (ShareClock). So its state follows
 * from what it has paid and when, whoever asks how often, and does not drift.
 */
class TokenBucket
{
  public:
    /// One that never has tokens.
    TokenBucket() = default;

    /**
     * @param settings of the bucket
     * @param clock of these settings; must stay
     */
    TokenBucket(const BucketSettings& settings, const ShareClock& clock)
    {
        if (settings.IsUnlimited())
        {
            m_outOfDebt.whole = std::numeric_limits<TimePs>::min();
        }
        else if (!settings.IsOff())
        {
            m_clock = &clock;
            m_outOfDebt = clock.Empty();
        }
    }

    /// @return whether it may pay for a frame
    bool HasTokens(TimePs now) const
    {
        return Return() <= now;
    }

    /// @return from when on it has tokens if it pays for nothing more, NEVER for never, ps
    TimePs Return() const
    {
        return m_outOfDebt.whole + static_cast<TimePs>(m_outOfDebt.rest != 0);
    }

    /// It pays for a frame, and has tokens. @param bytes of the frame
    void Pay(uint32_t bytes, TimePs now)
    {
        if (m_clock)
        {
            m_clock->Charge(m_outOfDebt, bytes, now);
        }
    }

  private:
    const ShareClock* m_clock{nullptr};        ///< Null if it has always tokens, or never.
    ShareClock::Instant m_outOfDebt{NEVER, 0}; ///< From when on it has tokens.
};

} // namespace ns3::fabric

#endif // FABRIC_TOKEN_BUCKET_H
