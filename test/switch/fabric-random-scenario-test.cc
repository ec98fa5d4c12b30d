/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-random-scenario.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-watched-run.h"

#include "ns3/test.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A run of a scenario, of which samples were taken.
struct SampledRun
{
    WatchedRun watched;               ///< What came out.
    std::vector<std::string> samples; ///< Of the first switch, at equal distances of time.
};

/// What scenarios met.
struct ScenariosMet
{
    uint64_t preemptions{0}; ///< Frames that were interrupted.
    uint64_t gaps{0};        ///< Times that a frame had no flit to send before its end.
    uint64_t losses{0};      ///< Units.
    uint64_t lostAcks{0};    ///< ACKs that links damaged.
    uint64_t lostCredits{0}; ///< Credit frames that they damaged.
    uint64_t repeats{0};     ///< Frames that links repeated.
    uint64_t moves{0};       ///< Flows that were to leave overloaded links.
    uint64_t slow{0};        ///< Flows that were to leave slow paths.
};

/// Counts what the wires of a scenario did.
void
CountWires(TestBed& bed, ScenariosMet& met)
{
    for (std::size_t i = 0; i < bed.Chips(); ++i)
    {
        met.moves += bed.Chip(i).FlowMoves();
        met.slow += bed.Chip(i).SlowPathsLeft();
        for (uint32_t port = 0; port < bed.Chip(i).Config().ports; ++port)
        {
            if (const PortWire* wire = bed.Chip(i).Wire(port))
            {
                met.preemptions += wire->wire.Counts().preemptions;
                met.gaps += wire->wire.Counts().gaps;
            }
            if (const LinkErrors* errors = bed.Chip(i).Output(port).Errors())
            {
                met.lostAcks += errors->Counts().lostAcks;
                met.lostCredits += errors->Counts().lostCredits;
                met.repeats += errors->Counts().repeats;
            }
        }
    }
}

/// Every message arrives once, in order where order was promised, and none is late for nothing.
void
CheckDeliveries(FunctionCase& test, const RandomScenario& scenario, const TestBed& bed)
{
    const std::vector<TestBed::Delivery> deliveries = bed.Deliveries();
    if (!scenario.HasLoss())
    {
        test.ExpectEqual(deliveries.size(),
                         scenario.Messages().size(),
                         Text("not all messages arrived, ", scenario.Describe()));
    }
    std::map<std::tuple<LocationId, LocationId, uint8_t>, uint32_t> next;
    for (const TestBed::Delivery& d : deliveries)
    {
        uint32_t& expected = next[{d.src, d.dst, d.trafficClass}];
        const bool mayOvertake = !scenario.Config().flowChannels.IsOrdered(d.trafficClass);
        if (!mayOvertake && d.sequence < expected)
        {
            test.Expect(false,
                        Text("FC-10: message ",
                             d.sequence,
                             " from ",
                             d.src,
                             " to ",
                             d.dst,
                             " was overtaken, ",
                             scenario.Describe()));
        }
        expected = d.sequence + 1;
    }
}

/**
 * @param test is told what is wrong
 * @param scenario to run
 * @param horizon where it stops for a while, ps
 * @param lookahead whether switches run ahead
 * @param met counts
 * @return what came out
 */
SampledRun
RunOnce(FunctionCase& test,
        const RandomScenario& scenario,
        TimePs horizon,
        bool lookahead,
        ScenariosMet& met)
{
    const std::string name = scenario.Describe();
    const auto bed = scenario.Build(lookahead);
    FlowWatch watch(*bed, !lookahead, !scenario.HasLoss());
    if (scenario.LosesControl())
    {
        watch.IgnoreCredits();
    }
    SampledRun run;
    const SwitchChip& sampled = bed->Chip(0);
    bed->Chip(0).AddSampler(1'234'567, [&run, &sampled](TimePs at) {
        run.samples.push_back(std::to_string(at) + ": " +
                              std::to_string(sampled.Counts().heldBytes) + " " +
                              std::to_string(sampled.QueuedBytes(0)) + " " +
                              std::to_string(sampled.Output(0).Counts().bytes));
    });
    run.watched = RunWatched(test, *bed, watch, horizon, 4, name);
    uint64_t reported = 0;
    for (std::size_t i = 0; i < bed->Chips(); ++i)
    {
        reported += bed->Chip(i).Counts().reportedLossUnits;
    }
    // Of units whose ACKs are lost, the next ACK does not say which were.
    test.Expect(scenario.LosesControl() || reported == watch.LostUnits(),
                Text(reported, " losses told of, ", watch.LostUnits(), " happened, ", name));
    met.losses += reported;
    CheckDeliveries(test, scenario, *bed);
    CountWires(*bed, met);
    return run;
}

/// Runs one scenario in both ways.
void
CompareRuns(FunctionCase& test, RandomScenario& scenario, ScenariosMet& met)
{
    const TimePs horizon = scenario.SomeTime();
    const SampledRun ahead = RunOnce(test, scenario, horizon, true, met);
    const SampledRun single = RunOnce(test, scenario, horizon, false, met);
    const std::string name = scenario.Describe();
    ExpectSameRun(test, ahead.watched, single.watched, name);
    test.ExpectEqual(Difference(ahead.samples, single.samples), "", name);
}

/// Runs scenarios from many seeds with and without look-ahead and compares everything.
void
TestRandomScenarios(FunctionCase& test)
{
    const TestSeeds seeds(1000);
    ScenariosMet met;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomScenario scenario(seed);
        if (seed % 5 == 0)
        {
            scenario.RepeatOnLinks(seed, 2 + seed * seed % 31);
        }
        else if (seed % 5 == 1)
        {
            scenario.LoseControl(2 + seed * seed % 31);
        }
        else if (seed % 5 == 2)
        {
            // Repeats delay questions about flows and their answers; frames are given up, too.
            scenario.LoseControl(2 + seed % 7);
            scenario.RepeatOnLinks(seed, 2 + seed % 7);
        }
        if (seed % 3 == 0)
        {
            scenario.TellCreditsInFrames(seed);
        }
        if (seed % 2 == 0)
        {
            scenario.RerouteFlows(seed);
        }
        if (seed % 4 == 1)
        {
            scenario.UseTiles(seed);
        }
        CompareRuns(test, scenario, met);
    }
    if (seeds.count >= 1000)
    {
        test.Expect(met.preemptions > 100, "frames interrupted (VA-9)");
        test.Expect(met.gaps > 50, Text(met.gaps, " gaps of frames (VA-10)"));
        test.Expect(met.losses > 1000, "units lost (WL-2)");
        test.Expect(met.lostAcks > 1000, "ACKs lost (WL-2)");
        test.Expect(met.lostCredits > 1000, "credit frames lost (WL-5)");
        test.Expect(met.repeats > 1000, "frames repeated (WL-6)");
        test.Expect(met.moves > 1000, Text(met.moves, " flows moved (CM-9)"));
        test.Expect(met.slow > 100, Text(met.slow, " flows left slow paths (CM-9)"));
    }
}

/// Suite of random scenarios.
class FabricRandomScenarioTestSuite : public FunctionSuite
{
  public:
    FabricRandomScenarioTestSuite()
        : FunctionSuite("fabric-random-scenarios", kUnit)
    {
        Add("DP-5 DP-6 FC-9 FC-10 FC-11 FC-17 VA-9 VA-10 VA-11 VA-12 WL-4 WL-5 WL-6 CM-9 random "
            "scenarios "
            "are the same with and without look-ahead, and correct",
            TestRandomScenarios);
    }
};

FabricRandomScenarioTestSuite g_fabricRandomScenarioTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
