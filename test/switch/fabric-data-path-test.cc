/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-fat-tree.h"
#include "fabric-flow-watch.h"
#include "fabric-function-case.h"
#include "fabric-random-scenario.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"
#include "fabric-time-units.h"

#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t GBPS = 1'000'000'000; ///< bit/s.

/// A topology with settings, of which test beds are made.
struct Setup
{
    TopologyPlan plan;                              ///< Topology.
    SwitchConfig config;                            ///< Of all switches.
    NicConfig nicConfig;                            ///< Of all NICs.
    std::vector<std::pair<LinkRate, TimePs>> links; ///< One for all, or links and then hosts.

    /// @param rate of all links, bit/s
    Setup(TopologyPlan topology, uint64_t rate, TimePs delay)
        : plan(std::move(topology)),
          links{{LinkRate(rate), delay}}
    {
    }

    /// @param lookahead whether switches run ahead
    std::unique_ptr<TestBed> Build(bool lookahead = true) const
    {
        return std::make_unique<TestBed>(
            plan,
            MakeShortestPathRouting(plan),
            config,
            nicConfig,
            [this](std::size_t i) { return links[i % links.size()]; },
            lookahead);
    }
};

/// Calls a function for every frame that is sent.
class SentCallback : public SwitchObserver
{
  public:
    /// Gets port, frame and time.
    using Function = std::function<void(uint32_t, const Frame&, TimePs)>;

    /// @param function is called
    explicit SentCallback(Function function)
        : m_function(std::move(function))
    {
    }

    void Arrived(uint32_t, const Frame&, TimePs) override
    {
    }

    void Sent(uint32_t port, const Frame& frame, TimePs now) override
    {
        m_function(port, frame, now);
    }

    void Dropped(uint32_t, const Frame&, DropCause, TimePs) override
    {
    }

  private:
    Function m_function; ///< Is called.
};

/**
 * Runs a test bed in steps and checks it after each.
 *
 * @param bed to run
 * @param steps how many before it runs to its end
 */
void
RunChecked(TestBed& bed, TimePs step, uint32_t steps)
{
    for (uint32_t i = 1; i <= steps; ++i)
    {
        bed.RunUntil(i * step);
        bed.Check();
    }
    bed.RunToEnd();
    bed.Check();
}

/// @return a row of so many switches with one host at each end
Setup
Row(uint32_t switches, uint64_t rate, TimePs delay)
{
    ChainSources sources(switches, 0);
    sources[0] = 1;
    return Setup(MakeChainPlan(sources), rate, delay);
}

/// @return arrival of a message from the first host to the last
TimePs
Deliver(const Setup& setup, uint64_t bytes, TimePs at)
{
    const auto bed = setup.Build();
    bed->Send(0, 1, bytes, 0, at);
    bed->RunToEnd();
    bed->Check();
    return bed->Deliveries().size() == 1 ? bed->Deliveries()[0].at : 0;
}

/// Closed form for links that are all alike.
void
CheckEqualRates(FunctionCase& test, uint32_t switches, uint64_t bytes, Forwarding forwarding)
{
    const TimePs delay = 123 * NS;
    Setup setup = Row(switches, 200 * GBPS, delay);
    setup.config.timing.forwarding = forwarding;
    setup.config.timing.latency = 321 * NS;
    const TimePs sent = 7 * US + 1;
    // 40 ps a byte; every frame has a header of 20 and an FCS of 4 bytes.
    const TimePs frames = bytes == 0 ? 1 : static_cast<TimePs>((bytes + 4095) / 4096);
    const TimePs wire = (static_cast<TimePs>(bytes) + 24 * frames) * 40;
    const auto first = static_cast<TimePs>(std::min<uint64_t>(bytes, 4096));
    const TimePs again = forwarding == STORE_AND_FORWARD ? switches * (first + 24) * 40 : 0;
    const TimePs expected = sent + (switches + 1) * delay + switches * 321 * NS + wire + again;
    test.ExpectEqual(
        Deliver(setup, bytes, sent),
        expected,
        Text(switches, " switches, ", bytes, " bytes, store and forward ", forwarding));
}

