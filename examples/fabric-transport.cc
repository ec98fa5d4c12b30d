/* SPDX-License-Identifier: GPL-2.0-only */

// The reliable transport over a fabric or over IP, with faults (RT-15, RT-17): hosts around one
// switch, or on a fat tree, or around one router, all push to the last of them or pull from it. A
// link of the fabric can fail (WL-8). Over IP the same can be done with TCP, to compare.

#include "ns3/boolean.h"
#include "ns3/bulk-send-application.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/fabric-chain.h"
#include "ns3/fabric-fat-tree.h"
#include "ns3/fabric-option-text.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-shortest-path-routing.h"
#include "ns3/fabric-transport-helper.h"
#include "ns3/fabric-transport-recorder.h"
#include "ns3/fabric-window-sampler.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>

using namespace ns3;

namespace
{

constexpr uint16_t UDP_PORT = 4792;         ///< Default of ns3::FabricUdpTransport.
constexpr uint16_t TCP_PORT = 5001;         ///< Any.
constexpr uint64_t MOST_BYTES = 0x7FFFFFFF; ///< Of an operation.

/// DCTCP's marking threshold at 10 Gb/s (Alizadeh et al., SIGCOMM'10), packets.
constexpr double MARKING_THRESHOLD = 65;

/// `--option`s of the program.
struct Options
{
    std::string over{"fabric"};                  ///< What is below the transport.
    std::string protocol{"rt"};                  ///< Reliable transport, or TCP.
    double loss{0};                              ///< Part of packets.
    double reorder{0};                           ///< Part of packets.
    double duplicate{0};                         ///< Part of packets.
    double corrupt{0};                           ///< Part of packets.
    uint32_t senders{1};                         ///< Initiators.
    uint64_t bytes{1 << 20};                     ///< Of each operation.
    uint32_t count{1};                           ///< Operations of each sender.
    uint32_t outstanding{64};                    ///< At a time.
    std::vector<std::string> operations{"push"}; ///< In turn.
    std::string push{"auto"};                    ///< Solicitation.
    bool ordered{true};                          ///< RT-10.
    uint32_t window{128};                        ///< Data packets.
    std::string congestionControl{"fixed"};      ///< RT-14.
    uint64_t mtu{fabric::MAX_PAYLOAD};           ///< Of the devices.
    uint64_t queue{1 << 20};                     ///< Of a router's output.
    bool trace{false};                           ///< Whether packets are written.
    std::string topology{"switch"};              ///< Of the fabric.
    uint32_t k{4};                               ///< Of a fat tree.
    Time failAt{0};                              ///< A link fails; 0 for none.
    Time repairAt{0};                            ///< It is repaired; 0 for not at all.
    std::string failLink{"target"};              ///< Which link.
};

/// Adds the options to those of the run.
void
AddOptions(fabric::ProgramOptions& options, Options& o)
{
    const fabric::Bounds<double> part{0, 0.9};
    options.AddChoice("over", "what is below the transport", o.over, {"fabric", "ip"});
    options.AddChoice("protocol",
                      "the reliable transport, or ns-3's TCP to compare",
                      o.protocol,
                      {"rt", "tcp"});
    options.AddNumber("loss", "part of arriving packets that vanish", o.loss, part);
    options.AddNumber("reorder", "part that is held back up to 10 us", o.reorder, part);
    options.AddNumber("duplicate", "part that arrives twice", o.duplicate, part);
    options.AddNumber("corrupt", "part that is damaged", o.corrupt, part);
    options.AddCount("senders", "hosts that push or pull", o.senders, 1U, 2048U);
    options.AddSize("bytes", "of each operation", o.bytes, {1, MOST_BYTES});
    options.AddCount("count", "operations of each sender", o.count, 1U, 1U << 24);
    options.AddCount("outstanding",
                     "operations of a sender at a time, at most",
                     o.outstanding,
                     1U,
                     1U << 24);
    options.AddChoices("operations", "what to do in turn", o.operations, {"push", "pull"});
    options.AddChoice("push",
                      "whether pushes ask first; auto is above 16 KiB",
                      o.push,
                      {"solicited", "unsolicited", "auto"});
    options.AddBoolean("ordered", "whether requests and completions keep their order", o.ordered);
    options.AddCount("window", "data packets in flight", o.window, 1U, 128U);
    options.AddChoice("congestionControl",
                      "who decides about packets in flight",
                      o.congestionControl,
                      {"fixed", "delay", "marks"});
    options.AddSize("mtu", "largest packet of the devices, with headers", o.mtu, {256, 9000});
    options.AddSize("queue",
                    "over ip: room of a router's output",
                    o.queue,
                    {10000, uint64_t{1} << 32});
    options.AddBoolean("trace", "whether every packet is written to packets.csv", o.trace);
    options.AddChoice("topology", "of the fabric", o.topology, {"switch", "fat-tree"});
    options.AddCount("k", "ports of a fat tree's switch", o.k, 2U, 48U);
    options.AddTime("failAt",
                    "a link of the fabric fails then, 0 for none",
                    o.failAt,
                    Time(0),
                    Seconds(10));
    options.AddTime("repairAt",
                    "it is repaired then, 0 for never",
                    o.repairAt,
                    Time(0),
                    Seconds(20));
    options.AddText(
        "failLink",
        "which link fails: of the target, of the first sender, or between two switches, as "
        "0-8",
        o.failLink);
    options.ReserveAttributes({"ns3::FabricTransport::Loss",
                               "ns3::FabricTransport::Reorder",
                               "ns3::FabricTransport::Duplicate",
                               "ns3::FabricTransport::Corrupt",
                               "ns3::FabricTransport::FaultSeed",
                               "ns3::FabricTransport::Solicitation",
                               "ns3::FabricTransport::DataWindow",
                               "ns3::FabricTransport::CongestionControl",
                               "ns3::FabricInitiatorApplication::Remote",
                               "ns3::FabricInitiatorApplication::Operations",
                               "ns3::FabricInitiatorApplication::Bytes",
                               "ns3::FabricInitiatorApplication::Count",
                               "ns3::FabricInitiatorApplication::Outstanding",
                               "ns3::FabricInitiatorApplication::Ordered",
                               "ns3::FabricUdpTransport::Port"},
                              "what its own options say");
}

/// @return a time as messages show it
std::string
Text(Time time)
{
    std::ostringstream text;
    text << time.As(Time::US);
    return text.str();
}

/// Refuses options that mean nothing to TCP.
void
CheckTcpOptions(const Options& o)
{
    const bool isPlain = (o.loss == 0 || o.over == "ip") && o.reorder == 0 && o.duplicate == 0 &&
                         o.corrupt == 0 && !o.trace &&
                         o.operations == std::vector<std::string>{"push"};
    if (!isPlain)
    {
        fabric::ThrowNotAllowed("--protocol",
                                "tcp",
                                "rt, or tcp with --operations=push and no faults but, over ip, "
                                "--loss");
    }
    if (o.congestionControl == "delay")
    {
        fabric::ThrowNotAllowed("--congestionControl",
                                "delay",
                                "fixed (as ns3::TcpL4Protocol::SocketType says) or marks (DCTCP) "
                                "with --protocol=tcp");
    }
    const auto refuse = [](const std::string& name, const std::string& value, bool isDefault) {
        if (!isDefault)
        {
            fabric::ThrowNotAllowed("--" + name, value, "only --protocol=rt with it");
        }
    };
    const Options usual;
    refuse("window", std::to_string(o.window), o.window == usual.window);
    refuse("outstanding", std::to_string(o.outstanding), o.outstanding == usual.outstanding);
    refuse("push", o.push, o.push == usual.push);
    refuse("ordered", "false", o.ordered == usual.ordered);
}

/// Refuses options that do not go together.
void
CheckOptions(const Options& o, uint32_t threads)
{
    if (o.operations.empty())
    {
        fabric::ThrowNotAllowed("--operations", "none", "push, pull or both");
    }
    if (o.trace && threads > 1)
    {
        fabric::ThrowNotAllowed("--trace", "true", "false, or --threads=1");
    }
    if (o.over == "ip" && !o.failAt.IsZero())
    {
        fabric::ThrowNotAllowed("--failAt", Text(o.failAt), "0 over ip");
    }
    if (!o.repairAt.IsZero() && (o.failAt.IsZero() || o.repairAt <= o.failAt))
    {
        fabric::ThrowNotAllowed("--repairAt",
                                Text(o.repairAt),
                                "0, or a time after --failAt=" + Text(o.failAt));
    }
    if (o.protocol == "tcp")
    {
        CheckTcpOptions(o);
    }
}

/// Hosts and what is between them.
struct Hosts
{
    NodeContainer nodes;                     ///< The last is the target.
    Address target;                          ///< Of it.
    std::function<uint64_t()> peakQueue;     ///< Most bytes that waited for the target.
    std::function<uint64_t()> bytesToTarget; ///< Over its link by now, frames' headers apart.
    std::function<void(fabric::RunTotals&)> addHops; ///< Counts hops.
    std::function<uint64_t()> markedFrames; ///< By the fabric's switch; none if it marks none.
    Ptr<FabricNetwork> network;             ///< The fabric; null over IP.
};

/**
 * @param fabric with the link that is to fail
 * @param o names it
 * @param target number of the target host
 * @return the link
 */
Ptr<FabricChannel>
FindLink(const FabricContainer& fabric, const Options& o, uint32_t target)
{
    if (o.failLink == "target" || o.failLink == "sender")
    {
        return fabric.hostLinks[o.failLink == "target" ? target : 0];
    }
    std::istringstream text(o.failLink);
    uint32_t a;
    uint32_t b;
    char dash = 0;
    if (text >> a >> dash >> b && dash == '-' && text.eof())
    {
        try
        {
            return fabric.GetLink(a, b);
        }
        catch (const std::invalid_argument& error)
        {
            throw std::invalid_argument("--failLink=" + o.failLink + ": " + error.what());
        }
    }
    fabric::ThrowNotAllowed("--failLink",
                            o.failLink,
                            "target, sender, or the numbers of two switches, such as 0-8");
}

/// A link fails, and is repaired.
void
FailLink(const FabricContainer& fabric, const Options& o, uint32_t target)
{
    const Ptr<FabricChannel> link = FindLink(fabric, o, target);
    if (o.failAt.IsZero())
    {
        return;
    }
    link->FailAt(o.failAt);
    if (!o.repairAt.IsZero())
    {
        link->RepairAt(o.repairAt);
    }
}

/// @return a fat tree of three levels; a mistake names the option
fabric::FatTree
MakeTree(uint32_t k)
{
    fabric::FatTreeConfig config;
    config.radix = k;
    try
    {
        return fabric::FatTree(config);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument("--k=" + std::to_string(k) + ": " + error.what());
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
    const fabric::FatTree tree = MakeTree(o.k);
    const std::size_t hosts = tree.GetPlan().hosts.size();
    if (o.senders >= hosts)
    {
        fabric::ThrowNotAllowed("--senders",
                                std::to_string(o.senders),
                                "less than the " + std::to_string(hosts) +
                                    " hosts of the fat tree");
    }
    const auto& rules = tree.GetRouting();
    return run.Install(tree.GetPlan(), {rules.begin(), rules.end()});
}

/**
 * Hosts of the fabric speak IP.
 *
 * @param hosts all
 * @param devices theirs
 * @return address of the last of them
 */
Ipv4Address
InstallIp(const NodeContainer& hosts, const NetDeviceContainer& devices)
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(hosts);
    Ipv4AddressHelper address("10.0.0.0", "255.255.0.0");
    return address.Assign(devices).GetAddress(hosts.GetN() - 1);
}

/// Builds the fabric.
Hosts
MakeFabric(FabricRun& run, const Options& o)
{
    if (!run.GetOptions().IsGiven("ns3::FabricDevice::Mtu"))
    {
        run.GetHelper().SetDeviceAttribute("Mtu", UintegerValue(o.mtu));
    }
    else if (o.mtu != fabric::MAX_PAYLOAD)
    {
        fabric::ThrowNotAllowed("--mtu",
                                std::to_string(o.mtu),
                                "one of --mtu and --ns3::FabricDevice::Mtu");
    }
    if (o.congestionControl == "marks")
    {
        run.GetOptions().SetDefault("ns3::FabricSwitch::MarkClasses", UintegerValue(0xFFFF));
    }
    const FabricContainer& fabric = InstallSwitches(run, o);
    const uint32_t target = fabric.hosts.GetN() - 1;
    FailLink(fabric, o, target);
    Hosts hosts;
    for (uint32_t i = 0; i < o.senders; ++i)
    {
        hosts.nodes.Add(fabric.hosts.Get(i));
    }
    hosts.nodes.Add(fabric.hosts.Get(target));
    const Ptr<FabricNetDevice> device = fabric.GetDevice(target);
    hosts.target = o.protocol == "tcp"
                       ? Address(InetSocketAddress(InstallIp(fabric.hosts, fabric.devices), 0))
                       : device->GetAddress();
    const fabric::SwitchChip& chip = device->GetSwitch()->GetChip();
    hosts.peakQueue = [&chip] { return chip.Counts().peakHeldBytes; };
    if (chip.Marker())
    {
        hosts.markedFrames = [&chip] { return chip.Marker()->MarkedFrames(); };
    }
    const fabric::Nic& nic = device->GetNic();
    hosts.bytesToTarget = [&nic] { return nic.DeliveredBy(Simulator::Now().GetPicoSeconds()); };
    const Ptr<FabricNetwork> network = hosts.network = fabric.network;
    hosts.addHops = [network](fabric::RunTotals& totals) {
        const FabricTotals counted = network->GetTotals();
        totals.dataHops = counted.dataHops;
        totals.controlHops = counted.controlHops;
    };
    return hosts;
}

/// What a router's output towards the target has seen.
struct EgressWatch
{
    uint64_t peak{0};  ///< Most bytes in its queue.
    uint64_t bytes{0}; ///< Sent, PPP headers counted.
    uint64_t hops{0};  ///< Packets over any link.
};

/// A router's output marks packets (RFC 3168), as DCTCP wants it.
void
InstallMarking(const NetDeviceContainer& devices, const Options& o)
{
    TrafficControlHelper marking;
    marking.SetRootQueueDisc(
        "ns3::RedQueueDisc",
        "MinTh",
        DoubleValue(MARKING_THRESHOLD),
        "MaxTh",
        DoubleValue(MARKING_THRESHOLD),
        "QW",
        DoubleValue(1),
        "UseEcn",
        BooleanValue(true),
        "UseHardDrop",
        BooleanValue(false),
        "MeanPktSize",
        UintegerValue(static_cast<uint32_t>(o.mtu)),
        "MaxSize",
        StringValue(std::to_string(std::max<uint64_t>(1, o.queue / o.mtu)) + "p"));
    marking.Install(devices);
}

/// Builds the IP network: one router.
Hosts
MakeIp(const Options& o, DataRate rate, Time delay)
{
    Hosts hosts;
    hosts.nodes.Create(o.senders + 1);
    NodeContainer router;
    router.Create(1);
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(hosts.nodes);
    stack.Install(router);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(rate));
    link.SetDeviceAttribute("Mtu", UintegerValue(o.mtu));
    link.SetChannelAttribute("Delay", TimeValue(delay));
    const bool marks = o.congestionControl == "marks";
    // With marks it is the queue disc above that holds packets back.
    link.SetQueue("ns3::DropTailQueue<Packet>",
                  "MaxSize",
                  StringValue(marks ? "1p" : std::to_string(o.queue) + "B"));
    auto watch = std::make_shared<EgressWatch>();
    Ipv4AddressHelper address("10.0.0.0", "255.255.255.252");
    for (uint32_t i = 0; i <= o.senders; ++i)
    {
        const NetDeviceContainer devices = link.Install(router.Get(0), hosts.nodes.Get(i));
        if (marks)
        {
            InstallMarking(devices.Get(0), o);
        }
        const Ipv4InterfaceContainer interfaces = address.Assign(devices);
        address.NewNetwork();
        if (!marks)
        {
            TrafficControlHelper().Uninstall(devices); // the device's queue is the only one
        }
        for (uint32_t end = 0; end < 2; ++end)
        {
            devices.Get(end)->TraceConnectWithoutContext(
                "PhyTxEnd",
                Callback<void, Ptr<const Packet>>(
                    [watch, isEgress = end == 0 && i == o.senders](Ptr<const Packet> packet) {
                        ++watch->hops;
                        watch->bytes += isEgress ? packet->GetSize() : 0;
                    }));
        }
        if (i < o.senders)
        {
            continue;
        }
        hosts.target = InetSocketAddress(interfaces.GetAddress(1), UDP_PORT);
        const auto notePeak = [watch](uint32_t, uint32_t bytes) {
            watch->peak = std::max<uint64_t>(watch->peak, bytes);
        };
        const Callback<void, uint32_t, uint32_t> sink(notePeak);
        if (marks)
        {
            router.Get(0)
                ->GetObject<TrafficControlLayer>()
                ->GetRootQueueDiscOnDevice(devices.Get(0))
                ->TraceConnectWithoutContext("BytesInQueue", sink);
        }
        else
        {
            DynamicCast<PointToPointNetDevice>(devices.Get(0))
                ->GetQueue()
                ->TraceConnectWithoutContext("BytesInQueue", sink);
        }
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    hosts.peakQueue = [watch] { return watch->peak; };
    hosts.bytesToTarget = [watch] { return watch->bytes; };
    hosts.addHops = [watch](fabric::RunTotals& totals) { totals.dataHops = watch->hops; };
    return hosts;
}

/// @return the operations as FabricInitiatorApplication knows them
std::string
OperationNames(const Options& o)
{
    std::string names;
    for (const std::string& operation : o.operations)
    {
        names.append(names.empty() ? "" : ",").append(operation == "push" ? "write" : "read");
    }
    return names;
}

/**
 * What is granted fills the target's link for as long as with the transport's default at
 * 200 Gb/s, whatever its rate is.
 *
 * @param run says the rate
 */
void
SetGrantDefaults(FabricRun& run)
{
    constexpr uint64_t LOWEST = 16 * 1024;   // of both attributes
    constexpr uint64_t HIGHEST = 0xFFFFFFFF; // of both attributes
    constexpr uint64_t QUANTA = 8;           // of 64 KiB in 512 KiB
    constexpr double SECONDS = 512.0 * 1024 * 8 / 200e9;
    const double bytes = static_cast<double>(run.GetLinkRate().GetBitRate()) / 8 * SECONDS;
    const auto limit = std::clamp(static_cast<uint64_t>(bytes), LOWEST, HIGHEST);
    run.GetOptions().SetDefault("ns3::FabricTransport::GrantLimitBytes", UintegerValue(limit));
    run.GetOptions().SetDefault("ns3::FabricTransport::GrantQuantumBytes",
                                UintegerValue(std::max(limit / QUANTA, LOWEST)));
}

/// Sets up the transports and applications, and writes down what they do.
class TransportTraffic
{
  public:
    /**
     * @param hosts with what is between them
     * @param o options
     * @param samplePeriod between looks at the windows, 0 for none
     */
    TransportTraffic(const Hosts& hosts, const Options& o, Time samplePeriod)
        : m_hosts(hosts)
    {
        if (!samplePeriod.IsZero())
        {
            m_windows = std::make_unique<FabricWindowSampler>(samplePeriod);
        }
        FabricTransportHelper transport;
        SetAttributes(transport, o);
        o.over == "fabric" ? transport.InstallNic(hosts.nodes) : transport.InstallUdp(hosts.nodes);
        transport.InstallTarget(hosts.nodes.Get(o.senders));
        for (uint32_t i = 0; i < o.senders; ++i)
        {
            const auto initiator = DynamicCast<FabricInitiatorApplication>(
                transport.InstallInitiator(hosts.nodes.Get(i), hosts.target).Get(0));
            m_recorder.Add(i, initiator);
            if (m_windows)
            {
                m_windows->Add(i, initiator);
            }
        }
        for (uint32_t i = 0; o.trace && i <= o.senders; ++i)
        {
            m_recorder.Add(i, GetTransport(i));
        }
        m_operations = uint64_t{o.senders} * o.count;
        m_recorder.SetCallback([this] {
            if (m_recorder.GetFinished() == m_operations)
            {
                m_bytesToTarget = m_hosts.bytesToTarget();
            }
        });
    }

