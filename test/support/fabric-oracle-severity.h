/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_SEVERITY_H
#define FABRIC_ORACLE_SEVERITY_H

#include "fabric-congestion-settings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace ns3::fabric
{

/**
 * What FlowOracle asks of flows by the severity of their endpoint's congestion (CM-3, CM-6, CM-7).
 *
 * What the requirements leave open is a rule here:
 * - Severities 0 and 1 ask for nothing. At 2 a flow has its first limit, which is halved in so many
 *   steps down to a full frame and in four from there, to whole units, and is 1 at last. The
 *   severities after the first with 1 ask for a delay besides, which begins with the shortest one,
 *   doubles in so many steps, and is 1 s at most.
 * - A queue is as long as the limit of its flow, but has room for two full frames: its target mark
 *   is no higher than that, the high mark no higher than a full frame above the target, the drop
 *   mark no higher than half of it.
 * - Watermarks by severity come from those of the beginning, which other settings of hop credits
 *   do not change.
 */
class OracleSeverities
{
  public:
    static constexpr uint32_t FRAME = 16;                ///< Units of a full frame.
    static constexpr uint32_t NO_LIMIT = 0xFFFFFFFF;     ///< Limit of who has none.
    static constexpr TimePs LONGEST = 1'000'000'000'000; ///< Delay, ps.

    /// What a severity asks for.
    struct Row
    {
        Watermarks marks;         ///< Of a flow's queue.
        uint32_t limit{NO_LIMIT}; ///< A flow with so much under way waits, units.
        TimePs delay{0};          ///< From its last ACK to its next frame, ps.
    };

    /// @param settings of a switch at the beginning
    explicit OracleSeverities(const CongestionSettings& settings)
        : m_rows(256)
    {
        const SeveritySettings& severity = settings.severity;
        m_rows[0].marks = m_rows[1].marks = settings.watermarks;
        std::size_t singles = 0;  // severities that allow for a single unit
        std::size_t full = 1'000; // the first severity that allows for a full frame
        double fullLimit = 0;     // what it allows for
        for (std::size_t i = 2; i < m_rows.size(); ++i)
        {
            const double steps = i <= full ? severity.limitSteps : 4;
            const auto after = static_cast<double>(i <= full ? i - 2 : i - full);
            const double exact =
                (i <= full ? severity.firstLimit : fullLimit) * std::exp2(-after / steps);
            const long limit = std::lround(exact);
            if (i < full && limit <= FRAME)
            {
                full = i;
                fullLimit = exact;
            }
            m_rows[i].limit = limit < 1 ? 1 : static_cast<uint32_t>(limit);
            m_rows[i].marks = MarksFor(settings.watermarks, m_rows[i].limit);
            singles += m_rows[i].limit == 1 ? 1 : 0;
            if (singles > 1)
            {
                const double doublings = (static_cast<double>(singles) - 2) / severity.delaySteps;
                const double delay =
                    static_cast<double>(severity.firstDelay) * std::exp2(doublings);
                m_rows[i].delay = static_cast<TimePs>(std::min<double>(delay, LONGEST));
            }
        }
    }

    /// @return what a severity asks for
    const Row& At(Severity severity) const
    {
        return m_rows[severity];
    }

    /// @return the least severity whose limit is no larger, the highest one if there is none
    Severity ForLimit(uint64_t units) const
    {
        Severity severity = 0;
        while (severity != 255 && m_rows[severity].limit > std::max<uint64_t>(units, 1))
        {
            ++severity;
        }
        return severity;
    }

    /// @return the least severity whose delay is no shorter, the highest one if there is none
    Severity ForDelay(TimePs delay) const
    {
        Severity severity = 0;
        while (severity != 255 && m_rows[severity].delay < delay)
        {
            ++severity;
        }
        return severity;
    }

  private:
    /// @return watermarks of a flow that may have so much under way
    static Watermarks MarksFor(Watermarks marks, uint32_t limit)
    {
        marks.target = std::min(marks.target, std::max(limit, 2 * FRAME));
        marks.high = std::min(marks.high, marks.target + FRAME);
        marks.drop = std::min(marks.drop, marks.target / 2);
        return marks;
    }

    std::vector<Row> m_rows; ///< By severity.
};

/**
 * Delays of paced flows in a switch of FlowOracle (CM-7): each is longer or shorter by up to a part
 * of it. The n-th draw of a switch is SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) of its seed
 * plus n; its upper 53 bits say where in the range the delay is, which is cut to whole ps.
 */
class OracleDelays
{
  public:
    /// @param spread part by which delays are longer or shorter
    OracleDelays(double spread, uint32_t seed)
        : m_spread(spread),
          m_count(seed)
    {
    }

    /// @return a delay around one, ps
    TimePs Draw(TimePs delay)
    {
        uint64_t z = ++m_count * 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        z = z ^ (z >> 31);
        const double place = std::ldexp(static_cast<double>(z >> 11), -53); // from 0 to 1
        return static_cast<TimePs>(static_cast<double>(delay) * (1 + m_spread * (2 * place - 1)));
    }

  private:
    double m_spread;  ///< Part by which delays are longer or shorter.
    uint64_t m_count; ///< Seed plus draws so far.
};

/// What waits for an output of FlowOracle.
struct OracleWaiting
{
    uint64_t bytes{0};      ///< On the wire, of those that may go.
    uint64_t frames{0};     ///< Frames that may go.
    uint64_t heldBytes{0};  ///< On the wire, of those whose flow is over its limit or paced.
    uint64_t heldFrames{0}; ///< Frames whose flow is over its limit or paced.
    uint64_t flows{0};      ///< Queues that either are in, with flow channel or without.
};

/**
 * The link from a switch of FlowOracle to a host, which is looked at whenever a frame has come to
 * wait for it or waits for it no longer (CM-1, CM-2).
 *
 * What the requirements leave open is a rule here:
 * - Numbers that are 0 go by the rate of the link: the target is what it carries in 10.48576 us,
 *   bound to 64 and 256 KiB, the threshold of bytes a quarter of this and that of frames a 256th of
 *   this quarter. A threshold of bytes that is set raises such a target to it, and a target that is
 *   set lowers such a threshold.
 * - Frames of a flow that is over its limit or paced are not in the queue of the link: they count
 *   in no threshold, target or growth, but their flow is among those that wait, and they are in the
 *   mean length of a frame.
 * - Growth is measured when a look comes so long after the last measurement, or after the start,
 *   when nothing waited. What it says holds until the next one.
 * - What a limit is in bytes goes by the mean frame when severity was last raised or stepped, a
 *   full one before: a unit of it is 256 bytes, or less if it has less on the wire for each unit
 *   that is begun, and a limit below the units of the mean frame is that frame.
 * - With N flows each may have 1/N of the target and of what the link carries in a round trip. If
 *   the mean frame is no longer than that, the severity for this limit is the one they need. Else
 *   it is the one whose delay is what the link takes for that by which N mean frames are too many.
 * - The severity that there is will do for so many flows as fit, each with its limit, into the
 *   target and what the link carries in a round trip and the delay. Severities without limit count
 *   with the first one.
 * - While there is congestion the severity is raised at once if it will not do and the flows need
 *   another; else it is 1 at least, and goes on by a step up or down when it is time.
 * - If the depth is over twice the target and an eighth of the target more than when severity was
 *   set or was due for a step, the step is up; if it is below the target and no more than then, it
 *   is down, but not below 1. No step goes up to a limit of which the flows that wait have together
 *   less than the link carries in a round trip, unless it comes with a delay.
 * - Steps pass over severities that differ for no mean frame: those without a delay whose limit is
 *   no more than it, but for the least of them. So do those of a fall.
 * - A severity that counts from now on is due for the next step twice the round trip later, or its
 *   own delay if that is longer, also if it is the one that counted before.
 * - Without congestion the severity falls when it is due and after each decay time, also if nobody
 *   looked then: by one, then by two, and so on. Congestion that begins, that raises severity or
 *   that is due for a step has it fall by one again.
 * - Flows are told the severity, unless one is alone: the newest frame and all that came in the
 *   round trip before it are of its host, and no other queue has frames. Without congestion it is
 *   told of none, and while there is some of no more than with which its limit is what the link
 *   carries in a round trip, without a delay.
 */
class OracleEndpoint
{
  public:
    /// @param severities what they ask for; must stay
    OracleEndpoint(const EndpointSettings& settings,
                   const OracleSeverities& severities,
                   uint64_t bitsPerSecond)
        : m_settings(settings),
          m_severities(severities),
          m_bitsPerSecond(bitsPerSecond)
    {
        const uint64_t inTime = BytesIn(10'485'760);
        const auto usual = static_cast<uint32_t>(std::clamp<uint64_t>(inTime, 65'536, 262'144));
        m_settings.frames = settings.frames == 0 ? usual / 1024 : settings.frames;
        if (settings.targetBytes == 0)
        {
            m_settings.targetBytes = usual < settings.bytes ? settings.bytes : usual;
        }
        if (settings.bytes == 0)
        {
            const bool isLow = m_settings.targetBytes < usual / 4;
            m_settings.bytes = isLow ? m_settings.targetBytes : usual / 4;
        }
    }

    /// A frame has come. @param source host that has sent it
    void Come(LocationId source, TimePs now)
    {
        for (auto& [host, time] : m_came)
        {
            m_others = host == source ? m_others : std::max(m_others, time);
        }
        m_came = {{source, now}};
        m_isAlone = now - m_others >= m_settings.roundTrip;
    }

    /// Looks at what waits now.
    void Look(const OracleWaiting& waiting, TimePs now)
    {
        MeasureGrowth(waiting, now);
        const bool isAbove =
            waiting.bytes > m_settings.bytes || waiting.frames > m_settings.frames || m_grows;
        const bool isCongested = isAbove && waiting.frames >= 2;
        m_hasCongestion = isCongested;
        m_flows = waiting.flows;
        const bool isShort = isCongested && waiting.flows > FlowsThatFit();
        if (isCongested && (isShort || m_severity == 0 || now >= m_due))
        {
            m_frame = (waiting.bytes + waiting.heldBytes) / (waiting.frames + waiting.heldFrames);
        }
        const Severity needed = isShort ? NeededBy(waiting) : Severity{0};
        if (needed > m_severity || (isCongested && m_severity == 0))
        {
            m_fall = 1;
            Set(std::max<Severity>(needed, 1), waiting, now);
        }
        else if (now >= m_due)
        {
            isCongested ? Step(waiting, now) : Fall(waiting, now);
        }
    }

    /// @return the severity that flows are told as of the last look
    Severity Told() const
    {
        if (!m_isAlone || m_flows > 1)
        {
            return m_severity;
        }
        Severity most = 0;
        while (m_hasCongestion && most < m_severity && IsEnoughForOne(m_severities.At(most + 1)))
        {
            ++most;
        }
        return most;
    }

  private:
    /// @return bytes that the link carries in a time
    uint64_t BytesIn(TimePs time) const
    {
        const uint64_t picoseconds = 8'000'000'000'000 / m_bitsPerSecond; // of a byte
        return static_cast<uint64_t>(time) / picoseconds;
    }

    /// Looks how the depth has grown, if it is time.
    void MeasureGrowth(const OracleWaiting& waiting, TimePs now)
    {
        if (now - m_measuredAt < m_settings.growthTime)
        {
            return;
        }
        const auto carried = static_cast<double>(BytesIn(now - m_measuredAt));
        const double most = static_cast<double>(m_measured) + m_settings.growth * carried;
        m_grows = static_cast<double>(waiting.bytes) > most;
        m_measured = waiting.bytes;
        m_measuredAt = now;
    }

    /// @return bytes that may wait at the target, and be under way in a round trip and a delay
    uint64_t BytesFor(TimePs delay) const
    {
        return m_settings.targetBytes + BytesIn(m_settings.roundTrip + delay);
    }

    /// @return units of the mean frame
    uint64_t Units() const
    {
        const uint64_t payload = m_frame - 24;
        return std::max<uint64_t>((payload + 255) / 256, 1);
    }

    /// @return bytes of the mean frame in each of its units
    uint64_t UnitBytes() const
    {
        return std::min<uint64_t>(m_frame / Units(), 256);
    }

    /// @return bytes that a flow has under way with a limit
    uint64_t BytesOf(uint64_t limit) const
    {
        return (limit < Units() ? Units() : limit) * UnitBytes();
    }

    /// @return whether a severity asks for no more of the mean frame than the one below it
    bool IsLikeOneBelow(uint32_t severity) const
    {
        const bool isDelayed = m_severities.At(severity).delay != 0;
        return severity > 2 && !isDelayed && m_severities.At(severity - 1).limit <= Units();
    }

    /// @return the next lower severity that is another for the mean frame; 0 of 0
    Severity Lower(uint32_t severity) const
    {
        while (IsLikeOneBelow(severity))
        {
            --severity;
        }
        severity -= severity == 0 ? 0 : 1;
        while (IsLikeOneBelow(severity))
        {
            --severity;
        }
        return static_cast<Severity>(severity);
    }

    /// @return the next higher severity that is another for the mean frame, at most 255
    Severity Higher(uint32_t severity) const
    {
        do
        {
            ++severity;
        } while (severity < 255 && IsLikeOneBelow(severity));
        return static_cast<Severity>(std::min(severity, 255U));
    }

    /// @return whether one flow keeps the link busy with what a severity asks for
    bool IsEnoughForOne(const OracleSeverities::Row& row) const
    {
        return row.delay == 0 && BytesOf(row.limit) >= BytesIn(m_settings.roundTrip);
    }

    /// @return for so many flows the severity will do
    uint64_t FlowsThatFit() const
    {
        const OracleSeverities::Row& row = m_severities.At(m_severity);
        const uint64_t units = std::min(row.limit, m_severities.At(2).limit);
        return BytesFor(row.delay) / BytesOf(units);
    }

    /// @return the severity that flows need
    Severity NeededBy(const OracleWaiting& waiting) const
    {
        const uint64_t share = BytesFor(0) / waiting.flows;
        const uint64_t bytes = waiting.bytes + waiting.heldBytes;
        const uint64_t frame = bytes / (waiting.frames + waiting.heldFrames);
        if (frame <= share)
        {
            return m_severities.ForLimit(share / UnitBytes());
        }
        const uint64_t excess = waiting.flows * frame - BytesFor(0);
        return m_severities.ForDelay(
            static_cast<TimePs>(excess * (8'000'000'000'000 / m_bitsPerSecond)));
    }

    /// It is time for a step, and there is congestion.
    void Step(const OracleWaiting& waiting, TimePs now)
    {
        const uint64_t target = m_settings.targetBytes;
        Severity next = m_severity;
        if (waiting.bytes > 2 * target && waiting.bytes >= m_depth + target / 8)
        {
            const OracleSeverities::Row& row = m_severities.At(Higher(next));
            const uint64_t together = BytesOf(row.limit) * waiting.flows;
            const bool isEnough = row.delay != 0 || together >= BytesIn(m_settings.roundTrip);
            next = isEnough ? Higher(next) : next;
        }
        else if (waiting.bytes < target && waiting.bytes <= m_depth)
        {
            next = std::max<Severity>(Lower(next), 1);
        }
        m_fall = 1;
        Set(next, waiting, now);
    }

    /// It is time to fall, maybe several times, and there is no congestion.
    void Fall(const OracleWaiting& waiting, TimePs now)
    {
        for (TimePs at = m_due; at <= now && m_severity != 0; at += m_settings.decayTime)
        {
            for (uint32_t i = 0; i < m_fall; ++i)
            {
                m_severity = Lower(m_severity);
            }
            ++m_fall;
        }
        m_depth = waiting.bytes;
        m_due = now + m_settings.decayTime;
    }

    /// A severity counts from now on.
    void Set(Severity severity, const OracleWaiting& waiting, TimePs now)
    {
        m_severity = severity;
        m_depth = waiting.bytes;
        m_due = now + std::max(2 * m_settings.roundTrip, m_severities.At(severity).delay);
    }

    EndpointSettings m_settings;          ///< Thresholds.
    const OracleSeverities& m_severities; ///< What they ask for.
    uint64_t m_bitsPerSecond;             ///< Of the link.
    Severity m_severity{0};               ///< The present one.
    uint64_t m_frame{4120};               ///< Mean bytes on the wire, see above.
    uint64_t m_depth{0};                  ///< Bytes that waited when it was set or due.
    TimePs m_due{0};                      ///< When it is due for a step, ps.
    uint32_t m_fall{1};                   ///< By how much it falls next.
    uint64_t m_measured{0};               ///< Bytes that waited when growth was measured.
    TimePs m_measuredAt{0};               ///< When that was, ps.
    bool m_grows{false};                  ///< Whether it was too fast then.
    bool m_hasCongestion{false};          ///< Whether there was some at the last look.
    uint64_t m_flows{0};                  ///< That waited then.
    std::map<LocationId, TimePs> m_came;  ///< When the last frame came, by its host, ps.
    TimePs m_others{0};                   ///< When that of another host came before, ps.
    bool m_isAlone{false};                ///< Whether that is long ago.
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_SEVERITY_H
