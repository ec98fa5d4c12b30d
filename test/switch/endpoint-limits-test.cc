/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-endpoint-detector.h"
#include "fabric-injection-pacer.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"
#include "support/fabric-time-units.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <queue>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// An incast whose flows never end.
struct LoopedIncast
{
    LinkRate rate{200'000'000'000}; ///< Of the receiver's link.
    uint32_t flows{100};            ///< That send.
    uint32_t payload{MAX_PAYLOAD};  ///< Of each frame, bytes.
    TimePs roundTrip{3 * US};       ///< Of a frame that waits for nothing, ps.
    uint32_t burst{1};              ///< Frames that each begins with at least.
};

/// What came of it.
struct LoopFigures
{
    double utilization; ///< Of the link, after the begin.
    uint64_t mostBytes; ///< That waited, after the begin.
};

/**
 * The loop of severity and nothing else: flows keep to the limit and the delay that they were told,
 * frames take half of a round trip to the receiver's queue, and what they are told there is known
 * half of a round trip later, as is that they have left it. Who has been told of no limit has four
 * times its share of target and round trip under way, as hop credits would have it, or its burst.
 */
class SeverityLoop
{
  public:
    explicit SeverityLoop(const LoopedIncast& incast)
        : m_incast(incast),
          m_settings(SettingsOf(incast)),
          m_detector(m_settings, m_table, incast.rate),
          m_flows(incast.flows)
    {
        const uint64_t loop = incast.rate.BytesBy(incast.roundTrip, 1U << 30);
        const uint64_t share = 4 * (m_settings.targetBytes + loop) / incast.flows;
        const uint32_t burst = incast.burst * FlowUnits(incast.payload);
        m_mostUnits = static_cast<uint32_t>(std::max<uint64_t>(share / DATA_FLOW_UNIT, burst));
    }

    /// @param begin figures count from then on, ps @return them as of the end
    LoopFigures Run(TimePs begin, TimePs end)
    {
        for (uint32_t flow = 0; flow < m_incast.flows; ++flow)
        {
            m_events.push({flow, READY, flow, 0});
        }
        uint64_t busy = 0;
        uint64_t most = 0;
        const TimePs frameTime = m_incast.rate.TxTime(Bytes());
        while (m_now < end)
        {
            while (!m_events.empty() && m_events.top().at <= m_now)
            {
                const Event event = m_events.top();
                m_events.pop();
                Handle(event);
            }
            if (m_queue.empty())
            {
                m_now = m_events.top().at;
                continue;
            }
            const bool counts = m_now >= begin;
            most = counts ? std::max<uint64_t>(most, m_detector.Bytes()) : most;
            busy += counts ? frameTime : 0;
            Depart();
            m_now += frameTime;
        }
        const auto time = static_cast<double>(m_now - begin);
        return {static_cast<double>(busy) / time, most};
    }

    /// @return bytes of depth that severity aims at
    uint64_t Target() const
    {
        return m_settings.targetBytes;
    }

  private:
    /// What happens to a flow.
    enum Kind
    {
        READY,   ///< It may send, as far as time goes.
        ARRIVES, ///< A frame of it comes to the receiver's queue.
        IS_TOLD, ///< It hears of a severity.
        HAS_ACK, ///< It hears that a frame has left, and of a severity.
    };

    /// Something that happens.
    struct Event
    {
        TimePs at;         ///< When, ps.
        Kind kind;         ///< What.
        uint32_t flow;     ///< To whom.
        Severity severity; ///< That it is told.

        bool operator>(const Event& other) const
        {
            return at > other.at;
        }
    };

    /// A sender's view of its flow.
    struct Flow
    {
        uint32_t units{0};    ///< Under way.
        uint32_t waiting{0};  ///< Frames in the receiver's queue.
        Severity severity{0}; ///< That it was told last.
        bool isPaced{false};  ///< Whether it waits for its time.
    };

