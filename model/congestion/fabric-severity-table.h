/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SEVERITY_TABLE_H
#define FABRIC_SEVERITY_TABLE_H

#include "fabric-types.h"
#include "fabric-watermarks.h"

#include <array>
#include <cstdint>
#include <memory>

namespace ns3::fabric
{

/// How severe the congestion of an endpoint is, as an ACK says it (CM-2); 0 for none.
using Severity = uint8_t;

/// Bounds of what flows may do while their endpoint is congested (CM-3, CM-6, CM-7).
struct SeveritySettings
{
    /// Limit of the unacknowledged data of a flow at severity 2, units of 256 bytes. Chosen: 64
    /// KiB, what a link of 200 Gb/s carries in 2.6 us, the round trip through a fabric of three
    /// tiers.
    uint32_t firstLimit{256};
    /// Severities in which the limit is halved, down to a full frame; four below. Chosen: 16 in all
    /// from 64 KiB to a frame of 4 KiB.
    uint32_t limitSteps{4};
    /// Shortest delay of pacing, ps. Chosen: less than half a round trip.
    TimePs firstDelay{1'000'000};
    /// Severities in which the delay of pacing doubles. Chosen: 4 % each, so that the depth of the
    /// queue stays near its target with thousands of senders; 222 of them lead to 15 ms.
    uint32_t delaySteps{16};

    /// @throws std::invalid_argument if one of them is out of its range
    void Validate() const;
};

/**
 * What a severity asks of the flows that meet the congestion: the worse, the less (CM-3).
 *
 * | severity              | limit of unacknowledged data       | delay after an ACK         |
 * |-----------------------|------------------------------------|----------------------------|
 * | 0, 1                  | none                               | none                       |
 * | up to a full frame    | halved every `limitSteps`          | none                       |
 * | up to a unit          | halved every four                  | none                       |
 * | above                 | one unit: one frame of any length  | doubles every `delaySteps` |
 *
 * A flow has one frame under way as soon as its limit is no more than a frame. Severities from
 * there to the first delay ask nothing more of it. The watermarks of a flow's queues follow its
 * limit: a queue need not be longer than that.
 */
class SeverityTable
{
  public:
    /// Severities that there are.
    static constexpr uint32_t SIZE = 256;
    /// Limit of severities 0 and 1: none.
    static constexpr uint32_t NO_LIMIT = 0xFFFFFFFF;

    /// What a severity asks for.
    struct Row
    {
        Watermarks marks;         ///< Of a flow's queue.
        uint32_t limit{NO_LIMIT}; ///< A flow with so much unacknowledged waits, units of 256 bytes.
        TimePs delay{0};          ///< From the last ACK of a flow to its next frame, ps.
        /// A long link may raise the high watermark to this, units of 256 bytes: what the flow may
        /// have under way, and a frame. So much its upstream sends in a round trip at most.
        uint32_t mostHigh{NO_LIMIT};
    };

    /// @param marks of queues without congestion
    SeverityTable(const Watermarks& marks, const SeveritySettings& settings);

    /**
     * Switches of a fabric have the same settings, and a table takes 6 KiB. So those that are alike
     * share one.
     *
     * @param marks of queues without congestion
     * @return the table with these settings
     */
    static std::shared_ptr<const SeverityTable> Share(const Watermarks& marks,
                                                      const SeveritySettings& settings);

    /// The least severity that limits flows.
    static constexpr Severity FIRST_LIMIT = 2;

    /// @return what the severity asks for
    const Row& At(Severity severity) const
    {
        return m_rows[severity];
    }

    /**
     * @param units of 256 bytes
     * @return the least severity with no larger limit; the highest one if none has
     */
    Severity ForLimit(uint32_t units) const;

    /**
     * @param delay above 0, ps
     * @return the least severity with no shorter delay; the highest one if none has
     */
    Severity ForDelay(TimePs delay) const;

  private:
    std::array<Row, SIZE> m_rows; ///< By severity.
};

} // namespace ns3::fabric

#endif // FABRIC_SEVERITY_TABLE_H