/// @return arrival of the last byte
TimePs
ExpectLatency(const Setup& setup,
              const std::vector<std::pair<LinkRate, TimePs>>& way,
              uint64_t bytes)
{
    std::vector<TimePs> free(way.size(), 0);
    TimePs arrival = 0;
    for (uint64_t left = bytes, first = 1; left != 0 || first != 0; first = 0)
    {
        const auto payload = static_cast<uint32_t>(std::min<uint64_t>(left, 4096));
        left -= payload;
        TimePs ready = 0;
        for (std::size_t i = 0; i < way.size(); ++i)
        {
            const TimePs start = std::max(ready, free[i]);
            free[i] = start + way[i].first.TxTime(payload + 24);
            if (i + 1 == way.size())
            {
                arrival = free[i] + way[i].second;
                break;
            }
            // A frame that comes by the slower link can't be sent on before its tail is in.
            const bool whole = setup.config.timing.forwarding == STORE_AND_FORWARD ||
                               way[i].first.BitsPerSecond() < way[i + 1].first.BitsPerSecond();
            ready = (whole ? free[i] : start) + way[i].second + setup.config.timing.latency;
        }
    }
    return arrival;
}

/// Links of any rates against the recursion of queues in a row.
void
CheckMixedRates(FunctionCase& test, uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto switches = static_cast<uint32_t>(1 + random() % 4);
    Setup setup = Row(switches, GBPS, NS);
    setup.config.timing.forwarding = random() % 2 == 0 ? CUT_THROUGH : STORE_AND_FORWARD;
    const uint64_t rates[] = {25, 50, 100, 200, 400};
    setup.links.clear();
    std::vector<std::pair<LinkRate, TimePs>> way; // in the order of the way
    for (uint32_t i = 0; i <= switches; ++i)
    {
        way.emplace_back(LinkRate(rates[random() % 5] * GBPS),
                         1 + static_cast<TimePs>(random() % US));
    }
    // Links between switches come first in the plan, then the hosts.
    setup.links.assign(way.begin() + 1, way.end() - 1);
    setup.links.push_back(way.front());
    setup.links.push_back(way.back());
    const uint64_t bytes = random() % 60'000;
    test.ExpectEqual(Deliver(setup, bytes, 0),
                     ExpectLatency(setup, way, bytes),
                     Text("seed ", seed));
}

