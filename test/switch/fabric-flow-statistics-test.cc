/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ack-batch.h"
#include "fabric-chain.h"
#include "fabric-flow-statistics.h"
#include "fabric-function-case.h"
#include "fabric-random-scenario.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Source, destination and class: native messages without processes are told apart by them.
using FlowName = std::tuple<LocationId, LocationId, uint8_t>;

/// What frames of a flow did in a switch.
struct FlowSums
{
    uint64_t framesIn{0};    ///< Frames that came in and were not dropped at once.
    uint64_t bytesIn{0};     ///< Their payload.
    uint64_t framesOut{0};   ///< Frames sent.
    uint64_t bytesOut{0};    ///< Their payload.
    uint32_t mostWaiting{0}; ///< Most units that waited.
    uint32_t mostUnacked{0}; ///< Most units that were sent and not acknowledged.
    uint32_t mostInAll{0};   ///< The most that both together were.

    /// @return in words, with extents or without
    std::string ToText(bool withExtents) const
    {
        std::ostringstream text;
        text << framesIn << " frames, " << bytesIn << " B in, " << framesOut << " frames, "
             << bytesOut << " B out";
        if (withExtents)
        {
            text << ", extents " << mostWaiting << " " << mostUnacked << " " << mostInAll;
        }
        return text.str();
    }
};

/**
 * Counts again what flows do in a switch, from what came in, was sent, dropped and acknowledged. It
 * knows nothing of flow channels but which flow has a flow_id on an outgoing link.
 */
class Recount : public SwitchObserver
{
  public:
    explicit Recount(const SwitchConfig& config)
        : m_config(config)
    {
    }

    void Arrived(uint32_t /* port */, const Frame& frame, TimePs /* now */) override
    {
        Settle();
        m_arrived = frame;
    }

    void Dropped(uint32_t /* port */,
                 const Frame& /* frame */,
                 DropCause /* cause */,
                 TimePs /* now */) override
    {
        m_arrived.reset(); // where no link fails no other is dropped
    }

    void Sent(uint32_t port, const Frame& frame, TimePs /* now */) override
    {
        Settle();
        if (!HasChannel(frame))
        {
            return;
        }
        Flow& flow = flows[NameOf(frame)];
        flow.sums.framesOut += 1;
        flow.sums.bytesOut += frame.payload;
        flow.waiting -= FlowUnits(frame.payload);
        flow.unacked += FlowUnits(frame.payload);
        flow.sums.mostUnacked = std::max(flow.sums.mostUnacked, flow.unacked);
        if (frame.flow == NO_FLOW)
        {
            flow.unacked -= FlowUnits(frame.payload); // toward a host
        }
        else
        {
            m_names[{port, frame.flow}] = NameOf(frame);
        }
    }

    void Acknowledged(uint32_t port, const AckBatch& acks, TimePs /* now */) override
    {
        Settle();
        for (uint32_t i = 0; i < acks.count; ++i)
        {
            if (LowersFlowExtent(acks.acks[i].type))
            {
                const std::pair<uint32_t, FlowId> name{port, acks.acks[i].flow};
                uint8_t& left = m_left[name];
                const auto units = static_cast<uint8_t>(acks.acks[i].ackFlow - left);
                left = acks.acks[i].ackFlow;
                flows[m_names.at(name)].unacked -= units;
            }
        }
    }

    /// The frame that came last was not dropped.
    void Settle()
    {
        if (m_arrived && HasChannel(*m_arrived))
        {
            Flow& flow = flows[NameOf(*m_arrived)];
            flow.sums.framesIn += 1;
            flow.sums.bytesIn += m_arrived->payload;
            flow.waiting += FlowUnits(m_arrived->payload);
            flow.sums.mostWaiting = std::max(flow.sums.mostWaiting, flow.waiting);
            flow.sums.mostInAll = std::max(flow.sums.mostInAll, flow.waiting + flow.unacked);
        }
        m_arrived.reset();
    }

