/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel-dependency.h"
#include "fabric-fat-tree.h"
#include "fabric-graph-file.h"
#include "fabric-graph-helper.h"
#include "fabric-graph-routing.h"
#include "fabric-message-recorder.h"
#include "fabric-path-networks.h"
#include "fabric-shortest-path-routing.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-scratch-folder.h"
#include "support/fabric-test-seeds.h"

#include "ns3/simulator.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// Three switches in a ring, with four hosts of which two are on the first.
const std::string SMALL_GRAPH = "7 3 7 # a ring\n"
                                "4 2 5\n"
                                "\n"
                                "0 4 200Gbps 100ns\n"
                                "6 4 100Gbps 0.001ms 0\n"
                                "2 4 400Gbps 2us 0.0\n"
                                "1 2 200Gbps 100ns\n"
                                "3 5 25000000000.0 100ns\n"
                                "5 2 400Gbps 1us\n"
                                "4 5 50Gbps 3us";

/// @return what a text says
GraphFile
ReadText(const std::string& text)
{
    std::istringstream is(text);
    return GraphFile::Read(is, "g.txt");
}

/// The plan is what the file says, hosts and switches by their numbers, ports in its order.
void
TestGraphPlan(FunctionCase& test)
{
    const GraphFile graph = ReadText(SMALL_GRAPH);
    test.ExpectEqual(graph.plan.switches.size(), 3U, "switches 2, 4 and 5");
    test.ExpectEqual(graph.plan.hosts.size(), 4U, "hosts 0, 1, 3 and 6");
    test.ExpectEqual(graph.plan.links.size(), 3U, "links between switches");
    const std::vector<std::pair<uint32_t, uint32_t>> places{{1, 0}, {0, 1}, {2, 0}, {1, 1}};
    for (uint32_t host = 0; host < 4; ++host)
    {
        test.ExpectEqual(graph.plan.hosts[host].edgeSwitch, places[host].first, "its switch");
        test.ExpectEqual(graph.plan.hosts[host].port, places[host].second, "its port");
    }
    const LinkPlan& first = graph.plan.links[0];
    test.ExpectEqual(first.switchA, 0U, "node 2");
    test.ExpectEqual(first.switchB, 1U, "node 4");
    test.ExpectEqual(first.portA, 0U, "first link of node 2");
    test.ExpectEqual(first.portB, 2U, "third link of node 4");
    test.ExpectEqual(graph.plan.switches[1].ports, 4U, "ports of node 4");
    test.ExpectEqual(graph.hostLinks[3].rate.GetBitRate(), 100'000'000'000U, "rate of host 6");
    test.ExpectEqual(graph.hostLinks[3].delay.GetPicoSeconds(), 1'000'000, "delay of host 6");
    test.ExpectEqual(graph.hostLinks[2].rate.GetBitRate(), 25'000'000'000U, "a rate in bit/s");
    test.ExpectEqual(graph.links[2].delay.GetPicoSeconds(), 3'000'000, "delay of the last link");
}

/// Files of other systems say the same: a byte order mark, other ends of lines, comments in UTF-8.
void
TestGraphOfOtherSystems(FunctionCase& test)
{
    std::string text = "\xEF\xBB\xBF" + SMALL_GRAPH;
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at))
    {
        text.replace(at, 1, " # \xC3\xA4\r\n");
        at += 7;
    }
    const GraphFile graph = ReadText(text);
    test.ExpectEqual(graph.plan.links.size(), 3U, "links between switches");
    test.ExpectEqual(graph.plan.hosts.size(), 4U, "hosts");
    const std::string refusal = Refusal([] { ReadText("\n\xEF\xBB\xBF" + SMALL_GRAPH); });
    test.ExpectEqual(refusal.substr(0, 29),
                     "g.txt:2: number of nodes=???7",
                     "only at the beginning");
}

