/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-shaper.h"
#include "support/fabric-function-case.h"
#include "support/fabric-random-shaping.h"
#include "support/fabric-slow-shaper.h"
#include "support/fabric-test-seeds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t GBPS = 1'000'000'000; ///< bit/s.
constexpr TimePs US = 1'000'000;         ///< ps.

// ---- one bucket ----

/// A bucket says at any time what its level says, and when that will be, exactly.
void
TestBucketLevels(FunctionCase& self)
{
    const TestSeeds seeds(300);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        const BucketSettings settings = RandomBucket(random, true);
        const ShareClock clock = settings.Clock();
        TokenBucket bucket(settings, clock);
        SlowBucket slow(settings);
        TimePs now = static_cast<TimePs>(random() % 1'000'000);
        bool isSame = true;
        for (uint32_t step = 0; step < 400 && isSame; ++step)
        {
            isSame = bucket.HasTokens(now) == slow.HasTokens(now) &&
                     (bucket.HasTokens(now) || bucket.Return() == slow.FirstTime(now));
            if (slow.HasTokens(now))
            {
                const auto bytes = static_cast<uint32_t>(24 + random() % 9001);
                bucket.Pay(bytes, now);
                slow.Pay(bytes, now);
            }
            const TimePs next = slow.FirstTime(now);
            // Often to the very instant, or the one before it.
            now = next == NEVER || next - now > 1'000'000'000'000 || random() % 3 == 0
                      ? now + static_cast<TimePs>(random() % 3'000'000)
                      : std::max(now, next - static_cast<TimePs>(random() % 2));
        }
        self.Expect(isSame, Text("seed ", seed, ": a bucket differs from its level"));
    }
}

/// After a million frames a bucket has paid for its rate to the ps: no drift, also where a byte
/// lasts a fraction of a ps.
void
TestNoDrift(FunctionCase& self)
{
    for (const uint64_t rate : {uint64_t{99'999'999'977}, 3 * GBPS, 7 * GBPS, uint64_t{10'007}})
    {
        BucketSettings settings;
        settings.rate = rate;
        settings.burst = 61; // with less than a ps of it, fractions of the ps of a frame are lost
        const ShareClock clock = settings.Clock();
        TokenBucket bucket(settings, clock);
        constexpr uint32_t FRAMES = 1'000'000;
        constexpr uint32_t BYTES = 61;
        TimePs now = 0;
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            now = std::max(now, bucket.Return());
            bucket.Pay(BYTES, now);
        }
        // The burst has paid for a frame. Rounded up at each, it would be late by half a us.
        const WideInt bits = WideInt{8} * BYTES * (FRAMES - 1);
        const auto exact = static_cast<TimePs>((bits * 1'000'000'000'000 + rate - 1) / rate);
        self.ExpectEqual(bucket.Return(), exact, Text("it returns at ", rate, " bit/s"));
    }
}

// ---- the tree ----

