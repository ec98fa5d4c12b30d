/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-bed-state.h"
#include "fabric-chain.h"
#include "fabric-function-case.h"
#include "fabric-random-scenario.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"

#include "ns3/test.h"

#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr std::size_t UNROUTED = static_cast<std::size_t>(DropCause::NO_ROUTE);
constexpr uint64_t MESSAGE = 10'000; ///< Bytes of each message of RefusedAtEdge().

/// @return a bed of one edge switch with eight hosts and `ids` flow channels a link, which keeps
/// what host 0 sends to hosts with odd numbers from all ports
std::unique_ptr<TestBed>
MakeEdge(uint32_t ids, bool lookahead)
{
    const TopologyPlan plan = MakeChainPlan({7}); // and the host at the end
    SwitchConfig config;
    config.flowChannels.ids = ids;
    auto bed = std::make_unique<TestBed>(
        plan,
        MakeShortestPathRouting(plan),
        config,
        NicConfig{},
        [](std::size_t) { return std::make_pair(LinkRate(200'000'000'000), TimePs{300 * NS}); },
        lookahead);
    bed->Chip(0).SetRoutingRule([](const Frame& frame, uint32_t) {
        return HostOf(frame.src) != 0 || HostOf(frame.dst) % 2 == 0;
    });
    return bed;
}

/**
 * Host 0 sends to all others at once, with fewer flow channels than flows: what waits for one may
 * be refused when its turn comes, and its channel goes to the next that waits.
 */
void
RefusedAtEdge(FunctionCase& test)
{
    for (const bool lookahead : {true, false})
    {
        for (const uint32_t ids : {1, 2, 3, 2047})
        {
            const std::string what = std::to_string(ids) + " ids";
            const auto bed = MakeEdge(ids, lookahead);
            for (uint32_t round = 0; round < 3; ++round)
            {
                for (uint32_t dst = 1; dst < bed->Hosts(); ++dst)
                {
                    bed->Send(0, dst, MESSAGE, 0, 0);
                }
            }
            for (uint32_t step = 1; step <= 100; ++step)
            {
                bed->RunUntil(step * 100 * NS);
                bed->Check();
            }
            bed->RunToEnd();
            bed->Check();
            const uint32_t refused = static_cast<uint32_t>(bed->Hosts()) / 2;
            const uint32_t taken = static_cast<uint32_t>(bed->Hosts()) - 1 - refused;
            test.Expect(bed->Deliveries().size() == 3 * taken, what + ": all others arrive");
            for (const TestBed::Delivery& delivery : bed->Deliveries())
            {
                test.Expect(HostOf(delivery.dst) % 2 == 0, what + ": nothing else arrives");
            }
            const SwitchCounts& counts = bed->Chip(0).Counts();
            test.Expect(counts.droppedPayload[UNROUTED] == 3 * refused * MESSAGE,
                        what + ": what was refused is dropped for that cause");
            test.Expect(bed->IsEmpty(), what + ": channels, queues and credits are free again");
        }
    }
}

/// @return whether a rule drawn from a seed keeps a frame from a port; the same for all of a flow
bool
Refuses(uint64_t seed, const Frame& frame, uint32_t port)
{
    uint64_t mixed = seed * 0x9E3779B97F4A7C15U + frame.src * 0x10001U + frame.dst * 0x101U +
                     frame.trafficClass * 7U + port;
    mixed ^= mixed >> 29;
    mixed *= 0xBF58476D1CE4E5B9U;
    return (mixed >> 32) % 4 == 0;
}

/// Any fabric with any rules: what is offered is delivered or dropped for want of a way, and
/// nothing is left, with windows and without.
void
RefusedAnywhere(FunctionCase& test)
{
    uint64_t refused = 0;
    const TestSeeds seeds(200);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomScenario scenario(seed);
        std::vector<std::vector<std::string>> states;
        for (const bool lookahead : {true, false})
        {
            const auto bed = scenario.Build(lookahead);
            for (std::size_t chip = 0; chip < bed->Chips(); ++chip)
            {
                bed->Chip(chip).SetRoutingRule([seed, chip](const Frame& frame, uint32_t port) {
                    return !Refuses(seed + 1000 * chip, frame, port);
                });
            }
            bed->RunToEnd();
            bed->Check();
            test.Expect(bed->IsEmpty(), "something is left: " + scenario.Describe());
            for (std::size_t chip = 0; lookahead && chip < bed->Chips(); ++chip)
            {
                refused += bed->Chip(chip).Counts().droppedPayload[UNROUTED];
            }
            states.push_back(StateOf(*bed));
        }
        const std::string difference = fabric::Difference(states[0], states[1]);
        test.Expect(difference.empty(), "with windows and without: " + difference);
    }
    test.Expect(refused > 0, "some frames were refused");
}

/// Frames that are refused by routes.
class RoutingRefusalSuite : public FunctionSuite
{
  public:
    RoutingRefusalSuite()
        : FunctionSuite("fabric-routing-refusal", kUnit)
    {
        Add("SU-3 FC-12 routes refuse frames at an edge that lacks flow ids", RefusedAtEdge);
        Add("SU-3 FC-12 routes refuse frames anywhere", RefusedAnywhere);
    }
};

RoutingRefusalSuite g_routingRefusalSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
