/* SPDX-License-Identifier: GPL-2.0-only */
#include "pio/pio-bed.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"
#include "support/fabric-time-units.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Notes who waits when, and what is returned.
class WaitLog : public PioWatcher
{
  public:
    /// A time in which a thread waits.
    struct Stall
    {
        uint32_t thread;
        TimePs begin;
        TimePs end;
    };

    /// A return of credits.
    struct Return
    {
        uint32_t context;
        TimePs at;
        uint8_t reasons;
        bool interrupts;
    };

    void MessageBegins(uint32_t, TimePs) override
    {
    }

    void StallEnds(uint32_t thread, TimePs since, TimePs now) override
    {
        stalls.push_back({thread, since, now});
    }

    void CreditsReturn(uint32_t context, const CreditUpdate& update) override
    {
        returns.push_back({context, update.at, update.reasons, update.interrupts});
    }

    std::vector<Stall> stalls;
    std::vector<Return> returns;
};

/// @return whether a thread of the context waits, or has done so shortly before
bool
IsAwaited(const WaitLog& log, const WaitLog::Return& credits, uint32_t contexts, TimePs shortly)
{
    return std::any_of(log.stalls.begin(), log.stalls.end(), [&](const WaitLog::Stall& stall) {
        return stall.thread % contexts == credits.context && stall.begin <= credits.at &&
               credits.at <= stall.end + shortly;
    });
}

/// Whatever threads do, nobody is interrupted for a context for which nobody waits.
void
TestInterrupts(FunctionCase& self, uint32_t seed, uint64_t& raised, uint64_t& quiet)
{
    std::mt19937 random(seed);
    const auto draw = [&random](uint32_t low, uint32_t high) {
        return low + static_cast<uint32_t>(random() % (high - low + 1));
    };
    PioSettings settings = SettingsOf(draw(8, 64), draw(1, 8));
    settings.context.threshold = draw(0, settings.context.blocks);
    settings.contexts = draw(1, 3);
    settings.threads = draw(1, 6);
    settings.wait = WAIT_SLEEPS;
    settings.interruptTime = draw(0, 3) * US;
    PioBed bed(settings);
    WaitLog log;
    bed.engine.SetWatcher(&log);
    for (uint32_t burst = 0; burst < 20; ++burst)
    {
        const uint32_t thread = draw(0, settings.threads - 1);
        bed.Post(thread, draw(1, 30), settings.packetBytes, thread);
        bed.Run(bed.now + draw(0, 20) * US);
    }
    bed.Run();
    self.ExpectEqual(bed.done.size(), bed.posted, Text("messages, seed ", seed));
    // Until the adaptor learns that nobody waits any more, and until what it has written is there.
    const TimePs shortly = 2 * US;
    for (const WaitLog::Return& credits : log.returns)
    {
        const bool isAwaited = IsAwaited(log, credits, settings.contexts, shortly);
        self.Expect(isAwaited || !credits.interrupts,
                    Text("an interrupt at ", credits.at, " ps for nobody, seed ", seed));
        raised += credits.interrupts ? 1 : 0;
        quiet += isAwaited ? 0 : 1;
    }
}

void
TestManyInterrupts(FunctionCase& self)
{
    const TestSeeds seeds(300);
    uint64_t raised = 0;
    uint64_t quiet = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        TestInterrupts(self, seed, raised, quiet);
    }
    self.Expect(raised > 10 * seeds.count && quiet > 10 * seeds.count,
                Text(raised, " interrupts, and ", quiet, " returns that nobody waits for"));
}

/// @return time of stalls by the end of a run, ps
TimePs
StallTimeBefore(const WaitLog& log, TimePs end)
{
    TimePs time = 0;
    for (const WaitLog::Stall& stall : log.stalls)
    {
        time += std::min(stall.end, end) - std::min(stall.begin, end);
    }
    return time;
}

