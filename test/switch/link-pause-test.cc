/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-fat-tree.h"
#include "fabric-function-case.h"
#include "fabric-pause-oracle.h"
#include "fabric-random-outages.h"
#include "fabric-random-scenario.h"
#include "fabric-refusal.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "fabric-watched-run.h"

#include "ns3/test.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t GIGABIT = 1'000'000'000;
constexpr uint32_t LARGEST_FRAME = WireBytes(JUMBO_PAYLOAD);

/// @return what can come by a link between equal switches after XOFF is passed
uint32_t
LinkHeadroom(const SwitchConfig& config, LinkRate rate, TimePs delay)
{
    PausedLink link{rate, delay, config.timing.latency, LARGEST_FRAME};
    link.response = config.timing.controlLatency;
    return static_cast<uint32_t>(PauseHeadroom(link));
}

// ---- random chains ----

/// Switches in a row with links of all kinds, where thresholds leave the headroom and no more.
struct RandomChain
{
    /// Rates of links, bit/s.
    static constexpr uint64_t RATES[] = {25 * GIGABIT,
                                         50 * GIGABIT,
                                         100 * GIGABIT,
                                         200 * GIGABIT,
                                         400 * GIGABIT};

    explicit RandomChain(uint32_t seed)
        : random(seed)
    {
        ChainSources sources;
        for (uint32_t left = 2 + random() % 3; left != 0; --left)
        {
            sources.push_back(1 + random() % 3);
        }
        plan = MakeChainPlan(sources);
        for (std::size_t i = 0; i < plan.links.size() + plan.hosts.size(); ++i)
        {
            const bool isLong = random() % 4 == 0;
            // One draw a statement: the order of a call's arguments is the compiler's.
            const LinkRate rate(RATES[random() % 5]);
            links.emplace_back(rate,
                               1 + static_cast<TimePs>(random() % (isLong ? 10 * US : 500 * NS)));
        }
        config.linkControl.flowControl = random() % 2 == 0 ? LINK_PAUSE : LINK_PRIORITY_PAUSE;
        config.timing.forwarding = random() % 2 == 0 ? STORE_AND_FORWARD : CUT_THROUGH;
        config.timing.latency = static_cast<TimePs>(random() % 400'000);
        config.timing.controlLatency = static_cast<TimePs>(random() % 200'000);
        config.flowChannels.enabled = random() % 3 == 0;
        const uint32_t mostBytes = random() % 3 == 0 ? 1 : 60'000;
        const uint32_t xoff = 1 + random() % mostBytes;
        config.linkControl.thresholds = {xoff, 1 + static_cast<uint32_t>(random() % xoff)};
        classes = random() % 3 == 0 ? 1 : 16;
        // So that pauses are repeated: two frames and some more of the fastest link.
        config.hostControl.pause.quanta = random() % 2 == 0 ? MAX_PAUSE_QUANTA : 300;
        for (std::size_t i = 0; i < plan.links.size(); ++i)
        {
            config.buffer.shares.totalBytes =
                std::max(config.buffer.shares.totalBytes * (i != 0),
                         xoff + LinkHeadroom(config, links[i].first, links[i].second));
        }
        config.buffer.shares.reservedBytesPerVc = LARGEST_FRAME;
        nic.mtu = random() % 2 == 0 ? JUMBO_PAYLOAD : MAX_PAYLOAD;
        for (uint32_t i = 0; i < 60; ++i)
        {
            const auto hosts = static_cast<uint32_t>(plan.hosts.size());
            const uint32_t src = random() % hosts;
            const uint32_t dst = random() % 2 == 0 ? random() % hosts : hosts - 1;
            const uint32_t mostSent = random() % 4 == 0 ? 500'000 : 20'000;
            sends.push_back({src,
                             dst != src ? dst : (src + 1) % hosts,
                             1 + random() % mostSent,
                             static_cast<uint8_t>(random() % classes),
                             static_cast<TimePs>(random() % (20 * US))});
        }
    }

    std::unique_ptr<TestBed> Make(bool lookahead) const
    {
        auto bed = std::make_unique<TestBed>(
            plan,
            MakeShortestPathRouting(plan),
            config,
            nic,
            [this](std::size_t link) { return links[link]; },
            lookahead);
        for (const auto& [src, dst, bytes, trafficClass, at] : sends)
        {
            bed->Send(src, dst, bytes, trafficClass, at);
        }
        return bed;
    }

    std::minstd_rand random;
    TopologyPlan plan;
    std::vector<std::pair<LinkRate, TimePs>> links;
    SwitchConfig config;
    NicConfig nic;
    uint32_t classes;
    std::vector<std::tuple<uint32_t, uint32_t, uint64_t, uint8_t, TimePs>> sends;
};

/// What a run of a chain comes to.
struct ChainOutcome
{
    std::vector<TestBed::Delivery> deliveries; ///< All.
    std::vector<uint64_t> counts;              ///< Of ports.
    double worstUse{0};                        ///< Most of any headroom that was used, 0..1.
};

ChainOutcome
RunChain(FunctionCase& test, const RandomChain& chain, bool lookahead, uint64_t counts[2])
{
    const auto bed = chain.Make(lookahead);
    const PauseOracle oracle(*bed, chain.plan);
    ChainOutcome outcome;
    for (TimePs until = 5 * US; until < 60 * US; until += 5 * US)
    {
        bed->RunUntil(until);
        bed->Check();
    }
    bed->RunToEnd();
    bed->Check();
    test.ExpectEqual(oracle.Fault(), "", "the oracle agrees");
    test.Expect(bed->IsEmpty(), "something is left");
    test.ExpectEqual(bed->Deliveries().size(), chain.sends.size(), "all arrive");
    counts[0] += oracle.Pauses();
    counts[1] += oracle.PassedBy();
    outcome.deliveries = bed->Deliveries();
    const uint32_t xoff = chain.config.linkControl.thresholds.xoffBytes;
    const bool isOne = chain.classes == 1 || chain.config.linkControl.flowControl == LINK_PAUSE;
    for (std::size_t i = 0; i < chain.plan.links.size(); ++i)
    {
        const LinkPlan& link = chain.plan.links[i];
        const uint32_t room =
            LinkHeadroom(chain.config, chain.links[i].first, chain.links[i].second);
        for (const auto& [chip, port] :
             {std::pair<uint32_t, uint32_t>{link.switchA, link.portA}, {link.switchB, link.portB}})
        {
            const uint32_t peak = bed->Chip(chip).Pauses(port)->PeakBytes();
            const TransmitCounts& sent = bed->Chip(chip).Output(port).Counts();
            outcome.counts.insert(outcome.counts.end(),
                                  {peak, sent.frames, sent.controlFrames, sent.pauses});
            test.Expect(peak <= (isOne ? xoff + room : chain.config.buffer.shares.totalBytes),
                        Text("the closed form, peak ", peak));
            outcome.worstUse = std::max(outcome.worstUse, isOne ? (double(peak) - xoff) / room : 0);
        }
    }
    return outcome;
}

void
TestRandomChains(FunctionCase& test)
{
    const TestSeeds seeds(120);
    uint64_t counts[2]{};
    double worstUse = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const RandomChain chain(seed);
        try
        {
            const ChainOutcome ahead = RunChain(test, chain, true, counts);
            const ChainOutcome single = RunChain(test, chain, false, counts);
            test.Expect(ahead.deliveries == single.deliveries, Text("deliveries, seed ", seed));
            test.Expect(ahead.counts == single.counts, Text("counts, seed ", seed));
            worstUse = std::max(worstUse, ahead.worstUse);
        }
        catch (const std::exception& error)
        {
            test.Expect(false, Text(error.what(), ", seed ", seed));
        }
    }
    test.Expect(!seeds.AreMany() || counts[0] > 100 * seeds.count, Text("pauses, are ", counts[0]));
    test.Expect(!seeds.AreMany() || counts[1] > 10 * seeds.count,
                Text("frames that pass, are ", counts[1]));
    test.Expect(!seeds.AreMany() || worstUse > 0.7, Text("of the headroom is used ", worstUse));
}

/// Its switches pause hosts, too, and have a memory that their ports share.
RandomChain
SharingChain(uint32_t seed)
{
    RandomChain chain(seed);
    const double alphas[] = {0.02, 0.125, 0.5, 1, 4};
    SwitchConfig& config = chain.config;
    config.hostControl.edgeFlowControl = config.linkControl.flowControl;
    config.linkControl.thresholds = {0, 0};
    SharedMemorySettings& shared = config.buffer.shared;
    shared.bytes = 1 + chain.random() % (chain.random() % 3 == 0 ? 2'000 : 200'000);
    shared.pauseAlpha = alphas[chain.random() % 5];
    shared.xonGapBytes = chain.random() % 2 == 0 ? 0 : chain.random() % 20'000;
    return chain;
}

/// Random chains whose switches share their memory among ports: nothing is lost, whatever it is.
void
TestSharingChains(FunctionCase& test)
{
    const TestSeeds seeds(120);
    uint64_t pauses = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const RandomChain chain = SharingChain(seed);
        std::vector<TestBed::Delivery> deliveries[2];
        std::vector<uint64_t> counts[2];
        for (const bool lookahead : {false, true})
        {
            const auto bed = chain.Make(lookahead);
            for (TimePs until = 5 * US; until < 60 * US; until += 5 * US)
            {
                bed->RunUntil(until);
                bed->Check();
            }
            bed->RunToEnd();
            bed->Check();
            test.Expect(bed->IsEmpty(), Text("something is left, seed ", seed));
            deliveries[lookahead] = bed->Deliveries();
            test.ExpectEqual(deliveries[lookahead].size(),
                             chain.sends.size(),
                             Text("all arrive, seed ", seed));
            for (std::size_t chip = 0; chip < bed->Chips(); ++chip)
            {
                const SharedMemory& memory = *bed->Chip(chip).Memory();
                test.ExpectEqual(memory.HeldBytes(), 0U, "all is given back");
                counts[lookahead].push_back(memory.PeakBytes());
                for (uint32_t port = 0; port < bed->Chip(chip).Config().ports; ++port)
                {
                    counts[lookahead].push_back(bed->Chip(chip).Output(port).Counts().pauses);
                    pauses += counts[lookahead].back();
                }
            }
        }
        test.Expect(deliveries[0] == deliveries[1], Text("deliveries, seed ", seed));
        test.Expect(counts[0] == counts[1], Text("counts, seed ", seed));
    }
    test.Expect(!seeds.AreMany() || pauses > 100 * seeds.count, Text("pauses, are ", pauses));
}