    /// @return bytes over the target's link until the last operation was complete
    uint64_t GetBytesToTarget() const
    {
        return m_bytesToTarget;
    }

    /// @return part of the operations that are complete or have failed
    double GetDone() const
    {
        return static_cast<double>(m_recorder.GetFinished()) / static_cast<double>(m_operations);
    }

    /// @return what was written down
    const FabricTransportRecorder& GetRecorder() const
    {
        return m_recorder;
    }

    /// @return samples of the windows; null if there are none
    const FabricWindowSampler* GetWindows() const
    {
        return m_windows.get();
    }

    /// Adds payload. @param totals the common figures
    void AddPayload(fabric::RunTotals& totals) const
    {
        totals.bytesDropped["failed"] = 0;
        for (uint32_t i = 0; i < m_hosts.nodes.GetN(); ++i)
        {
            const fabric::RdmaCounts& counts = GetTransport(i)->GetEndpoint().Counts();
            totals.bytesOffered += counts.postedBytes;
            totals.bytesDelivered += counts.completedBytes;
            totals.bytesInFlight += counts.outstandingBytes;
            totals.bytesDropped["failed"] += counts.failedBytes;
        }
    }

    /**
     * What the initiators have complete is what the targets have placed or supplied.
     *
     * @throws fabric::InvariantError if it is not
     */
    void CheckBothEnds() const
    {
        uint64_t completed = 0;
        uint64_t moved = 0;
        uint64_t failed = 0;
        for (uint32_t i = 0; i < m_hosts.nodes.GetN(); ++i)
        {
            const fabric::RdmaCounts& counts = GetTransport(i)->GetEndpoint().Counts();
            completed += counts.completedBytes;
            failed += counts.failedBytes;
            moved += counts.placedBytes + counts.suppliedBytes;
        }
        if (m_recorder.GetFinished() != m_operations)
        {
            throw fabric::InvariantError("the run ended with " +
                                         std::to_string(m_recorder.GetFinished()) + " of " +
                                         std::to_string(m_operations) + " operations complete");
        }
        if (moved < completed || moved > completed + failed)
        {
            throw fabric::InvariantError("initiators have " + std::to_string(completed) +
                                         " bytes complete and " + std::to_string(failed) +
                                         " failed, but targets have moved " +
                                         std::to_string(moved));
        }
    }

