/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-bruck-plan.h"
#include "fabric-buffer-world.h"
#include "fabric-collective-names.h"
#include "fabric-collective-plan.h"
#include "fabric-double-binary-tree.h"
#include "fabric-host-list.h"
#include "fabric-job-list.h"
#include "fabric-pipeline-plan.h"
#include "fabric-power-of-two-ranks.h"
#include "fabric-recursive-plan.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t PIECES[] = {1, 2, 3, 7}; ///< Of buffers.

/// @return steps of a plan, in each of which all messages come that were sent before it
uint32_t
StepsOf(const ExchangePlan& plan)
{
    Exchange exchange(plan, 1);
    std::vector<Exchange::Send> sends = exchange.Start(0);
    uint32_t steps = 0;
    for (; !sends.empty(); ++steps)
    {
        std::vector<Exchange::Send> next;
        for (const Exchange::Send& send : sends)
        {
            const std::vector<Exchange::Send> more = exchange.Receive(send.to, send.round, 0);
            next.insert(next.end(), more.begin(), more.end());
        }
        sends = next;
    }
    return steps;
}

/// @return messages of a plan
uint64_t
MessagesOf(const ExchangePlan& plan)
{
    uint64_t messages = 0;
    for (const ExchangeRound& round : plan)
    {
        messages += round.Messages();
    }
    return messages;
}

/// @return levels of a binary tree of so many ranks
uint32_t
LevelsOf(uint32_t ranks)
{
    uint32_t levels = 0;
    while ((1U << levels) < ranks)
    {
        ++levels;
    }
    return levels;
}

/// Every byte of every rank is the sum of that byte of all, each added once.
void
ExpectSums(FunctionCase& self, const ExchangePlan& plan, uint32_t ranks, uint64_t bytes)
{
    const std::string what = Text(ranks, " ranks, ", bytes).Str();
    self.ExpectEqual(plan.front().Ranks(), ranks, what);
    const BufferWorld world(plan, WholeBuffers(ranks, bytes), ranks);
    self.Expect(world.IsDone(), what);
    const ByteSums sum(bytes, ByteSum(ranks, 1));
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        self.Expect(world.BufferAt(rank) == sum, what);
    }
}

/// Halving and doubling, for ranks that are a power of two and others.
void
TestRecursive(FunctionCase& self)
{
    ForSizes([&self](uint32_t ranks, uint64_t bytes) {
        for (const Collective collective :
             {Collective::ALLREDUCE_HALVING, Collective::ALLREDUCE_DOUBLING})
        {
            ExpectSums(self, PlanCollective(collective, ranks, bytes), ranks, bytes);
        }
    });
    // Of a power of two each rank sends no byte too many by halving, and whole buffers by doubling.
    for (const uint32_t ranks : {2, 8, 64})
    {
        const uint64_t bytes = 3 * ranks;
        const ExchangePlan halving = PlanCollective(Collective::ALLREDUCE_HALVING, ranks, bytes);
        self.ExpectEqual(BusiestRankBytes(halving), 2 * (bytes - 3), "halving");
        self.ExpectEqual(StepsOf(halving), 2 * LevelsOf(ranks), "steps of halving");
        // What goes farther is less: the first halves are exchanged by neighbours.
        self.ExpectEqual(halving.front().sends[0].front().to, 1, "a neighbour first");
        self.ExpectEqual(halving.front().sends[0].front().bytes, bytes / 2, "a half first");
        const ExchangePlan doubling = PlanCollective(Collective::ALLREDUCE_DOUBLING, ranks, bytes);
        self.ExpectEqual(BusiestRankBytes(doubling), LevelsOf(ranks) * bytes, "doubling");
        self.ExpectEqual(StepsOf(doubling), LevelsOf(ranks), "steps of doubling");
    }
    self.ExpectEqual(StepsOf(PlanCollective(Collective::ALLREDUCE_HALVING, 9, 90)), 8, "of nine");
    self.ExpectEqual(MessagesOf(PlanCollective(Collective::ALLREDUCE_HALVING, 9, 90)),
                     2 * 3 * 8 + 2,
                     "messages of nine");
}

