/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-aggressors.h"
#include "fabric-chain.h"
#include "fabric-exchange.h"
#include "fabric-host-split.h"
#include "fabric-message-recorder.h"
#include "fabric-recursive-plan.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-transport.h"
#include "fabric-victim-tests.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return draws from a generator
DrawFunction
DrawFrom(std::mt19937& random)
{
    return [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
}

// ---- hosts ----

/// Whatever the placement, no host has two jobs, and each job has as many as it asked for.
void
TestSplit(FunctionCase& self)
{
    const TestSeeds seeds(300);
    std::vector<uint32_t> victimOf(6, 0);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const uint32_t hosts = 1 + random() % 200;
        const uint32_t victims = random() % (hosts + 1);
        const uint32_t aggressors = random() % (hosts - victims + 1);
        const auto placement = static_cast<JobPlacement>(random() % 3);
        const HostSplit split(hosts, victims, aggressors, placement, DrawFrom(random));
        std::set<uint32_t> used(split.victims.begin(), split.victims.end());
        used.insert(split.aggressors.begin(), split.aggressors.end());
        self.Expect(split.victims.size() == victims && split.aggressors.size() == aggressors,
                    Text("sizes of seed ", seed));
        self.Expect(used.size() == victims + aggressors && (used.empty() || *used.rbegin() < hosts),
                    Text("hosts of seed ", seed));
        const HostSplit six(6, 2, 4, JobPlacement::RANDOM, DrawFrom(random));
        for (const uint32_t host : six.victims)
        {
            ++victimOf[host];
        }
    }
    // Each of 6 is one of 2 victims in a third of all: 100 of 300, with a deviation of 8.2.
    for (const uint32_t times : victimOf)
    {
        self.ExpectNear(times, seeds.count / 3.0, 6 * std::sqrt(seeds.count * 2.0 / 9), "random");
    }
    self.ExpectEqual(Refusal([] { HostSplit(9, 4, 6, JobPlacement::LINEAR, {}); }),
                     "4 victims and 6 aggressors do not fit on 9 hosts",
                     "too many");
}

/// Interleaved, every part of the fabric has its share of both jobs; linear, each has its part.
void
TestPlacement(FunctionCase& self)
{
    using Hosts = std::vector<uint32_t>;
    const HostSplit linear(10, 2, 5, JobPlacement::LINEAR, {});
    self.Expect(linear.victims == Hosts{0, 1} && linear.aggressors == Hosts{2, 3, 4, 5, 6},
                "linear");
    const HostSplit fifth(10, 2, 8, JobPlacement::INTERLEAVED, {});
    self.Expect(fifth.victims == Hosts{4, 9} && fifth.aggressors == Hosts{0, 1, 2, 3, 5, 6, 7, 8},
                "a fifth");
    const HostSplit sparse(12, 2, 2, JobPlacement::INTERLEAVED, {});
    self.Expect(sparse.victims == Hosts{3, 9} && sparse.aggressors == Hosts{0, 6}, "idle hosts");
    const HostSplit odd(128, 26, 102, JobPlacement::INTERLEAVED, {});
    for (uint32_t i = 0; i < odd.victims.size(); ++i)
    {
        self.ExpectNear(odd.victims[i], (i + 1) * 128.0 / 26 - 1, 1, "distance of victims");
    }
}

// ---- exchanges ----

/// Carries out an exchange; messages arrive in random order, some at the same time.
class ExchangeWorld
{
  public:
    /// What a rank knows: the ranks of which it has heard.
    using Knowledge = std::set<uint32_t>;

    ExchangeWorld(const ExchangePlan& plan, uint32_t iterations, uint32_t seed)
        : m_plan(plan),
          m_exchange(plan, iterations),
          m_random(seed)
    {
    }

