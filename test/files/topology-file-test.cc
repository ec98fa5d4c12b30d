/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-graph-file.h"
#include "fabric-topology-file.h"
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

/// Two hosts and two switches, after a first line.
const std::string TOPOLOGY_REST = "2 3\n0 2 100Gbps 1us 0\n1 3 25000000000.0 0.001ms\n"
                                  "2 3 400Gbps 1500ns 0.001\n";

/// @return what a text says
TopologyFile
ReadTopology(const std::string& text)
{
    std::istringstream is(text);
    return TopologyFile::Read(is, "t.txt");
}

/// @return what is written of it
std::string
WriteTopology(const TopologyFile& file)
{
    std::ostringstream os;
    file.Write(os);
    return os.str();
}

/// Each of the first lines is told apart by its words.
void
TestFirstLines(FunctionCase& test)
{
    using Header = TopologyFile::Header;
    const std::vector<std::pair<std::string, Header>> lines{
        {"4 2 3", Header::PLAIN},
        {"4 2 1 3", Header::TORS},
        {"4 2 1 3 25 100.5", Header::RATES},
        {"4 8 1 1 3 A100", Header::GPUS},
        {"4 8 1 1 3 H800 16", Header::GPUS_PER_NODE},
    };
    for (const auto& [line, header] : lines)
    {
        const TopologyFile file = ReadTopology(line + "\n" + TOPOLOGY_REST);
        test.Expect(file.header == header, line);
        test.ExpectEqual(file.nodes, 4U, line);
        test.Expect(file.switches == std::vector<uint32_t>{2, 3}, line);
        test.ExpectEqual(file.links.size(), 3U, line);
        const bool hasTors = header == Header::TORS || header == Header::RATES;
        test.ExpectEqual(file.tors, hasTors ? 1U : 0U, line);
        test.ExpectEqual(file.hostRate, header == Header::RATES ? 25.0 : 0.0, line);
        test.ExpectEqual(file.leafRate, header == Header::RATES ? 100.5 : 0.0, line);
        const bool hasGpus = header == Header::GPUS || header == Header::GPUS_PER_NODE;
        test.ExpectEqual(file.nvSwitches, hasGpus ? 1U : 0U, line);
        test.ExpectEqual(file.gpusPerServer, hasGpus ? 8U : 0U, line);
        test.ExpectEqual(file.gpusPerNode, header == Header::GPUS_PER_NODE ? 16U : 0U, line);
        test.ExpectEqual(WriteTopology(file),
                         line + "\n2 3\n0 2 100Gbps 1us 0\n1 3 25Gbps 1us 0\n"
                                "2 3 400Gbps 1500ns 0.001\n",
                         "written");
    }
    test.ExpectEqual(ReadTopology("4 8 1 1 3 A100\n" + TOPOLOGY_REST).gpuType, "A100", "the word");
}

/// A file without switches has a blank second line.
void
TestNoSwitches(FunctionCase& test)
{
    const std::string text = "2 0 1\n\n0 1 100Gbps 1us 0\n";
    const TopologyFile file = ReadTopology(text);
    test.Expect(file.switches.empty(), "none");
    test.ExpectEqual(file.links.size(), 1U, "the link");
    test.ExpectEqual(WriteTopology(file), text, "written");
}

/// Links beyond the number of the first line are left out, as in the file that comes with HPCC: its
/// lines end with CR and LF, and those that are left out name nodes that are none.
void
TestSurplusLinks(FunctionCase& test)
{
    const std::string text = "4 1 3\r\n0\r\n0 1 100Gbps 0.001ms 0\r\n0 2 100Gbps 0.001ms 0\r\n"
                             "0 3 100Gbps 0.001ms 0\r\n";
    test.Expect(ReadTopology(text).warnings.empty(), "nothing is left out");
    const std::string surplus = text + "\r\n0 4 100Gbps 0.001ms 0\r\n0 5 25Gbps\r\n";
    const TopologyFile file = ReadTopology(surplus);
    test.ExpectEqual(file.links.size(), 3U, "links");
    test.ExpectEqual(file.links[2].b, 3U, "the last one");
    test.ExpectEqual(file.warnings.size(), 1U, "warnings");
    const std::string warning = "t.txt:7: this line and all after it are left out, since the first "
                                "line says 3 links";
    test.ExpectEqual(file.warnings.at(0), warning, "told");
    std::istringstream is(surplus);
    const GraphFile graph = GraphFile::Read(is, "t.txt");
    test.ExpectEqual(graph.hostLinks.size(), 3U, "hosts");
    test.Expect(graph.warnings == std::vector<std::string>{warning}, "told of the fabric, too");
}

