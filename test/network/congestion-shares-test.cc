/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-congestion-tools.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-flow-statistics.h"
#include "fabric-goodput-meter.h"
#include "fabric-incast-helper.h"
#include "fabric-message-sender-helper.h"
#include "fabric-network-scenario.h"
#include "fabric-test-seeds.h"
#include "support/fabric-function-case.h"
#include "support/fabric-max-min.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t RADIX = 8;
constexpr uint32_t HOSTS = 128;
constexpr uint32_t HOSTS_OF_SWITCH = RADIX / 2;
constexpr uint32_t HOSTS_OF_POD = RADIX * RADIX / 4;

/// Payload that a link of 200 Gb/s takes in full frames, bit/s.
constexpr double LINK_GOODPUT = 200e9 * MAX_PAYLOAD / (MAX_PAYLOAD + HEADER_BYTES + FCS_BYTES);

/// Victims send alone before, and so fill their paths.
const Time ALONE = MicroSeconds(10);

/// Sources and destinations.
using HostPairs = std::vector<std::pair<uint32_t, uint32_t>>;

/// Where a victim goes.
enum class To
{
    NEIGHBOUR, ///< A host of the switch of the incast's receiver.
    OWN_POD,   ///< A host of another switch of the sender's pod.
    OTHER_POD, ///< A host of a pod that is neither the sender's nor the receiver's.
};

/// An incast and victims beside it.
struct SharesCase
{
    uint32_t senders; ///< Of the incast.
    uint64_t bytes;   ///< Of each.
    bool fromSenders; ///< Whether victims are sent from senders of the incast.
    To to;            ///< Where they go.
    uint32_t victims; ///< How many.
};

/// Of the incast's receiver.
constexpr uint32_t RECEIVER = IncastHelper::RECEIVER;

/// @return whether a victim from one host to another is as the case says
bool
Suits(const SharesCase& what, bool isSender, uint32_t src, uint32_t dst)
{
    const auto pod = [](uint32_t host) { return host / HOSTS_OF_POD; };
    const auto edge = [](uint32_t host) { return host / HOSTS_OF_SWITCH; };
    if (isSender != what.fromSenders || edge(src) == edge(RECEIVER) || edge(src) == edge(dst))
    {
        return false;
    }
    switch (what.to)
    {
    case To::NEIGHBOUR:
        return edge(dst) == edge(RECEIVER) && dst != RECEIVER;
    case To::OWN_POD:
        return pod(dst) == pod(src) && edge(dst) != edge(RECEIVER);
    default:
        return pod(dst) != pod(src) && pod(dst) != pod(RECEIVER);
    }
}

/// @return sources and destinations of victims, all of them different hosts
HostPairs
DrawVictims(const SharesCase& what, const std::vector<uint32_t>& senders, uint32_t seed)
{
    std::mt19937 random(seed);
    HostPairs victims;
    std::vector<bool> isTaken(HOSTS, false);
    while (victims.size() < what.victims)
    {
        const auto src = static_cast<uint32_t>(random() % HOSTS);
        const auto dst = static_cast<uint32_t>(random() % HOSTS);
        const bool isSender = std::binary_search(senders.begin(), senders.end(), src);
        if (!isTaken[src] && !isTaken[dst] && Suits(what, isSender, src, dst))
        {
            isTaken[src] = isTaken[dst] = true;
            victims.emplace_back(src, dst);
        }
    }
    return victims;
}

/// Number of the link by which an output of a switch sends; below are the uplinks of hosts.
std::size_t
LinkOf(uint32_t switchIndex, uint32_t port)
{
    return HOSTS + switchIndex * RADIX + port;
}

/// Bytes of each flow over each link since a time, by source and destination.
std::map<std::pair<uint32_t, uint32_t>, LinkParts>
BytesOverLinks(const FabricContainer& fabric, Time since)
{
    std::map<std::pair<uint32_t, uint32_t>, LinkParts> bytes;
    for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
    {
        const Ptr<FabricSwitch> one = fabric.GetSwitch(i);
        std::vector<FlowFigures> channels = one->GetClosedFlowChannels();
        for (uint32_t port = 0; port < RADIX; ++port)
        {
            const std::vector<FlowFigures> open = one->GetFlowChannels(port);
            channels.insert(channels.end(), open.begin(), open.end());
        }
        for (const FlowFigures& channel : channels)
        {
            if (channel.closed >= since.GetPicoSeconds())
            {
                const uint32_t src = HostOf(channel.src);
                LinkParts& links = bytes[{src, HostOf(channel.dst)}];
                const auto sent = static_cast<double>(channel.bytesSent);
                links[LinkOf(i, channel.output)] += sent;
                if (one->GetChip().Host(channel.port))
                {
                    links[src] += sent;
                }
            }
        }
    }
    return bytes;
}

