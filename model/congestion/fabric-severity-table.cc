/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-severity-table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/// Longest delay of pacing, ps: none of them overflows.
constexpr double LONGEST_PACING = 1e12;

/// Units of a full frame.
constexpr uint32_t FRAME = FlowUnits(MAX_PAYLOAD);

/// Severities in which limits below a full frame are halved. Chosen: as many as those above by
/// default; how fine these are is another's wish, and delays have the rest.
constexpr double SHORT_STEPS = 4;

/// How limits fall from one severity on.
struct LimitRule
{
    double units;      ///< Limit there, units of 256 bytes.
    uint32_t severity; ///< That severity.
    double halving;    ///< Severities in which it is halved.

    /// @return the limit at a severity
    double Exact(uint32_t at) const
    {
        return units * std::exp2((1.0 * severity - at) / halving);
    }

    /// @return the same in whole units, at least one
    uint32_t At(uint32_t at) const
    {
        return std::max(static_cast<uint32_t>(std::lround(Exact(at))), 1U);
    }
};

/// @return watermarks of queues whose flow may have so much under way
Watermarks
MarksFor(const Watermarks& usual, uint32_t limit)
{
    // Below the target a frame has room, and one stays when metering ends.
    const uint32_t target = std::min(usual.target, std::max(limit, 2 * FRAME));
    return {std::min(usual.high, target + FRAME), target, std::min(usual.drop, target / 2)};
}

} // namespace

void
SeveritySettings::Validate() const
{
    if (firstLimit < FRAME)
    {
        throw std::invalid_argument("FirstFlowLimit is " + std::to_string(firstLimit) +
                                    "; allowed is at least " + std::to_string(FRAME) +
                                    ", the units of a full frame");
    }
}

SeverityTable::SeverityTable(const Watermarks& marks, const SeveritySettings& settings)
{
    m_rows[0].marks = m_rows[1].marks = marks;
    const double doubling = settings.delaySteps;
    uint32_t delays = 0;
    LimitRule rule{1.0 * settings.firstLimit, FIRST_LIMIT, 1.0 * settings.limitSteps};
    for (uint32_t severity = FIRST_LIMIT; severity < SIZE; ++severity)
    {
        Row& row = m_rows[severity];
        row.limit = rule.At(severity);
        if (row.limit <= FRAME && rule.halving != SHORT_STEPS)
        {
            rule = {rule.Exact(severity), severity, SHORT_STEPS};
        }
        row.mostHigh = std::max(row.limit, 2 * FRAME) + FRAME;
        row.marks = MarksFor(marks, row.limit);
        // Limits of short frames have ended before delays begin.
        if (m_rows[severity - 1].limit == 1)
        {
            const double delay =
                static_cast<double>(settings.firstDelay) * std::exp2(delays++ / doubling);
            row.delay = static_cast<TimePs>(std::min(delay, LONGEST_PACING));
        }
    }
}

std::shared_ptr<const SeverityTable>
SeverityTable::Share(const Watermarks& marks, const SeveritySettings& settings)
{
    using Key = std::array<uint64_t, 7>;
    static std::mutex mutex; // fabrics may be built in several threads
    static std::map<Key, std::weak_ptr<const SeverityTable>> tables;
    const Key key{marks.high,
                  marks.target,
                  marks.drop,
                  settings.firstLimit,
                  settings.limitSteps,
                  static_cast<uint64_t>(settings.firstDelay),
                  settings.delaySteps};
    const std::lock_guard lock(mutex);
    std::weak_ptr<const SeverityTable>& known = tables[key];
    std::shared_ptr<const SeverityTable> table = known.lock();
    if (!table)
    {
        table = std::make_shared<const SeverityTable>(marks, settings);
        known = table;
    }
    return table;
}

Severity
SeverityTable::ForLimit(uint32_t units) const
{
    const auto row = std::find_if(m_rows.begin(), m_rows.end() - 1, [units](const Row& r) {
        return r.limit <= std::max(units, 1U);
    });
    return static_cast<Severity>(row - m_rows.begin());
}

Severity
SeverityTable::ForDelay(TimePs delay) const
{
    const auto row =
        std::lower_bound(m_rows.begin(), m_rows.end() - 1, delay, [](const Row& r, TimePs least) {
            return r.delay < least;
        });
    return static_cast<Severity>(row - m_rows.begin());
}

} // namespace ns3::fabric
