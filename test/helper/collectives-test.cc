/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-all-collectives.h"
#include "fabric-chain.h"
#include "fabric-collective-plan.h"
#include "fabric-collective-player.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-ideal-paths.h"
#include "fabric-network-totals.h"
#include "fabric-pio-collective-transport.h"
#include "fabric-raw-collective-transport.h"
#include "fabric-rdma-collective-transport.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-tcp-collective-transport.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return the plan of a collective, in three pieces if it has such
ExchangePlan
PlanInPieces(Collective collective, uint32_t ranks, uint64_t bytes)
{
    return PlanCollective(collective, ranks, bytes, HasPieces(collective) ? 3 : 1);
}

/// @return hosts on one switch, 200 Gb/s
FabricContainer
HostsOnSwitch(uint32_t hosts)
{
    const TopologyPlan plan = MakeChainPlan({hosts - 1});
    return FabricHelper().Install(plan, MakeShortestPathRouting(plan));
}

/// Carries out a collective with native messages, checks that it is done. @return its time, ps
TimePs
TimeOf(FunctionCase& self, const FabricContainer& fabric, const ExchangePlan& plan)
{
    RawCollectiveTransport transport(fabric, plan.front().Ranks());
    CollectivePlayer player(plan, transport);
    Simulator::Schedule(MicroSeconds(1), [&player] { player.Start(); });
    Simulator::Run();
    self.Expect(player.IsDone() && player.GetDone() == 1, "done");
    fabric.network->CheckInvariants();
    const std::vector<TimePs> times = player.GetRankTimes();
    self.ExpectEqual(*std::max_element(times.begin(), times.end()),
                     player.GetCompletionTime(),
                     "the last rank");
    return player.GetCompletionTime();
}

/// @return seconds that a link takes for bytes of a collective at least
double
BoundOf(const FabricContainer& fabric, Collective collective, uint32_t ranks, uint64_t bytes)
{
    return 8 * LeastLinkBytes(collective, ranks, bytes) /
           static_cast<double>(fabric.hostLinks[0]->GetRate().BitsPerSecond());
}

// ---- the player ----

/// Keeps messages until they are taken from it, in any order.
class HeldMessages : public CollectiveTransport
{
  public:
    void Open(const std::function<void()>& ready) override
    {
        m_ready = ready;
    }

    void Send(const Message& message) override
    {
        held.push_back(message);
    }

    /// Connections are open.
    void Begin() const
    {
        m_ready();
    }

    /// One of the messages comes.
    void Release(std::size_t i)
    {
        const uint64_t tag = held[i].tag;
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(i));
        Take(tag);
    }

    /// A message comes.
    void Take(uint64_t tag) const
    {
        Arrive(tag);
    }

    bool IsElsewhere(uint32_t rank) const override
    {
        return rank < first || rank >= end;
    }

    std::vector<Message> held; ///< Sent, not come.
    uint32_t first{0};         ///< Of the ranks that are here.
    uint32_t end{0xFFFFFFFF};  ///< Of them.

  private:
    std::function<void()> m_ready; ///< Begins.
};

/// A player sends nothing before the transport is open, and everything once.
void
TestPlayer(FunctionCase& self)
{
    std::mt19937 random(1);
    for (const Collective collective : ALL_COLLECTIVES)
    {
        HeldMessages transport;
        CollectivePlayer player(PlanInPieces(collective, 7, 100), transport);
        player.Start();
        self.Expect(transport.held.empty() && !player.IsDone(), "before it is open");
        transport.Begin();
        uint64_t messages = 0;
        while (!transport.held.empty())
        {
            self.Expect(!player.IsDone() && player.GetDone() < 1, "before the last has come");
            ++messages;
            transport.Release(random() % transport.held.size());
        }
        self.Expect(player.IsDone() && player.GetDone() == 1, "done");
        self.ExpectEqual(messages, player.GetMessages(), "messages");
    }
    HeldMessages transport;
    CollectivePlayer alone(PlanCollective(Collective::BROADCAST, 1, 100), transport);
    alone.Start();
    self.Expect(!alone.IsDone(), "one rank, not begun");
    transport.Begin();
    self.Expect(alone.IsDone() && alone.GetDone() == 1 && alone.GetCompletionTime() == 0, "one");
    Simulator::Destroy();
}

