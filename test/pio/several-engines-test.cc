/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-command-helper.h"
#include "fabric-initiator-application.h"
#include "fabric-message-recorder.h"
#include "fabric-nic-transport.h"
#include "fabric-pio-helper.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-transport-helper.h"
#include "support/fabric-early-restraints.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// What an engine is.
enum EngineType : uint8_t
{
    TRANSPORT_ENGINE,
    PIO_ENGINE,
    COMMAND_ENGINE,
};

/// Hosts on two switches, each with several engines in its NIC.
class EnginesBed
{
  public:
    using Order = std::array<EngineType, 3>;

    explicit EnginesBed(const FabricHelper& helper)
    {
        const TopologyPlan plan = MakeChainPlan({2, 1});
        fabric = helper.Install(plan, MakeShortestPathRouting(plan));
    }

    /// Puts engines into the NICs of all hosts. @param order of installation
    void Install(const Order& order)
    {
        for (uint32_t host = 0; host < fabric.hosts.GetN(); ++host)
        {
            for (const EngineType type : order)
            {
                Install(host, type);
            }
        }
        transport.InstallTarget(fabric.hosts);
    }

    void Install(uint32_t host, EngineType type)
    {
        switch (type)
        {
        case TRANSPORT_ENGINE:
            transport.InstallNic(fabric.hosts.Get(host));
            break;
        case PIO_ENGINE:
            pio.Install(fabric, host);
            break;
        case COMMAND_ENGINE:
            commands.Install(fabric, host)
                ->SetReportCallback(Callback<void, const CommandReport&>(
                    [this, host](const CommandReport& report) { Learn(host, report); }));
            break;
        }
    }

    /// One host writes to another by the transport.
    Ptr<FabricInitiatorApplication> Write(uint32_t from, uint32_t to)
    {
        const auto initiator = DynamicCast<FabricInitiatorApplication>(
            transport.InstallInitiator(fabric.hosts.Get(from), fabric.GetDevice(to)->GetAddress())
                .Get(0));
        initiator->TraceConnectWithoutContext(
            "Completed",
            Callback<void, const RdmaEvent&, Time>([this, from](const RdmaEvent& event, Time) {
                ++writes;
                journal << Simulator::Now() << " host " << from << " wrote " << event.at << '\n';
            }));
        return initiator;
    }

    /// @return frames of fine-grain flow control that switches have sent
    uint64_t Restraints() const
    {
        uint64_t restraints = 0;
        for (const Ptr<FabricSwitch>& one : fabric.network->GetSwitches())
        {
            for (uint32_t port = 0; port < one->GetChip().Config().ports; ++port)
            {
                restraints += one->GetChip().FgfcFramesTo(port);
            }
        }
        return restraints;
    }

    FabricContainer fabric;
    FabricTransportHelper transport;
    FabricPioHelper pio;
    FabricCommandHelper commands;
    std::ostringstream journal;
    uint64_t writes{0};    ///< Completed, of the transport.
    uint64_t completed{0}; ///< Commands.

  private:
    void Learn(uint32_t host, const CommandReport& report)
    {
        completed += report.isOwn ? 1 : 0;
        journal << Simulator::Now() << " host " << host << " learns " << report.bytes << '\n';
    }
};

/// What is drawn for a run.
struct Draw
{
    explicit Draw(uint32_t seed)
        : random(seed)
    {
    }

    uint32_t operator()(uint32_t low, uint32_t high)
    {
        return low + static_cast<uint32_t>(random() % (high - low + 1));
    }

    std::mt19937 random;
};

constexpr uint32_t HOSTS = 3;  ///< Of an EnginesBed.
constexpr uint32_t COUNT = 15; ///< Messages, writes and commands of a host to another.

/// Links have lanes, each class its own, and frames go in pieces. @param how attribute
void
UsePieces(FabricHelper& helper, const char* how)
{
    LaneTable table;
    for (uint8_t i = 0; i < 3; ++i)
    {
        table.lanes.push_back({i, static_cast<uint8_t>(2 - i), i, 0, i == 2});
    }
    table.groups = {{0, GroupSettings::FULL_SHARE}};
    helper.SetLaneTable(table);
    helper.SetSwitchAttribute(how, BooleanValue(true));
}

