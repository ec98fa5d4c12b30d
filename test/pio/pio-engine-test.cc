/* SPDX-License-Identifier: GPL-2.0-only */
#include "pio/pio-bed.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"
#include "support/fabric-time-units.h"

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Writes of credits for each packet, by scheme and by threshold; nothing ever sticks.
void
TestReturns(FunctionCase& self)
{
    const auto writesOf = [&self](CreditScheme scheme, uint32_t threshold) {
        PioSettings settings = SettingsOf(64, 5);
        settings.context.scheme = scheme;
        settings.context.threshold = threshold;
        PioBed bed(settings);
        bed.Post(0, 1000, settings.packetBytes);
        bed.Run();
        self.ExpectEqual(bed.done.size(), 1000, Text("messages, threshold ", threshold));
        return static_cast<double>(bed.engine.Adaptor().Counts().returns) / 1000;
    };
    self.ExpectEqual(writesOf(CREDITS_RELATIVE, 0), 5.0, "one for each block");
    self.ExpectEqual(writesOf(CREDITS_BY_EGRESS, 0), 1.0, "one for each packet");
    self.ExpectEqual(writesOf(CREDITS_ABSOLUTE, 0), 1.0, "every change");
    double last = 1;
    for (uint32_t threshold = 0; threshold <= 64; ++threshold)
    {
        const double writes = writesOf(CREDITS_ABSOLUTE, threshold);
        self.Expect(writes <= last + 0.01, Text("more writes with threshold ", threshold));
        last = threshold <= 40 ? writes : 1; // above, stalls force returns
    }
    self.ExpectNear(writesOf(CREDITS_ABSOLUTE, 40), 0.125, 0.01, "eight packets for each");
}

/// A context whose packets may not leave stops itself alone.
void
TestBlockedLane(FunctionCase& self)
{
    PioSettings settings = SettingsOf(64, 4);
    settings.contexts = 2;
    settings.threads = 2;
    PioBed bed(settings);
    bed.blocked = 1; // queue 0
    bed.Post(0, 100, settings.packetBytes, 0);
    bed.Post(1, 100, settings.packetBytes, 1);
    bed.Run();
    self.ExpectEqual(bed.done.size(), 100, "the other context has sent all");
    self.ExpectEqual(bed.queues[0].size(), 16, "the context is full");
    bed.blocked = 0;
    bed.Run();
    self.ExpectEqual(bed.done.size(), 200, "it goes on");

    // In one context, packets of the free lane pass those of the blocked one until it is full.
    settings.contexts = 1;
    PioBed shared(settings);
    shared.blocked = 1;
    shared.Post(0, 100, settings.packetBytes, 0);
    shared.Post(1, 100, settings.packetBytes, 1);
    shared.Run();
    self.Expect(!shared.done.empty() && shared.done.size() < 16, "some have passed");
    shared.blocked = 0;
    shared.Run();
    self.ExpectEqual(shared.done.size(), 200, "all go on");
}

/// Contexts of different sizes in one adaptor: each is as fast as one alone of its size.
void
TestSizes(FunctionCase& self)
{
    PcieSettings slow;
    slow.latency = 5 * US;
    const auto doneAt = [&slow](const PioSettings& settings) {
        PioBed bed(settings, slow);
        for (uint32_t thread = 0; thread < settings.threads; ++thread)
        {
            bed.Post(thread, 100, settings.packetBytes, thread);
        }
        bed.Run();
        return std::pair(bed.doneAt[99], bed.doneAt[bed.posted - 1]);
    };
    PioSettings both = SettingsOf(8, 4);
    both.eachContext.assign(2, both.context);
    both.eachContext[1].blocks = 32;
    both.contexts = both.threads = 2;
    const auto [small, large] = doneAt(both);
    self.Expect(std::abs(small - doneAt(SettingsOf(8, 4)).first) < small / 50, "8 blocks");
    self.Expect(std::abs(large - doneAt(SettingsOf(32, 4)).first) < large / 50, "32 blocks");
    self.Expect(large < small / 3, "four times as many blocks");
}

/// What a poller reads late where another word of its line was written.
void
TestSharedLine(FunctionCase& self)
{
    PioSettings settings = SettingsOf(64, 4);
    settings.contexts = 3;
    settings.wordsPerLine = 2;
    settings.memoryLookTime = 100 * NS;
    CreditLines lines(settings);
    const auto readFrom = [&lines](uint32_t context, TimePs at) {
        CreditUpdate update;
        update.at = at * NS;
        lines.Write(context, update);
        return update.readFrom / NS;
    };
    self.ExpectEqual(readFrom(0, 1000), 1000, "nobody else has written");
    self.ExpectEqual(readFrom(0, 1040), 1040, "its own word disturbs nobody");
    self.ExpectEqual(readFrom(1, 1060), 1100, "the read that 1040 has caused sees it");
    self.ExpectEqual(readFrom(0, 1170), 1170, "the read of 1060 is over");
    self.ExpectEqual(readFrom(2, 1175), 1175, "a line of its own");
    self.ExpectEqual(readFrom(0, 1180), 1180, "which that has not disturbed");
    self.ExpectEqual(readFrom(1, 1240), 1300, "behind the read that 1170 has caused");
    self.ExpectEqual(readFrom(1, 5000), 5000, "long after");
    self.ExpectEqual(readFrom(0, 5099), 5100, "at the end of a read");
}

