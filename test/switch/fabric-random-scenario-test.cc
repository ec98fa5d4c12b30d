/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-bed-state.h"
#include "fabric-flow-watch.h"
#include "fabric-random-scenario.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

#include "ns3/test.h"

#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace fabric
{

namespace
{

/// A run of a scenario.
struct Outcome
{
    std::vector<std::string> middle;  ///< State at the horizon.
    std::vector<std::string> end;     ///< State at the end.
    std::vector<uint64_t> hashes;     ///< Of what happened in each switch.
    std::vector<std::string> samples; ///< Of the first switch, at equal distances of time.
};

/**
 * Runs scenarios from many seeds with and without look-ahead and compares everything.
 */
class RandomScenarioTest : public TestCase
{
  public:
    RandomScenarioTest()
        : TestCase("DP-5 DP-6 FC-9 FC-10 FC-11 FC-17 VA-9 VA-10 VA-11 VA-12 WL-4 WL-5 random "
                   "scenarios are "
                   "the same with and "
                   "without look-ahead, and correct")
    {
    }

  private:
    void DoRun() override
    {
        const TestSeeds seeds(1000);
        for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
        {
            RandomScenario scenario(seed);
            Compare(scenario);
        }
        if (seeds.count >= 1000)
        {
            NS_TEST_EXPECT_MSG_GT(m_preemptions, 100, "frames interrupted (VA-9)");
            NS_TEST_EXPECT_MSG_GT(m_gaps, 100, "gaps of frames (VA-10)");
            NS_TEST_EXPECT_MSG_GT(m_losses, 1000, "units lost (WL-2)");
        }
    }

    /// Counts what the wires of a scenario did.
    void CountWires(TestBed& bed)
    {
        for (std::size_t i = 0; i < bed.Chips(); ++i)
        {
            for (uint32_t port = 0; port < bed.Chip(i).Config().ports; ++port)
            {
                if (const PortWire* wire = bed.Chip(i).Wire(port))
                {
                    m_preemptions += wire->wire.Counts().preemptions;
                    m_gaps += wire->wire.Counts().gaps;
                }
            }
        }
    }

    /// Runs one scenario in both ways.
    void Compare(RandomScenario& scenario)
    {
        const TimePs horizon = scenario.SomeTime();
        const Outcome ahead = RunOnce(scenario, horizon, true);
        const Outcome single = RunOnce(scenario, horizon, false);
        NS_TEST_EXPECT_MSG_EQ(Difference(ahead.middle, single.middle),
                              "",
                              "at " << horizon << " ps, " << scenario.Describe());
        NS_TEST_EXPECT_MSG_EQ(Difference(ahead.end, single.end), "", scenario.Describe());
        NS_TEST_EXPECT_MSG_EQ(Difference(ahead.samples, single.samples), "", scenario.Describe());
        NS_TEST_EXPECT_MSG_EQ((ahead.hashes == single.hashes),
                              true,
                              "the switches did different things, " << scenario.Describe());
    }

    /**
     * @param scenario to run
     * @param horizon where it stops for a while, ps
     * @param lookahead whether switches run ahead
     * @return what came out
     */
    Outcome RunOnce(const RandomScenario& scenario, TimePs horizon, bool lookahead)
    {
        const auto bed = scenario.Build(lookahead);
        FlowWatch watch(*bed, !lookahead, !scenario.HasLoss());
        Outcome run;
        const SwitchChip& sampled = bed->Chip(0);
        bed->Chip(0).SetSampler(1'234'567, [&run, &sampled](TimePs at) {
            run.samples.push_back(std::to_string(at) + ": " +
                                  std::to_string(sampled.Counts().heldBytes) + " " +
                                  std::to_string(sampled.QueuedBytes(0)) + " " +
                                  std::to_string(sampled.Output(0).Counts().bytes));
        });
        try
        {
            for (int i = 1; i <= 4; ++i)
            {
                bed->RunUntil(horizon / 4 * i);
                bed->Check();
            }
            bed->RunUntil(horizon);
            run.middle = StateOf(*bed);
            bed->RunToEnd();
            bed->Check();
            NS_TEST_EXPECT_MSG_EQ(bed->IsEmpty(),
                                  true,
                                  "something is left, " << scenario.Describe());
        }
        catch (const std::exception& error)
        {
            NS_TEST_EXPECT_MSG_EQ(std::string(error.what()), "", scenario.Describe());
        }
        run.end = StateOf(*bed);
        run.hashes = watch.Hashes();
        NS_TEST_EXPECT_MSG_EQ(watch.Fault(), "", scenario.Describe());
        uint64_t reported = 0;
        for (std::size_t i = 0; i < bed->Chips(); ++i)
        {
            reported += bed->Chip(i).Counts().reportedLossUnits;
        }
        NS_TEST_EXPECT_MSG_EQ(reported,
                              watch.LostUnits(),
                              "losses told of, " << scenario.Describe());
        m_losses += reported;
        CheckDeliveries(scenario, *bed);
        CountWires(*bed);
        return run;
    }

    /// Every message arrives once, in order where order was promised, and none is late for nothing.
    void CheckDeliveries(const RandomScenario& scenario, const TestBed& bed)
    {
        const std::vector<TestBed::Delivery> deliveries = bed.Deliveries();
        if (!scenario.HasLoss())
        {
            NS_TEST_EXPECT_MSG_EQ(deliveries.size(),
                                  scenario.Messages().size(),
                                  "not all messages arrived, " << scenario.Describe());
        }
        std::map<std::tuple<LocationId, LocationId, uint8_t>, uint32_t> next;
        for (const TestBed::Delivery& d : deliveries)
        {
            uint32_t& expected = next[{d.src, d.dst, d.trafficClass}];
            const bool mayOvertake =
                (scenario.Config().flowChannels.unorderedClasses >> d.trafficClass & 1) != 0 &&
                (!scenario.Config().flowChannels.enabled ||
                 (scenario.Config().flowChannels.noFlowClasses >> d.trafficClass & 1) != 0);
            if (!mayOvertake)
            {
                NS_TEST_EXPECT_MSG_EQ((d.sequence >= expected),
                                      true,
                                      "FC-10: message " << d.sequence << " from " << d.src << " to "
                                                        << d.dst << " was overtaken, "
                                                        << scenario.Describe());
            }
            expected = d.sequence + 1;
        }
    }

    uint64_t m_preemptions{0}; ///< Frames that were interrupted.
    uint64_t m_gaps{0};        ///< Times that a frame had no flit to send before its end.
    uint64_t m_losses{0};      ///< Units.
};

/// Suite of random scenarios.
class FabricRandomScenarioTestSuite : public TestSuite
{
  public:
    FabricRandomScenarioTestSuite()
        : TestSuite("fabric-random-scenarios", kUnit)
    {
        AddTestCase(new RandomScenarioTest, kQuick);
    }
};

FabricRandomScenarioTestSuite g_fabricRandomScenarioTestSuite; ///< Registers the suite.

} // namespace

} // namespace fabric
} // namespace ns3