    /// A flow as far as it is counted.
    struct Flow
    {
        FlowSums sums;       ///< What counts.
        uint32_t waiting{0}; ///< Units that wait.
        uint32_t unacked{0}; ///< Units sent and not acknowledged.
    };

    std::map<FlowName, Flow> flows; ///< By name.

  private:
    static FlowName NameOf(const Frame& frame)
    {
        return {frame.src, frame.dst, frame.trafficClass};
    }

    bool HasChannel(const Frame& frame) const
    {
        return m_config.flowChannels.HasChannel(frame.trafficClass);
    }

    const SwitchConfig& m_config;                            ///< Of the switch.
    std::optional<Frame> m_arrived;                          ///< May be dropped yet.
    std::map<std::pair<uint32_t, FlowId>, FlowName> m_names; ///< By output and flow_id.
    std::map<std::pair<uint32_t, FlowId>, uint8_t> m_left;   ///< What ACKs said last, modulo 256.
};

/// @return the figures by flow
std::map<FlowName, FlowSums>
SumsOf(const std::vector<FlowFigures>& figures)
{
    std::map<FlowName, FlowSums> sums;
    for (const FlowFigures& one : figures)
    {
        FlowSums& sum = sums[{one.src, one.dst, one.trafficClass}];
        sum.framesIn += one.frames;
        sum.bytesIn += one.bytes;
        sum.framesOut += one.framesSent;
        sum.bytesOut += one.bytesSent;
        sum.mostWaiting = std::max(sum.mostWaiting, one.mostQueueExtent);
        sum.mostUnacked = std::max(sum.mostUnacked, one.mostFlowExtent);
        sum.mostInAll = std::max(sum.mostInAll, one.mostTotalExtent);
    }
    return sums;
}

/// @return the scenario with figures of all flow channels
RandomScenario
CountedScenario(uint64_t seed, const ScenarioLimits& limits, bool hasOneId)
{
    RandomScenario scenario(seed, limits);
    SwitchConfig config = scenario.Config();
    config.flowChannels.statistics = CLOSED_FLOW_STATISTICS;
    if (!hasOneId)
    {
        config.flowChannels.ids = FLOW_IDS_PER_LINK - 1; // nothing waits for a flow channel
        config.flowChannels.unorderedClasses = 0;        // a flow comes in at one port
    }
    scenario.Replace(config, "counted");
    return scenario;
}

/// @return what is wrong with the life of channels that have ended, empty for nothing
std::string
FaultOfLives(const std::vector<FlowFigures>& closed)
{
    std::map<std::pair<uint16_t, FlowId>, TimePs> ends;
    TimePs last = 0;
    for (const FlowFigures& one : closed)
    {
        TimePs& end = ends[{one.port, one.flow}];
        if (one.opened < end || one.closed < one.opened || one.closed < last)
        {
            return Text("port ", one.port, " flow_id ", one.flow, " opened ", one.opened).Str();
        }
        end = last = one.closed;
        if (one.queueExtent != 0 || one.flowExtent != 0 || one.mostQueueExtent == 0 ||
            one.mostTotalExtent < std::max(one.mostQueueExtent, one.mostFlowExtent))
        {
            return Text("extents of port ", one.port, " flow_id ", one.flow).Str();
        }
    }
    return "";
}

