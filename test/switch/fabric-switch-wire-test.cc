/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-test-compat.h"
#include "fabric-wire-bed.h"

#include "ns3/test.h"

#include <algorithm>
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

constexpr uint64_t GIGA = 1'000'000'000; ///< bit/s.
constexpr TimePs FLIT = 640;             ///< 8 B at 100 Gb/s, ps.
constexpr uint32_t VICTIM = 8192;        ///< A long frame on the wire, bytes.
constexpr uint32_t URGENT = 256;         ///< An urgent frame on the wire, bytes.
const uint32_t OVERHEAD = WireBytes(0);  ///< Of a frame, bytes.

// ---- closed forms (VA-13) ----

/**
 * @param afters how long an urgent frame comes after the start of a victim, each in its turn, ps
 * @param preempt whether it may interrupt the victim
 * @param test fails if a victim does not start at once
 * @return how long it waits, ps
 */
std::vector<TimePs>
WaitsFor(const std::vector<TimePs>& afters, bool preempt, FunctionCase& test)
{
    constexpr TimePs PERIOD = 2'000'000; // both have left by then
    WireBed bed({2}, 1);                 // both hosts are as far
    bed.config.lanes->preemption.preempt = preempt;
    bed.config.lanes->preemption.interleave = true;
    bed.Build();
    for (std::size_t i = 0; i < afters.size(); ++i)
    {
        const TimePs at = 1000 + static_cast<TimePs>(i) * PERIOD;
        bed.Send(0, bed.receiver, VICTIM, 1, at);
        bed.Send(1, bed.receiver, URGENT, 0, at + afters[i]);
    }
    test.Expect(bed.Run().empty(), "something is left");
    const WireWatch& watch = bed.watches[0];
    std::vector<TimePs> waits;
    for (std::size_t i = 0; i < afters.size(); ++i)
    {
        // The victim is the first to come and to start.
        test.Expect(watch.arrivals[2 * i].time == watch.starts[2 * i].time, "starts at once");
        const TimePs arrival = watch.arrivals[2 * i + 1].time;
        test.ExpectEqual(arrival - watch.arrivals[2 * i].time, afters[i], "comes in time");
        waits.push_back(watch.starts[2 * i + 1].time - arrival);
    }
    return waits;
}

/// VA-13: a flit and the least that has to be sent before, or the whole frame.
void
CheckWorstWait(FunctionCase& test)
{
    std::vector<TimePs> afters;
    for (TimePs at = 1; at < VICTIM * 80; at += at % 64'000 < 2'000 ? 1 : 61)
    {
        afters.push_back(at);
    }
    const std::vector<TimePs> waits = WaitsFor(afters, true, test);
    TimePs worstInside = 0;
    for (std::size_t i = 0; i < afters.size(); ++i)
    {
        const bool isInside = afters[i] >= 80 * 80 && afters[i] <= (VICTIM - 80) * 80;
        worstInside = std::max(worstInside, isInside ? waits[i] : 0);
    }
    const auto worst = [](const std::vector<TimePs>& of) {
        return *std::max_element(of.begin(), of.end());
    };
    test.ExpectEqual(worstInside, FLIT - 1, "a flit");
    test.ExpectEqual(worst(waits), 10 * FLIT - 1, "80 B");
    test.ExpectEqual(worst(WaitsFor(afters, false, test)), VICTIM * 80 - 1, "8192 B");
}

/// VA-9: the last cut leaves 80 B; one ps later the urgent frame waits for the end.
void
CheckLastCut(FunctionCase& test)
{
    constexpr TimePs LAST = (VICTIM - 80) * 80;
    const std::vector<TimePs> waits = WaitsFor({LAST, LAST + 1}, true, test);
    test.ExpectEqual(waits[0], 0, "just in time");
    test.ExpectEqual(waits[1], 80 * 80 - 1, "too late");
}