    /// Adds what the transports have counted. @param summary the figures
    void AddCounters(fabric::Summary& summary) const
    {
        fabric::TransportCounters all;
        uint64_t reorderPeak = 0;
        uint64_t packetPeak = 0;
        uint64_t grantedPeak = 0;
        uint64_t packets = 0;
        for (uint32_t i = 0; i < m_hosts.nodes.GetN(); ++i)
        {
            const fabric::TransportEndpoint& transport =
                GetTransport(i)->GetEndpoint().GetTransport();
            const fabric::TransportOccupancy occupancy = transport.Occupancy();
            const fabric::TransportCounters& counters = transport.Counters();
            reorderPeak = std::max(
                {reorderPeak, occupancy.initiatorEntries.peak, occupancy.targetEntries.peak});
            packetPeak = std::max(packetPeak, occupancy.packetEntries.peak);
            grantedPeak = std::max(grantedPeak, occupancy.granted.peak);
            all.resends += counters.resends;
            all.timeOuts += counters.timeOuts;
            all.duplicates += counters.duplicates;
            for (const uint64_t sent : counters.sent)
            {
                packets += sent;
            }
        }
        summary.Add("packets", {}, packets, "1");
        summary.Add("resends", {}, all.resends, "1");
        summary.Add("time_outs", {}, all.timeOuts, "1");
        summary.Add("duplicates_discarded", {}, all.duplicates, "1");
        summary.Add("cam_peak", {{"engine", "reorder"}}, reorderPeak, "1");
        summary.Add("cam_peak", {{"engine", "retransmission"}}, packetPeak, "1");
        summary.Add("granted_peak", {}, grantedPeak, "B");
    }