/// @return the text with one part of it replaced
std::string
With(const std::string& part, const std::string& other)
{
    std::string text = SMALL_GRAPH;
    return text.replace(text.find(part), part.size(), other);
}

/// A mistake is told with file, line and what is allowed.
void
TestGraphMistakes(FunctionCase& test)
{
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"", "g.txt:1: the file ends; allowed is a line with the numbers of nodes, switches and"},
        {With("7 3 7", "7 x 7"), "g.txt:1: number of switches=x: allowed is a whole number from 0"},
        {With("7 3 7", "7 7 7"), "g.txt:1: number of switches=7: allowed is a whole number from 0"},
        {With("7 3 7", "7 3"), "g.txt:1: the first line has 2 words; allowed are 3 ("},
        {With("7 3 7", "7 3 7 1"),
         "g.txt:1: number of ToRs=7: allowed is a whole number from 0 to 3"},
        {With("7 3 7", "7 0 7"), "g.txt:2: rate=5: allowed is a rate"},
        {"2 0 1\n\n0 1 1Gbps 1us", "g.txt:1: number of switches=0: allowed is at least 1"},
        {With("4 2 5", "4 2"), "g.txt:2: the line has no switch"},
        {With("4 2 5", "4 2 7"), "g.txt:2: switch=7: allowed is a whole number from 0 to 6"},
        {With("4 2 5", "4 2 4"), "g.txt:2: a switch is named twice"},
        {With("0 4 200Gbps", "0 9 200Gbps"), "g.txt:4: end of a link=9: allowed is a whole number"},
        {With("0 4 200Gbps", "0 4 200"), "g.txt:4: rate=200: allowed is a rate"},
        {With("0 4 200Gbps 100ns", "0 4 200Gbps"), "g.txt:4: the line has no delay"},
        {With("0.001ms", "1s"), "g.txt:5: delay=1s: allowed is a time from 1ns to 10ms"},
        {With("0.001ms 0", "0.001ms 0.6"),
         "g.txt:5: errors=0.6: allowed is a number from 0 to 0.5"},
        {With("2us 0.0", "2us 0 1"), "g.txt:6: '1' is one word too many"},
        {With("2 4 400", "2 2 400"), "g.txt:6: node 2 is linked to itself"},
        {With("1 2 200", "1 0 200"), "g.txt:7: the hosts 1 and 0 are linked"},
        {With("1 2 200", "0 2 200"), "g.txt:7: host 0 has a second link"},
        {With("7 3 7", "7 3 8"), "g.txt:10: the file ends; allowed is a line with link 8 of 8"},
        {With("1 2 200", "5 2 200"), "g.txt:10: host 1 has no link"},
        {"6 3 4\n5 4 2\n0 2 1Gbps 1us\n1 2 1Gbps 1us\n3 2 1Gbps 1us\n2 5 1Gbps 1us",
         "g.txt:6: no path leads from switch 4 to switch 2; allowed are switches that all reach"},
    };
    for (const auto& [text, sentence] : mistakes)
    {
        const std::string refusal = Refusal([&text = text] { ReadText(text); });
        test.ExpectEqual(refusal.substr(0, sentence.size()), sentence, "refused");
        test.Expect(refusal.find("allowed") != std::string::npos, refusal);
    }
    test.ExpectEqual(ReadText(With("7 3 7", "7 3 6")).warnings.size(), 1U, "a link is left out");
    test.ExpectEqual(Refusal([] { GraphFile::Read("no/file"); }),
                     "no/file: can't be read; allowed is a file with a topology",
                     "no file");
}

