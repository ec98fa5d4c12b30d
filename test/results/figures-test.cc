/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ideal-completion.h"
#include "fabric-statistics.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include <algorithm>
#include <random>

namespace ns3::fabric
{

namespace
{

/// Values computed by hand.
void
TestIdealCompletion(FunctionCase& self)
{
    // 1000 B at 100 Gb/s is 80 ns, at 400 Gb/s 20 ns: 2 x (1 us + 0.5 us + 1 us) + 180 ns.
    const std::vector<PathHop> path{{1'000'000, 100'000'000'000},
                                    {500'000, 400'000'000'000},
                                    {1'000'000, 100'000'000'000}};
    self.ExpectEqual(BaseRtt(path, 1000), 5'180'000, "base RTT");
    self.ExpectEqual(BytesWithHeaders(1'000'000, 1000, 48), 1'048'000, "1000 frames");
    self.ExpectEqual(BytesWithHeaders(1001, 1000, 48), 1097, "two frames");
    self.ExpectEqual(BytesWithHeaders(0, 1000, 48), 48, "an empty message");
    // 1,048,000 B at 100 Gb/s, the slowest link, is 83.84 us.
    self.ExpectEqual(HpccIdeal(path, 1'000'000, 1000, 48), 89'020'000, "HPCC's ideal");
    self.ExpectEqual(Slowdown(178'040'000, 89'020'000), 2.0, "slowdown");
    self.ExpectEqual(Slowdown(44'510'000, 89'020'000), 0.5, "it is as it is");
    self.Expect(!Refusal([] { BaseRtt({}, 1000); }).empty(), "no path");
    self.Expect(!Refusal([] { BaseRtt({{0, 0}}, 1000); }).empty(), "no rate");
    self.Expect(!Refusal([] { BytesWithHeaders(1, 0, 1); }).empty(), "no payload");
    self.Expect(!Refusal([] { HpccIdeal({}, 1, 1, 1); }).empty(), "no path");
    self.Expect(!Refusal([] { Slowdown(1, 0); }).empty(), "no time alone");
}

/// Quantiles.
void
TestStatistics(FunctionCase& self)
{
    // 1..1000 in some order: the p-th quantile is p itself.
    std::vector<double> values;
    for (int i = 1; i <= 1000; ++i)
    {
        values.push_back(i);
    }
    std::shuffle(values.begin(), values.end(), std::mt19937(1));
    const std::vector<std::pair<std::string, double>> expected{{"min", 1},
                                                               {"mean", 500.5},
                                                               {"p50", 500},
                                                               {"p90", 900},
                                                               {"p99", 990},
                                                               {"p99.9", 999},
                                                               {"max", 1000}};
    self.Expect(Distribution(values) == expected, "1..1000");
    const std::vector<std::pair<std::string, double>> single{{"min", 7},
                                                             {"mean", 7},
                                                             {"p50", 7},
                                                             {"p90", 7},
                                                             {"p99", 7},
                                                             {"p99.9", 7},
                                                             {"max", 7}};
    self.Expect(Distribution({7}) == single, "one value");
    self.Expect(Distribution({}).empty(), "no values");
    // Of 15 20 35 40 50: p30 is the 2nd (ceil 1.5), p40 the 2nd, p50 the 3rd, p100 the last.
    const std::vector<double> five{15, 20, 35, 40, 50};
    self.ExpectEqual(NearestRank(five, 0), 15, "minimum");
    self.ExpectEqual(NearestRank(five, 50), 15, "p5");
    self.ExpectEqual(NearestRank(five, 300), 20, "p30");
    self.ExpectEqual(NearestRank(five, 400), 20, "p40");
    self.ExpectEqual(NearestRank(five, 500), 35, "p50");
    self.ExpectEqual(NearestRank(five, 1000), 50, "p100");
    self.Expect(!Refusal([] { NearestRank({}, 500); }).empty(), "no values");
}

/// The suite.
class FiguresSuite : public FunctionSuite
{
  public:
    FiguresSuite()
        : FunctionSuite("fabric-figures", kUnit)
    {
        Add("SC-5 HPCC's ideal completion and slowdown, worked by hand", TestIdealCompletion);
        Add("PR-3 quantiles by nearest rank", TestStatistics);
    }
};

const FiguresSuite g_figuresSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