    /// Runs it to its end. @return when that is
    TimePs Run()
    {
        Take(m_exchange.Start(m_now));
        while (!m_underWay.empty())
        {
            const std::size_t chosen = m_random() % m_underWay.size();
            const Exchange::Send send = m_underWay[chosen];
            m_underWay.erase(m_underWay.begin() + static_cast<std::ptrdiff_t>(chosen));
            m_now += m_random() % 3;
            ++m_delivered;
            m_heard[{send.to, send.round}].insert(m_carried[{send.from, send.round}].begin(),
                                                  m_carried[{send.from, send.round}].end());
            Take(m_exchange.Receive(send.to, send.round, m_now));
        }
        return m_now;
    }

    /// @return what a rank has heard in some rounds, and itself
    Knowledge Known(uint32_t rank, uint64_t first, uint64_t end) const
    {
        Knowledge known{rank};
        for (uint64_t round = first; round < end; ++round)
        {
            const auto heard = m_heard.find({rank, round});
            if (heard != m_heard.end())
            {
                known.insert(heard->second.begin(), heard->second.end());
            }
        }
        return known;
    }

    /// @return what is tested
    const Exchange& GetExchange() const
    {
        return m_exchange;
    }

    /// @return messages that have come
    uint64_t GetDelivered() const
    {
        return m_delivered;
    }

    /// @return whether the number of each message has told its round, and of each rank all were
    /// sent
    bool IsNumbered() const
    {
        return m_isNumbered && std::all_of(m_sent.begin(), m_sent.end(), [this](const auto& each) {
                   return m_exchange.GetMessages(each.first) == each.second;
               });
    }

  private:
    /// Messages are sent.
    void Take(const std::vector<Exchange::Send>& sends)
    {
        for (const Exchange::Send& send : sends)
        {
            m_underWay.push_back(send);
            m_isNumbered &= m_exchange.RoundOf(send.from, m_sent[send.from]++) == send.round;
            // What was heard in the rounds before, of the same iteration.
            const uint64_t begin = send.round - send.round % m_plan.size();
            m_carried[{send.from, send.round}] = Known(send.from, begin, send.round);
        }
    }

    using Place = std::pair<uint32_t, uint64_t>; // rank and round

    ExchangePlan m_plan;                    ///< Of an iteration.
    Exchange m_exchange;                    ///< What is tested.
    std::mt19937 m_random;                  ///< Order of arrivals.
    TimePs m_now{0};                        ///< The present.
    uint64_t m_delivered{0};                ///< Messages.
    std::vector<Exchange::Send> m_underWay; ///< Sent, not arrived.
    std::map<Place, Knowledge> m_carried;   ///< By a rank's messages of a round.
    std::map<Place, Knowledge> m_heard;     ///< By a rank in a round.
    std::map<uint32_t, uint64_t> m_sent;    ///< Messages, by rank.
    bool m_isNumbered{true};                ///< See IsNumbered().
};

/// In whatever order messages come, every rank has heard of all at the end of each iteration.
void
TestAllreduce(FunctionCase& self)
{
    const TestSeeds seeds(120);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const uint32_t ranks = 2 + (seed < 40 ? seed : seed * 7 % 130);
        const uint32_t iterations = 1 + seed % 4;
        const ExchangePlan plan = PlanAllreduce(ranks, 8);
        ExchangeWorld world(plan, iterations, seed);
        const TimePs end = world.Run();
        const Exchange& exchange = world.GetExchange();
        const auto what = Text(ranks, " ranks, seed ", seed);
        self.Expect(exchange.IsDone(), what);
        self.ExpectEqual(exchange.GetMessages(), world.GetDelivered(), what);
        self.Expect(world.IsNumbered(), what);
        for (uint32_t rank = 0; rank < exchange.GetTimes().size(); ++rank)
        {
            const std::vector<TimePs>& times = exchange.GetTimes()[rank];
            self.ExpectEqual(times.size(), iterations, what);
            self.Expect(std::accumulate(times.begin(), times.end(), TimePs{0}) <= end, what);
            for (uint64_t i = 0; i < iterations; ++i)
            {
                const std::size_t known =
                    world.Known(rank, i * plan.size(), (i + 1) * plan.size()).size();
                self.ExpectEqual(known, exchange.GetTimes().size(), what);
            }
        }
    }
}

