/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-receive-pauses.h"
#include "fabric-receive-settings.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A frame that comes to a host and drains, in ticks of one byte on the link.
struct ComingFrame
{
    uint32_t trafficClass{0}; ///< FTAG.
    uint16_t payload{0};      ///< Bytes.
    TimePs tail{0};           ///< When it is in.
    TimePs leaves{0};         ///< When it has left, if it fits.
};

/// What a host told its switch.
struct Told
{
    TimePs at;    ///< When.
    uint8_t stop; ///< See PauseOrder.
    uint8_t go;   ///< See PauseOrder.
};

/// @return the orders in words
std::string
TextOf(const std::vector<Told>& orders)
{
    std::ostringstream text;
    for (const Told& told : orders)
    {
        text << told.at << ":" << std::hex << +told.stop << "/" << +told.go << std::dec << " ";
    }
    return text.str();
}

/// Random frames, thresholds, and times at which the host's wire is taken.
struct PauseDraw
{
    explicit PauseDraw(uint32_t seed)
        : random(seed)
    {
        config.perPriority = Number(0, 1) == 1;
        config.priority.xoffBytes = Number(0, 1'500);
        config.priority.xonBytes = Number(0, config.priority.xoffBytes);
        config.port.xoffBytes = config.priority.xoffBytes + Number(0, 1'000);
        config.port.xonBytes = Number(0, config.port.xoffBytes);
        config.pauseTime = 1'000'000;
        config.refreshAfter = Number(0, 2) == 0 ? Number(50, 2'000) : 900'000;
        room = config.port.xoffBytes + Number(300, 1'500);
        const uint32_t perByte = Number(1, 6); // ticks
        TimePs free = 0;
        for (uint32_t i = 0; i < 60; ++i)
        {
            ComingFrame frame;
            frame.trafficClass = Number(0, 9);
            frame.payload = static_cast<uint16_t>(Number(0, 250));
            const TimePs gap = Number(0, 4) == 0 ? Number(0, 2'000) : 0;
            frame.tail = free + gap + WireBytes(frame.payload);
            free = frame.tail;
            frames.push_back(frame);
        }
        Drain(perByte);
        for (TimePs at = 0; at < frames.back().tail; at += Number(1, 1'500))
        {
            busy.emplace_back(at, at + Number(0, 300));
        }
        end = frames.back().tail + 200'000;
    }

    uint32_t Number(uint32_t least, uint32_t most)
    {
        return least + random() % (most - least + 1);
    }

    /// Byte by byte; what does not fit is left out.
    void Drain(uint32_t perByte)
    {
        TimePs drained = 0;
        for (ComingFrame& frame : frames)
        {
            if (FillAt(frame.tail, &frame) + WireBytes(frame.payload) > room)
            {
                ++lost;
                continue;
            }
            const TimePs head = frame.tail - WireBytes(frame.payload);
            for (uint32_t byte = 0; byte < WireBytes(frame.payload); ++byte)
            {
                const TimePs in = head + byte + 1;
                drained = std::max(in, std::max(drained, head + byte) + perByte);
            }
            frame.leaves = drained;
        }
    }

    /// @return bytes of the frames before `end` that are in the buffer
    uint32_t FillAt(TimePs at, const ComingFrame* until) const
    {
        uint32_t bytes = 0;
        for (const ComingFrame* frame = frames.data(); frame != until; ++frame)
        {
            bytes += frame->tail <= at && at < frame->leaves ? WireBytes(frame->payload) : 0;
        }
        return bytes;
    }

    bool IsFree(TimePs at) const
    {
        return std::none_of(busy.begin(), busy.end(), [at](const auto& time) {
            return time.first <= at && at < time.second;
        });
    }

    std::minstd_rand random;
    PauseConfig config;
    uint32_t room;
    uint32_t lost{0};
    TimePs end;
    std::vector<ComingFrame> frames;
    std::vector<std::pair<TimePs, TimePs>> busy; ///< The host's wire.
};

/// Tick by tick: adds up what is in the buffer, and tells the switch when the wire is free.
std::vector<Told>
TellByTicks(const PauseDraw& draw)
{
    std::vector<Told> orders;
    std::array<bool, PAUSE_PRIORITIES> closed{};
    bool portClosed = false;
    uint8_t told = 0;
    TimePs refreshAt = NEVER;
    for (TimePs now = 0; now < draw.end; ++now)
    {
        const auto look = [&](bool arrives) {
            std::array<uint32_t, PAUSE_PRIORITIES> fill{};
            uint32_t all = 0;
            for (const ComingFrame& frame : draw.frames)
            {
                const bool isIn = frame.tail < now || (arrives && frame.tail == now);
                if (isIn && now < frame.leaves)
                {
                    fill[draw.config.perPriority ? frame.trafficClass % 8 : 0] +=
                        WireBytes(frame.payload);
                    all += WireBytes(frame.payload);
                }
            }
            const auto isClosed = [](bool was, uint32_t bytes, const PauseThresholds& at) {
                return was ? bytes > at.xonBytes : bytes > at.xoffBytes;
            };
            for (uint32_t i = 0; i < PAUSE_PRIORITIES; ++i)
            {
                closed[i] = isClosed(closed[i], fill[i], draw.config.priority);
            }
            portClosed = isClosed(portClosed, all, draw.config.port);
        };
        look(false);
        look(true);
        uint8_t wanted = 0;
        for (uint32_t i = 0; i < PAUSE_PRIORITIES; ++i)
        {
            wanted |= closed[i] ? 1U << i : 0U;
        }
        wanted = portClosed || (wanted != 0 && !draw.config.perPriority) ? 0xFF : wanted;
        if (draw.IsFree(now) && (wanted != told || now >= refreshAt))
        {
            orders.push_back({now, wanted, static_cast<uint8_t>(told & ~wanted)});
            told = wanted;
            refreshAt = wanted != 0 ? now + draw.config.refreshAfter : NEVER;
        }
    }
    return orders;
}

/**
 * As a NIC asks: when it is told to, and when frames are announced that change something.
 *
 * @param lead how long before the arrival of its tail a frame is announced, at least
 * @param [out] asked how often
 */
std::vector<Told>
TellWhenDue(FunctionCase& test, PauseDraw& draw, TimePs lead, uint32_t& asked)
{
    std::vector<Told> orders;
    ReceivePauses pauses(draw.config, draw.room);
    std::size_t announced = 0;
    TimePs next = NEVER;
    uint32_t lost = 0;
    for (TimePs now = 0; now < draw.end; ++now)
    {
        for (; announced < draw.frames.size() && draw.frames[announced].tail <= now + lead;
             ++announced)
        {
            const ComingFrame& coming = draw.frames[announced];
            Frame frame{};
            frame.trafficClass = coming.trafficClass & 0xF;
            frame.payload = coming.payload;
            frame.time = coming.tail;
            if (pauses.Arrive(frame))
            {
                pauses.Leave(frame, coming.leaves);
            }
            else
            {
                ++lost;
            }
            next = std::min(next, pauses.NextKnown());
        }
        if (next > now || !draw.IsFree(now))
        {
            continue;
        }
        ++asked;
        if (pauses.HasOrder(now))
        {
            const PauseOrder order = pauses.TakeOrder(now);
            orders.push_back({now, order.stop, order.go});
        }
        next = pauses.NextTime(now);
        test.Expect(next > now, "it would ask for ever");
    }
    test.ExpectEqual(lost, draw.lost, "frames that do not fit");
    test.Expect(pauses.PeakBytes() <= pauses.Bytes(), "the buffer is overrun");
    return orders;
}

void
TestPausesByTicks(FunctionCase& test)
{
    const TestSeeds seeds(60);
    uint64_t told = 0;
    uint64_t lost = 0;
    uint32_t asked = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        PauseDraw draw(seed);
        draw.end = draw.frames.back().tail + 4'000; // it is about empty then
        const std::vector<Told> expected = TellByTicks(draw);
        for (const TimePs lead : {0, 700, 5'000})
        {
            const std::vector<Told> orders = TellWhenDue(test, draw, lead, asked);
            test.ExpectEqual(TextOf(orders), TextOf(expected), Text("seed ", seed, ", ", lead));
        }
        told += expected.size();
        lost += draw.lost;
    }
    test.Expect(!seeds.AreMany() || told > 5 * seeds.count, Text("pauses, are ", told));
    test.Expect(lost > seeds.count / 4, Text("frames that do not fit, are ", lost));
    test.Expect(asked < 12 * told, Text("it is asked ", asked, " times for 3 x ", told, " orders"));
}

/// The switch that is repaired has forgotten what it was told.
void
TestPausesAfterOutage(FunctionCase& test)
{
    PauseConfig config;
    config.priority = config.port = {1'000, 500};
    config.pauseTime = 1'000'000;
    config.refreshAfter = 900'000;
    ReceivePauses pauses(config, 10'000);
    Frame frame{};
    frame.payload = 2'000;
    frame.time = 100;
    test.Expect(pauses.Arrive(frame), "it fits");
    pauses.Leave(frame, 50'000);
    test.ExpectEqual(pauses.NextKnown(), 100, "the host will stop the switch");
    test.Expect(!pauses.HasOrder(99) && pauses.HasOrder(100), "and not before");
    test.ExpectEqual(+pauses.TakeOrder(100).stop, 0xFF, "all priorities");
    test.Expect(!pauses.HasOrder(200), "the switch is told");
    test.ExpectEqual(pauses.NextTime(200), 50'000, "until the frame has left");
    pauses.LinkUp();
    test.Expect(pauses.HasOrder(300), "the switch is told again");
    test.ExpectEqual(+pauses.TakeOrder(300).stop, 0xFF, "the same");
    test.Expect(pauses.HasOrder(50'000), "XON");
    const PauseOrder xon = pauses.TakeOrder(50'000);
    test.Expect(xon.stop == 0 && xon.go == 0xFF, "all may go on");
    test.ExpectEqual(pauses.NextTime(50'000), NEVER, "nothing is left to say");
}

void
TestReceiveThresholds(FunctionCase& test)
{
    const auto thresholds = [](const ReceiveSettings& settings) {
        const PauseThresholds found = settings.Thresholds(33'000, 9'024);
        return std::to_string(found.xoffBytes) + "/" + std::to_string(found.xonBytes);
    };
    test.ExpectEqual(thresholds({1, 0, 0, 0}), "131072/98304", "a quarter, as switches have it");
    test.ExpectEqual(thresholds({1, 34'000, 0, 0}), "1000/750", "the headroom needs more");
    test.ExpectEqual(thresholds({1, 34'000, 34'000, 10}), "34000/10", "the user's");
    test.ExpectEqual(thresholds({1, 33'000, 0, 0}), "0/0", "only the headroom");
    const auto refusal = [&thresholds](const ReceiveSettings& settings) {
        return Refusal([&] { thresholds(settings); });
    };
    test.ExpectEqual(refusal({1, 32'999, 0, 0}),
                     "ReceiveBuffer is 32999, and up to 33000 bytes can arrive after the host has "
                     "paused the switch; allowed are at least these, or a ReceiveXoffBytes, with "
                     "which frames may be lost",
                     "no headroom");
    test.ExpectEqual(refusal({1, 9'023, 1, 0}),
                     "ReceiveBuffer is 9023; allowed is at least 9024 bytes, the largest frame",
                     "no frame fits");
    test.ExpectEqual(refusal({1, 9'024, 9'025, 0}),
                     "ReceiveXoffBytes is 9025; allowed is at most ReceiveBuffer (9024)",
                     "never paused");
    test.ExpectEqual(refusal({1, 9'024, 5'000, 5'001}),
                     "ReceiveXonBytes is 5001; allowed is at most ReceiveXoffBytes (5000)",
                     "XON above XOFF");
}

/// The suite.
class ReceivePausesSuite : public FunctionSuite
{
  public:
    ReceivePausesSuite()
        : FunctionSuite("fabric-receive-pauses", kUnit)
    {
        Add("WL-5 a host's pauses are those of a simulation tick by tick, however far ahead frames "
            "are announced",
            TestPausesByTicks);
        Add("WL-5 WL-8 a switch that has forgotten its pause is told again", TestPausesAfterOutage);
        Add("WL-5 thresholds of a host that pauses its switch", TestReceiveThresholds);
    }
};

ReceivePausesSuite g_receivePausesSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
