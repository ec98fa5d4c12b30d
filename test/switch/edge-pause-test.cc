/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree.h"
#include "fabric-function-case.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr uint64_t GIGA = 1'000'000'000;

/// @return a switch with hosts at its ports 0 to `hosts` - 1
TopologyPlan
OneSwitch(uint16_t hosts)
{
    TopologyPlan plan;
    plan.switches.push_back({NO_GROUP, hosts, Tier::EDGE});
    for (uint16_t host = 0; host < hosts; ++host)
    {
        plan.hosts.push_back({0, host});
    }
    return plan;
}

std::vector<Routing>
OneSwitchRouting(uint16_t hosts)
{
    IntervalRoutingConfig config;
    config.hostCount = config.fabricHosts = hosts;
    return {Routing(IntervalRouting(config))};
}

/// @return the room above XOFF that the largest frames, the delay and the rate ask for
uint32_t
Headroom(const SwitchConfig& config, LinkRate rate, TimePs delay)
{
    PausedLink link{rate, delay, config.timing.latency, WireBytes(JUMBO_PAYLOAD)};
    link.bufferBytes = config.buffer.shares.totalBytes;
    link.response = QuantaToTime(config.hostControl.pause.responseQuanta, rate.BitsPerSecond());
    return static_cast<uint32_t>(PauseHeadroom(link));
}

/// One switch, links of 100 Gb/s and 100 ns but that to the last host, windows on or off.
struct SmallBed
{
    static constexpr TimePs DELAY = 100'000; ///< ps.

    SmallBed(const SwitchConfig& config,
             uint16_t hosts,
             bool lookahead,
             uint64_t slowRate = 100 * GIGA)
        : bed(
              OneSwitch(hosts),
              OneSwitchRouting(hosts),
              config,
              NicConfig{},
              [=](std::size_t link) {
                  return std::make_pair(LinkRate(link + 1 == hosts ? slowRate : 100 * GIGA), DELAY);
              },
              lookahead)
    {
    }

    /// @return arrival of the last byte of the messages from 0 to a host, ps
    TimePs DeliveredAt(uint32_t host) const
    {
        TimePs at = 0;
        for (const TestBed::Delivery& delivery : bed.Deliveries())
        {
            at = delivery.dst == LocationOf(host) ? std::max(at, delivery.at) : at;
        }
        return at;
    }

    TestBed bed;
};

/// Notes when frames come in and what the hosts are told.
class Recorder : public SwitchObserver
{
  public:
    /// A pause frame.
    struct Pause
    {
        TimePs start;     ///< Of the frame, ps.
        PauseOrder order; ///< What it says.
    };

    void Arrived(uint32_t port, const Frame& frame, TimePs now) override
    {
        if (port == 0)
        {
            arrivals.push_back({now, frame.trafficClass});
        }
    }

    void Sent(uint32_t, const Frame& frame, TimePs now) override
    {
        if (frame.src == LocationOf(0))
        {
            departures.push_back({now, WireBytes(frame.payload)});
        }
    }

    void Dropped(uint32_t, const Frame&, DropCause, TimePs) override
    {
    }

    void Paused(uint32_t port, const PauseOrder& order, TimePs now) override
    {
        if (port == 0)
        {
            pauses.push_back({now, order});
        }
    }

    std::vector<std::pair<TimePs, uint32_t>> arrivals;   ///< Time and class of frames of host 0.
    std::vector<std::pair<TimePs, uint32_t>> departures; ///< Start and bytes of the same, sent on.
    std::vector<Pause> pauses;                           ///< Of host 0.
};

/// What one run of a random scenario came to.
struct Outcome
{
    std::vector<TestBed::Delivery> deliveries; ///< All.
    std::vector<uint64_t> counts;              ///< Of each output.
    uint64_t pauses{0};                        ///< Pause frames.
    double worstUse{0};                        ///< Most of any headroom that was used, 0..1.
    std::string error;                         ///< What a check said.
};