/// Ranks with a delay begin that much later, and their times count from then on.
void
TestDelays(FunctionCase& self)
{
    constexpr TimePs NS = 1000;
    const FabricHelper helper; // sets the resolution of times, for the cases that come after this
    HeldMessages transport;
    const ExchangePlan two = PlanJobs(PlanCollective(Collective::ALLTOALL, 2, 100), 3);
    CollectivePlayer player(two, transport);
    for (const auto& [rank, delay] : {std::pair(0, 100), {2, 500}, {4, 200}})
    {
        player.Delay(rank, delay * NS);
        player.Delay(rank + 1, delay * NS);
    }
    std::vector<std::pair<TimePs, uint32_t>> begun; // when, how many messages so far
    for (const TimePs at : {0, 99, 101, 199, 201, 499, 501})
    {
        Simulator::Schedule(NanoSeconds(at), [&begun, &transport] {
            begun.emplace_back(Simulator::Now().GetNanoSeconds(), transport.held.size());
        });
    }
    Simulator::Schedule(NanoSeconds(700), [&transport] {
        while (!transport.held.empty())
        {
            transport.Release(0);
        }
    });
    player.Start();
    transport.Begin();
    Simulator::Run();
    const std::vector<std::pair<TimePs, uint32_t>>
        expected{{0, 0}, {99, 0}, {101, 2}, {199, 2}, {201, 4}, {499, 4}, {501, 6}};
    self.Expect(begun == expected, "one job after the other");
    self.Expect(player.IsDone(), "done");
    self.ExpectEqual(player.GetCompletionTime(), 700 * NS, "since the beginning");
    const std::vector<TimePs> times{600 * NS, 600 * NS, 200 * NS, 200 * NS, 500 * NS, 500 * NS};
    self.Expect(player.GetRankTimes() == times, "each since it began");
    Simulator::Destroy();
}

/// Lets all that is sent come. @param sends that are out @return how many messages were sent
uint64_t
PassOn(Exchange& exchange, std::vector<Exchange::Send> sends, TimePs now)
{
    for (std::size_t i = 0; i < sends.size(); ++i)
    {
        const Exchange::Send one = sends[i];
        for (const Exchange::Send& next : exchange.Receive(one.to, one.round, now))
        {
            sends.push_back(next);
        }
        for (const Exchange::Send& next : exchange.Deliver(one.from, one.round, now))
        {
            sends.push_back(next);
        }
    }
    return sends.size();
}

/// A straggler does its part when it has begun, and what has come to it before is not lost.
void
TestStragglers(FunctionCase& self)
{
    constexpr uint32_t RANKS = 7;
    for (const Collective collective : ALL_COLLECTIVES)
    {
        const ExchangePlan plan = PlanInPieces(collective, RANKS, 100);
        for (uint32_t late = 0; late < RANKS; ++late)
        {
            Exchange exchange(plan, 1);
            uint64_t sent = 0;
            for (uint32_t rank = 0; rank < RANKS; ++rank)
            {
                sent += rank == late ? 0 : PassOn(exchange, exchange.Start(rank, 1, 0), 0);
            }
            const std::string which = Text(static_cast<int>(collective), ", rank ", late).Str();
            self.Expect(exchange.GetMessages(late) == 0 ||
                            sent <= exchange.GetMessages() - exchange.GetMessages(late),
                        which + ": it sends before it begins");
            self.Expect(!exchange.IsDone(late), which + ": it is through before it begins");
            sent += PassOn(exchange, exchange.Start(late, 1, 500), 500);
            self.Expect(exchange.IsDone(), which + ": not done");
            self.ExpectEqual(sent, exchange.GetMessages(), which + ": messages");
        }
    }
}

