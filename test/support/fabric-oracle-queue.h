/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_QUEUE_H
#define FABRIC_ORACLE_QUEUE_H

#include "fabric-congestion-settings.h"
#include "fabric-oracle-link.h"
#include "fabric-oracle-severity.h"

#include <algorithm>
#include <deque>
#include <tuple>
#include <vector>

namespace ns3::fabric
{

/// Names a queue of a switch of FlowOracle.
struct OracleQueueName
{
    uint32_t input;  ///< Port where its frames come in.
    FlowId flow;     ///< flow_id there; 0 for a virtual output queue.
    uint32_t output; ///< Of a virtual output queue, else 0.
    uint32_t vc;     ///< Of a virtual output queue, else 0.

    /// @return for comparing
    auto Tie() const
    {
        return std::tie(input, flow, output, vc);
    }

    /// @return whether it comes first in a map
    bool operator<(const OracleQueueName& other) const
    {
        return Tie() < other.Tie();
    }

    /// @return whether both are the same
    bool operator==(const OracleQueueName& other) const
    {
        return Tie() == other.Tie();
    }
};

/**
 * Frames that wait at an input of FlowOracle, those of a flow channel or of a virtual output queue,
 * with all that the switch knows of the channel. Extents are counted from what there is (FC-5).
 */
struct OracleQueue
{
    /// Amount of a HEADROOM ACK that ends metering (CM-5).
    static constexpr uint32_t ALL = 255;

    /// Where it stands.
    enum Place
    {
        NOWHERE,  ///< It does not ask its output.
        ASKS,     ///< It has a turn at its output.
        LACKS_ID, ///< It waits for a flow_id on the outgoing link.
    };

    std::deque<OracleFrame> frames; ///< That wait.
    uint32_t output{0};             ///< Where they go.
    uint32_t vc{0};                 ///< Virtual channel by which they go.
    Place place{NOWHERE};           ///< Where it stands.

    // Of a flow channel only.

    uint32_t hostFlow{0};    ///< Number that its source gave to it.
    uint8_t trafficClass{0}; ///< FTAG.
    LocationId src{0};       ///< Source.
    LocationId dst{0};       ///< Destination.
    uint32_t unacked{0};     ///< Units sent on and not acknowledged: flow_extent.
    FlowId outgoing{0};      ///< flow_id on the outgoing link, 0 for none.

    uint32_t acked{0};      ///< Units to acknowledge upstream.
    uint32_t lost{0};       ///< Units to report upstream as lost.
    bool owesCredit{false}; ///< Whether a HEADROOM ACK has to go upstream.

    Severity severity{0};     ///< Of the congestion of its endpoint: ep_congestion (CM-3).
    bool owesSeverity{false}; ///< Whether upstream has to be told of it.
    bool hasToldWord{false};  ///< Whether the last ACK told of severity or credit.
    bool isOverLimit{false};  ///< Whether it sends no more until ACKs come (CM-6).
    bool isPaced{false};      ///< Whether it sends nothing before its time (CM-7).
    TimePs pacedUntil{0};     ///< When that is, ps.

    bool awaitsTurn{false};                 ///< Whether its host has too much under way (CM-8).
    bool isFirstFlight{false};              ///< Whether it has begun and heard nothing (CM-6).
    bool awaitsStart{false};                ///< Whether it waits for others to hear (CM-6).
    std::pair<LocationId, uint8_t> group{}; ///< Destination and class of those.

    /// Whether its output leads nowhere any more, so that it sends no more until nothing is under
    /// way (WL-8).
    bool changesPath{false};

    TimePs heardAt{0}; ///< When a host's flow has begun, or was acknowledged last, ps (CM-9).

    bool isMetered{false};      ///< DM: downstream gives it credit.
    int64_t headroom{0};        ///< Units that it may send while metered.
    bool metersUpstream{false}; ///< UM: it gives its upstream credit.
    uint32_t credit{0};         ///< Units of credit not sent upstream yet.
    uint32_t sixteenths{0};     ///< Of a unit of credit, left by rounding.

    /// @return units that wait: queue_extent
    uint32_t Queued() const
    {
        uint32_t units = 0;
        for (const OracleFrame& frame : frames)
        {
            units += frame.Units();
        }
        return units;
    }

    /// @return units that wait or are not acknowledged: total_extent
    uint32_t Total() const
    {
        return Queued() + unacked;
    }

    /// @return whether anything has to go upstream
    bool Owes() const
    {
        return acked != 0 || lost != 0 || owesCredit || owesSeverity;
    }