/// VA-9: a flit is sent before a frame is interrupted, also if nothing need be.
void
CheckShortestRun(FunctionCase& test)
{
    WireBed bed({2}, 1);
    bed.config.lanes->preemption.leastSentBytes = 0;
    bed.Build();
    bed.Send(0, bed.receiver, VICTIM, 1, 0);
    bed.Send(1, bed.receiver, URGENT, 0, 1);
    test.Expect(bed.Run().empty(), "something is left");
    test.ExpectEqual(bed.watches[0].StartOf(0), bed.watches[0].StartOf(1) + FLIT, "after a flit");
}

/// @return when the last byte of a lane has left a wire of 100 Gb/s, ps
TimePs
TailOf(WireBed& bed, uint32_t chip, uint32_t lane)
{
    TimePs tail = 0;
    for (const auto& [start, ofLane, number, first, bytes] :
         bed.watches[chip].segments[bed.PortOf(chip)])
    {
        tail = ofLane == lane ? start + bytes * 80 : tail;
    }
    return tail;
}

/// VA-9: 20 urgent frames of 256 B come at once; 16 of them interrupt, the others wait for the end.
void
CheckBudget(FunctionCase& test)
{
    WireBed bed({21}, 1);
    bed.Build();
    bed.Send(0, bed.receiver, VICTIM, 1, 0);
    for (uint32_t host = 1; host <= 20; ++host)
    {
        bed.Send(host, bed.receiver, URGENT, 0, 1);
    }
    test.Expect(bed.Run().empty(), "something is left");
    const auto& starts = bed.watches[0].starts;
    const TimePs victim = starts[0].time;
    const TimePs end = victim + VICTIM * 80 + 16 * 32 * FLIT;
    for (uint32_t i = 0; i < 20; ++i)
    {
        const TimePs expected = i < 16 ? victim + (10 + i * 32) * FLIT : end + (i - 16) * 32 * FLIT;
        test.ExpectEqual(starts[i + 1].time, expected, Text("urgent frame ", i));
    }
    test.ExpectEqual(bed.Wire(0).Counts().preemptions, 16, "4096 B interrupt");
    test.ExpectEqual(TailOf(bed, 0, 1), end, "then the victim");
    test.ExpectEqual(bed.watches[0].segments[bed.PortOf(0)].size(), 22, "it came in two pieces");
}

/// VA-9: three levels, each interrupting the one before; a fourth would be one too many.
void
CheckNesting(FunctionCase& test)
{
    struct Times
    {
        TimePs best;   ///< Start of the fourth.
        TimePs third;  ///< Start.
        TimePs second; ///< Tail.
        TimePs victim; ///< Tail.
    };

    const auto run = [&](uint32_t levels, uint32_t budget, uint32_t bytes, TimePs bestAt) {
        WireBed bed({4}, 4);
        PreemptionSettings& settings = bed.config.lanes->preemption;
        settings.leastVictimBytes = 0;
        settings.mostUrgentBytes = 8192;
        settings.levels = levels;
        settings.mostBytesPerVictim = budget;
        bed.Build();
        bed.Send(0, bed.receiver, VICTIM, 3, 0);
        bed.Send(1, bed.receiver, bytes, 2, 100 * FLIT);
        bed.Send(2, bed.receiver, bytes, 1, 120 * FLIT);
        bed.Send(3, bed.receiver, 800, 0, bestAt * FLIT);
        test.Expect(bed.Run().empty(), "something is left");
        const WireWatch& watch = bed.watches[0];
        const TimePs start = watch.StartOf(3);
        return Times{(watch.StartOf(0) - start) / FLIT,
                     (watch.StartOf(1) - start) / FLIT,
                     (TailOf(bed, 0, 2) - start) / FLIT,
                     (TailOf(bed, 0, 3) - start) / FLIT};
    };
    Times times = run(3, 65535, 800, 140);
    test.ExpectEqual(times.third, 120, "the third level");
    test.ExpectEqual(times.best, 220, "the fourth waits for the third to end");
    test.ExpectEqual(times.second, 400, "then the second goes on");
    times = run(4, 65535, 800, 140);
    test.ExpectEqual(times.best, 140, "four levels");
    test.ExpectEqual(times.victim, 1024 + 300, "nothing is wasted");
    times = run(4, 1599, 800, 140);
    test.ExpectEqual(times.best, 1124, "it would be too much for the lowest");
    test.ExpectEqual(times.third, 1224, "and so would the third be");
    // What interrupts the second counts for the lowest, too: 800 B have, when the urgent one comes.
    test.ExpectEqual(run(4, 1599, 400, 300).best, 1124, "a byte too much for the lowest");
    test.ExpectEqual(run(4, 1600, 400, 300).best, 300, "just enough");
}