/// A power of two takes log2 rounds, any other number one before and one after them.
void
TestAllreduceRounds(FunctionCase& self)
{
    for (const auto& [ranks, rounds] : std::vector<std::pair<uint32_t, std::size_t>>{{2, 1},
                                                                                     {3, 3},
                                                                                     {4, 2},
                                                                                     {5, 4},
                                                                                     {7, 4},
                                                                                     {8, 3},
                                                                                     {26, 6},
                                                                                     {32, 5},
                                                                                     {1000, 11}})
    {
        const ExchangePlan plan = PlanAllreduce(ranks, 8);
        self.ExpectEqual(plan.size(), rounds, Text(ranks, " ranks"));
        for (const ExchangeRound& round : plan)
        {
            for (const std::vector<ExchangeMessage>& messages : round.sends)
            {
                self.Expect(messages.size() <= 1, "one message a round");
            }
        }
    }
    self.Expect(!Refusal([] { PlanAllreduce(1, 8); }).empty(), "a rank alone");
    self.Expect(!Refusal([] { PlanRing({0}, 8, 1); }).empty(), "a ring of one");
    self.Expect(!Refusal([] { Exchange(PlanRing({0, 1}, 8, 1), 0); }).empty(), "no iteration");
}

/// A ring by hand: rank r ends an iteration when it has begun it and both neighbours' messages have
/// come, which they have sent when they began theirs. Each pair of ranks has an own latency.
void
TestRingTimes(FunctionCase& self)
{
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const uint32_t ranks = 2 + random() % 12;
        const uint32_t iterations = 1 + random() % 5;
        const std::vector<uint32_t> ring = DrawOrder(ranks, DrawFrom(random));
        std::vector<std::vector<TimePs>> latency(ranks, std::vector<TimePs>(ranks));
        for (std::vector<TimePs>& row : latency)
        {
            std::generate(row.begin(), row.end(), [&random] { return 1 + random() % 1000; });
        }

        std::vector<TimePs> begun(ranks, 0);
        std::vector<std::vector<TimePs>> expected(ranks);
        for (uint32_t iteration = 0; iteration < iterations; ++iteration)
        {
            std::vector<TimePs> end = begun;
            for (uint32_t place = 0; place < ranks; ++place)
            {
                for (const uint32_t from :
                     {ring[(place + 1) % ranks], ring[(place + ranks - 1) % ranks]})
                {
                    TimePs& time = end[ring[place]];
                    time = std::max(time, begun[from] + latency[from][ring[place]]);
                }
            }
            for (uint32_t rank = 0; rank < ranks; ++rank)
            {
                expected[rank].push_back(end[rank] - begun[rank]);
            }
            begun = end;
        }

        Exchange exchange(PlanRing(ring, 8, 1 + seed % 3), iterations);
        std::multimap<TimePs, Exchange::Send> arrivals;
        const auto take = [&](const std::vector<Exchange::Send>& sends, TimePs now) {
            for (const Exchange::Send& send : sends)
            {
                arrivals.emplace(now + latency[send.from][send.to], send);
            }
        };
        take(exchange.Start(0), 0);
        while (!arrivals.empty())
        {
            const auto [now, send] = *arrivals.begin();
            arrivals.erase(arrivals.begin());
            take(exchange.Receive(send.to, send.round, now), now);
        }
        self.Expect(exchange.GetTimes() == expected, Text("times of seed ", seed));
    }
}

// ---- figures ----