/// @return deliveries and counts of a chain whose links fail, in which nothing may overflow
std::string
RunFailingChain(FunctionCase& test, const RandomChain& chain, uint32_t seed, bool lookahead)
{
    const auto bed = chain.Make(lookahead);
    std::minstd_rand random(seed);
    for (std::size_t link = 0; link < chain.plan.links.size(); ++link)
    {
        const TimePs from = 1 + static_cast<TimePs>(random() % (20 * US));
        const TimePs lasts = 1 + static_cast<TimePs>(random() % (link % 2 == 0 ? US : 40 * US));
        bed->FailLink(link, from, from + lasts, static_cast<TimePs>(random() % (60 * US)));
    }
    bed->RunToEnd();
    bed->Check();
    test.Expect(bed->IsEmpty(), "something is left");
    std::string text;
    for (const TestBed::Delivery& delivery : bed->Deliveries())
    {
        text += std::to_string(delivery.at) + " " + std::to_string(delivery.bytes) + "\n";
    }
    for (std::size_t chip = 0; chip < bed->Chips(); ++chip)
    {
        const auto& dropped = bed->Chip(chip).Counts().droppedPayload;
        const uint64_t full = dropped[static_cast<std::size_t>(DropCause::BUFFER_FULL)];
        test.ExpectEqual(full, 0U, Text("overrun, seed ", seed));
        text += std::to_string(dropped[static_cast<std::size_t>(DropCause::LINK_DOWN)]) + " ";
        text += std::to_string(bed->Chip(chip).Output(0).Counts().frames) + "\n";
    }
    return text;
}