  private:
    /// @return the transport of a host
    Ptr<FabricTransport> GetTransport(uint32_t host) const
    {
        return m_hosts.nodes.Get(host)->GetObject<FabricTransport>();
    }

    /// Sets what the options say.
    static void SetAttributes(FabricTransportHelper& transport, const Options& o)
    {
        transport.SetAttribute("Loss", DoubleValue(o.loss));
        transport.SetAttribute("Reorder", DoubleValue(o.reorder));
        transport.SetAttribute("Duplicate", DoubleValue(o.duplicate));
        transport.SetAttribute("Corrupt", DoubleValue(o.corrupt));
        transport.SetAttribute("FaultSeed", UintegerValue(RngSeedManager::GetRun()));
        transport.SetAttribute("DataWindow", UintegerValue(o.window));
        transport.SetAttribute("CongestionControl", StringValue(o.congestionControl));
        transport.SetAttribute("Solicitation",
                               StringValue(o.push == "solicited"     ? "always"
                                           : o.push == "unsolicited" ? "never"
                                                                     : "length"));
        transport.SetInitiatorAttribute("Operations", StringValue(OperationNames(o)));
        transport.SetInitiatorAttribute("Bytes", UintegerValue(o.bytes));
        transport.SetInitiatorAttribute("Count", UintegerValue(o.count));
        transport.SetInitiatorAttribute("Outstanding", UintegerValue(o.outstanding));
        transport.SetInitiatorAttribute("Ordered", BooleanValue(o.ordered));
    }

