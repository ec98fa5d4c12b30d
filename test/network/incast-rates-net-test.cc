/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree-helper.h"
#include "fabric-ideal-completion.h"
#include "fabric-ideal-paths.h"
#include "fabric-message-recorder.h"
#include "fabric-network-scenario.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include "ns3/data-rate.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t SENDERS = 8; ///< Of each incast here, at switches of their own.

/// What came of an incast.
struct RateFigures
{
    double utilization; ///< Of the receiver's link, from the first byte to the last.
    double peak;        ///< Most that the receiver's switch held, bytes.
    double roundTrip;   ///< That switches were told, as bytes of the link.
};

/**
 * Eight hosts send to the first one of a tree of 128 hosts.
 *
 * @param target EndpointTarget, bytes
 */
RateFigures
RunIncastAt(uint64_t gigabits, TimePs delay, uint32_t target, int64_t stream)
{
    Simulation simulation;
    FatTreeHelper helper(8);
    helper.SetStream(stream);
    const DataRateValue rate(DataRate(gigabits * 1'000'000'000));
    helper.SetChannelAttribute("DataRate", rate);
    helper.SetHostChannelAttribute("DataRate", rate);
    helper.SetChannelAttribute("Delay", TimeValue(PicoSeconds(delay)));
    helper.SetHostChannelAttribute("Delay", TimeValue(PicoSeconds(delay)));
    helper.SetSwitchAttribute("EndpointTarget", UintegerValue(target));
    const FabricContainer fabric = helper.Install();
    FabricMessageRecorder recorder(fabric.network);
    const uint64_t bytes = gigabits * 8'192; // 330 us each, at any rate
    for (uint32_t i = 0; i < SENDERS; ++i)
    {
        fabric.GetDevice(16 * i + 12)->SendMessage(LocationOf(0), bytes);
    }
    Simulator::Run();
    const FabricIdealPaths paths(fabric.network);
    const EmptyPath path = paths.Find(LocationOf(SENDERS * 16 - 4), LocationOf(0));
    const SwitchChip& chip = fabric.GetSwitch(0)->GetChip();
    const auto roundTrip = static_cast<double>(chip.Config().congestion.slowPaths.roundTrip);
    return {1 / Slowdown(recorder.GetRecords().back().deliveredAt,
                         path.CompletionTime(bytes * SENDERS)),
            static_cast<double>(chip.Counts().peakHeldBytes),
            roundTrip * static_cast<double>(gigabits) / 8'000};
}

/// At any rate of the links the receiver's is filled, and its switch holds no more than the target
/// for its rate, what is under way in a round trip, and a frame of each flow.
void
TestIncastAtRates(FunctionCase& self)
{
    constexpr double FRAME = WireBytes(MAX_PAYLOAD);
    const TestSeeds seeds(2);
    for (const uint64_t gigabits : {25U, 50U, 100U, 200U, 400U, 800U})
    {
        const double target =
            std::clamp(static_cast<double>(gigabits) / 200, 0.25, 1.0) * 256 * 1024;
        for (const TimePs delay : {100'000, 1'000'000})
        {
            for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
            {
                const RateFigures figures = RunIncastAt(gigabits, delay, 0, seed);
                const std::string where =
                    Text("seed ", seed, ", ", gigabits, " Gb/s, ", delay, " ps: ").Str();
                self.Expect(figures.utilization > 0.98, Text(where, figures.utilization));
                const double most = target + figures.roundTrip + SENDERS * FRAME;
                self.Expect(figures.peak < most,
                            Text(where, figures.peak, " bytes, and not ", most));
            }
        }
    }
}

/// A number that is set counts at any rate.
void
TestGivenTarget(FunctionCase& self)
{
    constexpr uint32_t TARGET = 256 * 1024;
    const RateFigures figures = RunIncastAt(25, 100'000, TARGET, 1);
    self.Expect(figures.peak > 0.8 * TARGET, Text(figures.peak, " bytes"));
}

/// Each link to a host has the numbers of its own rate, also where a switch has links of several.
void
TestMixedRates(FunctionCase& self)
{
    constexpr uint32_t RECEIVER = 1; // the first host has a link of another rate
    Simulation simulation;
    FatTreeHelper helper(8);
    helper.SetHostLinkAttribute(RECEIVER, "DataRate", StringValue("25Gbps"));
    const FabricContainer fabric = helper.Install();
    for (uint32_t i = 0; i < SENDERS; ++i)
    {
        fabric.GetDevice(16 * i + 12)->SendMessage(LocationOf(RECEIVER), 1'000'000);
    }
    // What comes before severity is felt has drained, and no sender is done.
    const SwitchChip& chip = fabric.GetSwitch(0)->GetChip();
    double waiting = 0;
    constexpr uint32_t SAMPLES = 100;
    for (uint32_t i = 0; i < SAMPLES; ++i)
    {
        Simulator::Schedule(MicroSeconds(1000 + 5 * i),
                            [&] { waiting += chip.QueuedBytes(RECEIVER); });
    }
    Simulator::Run();
    const double mean = waiting / SAMPLES;
    self.Expect(mean > 30'000 && mean < 2 * 65'536, Text(mean, " bytes wait"));
}

/// The suite.
class IncastRatesSuite : public FunctionSuite
{
  public:
    IncastRatesSuite()
        : FunctionSuite("fabric-incast-rates", kUnit)
    {
        Add("CM-1 CM-10 incasts at other rates", TestIncastAtRates);
        Add("CM-1 a target that is set", TestGivenTarget);
        Add("CM-1 a switch with hosts of several rates", TestMixedRates);
    }
};

IncastRatesSuite g_incastRatesSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
