/* SPDX-License-Identifier: GPL-2.0-only */
#include "command-bed.h"
#include "fabric-command-helper.h"
#include "fabric-fat-tree-helper.h"
#include "fabric-triggered-allreduce.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return a word after an operation, with the types of C++ @tparam Word of memory
template <typename Word>
Word
Obvious(AtomicOp op, Word word, Word operand, Word compare)
{
    switch (op)
    {
    case AtomicOp::SUM:
        return static_cast<Word>(static_cast<uint64_t>(word) + static_cast<uint64_t>(operand));
    case AtomicOp::MIN:
        return std::min(word, operand);
    case AtomicOp::MAX:
        return std::max(word, operand);
    case AtomicOp::SWAP:
        return operand;
    default:
        return word == compare ? operand : word;
    }
}

/// Draws operations on memory. @tparam Word of memory
template <typename Word>
void
TestWords(FunctionCase& self, uint32_t seed)
{
    std::mt19937_64 random(seed);
    TargetMemory memory(64);
    AtomicUnit unit(memory, 10, 100);
    std::vector<Word> words(64 / sizeof(Word), 0);
    for (uint32_t i = 0; i < 300; ++i)
    {
        AtomicRequest request;
        request.op = static_cast<AtomicOp>(random() % ATOMIC_OPS);
        request.isWide = sizeof(Word) == 8;
        request.isSigned = std::is_signed_v<Word>;
        const std::size_t place = random() % words.size();
        request.address = static_cast<uint32_t>(place * sizeof(Word));
        request.operand = random() >> random() % 64;
        request.compare = random() % 2 == 0 ? words[place] : random();
        const AtomicResult result = unit.Do(request, 0);
        self.ExpectEqual(static_cast<Word>(result.word), words[place], Text("seed ", seed));
        words[place] = Obvious(request.op,
                               words[place],
                               static_cast<Word>(request.operand),
                               static_cast<Word>(request.compare));
        for (std::size_t each = 0; each < words.size(); ++each)
        {
            const auto address = static_cast<uint32_t>(each * sizeof(Word));
            self.Expect(static_cast<Word>(memory.Read(address, sizeof(Word))) == words[each],
                        Text("seed ", seed, ": word ", each));
        }
    }
}

/// Whatever comes, words are what C++ makes of them.
void
TestOperations(FunctionCase& self)
{
    const TestSeeds seeds(30);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        TestWords<uint64_t>(self, seed);
        TestWords<int64_t>(self, seed);
        TestWords<uint32_t>(self, seed);
        TestWords<int32_t>(self, seed);
    }
}

/// Operations on one word wait for each other; others go on at the pace of the unit.
void
TestConflicts(FunctionCase& self)
{
    TargetMemory memory(64);
    AtomicUnit unit(memory, 10, 100);
    AtomicRequest request;
    const auto at = [&](uint32_t address, TimePs now) {
        request.address = address;
        return unit.Do(request, now).at;
    };
    self.ExpectEqual(at(0, 0), 100, "the first one");
    self.ExpectEqual(at(8, 0), 110, "another word");
    self.ExpectEqual(at(0, 0), 200, "the same word");
    self.ExpectEqual(at(16, 0), 210, "behind it");
    self.ExpectEqual(at(8, 300), 400, "nothing is under way");
    self.ExpectEqual(unit.Conflicts(), 1, "conflicts");
    self.Expect(unit.Do({1, 0, 64}, 0).isRefused, "beyond the end");
    self.Expect(unit.Do({1, 0, 4}, 0).isRefused, "not aligned");
}

/// @return an atomic operation as a command
CommandStream
Atomic(const AtomicRequest& request)
{
    CommandStream stream;
    stream.op = CommandOp::ATOMIC;
    stream.bytes = request.Bytes();
    stream.arguments.atomic = request;
    return stream;
}

/// Counts are fetched, and none is lost.
void
TestFetch(FunctionCase& self)
{
    CommandBed bed;
    AtomicRequest add;
    add.operand = 3;
    add.address = 8;
    add.fetches = true;
    CommandStream stream = Atomic(add);
    stream.count = 50;
    bed.Post(0, stream);
    bed.Run();
    add.address = 4096;
    bed.Post(0, Atomic(add));
    bed.Run();
    const std::vector<CommandReport>& reports = bed.Reports(0);
    self.ExpectEqual(reports.size(), 51, "reports");
    for (uint64_t i = 0; i < 50; ++i)
    {
        self.ExpectEqual(reports[i].value, 3 * i, "what was there");
    }
    self.Expect(reports[50].event == CommandEvent::REFUSED, "there is no such word");
    self.ExpectEqual(bed.Engine(1).Memory().Read(8, 8), 150, "sum");
    self.Expect(bed.Engine(1).Atomics().Conflicts() > 0, "they met");
    self.ExpectEqual(bed.Engine(0).Sender().Outstanding(), 0, "nothing is open");
}

