/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-flit-oracle.h"
#include "fabric-function-case.h"
#include "fabric-lane-chain.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace fabric
{

namespace
{

constexpr uint64_t GIGA = 1'000'000'000; ///< bit/s.
constexpr TimePs FLIT = 640;             ///< 8 B at 100 Gb/s, ps.
constexpr uint32_t VICTIM = 8192;        ///< A long frame on the wire, bytes.
constexpr uint32_t URGENT = 256;         ///< An urgent frame on the wire, bytes.
const uint32_t OVERHEAD = WireBytes(0);  ///< Of a frame, bytes.

/// A run of a frame's bytes, told by things that switches and ports without switches have in
/// common: start in ps, lane, number of the frame among those of its lane, first byte, bytes.
using Segment = std::tuple<TimePs, uint32_t, uint32_t, uint32_t, uint32_t>;

/// What comes into a switch and what it sends.
class WireWatch : public SwitchObserver
{
  public:
    /// A frame at the time of an event.
    struct Event
    {
        TimePs time;   ///< When, ps.
        uint32_t port; ///< Where.
        Frame frame;   ///< Which.
    };

    void Arrived(uint32_t port, const Frame& frame, TimePs now) override
    {
        arrivals.push_back({now, port, frame});
    }

    void Sent(uint32_t port, const Frame& frame, TimePs now) override
    {
        starts.push_back({now, port, frame});
    }

    void Dropped(uint32_t, const Frame&, DropCause, TimePs) override
    {
        ++drops;
    }

    void SegmentSent(uint32_t port, const Frame&, const WireSegment& s, TimePs) override
    {
        uint32_t& number = m_started[{port, s.lane}];
        number += s.first == 0 ? 1 : 0;
        segments[port].emplace_back(s.start, s.lane, number, s.first, s.bytes);
    }

    /// @return when the first frame of a class starts, -1 for never, ps
    TimePs StartOf(uint8_t trafficClass) const
    {
        return TimeOf(starts, trafficClass);
    }

    /// @return when the first frame of a class arrives, -1 for never, ps
    TimePs ArrivalOf(uint8_t trafficClass) const
    {
        return TimeOf(arrivals, trafficClass);
    }

    std::vector<Event> arrivals;                       ///< In their order.
    std::vector<Event> starts;                         ///< In their order.
    std::map<uint32_t, std::vector<Segment>> segments; ///< By output port, in their order.
    uint32_t drops{0};                                 ///< Frames.

  private:
    /// @return time of the first event of a class
    static TimePs TimeOf(const std::vector<Event>& events, uint8_t trafficClass)
    {
        const auto found = std::find_if(events.begin(), events.end(), [=](const Event& event) {
            return event.frame.trafficClass == trafficClass;
        });
        return found == events.end() ? -1 : found->time;
    }

    /// Frames that have started, by port and lane.
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_started;
};

/// A chain of switches whose outputs interrupt frames, each class on a lane and level of its own.
struct WireBed
{
    /**
     * @param sources hosts that send, per switch; one more host hangs at the last one
     * @param sensitive so many of the best lanes may interrupt others
     */
    WireBed(const ChainSources& sources, uint32_t sensitive)
        : plan(MakeChainPlan(sources)),
          receiver(static_cast<uint32_t>(plan.hosts.size()) - 1),
          links(plan.links.size() + plan.hosts.size(), {LinkRate(100 * GIGA), 100'000})
    {
        config.flowChannels.enabled = false;
        config.timing.latency = 300'000;
        config.buffer.shares = {1U << 28, 1U << 26, 1};
        config.lanes = LaneArbitration{Table(sensitive), {}};
        config.lanes->arbiter.meter.burst = 1'000'000;
        config.lanes->preemption.preempt = true;
        nic.mtu = JUMBO_PAYLOAD;
    }

    /// @return class i on lane i of level i
    static LaneTable Table(uint32_t sensitive)
    {
        LaneTable table;
        table.levels.clear();
        for (uint8_t i = 0; i < DEFAULT_LANES; ++i)
        {
            table.levels.push_back("level " + std::to_string(i));
            table.lanes.push_back({i, i, i, i, i < sensitive});
            table.groups.push_back({i, GroupSettings::FULL_SHARE});
        }
        return table;
    }

    /// Makes switches and hosts.
    void Build(bool lookahead = true)
    {
        bed = std::make_unique<TestBed>(
            plan,
            MakeShortestPathRouting(plan),
            config,
            nic,
            [this](std::size_t link) { return links[link]; },
            lookahead);
        watches.clear();
        watches.resize(bed->Chips());
        for (std::size_t chip = 0; chip < bed->Chips(); ++chip)
        {
            bed->Chip(chip).SetObserver(&watches[chip]);
        }
    }

    /// Sends a frame. @param wireBytes of it on the wire
    void Send(uint32_t from, uint32_t to, uint32_t wireBytes, uint8_t trafficClass, TimePs at)
    {
        bed->Send(from, to, wireBytes - OVERHEAD, trafficClass, at);
    }

    /// Runs to the end. @return what is wrong then
    std::string Run()
    {
        bed->RunToEnd();
        bed->Check();
        return bed->IsEmpty() ? "" : "something is left";
    }

    /// @return the wire of a switch toward the receiver or the next switch
    const LaneWire& Wire(uint32_t chip)
    {
        return bed->Chip(chip).Wire(PortOf(chip))->wire;
    }

    /// @return the port of a switch toward the receiver or the next switch
    uint32_t PortOf(uint32_t chip) const
    {
        return chip == plan.links.size() ? plan.hosts[receiver].port : plan.links[chip].portA;
    }

    TopologyPlan plan;                              ///< The chain.
    uint32_t receiver;                              ///< The last host.
    std::vector<std::pair<LinkRate, TimePs>> links; ///< Links, then hosts.
    SwitchConfig config;                            ///< Of the switches.
    NicConfig nic;                                  ///< Of the hosts.
    std::unique_ptr<TestBed> bed;                   ///< After Build().
    std::vector<WireWatch> watches;                 ///< By switch.
};

// ---- chains of switches against the flit-by-flit oracle ----

/// A chain of switches at random, with traffic in which every lane has one source, so that the
/// order of the frames of a lane does not depend on how queues have turns.
class RandomSwitches
{
  public:
    /// @param seed from which all is drawn
    explicit RandomSwitches(uint64_t seed)
        : m_random(seed),
          m_sources(DrawSources()),
          m_bed(m_sources, static_cast<uint32_t>(Number(2, 9)))
    {
        DrawSettings();
        DrawLinks();
        m_span = static_cast<TimePs>(Number(2, 25)) * 1'000'000;
        for (uint64_t i = Number(50, 300); i > 0; --i)
        {
            DrawFrame();
        }
    }

    /// @return what came of a run in which switches run ahead or not
    WireBed& Run(bool lookahead)
    {
        m_bed.Build(lookahead);
        for (const auto& [from, to, bytes, trafficClass, at] : m_frames)
        {
            m_bed.Send(from, to, bytes, trafficClass, at);
        }
        fault = m_bed.Run();
        return m_bed;
    }

    /// @return whether frames are sent on when their tail is in
    bool StoresFrames() const
    {
        return m_bed.config.timing.forwarding == STORE_AND_FORWARD;
    }

    /**
     * @param first switch
     * @param last switch
     * @return the same wires as a plan for ports without switches: what has arrived from hosts, or
     * with one hop from anywhere, is there at once
     */
    LaneChainPlan PlanOf(uint32_t first, uint32_t last) const
    {
        LaneChainPlan plan;
        plan.settings = m_bed.config.lanes->preemption;
        const auto lanes = static_cast<uint8_t>(DEFAULT_LANES);
        for (const LaneSettings& lane : m_bed.config.lanes->table.lanes)
        {
            const auto rank = static_cast<uint8_t>(lanes - lane.level + 1);
            plan.lanes.push_back({rank, lane.latencySensitive, rank});
        }
        for (uint32_t chip = first; chip <= last; ++chip)
        {
            const std::size_t link = chip < m_bed.plan.links.size() ? chip : m_bed.links.size() - 1;
            plan.rates.push_back(m_bed.links[link].first);
            plan.latencies.push_back(m_bed.links[link].second + m_bed.config.timing.latency);
        }
        for (uint32_t chip = first; chip <= last; ++chip)
        {
            AddArrivals(plan, first, chip);
        }
        return plan;
    }

    std::string fault; ///< What was wrong at the end of a run.

  private:
    /// Source, destination, bytes on the wire, class, time in ps.
    using FrameOrder = std::tuple<uint32_t, uint32_t, uint32_t, uint8_t, TimePs>;

    /// @return a number from low to high
    uint64_t Number(uint64_t low, uint64_t high)
    {
        return low + m_random() % (high - low + 1);
    }

    ChainSources DrawSources()
    {
        ChainSources sources(Number(1, 4));
        for (uint32_t& hosts : sources)
        {
            hosts = static_cast<uint32_t>(Number(1, 4));
        }
        return sources;
    }

    void DrawSettings()
    {
        PreemptionSettings& settings = m_bed.config.lanes->preemption;
        settings.preempt = Number(0, 3) != 0;
        settings.interleave = Number(0, 1) == 1 || !settings.preempt;
        m_bed.config.timing.forwarding = Number(0, 3) == 0 ? STORE_AND_FORWARD : CUT_THROUGH;
        m_bed.config.timing.latency = static_cast<TimePs>(Number(1, 400'000));
        if (Number(0, 2) == 0)
        {
            return; // Omni-Path's
        }
        settings.flitBytes = static_cast<uint32_t>(Number(0, 1) == 0 ? 8 : Number(1, 64));
        settings.mostUrgentBytes = static_cast<uint32_t>(Number(64, 5000));
        settings.leastVictimBytes = static_cast<uint32_t>(Number(0, 3000));
        settings.mostBytesPerVictim = static_cast<uint32_t>(Number(100, 20'000));
        settings.leastSentBytes = static_cast<uint32_t>(Number(0, 200));
        settings.leastLeftBytes = static_cast<uint32_t>(Number(0, 200));
        settings.levels = static_cast<uint32_t>(Number(1, 5));
    }

    void DrawLinks()
    {
        const bool alike = Number(0, 1) == 0;
        for (auto& [rate, delay] : m_bed.links)
        {
            rate = LinkRate(alike ? 100 * GIGA : Number(30 * GIGA, 300 * GIGA));
            delay = static_cast<TimePs>(Number(1, 300'000));
        }
    }

    void DrawFrame()
    {
        const auto from = static_cast<uint32_t>(Number(0, m_bed.receiver - 1));
        // Each class has one host that sends, at most.
        const auto [place, isNew] = m_classOf.emplace(from, m_classOf.size());
        const uint8_t trafficClass = m_classes[place->second];
        const bool isShort = Number(0, 9) < (trafficClass < 8 ? 9 : 2);
        const auto bytes =
            static_cast<uint32_t>(isShort ? Number(OVERHEAD, 256) : Number(2000, 9000));
        // Downstream, so that all share the wires in one direction. Long frames go to the end, and
        // short ones that leave before leave gaps in them.
        const bool leaves = Number(0, 9) < (isShort ? 8 : 2);
        const uint32_t to =
            leaves ? static_cast<uint32_t>(Number(from + 1, m_bed.receiver)) : m_bed.receiver;
        m_frames.emplace_back(from,
                              to,
                              bytes,
                              trafficClass,
                              static_cast<TimePs>(Number(0, m_span)));
    }

    /// Adds what has arrived at a switch for wires of the plan.
    void AddArrivals(LaneChainPlan& plan, uint32_t first, uint32_t chip) const
    {
        const bool isAlone = plan.rates.size() == 1;
        for (const WireWatch::Event& event : m_bed.watches[chip].arrivals)
        {
            const bool isFromHost = chip == 0 || event.port != m_bed.plan.links[chip - 1].portB;
            const uint32_t host = event.frame.dst - FIRST_UNICAST;
            const uint32_t end = m_bed.plan.hosts[host].edgeSwitch;
            // To the receiver also by the last wire, to another host of a switch not by that.
            const uint32_t wires = end + (host == m_bed.receiver ? 1 : 0);
            if (wires <= chip || (!isFromHost && !isAlone))
            {
                continue;
            }
            ChainFrame frame;
            frame.time = event.time;
            frame.bytes = WireBytes(event.frame.payload);
            frame.enter = chip - first;
            frame.leave = isAlone ? 0 : wires - 1 - first;
            frame.lane = event.frame.trafficClass;
            frame.source = event.frame.trafficClass + 1U;
            plan.frames.push_back(frame);
        }
    }

    std::mt19937_64 m_random;                  ///< Source of all.
    ChainSources m_sources;                    ///< Hosts.
    WireBed m_bed;                             ///< The switches.
    std::vector<FrameOrder> m_frames;          ///< To send.
    TimePs m_span{0};                          ///< Frames are sent until then, ps.
    std::map<uint32_t, std::size_t> m_classOf; ///< Number of a host's class, by host.
    /// Classes in an order in which neither the first nor the last hosts have the best lanes.
    std::vector<uint8_t> m_classes{7, 2, 12, 0, 9, 4, 14, 1, 10, 5, 3, 15, 6, 11, 8, 13};
};

/// @return what a wire of the oracle has sent, told as switches tell it
std::vector<Segment>
SegmentsOf(const std::vector<FlitOracle::Segment>& sent)
{
    std::map<uint32_t, uint32_t> started;
    std::vector<Segment> segments;
    for (const auto& [start, lane, handle, first, bytes] : sent)
    {
        started[lane] += first == 0 ? 1 : 0;
        segments.emplace_back(start, lane, started[lane], first, bytes);
    }
    return segments;
}

/// @return the first difference of what a wire has sent, empty if there is none
std::string
Difference(const std::vector<Segment>& actual, const std::vector<Segment>& expected)
{
    const auto text = [](const std::vector<Segment>& segments, std::size_t i) {
        if (i >= segments.size())
        {
            return std::string("none");
        }
        std::string words;
        std::apply([&](const auto&... part) { ((words += std::to_string(part) + ' '), ...); },
                   segments[i]);
        return words;
    };
    for (std::size_t i = 0; i < std::max(actual.size(), expected.size()); ++i)
    {
        if (text(actual, i) != text(expected, i))
        {
            return "segment " + std::to_string(i) + ": " + text(actual, i) + "is not " +
                   text(expected, i);
        }
    }
    return "";
}

/// What the wires of random chains did.
struct Totals
{
    uint64_t preemptions{0}; ///< Frames interrupted.
    uint64_t fills{0};       ///< Gaps filled.
    uint64_t gaps{0};        ///< Gaps.
    uint64_t wasted{0};      ///< Flits.
    uint64_t segments{0};    ///< Compared.
};

/// @return what differs between a run and the oracle, for all wires toward the receiver
std::string
CompareWires(const RandomSwitches& switches, WireBed& bed, Totals& totals)
{
    const auto last = static_cast<uint32_t>(bed.plan.switches.size()) - 1;
    std::vector<FlitOracle::Outcome> outcomes;
    // What is stored comes whole, so each switch is compared by itself.
    const uint32_t hops = switches.StoresFrames() ? 1 : last + 1;
    for (uint32_t first = 0; first <= last; first += hops)
    {
        const LaneChainPlan plan = switches.PlanOf(first, first + hops - 1);
        const FlitOracle::Outcome outcome = FlitOracle(plan).Run();
        for (uint32_t chip = first; chip < first + hops; ++chip)
        {
            const std::vector<Segment>& sent = bed.watches[chip].segments[bed.PortOf(chip)];
            const std::string difference =
                Difference(sent, SegmentsOf(outcome.segments[chip - first]));
            if (!difference.empty())
            {
                return "switch " + std::to_string(chip) + ' ' + difference;
            }
            const WireCounts& counts = bed.Wire(chip).Counts();
            if (counts.wastedFlits != outcome.wasted[chip - first] ||
                counts.idleWhileWaiting != outcome.idle[chip - first])
            {
                return "switch " + std::to_string(chip) + " wastes " +
                       std::to_string(counts.wastedFlits) + " flits, expected " +
                       std::to_string(outcome.wasted[chip - first]);
            }
            totals.preemptions += counts.preemptions;
            totals.fills += counts.fills;
            totals.gaps += counts.gaps;
            totals.wasted += counts.wastedFlits;
            totals.segments += sent.size();
        }
    }
    return "";
}

/// Random chains of switches: the same segments as flit by flit, with windows and without.
void
CompareWithOracle(FunctionCase& test)
{
    Totals totals;
    for (uint64_t seed = 1; seed <= 300; ++seed)
    {
        RandomSwitches switches(seed);
        const std::string where = ", seed " + std::to_string(seed);
        for (const bool lookahead : {false, true})
        {
            WireBed& bed = switches.Run(lookahead);
            test.Expect(switches.fault.empty(), switches.fault + where);
            const std::string difference = CompareWires(switches, bed, totals);
            test.Expect(difference.empty(), difference + (lookahead ? ", ahead" : "") + where);
        }
    }
    test.Expect(totals.segments > 10'000, std::to_string(totals.segments) + " segments");
    test.Expect(totals.preemptions > 500, std::to_string(totals.preemptions) + " preemptions");
    test.Expect(totals.fills > 40, std::to_string(totals.fills) + " fills");
    test.Expect(totals.gaps > 200, std::to_string(totals.gaps) + " gaps");
    test.Expect(totals.wasted > 500, std::to_string(totals.wasted) + " wasted flits");
}

// ---- closed forms (VA-13) ----

/// @return how long an urgent frame waits that comes so long after a victim has started, ps
TimePs
WaitOf(TimePs after, bool preempt, FunctionCase& test)
{
    // The urgent frame is the shorter one; it starts from its host so that it arrives when it has
    // to: both hosts are as far.
    WireBed bed({2}, 1);
    bed.config.lanes->preemption.preempt = preempt;
    bed.config.lanes->preemption.interleave = true;
    bed.Build();
    bed.Send(0, bed.receiver, VICTIM, 1, 1000);
    bed.Send(1, bed.receiver, URGENT, 0, 1000 + after);
    test.Expect(bed.Run().empty(), "something is left");
    const WireWatch& watch = bed.watches[0];
    test.Expect(watch.StartOf(1) + after == watch.ArrivalOf(0), "the victim starts at once");
    return watch.StartOf(0) - watch.ArrivalOf(0);
}

/// VA-13: a flit and the least that has to be sent before, or the whole frame.
void
CheckWorstWait(FunctionCase& test)
{
    TimePs worst = 0;
    TimePs worstInside = 0;
    TimePs worstWithout = 0;
    for (TimePs flit = 0; flit < VICTIM / 8; flit += flit < 12 || flit > 1010 ? 1 : 97)
    {
        for (const TimePs late : {1, 2, 300, 640})
        {
            const TimePs after = flit * FLIT + late;
            const TimePs wait = after < VICTIM * 80 ? WaitOf(after, true, test) : 0;
            worst = std::max(worst, wait);
            const bool isInside = after >= 80 * 80 && after <= (VICTIM - 80) * 80;
            worstInside = isInside ? std::max(worstInside, wait) : worstInside;
        }
    }
    for (const TimePs after : {1, 2, 300'000})
    {
        worstWithout = std::max(worstWithout, WaitOf(after, false, test));
    }
    test.Expect(worstInside == FLIT - 1, "a flit, is " + std::to_string(worstInside));
    test.Expect(worst == 10 * FLIT - 1, "80 B, is " + std::to_string(worst));
    test.Expect(worstWithout == VICTIM * 80 - 1, "8192 B, is " + std::to_string(worstWithout));
}

/// VA-10 VA-13: a gap of 32 flits that comes from the switch before is wasted, or filled.
void
CheckInterleaving(FunctionCase& test)
{
    constexpr TimePs GAP = URGENT * 80;
    for (const bool interleave : {false, true})
    {
        // Hosts 0, 1 at the first switch; 2, 3 at the second, and the receiver.
        WireBed bed({2, 2}, 1);
        bed.config.lanes->preemption.interleave = interleave;
        bed.Build();
        bed.Send(0, bed.receiver, VICTIM, 1, 0);
        bed.Send(1, 3, URGENT, 0, 100 * FLIT);
        bed.Send(2, bed.receiver, 2048, 2, 400'000 + 1); // just after the victim at that switch
        test.Expect(bed.Run().empty(), "something is left");
        const WireWatch& first = bed.watches[0];
        const WireWatch& second = bed.watches[1];
        test.Expect(first.StartOf(0) == first.StartOf(1) + 100 * FLIT,
                    "interrupted after 100 flits");
        const TimePs victim = second.StartOf(1);
        const TimePs expected = victim + (interleave ? 100 * FLIT : VICTIM * 80 + GAP);
        test.Expect(second.StartOf(2) == expected,
                    "the third starts at " + std::to_string(second.StartOf(2) - victim));
        const WireCounts& counts = bed.Wire(1).Counts();
        test.Expect(counts.wastedFlits == (interleave ? 0 : 32), "wasted flits");
        test.Expect(counts.idleWhileWaiting == (interleave ? 0 : GAP), "idle time");
        test.Expect(counts.fills == (interleave ? 1 : 0) && counts.gaps == 1, "fills and gaps");
    }
}

/// VA-9: a switch that sends frames in one piece stores those that come in pieces.
void
CheckPlainNeighbour(FunctionCase& test)
{
    for (const bool hasLanes : {false, true})
    {
        WireBed bed({2, 1}, 1);
        bed.bed = std::make_unique<TestBed>(
            bed.plan,
            MakeShortestPathRouting(bed.plan),
            bed.config,
            bed.nic,
            [&bed](std::size_t link) { return bed.links[link]; },
            true,
            [hasLanes](std::size_t chip, SwitchConfig& config) {
                config.lanes->preemption.preempt = chip == 0;
                if (chip == 1 && !hasLanes)
                {
                    config.lanes.reset();
                }
            });
        bed.watches.resize(2);
        bed.bed->Chip(0).SetObserver(&bed.watches[0]);
        bed.bed->Chip(1).SetObserver(&bed.watches[1]);
        bed.Send(0, bed.receiver, VICTIM, 1, 0);
        bed.Send(1, bed.receiver, URGENT, 0, 100 * FLIT);
        test.Expect(bed.Run().empty(), "something is left");
        const TimePs start = bed.watches[0].StartOf(1) + 400'000;
        test.Expect(bed.watches[1].StartOf(0) == start + (100 + 32) * FLIT,
                    "the urgent one's tail");
        test.Expect(bed.watches[1].StartOf(1) == start + VICTIM * 80 + 32 * FLIT, "the victim's");
    }
}

/// VA-7: checked at flits, a frame that passes its bandwidth half way can be interrupted from there
/// on, by a lane of its own level.
void
CheckFlits(FunctionCase& test)
{
    for (const CheckTime checkTime : {CHECK_AT_PACKETS, CHECK_AT_FLITS})
    {
        WireBed bed({2}, 1);
        LaneTable table;
        table.levels = {"only"};
        table.lanes = {{0, 0, 0, 0, true}, {1, 0, 1, 1, false}};
        table.groups = {{0, GroupSettings::FULL_SHARE}, {1, 2000}};
        bed.config.lanes->table = table;
        bed.config.lanes->arbiter.checkTime = checkTime;
        bed.config.lanes->arbiter.meter.burst = 3200;
        bed.Build();
        bed.Send(0, bed.receiver, VICTIM, 1, 0);
        bed.Send(1, bed.receiver, URGENT, 0, 10 * FLIT);
        test.Expect(bed.Run().empty(), "something is left");
        const TimePs wait = bed.watches[0].StartOf(0) - bed.watches[0].StartOf(1);
        // 3200 B of credit, of which each byte takes 0.8: the bucket is empty after 4000 B.
        const TimePs whole = VICTIM * 80;
        const bool isRight = checkTime == CHECK_AT_PACKETS
                                 ? wait == whole
                                 : wait % FLIT == 0 && std::abs(wait - 4000 * 80) <= 2 * FLIT;
        test.Expect(isRight, "starts after " + std::to_string(wait));
    }
}

// ---- changes ----

/// VA-11: tables that change while frames are partly sent lose and reorder nothing.
void
CheckChange(FunctionCase& test)
{
    uint64_t preemptions = 0;
    std::vector<std::vector<TestBed::Delivery>> outcomes;
    for (const bool lookahead : {true, false})
    {
        WireBed bed({3, 3, 3}, 2);
        bed.config.flowChannels.enabled = lookahead || outcomes.size() == 1;
        bed.config.lanes->preemption.interleave = true;
        bed.Build(lookahead);
        LaneTable other = WireBed::Table(1);
        for (LaneSettings& lane : other.lanes)
        {
            lane.lane = static_cast<uint8_t>((lane.lane + 5) % DEFAULT_LANES);
            lane.level = static_cast<uint8_t>((lane.level + 3) % DEFAULT_LANES);
            lane.latencySensitive = lane.trafficClass % 3 == 1;
        }
        for (std::size_t chip = 0; chip < bed.bed->Chips(); ++chip)
        {
            for (TimePs at = 1'000'000; at < 20'000'000; at += 777'777)
            {
                const bool isOdd = at / 777'777 % 2 == 1;
                bed.bed->Chip(chip).ChangeLanesAt(at + static_cast<TimePs>(chip) * 100'000,
                                                  isOdd ? other : WireBed::Table(2));
            }
        }
        for (uint32_t host = 0; host < 9; ++host)
        {
            for (uint32_t i = 0; i < 20; ++i)
            {
                const bool isUrgent = host % 3 == 0;
                bed.Send(host,
                         bed.receiver,
                         isUrgent ? URGENT : VICTIM,
                         static_cast<uint8_t>(isUrgent ? i % 2 : 2 + host % 3),
                         i * 700'000);
            }
        }
        for (TimePs at = 0; at < 20'000'000; at += 333'333)
        {
            bed.bed->RunUntil(at);
            bed.bed->Check();
        }
        test.Expect(bed.Run().empty(), "something is left");
        outcomes.push_back(bed.bed->Deliveries());
        test.Expect(outcomes.back().size() == 180, "not all was delivered");
        std::map<std::pair<LocationId, uint8_t>, uint32_t> next;
        for (const TestBed::Delivery& d : outcomes.back())
        {
            uint32_t& expected = next[{d.src, d.trafficClass}];
            test.Expect(d.sequence >= expected, "a frame was overtaken");
            expected = d.sequence + 1;
        }
        for (uint32_t chip = 0; chip < 3; ++chip)
        {
            preemptions += bed.Wire(chip).Counts().preemptions;
        }
    }
    test.Expect(outcomes[0] == outcomes[1], "windows change the result");
    test.Expect(preemptions > 20, std::to_string(preemptions) + " preemptions");
}

// ---- what shares the wires with frames in pieces ----

/// WL-5: pause frames go between the runs of frames, in time; ACK frames too.
void
CheckControlFrames(FunctionCase& test)
{
    std::vector<std::vector<TestBed::Delivery>> outcomes;
    for (const bool lookahead : {true, false})
    {
        WireBed bed({4}, 2);
        bed.config.buffer = SwitchConfig().buffer;
        bed.config.hostControl.edgeFlowControl = EDGE_PAUSE;
        bed.config.hostControl.pause.thresholds = {40 * 1024, 20 * 1024};
        bed.config.flowChannels.enabled = true;
        bed.config.lanes->preemption.interleave = true;
        bed.Build(lookahead);
        for (uint32_t i = 0; i < 60; ++i)
        {
            for (uint32_t host = 0; host < 4; ++host)
            {
                bed.Send(host, bed.receiver, VICTIM, 2, i * 100'000);
                bed.Send(host, bed.receiver, URGENT, host % 2, i * 700'000);
                // Toward the hosts, where the pauses go.
                bed.Send(bed.receiver, host, VICTIM, 2, i * 600'000);
                bed.Send(bed.receiver, host, URGENT, host % 2, i * 500'000);
            }
        }
        for (TimePs at = 0; at < 200'000'000; at += 1'234'567)
        {
            bed.bed->RunUntil(at);
            bed.bed->Check();
        }
        test.Expect(bed.Run().empty(), "something is left");
        outcomes.push_back(bed.bed->Deliveries());
        test.Expect(outcomes.back().size() == 960, "not all was delivered");
        uint64_t pauses = 0;
        uint64_t preemptions = 0;
        for (uint32_t port = 0; port < 5; ++port)
        {
            pauses += bed.bed->Chip(0).Output(port).Counts().pauses;
            preemptions += bed.bed->Chip(0).Wire(port)->wire.Counts().preemptions;
        }
        test.Expect(pauses > 10, std::to_string(pauses) + " pauses");
        test.Expect(preemptions > 20, std::to_string(preemptions) + " preemptions");
    }
    test.Expect(outcomes[0] == outcomes[1], "windows change the result");
}

/// VA-9: where nobody may interrupt, switches with wires send what those without do, at the same
/// times. Without flow channels: an egress that sends in pieces acknowledges tails, not heads
/// (FC-8).
void
CheckNobodyInterrupts(FunctionCase& test)
{
    std::vector<std::vector<TestBed::Delivery>> outcomes;
    for (const bool hasWires : {true, false})
    {
        WireBed bed({3, 2, 3}, 0);
        bed.config.lanes->preemption.preempt = hasWires;
        bed.config.lanes->preemption.interleave = hasWires;
        bed.Build();
        std::mt19937_64 random(7);
        for (uint32_t i = 0; i < 500; ++i)
        {
            const auto from = static_cast<uint32_t>(random() % 9);
            const auto to = static_cast<uint32_t>((from + 1 + random() % 8) % 9);
            const auto bytes = static_cast<uint32_t>(OVERHEAD + random() % 9000);
            const auto trafficClass = static_cast<uint8_t>(random() % DEFAULT_LANES);
            bed.Send(from, to, bytes, trafficClass, static_cast<TimePs>(random() % 20'000'000));
        }
        test.Expect(bed.Run().empty(), "something is left");
        outcomes.push_back(bed.bed->Deliveries());
    }
    test.Expect(outcomes[0].size() == 500 && outcomes[0] == outcomes[1], "other times");
}

/// What becomes of frames of which a part is on a link when it fails.
struct BrokenCase
{
    const char* what;      ///< For messages.
    Forwarding forwarding; ///< Of the switches.
    std::size_t link;      ///< Which fails: 0 and 1 between switches, 4 to the receiver.
    TimePs failedAt;       ///< When, ps.
    TimePs urgentAt;       ///< When the other host sends an urgent frame, -1 for not at all, ps.
    uint32_t corrupt;      ///< Frames that the receiver finds damaged.
    uint32_t cutAtHost;    ///< Frames that are lost on the link to the receiver.
    uint32_t cutAtSwitch;  ///< Frames that the second switch counts as lost on its link.
    uint32_t whole;        ///< Frames that arrive.
    std::vector<uint32_t> sent; ///< Bytes that each switch has sent of the victim.
};

/// @return bytes of frames of the lane that a switch has sent toward the receiver
uint32_t
SentInLane(WireBed& bed, uint32_t chip, uint32_t lane)
{
    uint32_t bytes = 0;
    for (const Segment& segment : bed.watches[chip].segments[bed.PortOf(chip)])
    {
        bytes += std::get<1>(segment) == lane ? std::get<4>(segment) : 0;
    }
    return bytes;
}

void
CheckBroken(FunctionCase& test, const BrokenCase& broken, bool flowChannels, bool lookahead)
{
    constexpr TimePs REPAIR = 5'000'000;
    WireBed bed({2, 0, 0}, 1);
    bed.config.flowChannels.enabled = flowChannels;
    bed.config.timing.forwarding = broken.forwarding;
    bed.Build(lookahead);
    bed.bed->FailLink(broken.link, broken.failedAt, REPAIR, 0);
    bed.Send(0, bed.receiver, VICTIM, 5, 0);
    if (broken.urgentAt >= 0)
    {
        bed.Send(1, bed.receiver, URGENT, 0, broken.urgentAt);
    }
    for (TimePs at = 0; at < REPAIR; at += 123'457)
    {
        bed.bed->RunUntil(at);
        bed.bed->Check();
    }
    const std::string name = std::string(broken.what) + (flowChannels ? ", flow channels" : "");
    for (uint32_t chip = 0; chip < broken.sent.size(); ++chip)
    {
        const uint32_t bytes = SentInLane(bed, chip, 5);
        test.Expect(bytes == broken.sent[chip],
                    name + ": switch " + std::to_string(chip) + " has sent " +
                        std::to_string(bytes));
    }
    const NicCounts& host = bed.bed->GetNic(bed.receiver).Counts();
    const uint64_t frames = 1 + (broken.urgentAt >= 0 ? 1 : 0);
    const uint64_t payload = VICTIM - OVERHEAD + (frames == 2 ? URGENT - OVERHEAD : 0);
    const auto cut = static_cast<std::size_t>(DropCause::LINK_DOWN);
    test.Expect(host.corrupt == (broken.corrupt == frames ? payload : 0), name + ": corrupt");
    test.Expect(host.linkDown == (broken.cutAtHost == frames ? payload : 0),
                name + ": at the host");
    test.Expect(bed.bed->Chip(1).Counts().droppedPayload[cut] ==
                    (broken.cutAtSwitch == frames ? payload : 0),
                name + ": at the switch");
    test.Expect(host.arrived == (broken.whole == frames ? payload : 0), name + ": whole");
    // The link begins anew: as if it had never failed.
    bed.Send(0, bed.receiver, VICTIM, 5, 2 * REPAIR);
    test.Expect(bed.Run().empty(), name + ": something is left");
    const std::vector<TestBed::Delivery>& done = bed.bed->Deliveries();
    // Three switches and four links of 100 ns, 300 ns of each switch; the host sends in one piece.
    const TimePs tails = broken.forwarding == CUT_THROUGH ? 1 : 4;
    const TimePs takes = 4 * 100'000 + 3 * 300'000 + tails * VICTIM / 8 * FLIT;
    test.Expect(done.size() == broken.whole + 1 && done.back().at == 2 * REPAIR + takes,
                name + ": the repaired link is not as a new one");
}

/// WL-8 VA-9: links that fail under frames that are partly sent.
///
/// At 100 Gb/s a victim of 8192 B starts at 0, 400, 800 and 1200 ns on the four links of a chain of
/// three switches: 100 ns of each link, 300 ns of each switch.
void
CheckBrokenFrames(FunctionCase& test)
{
    const TimePs ns = 1000;
    const TimePs tail = 1'155'360; // it is in at the second switch then
    const std::vector<BrokenCase> cases = {
        // In by 1000 ns is what was sent in 500 ns; it was sent on as far as it came.
        {"midway", CUT_THROUGH, 0, 1000 * ns, -1, 1, 0, 0, 0, {7500, 6250, 6250}},
        {"1 ps before the tail", CUT_THROUGH, 0, tail - 1, -1, 1, 0, 0, 0, {8192, 8191, 8191}},
        {"with the tail", CUT_THROUGH, 0, tail, -1, 0, 0, 0, 1, {8192, 8192, 8192}},
        {"before the head is in", CUT_THROUGH, 0, 450 * ns, -1, 0, 0, 1, 0, {625, 0, 0}},
        {"the second link", CUT_THROUGH, 1, 1300 * ns, -1, 1, 0, 0, 0, {8192, 6250, 5000}},
        {"the receiver's link", CUT_THROUGH, 4, 1500 * ns, -1, 0, 1, 0, 0, {8192, 8192, 3750}},
        {"stored", STORE_AND_FORWARD, 0, 1500 * ns, -1, 0, 0, 1, 0, {5558, 0, 0}},
        // The urgent frame interrupts the victim after 6256 B for 20.48 ns; its tail is not in.
        {"interrupted", CUT_THROUGH, 0, 1005 * ns, 500 * ns, 2, 0, 0, 0, {7306, 6256, 6256}},
    };
    for (const BrokenCase& broken : cases)
    {
        for (const bool flowChannels : {false, true})
        {
            CheckBroken(test, broken, flowChannels, true);
            CheckBroken(test, broken, flowChannels, false);
        }
    }
}

/**
 * A long frame goes to a host, and its head is there when an urgent frame of another host comes to
 * the first switch. That one must not get the id of the long frame, which is still on the wires:
 * the second switch would take both for one flow, and let it wait for the tail.
 */
void
CheckIdOfTail(FunctionCase& test)
{
    for (const bool lookahead : {true, false})
    {
        WireBed bed({2, 0}, 1);
        bed.config.flowChannels.enabled = true;
        bed.links.assign(bed.links.size(), {LinkRate(25 * GIGA), 100'000});
        bed.Build(lookahead);
        bed.Send(0, bed.receiver, 9000, 1, 0);
        bed.Send(1, bed.receiver, 256, 0, 1'800'000);
        test.ExpectEqual(bed.Run(), "", "at the end");
        for (const WireWatch& watch : bed.watches)
        {
            const TimePs wait = watch.StartOf(0) - watch.ArrivalOf(0);
            test.Expect(wait >= 0 && wait <= 2'560,
                        Text("waits for ", wait, " ps, a flit lasts 2560"));
        }
    }
}

/// Damages the first frame.
class FirstDamaged : public LossModel
{
  public:
    bool Corrupts(const Frame&) override
    {
        return !std::exchange(m_isSecond, true);
    }

  private:
    bool m_isSecond{false}; ///< Whether the first was sent.
};

/// A frame that is dropped when its head is in keeps its id until its tail has left the wire.
void
CheckIdOfDropped(FunctionCase& test)
{
    for (const bool lookahead : {true, false})
    {
        WireBed bed({2, 0}, 1);
        bed.config.flowChannels.enabled = true;
        bed.links.assign(bed.links.size(), {LinkRate(25 * GIGA), 100'000});
        bed.Build(lookahead);
        bed.bed->SetLossModel(0, bed.PortOf(0), std::make_unique<FirstDamaged>());
        bed.Send(0, bed.receiver, 9000, 1, 0);
        bed.Send(1, bed.receiver, 256, 0, 1'800'000);
        test.ExpectEqual(bed.Run(), "", "at the end");
        test.ExpectEqual(bed.watches[1].drops, 1, "the long frame");
        const auto& starts = bed.watches[0].starts;
        test.Expect(starts.size() == 2 && starts[0].frame.flow != NO_FLOW &&
                        starts[0].frame.flow != starts[1].frame.flow,
                    "two flows have an id");
    }
}

/// A table that puts a frame's lane lower while it is on the wire lets another interrupt it.
void
CheckRankOfTable(FunctionCase& test)
{
    constexpr TimePs CHANGE = 700'000;
    for (const bool lookahead : {true, false})
    {
        for (const uint8_t level : {5, 9})
        {
            WireBed bed({2}, 1);
            LaneTable table = WireBed::Table(1);
            table.lanes[0].level = table.lanes[1].level = 5; // equal: neither interrupts the other
            bed.config.lanes->table = table;
            bed.Build(lookahead);
            bed.Send(0, 2, 8192, 1, 0);
            bed.Send(1, 2, 256, 0, 100'000);
            table.lanes[1].level = level;
            bed.bed->Chip(0).ChangeLanesAt(CHANGE, table);
            test.ExpectEqual(bed.Run(), "", "at the end");
            const TimePs start = bed.watches[0].StartOf(0);
            // The other starts at 400 ns and lasts 655 ns; a flit lasts 640 ps.
            const bool isAtOnce = start >= CHANGE && start <= CHANGE + 640;
            test.Expect(level == 5 ? start == 1'055'360 : isAtOnce, Text("starts at ", start));
        }
    }
}

/// The suite.
class SwitchWireSuite : public TestSuite
{
  public:
    SwitchWireSuite()
        : TestSuite("fabric-switch-wire", kUnit)
    {
        Add("VA-9 VA-10 DP-2 DP-14 random chains of switches send what ports do flit by flit",
            CompareWithOracle);
        Add("VA-13 VA-9 worst wait at a switch: a flit or 80 B with preemption, 655 ns without",
            CheckWorstWait);
        Add("VA-13 VA-10 two switches: the gap is wasted or filled", CheckInterleaving);
        Add("VA-9 a switch without preemption stores frames that come in pieces",
            CheckPlainNeighbour);
        Add("VA-7 checked at flits a frame that passes its bandwidth is interrupted there",
            CheckFlits);
        Add("WL-5 VA-9 pauses and ACKs go between the runs of frames, in time", CheckControlFrames);
        Add("VA-9 where nobody may interrupt nothing changes", CheckNobodyInterrupts);
        Add("FC-8 VA-9 an urgent frame does not get the id of a tail", CheckIdOfTail);
        Add("FC-8 VA-9 nor that of a frame which is dropped while it comes", CheckIdOfDropped);
        Add("VA-7 VA-11 a frame whose lane gets a lower level is interrupted", CheckRankOfTable);
        Add("VA-11 tables that change while frames are partly sent lose and reorder nothing",
            CheckChange);
        Add("WL-8 VA-9 a link fails under frames that are partly sent: they end damaged or are "
            "lost",
            CheckBrokenFrames);
    }

  private:
    void Add(const std::string& name, FunctionCase::Body body)
    {
        AddTestCase(new FunctionCase(name, std::move(body)), kQuick);
    }
};

SwitchWireSuite g_switchWireSuite; ///< Registers the suite.

} // namespace

} // namespace fabric
} // namespace ns3
