/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flit-oracle.h"
#include "fabric-function-case.h"
#include "fabric-random-scenario.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-wire-bed.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// What came of a wire.
struct WireOutcome
{
    std::vector<SentRun> runs; ///< What it has sent, in its order.
    WireCounts counts;         ///< What it has counted.
};

/// Stands for a switch: the wires of it are uplinks, by number of the host.
constexpr uint32_t HOSTS = 1000;

/// What came of all wires, by switch and port.
using WireOutcomes = std::map<std::pair<uint32_t, uint32_t>, WireOutcome>;

/// Switches in a row or a tree at random, whose traffic goes toward the root. Every lane has one
/// host that sends, so that the order of its frames does not depend on how queues have turns.
class RandomTree
{
  public:
    /// @param seed from which all is drawn
    explicit RandomTree(uint64_t seed)
        : m_random(seed),
          m_bed(DrawTopology(), 0)
    {
        DrawSettings();
        DrawLinks();
        m_span = static_cast<TimePs>(Number(3, 25)) * 1'000'000;
        for (uint32_t& host : m_senders)
        {
            // More of them far from the root: there frames are interrupted that go on with gaps.
            const uint64_t last = Number(0, m_bed.receiver - 1);
            host = static_cast<uint32_t>(Number(0, last));
        }
        m_bed.config.lanes->table = DrawTable();
        DrawChanges();
        for (uint64_t i = Number(30, 130); i > 0; --i)
        {
            DrawFrame();
        }
        DrawRetry(seed);
    }

    /**
     * @param lookahead whether switches run ahead
     * @return what came of all wires
     */
    WireOutcomes Run(bool lookahead)
    {
        m_bed.Build(lookahead);
        SetErrors();
        for (const auto& [from, to, bytes, trafficClass, at] : m_frames)
        {
            m_bed.Send(from, to, bytes, trafficClass, at);
        }
        for (const auto& [chip, at, table] : m_changes)
        {
            m_bed.bed->Chip(chip).ChangeLanesAt(at, table);
        }
        fault = m_bed.Run();
        fault += IsCompleteAndOrdered() ? "" : "lost or overtaken";
        WireOutcomes outcomes;
        for (uint32_t chip = 0; chip < m_bed.plan.switches.size(); ++chip)
        {
            for (uint32_t port = 0; port < m_bed.plan.switches[chip].ports; ++port)
            {
                outcomes[{chip, port}] = {m_bed.watches[chip].segments[port],
                                          m_bed.bed->Chip(chip).Wire(port)->wire.Counts()};
            }
        }
        for (uint32_t host = 0; host < m_bed.plan.hosts.size(); ++host)
        {
            outcomes[{HOSTS, host}] = {m_bed.uplinks.segments[host],
                                       m_bed.bed->GetNic(host).Wire()->wire.Counts()};
        }
        return outcomes;
    }

    /// @return the uplink of a host, with the frames that it was given
    FlitPlan UplinkPlanOf(uint32_t host) const
    {
        FlitPlan plan =
            EmptyPlan(m_bed.plan.hosts[host].edgeSwitch, m_bed.plan.links.size() + host);
        plan.errors = ErrorsOf(HOSTS, host, m_bed.links[m_bed.plan.links.size() + host].second);
        for (const auto& [from, to, bytes, trafficClass, at] : m_frames)
        {
            if (from == host)
            {
                plan.frames.push_back({bytes, trafficClass, LinkRate(), {{at, 0}}, to});
            }
        }
        return plan;
    }

    /// @return the wire of that output, with what came to it in the last run: whole frames of
    /// hosts, and what the switches before have sent
    FlitPlan PlanOf(uint32_t chip, uint32_t port) const
    {
        FlitPlan plan = EmptyPlan(chip, LinkAt(chip, port));
        plan.errors = ErrorsOf(chip, port, m_bed.links[LinkAt(chip, port)].second);
        AddFrames(plan, chip, port);
        return plan;
    }