    /// @return whether it may not send: because of its path, limit, time or hop credits
    bool IsHeld() const
    {
        return changesPath || isOverLimit || isPaced || awaitsTurn || LacksHeadroom();
    }

    /// @return whether hop credits hold it. Headroom has to be above zero, and may then be
    /// overdrawn by the rest of a frame (CM-5)
    bool LacksHeadroom() const
    {
        return isMetered && headroom <= 0;
    }

    /// A HEADROOM ACK has come: the first one begins metering with no headroom (CM-5).
    void TakeCredit(uint32_t amount)
    {
        if (amount == ALL)
        {
            isMetered = false;
            return;
        }
        headroom = isMetered ? headroom + amount : amount;
        isMetered = true;
    }

    /// Nothing of it is under way, so the next frame may go by another path, which has given no
    /// credit. The severity is that of its endpoint, and stays.
    void ForgetPath()
    {
        isMetered = false;
        changesPath = false;
        isOverLimit = awaitsStart;
        isPaced = false;
        outgoing = 0;
    }

    /// @return credit for upstream, which is taken from what there is
    uint32_t TakeOwnCredit()
    {
        const uint32_t amount = std::min(credit, metersUpstream ? ALL - 1 : ALL);
        credit -= amount;
        return amount;
    }

    /// Takes the next ACK for upstream: severity before credit before losses before what has left
    /// the fabric, and no more than fits into 8 bits (WL-2). But after severity or credit it is
    /// losses' or what has left's turn, which would wait for ever otherwise; only the last of them,
    /// which ends the channel, waits for all else. Credit that does not
    /// end metering is less than ALL; what is above is kept for the next. What is said of severity
    /// is what holds when it is said, also if that is 0 by now, or congestion has begun meanwhile
    /// (CM-2).
    OracleAck TakeAck(FlowId flow)
    {
        const bool isTheirTurn = hasToldWord && (lost != 0 || acked != 0) && Total() != 0;
        hasToldWord = (owesSeverity || owesCredit) && !isTheirTurn;
        if (owesSeverity && !isTheirTurn)
        {
            owesSeverity = false;
            return {flow, AckType::NEW_ENDPOINT_CONGESTION, severity};
        }
        if (owesCredit && !isTheirTurn)
        {
            owesCredit = false;
            return {flow, AckType::HEADROOM, TakeOwnCredit()};
        }
        uint32_t& units = lost != 0 ? lost : acked;
        const AckType left =
            severity == 0 ? AckType::NORMAL : AckType::PERSISTENT_ENDPOINT_CONGESTION;
        const AckType type = lost != 0 ? AckType::LOST : left;
        const uint32_t amount = std::min(units, 255U);
        units -= amount;
        return {flow, type, amount};
    }
};

/// When a queue of FlowOracle gives its upstream hop credits (CM-5).
class OracleMeter
{
  public:
    /// @param settings that count from now on
    /// @param severities watermarks of flows whose endpoint is congested; must stay
    OracleMeter(const CongestionSettings& settings, const OracleSeverities& severities)
        : m_settings(settings),
          m_severities(severities)
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
     * @param room left in the input buffer, which holds the frame, bytes
     * @return whether the flow owes credit now: above the target metering starts, with none
     */
    bool Joined(OracleQueue& queue, bool isEdge, uint32_t room) const
    {
        const bool begins = isEdge ? m_settings.fgfc.isOn : m_settings.hopCredits;
        if (!begins || queue.metersUpstream || queue.Queued() <= Depths(queue, room).target)
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
     * @param room left in the input buffer, which still holds the frame, bytes
     * @return whether the flow owes credit now
     */
    bool Left(OracleQueue& queue, uint32_t units, uint32_t room) const
    {
        if (!queue.metersUpstream)
        {
            return false;
        }
        const Watermarks marks = Depths(queue, room);
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
    Watermarks Depths(const OracleQueue& queue, uint32_t room) const
    {
        Watermarks marks =
            queue.severity == 0 ? m_settings.watermarks : m_severities.At(queue.severity).marks;
        const uint32_t units = room / 256;
        if (m_settings.roomDivisor != 0 && units < m_settings.roomDivisor * marks.target)
        {
            marks.target = units / m_settings.roomDivisor;
            marks.high = std::min(marks.high, marks.target * 2);
            marks.drop = std::min(marks.drop, marks.target / 2);
        }
        return marks;
    }

    CongestionSettings m_settings;        ///< That count.
    const OracleSeverities& m_severities; ///< Watermarks by severity.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_QUEUE_H