    static EndpointSettings SettingsOf(const LoopedIncast& incast)
    {
        EndpointSettings settings;
        settings.roundTrip = incast.roundTrip;
        return settings.For(incast.rate);
    }

    /// @return bytes of a frame on the wire
    uint32_t Bytes() const
    {
        return WireBytes(m_incast.payload);
    }

    void Handle(const Event& event)
    {
        Flow& flow = m_flows[event.flow];
        const TimePs half = m_incast.roundTrip / 2;
        switch (event.kind)
        {
        case READY:
            flow.isPaced = false;
            Send(event.flow);
            return;
        case ARRIVES:
            m_detector.Join(Bytes(), flow.waiting++ == 0);
            m_detector.NoteSource(event.flow, m_now);
            m_detector.Decide(m_now);
            m_queue.push_back(event.flow);
            m_events.push({m_now + half, IS_TOLD, event.flow, m_detector.Told()});
            return;
        case IS_TOLD:
            flow.severity = event.severity;
            break;
        case HAS_ACK:
            const bool wasOver = flow.units >= Limit(flow);
            flow.units -= FlowUnits(m_incast.payload);
            flow.severity = std::min(flow.severity, event.severity);
            const TimePs delay = m_table.At(flow.severity).delay;
            if (delay != 0 && wasOver && flow.units < Limit(flow))
            {
                flow.isPaced = true;
                const TimePs at = m_pacer.Add(0, {0, 1}, 0, delay, m_now);
                m_pacer.Take(0);
                m_events.push({at, READY, event.flow, 0});
            }
            break;
        }
        Send(event.flow);
    }

    /// @return units that a flow may have under way
    uint32_t Limit(const Flow& flow) const
    {
        return std::min(m_table.At(flow.severity).limit, m_mostUnits);
    }

    /// A flow sends what it may.
    void Send(uint32_t number)
    {
        Flow& flow = m_flows[number];
        while (!flow.isPaced && flow.units < Limit(flow))
        {
            flow.units += FlowUnits(m_incast.payload);
            m_events.push({m_now + m_incast.roundTrip / 2, ARRIVES, number, 0});
        }
    }

    /// The first frame of the queue takes the link.
    void Depart()
    {
        const uint32_t flow = m_queue.front();
        m_queue.pop_front();
        m_detector.Leave(Bytes(), --m_flows[flow].waiting == 0);
        m_detector.Decide(m_now);
        m_events.push({m_now + m_incast.roundTrip / 2, HAS_ACK, flow, m_detector.Told()});
    }

