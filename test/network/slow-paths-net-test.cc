/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree-helper.h"
#include "fabric-ideal-paths.h"
#include "fabric-network-scenario.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/boolean.h"

#include <algorithm>
#include <string>

namespace ns3::fabric
{

namespace
{

/// @return when a host of another pod has a second frame that is sent a time after the first
Time
ArrivalOfSecond(bool leavesSlow, Time slowPathTime, Time sent)
{
    Simulation simulation;
    FatTreeHelper helper(4);
    helper.SetStream(1);
    helper.SetSwitchAttribute("SlowPaths", BooleanValue(leavesSlow));
    helper.SetSwitchAttribute("SlowPathTime", TimeValue(slowPathTime));
    const FabricContainer fabric = helper.Install();
    Time last;
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>(
            [&last](const Message&, Time now) { last = std::max(last, now); }));
    for (const Time& at : {Time(0), sent})
    {
        Simulator::Schedule(at, [&fabric] {
            fabric.GetDevice(0)->SendMessage(LocationOf(15), MAX_PAYLOAD);
        });
    }
    Simulator::Run();
    return last;
}

/// The attributes say whether, and after what time.
void
TestAttributeOfSlowPaths(FunctionCase& self)
{
    const Time sent = NanoSeconds(1500);
    const Time never = ArrivalOfSecond(false, Time(0), sent);
    self.Expect(ArrivalOfSecond(true, NanoSeconds(1400), sent) > never, "it waits for the ACK");
    self.Expect(ArrivalOfSecond(true, NanoSeconds(1600), sent) == never, "it is not slow yet");
    self.Expect(ArrivalOfSecond(true, Time(0), sent) == never, "nor by the round trip");
}

/// Every switch is told of the round trip of the longest way, also where no other tool asks for it.
void
TestRoundTripOfSlowPaths(FunctionCase& self)
{
    for (const Time& delay : {NanoSeconds(10), MicroSeconds(2)})
    {
        Simulation simulation;
        FatTreeHelper helper(4);
        helper.SetChannelAttribute("Delay", TimeValue(delay));
        helper.SetSwitchAttribute("EndpointCongestion", BooleanValue(false));
        const FabricContainer fabric = helper.Install();
        const Time longest = FabricIdealPaths(fabric.network).LongestRoundTrip();
        for (const Ptr<FabricSwitch>& fabricSwitch : fabric.network->GetSwitches())
        {
            const SlowPathSettings& told = fabricSwitch->GetChip().Config().congestion.slowPaths;
            self.ExpectEqual(told.Time(), longest.GetPicoSeconds(), "the round trip");
        }
    }
}

/// It is refused where it has no effect.
void
TestRefusalOfSlowPaths(FunctionCase& self)
{
    Simulation simulation;
    FatTreeHelper helper(4);
    helper.SetSwitchAttribute("SlowPathTime", TimeValue(MicroSeconds(4)));
    helper.SetSwitchAttribute("FlowChannels", BooleanValue(false));
    const std::string said = Refusal([&helper] { helper.Install(); });
    self.Expect(said.find("SlowPathTime is 4000 ns, and no class has flow channels") !=
                    std::string::npos,
                Text("it says: ", said));
    FatTreeHelper off(4);
    off.SetSwitchAttribute("SlowPathTime", TimeValue(MicroSeconds(4)));
    off.SetSwitchAttribute("SlowPaths", BooleanValue(false));
    const std::string why = Refusal([&off] { off.Install(); });
    self.Expect(why.find("SlowPaths is false") != std::string::npos, Text("it says: ", why));
}

/// The suite.
class SlowPathsNetSuite : public FunctionSuite
{
  public:
    SlowPathsNetSuite()
        : FunctionSuite("fabric-slow-paths-net", kUnit)
    {
        Add("CM-9 the attribute says which flows are slow", TestAttributeOfSlowPaths);
        Add("CM-9 switches know the round trip for slow paths", TestRoundTripOfSlowPaths);
        Add("CM-9 slow paths need flow channels", TestRefusalOfSlowPaths);
    }
};

SlowPathsNetSuite g_slowPathsNetSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
