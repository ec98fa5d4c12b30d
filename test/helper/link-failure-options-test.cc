/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-helper.h"
#include "fabric-link-failure-options.h"
#include "fabric-shortest-path-routing.h"
#include "network/fabric-network-scenario.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <string>

namespace ns3::fabric
{

namespace
{

/// @return options by which a link fails and is repaired
LinkFailureOptions
FailureOf(const std::string& link, Time failAt, Time repairAt)
{
    LinkFailureOptions options;
    options.failAt = failAt;
    options.repairAt = repairAt;
    options.link = link;
    return options;
}

/// A link is repaired after it has failed, or not at all.
void
TestTimesOfFailure(FunctionCase& self)
{
    const auto refusal = [](Time failAt, Time repairAt) {
        return Refusal([&] { FailureOf("target", failAt, repairAt).Check(); });
    };
    const Time zero(0);
    const Time early = MicroSeconds(1);
    const Time late = MicroSeconds(2);
    self.ExpectSame(refusal(zero, zero), "", "no failure");
    self.ExpectSame(refusal(early, zero), "", "no repair");
    self.ExpectSame(refusal(early, late), "", "failure, then repair");
    self.Expect(refusal(late, early).find("--repairAt") == 0, "repaired before");
    self.Expect(refusal(late, late).find("--repairAt") == 0, "repaired at once");
    self.Expect(refusal(zero, late).find("--repairAt") == 0, "repaired without a failure");
    self.Expect(FailureOf("target", early, zero).IsGiven() &&
                    !FailureOf("target", zero, zero).IsGiven(),
                "whether one is given");
    self.ExpectSame(Refusal([&] { FailureOf("target", zero, zero).Refuse("nothing"); }),
                    "",
                    "nothing to refuse");
    self.Expect(!Refusal([&] { FailureOf("target", early, zero).Refuse("nothing"); }).empty(),
                "a failure where there is no fabric");
}

/// The link that is named is down from the one time to the other, and no other link is.
void
TestLinkOfFailure(FunctionCase& self)
{
    for (const std::string link : {"sender", "target", "0-1", "2-1"})
    {
        const Simulation simulation;
        FabricHelper helper;
        const TopologyPlan plan = MakeChainPlan({1, 0, 0});
        const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
        FailureOf(link, MicroSeconds(10), MicroSeconds(20)).Plan(fabric);
        const auto expect = [&self, &fabric, link](const std::string& down) {
            const std::string what = "--failLink=" + link + ", ";
            self.ExpectEqual(!fabric.hostLinks[0]->IsUp(), down == "sender", what + "sender");
            self.ExpectEqual(!fabric.hostLinks[1]->IsUp(), down == "target", what + "target");
            self.ExpectEqual(!fabric.GetLink(0, 1)->IsUp(), down == "0-1", what + "0-1");
            self.ExpectEqual(!fabric.GetLink(1, 2)->IsUp(), down == "2-1", what + "2-1");
        };
        Simulator::Schedule(MicroSeconds(9), [expect] { expect(""); });
        Simulator::Schedule(MicroSeconds(15), [expect, link] { expect(link); });
        Simulator::Schedule(MicroSeconds(21), [expect] { expect(""); });
        Simulator::Run();
    }
}

/// What is no link is refused with a sentence.
void
TestNoSuchLink(FunctionCase& self)
{
    const Simulation simulation;
    FabricHelper helper;
    const TopologyPlan plan = MakeChainPlan({1, 0, 0});
    const FabricContainer fabric = helper.Install(plan, MakeShortestPathRouting(plan));
    for (const std::string link : {"0-2", "0-7", "0", "0-1-2", "0_1", "host"})
    {
        const std::string refusal =
            Refusal([&] { FailureOf(link, MicroSeconds(1), Time(0)).Plan(fabric); });
        self.Expect(refusal.find("--failLink=" + link) == 0, link + ": " + refusal);
    }
}

/// The suite.
class LinkFailureOptionsSuite : public FunctionSuite
{
  public:
    LinkFailureOptionsSuite()
        : FunctionSuite("fabric-link-failure-options", kUnit)
    {
        Add("PR-5 times of a failure are checked", TestTimesOfFailure);
        Add("PR-5 the link that is named fails, and is repaired", TestLinkOfFailure);
        Add("PR-5 what is no link is refused", TestNoSuchLink);
    }
};

const LinkFailureOptionsSuite g_linkFailureOptionsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