/// Any damage to a file is told, or leaves one that can be built; never anything else.
void
TestGraphDamage(FunctionCase& test)
{
    const std::string letters = "0123456789 \n#Gx.-\xff";
    const TestSeeds seeds(500);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        std::string text = SMALL_GRAPH;
        for (uint32_t n = 1 + random() % 4; n > 0; --n)
        {
            text[random() % text.size()] = letters[random() % letters.size()];
        }
        const std::string refusal = Refusal([&] {
            const GraphFile graph = ReadText(text);
            MakeGraphRouting(graph.plan);
        });
        const bool isTold = refusal.find("allowed") != std::string::npos;
        test.Expect(refusal.empty() || isTold, "seed " + std::to_string(seed) + ": " + refusal);
    }
}

/// Routes of any graph reach everybody and have no cycle; where shortest paths have none either,
/// they are those.
void
TestGraphRouting(FunctionCase& test)
{
    RouteDemands shortest;
    shortest.shortest = true;
    uint32_t longer = 0;
    const TestSeeds seeds(60);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const TopologyPlan plan = DrawGraph(random, 25);
        const std::vector<Routing> routing = MakeGraphRouting(plan, GRAPH_UP_DOWN);
        const RouteReport report = CheckRoutes(plan, routing);
        const std::string what = "seed " + std::to_string(seed) + ": ";
        test.Expect(report.IsGood(), what + report.Describe());
        const bool areShortest = CheckRoutes(plan, routing, shortest).IsGood();
        const bool mayBe = CheckRoutes(plan, MakeShortestPathRouting(plan)).IsGood();
        test.Expect(areShortest || !mayBe, what + "longer paths than need be");
        longer += areShortest ? 0 : 1;
    }
    test.Expect(longer > 0 || seeds.count < 60, "some graphs need up*, then down*");
    FatTreeConfig ofTree;
    ofTree.radix = 4;
    const FatTree tree(ofTree);
    test.Expect(CheckRoutes(tree.GetPlan(), MakeGraphRouting(tree.GetPlan()), shortest).IsGood(),
                "paths of a tree are the shortest");
}

