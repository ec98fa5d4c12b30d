/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_QUEUE_H
#define FABRIC_ORACLE_QUEUE_H

#include "fabric-congestion-settings.h"
#include "fabric-oracle-link.h"
#include "fabric-oracle-severity.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// Names a queue of a switch of FlowOracle.
struct OracleQueueName
{
    uint32_t input;    ///< Port where its frames come in.
    FlowId flow;       ///< flow_id there; 0 for a virtual output queue.
    uint32_t output;   ///< Of a virtual output queue or a way, else 0.
    uint32_t vc;       ///< Of a virtual output queue or a way, else 0.
    bool isWay{false}; ///< Whether it is a flow's way by that output and virtual channel.

    /// @return name of the flow channel that it belongs to, or of the virtual output queue
    OracleQueueName OfFlow() const
    {
        return isWay ? OracleQueueName{input, flow, 0, 0} : *this;
    }

    /// @return for comparing
    auto Tie() const
    {
        return std::tie(input, flow, output, vc, isWay);
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

/// Frames that wait at an input of FlowOracle for one output, and what has gone by it.
struct OraclePath
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

    // Of a flow channel or a way of one only.

    uint32_t sent{0};   ///< Units that have gone by it and are not acknowledged.
    FlowId outgoing{0}; ///< flow_id on the outgoing link, 0 for none.

    /// Whether its output leads nowhere any more, so that it sends no more until nothing is under
    /// way (WL-8).
    bool changesPath{false};

    bool isMetered{false}; ///< DM: downstream gives it credit.
    int64_t headroom{0};   ///< Units that it may send while metered.

    // Of a way only.

    FlowId number{0};    ///< Of all ways at its input, from 1.
    uint64_t begunAs{0}; ///< Which one to begin it was, of all ways of the switch.

    /// @return units that wait for it
    uint32_t Waiting() const
    {
        uint32_t units = 0;
        for (const OracleFrame& frame : frames)
        {
            units += frame.Units();
        }
        return units;
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
};

/**
 * Frames that wait at an input of FlowOracle, those of a flow channel or of a virtual output queue,
 * with all that the switch knows of the channel. Extents are counted from what there is (FC-5).
 *
 * Of a flow that takes several ways at a time each way is a path of its own. Its frames to a host
 * are in the flow's own queue, since one link leads there.
 */
struct OracleQueue : OraclePath
{
    /// Ways of a flow channel whose frames may overtake each other, by output and virtual channel.
    std::map<std::pair<uint32_t, uint32_t>, OraclePath> ways;
    TimePs spreadsAt{0};            ///< From when it may have several of them, ps.
    std::set<uint32_t> pastOutputs; ///< By which it has had ways that have ended.

    // Of a flow channel only.

    uint32_t hostFlow{0};    ///< Number that its source gave to it.
    uint8_t trafficClass{0}; ///< FTAG.
    LocationId src{0};       ///< Source.
    LocationId dst{0};       ///< Destination.
    uint32_t acked{0};       ///< Units to acknowledge upstream.
    uint32_t lost{0};        ///< Units to report upstream as lost.
    bool owesCredit{false};  ///< Whether a HEADROOM ACK has to go upstream.

    Severity severity{0};     ///< Of the congestion of its endpoint: ep_congestion (CM-3).
    bool owesSeverity{false}; ///< Whether upstream has to be told of it.
    bool hasToldWord{false};  ///< Whether the last ACK told of severity or credit.
    bool isOverLimit{false};  ///< Whether it sends no more until ACKs come (CM-6).
    bool isPaced{false};      ///< Whether it sends nothing before its time (CM-7).
    TimePs pacedUntil{0};     ///< When that is, ps.
    uint32_t pacedBy{0};      ///< Output that looks for it then.

    bool awaitsTurn{false}; ///< Whether it may send no frame until it has a turn (CM-8).
    uint64_t askedAs{0};    ///< Which one to ask for a turn it was at the switch, 0 if it does not.
    uint32_t turnUnits{0};  ///< Units of the frame for which it has a turn, 0 if it has none.
    bool isFirstFlight{false};              ///< Whether it has begun and heard nothing (CM-6).
    bool awaitsStart{false};                ///< Whether it waits for others to hear (CM-6).
    std::pair<LocationId, uint8_t> group{}; ///< Destination and class of those.

    TimePs heardAt{0}; ///< When a host's flow has begun, or was acknowledged last, ps (CM-9).

    bool metersUpstream{false}; ///< UM: it gives its upstream credit.
    uint32_t credit{0};         ///< Units of credit not sent upstream yet.
    uint32_t sixteenths{0};     ///< Of a unit of credit, left by rounding.

    /// @return units that wait: queue_extent
    uint32_t Queued() const
    {
        uint32_t units = Waiting();
        for (const auto& [hop, way] : ways)
        {
            units += way.Waiting();
        }
        return units;
    }

    /// @return units sent on and not acknowledged: flow_extent
    uint32_t Unacked() const
    {
        uint32_t units = sent;
        for (const auto& [hop, way] : ways)
        {
            units += way.sent;
        }
        return units;
    }

    /// @return units that wait or are not acknowledged: total_extent
    uint32_t Total() const
    {
        return Queued() + Unacked();
    }

    /// @return whether anything has to go upstream
    bool Owes() const
    {
        return acked != 0 || lost != 0 || owesCredit || owesSeverity;
    }

    /// @return whether frames of a path of it may not be sent: because of the path, its hop
    /// credits, or the flow's limit, time or host
    bool IsHeld(const OraclePath& path) const
    {
        return path.changesPath || path.LacksHeadroom() || isOverLimit || isPaced || awaitsTurn;
    }

    /// @return whether it could send a frame by some path if it had a turn
    bool CouldGo() const
    {
        const auto couldGo = [this](const OraclePath& path) {
            return !path.frames.empty() && !path.changesPath && !path.LacksHeadroom() &&
                   !isOverLimit && !isPaced;
        };
        return couldGo(*this) || std::any_of(ways.begin(), ways.end(), [&](const auto& entry) {
                   return couldGo(entry.second);
               });
    }

    /// @return units of the longest frame that is the first of a path
    uint32_t NextUnits() const
    {
        uint32_t units = frames.empty() ? 0 : frames.front().Units();
        for (const auto& [hop, way] : ways)
        {
            units = std::max(units, way.frames.empty() ? 0 : way.frames.front().Units());
        }
        return units;
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

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_QUEUE_H
