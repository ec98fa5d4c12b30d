/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-credit-return.h"
#include "fabric-function-case.h"
#include "fabric-oracle-credits.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"

#include "ns3/test.h"

#include <array>
#include <random>
#include <string>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

const LinkRate CREDIT_LINK(200'000'000'000); ///< 40 ps a byte.

/// @return settings of credit frames
CreditSettings
InFrames(uint32_t threshold, TimePs longest, TimePs refresh)
{
    return {true, threshold, longest, refresh};
}

/// Sends the frame that is due. @return what its receiver hears of, of channel 0 and of channel 1
std::string
SendDue(CreditReturn& credits)
{
    std::array<uint32_t, 2> given{};
    credits.Take();
    credits.Arrive([&given](uint32_t vc, uint32_t bytes) { given[vc] += bytes; });
    return std::to_string(given[0]) + " " + std::to_string(given[1]);
}

/// What makes a frame due, and what it says.
void
TestWhenDue(FunctionCase& test)
{
    CreditReturn credits(InFrames(1000, 200 * NS, 5 * US), 2);
    test.ExpectEqual(credits.DueAt(), NEVER, "nothing is to be told");

    test.Expect(credits.Leave(0, 600, 100 * NS), "the first room brings a frame");
    test.ExpectEqual(credits.DueAt(), 300 * NS, "200 ns after it is free");
    test.Expect(credits.Leave(1, 400, 180 * NS), "the threshold brings it forward");
    test.ExpectEqual(credits.DueAt(), 180 * NS, "when both are free");
    test.Expect(!credits.Leave(0, 50, 250 * NS), "it is due anyway");
    test.Expect(!credits.IsDue(179 * NS), "not yet");
    test.Expect(credits.IsDue(240 * NS), "the wire was taken until then");
    test.ExpectEqual(SendDue(credits), std::string("600 400"), "what is free by then");
    test.ExpectEqual(credits.DueAt(), 450 * NS, "the rest");
    test.ExpectEqual(credits.Unheard(0), 50U, "the rest");

    test.Expect(credits.Leave(0, 70, 210 * NS), "one that left before");
    test.ExpectEqual(credits.DueAt(), 410 * NS, "200 ns after that");
    test.Expect(credits.IsDue(410 * NS), "now");
    test.ExpectEqual(SendDue(credits), std::string("120 0"), "both");
    test.ExpectEqual(credits.DueAt(), NEVER, "nothing is left");
}

/// A lost frame is repeated after a while, and made good by the next one if that goes before.
void
TestLoss(FunctionCase& test)
{
    CreditReturn credits(InFrames(1000, 200 * NS, 5 * US), 2);
    credits.Leave(0, 1000, 0);
    test.Expect(credits.IsDue(0), "at once");
    test.ExpectEqual(credits.Take().freed[0], 1000U, "what it says");
    credits.Lose(0);
    test.ExpectEqual(credits.DueAt(), 5 * US, "repeated");
    test.ExpectEqual(credits.Unheard(0), 1000U, "the sender lacks it");

    credits.Leave(1, 30, 1 * US);
    test.ExpectEqual(credits.DueAt(), 1200 * NS, "what is new waits no longer");
    test.Expect(credits.IsDue(1200 * NS), "now");
    test.ExpectEqual(SendDue(credits), std::string("1000 30"), "all of it");
    test.ExpectEqual(credits.DueAt(), NEVER, "no repeat is left");

    credits.Leave(0, 10, 2 * US);
    credits.IsDue(3 * US);
    credits.Take();
    credits.Lose(3 * US);
    test.Expect(credits.IsDue(8 * US), "the repeat");
    test.ExpectEqual(credits.Take().freed[0], 1010U, "counted from the start");
    credits.Lose(8 * US);
    test.ExpectEqual(credits.DueAt(), 13 * US, "lost again, repeated again");
}

/// Counts of 32 bits begin anew, and nobody notices.
void
TestWrap(FunctionCase& test)
{
    constexpr uint32_t HALF = 1U << 31;
    CreditReturn credits(InFrames(1, 0, 1), 1);
    for (int i = 0; i < 5; ++i)
    {
        credits.Leave(0, HALF, i);
        test.Expect(credits.IsDue(i), "due");
        uint32_t given = 0;
        credits.Take();
        credits.Arrive([&given](uint32_t, uint32_t bytes) { given = bytes; });
        test.ExpectEqual(given, HALF, "round " + std::to_string(i));
    }
}

/// One seed: frames leave at random, credit frames go when they are due and the wire is free, and
/// some are lost. @return the first difference from the slow model, empty if there is none
std::string
CompareSeed(uint32_t seed)
{
    std::mt19937_64 random(seed);
    const CreditSettings settings = InFrames(1 + random() % 5000,
                                             static_cast<TimePs>(random() % 1000),
                                             1 + static_cast<TimePs>(random() % 5000));
    CreditReturn credits(settings, VIRTUAL_CHANNELS);
    OracleCredits model(settings);
    const uint64_t lostOneIn = 1 + random() % 5;
    std::array<uint64_t, VIRTUAL_CHANNELS> given{};
    std::array<uint64_t, VIRTUAL_CHANNELS> expected{};
    TimePs free = 0;
    for (TimePs now = 0; now < 20'000; ++now)
    {
        if (now < 10'000 && random() % 50 == 0)
        {
            const OracleCredits::Room room{now + static_cast<TimePs>(random() % 400),
                                           static_cast<uint32_t>(random() % VIRTUAL_CHANNELS),
                                           static_cast<uint32_t>(24 + random() % 4096)};
            credits.Leave(room.vc, room.bytes, room.end);
            model.Leave(room);
        }
        if (credits.DueAt() != model.DueAt())
        {
            return "at " + std::to_string(now) + " due at " + std::to_string(credits.DueAt()) +
                   ", expected is " + std::to_string(model.DueAt());
        }
        if (now < free || !credits.IsDue(now))
        {
            continue;
        }
        const bool isLost = now < 15'000 && random() % lostOneIn == 0 && lostOneIn > 1;
        credits.Take();
        for (const OracleCredits::Room& room : model.Send(isLost, now))
        {
            expected[room.vc] += room.bytes;
        }
        if (isLost)
        {
            credits.Lose(now);
        }
        else
        {
            credits.Arrive([&given](uint32_t vc, uint32_t bytes) { given[vc] += bytes; });
        }
        free = now + static_cast<TimePs>(random() % 100);
        if (given != expected)
        {
            return "at " + std::to_string(now) + " the sender hears of other room";
        }
    }
    return model.IsEmpty() && credits.DueAt() == NEVER ? "" : "something was never told";
}

/// As a slow model that finds everything out anew says.
void
TestAgainstModel(FunctionCase& test)
{
    const TestSeeds seeds(300);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        test.ExpectEqual(CompareSeed(seed), std::string(), "seed " + std::to_string(seed));
    }
}

/// @return bytes per ps that one host sends to another over a link whose receiver has room for some
/// frames, with credits in frames or without
double
ThroughputOver(TimePs delay, uint32_t room, bool inFrames)
{
    const TopologyPlan plan = MakeChainPlan({1, 0});
    SwitchConfig config;
    config.flowChannels.enabled = false;
    config.buffer.shares = {1'000'000, 10'000, 1};
    NicConfig nic;
    nic.mtu = MAX_PAYLOAD;
    TestBed bed(
        plan,
        MakeShortestPathRouting(plan),
        config,
        nic,
        [delay](std::size_t link) { return std::pair(CREDIT_LINK, link == 0 ? delay : 1 * NS); },
        true,
        [room](std::size_t chip, SwitchConfig& own) {
            const uint32_t bytes = room * WireBytes(MAX_PAYLOAD);
            own.buffer.shares = chip == 1 ? BufferShares{bytes, bytes, 1} : own.buffer.shares;
        });
    if (inFrames)
    {
        bed.Chip(1).SetCreditFrames(plan.links[0].portB, InFrames(1, 0, 1));
    }
    constexpr uint32_t FRAMES = 10'000;
    bed.Send(0, 1, uint64_t{FRAMES} * MAX_PAYLOAD, 0, 0);
    bed.RunToEnd();
    bed.Check();
    const uint64_t credits = bed.Chip(1).Output(plan.links[0].portB).Counts().credits;
    return credits == (inFrames ? FRAMES : 0)
               ? FRAMES * static_cast<double>(WireBytes(MAX_PAYLOAD)) / bed.Deliveries()[0].at
               : 0;
}

/**
 * With room for n frames there go n in the time from the start of a frame to its credit: there and
 * back, both pipelines, the frame's own time in the receiver's output, and the credit frame's.
 */
void
TestThroughput(FunctionCase& test)
{
    const SwitchTiming timing;
    const TimePs own = CREDIT_LINK.TxTime(WireBytes(MAX_PAYLOAD));
    for (const TimePs delay : {100 * NS, 1000 * NS, 10'000 * NS})
    {
        for (const uint32_t room : {1U, 2U, 3U, 8U, 30U, 200U})
        {
            for (const bool inFrames : {false, true})
            {
                const TimePs credit = inFrames ? CREDIT_LINK.TxTime(CreditFrameBytes(1)) : 0;
                const TimePs loop =
                    2 * delay + timing.latency + timing.controlLatency + own + credit;
                const double frame = WireBytes(MAX_PAYLOAD);
                const double expected = std::min(frame / static_cast<double>(own),
                                                 room * frame / static_cast<double>(loop));
                const double ratio = ThroughputOver(delay, room, inFrames) / expected;
                test.Expect(ratio > 0.98 && ratio < 1.02,
                            "delay " + std::to_string(delay) + " ps, room for " +
                                std::to_string(room) + (inFrames ? ", in frames: " : ": ") +
                                std::to_string(ratio));
            }
        }
    }
}

/// Suite of credit frames.
class CreditFramesTestSuite : public FunctionSuite
{
  public:
    CreditFramesTestSuite()
        : FunctionSuite("fabric-credit-frames", kUnit)
    {
        Add("WL-5 when a credit frame is due", TestWhenDue);
        Add("WL-5 a lost credit frame is made good", TestLoss);
        Add("WL-5 counts of credit frames begin anew", TestWrap);
        Add("WL-5 credit frames are those of a slow model", TestAgainstModel);
        Add("WL-5 throughput by room and round trip is the closed form's", TestThroughput);
    }
};

CreditFramesTestSuite g_creditFramesTestSuite; ///< Registers the suite.

} // namespace
