/* SPDX-License-Identifier: GPL-2.0-only */

// The reliable transport over a fabric or over IP, with faults (RT-15, RT-17): hosts around one
// switch, or on a fat tree, or around one router, all push to the last of them or pull from it. A
// link of the fabric can fail (WL-8). Over IP the same can be done with TCP, to compare.

#include "ns3/fabric-chain.h"
#include "ns3/fabric-congestion-tools.h"
#include "ns3/fabric-dcqcn-marks.h"
#include "ns3/fabric-link-failure-options.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-routed-target-network.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-shortest-path-routing.h"
#include "ns3/fabric-switched-target-network.h"
#include "ns3/fabric-tcp-bulk-traffic.h"
#include "ns3/fabric-transport-options.h"
#include "ns3/fabric-transport-traffic.h"
#include "ns3/random-variable-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// DCTCP's marking threshold at 10 Gb/s (Alizadeh et al., SIGCOMM'10), packets.
constexpr uint32_t MARKING_THRESHOLD = 65;

constexpr int64_t JITTER_STREAM = 1 << 20; ///< Of random numbers; losses have those of hosts.

/// Options of the program besides those of the run.
struct Options
{
    std::string over{"fabric"};         ///< What is below the transport.
    std::string protocol{"rt"};         ///< Reliable transport, or TCP.
    uint32_t senders{1};                ///< Initiators.
    Time jitter;                        ///< Most that one of them begins late.
    std::string initiators{"senders"};  ///< Who asks.
    fabric::TransportOptions transport; ///< Faults and operations.
    uint64_t mtu{fabric::MAX_PAYLOAD};  ///< Of the devices.
    uint64_t queue{1 << 20};            ///< Of a router's output.
    std::string topology{"switch"};     ///< Of the fabric.
    uint32_t k{4};                      ///< Of a fat tree.
    fabric::CongestionTools tools;      ///< Of the switches.
    fabric::LinkFailureOptions failure; ///< Of a link.
};

/// Adds the options to those of the run.
void
AddOptions(fabric::ProgramOptions& options, Options& o)
{
    options.AddRanks();
    options.Add("over",
                "network below the transport",
                o.over,
                fabric::ChoiceType({"fabric", "ip"}));
    options.Add("protocol",
                "the reliable transport, or ns-3's TCP to compare",
                o.protocol,
                fabric::ChoiceType({"rt", "tcp"}));
    o.transport.AddFaults(options);
    options.Add("senders",
                "hosts that push to the target or pull from it",
                o.senders,
                fabric::CountType(1U, 2048U));
    options.Add("initiators",
                "who posts operations: the senders to the target, or the target to each sender, so "
                "that pulls make an incast",
                o.initiators,
                fabric::ChoiceType({"senders", "target"}));
    options.Add("jitter",
                "each sender's traffic begins at a random time up to this late",
                o.jitter,
                fabric::TimeType(Time(0), Seconds(1)));
    o.transport.AddOperations(options);
    options.Add("mtu",
                "largest packet of the devices, with headers",
                o.mtu,
                fabric::SizeType(256, 9000));
    options.Add("queue",
                "over ip: size of the queue at a router's output",
                o.queue,
                fabric::SizeType(10000, uint64_t{1} << 32));
    o.transport.AddTrace(options);
    options.Add("topology",
                "topology of the fabric",
                o.topology,
                fabric::ChoiceType({"switch", "fat-tree"}));
    options.Add("k", "ports of each switch of a fat tree", o.k, fabric::CountType(2U, 48U));
    o.tools.AddTo(options);
    o.failure.AddTo(options);
}

/// Refuses options that need a fabric. @param options of the program
void
RefuseFabricOptions(const fabric::ProgramOptions& options, const Options& o)
{
    const std::string needed = "--over=fabric";
    o.failure.Refuse("0 over ip");
    options.RefuseGiven({"failAt", "repairAt", "failLink", "topology", "k", "tools"}, needed);
    options.RefuseGiven({"flowChannels", "channels", "pcap", "sampleQueues"}, needed);
    const fabric::CommonOptions& common = options.Common();
    if (!common.lookahead)
    {
        fabric::ThrowNotAllowed("--lookahead", "false", "true over ip, where there is no switch");
    }
    if (common.threads > 1)
    {
        fabric::ThrowNotAllowed("--threads",
                                std::to_string(common.threads),
                                "1 over ip, where there is no switch");
    }
    if (o.protocol == "tcp")
    {
        options.RefuseGiven({"samplePeriod"}, "--protocol=rt or --over=fabric");
    }
}

