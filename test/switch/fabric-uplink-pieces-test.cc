/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-wire-bed.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr TimePs UPLINK_FLIT = 640;   ///< 8 B at 100 Gb/s, ps.
constexpr uint32_t LONG_FRAME = 8192; ///< On the wire, bytes.
constexpr uint32_t SHORT_FRAME = 256; ///< On the wire, bytes.
constexpr TimePs LONG_TIME = 655'360; ///< Of a long frame at 100 Gb/s, ps.

/**
 * One host sends a long frame at 0 and an urgent one to another host.
 *
 * @param after when it sends that, ps
 * @param preempt whether it may interrupt the long one
 * @return from then until it has arrived, ps
 */
TimePs
UrgentLatency(FunctionCase& test, TimePs after, bool preempt)
{
    WireBed bed({2}, 1);
    bed.config.lanes->preemption.preempt = preempt;
    bed.Build();
    bed.Send(0, bed.receiver, LONG_FRAME, 1, 0);
    bed.Send(0, 1, SHORT_FRAME, 0, after);
    test.ExpectEqual(bed.Run(), "", "at the end");
    TimePs latency = 0;
    for (const TestBed::Delivery& delivery : bed.bed->Deliveries())
    {
        latency = delivery.trafficClass == 0 ? delivery.at - after : latency;
    }
    return latency;
}

