/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-application-traffic.h"
#include "fabric-ideal-paths.h"
#include "fabric-random-network.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/boolean.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t LIMIT_UNITS = 128; ///< Of the host that applications share.

/// Attributes of switches.
using Attributes = std::vector<std::pair<std::string, std::string>>;

/// Gives switches a limit of what a host has in the fabric, and other attributes.
void
SetLimits(FatTreeHelper& helper, const Attributes& attributes)
{
    helper.SetStream(1);
    helper.SetSwitchAttribute("PortLimit", UintegerValue(LIMIT_UNITS));
    helper.SetSwitchAttribute("BufferBytes", UintegerValue(4 << 20));
    helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
    for (const auto& [name, value] : attributes)
    {
        helper.SetSwitchAttribute(name, StringValue(value));
    }
}

/// What applications of a host got.
struct ApplicationShares
{
    std::vector<double> shared; ///< Part of each until the second one stops.
    Time lastOfSecond;          ///< When its last message was delivered.
    double after{0};            ///< Bit/s of all after that.
    double before{0};           ///< Bit/s of all before.
    Time roundTrip;             ///< The longest of an empty fabric.
};

/// @return what they got @param flows of each
ApplicationShares
RunApplications(const std::vector<uint64_t>& flows, const Attributes& attributes)
{
    Simulation simulation;
    FatTreeHelper helper(4);
    SetLimits(helper, attributes);
    const FabricContainer fabric = helper.Install();
    FabricApplicationTraffic traffic(fabric, 0, flows);
    const Time stop = MicroSeconds(600);
    const Time end = MilliSeconds(2);
    Simulator::ScheduleNow([&] { traffic.Start(); });
    Simulator::Schedule(stop, [&] { traffic.Stop(1); });
    Simulator::Stop(end);
    Simulator::Run();
    ApplicationShares shares;
    shares.roundTrip = FabricIdealPaths(fabric.network).LongestRoundTrip();
    shares.shared.resize(flows.size());
    double all = 0;
    const Time from = stop / 3;
    for (const auto& delivery : traffic.GetDeliveries())
    {
        const bool isShared = delivery.at > from && delivery.at <= stop;
        shares.shared[delivery.application] += isShared ? 1 : 0;
        all += isShared ? 1 : 0;
        shares.lastOfSecond = delivery.application == 1 ? delivery.at : shares.lastOfSecond;
    }
    for (double& share : shares.shared)
    {
        share /= all;
    }
    shares.before = all * MAX_PAYLOAD * 8 / (stop - from).GetSeconds();
    // A round trip later the other one has all of the limit.
    const Time later = shares.lastOfSecond + shares.roundTrip;
    double alone = 0;
    for (const auto& delivery : traffic.GetDeliveries())
    {
        alone += delivery.at > later ? 1 : 0;
    }
    shares.after = alone * MAX_PAYLOAD * 8 / (end - later).GetSeconds();
    return shares;
}

/// @return groups of two applications, each with a limit
Attributes
TwoGroups(const std::string& ratios)
{
    return {{"AppGroups", "0:0:3"}, {"GroupLimitIds", "1:0,2:1"}, {"LimitRatios", ratios}};
}

/// Without groups applications share by flows, with them by ratio, and who is alone has all.
void
TestApplicationShares(FunctionCase& self)
{
    struct Case
    {
        Attributes attributes; ///< Of switches.
        double share;          ///< Expected of the first application.
    };

    for (const auto& [attributes, share] : std::vector<Case>{{{}, 1.0 / 201},
                                                             {TwoGroups("1,1"), 1.0 / 2},
                                                             {TwoGroups("3,1"), 3.0 / 4},
                                                             {TwoGroups("1,3"), 1.0 / 4},
                                                             {{{"AppGroups", "0:0:3"}}, 1.0 / 2}})
    {
        const ApplicationShares shares = RunApplications({1, 200}, attributes);
        self.Expect(std::abs(shares.shared[0] - share) < 0.02 * std::max(share, 0.05),
                    Text("the application with one flow gets ", shares.shared[0]));
        self.Expect(shares.after > 0.97 * shares.before && shares.after < 1.03 * shares.before,
                    Text("alone it gets ", shares.after, " bit/s, both ", shares.before));
    }
}

