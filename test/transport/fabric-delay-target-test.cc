/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-base-delay.h"
#include "fabric-delay-target.h"
#include "fabric-function-case.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"

#include "ns3/test.h"

#include <cmath>
#include <deque>
#include <random>
#include <string>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// Base, allowance and hops add up, with the base that is known.
void
Sum(FunctionCase& test)
{
    DelayTargetSettings settings;
    settings.targetDelay = 25 * US;
    settings.hopDelay = 2 * US;
    settings.flowScaling = 0;
    test.ExpectEqual(DelayTarget(settings).Get(7 * US, 5, 3), 42.0 * US, "measured base");
    settings.baseDelay = 100 * US;
    test.ExpectEqual(DelayTarget(settings).Get(7 * US, 5, 3), 135.0 * US, "chosen base");
    test.ExpectEqual(DelayTarget(settings).Get(7 * US, 0, 3), 125.0 * US, "no hops");
    settings.longestBaseDelay = 5 * US;
    test.ExpectEqual(DelayTarget(settings).Get(7 * US, 5, 3), 135.0 * US, "chosen all the same");
    settings.baseDelay = 0;
    test.ExpectEqual(DelayTarget(settings).Get(7 * US, 5, 3), 40.0 * US, "a queue is no base");
    test.ExpectEqual(DelayTarget(settings).Get(3 * US, 5, 3), 38.0 * US, "measured, and shorter");
}

/// Flow scaling by the paper's formula: alpha / sqrt(window) + beta, from 0 to the range.
void
FlowScaling(FunctionCase& test)
{
    DelayTargetSettings settings;
    settings.targetDelay = 0;
    settings.baseDelay = 20 * US;
    const DelayTarget target(settings);
    const double range = 100e6; // 5 x 20 us
    const double alpha = range / (1 / std::sqrt(0.1) - 1 / std::sqrt(100.0));
    const double beta = -alpha / std::sqrt(100.0);
    for (const double window : {0.01, 0.1, 0.2, 1.0, 3.7, 20.0, 99.0, 100.0, 128.0})
    {
        const double scaling = std::max(0.0, std::min(alpha / std::sqrt(window) + beta, range));
        test.Expect(std::abs(target.Get(0, 0, window) - 20e6 - scaling) < 1,
                    "window " + std::to_string(window));
    }
    test.ExpectEqual(target.Get(0, 0, 0.1), 120e6, "all of the range");
    test.ExpectEqual(target.Get(0, 0, 100), 20e6, "nothing of it");
    settings.baseDelay = 0;
    test.Expect(std::abs(DelayTarget(settings).Get(10 * US, 0, 0.1) - 60e6) < 1,
                "the range follows the measured base");
}

/// Short packets do not measure long ones.
void
LongPackets(FunctionCase& test)
{
    BaseDelay base;
    test.ExpectEqual(base.Get(), NEVER, "nothing measured");
    base.Send(0, 100);
    base.Measure(200, 100, 300, 0);
    test.ExpectEqual(base.Get(), 200, "of requests, while there is nothing else");
    base.Send(64, 1000);
    test.ExpectEqual(base.Get(), NEVER, "longer ones begin anew");
    base.Measure(100, 999, 1129, 0);
    test.ExpectEqual(base.Get(), NEVER, "none of them has come");
    base.Measure(500, 1000, 1530, 0);
    base.Send(64, 2000);
    base.Send(10, 2100);
    test.ExpectEqual(base.Get(), 500, "as long or shorter ones do not");
    base.Measure(400, 2000, 2500, 0);
    base.Measure(700, 2100, 3300, 0);
    test.ExpectEqual(base.Get(), 400, "the shortest");
}

/// Against a plain model: the shortest of this period and the one before.
void
Periods(FunctionCase& test)
{
    const TestSeeds seeds(200);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const TimePs period = 1 + static_cast<TimePs>(random() % 1000);
        BaseDelay base;
        base.Send(100, 0);

        struct Period
        {
            TimePs begin;
            TimePs shortest;
        };

        std::deque<Period> periods; // all that ever began
        TimePs now = 2000;
        for (uint32_t i = 0; i < 500; ++i)
        {
            now += static_cast<TimePs>(random() % (period / 2 + 2));
            now += random() % 50 == 0 ? 3 * period : 0;
            const TimePs rtt = 1 + static_cast<TimePs>(random() % 1000);
            if (periods.empty() || now >= periods.back().begin + period)
            {
                periods.push_back({now, NEVER});
            }
            periods.back().shortest = std::min(periods.back().shortest, rtt);
            TimePs expected = periods.back().shortest;
            if (periods.size() > 1)
            {
                const Period& before = periods[periods.size() - 2];
                expected = periods.back().begin < before.begin + 2 * period
                               ? std::min(expected, before.shortest)
                               : expected;
            }
            base.Measure(rtt, now - rtt, now, period);
            test.ExpectEqual(base.Get(), expected, "seed " + std::to_string(seed));
        }
    }
}

/// The cases of this file.
class DelayTargetSuite : public FunctionSuite
{
  public:
    DelayTargetSuite()
        : FunctionSuite("fabric-delay-target", kUnit)
    {
        Add("RT-14 base, allowance and hops", Sum);
        Add("RT-14 flow scaling", FlowScaling);
        Add("RT-14 the base delay is that of long packets", LongPackets);
        Add("RT-14 a base delay is forgotten, against a plain model", Periods);
    }
};

DelayTargetSuite g_delayTargetSuite; ///< Registers the suite.

} // namespace