void
TestFailingChains(FunctionCase& test)
{
    const TestSeeds seeds(120);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const RandomChain chain = seed % 3 == 0 ? SharingChain(seed) : RandomChain(seed);
        test.ExpectSame(RunFailingChain(test, chain, seed, true),
                        RunFailingChain(test, chain, seed, false),
                        "seed " + std::to_string(seed));
    }
}

// ---- one link ----

/// Two switches: hosts 0 and 1 on the first, 2 and 3 on the second, of which 3 has a slow link.
struct PausedPair
{
    static constexpr uint64_t RATE = 200 * GIGABIT; ///< 40 ps a byte.

    SwitchConfig config;
    NicConfig nic;
    TimePs delay{50 * NS};
    uint64_t slowRate{10 * GIGABIT};
    bool lookahead{true};

    PausedPair()
    {
        config.linkControl.flowControl = LINK_PAUSE;
        config.flowChannels.enabled = false;
    }

    std::unique_ptr<TestBed> Make() const
    {
        const TopologyPlan plan = MakeChainPlan({2, 1});
        return std::make_unique<TestBed>(
            plan,
            MakeShortestPathRouting(plan),
            config,
            nic,
            [this, last = plan.links.size() + plan.hosts.size() - 1](std::size_t link) {
                return std::make_pair(LinkRate(link == last ? slowRate : RATE), delay);
            },
            lookahead);
    }