/// An absolute limit counts where it is lower, and an application without limit gets the link.
void
TestAbsoluteLimits(FunctionCase& self)
{
    Attributes attributes = TwoGroups("1,1");
    attributes.emplace_back("LimitUnits", "16");
    const ApplicationShares lower = RunApplications({1, 200}, attributes);
    // One frame beside four: the other's share of the port's limit stays what it is.
    self.Expect(std::abs(lower.shared[0] - 0.2) < 0.01, Text("it gets ", lower.shared[0]));
    attributes = {{"AppGroups", "0:0:3"}, {"GroupLimitIds", "1:8,2:1"}};
    const ApplicationShares unlimited = RunApplications({1, 200}, attributes);
    self.Expect(unlimited.before > 1.5 * lower.before,
                Text("without limit ", unlimited.before, " bit/s, with ", lower.before));
    Attributes forced = TwoGroups("1,1");
    forced.emplace_back("ForceInjection", "true");
    const ApplicationShares isForced = RunApplications({1, 200}, forced);
    self.Expect(std::abs(isForced.before / unlimited.before - 1) < 0.02,
                Text("forced ", isForced.before, " bit/s, without limit ", unlimited.before));
}

/// Groups of a class change in the run, while its frames are dropped and it has no flows; then
/// applications share by the new ones. No flow is in two groups at a time.
void
TestChangeOfGroups(FunctionCase& self)
{
    Simulation simulation;
    FatTreeHelper helper(4);
    SetLimits(helper, {{"AppGroups", "0:1:0"}, {"GroupLimitIds", "2:1"}}); // all in group 1
    const FabricContainer fabric = helper.Install();
    const Ptr<FabricSwitch> edge = fabric.GetSwitch(0); // of host 0
    FabricApplicationTraffic traffic(fabric, 0, {1, 50});
    std::vector<std::string> refusals;
    const auto change = [&] { edge->SetAttribute("AppGroups", StringValue("0:0:3")); };
    const std::string early = Refusal(change);
    self.Expect(early.find("class 0 is not in DiscardClasses") != std::string::npos,
                Text("it says: ", early));
    Simulator::ScheduleNow([&] { traffic.Start(); });
    Simulator::Schedule(MicroSeconds(100), [&] { refusals.push_back(Refusal(change)); });
    Simulator::Schedule(MicroSeconds(200), [&] {
        self.Expect(edge->CountFlows(0) == 51, Text(edge->CountFlows(0), " flows are there"));
        traffic.Stop(0);
        traffic.Stop(1);
        edge->SetAttribute("DiscardClasses", UintegerValue(1));
    });
    // Frames that were in the fabric are under way.
    Simulator::Schedule(MicroSeconds(200) + NanoSeconds(700),
                        [&] { refusals.push_back(Refusal(change)); });
    Simulator::Schedule(MicroSeconds(400), [&] {
        self.Expect(edge->CountFlows(0) == 0, Text(edge->CountFlows(0), " flows are left"));
        refusals.push_back(Refusal(change));
        edge->SetAttribute("DiscardClasses", UintegerValue(0));
    });
    FabricApplicationTraffic again(fabric, 0, {1, 50});
    Simulator::Schedule(MicroSeconds(500), [&] { again.Start(); });
    Simulator::Stop(MicroSeconds(900));
    Simulator::Run();
    edge->GetChip().CheckInvariants();

    self.Expect(refusals[0].find("class 0 is not in DiscardClasses") != std::string::npos,
                Text("it says: ", refusals[0]));
    self.Expect(refusals[1].find("class 0 still has ") != std::string::npos,
                Text("it says: ", refusals[1]));
    self.Expect(refusals[2].empty(), Text("it says: ", refusals[2]));
    const uint64_t discarded =
        edge->GetChip().Counts().droppedPayload[static_cast<std::size_t>(DropCause::DISCARDED)];
    self.Expect(discarded > 0, "nothing was dropped while the class was discarded");
    const auto shareOf = [&](const FabricApplicationTraffic& of, Time from, Time to) {
        double first = 0;
        double all = 0;
        for (const auto& delivery : of.GetDeliveries())
        {
            const bool counts = delivery.at > from && delivery.at <= to;
            all += counts ? 1 : 0;
            first += counts && delivery.application == 0 ? 1 : 0;
        }
        return first / all;
    };
    const double before = shareOf(traffic, MicroSeconds(50), MicroSeconds(200));
    const double after = shareOf(again, MicroSeconds(600), MicroSeconds(900));
    self.Expect(std::abs(before - 1.0 / 51) < 0.005, Text("in one group it gets ", before));
    self.Expect(std::abs(after - 0.5) < 0.02, Text("in a group of its own it gets ", after));
}