/// The time of stalls by any instant is that of the stalls that are told until all is sent.
void
TestStallTime(FunctionCase& self)
{
    const TestSeeds seeds(300);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        PioSettings settings = SettingsOf(8 + random() % 8, 1 + random() % 8);
        settings.contexts = 1 + random() % 3;
        settings.threads = 1 + random() % 6;
        settings.wait = random() % 2 == 0 ? WAIT_SLEEPS : WAIT_POLLS;
        settings.interruptTime = static_cast<TimePs>(random() % 4) * US;
        settings.sharedLookTime = static_cast<TimePs>(random() % 4) * US;
        PioBed bed(settings);
        WaitLog log;
        bed.engine.SetWatcher(&log);
        for (uint32_t thread = 0; thread < settings.threads; ++thread)
        {
            bed.Post(thread, 20, settings.packetBytes, thread);
        }
        const auto end = static_cast<TimePs>(random() % (20 * US));
        bed.Run(end);
        const TimePs counted = bed.engine.Host().StallTimeBy(end);
        bed.Run();
        self.ExpectEqual(counted, StallTimeBefore(log, end), Text("stall time, seed ", seed));
    }
}

/// Threads on contexts.
struct Crowd
{
    uint32_t contexts;
    uint32_t blocks;
    uint32_t threads;
};

/// All threads of a crowd send, and get on alike: each has sent its first message before any its
/// third one.
void
ExpectFairness(FunctionCase& self, const Crowd& crowd, CreditWait wait)
{
    PioSettings settings = SettingsOf(crowd.blocks, 4);
    settings.contexts = crowd.contexts;
    settings.threads = crowd.threads;
    settings.wait = wait;
    settings.context.threshold = crowd.blocks / 3;
    settings.interruptTime = 100 * NS;
    PioBed bed(settings);
    constexpr uint32_t EACH = 5;
    for (uint32_t i = 0; i < EACH * crowd.threads; ++i)
    {
        bed.Post(i % crowd.threads, 1, settings.packetBytes, i % 8);
    }
    bed.Run();
    self.ExpectEqual(bed.done.size(), bed.posted, Text("messages of ", crowd.threads, " threads"));
    self.ExpectEqual(bed.engine.Adaptor().Counts().halted, 0, "no overrun");
    TimePs first = 0;
    TimePs third = NEVER;
    for (uint32_t thread = 0; thread < crowd.threads; ++thread)
    {
        first = std::max(first, bed.doneAt[thread]);
        third = std::min(third, bed.doneAt[2 * crowd.threads + thread]);
    }
    self.Expect(first < third,
                Text(crowd.threads,
                     " threads on ",
                     crowd.contexts,
                     " contexts: the last one has sent its first message at ",
                     first,
                     " ps, the first one its third at ",
                     third));
}

/// Who needs many blocks waits for them behind nobody that comes later, though those need few.
void
TestLongPacket(FunctionCase& self)
{
    for (const CreditWait wait : {WAIT_POLLS, WAIT_SLEEPS})
    {
        PioSettings settings = SettingsOf(34, 33);
        settings.threads = 2;
        settings.wait = wait;
        settings.interruptTime = 100 * NS;
        settings.packetTime = 100 * NS; // the other one always has some blocks, and is never short
        PioBed bed(settings);
        bed.Post(1, 1000, 40, 1);
        bed.Run(2 * US);
        const uint32_t first = bed.posted;
        bed.Post(0, 10, settings.packetBytes, 0);
        bed.Run();
        self.ExpectEqual(bed.done.size(), bed.posted, "messages");
        const TimePs longAt = bed.doneAt[first + 9];
        self.Expect(longAt < bed.now / 2, Text("ten packets at ", longAt, " ps of ", bed.now));
    }
}

void
TestManyThreads(FunctionCase& self)
{
    for (const Crowd& crowd : {Crowd{MOST_CONTEXTS, 102, MOST_CONTEXTS},
                               Crowd{MOST_CONTEXTS, 102, 5 * MOST_CONTEXTS},
                               Crowd{16, MOST_BLOCKS, 160},
                               Crowd{1, 16, MOST_PIO_THREADS}})
    {
        ExpectFairness(self, crowd, WAIT_POLLS);
        ExpectFairness(self, crowd, WAIT_SLEEPS);
    }
}

