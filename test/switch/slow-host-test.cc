/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-function-case.h"
#include "fabric-lane-bed.h"
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
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t FAST = 200'000'000'000; ///< Of all links, bit/s.
constexpr uint64_t SLOW = 50'000'000'000;  ///< Of the slow host, bit/s.
constexpr uint32_t FRAME_BYTES = WireBytes(MAX_PAYLOAD);
constexpr TimePs SLOW_FRAME = TimePs{FRAME_BYTES} * 160; ///< Time that it takes for a frame, ps.
constexpr TimePs LINK_DELAY = 100 * NS;

/// @return a row of switches with links of 200 Gb/s, whose last host receives as `receive` says
std::unique_ptr<TestBed>
MakeSlowBed(const ChainSources& sources,
            const SwitchConfig& config,
            const ReceiveSettings& receive,
            const NicConfig& nic = {})
{
    const TopologyPlan plan = MakeChainPlan(sources);
    return std::make_unique<TestBed>(
        plan,
        MakeShortestPathRouting(plan),
        config,
        nic,
        [](std::size_t) { return std::make_pair(LinkRate(FAST), LINK_DELAY); },
        true,
        std::function<void(std::size_t, SwitchConfig&)>{},
        [receive, slow = plan.hosts.size() - 1](std::size_t host, NicConfig& own) {
            own.receive = host == slow ? receive : ReceiveSettings{};
        });
}

void
TestSlowGoodput(FunctionCase& test)
{
    const SwitchConfig config;
    const auto bed = MakeSlowBed({1}, config, {SLOW, 0});
    const uint32_t frames = 1'000;
    bed->Send(0, 1, uint64_t{frames} * MAX_PAYLOAD, 0, 0);
    bed->RunUntil(300 * SLOW_FRAME);
    bed->Check();
    const uint32_t room = ReceiveSettings::USUAL_BUFFER / FRAME_BYTES;
    test.ExpectEqual(bed->Chip(0).Output(1).Credits().Used(0),
                     room * FRAME_BYTES,
                     "the host's buffer is full");
    const uint32_t queued = bed->Chip(0).QueuedBytes(1) / FRAME_BYTES;
    const uint32_t most = config.buffer.shares.totalBytes / FRAME_BYTES;
    test.Expect(queued + 2 >= most && queued <= most,
                Text("the switch's buffer holds the rest: ", queued, " frames of ", most));
    bed->RunToEnd();
    bed->Check();
    test.ExpectEqual(bed->Deliveries().at(0).at,
                     2 * LINK_DELAY + config.timing.latency + frames * SLOW_FRAME,
                     "the last frame leaves the buffer, which was never empty");
    const LinkCredits& credits = bed->Chip(0).Output(1).Credits();
    test.Expect(credits.Used(0) == credits.OnTheWay(0), "all room is given back");
    test.Expect(bed->IsEmpty(), "something is left");
}

/// @param window frames for which the host has room
void
CheckSmallWindow(FunctionCase& test, uint32_t mtu, uint32_t window, uint64_t rate)
{
    SwitchConfig config;
    config.timing.latency = 350 * NS;
    config.timing.controlLatency = 50 * NS;
    NicConfig nic;
    nic.mtu = mtu;
    const uint32_t bytes = WireBytes(mtu);
    const uint32_t frames = 20;
    const auto bed =
        MakeSlowBed({1}, config, {rate, std::max(WireBytes(JUMBO_PAYLOAD), window * bytes)}, nic);
    bed->Send(0, 1, uint64_t{frames} * mtu, 0, 0);
    bed->RunToEnd();
    bed->Check();

    const TimePs tx = LinkRate(FAST).TxTime(bytes);
    std::vector<TimePs> leaves;
    TimePs start = LINK_DELAY + config.timing.latency;
    for (uint32_t i = 0; i < frames; ++i)
    {
        if (i >= window)
        {
            const TimePs credit = leaves[i - window] + LINK_DELAY + config.timing.controlLatency;
            start = std::max(start, credit);
        }
        const TimePs head = start + LINK_DELAY;
        const TimePs drained = leaves.empty() ? 0 : leaves.back();
        leaves.push_back(
            std::max(head + tx, std::max(head, drained) + LinkRate(rate).TxTime(bytes)));
        start += tx;
    }
    test.ExpectEqual(bed->Deliveries().at(0).at,
                     leaves.back(),
                     Text("frames of ", mtu, ", room for ", window, ", ", rate, " bit/s"));
}