    /// @return units that were repeated in the last run
    uint64_t Repeats() const
    {
        uint64_t repeats = 0;
        for (const Transmitter* link : Senders())
        {
            repeats += link->Errors() ? link->Errors()->Counts().repeats : 0;
        }
        return repeats;
    }

    std::string fault; ///< What was wrong at the end of a run.

  private:
    /// @return a wire with the lanes of a switch, and without frames
    FlitPlan EmptyPlan(uint32_t chip, std::size_t link) const
    {
        FlitPlan plan;
        plan.settings = m_bed.config.lanes->preemption;
        plan.settings.levels = LevelsOf(m_bed.config.lanes->table);
        plan.rate = m_bed.links[link].first;
        plan.lanes = LanesOf(m_bed.config.lanes->table);
        for (const auto& [where, at, table] : m_changes)
        {
            if (where == chip)
            {
                plan.changes.push_back({at,
                                        LanesOf(table),
                                        LevelsOf(table),
                                        static_cast<uint8_t>(table.levels.size())});
            }
        }
        return plan;
    }

    /// Source, destination, bytes on the wire, class, time in ps.
    using FrameOrder = std::tuple<uint32_t, uint32_t, uint32_t, uint8_t, TimePs>;
    /// Switch, time in ps, new table.
    using TableChange = std::tuple<uint32_t, TimePs, LaneTable>;

    uint64_t Number(uint64_t low, uint64_t high)
    {
        return low + m_random() % (high - low + 1);
    }

    /// @return true in one of so many cases
    bool OneIn(uint32_t cases)
    {
        return m_random() % cases == 0;
    }

