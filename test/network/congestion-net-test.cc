/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-congestion-management.h"
#include "fabric-random-network.h"
#include "fabric-transport-helper.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include <string>

namespace ns3::fabric
{

namespace
{

/// What the tools did in some runs.
struct ToolUse
{
    uint64_t restraints{0}; ///< Frames of fine-grain flow control.
    uint64_t severities{0}; ///< ACKs that told of new congestion at an endpoint.
    uint64_t persistent{0}; ///< ACKs that told that it lasts.
    uint64_t reroutes{0};   ///< ACKs that told a flow to leave its path.

    /// Counts frames and ACKs from now on.
    void Watch(const FabricContainer& fabric)
    {
        for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
        {
            fabric.GetSwitch(i)->TraceConnectWithoutContext("Fgfc",
                                                            MakeCallback(&ToolUse::Restrain, this));
            fabric.GetSwitch(i)->TraceConnectWithoutContext("SendAcks",
                                                            MakeCallback(&ToolUse::Tell, this));
        }
    }

    /// A sink.
    void Restrain(uint32_t, const FgfcOrder&, Time)
    {
        ++restraints;
    }

    /// A sink.
    void Tell(uint32_t, const AckBatch& batch, Time)
    {
        for (uint32_t i = 0; i < batch.count; ++i)
        {
            severities += batch.acks[i].type == AckType::NEW_ENDPOINT_CONGESTION;
            reroutes += batch.acks[i].type == AckType::REROUTE;
            persistent += batch.acks[i].type == AckType::PERSISTENT_ENDPOINT_CONGESTION;
        }
    }
};

/**
 * Random fabrics with all tools and random thresholds deliver all, are at rest at the end, and do
 * the same however they are run.
 *
 * @param usual how many
 * @param outages whether links fail
 * @param lanes whether frames go in pieces
 */
void
CompareRuns(FunctionCase& self, uint32_t usual, bool outages, bool lanes)
{
    const TestSeeds seeds(usual);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomRun run{seed};
        run.tools = true;
        run.outages = outages;
        run.lanes = lanes;
        run.slowHosts = seed % 3 == 0;
        run.creditFrames = seed % 5 == 0;
        const std::string usualRun = RunRandom(self, run);
        RandomRun other = run;
        other.lookahead = false;
        self.Expect(RunRandom(self, other) == usualRun,
                    Text("seed ", seed, ": look-ahead changes what is delivered"));
        other = run;
        other.threads = 2;
        self.Expect(RunRandom(self, other) == usualRun,
                    Text("seed ", seed, ": threads change what is delivered"));
    }
}

/// All tools act in these runs.
void
TestUse(FunctionCase& self)
{
    ToolUse use;
    for (uint32_t seed = 1; seed < 9; ++seed)
    {
        RandomRun run{seed};
        run.tools = true;
        run.lookahead = false;
        run.installed = [&use](const FabricContainer& fabric) { use.Watch(fabric); };
        RunRandom(self, run);
    }
    self.Expect(use.restraints > 100, Text("only ", use.restraints, " restraints"));
    self.Expect(use.severities > 1000, Text("only ", use.severities, " severities"));
    // A link tells of one flow in RerouteHold, and these runs are short.
    self.Expect(use.reroutes > 50, Text("only ", use.reroutes, " reroute ACKs"));
    self.Expect(use.persistent > 1000, Text("only ", use.persistent, " persistent ACKs"));
}

/// A message of one host beside its part in an incast.
struct SideMessage
{
    Time delivered;  ///< When.
    uint64_t frames; ///< Of fine-grain flow control.
};

/// @return what makes a tree of 16 hosts @param fgfc whether hosts restrain flows
FatTreeHelper
TreeOf16(bool fgfc)
{
    FatTreeHelper helper(4);
    helper.SetStream(1);
    helper.SetSwitchAttribute("Fgfc", BooleanValue(fgfc));
    return helper;
}

/**
 * Seven hosts send to host 0, and the last of them sends to an idle host, too.
 *
 * @param fgfc whether hosts restrain flows
 */
SideMessage
SendBeside(bool fgfc)
{
    Simulation simulation;
    FatTreeHelper helper = TreeOf16(fgfc);
    if (fgfc)
    {
        helper.SetSwitchAttribute("FgfcPauseTime", TimeValue(MicroSeconds(20)));
    }
    const FabricContainer fabric = helper.Install();
    SideMessage side{};
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>([&side](const Message& message, Time now) {
            side.delivered = message.tag == 1 ? now : side.delivered;
        }));
    for (uint32_t host = 5; host < 12; ++host)
    {
        fabric.GetDevice(host)->SendMessage(LocationOf(0), 4 << 20);
    }
    Simulator::Schedule(MicroSeconds(200), [&fabric] {
        fabric.GetDevice(11)->SendMessage(LocationOf(14), 1 << 20, 0, 1);
    });
    Simulator::Run();
    for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
    {
        const SwitchChip& chip = fabric.GetSwitch(i)->GetChip();
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            side.frames += chip.FgfcFramesTo(port);
        }
    }
    return side;
}