/// Two players of which each has some of the ranks send each message once, and know what is for
/// their own, in any order. Where a rank awaits deliveries, the other player would have to know.
void
TestPlayersOfParts(FunctionCase& self)
{
    std::mt19937 random(2);
    for (const Collective collective : ALL_COLLECTIVES)
    {
        const ExchangePlan plan = PlanInPieces(collective, 7, 100);
        if (collective == Collective::BROADCAST || collective == Collective::ALLREDUCE_TREE)
        {
            continue;
        }
        HeldMessages transports[2];
        CollectivePlayer first(plan, transports[0]);
        CollectivePlayer second(plan, transports[1]);
        transports[0].end = transports[1].first = 3;
        for (const auto& [player, transport] :
             {std::pair(&first, &transports[0]), std::pair(&second, &transports[1])})
        {
            player->Start();
            transport->Begin();
        }
        std::vector<HeldMessages::Message> sent;
        uint64_t messages = 0;
        const auto collect = [&](HeldMessages& transport) {
            for (const HeldMessages::Message& message : transport.held)
            {
                self.Expect(!transport.IsElsewhere(message.from), "a rank of its own sends");
            }
            messages += transport.held.size();
            sent.insert(sent.end(), transport.held.begin(), transport.held.end());
            transport.held.clear();
        };
        collect(transports[0]);
        collect(transports[1]);
        while (!sent.empty())
        {
            const std::size_t i = random() % sent.size();
            HeldMessages& to = transports[sent[i].to < 3 ? 0 : 1];
            const uint64_t tag = sent[i].tag;
            sent.erase(sent.begin() + static_cast<std::ptrdiff_t>(i));
            to.Take(tag);
            collect(to);
        }
        self.ExpectEqual(messages, first.GetMessages(), "messages of both");
        self.Expect(first.GetDone() < 1 && !first.IsDone() && !second.IsDone(), "halves");
        self.ExpectEqual(first.GetDone() + second.GetDone(), 1.0, "all has come");
    }
    Simulator::Destroy();
}

// ---- closed forms ----