/// VA-9 VA-13: an urgent frame waits for a flit of the long frame of its host, or for 80 B where
/// too little is sent or left; without preemption for all the rest.
void
CheckUplinkWait(FunctionCase& test)
{
    const TimePs alone = UrgentLatency(test, 2 * LONG_TIME, true);
    for (TimePs after = 1; after < LONG_TIME; after += 7'919)
    {
        const TimePs flits = std::max<TimePs>((after + UPLINK_FLIT - 1) / UPLINK_FLIT, 10);
        const bool isCut = LONG_FRAME - flits * 8 >= 80;
        const TimePs start = isCut ? flits * UPLINK_FLIT : LONG_TIME;
        test.ExpectEqual(UrgentLatency(test, after, true) - alone,
                         start - after,
                         Text("interrupts after ", after));
        test.ExpectEqual(UrgentLatency(test, after, false) - alone,
                         LONG_TIME - after,
                         Text("waits after ", after));
    }
}

/// VA-11: a new table gives a flow a lane whose frames may interrupt others; its second frame must
/// not interrupt its first, at a switch that uses frames when they are whole.
void
CheckOrderWithNewTable(FunctionCase& test)
{
    for (const bool lookahead : {true, false})
    {
        WireBed bed({2}, 1);
        bed.config.timing.forwarding = STORE_AND_FORWARD;
        LaneTable table = bed.config.lanes->table;
        std::swap(table.lanes[0].trafficClass, table.lanes[1].trafficClass);
        bed.Build(lookahead);
        bed.bed->Chip(0).ChangeLanesAt(50'000, table);
        bed.Send(0, bed.receiver, LONG_FRAME, 1, 0);
        bed.Send(0, bed.receiver, SHORT_FRAME, 1, 10'000);
        bed.Send(0, 1, SHORT_FRAME, 1, 20'000); // another flow of that class, which may
        test.ExpectEqual(bed.Run(), "", "at the end");
        std::vector<uint32_t> order;
        for (const TestBed::Delivery& delivery : bed.bed->Deliveries())
        {
            order.push_back(delivery.sequence);
        }
        test.Expect(order == std::vector<uint32_t>{2, 0, 1}, "in another order");
    }
}

/// @return bytes of a lane that host 0 has sent
uint32_t
SentByHost(WireBed& bed, uint32_t ofLane)
{
    uint32_t sent = 0;
    for (const auto& [start, lane, number, first, bytes] : bed.uplinks.segments[0])
    {
        sent += lane == ofLane ? bytes : 0;
    }
    return sent;
}

/// @return payload that the first switch has dropped since a link failed
uint64_t
LostOnLink(WireBed& bed)
{
    return bed.bed->Chip(0).Counts().droppedPayload[static_cast<std::size_t>(DropCause::LINK_DOWN)];
}

/// WL-8: the link of a host fails when a long frame is interrupted; an urgent one that was whole
/// arrives, and the host has sent what left by then.
void
CheckFailingUplink(FunctionCase& test)
{
    for (const bool lookahead : {true, false})
    {
        WireBed bed({2}, 1);
        bed.Build(lookahead);
        bed.bed->FailLink(0, 400'000, 5'000'000, 0);
        bed.Send(0, bed.receiver, LONG_FRAME, 5, 0);
        bed.Send(0, 1, SHORT_FRAME, 0, 64'000);
        bed.Send(0, bed.receiver, SHORT_FRAME, 5, 300'000); // waits until the link is repaired
        test.ExpectEqual(bed.Run(), "", "at the end");
        test.ExpectEqual(SentByHost(bed, 0), SHORT_FRAME, "of the urgent frame");
        test.ExpectEqual(SentByHost(bed, 5), 5000, "of the others");
        const std::vector<TestBed::Delivery> done = bed.bed->Deliveries();
        test.ExpectEqual(done.size(), 2, "messages");
        test.ExpectEqual(done[0].trafficClass, 0, "the urgent one");
        test.Expect(done[1].at > 5'000'000, "the one that has waited");
    }
}

/// Switches with one flow_id for each link; the last link is so slow that its flow is long there.
WireBed
BedWithOneId()
{
    WireBed bed({2, 1}, 1);
    bed.config.flowChannels.enabled = true;
    bed.config.flowChannels.ids = 1;
    bed.links.back().first = LinkRate(1'000'000'000);
    return bed;
}

/// FC-9 WL-8: of two frames of a lane that wait for a flow channel the second is partly in when the
/// link fails.
void
CheckBrokenWhileWaiting(FunctionCase& test)
{
    for (const bool lookahead : {true, false})
    {
        WireBed bed = BedWithOneId();
        bed.Build(lookahead);
        bed.bed->FailLink(bed.plan.links.size(), 1'100'000, 9'000'000, 0);
        bed.Send(0, bed.receiver, SHORT_FRAME, 0, 0);
        bed.Send(0, 1, LONG_FRAME, 6, 1);
        bed.Send(0, 1, LONG_FRAME, 6, 2);
        bed.Send(0, 1, LONG_FRAME, 6, 3);
        for (TimePs at = 0; at < 9'000'000; at += 123'457)
        {
            bed.bed->RunUntil(at);
            bed.bed->Check();
        }
        test.ExpectEqual(LostOnLink(bed), LONG_FRAME - WireBytes(0), "what was cut off");
        test.ExpectEqual(bed.Run(), "", "at the end");
        const std::vector<TestBed::Delivery> done = bed.bed->Deliveries();
        test.ExpectEqual(done.size(), 3, "messages");
        std::vector<uint32_t> order;
        for (const TestBed::Delivery& delivery : done)
        {
            order.push_back(delivery.sequence);
        }
        std::sort(order.begin(), order.end());
        test.Expect(order == std::vector<uint32_t>{0, 1, 3}, "another one was lost");
    }
}

/// FC-9 WL-8: a frame whose flow has a channel waits behind one that has none, and goes on when the
/// link of that fails.
void
CheckBehindBroken(FunctionCase& test)
{
    for (const bool lookahead : {true, false})
    {
        WireBed bed = BedWithOneId();
        bed.Build(lookahead);
        bed.bed->FailLink(bed.plan.links.size(), 500'000, 9'000'000, 0);
        bed.Send(0, bed.receiver, SHORT_FRAME, 0, 0);
        bed.Send(0, 1, LONG_FRAME, 6, 1);
        bed.Send(0, bed.receiver, SHORT_FRAME, 0, 200'000);
        test.ExpectEqual(bed.Run(), "", "at the end");
        const std::vector<WireWatch::Event>& starts = bed.watches[0].starts;
        test.ExpectEqual(starts.size(), 2, "frames that the switch has sent");
        test.ExpectEqual(starts[1].time, 800'000, "when what was sent before the failure is in");
    }
}

/// @return whether hosts can be paused above a fill, where they may interrupt frames or not
bool
TakesThreshold(bool preempt, uint32_t xoffBytes)
{
    WireBed bed({1}, 1);
    bed.config.buffer = SwitchConfig().buffer;
    bed.config.hostControl.edgeFlowControl = LINK_PAUSE;
    bed.config.hostControl.pause.thresholds = {xoffBytes, 1000};
    bed.config.lanes->preemption.preempt = preempt;
    try
    {
        bed.Build();
    }
    catch (const std::invalid_argument&)
    {
        return false;
    }
    return true;
}

/// WL-5 VA-9: what may be nested on both ways of a link that is paused is in the headroom, 4096 B
/// each.
void
CheckNestedHeadroom(FunctionCase& test)
{
    uint32_t most = 0;
    for (uint32_t step = 1U << 20; step != 0; step /= 2)
    {
        most += TakesThreshold(false, most + step) ? step : 0;
    }
    test.Expect(most > 100'000, Text("the highest threshold is ", most));
    test.Expect(TakesThreshold(true, most - 8192), "with the headroom");
    test.Expect(!TakesThreshold(true, most - 8191), "with a byte less");
}

/// Damages all frames.
class AllDamaged : public LossModel
{
  public:
    bool Corrupts(uint32_t) override
    {
        return true;
    }
};

/// WL-4 VA-9: damaged frames of a host are dropped by its switch, interrupted or not.
void
CheckDamaged(FunctionCase& test)
{
    WireBed bed({2}, 1);
    bed.Build();
    bed.bed->SetLossModel(0, std::make_unique<AllDamaged>());
    bed.Send(0, bed.receiver, LONG_FRAME, 5, 0);
    bed.Send(0, 1, SHORT_FRAME, 0, 64'000);
    test.ExpectEqual(bed.Run(), "", "at the end");
    test.Expect(bed.bed->Deliveries().empty(), "something has come");
    test.ExpectEqual(bed.watches[0].drops, 2, "frames that were dropped");
}

/// Damages one in so many frames.
class SomeDamaged : public LossModel
{
  public:
    explicit SomeDamaged(uint64_t seed)
        : m_random(seed)
    {
    }

    bool Corrupts(uint32_t) override
    {
        return m_random() % 20 == 0;
    }

  private:
    std::mt19937_64 m_random; ///< Its own source.
};

/// What random runs met.
struct UplinksMet
{
    uint64_t preemptions{0}; ///< At uplinks.
    uint64_t cut{0};         ///< Bytes of frames lost on links.
    uint64_t damaged{0};     ///< Bytes of damaged frames.
    uint64_t pauses{0};      ///< Pause frames.
    uint64_t delivered{0};   ///< Messages.
};

/// What came of a run.
struct UplinkRun
{
    std::vector<TestBed::Delivery> deliveries;         ///< In their order.
    std::map<uint32_t, std::vector<SentRun>> segments; ///< Of uplinks, by host.
};

/// Hosts at a row of switches send frames of several lanes; they get few flow_ids, are paused,
/// their links fail and damage frames, and tables change.
class RandomUplinks
{
  public:
    explicit RandomUplinks(uint64_t seed)
        : m_seed(seed)
    {
    }

    /// @return what came of the run; `met` gets what was met
    UplinkRun Run(bool lookahead, UplinksMet& met)
    {
        m_random.seed(m_seed);
        WireBed bed(DrawRow(), static_cast<uint32_t>(Number(1, 6)));
        DrawSettings(bed);
        bed.Build(lookahead);
        DrawTraffic(bed);
        for (TimePs at = 0; at < 60'000'000; at += 1'111'111)
        {
            bed.bed->RunUntil(at);
            bed.bed->Check();
        }
        fault = bed.Run();
        for (uint32_t host = 0; host < bed.plan.hosts.size(); ++host)
        {
            const Nic& nic = bed.bed->GetNic(host);
            met.preemptions += nic.Wire()->wire.Counts().preemptions;
            fault += nic.Backlog() == 0 ? "" : "a host is stuck";
        }
        for (uint32_t chip = 0; chip < bed.bed->Chips(); ++chip)
        {
            const auto& dropped = bed.bed->Chip(chip).Counts().droppedPayload;
            met.cut += dropped[static_cast<std::size_t>(DropCause::LINK_DOWN)];
            met.damaged += dropped[static_cast<std::size_t>(DropCause::CORRUPT)];
            for (uint32_t port = 0; port < bed.plan.switches[chip].ports; ++port)
            {
                met.pauses += bed.bed->Chip(chip).Output(port).Counts().pauses;
            }
        }
        met.delivered += bed.bed->Deliveries().size();
        return {bed.bed->Deliveries(), bed.uplinks.segments};
    }

    std::string fault; ///< What was wrong at the end of a run.

  private:
    uint64_t Number(uint64_t low, uint64_t high)
    {
        return low + m_random() % (high - low + 1);
    }

    /// @return true in one of so many cases
    bool OneIn(uint32_t cases)
    {
        return m_random() % cases == 0;
    }

    ChainSources DrawRow()
    {
        ChainSources sources(Number(1, 3), 0);
        for (uint32_t& hosts : sources)
        {
            hosts = static_cast<uint32_t>(Number(1, 3));
        }
        return sources;
    }

    void DrawSettings(WireBed& bed)
    {
        SwitchConfig& config = bed.config;
        config.flowChannels.enabled = !OneIn(4);
        config.flowChannels.ids = static_cast<uint32_t>(OneIn(3) ? 2000 : Number(1, 4));
        config.timing.forwarding = OneIn(5) ? STORE_AND_FORWARD : CUT_THROUGH;
        config.buffer = SwitchConfig().buffer;
        if (OneIn(2))
        {
            config.hostControl.edgeFlowControl = OneIn(2) ? LINK_PAUSE : LINK_PRIORITY_PAUSE;
            config.hostControl.pause.thresholds = {40 * 1024, 20 * 1024};
        }
        PreemptionSettings& settings = config.lanes->preemption;
        settings.preempt = !OneIn(6);
        settings.interleave = OneIn(2);
        config.lanes->arbiter.checkTime = OneIn(3) || !(settings.preempt || settings.interleave)
                                              ? CHECK_AT_FLITS
                                              : CHECK_AT_PACKETS;
        if (OneIn(2))
        {
            settings.leastVictimBytes = static_cast<uint32_t>(Number(0, 3000));
            settings.mostUrgentBytes = static_cast<uint32_t>(Number(64, 5000));
        }
        if (OneIn(3))
        {
            for (GroupSettings& group : config.lanes->table.groups)
            {
                group.share = 500;
            }
            config.lanes->arbiter.meter.burst = 5000;
        }
        for (auto& [rate, delay] : bed.links)
        {
            rate = LinkRate((OneIn(2) ? 100 : Number(25, 200)) * 1'000'000'000);
            delay = static_cast<TimePs>(Number(1, 300'000));
        }
    }

    void DrawTraffic(WireBed& bed)
    {
        const auto hosts = static_cast<uint32_t>(bed.plan.hosts.size());
        for (uint64_t frames = Number(50, 250); frames > 0; --frames)
        {
            const auto from = static_cast<uint32_t>(Number(0, hosts - 1));
            const auto to = static_cast<uint32_t>((from + Number(1, hosts - 1)) % hosts);
            const auto trafficClass = static_cast<uint8_t>(Number(0, DEFAULT_LANES - 1));
            const auto bytes =
                static_cast<uint32_t>(trafficClass < 6 ? Number(25, 300) : Number(3000, 9000));
            bed.Send(from, to, bytes, trafficClass, static_cast<TimePs>(Number(0, 30'000'000)));
        }
        const auto links = static_cast<uint32_t>(bed.plan.links.size());
        for (uint32_t host = 0; host < hosts; ++host)
        {
            if (OneIn(3))
            {
                bed.bed->SetLossModel(host, std::make_unique<SomeDamaged>(m_seed + host));
            }
            TimePs from = static_cast<TimePs>(Number(0, 10'000'000));
            while (OneIn(2) && from < 40'000'000)
            {
                const TimePs until = from + static_cast<TimePs>(Number(1, 5'000'000));
                bed.bed->FailLink(links + host, from, until, Number(0, 1'000'000));
                from = until + static_cast<TimePs>(Number(1, 10'000'000));
            }
        }
        for (uint32_t chip = 0; OneIn(2) && chip < bed.bed->Chips(); ++chip)
        {
            LaneTable table = bed.config.lanes->table;
            std::shuffle(table.lanes.begin(), table.lanes.end(), m_random);
            for (uint8_t lane = 0; lane < DEFAULT_LANES; ++lane)
            {
                table.lanes[lane].lane = lane;
            }
            bed.bed->Chip(chip).ChangeLanesAt(Number(0, 30'000'000), table);
        }
    }

    uint64_t m_seed;
    std::mt19937_64 m_random;
};

/// Random uplinks: nothing is lost that is not counted, nothing waits for ever, and the same comes
/// with windows and without.
void
CheckRandomUplinks(FunctionCase& test)
{
    UplinksMet met;
    const TestSeeds seeds(800);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomUplinks uplinks(seed);
        const UplinkRun run = uplinks.Run(false, met);
        test.Expect(uplinks.fault.empty(), Text(uplinks.fault, ", seed ", seed));
        const UplinkRun ahead = uplinks.Run(true, met);
        test.Expect(uplinks.fault.empty(), Text(uplinks.fault, ", ahead, seed ", seed));
        test.Expect(run.deliveries == ahead.deliveries, Text("deliveries differ, seed ", seed));
        test.Expect(run.segments == ahead.segments, Text("uplinks differ, seed ", seed));
    }
    if (seeds.count < 800)
    {
        return;
    }
    test.Expect(met.preemptions > 1000, Text("preemptions, are ", met.preemptions));
    test.Expect(met.cut > 100'000, Text("bytes on links that fail, are ", met.cut));
    test.Expect(met.damaged > 100'000, Text("damaged bytes, are ", met.damaged));
    test.Expect(met.pauses > 300, Text("pauses, are ", met.pauses));
    test.Expect(met.delivered > 20'000, Text("messages, are ", met.delivered));
}

/// The suite.
class UplinkPiecesSuite : public FunctionSuite
{
  public:
    UplinkPiecesSuite()
        : FunctionSuite("fabric-uplink-pieces", kUnit)
    {
        Add("VA-9 VA-13 an urgent frame waits at its host for a flit or 80 B, or for a long frame",
            CheckUplinkWait);
        Add("VA-11 VA-9 frames of a flow keep their order when its lane changes",
            CheckOrderWithNewTable);
        Add("WL-8 VA-9 the link of a host fails under a frame that is interrupted",
            CheckFailingUplink);
        Add("WL-8 FC-9 under one that waits for a flow channel", CheckBrokenWhileWaiting);
        Add("WL-8 FC-9 who waits behind that one goes on", CheckBehindBroken);
        Add("WL-4 VA-9 damaged frames of a host are dropped by its switch", CheckDamaged);
        Add("WL-5 VA-9 the headroom of pauses has room for nested frames", CheckNestedHeadroom);
        Add("VA-9 WL-5 WL-8 FC-9 DP-5 random uplinks: pauses, few flow_ids, failures, new tables",
            CheckRandomUplinks);
    }
};

const UplinkPiecesSuite g_uplinkPiecesSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
