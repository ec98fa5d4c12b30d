/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-function-case.h"
#include "fabric-shaping-table-file.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-slow-shaper.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t LINK = 100'000'000'000; ///< Of all links, bit/s.

/// A frame that a shaped output has sent.
struct ShapedFrame
{
    TimePs at;            ///< When it began.
    uint32_t bytes;       ///< On the wire.
    uint8_t queue;        ///< Its shaping queue.
    uint8_t vc;           ///< Its virtual channel.
    Payer payer;          ///< Who paid.
    uint8_t trafficClass; ///< Its class.

    /// @return whether all is equal
    bool operator==(const ShapedFrame& other) const
    {
        return at == other.at && bytes == other.bytes && queue == other.queue && vc == other.vc &&
               payer == other.payer && trafficClass == other.trafficClass;
    }
};

/// Keeps what a port sends.
class ShapedWatch : public SwitchObserver
{
  public:
    /// @param port that is looked at
    explicit ShapedWatch(uint32_t port)
        : m_port(port)
    {
    }

    void Arrived(uint32_t, const Frame&, TimePs) override
    {
    }

    void Dropped(uint32_t, const Frame&, DropCause, TimePs) override
    {
    }

    void Shaped(uint32_t port, const Frame& frame, const ShapingGrant& grant, TimePs now) override
    {
        if (port == m_port)
        {
            frames.push_back({now,
                              WireBytes(frame.payload),
                              grant.queue,
                              static_cast<uint8_t>(frame.vc),
                              grant.payer,
                              static_cast<uint8_t>(frame.trafficClass)});
        }
    }

    void Sent(uint32_t port, const Frame&, TimePs now) override
    {
        if (port == m_port)
        {
            ++sent;
            wasShaped = wasShaped && !frames.empty() && frames.back().at == now;
        }
    }

    std::vector<ShapedFrame> frames; ///< In the order of time.
    uint64_t sent{0};                ///< Frames.
    bool wasShaped{true};            ///< Whether each frame that was sent was shaped.

  private:
    uint32_t m_port; ///< That is looked at.
};

/// Hosts of one switch that send, class i by host i, to a host of the same or of the next switch.
struct ShapedBed
{
    /**
     * @param senders how many
     * @param viaLink whether the shaped output is that to a switch
     */
    ShapedBed(uint32_t senders, bool viaLink)
        : isLink(viaLink),
          plan(MakeChainPlan(viaLink ? ChainSources{senders, 0} : ChainSources{senders})),
          watch(viaLink ? senders : plan.hosts.back().port)
    {
        nic.mtu = 1476; // 1500 bytes on the wire
        config.congestion.flowLimits = false;
        config.congestion.pacing = false;
        config.congestion.fgfc.isOn = false;
    }

    /// @param table of the output that is looked at
    void Build(const ShapingTable& table, bool lookahead = true)
    {
        (isLink ? config.linkShaping : config.hostShaping) = std::make_shared<ShapingTable>(table);
        config.Validate();
        const std::pair<LinkRate, TimePs> link{LinkRate(LINK), 100 * NS};
        bed = std::make_unique<TestBed>(
            plan,
            MakeShortestPathRouting(plan),
            config,
            nic,
            [link](std::size_t) { return link; },
            lookahead);
        bed->Chip(0).SetObserver(&watch);
    }

    /// A host sends to the last. @param host number of the host, and of its class
    void Send(uint32_t host, uint64_t bytes, TimePs at = 0)
    {
        bed->Send(host, plan.hosts.size() - 1, bytes, static_cast<uint8_t>(host), at);
    }

    /// @return bit/s of a class from a time on, of frames that a bucket paid for; COUNT for any
    double Rate(uint8_t trafficClass, TimePs from, TimePs to, Payer payer = Payer::COUNT) const
    {
        uint64_t bytes = 0;
        for (const ShapedFrame& frame : watch.frames)
        {
            const bool isCounted = payer == Payer::COUNT || payer == frame.payer;
            bytes +=
                frame.at >= from && frame.at < to && frame.trafficClass == trafficClass && isCounted
                    ? frame.bytes
                    : 0;
        }
        return static_cast<double>(bytes) * 8e12 / static_cast<double>(to - from);
    }

