/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_METER_H
#define FABRIC_ORACLE_METER_H

#include "fabric-congestion-settings.h"
#include "fabric-oracle-queue.h"
#include "fabric-oracle-severity.h"

#include <algorithm>
#include <cstdint>

namespace ns3::fabric
{

/// When a queue of FlowOracle gives its upstream hop credits (CM-5).
class OracleMeter
{
  public:
    /// @param settings that count from now on
    /// @param severities watermarks of flows whose endpoint is congested; must stay
    OracleMeter(const CongestionSettings& settings, const OracleSeverities& severities)
        : m_settings(settings),
          m_severities(severities),
          m_ofParts(LowerMarks(settings))
    {
    }

    /// @param settings that count from now on
    void Change(const CongestionSettings& settings)
    {
        m_settings = settings;
    }

    /**
     * A frame has joined the queue.
     *
     * @param isEdge whether its upstream is a host, whose flows are restrained in the same way
     * @param isPart whether other frames of the flow may come in elsewhere
     * @param room left in the input buffer, which holds the frame, bytes
     * @return whether the flow owes credit now: above the target metering starts, with none
     */
    bool Joined(OracleQueue& queue, bool isEdge, bool isPart, uint32_t room) const
    {
        const bool begins = isEdge ? m_settings.fgfc.isOn : m_settings.hopCredits;
        if (!begins || queue.metersUpstream || queue.Queued() <= Depths(queue, isPart, room).target)
        {
            return false;
        }
        queue.metersUpstream = true;
        queue.credit = 0;
        queue.sixteenths = 0;
        return true;
    }

    /**
     * A frame has left the queue. What was begun is brought to its end, also if hop credits were
     * switched off meanwhile.
     *
     * @param queue of a flow
     * @param isPart as for Joined()
     * @param room left in the input buffer, which still holds the frame, bytes
     * @return whether the flow owes credit now
     */
    bool Left(OracleQueue& queue, uint32_t units, bool isPart, uint32_t room) const
    {
        if (!queue.metersUpstream)
        {
            return false;
        }
        const Watermarks marks = Depths(queue, isPart, room);
        const uint32_t depth = queue.Queued();
        if (depth <= marks.drop)
        {
            queue.metersUpstream = false;
            queue.credit = OracleQueue::ALL;
            return true;
        }
        if (depth > marks.high)
        {
            return false;
        }
        // Slightly less than its size above the target, slightly more else: by a sixteenth.
        queue.sixteenths += units * (depth > marks.target ? 15 : 17);
        queue.credit += queue.sixteenths / 16;
        queue.sixteenths %= 16;
        return true;
    }

  private:
    /// The target is lowered to the part of the free room, in whole units, that a flow may take;
    /// the high mark then to no more than twice, the drop mark to no more than half of that.
    Watermarks Depths(const OracleQueue& queue, bool isPart, uint32_t room) const
    {
        const Watermarks usual = isPart ? LowerMarks(m_settings).watermarks : m_settings.watermarks;
        const OracleSeverities& severities = isPart ? m_ofParts : m_severities;
        Watermarks marks = queue.severity == 0 ? usual : severities.At(queue.severity).marks;
        const uint32_t units = room / 256;
        if (m_settings.roomDivisor != 0 && units < m_settings.roomDivisor * marks.target)
        {
            marks.target = units / m_settings.roomDivisor;
            marks.high = std::min(marks.high, marks.target * 2);
            marks.drop = std::min(marks.drop, marks.target / 2);
        }
        return marks;
    }

    /// @return settings with the watermarks of a flow that has a queue for each of several ways:
    /// divided, in whole units, but no target is below 1, and each is below the next higher one
    static CongestionSettings LowerMarks(CongestionSettings settings)
    {
        Watermarks& marks = settings.watermarks;
        marks.target = std::max<uint32_t>(marks.target / settings.wayDivisor, 1);
        marks.high = std::max(marks.high / settings.wayDivisor, marks.target + 1);
        marks.drop = std::min(marks.drop / settings.wayDivisor, marks.target - 1);
        return settings;
    }

    CongestionSettings m_settings;        ///< That count.
    const OracleSeverities& m_severities; ///< Watermarks by severity.
    OracleSeverities m_ofParts;           ///< The same, of flows of which a part comes to an input.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_METER_H
