/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-lossy-bed.h"
#include "fabric-pause-controller.h"
#include "fabric-pause-settings.h"
#include "fabric-shared-memory.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t MEMORY_FRAME = WireBytes(MAX_PAYLOAD); ///< Bytes on the wire.

/// n queues that take whatever they may hold alpha / (1 + n alpha) of the memory each.
void
TestDynamicShares(FunctionCase& test)
{
    constexpr uint32_t BYTES = 1'000'000;
    constexpr uint32_t CELL = 100;
    for (const double alpha : {0.125, 0.5, 1.0, 2.0, 8.0})
    {
        for (uint32_t queues = 1; queues <= 16; ++queues)
        {
            SharedMemory memory({BYTES, 1, alpha, 0});
            std::vector<uint32_t> held(queues, 0);
            for (bool grows = true; grows;)
            {
                grows = false;
                for (uint32_t& queue : held)
                {
                    if (queue < memory.LossyLimit(0) && memory.Free(0) >= CELL)
                    {
                        memory.Take(CELL);
                        queue += CELL;
                        grows = true;
                    }
                }
            }
            const double share = alpha / (1 + queues * alpha) * BYTES;
            for (const uint32_t queue : held)
            {
                test.ExpectNear(queue, share, 2 * CELL, Text(queues, " queues, alpha ", alpha));
            }
        }
    }
}

