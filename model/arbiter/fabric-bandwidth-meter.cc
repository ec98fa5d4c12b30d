/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-bandwidth-meter.h"

#include "fabric-lane-table.h"
#include "fabric-leaky-bucket.h"
#include "fabric-require.h"
#include "fabric-sliding-window.h"
#include "fabric-token-bucket.h"

namespace ns3
{
namespace fabric
{

namespace
{

constexpr uint32_t LARGEST_BUCKET = 1U << 30; ///< Bytes; any real one is far below.

} // namespace

std::unique_ptr<BandwidthMeter>
MakeMeter(const MeterSettings& settings, uint32_t share, const LinkRate& rate)
{
    const char* const where = "bandwidth meter";
    RequireRange(where, "share (1/100 %)", share, 0, GroupSettings::FULL_SHARE);
    RequireRange(where, "rate", rate.BitsPerSecond(), LinkRate::LOWEST, LinkRate::HIGHEST);
    RequireRange(where, "burst", settings.burst, 1, LARGEST_BUCKET);
    RequireRange(where, "tolerance", settings.tolerance, 0, LARGEST_BUCKET);
    RequireRange(where, "debt", settings.debt, 0, LARGEST_BUCKET);
    switch (settings.kind)
    {
    case LEAKY_BUCKET:
        return std::make_unique<LeakyBucket>(settings, share, rate);
    case SLIDING_WINDOW:
        return std::make_unique<SlidingWindow>(settings, share, rate);
    case TOKEN_BUCKET:
        break;
    }
    return std::make_unique<TokenBucket>(settings, share, rate);
}

} // namespace fabric
} // namespace ns3
