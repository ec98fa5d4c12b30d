/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-file.h"
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

/// @return what a text says
FlowFile
ReadFlows(const std::string& text)
{
    std::istringstream is(text);
    return FlowFile::Read(is, "f.txt");
}

/// @return what is written of it
std::string
WriteFlows(const FlowFile& file)
{
    std::ostringstream os;
    file.Write(os);
    return os.str();
}

/// Flows come in the order of their starts; those of one start as they are listed.
void
TestFlows(FunctionCase& test)
{
    const FlowFile file = ReadFlows("4\n"
                                    "0 1 3 100 1000 2.000001\n"
                                    "2 3 4 200 1099511627776 2\r\n"
                                    "\n"
                                    "4 5 0 0 1 2.000001 # a comment\n"
                                    "6 7 7 65535 7 1e-9");
    test.Expect(file.hasPorts, "with ports");
    test.Expect(file.warnings.empty(), "nothing is left out");
    const std::vector<uint32_t> sources{6, 2, 0, 4};
    const std::vector<TimePs> starts{1000, 2'000'000'000'000, 2'000'001'000'000, 2'000'001'000'000};
    for (std::size_t i = 0; i < sources.size(); ++i)
    {
        test.ExpectEqual(file.flows[i].src, sources[i], "source");
        test.ExpectEqual(file.flows[i].dst, sources[i] + 1, "destination");
        test.ExpectEqual(file.flows[i].start, starts[i], "start");
    }
    test.ExpectEqual(file.flows[1].priority, 4U, "priority");
    test.ExpectEqual(file.flows[1].port, 200U, "port");
    test.ExpectEqual(file.flows[1].bytes, uint64_t{1} << 40, "bytes");
    test.ExpectEqual(WriteFlows(file),
                     "4\n6 7 7 65535 7 1e-09\n2 3 4 200 1099511627776 2\n"
                     "0 1 3 100 1000 2.000001\n4 5 0 0 1 2.000001\n",
                     "written");
    test.ExpectEqual(WriteFlows(ReadFlows(WriteFlows(file))), WriteFlows(file), "read again");
}

/// A dialect has no ports.
void
TestFlowsWithoutPorts(FunctionCase& test)
{
    const FlowFile file = ReadFlows("2\n0 1 3 1000 0\n1 0 3 2000 0.5\n");
    test.Expect(!file.hasPorts, "without ports");
    test.ExpectEqual(file.flows[0].port, 100U, "the usual one");
    test.ExpectEqual(file.flows[1].bytes, 2000U, "bytes");
    test.ExpectEqual(WriteFlows(file), "2\n0 1 3 1000 0\n1 0 3 2000 0.5\n", "written");
}

/// What stands after the last flow is left out, with a warning.
void
TestFlowsBeyondCount(FunctionCase& test)
{
    const FlowFile file = ReadFlows("1\n0 1 3 100 1000 0\n\nwhatever this is\n1 0 3 100 5 0\n");
    test.ExpectEqual(file.flows.size(), 1U, "flows");
    test.ExpectEqual(file.warnings.size(), 1U, "warnings");
    test.ExpectEqual(
        file.warnings.at(0),
        "f.txt:4: this line and all after it are left out, since the first line says 1 "
        "flows",
        "where it begins");
    test.Expect(ReadFlows("0\n").flows.empty(), "no flows at all");
}

/// A mistake is told with file, line and what is allowed.
void
TestFlowMistakes(FunctionCase& test)
{
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"", "f.txt:1: the file ends; allowed is a line with the number of flows"},
        {"-1\n", "f.txt:1: number of flows=-1: allowed is a whole number from 0 to 100000000"},
        {"1 2\n", "f.txt:1: '2' is one word too many; allowed are the number of flows alone"},
        {"2\n0 1 3 100 1 0\n", "f.txt:2: the file ends; allowed is a line with flow 2 of 2"},
        {"100000000\n0 1 3 1 0\n", "f.txt:2: the file ends; allowed is a line with flow 2 of 1000"},
        {"1\n98302 1 3 100 1 0",
         "f.txt:2: source=98302: allowed is a whole number from 0 to 98301"},
        {"1\n0 x 3 100 1 0", "f.txt:2: destination=x: allowed is a whole number"},
        {"1\n0 1 65536 100 1 0", "f.txt:2: priority=65536: allowed is a whole number"},
        {"1\n0 1 3 65536 1 0", "f.txt:2: port=65536: allowed is a whole number from 0 to 65535"},
        {"1\n0 1 3 100 0 0", "f.txt:2: bytes=0: allowed is a whole number from 1 to 1099511627776"},
        {"1\n0 1 3 100 1e6 0", "f.txt:2: bytes=1e6: allowed is a whole number"},
        {"1\n0 1 3 100 1 -0.1", "f.txt:2: start=-0.1: allowed is a number from 0 to 1000"},
        {"1\n0 1 3 100 1 nan", "f.txt:2: start=nan: allowed is a number from 0 to 1000"},
        {"1\n0 1 3 100 1 1001", "f.txt:2: start=1001: allowed is a number from 0 to 1000"},
        {"1\n0 1 3 1", "f.txt:2: the line has 4 words; allowed are 6, source, destination, priori"},
        {"1\n0 1 3 100 1 0 0", "f.txt:2: the line has 7 words; allowed are 6"},
        {"2\n0 1 3 1 0\n0 1 3 100 1 0", "f.txt:3: the line has 6 words; allowed are 5, as in the"},
        {"2\n0 1 3 100 1 0\n0 1 3 1 0", "f.txt:3: the line has 5 words; allowed are 6, as in the"},
        {"1\n4 4 3 100 1 0",
         "f.txt:2: node 4 sends to itself; allowed are flows between two nodes"},
    };
    for (const auto& [text, sentence] : mistakes)
    {
        const std::string refusal = Refusal([&text = text] { ReadFlows(text); });
        test.ExpectEqual(refusal.substr(0, sentence.size()), sentence, "refused");
    }
    test.ExpectEqual(Refusal([] { FlowFile::Read("no/file"); }),
                     "no/file: can't be read; allowed is a file with flows",
                     "no file");
}

/// Suite of flow files.
class FlowFileSuite : public FunctionSuite
{
  public:
    FlowFileSuite()
        : FunctionSuite("fabric-flow-file", kUnit)
    {
        Add("FF-2 FF-8 flows by their starts", TestFlows);
        Add("FF-2 FF-8 flows without ports", TestFlowsWithoutPorts);
        Add("FF-2 lines beyond the count", TestFlowsBeyondCount);
        Add("FF-2 mistakes in a file", TestFlowMistakes);
    }
};

FlowFileSuite g_flowFileSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