    /// @return port of the link between them, of both
    static uint32_t Port()
    {
        return 2;
    }
};

/**
 * The worst case: the fill is XOFF exactly when the largest frame has come, the switch has begun
 * such a frame of its own just before, and the other starts one more just before it obeys.
 */
void
TestLinkHeadroom(FunctionCase& test)
{
    for (const LinkFlowControl mode : {LINK_PAUSE, LINK_PRIORITY_PAUSE})
    {
        PausedPair pair;
        pair.config.linkControl.flowControl = mode;
        pair.config.timing.forwarding = STORE_AND_FORWARD;
        pair.config.timing.latency = 150 * NS;
        pair.nic.mtu = JUMBO_PAYLOAD;
        pair.slowRate = LinkRate::LOWEST;
        const TimePs tx = TimePs{LARGEST_FRAME} * 40;
        const TimePs pause = TimePs{PAUSE_FRAME_BYTES} * 40;
        const TimePs latency = pair.config.timing.latency;
        pair.config.timing.controlLatency = tx + 2 - pause - 2 * pair.delay - latency;
        const uint32_t xoff = 3 * LARGEST_FRAME;
        const uint32_t room = LinkHeadroom(pair.config, LinkRate(PausedPair::RATE), pair.delay);
        test.ExpectEqual(room, 4 * LARGEST_FRAME + 1, "the closed form");
        pair.config.linkControl.thresholds = {xoff, 1};
        pair.config.buffer.shares = {xoff + room, LARGEST_FRAME, 1};
        const auto bed = pair.Make();
        // The first frame starts at the first switch when its tail has come in.
        const TimePs first = tx + pair.delay + latency;
        const TimePs passes = first + 4 * tx + pair.delay + latency;
        bed->Send(0, 3, 40 * uint64_t{JUMBO_PAYLOAD}, 0, 0);
        bed->Send(2, 1, JUMBO_PAYLOAD, 0, passes - 1 - (tx + pair.delay + latency));
        bed->RunUntil(50 * US);
        bed->Check();
        test.ExpectEqual(bed->Chip(0).Output(PausedPair::Port()).Counts().frames,
                         7U,
                         "frames that come");
        test.ExpectEqual(bed->Chip(1).Pauses(PausedPair::Port())->PeakBytes(),
                         xoff + room - 1,
                         "the closed form is one byte above what comes");
        pair.config.buffer.shares.totalBytes -= 1;
        const std::string sentence =
            "LinkPauseXoffBytes is " + std::to_string(xoff) + ", and up to " +
            std::to_string(room) +
            " bytes can arrive after it is passed; allowed is a sum of at most BufferBytes (" +
            std::to_string(xoff + room - 1) + ")";
        test.ExpectEqual(Refusal([&pair] { pair.Make(); }), sentence, "a byte less");
    }
}

/// @return two switches after a message to a slow host and one of another class to a fast host
std::unique_ptr<TestBed>
RunBesideSlow(FunctionCase& test, PausedPair pair)
{
    pair.slowRate = GIGABIT;
    auto bed = pair.Make();
    bed->Send(0, 3, 2'000'000, 3, 0);
    bed->Send(1, 2, 8'000'000, 5, 0);
    bed->RunToEnd();
    bed->Check();
    test.Expect(bed->Chip(1).Output(PausedPair::Port()).Counts().pauses > 2, "with pauses");
    return bed;
}

