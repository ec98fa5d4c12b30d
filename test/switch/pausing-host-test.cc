/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-function-case.h"
#include "fabric-obeyed-pauses.h"
#include "fabric-random-outages.h"
#include "fabric-random-scenario.h"
#include "fabric-refusal.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "fabric-watched-run.h"

#include "ns3/test.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t LINK_RATE = 200'000'000'000; ///< Of all links, bit/s; 40 ps a byte.
constexpr uint32_t LONGEST = WireBytes(JUMBO_PAYLOAD);

/// Switches in a row whose last host receives slowly and pauses its switch.
struct PausingBed
{
    SwitchConfig config;
    NicConfig nic;
    TimePs delay{100 * NS}; ///< Of each link.
    ChainSources sources{1};
    bool lookahead{true};

    PausingBed()
    {
        config.hostControl.edgeFlowControl = LINK_PAUSE;
    }

    /// @param receive settings of the last host
    std::unique_ptr<TestBed> Make(const ReceiveSettings& receive) const
    {
        const TopologyPlan plan = MakeChainPlan(sources);
        return std::make_unique<TestBed>(
            plan,
            MakeShortestPathRouting(plan),
            config,
            nic,
            [this](std::size_t) { return std::make_pair(LinkRate(LINK_RATE), delay); },
            lookahead,
            std::function<void(std::size_t, SwitchConfig&)>{},
            [receive, slow = plan.hosts.size() - 1](std::size_t host, NicConfig& own) {
                own.receive = host == slow ? receive : ReceiveSettings{};
            });
    }

    /// @return what can come after the host has passed XOFF
    uint32_t Headroom() const
    {
        PausedLink link{LinkRate(LINK_RATE), delay, 0, LONGEST};
        link.response = config.timing.controlLatency;
        return static_cast<uint32_t>(PauseHeadroom(link));
    }
};