/// A host that takes part in an incast has its link for its other flows.
void
TestSideMessage(FunctionCase& self)
{
    // 1 MiB takes 42 us at 200 Gb/s. Of the incast the host has a seventh: 14 % of the time.
    const Time begin = MicroSeconds(200);
    const SideMessage with = SendBeside(true);
    const SideMessage without = SendBeside(false);
    self.Expect(with.delivered - begin < MicroSeconds(53),
                Text("it takes ", with.delivered - begin));
    self.Expect(without.delivered - begin > MicroSeconds(200),
                Text("without fine-grain flow control it takes ", without.delivered - begin));
    self.Expect(with.frames > 0 && without.frames == 0, "only then there are such frames");
}

/**
 * Seven hosts write to hosts 0 and 1 by the transport, and the last of them also to an idle host.
 *
 * @param fgfc whether hosts restrain flows
 * @return time that the write to the idle host takes
 */
Time
WriteBeside(bool fgfc)
{
    Simulation simulation;
    const FabricContainer fabric = TreeOf16(fgfc).Install();
    FabricTransportHelper transport;
    transport.SetAttribute("Solicitation", StringValue("never"));
    transport.InstallNic(fabric.hosts);
    for (const uint32_t target : {0U, 1U, 14U})
    {
        transport.InstallTarget(fabric.hosts.Get(target)).Start(Time(0));
    }
    const auto write = [&](uint32_t from, uint32_t to, uint32_t bytes, Time start) {
        transport.SetInitiatorAttribute("Bytes", UintegerValue(bytes));
        ApplicationContainer initiator =
            transport.InstallInitiator(fabric.hosts.Get(from), fabric.GetDevice(to)->GetAddress());
        initiator.Start(start);
        return initiator.Get(0);
    };
    for (uint32_t host = 5; host < 12; ++host)
    {
        // The windows of two are more than the buffer of a host at its switch.
        write(host, 0, 4 << 20, Time(0));
        write(host, 1, 4 << 20, Time(0));
    }
    Time taken;
    write(11, 14, 1 << 20, MicroSeconds(200))
        ->TraceConnectWithoutContext(
            "Completed",
            Callback<void, const RdmaEvent&, Time>(
                [&taken](const RdmaEvent&, Time latency) { taken = latency; }));
    Simulator::Run();
    return taken;
}

/// A connection whose flow is restrained does not hold up another one of its host.
void
TestSideWrite(FunctionCase& self)
{
    // As TestSideMessage(), and the transport takes 10 us more: set-up, a round trip for grants.
    const Time with = WriteBeside(true);
    const Time without = WriteBeside(false);
    self.Expect(!with.IsZero() && with < MicroSeconds(75), Text("it takes ", with));
    self.Expect(without > MicroSeconds(100),
                Text("without fine-grain flow control it takes ", without));
}

/**
 * All hosts of a switch send to the first one, with all tools.
 *
 * @return part of the time in which the link to it was busy
 */
double
UtilizationAtOneSwitch(uint32_t senders, uint64_t bytes)
{
    Simulation simulation;
    FatTreeConfig config;
    config.levels = 2;
    config.radix = 2 * (senders + 1);
    config.hosts = senders + 1; // all at one edge switch
    FatTreeHelper helper(config);
    helper.SetStream(1);
    for (const char* tool : {"Fgfc", "EndpointCongestion", "FlowLimits", "Pacing"})
    {
        helper.SetSwitchAttribute(tool, BooleanValue(true));
    }
    const FabricContainer fabric = helper.Install();
    Time end;
    fabric.network->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const Message&, Time>([&end](const Message&, Time now) { end = now; }));
    for (uint32_t host = 1; host <= senders; ++host)
    {
        fabric.GetDevice(host)->SendMessage(LocationOf(0), bytes);
    }
    Simulator::Run();
    const uint64_t frames = senders * ((bytes + MAX_PAYLOAD - 1) / MAX_PAYLOAD);
    const TimePs busy = frames * LinkRate(200'000'000'000).TxTime(WireBytes(MAX_PAYLOAD));
    return static_cast<double>(busy) / static_cast<double>(end.GetPicoSeconds());
}

/// Senders at the receiver's own switch, whose frames wait there however they are paced, fill its
/// link.
void
TestOneSwitch(FunctionCase& self)
{
    for (const uint32_t senders : {8U, 64U, 200U})
    {
        const double busy = UtilizationAtOneSwitch(senders, 256 << 10);
        self.Expect(busy > 0.95 && busy <= 1, Text(senders, " senders fill ", busy));
    }
}

/// The suite.
class CongestionNetSuite : public FunctionSuite
{
  public:
    CongestionNetSuite()
        : FunctionSuite("fabric-congestion-net", kUnit)
    {
        Add("CM-1 CM-4 CM-7 the tools act", TestUse);
        Add("CM-4 a sender's other flows", TestSideMessage);
        Add("CM-4 RT-13 a sender's other connections", TestSideWrite);
        Add("CM-1 CM-7 senders at the receiver's switch", TestOneSwitch);
        Add("CM-3 CM-6 DP-5 random fabrics with all tools",
            [](FunctionCase& self) { CompareRuns(self, 24, false, false); });
        Add("CM-3 WL-8 random fabrics with all tools whose links fail",
            [](FunctionCase& self) { CompareRuns(self, 16, true, false); });
        Add("CM-3 VA-9 random fabrics with all tools whose frames go in pieces",
            [](FunctionCase& self) { CompareRuns(self, 12, false, true); });
    }
};

CongestionNetSuite g_congestionNetSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