    bool isLink;                  ///< Whether the output is that to a switch.
    TopologyPlan plan;            ///< The chain.
    ShapedWatch watch;            ///< Looks at the output.
    SwitchConfig config;          ///< Of the switches.
    NicConfig nic;                ///< Of the hosts.
    std::unique_ptr<TestBed> bed; ///< After Build().
};

/// @return class i uses queue i
ShapingTable
TableOfClasses(const std::string& leaves, uint32_t classes, const std::string& rest)
{
    std::string text;
    for (uint32_t i = 1; i < classes; ++i)
    {
        const std::string number = std::to_string(i);
        text += (i == 1 ? "" : ",") + std::string("{\"class\":") + number +
                ",\"trafficClass\":" + number + ",\"queue\":" + number + "}";
    }
    return ParseShapingTable("{\"leaves\":[" + leaves + "],\"classes\":[" + text + "]" + rest + "}",
                             "t.json");
}

/// @param visit is called with each way in which switches may be set: `void visit(ShapedBed&)`
template <typename Visit>
void
ForEachKind(uint32_t senders, Visit&& visit)
{
    for (uint32_t kind = 0; kind < 16; ++kind)
    {
        ShapedBed shaped(senders, (kind & 1) != 0);
        shaped.config.flowChannels.enabled = (kind & 2) != 0;
        shaped.config.arbitration = (kind & 4) != 0 ? ARBITRATE_BY_PORT : ARBITRATE_BY_FLOW;
        shaped.config.turns.unit = (kind & 8) != 0 ? TURNS_BY_BYTES : TURNS_BY_FRAMES;
        visit(shaped);
    }
}

/// Minimum, maximum and shared bandwidth at an output, to a host or to a switch, in all its kinds.
void
TestShapedShares(FunctionCase& self)
{
    // Class 0 has 40 Gb/s and more of the rest, 1 at most 10, 2 and 3 share a branch of 20 and
    // have the rest with 0.
    const ShapingTable table = TableOfClasses(
        R"({"queue":0,"rate":"40Gbps"},{"queue":1,"rate":"10Gbps","branch":1},
           {"queue":2,"branch":2},{"queue":3,"branch":2})",
        4,
        R"(,"branches":[{"branch":0,"rate":"12Gbps"},{"branch":2,"rate":"20Gbps","priority":1}],
           "head":{"rate":0})");
    ForEachKind(4, [&](ShapedBed& shaped) {
        shaped.Build(table);
        for (uint32_t host = 0; host < 4; ++host)
        {
            shaped.Send(host, 8'000'000);
        }
        shaped.bed->RunUntil(500 * US);
        shaped.bed->Check();
        self.Expect(shaped.watch.wasShaped, "each frame is shaped");
        const std::array<double, 4> expected{52, 10, 10, 10};
        for (uint8_t c = 0; c < 4; ++c)
        {
            self.ExpectNear(shaped.Rate(c, 100 * US, 500 * US) / 1e9,
                            expected[c],
                            0.4,
                            Text("class ", +c, shaped.isLink ? " to a switch" : " to a host"));
        }
        const uint32_t port = shaped.isLink ? 4 : shaped.plan.hosts.back().port;
        uint64_t frames = 0;
        for (uint32_t queue = 0; queue < 4; ++queue)
        {
            for (const ShapingCounts& counts : shaped.bed->Chip(0).GetShaper(port)->Totals(queue))
            {
                frames += counts.frames;
            }
        }
        self.ExpectEqual(frames, shaped.watch.sent, "frames are counted");
    });
}