/// @return when the message to the fast host is complete, beside one to the slow host, ps
TimePs
BesideSlow(FunctionCase& test, LinkFlowControl mode, bool lookahead)
{
    PausedPair pair;
    pair.config.linkControl.flowControl = mode;
    pair.lookahead = lookahead;
    const auto bed = RunBesideSlow(test, pair);
    TimePs at = 0;
    for (const TestBed::Delivery& delivery : bed->Deliveries())
    {
        at = delivery.dst == LocationOf(2) ? delivery.at : at;
    }
    return at;
}

/// A priority that is stopped leaves the link to the others.
void
TestOtherLinkPriority(FunctionCase& test)
{
    const TimePs alone = TimePs{8'000'000} / MAX_PAYLOAD * WireBytes(MAX_PAYLOAD) * 40;
    // The slow one has the link for half of the buffer, the headroom, and what its host takes.
    const TimePs sharing = TimePs{(524'288 + 42'156) / 2 + 8'000'000 / 200 + LARGEST_FRAME} * 40;
    const TimePs priority = BesideSlow(test, LINK_PRIORITY_PAUSE, true);
    test.Expect(priority > alone && priority < alone + sharing, "full rate");
    test.ExpectEqual(BesideSlow(test, LINK_PRIORITY_PAUSE, false), priority, "windows off");
    test.Expect(BesideSlow(test, LINK_PAUSE, true) > 5 * alone, "the whole link stands still");
}

/// The same behind tiles: what a switch has granted before it obeys finds room, and no more comes.
void
TestTiledLinkPriority(FunctionCase& test)
{
    const TimePs alone = TimePs{8'000'000} / MAX_PAYLOAD * WireBytes(MAX_PAYLOAD) * 40;
    for (const bool lookahead : {true, false})
    {
        PausedPair pair;
        pair.config.linkControl.flowControl = LINK_PRIORITY_PAUSE;
        pair.config.crossbar.model = CROSSBAR_TILED;
        pair.lookahead = lookahead;
        const auto bed = RunBesideSlow(test, pair);
        const auto& dropped = bed->Chip(1).Counts().droppedPayload;
        test.ExpectEqual(dropped[static_cast<std::size_t>(DropCause::BUFFER_FULL)], 0, "overrun");
        test.ExpectEqual(bed->Deliveries().size(), 2, "both arrive");
        const TestBed::Delivery fast = bed->Deliveries().at(0);
        // The slow one has the link for no more than the buffer, and what its host takes.
        const uint32_t slow = pair.config.buffer.shares.totalBytes + 8'000'000 / 200;
        test.Expect(fast.dst == LocationOf(2) && fast.at > alone &&
                        fast.at < alone + TimePs{slow + LARGEST_FRAME} * 40,
                    Text("full rate, at ", fast.at));
    }
}