void
TestSmallBuffer(FunctionCase& test)
{
    for (const uint64_t rate : {SLOW, FAST, 2 * FAST})
    {
        CheckSmallWindow(test, JUMBO_PAYLOAD, 1, rate);
        CheckSmallWindow(test, JUMBO_PAYLOAD, 2, rate);
        CheckSmallWindow(test, MAX_PAYLOAD, 2, rate);
        CheckSmallWindow(test, MAX_PAYLOAD, 3, rate);
    }
}

/// @return goodput of a victim whose frames come by the link of those to a slow host, bit/s
double
VictimGoodput(FunctionCase& test, bool flowChannels, const ReceiveSettings& receive)
{
    SwitchConfig config;
    config.flowChannels.enabled = flowChannels;
    const auto bed = MakeSlowBed({2, 1}, config, receive);
    const TimePs from = 400 * US;
    const TimePs until = 800 * US;
    bed->Send(0, 3, 40'000'000, 0, 0); // to the slow host
    bed->Send(1, 2, 40'000'000, 0, 0); // the victim
    bed->RunUntil(from);
    const uint64_t before = bed->GetNic(2).DeliveredBy(from);
    const uint64_t slowBefore = bed->GetNic(3).DeliveredBy(from);
    bed->RunUntil(until);
    bed->Check();
    const auto goodput = [&](uint32_t host, uint64_t since) {
        return static_cast<double>(bed->GetNic(host).DeliveredBy(until) - since) * 8e12 /
               static_cast<double>(until - from);
    };
    if (receive.HoldBack())
    {
        const double rate = SLOW * double{MAX_PAYLOAD} / FRAME_BYTES;
        test.ExpectNear(goodput(3, slowBefore), rate, rate * 0.001, "goodput of the slow host");
    }
    return goodput(2, before);
}

void
TestSlowVictim(FunctionCase& test)
{
    const double perBit = double{MAX_PAYLOAD} / FRAME_BYTES;
    const double free = VictimGoodput(test, true, {SLOW, 0}) / perBit;
    test.ExpectNear(free, FAST - SLOW, FAST * 0.002, "with flow channels it has what is left");
    const double blocked = VictimGoodput(test, false, {SLOW, 0}) / perBit;
    test.ExpectNear(blocked, SLOW, FAST * 0.002, "without, its frames come in turns with the slow");
    const double half = VictimGoodput(test, false, {}) / perBit;
    test.ExpectNear(half, FAST / 2, FAST * 0.002, "half of the link if no host is slow");
}

/// Damages frames at equal distances.
class DamageEvery : public LossModel
{
  public:
    /// @param n every n-th frame is damaged
    explicit DamageEvery(uint32_t n)
        : m_n(n)
    {
    }

    bool Corrupts(uint32_t) override
    {
        return ++m_frames % m_n == 0;
    }

  private:
    uint32_t m_n;
    uint32_t m_frames{0};
};

void
TestDamagedFrames(FunctionCase& test)
{
    const SwitchConfig config;
    const auto bed = MakeSlowBed({1}, config, {SLOW, 4 * FRAME_BYTES});
    bed->SetLossModel(0, 1, std::make_unique<DamageEvery>(2));
    for (uint32_t i = 0; i < 300; ++i)
    {
        bed->Send(0, 1, MAX_PAYLOAD, 0, 0);
    }
    bed->FailLink(1, 50 * SLOW_FRAME, 60 * SLOW_FRAME, 0);
    bed->RunToEnd();
    bed->Check();
    const NicCounts counts = bed->GetNic(1).Counts();
    const LinkCredits& credits = bed->Chip(0).Output(1).Credits();
    test.Expect(counts.corrupt > 0 && counts.linkDown > 0, "frames are damaged and cut off");
    test.Expect(credits.Used(0) == credits.OnTheWay(0), "their room is given back");
    test.Expect(bed->IsEmpty(), "something is left");
}