/// Refuses what ranks of MPI can't do. @param options of the program
void
CheckRanks(const fabric::ProgramOptions& options, const Options& o)
{
    if (o.over == "ip")
    {
        fabric::ThrowNotAllowed("--over",
                                "ip",
                                "fabric with --mpi, since one router is on one rank");
    }
    if (o.protocol == "tcp")
    {
        fabric::ThrowNotAllowed(
            "--protocol",
            "tcp",
            "rt with --mpi, since both ends of a connection are counted together");
    }
    if (o.topology == "switch")
    {
        fabric::ThrowNotAllowed("--topology",
                                "switch",
                                "fat-tree with --mpi, since one switch is on one rank");
    }
    // Samples end with the last operation, of which other ranks hear later.
    options.RefuseGiven({"samplePeriod", "trace"}, "--mpi=false");
}

/// Refuses options that do not go together. @param options of the program
void
CheckOptions(const fabric::ProgramOptions& options, const Options& o)
{
    o.transport.Check(options.Common().threads);
    if (o.over == "ip")
    {
        RefuseFabricOptions(options, o);
        if (o.transport.congestionControl == "hpcc")
        {
            fabric::ThrowNotAllowed(
                "--congestionControl",
                "hpcc",
                "fixed, delay, marks, dcqcn or timely with --over=ip, whose router "
                "writes nothing on packets");
        }
    }
    else
    {
        options.RefuseGiven({"queue"}, "--over=ip");
    }
    if (o.topology == "switch")
    {
        options.RefuseGiven({"k"}, "--topology=fat-tree");
    }
    if (options.Common().mpi)
    {
        CheckRanks(options, o);
    }
    o.failure.Check();
    if (!o.failure.IsGiven())
    {
        options.RefuseGiven({"failLink"}, "--failAt");
    }
    const std::vector<std::string>& posted = o.transport.operations;
    if (std::find(posted.begin(), posted.end(), "push") == posted.end())
    {
        options.RefuseGiven({"push"}, "push among --operations");
    }
    if (o.protocol == "tcp")
    {
        o.transport.CheckTcp(o.over == "ip");
        options.RefuseGiven({"initiators"}, "--protocol=rt");
    }
}

/// Builds the switches: one, or a fat tree whose last host is the target.
const FabricContainer&
InstallSwitches(FabricRun& run, const Options& o)
{
    if (o.topology == "switch")
    {
        const fabric::TopologyPlan plan = fabric::MakeChainPlan({o.senders});
        return run.Install(plan, fabric::MakeShortestPathRouting(plan));
    }
    fabric::FatTreeConfig config;
    config.radix = o.k;
    const FatTreeHelper tree = FabricRun::MakeTree(config, "--k=" + std::to_string(o.k));
    const std::size_t hosts = tree.GetTree().GetPlan().hosts.size();
    if (o.senders >= hosts)
    {
        fabric::ThrowNotAllowed("--senders",
                                std::to_string(o.senders),
                                "less than the " + std::to_string(hosts) +
                                    " hosts of the fat tree");
    }
    return run.Install(tree.GetTree());
}

/// Builds the fabric.
std::unique_ptr<TargetNetwork>
MakeFabric(FabricRun& run, const Options& o)
{
    const fabric::ProgramOptions& options = run.GetOptions();
    o.tools.SetAttributes(options, run.HasFlowChannels());
    if (!options.IsGiven("ns3::FabricDevice::Mtu"))
    {
        run.GetHelper().SetDeviceAttribute("Mtu", UintegerValue(o.mtu));
    }
    else if (o.mtu != fabric::MAX_PAYLOAD)
    {
        fabric::ThrowNotAllowed("--mtu",
                                std::to_string(o.mtu),
                                "one of --mtu and --ns3::FabricDevice::Mtu");
    }
    o.transport.SetSwitches(options, run.GetLinkRate());
    const FabricContainer& fabric = InstallSwitches(run, o);
    o.transport.RequireMarks(fabric.GetSwitch(0)->GetChip().Marker() != nullptr);
    o.failure.Plan(fabric);
    auto network = std::make_unique<SwitchedTargetNetwork>(fabric, o.senders);
    if (o.protocol == "tcp")
    {
        network->InstallIp();
    }
    if (o.failure.IsGiven() || fabric.GetSwitch(0)->GetChip().Config().buffer.lossyClasses != 0)
    {
        network->ReportDrops();
    }
    return network;
}

