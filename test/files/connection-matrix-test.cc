/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-connection-matrix.h"
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

/// A matrix with all that there is.
const std::string MATRIX = "# a comment\n"
                           "Nodes 8\n"
                           "Connections 5\n"
                           "Triggers 3\n"
                           "Failures 0\n"
                           "\n"
                           "0->1 id 1 start 0 size 2000000 send_done_trigger 1\n"
                           "2->3 start 1500000 size 4000 recv_done_trigger 3\n"
                           "4->5 id 9 trigger 1 size 10 send_done_trigger 2 recv_done_trigger 3\n"
                           "trigger id 1 oneshot\n"
                           "5->6 trigger 2 size 20 id 4\n"
                           "6->7 size 30 trigger 3 id 5\n"
                           "trigger multishot id 2\n"
                           "trigger id 3 barrier count 2";

/// @return what a text says
ConnectionMatrix
ReadMatrix(const std::string& text)
{
    std::istringstream is(text);
    return ConnectionMatrix::Read(is, "m.cm");
}

/// @return what is written of it
std::string
WriteMatrix(const ConnectionMatrix& matrix)
{
    std::ostringstream os;
    matrix.Write(os);
    return os.str();
}

/// All words of a matrix.
void
TestMatrix(FunctionCase& test)
{
    using Kind = ConnectionMatrix::TriggerKind;
    const ConnectionMatrix matrix = ReadMatrix(MATRIX);
    test.ExpectEqual(matrix.nodes, 8U, "nodes");
    test.ExpectEqual(matrix.connections.size(), 5U, "connections");
    test.ExpectEqual(matrix.triggers.size(), 3U, "triggers");
    const ConnectionMatrix::Connection& first = matrix.connections[0];
    test.ExpectEqual(first.src, 0U, "source");
    test.ExpectEqual(first.dst, 1U, "destination");
    test.ExpectEqual(first.id, 1U, "id");
    test.Expect(first.start == TimePs{0}, "start");
    test.ExpectEqual(first.bytes, 2'000'000U, "size");
    test.ExpectEqual(first.sendDoneTrigger, 1U, "trigger when it is sent");
    test.ExpectEqual(first.recvDoneTrigger, 0U, "no other");
    test.Expect(matrix.connections[1].start == TimePs{1'500'000}, "start, ps");
    test.ExpectEqual(matrix.connections[1].recvDoneTrigger, 3U, "trigger when it is received");
    test.ExpectEqual(matrix.connections[2].trigger, 1U, "what starts it");
    test.Expect(!matrix.connections[2].start, "no time");
    test.Expect(matrix.triggers[0].kind == Kind::ONESHOT, "kind");
    test.Expect(matrix.triggers[1].kind == Kind::MULTISHOT, "kind");
    test.Expect(matrix.triggers[2].kind == Kind::BARRIER, "kind");
    test.ExpectEqual(matrix.triggers[2].count, 2U, "activations");
    const std::string written = "Nodes 8\nConnections 5\nTriggers 3\n"
                                "0->1 id 1 start 0 size 2000000 send_done_trigger 1\n"
                                "2->3 start 1500000 size 4000 recv_done_trigger 3\n"
                                "4->5 id 9 trigger 1 size 10 send_done_trigger 2 "
                                "recv_done_trigger 3\n"
                                "5->6 id 4 trigger 2 size 20\n"
                                "6->7 id 5 trigger 3 size 30\n"
                                "trigger id 1 oneshot\n"
                                "trigger id 2 multishot\n"
                                "trigger id 3 barrier count 2\n";
    test.ExpectEqual(WriteMatrix(matrix), written, "written");
    test.ExpectEqual(WriteMatrix(ReadMatrix(written)), written, "read again");
}

/// What htsim's own generators and examples write.
void
TestGenerated(FunctionCase& test)
{
    const ConnectionMatrix incast = ReadMatrix("Nodes 16\nConnections 2\n"
                                               "0->15 start 0 size 2000000\n"
                                               "1->15 start 0 size 2000000");
    test.ExpectEqual(incast.connections.size(), 2U, "without ids");
    test.ExpectEqual(WriteMatrix(incast),
                     "Nodes 16\nConnections 2\n0->15 start 0 size 2000000\n"
                     "1->15 start 0 size 2000000\n",
                     "without triggers");
    const ConnectionMatrix endless = ReadMatrix("Nodes 4\nConnections 1\n"
                                                "0->1 start 0.000000 size 0\n");
    test.ExpectEqual(endless.connections[0].bytes, 0U, "without end");
    test.ExpectEqual(WriteMatrix(endless),
                     "Nodes 4\nConnections 1\n0->1 start 0 size 0\n",
                     "a size of 0 is written");
    const ConnectionMatrix prio = ReadMatrix("Nodes 4\nConnections 1\nTriggers 0\n"
                                             "0->1 id 1 start 10.5 size 5 prio 3\n");
    test.Expect(prio.connections[0].start == TimePs{11}, "to the nearest ps");
    test.ExpectEqual(prio.warnings.size(), 1U, "priorities are left out");
    test.ExpectEqual(prio.warnings.at(0),
                     "m.cm:4: prio is left out, here and wherever it stands",
                     "and that is told");
}