/// A frame that is sent in pieces is cut off when the link to the slow host fails.
void
TestBrokenPieces(FunctionCase& test)
{
    SwitchConfig config;
    config.lanes = LaneArbitration{WorkedExample(), {}};
    config.lanes->preemption.preempt = true;
    const auto bed = MakeSlowBed({1}, config, {SLOW, 4 * FRAME_BYTES});
    bed->Send(0, 1, 100 * uint64_t{MAX_PAYLOAD}, 0, 0);
    const TimePs start = LINK_DELAY + config.timing.latency;
    bed->FailLink(1, start + LINK_DELAY / 2, 10 * US, 0); // the first of 165 ns is on the wire
    bed->RunToEnd();
    bed->Check();
    const LinkCredits& credits = bed->Chip(0).Output(1).Credits();
    test.Expect(credits.Used(0) == credits.OnTheWay(0), "the room of the frame is given back");
    test.ExpectEqual(bed->GetNic(1).Counts().linkDown % MAX_PAYLOAD, 0U, "whole frames are lost");
    test.Expect(bed->GetNic(1).Counts().linkDown > 0, "a frame is cut off");
    test.Expect(bed->IsEmpty(), "something is left");
}

void
TestSlowRefusals(FunctionCase& test)
{
    SwitchConfig config;
    config.buffer.shares.virtualChannels = 2;
    const auto refusal = [&config](const ReceiveSettings& receive) {
        return Refusal([&] { MakeSlowBed({1}, config, receive); });
    };
    test.ExpectEqual(refusal({SLOW, 18'048}), "", "just enough");
    test.ExpectEqual(refusal({0, 18'047}),
                     "ReceiveBuffer is 18047; allowed is at least 18048 bytes, the largest frame "
                     "for each of 2 virtual channels",
                     "too small");
    test.ExpectEqual(refusal({}), "", "a host that takes whatever comes");
}

WatchedRun
RunSlow(FunctionCase& test,
        const RandomScenario& scenario,
        const RandomOutages* outages,
        TimePs horizon,
        bool lookahead,
        const std::string& name)
{
    const auto bed = scenario.Build(lookahead);
    if (outages)
    {
        outages->AddTo(*bed);
    }
    const FlowWatch watch(*bed, false, !scenario.HasLoss() && !outages);
    const WatchedRun run = RunWatched(test, *bed, watch, horizon, 4, name);
    test.Expect(scenario.HasLoss() || outages ||
                    bed->Deliveries().size() == scenario.Messages().size(),
                Text("not all messages arrived, ", name));
    return run;
}

void
TestRandomSlowHosts(FunctionCase& test)
{
    const TestSeeds seeds(100);
    uint32_t slow = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomScenario scenario(seed);
        slow += scenario.SlowDownHosts(seed);
        if (seed % 2 == 0)
        {
            scenario.TellCreditsInFrames(seed);
        }
        if (seed % 8 == 0)
        {
            scenario.LoseControl(2 + seed % 29);
        }
        const RandomOutages outages(scenario, seed);
        const TimePs horizon = scenario.SomeTime();
        for (const RandomOutages* failing : {static_cast<const RandomOutages*>(nullptr), &outages})
        {
            const std::string name =
                scenario.Describe() + (failing ? outages.Describe() : std::string());
            const WatchedRun ahead = RunSlow(test, scenario, failing, horizon, true, name);
            const WatchedRun single = RunSlow(test, scenario, failing, horizon, false, name);
            ExpectSameRun(test, ahead, single, name);
        }
    }
    test.Expect(slow > seeds.count / 2, "few hosts are slow");
}

/// The suite.
class SlowHostSuite : public FunctionSuite
{
  public:
    SlowHostSuite()
        : FunctionSuite("fabric-slow-host", kUnit)
    {
        Add("WL-5 a slow host gets its rate, its buffer is full, and the switch holds the rest",
            TestSlowGoodput);
        Add("WL-5 a host with a small buffer gets a frame for each credit", TestSmallBuffer);
        Add("FC-1 a slow host does not hurt a flow on the same link, but without flow channels",
            TestSlowVictim);
        Add("WL-5 WL-8 the room of damaged and lost frames is given back", TestDamagedFrames);
        Add("WL-5 VA-9 WL-8 the room of a frame that is cut off between its pieces is given back",
            TestBrokenPieces);
        Add("WL-5 a receive buffer that is too small is refused", TestSlowRefusals);
        Add("WL-5 DP-2 slow hosts in random fabrics, windows on = off", TestRandomSlowHosts);
    }
};

SlowHostSuite g_slowHostSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
