/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-lane-sender.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "lane-link.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>

namespace ns3::fabric
{

namespace
{

/// Frames are counted by lane, and by whether they conform, as a list of them tells; a change of
/// the table changes nothing of that.
void
TestCounts(FunctionCase& test)
{
    const TestSeeds seeds(50);
    uint64_t frames[2] = {0, 0};
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        VlArbiterSettings settings;
        settings.rate = LinkRate(10'000'000'000);
        settings.meter.kind = LEAKY_BUCKET;
        auto plan =
            std::make_shared<const LanePlan>(settings, MakeTable({0, 1, 1}, {10, 20}, {0, 1, 2}));
        LineMemory memory(LaneSender::LinesFor(*plan));
        LaneSender sender(plan, memory);
        std::array<LaneTotals, 5> expected{};
        TimePs now = 0;
        const auto send = [&](uint32_t count) {
            for (uint32_t i = 0; i < count; ++i)
            {
                const LaneMask lanes = 1 + random() % 7;
                if (!sender.Choose(lanes, now))
                {
                    test.Expect(false, "nobody has to wait");
                    return;
                }
                const uint32_t bytes = 64 + random() % 1000;
                LaneCounts& counts = expected[sender.grant.lane][sender.grant.conforming ? 1 : 0];
                ++counts.frames;
                counts.bytes += bytes;
                ++frames[sender.grant.conforming ? 1 : 0];
                sender.Begin(bytes, now);
                now += settings.rate.TxTime(bytes) + random() % 3'000'000;
            }
        };
        send(30);
        plan = std::make_shared<const LanePlan>(settings,
                                                MakeTable({0, 1, 1, 1}, {30, 10}, {1, 1, 0, 2}));
        LineMemory more(sizeof(LaneTotals) * MAX_LANES + LaneSender::LinesFor(*plan));
        sender.SetPlan(plan, more, now);
        send(30);
        for (uint32_t lane = 0; lane < expected.size(); ++lane)
        {
            const LaneTotals totals = sender.Totals(lane);
            const std::string where =
                "seed " + std::to_string(seed) + ", lane " + std::to_string(lane) + ": ";
            for (const uint32_t conforming : {0, 1})
            {
                const LaneCounts& counts = expected[lane][conforming];
                test.ExpectEqual(totals[conforming].frames, counts.frames, where + "frames");
                test.ExpectEqual(totals[conforming].bytes, counts.bytes, where + "bytes");
            }
            test.ExpectEqual(sender.Sent(lane),
                             expected[lane][0].bytes + expected[lane][1].bytes,
                             where + "all bytes");
        }
    }
    test.Expect(!seeds.AreMany() || (frames[0] > 100 && frames[1] > 100),
                "some conform and some do not");
}

/// Bytes of frames inside others: as many as levels allow, and as one victim bears.
void
TestNestedBytes(FunctionCase& test)
{
    LaneArbitration lanes;
    test.ExpectEqual(lanes.NestedBytes(), 0, "nothing is interrupted");
    PreemptionSettings& preemption = lanes.preemption;
    preemption.preempt = true;
    for (const uint32_t levels : {0U, 1U, 2U, 5U, MAX_LEVELS + 1})
    {
        for (const uint32_t urgent : {0U, 256U, 1000U, 65'535U})
        {
            for (const uint32_t ofVictim : {0U, 255U, 256U, 300U, 4096U, 65'535U})
            {
                preemption.levels = levels;
                preemption.mostUrgentBytes = urgent;
                preemption.mostBytesPerVictim = ofVictim;
                const uint32_t inside = levels == 0 ? MAX_LEVELS : levels - 1;
                test.ExpectEqual(lanes.NestedBytes(),
                                 std::min(inside * urgent, ofVictim),
                                 Text(levels, " levels, ", urgent, " B, ", ofVictim, " B"));
            }
        }
    }
}

/// What a transmitter has more that arbitrates between lanes.
class LaneSenderSuite : public FunctionSuite
{
  public:
    LaneSenderSuite()
        : FunctionSuite("fabric-lane-sender", kUnit)
    {
        Add("VA-12 what was sent of each lane, conforming or not", TestCounts);
        Add("VA-9 bytes of frames that are sent inside another", TestNestedBytes);
    }
};

LaneSenderSuite g_laneSenderSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