/// All ranks are either among the power of two, each once, or hand on to one that is.
void
TestPowerOfTwo(FunctionCase& self)
{
    for (uint32_t ranks = 1; ranks <= 40; ++ranks)
    {
        const PowerOfTwoRanks some(ranks);
        self.Expect(some.Size() <= ranks && 2 * some.Size() > ranks, "size");
        std::set<uint32_t> seen;
        for (uint32_t i = 0; i < some.Size(); ++i)
        {
            seen.insert(some.RankOf(i));
        }
        self.ExpectEqual(seen.size(), some.Size(), "each once");
        ExchangePlan plan;
        some.AddBefore(plan, 1);
        self.ExpectEqual(plan.size(), ranks == some.Size() ? 0 : 1, "rounds");
        for (uint32_t rank = 0; rank < ranks && !plan.empty(); ++rank)
        {
            const std::vector<ExchangeMessage>& sends = plan.front().sends[rank];
            self.ExpectEqual(sends.size(), seen.count(rank) == 0 ? 1 : 0, "who hands on");
            self.Expect(sends.empty() || seen.count(sends.front().to) == 1, "to whom");
        }
    }
}

/// An all-gather brings all the parts of all, in a logarithm of steps, and no byte twice.
void
TestBruckAllgather(FunctionCase& self)
{
    ForSizes([&self](uint32_t ranks, uint64_t bytes) {
        std::vector<ByteSums> own;
        const ByteSums all = PartsOfAll(ranks, bytes, own);
        const ExchangePlan plan = PlanCollective(Collective::ALLGATHER_BRUCK, ranks, bytes);
        const BufferWorld world(plan, own, ranks);
        const std::string what = Text(ranks, " ranks, ", bytes).Str();
        self.Expect(world.IsDone(), what);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            self.Expect(world.BufferAt(rank) == all, what);
        }
        if (bytes % ranks == 0)
        {
            self.ExpectEqual(StepsOf(plan), LevelsOf(ranks), what);
            self.ExpectEqual(BusiestRankBytes(plan), bytes / ranks * (ranks - 1), what);
        }
    });
}

/// An all-to-all brings the part of each: in the end, part i - 1 is that of the i-th rank before.
void
TestBruckAlltoall(FunctionCase& self)
{
    ForSizes([&self](uint32_t ranks, uint64_t bytes) {
        const ExchangePlan plan = PlanCollective(Collective::ALLTOALL_BRUCK, ranks, bytes);
        const BufferWorld world(plan, WholeBuffers(ranks, bytes), ranks);
        const std::string what = Text(ranks, " ranks, ", bytes).Str();
        self.Expect(world.IsDone(), what);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            ByteSums expected;
            for (uint32_t i = 1; i <= ranks; ++i) // the last part stays
            {
                const uint64_t part = bytes / ranks + (i - 1 < bytes % ranks ? 1 : 0);
                expected.insert(expected.end(), part, ByteOf((rank + ranks - i) % ranks, ranks));
            }
            self.Expect(world.BufferAt(rank) == expected, what);
        }
        if (bytes >= ranks)
        {
            self.ExpectEqual(StepsOf(plan), LevelsOf(ranks), what);
        }
    });
    // 1, 3, 5 and 7 parts on; 2, 3, 6, 7; 4, 5, 6, 7.
    self.ExpectEqual(BusiestRankBytes(PlanCollective(Collective::ALLTOALL_BRUCK, 8, 80)),
                     3 * 40,
                     "bytes of eight");
}

/// A broadcast along a chain brings all the buffer, and no rank waits for more than a piece.
void
TestChain(FunctionCase& self)
{
    ForSizes([&self](uint32_t ranks, uint64_t bytes) {
        for (const uint32_t pieces : PIECES)
        {
            const ExchangePlan plan =
                PlanCollective(Collective::BROADCAST_CHAIN, ranks, bytes, pieces);
            const BufferWorld world(plan, WholeBuffers(ranks, bytes), ranks);
            const std::string what = Text(ranks, " ranks, ", bytes, " in ", pieces).Str();
            self.Expect(world.IsDone(), what);
            for (uint32_t rank = 0; rank < ranks; ++rank)
            {
                self.Expect(world.BufferAt(rank) == BufferOf(0, ranks, bytes), what);
            }
            self.ExpectEqual(StepsOf(plan), ranks - 1, what);
            self.ExpectEqual(MessagesOf(plan),
                             (ranks - 1) * std::min<uint64_t>(pieces, bytes),
                             what);
            self.ExpectEqual(BusiestRankBytes(plan), ranks == 1 ? 0 : bytes, what);
        }
    });
}

