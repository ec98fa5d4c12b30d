/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-all-collectives.h"
#include "fabric-buffer-world.h"
#include "fabric-collective-bound.h"
#include "fabric-collective-plan.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Every byte of every rank, or of rank 0, is the sum of that byte of all, each added once.
void
TestSums(FunctionCase& self)
{
    ForSizes([&self](uint32_t ranks, uint64_t bytes) {
        const ByteSums sum(bytes, ByteSum(ranks, 1));
        for (const Collective collective :
             {Collective::ALLREDUCE_RING, Collective::ALLREDUCE_TREE, Collective::REDUCE})
        {
            const BufferWorld world(PlanCollective(collective, ranks, bytes),
                                    WholeBuffers(ranks, bytes),
                                    ranks);
            const std::string what =
                Text(static_cast<int>(collective), ", ", ranks, " ranks, ", bytes).Str();
            self.Expect(world.IsDone(), what);
            const uint32_t receivers = collective == Collective::REDUCE ? 1 : ranks;
            for (uint32_t rank = 0; rank < receivers; ++rank)
            {
                self.Expect(world.BufferAt(rank) == sum, what);
            }
        }
    });
}

/// Every rank has the buffer of rank 0, and no rank has two messages under way.
void
TestBroadcast(FunctionCase& self)
{
    ForSizes([&self](uint32_t ranks, uint64_t bytes) {
        const BufferWorld world(PlanCollective(Collective::BROADCAST, ranks, bytes),
                                WholeBuffers(ranks, bytes),
                                ranks);
        const std::string what = Text(ranks, " ranks, ", bytes).Str();
        self.Expect(world.IsDone(), what);
        self.ExpectEqual(world.MostUnderWay(), ranks == 1 ? 0 : 1, what);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            self.Expect(world.BufferAt(rank) == BufferOf(0, ranks, bytes), what);
        }
    });
}

/// A rank has its own part at the start, those of all in the end; nobody has a byte more or less
/// than others but for the remainder.
void
TestAllgather(FunctionCase& self)
{
    ForSizes([&self](uint32_t ranks, uint64_t bytes) {
        std::vector<ByteSums> own;
        const ByteSums all = PartsOfAll(ranks, bytes, own);
        const BufferWorld world(PlanCollective(Collective::ALLGATHER, ranks, bytes), own, ranks);
        const std::string what = Text(ranks, " ranks, ", bytes).Str();
        self.Expect(world.IsDone(), what);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            self.Expect(world.BufferAt(rank) == all, what);
        }
    });
}

/// From each rank to each other one goes a part of its buffer, another to each, as long as others
/// but for a byte; what is left is as long as the shortest of them.
void
TestAlltoall(FunctionCase& self)
{
    ForSizes([&self](uint32_t ranks, uint64_t bytes) {
        const ExchangePlan plan = PlanCollective(Collective::ALLTOALL, ranks, bytes);
        const std::string what = Text(ranks, " ranks, ", bytes).Str();
        std::set<std::pair<uint32_t, uint32_t>> pairs;
        std::vector<std::vector<uint32_t>> sent(ranks, std::vector<uint32_t>(bytes, 0));
        std::vector<uint64_t> received(ranks, 0);
        for (const ExchangeRound& round : plan)
        {
            for (uint32_t rank = 0; rank < ranks; ++rank)
            {
                for (const ExchangeMessage& message : round.sends[rank])
                {
                    self.Expect(message.to != rank && !message.adds, what);
                    self.Expect(pairs.emplace(rank, message.to).second, "two messages of a pair");
                    self.Expect(message.bytes > 0 && message.bytes >= bytes / ranks &&
                                    message.bytes <= (bytes + ranks - 1) / ranks,
                                "size of a part");
                    received[message.to] += message.bytes;
                    for (uint64_t i = 0; i < message.bytes; ++i)
                    {
                        ++sent[rank].at(message.begin + i);
                    }
                }
            }
        }
        const uint64_t kept = bytes / ranks;
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            self.ExpectEqual(std::count(sent[rank].begin(), sent[rank].end(), 1U),
                             bytes - kept,
                             what);
            self.ExpectEqual(std::count(sent[rank].begin(), sent[rank].end(), 0U), kept, what);
            self.ExpectEqual(received[rank], bytes - kept, what);
        }
        const BufferWorld world(plan, WholeBuffers(ranks, bytes), ranks);
        self.Expect(world.IsDone() && world.MostUnderWay() <= ranks, what);
    });
}