/// Thresholds that nobody chose.
void
TestLinkDefaults(FunctionCase& test)
{
    const PausedPair pair;
    PausedLink link{LinkRate(PausedPair::RATE), pair.delay, 0, LARGEST_FRAME, 400'000};
    const auto room = static_cast<uint32_t>(400'000 - PauseHeadroom(link));
    const auto is = [&test](const PauseThresholds& thresholds, uint32_t xoff, uint32_t xon) {
        test.ExpectEqual(thresholds.xoffBytes, xoff, "XOFF");
        test.ExpectEqual(thresholds.xonBytes, xon, "XON");
    };
    is(LinkThresholds(LINK_PAUSE, {}, link), room, room - LARGEST_FRAME);
    is(LinkThresholds(LINK_PRIORITY_PAUSE, {}, link), room / 2, room / 2 - LARGEST_FRAME);
    is(LinkThresholds(LINK_PRIORITY_PAUSE, {9'000, 0}, link), 9'000, 0);
    is(LinkThresholds(LINK_PRIORITY_PAUSE, {50'000, 7}, link), 50'000, 7);
    link.bufferBytes = static_cast<uint32_t>(PauseHeadroom(link)) - 1;
    is(LinkThresholds(LINK_PAUSE, {}, link), 0, 0);
}

void
TestLinkRefusals(FunctionCase& test)
{
    PausedPair pair;
    const auto refusal = [&pair] { return Refusal([&pair] { pair.Make(); }); };
    test.ExpectEqual(refusal(), "", "defaults");
    pair.delay = 20 * US;
    test.Expect(refusal().find("LinkPauseXoffBytes is 0, and up to 1") == 0, refusal());
    pair.delay = 50 * NS;
    pair.config.linkControl.thresholds = {10'000, 10'001};
    test.ExpectEqual(refusal(),
                     "LinkPauseXonBytes is 10001, allowed is at most LinkPauseXoffBytes (10000)",
                     "in the wrong order");
    pair.config.linkControl.thresholds = {};
    pair.config.hostControl.pause.quanta = 281;
    test.Expect(refusal().find("PauseQuanta is 281") == 0, refusal());
}

// ---- what is lost ----

/// Damages the first pause frames.
class DamagePauses : public LossModel
{
  public:
    explicit DamagePauses(uint32_t pauses)
        : m_left(pauses)
    {
    }

    bool Corrupts(uint32_t bytes) override
    {
        const bool isDamaged = bytes == PAUSE_FRAME_BYTES && m_left != 0;
        m_left -= isDamaged;
        return isDamaged;
    }

  private:
    uint32_t m_left;
};

void
TestLostLinkPause(FunctionCase& test)
{
    for (const bool flowChannels : {false, true})
    {
        for (const uint32_t lost : {0, 1, 2})
        {
            PausedPair pair;
            pair.config.flowChannels.enabled = flowChannels;
            pair.config.congestion.hopCredits = false;
            pair.config.hostControl.pause.quanta = 2'000;
            const auto bed = pair.Make();
            bed->LoseControl();
            bed->SetLossModel(1, PausedPair::Port(), std::make_unique<DamagePauses>(lost));
            bed->Send(0, 3, 2'000'000, 0, 0);
            bed->Send(1, 3, 2'000'000, 1, 0);
            bed->RunToEnd();
            bed->Check();
            test.Expect(bed->IsEmpty(), "something is left");
            const auto& dropped = bed->Chip(1).Counts().droppedPayload;
            const uint64_t full = dropped[static_cast<std::size_t>(DropCause::BUFFER_FULL)];
            // A refresh later, so much less than 2000 quanta for each that is lost.
            test.Expect(lost == 0 ? full == 0 : full > 0 && full < lost * 2'000 * 64,
                        Text(lost, " pauses are lost and ", full, " bytes"));
            test.ExpectEqual(bed->Chip(1).Output(PausedPair::Port()).Errors()->Counts().lostPauses,
                             lost,
                             "lost pauses");
        }
    }
}

/// When the link is repaired the sender waits until it could be paused again, and it is.
void
TestLinkOutage(FunctionCase& test)
{
    for (const bool lookahead : {true, false})
    {
        for (const TimePs lasts : {2 * US, 200 * US})
        {
            PausedPair pair;
            pair.lookahead = lookahead;
            pair.slowRate = GIGABIT;
            const auto bed = pair.Make();
            bed->Send(0, 3, 2'000'000, 0, 0);
            bed->Send(1, 3, 2'000'000, 0, 0);
            const TimePs up = 60 * US + lasts;
            bed->FailLink(0, 60 * US, up, 1'000 * US);
            bed->RunUntil(60 * US);
            const uint64_t before = bed->Chip(1).Output(PausedPair::Port()).Counts().pauses;
            test.Expect(before > 0, "it is paused");
            bed->Send(0, 3, 2'000'000, 0, up);
            bed->RunToEnd();
            bed->Check();
            const auto& dropped = bed->Chip(1).Counts().droppedPayload;
            test.ExpectEqual(dropped[static_cast<std::size_t>(DropCause::BUFFER_FULL)],
                             0U,
                             "nothing overflows");
            test.Expect(bed->Chip(1).Output(PausedPair::Port()).Counts().pauses > before,
                        "it is paused again");
            test.Expect(bed->IsEmpty(), "something is left");
        }
    }
}

// ---- everything at once ----

/// A scenario whose switches pause each other in some way, with headroom for any of its links.
struct PausedScenario
{
    explicit PausedScenario(uint64_t seed)
        : scenario(seed)
    {
        std::mt19937_64 random(seed);
        SwitchConfig config = scenario.Config();
        config.linkControl.flowControl = random() % 2 == 0 ? LINK_PAUSE : LINK_PRIORITY_PAUSE;
        config.buffer.shares.totalBytes = 4 << 20;
        config.linkControl.thresholds.xoffBytes = 1 + random() % 60'000;
        if (random() % 3 == 0)
        {
            config.hostControl.edgeFlowControl = config.linkControl.flowControl;
            config.hostControl.pause.thresholds = {40'000, 20'000};
        }
        scenario.Replace(config, "link pauses");
        if (random() % 4 == 0)
        {
            scenario.LoseControl(100);
        }
    }

    RandomScenario scenario;
};

WatchedRun
RunLinkPauses(FunctionCase& test,
              const PausedScenario& paused,
              const RandomOutages* outages,
              TimePs horizon,
              bool lookahead,
              const std::string& name,
              uint64_t& pauses)
{
    const auto bed = paused.scenario.Build(lookahead);
    if (outages)
    {
        outages->AddTo(*bed);
    }
    const FlowWatch watch(*bed, false, false);
    const WatchedRun run = RunWatched(test, *bed, watch, horizon, 4, name);
    for (std::size_t chip = 0; chip < bed->Chips(); ++chip)
    {
        for (uint32_t port = 0; port < bed->Chip(chip).Config().ports; ++port)
        {
            const bool isLink = bed->IsFabricPort(chip, port);
            pauses += isLink ? bed->Chip(chip).Output(port).Counts().pauses : 0;
        }
        const auto& dropped = bed->Chip(chip).Counts().droppedPayload;
        const uint64_t full = dropped[static_cast<std::size_t>(DropCause::BUFFER_FULL)];
        test.Expect(full == 0 || paused.scenario.LosesControl(), Text("overrun, ", name));
    }
    return run;
}

void
TestRandomLinkPauses(FunctionCase& test)
{
    const TestSeeds seeds(60);
    uint64_t pauses = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        PausedScenario paused(seed);
        const RandomOutages outages(paused.scenario, seed);
        const TimePs horizon = paused.scenario.SomeTime();
        for (const RandomOutages* failing : {static_cast<const RandomOutages*>(nullptr), &outages})
        {
            const std::string name =
                paused.scenario.Describe() + (failing ? outages.Describe() : std::string());
            const WatchedRun ahead =
                RunLinkPauses(test, paused, failing, horizon, true, name, pauses);
            const WatchedRun single =
                RunLinkPauses(test, paused, failing, horizon, false, name, pauses);
            ExpectSameRun(test, ahead, single, name);
        }
    }
    test.Expect(pauses > 50 * seeds.count, Text("pauses between switches, are ", pauses));
}

/// The suite.
class LinkPauseSuite : public FunctionSuite
{
  public:
    LinkPauseSuite()
        : FunctionSuite("fabric-link-pause", kUnit)
    {
        Add("WL-5 random chains with the least headroom lose nothing, and pause as an obvious "
            "model says",
            TestRandomChains);
        Add("WL-5 random chains whose switches have a memory that ports share lose nothing",
            TestSharingChains);
        Add("WL-5 WL-8 random chains with the least headroom whose links fail overrun nothing",
            TestFailingChains);
        Add("WL-5 the headroom of a link is what can come, to the byte", TestLinkHeadroom);
        Add("WL-5 a priority that is stopped leaves the link to others", TestOtherLinkPriority);
        Add("SW-4 WL-5 a priority that is stopped leaves tiles to others", TestTiledLinkPriority);
        Add("WL-5 default thresholds", TestLinkDefaults);
        Add("WL-5 settings that could lose a frame are refused", TestLinkRefusals);
        Add("WL-5 WL-6 a lost pause overflows the buffer until it is repeated", TestLostLinkPause);
        Add("WL-5 WL-8 a repaired link has no pauses, and is silent until it could have",
            TestLinkOutage);
        Add("WL-5 DP-2 pauses between switches in random fabrics, windows on = off",
            TestRandomLinkPauses);
    }
};

const LinkPauseSuite g_linkPauseSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
