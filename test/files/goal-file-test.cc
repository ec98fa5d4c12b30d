/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-goal-file.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A trace with all that there is.
const std::string GOAL =
    "// a comment\n"
    "num_ranks 3 # another\n"
    "rank 0 {\n"
    "l1: calc 100\n"
    "l2: send 8b to 1 tag 5 cpu 1 nic 0\n"
    "l2 requires l1 // and so on\n"
    "}\n"
    "\n"
    "rank 2 { a: recv 10b from 1; b: calc 0 cpu 7; b irequires a; b requires a }\n"
    "rank 1 {\n"
    "x: recv 8 from 0 tag 5\n"
    "y: send 10b to 2\n"
    "}";

/// @return what a text says
GoalFile
ReadGoal(const std::string& text)
{
    std::istringstream is(text);
    return GoalFile::Read(is, "g.goal");
}

/// @return what is written of it
std::string
WriteGoal(const GoalFile& file)
{
    std::ostringstream os;
    file.Write(os);
    return os.str();
}

/// All words of a trace.
void
TestGoal(FunctionCase& test)
{
    using Kind = GoalFile::Kind;
    const GoalFile file = ReadGoal(GOAL);
    test.ExpectEqual(file.ranks.size(), 3U, "ranks");
    test.Expect(file.warnings.empty(), "nothing is left out");
    const GoalFile::Operation& calc = file.ranks[0].at(0);
    test.Expect(calc.kind == Kind::CALC && calc.amount == 100 && calc.cpu == 0, "calc");
    const GoalFile::Operation& send = file.ranks[0].at(1);
    test.Expect(send.kind == Kind::SEND && send.amount == 8 && send.peer == 1, "send");
    test.Expect(send.tag == 5 && send.cpu == 1, "its tag and CPU");
    test.Expect(send.afterEnds == std::vector<uint32_t>{0}, "what it requires");
    const GoalFile::Operation& receive = file.ranks[2].at(0);
    test.Expect(receive.kind == Kind::RECV && receive.amount == 10 && receive.peer == 1, "recv");
    test.Expect(file.ranks[2].at(1).afterStarts == std::vector<uint32_t>{0}, "irequires");
    test.ExpectEqual(file.ranks[1].at(0).amount, 8U, "bytes without a unit");
    const std::string written = "num_ranks 3\n"
                                "rank 0 {\nl1: calc 100 cpu 0\nl2: send 8b to 1 tag 5 cpu 1\n"
                                "l2 requires l1\n}\n"
                                "rank 1 {\nl1: recv 8b from 0 tag 5 cpu 0\n"
                                "l2: send 10b to 2 tag 0 cpu 0\n}\n"
                                "rank 2 {\nl1: recv 10b from 1 tag 0 cpu 0\nl2: calc 0 cpu 7\n"
                                "l2 requires l1\nl2 irequires l1\n}\n";
    test.ExpectEqual(WriteGoal(file), written, "written");
    test.ExpectEqual(WriteGoal(ReadGoal(written)), written, "read again");
    const GoalFile nic = ReadGoal("num_ranks 2\nrank 0 {\nl1: send 8b to 1 nic 1\n}\n");
    test.ExpectEqual(nic.warnings.size(), 1U, "a NIC is left out");
    test.ExpectEqual(nic.warnings.at(0),
                     "g.goal:3: nic is left out, here and wherever it stands",
                     "told");
    test.Expect(nic.ranks[1].empty(), "a rank that does nothing");
}

/// Comments on part of a line or on several ones, as LogGOPSim has them.
void
TestGoalComments(FunctionCase& test)
{
    const std::string plain = WriteGoal(ReadGoal("num_ranks 2\nrank 0 {\nl1: calc 5\n"
                                                 "l2: send 8b to 1\n}\nrank 1 {\n}\n"));
    const std::string commented = "/* a trace // of /* two ranks **/num_ranks 2\n"
                                  "/* rank 1 {\n a: nonsense; }\n # as this */ rank 0 {\n"
                                  "l1: calc /* ns */ 5 /*/ no end yet */ # /* none\n"
                                  "l2: send 8b to 1// */ /* none\n"
                                  "}/**/rank 1 { } /*\n*/";
    test.ExpectEqual(WriteGoal(ReadGoal(commented)), plain, "the same without comments");
    test.ExpectEqual(Refusal([] { ReadGoal("num_ranks 2\n/* a\nrank 0 {\n}\n"); }),
                     "g.goal:4: the file ends within the comment of line 2; allowed is a */ before",
                     "no end");
}

/// Receives of messages of any rank, and with any tag.
void
TestGoalWildcards(FunctionCase& test)
{
    const std::string text =
        "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 5 cpu 0\n}\n"
        "rank 1 {\nl1: recv 8b from -1 tag 5 cpu 0\n"
        "l2: recv 8b from 0 tag -1 cpu 0\nl3: recv 8b from -1 tag 0 cpu 0\n}\n";
    const GoalFile file = ReadGoal(text);
    test.ExpectEqual(file.ranks[1].at(0).peer, GoalFile::ANY, "any rank");
    test.ExpectEqual(file.ranks[1].at(0).tag, 5U, "its tag");
    test.ExpectEqual(file.ranks[1].at(1).peer, 0U, "a rank");
    test.ExpectEqual(file.ranks[1].at(1).tag, GoalFile::ANY, "any tag");
    test.Expect(file.HasWildcards() && !ReadGoal(GOAL).HasWildcards(), "told apart");
    test.ExpectEqual(WriteGoal(file), text, "written");
}

