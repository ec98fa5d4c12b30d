/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ENDPOINT_DETECTOR_H
#define FABRIC_ENDPOINT_DETECTOR_H

#include "fabric-link-rate.h"
#include "fabric-severity-table.h"

#include <algorithm>

namespace ns3::fabric
{

/// When the link to a host counts as congested (CM-1), and how its queue is then held short.
struct EndpointSettings
{
    bool isOn{false}; ///< Whether congestion of endpoints is looked for at all.
    /// Bytes that wait above which there is congestion; 0 for that by the rate of the link, see
    /// For().
    uint32_t bytes{0};
    /// Frames that wait above which there is congestion; 0 for that by the rate of the link.
    uint32_t frames{0};
    /// Growth of the depth within `growthTime` or more above which there is congestion, as a
    /// fraction of what the link carries meanwhile. Chosen: three senders at full rate.
    double growth{2};
    /// Growth is measured over so long, ps. Chosen: three frames of 4 KiB at 200 Gb/s, so that one
    /// does not count.
    TimePs growthTime{500'000};
    /// Depth that severity aims at, bytes; it is raised above twice that. 0 for that by the rate of
    /// the link. What is under way in a round trip comes on top of it, by severity.
    uint32_t targetBytes{0};
    /// From the start of a frame at its edge switch to its ACK there, over the longest way without
    /// congestion, ps; 0 for that which the fabric tells. It is what is under way besides the
    /// depth, and a change of severity takes twice that to be felt.
    TimePs roundTrip{0};
    /// Taken while the fabric has told none, ps: that of a fat tree of three levels with links of
    /// 100 ns.
    static constexpr TimePs USUAL_ROUND_TRIP = 3'500'000;
    /// Severity falls by a step, then two, and so on, each such time when there is no congestion
    /// any more, ps. Chosen: in 0.34 ms from that of 1000 senders to none.
    TimePs decayTime{20'000'000};

    /// @return the round trip to reckon with while the fabric has told none, ps
    TimePs RoundTrip() const
    {
        return roundTrip != 0 ? roundTrip : USUAL_ROUND_TRIP;
    }

    /**
     * What is 0, by the rate of a link: the target is what it carries in 10.5 us, from 64 to 256
     * KiB. Bytes are a quarter of it, 2.6 us of 200 Gb/s, and frames as many of 256 bytes as that
     * are; bytes and target also keep to a number that the other one has. Chosen by sweeps from 25
     * to 800 Gb/s (doc/congestion-defaults.rst):
     *
     * - With more than 10.5 us an incast of 8 does not count as contained at lower rates.
     * - With less than 64 KiB, 16 full frames, the queue of 512 paced flows runs empty at times.
     * - More than 256 KiB fill no link better, and wait in the receiver's switch.
     *
     * @param rate of a link to a host
     * @return settings in which none of the three is 0
     */
    EndpointSettings For(LinkRate rate) const;

    /// @throws std::invalid_argument if settings contradict each other
    void Validate() const;
};

/**
 * The congestion of the link to a host, from what waits for it (CM-1, CM-2): asked at every frame
 * that comes to wait and at every one that leaves. There is some when bytes, frames or growth are
 * above their thresholds, and more than one frame waits: a target below a frame would keep a lone
 * flow paced for ever. Its severity:
 *
 * | congestion | what waits                                | severity                   |
 * |------------|-------------------------------------------|----------------------------|
 * | begins     |                                           | 1                          |
 * | lasts      | more flows than the severity is for       | that for so many, at once  |
 * | lasts      | over 2 targets, an eighth of it more      | one step up, see below     |
 * | lasts      | below the target, not more than before    | one step down, to 1        |
 * | is over    |                                           | down ever faster, to 0     |
 *
 * A flow that is alone is told less, see Told().
 *
 * While congestion lasts a step takes twice the round trip at least, and the delay of the new
 * severity: paced flows feel it then. So the depth stays near its target whatever the number of
 * senders; a severity that follows the depth alone would swing, as it acts a whole delay later.
 * No step leads to limits with which the flows that wait could not keep the link busy.
 */
class EndpointDetector
{
  public:
    /**
     * @param settings for the rate of the link, see EndpointSettings::For(); outlive the detector
     * @param table of severities, outlives the detector
     * @param rate of the link
     */
    EndpointDetector(const EndpointSettings& settings, const SeverityTable& table, LinkRate rate)
        : m_settings(settings),
          m_table(table),
          m_singleFrame(table.ForLimit(m_frameUnits)),
          m_rate(rate)
    {
        SetRoundTrip(settings.RoundTrip());
    }