/// Contexts whose words share a line are slower than with lines of their own, by little and never
/// faster; a context alone is not, nor who sleeps.
void
TestFalseSharing(FunctionCase& self)
{
    const auto timeOf = [](uint32_t contexts, uint32_t wordsPerLine, CreditWait wait) {
        PioSettings settings = SettingsOf(16, 4);
        settings.contexts = settings.threads = contexts;
        settings.wordsPerLine = wordsPerLine;
        settings.wait = wait;
        PioBed bed(settings);
        for (uint32_t thread = 0; thread < contexts; ++thread)
        {
            bed.Post(thread, 200, settings.packetBytes, thread);
        }
        bed.Run();
        return bed.now;
    };
    self.ExpectEqual(timeOf(1, 8, WAIT_POLLS), timeOf(1, 1, WAIT_POLLS), "one context");
    self.ExpectEqual(timeOf(8, 8, WAIT_SLEEPS), timeOf(8, 1, WAIT_SLEEPS), "who sleeps");
    const TimePs apart = timeOf(8, 1, WAIT_POLLS);
    const TimePs shared = timeOf(8, 8, WAIT_POLLS);
    self.Expect(shared > apart + apart / 50 && shared < apart + apart / 3,
                Text(shared, " ps, ", apart, " ps with lines of their own"));
}

/// Who sleeps is woken, and interrupts are on only while somebody sleeps.
void
TestSleep(FunctionCase& self)
{
    PioSettings settings = SettingsOf(16, 4);
    settings.wait = WAIT_SLEEPS;
    settings.context.threshold = 8;
    PioBed bed(settings);
    bed.Post(0, 4, settings.packetBytes);
    bed.Run();
    self.ExpectEqual(bed.engine.Adaptor().Counts().interrupts, 0, "nobody waits");
    bed.Post(0, 100, settings.packetBytes);
    bed.Run();
    self.ExpectEqual(bed.done.size(), 104, "all are sent");
    const uint64_t interrupts = bed.engine.Adaptor().Counts().interrupts;
    self.Expect(interrupts > 0 && interrupts >= bed.engine.Host().Counts().stalls, "interrupts");
    bed.Post(0, 4, settings.packetBytes);
    bed.Run();
    self.Expect(bed.engine.Adaptor().Counts().interrupts <= interrupts + 1, "they are off again");

    settings.wait = WAIT_POLLS;
    PioBed polls(settings);
    polls.Post(0, 104, settings.packetBytes);
    polls.Run();
    self.ExpectEqual(polls.engine.Adaptor().Counts().interrupts, 0, "who polls needs none");
    self.Expect(polls.now < bed.now, "and is faster");
}

/// A threshold that changes counts from then on, and nobody waits for the old one.
void
TestThreshold(FunctionCase& self)
{
    PioSettings settings = SettingsOf(64, 4);
    settings.context.threshold = 0;
    PioBed bed(settings);
    const auto sendMore = [&] {
        bed.Post(0, 160, settings.packetBytes);
        const uint64_t before = bed.engine.Adaptor().Counts().returns;
        bed.Run();
        return bed.engine.Adaptor().Counts().returns - before;
    };
    self.ExpectEqual(sendMore(), 160, "at every change");
    bed.engine.Host().SetThreshold(0, 32, bed.now);
    const uint64_t returns = sendMore();
    self.Expect(returns >= 20 && returns <= 22, Text(returns, " returns of 32 blocks or more"));
    for (const uint32_t threshold : {64U, 1U, 63U, 0U, 64U})
    {
        bed.Post(0, 40, settings.packetBytes);
        bed.Run(bed.now + 500 * 1000);
        bed.engine.Host().SetThreshold(0, threshold, bed.now);
    }
    bed.Run();
    self.ExpectEqual(bed.done.size(), 320 + 5 * 40, "all are sent, whenever it changed");
}