/// At any rate the host is never idle, nothing is lost, and what it can't take waits upstream.
void
TestPausingGoodput(FunctionCase& test)
{
    for (const LinkFlowControl mode : {LINK_PAUSE, LINK_PRIORITY_PAUSE})
    {
        for (const uint64_t gigabits : {1, 10, 50, 100, 150, 199, 200})
        {
            for (const uint32_t xoff : {0U, 60'000U, 400'000U})
            {
                PausingBed pausing;
                pausing.config.hostControl.edgeFlowControl = mode;
                const uint64_t rate = gigabits * 1'000'000'000;
                const auto bed = pausing.Make({rate, 0, xoff, 0});
                const std::string name = std::to_string(mode) + ", " + std::to_string(gigabits) +
                                         " Gb/s, " + std::to_string(xoff);
                const uint32_t frames = 1'000;
                bed->Send(0, 1, uint64_t{frames} * MAX_PAYLOAD, 0, 0);
                bed->RunUntil(20 * US);
                bed->Check();
                bed->RunToEnd();
                bed->Check();
                const TimePs frame = LinkRate(rate).TxTime(WireBytes(MAX_PAYLOAD));
                test.ExpectEqual(bed->Deliveries().at(0).at,
                                 2 * pausing.delay + pausing.config.timing.latency + frames * frame,
                                 name + ": the last frame leaves the buffer, never empty");
                const Nic& host = bed->GetNic(1);
                test.ExpectEqual(host.Counts().bufferFull, 0U, name);
                const uint32_t most = (xoff != 0 ? xoff : 131'072) + pausing.Headroom();
                test.Expect(host.Pauses()->PeakBytes() <= most, name + ": the headroom is enough");
                const TransmitCounts& sent = host.Uplink().Counts();
                test.Expect(gigabits > 150 || sent.pauses > 2, name + ": it pauses");
                test.ExpectEqual(sent.controlBytes,
                                 sent.pauses * PAUSE_FRAME_BYTES,
                                 name + ": on its uplink");
                test.Expect(bed->IsEmpty(), "something is left");
            }
        }
    }
}

/**
 * The worst case: the fill is XOFF exactly when the largest frame comes, the host has begun such a
 * frame of its own just before, and the switch starts one more just before it obeys.
 *
 * @param missing bytes of room above XOFF that the closed form has and the host has not
 * @return payload that is lost
 */
uint64_t
LossWithHeadroom(FunctionCase& test, LinkFlowControl mode, uint32_t missing)
{
    PausingBed pausing;
    pausing.config.hostControl.edgeFlowControl = mode;
    pausing.nic.mtu = JUMBO_PAYLOAD;
    // With the pause and the frame before it, these are two frames and 1 ps.
    const TimePs tx = TimePs{LONGEST} * 40;
    const TimePs pause = TimePs{PAUSE_FRAME_BYTES} * 40;
    pausing.config.timing.controlLatency = 2 * tx + 1 - (tx - 1) - pause - 2 * pausing.delay;
    const uint32_t before = 3;
    const uint32_t xoff = before * LONGEST;
    test.ExpectEqual(pausing.Headroom(), 4 * LONGEST + 1, "the closed form");
    const uint32_t room = xoff + pausing.Headroom() - missing;
    const auto bed = pausing.Make({LinkRate::LOWEST, room, xoff, 0});
    bed->Send(0, 1, 40 * uint64_t{JUMBO_PAYLOAD}, 0, 0);
    const TimePs passes = 2 * pausing.delay + pausing.config.timing.latency + (before + 1) * tx;
    bed->Send(1, 0, JUMBO_PAYLOAD, 0, passes - 1);
    bed->RunUntil(20 * US);
    bed->Check();
    test.ExpectEqual(bed->Chip(0).Output(1).Counts().frames, before + 4U, "frames that come");
    return bed->GetNic(1).Counts().bufferFull;
}

void
TestHostHeadroom(FunctionCase& test)
{
    for (const LinkFlowControl mode : {LINK_PAUSE, LINK_PRIORITY_PAUSE})
    {
        test.ExpectEqual(LossWithHeadroom(test, mode, 0), 0U, "the closed form is enough");
        test.ExpectEqual(LossWithHeadroom(test, mode, 1), 0U, "it is one byte above what comes");
        test.ExpectEqual(LossWithHeadroom(test, mode, 2),
                         uint64_t{JUMBO_PAYLOAD},
                         "with a byte less than what comes, the last frame is lost");
    }
}

/// Damages the frames with some numbers.
class DamageFrames : public LossModel
{
  public:
    /// @param from first number
    /// @param until after the last number
    DamageFrames(uint32_t from, uint32_t until)
        : m_from(from),
          m_until(until)
    {
    }

    bool Corrupts(uint32_t) override
    {
        const uint32_t number = m_next++;
        return m_from <= number && number < m_until;
    }

  private:
    uint32_t m_from;
    uint32_t m_until;
    uint32_t m_next{0};
};

void
TestLostPause(FunctionCase& test)
{
    for (const bool retry : {false, true})
    {
        PausingBed pausing;
        pausing.config.hostControl.pause.quanta = 4'000;
        const auto bed = pausing.Make({LINK_RATE / 4, 80'000, 0, 0});
        bed->LoseControl();
        RetrySettings settings;
        settings.enabled = retry;
        bed->SetLossModel(1, std::make_unique<DamageFrames>(0, 1), settings);
        bed->Send(0, 1, 200 * MAX_PAYLOAD, 0, 0);
        bed->RunToEnd();
        bed->Check();
        const uint64_t lost = bed->GetNic(1).Counts().bufferFull;
        test.ExpectEqual(bed->GetNic(1).Uplink().Errors()->Counts().lostPauses,
                         retry ? 0U : 1U,
                         "a pause is lost unless the link repeats it");
        test.Expect(retry || (lost > 0 && lost < 60 * MAX_PAYLOAD),
                    Text("frames find no room until the pause is repeated: ", lost));
        test.Expect(!retry || lost == 0, Text("a pause that is repeated is in time: ", lost));
        test.Expect(bed->IsEmpty(), "something is left");
    }
}

/// Notes what a switch sends to a host.
class SendRecorder : public SwitchObserver
{
  public:
    explicit SendRecorder(uint32_t port)
        : m_port(port)
    {
    }

    void Arrived(uint32_t, const Frame&, TimePs) override
    {
    }

    void Sent(uint32_t port, const Frame& frame, TimePs now) override
    {
        if (port == m_port)
        {
            sent.emplace_back(now, frame.trafficClass);
        }
    }

    void Dropped(uint32_t, const Frame&, DropCause, TimePs) override
    {
    }

    void HostPaused(uint32_t port, const PauseOrder& order) override
    {
        if (port == m_port)
        {
            orders.push_back(order);
        }
    }

    std::vector<std::pair<TimePs, uint32_t>> sent; ///< Start and class.
    std::vector<PauseOrder> orders;                ///< Of the host.

  private:
    uint32_t m_port;
};

/// A priority that is stopped waits, and another of the same channel does not.
void
TestHostPriorities(FunctionCase& test)
{
    for (const bool flowChannels : {true, false})
    {
        PausingBed pausing;
        pausing.sources = {2};
        pausing.lookahead = false;
        pausing.config.flowChannels.enabled = flowChannels;
        pausing.config.hostControl.edgeFlowControl = LINK_PRIORITY_PAUSE;
        const auto bed = pausing.Make({LINK_RATE / 4, 0, 50'000, 0});
        SendRecorder recorder(2);
        bed->Chip(0).SetObserver(&recorder);
        bed->Send(0, 2, 100 * MAX_PAYLOAD, 0, 0);
        for (TimePs at = 0; at < 40 * US; at += 500 * NS)
        {
            bed->Send(1, 2, 1'000, 1, at); // 16 Gb/s
        }
        bed->RunToEnd();
        bed->Check();
        uint32_t others = 0;
        test.Expect(recorder.orders.size() > 4, "it pauses several times");
        for (std::size_t i = 0; i + 1 < recorder.orders.size(); ++i)
        {
            const PauseOrder& order = recorder.orders[i];
            test.Expect((order.stop | order.go) == 1, "only the first priority");
            for (const auto& [at, trafficClass] : recorder.sent)
            {
                if (order.stop != 0 && order.time <= at && at < recorder.orders[i + 1].time)
                {
                    test.Expect(trafficClass == 1, "a frame of a priority that is stopped");
                    ++others;
                }
            }
        }
        test.Expect(others > 10, Text("frames of the other go on, are ", others));
        test.ExpectEqual(recorder.sent.size(), 180U, "all frames come");
        test.ExpectEqual(bed->GetNic(2).Counts().bufferFull, 0U, "none is lost");
    }
}

/// @return two hosts that send to a third one, which pauses priorities, behind a tiled crossbar
/// whose output buffer has room for one largest frame: 100 frames of class 0, and some of class 1
std::unique_ptr<TestBed>
MakeTiledPausingBed(bool flowChannels, bool lookahead)
{
    PausingBed pausing;
    pausing.sources = {2};
    pausing.lookahead = lookahead;
    pausing.nic.mtu = JUMBO_PAYLOAD;
    pausing.config.flowChannels.enabled = flowChannels;
    pausing.config.hostControl.edgeFlowControl = LINK_PRIORITY_PAUSE;
    pausing.config.crossbar.model = CROSSBAR_TILED;
    pausing.config.crossbar.outputBufferBytes = LONGEST;
    auto bed = pausing.Make({LINK_RATE / 4, 0, 50'000, 0});
    for (uint32_t i = 0; i < 100; ++i)
    {
        bed->Send(0, 2, JUMBO_PAYLOAD, 0, 0);
    }
    for (TimePs at = 0; at < 80 * US; at += 500 * NS)
    {
        bed->Send(1, 2, 1'000, 1, at); // 16 Gb/s
    }
    return bed;
}

/// Behind tiles nothing of a priority that is stopped is granted: only a frame that was granted
/// before may still start, as soon as its head is through the crossbar.
void
TestTiledHostPriorities(FunctionCase& test)
{
    const TimePs transit = CrossbarSettings().transit;
    for (const bool flowChannels : {true, false})
    {
        const auto bed = MakeTiledPausingBed(flowChannels, false);
        SendRecorder recorder(2);
        bed->Chip(0).SetObserver(&recorder);
        bed->RunToEnd();
        bed->Check();
        uint32_t others = 0;
        test.Expect(recorder.orders.size() > 4, "it pauses several times");
        for (std::size_t i = 0; i + 1 < recorder.orders.size(); ++i)
        {
            const PauseOrder& order = recorder.orders[i];
            test.Expect((order.stop | order.go) == 1, "only the first priority");
            uint32_t late = 0;
            for (const auto& [at, trafficClass] : recorder.sent)
            {
                if (order.stop != 0 && order.time <= at && at < recorder.orders[i + 1].time)
                {
                    late += trafficClass == 0;
                    others += trafficClass == 1;
                    test.Expect(trafficClass == 1 || at <= order.time + transit,
                                Text("stopped, it starts ", at - order.time, " ps later"));
                }
            }
            test.Expect(late <= 1, Text("the buffer has room for one, ", late, " start"));
        }
        test.Expect(others > 10, Text("frames of the other go on, are ", others));
        test.ExpectEqual(recorder.sent.size(), 260U, "all frames come");
        test.ExpectEqual(bed->GetNic(2).Counts().bufferFull, 0U, "none is lost");
        uint32_t next[2]{};
        for (const TestBed::Delivery& delivery : bed->Deliveries())
        {
            test.ExpectEqual(delivery.sequence, next[delivery.src - LocationOf(0)]++, "in order");
        }
        const auto ahead = MakeTiledPausingBed(flowChannels, true);
        ahead->RunToEnd();
        ahead->Check();
        test.Expect(ahead->Deliveries() == bed->Deliveries(), "windows on = off");
    }
}

/// @return goodput of a victim whose frames come by the link of those to a slow host, bit/s
double
VictimOfPauses(bool flowChannels)
{
    PausingBed pausing;
    pausing.sources = {2, 1};
    pausing.config.flowChannels.enabled = flowChannels;
    const auto bed = pausing.Make({LINK_RATE / 4, 0});
    const TimePs from = 400 * US;
    const TimePs until = 800 * US;
    bed->Send(0, 3, 40'000'000, 0, 0); // to the slow host
    bed->Send(1, 2, 40'000'000, 0, 0); // the victim
    bed->RunUntil(from);
    const uint64_t before = bed->GetNic(2).DeliveredBy(from);
    bed->RunUntil(until);
    bed->Check();
    return static_cast<double>(bed->GetNic(2).DeliveredBy(until) - before) * 8e12 /
           static_cast<double>(until - from) * WireBytes(MAX_PAYLOAD) / MAX_PAYLOAD;
}

void
TestVictimOfPauses(FunctionCase& test)
{
    constexpr double RATE = LINK_RATE;
    test.ExpectNear(VictimOfPauses(true), RATE * 3 / 4, RATE * 0.002, "what is left");
    test.ExpectNear(VictimOfPauses(false), RATE / 4, RATE * 0.01, "in turns with the slow");
}

/// When the link is repaired both wait until the other could pause them, so nothing overflows.
void
TestPausesAndOutage(FunctionCase& test)
{
    for (const TimePs lasts : {20 * US, 200 * US})
    {
        PausingBed pausing;
        pausing.lookahead = false;
        const auto bed = pausing.Make({LINK_RATE / 200, 80'000, 0, 0});
        SendRecorder recorder(1);
        bed->Chip(0).SetObserver(&recorder);
        bed->Send(0, 1, 100 * MAX_PAYLOAD, 0, 0);
        bed->FailLink(1, 30 * US, 30 * US + lasts, 1);
        bed->Send(0, 1, 100 * MAX_PAYLOAD, 0, 30 * US + lasts);
        bed->RunToEnd();
        bed->Check();
        test.ExpectEqual(bed->GetNic(1).Counts().bufferFull, 0U, "nothing overflows");
        const auto after =
            std::find_if(recorder.orders.begin(), recorder.orders.end(), [&](const PauseOrder& o) {
                return o.time > 30 * US + lasts;
            });
        test.Expect(after != recorder.orders.end() && after->stop != 0, "it is told again");
        test.Expect(bed->IsEmpty(), "something is left");
    }
}

void
TestPausingRefusals(FunctionCase& test)
{
    PausingBed pausing;
    const auto refusal = [&pausing](const ReceiveSettings& receive) {
        return Refusal([&] { pausing.Make(receive); });
    };
    const uint32_t least = pausing.Headroom();
    test.ExpectEqual(refusal({0, least, 0, 0}), "", "just enough");
    test.Expect(refusal({0, least - 1, 0, 0}).find("up to " + std::to_string(least)) !=
                    std::string::npos,
                "too small: " + refusal({0, least - 1, 0, 0}));
    test.ExpectEqual(refusal({0, LONGEST, LONGEST, 0}), "", "frames may be lost, since told so");
    pausing.config.hostControl.pause.quanta = 281;
    test.Expect(refusal({0, 0, 1, 0}).find("PauseQuanta is 281") != std::string::npos, "too short");
    pausing.config.hostControl.edgeFlowControl = LINK_CREDITS;
    for (const ReceiveSettings& receive : {ReceiveSettings{0, 0, 1, 0}, {0, 0, 0, 1}})
    {
        test.ExpectEqual(refusal(receive),
                         "ReceiveXoffBytes and ReceiveXonBytes are of a host that pauses the "
                         "switch; allowed are 0, or EdgeFlowControl=pause or priority-pause",
                         "credits know no thresholds");
    }
}

/// A scenario with hosts that pause their switches in some way.
struct PausingScenario
{
    explicit PausingScenario(uint64_t seed)
        : scenario(seed)
    {
        std::mt19937_64 random(seed);
        SwitchConfig config = scenario.Config();
        config.hostControl.edgeFlowControl = random() % 2 == 0 ? LINK_PAUSE : LINK_PRIORITY_PAUSE;
        config.hostControl.pause.thresholds = {40'000, 20'000};
        // So that the switch's own headroom suffices whatever the links.
        config.buffer.shares.totalBytes = 4 << 20;
        scenario.Replace(config, "pauses " + std::to_string(config.hostControl.edgeFlowControl));
        slow = scenario.PauseByHosts(seed);
        if (random() % 3 == 0)
        {
            scenario.LoseControl(100);
        }
    }

    RandomScenario scenario;
    uint32_t slow; ///< Hosts.
};

WatchedRun
RunPausing(FunctionCase& test,
           const PausingScenario& pausing,
           const RandomOutages* outages,
           TimePs horizon,
           bool lookahead,
           const std::string& name,
           uint64_t counts[2])
{
    const auto bed = pausing.scenario.Build(lookahead);
    if (outages)
    {
        outages->AddTo(*bed);
    }
    const FlowWatch watch(*bed, false, false);
    const WatchedRun run = RunWatched(test, *bed, watch, horizon, 4, name);
    for (std::size_t host = 0; host < bed->Hosts(); ++host)
    {
        counts[0] += bed->GetNic(host).Pauses() ? bed->GetNic(host).Uplink().Counts().pauses : 0;
        counts[1] += bed->GetNic(host).Counts().bufferFull != 0;
    }
    return run;
}

void
TestRandomPausingHosts(FunctionCase& test)
{
    const TestSeeds seeds(160);
    uint64_t counts[2]{};
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        PausingScenario pausing(seed);
        const RandomOutages outages(pausing.scenario, seed);
        const TimePs horizon = pausing.scenario.SomeTime();
        for (const RandomOutages* failing : {static_cast<const RandomOutages*>(nullptr), &outages})
        {
            const std::string name =
                pausing.scenario.Describe() + (failing ? outages.Describe() : std::string());
            const WatchedRun ahead =
                RunPausing(test, pausing, failing, horizon, true, name, counts);
            const WatchedRun single =
                RunPausing(test, pausing, failing, horizon, false, name, counts);
            ExpectSameRun(test, ahead, single, name);
        }
    }
    test.Expect(!seeds.AreMany() || counts[0] > 10 * seeds.count,
                Text("pauses of hosts, are ", counts[0]));
    // Of 40 seeds elsewhere none may lose anything.
    test.Expect(seeds.count < 100 || counts[1] > 0, Text("runs with losses, are ", counts[1]));
}

/// After a repair nothing is sent until the host could have said something.
void
TestSilenceAfterRepair(FunctionCase& test)
{
    ObeyedPauses pauses(500 * NS);
    pauses.Update(0);
    test.Expect(!pauses.StopsAny(), "at the start");
    pauses.LinkUp(1000 * NS);
    pauses.Update(1000 * NS);
    test.Expect(pauses.StopsAll(), "the link is up");
    pauses.Update(1499 * NS);
    test.Expect(pauses.StopsAll(), "the host's word may be on its way");
    pauses.Accept({1500 * NS, 100 * NS, 1, 0});
    pauses.Update(1500 * NS);
    test.Expect(pauses.StopsAny() && !pauses.StopsAll(), "what the host says counts");
    pauses.Update(1600 * NS);
    test.Expect(!pauses.StopsAny(), "its pause is over");
}

/// The suite.
class PausingHostSuite : public FunctionSuite
{
  public:
    PausingHostSuite()
        : FunctionSuite("fabric-pausing-host", kUnit)
    {
        Add("WL-5 a slow host that pauses its switch gets its rate, and loses nothing",
            TestPausingGoodput);
        Add("WL-5 the headroom of a host is what can come, to the byte", TestHostHeadroom);
        Add("WL-5 WL-6 a lost pause of a host overflows its buffer, unless the link repeats it",
            TestLostPause);
        Add("WL-5 a host stops a priority, and others of the same channel go on",
            TestHostPriorities);
        Add("SW-4 WL-5 a crossbar of tiles grants nothing of a priority that a host stops",
            TestTiledHostPriorities);
        Add("FC-1 a host that pauses does not hurt a flow on the same link, but without flow "
            "channels",
            TestVictimOfPauses);
        Add("WL-5 WL-8 a host pauses its switch again when the link is repaired",
            TestPausesAndOutage);
        Add("WL-5 WL-8 a switch is silent after a repair until its host could pause it",
            TestSilenceAfterRepair);
        Add("WL-5 buffers and thresholds of a pausing host that are refused", TestPausingRefusals);
        Add("WL-5 DP-2 hosts that pause in random fabrics, windows on = off",
            TestRandomPausingHosts);
    }
};

PausingHostSuite g_pausingHostSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
