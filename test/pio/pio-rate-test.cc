/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pio-rate.h"
#include "pio/pio-bed.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"
#include "support/fabric-time-units.h"

#include <algorithm>
#include <random>

namespace ns3::fabric
{

namespace
{

/**
 * @param skipped packets that go before those that count
 * @param counted packets that count; as they go in bursts, a multiple of what a context holds
 * @param wire rate of it, bit/s
 * @return packets per second of one thread that sends without a pause
 */
double
RateOf(const PioSettings& settings,
       const PcieSettings& pcie,
       uint32_t skipped,
       uint32_t counted,
       uint64_t wire = PioBed::RATE)
{
    PioBed bed(settings, pcie, wire);
    bed.Post(0, skipped + counted + 2 * settings.context.blocks, settings.packetBytes);
    bed.Run();
    return 1e12 * counted /
           static_cast<double>(bed.doneAt[skipped + counted] - bed.doneAt[skipped]);
}

/// Credits are short, or they are not.
struct Sides
{
    uint32_t limited{0};
    uint32_t saturated{0};
    uint32_t unsure{0};
};

/// The rate of one thread is that of the closed form.
void
ExpectClosedForm(FunctionCase& self,
                 const PioSettings& settings,
                 const PcieSettings& pcie,
                 Sides& sides,
                 uint64_t wire = PioBed::RATE)
{
    const PioRate form(settings, pcie, LinkRate(wire), settings.packetBytes);
    if (!form.IsSure())
    {
        ++sides.unsure;
        return;
    }
    // Packets go in bursts, so as many are counted as some round trips have.
    const auto begin = static_cast<uint32_t>(4 * form.roundTrip / form.Bottleneck());
    const uint32_t counted = std::max(4U, 200 / form.packets) * form.packets;
    const double expected = form.PacketsPerSecond();
    const double rate = RateOf(settings, pcie, begin, counted, wire);
    (form.IsShort() ? sides.limited : sides.saturated) += 1;
    // While a look takes several frames, who waits finds the credits of several packets with it:
    // one draw in some thousand is faster than the form for that.
    const bool findsSeveral =
        form.IsShort() && form.frame > form.core && settings.memoryLookTime > form.frame;
    const double most = findsSeveral ? 1.1 : 1.03;
    self.Expect(rate > 0.97 * expected && rate < most * expected,
                Text(settings.context.blocks,
                     " blocks, scheme ",
                     uint32_t{settings.context.scheme},
                     ", threshold ",
                     settings.context.threshold,
                     ", packets of ",
                     settings.packetBytes,
                     " B, core of ",
                     form.core,
                     " ps, frames of ",
                     form.frame,
                     " ps, round trip of ",
                     form.roundTrip,
                     " ps: ",
                     rate,
                     " packets/s and not ",
                     expected));
}

/// The rate is that of the closed form, below and above saturation, at PCIe of any delay.
void
TestClosedForm(FunctionCase& self)
{
    Sides sides;
    for (const TimePs latency : {50 * NS, 220 * NS, 1000 * NS, 5000 * NS})
    {
        for (const uint32_t blocks : {16, 33, 64, 160, 512, 1024})
        {
            for (uint32_t packetBlocks = 1; packetBlocks <= 33; ++packetBlocks)
            {
                if (packetBlocks <= blocks)
                {
                    PcieSettings pcie;
                    pcie.latency = latency;
                    ExpectClosedForm(self, SettingsOf(blocks, packetBlocks), pcie, sides);
                }
            }
        }
    }
    self.Expect(sides.limited > 20 && sides.saturated > 20, "both sides of saturation");
}

/// As above, of settings that are drawn from the whole range.
void
TestClosedFormDrawn(FunctionCase& self)
{
    const TestSeeds seeds(100);
    Sides sides;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const auto draw = [&random](uint32_t low, uint32_t high) {
            return low + static_cast<uint32_t>(random() % (high - low + 1));
        };
        const uint32_t blocks = draw(16, draw(0, 1) == 0 ? 100 : 1024);
        PioSettings settings = SettingsOf(blocks, 1);
        settings.packetBytes = draw(1, std::min(blocks, 33U) * BLOCK_BYTES - CONTROL_WORD_BYTES);
        settings.context.threshold = draw(0, 1) * draw(0, blocks);
        settings.context.scheme = draw(0, 3) == 0 ? CREDITS_BY_EGRESS : CREDITS_ABSOLUTE;
        settings.context.isEarly = draw(0, 1) == 0;
        settings.returnDelay = draw(0, 1) * draw(1, 3000) * NS;
        settings.blockTime = draw(1, 40) * NS;
        settings.packetTime = draw(0, 100) * NS;
        settings.memoryLookTime = draw(0, 200) * NS;
        PcieSettings pcie;
        pcie.generation = draw(3, 5);
        pcie.lanes = 4U << draw(0, 2);
        pcie.latency = draw(10, draw(0, 1) == 0 ? 400 : 6000) * NS;
        if (PioRate::Holds(settings, settings.packetBytes))
        {
            ExpectClosedForm(self, settings, pcie, sides);
        }
    }
    self.Expect(!seeds.AreMany() ||
                    (sides.limited > seeds.count / 5 && sides.saturated > seeds.count / 5),
                Text(sides.limited, " are short, ", sides.saturated, " are not"));
}

/// As above, of any wire and PCIe, so that each of core, PCIe and wire is the slowest now and then,
/// also with stores that are not joined; half of the settings are close to saturation.
void
TestClosedFormOfAnyBottleneck(FunctionCase& self)
{
    const TestSeeds seeds(400);
    Sides sides;
    uint32_t byWire = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const auto draw = [&random](uint32_t low, uint32_t high) {
            return low + static_cast<uint32_t>(random() % (high - low + 1));
        };
        const uint32_t blocks = draw(1, draw(0, 1) == 0 ? 30 : 200);
        PioSettings settings = SettingsOf(blocks, 1);
        settings.packetBytes = draw(1, std::min(blocks, 33U) * BLOCK_BYTES - CONTROL_WORD_BYTES);
        settings.context.threshold = draw(0, 2) == 0 ? draw(0, blocks) : 0;
        settings.context.isEarly = draw(0, 1) == 0;
        settings.blockTime = draw(1, 40) * NS;
        settings.packetTime = draw(0, 100) * NS;
        settings.memoryLookTime = draw(0, 1000) * NS;
        PcieSettings pcie;
        pcie.generation = draw(0, 1) == 0 ? 4 : draw(1, 5);
        pcie.lanes = pcie.generation == 4 ? 16 : 1U << draw(0, 4);
        pcie.latency = draw(10, 400) * NS;
        pcie.combinesWrites = draw(0, 2) != 0;
        const uint64_t wire = draw(2, draw(0, 1) == 0 ? 30 : 200) * uint64_t{1'000'000'000};
        const PioRate form(settings, pcie, LinkRate(wire), settings.packetBytes);
        if (draw(0, 1) == 0)
        {
            const TimePs missing = form.packets * form.Bottleneck() - form.roundTrip;
            settings.returnDelay =
                std::max<TimePs>(missing + (TimePs{draw(0, 1200)} - 300) * NS, 0);
        }
        if (PioRate::Holds(settings, settings.packetBytes))
        {
            byWire += form.frame > form.core ? 1 : 0;
            ExpectClosedForm(self, settings, pcie, sides, wire);
        }
    }
    self.Expect(!seeds.AreMany() ||
                    (sides.limited > seeds.count / 5 && sides.saturated > seeds.count / 5 &&
                     byWire > seeds.count / 10 && sides.unsure < 2 + seeds.count / 50),
                Text(sides.limited,
                     " are short, ",
                     sides.saturated,
                     " are not, of ",
                     sides.unsure,
                     " nobody knows; the wire is the slowest for ",
                     byWire));
}

/// What a stranger has measured: stores that are not joined, and a wire that credits leave time.
void
TestClosedFormOfSlowWires(FunctionCase& self)
{
    Sides sides;
    PcieSettings pcie;
    pcie.generation = 1;
    pcie.lanes = 1;
    pcie.combinesWrites = false;
    ExpectClosedForm(self, SettingsOf(64, 2), pcie, sides);
    ExpectClosedForm(self, SettingsOf(24, 4), {}, sides, 20'000'000'000);
    PioSettings early = SettingsOf(16, 2);
    early.packetBytes = 57;
    early.context.isEarly = true;
    pcie = {};
    pcie.generation = 5;
    ExpectClosedForm(self, early, pcie, sides, 10'000'000'000);
    early.memoryLookTime = 1000 * NS;
    ExpectClosedForm(self, early, pcie, sides, 10'000'000'000);
    self.ExpectEqual(sides.limited, 3, "short of credits");
    self.ExpectEqual(sides.unsure, 0, "nobody knows");
    // The wire is slower than the core by little: the thread waits once in some hundred packets.
    PioSettings seldom = SettingsOf(33, 1);
    seldom.memoryLookTime = 1000 * NS;
    const PioRate form(seldom, pcie, LinkRate(20'000'000'000), 55);
    self.Expect(!form.IsSure(), "a thread that waits now and then");
}

/// Packets of a context go around as often as one that has it for itself, as long as they are short
/// of credits: the rate is blocks x 64 / (round trip), whatever that consists of.
void
ExpectRoundTrips(FunctionCase& self, uint32_t packetBlocks, TimePs latency)
{
    PcieSettings pcie;
    pcie.latency = latency;
    PcieSettings near;
    near.latency = 10 * NS;
    const double alone = RateOf(SettingsOf(packetBlocks, packetBlocks), pcie, 10, 100);
    const double most = RateOf(SettingsOf(MOST_BLOCKS, packetBlocks), near, 2000, 2000);
    const double look = 1e-12 * static_cast<double>(PioSettings().memoryLookTime);
    for (uint32_t blocks = std::max(16U, packetBlocks); blocks <= MOST_BLOCKS;
         blocks += 1 + blocks / 4)
    {
        const uint32_t packets = blocks / packetBlocks;
        const uint32_t counted = packets * std::max(4U, 200 / packets);
        const double rate = RateOf(SettingsOf(blocks, packetBlocks), pcie, 4 * counted, counted);
        // Between both, a thread waits for credits now and then, and then has to look.
        const double least = std::min(packets * alone, most);
        const double highest = std::min(packets / (1 / alone - look), most);
        self.Expect(rate > 0.97 * least && rate < 1.03 * highest,
                    Text(blocks,
                         " blocks, packets of ",
                         packetBlocks,
                         ", PCIe of ",
                         latency,
                         " ps: ",
                         rate,
                         " packets/s, not ",
                         least,
                         " to ",
                         highest));
    }
}

void
TestRoundTrips(FunctionCase& self)
{
    for (const TimePs latency : {220 * NS, 2000 * NS})
    {
        for (const uint32_t packetBlocks : {1, 2, 5, 8, 16, 31, 32, 33})
        {
            ExpectRoundTrips(self, packetBlocks, latency);
        }
    }
}

/// Thresholds from nothing to the whole context: whole groups go around, and nothing else.
void
TestThresholds(FunctionCase& self)
{
    Sides sides;
    uint32_t forced = 0;
    for (const TimePs latency : {50 * NS, 220 * NS, 700 * NS, 3000 * NS})
    {
        for (const uint32_t packetBlocks : {1, 4, 7, 16, 33})
        {
            for (const uint32_t percent : {0, 10, 20, 25, 33, 40, 50, 60, 75, 90, 100})
            {
                PcieSettings pcie;
                pcie.latency = latency;
                PioSettings settings = SettingsOf(64, packetBlocks);
                settings.context.threshold = 64 * percent / 100;
                const bool holds = PioRate::Holds(settings, settings.packetBytes);
                forced += holds ? 0 : 1;
                if (holds)
                {
                    ExpectClosedForm(self, settings, pcie, sides);
                }
            }
        }
    }
    self.Expect(sides.limited > 50 && sides.saturated > 10 && forced < 50,
                Text(sides.limited, " are short, ", sides.saturated, " not, ", forced, " forced"));
}

/// The shortest time of a message: of its blocks and packets, or descriptors; of one that never
/// ends a time that no run reaches, and that can be multiplied.
void
TestLeastTime(FunctionCase& self)
{
    PioSettings settings;
    const auto expect = [&](uint64_t bytes, TimePs time) {
        self.ExpectEqual(settings.LeastTime(bytes), time * NS, Text(bytes, " bytes"));
    };
    expect(0, 10 + 20);
    expect(56, 10 + 20);
    expect(57, 10 + 2 * 20);
    expect(2040, 10 + 32 * 20);
    expect(2041, 10 + 32 * 20 + 10 + 20);
    expect(uint64_t{1} << 30, 526344 * (10 + 32 * 20) + 10 + 2 * 20);
    settings.sdmaBytes = 1000;
    expect(999, 10 + 16 * 20);
    expect(1000, 100);
    expect(4081, 3 * 100);
    for (const uint64_t bytes : {uint64_t{1} << 62, ~uint64_t{0}})
    {
        for (const uint64_t sdmaBytes : {0, 1})
        {
            settings.sdmaBytes = sdmaBytes;
            const TimePs time = settings.LeastTime(bytes);
            self.Expect(time > 3600 * 1000 * MS && time < NEVER / 1000, Text(time, " ps"));
        }
    }
}

/// The suite.
class PioRateSuite : public FunctionSuite
{
  public:
    PioRateSuite()
        : FunctionSuite("fabric-pio-rate", kUnit)
    {
        Add("PC-11 message rate and closed form", TestClosedForm);
        Add("PC-11 message rate and closed form, many seeds", TestClosedFormDrawn);
        Add("PC-11 message rate and closed form, whatever is slowest",
            TestClosedFormOfAnyBottleneck);
        Add("PC-11 message rate and closed form, slow wires", TestClosedFormOfSlowWires);
        Add("PC-6 PC-11 message rate and closed form, by threshold", TestThresholds);
        Add("PC-10 the shortest time of a message", TestLeastTime);
        Add("PC-11 message rate and the measured round trip", TestRoundTrips);
    }
};

PioRateSuite g_pioRateSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