/// Updates are lost: absolute credits go on, relative ones leak until the context is dead.
void
TestLoss(FunctionCase& self)
{
    PioSettings settings = SettingsOf(64, 4);
    settings.loseEvery = 4;
    settings.forceAfter = 20 * US;
    PioBed absolute(settings);
    absolute.Post(0, 1000, settings.packetBytes);
    absolute.Run(10 * MS);
    self.ExpectEqual(absolute.done.size(), 1000, "absolute credits");
    for (const CreditWait wait : {WAIT_POLLS, WAIT_SLEEPS})
    {
        // Forced returns and interrupts are lost, too.
        for (uint32_t threshold = 0; threshold <= 64; threshold += 8)
        {
            settings.forceAfter = 0;
            settings.wait = wait;
            settings.context.threshold = threshold;
            settings.loseEvery = 2 + threshold % 3;
            PioBed bed(settings);
            bed.Post(0, 100, settings.packetBytes);
            bed.Run(100 * MS);
            self.ExpectEqual(bed.done.size(), 100, Text("messages, threshold ", threshold));
        }
    }
    settings.wait = WAIT_POLLS;
    settings.forceAfter = 20 * US;
    settings.context.threshold = 0;
    settings.loseEvery = 4;
    settings.context.scheme = CREDITS_RELATIVE;
    PioBed relative(settings);
    relative.Post(0, 1000, settings.packetBytes);
    relative.Run(10 * MS);
    self.Expect(relative.done.size() < 100, "relative credits leak");
    settings.loseEvery = 0;
    PioBed whole(settings);
    whole.Post(0, 1000, settings.packetBytes);
    whole.Run(10 * MS);
    self.ExpectEqual(whole.done.size(), 1000, "but not where nothing is lost");
}

/// Where all updates are lost, who waits forces a return every ten round trips: there and back over
/// PCIe, the adaptor's delay, and what wakes the thread, which is a look or an interrupt.
void
TestForcesOfLosses(FunctionCase& self)
{
    for (const CreditWait wait : {WAIT_POLLS, WAIT_SLEEPS})
    {
        for (const TimePs longer : {0, 300, 3000})
        {
            PioSettings settings = SettingsOf(16, 4);
            settings.loseEvery = 1;
            settings.wait = wait;
            settings.returnDelay = longer * NS;
            settings.memoryLookTime = wait == WAIT_POLLS ? (100 + longer) * NS : 700 * US;
            settings.interruptTime = wait == WAIT_SLEEPS ? (200 + longer) * NS : 700 * US;
            const TimePs wakes =
                wait == WAIT_POLLS ? settings.memoryLookTime : settings.interruptTime;
            PioBed bed(settings);
            const TimePs period = 10 * (2 * PcieSettings().latency + settings.returnDelay + wakes);
            bed.Post(0, 100, settings.packetBytes);
            bed.Run(50 * period);
            const auto forced = static_cast<int64_t>(bed.engine.Host().Counts().forced);
            self.Expect(forced >= 48 && forced <= 52,
                        Text(forced, " returns are forced, waiting ", int{wait}, ", ", longer));
        }
    }
}

/// @return time until a message of a thread that has nothing else to do has left
TimePs
LatencyOf(uint64_t bytes, bool bySdma)
{
    PioSettings settings = SettingsOf(1024, 32);
    settings.sdmaBytes = bySdma ? 1 : 0;
    PioBed bed(settings);
    bed.Post(0, 1, bytes);
    bed.Run();
    return bed.doneAt[0];
}

/// Small messages are faster by PIO, large ones by SDMA; the threshold chooses.
void
TestSdma(FunctionCase& self)
{
    self.Expect(LatencyOf(64, false) < LatencyOf(64, true), "64 bytes by PIO");
    self.Expect(LatencyOf(1 << 20, true) < LatencyOf(1 << 20, false), "1 MiB by SDMA");
    PioSettings settings = SettingsOf(64, 4);
    settings.sdmaBytes = 1000;
    PioBed bed(settings);
    bed.Post(0, 3, 999);
    bed.Post(0, 2, 1000);
    bed.Run();
    self.ExpectEqual(bed.done.size(), 5, "all are sent");
    self.ExpectEqual(bed.engine.Adaptor().Counts().packets, 3 * 5, "packets by PIO");
    self.ExpectEqual(bed.engine.Adaptor().Counts().sdmaPackets, 2 * 5, "packets by SDMA");
    self.ExpectEqual(bed.engine.Pcie().Counts(PcieSide::HOST).payload,
                     3 * (4 * 4 + 1) * 64 + 2000 + 10 * 16 + 2 * 8,
                     "blocks, data, descriptors and doorbells");
}