/// Attributes that have no effect, or are wrong, are refused with a sentence.
void
TestInjectionRefusals(FunctionCase& self)
{
    struct Case
    {
        Attributes attributes; ///< Of switches.
        const char* sentence;  ///< A part of what it says.
    };

    for (const auto& [attributes, sentence] : std::vector<Case>{
             {{{"AppGroups", "0:0:3"}}, "AppGroups is 0:0:3, and nothing is limited"},
             {{{"GroupLimitIds", "1:0"}}, "GroupLimitIds is 1:0, and nothing is limited"},
             {{{"ForceInjection", "true"}}, "ForceInjection is true, and nothing is limited"},
             {{{"LimitUnits", "5"}, {"LimitRatios", "3,1"}}, "LimitRatios is 3,1, and PortLimit"},
             {{{"LimitUnits", "5"}, {"FlowChannels", "false"}}, "LimitUnits is 5, and no class"},
             {{{"PortLimit", "5"}, {"LimitRatios", "0,1"}}, "LimitRatios: '0,1' is not a list"},
             {{{"LimitUnits", "1,1,1,1,1,1,1,1,1"}}, "is not a list of at most 8 numbers"},
             {{{"PortLimit", "5"}, {"GroupLimitIds", "127:0"}}, "GroupLimitIds: '127:0' is not"},
             {{{"PortLimit", "5"}, {"GroupLimitIds", "1:9"}}, "GroupLimitIds: '1:9' is not"},
             {{{"PortLimit", "5"}, {"AppGroups", "0:0:8"}}, "AppGroups: '0:0:8' is not"}})
    {
        Simulation simulation;
        FatTreeHelper helper(4);
        for (const auto& [name, value] : attributes)
        {
            helper.SetSwitchAttribute(name, StringValue(value));
        }
        const std::string said = Refusal([&helper] { helper.Install(); });
        self.Expect(said.find(sentence) != std::string::npos, Text("it says: ", said));
    }
    Simulation simulation;
    FatTreeHelper helper(4);
    const FabricContainer fabric = helper.Install();
    const std::string said =
        Refusal([&] { fabric.GetSwitch(0)->SetAttribute("AppGroups", StringValue("0:0:3")); });
    self.Expect(said.find("AppGroups: nothing is limited") == 0, Text("it says: ", said));
    const std::string third = Refusal([&] { FabricApplicationTraffic(fabric, 8, {1}); });
    self.Expect(third.find("host 8 of 16; allowed are one or more") != std::string::npos,
                Text("it says: ", third));
}

/// The suite.
class IngressFairnessNetSuite : public FunctionSuite
{
  public:
    IngressFairnessNetSuite()
        : FunctionSuite("fabric-ingress-fairness-net", kUnit)
    {
        Add("IF-6 IF-8 IF-10 what applications of a host get", TestApplicationShares);
        Add("IF-7 IF-8 absolute limits, and none", TestAbsoluteLimits);
        Add("IF-9 groups change in the run", TestChangeOfGroups);
        Add("IF-6 IF-7 IF-8 refusals", TestInjectionRefusals);
    }
};

IngressFairnessNetSuite g_ingressFairnessNetSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
