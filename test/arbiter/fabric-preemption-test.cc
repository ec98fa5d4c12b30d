/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-lane-assembler.h"
#include "fabric-lane-wire.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"

#include <array>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr uint64_t GIGA = 1'000'000'000;

/// @param act must complain with the words
void
ExpectComplaint(FunctionCase& test, const std::string& words, const std::function<void()>& act)
{
    const std::string complaint = Refusal<std::exception>(act);
    test.Expect(complaint.find(words) != std::string::npos,
                '"' + complaint + "\" has not " + words);
}

PreemptionSettings
OmniPath()
{
    PreemptionSettings settings;
    settings.preempt = true;
    settings.levels = 3;
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
        test.Expect(rate.BytesIn(end) == bytes, "room for " + where);
        test.Expect(rate.LongerThan(bytes, other, 0) == end, "rounded up, " + where);
        test.Expect(rate.LongerThan(bytes, rate, bytes) == 0, "no difference, " + where);
        const TimePs negative = rate.LongerThan(0, rate, bytes);
        test.Expect(negative == -end || negative == 1 - end, "negative, " + where);
        const auto more = static_cast<uint32_t>(random() % 10'000);
        const TimePs difference = rate.LongerThan(bytes, other, more);
        test.Expect(std::abs(difference - (end - other.TxTime(more))) <= 1, "difference, " + where);
    }
    constexpr TimePs DAY = TimePs{86'400} * 1'000'000'000'000;
    test.ExpectEqual(LinkRate(100 * GIGA).BytesIn(DAY), DAY / 80, "a day at 80 ps a byte");
}

// ---- the rules ----

void
CheckRules(FunctionCase& test)
{
    const PreemptionRules rules(OmniPath());
    const PreemptionParty urgent{256, 2, true};
    const PreemptionParty victim{4096, 1, false};
    test.Expect(rules.MayInterrupt(urgent, victim), "just allowed");
    PreemptionSettings off = OmniPath();
    off.preempt = false;
    test.Expect(!PreemptionRules(off).MayInterrupt(urgent, victim), "off");
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
            PreemptionSettings settings = OmniPath();
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
    LaneTable table;
    test.ExpectEqual(PreemptionSettings{}.For(table).levels, 4, "three levels and Over-Bandwidth");
    table.levels.resize(MAX_LEVELS);
    test.ExpectEqual(PreemptionSettings{}.For(table).levels, 17, "as many as a table may have");
    test.ExpectEqual(OmniPath().For(table).levels, 3, "what is chosen");
}

// ---- the ends of a link ----

constexpr TimePs FLIT = 640; ///< 8 B at 100 Gb/s, ps.

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
    refuse("lane 0 stops, but it does not flow", [](auto& a) {
        a.Stop(1640, 0, 8);
        a.Start(1640, 1, 64, 8);
        a.Stop(2280, 0, 16); // the other one does
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

/// A frame that waits breaks while another flows: that one goes on, and there is room for one more.
void
CheckBreakOfWaiting(FunctionCase& test)
{
    LaneAssembler assembler = SmallAssembler();
    assembler.Stop(1000 + 80 * FLIT, 0, 640);
    assembler.Start(1000 + 80 * FLIT, 1, 256, 8);
    test.ExpectEqual(assembler.Break(0), 7, "handle of what breaks");
    test.ExpectEqual(assembler.NextTail(), 1000 + 112 * FLIT, "the other one flows");
    test.ExpectEqual(assembler.Stop(1000 + 90 * FLIT, 1, 80), 8, "it stops");
    assembler.Start(1000 + 90 * FLIT, 2, 64, 9);
    const std::optional<AssembledFrame> third = assembler.TakeWhole(1000 + 98 * FLIT);
    test.Expect(third && third->handle == 9, "two levels are in use: it and a third one");
    assembler.GoOn(1000 + 98 * FLIT, 1, 80);
    const std::optional<AssembledFrame> other = assembler.TakeWhole(1000 + 120 * FLIT);
    test.Expect(other && other->handle == 8, "the other one is whole");
    test.Expect(assembler.OpenLanes() == 0, "nothing is left");
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
    PreemptionSettings settings = OmniPath();
    settings.preempt = false;
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

/// The suite.
class PreemptionSuite : public FunctionSuite
{
  public:
    PreemptionSuite()
        : FunctionSuite("fabric-preemption", kUnit)
    {
        Add("DP-14 times of bytes: inverse and difference, 20000 random rates", CheckRates);
        Add("VA-9 who may interrupt whom: Omni-Path's limits one by one", CheckRules);
        Add("VA-9 settings out of range are refused", CheckSettings);
        Add("VA-10 the frame that was on the wire last goes on first", CheckLatestFirst);
        Add("VA-9 the receiver refuses what breaks the link's order", CheckAssembler);
        Add("VA-9 the receiver assembles by lane", CheckAssembly);
        Add("WL-8 VA-9 a frame that waits breaks, the one that flows goes on", CheckBreakOfWaiting);
        Add("VA-9 a wire refuses steps that are not due", CheckWireMisuse);
        Add("WL-8 VA-9 a wire and a link whose frames break begin anew", CheckBreak);
    }
};

const PreemptionSuite g_preemptionSuite; ///< Registers the suite.

} // namespace