    /// The settings would be gone.
    EndpointDetector(EndpointSettings&&, const SeverityTable&, LinkRate) = delete;

    /// @param roundTrip that counts from now on, see EndpointSettings, ps
    void SetRoundTrip(TimePs roundTrip)
    {
        m_roundTrip = roundTrip;
        m_inRoundTrip = m_rate.BytesBy(roundTrip, MOST_BYTES);
        m_mostFlows = MostFlows();
    }

    /**
     * A frame begins to wait.
     *
     * @param bytes of it on the wire
     * @param isFirst whether none of its flow waited
     */
    void Join(uint32_t bytes, bool isFirst)
    {
        m_bytes += bytes;
        ++m_frames;
        m_flows += isFirst;
    }

    /// A frame has come, and waits. @param source of it
    void NoteSource(uint32_t source, TimePs now)
    {
        if (source != m_source)
        {
            m_source = source;
            m_othersUntil = m_lastCame;
        }
        m_lastCame = now;
        m_isAlone = now - m_othersUntil >= m_roundTrip;
    }

    /**
     * A frame waits no longer.
     *
     * @param bytes of it on the wire
     * @param isLast whether none of its flow waits any more
     */
    void Leave(uint32_t bytes, bool isLast)
    {
        m_bytes -= bytes;
        --m_frames;
        m_flows -= isLast;
    }

    /**
     * A frame that waits may not go for now, since its flow is paced or over its limit. It is not
     * in the queue of the link: counted there it would keep up the severity that holds it.
     *
     * @param bytes of it on the wire
     */
    void Hold(uint32_t bytes)
    {
        m_heldBytes += bytes;
        ++m_heldFrames;
    }

    /// A frame that waits may go again. @param bytes of it on the wire
    void Release(uint32_t bytes)
    {
        m_heldBytes -= bytes;
        --m_heldFrames;
    }

    /// To be called after a frame has joined or left. @return the severity, 0 for no congestion
    Severity Decide(TimePs now)
    {
        MeasureGrowth(now);
        m_isCongested = (Bytes() > m_settings.bytes || Frames() > m_settings.frames || m_grows) &&
                        Frames() > 1; // one that waits for nobody is no queue
        if (m_isCongested && m_flows > m_mostFlows)
        {
            MeasureFrames();
            const Severity least = SeverityFor(m_flows);
            if (least > m_severity)
            {
                Raise(least, now);
                return m_severity;
            }
        }
        if (m_isCongested && m_severity == 0)
        {
            MeasureFrames();
            Raise(1, now);
        }
        else if (now >= m_nextStep)
        {
            m_isCongested ? Step(now) : Decay(now);
        }
        return m_severity;
    }

    /// @return the severity that was decided last
    Severity Present() const
    {
        return m_severity;
    }

    /// @return the severity that a flow is told which comes or goes now: the present one, unless it
    /// is alone. Severity falls slowly once congestion is over, and a flow would pay for others
    /// that have gone. Fewer than all would not do: those of a large incast that find its queue
    /// empty are few, too.
    Severity Told() const
    {
        if (m_severity == 0 || !m_isAlone || m_flows > 1)
        {
            return m_severity;
        }
        return m_isCongested ? MostForOne() : 0;
    }

    /// @return bytes that wait for the link
    uint32_t Bytes() const
    {
        return m_bytes - m_heldBytes;
    }

    /// @return frames that wait for the link
    uint32_t Frames() const
    {
        return m_frames - m_heldFrames;
    }

    /// @return flows whose frames wait
    uint32_t Flows() const
    {
        return m_flows;
    }

  private:
    /// Looks how the depth has grown, when it is time.
    void MeasureGrowth(TimePs now)
    {
        if (const TimePs elapsed = now - m_measuredAt; elapsed >= m_settings.growthTime)
        {
            const double carried = m_rate.BytesBy(std::min(elapsed, LONGEST), MOST_BYTES);
            m_grows = Bytes() > m_measured + m_settings.growth * carried;
            m_measured = Bytes();
            m_measuredAt = now;
        }
    }