/// An all-reduce by a double tree adds all once, in pieces, and no rank waits for more than one.
void
TestDoubleTree(FunctionCase& self)
{
    ForSizes([&self](uint32_t ranks, uint64_t bytes) {
        const DoubleBinaryTree trees(ranks);
        uint32_t height = 0;
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            height = std::max({height, trees.DepthOf(0, rank), trees.DepthOf(1, rank)});
        }
        for (const uint32_t pieces : PIECES)
        {
            const ExchangePlan plan =
                PlanCollective(Collective::ALLREDUCE_DOUBLE_TREE, ranks, bytes, pieces);
            ExpectSums(self, plan, ranks, bytes);
            const std::string what = Text(ranks, " ranks, ", bytes, " in ", pieces).Str();
            self.ExpectEqual(StepsOf(plan), 2 * height, what);
            const uint64_t sent =
                std::min<uint64_t>(pieces, (bytes + 1) / 2) + std::min<uint64_t>(pieces, bytes / 2);
            self.ExpectEqual(MessagesOf(plan), sent * 2 * (ranks - 1), what);
            self.Expect(BusiestRankBytes(plan) <= 2 * bytes + 2, what);
        }
    });
}

/// Trees are those of NCCL, each rank has two children at most, and in one tree only.
void
TestTrees(FunctionCase& self)
{
    for (uint32_t ranks = 2; ranks <= 130; ++ranks)
    {
        const DoubleBinaryTree trees(ranks);
        std::vector<std::vector<uint32_t>> children(2, std::vector<uint32_t>(ranks, 0));
        for (uint32_t tree = 0; tree < 2; ++tree)
        {
            for (uint32_t rank = 0; rank < ranks; ++rank)
            {
                if (rank != trees.RootOf(tree))
                {
                    ++children[tree][trees.ParentOf(tree, rank)];
                }
                self.Expect(trees.DepthOf(tree, rank) <= LevelsOf(ranks), "depth");
            }
            self.Expect(*std::max_element(children[tree].begin(), children[tree].end()) <= 2,
                        "children");
        }
        uint32_t inBoth = 0;
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            inBoth += children[0][rank] > 0 && children[1][rank] > 0 ? 1 : 0;
        }
        self.Expect(inBoth <= ranks % 2, Text(ranks, " ranks, with children in both trees"));
    }
    // The drawings of NCCL's trees.cc.
    const auto expect = [&self](uint32_t ranks, uint32_t tree, std::vector<uint32_t> parents) {
        const DoubleBinaryTree trees(ranks);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            self.ExpectEqual(rank == trees.RootOf(tree) ? rank : trees.ParentOf(tree, rank),
                             parents[rank],
                             Text("parent of ", rank, " of ", ranks, ", tree ", tree));
        }
    };
    expect(14, 0, {0, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12});
    expect(14, 1, {1, 5, 3, 1, 3, 13, 7, 9, 7, 5, 11, 9, 11, 13});
    expect(5, 0, {0, 2, 4, 2, 0});
    expect(5, 1, {1, 1, 3, 0, 3});
}

/// What has no pieces is not cut.
void
TestUncut(FunctionCase& self)
{
    self.ExpectEqual(Refusal([] { PlanCollective(Collective::ALLREDUCE_RING, 4, 100, 2); }),
                     "PlanCollective(): the number of pieces is 2, allowed is 1 to 1.",
                     "a ring");
    self.ExpectEqual(Refusal([] { PlanCollective(Collective::BROADCAST_CHAIN, 4, 100, 0); }),
                     "PlanCollective(): the number of pieces is 0, allowed is 1 to 1073741824.",
                     "none");
    self.Expect(HasPieces(Collective::BROADCAST_CHAIN) &&
                    HasPieces(Collective::ALLREDUCE_DOUBLE_TREE) &&
                    !HasPieces(Collective::BROADCAST) && !HasPieces(Collective::ALLREDUCE_TREE),
                "which");
}

