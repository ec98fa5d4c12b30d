/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-ideal-paths.h"
#include "fabric-random-network.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t SENDER = 127;     ///< The host that sends.
constexpr uint32_t FLOWS = 5;        ///< Its flows, each to a host of another pod.
constexpr uint64_t BYTES = 1U << 20; ///< Of each flow.

/// When the flows of a host are done.
struct FlowTimes
{
    std::vector<Time> ends; ///< By flow, in the order in which they end.
    Time roundTrip;         ///< From a frame at the host's switch to its ACK there.
};

/// @return when they are done @param limit of the host, in units of the attribute
FlowTimes
SendFlows(uint32_t limit)
{
    Simulation simulation;
    FatTreeHelper helper(8);
    helper.SetStream(1);
    helper.SetSwitchAttribute("PortLimit", UintegerValue(limit));
    const FabricContainer fabric = helper.Install();
    FlowTimes times;
    times.roundTrip = FabricIdealPaths(fabric.network).LongestRoundTrip();
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>(
            [&times](const Message&, Time now) { times.ends.push_back(now); }));
    for (uint32_t flow = 0; flow < FLOWS; ++flow)
    {
        fabric.GetDevice(SENDER)->SendMessage(LocationOf(16 * flow), BYTES);
    }
    Simulator::Run();
    return times;
}

/// A host gets its limit in each round trip, and no more than its link. Nothing waits on the way,
/// so a round trip is that of one frame; the longest one has the most that ACKs may wait.
void
TestRateOfPortLimit(FunctionCase& self)
{
    const Time wire = SendFlows(0).ends.back();
    const FlowTimes single = SendFlows(16);
    constexpr double FRAMES = double{FLOWS} * BYTES / MAX_PAYLOAD;
    const double roundTrip = single.ends.back().GetSeconds() / FRAMES;
    const double longest = single.roundTrip.GetSeconds();
    self.Expect(roundTrip < longest && roundTrip > longest / 2,
                Text("a round trip of ", roundTrip, " s, ", longest, " s at most"));
    for (const uint32_t frames : {2U, 5U, 8U, 64U})
    {
        const FlowTimes times = SendFlows(frames * 16);
        const double expected = std::max(FRAMES / frames * roundTrip, wire.GetSeconds());
        const double taken = times.ends.back().GetSeconds();
        self.Expect(taken < 1.05 * expected && taken > 0.95 * expected,
                    Text(frames, " frames: ", taken, " s instead of ", expected));
    }
}

/// Its flows go in turn.
void
TestTurnsAtPortLimit(FunctionCase& self)
{
    for (const uint32_t limit : {1U, 16U, 40U, 100U})
    {
        const FlowTimes times = SendFlows(limit);
        const double first = times.ends.front().GetSeconds();
        const double last = times.ends.back().GetSeconds();
        self.Expect(
            times.ends.size() == FLOWS && first > 0.97 * last,
            Text(limit, ": the first one is done at ", first, " s, the last one at ", last));
    }
}

/// It is refused where it has no effect.
void
TestRefusalOfPortLimit(FunctionCase& self)
{
    Simulation simulation;
    FatTreeHelper helper(4);
    helper.SetSwitchAttribute("PortLimit", UintegerValue(16));
    helper.SetSwitchAttribute("FlowChannels", BooleanValue(false));
    const std::string said = Refusal([&helper] { helper.Install(); });
    self.Expect(said.find("PortLimit is 16, and no class has flow channels") != std::string::npos,
                Text("it says: ", said));
}

/// The suite.
class PortLimitNetSuite : public FunctionSuite
{
  public:
    PortLimitNetSuite()
        : FunctionSuite("fabric-port-limit-net", kUnit)
    {
        Add("CM-8 what a host gets", TestRateOfPortLimit);
        Add("CM-8 its flows go in turn", TestTurnsAtPortLimit);
        Add("CM-8 refusal", TestRefusalOfPortLimit);
    }
};

PortLimitNetSuite g_portLimitNetSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