/// Random scenarios: figures are what the recount has, and nothing is open at the end.
void
TestFiguresRecount(FunctionCase& test)
{
    const TestSeeds seeds(150);
    uint64_t channels = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const RandomScenario scenario = CountedScenario(seed, {false}, seed % 4 == 0);
        const bool fewIds = seed % 4 == 0;
        const auto bed = scenario.Build(seed % 2 == 0);
        std::vector<std::unique_ptr<Recount>> recounts;
        for (std::size_t i = 0; i < bed->Chips(); ++i)
        {
            recounts.push_back(std::make_unique<Recount>(scenario.Config()));
            bed->Chip(i).SetObserver(recounts.back().get());
        }
        bed->RunToEnd();
        for (std::size_t i = 0; i < bed->Chips(); ++i)
        {
            const FlowStatistics& statistics = *bed->Chip(i).Statistics();
            recounts[i]->Settle();
            std::map<FlowName, FlowSums> sums = SumsOf(statistics.Closed());
            channels += statistics.Closed().size();
            for (const auto& [name, flow] : recounts[i]->flows)
            {
                test.ExpectEqual(sums[name].ToText(!fewIds),
                                 flow.sums.ToText(!fewIds),
                                 Text("switch ", i, ", ", scenario.Describe()));
                sums.erase(name);
            }
            test.Expect(sums.empty(), Text("flows that there are not, ", scenario.Describe()));
            const std::string fault = FaultOfLives(statistics.Closed());
            test.Expect(fault.empty(), Text(fault, ", ", scenario.Describe()));
            for (uint32_t port = 0; port < bed->Chip(i).Config().ports; ++port)
            {
                test.Expect(statistics.Open(port).empty(), Text("open, ", scenario.Describe()));
            }
        }
    }
    test.Expect(channels > 50 * seeds.count, Text(channels, " channels"));
}

/// @return all figures of a bed, in words
std::string
TextOfFigures(TestBed& bed)
{
    std::ostringstream text;
    const auto write = [&text](const FlowFigures& one) {
        text << one.port << " " << one.flow << " " << one.src << " " << one.dst << " "
             << +one.trafficClass << " " << one.output << " " << one.outgoing << " " << one.opened
             << " " << one.closed << " " << one.frames << " " << one.bytes << " " << one.framesSent
             << " " << one.bytesSent << " " << one.queueExtent << " " << one.flowExtent << " "
             << one.mostQueueExtent << " " << one.mostFlowExtent << " " << one.mostTotalExtent
             << "\n";
    };
    for (std::size_t i = 0; i < bed.Chips(); ++i)
    {
        text << "switch " << i << "\n";
        const FlowStatistics& statistics = *bed.Chip(i).Statistics();
        std::for_each(statistics.Closed().begin(), statistics.Closed().end(), write);
        for (uint32_t port = 0; port < bed.Chip(i).Config().ports; ++port)
        {
            const std::vector<FlowFigures> open = statistics.Open(port);
            std::for_each(open.begin(), open.end(), write);
            for (const FlowFigures& one : open)
            {
                const FlowRecord& record = bed.Chip(i).InputFlows(port).Records()[one.flow];
                text << (record.Is(FlowRecord::OPEN) && record.src == one.src &&
                                 record.TotalExtent() == one.TotalExtent()
                             ? ""
                             : "not as in the table\n");
            }
        }
    }
    return text.str();
}

/// Lanes, frames in pieces and links that fail: figures are the same with look-ahead and without,
/// also of channels that are open on the way, and all channels end.
void
TestFiguresLookahead(FunctionCase& test)
{
    const TestSeeds seeds(60);
    uint32_t compared = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomScenario scenario = CountedScenario(seed, {}, true);
        const TimePs stop = scenario.SomeTime() / 2;
        std::string texts[2];
        for (const bool lookahead : {false, true})
        {
            const auto bed = scenario.Build(lookahead);
            if (seed % 3 == 0)
            {
                bed->FailLink(seed % scenario.Links().size(), stop / 2, stop, 300 * NS);
            }
            bed->RunUntil(stop);
            std::string& text = texts[lookahead];
            text = TextOfFigures(*bed);
            bed->RunToEnd();
            text += "at the end\n" + TextOfFigures(*bed);
            test.Expect(text.find("not as in the table") == std::string::npos,
                        Text("open channels, ", scenario.Describe()));
            const std::string end = text.substr(text.find("at the end"));
            test.Expect(end.find(std::to_string(NEVER)) == std::string::npos,
                        Text("a channel has not ended, ", scenario.Describe()));
            for (std::size_t i = 0; i < bed->Chips(); ++i)
            {
                const std::string fault = FaultOfLives(bed->Chip(i).Statistics()->Closed());
                test.Expect(fault.empty(), Text(fault, ", ", scenario.Describe()));
            }
        }
        test.ExpectSame(texts[1], texts[0], scenario.Describe());
        compared += texts[0].size() > 1000 ? 1 : 0;
    }
    test.Expect(compared > seeds.count / 2, Text(compared, " scenarios with channels"));
}

