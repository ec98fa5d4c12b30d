/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-credit-loop.h"
#include "fabric-frame.h"
#include "fabric-goodput-meter.h"
#include "fabric-message-sender-helper.h"
#include "fabric-short-buffers.h"
#include "fabric-shortest-path-routing.h"
#include "support/fabric-function-case.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iostream>
#include <sstream>

namespace ns3::fabric
{

namespace
{

/// A link between two switches with a host each.
struct Link
{
    uint64_t rate{200'000'000'000};        ///< Of it, bit/s.
    uint64_t hostRate{200'000'000'000};    ///< Of the hosts' links, bit/s.
    Time delay{MicroSeconds(20)};          ///< Of it.
    uint64_t bufferBytes{512 * 1024};      ///< At both ends.
    std::string channels{"1"};             ///< Virtual channels.
    std::string forwarding{"cut-through"}; ///< Of the switches.
    bool creditFrames{false};              ///< On it.
    bool isLossy{false};                   ///< Class 1, which has channel 1.

    /// @return what installs it
    FabricHelper Helper() const
    {
        FabricHelper helper;
        helper.SetChannelAttribute("DataRate", DataRateValue(DataRate(rate)));
        helper.SetChannelAttribute("Delay", TimeValue(delay));
        helper.SetChannelAttribute("CreditFrames", BooleanValue(creditFrames));
        helper.SetHostChannelAttribute("Delay", TimeValue(NanoSeconds(30)));
        helper.SetHostChannelAttribute("DataRate", DataRateValue(DataRate(hostRate)));
        helper.SetSwitchAttribute("BufferBytes", UintegerValue(bufferBytes));
        helper.SetSwitchAttribute("VirtualChannels", StringValue(channels));
        if (isLossy)
        {
            helper.SetSwitchAttribute("ClassToVc", StringValue("0,1"));
            helper.SetDeviceAttribute("ClassToVc", StringValue("0,1"));
            helper.SetSwitchAttribute("LossyClasses", UintegerValue(1 << 1));
            helper.SetSwitchAttribute("FlowChannels", BooleanValue(false));
        }
        helper.SetSwitchAttribute("Forwarding", StringValue(forwarding));
        return helper;
    }
};

/// What a link does.
struct Outcome
{
    std::string told; ///< By the helper.
    double goodput;   ///< Of full frames, bit/s.
    double most;      ///< By the rule, bit/s.
    uint64_t enough;  ///< Bytes of a buffer that does not limit it.
};

/// @return what is written to standard error while something is done
template <typename Act>
std::string
ToldBy(Act&& act)
{
    std::ostringstream told;
    std::streambuf* const before = std::cerr.rdbuf(told.rdbuf());
    act();
    std::cerr.rdbuf(before);
    return told.str();
}

/// @return what a link does that a host fills
Outcome
Run(const Link& link)
{
    const TopologyPlan plan = MakeChainPlan({1, 0});
    FabricContainer fabric;
    Outcome outcome;
    outcome.told =
        ToldBy([&] { fabric = link.Helper().Install(plan, MakeShortestPathRouting(plan)); });
    const Transmitter& sender =
        fabric.GetSwitch(plan.links[0].switchA)->GetChip().Output(plan.links[0].portA);
    const TimePs creditTime =
        link.creditFrames
            ? sender.Rate().TxTime(CreditFrameBytes(sender.Credits().Shares().virtualChannels))
            : 0;
    const CreditLoop loop(sender,
                          WireBytes(MAX_PAYLOAD),
                          LinkRate(std::max(link.rate, link.hostRate)),
                          creditTime);
    outcome.most = loop.FramesPerSecond() * 8 * MAX_PAYLOAD;
    const uint64_t lossyBytes = link.bufferBytes - sender.Credits().Shares().totalBytes;
    outcome.enough = loop.EnoughBytes() + lossyBytes;
    const Time roundTrip = PicoSeconds(loop.roundTrip);
    FabricMessageSenderHelper(uint64_t{1} << 32).Install(fabric, 0, 1);
    GoodputMeter meter;
    meter.Add(fabric.GetDevice(1));
    // Of whole round trips, since frames come in bursts.
    Simulator::Schedule(roundTrip * 4, [&meter] { meter.Begin(); });
    fabric.network->StopAt(roundTrip * 24);
    Simulator::Run();
    outcome.goodput = meter.Measure();
    Simulator::Destroy();
    return outcome;
}

/// @return a link of such a delay that a round trip without a credit's time on the wire is whole
/// frames, or 1 ps less: whatever else is forgotten or added needs a frame more or less
Link
OfWholeFrames(Link link)
{
    const TopologyPlan plan = MakeChainPlan({1, 0});
    FabricContainer fabric;
    ToldBy([&] { fabric = link.Helper().Install(plan, MakeShortestPathRouting(plan)); });
    const CreditLoop loop(
        fabric.GetSwitch(plan.links[0].switchA)->GetChip().Output(plan.links[0].portA),
        WireBytes(MAX_PAYLOAD),
        LinkRate(std::max(link.rate, link.hostRate)),
        0);
    link.delay -= PicoSeconds((loop.roundTrip % loop.frameTime + 1) / 2);
    Simulator::Destroy();
    return link;
}

/// A link carries what its credits allow, and the helper tells of it where that is not its rate.
void
TestCreditRule(FunctionCase& self)
{
    std::vector<Link> links(11);
    links[1].rate = 400'000'000'000;
    links[1].hostRate = 400'000'000'000;
    links[2].delay = MicroSeconds(150);
    links[3].channels = "4";
    links[4].forwarding = "store-and-forward";
    links[5].creditFrames = true;
    links[6].rate = 100'000'000'000;
    links[6].delay = MicroSeconds(50);
    links[7].bufferBytes = 60'000;
    links[7].delay = MicroSeconds(3);
    links[8].channels = "2";
    links[8].isLossy = true;
    links[9].creditFrames = true;
    links[10].rate = 100'000'000'000;
    links[10].hostRate = 400'000'000'000;
    links[10].delay = MicroSeconds(50);
    for (std::size_t i = 9; i < links.size(); ++i)
    {
        links[i] = OfWholeFrames(links[i]);
    }
    for (std::size_t i = 0; i < links.size(); ++i)
    {
        const std::string name = "link " + std::to_string(i) + ": ";
        const Outcome is = Run(links[i]);
        self.ExpectNear(is.goodput / is.most, 1, 0.003, name + "as credits allow");
        self.Expect(is.most < 0.98 * static_cast<double>(links[i].rate) * MAX_PAYLOAD /
                                  WireBytes(MAX_PAYLOAD),
                    name + "less than its rate");
        self.Expect(is.told.find("lets the link from ") != std::string::npos &&
                        is.told.find("enough for it is " + std::to_string(is.enough) + "\n") !=
                            std::string::npos,
                    name + is.told);
        Link enough = links[i];
        enough.bufferBytes = is.enough;
        const Outcome full = Run(enough);
        self.ExpectNear(full.goodput / full.most, 1, 0.003, name + "full");
        self.ExpectEqual(full.told, std::string(), name + "nothing is told");
        --enough.bufferBytes;
        self.Expect(!Run(enough).told.empty(), name + "a byte less is told of");
    }
}

/// Where nobody waits for credits nothing is told.
void
TestOthers(FunctionCase& self)
{
    Link link;
    link.delay = NanoSeconds(30);
    self.ExpectEqual(Run(link).told, std::string(), "short link");
    link.delay = MicroSeconds(20);
    FabricHelper lossy = link.Helper();
    lossy.SetSwitchAttribute("LossyClasses", UintegerValue(0xFFFF));
    lossy.SetSwitchAttribute("FlowChannels", BooleanValue(false));
    FabricHelper pausing = link.Helper();
    pausing.SetSwitchAttribute("BufferBytes", UintegerValue(4 << 20));
    pausing.SetSwitchAttribute("LinkFlowControl", StringValue("pause"));
    for (const FabricHelper* helper : {&lossy, &pausing})
    {
        const TopologyPlan plan = MakeChainPlan({1, 0});
        const auto install = [&] { helper->Install(plan, MakeShortestPathRouting(plan)); };
        self.ExpectEqual(ToldBy(install), std::string(), "no credits");
        Simulator::Destroy();
    }
}

/// The link that is filled least is named, and the others are counted; hosts' links, too.
void
TestWorst(FunctionCase& self)
{
    const TopologyPlan plan = MakeChainPlan({1, 1});
    FabricHelper helper;
    helper.SetChannelAttribute("Delay", TimeValue(MicroSeconds(20)));
    helper.SetHostLinkAttribute(1, "Delay", TimeValue(MicroSeconds(100)));
    const std::string told = ToldBy([&] { helper.Install(plan, MakeShortestPathRouting(plan)); });
    self.ExpectEqual(
        told,
        "FabricHelper: BufferBytes of 524288 lets the link from host 1 to switch 1 (200 Gb/s, "
        "100 us) carry at most 20.87 Gb/s on a virtual channel, by the round trip of its credits; "
        "others that are short: 4; enough for it is 5018160\n",
        "names the host");
    Simulator::Destroy();
}

/// Suite of links that their buffers do not let go at their rate.
class ShortBuffersTestSuite : public FunctionSuite
{
  public:
    ShortBuffersTestSuite()
        : FunctionSuite("fabric-short-buffers", kUnit)
    {
        Add("WL-5 the helper tells of links that credits limit, and how far", TestCreditRule);
        Add("WL-5 where nobody waits for credits nothing is told", TestOthers);
        Add("WL-5 the link that is filled least is named", TestWorst);
    }
};

ShortBuffersTestSuite g_shortBuffersTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
