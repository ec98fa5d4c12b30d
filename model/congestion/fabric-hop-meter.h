/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HOP_METER_H
#define FABRIC_HOP_METER_H

#include "fabric-ack-counts.h"
#include "fabric-input-flow-table.h"
#include "fabric-severity-table.h"

#include <algorithm>

namespace ns3::fabric
{

/**
 * Hop-by-hop credits of a flow (CM-5).
 *
 *   downstream record (UM)                          upstream record (DM)
 *   queue_extent passes target: UM, HEADROOM(0) ->  DM, headroom = 0
 *   frame leaves, UM: credit by depth  HEADROOM(n)-> headroom += n; above 0: may send
 *   queue_extent at or below drop: HEADROOM(all) -> DM cleared, sends freely
 */
class HopMeter
{
  public:
    /// Amount of a HEADROOM ACK that ends metering.
    static constexpr uint32_t ALL = ALL_CREDIT;

    /**
     * @param marks depths of the queue without congestion of its endpoint
     * @param divisor part of the free room that one flow may take, see Watermarks::Within()
     * @param severities depths with it; null if endpoints are not watched
     */
    explicit HopMeter(const Watermarks& marks = {},
                      uint32_t divisor = 0,
                      const SeverityTable* severities = nullptr)
        : m_marks(marks),
          m_divisor(divisor),
          m_severities(severities)
    {
    }

    /**
     * A frame has joined the queue.
     *
     * @param freeBytes room left in the input buffer
     * @return whether metering starts, so that a HEADROOM ACK has to go upstream
     */
    bool Joined(FlowRecord& record, uint32_t freeBytes) const
    {
        if (record.Is(FlowRecord::METERS_UPSTREAM) ||
            record.QueueExtent() <= MarksOf(record).Within(freeBytes, m_divisor).target)
        {
            return false;
        }
        record.state |= FlowRecord::METERS_UPSTREAM;
        record.unsentCredit = 0;
        record.sixteenths = 0;
        return true;
    }

    /**
     * A frame has left the queue.
     *
     * @param units size of the frame
     * @param freeBytes room left in the input buffer
     * @param leastHigh the high watermark is no lower: what the queue has to hold until credit
     * brings more, units of 256 bytes
     * @return whether a HEADROOM ACK has to go upstream
     */
    bool Left(FlowRecord& record, uint32_t units, uint32_t freeBytes, uint32_t leastHigh) const
    {
        if (!record.Is(FlowRecord::METERS_UPSTREAM))
        {
            return false;
        }
        Watermarks marks = MarksOf(record);
        marks.high = std::max(marks.high, leastHigh);
        marks = marks.Within(freeBytes, m_divisor);
        // A small buffer holds what the link needs for as long as the flow leaves as much free.
        marks.high = std::max(marks.high, std::min(leastHigh, freeBytes / DATA_FLOW_UNIT));
        const uint32_t depth = record.QueueExtent();
        if (depth <= marks.drop)
        {
            record.state &= ~FlowRecord::METERS_UPSTREAM;
            record.unsentCredit = ALL;
            return true;
        }
        if (depth > marks.high)
        {
            return false;
        }
        // A sixteenth more or less than what left moves the depth toward the target.
        const uint32_t sixteenths = units * (depth > marks.target ? 15 : 17) + record.sixteenths;
        record.sixteenths = static_cast<uint16_t>(sixteenths % 16);
        record.unsentCredit += sixteenths / 16;
        return true;
    }

    /**
     * @param record of the flow whose HEADROOM ACK is sent
     * @return the ACK's amount, taken from the record
     */
    static uint8_t TakeCredit(FlowRecord& record)
    {
        const uint32_t most = record.Is(FlowRecord::METERS_UPSTREAM) ? ALL - 1 : ALL;
        const uint32_t amount = std::min(record.unsentCredit, most);
        record.unsentCredit -= amount;
        return static_cast<uint8_t>(amount);
    }

    /**
     * A HEADROOM ACK has come from downstream.
     *
     * @param amount of the ACK
     */
    static void Receive(FlowRecord& record, uint32_t amount)
    {
        if (amount == ALL)
        {
            record.state &= ~FlowRecord::METERED;
            record.queue.holds &= ~InputQueue::NO_HEADROOM;
            return;
        }
        if (!record.Is(FlowRecord::METERED))
        {
            record.state |= FlowRecord::METERED;
            record.headroom = 0;
        }
        record.headroom += static_cast<int32_t>(amount);
        HoldWithoutHeadroom(record);
    }

    /// @param record of a flow whose next frame may go by another path: credits and holds were
    /// those of the one before
    static void LeavePath(FlowRecord& record)
    {
        record.state &= ~(FlowRecord::METERED | FlowRecord::REROUTED);
        record.queue.holds = record.HoldsOfHost();
    }

    /**
     * @param record of a flow whose frame is sent on
     * @param units size of the frame
     */
    static void Sent(FlowRecord& record, uint32_t units)
    {
        if (record.Is(FlowRecord::METERED))
        {
            record.headroom -= static_cast<int32_t>(units);
            HoldWithoutHeadroom(record);
        }
    }

  private:
    /// @return depths of the flow's queue, before they are lowered
    const Watermarks& MarksOf(const FlowRecord& record) const
    {
        // Most flows have none: a branch that is foreseen, and not a choice of addresses.
        if (__builtin_expect(record.severity == 0, 1))
        {
            return m_marks;
        }
        return m_severities->At(record.severity).marks;
    }

    /// The next frame of a flow that is metered may not be sent on without headroom.
    static void HoldWithoutHeadroom(FlowRecord& record)
    {
        if (record.headroom > 0)
        {
            record.queue.holds &= ~InputQueue::NO_HEADROOM;
        }
        else
        {
            record.queue.holds |= InputQueue::NO_HEADROOM;
        }
    }

    Watermarks m_marks;                ///< Depths of the queue.
    uint32_t m_divisor;                ///< Part of the free room that one flow may take.
    const SeverityTable* m_severities; ///< Depths by severity; null for none.
};

} // namespace ns3::fabric

#endif // FABRIC_HOP_METER_H
