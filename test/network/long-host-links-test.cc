/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-ideal-completion.h"
#include "fabric-ideal-paths.h"
#include "fabric-message-recorder.h"
#include "fabric-network-scenario.h"
#include "fabric-shaping-table.h"
#include "fabric-shortest-path-routing.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include "ns3/data-rate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// One switch, of which all hosts but the last send to that one.
struct HostLinks
{
    uint32_t senders;         ///< Hosts that send.
    uint64_t gigabits;        ///< Rate of all links, Gb/s.
    TimePs delay;             ///< Of all links, ps.
    uint32_t buffer{1 << 19}; ///< Of an input, bytes.

    /// @return what a link carries in a round trip over it, bytes
    uint64_t Loop() const
    {
        return 2 * static_cast<uint64_t>(delay) * gigabits / 8'000;
    }

    /// Draws lengths by their logarithm, as far as the buffer lets a host fill its link.
    static HostLinks Draw(std::minstd_rand& random)
    {
        constexpr uint32_t BUFFER = 8 << 20;
        const std::vector<uint64_t> rates{25, 100, 200, 400, 800};
        const std::vector<uint32_t> senders{2, 3, 4, 5, 8, 12};
        HostLinks links{senders[random() % senders.size()],
                        rates[random() % rates.size()],
                        0,
                        BUFFER};
        const double exponent = std::uniform_real_distribution<>(4, 7.7)(random); // 10 ns to 50 us
        const auto longest = static_cast<double>(BUFFER / 4 * 8'000 / links.gigabits / 2);
        links.delay = static_cast<TimePs>(std::min(std::pow(10, exponent), longest));
        return links;
    }

    /// @return the fabric, with what the helper has been told
    FabricContainer Install(FabricHelper& helper) const
    {
        helper.SetHostChannelAttribute("DataRate",
                                       DataRateValue(DataRate(gigabits * 1'000'000'000)));
        helper.SetHostChannelAttribute("Delay", TimeValue(PicoSeconds(delay)));
        helper.SetSwitchAttribute("BufferBytes", UintegerValue(buffer));
        const TopologyPlan plan = MakeChainPlan({senders});
        return helper.Install(plan, MakeShortestPathRouting(plan));
    }
};

/// @param bytes that each host sends @return part of the receiver's link that they fill
double
FillBy(const HostLinks& links, const std::vector<uint64_t>& bytes)
{
    Simulation simulation;
    FabricHelper helper;
    const FabricContainer fabric = links.Install(helper);
    FabricMessageRecorder recorder(fabric.network);
    for (uint32_t host = 0; host < links.senders; ++host)
    {
        fabric.GetDevice(host)->SendMessage(LocationOf(links.senders), bytes[host]);
    }
    Simulator::Run();
    const FabricIdealPaths paths(fabric.network);
    const EmptyPath path = paths.Find(LocationOf(0), LocationOf(links.senders));
    const uint64_t all = std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
    return 1 / Slowdown(recorder.GetRecords().back().deliveredAt, path.CompletionTime(all));
}

/// Hosts that are restrained fill the link to the receiver, also where word of credit takes longer
/// to them than a frame to the receiver.
void
TestIncasts(FunctionCase& self)
{
    constexpr TimePs US = 1'000'000;
    std::vector<HostLinks> cases{{3, 200, 5 * US},
                                 {2, 200, 9 * US},
                                 {8, 200, 40 * US},
                                 {2, 200, 12 * US, 1 << 21},
                                 {4, 200, 10 * US},
                                 {3, 200, 20 * US, 1 << 21},
                                 {8, 200, 20 * US}};
    const TestSeeds seeds(12);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        cases.push_back(HostLinks::Draw(random));
    }
    for (const HostLinks& links : cases)
    {
        const uint64_t bytes = ((64 << 20) + 100 * links.Loop()) / links.senders;
        const double fill = FillBy(links, std::vector<uint64_t>(links.senders, bytes));
        self.Expect(fill > 0.97,
                    Text(links.senders,
                         " senders, ",
                         links.gigabits,
                         " Gb/s, ",
                         links.delay,
                         " ps fill ",
                         fill));
    }
}

/// An incast that is over after some round trips.
struct ShortIncast
{
    HostLinks links;     ///< Of its hosts.
    uint32_t roundTrips; ///< In which the receiver's link carries all of it.
    double largest;      ///< Part of it that the first host sends; the others send the same each.
};

/// @return bytes of each host, of which the first one sends so large a part of all
std::vector<uint64_t>
SplitIncast(const HostLinks& links, double all, double largest)
{
    const double each = all * (1 - largest) / (links.senders - 1);
    std::vector<uint64_t> bytes(links.senders, static_cast<uint64_t>(each));
    bytes[0] = static_cast<uint64_t>(all * largest);
    return bytes;
}

/// Severity limits flows only for as long as their queues are long. What it lets a flow have under
/// way it does have, over a long link too: the receiver's link stays busy when the others are done.
void
TestShortIncasts(FunctionCase& self)
{
    constexpr TimePs US = 1'000'000;
    constexpr uint32_t BUFFER = 8 << 20;
    const std::vector<ShortIncast> cases{{{6, 200, US, BUFFER}, 4, 0.5},
                                         {{6, 200, US, BUFFER}, 4, 0.7},
                                         {{6, 200, US, BUFFER}, 8, 0.3},
                                         {{6, 200, US, BUFFER}, 8, 0.7},
                                         {{6, 400, US / 2, BUFFER}, 4, 0.7},
                                         {{4, 100, 2 * US, BUFFER}, 4, 0.7},
                                         {{4, 100, 5 * US, BUFFER}, 6, 0.3}};
    for (const auto& [links, roundTrips, largest] : cases)
    {
        const auto all = static_cast<double>(roundTrips * links.Loop());
        const double fill = FillBy(links, SplitIncast(links, all, largest));
        self.Expect(fill > 0.985,
                    Text(links.senders,
                         " senders, ",
                         links.gigabits,
                         " Gb/s, ",
                         links.delay,
                         " ps, ",
                         roundTrips,
                         " round trips, ",
                         largest,
                         " of one fill ",
                         fill));
    }
}

/// When all flows of an incast but one end at once, that one has a part of 1/N under way of what
/// the link could carry. So the link is idle for the rest of a loop, at most, and only once.
void
TestLastOfAnIncast(FunctionCase& self)
{
    constexpr TimePs SWITCH_LATENCIES = 350'000; // for a frame and for its ACK
    const TestSeeds seeds(40);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const HostLinks links = HostLinks::Draw(random);
        const uint32_t roundTrips = 2 + random() % 30;
        const double largest = std::uniform_real_distribution<>(0.2, 0.9)(random);
        const double all = 8 * MAX_PAYLOAD * links.senders + roundTrips * links.Loop();
        const std::vector<uint64_t> bytes = SplitIncast(links, all, largest);
        const double whole = all * 8'000 / links.gigabits;
        const double idle = whole * (1 / FillBy(links, bytes) - 1);
        const double loop =
            2 * (links.delay + SWITCH_LATENCIES + 8'000. * MAX_PAYLOAD / links.gigabits);
        const double bound = loop * (1 - 1. / links.senders) + 0.004 * whole;
        self.Expect(idle < bound,
                    Text("seed ",
                         seed,
                         ": of ",
                         links.senders,
                         " senders at ",
                         links.gigabits,
                         " Gb/s over ",
                         links.delay,
                         " ps one has ",
                         largest,
                         " of ",
                         roundTrips,
                         " round trips; the link is idle for ",
                         idle,
                         " ps, at most ",
                         bound));
    }
}

/**
 * A host alone sends over a fast and long link to one whose link is slower.
 *
 * @param part what that carries in a loop of credit, as a part of the buffer
 * @return how much longer it takes than in an empty fabric without a limit
 */
double
LoneFlowTime(double part, uint64_t fastest, TimePs delay)
{
    constexpr uint32_t BUFFER = 1 << 19;
    Simulation simulation;
    FabricHelper helper;
    const auto slow = static_cast<uint64_t>(part * BUFFER * 8e12 / 2 / static_cast<double>(delay));
    helper.SetHostLinkAttribute(1, "DataRate", DataRateValue(DataRate(slow)));
    helper.SetHostLinkAttribute(1, "Delay", TimeValue(NanoSeconds(100)));
    const FabricContainer fabric = HostLinks{1, fastest, delay, BUFFER}.Install(helper);
    FabricMessageRecorder recorder(fabric.network);
    constexpr uint64_t BYTES = 16 << 20;
    fabric.GetDevice(0)->SendMessage(LocationOf(1), BYTES);
    Simulator::Run();
    const EmptyPath path = FabricIdealPaths(fabric.network).Find(LocationOf(0), LocationOf(1));
    return Slowdown(recorder.GetRecords().back().deliveredAt, path.CompletionTime(BYTES));
}

/// A lone flow fills a slow link behind a long one for which half of the buffer is enough: so much
/// waits when the host that has filled it may go on. Up to the whole buffer, which link credits
/// alone need, it loses little: the queue has run dry before all of it is filled again.
void
TestLoneFlows(FunctionCase& self)
{
    const std::vector<std::pair<uint64_t, TimePs>> links{{10, 1'000'000'000},
                                                         {100, 100'000'000},
                                                         {800, 10'000'000}};
    for (const auto& [gigabits, delay] : links)
    {
        for (const double part : {0.05, 0.2, 0.3, 0.36, 0.4, 0.45, 0.6, 0.65, 0.8})
        {
            const double time = LoneFlowTime(part, gigabits, delay);
            self.Expect(time < (part < 0.5 ? 1.002 : 1.02),
                        Text(gigabits, " Gb/s, ", delay, " ps, ", part, " of the buffer: ", time));
        }
    }
}

/// Classes whose shares of the receiver's link differ get them, over host links of any length.
void
TestUnequalShares(FunctionCase& self)
{
    constexpr TimePs US = 1'000'000;
    const TestSeeds seeds(12);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        HostLinks links = HostLinks::Draw(random);
        links.senders = 2 + random() % 7; // a class each
        if (seed % 4 == 1)
        {
            links = {4, 200, 10 * US, 8 << 20};
        }
        const double largest = std::uniform_real_distribution<>(0.4, 0.8)(random);
        ShapingTable table;
        constexpr uint32_t BURST =
            32 * 1024; // a frame of each class, so none waits with full tokens
        table.head = {0, BURST, 0};
        std::vector<double> rates;
        for (uint8_t i = 0; i < links.senders; ++i)
        {
            const double share = i == 0 ? largest : (0.95 - largest) / (links.senders - 1);
            rates.push_back(share * 1e9 * static_cast<double>(links.gigabits));
            table.leaves.push_back({i, {static_cast<uint64_t>(rates.back()), BURST, 0}, 0});
            ShapingClass ofClass;
            ofClass.number = i;
            ofClass.rule.value.trafficClass = i;
            ofClass.rule.mask.trafficClass = 0xFF;
            ofClass.queue = i;
            table.classes.push_back(ofClass);
        }
        Simulation simulation;
        FabricHelper helper;
        helper.SetHostShapingTable(table);
        const FabricContainer fabric = links.Install(helper);
        FabricMessageRecorder recorder(fabric.network);
        const auto all = static_cast<double>((32 << 20) + 100 * links.Loop());
        const double time = all * 8e3 / static_cast<double>(links.gigabits); // ps
        constexpr double PAYLOAD = 4096.0 / 4120;
        for (uint32_t host = 0; host < links.senders; ++host)
        {
            MessageFlow flow;
            flow.dst = LocationOf(links.senders);
            flow.trafficClass = static_cast<uint8_t>(host);
            const double bytes = rates[host] * time / 8e12 * PAYLOAD;
            fabric.GetDevice(host)->SendMessage(flow, static_cast<uint64_t>(bytes));
        }
        Simulator::Run();
        for (const auto& record : recorder.GetRecords())
        {
            // First all send their bursts in turn, whatever their rates.
            const double bursts = 8e3 * BURST * links.senders / static_cast<double>(links.gigabits);
            const double most = time + 2 * static_cast<double>(links.delay) + bursts;
            self.Expect(static_cast<double>(record.deliveredAt) < 1.006 * most,
                        Text("seed ",
                             seed,
                             ": ",
                             links.senders,
                             " classes, ",
                             links.gigabits,
                             " Gb/s, ",
                             links.delay,
                             " ps, class ",
                             +record.message.trafficClass,
                             " takes ",
                             static_cast<double>(record.deliveredAt) / most));
        }
    }
}

/// The round trip that switches are told is no shorter than that of fine-grain flow control.
void
TestToldRoundTrip(FunctionCase& self)
{
    for (const bool isOn : {true, false})
    {
        Simulation simulation;
        FabricHelper helper;
        helper.SetSwitchAttribute("Fgfc", BooleanValue(isOn));
        const FabricContainer fabric = HostLinks{2, 200, 5'000'000}.Install(helper);
        const TimePs way = FabricIdealPaths(fabric.network).LongestRoundTrip().GetPicoSeconds();
        // There and back, the host's response, the switch's latency, and a frame on either side.
        constexpr TimePs LOOP = 2 * 5'000'000 + 50'000 + 350'000 + 2 * 164'800;
        const FabricSwitch& fabricSwitch = *fabric.network->GetSwitches().front();
        self.ExpectEqual(fabricSwitch.GetChip().Config().congestion.reroute.roundTrip,
                         isOn ? LOOP : way,
                         "over a long link of a host");
        self.Expect(way < LOOP, "which is the longer one here");
    }
}

/// The suite.
class LongHostLinksSuite : public FunctionSuite
{
  public:
    LongHostLinksSuite()
        : FunctionSuite("fabric-long-host-links", kUnit)
    {
        Add("CM-4 incasts fill long links", TestIncasts);
        Add("CM-2 CM-4 short incasts fill long links", TestShortIncasts);
        Add("CM-2 CM-4 the last flow of an incast", TestLastOfAnIncast);
        Add("CM-4 lone flows fill slow links behind long ones", TestLoneFlows);
        Add("CM-2 CM-4 unequal shares of long links", TestUnequalShares);
        Add("CM-2 the round trip that is told", TestToldRoundTrip);
    }
};

LongHostLinksSuite g_longHostLinksSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