/// @return what flow channels did when so many hosts of a switch sent so many frames each to one
/// more host at once, in the order of their ends
std::vector<FlowFigures>
FiguresOfIncast(uint32_t hosts, uint32_t frames)
{
    SwitchConfig config;
    config.flowChannels.statistics = CLOSED_FLOW_STATISTICS;
    const TopologyPlan plan = MakeChainPlan({hosts});
    TestBed bed(
        plan,
        MakeShortestPathRouting(plan),
        config,
        {},
        [](std::size_t) { return std::make_pair(LinkRate(200'000'000'000), 100 * NS); },
        true);
    for (uint32_t host = 0; host < hosts; ++host)
    {
        bed.Send(host, hosts, frames * uint64_t{MAX_PAYLOAD}, 0, 0);
    }
    bed.RunToEnd();
    return bed.Chip(0).Statistics()->Closed();
}

/**
 * Frames join when their heads have passed the link and the switch's latency, and leave one after
 * the other. The receiver's switch acknowledges a frame when it starts: with one frame each a
 * channel ends then. Of a host alone every frame has a channel, which ends at once.
 */
void
TestFiguresIncast(FunctionCase& test)
{
    const TimePs first = 100 * NS + SwitchConfig().timing.latency;
    const TimePs frame = LinkRate(200'000'000'000).TxTime(WireBytes(MAX_PAYLOAD));
    constexpr uint32_t UNITS = MAX_PAYLOAD / 256;
    for (const uint32_t hosts : {1U, 2U, 9U})
    {
        const std::vector<FlowFigures> single = FiguresOfIncast(hosts, 1);
        test.ExpectEqual(single.size(), hosts, "a channel a host");
        for (uint32_t i = 0; i < single.size(); ++i)
        {
            const FlowFigures& one = single[i];
            test.Expect(one.port == one.src - 1 && one.dst == LocationOf(hosts) &&
                            one.output == hosts && one.outgoing == NO_FLOW && one.flow == 1,
                        "where from and where to");
            test.Expect(one.frames == 1 && one.framesSent == 1 && one.bytes == MAX_PAYLOAD &&
                            one.bytesSent == MAX_PAYLOAD,
                        "frames and bytes");
            test.ExpectEqual(one.opened, first, "the heads are in at once");
            test.ExpectEqual(one.closed, first + i * frame, "one after the other");
            test.Expect(one.mostQueueExtent == UNITS && one.mostFlowExtent == UNITS &&
                            one.mostTotalExtent == UNITS,
                        "a frame");
        }
        const std::vector<FlowFigures> several = FiguresOfIncast(hosts, 5);
        for (const auto& [name, sums] : SumsOf(several))
        {
            test.ExpectEqual(sums.ToText(false),
                             "5 frames, 20480 B in, 5 frames, 20480 B out",
                             Text("host ", std::get<0>(name) - 1, " of ", hosts));
        }
        test.ExpectEqual(several.back().closed, first + (5 * hosts - 1) * frame, "the last");
    }
    const std::vector<FlowFigures> alone = FiguresOfIncast(1, 3);
    test.ExpectEqual(alone.size(), 3, "a channel a frame");
    for (uint32_t i = 0; i < alone.size(); ++i)
    {
        test.Expect(alone[i].opened == first + i * frame && alone[i].closed == alone[i].opened,
                    "it ends at once");
    }
}

/// The suite.
class FlowStatisticsSuite : public FunctionSuite
{
  public:
    FlowStatisticsSuite()
        : FunctionSuite("fabric-flow-statistics", kUnit)
    {
        Add("FC-3 figures of an incast's flow channels are exact", TestFiguresIncast);
        Add("FC-3 FC-4 figures of flow channels are what a recount of frames and ACKs has",
            TestFiguresRecount);
        Add("FC-3 DP-5 figures are the same with look-ahead and without", TestFiguresLookahead);
    }
};

const FlowStatisticsSuite g_flowStatisticsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