/// All hosts send to all by all engines. @param[out] restraints that there were
/// @return what all were told, as a text
std::string
RunAll(FunctionCase& self, uint32_t seed, bool lookahead, uint32_t threads, uint64_t& restraints)
{
    Draw draw(seed);
    FabricHelper helper;
    helper.SetStream(1);
    helper.SetNetworkAttribute("Lookahead", BooleanValue(lookahead));
    helper.SetNetworkAttribute("Threads", UintegerValue(threads));
    helper.SetNetworkAttribute("LeastThreadedWork", TimeValue(Time(0)));
    if (draw(0, 1) == 0)
    {
        UseEarlyRestraints(helper);
    }
    const uint32_t pieces = draw(0, 2);
    if (pieces != 0)
    {
        UsePieces(helper, pieces == 1 ? "LanePreemption" : "LaneInterleaving");
    }
    const uint32_t slow = draw(0, HOSTS);
    if (slow != HOSTS)
    {
        helper.SetDeviceAttribute(slow, "ReceiveRate", StringValue("30Gbps"));
        helper.SetDeviceAttribute(slow, "ReceiveBuffer", UintegerValue(20'000));
    }
    EnginesBed bed(helper);
    const FabricMessageRecorder recorder(bed.fabric.network);
    bed.pio.SetAttribute("Blocks", UintegerValue(draw(33, 200)));
    bed.pio.SetAttribute("Threads", UintegerValue(HOSTS));
    bed.pio.SetAttribute("SdmaBytes", UintegerValue(draw(0, 1) * 3000));
    bed.pio.SetApplicationAttribute("Bytes", UintegerValue(draw(1, 9000)));
    bed.pio.SetApplicationAttribute("Count", UintegerValue(COUNT));
    bed.commands.SetAttribute("PrefetchSlots", UintegerValue(draw(4, 64)));
    bed.commands.SetApplicationAttribute("TrafficClass", UintegerValue(draw(0, 2)));
    bed.commands.SetApplicationAttribute("Operation",
                                         StringValue(draw(0, 1) == 0 ? "put" : "send"));
    bed.commands.SetApplicationAttribute("Bytes", UintegerValue(draw(1, 9000)));
    bed.commands.SetApplicationAttribute("Count", UintegerValue(COUNT));
    bed.transport.SetInitiatorAttribute("Operations", StringValue("write,read"));
    bed.transport.SetInitiatorAttribute("Bytes", UintegerValue(draw(1, 20000)));
    bed.transport.SetInitiatorAttribute("Count", UintegerValue(COUNT));
    bed.transport.SetInitiatorAttribute("Outstanding", UintegerValue(draw(1, 8)));
    EnginesBed::Order order{TRANSPORT_ENGINE, PIO_ENGINE, COMMAND_ENGINE};
    std::shuffle(order.begin(), order.end(), draw.random);
    bed.Install(order);
    for (uint32_t from = 0; from < HOSTS; ++from)
    {
        for (uint32_t to = 0; to < HOSTS; ++to)
        {
            if (to != from)
            {
                bed.pio.InstallSender(bed.fabric, from, to, to);
                bed.commands.InstallInitiator(bed.fabric, from, to, 0);
                bed.Write(from, to);
            }
        }
    }
    Simulator::Run();
    constexpr uint32_t ALL = HOSTS * (HOSTS - 1) * COUNT;
    self.ExpectEqual(recorder.GetRecords().size(), ALL, Text("PIO's messages, seed ", seed));
    self.ExpectEqual(bed.writes, ALL, Text("operations of the transport, seed ", seed));
    self.ExpectEqual(bed.completed, ALL, Text("commands, seed ", seed));
    self.Expect(bed.fabric.network->IsEmpty(), Text("nothing is left, seed ", seed));
    bed.fabric.network->CheckInvariants();
    restraints += bed.Restraints();
    recorder.WriteMessages(bed.journal);
    Simulator::Destroy();
    return bed.journal.str();
}

/// Neither windows nor threads change anything, whatever engines share a NIC.
void
TestSameBytes(FunctionCase& self)
{
    const TestSeeds seeds(8);
    uint64_t restraints = 0;
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        const std::string expected = RunAll(self, seed, false, 1, restraints);
        self.ExpectSame(RunAll(self, seed, true, 1, restraints),
                        expected,
                        "look-ahead, seed " + std::to_string(seed));
        self.ExpectSame(RunAll(self, seed, true, 2, restraints),
                        expected,
                        "two threads, seed " + std::to_string(seed));
    }
    self.Expect(seeds.count < 8 || restraints > 100,
                Text("only ", restraints, " orders have restrained flows"));
}

/// Messages, writes and commands that arrive in a time, by engine.
using Shares = std::array<uint64_t, 3>;

/// @param engines of host 0 that send to a host each @param[in] to the hosts, by engine
Shares
ShareOf(const std::vector<EngineType>& engines,
        const std::array<uint32_t, 3>& to,
        const FabricHelper& helper = FabricHelper())
{
    EnginesBed bed(helper);
    constexpr uint32_t BYTES = 2040; // a packet; with the transport's header it is about as long
    bed.pio.SetAttribute("Blocks", UintegerValue(1024));
    bed.pio.SetAttribute("BlockTime", TimeValue(NanoSeconds(1)));
    bed.commands.SetAttribute("RingSlots", UintegerValue(1024));
    bed.commands.SetAttribute("Batch", UintegerValue(64));
    bed.transport.SetAttribute("RequestWindow", UintegerValue(64));
    bed.Install({TRANSPORT_ENGINE, PIO_ENGINE, COMMAND_ENGINE});
    const auto sends = [&engines](EngineType type) {
        return std::find(engines.begin(), engines.end(), type) != engines.end();
    };
    const uint64_t many = 100'000;
    if (sends(PIO_ENGINE))
    {
        bed.pio.SetApplicationAttribute("Bytes", UintegerValue(BYTES));
        bed.pio.SetApplicationAttribute("Count", UintegerValue(many));
        bed.pio.InstallSender(bed.fabric, 0, to[PIO_ENGINE]);
    }
    if (sends(COMMAND_ENGINE))
    {
        bed.commands.SetApplicationAttribute("Bytes", UintegerValue(BYTES));
        bed.commands.SetApplicationAttribute("Count", UintegerValue(many));
        bed.commands.InstallInitiator(bed.fabric, 0, to[COMMAND_ENGINE], 0);
    }
    if (sends(TRANSPORT_ENGINE))
    {
        bed.transport.SetInitiatorAttribute("Bytes", UintegerValue(BYTES));
        bed.transport.SetInitiatorAttribute("Count", UintegerValue(many));
        bed.transport.SetInitiatorAttribute("Outstanding", UintegerValue(100));
        bed.Write(0, to[TRANSPORT_ENGINE]);
    }
    bed.fabric.network->StopAt(MicroSeconds(300));
    Simulator::Run();
    const auto pio = bed.fabric.hosts.Get(to[PIO_ENGINE])->GetObject<FabricPio>();
    const Shares shares{bed.writes, pio->GetReceived(), bed.completed};
    Simulator::Destroy();
    return shares;
}

/// Engines that all have something to send have turns.
void
TestArbitration(FunctionCase& self)
{
    const Shares transport = ShareOf({TRANSPORT_ENGINE}, {1, 1, 1});
    const Shares pio = ShareOf({PIO_ENGINE}, {1, 1, 1});
    const Shares commands = ShareOf({COMMAND_ENGINE}, {1, 1, 1});
    for (const std::array<uint32_t, 3>& to : {std::array<uint32_t, 3>{1, 1, 1}, {1, 2, 2}})
    {
        const Shares both = ShareOf({TRANSPORT_ENGINE, PIO_ENGINE}, to);
        self.Expect(
            both[0] > 0.4 * transport[0] && both[1] > 0.4 * pio[1],
            Text("transport ", both[0], " of ", transport[0], ", PIO ", both[1], " of ", pio[1]));
        const Shares all = ShareOf({TRANSPORT_ENGINE, PIO_ENGINE, COMMAND_ENGINE}, to);
        self.Expect(all[0] > 0.25 * transport[0] && all[1] > 0.25 * pio[1] &&
                        all[2] > 0.25 * commands[2],
                    Text("of three: ",
                         all[0],
                         ", ",
                         all[1],
                         ", ",
                         all[2],
                         " of ",
                         transport[0],
                         ", ",
                         pio[1],
                         ", ",
                         commands[2]));
    }
}

/// An engine whose flow is restrained does not stop the others.
void
TestRestraint(FunctionCase& self)
{
    FabricHelper helper;
    UseEarlyRestraints(helper);
    helper.SetDeviceAttribute(2, "ReceiveRate", StringValue("1Gbps"));
    const std::vector<EngineType> both{TRANSPORT_ENGINE, PIO_ENGINE};
    const Shares pioStops = ShareOf(both, {1, 2, 1}, helper);
    const Shares transportStops = ShareOf(both, {2, 1, 1}, helper);
    const Shares usual = ShareOf(both, {1, 1, 1});
    self.Expect(pioStops[1] * 10 < usual[1] && pioStops[0] > usual[0],
                Text("PIO to a slow host ", pioStops[1], ", transport ", pioStops[0]));
    self.Expect(transportStops[0] * 10 < usual[0] && transportStops[1] > usual[1],
                Text("transport to a slow host ", transportStops[0], ", PIO ", transportStops[1]));
}

/// Frames for an engine that a NIC does not have are dropped, and nothing is left of them.
void
TestForeignFrames(FunctionCase& self)
{
    EnginesBed bed{FabricHelper()};
    bed.Install(0, TRANSPORT_ENGINE);
    bed.Install(1, PIO_ENGINE);
    bed.Install(2, COMMAND_ENGINE);
    bed.transport.InstallTarget(bed.fabric.hosts.Get(0));
    bed.Write(0, 1);
    bed.Write(0, 2);
    bed.fabric.network->StopAt(MilliSeconds(1));
    Simulator::Run();
    bed.fabric.network->CheckInvariants();
    self.Expect(bed.fabric.network->IsEmpty(), "nothing is left");
    self.ExpectEqual(bed.writes, 0, "operations");
    Simulator::Destroy();
}

/// What can't be is refused in a sentence.
void
TestLateEngines(FunctionCase& self)
{
    EnginesBed bed{FabricHelper()};
    bed.Install(0, PIO_ENGINE);
    bed.commands.SetAttribute("PcieLanes", UintegerValue(8));
    self.ExpectSame(Refusal([&] { bed.Install(0, COMMAND_ENGINE); }),
                    "ns3::FabricCommandQueues on node 0: its settings of PCIe differ from those of "
                    "another engine of the NIC; allowed are the same, since there is one link",
                    "refusal");
    bed.fabric.hosts.Get(0)->GetObject<FabricPio>()->Send(0, {2}, 100);
    Simulator::Run();
    const std::string late =
        "another engine of the NIC has sent already; allowed is to install all of them before";
    bed.commands.SetAttribute("PcieLanes", UintegerValue(16));
    self.ExpectSame(Refusal([&] { bed.Install(0, COMMAND_ENGINE); }),
                    "ns3::FabricCommandQueues on node 0: " + late,
                    "refusal");
    self.ExpectSame(Refusal([&] { bed.Install(0, TRANSPORT_ENGINE); }),
                    "ns3::FabricNicTransport on node 0: " + late,
                    "refusal");
    Simulator::Destroy();
}

/// The suite.
class SeveralEnginesSuite : public FunctionSuite
{
  public:
    SeveralEnginesSuite()
        : FunctionSuite("fabric-several-engines", kUnit)
    {
        Add("DP-4 DP-5 DP-15 windows and threads", TestSameBytes);
        Add("PC-10 engines have turns", TestArbitration);
        Add("PC-10 CM-4 a restrained engine stops itself alone", TestRestraint);
        Add("DP-4 frames of engines that are not there", TestForeignFrames);
        Add("what is refused", TestLateEngines);
    }
};

SeveralEnginesSuite g_severalEnginesSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