/// VA-9: frames that are partly sent are as many as the table has levels, and one more; a table
/// that changes in the run counts at once.
void
CheckDeepNesting(FunctionCase& test)
{
    constexpr uint32_t DEEPEST = DEFAULT_LANES - 1;
    for (const bool isChanged : {false, true})
    {
        WireBed bed({DEFAULT_LANES, 0}, DEEPEST); // the second switch takes all of them
        PreemptionSettings& settings = bed.config.lanes->preemption;
        settings.leastVictimBytes = 0;
        settings.mostUrgentBytes = VICTIM;
        settings.mostBytesPerVictim = 65535;
        const LaneTable deep = bed.config.lanes->table;
        LaneTable flat = deep;
        flat.levels.resize(2);
        for (LaneSettings& lane : flat.lanes)
        {
            lane.level = lane.lane == DEEPEST ? 1 : 0;
        }
        bed.config.lanes->table = isChanged ? flat : deep;
        bed.Build();
        const TimePs arrives = 400'000;
        if (isChanged)
        {
            bed.bed->Chip(0).ChangeLanesAt(arrives + 20 * FLIT, deep);
        }
        for (uint32_t i = 0; i < DEFAULT_LANES; ++i)
        {
            const auto trafficClass = static_cast<uint8_t>(DEEPEST - i);
            bed.Send(i, bed.receiver, 1600, trafficClass, i * 30 * FLIT);
        }
        test.Expect(bed.Run().empty(), "something is left");
        const WireWatch& watch = bed.watches[0];
        for (uint8_t lane = 0; lane < DEEPEST; ++lane)
        {
            const TimePs wait = watch.StartOf(lane) - watch.ArrivalOf(lane);
            test.Expect(wait >= 0 && wait < FLIT, Text("lane ", unsigned{lane}, " waits ", wait));
        }
        test.ExpectEqual(TailOf(bed, 0, DEEPEST) - watch.StartOf(DEEPEST),
                         TimePs{DEFAULT_LANES} * 200 * FLIT,
                         "nothing is wasted");
    }
}