/// Each rank gets a face of each neighbour, which are those by hand, and sends another to each.
void
TestHalo(FunctionCase& self)
{
    ForSizes([&self](uint32_t ranks, uint64_t bytes) {
        const auto [width, height, depth] = MostCubic(ranks);
        std::set<std::tuple<uint32_t, uint32_t, uint64_t>> expected; // from, to, begin
        const auto rankAt = [x = width, y = height, z = depth](uint32_t i, uint32_t j, uint32_t k) {
            return i % x + x * (j % y) + x * y * (k % z);
        };
        for (uint32_t k = 0; k < depth; ++k)
        {
            for (uint32_t j = 0; j < height; ++j)
            {
                for (uint32_t i = 0; i < width; ++i)
                {
                    const uint32_t here = rankAt(i, j, k);
                    const uint32_t neighbours[] = {rankAt(i + width - 1, j, k),
                                                   rankAt(i + 1, j, k),
                                                   rankAt(i, j + height - 1, k),
                                                   rankAt(i, j + 1, k),
                                                   rankAt(i, j, k + depth - 1),
                                                   rankAt(i, j, k + 1)};
                    for (uint32_t face = 0; face < 6; ++face)
                    {
                        if (neighbours[face] != here)
                        {
                            expected.emplace(here, neighbours[face], face * bytes);
                        }
                    }
                }
            }
        }
        std::set<std::tuple<uint32_t, uint32_t, uint64_t>> planned;
        const ExchangePlan plan = PlanCollective(Collective::HALO3D, ranks, bytes);
        self.ExpectEqual(plan.size(), 1, "rounds");
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            for (const ExchangeMessage& message : plan[0].sends[rank])
            {
                self.ExpectEqual(message.bytes, bytes, "bytes of a face");
                planned.emplace(rank, message.to, message.begin);
            }
        }
        self.Expect(planned == expected, Text(ranks, " ranks"));
        self.ExpectEqual(plan[0].Messages(), expected.size(), "messages");
    });
}

/// Of all boxes there is none with a lesser sum of sides.
void
TestCubes(FunctionCase& self)
{
    using Box = std::array<uint32_t, 3>;
    for (uint32_t ranks = 1; ranks <= 300; ++ranks)
    {
        const Box box = MostCubic(ranks);
        uint32_t least = ranks + 2;
        for (uint32_t x = 1; x <= ranks; ++x)
        {
            for (uint32_t y = 1; ranks % x == 0 && y <= ranks / x; ++y)
            {
                if (ranks / x % y == 0)
                {
                    least = std::min(least, x + y + ranks / x / y);
                }
            }
        }
        self.ExpectEqual(box[0] * box[1] * box[2], ranks, "ranks");
        self.ExpectEqual(box[0] + box[1] + box[2], least, Text("sides of ", ranks));
        self.Expect(box[0] >= box[1] && box[1] >= box[2], "order of sides");
    }
    self.Expect(MostCubic(64) == Box{4, 4, 4} && MostCubic(128) == Box{8, 4, 4} &&
                    MostCubic(17) == Box{17, 1, 1},
                "by hand");
    self.Expect(!Refusal([] { MostCubic(0); }).empty(), "no rank");
}

/// Rounds and messages by hand.
void
TestRounds(FunctionCase& self)
{
    const auto expect = [&self](Collective collective,
                                uint32_t ranks,
                                uint64_t bytes,
                                std::size_t rounds,
                                uint64_t messages) {
        const ExchangePlan plan = PlanCollective(collective, ranks, bytes);
        const std::string what = Text(static_cast<int>(collective), ", ", ranks, " ranks").Str();
        uint64_t planned = 0;
        for (const ExchangeRound& round : plan)
        {
            planned += round.Messages();
        }
        self.ExpectEqual(plan.size(), rounds, what);
        self.ExpectEqual(planned, messages, what);
    };
    expect(Collective::ALLREDUCE_RING, 6, 100, 10, 60);
    expect(Collective::ALLREDUCE_RING, 6, 1, 10, 10); // a part of six has the byte
    expect(Collective::ALLREDUCE_TREE, 6, 100, 6, 10);
    expect(Collective::ALLGATHER, 6, 100, 5, 30);
    expect(Collective::ALLGATHER, 6, 2, 5, 10);
    expect(Collective::ALLTOALL, 6, 100, 1, 30);
    expect(Collective::ALLTOALL, 6, 2, 1, 12);
    expect(Collective::BROADCAST, 8, 100, 3, 7);
    expect(Collective::REDUCE, 9, 100, 4, 8);
    expect(Collective::HALO3D, 8, 100, 1, 48);
    expect(Collective::HALO3D, 7, 100, 1, 14);
    for (const Collective collective : {Collective::ALLREDUCE_RING, Collective::HALO3D})
    {
        expect(collective, 1, 100, 1, 0);
        self.Expect(!Refusal([&] { PlanCollective(collective, 0, 1); }).empty(), "no rank");
    }
    self.ExpectEqual(PairsOf(PlanCollective(Collective::ALLREDUCE_RING, 6, 100)).size(),
                     6,
                     "pairs");
    self.ExpectEqual(PairsOf(PlanCollective(Collective::ALLTOALL, 6, 100)).size(), 30, "pairs");
    // Both ways between each parent and child.
    self.ExpectEqual(PairsOf(PlanCollective(Collective::ALLREDUCE_TREE, 6, 9)).size(), 10, "pairs");
}