/// @return when a thread has sent 200 messages of a packet each, ps
TimePs
LastAt(const PioSettings& settings)
{
    PioBed bed(settings);
    bed.Post(0, 200, settings.packetBytes);
    bed.Run();
    return bed.doneAt[199];
}

/// Who forces a return, since the threshold can't be reached any more, sees as soon what is on its
/// way for another reason as one for whom nothing has to be forced.
void
TestForcedAndOnWay(FunctionCase& self)
{
    for (const CreditWait wait : {WAIT_POLLS, WAIT_SLEEPS})
    {
        PioSettings settings = SettingsOf(64, 5); // 12 packets, which are 60 blocks
        settings.returnDelay = US;
        settings.wait = wait;
        settings.interruptTime = 0;
        settings.context.threshold = 1;
        const TimePs never = LastAt(settings);
        settings.context.threshold = 64;
        settings.requestEvery = 1;
        const TimePs always = LastAt(settings);
        // Registers and forced returns take some time on PCIe.
        self.Expect(std::abs(always - never) < never / 50,
                    Text("200 messages in ", never, " ps, and in ", always, " with a threshold"));
    }
}

/// Who polls forces a return again only after a look that has found something new, however fast it
/// looks.
void
TestForcedOnce(FunctionCase& self)
{
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const auto blocks = static_cast<uint32_t>(2 + random() % 20);
        PioSettings settings = SettingsOf(blocks, 1 + random() % std::min(blocks, 9U));
        settings.returnDelay = static_cast<TimePs>(random() % (2 * US));
        settings.memoryLookTime = random() % 2 == 0 ? 0 : static_cast<TimePs>(random() % (50 * NS));
        settings.context.threshold = 1 + random() % blocks;
        PioBed bed(settings);
        bed.Post(0, 200, settings.packetBytes);
        bed.Run();
        const PioHostCounts& counts = bed.engine.Host().Counts();
        self.ExpectEqual(bed.done.size(), 200, Text("all have left, seed ", seed));
        self.Expect(counts.forced <= bed.sent + counts.stalls,
                    Text(counts.forced, " forced returns for 200 packets, seed ", seed));
    }
}

/// Who goes on to force a return knows nothing that it had not read or been interrupted for.
void
TestForcingSeesNothing(FunctionCase& self)
{
    for (const CreditWait wait : {WAIT_POLLS, WAIT_SLEEPS})
    {
        PioSettings settings = SettingsOf(16, 4);
        settings.wait = wait;
        settings.memoryLookTime = US;
        settings.interruptTime = 5 * US;
        const TimePs never = LastAt(settings);
        settings.forceAfter = wait == WAIT_POLLS ? 100 * NS : 2 * US;
        const TimePs often = LastAt(settings);
        self.Expect(often > never - never / 100,
                    Text("200 messages in ", never, " ps, and in ", often, " with forced returns"));
    }
}

/// The suite.
class PioWaitsSuite : public FunctionSuite
{
  public:
    PioWaitsSuite()
        : FunctionSuite("fabric-pio-waits", kUnit)
    {
        Add("PC-6 PC-7 interrupts only while someone waits, many seeds", TestManyInterrupts);
        Add("PC-7 time of stalls at the end of a run, many seeds", TestStallTime);
        Add("PC-1 PC-7 many contexts and threads", TestManyThreads);
        Add("PC-6 PC-7 forced returns, and updates on their way", TestForcedAndOnWay);
        Add("PC-7 who forces a return sees nothing for that", TestForcingSeesNothing);
        Add("PC-6 PC-7 a return is forced once, many seeds", TestForcedOnce);
        Add("PC-7 a long packet is not passed for ever", TestLongPacket);
    }
};

PioWaitsSuite g_pioWaitsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