    /// In half of the trees links damage units and repeat them, often.
    void DrawRetry(uint64_t seed)
    {
        std::mt19937_64 random(seed); // of its own, so that the rest is drawn as ever
        if (random() % 2 == 0)
        {
            return;
        }
        m_retry.enabled = true;
        m_retry.limit = 65535;
        m_retry.latency = 1 + static_cast<TimePs>(random() % 300'000);
        m_retry.timeout = 2'000'000 + static_cast<TimePs>(random() % 1'000'000);
        m_retry.unitBytes =
            m_bed.config.lanes->preemption.flitBytes * (1 + static_cast<uint32_t>(random() % 40));
        m_lossOneIn = 2 + static_cast<uint32_t>(random() % 100);
    }

    /// @return what damages frames that a port of a switch sends, or an uplink
    RandomLoss LossOf(uint32_t chip, uint32_t port) const
    {
        return RandomLoss(m_lossOneIn, uint64_t{chip} * 100 + port);
    }

    /// @return what the oracle has to know of that
    FlitErrors ErrorsOf(uint32_t chip, uint32_t port, TimePs delay) const
    {
        if (!m_retry.enabled)
        {
            return {};
        }
        const auto loss = std::make_shared<RandomLoss>(LossOf(chip, port));
        return {[loss] { return loss->Corrupts(0); },
                m_retry.unitBytes,
                2 * delay + m_retry.latency,
                m_retry.timeout};
    }

    void SetErrors()
    {
        for (uint32_t chip = 0; m_retry.enabled && chip < m_bed.plan.switches.size(); ++chip)
        {
            for (uint32_t port = 0; port < m_bed.plan.switches[chip].ports; ++port)
            {
                auto loss = std::make_unique<RandomLoss>(LossOf(chip, port));
                m_bed.bed->SetLossModel(chip, port, std::move(loss), m_retry);
            }
        }
        for (uint32_t host = 0; m_retry.enabled && host < m_bed.plan.hosts.size(); ++host)
        {
            auto loss = std::make_unique<RandomLoss>(LossOf(HOSTS, host));
            m_bed.bed->SetLossModel(host, std::move(loss), m_retry);
        }
    }

    /// @return all that sends
    std::vector<const Transmitter*> Senders() const
    {
        std::vector<const Transmitter*> senders;
        for (uint32_t chip = 0; chip < m_bed.plan.switches.size(); ++chip)
        {
            for (uint32_t port = 0; port < m_bed.plan.switches[chip].ports; ++port)
            {
                senders.push_back(&m_bed.bed->Chip(chip).Output(port));
            }
        }
        for (uint32_t host = 0; host < m_bed.plan.hosts.size(); ++host)
        {
            senders.push_back(&m_bed.bed->GetNic(host).Uplink());
        }
        return senders;
    }

    TopologyPlan DrawTopology()
    {
        TopologyPlan plan;
        const auto switches = static_cast<uint32_t>(Number(1, 5));
        const bool isRow = OneIn(2);
        plan.switches.assign(switches, {NO_GROUP, 0, Tier::EDGE});
        for (uint32_t chip = 0; chip < switches; ++chip)
        {
            const bool isRoot = chip + 1 == switches;
            for (uint64_t hosts = isRoot ? Number(2, 3) : Number(1, 4); hosts > 0; --hosts)
            {
                plan.hosts.push_back({chip, plan.switches[chip].ports++});
            }
            if (!isRoot)
            {
                const auto next =
                    static_cast<uint32_t>(isRow ? chip + 1 : Number(chip + 1, switches - 1));
                plan.links.push_back({chip,
                                      next,
                                      plan.switches[chip].ports++,
                                      plan.switches[next].ports++,
                                      LinkClass::FABRIC});
            }
        }
        return plan;
    }

    void DrawSettings()
    {
        PreemptionSettings& settings = m_bed.config.lanes->preemption;
        settings.preempt = !OneIn(4);
        settings.interleave = OneIn(2) || !settings.preempt;
        m_bed.config.timing.forwarding = OneIn(6) ? STORE_AND_FORWARD : CUT_THROUGH;
        m_bed.config.timing.latency = static_cast<TimePs>(Number(1, 400'000));
        if (OneIn(3))
        {
            return; // Omni-Path's
        }
        settings.flitBytes = static_cast<uint32_t>(OneIn(2) ? 8 : Number(1, 64));
        settings.mostUrgentBytes = static_cast<uint32_t>(Number(64, 5000));
        settings.leastVictimBytes = static_cast<uint32_t>(Number(0, 3000));
        settings.mostBytesPerVictim = static_cast<uint32_t>(Number(100, 20'000));
        settings.leastSentBytes = static_cast<uint32_t>(Number(0, 200));
        settings.leastLeftBytes = static_cast<uint32_t>(Number(0, 200));
        settings.levels = static_cast<uint32_t>(OneIn(2) ? 0 : Number(1, 5));
    }

    void DrawLinks()
    {
        const bool alike = OneIn(2);
        for (auto& [rate, delay] : m_bed.links)
        {
            rate = LinkRate((alike ? 100 : Number(30, 300)) * 1'000'000'000);
            delay = static_cast<TimePs>(Number(1, 300'000));
        }
    }

    /// @return lanes with levels of their own, the best of which may interrupt; or all at random
    LaneTable DrawTable()
    {
        LaneTable table = WireBed::Table(static_cast<uint32_t>(Number(2, 9)));
        if (OneIn(2))
        {
            const uint64_t lowest = Number(0, DEFAULT_LANES - 1);
            for (LaneSettings& lane : table.lanes)
            {
                lane.level = static_cast<uint8_t>(Number(0, lowest));
                lane.latencySensitive = !OneIn(3);
            }
            table.levels.resize(lowest + Number(1, DEFAULT_LANES - lowest));
        }
        return table;
    }

    void DrawChanges()
    {
        for (uint32_t chip = 0; OneIn(2) && chip < m_bed.plan.switches.size(); ++chip)
        {
            for (TimePs at = Number(0, 1'000'000); at < m_span; at += Number(1, 2'000'000))
            {
                m_changes.emplace_back(chip, at, DrawTable());
            }
        }
    }

    void DrawFrame()
    {
        const auto trafficClass = static_cast<uint8_t>(Number(0, DEFAULT_LANES - 1));
        const uint32_t from = m_senders[trafficClass];
        const bool isShort = Number(0, 9) < (trafficClass < 8 ? 9 : 2);
        const uint32_t mostUrgent = m_bed.config.lanes->preemption.mostUrgentBytes;
        const uint32_t longest = OneIn(5) ? std::max(mostUrgent, 256U) : 256;
        const auto bytes =
            static_cast<uint32_t>(isShort ? Number(WireBytes(0), longest) : Number(2000, 9000));
        // Long frames go to the end, and short ones that leave before leave gaps in them.
        const bool leaves = Number(0, 9) < (isShort ? 8 : 2);
        const uint32_t to = leaves ? DrawOnWay(from) : m_bed.receiver;
        const auto at = static_cast<TimePs>(Number(0, m_span));
        m_frames.emplace_back(from, to, bytes, trafficClass, at);
    }

    /// @return a host on the way from another one to the root
    uint32_t DrawOnWay(uint32_t from)
    {
        const uint32_t start = m_bed.plan.hosts[from].edgeSwitch;
        // Who leaves at the next switch leaves a gap in what it has interrupted.
        const uint32_t next =
            start < m_bed.plan.links.size() ? m_bed.plan.links[start].switchB : start;
        const bool isNext = !OneIn(3);
        std::vector<uint32_t> hosts;
        uint32_t chip = start;
        for (uint32_t host = 0; host <= m_bed.receiver; ++host)
        {
            const uint32_t edge = m_bed.plan.hosts[host].edgeSwitch;
            while (chip < edge)
            {
                chip = m_bed.plan.links[chip].switchB;
            }
            if (host != from && (isNext ? edge == next : edge == chip))
            {
                hosts.push_back(host);
            }
        }
        return hosts.empty() ? m_bed.receiver : hosts[Number(0, hosts.size() - 1)];
    }

    /// @return whether all frames have come, those of a host to another of a class in order
    bool IsCompleteAndOrdered() const
    {
        std::map<std::tuple<LocationId, LocationId, uint8_t>, uint32_t> next;
        for (const TestBed::Delivery& delivery : m_bed.bed->Deliveries())
        {
            uint32_t& least = next[{delivery.src, delivery.dst, delivery.trafficClass}];
            if (delivery.sequence < least)
            {
                return false;
            }
            least = delivery.sequence + 1;
        }
        return m_bed.bed->Deliveries().size() == m_frames.size();
    }

    static std::vector<FlitLane> LanesOf(const LaneTable& table)
    {
        std::vector<FlitLane> lanes;
        for (const LaneSettings& lane : table.lanes)
        {
            const auto rank = static_cast<uint8_t>(table.levels.size() - lane.level + 1);
            lanes.push_back({rank, lane.latencySensitive, lane.level});
        }
        return lanes;
    }

    /// @return frames that may be partly sent at a time
    uint32_t LevelsOf(const LaneTable& table) const
    {
        const uint32_t chosen = m_bed.config.lanes->preemption.levels;
        return chosen != 0 ? chosen : static_cast<uint32_t>(table.levels.size() + 1);
    }

    /// @return number of the link at a port
    std::size_t LinkAt(uint32_t chip, uint32_t port) const
    {
        for (std::size_t i = 0; i < m_bed.plan.links.size(); ++i)
        {
            const LinkPlan& link = m_bed.plan.links[i];
            if ((link.switchA == chip && link.portA == port) ||
                (link.switchB == chip && link.portB == port))
            {
                return i;
            }
        }
        std::size_t host = 0;
        while (m_bed.plan.hosts[host].edgeSwitch != chip || m_bed.plan.hosts[host].port != port)
        {
            ++host;
        }
        return m_bed.plan.links.size() + host;
    }

    /// Adds the frames that have come to a switch for one of its outputs.
    void AddFrames(FlitPlan& plan, uint32_t chip, uint32_t port) const
    {
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> come; // by port and lane
        for (const WireWatch::Event& event : m_bed.watches[chip].arrivals)
        {
            const uint8_t lane = event.frame.trafficClass;
            const uint32_t number = ++come[{event.port, lane}];
            const HostPlan& end = m_bed.plan.hosts[HostOf(event.frame.dst)];
            if (port != (end.edgeSwitch == chip ? end.port : m_bed.PortOf(chip)))
            {
                continue;
            }
            FlitFrame frame{WireBytes(event.frame.payload), lane, LinkRate(), {{event.time, 0}}};
            const std::size_t link = LinkAt(chip, event.port);
            const bool isStored = m_bed.config.timing.forwarding == STORE_AND_FORWARD;
            if (!isStored)
            {
                frame.rate = m_bed.links[link].first;
                frame.runs = RunsOf(link, lane, number);
            }
            plan.frames.push_back(frame);
        }
    }

    /// @return how a frame takes effect at the end of a link, by its number among those of its lane
    std::vector<FlitRun> RunsOf(std::size_t link, uint32_t lane, uint32_t number) const
    {
        const std::size_t switches = m_bed.plan.links.size();
        const auto host = static_cast<uint32_t>(link - switches);
        const TimePs latency = m_bed.links[link].second + m_bed.config.timing.latency;
        const std::vector<SentRun>& sent =
            link < switches ? m_bed.watches[m_bed.plan.links[link].switchA].segments.at(
                                  m_bed.plan.links[link].portA)
                            : m_bed.uplinks.segments.at(host);
        std::vector<FlitRun> runs;
        for (const auto& [start, ofLane, ofNumber, first, bytes] : sent)
        {
            if (ofLane == lane && ofNumber == number)
            {
                runs.push_back({start + latency, first});
            }
        }
        return runs;
    }

    std::mt19937_64 m_random;                        ///< Source of all.
    RetrySettings m_retry;                           ///< Of all links.
    uint32_t m_lossOneIn{0};                         ///< Of how many units one is damaged.
    WireBed m_bed;                                   ///< The switches.
    std::vector<FrameOrder> m_frames;                ///< To send.
    std::vector<TableChange> m_changes;              ///< Of tables, in their order at each switch.
    TimePs m_span{0};                                ///< Frames are sent until then, ps.
    std::array<uint32_t, DEFAULT_LANES> m_senders{}; ///< Host of each class.
};

/// @return what the oracle has sent, told as switches tell it
std::vector<SentRun>
SentRunsOf(const std::vector<FlitOracle::Segment>& sent)
{
    std::map<uint32_t, uint32_t> started;
    std::vector<SentRun> runs;
    for (const auto& [start, lane, handle, first, bytes] : sent)
    {
        started[lane] += first == 0 ? 1 : 0;
        runs.emplace_back(start, lane, started[lane], first, bytes);
    }
    return runs;
}

/// @return a run for a message
std::string
RunText(const std::vector<SentRun>& runs, std::size_t i)
{
    std::string words;
    if (i < runs.size())
    {
        std::apply([&](const auto&... part) { ((words += std::to_string(part) + ' '), ...); },
                   runs[i]);
    }
    return i < runs.size() ? words : "none";
}

/// @return the first difference of what a wire has sent, empty if there is none
std::string
WireDifference(const std::vector<SentRun>& actual, const std::vector<SentRun>& expected)
{
    for (std::size_t i = 0; i < std::max(actual.size(), expected.size()); ++i)
    {
        if (i >= actual.size() || i >= expected.size() || actual[i] != expected[i])
        {
            return Text("run ", i, ": ", RunText(actual, i), "is not ", RunText(expected, i)).Str();
        }
    }
    return "";
}

/// @return the first difference of what two runs have sent and counted, empty if there is none
std::string
WireDifference(const WireOutcomes& actual, const WireOutcomes& expected)
{
    for (const auto& [place, outcome] : expected)
    {
        const WireOutcome& other = actual.at(place);
        std::string difference = WireDifference(other.runs, outcome.runs);
        if (difference.empty() &&
            (other.counts.wastedFlits != outcome.counts.wastedFlits ||
             other.counts.idleWhileWaiting != outcome.counts.idleWhileWaiting))
        {
            difference = "idle time";
        }
        if (!difference.empty())
        {
            return Text("switch ", place.first, " port ", place.second, ' ', difference).Str();
        }
    }
    return "";
}

/// @return what the oracle says of all wires of a run
WireOutcomes
ExpectedOf(const RandomTree& tree, const WireOutcomes& actual, uint64_t& flits, uint64_t& repeats)
{
    WireOutcomes expected;
    for (const auto& [place, outcome] : actual)
    {
        const FlitPlan plan = place.first == HOSTS ? tree.UplinkPlanOf(place.second)
                                                   : tree.PlanOf(place.first, place.second);
        const FlitOracle::Outcome slow = FlitOracle(plan).Run();
        WireOutcome& wire = expected[place];
        wire.runs = SentRunsOf(slow.segments);
        wire.counts.wastedFlits = slow.wasted;
        wire.counts.idleWhileWaiting = slow.idle;
        flits += slow.flits;
        repeats += slow.repeats;
    }
    return expected;
}

/// Random trees of switches: the same runs as flit by flit, with windows and without.
void
CompareWithFlitOracle(FunctionCase& test)
{
    uint64_t flits = 0;
    WireCounts all;
    uint64_t atUplinks = 0;
    uint64_t allRepeats = 0;
    const TestSeeds seeds(330);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomTree tree(seed);
        const WireOutcomes outcomes = tree.Run(false);
        test.Expect(tree.fault.empty(), Text(tree.fault, ", seed ", seed));
        uint64_t repeats = 0;
        const WireOutcomes expected = ExpectedOf(tree, outcomes, flits, repeats);
        test.ExpectEqual(tree.Repeats(), repeats, Text("repeats, seed ", seed));
        allRepeats += repeats;
        const std::string difference = WireDifference(outcomes, expected);
        test.Expect(difference.empty(), Text(difference, ", seed ", seed));
        const std::string inWindows = WireDifference(tree.Run(true), outcomes);
        test.Expect(tree.fault.empty(), Text(tree.fault, ", ahead, seed ", seed));
        test.Expect(inWindows.empty(), Text("ahead, ", inWindows, ", seed ", seed));
        for (const auto& [place, outcome] : outcomes)
        {
            all.frames += outcome.counts.frames;
            all.segments += outcome.counts.segments;
            all.preemptions += outcome.counts.preemptions;
            atUplinks += place.first == HOSTS ? outcome.counts.preemptions : 0;
            all.fills += outcome.counts.fills;
            all.gaps += outcome.counts.gaps;
            all.wastedFlits += outcome.counts.wastedFlits;
        }
    }
    if (seeds.count < 330)
    {
        return;
    }
    const uint64_t pieces = all.segments - all.frames;
    test.Expect(flits > 20'000'000, Text("millions of flits, are ", flits));
    test.Expect(allRepeats > 10'000, Text("repeats, are ", allRepeats));
    test.Expect(pieces > 3000, Text("fragments, are ", pieces));
    test.Expect(all.preemptions > 3000, Text("preemptions, are ", all.preemptions));
    test.Expect(atUplinks > 1000, Text("of hosts, are ", atUplinks));
    test.Expect(all.fills > 200, Text("fills, are ", all.fills));
    test.Expect(all.gaps > 500, Text("gaps, are ", all.gaps));
    test.Expect(all.wastedFlits > 5000, Text("wasted flits, are ", all.wastedFlits));
}

/// The suite.
class FlitOracleSuite : public FunctionSuite
{
  public:
    FlitOracleSuite()
        : FunctionSuite("fabric-flit-oracle", kUnit)
    {
        Add("VA-9 VA-10 VA-11 WL-6 DP-2 DP-14 random trees of switches: windows = instants = flit "
            "by "
            "flit",
            CompareWithFlitOracle);
    }
};

const FlitOracleSuite g_flitOracleSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