    LoopedIncast m_incast;             ///< What is asked for.
    SeverityTable m_table{{}, {}};     ///< By default.
    EndpointSettings m_settings;       ///< By the rate.
    EndpointDetector m_detector;       ///< Of the receiver's link.
    InjectionPacer m_pacer{1, 0.3, 7}; ///< Draws the delays.
    uint32_t m_mostUnits;              ///< That a flow has under way without limit.
    TimePs m_now{0};                   ///< ps.
    std::vector<Flow> m_flows;         ///< By number.
    std::deque<uint32_t> m_queue;      ///< Flows of the frames that wait.
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events; ///< To come.
};

/// @return a number whose logarithm is anywhere between those of two others
double
DrawBetween(double least, double most, std::minstd_rand& random)
{
    const double place = std::generate_canonical<double, 32>(random);
    return least * std::pow(most / least, place);
}

/// However long frames are, the receiver's link is busy and its queue near the target, as far as
/// limits go down to that.
void
TestFrameLengths(FunctionCase& self)
{
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        LoopedIncast incast;
        incast.rate = LinkRate(static_cast<uint64_t>(DrawBetween(20, 800, random)) * 1'000'000'000);
        incast.flows = static_cast<uint32_t>(DrawBetween(4, 1000, random));
        incast.payload = static_cast<uint32_t>(DrawBetween(64, MAX_PAYLOAD + 1, random));
        incast.roundTrip = 2 * incast.rate.TxTime(WireBytes(incast.payload)) +
                           static_cast<TimePs>(DrawBetween(1, 50, random) * US);
        SeverityLoop loop(incast);
        const LoopFigures figures = loop.Run(3 * MS, 5 * MS);
        const std::string where = Text("seed ",
                                       seed,
                                       ", ",
                                       incast.flows,
                                       " flows with frames of ",
                                       incast.payload,
                                       " bytes, ",
                                       incast.roundTrip,
                                       " ps: ")
                                      .Str();
        self.Expect(figures.utilization > 0.98,
                    Text(where, figures.utilization, " of the link are used"));
        // Flows that may have their first limit are not few enough to be held by hop credits alone.
        const uint64_t loopBytes = incast.rate.BytesBy(incast.roundTrip, 1U << 30);
        const uint64_t unit = incast.payload / FlowUnits(incast.payload);
        if (incast.flows * SeveritySettings().firstLimit * unit > 2 * (loop.Target() + loopBytes))
        {
            self.Expect(figures.mostBytes < 3 * loop.Target() + loopBytes * 3 / 2,
                        Text(where, figures.mostBytes, " bytes wait"));
        }
    }
}

/// @return what came of an incast of full frames, when it has settled
LoopFigures
SettleIncast(uint32_t gigabits, uint32_t flows, uint32_t burst)
{
    constexpr uint32_t frame = WireBytes(MAX_PAYLOAD);
    LoopedIncast incast;
    incast.rate = LinkRate(uint64_t{gigabits} * 1'000'000'000);
    incast.flows = flows;
    incast.burst = burst;
    const TimePs begin = 32 * flows * incast.rate.TxTime(frame);
    return SeverityLoop(incast).Run(begin, 3 * begin / 2 + 4 * MS);
}

/// Whatever the number of flows, their depth stays near the target, and the link is busy.
void
TestDepth(FunctionCase& self)
{
    for (const uint32_t flows : {100U, 300U, 1000U, 2000U, 4000U})
    {
        for (const uint32_t burst : {1U, 16U})
        {
            const LoopFigures figures = SettleIncast(200, flows, burst);
            const std::string where = Text(flows, " flows, bursts of ", burst, ": ").Str();
            self.Expect(figures.utilization > 0.98,
                        Text(where, figures.utilization, " of the link are used"));
            self.Expect(figures.mostBytes < 10 * 256 * 1024,
                        Text(where, "up to ", figures.mostBytes, " bytes wait"));
        }
    }
}

/// @return the target that congestion-defaults.rst has for a rate, bytes
double
TargetOf(double gigabits)
{
    return std::clamp(gigabits / 200, 0.25, 1.0) * 256 * 1024;
}

/// So it is at other rates, at which targets are others.
void
TestDepthByRate(FunctionCase& self)
{
    for (const uint32_t gigabits : {10U, 25U, 50U, 100U, 400U, 800U})
    {
        for (const uint32_t flows : {100U, 300U})
        {
            const LoopFigures figures = SettleIncast(gigabits, flows, 4);
            const std::string where = Text(gigabits, " Gb/s, ", flows, " flows: ").Str();
            self.Expect(figures.utilization > 0.98,
                        Text(where, figures.utilization, " of the link are used"));
            self.Expect(static_cast<double>(figures.mostBytes) < 6 * TargetOf(gigabits),
                        Text(where, figures.mostBytes, " bytes wait"));
        }
    }
}

/// The suite.
class EndpointLimitsSuite : public FunctionSuite
{
  public:
    EndpointLimitsSuite()
        : FunctionSuite("fabric-endpoint-limits", kUnit)
    {
        Add("CM-7 the depth stays near its target", TestDepth);
        Add("CM-7 the depth stays near its target at other rates", TestDepthByRate);
        Add("CM-3 CM-7 frames of any length fill the link", TestFrameLengths);
    }
};

EndpointLimitsSuite g_endpointLimitsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