/// Strands of a rank are the rank where ranks are asked for.
void
TestStrands(FunctionCase& self)
{
    ExchangeRound round = EmptyRound(3, 2);
    round.Add(1, {5, 10});
    round.Add(4, {3, 20}); // rank 0
    round.Add(1, {2, 5});
    round.Add(3, {1, 0});
    self.ExpectEqual(round.Ranks(), 3, "ranks");
    self.ExpectEqual(round.Messages(), 3, "messages with bytes");
    self.ExpectEqual(BusiestRankBytes({round}), 35, "what rank 1 sends");
    const std::set<std::pair<uint32_t, uint32_t>> pairs{{1, 0}, {1, 2}};
    self.Expect(PairsOf({round}) == pairs, "two pairs, of which one sends twice");
    self.ExpectEqual(Exchange({round}, 1).GetRanks(), 3, "of an exchange");
}

/// Jobs beside each other do each what one does alone, and send nothing to others.
void
TestJobs(FunctionCase& self)
{
    const uint64_t bytes = 23;
    for (const uint32_t ranks : {1, 2, 5, 8})
    {
        for (const uint32_t jobs : {1, 2, 3})
        {
            const std::string what = Text(jobs, " jobs of ", ranks).Str();
            for (const Collective collective : {Collective::ALLREDUCE_DOUBLE_TREE,
                                                Collective::ALLREDUCE_TREE,
                                                Collective::ALLTOALL_BRUCK})
            {
                const ExchangePlan one =
                    PlanCollective(collective, ranks, bytes, HasPieces(collective) ? 3 : 1);
                const ExchangePlan all = PlanJobs(one, jobs);
                self.ExpectEqual(all.front().Ranks(), ranks * jobs, what);
                self.ExpectEqual(MessagesOf(all), jobs * MessagesOf(one), what);
                const BufferWorld alone(one, WholeBuffers(ranks, bytes), 1);
                const BufferWorld world(all, WholeBuffers(ranks * jobs, bytes), 1);
                self.Expect(world.IsDone(), what);
                for (uint32_t number = 0; number < ranks * jobs; ++number)
                {
                    const uint32_t first = number / ranks * ranks; // rank 0 of its job
                    for (uint64_t i = 0; i < bytes; ++i)
                    {
                        ByteSum expected(ranks * jobs, 0);
                        const ByteSum& byte = alone.BufferAt(number % ranks)[i];
                        std::copy(byte.begin(), byte.end(), expected.begin() + first);
                        self.Expect(world.BufferAt(number)[i] == expected, what);
                    }
                }
                for (const auto& [from, to] : PairsOf(all))
                {
                    self.ExpectEqual(from / ranks, to / ranks, "the same job");
                }
            }
            const ExchangePlan tree = PlanCollective(Collective::BROADCAST, ranks, bytes);
            for (uint32_t number = 0; number < ranks * jobs && ranks > 1; ++number)
            {
                self.Expect(PlanJobs(tree, jobs).front().Awaits(number), what);
            }
        }
    }
    self.Expect(!Refusal([] { PlanJobs(PlanCollective(Collective::REDUCE, 2, 1), 0); }).empty(),
                "no job");
}