/// A maximum holds in every window of a run, whatever is sent when.
void
TestMaximumInWindows(FunctionCase& self)
{
    const TestSeeds seeds(30);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        ShapedBed shaped(3, random() % 2 == 0);
        shaped.config.flowChannels.enabled = random() % 2 == 0;
        const uint64_t rate = (1 + random() % 40) * 1'000'000'000;
        const auto burst = static_cast<uint32_t>(random() % 30'000);
        ShapingTable table = TableOfClasses(R"({"queue":0},{"queue":1},{"queue":2,"branch":1})",
                                            3,
                                            R"(,"head":{"rate":"1Tbps"})");
        table.head.rate = 0;
        table.leaves[0].bucket = {rate, burst, 0};
        table.leaves[1].bucket = {2 * rate, burst, 1};
        table.leaves[2].branch = 1;
        table.branches = {{1, {BucketSettings::UNLIMITED, 0, 0}}};
        shaped.Build(table);
        for (uint32_t i = 0; i < 120; ++i)
        {
            shaped.Send(random() % 3,
                        random() % 60'000,
                        static_cast<TimePs>(random() % (200 * US)));
        }
        shaped.bed->RunToEnd();
        shaped.bed->Check();
        self.Expect(shaped.bed->IsEmpty(), Text("seed ", seed, ": something is left"));
        for (const uint32_t queue : {0U, 1U})
        {
            const uint64_t own = table.leaves[queue].bucket.rate;
            WideInt sum = 0;
            WideInt lowest = 0;
            WideInt most = 0;
            for (const ShapedFrame& frame : shaped.watch.frames)
            {
                if (frame.queue == queue)
                {
                    lowest = std::min<WideInt>(lowest, sum - WideInt{own} * frame.at);
                    lowest = most == 0 ? sum - WideInt{own} * frame.at : lowest;
                    sum += frame.bytes * SlowBucket::BYTE;
                    most = std::max<WideInt>(most, sum - WideInt{own} * frame.at - lowest);
                }
            }
            self.Expect(most <= (WideInt{burst} + 1500) * SlowBucket::BYTE,
                        Text("seed ", seed, ": queue ", queue, " has too much in a window"));
        }
    }
}

/// An output sleeps until a bucket has tokens, and wakes to the very ps.
void
TestWakesInTime(FunctionCase& self)
{
    for (const bool viaLink : {false, true})
    {
        for (const bool lookahead : {true, false})
        {
            ShapedBed shaped(1, viaLink);
            shaped.Build(TableOfClasses(R"({"queue":0,"rate":"7Gbps","burst":1})",
                                        1,
                                        R"(,"head":{"rate":0})"),
                         lookahead);
            shaped.Send(0, 20 * 1476);
            shaped.bed->RunToEnd();
            self.ExpectEqual(shaped.watch.frames.size(), 20, "all are sent");
            const TimePs first = shaped.watch.frames.front().at;
            for (std::size_t i = 1; i < shaped.watch.frames.size(); ++i)
            {
                // The burst has paid for a byte; a byte lasts 8000 / 7 ps. Exact, rounded up.
                const auto exact = static_cast<TimePs>(((i * 1500 - 1) * 8000 + 6) / 7);
                self.ExpectEqual(shaped.watch.frames[i].at - first, exact, Text("frame ", i));
            }
            // The events of a run are those of frames: nobody asks again and again meanwhile.
            self.Expect(shaped.bed->EventCount() < 1000, Text(shaped.bed->EventCount(), " events"));
        }
    }
}

/// Virtual channels of a queue share it by bytes; one without credit holds up no other.
void
TestChannelsOfQueue(FunctionCase& self)
{
    ShapedBed shaped(4, true);
    shaped.config.buffer.shares.virtualChannels = 4;
    shaped.config.buffer.vcOfClass = {0, 1, 2, 3};
    shaped.nic.vcOfClass = shaped.config.buffer.vcOfClass;
    shaped.Build(ParseShapingTable(R"({"leaves":[{"queue":0,"rate":"50Gbps","burst":"64KiB"}],
                                       "head":{"rate":0}})",
                                   "t.json"));
    for (uint32_t host = 0; host < 4; ++host)
    {
        for (uint32_t i = 0; i < 2000; ++i)
        {
            shaped.Send(host, host == 0 ? 100 : 1476);
        }
    }
    shaped.bed->RunUntil(200 * US);
    for (uint8_t c = 0; c < 4; ++c)
    {
        self.ExpectNear(shaped.Rate(c, 20 * US, 150 * US) / 1e9, 12.5, 1, Text("class ", +c));
    }
    self.Expect(std::all_of(shaped.watch.frames.begin(),
                            shaped.watch.frames.end(),
                            [](const ShapedFrame& frame) {
                                return frame.queue == 0 && frame.vc == frame.trafficClass;
                            }),
                "channels are those of classes");
}