/// What victims got in a run, and what would have been fair, by number of the victim; bit/s.
struct SharesRun
{
    std::vector<double> goodputs; ///< From the start of the incast to its end.
    std::vector<double> fair;     ///< Max-min fair shares, over the paths that all flows had.

    /// @return the least that a victim got of its fair share
    double LeastPart() const
    {
        double least = 1;
        for (std::size_t i = 0; i < goodputs.size(); ++i)
        {
            least = std::min(least, goodputs[i] / fair[i]);
        }
        return least;
    }
};

/// @return max-min fair shares of some flows
std::vector<double>
FairShares(const FabricContainer& fabric, const HostPairs& victims)
{
    std::vector<LinkParts> flows;
    std::vector<double> fair(victims.size(), 0);
    std::vector<std::size_t> numbers; // of victims, by flow; others have one that is too high
    for (auto& [ends, links] : BytesOverLinks(fabric, ALONE))
    {
        const double all = links[ends.first];
        for (auto& [link, part] : links)
        {
            part /= all;
        }
        flows.push_back(links);
        numbers.push_back(static_cast<std::size_t>(std::find(victims.begin(), victims.end(), ends) -
                                                   victims.begin()));
    }
    const std::vector<double> shares = MaxMinShares(flows, LINK_GOODPUT);
    for (std::size_t flow = 0; flow < flows.size(); ++flow)
    {
        if (numbers[flow] < victims.size())
        {
            fair[numbers[flow]] = shares[flow];
        }
    }
    return fair;
}

/// Lets victims send as fast as their links take it. @return what measures each
std::vector<GoodputMeter>
InstallVictims(const FabricContainer& fabric, const HostPairs& victims)
{
    constexpr uint32_t FRAMES = 16; // of a message
    const TimePs frame = LinkRate(200'000'000'000).TxTime(WireBytes(MAX_PAYLOAD));
    FabricMessageSenderHelper sender(FRAMES * MAX_PAYLOAD);
    sender.SendOnEvery(PicoSeconds(FRAMES * frame));
    std::vector<GoodputMeter> meters(victims.size());
    for (std::size_t i = 0; i < victims.size(); ++i)
    {
        sender.Install(fabric, victims[i].first, victims[i].second);
        meters[i].Add(fabric.GetDevice(victims[i].second));
        Simulator::Schedule(ALONE, &GoodputMeter::Begin, &meters[i]);
    }
    return meters;
}

/// Names of tools that are on.
using Tools = std::set<std::string>;

const Tools NO_TOOLS{};
const Tools ALL_TOOLS{"Fgfc", "HopCredits", "EndpointCongestion", "FlowLimits", "Pacing"};

/**
 * Runs an incast beside victims that send without end.
 *
 * @param tools that are on, of ALL_TOOLS
 * @param control of links between switches
 */
SharesRun
RunShares(const SharesCase& what,
          const Tools& tools,
          uint32_t seed,
          const std::string& control = "credits")
{
    Simulation simulation;
    for (const std::string& name : ALL_TOOLS)
    {
        Config::SetDefault("ns3::FabricSwitch::" + name, BooleanValue(tools.count(name) != 0));
    }
    FatTreeHelper helper(RADIX);
    helper.SetStream(seed);
    helper.SetSwitchAttribute("LinkFlowControl", StringValue(control));
    helper.SetSwitchAttribute("FlowStatistics", StringValue("all"));
    const FabricContainer fabric = helper.Install();
    IncastHelper incast(what.senders, what.bytes);
    incast.SetStart(ALONE, Time(0));
    incast.Install(fabric);
    const HostPairs victims = DrawVictims(what, incast.GetSenders(fabric), seed);
    std::vector<GoodputMeter> meters = InstallVictims(fabric, victims);
    SharesRun run;
    uint32_t delivered = 0;
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>([&](const Message& message, Time now) {
            delivered += message.tag == IncastHelper::INCAST_TAG;
            if (delivered == what.senders && run.goodputs.empty())
            {
                for (const GoodputMeter& meter : meters)
                {
                    run.goodputs.push_back(meter.Measure());
                }
                fabric.network->StopAt(now);
            }
        }));
    Simulator::Run();
    run.fair = FairShares(fabric, victims);
    return run;
}