/// Room is free when the tail has left, in whatever order the ends are told.
void
TestLeaving(FunctionCase& test)
{
    SharedMemory memory({1'000, 0.5, 2, 0});
    memory.Take(300);
    memory.Take(500);
    memory.Leave(500, 20);
    memory.Leave(300, 10);
    test.ExpectEqual(memory.HeldBytes(), 0U, "all of it is leaving");
    test.ExpectEqual(memory.Free(9), 200U, "nothing has left");
    test.ExpectEqual(memory.Free(10), 500U, "the one that is told last is the first to leave");
    test.ExpectEqual(memory.PauseLimit(10), 250U, "half of what is free");
    test.ExpectEqual(memory.LossyLimit(19), 1'000U, "twice that");
    test.ExpectEqual(memory.Free(20), 1'000U, "all has left");
    test.ExpectEqual(memory.PeakBytes(), 800U, "most at a time");
}

// ---- pauses, and a slow model of them ----

/// What a slow, obvious model knows of one priority of an input.
struct SlowFill
{
    /// A frame, or a part of one, that is leaving.
    struct Leaving
    {
        TimePs end;        ///< When it has left.
        uint32_t shared;   ///< Of the memory.
        uint32_t headroom; ///< Of the headroom.
    };

    uint32_t shared{0};         ///< Bytes in the memory, with those leaving.
    uint32_t headroom{0};       ///< Bytes in the headroom, with those leaving.
    uint32_t held{0};           ///< Bytes that are not leaving.
    uint32_t heldInHeadroom{0}; ///< Of these: in the headroom.
    bool isClosed{false};       ///< Whether the sender is to stop.
    bool hasLeft{false};        ///< Whether something has left of which Open() has not heard.
    std::vector<Leaving> leaving;

    /// Takes out what has left by now.
    void Pass(TimePs now)
    {
        const auto first = std::stable_partition(leaving.begin(),
                                                 leaving.end(),
                                                 [now](const Leaving& l) { return l.end > now; });
        for (auto left = first; left != leaving.end(); ++left)
        {
            shared -= left->shared;
            headroom -= left->headroom;
            hasLeft = true;
        }
        leaving.erase(first, leaving.end());
    }
};

/// A slow, obvious model of inputs with pauses that share a memory.
struct SlowMemory
{
    SharedMemorySettings settings;
    std::map<std::pair<uint32_t, uint32_t>, SlowFill> fills; ///< By input and priority.

    /// @return bytes that nobody has
    uint32_t Free(TimePs now)
    {
        uint32_t used = 0;
        for (auto& [name, fill] : fills)
        {
            fill.Pass(now);
            used += fill.shared;
        }
        return settings.bytes - used;
    }

    uint32_t Limit(TimePs now)
    {
        return static_cast<uint32_t>(settings.pauseAlpha * Free(now));
    }

    void Arrive(uint32_t input, uint32_t priority, uint32_t bytes, TimePs now)
    {
        const uint32_t limit = Limit(now);
        const bool isRoom = bytes <= Free(now);
        SlowFill& fill = fills[{input, priority}];
        const bool fits = isRoom && fill.shared + fill.headroom + bytes <= limit;
        (fits ? fill.shared : fill.headroom) += bytes;
        fill.held += bytes;
        fill.heldInHeadroom += fits ? 0 : bytes;
        Open(now);
        const uint32_t left = Limit(now);
        const uint32_t most = fill.isClosed ? left - std::min(left, settings.xonGapBytes) : left;
        fill.isClosed = fill.headroom != 0 || fill.shared > most;
    }

    void Leave(uint32_t input, uint32_t priority, uint32_t bytes, TimePs end)
    {
        SlowFill& fill = fills[{input, priority}];
        const uint32_t own = std::min(fill.heldInHeadroom, bytes);
        fill.heldInHeadroom -= own;
        fill.held -= bytes;
        fill.leaving.push_back({end, bytes - own, own});
    }

    /// Those of whom something has left go on if they may by now.
    void Open(TimePs now)
    {
        const uint32_t limit = Limit(now);
        const uint32_t xon = limit - std::min(limit, settings.xonGapBytes);
        for (auto& [name, fill] : fills)
        {
            const bool hasLeft = std::exchange(fill.hasLeft, false);
            const bool mayGo = hasLeft && fill.headroom == 0 && fill.shared <= xon;
            fill.isClosed = fill.isClosed && !mayGo;
        }
    }

    uint8_t Wanted(uint32_t input, TimePs now)
    {
        Open(now);
        uint8_t wanted = 0;
        for (const auto& [name, fill] : fills)
        {
            const bool isHere = name.first == input && fill.isClosed;
            wanted = static_cast<uint8_t>(wanted | (isHere ? 1U << name.second : 0U));
        }
        return wanted;
    }
};

/// Random frames come to three inputs and leave: pauses are as a slow model has them. The model
/// looks at all inputs at each step, and so does the test.
void
TestPausesBySlowModel(FunctionCase& test)
{
    constexpr uint32_t INPUTS = 3;
    const TestSeeds seeds(200);
    uint64_t closed = 0;
    uint64_t inHeadroom = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const double alphas[] = {0.125, 0.5, 1, 3};
        const SharedMemorySettings settings{2'000 + static_cast<uint32_t>(random() % 50'000),
                                            alphas[random() % 4],
                                            1,
                                            static_cast<uint32_t>(random() % 3'000)};
        SharedMemory memory(settings);
        PauseConfig config;
        config.perPriority = true;
        config.port = {1U << 30, 1U << 30};
        config.waiting = config.port;
        config.headroomBytes = 5'000;
        std::array<PauseFill, INPUTS> fills{PauseFill(config, &memory),
                                            PauseFill(config, &memory),
                                            PauseFill(config, &memory)};
        SlowMemory slow{settings, {}};
        TimePs now = 0;
        for (uint32_t step = 0; step < 300; ++step)
        {
            now += random() % 100;
            for (PauseFill& fill : fills)
            {
                fill.Collect(now);
            }
            slow.Open(now);
            const uint32_t input = random() % INPUTS;
            const uint32_t priority = random() % 2;
            const uint32_t bytes = 1 + random() % 2'000;
            const SlowFill& held = slow.fills[{input, priority}];
            if (random() % 2 == 0)
            {
                const bool fits = bytes <= slow.Free(now) &&
                                  held.shared + held.headroom + bytes <= slow.Limit(now);
                test.ExpectEqual(fills[input].HasRoom(priority, bytes, 0, now),
                                 fits || held.headroom + bytes <= config.headroomBytes,
                                 Text("room, seed ", seed, " step ", step));
                fills[input].Arrive(priority, bytes, now);
                slow.Arrive(input, priority, bytes, now);
                inHeadroom += !fits;
            }
            else if (held.held != 0)
            {
                const uint32_t part = 1 + random() % held.held;
                const TimePs end = now + random() % 500;
                fills[input].Leave(priority, part, end);
                slow.Leave(input, priority, part, end);
            }
            for (uint32_t i = 0; i < INPUTS; ++i)
            {
                const auto what = Text("input ", i, ", seed ", seed, " step ", step);
                fills[i].Collect(now);
                const uint8_t wanted = slow.Wanted(i, now);
                test.ExpectEqual<uint32_t, uint32_t>(fills[i].Wanted(), wanted, what);
                closed += wanted != 0;
                const SlowFill& first = slow.fills[{i, 0}];
                const uint32_t limit = slow.Limit(now);
                const uint32_t fill = first.shared + first.headroom;
                test.ExpectEqual(fills[i].FreeBytes(0, now), limit - std::min(limit, fill), what);
                const uint32_t inMemory = first.held - first.heldInHeadroom +
                                          slow.fills[{i, 1}].held -
                                          slow.fills[{i, 1}].heldInHeadroom;
                test.ExpectEqual(fills[i].SharedBytes(), inMemory, what);
            }
            test.ExpectEqual(memory.Free(now), slow.Free(now), Text("free, seed ", seed));
        }
    }
    test.Expect(!seeds.AreMany() || closed > 100 * seeds.count, Text("closed, is ", closed));
    test.Expect(!seeds.AreMany() || inHeadroom > 10 * seeds.count,
                Text("in the headroom, is ", inHeadroom));
}

/// A priority that is paused goes on at last, whatever others hold: when nothing of it is left.
void
TestOpensWhenEmpty(FunctionCase& test)
{
    SharedMemory memory({10'000, 1, 1, 9'000});
    PauseConfig config;
    config.perPriority = true;
    config.port = {1U << 30, 1U << 30};
    config.waiting = config.port;
    config.headroomBytes = 5'000;
    PauseFill one(config, &memory);
    PauseFill other(config, &memory);
    one.Arrive(0, 4'000, 0);
    other.Arrive(3, 3'000, 0);
    other.Arrive(3, 2'000, 0);
    test.ExpectEqual<uint32_t>(other.Wanted(), 1U << 3, "it is in its headroom");
    test.ExpectEqual<uint32_t>(one.Wanted(), 0U, "nothing has come since");
    one.Arrive(0, 1, 1);
    test.ExpectEqual<uint32_t>(one.Wanted(), 1U, "its limit has fallen");
    other.Leave(3, 4'999, 5);
    other.Collect(5);
    test.ExpectEqual<uint32_t>(other.Wanted(), 1U << 3, "a byte is above XON");
    other.Leave(3, 1, 6);
    other.Collect(6);
    test.ExpectEqual<uint32_t>(other.Wanted(), 0U, "all has left");
}

/// An input may have as much as its limit says, also more than a buffer of its own has.
void
TestNoOtherLimit(FunctionCase& test)
{
    SharedMemory memory({8'000'000, 1, 1, 0});
    PausedLink link;
    link.rate = LinkRate(200'000'000'000);
    link.delay = 100 * NS;
    link.largestFrame = WireBytes(JUMBO_PAYLOAD);
    link.bufferBytes = 100'000;
    const PauseSettings settings;
    PauseController pauses =
        MakePauseController(LINK_PRIORITY_PAUSE, settings, link, "Pause", &memory);
    pauses.Arrive(2, 4'000'000, 0);
    test.ExpectEqual<uint32_t, uint32_t>(pauses.Wanted(), 0U, "half of the memory, to the byte");
    pauses.Arrive(2, 1, 1);
    test.ExpectEqual<uint32_t, uint32_t>(pauses.Wanted(), 1U << 2, "and no more, of this one");
    const auto room = static_cast<uint32_t>(PauseHeadroom(link));
    test.Expect(pauses.HasRoom(2, room - 1, 0, 1), "the headroom is there");
    test.Expect(!pauses.HasRoom(2, room, 0, 1), "to the byte");
}

// ---- switches ----

/// @return settings of a switch where class 1 is lossy and has the shared memory for itself
SwitchConfig
SharedLossyConfig(uint32_t bytes, double alpha)
{
    SwitchConfig config = LossyClassConfig();
    config.buffer.shared.bytes = bytes;
    config.buffer.shared.lossyAlpha = alpha;
    config.flowChannels.enabled = false;
    return config;
}

/**
 * Incasts to one and to two hosts of a switch: its outputs hold what the closed form says, however
 * many inputs it comes by, and the rest is dropped.
 */
void
TestLossyIncasts(FunctionCase& test)
{
    constexpr uint32_t BYTES = 200 * MEMORY_FRAME;
    for (const double alpha : {0.25, 1.0, 4.0})
    {
        for (const uint32_t senders : {3U, 5U})
        {
            for (const uint32_t receivers : {1U, 2U})
            {
                const auto bed = MakeLossyBed({2 * senders + 2}, SharedLossyConfig(BYTES, alpha));
                constexpr uint32_t FRAMES = 400;
                for (uint32_t host = 0; host < senders * receivers; ++host)
                {
                    for (uint32_t i = 0; i < FRAMES; ++i)
                    {
                        bed->Send(host, 2 * senders + host % receivers, MAX_PAYLOAD, 1, 0);
                    }
                }
                bed->RunToEnd();
                bed->Check();
                const std::string what = std::to_string(senders) + " senders to " +
                                         std::to_string(receivers) + ", alpha " +
                                         std::to_string(alpha);
                const double share = alpha * receivers / (1 + alpha * receivers) * BYTES;
                // A frame more when it comes for each input, and one that is being sent on.
                test.ExpectNear(bed->Chip(0).Memory()->PeakBytes(),
                                share,
                                (senders * receivers + 2.0 * receivers) * MEMORY_FRAME,
                                what);
                const uint64_t lost = bed->Chip(0).Counts().droppedPayload[static_cast<std::size_t>(
                    DropCause::TAIL_DROP)];
                test.ExpectEqual(bed->Deliveries().size() * MAX_PAYLOAD + lost,
                                 uint64_t{senders} * receivers * FRAMES * MAX_PAYLOAD,
                                 what + ": each arrives or is counted");
                test.Expect(lost > FRAMES * MAX_PAYLOAD, what + ": what can't wait is dropped");
            }
        }
    }
}

/// An output that is not congested loses nothing while another one takes all that it may.
void
TestIsolation(FunctionCase& test)
{
    const auto bed = MakeLossyBed({6}, SharedLossyConfig(100 * MEMORY_FRAME, 1));
    for (uint32_t host = 0; host < 3; ++host)
    {
        bed->Send(host, 5, 400 * MAX_PAYLOAD, 1, 0);
    }
    for (uint32_t i = 0; i < 300; ++i)
    {
        bed->Send(3, 4, MAX_PAYLOAD, 1, 0);
    }
    bed->RunToEnd();
    bed->Check();
    const auto deliveries = bed->Deliveries();
    const auto arrived = std::count_if(deliveries.begin(), deliveries.end(), [](const auto& each) {
        return each.src == LocationOf(3);
    });
    test.ExpectEqual(arrived, 300, "the other output loses nothing");
}

/// Random traffic of lossy and lossless classes: look-ahead changes nothing, and all is counted.
void
TestRandomLossy(FunctionCase& test)
{
    const TestSeeds seeds(60);
    uint64_t dropped = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::string told[2];
        for (const bool lookahead : {true, false})
        {
            std::minstd_rand random(seed);
            const double alphas[] = {0.01, 0.25, 1, 8};
            SwitchConfig config =
                SharedLossyConfig(MEMORY_FRAME + random() % 300'000, alphas[random() % 4]);
            config.timing.forwarding = random() % 2 == 0 ? CUT_THROUGH : STORE_AND_FORWARD;
            const ChainSources sources{static_cast<uint32_t>(1 + random() % 3),
                                       static_cast<uint32_t>(1 + random() % 3),
                                       1};
            const auto bed = MakeLossyBed(sources, config, lookahead);
            const uint32_t hosts = sources[0] + sources[1] + sources[2];
            uint32_t lossless = 0;
            for (uint32_t i = 0; i < 80; ++i)
            {
                const uint32_t from = random() % hosts;
                const uint32_t to = random() % 2 == 0 ? (from + 1) % hosts : hosts;
                const uint64_t bytes = 1 + random() % 60'000;
                const uint8_t trafficClass = random() % 2;
                lossless += trafficClass == 0;
                bed->Send(from, to, bytes, trafficClass, random() % (10 * US));
            }
            const bool fails = seed % 3 == 0;
            if (fails)
            {
                bed->FailLink(random() % 2, 5 * US, 15 * US, US);
            }
            bed->RunToEnd();
            bed->Check();
            test.Expect(bed->IsEmpty(), Text("seed ", seed, ": something is left"));
            std::ostringstream text;
            for (const TestBed::Delivery& each : bed->Deliveries())
            {
                text << each.at << " " << each.src << " " << each.sequence << "\n";
                lossless -= each.trafficClass == 0;
            }
            test.Expect(fails || lossless == 0, Text("lossless messages all arrive, seed ", seed));
            for (std::size_t chip = 0; chip < sources.size(); ++chip)
            {
                const SwitchCounts& counts = bed->Chip(chip).Counts();
                const uint64_t lost =
                    counts.droppedPayload[static_cast<std::size_t>(DropCause::TAIL_DROP)];
                text << lost << " " << bed->Chip(chip).Memory()->PeakBytes() << "\n";
                dropped += lost;
                test.ExpectEqual(bed->Chip(chip).Memory()->HeldBytes(), 0U, "all is given back");
            }
            told[lookahead] = text.str();
        }
        test.ExpectSame(told[0], told[1], "seed " + std::to_string(seed));
    }
    test.Expect(!seeds.AreMany() || dropped > 0, "frames are dropped");
}

} // namespace

/// Memory that the ports of a switch share.
class SharedMemoryTestSuite : public FunctionSuite
{
  public:
    SharedMemoryTestSuite()
        : FunctionSuite("fabric-shared-memory", kUnit)
    {
        Add("CM-11 queues have equal parts by dynamic thresholds", TestDynamicShares);
        Add("DP-13 room is free when the tail has left", TestLeaving);
        Add("WL-5 pauses by dynamic thresholds, against a slow model", TestPausesBySlowModel);
        Add("WL-5 who is paused goes on when nothing of it is left", TestOpensWhenEmpty);
        Add("WL-5 an input may have more than a buffer of its own", TestNoOtherLimit);
        Add("FC-15 incasts hold what the closed form says", TestLossyIncasts);
        Add("FC-15 an output without congestion loses nothing", TestIsolation);
        Add("FC-15 DP-5 random lossy traffic in a shared memory", TestRandomLossy);
    }
};

static SharedMemoryTestSuite g_sharedMemoryTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
