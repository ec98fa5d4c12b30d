/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-connection-matrix.h"
#include "fabric-flow-file.h"
#include "fabric-flow-list-maker.h"
#include "fabric-goal-file.h"
#include "fabric-graph-file.h"
#include "fabric-size-cdf.h"
#include "fabric-topology-file.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"

#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A kind of file.
struct FileKind
{
    std::string name;               ///< For messages.
    std::vector<std::string> valid; ///< Files without a mistake.
    /// Reads a text, writes what it says, and makes of it what a run needs.
    std::function<std::string(const std::string&)> rewrite;
};

/// @return a reader and writer. @param use makes of a file what a run needs
template <typename File>
std::function<std::string(const std::string&)>
Rewriter(const std::function<void(const File&)>& use = {})
{
    return [use](const std::string& text) {
        std::istringstream is(text);
        const File file = File::Read(is, "m.txt");
        std::ostringstream os;
        file.Write(os);
        if (use)
        {
            use(file);
        }
        return os.str();
    };
}

/// @return all kinds of files
std::vector<FileKind>
FileKinds()
{
    const auto list = [](const FlowFile& file) {
        FlowListMaker("m.txt").Make(file, NodeNumbers::HostsFirst(12, 4), {0, 1, 2, 3});
    };
    const auto matrix = [](const ConnectionMatrix& file) { FlowListMaker("m.txt").Make(file, 16); };
    const auto goal = [](const GoalFile& file) { FlowListMaker("m.txt").Make(file, 16); };
    const std::string links = "4 5\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0.01\n2 5 1Gbps 0.001ms\n"
                              "3 5 25000000000.0 10ns 0\n4 5 400Gbps 1us 0\n";
    return {
        {"topology.txt",
         {"6 2 5\n" + links,
          "6 2 1 5\n" + links,
          "6 2 2 5 100 400\n" + links,
          "6 8 1 1 5 A100\n" + links,
          "6 8 1 1 5 H800 8 # all\n" + links,
          "2 0 1\n\n0 1 1Gbps 1us\n"},
         Rewriter<TopologyFile>()},
        {"flow.txt",
         {"3\n0 1 3 100 1000 2.0\n2 3 1 100 20000 0.5\n4 5 0 100 1 2.00001\n",
          "2\n0 1 3 1000 0\n1 0 3 2000 1e-3"},
         Rewriter<FlowFile>(list)},
        {"CDF",
         {"0 0\n1000 15\n1000 20\n30000 100\n", "100 0.5\n2e6 1"},
         Rewriter<SizeCdf>([](const SizeCdf& cdf) { cdf.BytesAt(cdf.Mean() * 0 + 0.4); })},
        {"connection matrix",
         {"Nodes 8\nConnections 3\nTriggers 2\n0->1 id 1 start 0 size 200 send_done_trigger 1\n"
          "2->1 id 2 trigger 1 size 4000 recv_done_trigger 2\n0->3 id 3 trigger 2 size 5\n"
          "trigger id 1 oneshot\ntrigger id 2 barrier count 1\n",
          "Nodes 16\nConnections 1\n0->15 start 0 size 2000000 prio 3"},
         Rewriter<ConnectionMatrix>(matrix)},
        {"GOAL trace",
         {"num_ranks 2\nrank 0 {\nl1: calc 100\nl2: send 8b to 1 tag 5 cpu 0\nl2 requires l1\n}\n"
          "rank 1 {\nl1: recv 8b from 0 tag 5\nl2: calc 50 cpu 1\nl2 irequires l1\n}\n",
          "num_ranks 3\nrank 2 { a: send 1b to 0; b: calc 5; b requires a }\n",
          "num_ranks 3 /* of\nthem */\nrank 2 { a: send 1b to 0 tag 3 }\n"
          "rank 0 { a: recv 1b from -1 tag -1 /* any */ }\n"},
         Rewriter<GoalFile>(goal)}};
}

/// @return the text with some small damage
std::string
Mutate(std::string text, std::minstd_rand& random)
{
    static const std::vector<std::string> huge{"4294967296",
                                               "18446744073709551616",
                                               "99999999",
                                               "-1",
                                               "nan",
                                               "1e308",
                                               "0",
                                               "->",
                                               "\n",
                                               "1e-320"};
    static const std::string letters = "0123456789 \n\t#.-+>eGx/*\r\xff";
    for (uint32_t n = 1 + random() % 3; n > 0 && !text.empty(); --n)
    {
        const std::size_t at = random() % text.size();
        switch (random() % 7)
        {
        case 0:
            text.erase(at, 1 + random() % 4);
            break;
        case 1:
            text.insert(at, 1, letters[random() % letters.size()]);
            break;
        case 2:
            std::swap(text[at], text[random() % text.size()]);
            break;
        case 3:
            text[at] = letters[random() % letters.size()];
            break;
        case 4:
            text.insert(at, text.substr(random() % text.size(), random() % 20));
            break;
        case 5:
            text.resize(at);
            break;
        default:
            // In place of a word.
            const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
            text.replace(at, end - at, huge[random() % huge.size()]);
        }
    }
    return text;
}

/// Files without a mistake come back as they are written.
void
TestRoundTrips(FunctionCase& test)
{
    for (const FileKind& kind : FileKinds())
    {
        for (const std::string& text : kind.valid)
        {
            const std::string written = kind.rewrite(text);
            test.ExpectEqual(kind.rewrite(written), written, kind.name);
        }
    }
}

/// Any damage is told in a sentence, or leaves a file that comes back as it is written.
void
TestMutations(FunctionCase& test)
{
    uint32_t told = 0;
    uint32_t valid = 0;
    for (const FileKind& kind : FileKinds())
    {
        const TestSeeds seeds(10000);
        for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
        {
            std::minstd_rand random(seed);
            const std::string text = Mutate(kind.valid[random() % kind.valid.size()], random);
            const std::string what = kind.name + ", seed " + std::to_string(seed) + ": ";
            std::string written;
            const std::string refusal = Refusal([&] { written = kind.rewrite(text); });
            if (refusal.empty())
            {
                ++valid;
                test.ExpectEqual(kind.rewrite(written), written, what + text);
            }
            else
            {
                ++told;
                const bool isSentence =
                    refusal.find("m.txt:") == 0 && refusal.find("allowed") != std::string::npos;
                test.Expect(isSentence, what + refusal);
            }
        }
    }
    test.Expect(told > 0 && valid > 0, "some of both");
}

/// The same of what a fabric makes of a topology.
void
TestMutatedGraphs(FunctionCase& test)
{
    const FileKind kind = FileKinds().front();
    const TestSeeds seeds(1000);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        std::istringstream is(Mutate(kind.valid[random() % kind.valid.size()], random));
        const std::string refusal = Refusal([&is] { GraphFile::Read(is, "m.txt"); });
        const bool isSentence =
            refusal.find("m.txt:") == 0 && refusal.find("allowed") != std::string::npos;
        test.Expect(refusal.empty() || isSentence, "seed " + std::to_string(seed) + ": " + refusal);
    }
}

/// Suite of damaged files.
class MutatedFilesSuite : public FunctionSuite
{
  public:
    MutatedFilesSuite()
        : FunctionSuite("fabric-mutated-files", kUnit)
    {
        Add("FF-8 read, written and read again", TestRoundTrips);
        Add("FF-8 damaged files of all kinds", TestMutations);
        Add("FF-8 fabrics of damaged files", TestMutatedGraphs);
    }
};

MutatedFilesSuite g_mutatedFilesSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