/// The bounds by hand, and below what the busiest rank of each plan sends or receives.
void
TestBounds(FunctionCase& self)
{
    self.ExpectNear(LeastLinkBytes(Collective::ALLREDUCE_RING, 4, 1000), 1500, 1e-9, "ring");
    self.ExpectNear(LeastLinkBytes(Collective::ALLREDUCE_TREE, 5, 1000), 1600, 1e-9, "tree");
    self.ExpectNear(LeastLinkBytes(Collective::ALLGATHER, 4, 1000), 750, 1e-9, "all-gather");
    self.ExpectNear(LeastLinkBytes(Collective::ALLTOALL, 5, 1000), 800, 1e-9, "all-to-all");
    self.ExpectNear(LeastLinkBytes(Collective::BROADCAST, 4, 1000), 1000, 1e-9, "broadcast");
    self.ExpectNear(LeastLinkBytes(Collective::REDUCE, 4, 1000), 1000, 1e-9, "reduce");
    self.ExpectNear(LeastLinkBytes(Collective::ALLREDUCE_HALVING, 4, 1000), 1500, 1e-9, "halving");
    self.ExpectNear(LeastLinkBytes(Collective::ALLREDUCE_DOUBLING, 4, 1000),
                    1500,
                    1e-9,
                    "doubling");
    self.ExpectNear(LeastLinkBytes(Collective::ALLREDUCE_DOUBLE_TREE, 4, 1000), 1500, 1e-9, "two");
    self.ExpectNear(LeastLinkBytes(Collective::ALLGATHER_BRUCK, 4, 1000), 750, 1e-9, "Bruck");
    self.ExpectNear(LeastLinkBytes(Collective::ALLTOALL_BRUCK, 5, 1000), 800, 1e-9, "Bruck");
    self.ExpectNear(LeastLinkBytes(Collective::BROADCAST_CHAIN, 4, 1000), 1000, 1e-9, "chain");
    self.ExpectNear(LeastLinkBytes(Collective::HALO3D, 27, 1000), 6000, 1e-9, "halo");
    self.ExpectNear(LeastLinkBytes(Collective::HALO3D, 7, 1000), 2000, 1e-9, "a ring");
    ForSizes([&self](uint32_t ranks, uint64_t bytes) {
        for (const Collective collective : ALL_COLLECTIVES)
        {
            const double least = LeastLinkBytes(collective, ranks, bytes);
            const auto busiest =
                static_cast<double>(BusiestRankBytes(PlanCollective(collective, ranks, bytes)));
            const std::string what =
                Text(static_cast<int>(collective), ", ", ranks, " ranks, ", bytes).Str();
            self.Expect(least <= busiest * (1 + 1e-12), what);
            self.Expect(ranks > 1 || least == 0, what);
            const bool isRing = collective == Collective::ALLREDUCE_RING ||
                                collective == Collective::ALLGATHER ||
                                collective == Collective::ALLTOALL;
            // Of equal parts each rank sends no byte too many.
            if (isRing && bytes % ranks == 0)
            {
                self.ExpectNear(busiest, least, 1e-9, what);
            }
        }
    });
}

/// @return time of what a plan sends and receives on the busiest link, s @param rates of ranks, b/s
double
TimeOnLinks(const ExchangePlan& plan, const std::vector<uint64_t>& rates)
{
    std::vector<uint64_t> sent(rates.size(), 0);
    std::vector<uint64_t> received = sent;
    for (const ExchangeRound& round : plan)
    {
        for (uint32_t strand = 0; strand < round.sends.size(); ++strand)
        {
            for (const ExchangeMessage& message : round.sends[strand])
            {
                sent[strand % rates.size()] += message.bytes;
                received[message.to % rates.size()] += message.bytes;
            }
        }
    }
    double time = 0;
    for (std::size_t rank = 0; rank < rates.size(); ++rank)
    {
        const auto bytes = static_cast<double>(std::max(sent[rank], received[rank]));
        time = std::max(time, 8 * bytes / static_cast<double>(rates[rank]));
    }
    return time;
}

