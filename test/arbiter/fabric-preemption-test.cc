/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flit-oracle.h"
#include "fabric-function-case.h"
#include "fabric-lane-chain.h"
#include "fabric-random-lane-chain.h"
#include "fabric-test-compat.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr uint64_t GIGA = 1'000'000'000;

/// @return what `act` complains of, empty if it does not
std::string
Complaint(const std::function<void()>& act)
{
    try
    {
        act();
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
    return {};
}

/// @param act must complain with the words
void
ExpectComplaint(FunctionCase& test, const std::string& words, const std::function<void()>& act)
{
    const std::string complaint = Complaint(act);
    test.Expect(complaint.find(words) != std::string::npos,
                '"' + complaint + "\" has not " + words);
}

/// @return what came of a chain that has run, as the oracle says it
FlitOracle::Outcome
OutcomeOf(const LaneChainPlan& plan, const LaneChain& chain)
{
    FlitOracle::Outcome outcome;
    for (uint32_t hop = 0; hop < plan.rates.size(); ++hop)
    {
        outcome.segments.emplace_back();
        for (const WireSegment& s : chain.Segments(hop))
        {
            outcome.segments[hop].emplace_back(s.start, s.lane, s.handle, s.first, s.bytes);
        }
        outcome.heads.emplace_back();
        outcome.tails.emplace_back();
        for (uint32_t handle = 0; handle < plan.frames.size(); ++handle)
        {
            outcome.heads[hop].push_back(chain.HeadAt(hop, handle));
            outcome.tails[hop].push_back(chain.TailAt(hop, handle));
        }
        outcome.idle.push_back(chain.Counts(hop).idleWhileWaiting);
        outcome.wasted.push_back(chain.Counts(hop).wastedFlits);
    }
    return outcome;
}

/// @return what came of a plan
FlitOracle::Outcome
RunChain(const LaneChainPlan& plan)
{
    LaneChain chain(plan);
    chain.Run();
    return OutcomeOf(plan, chain);
}

/// @return what came of a plan that was run hop by hop in windows, the last hop first
FlitOracle::Outcome
RunInWindows(const LaneChainPlan& plan)
{
    LaneChain chain(plan);
    const TimePs window = *std::min_element(plan.latencies.begin(), plan.latencies.end());
    for (TimePs next = chain.NextTime(); next != NEVER; next = chain.NextTime())
    {
        const TimePs end = next / window * window + window;
        for (auto hop = static_cast<uint32_t>(plan.rates.size()); hop-- > 0;)
        {
            chain.Advance(hop, end);
        }
    }
    chain.CheckEmpty();
    return OutcomeOf(plan, chain);
}

/// @return Omni-Path's settings, with preemption
PreemptionSettings
OmniPath()
{
    PreemptionSettings settings;
    settings.preempt = true;
    return settings;
}

// ---- times at flit boundaries ----

void
CheckRates(FunctionCase& test)
{
    std::mt19937_64 random(1);
    for (uint32_t i = 0; i < 20'000; ++i)
    {
        const LinkRate rate(GIGA + random() % (800 * GIGA));
        const LinkRate other(GIGA + random() % (800 * GIGA));
        const auto bytes = static_cast<uint32_t>(random() % 10'000);
        const std::string where =
            std::to_string(bytes) + " bytes at " + std::to_string(rate.BitsPerSecond()) + " bit/s";
        const TimePs end = rate.TxTime(bytes);
        test.Expect(rate.BytesBy(end, 65535) == bytes, "inverse of " + where);
        test.Expect(bytes == 0 || rate.BytesBy(end - 1, 65535) == bytes - 1, "a ps less, " + where);
        test.Expect(rate.LongerThan(bytes, other, 0) == end, "rounded up, " + where);
        test.Expect(rate.LongerThan(bytes, rate, bytes) == 0, "no difference, " + where);
        const TimePs negative = rate.LongerThan(0, rate, bytes);
        test.Expect(negative == -end || negative == 1 - end, "negative, " + where);
        const auto more = static_cast<uint32_t>(random() % 10'000);
        const TimePs difference = rate.LongerThan(bytes, other, more);
        test.Expect(std::abs(difference - (end - other.TxTime(more))) <= 1, "difference, " + where);
    }
}

// ---- the rules ----

void
CheckRules(FunctionCase& test)
{
    const PreemptionRules rules(OmniPath());
    const PreemptionParty urgent{256, 2, true};
    const PreemptionParty victim{4096, 1, false};
    test.Expect(rules.MayInterrupt(urgent, victim), "just allowed");
    test.Expect(!PreemptionRules(PreemptionSettings{}).MayInterrupt(urgent, victim), "off");
    test.Expect(!rules.MayInterrupt({257, 2, true}, victim), "an urgent frame of 257 B");
    test.Expect(!rules.MayInterrupt(urgent, {4095, 1, false}), "a victim of 4095 B");
    test.Expect(!rules.MayInterrupt({256, 1, true}, victim), "equal ranks");
    test.Expect(!rules.MayInterrupt(urgent, {4096, 0, false}), "a victim of rank 0");
    test.Expect(!rules.MayInterrupt({256, 0, true}, victim), "an urgent frame of rank 0");
    test.Expect(!rules.MayInterrupt({256, 127, false}, victim),
                "a lane without latency sensitivity");
    test.Expect(rules.IsWithinBudget(3840, 256), "4096 bytes interrupt a victim");
    test.Expect(!rules.IsWithinBudget(3841, 256), "4097 bytes do not");
    test.Expect(rules.IsCuttable(4096, 80) && !rules.IsCuttable(4096, 72), "80 B before");
    test.Expect(rules.IsCuttable(4096, 4016) && !rules.IsCuttable(4096, 4024), "80 B after");
    test.Expect(rules.RoundUp(80) == 80 && rules.RoundUp(81) == 88, "whole flits");

    // Three levels: high, medium, low, then Over-Bandwidth.
    const std::array<uint8_t, 4> ranks{4, 3, 2, 1};
    for (uint8_t level = 0; level < 4; ++level)
    {
        test.Expect(PreemptionRules::RankOfLevel(level, 3) == ranks[level], "rank of a level");
    }
}

void
CheckSettings(FunctionCase& test)
{
    const auto refuse =
        [&](const std::string& words, uint32_t PreemptionSettings::*field, uint32_t value) {
            PreemptionSettings settings;
            settings.*field = value;
            ExpectComplaint(test, words, [&] { PreemptionRules rules(settings); });
        };
    refuse("the flit in bytes is 0, allowed is 1 to 256", &PreemptionSettings::flitBytes, 0);
    refuse("the flit in bytes is 257", &PreemptionSettings::flitBytes, 257);
    refuse("mostUrgentBytes is 65536, allowed is 0 to 65535",
           &PreemptionSettings::mostUrgentBytes,
           65536);
    refuse("leastVictimBytes is 65536", &PreemptionSettings::leastVictimBytes, 65536);
    refuse("mostBytesPerVictim is 65536", &PreemptionSettings::mostBytesPerVictim, 65536);
    refuse("leastSentBytes is 65536", &PreemptionSettings::leastSentBytes, 65536);
    refuse("leastLeftBytes is 65536", &PreemptionSettings::leastLeftBytes, 65536);
    refuse("levels is 0, allowed is 1 to 17", &PreemptionSettings::levels, 0);
    refuse("levels is 18", &PreemptionSettings::levels, 18);
}

// ---- closed forms ----

constexpr TimePs FLIT = 640;        ///< 8 B at 100 Gb/s, ps.
constexpr TimePs LATENCY = 400'000; ///< Of the links of hand-made chains, ps.

/// @return a frame that is there at once
ChainFrame
Whole(TimePs time, uint32_t bytes, uint32_t enter, uint32_t leave, uint8_t lane)
{
    return {time, bytes, enter, leave, lane, LinkRate(), {}, lane + 1U};
}

/// @return wires of 100 Gb/s with lane 0 urgent, lanes 1 and 2 not
LaneChainPlan
Chain(uint32_t hops)
{
    LaneChainPlan plan;
    plan.settings = OmniPath();
    plan.rates.assign(hops, LinkRate(100 * GIGA));
    plan.latencies.assign(hops, LATENCY);
    plan.lanes = {{3, true, 3}, {2, false, 2}, {1, false, 1}};
    return plan;
}

void
CheckWorstWait(FunctionCase& test)
{
    constexpr uint32_t VICTIM = 8192;
    TimePs worst = 0;
    TimePs worstInside = 0;
    TimePs worstWithout = 0;
    for (TimePs at = 1; at < 655'360; at += at % 64'000 < 2'000 ? 1 : 61)
    {
        LaneChainPlan plan = Chain(1);
        plan.frames = {Whole(0, VICTIM, 0, 0, 1), Whole(at, 256, 0, 0, 0)};
        const TimePs wait = RunChain(plan).heads[0][1] - at;
        worst = std::max(worst, wait);
        if (at >= 80 * 80 && at <= (VICTIM - 80) * 80)
        {
            worstInside = std::max(worstInside, wait);
        }
        plan.settings.preempt = false;
        worstWithout = std::max(worstWithout, RunChain(plan).heads[0][1] - at);
    }
    test.Expect(worstInside == FLIT - 1, "a flit, is " + std::to_string(worstInside));
    test.Expect(worst == 10 * FLIT - 1, "80 B, is " + std::to_string(worst));
    test.Expect(worstWithout == 655'360 - 1, "8192 B, is " + std::to_string(worstWithout));
}

void
CheckLastCut(FunctionCase& test)
{
    // The last cut leaves 80 B; one ps later the urgent frame waits for the end.
    const TimePs last = (8192 - 80) * 80;
    for (const TimePs late : {0, 1})
    {
        LaneChainPlan plan = Chain(1);
        plan.frames = {Whole(0, 8192, 0, 0, 1), Whole(last + late, 256, 0, 0, 0)};
        const TimePs head = RunChain(plan).heads[0][1];
        test.Expect(head == (late == 0 ? last : 655'360), "starts at " + std::to_string(head));
    }
}

void
CheckInterleaving(FunctionCase& test)
{
    // Hop 0 interrupts the victim after 100 flits, for 256 B that go elsewhere. At hop 1 a frame of
    // 2048 B waits from just after the victim's start.
    constexpr TimePs CUT = 100 * FLIT;
    constexpr TimePs GAP = 32 * FLIT;
    constexpr TimePs VICTIM = 655'360;
    constexpr TimePs FILLER = 256 * FLIT;
    for (const bool interleave : {false, true})
    {
        LaneChainPlan plan = Chain(2);
        plan.settings.interleave = interleave;
        plan.frames = {Whole(0, 8192, 0, 1, 1),
                       Whole(CUT, 256, 0, 0, 0),
                       Whole(LATENCY + 1, 2048, 1, 1, 2)};
        LaneChain chain(plan);
        chain.Run();
        const FlitOracle::Outcome outcome = OutcomeOf(plan, chain);
        const TimePs victim = LATENCY + VICTIM + (interleave ? FILLER : GAP);
        const TimePs filler = interleave ? LATENCY + CUT + FILLER : victim + FILLER;
        test.Expect(outcome.tails[1][0] == victim, "victim " + std::to_string(outcome.tails[1][0]));
        test.Expect(outcome.tails[1][2] == filler, "filler " + std::to_string(outcome.tails[1][2]));
        test.Expect(chain.Counts(1).idleWhileWaiting == (interleave ? 0 : GAP), "idle time");
        test.Expect(chain.Counts(1).wastedFlits == (interleave ? 0 : 32), "wasted flits");
        test.Expect(chain.Counts(1).fills == (interleave ? 1 : 0), "fills");
        test.Expect(chain.Counts(1).gaps == 1 && chain.Counts(0).preemptions == 1, "one gap");
    }
}

void
CheckOtherRates(FunctionCase& test)
{
    const auto start = [](uint64_t first, uint64_t second) {
        LaneChainPlan plan = Chain(2);
        plan.rates = {LinkRate(first * GIGA), LinkRate(second * GIGA)};
        plan.frames = {Whole(0, 4096, 0, 1, 1)};
        const FlitOracle::Outcome outcome = RunChain(plan);
        return std::make_pair(outcome.heads[1][0] - LATENCY, outcome.tails[1][0] - LATENCY);
    };
    test.Expect(start(100, 50) == std::make_pair<TimePs, TimePs>(0, 655'360), "to a slower link");
    test.Expect(start(100, 100) == std::make_pair<TimePs, TimePs>(0, 327'680), "to an equal link");
    // The last of 512 flits is there after 511; it then takes 320 ps.
    const TimePs tail = 511 * FLIT + 320;
    test.Expect(start(100, 200) == std::make_pair<TimePs, TimePs>(tail - 163'840, TimePs{tail}),
                "to a faster link");
}

void
CheckBudget(FunctionCase& test)
{
    // 20 urgent frames of 256 B from flit 10 on: 16 of them interrupt, the others wait for the end.
    LaneChainPlan plan = Chain(1);
    plan.frames = {Whole(0, 8192, 0, 0, 1)};
    for (uint32_t i = 0; i < 20; ++i)
    {
        plan.frames.push_back(Whole(1, 256, 0, 0, 0));
    }
    LaneChain chain(plan);
    chain.Run();
    const FlitOracle::Outcome outcome = OutcomeOf(plan, chain);
    test.Expect(chain.Counts(0).preemptions == 16, "4096 B interrupt");
    test.Expect(outcome.tails[0][16] == 10 * FLIT + 16 * 32 * FLIT, "all 16 in a row");
    test.Expect(outcome.tails[0][0] == 655'360 + 16 * 32 * FLIT, "then the victim");
    test.Expect(outcome.segments[0].size() == 22, "it came in two pieces");
}

void
CheckShortestRun(FunctionCase& test)
{
    // The frame that starts is the best by priority, and another may interrupt it at once.
    LaneChainPlan plan = Chain(1);
    plan.settings.leastSentBytes = 0;
    plan.lanes = {{3, true, 1}, {1, false, 2}};
    plan.frames = {Whole(0, 8192, 0, 0, 1), Whole(0, 256, 0, 0, 0)};
    test.Expect(RunChain(plan).heads[0][1] == FLIT, "after a flit");
}

void
CheckRankChange(FunctionCase& test)
{
    // Two lanes of equal rank: none interrupts, until the long frame is over its bandwidth.
    LaneChainPlan plan = Chain(1);
    plan.lanes = {{2, true, 1}, {2, false, 1}};
    plan.frames = {Whole(0, 8192, 0, 0, 1), Whole(1, 256, 0, 0, 0)};
    test.Expect(RunChain(plan).heads[0][1] == 655'360, "not interrupted");
    plan.changes = {{100 * FLIT - 1, 0, 1, 1}};
    test.Expect(RunChain(plan).heads[0][1] == 100 * FLIT, "interrupted at the next flit");
    plan.changes = {{100 * FLIT, 0, 1, 1}};
    test.Expect(RunChain(plan).heads[0][1] == 100 * FLIT, "interrupted at that flit");
}

void
CheckNesting(FunctionCase& test)
{
    // Three ranks, each interrupting the one before; a fourth would be one level too many.
    LaneChainPlan plan = Chain(1);
    plan.settings.leastVictimBytes = 0;
    plan.settings.mostUrgentBytes = 8192;
    plan.settings.mostBytesPerVictim = 65535;
    plan.lanes = {{4, true, 4}, {3, true, 3}, {2, true, 2}, {1, true, 1}};
    plan.frames = {Whole(0, 8192, 0, 0, 3),
                   Whole(100 * FLIT, 800, 0, 0, 2),
                   Whole(120 * FLIT, 800, 0, 0, 1),
                   Whole(140 * FLIT, 800, 0, 0, 0)};
    FlitOracle::Outcome outcome = RunChain(plan);
    test.Expect(outcome.heads[0][2] == 120 * FLIT, "the third level");
    test.Expect(outcome.heads[0][3] == 220 * FLIT, "the fourth waits for the third to end");
    test.Expect(outcome.tails[0][1] == 400 * FLIT, "then the second goes on");
    plan.settings.levels = 4;
    outcome = RunChain(plan);
    test.Expect(outcome.heads[0][3] == 140 * FLIT, "four levels");
    test.Expect(outcome.tails[0][0] == (1024 + 300) * FLIT, "nothing is wasted");
    plan.settings.mostBytesPerVictim = 1599;
    outcome = RunChain(plan);
    test.Expect(outcome.heads[0][3] == 1124 * FLIT, "it would be too much for the lowest");
    test.Expect(outcome.heads[0][2] == 1224 * FLIT, "and so would the third be");
    // What interrupts the second counts for the lowest, too: 800 B have, when the urgent one comes.
    plan.frames[1].bytes = plan.frames[2].bytes = 400;
    plan.frames[3].time = 300 * FLIT;
    test.Expect(RunChain(plan).heads[0][3] == 1124 * FLIT, "a byte too much for the lowest");
    plan.settings.mostBytesPerVictim = 1600;
    test.Expect(RunChain(plan).heads[0][3] == 300 * FLIT, "just enough");
}

// ---- misuse ----

LaneAssembler
SmallAssembler()
{
    LaneAssembler::Link link;
    link.rate = LinkRate(100 * GIGA);
    link.lanes = 4;
    link.levels = 2;
    LaneAssembler assembler(link);
    assembler.Start(1000, 0, 8192, 7);
    return assembler;
}

void
CheckAssembler(FunctionCase& test)
{
    const auto refuse = [&](const std::string& words,
                            const std::function<void(LaneAssembler&)>& act) {
        LaneAssembler assembler = SmallAssembler();
        ExpectComplaint(test, words, [&] { act(assembler); });
    };
    refuse("lane 4 starts a frame, but the last one is 3",
           [](auto& a) { a.Start(2000, 4, 64, 8); });
    refuse("lane 0 starts a frame, but another frame of it is partly in",
           [](auto& a) { a.Start(2000, 0, 64, 8); });
    refuse("lane 1 starts a frame, but the frame of lane 0 still flows, and its tail is in at "
           "656360 ps",
           [](auto& a) { a.Start(2000, 1, 64, 8); });
    refuse("lane 2 starts a frame, but 2 frames are partly in already; allowed are 2", [](auto& a) {
        a.Stop(1640, 0, 8);
        a.Start(1640, 1, 64, 8);
        a.Stop(2280, 1, 8);
        a.Start(2280, 2, 64, 9);
    });
    refuse("lane 1 stops, but no frame of it is partly in", [](auto& a) { a.Stop(1640, 1, 8); });
    refuse("lane 9 stops, but no frame of it is partly in", [](auto& a) { a.Stop(1640, 9, 8); });
    refuse("lane 0 stops, but byte 9 begins no flit", [](auto& a) { a.Stop(1720, 0, 9); });
    refuse("lane 0 stops, but byte 16 is not where its frame of 8192 B is at 1640 ps",
           [](auto& a) { a.Stop(1640, 0, 16); });
    refuse("byte 8192 is not where its frame", [](auto& a) { a.Stop(656'360, 0, 8192); });
    refuse("lane 0 stops, but it does not flow", [](auto& a) {
        a.Stop(1640, 0, 8);
        a.Stop(1640, 0, 8);
    });
    refuse("byte 0 is not where its frame", [](auto& a) {
        a.Stop(1640, 0, 8);
        a.GoOn(2000, 0, 8);
        a.Stop(2000, 0, 0);
    });
    refuse("lane 1 goes on, but no frame of it", [](auto& a) { a.GoOn(2000, 1, 8); });
    refuse("lane 0 goes on, but the frame of lane 0 still flows",
           [](auto& a) { a.GoOn(2000, 0, 8); });
    refuse("lane 0 goes on, but byte 16 is not where it stopped, which is byte 8", [](auto& a) {
        a.Stop(1640, 0, 8);
        a.GoOn(2000, 0, 16);
    });
    refuse("lane 3 is sent on, but no frame", [](auto& a) { a.Arrival(3); });
    refuse("lane 1 breaks, but no frame of it is partly in", [](auto& a) { a.Break(1); });
    refuse("lane 0 goes on, but no frame of it is partly in", [](auto& a) {
        a.Break(0);
        a.GoOn(2000, 0, 0);
    });
    ExpectComplaint(test, "the number of lanes is 33, allowed is 1 to 32", [] {
        LaneAssembler::Link link;
        link.lanes = 33;
        LaneAssembler assembler(link);
    });
}

void
CheckAssembly(FunctionCase& test)
{
    LaneAssembler assembler = SmallAssembler();
    test.Expect(assembler.NextTail() == 656'360, "tail if nothing happens");
    test.Expect(assembler.Stop(1000 + 80 * FLIT, 0, 640) == 7, "handle of what stops");
    test.Expect(assembler.NextTail() == NEVER, "nothing flows");
    assembler.Start(1000 + 80 * FLIT, 1, 256, 8);
    test.Expect(assembler.OpenLanes() == 3, "two lanes are open");
    const TimePs whole = 1000 + 112 * FLIT;
    test.Expect(!assembler.TakeWhole(whole - 1), "not yet");
    const std::optional<AssembledFrame> urgent = assembler.TakeWhole(whole);
    test.Expect(urgent && urgent->handle == 8 && urgent->tail == whole && urgent->stops == 0 &&
                    urgent->head == 1000 + 80 * FLIT && urgent->bytes == 256,
                "the urgent frame");
    test.Expect(!assembler.TakeWhole(whole), "once");
    test.Expect(assembler.GoOn(whole, 0, 640) == 7, "handle of what goes on");
    test.Expect(assembler.Arrival(0).FirstByte() == 640, "for a frame sent on by cut-through");
    const std::optional<AssembledFrame> victim = assembler.TakeWhole(NEVER - 1);
    test.Expect(victim && victim->handle == 7 && victim->tail == 656'360 + 32 * FLIT &&
                    victim->stops == 1 && victim->head == 1000 && victim->lane == 0,
                "the victim");
    test.Expect(assembler.OpenLanes() == 0, "nothing is left");
    assembler.Start(whole * 10, 0, 256, 9);
    test.Expect(assembler.Break(0) == 9, "handle of what breaks");
    test.Expect(assembler.OpenLanes() == 0 && assembler.NextTail() == NEVER, "it is gone");
    assembler.Start(whole * 10 + 1, 0, 256, 10);
    test.Expect(assembler.Handle(0) == 10, "its lane is free");
}

void
CheckBreak(FunctionCase& test)
{
    LaneWire wire(LinkRate(100 * GIGA), PreemptionRules(OmniPath()));
    const WireFrame victim{1, {8192, 1, false}, FrameArrival(8192), 5};
    const WireFrame urgent{2, {256, 9, true}, FrameArrival(256), 6};
    wire.Settle(0);
    wire.Step(0, &victim);
    wire.Settle(200 * FLIT);
    const WireStep step = wire.Step(200 * FLIT, &urgent);
    test.Expect(step.takes.handle == 6, "the urgent frame interrupts");
    test.Expect(!wire.Break(201 * FLIT, 5), "what is interrupted was not on the wire");
    test.Expect(wire.OpenLanes() == 4 && wire.Runs(), "the other one is");
    test.Expect(!wire.HasEnded(231 * FLIT, 6) && wire.HasEnded(232 * FLIT, 6), "its end");
    const std::optional<WireSegment> segment = wire.Break(202 * FLIT, 6);
    test.Expect(segment && segment->bytes == 16 && segment->start == 200 * FLIT, "two flits of it");
    test.Expect(wire.OpenLanes() == 0 && !wire.Runs() && wire.Counts().bytes == 1616, "all broken");
    ExpectComplaint(test, "frame 6 breaks, but it is not partly sent", [&] { wire.Break(0, 6); });
    wire.Restart(203 * FLIT);
    wire.Settle(5000 * FLIT);
    test.Expect(wire.Step(5000 * FLIT, &victim).takes.event == WireEvent::STARTS, "anew");
}

void
CheckWireMisuse(FunctionCase& test)
{
    LaneWire wire(LinkRate(100 * GIGA), PreemptionRules(OmniPath()));
    const WireFrame frame{1, {8192, 1, false}, FrameArrival(8192), 5};
    wire.Settle(1000);
    ExpectComplaint(test,
                    "a step at 1001 ps, allowed is the time for which it was settled, 1000",
                    [&] { wire.Step(1001, &frame); });
    const WireStep step = wire.Step(1000, &frame);
    test.Expect(step.takes.event == WireEvent::STARTS && step.takes.handle == 5, "it starts");
    test.Expect(step.nextTime == 656'360, "to be looked at when it ends");
    ExpectComplaint(test, "a step at 999 ps, allowed are 1000 to 656360", [&] {
        wire.Settle(999);
    });
    ExpectComplaint(test, "a step at 656361 ps, allowed are", [&] { wire.Settle(656'361); });
    ExpectComplaint(test, "a frame of lane 1 can't start", [&] { wire.Step(1000, &frame); });
    WireFrame strange = frame;
    strange.lane = MAX_LANES;
    ExpectComplaint(test, "a frame of lane 32 can't start", [&] { wire.Step(1000, &strange); });
    const WireStep end = wire.Settle(656'360);
    test.Expect(end.leaves.event == WireEvent::ENDS && end.segment.bytes == 8192, "it ends");
    test.Expect(wire.Step(656'360, nullptr).nextTime == NEVER, "nothing more");
    test.Expect(wire.OpenFrames() == 0 && wire.Counts().bytes == 8192, "done");
}

/// Three frames that come on three links, one of which stops after the other.
void
CheckLatestFirst(FunctionCase& test)
{
    PreemptionSettings settings;
    settings.interleave = true;
    const LinkRate rate(100 * GIGA);
    LaneWire wire(rate, PreemptionRules(settings));
    const auto take = [&](TimePs now, const WireFrame* waiting) {
        wire.Settle(now);
        const WireChange takes = wire.Step(now, waiting).takes;
        return std::make_pair(takes.event, takes.handle);
    };
    for (uint8_t lane = 0; lane < 3; ++lane)
    {
        const TimePs now = lane * 10 * FLIT;
        const WireFrame frame{lane, {8192, 1, false}, FrameArrival(now, rate, 8192), lane};
        test.Expect(take(now, &frame) == std::make_pair(WireEvent::STARTS, uint32_t{lane}), "fill");
        wire.UpstreamStops(lane, 80);
    }
    wire.UpstreamGoesOn(0, 30 * FLIT);
    test.Expect(take(30 * FLIT, nullptr) == std::make_pair(WireEvent::GOES_ON, 0U),
                "the ready one");
    wire.UpstreamStops(0, 160);
    wire.UpstreamGoesOn(1, 40 * FLIT);
    wire.UpstreamGoesOn(2, 40 * FLIT);
    test.Expect(take(40 * FLIT, nullptr) == std::make_pair(WireEvent::GOES_ON, 2U), "the latest");
    test.Expect(wire.Counts().fills == 2 && wire.Counts().gaps == 4, "two fills, four gaps");
}

// ---- random chains ----

std::string
TextOf(const FlitOracle::Segment& key)
{
    std::ostringstream text;
    std::apply([&text](const auto&... parts) { ((text << parts << ' '), ...); }, key);
    return text.str();
}

/// @return the first segment that differs, empty if none does
std::string
FirstDifference(const FlitOracle::Outcome& fast, const FlitOracle::Outcome& slow)
{
    for (std::size_t hop = 0; hop < fast.segments.size(); ++hop)
    {
        const auto& a = fast.segments[hop];
        const auto& b = slow.segments[hop];
        for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
        {
            if (i >= a.size() || i >= b.size() || a[i] != b[i])
            {
                return "hop " + std::to_string(hop) + " segment " + std::to_string(i) + ": " +
                       (i < a.size() ? TextOf(a[i]) : "none ") + "is not " +
                       (i < b.size() ? TextOf(b[i]) : "none");
            }
        }
    }
    return {};
}

/// @return whether every frame was sent by all hops on its way, and those of a source and lane in
/// order
bool
IsCompleteAndOrdered(const LaneChainPlan& plan, const FlitOracle::Outcome& outcome)
{
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint8_t>, TimePs> last;
    for (uint32_t handle = 0; handle < plan.frames.size(); ++handle)
    {
        const ChainFrame& frame = plan.frames[handle];
        for (uint32_t hop = frame.enter; hop <= frame.leave; ++hop)
        {
            TimePs& before = last[{hop, frame.enter, frame.source, frame.lane}];
            if (outcome.tails[hop][handle] == NEVER || outcome.heads[hop][handle] < before)
            {
                return false;
            }
            before = outcome.tails[hop][handle];
        }
    }
    return true;
}

void
CompareWithOracle(FunctionCase& test)
{
    uint64_t flits = 0;
    uint64_t pieces = 0;
    WireCounts all;
    for (uint64_t seed = 1; seed <= 250; ++seed)
    {
        const LaneChainPlan plan = RandomLaneChain::Draw(seed);
        const std::string where = ", seed " + std::to_string(seed);
        FlitOracle oracle(plan);
        const FlitOracle::Outcome slow = oracle.Run();
        LaneChain chain(plan);
        const std::string complaint = Complaint([&] { chain.Run(); });
        if (!complaint.empty())
        {
            test.Expect(false, complaint + where);
            return;
        }
        const FlitOracle::Outcome fast = OutcomeOf(plan, chain);
        const std::string difference = FirstDifference(fast, slow);
        test.Expect(difference.empty(), difference + where);
        test.Expect(fast.tails == slow.tails && fast.heads == slow.heads, "times" + where);
        test.Expect(fast.idle == slow.idle && fast.wasted == slow.wasted, "idle time" + where);
        test.Expect(IsCompleteAndOrdered(plan, fast), "lost or overtaken" + where);
        const std::string inWindows = FirstDifference(RunInWindows(plan), slow);
        test.Expect(inWindows.empty(), "windows, " + inWindows + where);
        flits += oracle.Flits();
        pieces += chain.Interruptions();
        for (uint32_t hop = 0; hop < plan.rates.size(); ++hop)
        {
            all.preemptions += chain.Counts(hop).preemptions;
            all.fills += chain.Counts(hop).fills;
            all.gaps += chain.Counts(hop).gaps;
            all.wastedFlits += chain.Counts(hop).wastedFlits;
        }
    }
    test.Expect(flits > 4'000'000, "millions of flits, are " + std::to_string(flits));
    test.Expect(pieces > 1000, "fragments, are " + std::to_string(pieces));
    test.Expect(all.preemptions > 300, "preemptions, are " + std::to_string(all.preemptions));
    test.Expect(all.fills > 200, "fills, are " + std::to_string(all.fills));
    test.Expect(all.gaps > 500, "gaps, are " + std::to_string(all.gaps));
    test.Expect(all.wastedFlits > 5000, "wasted flits, are " + std::to_string(all.wastedFlits));
}

/// The suite.
class PreemptionSuite : public TestSuite
{
  public:
    PreemptionSuite()
        : TestSuite("fabric-preemption", kUnit)
    {
        Add("DP-14 times of bytes: inverse and difference, 20000 random rates", CheckRates);
        Add("VA-9 who may interrupt whom: Omni-Path's limits one by one", CheckRules);
        Add("VA-9 settings out of range are refused", CheckSettings);
        Add("VA-9 worst wait: a flit or 80 B with preemption, 655 ns without", CheckWorstWait);
        Add("VA-9 the last cut leaves 80 B", CheckLastCut);
        Add("VA-9 at most 4096 B interrupt a frame", CheckBudget);
        Add("VA-9 nesting is bounded by the number of levels", CheckNesting);
        Add("VA-9 a flit is sent before the next interruption", CheckShortestRun);
        Add("VA-7 a frame that gets over its bandwidth half way is interrupted", CheckRankChange);
        Add("VA-10 two hops: the gap is wasted or filled, by hand", CheckInterleaving);
        Add("VA-10 a slower, equal and faster next link, by hand", CheckOtherRates);
        Add("VA-10 the frame that was on the wire last goes on first", CheckLatestFirst);
        Add("VA-9 the receiver refuses what breaks the link's order", CheckAssembler);
        Add("VA-9 the receiver assembles by lane", CheckAssembly);
        Add("VA-9 a wire refuses steps that are not due", CheckWireMisuse);
        Add("WL-8 VA-9 a wire and a link whose frames break begin anew", CheckBreak);
        Add("VA-9 VA-10 DP-2 DP-14 random chains: windows = instants = flit by flit",
            CompareWithOracle);
    }

  private:
    void Add(const std::string& name, FunctionCase::Body body)
    {
        AddTestCase(new FunctionCase(name, std::move(body)), kQuick);
    }
};

PreemptionSuite g_preemptionSuite; ///< Registers the suite.

} // namespace