/// Commands wait for counters, whichever is first, and go in order.
void
TestTriggers(FunctionCase& self)
{
    for (const bool isLate : {false, true})
    {
        CommandSettings settings;
        settings.flowDepth = 2;
        CommandBed bed(settings);
        CommandStream send;
        send.op = CommandOp::SEND;
        send.arguments.trigger = {3, 5};
        if (!isLate)
        {
            for (uint64_t i = 0; i < 10; ++i)
            {
                send.bytes = i;
                bed.Post(0, send);
            }
            send.arguments.trigger.threshold = 6;
            bed.Post(0, send);
            bed.Run();
            self.ExpectEqual(bed.Reports(1).size(), 0, "none goes by itself");
            self.ExpectEqual(bed.Engine(0).KeptArguments(), 11, "all wait");
        }
        CommandStream put;
        put.count = 5;
        put.arguments.counter = isLate ? NO_COUNTER : 3; // of the own side, or of the other one
        put.arguments.targetCounter = isLate ? 3 : NO_COUNTER;
        bed.Post(0, put, isLate ? 1 : 0);
        bed.Run();
        if (isLate)
        {
            send.count = 10;
            bed.Post(0, send);
            bed.Run();
        }
        self.ExpectEqual(bed.Engine(0).Counters().Value(3), 5, "counter");
        self.ExpectEqual(bed.Reports(1).size() - (isLate ? 5 : 0), 10, "messages");
        self.Expect(isLate || std::is_sorted(
                                  bed.Reports(1).begin(),
                                  bed.Reports(1).end(),
                                  [](const auto& a, const auto& b) { return a.bytes < b.bytes; }),
                    "in order");
        self.ExpectEqual(bed.Engine(0).Processor().Counts().commands,
                         isLate ? 10 : 16,
                         "commands that the NIC has taken");
        self.ExpectEqual(bed.Engine(0).KeptArguments(), isLate ? 0 : 1, "one waits for a sixth");
    }
}

/// @return what hosts of a tree have after an all-reduce, and when
std::string
Allreduce(FunctionCase& self, AtomicOp op, uint32_t hosts, bool lookahead, uint32_t threads)
{
    FatTreeConfig config;
    config.levels = 2;
    config.radix = 8;
    FatTreeHelper helper(config);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    helper.SetNetworkAttribute("Threads", UintegerValue(threads));
    helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
    const FabricContainer fabric = helper.Install();
    const FabricCommandHelper commands;
    std::vector<Ptr<FabricCommandQueues>> queues;
    std::vector<uint64_t> words;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        queues.push_back(commands.Install(fabric, host));
        words.push_back(1000 + host * 7919 % 101);
    }
    FabricTriggeredAllreduce allreduce(queues, op);
    Simulator::Schedule(NanoSeconds(5), [&] { allreduce.Start(words); });
    Simulator::Run();
    self.Expect(allreduce.IsDone(), "all have the result");
    const uint64_t expected = op == AtomicOp::SUM
                                  ? std::accumulate(words.begin(), words.end(), uint64_t{0})
                              : op == AtomicOp::MIN ? *std::min_element(words.begin(), words.end())
                                                    : *std::max_element(words.begin(), words.end());
    std::ostringstream text;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        self.ExpectEqual(allreduce.GetResult(host), expected, Text("host ", host));
        text << queues[host]->GetEngine().Counters().LastAt(2) << '\n';
    }
    text << allreduce.GetDuration() << '\n';
    self.Expect(fabric.network->IsEmpty(), "nothing is left");
    fabric.network->CheckInvariants();
    Simulator::Destroy();
    return text.str();
}

/// NICs make an all-reduce; neither windows nor threads change anything.
void
TestAllreduce(FunctionCase& self)
{
    for (const uint32_t hosts : {1, 2, 13})
    {
        Allreduce(self, AtomicOp::MIN, hosts, true, 1);
    }
    Allreduce(self, AtomicOp::MAX, 16, true, 1);
    const std::string expected = Allreduce(self, AtomicOp::SUM, 32, false, 1);
    self.ExpectSame(Allreduce(self, AtomicOp::SUM, 32, true, 1), expected, "look-ahead");
    self.ExpectSame(Allreduce(self, AtomicOp::SUM, 32, true, 3), expected, "three threads");
    self.ExpectSame(Refusal([] { FabricTriggeredAllreduce({}, AtomicOp::SWAP); }),
                    "a triggered all-reduce of 0 hosts by operation 3; allowed is at least one "
                    "host, and 0 to 2 for sum, minimum and maximum",
                    "refusal");
}

/// The suite.
class CommandAtomicSuite : public FunctionSuite
{
  public:
    CommandAtomicSuite()
        : FunctionSuite("fabric-command-atomic", kUnit)
    {
        Add("NQ-12 atomics against the types of C++", TestOperations);
        Add("NQ-12 the conflict check", TestConflicts);
        Add("NQ-14 atomics that fetch", TestFetch);
        Add("NQ-13 triggered commands", TestTriggers);
        Add("NQ-13 DP-5 DP-15 an all-reduce without hosts", TestAllreduce);
    }
};

CommandAtomicSuite g_commandAtomicSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