constexpr uint64_t LARGE = 4 << 20; // bytes of each of 8 senders
constexpr uint64_t SMALL = 1 << 20; // bytes of each of 64 senders

const SharesCase CASES[] = {
    {8, LARGE, false, To::NEIGHBOUR, 1},
    {64, SMALL, false, To::NEIGHBOUR, 1},
    {8, LARGE, false, To::OWN_POD, 1},
    {64, SMALL, false, To::OWN_POD, 4},
    {8, LARGE, false, To::OTHER_POD, 4},
    {64, SMALL, false, To::OTHER_POD, 1},
    {8, LARGE, true, To::NEIGHBOUR, 1},
    {64, SMALL, true, To::NEIGHBOUR, 1},
    {8, LARGE, true, To::OWN_POD, 4},
    {64, SMALL, true, To::OWN_POD, 1},
    {8, LARGE, true, To::OTHER_POD, 1},
    {64, SMALL, true, To::OTHER_POD, 4},
};

/// @return of which run, for sentences
std::string
NameOf(const SharesCase& what, uint32_t seed)
{
    const char* const ends[] = {"a neighbour of the receiver", "their own pod", "another pod"};
    return "seed " + std::to_string(seed) + ", " + std::to_string(what.senders) + " senders, " +
           std::to_string(what.victims) + " victims from " +
           (what.fromSenders ? "senders" : "idle hosts") + " to " +
           ends[static_cast<std::size_t>(what.to)];
}

/**
 * With all tools a greedy victim keeps its max-min fair share. It has no less than without any
 * tool, but for what is fair: paths are chosen anew, and two victims may meet in one run only.
 */
void
TestShares(FunctionCase& self)
{
    const TestSeeds seeds(2);
    double least = 1;
    for (const SharesCase& what : CASES)
    {
        for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
        {
            const SharesRun with = RunShares(what, ALL_TOOLS, seed);
            const SharesRun without = RunShares(what, NO_TOOLS, seed);
            const double part = with.LeastPart();
            self.Expect(part >= 0.97, Text(NameOf(what, seed), ": ", part, " of the fair share"));
            for (std::size_t i = 0; i < with.goodputs.size(); ++i)
            {
                const double wanted = std::min(without.goodputs[i], with.fair[i]);
                const double ratio = with.goodputs[i] / wanted;
                self.Expect(ratio >= 0.99,
                            Text(NameOf(what, seed), ": ", ratio, " of that without tools"));
            }
            least = std::min(least, without.LeastPart());
        }
    }
    self.Expect(least < 0.2, Text("without tools a victim has ", least, " of it at least"));
}

/// Where switches pause each other, hop credits share out what is below XOFF: nothing is paused.
void
TestPausedLinks(FunctionCase& self)
{
    const TestSeeds seeds(2);
    for (const std::string control : {"pause", "priority-pause"})
    {
        for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
        {
            for (const SharesCase& what : {CASES[1], CASES[5]})
            {
                const double part = RunShares(what, {"HopCredits"}, seed, control).LeastPart();
                self.Expect(part >= 0.97,
                            Text(NameOf(what, seed), ", ", control, ": ", part, " of its share"));
            }
        }
    }
}

/// Water filling, against shares that were worked out by hand.
void
TestWaterFilling(FunctionCase& self)
{
    // Two flows over link 0; one of them shares link 1 with two more, one of which has link 2 too.
    const std::vector<LinkParts> flows{{{0, 1}}, {{0, 1}, {1, 1}}, {{1, 1}}, {{1, 1}, {2, 1}}};
    self.Expect(MaxMinShares(flows, 30) == std::vector<double>{20, 10, 10, 10}, "a bottleneck");
    // Half of the second flow goes over link 0.
    const std::vector<LinkParts> halves{{{0, 1}}, {{0, 0.5}, {1, 0.5}, {2, 1}}};
    self.Expect(MaxMinShares(halves, 30) == std::vector<double>{20, 20}, "a flow of two paths");
}

/// The suite.
class CongestionSharesSuite : public FunctionSuite
{
  public:
    CongestionSharesSuite()
        : FunctionSuite("fabric-congestion-shares", kUnit)
    {
        Add("CM-10 max-min fair shares", TestWaterFilling);
        Add("CM-5 CM-10 hop credits keep links from being paused", TestPausedLinks);
        Add("CM-10 victims keep their max-min fair shares", TestShares);
    }
};

CongestionSharesSuite g_congestionSharesSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
