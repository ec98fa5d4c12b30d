/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-fat-tree.h"
#include "fabric-partition.h"
#include "fabric-rank-plan.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"

#include "ns3/test.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return the fat tree of a radix and three levels
SwitchGraph
FatTreeGraph(uint32_t radix)
{
    FatTreeConfig config;
    config.radix = radix;
    return GraphOf(FatTree(config).GetPlan());
}

/// @return number of links between parts
std::size_t
CountCut(const SwitchGraph& graph, const Partition& partition)
{
    return std::count_if(graph.links.begin(), graph.links.end(), [&](const auto& link) {
        return partition.PartOf(link.first) != partition.PartOf(link.second);
    });
}

void
TestFatTree(FunctionCase& test)
{
    for (const uint32_t radix : {4, 8, 16})
    {
        const SwitchGraph graph = FatTreeGraph(radix);
        test.Expect(std::all_of(graph.switches.begin(),
                                graph.switches.end(),
                                [radix](const auto& each) {
                                    return each.hosts + each.fabricPorts == radix;
                                }),
                    "all ports of a full tree are linked");
        const std::size_t coreLinks = radix * radix * radix / 4;
        for (const uint32_t parts : {2, 4})
        {
            const Partition partition(graph, parts);
            const std::string what =
                "radix " + std::to_string(radix) + ", parts " + std::to_string(parts);
            for (uint32_t part = 1; part < parts; ++part)
            {
                test.Expect(partition.WeightOf(part) == partition.WeightOf(0),
                            what + ": unequal parts");
            }
            // Whole pods and a share of the core each: only links of the core are cut.
            test.Expect(CountCut(graph, partition) == coreLinks * (parts - 1) / parts,
                        what + ": " + std::to_string(CountCut(graph, partition)) + " links cut");
        }
    }
}

void
TestChain(FunctionCase& test)
{
    const SwitchGraph graph = GraphOf(MakeChainPlan({1, 1, 1, 1, 1, 1, 1, 1}));
    for (const uint32_t parts : {1, 2, 3, 4})
    {
        const Partition partition(graph, parts);
        test.Expect(CountCut(graph, partition) == parts - 1,
                    "a chain is cut " + std::to_string(CountCut(graph, partition)) + " times");
    }
}

void
TestRandomGraphs(FunctionCase& test)
{
    for (uint32_t seed = 1; seed <= 300; ++seed)
    {
        std::minstd_rand random(seed);
        SwitchGraph graph;
        graph.switches.resize(1 + random() % 40);
        uint64_t heaviest = 0;
        uint64_t pinned = 0;
        uint64_t total = 0;
        const bool mayPin = random() % 3 == 0;
        const auto pick = [&] { return static_cast<uint32_t>(random() % graph.switches.size()); };
        for (uint32_t i = random() % 100; i > 0; --i)
        {
            const uint32_t a = pick();
            const uint32_t b = pick();
            graph.links.emplace_back(a, b);
            ++graph.switches[a].fabricPorts;
            ++graph.switches[b].fabricPorts;
        }
        for (SwitchGraph::Vertex& vertex : graph.switches)
        {
            vertex.hosts = random() % 2 ? random() % 5 : 0;
            if (mayPin && random() % 4 == 0)
            {
                vertex.pinnedTo = 0;
            }
            const uint64_t weight = vertex.fabricPorts + 2 * vertex.hosts;
            heaviest = std::max(heaviest, weight);
            pinned += vertex.pinnedTo ? weight : 0;
            total += weight;
        }
        const uint32_t parts = 1 + random() % 6;
        const Partition partition(graph, parts);
        std::vector<uint64_t> weights(parts, 0);
        for (uint32_t i = 0; i < graph.switches.size(); ++i)
        {
            const SwitchGraph::Vertex& vertex = graph.switches[i];
            test.Expect(partition.PartOf(i) < parts, "no part, seed " + std::to_string(seed));
            test.Expect(!vertex.pinnedTo || partition.PartOf(i) == 0,
                        "a pinned switch is elsewhere, seed " + std::to_string(seed));
            weights[partition.PartOf(i)] += vertex.fabricPorts + 2 * vertex.hosts;
        }
        for (uint32_t part = 0; part < parts; ++part)
        {
            test.Expect(weights[part] == partition.WeightOf(part),
                        "weight of a part, seed " + std::to_string(seed));
            const uint64_t share = std::max(total / parts, part == 0 ? pinned : 0);
            test.Expect(weights[part] <= share + 2 * heaviest + 1,
                        "a part is too heavy, seed " + std::to_string(seed));
        }
    }
}

/// Tests of Partition.
class PartitionTestSuite : public FunctionSuite
{
  public:
    PartitionTestSuite()
        : FunctionSuite("fabric-partition", kUnit)
    {
        Add("DP-15 a fat tree is divided into pods and equal shares of the core", TestFatTree);
        Add("DP-15 a chain is divided into pieces", TestChain);
        Add("DP-15 parts of random graphs are balanced", TestRandomGraphs);
    }
};

PartitionTestSuite g_partitionTestSuite; ///< Registers itself.

} // namespace

} // namespace ns3::fabric