/// By hand: two rings of two ranks.
void
TestContentionFigures(FunctionCase& self)
{
    const std::vector<RankValues> rings{{{1, 3}, {2, 6}}, {{4, 4}, {10, 2}}};
    using Quantity = ContentionQuantity;
    const NamedFigures latency{{"min", 1},
                               {"max", 10},
                               {"mean", 4},
                               {"mean_of_worst", 5}, // of 4 and 6
                               {"p99", 10},
                               {"p99.9", 10}};
    self.Expect(ContentionFigures(rings, Quantity::LATENCY) == latency, "latency");
    const NamedFigures bandwidth{{"min", 1},
                                 {"max", 10},
                                 {"mean", 4},
                                 {"mean_of_worst", 3}, // of 2 and 4
                                 {"p99", 1},
                                 {"p99.9", 1}};
    self.Expect(ContentionFigures(rings, Quantity::BANDWIDTH) == bandwidth, "bandwidth");
    const NamedFigures twice{{"min", 2}};
    self.Expect(CongestionImpact({{"min", 1}}, twice, Quantity::LATENCY) == twice, "longer");
    self.Expect(CongestionImpact(twice, {{"min", 1}}, Quantity::BANDWIDTH) == twice, "narrower");
}

/// 99 % and 99.9 % of 10,000 values are no worse than the 100th and the 10th of the worst.
void
TestTails(FunctionCase& self)
{
    RankValues ranks(4);
    for (uint32_t i = 1; i <= 10'000; ++i)
    {
        ranks[i * 7 % 4].push_back(i);
    }
    const NamedFigures latency = ContentionFigures({ranks}, ContentionQuantity::LATENCY);
    self.Expect(latency[4].second == 9900 && latency[5].second == 9990, "latency");
    const NamedFigures bandwidth = ContentionFigures({ranks}, ContentionQuantity::BANDWIDTH);
    self.Expect(bandwidth[4].second == 101 && bandwidth[5].second == 11, "bandwidth");
}

// ---- on a fabric ----

/// Hosts on one switch, which a message of n bytes crosses in 410 ns and twice its time on a wire,
/// but for the first bytes: 200 Gb/s, 30 ns to and from the switch, which takes 350 ns.
FabricContainer
OneSwitch(uint32_t hosts)
{
    const TopologyPlan plan = MakeChainPlan({hosts - 1});
    return FabricHelper().Install(plan, MakeShortestPathRouting(plan));
}

/// @return the numbers 0 to n - 1
std::vector<uint32_t>
FirstHosts(uint32_t n)
{
    std::vector<uint32_t> hosts(n);
    std::iota(hosts.begin(), hosts.end(), 0);
    return hosts;
}

/// @return values of both kinds of tests by their names. @param time how often they were started
/// before
std::map<std::string, NamedFigures>
FiguresOf(const VictimTests& victims, std::size_t time)
{
    std::map<std::string, NamedFigures> figures;
    for (std::size_t i = 0; i < victims.GetTests().size(); ++i)
    {
        figures[victims.GetTests()[i].name] = victims.GetFigures(time, i);
    }
    return figures;
}

/**
 * All times on one switch by hand. A message of 8 bytes takes 32 on the wire, 1.28 ns, and 410 ns
 * and its time on the wire to come over. A rank waits for two that come one after the other; in the
 * allreduce of 8 ranks for one message, three times.
 */
void
TestVictimsAlone(FunctionCase& self)
{
    constexpr double WIRE = 32 * 8 / 200e9;
    constexpr double PATH = 410e-9 + WIRE;
    const FabricContainer fabric = OneSwitch(9);
    std::mt19937 random(1);
    const VictimTestSettings settings{3, 5, 2};
    const DrawFunction draw = DrawFrom(random);
    Notices notices(fabric.network, Time(0));
    VictimTests victims(fabric, FirstHosts(8), MakeVictimTests(8, settings, draw), notices);
    const FabricMessageRecorder recorder(fabric.network);
    bool isDone = false;
    Simulator::ScheduleNow([&] { victims.Start([&] { isDone = true; }); });
    Simulator::Run();
    self.Expect(isDone, "it ends");
    self.ExpectEqual(recorder.GetRecords().size(), victims.GetMessages(), "messages");
    // 3 rings of 1 + 5, 8 ranks, 2 neighbours; 3 rings of 1 + 2 with 8 x 2 and a barrier of 3;
    // 1 + 15 of 3.
    self.ExpectEqual(victims.GetMessages(), 3 * 6 * 16 + 3 * 3 * (128 + 24) + 16 * 24, "messages");
    const auto figures = FiguresOf(victims, 0);
    for (const auto& [name, value] : figures.at("latency"))
    {
        self.ExpectNear(value, PATH + WIRE, 1e-12, "latency " + name);
    }
    for (const auto& [name, value] : figures.at("allreduce"))
    {
        self.ExpectNear(value, 3 * PATH, 1e-12, "allreduce " + name);
    }
    // Frames fill the link but for the way of the last one and the barrier.
    const double bytes = 16 * 131072.0;
    const double time = bytes / 4096 * (4096 + 24) * 8 / 200e9 + 410e-9 + 3 * PATH;
    for (const auto& [name, value] : figures.at("bandwidth"))
    {
        self.ExpectNear(value, 8 * bytes / time, 0.01 * value, "bandwidth " + name);
    }
    Simulator::Destroy();
}

/// One switch has no links that are shared, so no pattern has an impact (as GPCNeT found).
void
TestOneSwitch(FunctionCase& self)
{
    const std::vector<AggressorPattern> patterns{AggressorPattern::ALL_TO_ALL,
                                                 AggressorPattern::INCAST,
                                                 AggressorPattern::PUT_INCAST,
                                                 AggressorPattern::GET_BROADCAST};
    const FabricContainer fabric = OneSwitch(20);
    std::mt19937 random(2);
    const DrawFunction draw = DrawFrom(random);
    const HostSplit split(20, 5, 15, JobPlacement::RANDOM, draw);
    Notices notices(fabric.network, Time(0));
    VictimTests victims(fabric, split.victims, MakeVictimTests(5, {2, 10, 2}, draw), notices);
    const auto aggressors = MakeAggressors(fabric, split.aggressors, patterns, {}, notices);
    const auto measureAgain = [&] {
        victims.Start([&] { fabric.network->StopAt(Simulator::Now()); });
    };
    const auto load = [&] {
        for (const auto& each : aggressors)
        {
            each->Start();
        }
        Simulator::Schedule(MicroSeconds(20), measureAgain);
    };
    Simulator::ScheduleNow([&] { victims.Start(load); });
    Simulator::Run();
    fabric.network->CheckInvariants();
    const auto alone = FiguresOf(victims, 0);
    const auto congested = FiguresOf(victims, 1);
    for (const auto& [test, figures] : alone)
    {
        for (std::size_t i = 0; i < figures.size(); ++i)
        {
            self.ExpectNear(congested.at(test)[i].second / figures[i].second,
                            1,
                            1e-9,
                            test + " " + figures[i].first);
        }
    }
    Simulator::Destroy();
}

/// In turn to all others, or all to the first.
void
TestDestinations(FunctionCase& self)
{
    for (uint32_t n = 2; n < 20; ++n)
    {
        for (uint32_t number = 0; number < n; ++number)
        {
            std::map<uint32_t, uint32_t> times;
            for (uint64_t message = 0; message < 3 * (n - 1); ++message)
            {
                ++times[MessageAggressors::
                            DestinationOf(AggressorPattern::ALL_TO_ALL, n, number, message)];
                self.ExpectEqual(
                    MessageAggressors::DestinationOf(AggressorPattern::INCAST, n, number, message),
                    0,
                    "incast");
            }
            self.Expect(times.size() == n - 1 && times.count(number) == 0, "all others");
            self.Expect(std::all_of(times.begin(),
                                    times.end(),
                                    [](const auto& each) { return each.second == 3; }),
                        "as often each");
        }
    }
}

/// Payload that hosts have received, by host.
struct HostBytes
{
    std::vector<uint64_t> received; ///< By now.

    explicit HostBytes(const FabricContainer& fabric)
    {
        for (uint32_t host = 0; host < fabric.hosts.GetN(); ++host)
        {
            const TimePs now = Simulator::Now().GetPicoSeconds();
            received.push_back(fabric.GetDevice(host)->GetNic().DeliveredBy(now));
        }
    }
};

/// Each aggressor always has as many messages under way as it may have, and sends without end.
void
TestMessageAggressors(FunctionCase& self)
{
    for (const bool isIncast : {false, true})
    {
        constexpr uint64_t BYTES = 1000;
        constexpr uint32_t OUTSTANDING = 20; // more than a round trip
        const FabricContainer fabric = OneSwitch(6);
        const FabricMessageRecorder recorder(fabric.network);
        Notices notices(fabric.network, Time(0));
        const auto aggressors =
            MakeAggressors(fabric,
                           {1, 2, 3, 4},
                           {isIncast ? AggressorPattern::INCAST : AggressorPattern::ALL_TO_ALL},
                           {BYTES, OUTSTANDING},
                           notices);
        Simulator::Schedule(MicroSeconds(3), [&] { aggressors.front()->Start(); });
        fabric.network->StopAt(MicroSeconds(50));
        Simulator::Run();
        const FabricTotals totals = fabric.network->GetTotals();
        const uint64_t delivered = recorder.GetRecords().size();
        self.ExpectEqual(totals.offered,
                         BYTES * (delivered + (isIncast ? 3 : 4) * OUTSTANDING),
                         "under way");
        std::set<std::pair<uint32_t, uint32_t>> pairs;
        for (const FabricMessageRecorder::Record& record : recorder.GetRecords())
        {
            const uint32_t to = HostOf(record.message.dst);
            pairs.emplace(HostOf(record.message.src), to);
            self.Expect(isIncast ? to == 1 : to >= 1 && to <= 4, "destination");
            self.Expect(record.message.sentAt >= 3'000'000, "start");
        }
        self.ExpectEqual(pairs.size(), isIncast ? 3 : 12, "who sends to whom");
        const HostBytes bytes(fabric);
        self.Expect(bytes.received[0] == 0 && bytes.received[5] == 0, "others have nothing");
        // 47 us at 200 Gb/s are 1.15 MB of payload, to the first or to each.
        const uint64_t all = std::accumulate(bytes.received.begin(), bytes.received.end(), 0ULL);
        const double most = (isIncast ? 1 : 4) * 1.147e6;
        self.Expect(all <= most && all >= 0.95 * most, Text(all, " bytes of ", most));
        Simulator::Destroy();
    }
}

/// Writes fill the link of the first host, reads the links of all from it; no host is told.
void
TestRmaAggressors(FunctionCase& self)
{
    for (const AggressorPattern pattern :
         {AggressorPattern::PUT_INCAST, AggressorPattern::GET_BROADCAST})
    {
        const bool puts = pattern == AggressorPattern::PUT_INCAST;
        const FabricContainer fabric = OneSwitch(6);
        Notices notices(fabric.network, Time(0));
        const auto aggressors = MakeAggressors(fabric, {3, 1, 2, 5}, {pattern}, {}, notices);
        Simulator::Schedule(MicroSeconds(3), [&] { aggressors.front()->Start(); });
        fabric.network->StopAt(MicroSeconds(100));
        Simulator::Run();
        const RdmaCounts& first =
            fabric.hosts.Get(3)->GetObject<FabricTransport>()->GetEndpoint().Counts();
        self.Expect((first.placedBytes != 0) == puts, "writes come to the first");
        self.Expect((first.suppliedBytes != 0) != puts, "reads are of the first");
        uint64_t moved = 0;
        for (const uint32_t host : {1, 2, 5})
        {
            const RdmaCounts& counts =
                fabric.hosts.Get(host)->GetObject<FabricTransport>()->GetEndpoint().Counts();
            // The host learns of a completion a little later, and posts the next operation then.
            const uint32_t most = AggressorSettings().outstanding;
            self.Expect(counts.outstanding <= most && counts.outstanding + 4 >= most, "under way");
            self.ExpectEqual(counts.failed, 0, "none fails");
            self.ExpectNear(static_cast<double>(counts.completedBytes), 0.75e6, 0.1e6, "fair");
            moved += counts.completedBytes;
        }
        // 97 us at 200 Gb/s are 2.42 MB; headers and the first round trip go from that.
        self.Expect(moved > 2'150'000 && moved < 2'425'000, Text(moved, " bytes moved"));
        self.Expect(!fabric.hosts.Get(0)->GetObject<FabricTransport>(), "no other host");
        Simulator::Destroy();
    }
}

/// Each is told after the delay, and at once without one; nobody from the end of the run on.
void
TestNotices(FunctionCase& self)
{
    using Told = std::vector<std::pair<int64_t, uint64_t>>; // when, ns, and what
    for (const int64_t delay : {0, 30})
    {
        const FabricContainer fabric = OneSwitch(3);
        Notices notices(fabric.network, NanoSeconds(delay));
        std::vector<Told> told(2); // by topic
        for (Told& each : told)
        {
            notices.AddTopic([&each](uint64_t word) {
                each.emplace_back(Simulator::Now().GetNanoSeconds(), word);
            });
        }
        for (const int64_t at : {10, 25, 70, 99})
        {
            Simulator::Schedule(NanoSeconds(at), [&notices, at] {
                notices.Tell(0, 0, at);
                notices.TellAll(1, 2 * at);
            });
        }
        const int64_t end = 100;
        fabric.network->StopAt(NanoSeconds(end));
        Simulator::Run();
        Told expected;
        for (const int64_t at : {10, 25, 70, 99})
        {
            if (at + delay < end)
            {
                expected.emplace_back(at + delay, at);
            }
        }
        self.Expect(told[0] == expected, Text("of a delay of ", delay));
        for (auto& [at, word] : expected)
        {
            word *= 2;
        }
        self.Expect(told[1] == expected, Text("to all, of a delay of ", delay));
        Simulator::Destroy();
    }
}

/// At the end of a run nobody is told, also of what was to be told then before the end was known.
void
TestNoticesAtTheEnd(FunctionCase& self)
{
    const FabricContainer fabric = OneSwitch(3);
    const TimePs window = fabric.GetSwitch(0)->GetChip().Lookahead();
    const TimePs delay = window / 2;
    Notices notices(fabric.network, PicoSeconds(delay));
    uint64_t told = 0;
    notices.AddTopic([&told](uint64_t word) { told += word; });
    for (const TimePs before : {TimePs{1}, TimePs{0}})
    {
        Simulator::Schedule(PicoSeconds(2 * window - delay - before),
                            [&notices, before] { notices.Tell(0, 0, before == 1 ? 1 : 100); });
    }
    Simulator::Schedule(PicoSeconds(2 * window - delay / 2),
                        [&fabric] { fabric.network->StopAt(Simulator::Now()); });
    Simulator::Run();
    self.ExpectEqual(fabric.network->GetHorizon(), 2 * window, "the end");
    self.ExpectEqual(told, 1, "what was told before");
    Simulator::Destroy();
}

/// Tests go on, and aggressors send again, a delay after what they wait for, and take no longer.
void
TestNoticesOfVictims(FunctionCase& self)
{
    std::vector<TimePs> ends;
    const VictimTestSettings settings{2, 3, 1};
    std::map<std::string, NamedFigures> figures[2];
    for (const int64_t delay : {0, 700})
    {
        const FabricContainer fabric = OneSwitch(5);
        std::mt19937 random(3);
        Notices notices(fabric.network, NanoSeconds(delay));
        VictimTests victims(fabric,
                            FirstHosts(4),
                            MakeVictimTests(4, settings, DrawFrom(random)),
                            notices);
        Simulator::ScheduleNow(
            [&] { victims.Start([&] { ends.push_back(Simulator::Now().GetPicoSeconds()); }); });
        Simulator::Run();
        figures[ends.size() - 1] = FiguresOf(victims, 0);
        Simulator::Destroy();
    }
    self.Expect(figures[0] == figures[1], "what is measured is the same");
    // Two rings of latency, two of bandwidth, and the allreduce.
    self.ExpectEqual(ends[1] - ends[0], 5 * 700'000, "each arrangement is over later");
}

/// Hosts are dealt in turn; two to each pattern are the least.
void
TestDealing(FunctionCase& self)
{
    const FabricContainer fabric = OneSwitch(8);
    Notices notices(fabric.network, Time(0));
    const std::vector<AggressorPattern> two{AggressorPattern::INCAST, AggressorPattern::PUT_INCAST};
    self.ExpectEqual(Refusal([&] {
                         MakeAggressors(fabric, {0, 1, 2}, two, {}, notices);
                     }),
                     "MakeAggressors(): the number of aggressors is 3, allowed is 4 to 8.",
                     "too few");
    const auto aggressors = MakeAggressors(fabric, {7, 6, 5, 4, 3}, two, {}, notices);
    self.ExpectEqual(aggressors.size(), 2, "one of each");
    for (uint32_t host = 0; host < 8; ++host)
    {
        const bool has = fabric.hosts.Get(host)->GetObject<FabricTransport>() != nullptr;
        self.Expect(has == (host == 6 || host == 4), Text("transport of host ", host));
    }
    Simulator::Destroy();
}

/// A recorder keeps what it is asked for, and tells of all.
void
TestRecorderFilter(FunctionCase& self)
{
    const FabricContainer fabric = OneSwitch(3);
    FabricMessageRecorder recorder(fabric.network);
    recorder.SetFilter([](const Message& message) { return message.tag == 5; });
    uint32_t told = 0;
    recorder.SetCallback([&told](const FabricMessageRecorder::Record&) { ++told; });
    for (const uint64_t tag : {4, 5, 6})
    {
        Simulator::ScheduleNow(
            [&fabric, tag] { fabric.GetDevice(0)->SendMessage(LocationOf(1), 10, 0, tag); });
    }
    Simulator::Run();
    self.ExpectEqual(told, 3, "told");
    self.Expect(recorder.GetRecords().size() == 1 && recorder.GetRecords()[0].message.tag == 5,
                "kept");
    Simulator::Destroy();
}

/// The suite.
class WorkloadSuite : public FunctionSuite
{
  public:
    WorkloadSuite()
        : FunctionSuite("fabric-workload", kUnit)
    {
        Add("SC-3 jobs share hosts as asked, at random or not", TestSplit);
        Add("SC-3 jobs are interleaved or one beside the other", TestPlacement);
        Add("SC-3 an allreduce reaches all in any order of messages", TestAllreduce);
        Add("SC-3 an allreduce takes log2 rounds", TestAllreduceRounds);
        Add("SC-3 times of ranks in a ring are those by hand", TestRingTimes);
        Add("CM-10 figures of contention are those by hand", TestContentionFigures);
        Add("CM-10 tails are of what is worse", TestTails);
        Add("SC-3 tests of victims on one switch take the times by hand", TestVictimsAlone);
        Add("CM-10 on one switch no aggressor has an impact", TestOneSwitch);
        Add("SC-3 aggressors send to all others, or to the first", TestDestinations);
        Add("SC-3 aggressors keep their messages under way", TestMessageAggressors);
        Add("SC-3 aggressors write to the first, or read from it", TestRmaAggressors);
        Add("SC-3 WL-7 what happens is told a delay later", TestNotices);
        Add("SC-3 WL-7 nobody is told at the end", TestNoticesAtTheEnd);
        Add("SC-3 WL-7 tests go on a delay after they are done", TestNoticesOfVictims);
        Add("SC-3 aggressors are dealt to patterns", TestDealing);
        Add("SC-5 a recorder keeps the messages that it is asked for", TestRecorderFilter);
    }
};

const WorkloadSuite g_workloadSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