/// Adds a switch's ports to the outcome.
void
CountPorts(const SwitchChip& chip, uint32_t xoff, Outcome& outcome)
{
    for (uint32_t port = 0; port < chip.Config().ports; ++port)
    {
        const TransmitCounts& counts = chip.Output(port).Counts();
        for (uint64_t count : {counts.frames, counts.bytes, counts.controlFrames, counts.pauses})
        {
            outcome.counts.push_back(count);
        }
        outcome.pauses += counts.pauses;
        const PauseController* pauses = chip.Pauses(port);
        if (!pauses)
        {
            continue;
        }
        outcome.counts.push_back(pauses->PeakBytes());
        const double headroom = chip.Config().buffer.shares.totalBytes - xoff;
        outcome.worstUse =
            std::max(outcome.worstUse, (double(pauses->PeakBytes()) - xoff) / headroom);
        if (counts.controlFrames != counts.pauses ||
            counts.controlBytes != counts.pauses * PAUSE_FRAME_BYTES)
        {
            outcome.error = "to a host there are no control frames but pauses of 84 bytes";
        }
    }
}

/// Runs and checks.
Outcome
FinishIncast(TestBed& bed, uint32_t messages, uint32_t xoff)
{
    Outcome outcome;
    try
    {
        for (TimePs until = 5'000'000; until < 100'000'000; until += 5'000'000)
        {
            bed.RunUntil(until);
            bed.Check();
        }
        // All is delivered by then. Not to the end: pauses of a host that is stuck are repeated
        // for ever.
        bed.RunUntil(10'000'000'000);
        bed.Check();
    }
    catch (const std::logic_error& error)
    {
        outcome.error = error.what();
        return outcome;
    }
    outcome.deliveries = bed.Deliveries();
    if (outcome.deliveries.size() != messages || !bed.IsEmpty())
    {
        outcome.error = "only " + std::to_string(outcome.deliveries.size()) + " of " +
                        std::to_string(messages) + " messages, or something is left";
    }
    for (std::size_t i = 0; i < bed.Chips(); ++i)
    {
        CountPorts(bed.Chip(i), xoff, outcome);
    }
    return outcome;
}

/// @return result of a run
Outcome
RunIncast(uint32_t seed, bool lookahead)
{
    std::mt19937 random(seed);
    const LinkRate rate((25 + random() % 200) * GIGA);
    const TimePs delay = 20'000 + random() % 600'000;
    SwitchConfig config;
    config.hostControl.edgeFlowControl = random() % 2 == 0 ? LINK_PAUSE : LINK_PRIORITY_PAUSE;
    config.timing.forwarding = random() % 4 == 0 ? STORE_AND_FORWARD : CUT_THROUGH;
    config.flowChannels.enabled = random() % 4 != 0;
    config.flowChannels.noFlowClasses = random() % 2 == 0 ? 0xF0F0 : 0;
    config.flowChannels.ids = random() % 3 == 0 ? 1 + random() % 4 : FLOW_IDS_PER_LINK - 1;
    config.buffer.shares.virtualChannels = 1 + random() % 2;
    config.buffer.vcOfClass[1] = config.buffer.shares.virtualChannels - 1;
    config.hostControl.pause.responseQuanta = random() % 400;
    // Long ones, and such that need many refreshes.
    config.hostControl.pause.quanta = random() % 2 == 0 ? MAX_PAUSE_QUANTA : 300 + random() % 300;
    const uint32_t xoff = random() % 60'000;
    config.hostControl.pause.thresholds = {xoff, static_cast<uint32_t>(random() % (xoff + 1))};
    config.hostControl.pause.eiqPauseBytes = random() % 20'000;
    config.buffer.shares.totalBytes = xoff + Headroom(config, rate, delay);
    config.buffer.shares.reservedBytesPerVc = WireBytes(JUMBO_PAYLOAD);
    config.Validate();
    NicConfig nicConfig;
    nicConfig.vcOfClass = config.buffer.vcOfClass;
    nicConfig.mtu = random() % 2 == 0 ? JUMBO_PAYLOAD : MAX_PAYLOAD;

    FatTreeConfig treeConfig;
    treeConfig.levels = 2 + random() % 2;
    treeConfig.radix = 4;
    const FatTree tree(treeConfig);
    TestBed bed(
        tree.GetPlan(),
        ToRouting(tree.GetRouting()),
        config,
        nicConfig,
        [rate, delay](std::size_t) { return std::make_pair(rate, delay); },
        lookahead);
    const auto hosts = static_cast<uint32_t>(bed.Hosts());
    const uint32_t messages = 20 + random() % 60;
    for (uint32_t i = 0; i < messages; ++i)
    {
        const uint32_t src = random() % hosts;
        const uint32_t dst = random() % 3 == 0 ? random() % hosts : random() % 2;
        const uint64_t bytes = 1 + random() % (random() % 4 == 0 ? 600'000 : 20'000);
        bed.Send(src,
                 dst == src ? (src + 1) % hosts : dst,
                 bytes,
                 static_cast<uint8_t>(random() % TRAFFIC_CLASSES),
                 random() % 20'000'000);
    }
    return FinishIncast(bed, messages, xoff);
}

/// Random incasts with thresholds that leave just the headroom.
void
TestIncast(FunctionCase& test)
{
    constexpr uint32_t SEEDS = 40;
    uint64_t pauses = 0;
    double worstUse = 0;
    for (uint32_t seed = 1; seed <= SEEDS; ++seed)
    {
        const Outcome windows = RunIncast(seed, true);
        const Outcome ticks = RunIncast(seed, false);
        test.ExpectEqual(windows.error, "", Text("windows, seed ", seed));
        test.ExpectEqual(ticks.error, "", Text("ticks, seed ", seed));
        test.Expect(windows.deliveries == ticks.deliveries, Text("deliveries, seed ", seed));
        test.Expect(windows.counts == ticks.counts, Text("counts, seed ", seed));
        pauses += windows.pauses;
        worstUse = std::max(worstUse, windows.worstUse);
    }
    test.Expect(pauses > 10 * SEEDS, "the scenarios make hosts pause");
    test.Expect(worstUse > 0.6, "the headroom is not much more than is needed");
}

/// Host 0 sends 100 Gb/s to host 2, which takes 10 Gb/s; host 1 fills the wire to host 0.
void
CheckMoments(FunctionCase& test, bool lookahead)
{
    SwitchConfig config;
    config.hostControl.edgeFlowControl = LINK_PAUSE;
    config.hostControl.pause.thresholds = {100'000, 50'000};
    config.hostControl.pause.responseQuanta = 394;
    SmallBed small(config, 3, lookahead, 10 * GIGA);
    Recorder recorder;
    small.bed.Chip(0).SetObserver(&recorder);
    small.bed.Send(0, 2, 400'000, 0, 0);
    small.bed.Send(1, 0, 400'000, 0, 0);
    small.bed.RunToEnd();
    small.bed.Check();

    const TimePs byte = 80; // at 100 Gb/s
    const TimePs frame = WireBytes(MAX_PAYLOAD) * byte;
    const TimePs transit = PAUSE_FRAME_BYTES * byte + SmallBed::DELAY + 394 * 5120;
    test.Expect(recorder.pauses.size() > 2, "XOFF and XON");
    const Recorder::Pause& xoff = recorder.pauses[0];
    const Recorder::Pause& xon = recorder.pauses[1];
    test.ExpectEqual(+xoff.order.stop, 0xFF, "the first stops the link");
    test.ExpectEqual(+xon.order.go, 0xFF, "the second lifts it");
    test.ExpectEqual(xoff.order.time, xoff.start + transit, "tail, delay, response");
    // Frames of 4120 bytes come 100 Gb/s fast and go 10 Gb/s fast: the first leaves at once,
    // the next at 10, 20, ... frame times, each giving its room back when it has left. After n
    // arrivals, at (n - 1) frame times, n - (n - 1) / 10 frames are held: more than 100,000 /
    // 4120 at n = 27. Both inputs are in step, so the wire to host 0 is free just then.
    const TimePs inPipeline = SmallBed::DELAY + config.timing.latency;
    const TimePs crossed = inPipeline + 26 * frame;
    test.ExpectEqual(xoff.start, crossed, "at the frame boundary of that instant");

    // All frames up to the XON are full ones; it goes when a tail leaves 50,000 bytes or less.
    const auto tailsLeft = [&recorder, frame](TimePs until) {
        return std::count_if(
            recorder.departures.begin(),
            recorder.departures.end(),
            [=](const auto& departure) { return departure.first + 10 * frame <= until; });
    };
    const auto cameIn = [&recorder](TimePs until) {
        return std::count_if(recorder.arrivals.begin(),
                             recorder.arrivals.end(),
                             [=](const auto& arrival) { return arrival.first <= until; });
    };
    test.ExpectEqual(cameIn(xon.start) - tailsLeft(xon.start), 12, "49,440 bytes are left");
    test.ExpectEqual(cameIn(xon.start) - tailsLeft(xon.start - 1), 13, "since that instant");

    // Frames whose head came in at t started at t - inPipeline.
    TimePs lastBefore = 0;
    TimePs firstAfter = NEVER;
    for (const auto& [time, trafficClass] : recorder.arrivals)
    {
        const TimePs start = time - inPipeline;
        test.Expect(!(start >= xoff.order.time && start < xon.order.time),
                    Text("a frame started in the pause, at ", start));
        lastBefore = start < xoff.order.time ? std::max(lastBefore, start) : lastBefore;
        firstAfter = start >= xon.order.time ? std::min(firstAfter, start) : firstAfter;
    }
    test.Expect(lastBefore + frame > xoff.order.time, "frames went until then");
    test.ExpectEqual(firstAfter, xon.order.time, "and again from the XON on");
    test.ExpectEqual(small.bed.Deliveries().size(), 2, "all arrived");
}

/// The moments of one pause, worked out by hand.
void
TestMoments(FunctionCase& test)
{
    CheckMoments(test, true);
    CheckMoments(test, false);
}

constexpr uint64_t BYTES = 4'096'000; ///< 1000 frames.

/// @return when the message to the fast host is complete, with one to a slow host in another
/// class
TimePs
FastDelivery(FunctionCase& test, LinkFlowControl mode, bool lookahead)
{
    SwitchConfig config;
    config.hostControl.edgeFlowControl = mode;
    SmallBed small(config, 3, lookahead, GIGA);
    small.bed.Send(0, 2, BYTES / 4, 3, 0);
    small.bed.Send(0, 1, BYTES, 5, 0);
    small.bed.RunToEnd();
    small.bed.Check();
    test.ExpectEqual(small.bed.Deliveries().size(), 2, "both arrive");
    test.Expect(small.bed.Chip(0).Output(0).Counts().pauses > 0, "with pauses");
    return small.DeliveredAt(1);
}

/// A class that is stopped leaves the link to the others.
void
TestOtherPriority(FunctionCase& test)
{
    const TimePs alone = 1000 * WireBytes(MAX_PAYLOAD) * 80;
    const TimePs priority = FastDelivery(test, LINK_PRIORITY_PAUSE, true);
    // Until the slow class is stopped the two share the link: 128 KiB and what is in flight.
    const TimePs sharing = (131'072 + 60'000) * 80;
    test.Expect(priority < alone + sharing, "full rate");
    test.ExpectEqual(FastDelivery(test, LINK_PRIORITY_PAUSE, false), priority, "windows off");
    test.Expect(FastDelivery(test, LINK_PAUSE, true) > 5 * alone, "the whole link stands still");
}

/// What a run came to.
struct Result
{
    uint64_t pauses;    ///< Pause frames.
    uint32_t peakBytes; ///< Most in the input buffer.
    TimePs end;         ///< Last delivery, ps.
    Recorder recorder;  ///< What happened at the host's port.
};

/// Host 0 sends to all others with a single flow_id, which the flow to the slow one mostly has.
Result
RunEiq(FunctionCase& test, const SwitchConfig& base, bool lookahead)
{
    SwitchConfig config = base;
    config.flowChannels.ids = 1;
    SmallBed small(config, 9, lookahead, 5 * GIGA);
    Recorder recorder;
    small.bed.Chip(0).SetObserver(&recorder);
    for (uint32_t dst = 1; dst <= 8; ++dst)
    {
        small.bed.Send(0, dst, 200'000, 0, 0);
    }
    small.bed.RunToEnd();
    small.bed.Check();
    test.ExpectEqual(small.bed.Deliveries().size(), 8, "all arrive");
    test.Expect(small.bed.IsEmpty(), "nothing is left");
    return {small.bed.Chip(0).Output(0).Counts().pauses,
            small.bed.Chip(0).PeakHeldBytes(0),
            small.bed.Deliveries().back().at,
            recorder};
}

/// Without flow_ids frames wait in the EIQ, which holds the host back.
void
TestEiq(FunctionCase& test)
{
    SwitchConfig config;
    config.hostControl.edgeFlowControl = LINK_PAUSE;
    config.buffer.shares.totalBytes = 2'000'000;
    config.hostControl.pause.thresholds = {1'800'000, 1'700'000};
    config.hostControl.pause.eiqPauseBytes = 20'000;
    const uint32_t headroom = Headroom(config, LinkRate(100 * GIGA), SmallBed::DELAY);
    const Result paused = RunEiq(test, config, true);
    test.Expect(paused.pauses > 1, "the EIQ makes the port pause");
    // Every 8th frame goes to the slow host. The 8th leaves at once, the 16th has the flow_id
    // until the 8th has left, 16 frame times later; the 17th to 21st make 20,600 bytes in the
    // EIQ.
    test.ExpectEqual(paused.recorder.pauses[0].start,
                     paused.recorder.arrivals[20].first,
                     "at once when it passes the threshold");
    test.Expect(paused.peakBytes < 20'000 + headroom, "and so stays short");
    const Result ticks = RunEiq(test, config, false);
    test.ExpectEqual(ticks.pauses, paused.pauses, "windows off: pauses");
    test.ExpectEqual(ticks.peakBytes, paused.peakBytes, "windows off: buffer");
    test.ExpectEqual(ticks.end, paused.end, "windows off: time");

    config.hostControl.pause.eiqPauseBytes = 2'000'000;
    const Result patient = RunEiq(test, config, true);
    test.ExpectEqual(patient.pauses, 0, "without the threshold nobody pauses");
    test.Expect(patient.peakBytes > 500'000, "and the EIQ takes what comes");

    config.hostControl.edgeFlowControl = LINK_CREDITS;
    config.buffer.shares.totalBytes = 150'000;
    const Result credits = RunEiq(test, config, true);
    test.ExpectEqual(credits.pauses, 0, "credits need no pause");
    test.Expect(credits.peakBytes > 100'000, "the EIQ holds the credit");
    test.Expect(credits.peakBytes < 150'001, "but no more than there is");
}

constexpr TimePs FRAME = 4120 * 80; ///< Time of a full frame, ps.

/**
 * Host 0 sends two frames of class 0 at 0 to host 1; at `other` two of class 1.
 * @return starts of the frames by class
 */
std::array<std::vector<TimePs>, 2>
RunNic(LinkFlowControl mode, bool lookahead, const std::vector<PauseOrder>& orders, TimePs other)
{
    SwitchConfig config;
    config.hostControl.edgeFlowControl = mode;
    SmallBed small(config, 3, lookahead);
    Recorder recorder;
    small.bed.Chip(0).SetObserver(&recorder);
    small.bed.Send(0, 1, 2 * MAX_PAYLOAD, 0, 0);
    small.bed.Send(0, 1, 2 * MAX_PAYLOAD, 1, other);
    for (const PauseOrder& order : orders)
    {
        small.bed.RunUntil(order.time - 300'000); // it is not known sooner
        small.bed.GetNic(0).Accept(order);
        small.bed.Chip(0).GetAgenda().Wake(small.bed.GetNic(0).NextEffect());
    }
    small.bed.RunToEnd();
    std::array<std::vector<TimePs>, 2> starts;
    for (const auto& [time, trafficClass] : recorder.arrivals)
    {
        starts[trafficClass].push_back(time - SmallBed::DELAY - config.timing.latency);
    }
    return starts;
}

/// Compares with windows on and off.
void
ExpectNic(FunctionCase& test,
          const char* what,
          LinkFlowControl mode,
          const std::vector<PauseOrder>& orders,
          TimePs other,
          const std::array<std::vector<TimePs>, 2>& expected)
{
    for (bool lookahead : {true, false})
    {
        const auto starts = RunNic(mode, lookahead, orders, other);
        for (uint32_t i = 0; i < 2; ++i)
        {
            test.Expect(starts[i] == expected[i],
                        Text(what,
                             ", class ",
                             i,
                             ", windows ",
                             lookahead,
                             ", first ",
                             (starts[i].empty() ? -1 : starts[i][0]),
                             ", last ",
                             (starts[i].empty() ? -1 : starts[i].back())));
        }
    }
}

/// Orders given to a NIC by hand.
void
TestNic(FunctionCase& test)
{
    const PauseOrder stop{300'000, 5'000'000, 0xFF, 0};
    const PauseOrder refresh{5'000'000, 5'000'000, 0xFF, 0};
    const PauseOrder xon{2'222'222, 0, 0, 0xFF};
    const PauseOrder stopClass0{300'000, 5'000'000, 0x01, 0};
    const TimePs late = 20'000'000;
    ExpectNic(test, "no order", LINK_PAUSE, {}, late, {{{0, FRAME}, {late, late + FRAME}}});
    ExpectNic(test, "time-out", LINK_PAUSE, {stop}, late, {{{0, 5'300'000}, {late, late + FRAME}}});
    ExpectNic(test,
              "refresh",
              LINK_PAUSE,
              {stop, refresh},
              late,
              {{{0, 10'000'000}, {late, late + FRAME}}});
    ExpectNic(test, "XON", LINK_PAUSE, {stop, xon}, late, {{{0, 2'222'222}, {late, late + FRAME}}});
    ExpectNic(test,
              "one turn for all",
              LINK_PAUSE,
              {stop},
              1'000'000,
              {{{0, 5'300'000}, {5'300'000 + FRAME, 5'300'000 + 2 * FRAME}}});
    ExpectNic(test,
              "priorities",
              LINK_PRIORITY_PAUSE,
              {stopClass0},
              1'000'000,
              {{{0, 5'300'000}, {1'000'000, 1'000'000 + FRAME}}});
    ExpectNic(test,
              "the stopped turn was first",
              LINK_PRIORITY_PAUSE,
              {stopClass0},
              5'200'000,
              {{{0, 5'200'000 + FRAME}, {5'200'000, 5'200'000 + 2 * FRAME}}});
}

/// @return the sentence of a refusal, empty if there is none
std::string
RefusalRefusal(const SwitchConfig& config)
{
    try
    {
        SmallBed small(config, 2, true);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return {};
}

/// Settings are looked at where rate and delay are known.
void
TestRefusal(FunctionCase& test)
{
    SwitchConfig config;
    config.hostControl.edgeFlowControl = LINK_PRIORITY_PAUSE;
    const uint32_t headroom = Headroom(config, LinkRate(100 * GIGA), SmallBed::DELAY);
    config.hostControl.pause.thresholds.xoffBytes = config.buffer.shares.totalBytes - headroom;
    test.ExpectEqual(RefusalRefusal(config), "", "just enough");
    ++config.hostControl.pause.thresholds.xoffBytes;
    test.Expect(RefusalRefusal(config).find(std::to_string(headroom)) != std::string::npos,
                Text("one byte too much: ", RefusalRefusal(config)));
    config.hostControl.edgeFlowControl = LINK_CREDITS;
    test.ExpectEqual(RefusalRefusal(config), "", "credits do not care");
}

/// A host whose link fails while it is paused is free when the link is up again (WL-8).
void
TestPauseForgotten(FunctionCase& test)
{
    SwitchConfig config;
    config.hostControl.edgeFlowControl = LINK_PAUSE;
    config.hostControl.pause.thresholds = {100'000, 50'000};
    SmallBed small(config, 3, true, 10 * GIGA);
    small.bed.Send(0, 2, 400'000, 0, 0);
    // It is paused after 10 us for 335 us; the switch is empty before the repair.
    small.bed.FailLink(0, 20'000'000, 150'000'000, 0);
    small.bed.RunUntil(150'000'000);
    const uint64_t before = small.bed.GetNic(0).Backlog();
    test.Expect(before > 200'000, "it is paused");
    small.bed.RunUntil(160'000'000);
    test.Expect(small.bed.GetNic(0).Backlog() + 50'000 < before,
                Text("it sends after the repair: ",
                     small.bed.GetNic(0).Backlog(),
                     " of ",
                     before,
                     " are left"));
    small.bed.RunUntil(10'000'000'000);
    small.bed.Check();
    test.Expect(small.bed.Deliveries().size() <= 1 && small.bed.GetNic(0).Backlog() == 0,
                "all sent");
}

/// The suite.
class EdgePauseSuite : public FunctionSuite
{
  public:
    EdgePauseSuite()
        : FunctionSuite("fabric-edge-pause", kUnit)
    {
        Add("WL-5 incast over pausing edges loses nothing, windows on = off", TestIncast);
        Add("WL-5 WL-8 a pause ends with its link", TestPauseForgotten);
        Add("WL-5 a pause frame goes at the next frame boundary and is obeyed after its response "
            "time",
            TestMoments);
        Add("WL-5 802.1Qbb stops one class while another goes on at full rate, 802.3x stops both",
            TestOtherPriority);
        Add("FC-9 frames without a flow_id pause the host past a threshold; with credits they hold "
            "it back",
            TestEiq);
        Add("WL-5 a NIC goes on when a pause is over, refreshed or lifted; other classes do not "
            "wait",
            TestNic);
        Add("WL-5 a link whose thresholds leave too little headroom is refused with the numbers",
            TestRefusal);
    }
};

EdgePauseSuite g_edgePauseSuite; ///< Registers the suite.

} // namespace