    /// Congestion asks for a higher severity at once.
    void Raise(Severity severity, TimePs now)
    {
        m_decay = 1; // it falls by one again, when it is over
        Set(severity, now + StepTime(severity));
    }

    /// It is time for a step while there is congestion. What was sent before the first severity was
    /// heard may keep the depth up for long, so only growth raises severity.
    void Step(TimePs now)
    {
        m_decay = 1;
        MeasureFrames();
        Severity next = m_severity;
        if (Bytes() > 2 * m_settings.targetBytes && Bytes() >= m_depth + m_settings.targetBytes / 8)
        {
            const Severity above = Above();
            next = FillsLink(above) ? above : next;
        }
        else if (Bytes() < m_settings.targetBytes && Bytes() <= m_depth)
        {
            next = std::max(Below(m_severity), Severity{1});
        }
        Set(next, now + StepTime(next));
    }

    /// @return the next severity that asks for more of the frames that wait
    Severity Above() const
    {
        const bool isSingle = m_severity >= m_singleFrame && m_table.At(m_severity).delay == 0;
        const uint32_t above = isSingle ? m_table.ForDelay(1) : m_severity + 1U;
        return static_cast<Severity>(std::min(above, SeverityTable::SIZE - 1));
    }

    /// @return the next lower severity that asks for less of the frames that wait; 0 of 0
    Severity Below(Severity severity) const
    {
        const uint32_t below = std::max<uint32_t>(severity, 1) - 1;
        if (severity <= m_singleFrame || m_table.At(static_cast<Severity>(below)).delay != 0)
        {
            return static_cast<Severity>(below);
        }
        return m_table.At(severity).delay != 0 ? m_singleFrame : m_singleFrame - 1;
    }

    /// @return whether the flows that wait keep the link busy with the limits of a severity. Where
    /// delays make up for limits, those that wait are too few to tell.
    bool FillsLink(Severity severity) const
    {
        const SeverityTable::Row& row = m_table.At(severity);
        const uint64_t each = BytesOf(row.limit);
        return row.delay != 0 || each * m_flows >= m_inRoundTrip;
    }

    /// It is time for a step, or for several that nobody came for, and there is no congestion. Each
    /// step in a row is one more than the one before: an incast that is over is soon forgotten.
    void Decay(TimePs now)
    {
        const TimePs times = 1 + (now - m_nextStep) / m_settings.decayTime;
        Severity left = m_severity;
        for (TimePs i = 0; i < times && left != 0; ++i)
        {
            for (uint32_t steps = m_decay++; steps != 0 && left != 0; --steps)
            {
                left = Below(left);
            }
        }
        Set(left, now + m_settings.decayTime);
    }

    /// @return time until a severity is felt, ps
    TimePs StepTime(Severity severity) const
    {
        return std::max(2 * m_roundTrip, m_table.At(severity).delay);
    }

    /// A severity counts from now on. @param nextStep no step before this, ps
    void Set(Severity severity, TimePs nextStep)
    {
        m_depth = Bytes();
        m_nextStep = nextStep;
        if (severity != m_severity)
        {
            m_severity = severity;
            m_mostFlows = MostFlows();
        }
    }

    /// @return the least severity with which so many flows hold the target together, and fill the
    /// way
    Severity SeverityFor(uint32_t flows) const
    {
        const uint64_t share = BytesFor(0) / flows;
        const uint32_t frame = m_bytes / m_frames;
        if (share >= frame)
        {
            return m_table.ForLimit(static_cast<uint32_t>(share / m_unitBytes));
        }
        // With one frame each there would be too much: the rest waits for its time so long.
        return m_table.ForDelay(TimeOf(uint64_t{flows} * frame - BytesFor(0)));
    }

    /// @return the highest severity up to the present one at which a flow alone keeps the link busy
    Severity MostForOne() const
    {
        const auto fillsLink = [this](const SeverityTable::Row& row) {
            return row.delay == 0 && BytesOf(row.limit) >= m_inRoundTrip;
        };
        Severity most = m_severity;
        while (most >= SeverityTable::FIRST_LIMIT && !fillsLink(m_table.At(most)))
        {
            --most;
        }
        return most;
    }

