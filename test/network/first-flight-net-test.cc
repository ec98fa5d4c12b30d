/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-random-network.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t FRAME = 16;   ///< A full frame, in units of the attribute.
constexpr uint32_t OTHERS = 124; ///< Hosts that are not at the switch of the first one.

/// @return what makes a tree of 128 hosts, four of them at each switch
FatTreeHelper
Tree(uint32_t firstFlight, int64_t stream = 1)
{
    FatTreeHelper helper(8);
    helper.SetStream(stream);
    helper.SetSwitchAttribute("FirstFlight", UintegerValue(firstFlight));
    return helper;
}

/// What came of an incast that begins at one time.
struct IncastResult
{
    uint32_t portPeak{0};   ///< Most in an input buffer outside of the receiver's switch, bytes.
    uint64_t fabricPeak{0}; ///< Most in such a switch, bytes.
    Time end;               ///< When all was delivered.
};

/// @return what comes of 16 MiB to host 0 from hosts everywhere
IncastResult
RunIncast(uint32_t senders, uint32_t firstFlight, int64_t stream)
{
    const uint32_t spacing = OTHERS / senders;
    const uint64_t bytes = (16U << 20) / senders;
    Simulation simulation;
    const FabricContainer fabric = Tree(firstFlight, stream).Install();
    IncastResult result;
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>(
            [&result](const Message&, Time now) { result.end = now; }));
    for (uint32_t i = 0; i < senders; ++i)
    {
        fabric.GetDevice(4 + i * spacing)->SendMessage(LocationOf(0), bytes);
    }
    Simulator::Run();
    for (uint32_t i = 1; i < fabric.switches.GetN(); ++i)
    {
        const SwitchChip& chip = fabric.GetSwitch(i)->GetChip();
        result.fabricPeak = std::max(result.fabricPeak, chip.Counts().peakHeldBytes);
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            result.portPeak = std::max(result.portPeak, chip.PeakHeldBytes(port));
        }
    }
    return result;
}

/// What input buffers hold outside of the receiver's switch does not grow with the senders.
void
TestPeaksOfFirstFlights(FunctionCase& self)
{
    constexpr int64_t STREAMS = 4;
    uint32_t few = 0;
    for (int64_t stream = 1; stream <= STREAMS; ++stream)
    {
        few = std::max(few, RunIncast(8, FRAME, stream).portPeak);
    }
    for (const uint32_t senders : {31U, 62U, OTHERS})
    {
        for (int64_t stream = 1; stream <= STREAMS; ++stream)
        {
            const IncastResult limited = RunIncast(senders, FRAME, stream);
            const IncastResult free = RunIncast(senders, 0, stream);
            self.Expect(limited.portPeak <= 1.3 * few,
                        Text(senders,
                             " senders, stream ",
                             stream,
                             ": ",
                             limited.portPeak,
                             " bytes in a buffer, ",
                             few,
                             " with 8"));
            self.Expect(free.fabricPeak > 2 * limited.fabricPeak,
                        Text(senders,
                             " senders: ",
                             limited.fabricPeak,
                             " bytes in a switch, ",
                             free.fabricPeak,
                             " without the limit"));
            self.Expect(
                limited.end < free.end * 1.03,
                Text(senders, " senders take ", limited.end, ", without the limit ", free.end));
        }
    }
}

/// @return time that a message to a host of another pod takes in a fabric without other traffic
Time
TimeAlone(uint64_t bytes, uint32_t firstFlight)
{
    Simulation simulation;
    const FabricContainer fabric = Tree(firstFlight).Install();
    Time end;
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>([&end](const Message&, Time now) { end = now; }));
    fabric.GetDevice(127)->SendMessage(LocationOf(0), bytes);
    Simulator::Run();
    return end;
}

/// What fits into the first flight takes no longer, and the rest waits for one ACK.
void
TestCostOfFirstFlights(FunctionCase& self)
{
    const Time roundTrip = 2 * TimeAlone(MAX_PAYLOAD, 0);
    for (const uint32_t frames : {1U, 2U, 4U, 16U})
    {
        const uint32_t limit = frames * FRAME;
        const uint64_t fits = uint64_t{frames} * MAX_PAYLOAD;
        self.Expect(TimeAlone(fits, limit) == TimeAlone(fits, 0),
                    Text(fits, " bytes fit into ", limit));
        for (const uint64_t bytes : {fits + 1, 2 * fits, 64 * fits})
        {
            const Time more = TimeAlone(bytes, limit) - TimeAlone(bytes, 0);
            self.Expect(more >= Time(0) && more <= roundTrip,
                        Text(bytes,
                             " bytes with ",
                             limit,
                             " take ",
                             more,
                             " more, a round trip is ",
                             roundTrip));
        }
    }
    self.Expect(TimeAlone(2 * MAX_PAYLOAD, FRAME) > TimeAlone(2 * MAX_PAYLOAD, 0) + roundTrip / 3,
                "the second frame waits for the first ACK");
}

/// Where it has no effect it is refused.
void
TestFirstFlightRefusals(FunctionCase& self)
{
    const auto refusal = [](const char* attribute) {
        Simulation simulation;
        FatTreeHelper helper = Tree(FRAME);
        helper.SetSwitchAttribute(attribute, BooleanValue(false));
        return Refusal([&helper] { helper.Install(); });
    };
    for (const char* attribute : {"FlowLimits", "EndpointCongestion"})
    {
        self.Expect(refusal(attribute).find("allowed is 0, or both true") != std::string::npos,
                    Text("without ", attribute, ": ", refusal(attribute)));
    }
    self.Expect(refusal("FlowChannels").find("no class has flow channels") != std::string::npos,
                Text("without flow channels: ", refusal("FlowChannels")));
}

/// The suite.
class FirstFlightNetSuite : public FunctionSuite
{
  public:
    FirstFlightNetSuite()
        : FunctionSuite("fabric-first-flight-net", kUnit)
    {
        Add("CM-10 buffers do not grow with the senders", TestPeaksOfFirstFlights);
        Add("CM-6 what a first flight costs", TestCostOfFirstFlights);
        Add("CM-6 refusals", TestFirstFlightRefusals);
    }
};

FirstFlightNetSuite g_firstFlightNetSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