/// Jobs of different kinds, with other numbers of ranks, rounds and strands, do what each does
/// alone.
void
TestMixedJobs(FunctionCase& self)
{
    const uint64_t bytes = 23;
    const std::vector<ExchangePlan> plans{
        PlanCollective(Collective::ALLREDUCE_RING, 5, bytes),
        PlanCollective(Collective::BROADCAST, 4, bytes),
        PlanCollective(Collective::ALLREDUCE_DOUBLE_TREE, 6, bytes, 3),
        PlanCollective(Collective::ALLREDUCE_RING, 2, bytes),
        {},
        PlanCollective(Collective::ALLREDUCE_TREE, 3, bytes)};
    std::vector<const ExchangePlan*> jobs;
    uint32_t ranks = 0;
    uint64_t messages = 0;
    for (const ExchangePlan& plan : plans)
    {
        jobs.push_back(&plan);
        ranks += plan.empty() ? 0 : plan.front().Ranks();
        messages += MessagesOf(plan);
    }
    const ExchangePlan all = PlanJobs(jobs);
    self.ExpectEqual(all.front().Ranks(), ranks, "ranks");
    self.ExpectEqual(all.front().strands, 4, "strands");
    self.ExpectEqual(MessagesOf(all), messages, "messages");
    for (const uint32_t seed : {1, 2, 3})
    {
        const BufferWorld world(all, WholeBuffers(ranks, bytes), seed);
        self.Expect(world.IsDone(), "done");
        uint32_t first = 0;
        for (const ExchangePlan& plan : plans)
        {
            const uint32_t own = plan.empty() ? 0 : plan.front().Ranks();
            for (uint32_t rank = 0; rank < own; ++rank)
            {
                const BufferWorld alone(plan, WholeBuffers(own, bytes), 1);
                for (uint64_t i = 0; i < bytes; ++i)
                {
                    ByteSum expected(ranks, 0);
                    const ByteSum& byte = alone.BufferAt(rank)[i];
                    std::copy(byte.begin(), byte.end(), expected.begin() + first);
                    self.Expect(world.BufferAt(first + rank)[i] == expected, "as alone");
                }
            }
            first += own;
        }
    }
    // Only who broadcasts awaits deliveries.
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        self.Expect(all.front().Awaits(rank) == (rank >= 5 && rank < 9), "who awaits deliveries");
    }
}

/// Jobs begin on their own; nothing is sent for ranks that have not begun.
void
TestStarts(FunctionCase& self)
{
    const ExchangePlan ring = PlanCollective(Collective::ALLREDUCE_DOUBLE_TREE, 3, 60, 2);
    Exchange exchange(PlanJobs(ring, 3), 1);
    std::vector<bool> hasBegun(3, false);
    for (const uint32_t job : {1U, 0U, 2U})
    {
        hasBegun[job] = true;
        std::vector<Exchange::Send> sends = exchange.Start(3 * job, 3, 100 * job);
        self.Expect(!sends.empty(), "somebody sends");
        self.Expect(!exchange.IsDone(), "others have not begun, or this one waits");
        while (!sends.empty())
        {
            const Exchange::Send send = sends.back();
            sends.pop_back();
            self.ExpectEqual(send.from % 9 / 3, job, "who sends");
            const auto more = exchange.Receive(send.to, send.round, 100 * job + 7);
            sends.insert(sends.end(), more.begin(), more.end());
        }
    }
    self.Expect(exchange.IsDone(), "all");
    for (const std::vector<TimePs>& times : exchange.GetTimes())
    {
        self.Expect(times.size() == 1 && (times[0] == 7 || times[0] == 0), "since its beginning");
    }
}

