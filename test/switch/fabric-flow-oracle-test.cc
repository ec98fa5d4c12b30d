/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-oracle-run.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

#include "ns3/test.h"

#include <algorithm>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Many flows at once, of a short message each: so that ACK frames fill.
void
AddShortFlows(RandomScenario& scenario, std::mt19937_64& random)
{
    constexpr int FLOWS = 400;
    const std::size_t hosts = scenario.Plan().hosts.size();
    Message message;
    message.sentAt = scenario.Messages().back().sentAt;
    for (int i = 0; i < FLOWS; ++i)
    {
        message.src = LocationOf(static_cast<uint32_t>(random() % hosts));
        message.dst = LocationOf(static_cast<uint32_t>(random() % hosts));
        message.bytes = random() % 1000;
        message.trafficClass = random() % TRAFFIC_CLASSES;
        if (message.src != message.dst)
        {
            scenario.Add(message);
        }
    }
}

/// @return a time below a limit, in steps of 40 ps: with the times of links, which are in such
/// steps too, timers end just when something else happens now and then
TimePs
DrawRoundTime(std::mt19937_64& random, TimePs limit)
{
    return static_cast<TimePs>(random() % limit) / 40 * 40;
}

/// Draws what scenarios have as it is by default or nearly so: timers of ACKs, larger buffers with
/// higher watermarks, the part of the buffer that a flow may take.
void
DrawMore(RandomScenario& scenario, uint64_t seed)
{
    std::mt19937_64 random(seed);
    SwitchConfig config = scenario.Config();
    const bool isFlood = random() % 4 == 0;
    const bool isDeep = random() % 4 == 0; // so that an ACK's 8 bits are too few for the credit
    const TimePs unit = isFlood || isDeep ? 10'000'000 : random() % 2 == 0 ? 1'000'000 : 50'000;
    config.ackTimers.idle = DrawRoundTime(random, unit);
    config.ackTimers.busy = DrawRoundTime(random, 2 * unit);
    config.ackTimers.longest = DrawRoundTime(random, 5 * unit);
    config.timing.latency = DrawRoundTime(random, 500'000);
    config.timing.controlLatency = DrawRoundTime(random, 100'000);
    config.congestion.roomDivisor = static_cast<uint32_t>(random() % 20);
    if (isDeep)
    {
        Watermarks& marks = config.congestion.watermarks;
        config.congestion.hopCredits = true;
        marks.target += static_cast<uint32_t>(random() % 300);
        marks.high = marks.target + static_cast<uint32_t>(random() % 1000);
        config.buffer.shares.totalBytes += static_cast<uint32_t>(random() % 1'000'000);
        config.congestion.roomDivisor = static_cast<uint32_t>(random() % 3);
    }
    if (isFlood)
    {
        config.flowChannels.ids = FLOW_IDS_PER_LINK - 1;
        AddShortFlows(scenario, random);
    }
    config.congestion.wayDivisor = 1 + static_cast<uint32_t>(random() % 6);
    std::ostringstream text;
    text << "instead ACK timers " << config.ackTimers.idle << " " << config.ackTimers.busy << " "
         << config.ackTimers.longest << ", latency " << config.timing.latency << " "
         << config.timing.controlLatency << " ps, buffer " << config.buffer.shares.totalBytes
         << ", watermarks " << config.congestion.watermarks.high << " "
         << config.congestion.watermarks.target << ", room divisor "
         << config.congestion.roomDivisor << ", way divisor " << config.congestion.wayDivisor
         << ", flow_ids " << config.flowChannels.ids;
    scenario.Replace(config, text.str());
}

/// What links do in scenarios that are compared.
struct LinksOf
{
    bool fail{false};    ///< They fail and are repaired.
    bool repeat{false};  ///< They repeat what they damage.
    bool credits{false}; ///< Most of them have credit frames.
};

/// @param reach counts what is met @return the first difference of a seed, empty for none
std::string
CompareSeed(uint32_t seed, const LinksOf& links, OracleReach& reach)
{
    ScenarioLimits limits;
    limits.lanes = limits.shaping = false;
    RandomScenario scenario(seed, limits);
    if (seed % 2 == 0)
    {
        DrawMore(scenario, seed);
    }
    if (links.repeat)
    {
        scenario.RepeatOnLinks(seed, 2 + seed * seed % 31);
    }
    if (links.credits)
    {
        scenario.TellCreditsInFrames(seed);
    }
    std::optional<RandomOutages> outages;
    if (links.fail && seed % 3 == 0)
    {
        std::mt19937_64 random(seed);
        outages = DrawExactOutage(scenario, random);
    }
    else if (links.fail)
    {
        outages.emplace(scenario, seed);
    }
    const std::string fault = CompareWithFlowOracle(scenario, outages ? &*outages : nullptr, reach);
    return fault.empty()
               ? ""
               : fault + ", " + scenario.Describe() + (outages ? outages->Describe() : "");
}

/**
 * @param test is told of the first difference
 * @param usual how many seeds by default
 * @param check is given what the scenarios met, and how often each should have come at least:
 * `void (const OracleReach&, uint64_t)`
 */
template <typename Check>
void
CompareSeeds(FunctionCase& test, uint32_t usual, const LinksOf& links, Check&& check)
{
    const TestSeeds seeds(usual);
    OracleReach reach;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const std::string fault = CompareSeed(seed, links, reach);
        if (!fault.empty())
        {
            test.Expect(false, fault);
            return;
        }
    }
    check(reach, seeds.count / 50);
}

/// Links stay up.
void
CompareRandomScenarios(FunctionCase& test)
{
    CompareSeeds(test, 700, {}, [&test](const OracleReach& reach, uint64_t least) {
        const auto expect = [&test, least](uint64_t times, const char* what) {
            test.Expect(times >= least, std::to_string(times) + std::string(" ") + what);
        };
        expect(reach.waitsAtEdge, "frames waited for a flow_id at the edge");
        expect(reach.waitsForId, "flows waited for a flow_id of a link");
        expect(reach.waitsForRoom, "outputs waited for room");
        expect(reach.meteringBegun, "flows passed their target");
        expect(reach.holds, "flows ran out of headroom");
        expect(reach.fullAckFrames, "full ACK frames");
        expect(reach.waysBeside / 100, "hundred frames joined a way of a flow with several");
        expect(reach.waysAgain / 10, "times ten ways began by an output for the second time");
        expect(reach.dryWays, "frames went by other ways than one without headroom");
        expect(reach.LostBytes(OracleDeed::DAMAGED), "bytes were damaged");
    });
}

/// Links fail.
void
CompareRandomFailures(FunctionCase& test)
{
    CompareSeeds(test, 400, {true}, [&test](const OracleReach& reach, uint64_t least) {
        const auto expect = [&test, least](uint64_t times, const char* what) {
            test.Expect(times >= least, std::to_string(times) + std::string(" ") + what);
        };
        expect(reach.LostBytes(OracleDeed::CUT_OFF), "bytes were cut off");
        expect(reach.LostBytes(OracleDeed::NO_WAY), "bytes had no way");
        expect(reach.lostAcks, "ACKs were cut off");
        expect(reach.pathsLeft, "flows waited until they could leave their paths");
        expect(reach.greetings, "links were greeted");
        expect(reach.cutWays, "ways had frames when their links failed");
        expect(reach.strandedWays,
               "ways had frames, and led nowhere any more on links that were up");
        expect(reach.wayUnits, "units were lost on ways whose links failed");
    });
}

/// @param linksFail whether they do besides
void
CompareRandomRetries(FunctionCase& test, bool linksFail)
{
    CompareSeeds(test, 300, {linksFail, true}, [&test](const OracleReach& reach, uint64_t least) {
        const auto expect = [&test, least](uint64_t times, const char* what) {
            test.Expect(times >= least, std::to_string(times) + std::string(" ") + what);
        };
        expect(reach.retry.repeats, "frames were repeated");
        expect(reach.retry.timeouts, "requests for a repeat were lost");
        expect(reach.retry.givenUp, "frames were given up");
        expect(reach.replayWaits, "frames found no room in the replay buffer");
    });
}

/// @param links what they do besides telling of credits in frames
void
CompareRandomCredits(FunctionCase& test, LinksOf links)
{
    links.credits = true;
    CompareSeeds(test, 300, links, [&test](const OracleReach& reach, uint64_t least) {
        test.Expect(reach.creditFrames >= 100 * least,
                    std::to_string(reach.creditFrames) + " credit frames");
        test.Expect(reach.waitsForRoom >= least,
                    std::to_string(reach.waitsForRoom) + " outputs waited for room");
    });
}

/// Suite of the oracle of flow channels.
class FabricFlowOracleTestSuite : public FunctionSuite
{
  public:
    FabricFlowOracleTestSuite()
        : FunctionSuite("fabric-flow-oracle", kUnit)
    {
        Add("CM-5 DP-5 FC-2 FC-3 FC-4 FC-5 FC-6 FC-7 FC-8 FC-9 FC-10 FC-11 FC-14 FC-17 WL-3 WL-4 "
            "WL-5 random scenarios come out as a slow model of flow channels says",
            CompareRandomScenarios);
        Add("WL-8 FC-8 FC-11 FC-12 CM-5 links that fail and are repaired come out as a slow model "
            "of "
            "flow channels says",
            CompareRandomFailures);
        Add("WL-6 links that repeat what they damage come out as a slow model says",
            [](FunctionCase& test) { CompareRandomRetries(test, false); });
        Add("WL-6 WL-8 links that repeat what they damage, and fail, come out as a slow model says",
            [](FunctionCase& test) { CompareRandomRetries(test, true); });
        Add("WL-6 WL-8 FC-4 a link that fails again before it was ready gives flow_ids later",
            [](FunctionCase& test) {
                // A greeting that waited behind a repeated frame came while the link was down.
                OracleReach reach;
                test.ExpectEqual(CompareSeed(30031, {true, true}, reach), "", "seed 30031");
            });
        Add("WL-5 credits in frames come out as a slow model says",
            [](FunctionCase& test) { CompareRandomCredits(test, {}); });
        Add("WL-5 WL-6 WL-8 credits in frames on links that fail and repeat come out as a slow "
            "model says",
            [](FunctionCase& test) {
                CompareRandomCredits(test, {true, true});
            });
    }
};

FabricFlowOracleTestSuite g_fabricFlowOracleTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