    const Hosts& m_hosts;                           ///< With what is between them.
    FabricTransportRecorder m_recorder;             ///< What they do.
    std::unique_ptr<FabricWindowSampler> m_windows; ///< Null if not asked for.
    uint64_t m_operations{0};                       ///< Of all senders.
    uint64_t m_bytesToTarget{0};                    ///< Until the last of them was complete.
};

/// Adds completion_time and what follows from it.
void
AddCompletion(fabric::Summary& summary,
              const Hosts& hosts,
              uint64_t bytes,
              uint64_t bytesToTarget,
              fabric::TimePs end,
              DataRate rate)
{
    const double seconds = fabric::ToSeconds(end);
    summary.AddTime("completion_time", {}, end);
    summary.Add("goodput", {}, 8 * static_cast<double>(bytes) / seconds, "bit/s");
    summary.Add("receiver_link_busy",
                {},
                8 * static_cast<double>(bytesToTarget) /
                    (static_cast<double>(rate.GetBitRate()) * seconds),
                "1");
    summary.Add("peak_queue", {}, hosts.peakQueue(), "B");
}

/// Adds what the target's switch has marked, if it marks frames.
void
AddMarkedFrames(fabric::Summary& summary, const Hosts& hosts)
{
    if (hosts.markedFrames)
    {
        summary.Add("marked_frames", {}, hosts.markedFrames(), "1");
    }
}

/// Adds what the fabric has dropped, by cause.
void
AddFailure(fabric::Summary& summary, const FabricNetwork& network)
{
    for (const auto& [cause, bytes] : network.GetTotals().dropped)
    {
        summary.Add("fabric_dropped", {{"cause", cause}}, bytes, "B");
    }
}

/// Runs the reliable transport.
void
RunTransport(FabricRun& run, const Hosts& hosts, const Options& o)
{
    SetGrantDefaults(run);
    const TransportTraffic traffic(hosts, o, run.GetSamplePeriod());
    run.RunUntilIdle([&traffic] { return traffic.GetDone(); });

    const FabricTransportRecorder& recorder = traffic.GetRecorder();
    fabric::RunTotals totals;
    totals.simulatedTime = recorder.GetEnd();
    hosts.addHops(totals);
    traffic.AddPayload(totals);
    totals.CheckConservation(); // in every run, also without --check
    traffic.CheckBothEnds();
    AddCompletion(run.GetSummary(),
                  hosts,
                  totals.bytesDelivered,
                  traffic.GetBytesToTarget(),
                  recorder.GetEnd(),
                  run.GetLinkRate());
    run.GetSummary().AddDistribution("latency", {}, recorder.GetLatencies(), "s");
    traffic.AddCounters(run.GetSummary());
    AddMarkedFrames(run.GetSummary(), hosts);
    if (!o.failAt.IsZero())
    {
        AddFailure(run.GetSummary(), *hosts.network);
    }
    run.Finish(totals, [&recorder, &traffic, &o](fabric::RunDirectory& directory) {
        recorder.WriteOperations(directory.Open("messages.csv"));
        if (traffic.GetWindows())
        {
            traffic.GetWindows()->Write(directory.Open("windows.csv"));
        }
        if (o.trace)
        {
            recorder.WritePackets(directory.Open("packets.csv"));
        }
    });
}

/// Lets a host lose packets that arrive.
void
InstallLoss(const NodeContainer& nodes, double loss)
{
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(loss);
        model->AssignStreams(i);
        for (uint32_t d = 0; d < nodes.Get(i)->GetNDevices(); ++d)
        {
            if (auto device = DynamicCast<PointToPointNetDevice>(nodes.Get(i)->GetDevice(d)))
            {
                device->SetReceiveErrorModel(model);
            }
        }
    }
}