/// @return the trace with one part of it replaced
std::string
GoalWith(const std::string& part, const std::string& other)
{
    std::string text = GOAL;
    return text.replace(text.find(part), part.size(), other);
}

/// A mistake is told with file, line and what is allowed.
void
TestGoalMistakes(FunctionCase& test)
{
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"", "g.goal:1: the file ends; allowed is a line with num_ranks and their number"},
        {GoalWith("num_ranks 3", "num_ranks 0"),
         "g.goal:2: num_ranks=0: allowed is a whole number"},
        {GoalWith("num_ranks 3", "num_ranks 49152"),
         "g.goal:2: num_ranks=49152: allowed is a whole"},
        {GoalWith("num_ranks 3", "ranks 3"),
         "g.goal:2: 'ranks 3' is no statement here; allowed is n"},
        {GoalWith("num_ranks 3", "num_ranks 2"),
         "g.goal:9: rank=2: allowed is a whole number from"},
        {GoalWith("rank 0 {", "rank 0"),
         "g.goal:3: 'rank 0' is no statement here; allowed is rank, "},
        {GoalWith("rank 2", "rank 0"), "g.goal:9: rank 0 stands here again; allowed is once"},
        {GoalWith("calc 100", "calc -1"), "g.goal:4: calc=-1: allowed is a whole number from 0 to"},
        {GoalWith("calc 100", "calc"),
         "g.goal:4: 'l1: calc' is no statement here; allowed is a lab"},
        {GoalWith("calc 100", "calc 100 tag 3"),
         "g.goal:4: 'l1: calc 100 tag 3' is no statement h"},
        {GoalWith("send 8b to 1", "send 8b to 3"),
         "g.goal:5: to=3: allowed is a whole number from"},
        {GoalWith("send 8b to 1", "send 8b to 0"), "g.goal:5: rank 0 sends to itself; allowed are"},
        {GoalWith("send 8b to 1", "send 8b from 1"),
         "g.goal:5: 'l2: send 8b from 1 tag 5 cpu 1 nic"},
        {GoalWith("send 8b", "send 8kb"), "g.goal:5: bytes=8k: allowed is a whole number from 0"},
        {GoalWith("send 8b", "send b"), "g.goal:5: bytes=: allowed is a whole number from 0"},
        {GoalWith("tag 5 cpu", "tag 4294967296 cpu"),
         "g.goal:5: tag=4294967296: allowed is a whole"},
        {GoalWith("tag 5 cpu", "tag 4294967295 cpu"), "g.goal:5: tag=4294967295: allowed is a w"},
        {GoalWith("tag 5 cpu", "tag -1 cpu"),
         "g.goal:5: a message is sent with any tag, -1; allowed is that of receives"},
        {GoalWith("send 8b to 1", "send 8b to -1"), "g.goal:5: to=-1: allowed is a whole number"},
        {GoalWith("cpu 1 nic 0", "cpu"),
         "g.goal:5: 'l2: send 8b to 1 tag 5 cpu' is no statement he"},
        {GoalWith("l2: send", "l1: send"), "g.goal:5: the label 'l1' is none or taken"},
        {GoalWith("l2: send", ": send"), "g.goal:5: the label '' is none or taken"},
        {GoalWith("requires l1", "requires l9"),
         "g.goal:6: the label 'l9' is unknown; allowed are"},
        {GoalWith("requires l1", "needs l1"),
         "g.goal:6: 'l2 needs l1' is no statement here; allowe"},
        {GOAL.substr(0, GOAL.size() - 1),
         "g.goal:12: the file ends within a rank; allowed is a } "},
        {GoalWith("}\n\n", "}\n}\n"),
         "g.goal:8: '}' is no statement here; allowed is rank, its num"},
    };
    for (const auto& [text, sentence] : mistakes)
    {
        const std::string refusal = Refusal([&text = text] { ReadGoal(text); });
        test.ExpectEqual(refusal.substr(0, sentence.size()), sentence, "refused");
        test.Expect(refusal.find("allowed") != std::string::npos, refusal);
    }
    test.ExpectEqual(Refusal([] { GoalFile::Read("no/file"); }),
                     "no/file: can't be read; allowed is a file with a GOAL trace",
                     "no file");
}

/// Suite of GOAL traces.
class GoalFileSuite : public FunctionSuite
{
  public:
    GoalFileSuite()
        : FunctionSuite("fabric-goal-file", kUnit)
    {
        Add("FF-7 FF-8 operations of ranks", TestGoal);
        Add("FF-7 comments", TestGoalComments);
        Add("FF-7 FF-8 any rank and any tag", TestGoalWildcards);
        Add("FF-7 mistakes in a file", TestGoalMistakes);
    }
};

GoalFileSuite g_goalFileSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