/// In any tree, with any frames, the shaper does what the requirements say.
void
TestTreeAgainstModel(FunctionCase& self)
{
    const TestSeeds seeds(2000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        const bool toHost = random() % 2 == 0;
        const uint32_t channels = toHost ? 1 : VIRTUAL_CHANNELS;
        const uint32_t queues = toHost ? HOST_SHAPING_QUEUES : LINK_SHAPING_QUEUES;
        const ShapingTable table = RandomShapingTable(random, queues, TRAFFIC_CLASSES);
        table.Validate(queues);
        Shaper shaper(std::make_shared<ShapingPlan>(table, channels));
        SlowShaper slow(table, channels);
        uint32_t used = 0;
        for (const ShapingLeaf& leaf : table.leaves)
        {
            used |= (channels == 1 ? 1U : 15U) << leaf.queue * channels;
        }
        uint32_t waiting = static_cast<uint32_t>(random()) & used;
        TimePs now = 0;
        std::string wrong;
        for (uint32_t step = 0; step < 150 && wrong.empty(); ++step)
        {
            const uint32_t candidates =
                random() % 4 == 0 ? waiting & static_cast<uint32_t>(random()) : waiting;
            uint32_t list = 0;
            const bool isAny = shaper.Choose(candidates, now, list);
            const auto answer = slow.Choose(candidates, now);
            const TimePs next = shaper.NextReturn(waiting, now);
            wrong += isAny != answer.has_value() ? "whether any may go; " : "";
            wrong += next != slow.NextReturn(waiting, now) ? "when the next may go; " : "";
            if (isAny && answer)
            {
                wrong += list != answer->list ? "which list goes; " : "";
                wrong += shaper.grant.queue != answer->queue ||
                                 static_cast<uint32_t>(shaper.grant.payer) + 1 != answer->group
                             ? "who pays; "
                             : "";
                if (random() % 5 != 0) // else an ACK goes first, and nothing has changed
                {
                    const auto bytes = static_cast<uint32_t>(24 + random() % 9001);
                    shaper.Begin(bytes, now);
                    slow.Serve(*answer, bytes, now);
                }
                now += static_cast<TimePs>(random() % (2 * US));
            }
            else
            {
                now = next == NEVER || next - now > 1'000 * US || random() % 3 == 0
                          ? now + static_cast<TimePs>(random() % (10 * US))
                          : next;
            }
            waiting = random() % 3 == 0 ? static_cast<uint32_t>(random()) & used : waiting;
        }
        self.Expect(wrong.empty(), Text("seed ", seed, ": ", wrong));
    }
}

// ---- a link whose queues are never empty ----

/// What a queue of a loaded link has sent.
struct SentFrame
{
    TimePs at;      ///< When it began.
    uint32_t bytes; ///< On the wire.
    Payer payer;    ///< Who paid.
};

/// A link that a shaper shares between queues that always wait.
struct LoadedLink
{
    /// @param bytes of frames, by queue
    LoadedLink(const ShapingTable& table, uint64_t rate, std::vector<uint32_t> bytes)
        : m_shaper(std::make_shared<ShapingPlan>(table, 1)),
          m_rate(rate),
          m_bytes(std::move(bytes)),
          sent(m_bytes.size())
    {
        for (uint32_t queue = 0; queue < m_bytes.size(); ++queue)
        {
            m_lists |= m_bytes[queue] != 0 ? 1U << queue : 0;
        }
    }

    /// @param end until then
    void Run(TimePs end)
    {
        for (TimePs now = 0; now < end;)
        {
            uint32_t list = 0;
            if (!m_shaper.Choose(m_lists, now, list))
            {
                const TimePs next = std::min(end, m_shaper.NextReturn(m_lists, now));
                idle += next - now;
                now = next;
                continue;
            }
            m_shaper.Begin(m_bytes[list], now);
            sent[list].push_back({now, m_bytes[list], m_shaper.grant.payer});
            now += m_rate.TxTime(m_bytes[list]);
        }
        m_end = end;
    }

    /// @return bit/s of a queue after the first tenth @param payer of these frames, COUNT for any
    double Rate(uint32_t queue, Payer payer = Payer::COUNT) const
    {
        uint64_t bytes = 0;
        for (const SentFrame& frame : sent[queue])
        {
            const bool isCounted = payer == Payer::COUNT || payer == frame.payer;
            bytes += frame.at >= m_end / 10 && isCounted ? frame.bytes : 0;
        }
        return static_cast<double>(bytes) * 8e12 / static_cast<double>(m_end - m_end / 10);
    }

  private:
    Shaper m_shaper;               ///< Of the link.
    LinkRate m_rate;               ///< Of the link.
    std::vector<uint32_t> m_bytes; ///< Of frames, by queue.
    uint32_t m_lists{0};           ///< Queues that wait.
    TimePs m_end{0};               ///< Of the run.

  public:
    std::vector<std::vector<SentFrame>> sent; ///< By queue.
    TimePs idle{0};                           ///< Time in which the link did nothing.
};

/// @return most that frames have more than a rate in any window, in 10^-12 bits
WideInt
MostAbove(const std::vector<SentFrame>& frames, uint64_t rate)
{
    WideInt sum = 0;
    WideInt lowest = 0;
    WideInt most = 0;
    for (const SentFrame& frame : frames)
    {
        // Of a window that begins with some frame: bits until now less those of the rate.
        const WideInt before = sum - WideInt{rate} * frame.at;
        lowest = frames.front().at == frame.at ? before : std::min(lowest, before);
        sum += frame.bytes * SlowBucket::BYTE;
        most = std::max<WideInt>(most, sum - WideInt{rate} * frame.at - lowest);
    }
    return most;
}