/// Builds the IP network: one router.
std::unique_ptr<TargetNetwork>
MakeRouter(const FabricRun& run, const Options& o)
{
    RoutedTargetNetwork::RedMarking marking;
    if (o.transport.congestionControl == "dcqcn")
    {
        const auto mtu = static_cast<double>(o.mtu);
        const auto marks = fabric::DcqcnMarks::OfPaper(run.GetLinkRate());
        marking = {marks.minBytes / mtu, marks.maxBytes / mtu, marks.probability};
    }
    else if (o.transport.HasMarks())
    {
        marking.minPackets = marking.maxPackets = MARKING_THRESHOLD;
    }
    auto network =
        std::make_unique<RoutedTargetNetwork>(RoutedTargetNetwork::Settings{o.senders,
                                                                            run.GetLinkRate(),
                                                                            run.GetLinkDelay(),
                                                                            o.mtu,
                                                                            o.queue,
                                                                            marking});
    if (o.protocol == "tcp" && o.transport.loss > 0)
    {
        network->SetLoss(o.transport.loss);
    }
    return network;
}

/// Lets the traffic of each sender begin at a random time. @param applications by number of it
void
SetStart(const ApplicationContainer& applications, const Time& jitter)
{
    if (jitter.IsZero())
    {
        return;
    }
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(JITTER_STREAM);
    for (uint32_t host = 0; host < applications.GetN(); ++host)
    {
        const double late = random->GetValue(0, static_cast<double>(jitter.GetPicoSeconds()));
        applications.Get(host)->SetStartTime(PicoSeconds(static_cast<int64_t>(late)));
    }
}

/// Runs the reliable transport.
void
RunTransport(FabricRun& run, const TargetNetwork& network, const Options& o)
{
    const uint32_t links = o.topology == "fat-tree" ? 6 : 2;
    const Time link = run.GetLinkDelay() + run.GetLinkRate().CalculateBytesTxTime(o.mtu);
    FabricTransportTraffic::SetGrantDefaults(run.GetOptions(), run.GetLinkRate(), 2 * links * link);
    FabricTransportTraffic traffic(network);
    if (!run.GetSamplePeriod().IsZero())
    {
        traffic.SampleWindows(run.GetSamplePeriod());
    }
    FabricTransportHelper helper;
    o.transport.SetAttributes(helper);
    if (o.initiators == "target")
    {
        traffic.LetTargetAsk();
    }
    traffic.Install(helper, o.transport.trace);
    SetStart(traffic.GetInitiators(), o.jitter);
    run.RunUntilIdle([&traffic] { return traffic.GetDone(); });
    traffic.AddRanks();
    traffic.CheckComplete();
    network.AddCompletion(run.GetSummary(), traffic.GetCompletion());
    traffic.AddFigures(run.GetSummary());
    network.AddOwnFigures(run.GetSummary());
    run.Finish(traffic.GetTotals(),
               [&traffic](fabric::RunDirectory& directory) { traffic.Write(directory); });
}

/// Runs TCP: each sender sends all its bytes over one connection.
void
RunTcp(FabricRun& run, const TargetNetwork& network, const Options& o)
{
    const TcpBulkTraffic traffic(network, o.transport.bytes * o.transport.count);
    ApplicationContainer senders;
    for (uint32_t host = 0; host < network.GetSenders(); ++host)
    {
        senders.Add(network.GetHosts().Get(host)->GetApplication(0));
    }
    SetStart(senders, o.jitter);
    run.RunUntilIdle([&traffic] { return traffic.GetDone(); });
    traffic.CheckComplete();
    network.AddCompletion(run.GetSummary(), traffic.GetCompletion());
    network.AddOwnFigures(run.GetSummary());
    run.Finish(traffic.GetTotals());
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Options o;
        FabricRun run("fabric-transport.cc",
                      "The reliable transport over a fabric or over IP, with faults.");
        AddOptions(run.GetOptions(), o);
        run.Parse(argc, argv, [&] { CheckOptions(run.GetOptions(), o); });
        if (o.transport.congestionControl != "fixed" && !run.GetOptions().IsGiven("tools"))
        {
            o.tools.tools = {"hop-credits", "slow-paths"}; // one controller for each queue
        }
        if (o.protocol == "tcp")
        {
            // Hosts are made by them.
            TcpBulkTraffic::SetDefaults(run.GetOptions(),
                                        o.mtu,
                                        o.transport.HasMarks(),
                                        run.GetHostRate());
        }
        const std::unique_ptr<TargetNetwork> network =
            o.over == "fabric" ? MakeFabric(run, o) : MakeRouter(run, o);
        o.protocol == "rt" ? RunTransport(run, *network, o) : RunTcp(run, *network, o);
        return fabric::EXIT_DONE;
    });
}
