/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-bandwidth-meter.h"

#include "fabric-lane-table.h"
#include "fabric-require.h"
#include "fabric-sliding-window.h"

namespace ns3
{
namespace fabric
{

namespace
{

constexpr uint32_t LARGEST_BUCKET = 1U << 30; ///< Bytes; any real one is far below.

} // namespace

MeterRule::MeterRule(const MeterSettings& settings, uint32_t share, const LinkRate& rate)
{
    const char* const where = "bandwidth meter";
    RequireRange(where, "share (1/100 %)", share, 0, GroupSettings::FULL_SHARE);
    RequireRange(where, "rate", rate.BitsPerSecond(), LinkRate::LOWEST, LinkRate::HIGHEST);
    RequireRange(where, "burst", settings.burst, 1, LARGEST_BUCKET);
    RequireRange(where, "tolerance", settings.tolerance, 0, LARGEST_BUCKET);
    RequireRange(where, "debt", settings.debt, 0, LARGEST_BUCKET);
    m_kind = settings.kind;
    if (settings.kind == SLIDING_WINDOW)
    {
        m_window = SlidingWindow::RuleOf(settings, share, rate);
        return;
    }
    const bool needsToken = settings.kind == TOKEN_BUCKET;
    m_clock =
        ShareClock(share, rate, needsToken ? settings.burst : settings.tolerance, settings.debt);
    m_isWhole = m_clock.IsWhole();
    m_belowDepth = needsToken && share != 0;
}

} // namespace fabric
} // namespace ns3