/// A fabric has the rate of errors of each link, and knows the nodes.
void
TestGraphOfFile(FunctionCase& test)
{
    std::istringstream is("5 2 1 4 25 100\n1 4\n0 1 1Gbps 1us 0\n2 1 1Gbps 1us 0.25\n"
                          "3 4 1Gbps 1us 0\n1 4 1Gbps 1us 0.5\n");
    const GraphFile graph = GraphFile::Read(is, "t.txt");
    test.ExpectEqual(graph.hostLinks[0].errors, 0.0, "host 0");
    test.ExpectEqual(graph.hostLinks[1].errors, 0.25, "host 1 is node 2");
    test.ExpectEqual(graph.links[0].errors, 0.5, "between switches");
    test.Expect(graph.nodes.hosts == std::vector<uint32_t>{0, 2, 3}, "hosts");
    test.Expect(graph.nodes.switches == std::vector<uint32_t>{1, 4}, "switches");
    test.Expect(graph.nodes.HostOf(3) == 2U, "node 3 is host 2");
    test.Expect(!graph.nodes.HostOf(4) && !graph.nodes.HostOf(5), "no hosts");
}

/// What the first line allows.
void
TestHeaderMistakes(FunctionCase& test)
{
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"4", "t.txt:1: the first line has 1 words; allowed are 3 (nodes"},
        {"4 2 1 3 5", "t.txt:1: the first line has 5 words"},
        {"4 2 1 3 25 100 3", "t.txt:1: the first line has 7 words"},
        {"4 2 1 3 A100 8 8 8", "t.txt:1: the first line has 8 words"},
        {"4 2 3 3", "t.txt:1: number of ToRs=3: allowed is a whole number from 0 to 2"},
        {"4 2 1 3 -1 100", "t.txt:1: rate of hosts=-1: allowed is a number from 0"},
        {"4 8 4 0 3 A100",
         "t.txt:1: number of NVSwitches=4: allowed is a whole number from 0 to 3"},
        {"4 8 2 2 3 A100", "t.txt:1: number of switches=2: allowed is a whole number from 0 to 1"},
        {"98303 1 2", "t.txt:1: number of nodes=98303: allowed is a whole number from 2 to 98302"},
        {"4 2 18446744073709551616", "t.txt:1: number of links=18446744073709551616: allowed"},
        {"4 2 10000000", "t.txt:5: the file ends; allowed is a line with link 4 of 10000000"},
    };
    for (const auto& [line, sentence] : mistakes)
    {
        const std::string refusal =
            Refusal([&line = line] { ReadTopology(line + "\n" + TOPOLOGY_REST); });
        test.ExpectEqual(refusal.substr(0, sentence.size()), sentence, "refused");
    }
    test.ExpectEqual(Refusal([] { TopologyFile::Read("/"); }),
                     "/: can't be read; allowed is a file with a topology",
                     "a folder");
}

/// What can't be shown is not in sentences.
void
TestShownWords(FunctionCase& test)
{
    test.ExpectEqual(Refusal([] { ReadTopology("4 2\xff\x1b[2J 1\n"); }).substr(0, 32),
                     "t.txt:1: number of switches=2??[",
                     "other characters");
    test.ExpectEqual(Refusal([] { ReadTopology("4 " + std::string(100, '9') + " 1\n"); }),
                     "t.txt:1: number of switches=" + std::string(60, '9') +
                         "...: allowed is a whole number from 0 to 3",
                     "a long word");
}

/// A line without an end does not take all memory.
void
TestEndlessLine(FunctionCase& test)
{
    const std::string refusal = Refusal([] { TopologyFile::Read("/dev/zero"); });
    test.ExpectEqual(
        refusal,
        "/dev/zero:1: the line has more than 4194304 characters; allowed are at most so "
        "many",
        "an endless file");
}

/// Suite of topology files.
class TopologyFileSuite : public FunctionSuite
{
  public:
    TopologyFileSuite()
        : FunctionSuite("fabric-topology-file", kUnit)
    {
        Add("FF-1 FF-8 all first lines", TestFirstLines);
        Add("FF-1 FF-8 no switches", TestNoSwitches);
        Add("FF-1 SC-4 links beyond the number", TestSurplusLinks);
        Add("FF-1 nodes and errors of a fabric", TestGraphOfFile);
        Add("FF-1 mistakes in the first line", TestHeaderMistakes);
        Add("FF-8 a line without an end", TestEndlessLine);
        Add("FF-8 words in sentences", TestShownWords);
    }
};

TopologyFileSuite g_topologyFileSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
