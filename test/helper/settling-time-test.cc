/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-frame.h"
#include "fabric-ideal-paths.h"
#include "fabric-settling-time.h"
#include "fabric-shortest-path-routing.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/simulator.h"
#include "ns3/string.h"

namespace ns3::fabric
{

namespace
{

/// A tree settles within round trips over its longest way, and messages.
void
TestRule(FunctionCase& self)
{
    FatTreeHelper tree(4);
    const FabricContainer fabric = tree.Install();
    const EmptyPath longest = FabricIdealPaths(fabric.network).Find(LocationOf(0), LocationOf(15));
    const Time roundTrip = PicoSeconds(2 * longest.CompletionTime(MAX_PAYLOAD));
    const Time message = NanoSeconds(700);
    const SettlingTime settling(fabric, message);
    self.ExpectEqual(settling.RoundTrip(), roundTrip, "round trip");
    self.ExpectEqual(settling.Enough(), roundTrip * 2 + message * 3, "enough");
    self.ExpectEqual(settling.Least(), roundTrip / 2 + message, "least");
    const SettlingTime connecting(fabric, message, true);
    self.ExpectEqual(connecting.Enough(), settling.Enough() + roundTrip, "enough, with a set-up");
    self.ExpectEqual(connecting.Least(), settling.Least() + roundTrip, "least, with a set-up");
    Simulator::Destroy();
}

/// A time that is given is taken; otherwise the usual one, unless that is too short.
void
TestChoice(FunctionCase& self)
{
    FatTreeHelper tree(4);
    const SettlingTime settling(tree.Install(), NanoSeconds(700));
    self.ExpectEqual(settling.Choose(NanoSeconds(3), Seconds(1)), NanoSeconds(3), "given");
    self.ExpectEqual(settling.Choose(Time(0), Seconds(1)), Seconds(1), "usual");
    self.ExpectEqual(settling.Choose(Time(0), NanoSeconds(1)), settling.Enough(), "longer");
    self.ExpectEqual(settling.Choose(Time(0), NanoSeconds(1), 5), settling.Enough() * 5, "parts");
    self.ExpectEqual(settling.Choose(Time(0), NanoSeconds(1), 5, Seconds(1)), Seconds(1), "least");
    self.Expect(Refusal([&] { settling.Require("--time", settling.Least()); }).empty(),
                "just enough");
    const std::string refusal =
        Refusal([&] { settling.Require("--time", settling.Least() - PicoSeconds(1)); });
    self.Expect(refusal.find("--time=") == 0 &&
                    refusal.find(": allowed is at least ") != std::string::npos,
                refusal);
    Simulator::Destroy();
}

/// Usual times are longer in proportion where a host is slower than usual, and never shorter.
void
TestRates(FunctionCase& self)
{
    const auto usual = [](const std::string& rate, const std::string& rateOfOne) {
        FatTreeHelper tree(4);
        tree.SetHostChannelAttribute("DataRate", StringValue(rate));
        tree.SetHostLinkAttribute(3, "DataRate", StringValue(rateOfOne));
        const SettlingTime settling(tree.Install(), NanoSeconds(1));
        const Time time = settling.Choose(Time(0), MilliSeconds(2));
        Simulator::Destroy();
        return time;
    };
    self.ExpectEqual(usual("200Gbps", "200Gbps"), MilliSeconds(2), "usual rate");
    self.ExpectEqual(usual("800Gbps", "400Gbps"), MilliSeconds(2), "fast hosts");
    self.ExpectEqual(usual("10Gbps", "10Gbps"), MilliSeconds(40), "slow hosts");
    self.ExpectEqual(usual("200Gbps", "1Gbps"), MilliSeconds(400), "one slow host");
}

/// A host alone has no way to any other.
void
TestHostAlone(FunctionCase& self)
{
    TopologyPlan plan;
    plan.switches.push_back({NO_GROUP, 2, Tier::EDGE});
    plan.hosts.push_back({0, 0});
    const FabricContainer fabric = FabricHelper().Install(plan, MakeShortestPathRouting(plan));
    self.ExpectEqual(SettlingTime(fabric, NanoSeconds(7)).Enough(), NanoSeconds(21), "alone");
    Simulator::Destroy();
}

/// Suite of times that programs choose.
class SettlingTimeTestSuite : public FunctionSuite
{
  public:
    SettlingTimeTestSuite()
        : FunctionSuite("fabric-settling-time", kUnit)
    {
        Add("PR-2 a fabric settles within round trips and messages", TestRule);
        Add("PR-2 a time is taken as given, or long enough", TestChoice);
        Add("PR-2 usual times grow with the time of a byte", TestRates);
        Add("PR-2 a host alone", TestHostAlone);
    }
};

SettlingTimeTestSuite g_settlingTimeTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