/// On one switch no messages of a collective meet, and each round takes the time of one message in
/// an empty fabric. That is alpha, of the smallest one, and the time of its bytes on the link.
void
TestClosedForms(FunctionCase& self)
{
    for (const uint32_t ranks : {2, 3, 8, 13})
    {
        for (const uint64_t part : {1, 1000, 4096, 300'000})
        {
            const FabricContainer fabric = HostsOnSwitch(ranks + 1);
            const EmptyPath path =
                FabricIdealPaths(fabric.network).Find(LocationOf(0), LocationOf(1));
            const uint64_t bytes = part * ranks;
            const auto ofPart = static_cast<double>(path.CompletionTime(part));
            const auto ofAll = static_cast<double>(path.CompletionTime(bytes));
            const double levels = std::ceil(std::log2(ranks));
            const auto expect = [&](Collective collective, double expected) {
                const TimePs time = TimeOf(self, fabric, PlanCollective(collective, ranks, bytes));
                self.ExpectNear(static_cast<double>(time),
                                expected,
                                0.5,
                                Text(static_cast<int>(collective), ", ", ranks, " ranks, ", part));
            };
            expect(Collective::ALLREDUCE_RING, 2 * (ranks - 1) * ofPart);
            expect(Collective::ALLGATHER, (ranks - 1) * ofPart);
            expect(Collective::BROADCAST, levels * ofAll);
            if ((ranks & (ranks - 1)) ==
                0) // else two messages come to a rank one right after the other
            {
                expect(Collective::REDUCE, levels * ofAll);
                expect(Collective::ALLREDUCE_TREE, 2 * levels * ofAll);
            }
            Simulator::Destroy();
        }
    }
}

/// The same of collectives in a logarithm of steps, whose messages have the sizes of theirs, and of
/// a chain, where one piece follows the other. Parts of full frames, so that pieces of all messages
/// are as long as they are together.
void
TestClosedFormsOfAlgorithms(FunctionCase& self)
{
    for (const uint32_t ranks : {2, 3, 8, 13, 16})
    {
        for (const uint64_t part : {4096, 40'960})
        {
            const FabricContainer fabric = HostsOnSwitch(ranks + 1);
            const EmptyPath path =
                FabricIdealPaths(fabric.network).Find(LocationOf(0), LocationOf(1));
            const auto timeOf = [&path](uint64_t bytes) {
                return static_cast<double>(path.CompletionTime(bytes));
            };
            const uint64_t bytes = part * ranks;
            const auto expect = [&](Collective collective, double expected, uint32_t pieces) {
                const TimePs time =
                    TimeOf(self, fabric, PlanCollective(collective, ranks, bytes, pieces));
                self.ExpectNear(static_cast<double>(time),
                                expected,
                                0.5,
                                Text(static_cast<int>(collective), ", ", ranks, " ranks, ", part));
            };
            double allgather = 0;
            double alltoall = 0;
            double halving = 0;
            double doubling = 0;
            for (uint32_t step = 1; step < ranks; step *= 2)
            {
                allgather += timeOf(part * std::min(step, ranks - step));
                uint32_t parts = 0;
                for (uint32_t i = 0; i < ranks; ++i)
                {
                    parts += (i & step) != 0 ? 1 : 0;
                }
                alltoall += timeOf(part * parts);
                halving += 2 * timeOf(bytes / (2 * step));
                doubling += timeOf(bytes);
            }
            expect(Collective::ALLGATHER_BRUCK, allgather, 1);
            expect(Collective::ALLTOALL_BRUCK, alltoall, 1);
            if ((ranks & (ranks - 1)) == 0)
            {
                expect(Collective::ALLREDUCE_HALVING, halving, 1);
                expect(Collective::ALLREDUCE_DOUBLING, doubling, 1);
            }
            const double rest = timeOf(2 * part) - timeOf(part); // a piece behind another one
            expect(Collective::BROADCAST_CHAIN,
                   (ranks - 1) * timeOf(part) + (ranks - 1) * rest,
                   ranks);
            Simulator::Destroy();
        }
    }
}

/// A double tree fills the links: a long buffer takes little more than twice its bytes, by a tenth
/// where turns at NICs let a rank wait, and its steps besides.
void
TestDoubleTreeFillsLinks(FunctionCase& self)
{
    for (const uint32_t ranks : {2, 7, 16, 30})
    {
        const uint64_t bytes = uint64_t{1} << 22;
        const uint32_t pieces = 128; // of each half
        const FabricContainer fabric = HostsOnSwitch(ranks + 1);
        const EmptyPath path = FabricIdealPaths(fabric.network).Find(LocationOf(0), LocationOf(1));
        const TimePs time =
            TimeOf(self,
                   fabric,
                   PlanCollective(Collective::ALLREDUCE_DOUBLE_TREE, ranks, bytes, pieces));
        const double levels = std::ceil(std::log2(ranks));
        const double wire = 8e12 * static_cast<double>(2 * bytes) * 4120 / 4096 /
                            static_cast<double>(fabric.hostLinks[0]->GetRate().BitsPerSecond());
        const auto ofPiece = static_cast<double>(path.CompletionTime(bytes / 2 / pieces));
        self.Expect(static_cast<double>(time) < 1.1 * wire + 8 * levels * ofPiece,
                    Text(ranks, " ranks: ", time, " ps, on the wire ", wire));
        Simulator::Destroy();
    }
}

/// @return the longest time of a message of some bytes that is sent on and on round the ring of all
/// hosts, each time when it has come, ps @param steps how often it is sent
TimePs
LongestWay(const FabricContainer& fabric, uint32_t steps, uint64_t bytes)
{
    const FabricIdealPaths paths(fabric.network);
    const uint32_t hosts = fabric.hosts.GetN();
    TimePs longest = 0;
    for (uint32_t first = 0; first < hosts; ++first)
    {
        TimePs time = 0;
        for (uint32_t step = 0; step < steps; ++step)
        {
            const uint32_t from = (first + step) % hosts;
            time +=
                paths.Find(LocationOf(from), LocationOf((from + 1) % hosts)).CompletionTime(bytes);
        }
        longest = std::max(longest, time);
    }
    return longest;
}

/**
 * A ring on a fat tree, where neighbours are near or far and no two messages meet: the time is that
 * of a part on its way, and that is 2 (n - 1) alpha + 2 (n - 1) / n S / B, but for the headers of
 * frames. The sum of all alphas is the time of a byte on the same way.
 */
void
TestRingOnTree(FunctionCase& self)
{
    const FatTreeHelper tree(4);
    for (const uint64_t part : {1, 100, 10'000, 1'000'000})
    {
        const FabricContainer fabric = tree.Install();
        const uint32_t ranks = fabric.hosts.GetN();
        const uint32_t steps = 2 * (ranks - 1);
        const ExchangePlan plan = PlanCollective(Collective::ALLREDUCE_RING, ranks, part * ranks);
        const TimePs time = TimeOf(self, fabric, plan);
        const std::string what = Text("parts of ", part).Str();
        const auto expected = static_cast<double>(LongestWay(fabric, steps, part));
        // ACKs between switches take turns with data.
        self.ExpectNear(static_cast<double>(time), expected, 0.002 * expected, what);
        const double alphas = 1e-12 * static_cast<double>(LongestWay(fabric, steps, 1));
        const double bound = BoundOf(fabric, Collective::ALLREDUCE_RING, ranks, part * ranks);
        const double ofByte = bound / static_cast<double>(part); // which is in the alphas, too
        const double seconds = 1e-12 * static_cast<double>(time);
        self.Expect(seconds >= alphas + bound - ofByte, "too soon, " + what);
        self.Expect(seconds <= alphas + 1.01 * bound, "too late, " + what);
        Simulator::Destroy();
    }
}

/// What goes all at once fills the links of all hosts: no frame has a time without a receiver.
void
TestAllAtOnce(FunctionCase& self)
{
    for (const Collective collective : {Collective::ALLTOALL, Collective::HALO3D})
    {
        for (const uint32_t ranks : {3, 12, 27})
        {
            const FabricContainer fabric = HostsOnSwitch(ranks + 1);
            const uint64_t bytes = 40'960 * ranks; // parts of full frames
            const double bound = BoundOf(fabric, collective, ranks, bytes);
            const double alpha = 1e-12 * static_cast<double>(FabricIdealPaths(fabric.network)
                                                                 .Find(LocationOf(0), LocationOf(1))
                                                                 .CompletionTime(1));
            const TimePs time = TimeOf(self, fabric, PlanCollective(collective, ranks, bytes));
            // Headers are 24 bytes of 4120.
            self.ExpectNear(1e-12 * static_cast<double>(time),
                            alpha + bound * 4120 / 4096,
                            0.01 * bound,
                            Text(static_cast<int>(collective), ", ", ranks, " ranks"));
            Simulator::Destroy();
        }
    }
}

// ---- transports ----

/// A transport carries every collective of an odd number of ranks, of few bytes and many; what it
/// counts is what the plan has. @param make makes it for a plan @param count says what it counts
template <typename Make, typename Count>
void
TestTransport(FunctionCase& self, Make&& make, Count&& count)
{
    for (const Collective collective : ALL_COLLECTIVES)
    {
        for (const uint64_t bytes : {1, 5, 30'000})
        {
            const FabricContainer fabric = HostsOnSwitch(8);
            const ExchangePlan plan = PlanInPieces(collective, 7, bytes);
            const std::string what = Text(static_cast<int>(collective), " of ", bytes).Str();
            uint64_t planned = 0;
            for (const ExchangeRound& round : plan)
            {
                for (const std::vector<ExchangeMessage>& messages : round.sends)
                {
                    for (const ExchangeMessage& message : messages)
                    {
                        planned += message.bytes;
                    }
                }
            }
            const auto transport = make(fabric, plan);
            CollectivePlayer player(plan, *transport);
            Simulator::ScheduleNow([&player] { player.Start(); });
            Simulator::Run();
            self.Expect(player.IsDone(), what);
            self.Expect(1e-12 * static_cast<double>(player.GetCompletionTime()) >
                            BoundOf(fabric, collective, 7, bytes),
                        what);
            const RunTotals totals = count(fabric, *transport);
            self.ExpectEqual(totals.bytesOffered, planned, what);
            self.ExpectEqual(totals.bytesDelivered, planned, what);
            self.ExpectEqual(totals.bytesInFlight, 0, what);
            totals.CheckConservation();
            Simulator::Destroy();
        }
    }
}

/// A transport sends between the hosts that it is given, and no others. @param make makes it for a
/// plan and hosts
template <typename Make>
void
TestHosts(FunctionCase& self, Make&& make)
{
    const std::vector<uint32_t> hosts{6, 1, 4};
    const FabricContainer fabric = HostsOnSwitch(8);
    const auto transport =
        make(fabric, PlanCollective(Collective::BROADCAST_CHAIN, 3, 50'000), hosts);
    CollectivePlayer player(PlanCollective(Collective::BROADCAST_CHAIN, 3, 50'000), *transport);
    Simulator::ScheduleNow([&player] { player.Start(); });
    Simulator::Run();
    self.Expect(player.IsDone(), "done");
    for (uint32_t host = 0; host < 8; ++host)
    {
        const NicCounts counts = fabric.GetDevice(host)->GetNic().Counts();
        const auto rank = std::find(hosts.begin(), hosts.end(), host) - hosts.begin();
        self.ExpectEqual(counts.sent >= 50'000, rank <= 1, Text("host ", host, " sends"));
        self.ExpectEqual(counts.arrived >= 50'000, rank == 1 || rank == 2, "it receives");
        self.Expect(rank < 3 || counts.sent + counts.arrived == 0, "it takes no part");
    }
    Simulator::Destroy();
}

/// All four.
void
TestPlacedHosts(FunctionCase& self)
{
    using Hosts = std::vector<uint32_t>;
    TestHosts(self, [](const FabricContainer& fabric, const ExchangePlan&, const Hosts& hosts) {
        return std::make_unique<RawCollectiveTransport>(fabric, hosts);
    });
    TestHosts(self, [](const FabricContainer& fabric, const ExchangePlan&, const Hosts& hosts) {
        return std::make_unique<PioCollectiveTransport>(fabric, hosts);
    });
    TestHosts(self,
              [](const FabricContainer& fabric, const ExchangePlan& plan, const Hosts& hosts) {
                  return std::make_unique<RdmaCollectiveTransport>(fabric, plan, hosts);
              });
    TestHosts(self,
              [](const FabricContainer& fabric, const ExchangePlan& plan, const Hosts& hosts) {
                  return std::make_unique<TcpCollectiveTransport>(fabric, plan, hosts);
              });
}

/// @return what a fabric with native messages counts
RunTotals
CountNative(const FabricContainer& fabric, const CollectiveTransport&)
{
    return TotalsOf(*fabric.network, Simulator::Now().GetPicoSeconds());
}

/// Native messages.
void
TestOverRaw(FunctionCase& self)
{
    TestTransport(
        self,
        [](const FabricContainer& fabric, const ExchangePlan& plan) {
            return std::make_unique<RawCollectiveTransport>(fabric, plan.front().Ranks());
        },
        CountNative);
}

/// Programmed I/O.
void
TestOverPio(FunctionCase& self)
{
    TestTransport(
        self,
        [](const FabricContainer& fabric, const ExchangePlan& plan) {
            return std::make_unique<PioCollectiveTransport>(fabric, plan.front().Ranks());
        },
        CountNative);
}

/// The reliable transport; it refuses a message that no operation can have.
void
TestOverRdma(FunctionCase& self)
{
    TestTransport(
        self,
        [](const FabricContainer& fabric, const ExchangePlan& plan) {
            return std::make_unique<RdmaCollectiveTransport>(fabric, plan);
        },
        [&self](const FabricContainer&, const RdmaCollectiveTransport& transport) {
            self.ExpectEqual(transport.GetFailure(), "", "failure");
            return transport.GetTotals();
        });
    const FabricContainer fabric = HostsOnSwitch(2);
    RdmaCollectiveTransport transport(fabric, PlanCollective(Collective::BROADCAST, 2, 1));
    self.ExpectEqual(Refusal([&] {
                         transport.Send({0, 1, uint64_t{1} << 31, 0});
                     }),
                     "RdmaCollectiveTransport: the size of a message is 2147483648, allowed is 1 "
                     "to 2147483647.",
                     "too long");
    Simulator::Destroy();
}

/// TCP.
void
TestOverTcp(FunctionCase& self)
{
    TestTransport(
        self,
        [](const FabricContainer& fabric, const ExchangePlan& plan) {
            return std::make_unique<TcpCollectiveTransport>(fabric, plan);
        },
        [&self](const FabricContainer&, const TcpCollectiveTransport& transport) {
            self.ExpectEqual(transport.GetFailure(), "", "failure");
            return transport.GetTotals();
        });
}

/// The suite.
class CollectivesSuite : public FunctionSuite
{
  public:
    CollectivesSuite()
        : FunctionSuite("fabric-collectives", kUnit)
    {
        Add("SC-3 a player sends each message once, when the transport is open", TestPlayer);
        Add("SC-3 ranks with a delay begin later", TestDelays);
        Add("SC-3 a straggler does its part when it has begun", TestStragglers);
        Add("WL-7 players of parts of the ranks do together what one does", TestPlayersOfParts);
        Add("SC-3 collectives on one switch take the time of their closed forms", TestClosedForms);
        Add("SC-3 so do recursive ones, Bruck's and a chain", TestClosedFormsOfAlgorithms);
        Add("SC-3 a double tree in pieces fills the links of hosts", TestDoubleTreeFillsLinks);
        Add("SC-3 a ring on a fat tree takes its closed form", TestRingOnTree);
        Add("SC-3 an all-to-all and a halo exchange fill the links of hosts", TestAllAtOnce);
        Add("SC-3 native messages carry all collectives", TestOverRaw);
        Add("SC-3 programmed input and output carries all collectives", TestOverPio);
        Add("SC-3 the reliable transport carries all collectives", TestOverRdma);
        Add("SC-3 TCP carries all collectives", TestOverTcp);
        Add("SC-3 transports send between the hosts that they are given", TestPlacedHosts);
    }
};

const CollectivesSuite g_collectivesSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