/// A fabric from a file has its rates and delays, and delivers.
void
TestGraphHelper(FunctionCase& test)
{
    const ScratchFolder folder(test, "graph");
    std::filesystem::create_directories(folder.Get());
    const std::string file = folder.Get() / "graph.txt";
    std::ofstream(file) << SMALL_GRAPH;
    const GraphHelper helper(file);
    const FabricContainer fabric = helper.Install();
    const auto expect = [&test](const std::vector<Ptr<FabricChannel>>& channels,
                                const std::vector<GraphLink>& links) {
        test.ExpectEqual(channels.size(), links.size(), "links");
        for (std::size_t i = 0; i < links.size(); ++i)
        {
            DataRateValue rate;
            TimeValue delay;
            channels[i]->GetAttribute("DataRate", rate);
            channels[i]->GetAttribute("Delay", delay);
            test.Expect(rate.Get() == links[i].rate, "rate of a link");
            test.Expect(delay.Get() == links[i].delay, "delay of a link");
        }
    };
    expect(fabric.links, helper.GetGraph().links);
    expect(fabric.hostLinks, helper.GetGraph().hostLinks);
    const FabricMessageRecorder recorder(fabric.network);
    for (uint32_t host = 0; host < 4; ++host)
    {
        for (uint32_t n = 1; n < 4; ++n)
        {
            fabric.GetDevice(host)->SendMessage(LocationOf((host + n) % 4), 50'000);
        }
    }
    Simulator::Run();
    test.ExpectEqual(recorder.GetRecords().size(), 12U, "all arrive");
    Simulator::Destroy();
}

/// What is installed is written as a file that says the same.
void
TestGraphOfFabric(FunctionCase& test)
{
    const ScratchFolder folder(test, "graph-written");
    std::filesystem::create_directories(folder.Get());
    const std::string file = folder.Get() / "graph.txt";
    std::ofstream(file) << With("1 2 200Gbps 100ns", "1 2 200Gbps 100ns 0.25") << " 0.125";
    const GraphHelper helper(file);
    const GraphFile& before = helper.GetGraph();
    const FabricContainer fabric = helper.Install();
    std::stringstream text;
    GraphHelper::MakeFile(fabric, before.nodes).Write(text);
    Simulator::Destroy();
    const GraphFile after = GraphFile::Read(text, "written.txt");
    test.Expect(after.nodes.hosts == before.nodes.hosts, "hosts");
    test.Expect(after.nodes.switches == before.nodes.switches, "switches");
    for (std::size_t i = 0; i < before.plan.hosts.size(); ++i)
    {
        test.ExpectEqual(after.plan.hosts.at(i).edgeSwitch,
                         before.plan.hosts[i].edgeSwitch,
                         "edge");
        test.Expect(after.hostLinks.at(i).rate == before.hostLinks[i].rate, "rate of a host");
        test.Expect(after.hostLinks.at(i).delay == before.hostLinks[i].delay, "delay of a host");
        test.ExpectEqual(after.hostLinks[i].errors, before.hostLinks[i].errors, "its errors");
    }
    for (std::size_t i = 0; i < before.plan.links.size(); ++i)
    {
        test.ExpectEqual(after.plan.links.at(i).switchA, before.plan.links[i].switchA, "one end");
        test.ExpectEqual(after.plan.links.at(i).switchB, before.plan.links[i].switchB, "other end");
        test.Expect(after.links.at(i).rate == before.links[i].rate, "rate of a link");
        test.Expect(after.links.at(i).delay == before.links[i].delay, "delay of a link");
        test.ExpectEqual(after.links[i].errors, before.links[i].errors, "its errors");
    }
    test.ExpectEqual(after.links[2].errors, 0.125, "errors");
}

/// Links that damage frames send them again: everything arrives, only later.
void
TestGraphErrors(FunctionCase& test)
{
    const ScratchFolder folder(test, "graph-errors");
    std::filesystem::create_directories(folder.Get());
    const std::string file = folder.Get() / "graph.txt";
    const auto last = [&](const std::string& errors, int64_t stream) {
        std::ofstream(file) << "3 1 2\n2\n0 2 200Gbps 100ns " << errors
                            << "\n1 2 200Gbps 100ns 0\n";
        GraphHelper helper(file);
        helper.SetStream(stream);
        const FabricContainer fabric = helper.Install();
        const FabricMessageRecorder recorder(fabric.network);
        fabric.GetDevice(0)->SendMessage(LocationOf(1), 1'000'000);
        Simulator::Run();
        const TimePs at = recorder.GetRecords().empty() ? 0 : recorder.GetRecords()[0].deliveredAt;
        Simulator::Destroy();
        return at;
    };
    const TimePs clean = last("0", 1);
    test.Expect(clean > 0, "all arrive without errors");
    for (int64_t stream = 1; stream <= 20; ++stream)
    {
        // A fifth of 245 frames is damaged; with each, those on the link behind it go again.
        const TimePs damaged = last("0.2", stream);
        test.Expect(damaged > clean * 11 / 10 && damaged < 4 * clean,
                    Text("stream ", stream, ": ", damaged, " ps, without errors ", clean));
    }
}

/// Suite of topologies from files.
class GraphFileSuite : public FunctionSuite
{
  public:
    GraphFileSuite()
        : FunctionSuite("fabric-graph-file", kUnit)
    {
        Add("FF-1 a topology from a file", TestGraphPlan);
        Add("FF-1 files of other systems", TestGraphOfOtherSystems);
        Add("FF-1 mistakes in a file", TestGraphMistakes);
        Add("FF-8 damaged files", TestGraphDamage);
        Add("FC-13 no cycle in any graph, and all are reached", TestGraphRouting);
        Add("FC-13 rates and delays of each link", TestGraphHelper);
        Add("FF-1 links that damage frames", TestGraphErrors);
        Add("FF-1 FF-8 a fabric as a file", TestGraphOfFabric);
    }
};

GraphFileSuite g_graphFileSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