/// Where the head is unlimited a link with frames is never idle: it ends as early as without
/// shaping.
void
TestWorkConserving(FunctionCase& self)
{
    ForEachKind(4, [&](ShapedBed& shaped) {
        shaped.Build(TableOfClasses(
            R"({"queue":0,"rate":"1Gbps","priority":7},{"queue":1,"rate":"90Gbps","branch":3},
               {"queue":2,"rate":"10Mbps","burst":0},{"queue":3})",
            4,
            R"(,"branches":[{"branch":3,"rate":"5Gbps"}])"));
        for (uint32_t host = 0; host < 4; ++host)
        {
            shaped.Send(host, 200 * 1476);
        }
        shaped.bed->RunToEnd();
        self.ExpectEqual(shaped.watch.frames.size(), 800, "all are sent");
        const TimePs last = shaped.watch.frames.back().at - shaped.watch.frames.front().at;
        // ACKs of flow channels take no part of this direction.
        self.ExpectEqual(last, 799 * LinkRate(LINK).TxTime(1500), "back to back");
    });
}

/// Frames of a class that has to wait hold up none of another class from the same host, with flow
/// channels and without.
void
TestNobodyIsHeldUp(FunctionCase& self)
{
    for (const bool flowChannels : {true, false})
    {
        for (const bool viaLink : {true, false})
        {
            ShapedBed shaped(1, viaLink);
            shaped.config.flowChannels.enabled = flowChannels;
            shaped.Build(TableOfClasses(R"({"queue":0,"rate":"1Gbps","burst":0},
                                           {"queue":1,"rate":"unlimited","branch":1})",
                                        2,
                                        R"(,"head":{"rate":0})"));
            const auto to = static_cast<uint32_t>(shaped.plan.hosts.size() - 1);
            for (uint32_t i = 0; i < 40; ++i)
            {
                shaped.bed->Send(0, to, 1476, i % 2, 0);
            }
            shaped.bed->RunUntil(20 * US);
            shaped.bed->Check();
            const auto gone = static_cast<std::size_t>(
                std::count_if(shaped.watch.frames.begin(),
                              shaped.watch.frames.end(),
                              [](const ShapedFrame& frame) { return frame.queue == 1; }));
            self.ExpectEqual(gone, 20, "all of the class that is not limited have gone");
            self.Expect(shaped.watch.frames.size() < 23, "few of the other one");
            shaped.bed->RunToEnd();
            self.ExpectEqual(shaped.watch.frames.size(), 40, "all have gone");
        }
    }
}

/// A host's port has 32 queues, for 32 virtual networks or classes.
void
TestManyQueues(FunctionCase& self)
{
    ShapingTable table;
    for (uint8_t queue = 0; queue < HOST_SHAPING_QUEUES; ++queue)
    {
        table.leaves.push_back({queue, {uint64_t{1'000'000'000} * (queue + 1U), 3'000, 0}, 0});
        if (queue != 0)
        {
            FlowRule rule;
            rule.mask.trafficClass = queue < 16 ? 0xFF : 0;
            rule.value.trafficClass = queue < 16 ? queue : 0;
            rule.mask.vni = queue < 16 ? 0 : 0xFFFF;
            rule.value.vni = queue < 16 ? 0 : queue;
            table.classes.push_back({queue, rule, queue});
        }
    }
    table.head.rate = 0;
    ShapedBed shaped(16, false);
    shaped.Build(table);
    for (uint32_t host = 0; host < 13; ++host) // 91 Gb/s
    {
        shaped.Send(host, 2'000'000);
    }
    shaped.bed->RunUntil(300 * US);
    shaped.bed->Check();
    for (uint8_t c = 0; c < 13; ++c)
    {
        self.ExpectNear(shaped.Rate(c, 50 * US, 300 * US) / 1e9, c + 1.0, 0.15, Text("class ", +c));
    }
}

/// Suite.
class ShapedOutputSuite : public FunctionSuite
{
  public:
    ShapedOutputSuite()
        : FunctionSuite("fabric-shaped-output", kUnit)
    {
        Add("SW-11 minimum, maximum and shared bandwidth at an output of any kind",
            TestShapedShares);
        Add("SW-11 a maximum holds in every window of a run", TestMaximumInWindows);
        Add("SW-11 an output sleeps until a bucket has tokens", TestWakesInTime);
        Add("SW-10 virtual channels of a queue share it by bytes", TestChannelsOfQueue);
        Add("SW-11 with an unlimited head no link is idle while frames wait", TestWorkConserving);
        Add("SW-12 a class that waits holds up no other", TestNobodyIsHeldUp);
        Add("SW-8 ports to hosts have 32 shaping queues", TestManyQueues);
    }
};

ShapedOutputSuite g_shapedOutputSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