/// The bounds on links that differ: by hand, of an algorithm that attains one, and below what any
/// plan takes; on equal ones they are those of the mean rank.
void
TestBoundsOnUnequalLinks(FunctionCase& self)
{
    constexpr uint64_t GIGABIT = 1'000'000'000;
    const std::vector<uint64_t> mixed{25 * GIGABIT, 100 * GIGABIT, 200 * GIGABIT, 200 * GIGABIT};
    for (const auto& [collective, bytes] :
         {std::pair{Collective::ALLREDUCE_RING, 1000.0}, // the slow one's own buffer
          std::pair{Collective::ALLREDUCE_DOUBLE_TREE, 1000.0},
          std::pair{Collective::ALLGATHER, 750.0},
          std::pair{Collective::ALLTOALL_BRUCK, 750.0},
          std::pair{Collective::BROADCAST, 1000.0},
          std::pair{Collective::BROADCAST_CHAIN, 1000.0},
          std::pair{Collective::REDUCE, 1000.0},
          std::pair{Collective::HALO3D, 4000.0}}) // 2 x 2: two faces to each neighbour
    {
        self.ExpectNear(LeastTime(collective, 1000, mixed),
                        8 * bytes / 25e9,
                        1e-15,
                        Text(static_cast<int>(collective), " on mixed links"));
    }
    self.ExpectNear(LeastTimeInSwitches(1000, mixed), 8 * 1000 / 25e9, 1e-15, "in switches");
    // Three quarters of the rate: 6 buffers between links of 700 Gb/s last longer than one at 150.
    self.ExpectNear(LeastTime(Collective::ALLREDUCE_RING,
                              1000,
                              {150 * GIGABIT, 150 * GIGABIT, 200 * GIGABIT, 200 * GIGABIT}),
                    8 * 6000 / 700e9,
                    1e-15,
                    "all together");
    // A star on the fast rank: it takes and sends two buffers while the others send and take one.
    self.ExpectNear(
        LeastTime(Collective::ALLREDUCE_TREE, 1000, {50 * GIGABIT, 100 * GIGABIT, 50 * GIGABIT}),
        8 * 1000 / 50e9,
        1e-15,
        "a star");
    ForSizes([&self](uint32_t ranks, uint64_t bytes) {
        std::mt19937 random(TestSeeds(1).first + ranks);
        std::vector<uint64_t> rates(ranks);
        for (uint64_t& rate : rates)
        {
            rate = (1 + random() % 400) * GIGABIT;
        }
        for (const Collective collective : ALL_COLLECTIVES)
        {
            const std::string what =
                Text(static_cast<int>(collective), ", ", ranks, " ranks, ", bytes).Str();
            self.Expect(LeastTime(collective, bytes, rates) <=
                            TimeOnLinks(PlanCollective(collective, ranks, bytes), rates) *
                                (1 + 1e-12),
                        what);
            const std::vector<uint64_t> equal(ranks, 123 * GIGABIT);
            self.Expect(LeastTime(collective, bytes, equal) ==
                            8 * LeastLinkBytes(collective, ranks, bytes) / 123e9,
                        what + " on equal links");
        }
    });
}

/// Parts differ by a byte at most, the longer ones first, and are the whole.
void
TestParts(FunctionCase& self)
{
    for (uint32_t parts = 1; parts < 20; ++parts)
    {
        for (uint64_t bytes = 0; bytes < 50; ++bytes)
        {
            uint64_t before = bytes;
            for (uint32_t i = 0; i < parts; ++i)
            {
                const uint64_t size = PartBegin(bytes, parts, i + 1) - PartBegin(bytes, parts, i);
                self.Expect(size == bytes / parts || size == bytes / parts + 1, "size of a part");
                self.Expect(size <= before, "order of parts");
                before = size;
            }
            self.Expect(PartBegin(bytes, parts, 0) == 0 && PartBegin(bytes, parts, parts) == bytes,
                        "the whole");
        }
    }
}

/// The suite.
class CollectivePlanSuite : public FunctionSuite
{
  public:
    CollectivePlanSuite()
        : FunctionSuite("fabric-collective-plan", kUnit)
    {
        Add("SC-3 all-reduce and reduce add each byte of each rank once", TestSums);
        Add("SC-3 a broadcast brings all the buffer of rank 0", TestBroadcast);
        Add("SC-3 an all-gather brings all the parts of all", TestAllgather);
        Add("SC-3 an all-to-all brings each rank a part of each", TestAlltoall);
        Add("SC-3 a halo exchange brings faces of six neighbours", TestHalo);
        Add("SC-3 a halo exchange has the most cubic box", TestCubes);
        Add("SC-3 collectives have the rounds and messages by hand", TestRounds);
        Add("SC-3 lower bounds are below what any plan sends", TestBounds);
        Add("SC-3 lower bounds on links that differ", TestBoundsOnUnequalLinks);
        Add("SC-3 parts of a buffer are as equal as can be", TestParts);
    }
};

const CollectivePlanSuite g_collectivePlanSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
