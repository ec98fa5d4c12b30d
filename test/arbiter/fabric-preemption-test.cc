/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flit-oracle.h"
#include "fabric-function-case.h"
#include "fabric-test-compat.h"
#include "fabric-wire-chain.h"

using namespace ns3;
using namespace ns3::fabric;

namespace
{

std::string
TextOf(const SegmentKey& key)
{
    std::ostringstream text;
    std::apply([&text](const auto&... parts) { ((text << parts << ' '), ...); }, key);
    return text.str();
}

std::string
FirstDifference(const WireOutcome& fast, const WireOutcome& slow)
{
    for (std::size_t hop = 0; hop < fast.segments.size(); ++hop)
    {
        const auto& a = fast.segments[hop];
        const auto& b = slow.segments[hop];
        for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
        {
            if (i >= a.size() || i >= b.size() || a[i] != b[i])
            {
                return "hop " + std::to_string(hop) + " segment " + std::to_string(i) + ": " +
                       (i < a.size() ? TextOf(a[i]) : "none") + " is not " +
                       (i < b.size() ? TextOf(b[i]) : "none");
            }
        }
    }
    return {};
}

void
CompareWithOracle(FunctionCase& test)
{
    uint64_t flits = 0;
    uint64_t preemptions = 0, fills = 0, gaps = 0, pieces = 0, idle=0;
    for (uint64_t seed = 1; seed <= 400; ++seed)
    {
        const WireScenario scenario = RandomWireScenario::Draw(seed);
        FlitOracle oracle(scenario);
        const WireOutcome slow = oracle.Run();
        WireChain chain(scenario);
        WireOutcome fast;
        try { fast = chain.Run(); } catch (std::exception& e) { test.Expect(false, std::string(e.what()) + " seed " + std::to_string(seed)); continue; }
        const std::string where = ", seed " + std::to_string(seed);
        test.Expect(FirstDifference(fast, slow).empty(), FirstDifference(fast, slow) + where);
        test.Expect(fast.tails == slow.tails, "tails" + where);
        test.Expect(fast.heads == slow.heads, "heads" + where);
        test.Expect(fast.idle == slow.idle, "idle" + where);
        flits += oracle.Flits();
        pieces += chain.Pieces();
        for (uint32_t hop = 0; hop < scenario.rates.size(); ++hop)
        {
            preemptions += chain.Counts(hop).preemptions;
            fills += chain.Counts(hop).fills;
            gaps += chain.Counts(hop).gaps;
            idle += fast.idle[hop] > 0;
        }
    }
    std::cerr << flits << " flits " << preemptions << " pre " << fills << " fills " << gaps << " gaps " << pieces << " pieces " << idle << " idle\n";
}

/// The suite.
class PreemptionSuite : public TestSuite
{
  public:
    PreemptionSuite()
        : TestSuite("fabric-preemption", kUnit)
    {
        AddTestCase(new FunctionCase("VA-9 VA-10 DP-14 random chains: segments = flit by flit", CompareWithOracle), kQuick);
    }
};

PreemptionSuite g_suite; ///< Registers the suite.

} // namespace