/// A list of jobs says what it does, and mistakes are told with their place.
void
TestJobList(FunctionCase& self)
{
    std::istringstream is("# of different kinds\nallreduce-ring 8 1MiB # at once\n\n"
                          "halo3d 27 64KiB 1.5us\n");
    const std::vector<CollectiveJob> jobs = JobList::Read(is, "jobs.txt");
    self.ExpectEqual(jobs.size(), 2, "jobs");
    self.Expect(jobs[0].collective == Collective::ALLREDUCE_RING && jobs[0].ranks == 8 &&
                    jobs[0].bytes == 1 << 20 && jobs[0].start == 0 && jobs[0].pieces == 1,
                "the first");
    self.Expect(jobs[1].collective == Collective::HALO3D && jobs[1].ranks == 27 &&
                    jobs[1].bytes == 65536 && jobs[1].start == 1500000,
                "the second");
    const auto refusal = [](const std::string& text) {
        std::istringstream lines(text);
        return Refusal([&lines] { JobList::Read(lines, "jobs.txt"); });
    };
    self.ExpectEqual(refusal("# nothing\n"),
                     "jobs.txt:1: the file ends; allowed is a line with a job: collective, hosts, "
                     "bytes and, if it does not begin at once, start",
                     "no job");
    self.Expect(
        refusal("alltoall 4 1kB\nring 8 1").find("jobs.txt:2: collective=ring: allowed is") == 0,
        "no collective");
    self.Expect(refusal("alltoall 1 1kB").find("jobs.txt:1: hosts=1: allowed is") == 0, "one host");
    self.Expect(refusal("alltoall 4 0").find("jobs.txt:1: bytes=0: allowed is") == 0, "no bytes");
    self.Expect(refusal("alltoall 4 1 1001s").find("jobs.txt:1: start=1001s: allowed is") == 0,
                "a late start");
    self.Expect(!refusal("alltoall 4 1 1s 5").empty(), "a word too many");
    self.Expect(!refusal("alltoall 4").empty(), "a word too few");
    for (const auto& [name, collective] : CollectiveNames())
    {
        self.ExpectEqual(NameOf(collective), name, "names");
    }
}

/// A list of hosts says where ranks are, and mistakes are told with their place.
void
TestHostList(FunctionCase& self)
{
    const auto read = [](const std::string& text) {
        std::istringstream is(text);
        return HostList::Read(is, "hosts.txt", 50);
    };
    self.Expect(read("# 6 ranks\n12-14 3\n\n40 49 # the last\n") ==
                    std::vector<uint32_t>{12, 13, 14, 3, 40, 49},
                "hosts in the order of ranks");
    self.Expect(read("7-7 0") == std::vector<uint32_t>{7, 0}, "a range of one");
    const auto refusal = [&read](const std::string& text) { return Refusal([&] { read(text); }); };
    for (const std::string word : {"50", "4-50", "5-4", "-3", "3-", "1-2-3", "x", "1,2", "0x1"})
    {
        self.ExpectEqual(refusal("1\n" + word),
                         "hosts.txt:2: host=" + word +
                             ": allowed is a host from 0 to 49, or a range of them as 4-7",
                         word);
    }
    self.ExpectEqual(refusal("1-5\n9 3"),
                     "hosts.txt:2: host=3: allowed is each host once",
                     "a host twice");
    self.ExpectEqual(refusal("1"),
                     "hosts.txt:1: there is one host; allowed are two at least",
                     "one host");
    self.ExpectEqual(refusal("# none"),
                     "hosts.txt:1: the file ends; allowed is a line with hosts",
                     "no host");
}

/// The suite.
class CollectiveAlgorithmsSuite : public FunctionSuite
{
  public:
    CollectiveAlgorithmsSuite()
        : FunctionSuite("fabric-collective-algorithms", kUnit)
    {
        Add("SC-3 recursive halving and doubling add each byte of each rank once", TestRecursive);
        Add("SC-3 ranks that are too many for a power of two hand on to others", TestPowerOfTwo);
        Add("SC-3 Bruck's all-gather brings all the parts of all", TestBruckAllgather);
        Add("SC-3 Bruck's all-to-all brings each rank a part of each", TestBruckAlltoall);
        Add("SC-3 a chain brings all the buffer of rank 0, piece by piece", TestChain);
        Add("SC-3 a double tree adds each byte of each rank once, piece by piece", TestDoubleTree);
        Add("SC-3 a double tree is two trees with other leaves", TestTrees);
        Add("SC-3 what has no pieces is not cut", TestUncut);
        Add("SC-3 strands of a rank are one rank", TestStrands);
        Add("SC-3 jobs beside each other do what each does alone", TestJobs);
        Add("SC-3 jobs of different kinds do what each does alone", TestMixedJobs);
        Add("SC-3 jobs begin on their own", TestStarts);
        Add("SC-3 a list of jobs is read", TestJobList);
        Add("SC-3 a list of hosts is read", TestHostList);
    }
};

const CollectiveAlgorithmsSuite g_collectiveAlgorithmsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