/// VA-10 VA-13: a gap of 32 flits that comes from the switch before is wasted, or filled.
void
CheckInterleaving(FunctionCase& test)
{
    constexpr TimePs CUT = 100 * FLIT;
    constexpr TimePs GAP = URGENT * 80;
    constexpr TimePs FILLER = 2048 * 80;
    for (const bool interleave : {false, true})
    {
        // Hosts 0, 1 at the first switch; 2, 3 at the second, and the receiver.
        WireBed bed({2, 2}, 1);
        bed.config.lanes->preemption.interleave = interleave;
        bed.Build();
        bed.Send(0, bed.receiver, VICTIM, 1, 0);
        bed.Send(1, 3, URGENT, 0, CUT);
        bed.Send(2, bed.receiver, 2048, 2, 400'000 + 1); // just after the victim at that switch
        test.Expect(bed.Run().empty(), "something is left");
        const WireWatch& first = bed.watches[0];
        test.Expect(first.StartOf(0) == first.StartOf(1) + CUT, "interrupted after 100 flits");
        test.ExpectEqual(bed.Wire(0).Counts().preemptions, 1, "preemptions");
        const TimePs start = bed.watches[1].StartOf(1);
        const TimePs victim = start + VICTIM * 80 + (interleave ? FILLER : GAP);
        const TimePs filler = interleave ? start + CUT : victim;
        test.ExpectEqual(bed.watches[1].StartOf(2), filler, "the third starts");
        test.ExpectEqual(TailOf(bed, 1, 2), filler + FILLER, "the third ends");
        test.ExpectEqual(TailOf(bed, 1, 1), victim, "the victim ends");
        const WireCounts& counts = bed.Wire(1).Counts();
        test.ExpectEqual(counts.wastedFlits, interleave ? 0 : 32, "wasted flits");
        test.ExpectEqual(counts.idleWhileWaiting, interleave ? 0 : GAP, "idle time");
        test.Expect(counts.fills == (interleave ? 1 : 0) && counts.gaps == 1, "fills and gaps");
    }
}

/// VA-10: a frame of 4096 B is sent on by a slower, equal and faster link.
void
CheckOtherRates(FunctionCase& test)
{
    const auto start = [&](uint64_t rate) {
        WireBed bed({1, 0}, 1);
        bed.links.back().first = LinkRate(rate * GIGA);
        bed.Build();
        bed.Send(0, bed.receiver, 4096, 1, 0);
        test.Expect(bed.Run().empty(), "something is left");
        const WireWatch& watch = bed.watches[1];
        test.ExpectEqual(watch.segments.at(bed.PortOf(1)).size(), 1, "in one piece");
        return watch.StartOf(1) - watch.ArrivalOf(1);
    };
    test.ExpectEqual(start(50), 0, "to a slower link");
    test.ExpectEqual(start(100), 0, "to an equal link");
    // The last of 512 flits is there after 511; it then takes 320 ps, and all of them 163840 ps.
    test.ExpectEqual(start(200), 511 * FLIT + 320 - 163'840, "to a faster link");
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
        bed.config.hostControl.edgeFlowControl = LINK_PAUSE;
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
    for (const SentRun& segment : bed.watches[chip].segments[bed.PortOf(chip)])
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
    bool Corrupts(uint32_t) override
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

/// Two lanes of equal level: none interrupts, until a table puts that of the long frame lower.
void
CheckRankOfTable(FunctionCase& test)
{
    constexpr TimePs VICTIM_AT = 400'000; // when it starts; it lasts 655 ns
    const std::vector<std::tuple<TimePs, uint8_t, TimePs>> cases = {
        {300'000, 5, VICTIM * 80},       // the level stays
        {100 * FLIT - 1, 9, 100 * FLIT}, // at the next flit
        {100 * FLIT, 9, 100 * FLIT},     // at that flit
        {100 * FLIT + 1, 9, 101 * FLIT}, // just after
        {300'000, 9, (300'000 / 640 + 1) * FLIT},
    };
    for (const bool lookahead : {true, false})
    {
        for (const auto& [change, level, expected] : cases)
        {
            WireBed bed({2}, 1);
            LaneTable table = WireBed::Table(1);
            table.lanes[0].level = table.lanes[1].level = 5;
            bed.config.lanes->table = table;
            bed.Build(lookahead);
            bed.Send(0, bed.receiver, VICTIM, 1, 0);
            bed.Send(1, bed.receiver, URGENT, 0, 1);
            table.lanes[1].level = level;
            bed.bed->Chip(0).ChangeLanesAt(VICTIM_AT + change, table);
            test.ExpectEqual(bed.Run(), "", "at the end");
            test.ExpectEqual(bed.watches[0].StartOf(1), VICTIM_AT, "the long frame starts");
            test.ExpectEqual(bed.watches[0].StartOf(0) - VICTIM_AT, expected, "the other starts");
        }
    }
}

/// The suite.
class SwitchWireSuite : public FunctionSuite
{
  public:
    SwitchWireSuite()
        : FunctionSuite("fabric-switch-wire", kUnit)
    {
        Add("VA-13 VA-9 worst wait at a switch: a flit or 80 B with preemption, 655 ns without",
            CheckWorstWait);
        Add("VA-9 the last cut leaves 80 B", CheckLastCut);
        Add("VA-9 a flit is sent before the first interruption", CheckShortestRun);
        Add("VA-9 at most 4096 B interrupt a frame", CheckBudget);
        Add("VA-9 nesting is bounded by the number of levels", CheckNesting);
        Add("VA-9 VA-11 sixteen levels nest, also those of a table that changes", CheckDeepNesting);
        Add("VA-13 VA-10 two switches: the gap is wasted or filled", CheckInterleaving);
        Add("VA-10 a slower, equal and faster next link, by hand", CheckOtherRates);
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
};

const SwitchWireSuite g_switchWireSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