/**
 * Segments that fill the packets, room for a window, and timers of a data centre; ns-3's own
 * defaults are of slow links.
 *
 * @param run says what is given on the command line
 * @param o options
 */
void
SetTcpDefaults(FabricRun& run, const Options& o)
{
    constexpr uint64_t HEADERS = 60;           // IP, TCP and its options
    constexpr uint64_t BUFFER_BYTES = 4 << 20; // as much as SendPayloadBytes of the transport
    run.GetOptions().SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(o.mtu - HEADERS));
    run.GetOptions().SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(BUFFER_BYTES));
    run.GetOptions().SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(BUFFER_BYTES));
    if (o.congestionControl == "marks")
    {
        run.GetOptions().SetDefault("ns3::TcpL4Protocol::SocketType",
                                    TypeIdValue(TypeId::LookupByName("ns3::TcpDctcp")));
    }
    // Up to 10 ms, and 200 ms where a window is one packet, is longer than what is to be seen.
    run.GetOptions().SetDefault("ns3::ArpL3Protocol::RequestJitter",
                                StringValue("ns3::ConstantRandomVariable[Constant=0]"));
    run.GetOptions().SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MicroSeconds(20)));
}

/// Runs TCP: each sender sends all its bytes over one connection.
void
RunTcp(FabricRun& run, const Hosts& hosts, const Options& o)
{
    const uint64_t each = o.bytes * o.count;
    const uint64_t all = each * o.senders;
    if (o.loss > 0)
    {
        InstallLoss(hosts.nodes, o.loss);
    }
    auto sink = CreateObject<PacketSink>();
    sink->SetAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
    sink->SetAttribute("Local", AddressValue(InetSocketAddress(Ipv4Address::GetAny(), TCP_PORT)));
    hosts.nodes.Get(o.senders)->AddApplication(sink);
    uint64_t received = 0;
    uint64_t bytesToTarget = 0;
    fabric::TimePs end = 0;
    sink->TraceConnectWithoutContext("Rx",
                                     Callback<void, Ptr<const Packet>, const Address&>(
                                         [&](Ptr<const Packet> packet, const Address&) {
                                             received += packet->GetSize();
                                             bytesToTarget = hosts.bytesToTarget();
                                             end = Simulator::Now().GetPicoSeconds();
                                         }));
    const Ipv4Address target = InetSocketAddress::ConvertFrom(hosts.target).GetIpv4();
    for (uint32_t i = 0; i < o.senders; ++i)
    {
        auto sender = CreateObject<BulkSendApplication>();
        sender->SetAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
        sender->SetAttribute("Remote", AddressValue(InetSocketAddress(target, TCP_PORT)));
        sender->SetAttribute("MaxBytes", UintegerValue(each));
        hosts.nodes.Get(i)->AddApplication(sender);
    }
    run.RunUntilIdle(
        [&received, all] { return static_cast<double>(received) / static_cast<double>(all); });
    if (received != all)
    {
        throw fabric::InvariantError("the run ended with " + std::to_string(received) + " of " +
                                     std::to_string(all) + " bytes received");
    }
    fabric::RunTotals totals;
    totals.bytesOffered = all;
    totals.bytesDelivered = received;
    totals.simulatedTime = end;
    hosts.addHops(totals);
    AddCompletion(run.GetSummary(), hosts, received, bytesToTarget, end, run.GetLinkRate());
    AddMarkedFrames(run.GetSummary(), hosts);
    if (!o.failAt.IsZero())
    {
        AddFailure(run.GetSummary(), *hosts.network);
    }
    run.Finish(totals, [](fabric::RunDirectory&) {});
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
        run.Parse(argc, argv);
        CheckOptions(o, run.GetOptions().GetThreads());
        if (o.protocol == "tcp")
        {
            SetTcpDefaults(run, o); // hosts are made by them
        }
        const Hosts hosts = o.over == "fabric" ? MakeFabric(run, o)
                                               : MakeIp(o, run.GetLinkRate(), run.GetLinkDelay());
        if (o.protocol == "rt")
        {
            RunTransport(run, hosts, o);
        }
        else
        {
            RunTcp(run, hosts, o);
        }
        return fabric::EXIT_DONE;
    });
}
