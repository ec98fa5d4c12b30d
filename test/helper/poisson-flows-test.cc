/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-poisson-flows.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/rng-seed-manager.h"

#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return sizes of a quarter of 1000 bytes, and the others from 1000 to 9000: 4000 on average
SizeCdf
ExampleCdf()
{
    std::istringstream is("1000 0.25\n9000 1\n");
    return SizeCdf::Read(is, "c.txt");
}

/**
 * Four hosts, one of which has a link of a quarter of the rate, at half load: a mean gap of 4000 x
 * 8 / (100 Gb/s x 0.5) = 640 ns, and 2560 ns. The number of flows in 10 ms is Poisson: its standard
 * deviation is the root of its mean. Five of these are exceeded once in two million draws.
 */
void
TestPoissonFlows(FunctionCase& test)
{
    const std::vector<uint64_t> rates{100'000'000'000,
                                      100'000'000'000,
                                      25'000'000'000,
                                      100'000'000'000};
    NodeNumbers nodes;
    nodes.hosts = {0, 3, 5, 9};
    FabricPoissonFlows poisson(ExampleCdf(), 0.5);
    test.ExpectNear(poisson.MeanGap(rates[0]), 640'000, 1e-6, "mean gap, ps");
    test.ExpectNear(poisson.MeanGap(rates[2]), 2'560'000, 1e-6, "mean gap of the slow link, ps");
    test.ExpectEqual(poisson.AssignStreams(7), 3, "streams");
    const FlowFile file = poisson.Draw(nodes, rates, MilliSeconds(10));
    std::map<uint32_t, double> counts;
    std::map<std::pair<uint32_t, uint32_t>, double> pairs;
    std::map<uint32_t, TimePs> last;
    double bytes = 0;
    double squares = 0;
    double gaps = 0; // squares of gaps of the first host, in mean gaps
    for (std::size_t i = 0; i < file.flows.size(); ++i)
    {
        const FlowFile::Flow& flow = file.flows[i];
        test.Expect(i == 0 || flow.start >= file.flows[i - 1].start, "by start");
        test.Expect(flow.start >= 0 && flow.start < 10'000'000'000, "within the time");
        test.Expect(nodes.HostOf(flow.dst) && flow.src != flow.dst, "another host");
        test.Expect(flow.bytes >= 1000 && flow.bytes <= 9000, "a size of the distribution");
        ++counts[flow.src];
        ++pairs[{flow.src, flow.dst}];
        bytes += static_cast<double>(flow.bytes);
        squares += std::pow(static_cast<double>(flow.bytes) - 4000, 2);
        if (flow.src == 0)
        {
            gaps += std::pow(static_cast<double>(flow.start - last[0]) / 640'000, 2);
            last[0] = flow.start;
        }
    }
    const auto n = static_cast<double>(file.flows.size());
    for (std::size_t host = 0; host < 4; ++host)
    {
        const double expected = 1e10 / poisson.MeanGap(rates[host]);
        const uint32_t node = nodes.hosts[host];
        test.ExpectNear(counts[node], expected, 5 * std::sqrt(expected), "flows of a host");
        for (const uint32_t other : nodes.hosts)
        {
            const double part = other == node ? 0 : counts[node] / 3;
            test.ExpectNear(pairs[{node, other}], part, 5 * std::sqrt(part), "to each other host");
        }
    }
    const double deviation = std::sqrt(squares / n);
    test.ExpectNear(bytes / n, 4000, 5 * deviation / std::sqrt(n), "mean size");
    // Squares of exponential times have the mean 2 and, since their fourth moment is 24, the
    // variance 20.
    test.ExpectNear(gaps / counts[0], 2, 5 * std::sqrt(20 / counts[0]), "gaps are exponential");
}

/// Other random numbers give other flows, the same give the same.
void
TestPoissonSeeds(FunctionCase& test)
{
    const auto draw = [](uint64_t run) {
        const uint64_t before = RngSeedManager::GetRun();
        RngSeedManager::SetRun(run);
        FabricPoissonFlows poisson(ExampleCdf(), 0.5);
        poisson.AssignStreams(1);
        std::ostringstream os;
        poisson
            .Draw(NodeNumbers::HostsFirst(3, 1),
                  {1'000'000'000, 1'000'000'000, 1'000'000'000},
                  MilliSeconds(1))
            .Write(os);
        RngSeedManager::SetRun(before);
        return os.str();
    };
    test.ExpectEqual(draw(1), draw(1), "the same");
    test.Expect(draw(1) != draw(2), "others");
}

/// Too many flows are told before they are drawn, and none at all.
void
TestPoissonMistakes(FunctionCase& test)
{
    const auto refusal = [](double load, uint32_t hosts, Time until) {
        return Refusal([=] {
            FabricPoissonFlows(ExampleCdf(), load)
                .Draw(NodeNumbers::HostsFirst(hosts, 1),
                      std::vector<uint64_t>(hosts, 100'000'000'000),
                      until);
        });
    };
    test.ExpectEqual(refusal(1, 4, Seconds(1000)),
                     "--arrivalTime=1000s: 12500000000 flows would begin; allowed are at most "
                     "10000000",
                     "too many");
    test.ExpectEqual(refusal(0.0032, 2, NanoSeconds(1)),
                     "--arrivalTime=1ns: no flow begins in it; allowed are times in which some do, "
                     "on average one in 50us",
                     "none");
    test.ExpectEqual(refusal(0.5, 1, Seconds(1)),
                     "--cdf: the topology has one host, which has nobody to send to; allowed are "
                     "two or more",
                     "one host");
}

/// Suite of flows at random times.
class PoissonFlowsSuite : public FunctionSuite
{
  public:
    PoissonFlowsSuite()
        : FunctionSuite("fabric-poisson-flows", kUnit)
    {
        Add("SC-3 FF-3 gaps, sizes and receivers of flows", TestPoissonFlows);
        Add("SC-3 flows of other random numbers", TestPoissonSeeds);
        Add("SC-3 too many flows, or none", TestPoissonMistakes);
    }
};

PoissonFlowsSuite g_poissonFlowsSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