/// @return the matrix with one part of it replaced
std::string
MatrixWith(const std::string& part, const std::string& other)
{
    std::string text = MATRIX;
    return text.replace(text.find(part), part.size(), other);
}

/// A mistake is told with file, line and what is allowed.
void
TestMatrixMistakes(FunctionCase& test)
{
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"", "m.cm:1: the file ends; allowed is a line with Nodes and their number"},
        {"Connections 0\n", "m.cm:1: the file has no Nodes before this line"},
        {MatrixWith("Nodes 8", "Nodes 1"), "m.cm:2: Nodes=1: allowed is a whole number from 2"},
        {MatrixWith("Nodes 8", "Nodes"), "m.cm:2: the line has no Nodes"},
        {MatrixWith("Nodes 8", "Hosts 8"), "m.cm:2: 'Hosts' is unknown; allowed are Nodes, Conn"},
        {MatrixWith("Nodes 8", "Nodes 8 9"), "m.cm:2: '9' is one word too many"},
        {MatrixWith("Failures 0", "Failures 1"),
         "m.cm:5: Failures=1: allowed is a whole number fr"},
        {MatrixWith("Connections 5", "Connections 6"),
         "m.cm:14: the file has 5 connections; allowed are as many as it says, 6"},
        {MatrixWith("Triggers 3", "Triggers 2"),
         "m.cm:14: the file has 3 triggers; allowed are as"},
        {MatrixWith("0->1", "0->8"),
         "m.cm:7: destination=8: allowed is a whole number from 0 to 7"},
        {MatrixWith("0->1", "->1"), "m.cm:7: source=: allowed is a whole number from 0 to 7"},
        {MatrixWith("0->1", "1->1"), "m.cm:7: node 1 sends to itself"},
        {MatrixWith("id 1 start", "id 0 start"), "m.cm:7: id=0: allowed is a whole number from 1"},
        {MatrixWith("id 9", "id 1"), "m.cm:9: id=1 is taken by another connection"},
        {MatrixWith("start 0", "start -1"), "m.cm:7: start=-1: allowed is a number from 0"},
        {MatrixWith("start 0", "start 1e16"), "m.cm:7: start=1e16: allowed is a number from 0"},
        {MatrixWith("start 0 ", ""), "m.cm:7: the connection has no start and no trigger; allowed"},
        {MatrixWith("9 trigger 1", "9 trigger 1 start 0"), "m.cm:9: the connection has both a sta"},
        {MatrixWith("size 10 ", ""), "m.cm:9: the connection has no size"},
        {MatrixWith("size 10", "size -1"), "m.cm:9: size=-1: allowed is a whole number from 0"},
        {MatrixWith("size 10", "size 10 size 11"), "m.cm:9: 'size' stands twice in the line"},
        {MatrixWith("size 10", "colour 10"), "m.cm:9: 'colour' is unknown; allowed are id, start"},
        {MatrixWith("id 1 oneshot", "id 4 oneshot"),
         "m.cm:14: there is no trigger 1, which line 7"},
        {MatrixWith("id 1 oneshot", "id 3 oneshot"), "m.cm:14: the trigger 3 stands here again"},
        {MatrixWith("id 1 oneshot", "id 1 twoshot"), "m.cm:10: trigger=twoshot: allowed is one of"},
        {MatrixWith("id 1 oneshot", "id 1"), "m.cm:10: the trigger has no kind; allowed are id"},
        {MatrixWith("id 1 oneshot", "oneshot"), "m.cm:10: the trigger has no id; allowed are id"},
        {MatrixWith("id 1 oneshot", "id 1 oneshot barrier"), "m.cm:10: 'barrier' is one word too"},
        {MatrixWith("id 1 oneshot", "id 1 oneshot count 1"), "m.cm:10: the trigger has a count"},
        {MatrixWith(" count 2", ""), "m.cm:14: the barrier has no count"},
        {MatrixWith("5->6", "5-6"), "m.cm:11: '5-6' is unknown; allowed are connections such as"},
    };
    for (const auto& [text, sentence] : mistakes)
    {
        const std::string refusal = Refusal([&text = text] { ReadMatrix(text); });
        test.ExpectEqual(refusal.substr(0, sentence.size()), sentence, "refused");
        test.Expect(refusal.find("allowed") != std::string::npos, refusal);
    }
    test.ExpectEqual(Refusal([] { ConnectionMatrix::Read("no/file"); }),
                     "no/file: can't be read; allowed is a file with a connection matrix",
                     "no file");
}

/// Suite of connection matrices.
class ConnectionMatrixSuite : public FunctionSuite
{
  public:
    ConnectionMatrixSuite()
        : FunctionSuite("fabric-connection-matrix", kUnit)
    {
        Add("FF-6 FF-8 connections and triggers", TestMatrix);
        Add("FF-6 what htsim's generators write", TestGenerated);
        Add("FF-6 mistakes in a file", TestMatrixMistakes);
    }
};

ConnectionMatrixSuite g_connectionMatrixSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