    /// @return so many flows hold no more than the target at the present severity
    uint32_t MostFlows() const
    {
        const SeverityTable::Row& row = m_table.At(m_severity);
        const uint32_t limit = std::min(row.limit, m_table.At(SeverityTable::FIRST_LIMIT).limit);
        return static_cast<uint32_t>(BytesFor(row.delay) / BytesOf(limit));
    }

    /// Limits are in units of 256 bytes: looks what the frames that wait have in one, on average.
    void MeasureFrames()
    {
        const uint32_t frame = m_bytes / m_frames;
        m_frameUnits = FlowUnits(frame - WireBytes(0));
        m_unitBytes = std::min(DATA_FLOW_UNIT, frame / m_frameUnits);
        m_singleFrame = m_table.ForLimit(m_frameUnits);
        m_mostFlows = MostFlows();
    }

    /// @return bytes that a flow may have under way by a limit: a frame at least
    uint64_t BytesOf(uint32_t limit) const
    {
        return uint64_t{std::max(limit, m_frameUnits)} * m_unitBytes;
    }

    /// @return what waits at the target, is under way, and waits for its time, bytes
    uint64_t BytesFor(TimePs delay) const
    {
        const uint64_t underWay = m_rate.BytesBy(m_roundTrip + delay, MOST_BYTES);
        return m_settings.targetBytes + underWay;
    }

    /// @return time that bytes take on the link, ps
    TimePs TimeOf(uint64_t bytes) const
    {
        constexpr double BIT_PS = 8e12;
        const auto rate = static_cast<double>(m_rate.BitsPerSecond());
        return static_cast<TimePs>(static_cast<double>(bytes) * BIT_PS / rate);
    }

    /// More than any buffer holds.
    static constexpr uint32_t MOST_BYTES = uint32_t{1} << 30;
    /// Growth over a longer time is taken as that over this, ps.
    static constexpr TimePs LONGEST = 1'000'000'000'000;

    // What each frame touches is first, in one line of the cache.

    const EndpointSettings& m_settings; ///< Thresholds; all detectors of a switch share them.
    uint32_t m_bytes{0};                ///< That wait, held ones too.
    uint32_t m_frames{0};               ///< That wait, held ones too.
    uint32_t m_heldBytes{0};            ///< That may not go for now.
    uint32_t m_heldFrames{0};           ///< That may not go for now.
    uint32_t m_flows{0};                ///< Whose frames wait, held ones too.
    uint32_t m_mostFlows{0};            ///< See MostFlows(), of the present severity.
    TimePs m_measuredAt{0};             ///< When growth was measured, ps.
    TimePs m_nextStep{0};               ///< No step before this, ps.
    uint32_t m_measured{0};             ///< Bytes that waited for the link then.
    Severity m_severity{0};             ///< The present one.
    bool m_grows{false};                ///< Whether growth was above its threshold then.
    bool m_isCongested{false};          ///< Whether there was congestion at the last decision.
    bool m_isAlone{false};              ///< Whether no other source's has come for a round trip.
    uint32_t m_source{0};               ///< Whose frame was the last to come.
    TimePs m_lastCame{0};               ///< When it came, ps.
    TimePs m_othersUntil{0};            ///< When the last frame of another source came, ps.
    uint32_t m_depth{0};                ///< Bytes that waited for the link at the last step.
    uint32_t m_decay{1};                ///< Next step down while there is no congestion.
    const SeverityTable& m_table;       ///< What severities ask for.
    uint32_t m_frameUnits{FlowUnits(MAX_PAYLOAD)}; ///< See MeasureFrames().
    uint32_t m_unitBytes{DATA_FLOW_UNIT};          ///< See MeasureFrames().
    Severity m_singleFrame;                        ///< The least that leaves a flow a frame.
    LinkRate m_rate;                               ///< Of the link.
    TimePs m_roundTrip;                            ///< See SetRoundTrip(), ps.
    uint32_t m_inRoundTrip;                        ///< Bytes that the link carries in a round trip.
};

} // namespace ns3::fabric

#endif // FABRIC_ENDPOINT_DETECTOR_H
