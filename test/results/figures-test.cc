/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ideal-completion.h"
#include "fabric-statistics.h"
#include "results-cases.h"

#include <algorithm>
#include <functional>
#include <random>
#include <stdexcept>

namespace ns3
{
namespace fabric
{

namespace
{

/**
 * @param function may throw
 * @return whether it throws std::invalid_argument
 */
bool
IsRefused(const std::function<void()>& function)
{
    try
    {
        function();
    }
    catch (const std::invalid_argument&)
    {
        return true;
    }
    return false;
}

/// Values computed by hand.
class IdealCompletionTestCase : public TestCase
{
  public:
    IdealCompletionTestCase()
        : TestCase("SC-5 ideal completion, slowdown and Poisson gap, worked by hand")
    {
    }

  private:
    void DoRun() override
    {
        // 1000 B at 100 Gb/s is 80 ns, at 400 Gb/s 20 ns: 2 x (1 us + 0.5 us + 1 us) + 180 ns.
        const std::vector<PathHop> path{{1'000'000, 100'000'000'000},
                                        {500'000, 400'000'000'000},
                                        {1'000'000, 100'000'000'000}};
        NS_TEST_EXPECT_MSG_EQ(BaseRtt(path, 1000), 5'180'000, "base RTT");
        NS_TEST_EXPECT_MSG_EQ(BytesWithHeaders(1'000'000, 1000, 48), 1'048'000, "1000 frames");
        NS_TEST_EXPECT_MSG_EQ(BytesWithHeaders(1001, 1000, 48), 1097, "two frames");
        NS_TEST_EXPECT_MSG_EQ(BytesWithHeaders(0, 1000, 48), 48, "an empty message");
        // 1,048,000 B at 100 Gb/s is 83.84 us.
        NS_TEST_EXPECT_MSG_EQ(AloneTime(5'180'000, 1'048'000, 100'000'000'000),
                              89'020'000,
                              "time alone");
        NS_TEST_EXPECT_MSG_EQ(Slowdown(178'040'000, 89'020'000), 2.0, "slowdown");
        NS_TEST_EXPECT_MSG_EQ(Slowdown(80'000'000, 89'020'000), 1.0, "never below 1");
        // WebSearch: 1,711,250 B x 8 / (100 Gb/s x 0.5) = 273.8 us.
        NS_TEST_EXPECT_MSG_EQ_TOL(PoissonMeanGap(1'711'250, 100'000'000'000, 0.5),
                                  273.8e6,
                                  1e-3,
                                  "mean gap");
        NS_TEST_EXPECT_MSG_EQ(IsRefused([] { BaseRtt({}, 1000); }), true, "no path");
        NS_TEST_EXPECT_MSG_EQ(IsRefused([] { BaseRtt({{0, 0}}, 1000); }), true, "no rate");
        NS_TEST_EXPECT_MSG_EQ(IsRefused([] { BytesWithHeaders(1, 0, 1); }), true, "no payload");
        NS_TEST_EXPECT_MSG_EQ(IsRefused([] { AloneTime(1, 1, 0); }), true, "no rate");
        NS_TEST_EXPECT_MSG_EQ(IsRefused([] { Slowdown(1, 0); }), true, "no time alone");
        NS_TEST_EXPECT_MSG_EQ(IsRefused([] { PoissonMeanGap(1, 1, 0); }), true, "no load");
    }
};

/// Quantiles and fairness.
class StatisticsTestCase : public TestCase
{
  public:
    StatisticsTestCase()
        : TestCase("PR-3 quantiles by nearest rank and Jain's index")
    {
    }

  private:
    void DoRun() override
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
        bool isSame = Distribution(values) == expected;
        NS_TEST_EXPECT_MSG_EQ(isSame, true, "1..1000");
        const std::vector<std::pair<std::string, double>> single{{"min", 7},
                                                                 {"mean", 7},
                                                                 {"p50", 7},
                                                                 {"p90", 7},
                                                                 {"p99", 7},
                                                                 {"p99.9", 7},
                                                                 {"max", 7}};
        isSame = Distribution({7}) == single;
        NS_TEST_EXPECT_MSG_EQ(isSame, true, "one value");
        NS_TEST_EXPECT_MSG_EQ(Distribution({}).empty(), true, "no values");
        // Of 15 20 35 40 50: p30 is the 2nd (ceil 1.5), p40 the 2nd, p50 the 3rd, p100 the last.
        const std::vector<double> five{15, 20, 35, 40, 50};
        NS_TEST_EXPECT_MSG_EQ(NearestRank(five, 0), 15, "minimum");
        NS_TEST_EXPECT_MSG_EQ(NearestRank(five, 50), 15, "p5");
        NS_TEST_EXPECT_MSG_EQ(NearestRank(five, 300), 20, "p30");
        NS_TEST_EXPECT_MSG_EQ(NearestRank(five, 400), 20, "p40");
        NS_TEST_EXPECT_MSG_EQ(NearestRank(five, 500), 35, "p50");
        NS_TEST_EXPECT_MSG_EQ(NearestRank(five, 1000), 50, "p100");
        NS_TEST_EXPECT_MSG_EQ(IsRefused([] { NearestRank({}, 500); }), true, "no values");

        NS_TEST_EXPECT_MSG_EQ(JainIndex({5, 5, 5, 5}), 1.0, "all equal");
        NS_TEST_EXPECT_MSG_EQ(JainIndex({8, 0, 0, 0}), 0.25, "one has all");
        // (1 + 2 + 3)^2 / (3 x 14) = 36 / 42.
        NS_TEST_EXPECT_MSG_EQ_TOL(JainIndex({1, 2, 3}), 36.0 / 42, 1e-15, "by hand");
        NS_TEST_EXPECT_MSG_EQ(JainIndex({0, 0}), 1.0, "nobody has any");
        NS_TEST_EXPECT_MSG_EQ(IsRefused([] { JainIndex({}); }), true, "nobody");
        NS_TEST_EXPECT_MSG_EQ(IsRefused([] { JainIndex({1, -1}); }), true, "negative");
    }
};

} // namespace

std::vector<TestCase*>
FiguresCases()
{
    return {new IdealCompletionTestCase, new StatisticsTestCase};
}

} // namespace fabric
} // namespace ns3