/// Any settings, any messages: all leave, in the order of each thread, and all credits come back.
void
TestRandom(FunctionCase& self, uint32_t seed)
{
    std::mt19937 random(seed);
    const auto draw = [&random](uint32_t low, uint32_t high) {
        return low + static_cast<uint32_t>(random() % (high - low + 1));
    };
    PioSettings settings = SettingsOf(draw(1, 80), 1);
    settings.packetBytes =
        draw(1, std::min(settings.context.blocks * BLOCK_BYTES - CONTROL_WORD_BYTES, 2104U));
    settings.context.counterBits = draw(7, 11);
    settings.context.scheme = static_cast<CreditScheme>(draw(0, 2));
    settings.context.threshold = draw(0, settings.context.blocks);
    settings.context.interval = draw(0, 1) * draw(1, 10) * US;
    settings.context.isEarly = draw(0, 1) == 0;
    settings.contexts = draw(1, 3);
    settings.threads = draw(1, 6);
    settings.sdmaBytes = draw(0, 2) == 0 ? draw(1, 5000) : 0;
    settings.sdmaPackets = draw(1, 4);
    settings.sdmaEngines = draw(1, 6);
    settings.sdmaReads = draw(1, 8);
    settings.sdmaDescriptors = 64U << draw(0, 2);
    settings.forceAfter = draw(0, 2) == 0 ? draw(1, 30) * 100 * NS : 0;
    settings.interruptTime = draw(0, 3) * US;
    settings.blockTime = draw(1, 40) * NS;
    settings.memoryLookTime = draw(0, 200) * NS;
    settings.requestEvery = draw(0, 4);
    settings.wordsPerLine = 1 + seed % MOST_WORDS_PER_LINE;
    settings.wait = draw(0, 2) == 0 ? WAIT_SLEEPS : WAIT_POLLS;
    settings.returnDelay = draw(0, 1) * draw(1, 2000) * NS;
    if (settings.context.scheme == CREDITS_ABSOLUTE && draw(0, 2) == 0)
    {
        settings.loseEvery = draw(2, 8);
    }
    PcieSettings pcie;
    pcie.generation = draw(1, 5);
    pcie.lanes = 1U << draw(0, 4);
    pcie.latency = draw(0, 1000) * NS;
    pcie.outstandingReads = draw(1, 20);
    pcie.combinesWrites = draw(0, 3) != 0;
    PioBed bed(settings, pcie);
    std::vector<std::vector<uint32_t>> order(settings.threads);
    for (uint32_t i = 0; i < 30; ++i)
    {
        const uint32_t thread = draw(0, settings.threads - 1);
        order[thread].push_back(bed.posted);
        bed.Post(thread, 1, draw(1, 6000), thread);
        bed.blocked = draw(0, 63);
        bed.Run(bed.now + draw(0, 3000) * NS);
    }
    bed.blocked = 0;
    bed.Run();
    self.ExpectEqual(bed.done.size(), 30, Text("messages, seed ", seed));
    for (const std::vector<uint32_t>& messages : order)
    {
        for (std::size_t i = 1; i < messages.size() && settings.sdmaBytes == 0; ++i)
        {
            self.Expect(bed.doneAt[messages[i - 1]] < bed.doneAt[messages[i]],
                        Text("out of order, seed ", seed));
        }
    }
    self.ExpectEqual(bed.engine.Adaptor().Counts().halted, 0, Text("overruns, seed ", seed));
    for (uint32_t i = 0; i < settings.contexts; ++i)
    {
        CreditReturner& returner = bed.engine.Adaptor().Context(i).Returner();
        self.Expect(settings.context.scheme != CREDITS_ABSOLUTE ||
                        returner.Unreturned() < std::max(settings.context.threshold, 1U),
                    Text("credits are kept, seed ", seed));
    }
}

void
TestManySeeds(FunctionCase& self)
{
    const TestSeeds seeds(1000);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        TestRandom(self, seed);
    }
}

/// The suite.
class PioEngineSuite : public FunctionSuite
{
  public:
    PioEngineSuite()
        : FunctionSuite("fabric-pio-engine", kUnit)
    {
        Add("PC-6 PC-8 writes of credits", TestReturns);
        Add("PC-3 PC-7 a blocked lane stops its own context", TestBlockedLane);
        Add("PC-1 contexts of different sizes", TestSizes);
        Add("PC-6 words that share a line", TestSharedLine);
        Add("PC-6 PC-7 what sharing a line costs", TestFalseSharing);
        Add("PC-6 PC-7 threads sleep", TestSleep);
        Add("PC-6 a threshold changes", TestThreshold);
        Add("PC-5 PC-8 updates are lost", TestLoss);
        Add("PC-6 who waits for updates that are lost forces a return", TestForcesOfLosses);
        Add("PC-9 SDMA beside PIO", TestSdma);
        Add("PC-7 PC-11 all is sent, many seeds", TestManySeeds);
    }
};

PioEngineSuite g_pioEngineSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