/// @return a leaf
ShapingLeaf
Leaf(uint8_t queue, uint64_t rate, uint8_t priority = 0, uint8_t branch = 0, uint32_t burst = 4096)
{
    return {queue, {rate, burst, priority}, branch};
}

/// @return a table with these leaves, whose classes are their queues
ShapingTable
TableOf(const std::vector<ShapingLeaf>& leaves, uint64_t headRate)
{
    ShapingTable table;
    table.leaves = leaves;
    table.head = {headRate, 4096, 0};
    for (const ShapingLeaf& leaf : leaves)
    {
        FlowRule rule;
        rule.mask.trafficClass = 0xFF;
        rule.value.trafficClass = leaf.queue;
        table.classes.push_back({leaf.queue, rule, leaf.queue});
    }
    return table;
}

/// Minimum: whatever all others want, a queue has what its leaf guarantees.
void
TestMinimum(FunctionCase& self)
{
    const TestSeeds seeds(60);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        constexpr uint64_t LINK = 100 * GBPS;
        const auto queues = static_cast<uint8_t>(2 + random() % 7);
        std::vector<ShapingLeaf> leaves;
        std::vector<uint32_t> bytes;
        uint64_t left = LINK * 9 / 10;
        for (uint8_t queue = 0; queue < queues; ++queue)
        {
            const uint64_t rate = random() % 4 == 0 ? 0 : LinkRate::LOWEST + random() % (left / 2);
            left -= rate;
            leaves.push_back(Leaf(queue,
                                  rate,
                                  rate == 0 ? 0 : static_cast<uint8_t>(random() % 8),
                                  static_cast<uint8_t>(random() % 4),
                                  static_cast<uint32_t>(random() % 20'000)));
            bytes.push_back(static_cast<uint32_t>(64 + random() % 9000));
        }
        LoadedLink link(TableOf(leaves, BucketSettings::UNLIMITED), LINK, bytes);
        link.Run(2000 * US);
        self.Expect(link.idle == 0, Text("seed ", seed, ": idle for ", link.idle));
        for (uint8_t queue = 0; queue < queues; ++queue)
        {
            // A token that comes while the bucket is full is lost: that is when the queue waited
            // longer than its burst lasts, for others of its priority or before it.
            const double rate = static_cast<double>(leaves[queue].bucket.rate);
            const double all = link.Rate(queue);
            const double least = leaves[queue].bucket.burst > 9000 ? 0.97 * rate : 0;
            self.Expect(all >= least - 9100 * 8e12 / (1800.0 * US),
                        Text("seed ", seed, ": queue ", +queue, " has ", all, " of ", rate));
        }
    }
}

/// Maximum: in any window a queue that has its leaf alone sends at most burst, rate and a frame,
/// and nearly that if the link has room.
void
TestMaximum(FunctionCase& self)
{
    const TestSeeds seeds(60);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        constexpr uint64_t LINK = 100 * GBPS;
        std::vector<ShapingLeaf> leaves;
        std::vector<uint32_t> bytes;
        const auto queues = static_cast<uint8_t>(1 + random() % 8);
        for (uint8_t queue = 0; queue < queues; ++queue)
        {
            leaves.push_back(Leaf(queue,
                                  GBPS / 2 + random() % (LINK / queues - GBPS),
                                  static_cast<uint8_t>(random() % 8),
                                  0,
                                  static_cast<uint32_t>(random() % 20'000)));
            bytes.push_back(static_cast<uint32_t>(64 + random() % 9000));
        }
        LoadedLink link(TableOf(leaves, 0), LINK, bytes);
        link.Run(2000 * US);
        for (uint8_t queue = 0; queue < queues; ++queue)
        {
            const BucketSettings& bucket = leaves[queue].bucket;
            const WideInt allowed = (bucket.burst + WideInt{bytes[queue]}) * SlowBucket::BYTE;
            self.Expect(MostAbove(link.sent[queue], bucket.rate) <= allowed,
                        Text("seed ", seed, ": queue ", +queue, " has too much in a window"));
            self.Expect(link.Rate(queue) <=
                            1.05 * static_cast<double>(bucket.rate) + 9100 * 40e9 / US,
                        Text("seed ", seed, ": queue ", +queue, " has ", link.Rate(queue)));
        }
    }
}

/// Shared excess: what leaves leave is their branch's, in turns, and then the head's.
void
TestSharedExcess(FunctionCase& self)
{
    // Queues 0 and 1 share a branch of 30 Gb/s, 2 and 3 one of 10; the head has 20 for all.
    ShapingTable table = TableOf({Leaf(0, 10 * GBPS, 0, 0),
                                  Leaf(1, 5 * GBPS, 0, 0),
                                  Leaf(2, 0, 0, 1),
                                  Leaf(3, 4 * GBPS, 0, 1)},
                                 20 * GBPS);
    table.branches = {{0, {30 * GBPS, 4096, 0}}, {1, {10 * GBPS, 4096, 1}}};
    LoadedLink link(table, 100 * GBPS, {1000, 1000, 1000, 1000});
    link.Run(10'000 * US);
    const std::array<double, 4> expected{10 + 15 + 5, 5 + 15 + 5, 0 + 5 + 5, 4 + 5 + 5};
    for (uint32_t queue = 0; queue < 4; ++queue)
    {
        self.ExpectNear(link.Rate(queue) / GBPS, expected[queue], 0.3, Text("queue ", queue));
        self.ExpectNear(link.Rate(queue, Payer::HEAD) / GBPS, 5, 0.3, Text("head of ", queue));
    }
    // Alone on its branch a queue has all of it.
    LoadedLink alone(table, 100 * GBPS, {1000, 0, 1000, 1000});
    alone.Run(10'000 * US);
    self.ExpectNear(alone.Rate(0, Payer::BRANCH) / GBPS, 30, 0.3, "who is alone");
    self.ExpectNear(alone.Rate(0, Payer::HEAD) / GBPS, 20.0 / 3, 0.3, "a third of the head");
}

/// Without leaves and branches the head is the limit of the sum; unlimited the link is.
void
TestHead(FunctionCase& self)
{
    ShapingTable table = TableOf({Leaf(0, 0), Leaf(1, 0, 0, 1), Leaf(2, 0, 0, 3)}, 30 * GBPS);
    LoadedLink link(table, 100 * GBPS, {9024, 64, 1500});
    link.Run(5000 * US);
    std::vector<SentFrame> all;
    for (const auto& queue : link.sent)
    {
        all.insert(all.end(), queue.begin(), queue.end());
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    self.Expect(MostAbove(all, 30 * GBPS) <= (4096 + 9024) * SlowBucket::BYTE, "above the head");
    const double sum = link.Rate(0) + link.Rate(1) + link.Rate(2);
    self.ExpectNear(sum / GBPS, 30, 0.2, "the head's rate is used");
    self.Expect(link.sent[0].size() - link.sent[1].size() + 1 <= 2, "turns are by frames");
    table.head.rate = BucketSettings::UNLIMITED;
    LoadedLink full(table, 100 * GBPS, {9024, 64, 1500});
    full.Run(1000 * US);
    self.ExpectEqual(full.idle, 0, "work conserving");
    // Frames that wait keep the link busy whoever of them it is.
    LoadedLink one(table, 100 * GBPS, {0, 64, 0});
    one.Run(1000 * US);
    self.ExpectEqual(one.idle, 0, "work conserving with one queue");
}

/// Priority: only what leaves and branches pay for is ordered by it.
void
TestPriority(FunctionCase& self)
{
    // Guarantees of 150 Gb/s on a link of 100: priority 0 has its 60, priority 3 the rest.
    ShapingTable table =
        TableOf({Leaf(0, 90 * GBPS, 3, 0, 100'000), Leaf(1, 60 * GBPS, 0, 0, 100'000)},
                BucketSettings::UNLIMITED);
    LoadedLink link(table, 100 * GBPS, {1500, 1500});
    link.Run(10'000 * US);
    self.ExpectNear(link.Rate(1) / GBPS, 60, 0.5, "the first priority");
    self.ExpectNear(link.Rate(0) / GBPS, 40, 0.5, "the fourth");
    // Equal priority: half of the link each, as both can't have their rates.
    table.leaves[0].bucket.priority = 0;
    LoadedLink equal(table, 100 * GBPS, {1500, 1500});
    equal.Run(10'000 * US);
    self.ExpectNear(equal.Rate(0) / GBPS, 50, 0.5, "round robin inside a priority");
    // A leaf that takes the link leaves nothing.
    table.leaves[1].bucket.rate = BucketSettings::UNLIMITED;
    table.leaves[0].bucket.priority = 1;
    LoadedLink starved(table, 100 * GBPS, {1500, 1500});
    starved.Run(1000 * US);
    self.Expect(starved.sent[0].empty(), "starved as configured");
    // A branch of lower priority waits for those before it.
    table = TableOf({Leaf(0, 0, 0, 0), Leaf(1, 0, 0, 1)}, 10 * GBPS);
    table.branches = {{0, {BucketSettings::UNLIMITED, 0, 5}}, {1, {70 * GBPS, 50'000, 2}}};
    LoadedLink branches(table, 100 * GBPS, {1500, 1500});
    branches.Run(10'000 * US);
    self.ExpectNear(branches.Rate(1) / GBPS, 70, 0.5, "the branch that comes first");
    self.ExpectNear(branches.Rate(0) / GBPS, 30, 0.5, "the rest of the link");
}

/// Channels of a queue share by bytes, also after one could not go for a while.
void
TestChannels(FunctionCase& self)
{
    const TestSeeds seeds(200);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        ChannelTurns turns;
        std::array<uint64_t, VIRTUAL_CHANNELS> sent{};
        std::array<uint32_t, VIRTUAL_CHANNELS> most{};
        for (uint32_t& bytes : most)
        {
            bytes = static_cast<uint32_t>(24 + random() % 9001);
        }
        const uint32_t waiting = 1 + static_cast<uint32_t>(random() % 15);
        for (uint32_t step = 0; step < 5000; ++step)
        {
            const uint32_t channel = turns.Choose(waiting);
            if ((waiting >> channel & 1) == 0)
            {
                self.Expect(false, Text("seed ", seed, ": one that does not wait is chosen"));
                return;
            }
            const auto bytes = static_cast<uint32_t>(24 + random() % (most[channel] - 23));
            turns.Serve(channel, bytes);
            sent[channel] += bytes;
        }
        uint64_t low = std::numeric_limits<uint64_t>::max();
        uint64_t high = 0;
        for (uint32_t channel = 0; channel < VIRTUAL_CHANNELS; ++channel)
        {
            if ((waiting >> channel & 1) != 0)
            {
                low = std::min(low, sent[channel]);
                high = std::max(high, sent[channel]);
            }
        }
        self.Expect(high - low <= 2U * ChannelTurns::QUANTUM,
                    Text("seed ", seed, ": channels differ by ", high - low));
    }
}

/// Each setting over its whole range: the link's use goes along without cliffs.
void
TestSweeps(FunctionCase& self)
{
    constexpr uint64_t LINK = 100 * GBPS;
    double before = 0;
    for (const uint64_t rate : std::initializer_list<uint64_t>{LinkRate::LOWEST,
                                                               GBPS / 1000,
                                                               GBPS,
                                                               10 * GBPS,
                                                               50 * GBPS,
                                                               99 * GBPS,
                                                               100 * GBPS,
                                                               101 * GBPS,
                                                               1000 * GBPS,
                                                               LinkRate::HIGHEST,
                                                               BucketSettings::UNLIMITED})
    {
        LoadedLink link(TableOf({Leaf(0, rate)}, 0), LINK, {1500});
        link.Run(10'000 * US);
        const double expected = std::min(static_cast<double>(rate), 1.0 * LINK);
        self.ExpectNear(link.Rate(0),
                        expected,
                        0.01 * expected + 0.002 * GBPS,
                        Text("rate ", rate));
        self.Expect(link.Rate(0) >= before, Text("less at ", rate));
        before = link.Rate(0);
    }
    for (const uint32_t burst :
         {0U, 1U, 63U, 64U, 1499U, 1500U, 1501U, 9024U, 65'536U, 1U << 20, 1U << 30})
    {
        for (const uint32_t bytes : {24U, 64U, 1500U, 9024U})
        {
            // Alone it has its rate, whatever the burst; at first its burst besides.
            LoadedLink link(TableOf({Leaf(0, 10 * GBPS, 0, 0, burst)}, 0), LINK, {bytes});
            link.Run(5000 * US);
            const double isLong = burst > 1'000'000 ? LINK : 10.0 * GBPS;
            self.Expect(link.Rate(0) <= 1.01 * isLong && link.Rate(0) >= 9.9 * GBPS,
                        Text("burst ", burst, " frames ", bytes, ": ", link.Rate(0)));
            self.Expect(MostAbove(link.sent[0], 10 * GBPS) <=
                            (WideInt{burst} + bytes) * SlowBucket::BYTE,
                        Text("burst ", burst, " frames ", bytes, ": a window has too much"));
        }
    }
    // One to 32 queues of equal weight.
    for (uint8_t queues = 1; queues <= HOST_SHAPING_QUEUES; ++queues)
    {
        std::vector<ShapingLeaf> leaves;
        for (uint8_t queue = 0; queue < queues; ++queue)
        {
            leaves.push_back(Leaf(queue, 2 * GBPS, 0, queue % 4));
        }
        LoadedLink link(TableOf(leaves, BucketSettings::UNLIMITED),
                        LINK,
                        std::vector<uint32_t>(queues, 1500));
        link.Run(2000 * US);
        for (uint8_t queue = 0; queue < queues; ++queue)
        {
            self.ExpectNear(link.Rate(queue) / LINK,
                            1.0 / queues,
                            0.02 / queues + 0.002,
                            Text("queue ", +queue, " of ", +queues));
        }
    }
}

/// Frames find their queue by class and virtual network; the first class that matches counts.
void
TestQueues(FunctionCase& self)
{
    ShapingTable table;
    table.leaves = {Leaf(0, GBPS), Leaf(1, GBPS), Leaf(2, GBPS)};
    FlowRule byVni;
    byVni.mask.vni = 0x00F0;
    byVni.value.vni = 0x0030;
    FlowRule byBoth = byVni;
    byBoth.mask.trafficClass = 0xFF;
    byBoth.value.trafficClass = 5;
    table.classes = {{0, byBoth, 2}, {1, byVni, 1}};
    table.Validate(8);
    self.Expect(table.QueueOf(5, 0x1234) == 2, "both match");
    self.Expect(table.QueueOf(4, 0x0031) == 1, "the VNI alone");
    self.Expect(table.QueueOf(5, 0x0041) == 0, "neither");
    const ShapingPlan link(table, VIRTUAL_CHANNELS);
    const ShapingPlan host(table, 1);
    self.Expect(link.ListOf(2, 3) == 11 && host.ListOf(2, 3) == 2, "lists");
    self.Expect(link.QueuesOf(0x0880) == 6 && host.QueuesOf(0x0880) == 0x0880, "queues of lists");
}

/// Suite.
class ShaperSuite : public FunctionSuite
{
  public:
    ShaperSuite()
        : FunctionSuite("fabric-shaper", kUnit)
    {
        Add("SW-11 a bucket is what its level says, at any time", TestBucketLevels);
        Add("SW-11 a bucket does not drift", TestNoDrift);
        Add("SW-11 random trees against a slow model in the words of the requirement",
            TestTreeAgainstModel);
        Add("SW-11 a minimum is guaranteed under full load of all others", TestMinimum);
        Add("SW-11 a maximum holds in every window", TestMaximum);
        Add("SW-11 excess is shared as configured", TestSharedExcess);
        Add("SW-11 the head limits the sum, and unlimited lets no link be idle", TestHead);
        Add("SW-11 priority starves only as configured", TestPriority);
        Add("SW-10 channels of a queue share it by bytes", TestChannels);
        Add("SW-11 rates, bursts and numbers of queues over their ranges", TestSweeps);
        Add("SW-12 a frame's queue follows from class and VNI", TestQueues);
    }
};

ShaperSuite g_shaperSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