/// One message over some switches.
void
TestLatency(FunctionCase& test)
{
    for (uint32_t switches = 1; switches <= 5; ++switches)
    {
        for (const uint64_t bytes : {0, 1, 8, 4096, 4097, 100'000})
        {
            for (const Forwarding forwarding : {CUT_THROUGH, STORE_AND_FORWARD})
            {
                CheckEqualRates(test, switches, bytes, forwarding);
            }
        }
    }
    for (uint64_t seed = 1; seed <= 100; ++seed)
    {
        CheckMixedRates(test, seed);
    }
}

/// @return share of each source: a switch divides its output between its hosts and its link
std::vector<double>
SharesByPort(const ChainSources& sources)
{
    std::vector<double> shares;
    double rest = 1;
    for (std::size_t sw = sources.size(); sw-- > 0;)
    {
        const double share = rest / (sources[sw] + (sw > 0 ? 1 : 0));
        shares.insert(shares.begin(), sources[sw], share);
        rest = share;
    }
    return shares;
}

/// All hosts send without limit.
void
CheckShares(FunctionCase& test, const ChainSources& sources, bool byFlow)
{
    Setup setup(MakeChainPlan(sources), 200 * GBPS, 100 * NS);
    setup.config.flowChannels.enabled = byFlow;
    setup.config.arbitration = byFlow ? ARBITRATE_BY_FLOW : ARBITRATE_BY_PORT;
    setup.nicConfig.mtu = 1000;
    const auto bed = setup.Build();
    const auto last = static_cast<uint32_t>(setup.plan.hosts.size() - 1);
    std::vector<double> bytes(last, 0);
    double all = 0;
    SentCallback count([&](uint32_t port, const Frame& frame, TimePs now) {
        if (port == setup.plan.hosts[last].port && now > 200 * US) // all queues are full
        {
            bytes[HostOf(frame.src)] += frame.payload;
            all += frame.payload;
        }
    });
    bed->Chip(bed->Chips() - 1).SetObserver(&count);
    for (uint32_t i = 0; i < last; ++i)
    {
        bed->Send(i, last, 100'000'000, 0, 0);
    }
    bed->RunUntil(2000 * US);
    bed->Check();
    const std::vector<double> byPort = SharesByPort(sources);
    for (uint32_t i = 0; i < last; ++i)
    {
        const double expected = byFlow ? 1.0 / last : byPort[i];
        test.ExpectNear(bytes[i] / all,
                        expected,
                        0.02 * expected,
                        Text("source ", i, " of ", last, ", by flow ", byFlow));
    }
}

/// Shares of the last link of a chain.
void
TestShares(FunctionCase& test)
{
    for (const ChainSources& sources : {ChainSources{3, 3, 3, 2}, {2, 1, 3}, {4, 4}, {5}})
    {
        CheckShares(test, sources, false);
        CheckShares(test, sources, true);
    }
    test.ExpectNear(SharesByPort({3, 3, 3, 2})[0], 1.0 / 144, 1e-12, "the rule for A");
    test.ExpectNear(SharesByPort({3, 3, 3, 2})[10], 1.0 / 3, 1e-12, "the rule for K");
}

/// @return entries in all input tables
uint32_t
ChannelsLifeCycle(TestBed& bed)
{
    uint32_t channels = 0;
    for (std::size_t i = 0; i < bed.Chips(); ++i)
    {
        for (uint32_t port = 0; port < bed.Chip(i).Config().ports; ++port)
        {
            channels += bed.Chip(i).InputFlows(port).InUse();
        }
    }
    return channels;
}

/// The life of one channel: made hop by hop, freed from the egress back to the ingress.
void
CheckOneFrame(FunctionCase& test)
{
    Setup setup(MakeChainPlan({1, 0, 0}), 200 * GBPS, 1 * US);
    const auto bed = setup.Build();
    bed->Send(0, 1, 1000, 0, 0);
    std::vector<uint32_t> inUse; // bit mask of switches with the channel, as it changes
    for (TimePs now = 10 * NS; now < 20 * US; now += 10 * NS)
    {
        bed->RunUntil(now);
        bed->Check();
        const uint32_t mask = bed->Chip(0).InputFlows(0).InUse() |
                              bed->Chip(1).InputFlows(0).InUse() << 1 |
                              bed->Chip(2).InputFlows(1).InUse() << 2;
        if (inUse.empty() || inUse.back() != mask)
        {
            inUse.push_back(mask);
        }
    }
    const std::vector<uint32_t> expected{0b000, 0b001, 0b011, 0b111, 0b011, 0b001, 0b000};
    test.Expect(inUse == expected, "channels of one frame, as they come and go");
}

/// What is left, and what holds on the way.
void
TestLifeCycle(FunctionCase& test)
{
    Setup setup(FatTree(FatTreeConfig{3, 4, {1, 1}, 0}).GetPlan(), 100 * GBPS, 500 * NS);
    const auto bed = setup.Build(false);
    FlowWatch watch(*bed, true, true);
    const auto hosts = static_cast<uint32_t>(bed->Hosts());
    for (uint32_t i = 0; i < hosts; ++i)
    {
        bed->Send(i, (i + 5) % hosts, 300'000, 0, i * 100 * NS);
        bed->Send(i, (i + 9) % hosts, 30'000, 1, i * 130 * NS);
    }
    uint32_t most = 0;
    for (uint32_t step = 1; step <= 200; ++step)
    {
        bed->RunUntil(step * 200 * NS);
        bed->Check();
        most = std::max(most, ChannelsLifeCycle(*bed));
    }
    test.Expect(most > 2 * hosts, "channels under way");
    bed->RunToEnd();
    bed->Check();
    test.Expect(bed->IsEmpty(), "something is left");
    test.ExpectEqual(ChannelsLifeCycle(*bed), 0, "channels are left");
    test.ExpectEqual(bed->Deliveries().size(), 2 * hosts, "deliveries");
    test.ExpectEqual(watch.Fault(), "", "rules of flow channels");
    CheckOneFrame(test);
}

/// @return bytes in the input buffers that wait for no output: those in the EIQ
uint64_t
Waiting(const SwitchChip& chip)
{
    uint64_t queued = 0;
    for (uint32_t port = 0; port < chip.Config().ports; ++port)
    {
        queued += chip.QueuedBytes(port);
    }
    return chip.Counts().heldBytes - queued;
}

/// Runs to the end, where all is delivered and nothing left.
void
Finish(FunctionCase& test, TestBed& bed, std::size_t messages)
{
    bed.RunToEnd();
    bed.Check();
    test.ExpectEqual(bed.Deliveries().size(), messages, "deliveries");
    test.Expect(bed.IsEmpty(), "something is left");
    for (std::size_t i = 0; i < bed.Chips(); ++i)
    {
        test.ExpectEqual(bed.Chip(i).Counts().droppedFrames, 0, Text("dropped by switch ", i));
    }
}

/// One id, thirty flows of one frame every `gap`, and frames of no flow that keep the link
/// busy.
void
CheckFairness(FunctionCase& test, TimePs gap)
{
    Setup link(MakeChainPlan({6, 5}), 200 * GBPS, 100 * NS);
    link.config.flowChannels.ids = 1;
    link.config.flowChannels.noFlowClasses = 1U << 1;
    const auto bed = link.Build();
    bed->Send(5, 11, 2'000'000, 1, 0);
    for (uint32_t i = 0; i < 30; ++i)
    {
        bed->Send(i % 5, 6 + i / 5, 300, 0, 5 * US + i * gap);
    }
    bed->RunToEnd();
    bed->Check();
    std::vector<uint32_t> order;
    for (const TestBed::Delivery& d : bed->Deliveries())
    {
        if (d.trafficClass == 0)
        {
            order.push_back(HostOf(d.src) + 5 * (HostOf(d.dst) - 6));
        }
    }
    test.ExpectEqual(order.size(), 30, "deliveries");
    test.Expect(std::is_sorted(order.begin(), order.end()),
                Text("who waited longest for an id gets it, gap ", gap));
    test.ExpectEqual(bed->Chip(0).OutputFlows(6).PeakInUse(), 1, "ids of the link");
}

/// Six hosts behind one link of four ids; each has a stream of short messages.
void
CheckLink(FunctionCase& test)
{
    Setup link(MakeChainPlan({6, 5}), 200 * GBPS, 300 * NS);
    link.config.flowChannels.ids = 4;
    const auto bed = link.Build();
    for (uint32_t src = 0; src < 6; ++src)
    {
        for (uint32_t dst = 6; dst < 12; ++dst)
        {
            bed->Send(src, dst, 20'000, 0, 0);
        }
    }
    bed->RunUntil(5 * US);
    bed->Check();
    test.ExpectEqual(bed->Chip(0).OutputFlows(6).InUse(), 4, "all ids of the link");
    Finish(test, *bed, 36);
    test.ExpectEqual(bed->Chip(0).OutputFlows(6).PeakInUse(), 4, "and never more");
    for (TimePs gap = 400 * NS; gap < 900 * NS; gap += 17 * NS)
    {
        CheckFairness(test, gap);
    }
}

void
TestFewIds(FunctionCase& test)
{
    Setup edge(FatTree(FatTreeConfig{2, 8, {1, 1}, 0}).GetPlan(), 200 * GBPS, 300 * NS);
    edge.config.flowChannels.ids = 4;
    const auto bed = edge.Build();
    for (uint32_t dst = 1; dst <= 20; ++dst)
    {
        bed->Send(0, dst, 10'000, 0, 0);
    }
    uint32_t most = 0;
    uint32_t waited = 0;
    for (uint32_t step = 1; step <= 300; ++step)
    {
        bed->RunUntil(step * 100 * NS);
        bed->Check();
        most = std::max(most, bed->Chip(0).InputFlows(0).InUse());
        waited += bed->Chip(0).InputFlows(0).InUse() == 4 && Waiting(bed->Chip(0)) > 0;
    }
    test.ExpectEqual(most, 4, "channels at the edge port");
    test.Expect(waited > 0, "frames waited for an id");
    Finish(test, *bed, 20);
    CheckLink(test);
}

/// A frame of a new flow every `gap` over the link between two switches of 32 hosts each.
void
CompareIds(FunctionCase& test, TimePs gap)
{
    constexpr uint32_t hosts = 32;
    constexpr uint32_t frames = 4096;
    const Setup link(MakeChainPlan({hosts, hosts - 1}), 200 * GBPS, 100 * NS);
    const auto bed = link.Build();
    const TimePs first = 5 * US;
    for (uint32_t i = 0; i < frames; ++i)
    {
        const uint32_t dst = hosts + i / hosts % hosts;
        bed->Send(i % hosts, dst, 64, 0, first + i * gap);
    }
    // Not counted by the table itself: how many ids are in use at many times, from when the
    // first ACKs have come until the last frame is sent.
    const OutputFlowTable& flows = bed->Chip(0).OutputFlows(hosts);
    const TimePs end = first + frames * gap;
    const TimePs step = 10'007;
    double inUse = 0;
    double samples = 0;
    for (TimePs at = first + 2 * US; at < end; at += step)
    {
        bed->RunUntil(at);
        inUse += flows.InUse();
        ++samples;
    }
    bed->RunToEnd();
    bed->Check();
    test.ExpectEqual(flows.Allocated(), frames, Text("each frame is a flow, gap ", gap));
    const double toAck = static_cast<double>(flows.UseTime(end)) / frames;
    const double needed = toAck / static_cast<double>(gap);
    test.ExpectNear(inUse / samples, needed, 0.05 * needed, Text("gap ", gap));
    // There and back 100 ns each, 350 ns and 50 ns in the other switch and in this one, 30 to
    // 90 ns for other ACKs and what is on the wire.
    test.Expect(toAck > 600 * NS && toAck < 700 * NS, Text(toAck, " ps to the ACK, gap ", gap));
}

/// Ids that a link needs.
void
TestNeededIds(FunctionCase& test)
{
    for (const TimePs gap : {4 * NS, 20 * NS, 500 * NS})
    {
        CompareIds(test, gap);
    }
}

/// @return time that a victim's message takes, ps
double
Victim(bool flowChannels, bool incast)
{
    // Hosts 0, 1 and 2 on the first switch, 3 to 8 and the busy one, 9, on the second.
    Setup setup(MakeChainPlan({3, 6}), 200 * GBPS, 100 * NS);
    setup.config.flowChannels.enabled = flowChannels;
    setup.config.buffer.shares = {128 * 1024, 10'000, 1};
    const auto bed = setup.Build();
    for (const uint32_t src : {0U, 1U, 3U, 4U, 5U, 6U})
    {
        bed->Send(src, 9, incast ? 4'000'000 : 1, 0, 0);
    }
    bed->Send(2, 8, 1'000'000, 0, 50 * US);
    bed->RunToEnd();
    bed->Check();
    for (const TestBed::Delivery& d : bed->Deliveries())
    {
        if (d.dst == LocationOf(8))
        {
            return static_cast<double>(d.at - 50 * US);
        }
    }
    return 0;
}

/// Two flows of one host: the later is delivered first, since the earlier waits.
void
CheckOvertaking(FunctionCase& test)
{
    Setup setup(MakeChainPlan({4}), 200 * GBPS, 100 * NS);
    const auto bed = setup.Build();
    bed->Send(1, 4, 400'000, 0, 0);
    bed->Send(2, 4, 400'000, 0, 0);
    bed->Send(0, 4, 20'000, 0, 2 * US);
    bed->Send(0, 3, 20'000, 0, 2 * US);
    bed->RunToEnd();
    std::vector<uint32_t> sequence;
    for (const TestBed::Delivery& d : bed->Deliveries())
    {
        if (d.src == LocationOf(0))
        {
            sequence.push_back(d.sequence);
        }
    }
    test.Expect(sequence == std::vector<uint32_t>{1, 0}, "who comes first");
}

/// A victim beside an incast.
void
TestHeadOfLine(FunctionCase& test)
{
    const double alone = Victim(true, false);
    const double with = Victim(true, true);
    const double without = Victim(false, true);
    // Its fair share of the link between the switches is a half while the others use theirs;
    // they get a third of the busy host's link together, so it gets 2/3 at least.
    test.Expect(with / alone < 1.55, "with flow channels");
    test.Expect(without / alone > 2.5, "without, by a factor; else nothing is shown");
    CheckOvertaking(test);
}

/// A flow that always has frames under way stays where it is.
void
CheckLongFlow(FunctionCase& test)
{
    Setup setup(FatTree(FatTreeConfig{2, 8, {1, 1}, 0}).GetPlan(), 100 * GBPS, 200 * NS);
    const auto bed = setup.Build(false);
    std::map<uint32_t, uint64_t> frames; // by uplink
    SentCallback note([&frames](uint32_t port, const Frame& frame, TimePs) {
        frames[port] += frame.src == LocationOf(0);
    });
    bed->Chip(0).SetObserver(&note);
    bed->Send(0, 31, 1'000'000, 0, 0);
    bed->RunToEnd();
    test.ExpectEqual(frames.size(), 1, "uplinks of a long message");
}

/// Several paths.
void
TestAdaptive(FunctionCase& test)
{
    // One host per edge switch sends, four paths; the load on them makes flows change.
    Setup setup(FatTree(FatTreeConfig{2, 8, {1, 1}, 0}).GetPlan(), 100 * GBPS, 200 * NS);
    const auto bed = setup.Build(false);
    FlowWatch watch(*bed, true, true);
    std::map<LocationId, std::vector<uint32_t>> paths; // uplinks in the order of use
    SentCallback note([&paths](uint32_t port, const Frame& frame, TimePs) {
        std::vector<uint32_t>& used = paths[frame.src];
        if (port >= 4 && (used.empty() || used.back() != port))
        {
            used.push_back(port);
        }
    });
    for (uint32_t i = 0; i < 200; ++i)
    {
        for (uint32_t src = 4; src < 8; ++src)
        {
            bed->Send(src, 3 * 4 + src, 1 + (i * 7 + src) % 5 * 3000, 0, i * 3 * US);
        }
    }
    bed->Chip(1).SetObserver(&note); // the other switches are still watched
    bed->RunToEnd();
    bed->Check();
    test.ExpectEqual(watch.Fault(), "", "rules of flow channels");
    test.ExpectEqual(bed->Deliveries().size(), 800, "deliveries");
    for (uint32_t src = 4; src < 8; ++src)
    {
        test.Expect(paths[LocationOf(src)].size() > 20, Text("host ", src, " changed path"));
    }
    CheckLongFlow(test);
}

/// @return uplinks that a message of class 3 takes
std::size_t
UplinksNoFlow(FunctionCase& test, uint16_t unordered)
{
    Setup setup(FatTree(FatTreeConfig{2, 8, {1, 1}, 0}).GetPlan(), 100 * GBPS, 200 * NS);
    setup.config.flowChannels.noFlowClasses = 1U << 3;
    setup.config.flowChannels.unorderedClasses = unordered;
    const auto bed = setup.Build(false);
    std::map<uint32_t, uint64_t> frames;
    uint64_t entries = 0;
    SentCallback note([&](uint32_t port, const Frame& frame, TimePs) {
        frames[port] += frame.trafficClass == 3;
        entries += frame.trafficClass == 3 && frame.flow != NO_FLOW;
    });
    bed->Chip(0).SetObserver(&note);
    bed->Send(0, 31, 1'000'000, 3, 0);
    RunChecked(*bed, 5 * US, 10);
    for (std::size_t i = 0; i < bed->Chips(); ++i)
    {
        for (uint32_t port = 0; port < 8; ++port)
        {
            entries += bed->Chip(i).OutputFlows(port).PeakInUse() +
                       bed->Chip(i).InputFlows(port).Records().size();
        }
    }
    test.ExpectEqual(entries, 0, "table entries of a class without channels");
    test.ExpectEqual(bed->Deliveries().size(), 1, "delivery");
    test.Expect(bed->IsEmpty(), "something is left");
    return frames.size();
}

/// Classes without channels.
void
TestNoFlow(FunctionCase& test)
{
    test.ExpectEqual(UplinksNoFlow(test, 0), 1, "one path by hash");
    test.Expect((UplinksNoFlow(test, 1U << 3)) > 1, "a class that needs no order uses several");
}

/// All links damage one frame in so many.
void
CheckRate(FunctionCase& test, uint32_t oneIn)
{
    Setup setup(FatTree(FatTreeConfig{3, 4, {1, 1}, 0}).GetPlan(), 100 * GBPS, 300 * NS);
    const auto bed = setup.Build();
    uint64_t seed = 0;
    for (std::size_t i = 0; i < bed->Chips(); ++i)
    {
        for (uint32_t port = 0; port < 4; ++port)
        {
            bed->SetLossModel(i, port, std::make_unique<RandomLoss>(oneIn, ++seed));
        }
    }
    const auto hosts = static_cast<uint32_t>(bed->Hosts());
    for (uint32_t i = 0; i < hosts; ++i)
    {
        bed->Send(i, (i + 7) % hosts, 1'000'000, 0, 0);
    }
    RunChecked(*bed, 3 * US, 40);
    test.Expect(bed->IsEmpty(), Text("something is left, one in ", oneIn));
    uint64_t arrived = 0;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        arrived += bed->GetNic(i).Counts().arrived;
    }
    // Three or five links of switches are on the way, the last of them to the host.
    const double each = 1.0 - 1.0 / oneIn;
    const double share = static_cast<double>(arrived) / (1'000'000.0 * hosts);
    test.Expect(share > std::pow(each, 5) - 0.03, Text("arrived, one in ", oneIn));
    test.Expect(share < std::pow(each, 3) + 0.03, Text("arrived, one in ", oneIn));
}

/// Damaged frames.
void
TestLoss(FunctionCase& test)
{
    for (const uint32_t oneIn : {1U, 2U, 10U, 1000U})
    {
        CheckRate(test, oneIn);
    }
}

/// Channels of a link that wait each by itself.
void
TestVirtualChannel(FunctionCase& test)
{
    // Host 0 sends to the busy host 4 on channel 0, and to host 5 on channel 1.
    Setup setup(MakeChainPlan({4, 2}), 100 * GBPS, 100 * NS);
    setup.config.flowChannels.enabled = false;
    setup.config.buffer.shares = {40'000, 10'000, 2};
    setup.config.buffer.vcOfClass[1] = setup.nicConfig.vcOfClass[1] = 1;
    const auto bed = setup.Build();
    for (uint32_t src = 0; src < 4; ++src)
    {
        bed->Send(src, 6, 1'000'000, 0, 0);
    }
    bed->Send(0, 5, 100'000, 1, 50 * US);
    RunChecked(*bed, 10 * US, 20);
    TimePs took = 0;
    for (const TestBed::Delivery& d : bed->Deliveries())
    {
        took = d.trafficClass == 1 ? d.at - 50 * US : took;
    }
    // Alone it takes 8 us, with half of the link 16.
    test.Expect(took > 8 * US, "it is there");
    test.Expect(took < 20 * US, "half of the link is its own");
    test.ExpectEqual(bed->Deliveries().size(), 5, "deliveries");
}

/// @return the sentence with which the settings are refused, empty if they are not
std::string
RefusalBadSettings(const Setup& setup)
{
    try
    {
        setup.Build();
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/// Settings that would stop the fabric.
void
TestBadSettings(FunctionCase& test)
{
    Setup small(MakeChainPlan({1}), 100 * GBPS, 100 * NS);
    small.config.buffer.shares.reservedBytesPerVc = WireBytes(MAX_PAYLOAD) - 1;
    test.Expect(RefusalBadSettings(small).find("4120 bytes") != std::string::npos,
                Text(RefusalBadSettings(small)));
    small.config.buffer.shares.reservedBytesPerVc = WireBytes(MAX_PAYLOAD);
    test.ExpectEqual(RefusalBadSettings(small), "", "just large enough");
    for (const TimePs delay : {TimePs{-1}, TimePs{0}, 11'000'000 * US})
    {
        const Setup setup(MakeChainPlan({1}), 100 * GBPS, delay);
        test.Expect(RefusalBadSettings(setup).find(std::to_string(delay)) != std::string::npos,
                    "delay");
    }
}

/// How far a switch may run ahead.
void
TestLookahead(FunctionCase& test)
{
    SwitchConfig config;
    config.ports = 2;
    config.timing.latency = 300 * NS;
    config.timing.controlLatency = 50 * NS;
    SwitchChip a(config);
    SwitchChip b(config);
    test.ExpectEqual(a.Lookahead(), NEVER, "no links");
    b.ConnectSwitch(0, a, 0, LinkRate(100 * GBPS), 700 * NS);
    test.ExpectEqual(a.Lookahead(), 750 * NS, "ACKs from b");
    test.ExpectEqual(b.Lookahead(), 750 * NS, "credits from a");
    a.ConnectSwitch(0, b, 0, LinkRate(100 * GBPS), 200 * NS);
    test.ExpectEqual(a.Lookahead(), 250 * NS, "credits from b");
    test.ExpectEqual(b.Lookahead(), 250 * NS, "ACKs from a");
    MessageTable messages;
    Nic nic(1, NicConfig{}, messages);
    b.ConnectNic(1, nic, LinkRate(100 * GBPS), 1 * NS);
    test.ExpectEqual(b.Lookahead(), 51 * NS, "the NIC's link");
    test.ExpectEqual(a.Lookahead(), 250 * NS, "does not matter to the other");
}

/**
 * A flow gets hop credit for each of its frames, and on the way back a full link has room for an
 * ACK of it for each frame only: it is acknowledged all the same.
 */
void
TestAcksBesideCredits(FunctionCase& test)
{
    // Hosts 0 and 1 at the first switch, 2 to 4 and the last one, 5, at the second.
    const Setup setup(MakeChainPlan({2, 3}), 100 * GBPS, 100 * NS);
    const auto bed = setup.Build();
    bed->Send(0, 5, 4 << 20, 0, 0);
    bed->Send(3, 5, 128 << 10, 0, 0); // so much stays in the queue that credit is given
    bed->Send(2, 1, 4 << 20, 0, 0);
    bed->RunUntil(200 * US);
    const auto countOf = [&bed](std::size_t number, auto&& count) {
        uint32_t most = 0;
        const SwitchChip& chip = bed->Chip(number);
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            for (const FlowRecord& record : chip.InputFlows(port).Records())
            {
                most = std::max(most, count(record));
            }
        }
        return most;
    };
    test.ExpectEqual(
        countOf(1, [](const FlowRecord& r) { return r.Is(FlowRecord::METERS_UPSTREAM) ? 1U : 0U; }),
        1,
        "the flow is metered");
    // 2 us of the link, and what waits at the second switch.
    const uint32_t unacked = countOf(0, [](const FlowRecord& r) { return r.FlowExtent(); });
    test.Expect(unacked < 300, Text(unacked, " units are not acknowledged"));
    bed->RunToEnd();
    bed->Check();
}

/// Suite of the whole data path.
class FabricDataPathTestSuite : public FunctionSuite
{
  public:
    FabricDataPathTestSuite()
        : FunctionSuite("fabric-data-path", kUnit)
    {
        Add("WL-4 one message takes the sum of delays, latencies and serialisation", TestLatency);
        Add("FC-18 shares in a chain: by port a third, a 12th, a 48th, a 144th, by flow all alike",
            TestShares);
        Add("FC-7 FC-8 FC-17 channels hold while frames are under way, and none is left",
            TestLifeCycle);
        Add("FC-9 frames wait for a flow_id at the edge and on links, and none is dropped",
            TestFewIds);
        Add("FC-9 ids needed = packet rate x mean packet-to-ACK time", TestNeededIds);
        Add("FC-10 CM-5 a flow is not blocked by another that waits for a busy host",
            TestHeadOfLine);
        Add("FC-7 CM-5 a flow that is given credit with each frame is acknowledged, too",
            TestAcksBesideCredits);
        Add("FC-11 a flow changes path only when none of its frames is under way", TestAdaptive);
        Add("FC-14 classes without flow channels leave no entries, and keep order unless freed "
            "from it",
            TestNoFlow);
        Add("WL-4 FC-8 damaged frames are counted, and their channels are freed", TestLoss);
        Add("WL-5 a virtual channel without credit holds up no other, from the NIC on",
            TestVirtualChannel);
        Add("DP-2 look-ahead is the shortest of all ways by which something takes effect",
            TestLookahead);
        Add("WL-5 DP-2 frames larger than what is reserved, and links of no delay, are refused",
            TestBadSettings);
    }
};

FabricDataPathTestSuite g_fabricDataPathTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
