/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-oracle-run.h"
#include "fabric-random-congestion.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

#include "ns3/test.h"

#include <optional>
#include <random>
#include <string>

namespace ns3::fabric
{

namespace
{

/**
 * Compares scenarios with tools of congestion management.
 *
 * @param test is told of the first difference
 * @param usual how many seeds by default
 * @param linksFail whether links do
 * @param reach gets what the scenarios met
 * @return how often each has to come at least
 */
uint64_t
CompareTools(FunctionCase& test, uint32_t usual, bool linksFail, OracleReach& reach)
{
    const TestSeeds seeds(usual);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ScenarioLimits limits;
        limits.lanes = limits.shaping = false;
        RandomScenario scenario(seed, limits);
        RandomCongestion(seed).AddTo(scenario);
        std::optional<RandomOutages> outages;
        if (linksFail && seed % 2 == 0)
        {
            std::mt19937_64 random(seed);
            outages = DrawExactOutage(scenario, random);
        }
        else if (linksFail)
        {
            outages.emplace(scenario, seed);
        }
        const std::string fault =
            CompareWithFlowOracle(scenario, outages ? &*outages : nullptr, reach);
        if (!fault.empty())
        {
            test.Expect(false,
                        fault + ", " + scenario.Describe() + (outages ? outages->Describe() : ""));
            return 0;
        }
    }
    return seeds.count / 50;
}

/// Expects that scenarios have met something.
void
ExpectMet(FunctionCase& test, uint64_t times, uint64_t least, const char* what)
{
    test.Expect(times >= least, std::to_string(times) + " " + what);
}

/// Links stay up.
void
CompareCongestion(FunctionCase& test)
{
    OracleReach reach;
    const uint64_t least = CompareTools(test, 200, false, reach);
    ExpectMet(test, reach.told, 100 * least, "ACKs told a severity");
    ExpectMet(test, reach.persistent, 100 * least, "ACKs said that congestion lasts");
    ExpectMet(test, reach.cleared, 10 * least, "severities were cleared by a normal ACK");
    ExpectMet(test, reach.overLimit, 100 * least, "frames took their flow over its limit");
    ExpectMet(test, reach.paced, 100 * least, "times a flow was paced");
    ExpectMet(test, reach.pacesAtAck, least / 4, "paced flows were due at the instant of an ACK");
    ExpectMet(test, reach.startsLater, 10 * least, "flows waited for others to their destination");
    ExpectMet(test, reach.fullHosts, 10 * least, "times a frame would have passed a limit");
    ExpectMet(test, reach.turnsBack, least, "turns could not be used any more");
    ExpectMet(test, reach.restedIds, least, "flows without turn gave their flow_ids back");
    ExpectMet(test, reach.slowPaths, 10 * least, "flows were to leave slow paths");
    ExpectMet(test, reach.creditOrders, 10 * least, "frames gave credit to a flow of a host");
    ExpectMet(test, reach.repeatedOrders, 10 * least, "frames to hosts were repeated");
    ExpectMet(test, reach.freeOrders, 10 * least, "frames ended the restraint of a flow");
    ExpectMet(test, reach.expiredOrders, least / 4, "restraints of flows were over by themselves");
    ExpectMet(test, reach.waysBeside, 100 * least, "frames joined a way of a flow with several");
    ExpectMet(test, reach.pacedWays, least / 4, "flows with several ways were paced");
    ExpectMet(test, reach.dryWays, least, "frames went by other ways than one without headroom");
    ExpectMet(test,
              reach.sharedSources,
              100 * least,
              "queues to a host were not the only ones of their source");
}

/// Links fail.
void
CompareCongestionFailures(FunctionCase& test)
{
    OracleReach reach;
    const uint64_t least = CompareTools(test, 160, true, reach);
    ExpectMet(test, reach.told, 100 * least, "ACKs told a severity");
    ExpectMet(test, reach.LostBytes(OracleDeed::CUT_OFF), least, "bytes were cut off");
    ExpectMet(test, reach.startsNever, least / 4, "flows were lost before it was their turn");
    ExpectMet(test, reach.pathsLeft, least, "flows waited until they could leave their paths");
    ExpectMet(test, reach.slowPaths, least, "flows were to leave slow paths");
    ExpectMet(test, reach.cutWays, least, "ways had frames when their links failed");
    ExpectMet(test,
              reach.strandedPaces,
              least / 3,
              "flows were paced by an output that led nowhere any more");
}

/// Suite of the oracle of congestion management.
class CongestionOracleTestSuite : public FunctionSuite
{
  public:
    CongestionOracleTestSuite()
        : FunctionSuite("fabric-congestion-oracle", kUnit)
    {
        Add("CM-1 CM-2 CM-3 CM-4 CM-6 CM-7 NQ-16 random congestion comes out as a slow model of "
            "switches says",
            CompareCongestion);
        Add("CM-1 CM-2 CM-3 CM-4 CM-6 CM-7 NQ-16 WL-8 random congestion comes out as a slow model "
            "says where "
            "links "
            "fail",
            CompareCongestionFailures);
    }
};

CongestionOracleTestSuite g_congestionOracleTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
