/* SPDX-License-Identifier: GPL-2.0-only */

// A random fabric with random traffic of one kind: what each host gets when, and what the switches
// have counted. utils/run-rank-tests.py compares runs on several ranks with those on one.

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/fabric-command-helper.h"
#include "ns3/fabric-fat-tree-helper.h"
#include "ns3/fabric-group-helper.h"
#include "ns3/fabric-network-totals.h"
#include "ns3/fabric-pio-helper.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-rank-link.h"
#include "ns3/fabric-reduction-helper.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-transport-helper.h"
#include "ns3/flow-id-tag.h"
#include "ns3/hash.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <array>
#include <initializer_list>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr uint32_t HOSTS = 8;         ///< Of the fabric.
constexpr uint32_t SENDS = 2 * HOSTS; ///< Of an application each, or of a command.
constexpr uint16_t UDP_PORT = 9;      ///< Of all hosts.
constexpr uint16_t TCP_PORT = 80;     ///< Of all hosts.

/// What the command line says.
struct Options
{
    uint32_t seed{1};                ///< Decides all that is random.
    std::string traffic{"messages"}; ///< Its kind.
    bool outages{false};             ///< Whether links fail and are repaired.
    bool watched{false};             ///< `--watched`
    bool changes{false};             ///< `--changes`
    uint32_t classes{1};             ///< Traffic classes that have turns, from 0 on.
    double loss{0};                  ///< Fraction of frames that links lose.
};

/// Draws numbers; the same on all ranks, which draw as many.
class Draw
{
  public:
    explicit Draw(uint32_t seed)
        : m_random(seed + 1)
    {
    }

    /// @return a number below that one
    uint32_t Below(uint32_t number)
    {
        return m_random() / 7 % number;
    }

    /// @return one of them
    uint64_t Of(std::initializer_list<uint64_t> values)
    {
        return *(values.begin() + Below(static_cast<uint32_t>(values.size())));
    }

    /// @return a time below that one
    Time Before(Time time)
    {
        return NanoSeconds(Below(static_cast<uint32_t>(time.GetNanoSeconds())));
    }

    /// @return a host that is not that one
    uint32_t OtherThan(uint32_t host)
    {
        return (host + 1 + Below(HOSTS - 1)) % HOSTS;
    }

  private:
    std::minstd_rand m_random; ///< Random numbers.
};

/// What hosts got, in the order in which they did.
class Journal
{
  public:
    /// @return takes a line about a host at the present
    std::ostream& Note(uint32_t host)
    {
        return m_ofHost[host] << "\n" << Simulator::Now().GetPicoSeconds() << " ";
    }

    /// A message to a host is lost; when that is told depends on windows.
    void NoteLost(const Message& message)
    {
        m_lost.insert({message.dst, message.src, message.sequence});
    }

    /// Writes the journal of all ranks. @param os where to
    void Write(std::ostream& os)
    {
        for (std::ostringstream& own : m_ofHost)
        {
            const std::string text = own.str();
            const auto all = CollectFromRanks(std::vector<char>(text.begin(), text.end()));
            os << "host" << std::string(all.begin(), all.end()) << "\n";
        }
        std::vector<Loss> own(m_lost.begin(), m_lost.end());
        const std::vector<Loss> all = CollectFromRanks(own);
        for (const Loss& loss : std::set<Loss>(all.begin(), all.end()))
        {
            os << "lost " << loss[0] << " " << loss[1] << " " << loss[2] << "\n";
        }
    }

  private:
    using Loss = std::array<uint32_t, 3>; ///< Receiver, sender, number.

    std::vector<std::ostringstream> m_ofHost{HOSTS}; ///< Lines, by host.
    std::set<Loss> m_lost;                           ///< Messages.
};

/// Sets an attribute of switches that needs flow channels, if there are any.
void
SetOfFlows(FabricRun& run, const std::string& name, const AttributeValue& value)
{
    if (run.HasFlowChannels())
    {
        run.GetHelper().SetSwitchAttribute(name, value);
    }
}

/// Sets attributes of links and switches.
void
SetAttributes(FabricRun& run, const Options& options, Draw& draw)
{
    FabricHelper& helper = run.GetHelper();
    helper.SetSwitchAttribute("Telemetry", BooleanValue(options.traffic == "hpcc"));
    helper.SetStream(options.seed);
    helper.SetChannelAttribute("Delay", TimeValue(PicoSeconds(draw.Of({2, 30'000, 777'777}))));
    helper.SetHostChannelAttribute("Delay", TimeValue(PicoSeconds(draw.Of({2, 11'000}))));
    helper.SetHostChannelAttribute("DataRate",
                                   DataRateValue(DataRate(draw.Of({25, 200}) * 1'000'000'000)));
    helper.SetChannelAttribute("CreditFrames", BooleanValue(draw.Of({0, 0, 1}) != 0));
    SetOfFlows(run, "FlowIds", UintegerValue(draw.Of({2, 2047})));
    helper.SetSwitchAttribute("Latency", TimeValue(PicoSeconds(draw.Of({0, 350'000}))));
    helper.SetSwitchAttribute("ControlLatency", TimeValue(PicoSeconds(draw.Of({0, 50'000}))));
    helper.SetSwitchAttribute("BufferBytes", UintegerValue(draw.Of({40'000, 128'000})));
    SetOfFlows(run, "Reroute", BooleanValue(draw.Of({0, 1}) != 0));
    helper.SetSwitchAttribute("MarkClasses", UintegerValue(1));
    helper.SetSwitchAttribute("MarkMinBytes", UintegerValue(5'000));
    helper.SetSwitchAttribute("MarkMaxBytes", UintegerValue(9'000));
    if (options.loss > 0)
    {
        ObjectFactory model("ns3::RateErrorModel");
        model.Set("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
        model.Set("ErrorRate", DoubleValue(options.loss));
        helper.SetErrorModel(model);
    }
}

/// Lets links fail and be repaired, some of them announced in the run.
void
AddOutages(const FabricContainer& fabric, Draw& draw)
{
    std::vector<Ptr<FabricChannel>> links = fabric.links;
    links.insert(links.end(), fabric.hostLinks.begin(), fabric.hostLinks.end());
    for (uint32_t i = 0; i < 6; ++i)
    {
        const Ptr<FabricChannel> link = links[draw.Below(static_cast<uint32_t>(links.size()))];
        const Time from = draw.Before(MicroSeconds(8));
        const Time at = from + (i % 3 == 0 ? Time(0) : draw.Before(MicroSeconds(2)));
        const Time lasts = MicroSeconds(2) + draw.Before(MicroSeconds(10));
        Simulator::Schedule(from, [link, at, lasts] {
            try
            {
                link->FailAt(at);
                link->RepairAt(at + lasts);
            }
            catch (const std::invalid_argument&)
            {
                // It has failed already, or will.
            }
        });
    }
}

/// @return a table with a lane for each class
LaneTable
DrawLanes(Draw& draw)
{
    LaneTable table;
    table.levels = {"high", "low"};
    table.groups = {{0, 2'000}, {1, 5'000}};
    for (uint8_t lane = 0; lane < 4; ++lane)
    {
        const auto level = static_cast<uint8_t>(draw.Below(2));
        const auto group = static_cast<uint8_t>(draw.Below(2));
        table.lanes.push_back({lane, level, lane, group, false});
    }
    return table;
}

/// Makes a change in the run. @param kind of change, below 5
void
Change(const FabricContainer& fabric, uint32_t kind, Draw draw)
{
    const Ptr<FabricSwitch> chosen = fabric.GetSwitch(draw.Below(fabric.switches.GetN()));
    const bool isOn = draw.Of({0, 1}) != 0;
    switch (kind)
    {
    case 0:
        chosen->SetAttribute("HopCredits", BooleanValue(isOn));
        break;
    case 1:
        chosen->SetAttribute("AckIdleTimer", TimeValue(NanoSeconds(draw.Of({0, 20, 60}))));
        break;
    case 2:
        chosen->SetAttribute("DiscardClasses", UintegerValue(isOn ? 2 : 0));
        break;
    case 3:
        fabric.network->SetAttribute("Lookahead", BooleanValue(isOn));
        break;
    default:
        fabric.network->SetLaneTable(DrawLanes(draw));
    }
}

/// Changes the fabric in the run, at the same times on all ranks.
void
AddChanges(const FabricContainer& fabric, uint32_t seed)
{
    Draw draw(seed + 1'000'000); // what else is drawn stays
    for (uint32_t i = 0; i < 20; ++i)
    {
        const Time at = draw.Before(MicroSeconds(20));
        const uint32_t kind = draw.Below(5);
        const Draw own(seed + i);
        Simulator::Schedule(at, [&fabric, kind, own] {
            try
            {
                Change(fabric, kind, own);
            }
            catch (const std::invalid_argument&)
            {
                // Switches that were made without a lane table get none, on any rank.
            }
        });
    }
}

/// Messages of all sizes, of which half meet at one host.
void
SendMessages(const FabricContainer& fabric, const Options& options, Draw& draw)
{
    for (uint32_t i = 0; i < 150; ++i)
    {
        const uint32_t from = 1 + draw.Below(HOSTS - 1);
        const uint32_t to = draw.Of({0, 1}) == 0 ? 0 : draw.OtherThan(from);
        const uint64_t bytes = draw.Of({0, 1, 64, 4'096, 9'000, 100'000});
        const Time at = draw.Before(MicroSeconds(6));
        const Ptr<FabricNetDevice> device = fabric.GetDevice(from);
        const uint32_t trafficClass = i % options.classes;
        if (!device->IsElsewhere())
        {
            Simulator::Schedule(at, [=] {
                device->SendMessage(LocationOf(to), bytes, trafficClass, i);
            });
        }
    }
}

/// Messages to groups, and some to single hosts between them.
void
SendToGroups(const FabricContainer& fabric, const Options& options, Draw& draw)
{
    std::vector<std::vector<uint32_t>> groups(12);
    for (std::vector<uint32_t>& members : groups)
    {
        const auto odds = static_cast<uint32_t>(draw.Of({1, 2, 5}));
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            if (draw.Below(odds) == 0)
            {
                members.push_back(host);
            }
        }
        while (members.size() < 2)
        {
            members.push_back(members.empty() ? draw.Below(HOSTS) : draw.OtherThan(members[0]));
        }
    }
    const std::vector<LocationId> locations = FabricGroupHelper(fabric).Create(groups);
    for (uint32_t i = 0; i < 150; ++i)
    {
        const uint32_t group = draw.Below(static_cast<uint32_t>(groups.size()));
        const std::vector<uint32_t>& members = groups[group];
        const uint32_t from = members[draw.Below(static_cast<uint32_t>(members.size()))];
        const LocationId one = LocationOf(draw.OtherThan(from));
        const LocationId to = draw.Of({0, 0, 1}) == 0 ? locations[group] : one;
        const uint64_t bytes = draw.Of({0, 1, 64, 4'096, 9'000, 30'000});
        const Time at = draw.Before(MicroSeconds(20));
        const uint32_t trafficClass = i % options.classes;
        const Ptr<FabricNetDevice> device = fabric.GetDevice(from);
        if (!device->IsElsewhere())
        {
            Simulator::Schedule(at, [=] { device->SendMessage(to, bytes, trafficClass, i); });
        }
    }
}

/// Reductions to all members and to one, several operations of each at a time, and messages between
/// them.
void
UseReductions(const FabricContainer& fabric, const Options& options, Draw& draw, Journal& journal)
{
    FabricGroupHelper groups(fabric);
    FabricReductionHelper helper(groups);
    for (uint32_t host = 0; host < HOSTS; ++host)
    {
        fabric.GetDevice(host)->SetReductionCallback(
            Callback<void, const ReductionResult&>([&journal, host](const ReductionResult& result) {
                journal.Note(host) << "reduction " << result.reduction << " " << result.number
                                   << " has " << result.Value();
            }));
    }
    for (uint32_t i = 0; i < 5; ++i)
    {
        std::vector<uint32_t> members{draw.Below(HOSTS)};
        for (uint32_t more = draw.Below(HOSTS); more > 0; --more)
        {
            members.push_back((members.back() + 1) % HOSTS);
        }
        helper.SetWindow(1 + draw.Below(8));
        const uint32_t target = members[draw.Below(static_cast<uint32_t>(members.size()))];
        const auto operation =
            draw.Of({0, 1}) == 0 ? ReductionOperation::SUM : ReductionOperation::MAX;
        const LocationId location = draw.Of({0, 1}) == 0
                                        ? helper.Create(members, operation)
                                        : helper.CreateTo(target, members, operation);
        for (uint32_t number = 0; number < 4; ++number)
        {
            const uint64_t bytes = draw.Of({1, 64, 4'096, 60'000});
            for (const uint32_t member : members)
            {
                const Time at = MicroSeconds(3 * number) + draw.Before(MicroSeconds(3));
                const Ptr<FabricNetDevice> device = fabric.GetDevice(member);
                const auto value = static_cast<int64_t>(draw.Below(1000));
                if (!device->IsElsewhere())
                {
                    Simulator::Schedule(at, [=] { device->Reduce(location, bytes, value); });
                }
            }
        }
    }
    SendMessages(fabric, options, draw);
}

/// A packet over UDP, with bytes and tags.
void
SendPacket(Ptr<Socket> socket, const Address& to, uint32_t bytes, uint32_t number)
{
    std::vector<uint8_t> data(bytes);
    for (uint32_t i = 0; i < bytes; ++i)
    {
        data[i] = static_cast<uint8_t>(i * 7 + number);
    }
    const auto packet = Create<Packet>(data.data(), bytes);
    packet->AddByteTag(FlowIdTag(number));
    packet->AddPacketTag(FlowIdTag(number + 1));
    socket->SetIpTos(number % 2 == 0 ? 0x02 : 0xB8);
    socket->SendTo(packet, 0, to);
}

/// Notes a packet as its host's device takes it.
void
NotePacket(Journal* journal, uint32_t host, Ptr<const Packet> packet)
{
    std::string bytes(packet->GetSize(), '\0');
    packet->CopyData(reinterpret_cast<uint8_t*>(bytes.data()), packet->GetSize());
    std::ostream& line = journal->Note(host);
    line << "packet " << bytes.size() << " " << Hash64(bytes) << " ";
    packet->PrintPacketTags(line);
    line << "|";
    packet->PrintByteTags(line);
}

/// @return a socket of UDP that may broadcast
Ptr<Socket>
MakeSocket(const FabricContainer& fabric, uint32_t host)
{
    const Ptr<Socket> socket =
        Socket::CreateSocket(fabric.hosts.Get(host), UdpSocketFactory::GetTypeId());
    socket->SetAllowBroadcast(true);
    return socket;
}

/// Packets of UDP, some of them to all hosts, and connections of TCP whose packets are marked.
void
SendPackets(const FabricContainer& fabric, Draw& draw, Journal& journal)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpDctcp"));
    InternetStackHelper stack;
    stack.Install(fabric.hosts);
    stack.AssignStreams(fabric.hosts, 1000);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.0.0");
    const Ipv4InterfaceContainer interfaces = addresses.Assign(fabric.devices);
    const auto isHere = [&](uint32_t host) { return !fabric.GetDevice(host)->IsElsewhere(); };
    for (uint32_t host = 0; host < HOSTS; ++host)
    {
        fabric.GetDevice(host)->TraceConnectWithoutContext(
            "MacRx",
            MakeBoundCallback(&NotePacket, &journal, host));
        if (isHere(host))
        {
            const InetSocketAddress any(Ipv4Address::GetAny(), UDP_PORT);
            MakeSocket(fabric, host)->Bind(any);
            PacketSinkHelper("ns3::TcpSocketFactory",
                             InetSocketAddress(Ipv4Address::GetAny(), TCP_PORT))
                .Install(fabric.hosts.Get(host));
        }
    }
    for (uint32_t i = 0; i < 40; ++i)
    {
        const uint32_t from = draw.Below(HOSTS);
        const Ipv4Address one = interfaces.GetAddress(draw.OtherThan(from));
        const Ipv4Address to = draw.Of({0, 0, 0, 1}) == 0 ? one : Ipv4Address("10.0.255.255");
        const auto bytes = static_cast<uint32_t>(draw.Of({1, 500, 4'000, 20'000}));
        const Time at = draw.Before(MicroSeconds(60));
        if (isHere(from))
        {
            const Ptr<Socket> socket = MakeSocket(fabric, from);
            socket->Bind();
            const Address remote = InetSocketAddress(to, UDP_PORT);
            Simulator::Schedule(at, [=] { SendPacket(socket, remote, bytes, i); });
        }
    }
    for (uint32_t i = 0; i < 6; ++i)
    {
        const uint32_t from = 1 + draw.Below(HOSTS - 1);
        const uint32_t to = draw.Of({0, 1}) == 0 ? 0 : draw.OtherThan(from);
        BulkSendHelper sender("ns3::TcpSocketFactory",
                              InetSocketAddress(interfaces.GetAddress(to), TCP_PORT));
        sender.SetAttribute("MaxBytes", UintegerValue(draw.Of({1'000, 100'000, 300'000})));
        const Time at = draw.Before(MicroSeconds(10));
        if (isHere(from))
        {
            sender.Install(fabric.hosts.Get(from)).Start(at);
        }
    }
}

/// Operations of the reliable transport; some of its packets are lost.
void
UseTransport(const FabricContainer& fabric, const Options& options, Draw& draw, Journal& journal)
{
    FabricTransportHelper helper;
    helper.SetAttribute("Loss", DoubleValue(0.02));
    helper.SetAttribute("Duplicate", DoubleValue(0.05));
    const std::string control = draw.Of({0, 1}) ? "delay" : "fixed";
    helper.SetAttribute("CongestionControl",
                        StringValue(options.traffic == "hpcc" ? "hpcc" : control));
    helper.SetAttribute("MinRto", TimeValue(MicroSeconds(20)));
    helper.InstallNic(fabric.hosts);
    helper.InstallTarget(fabric.hosts);
    for (uint32_t i = 0; i < SENDS; ++i)
    {
        const uint32_t from = draw.Below(HOSTS);
        const Address to = fabric.GetDevice(draw.OtherThan(from))->GetAddress();
        helper.SetInitiatorAttribute("Bytes", UintegerValue(draw.Of({0, 1, 4'096, 60'000})));
        helper.SetInitiatorAttribute("Count", UintegerValue(1 + draw.Below(6)));
        helper.SetInitiatorAttribute("Operations", StringValue("read,write,send"));
        ApplicationContainer initiator = helper.InstallInitiator(fabric.hosts.Get(from), to);
        initiator.Start(draw.Before(MicroSeconds(9)));
        initiator.Get(0)->TraceConnectWithoutContext(
            "Completed",
            Callback<void, const RdmaEvent&, Time>(
                [&journal, from, i](const RdmaEvent& event, Time) {
                    journal.Note(from)
                        << "operation of " << i << " of " << event.bytes << " at " << event.at;
                }));
    }
}

/// Commands of all kinds, and atomics at whose count others go.
void
UseCommands(const FabricContainer& fabric, const Options& options, Draw& draw, Journal& journal)
{
    FabricCommandHelper helper;
    helper.SetAttribute("RetryTimeout", TimeValue(MicroSeconds(10)));
    std::vector<Ptr<FabricCommandQueues>> queues;
    for (uint32_t host = 0; host < HOSTS; ++host)
    {
        queues.push_back(helper.Install(fabric, host));
        queues.back()->SetReportCallback(
            Callback<void, const CommandReport&>([&journal, host](const CommandReport& report) {
                journal.Note(host) << "report " << static_cast<uint32_t>(report.event) << " of "
                                   << report.bytes << " at " << report.at;
            }));
    }
    const std::array operations{"put", "get", "send", "tagged"};
    for (uint32_t i = 0; i < SENDS; ++i)
    {
        const uint32_t from = draw.Below(HOSTS);
        helper.SetApplicationAttribute("Operation", StringValue(operations[draw.Below(4)]));
        helper.SetApplicationAttribute("Bytes", UintegerValue(draw.Of({0, 192, 4'096, 60'000})));
        helper.SetApplicationAttribute("Count", UintegerValue(1 + draw.Below(6)));
        helper.SetApplicationAttribute("TrafficClass", UintegerValue(i % options.classes));
        helper.InstallInitiator(fabric, from, draw.OtherThan(from))
            ->SetStartTime(draw.Before(MicroSeconds(9)));
        CommandStream atomic;
        atomic.op = CommandOp::ATOMIC;
        atomic.bytes = 8;
        atomic.flow.dst = LocationOf(draw.OtherThan(from));
        atomic.arguments.atomic.operand = i;
        atomic.arguments.atomic.fetches = draw.Of({0, 1}) != 0;
        atomic.arguments.targetCounter = 1;
        atomic.arguments.trigger = {1, draw.Of({0, 0, 1, 2})};
        const Time at = draw.Before(MicroSeconds(9));
        if (!fabric.GetDevice(from)->IsElsewhere())
        {
            Simulator::Schedule(at, [=] { queues[from]->Post(0, atomic); });
        }
    }
}

/// Messages by programmed I/O, the larger ones by SDMA.
void
UsePio(const FabricContainer& fabric, const Options& options, Draw& draw)
{
    FabricPioHelper helper;
    helper.SetAttribute("Threads", UintegerValue(2));
    helper.SetAttribute("SdmaBytes", UintegerValue(draw.Of({0, 5'000})));
    for (uint32_t host = 0; host < HOSTS; ++host)
    {
        helper.Install(fabric, host);
    }
    for (uint32_t i = 0; i < SENDS; ++i)
    {
        const uint32_t from = draw.Below(HOSTS);
        helper.SetApplicationAttribute("Bytes", UintegerValue(draw.Of({1, 192, 4'096, 20'000})));
        helper.SetApplicationAttribute("Count", UintegerValue(1 + draw.Below(6)));
        helper.SetApplicationAttribute("TrafficClass", UintegerValue(i % options.classes));
        helper.InstallSender(fabric, from, draw.OtherThan(from), draw.Below(2))
            ->SetStartTime(draw.Before(MicroSeconds(9)));
    }
}

/// Lets hosts send.
void
AddTraffic(const FabricContainer& fabric, const Options& options, Draw& draw, Journal& journal)
{
    if (options.traffic == "messages")
    {
        SendMessages(fabric, options, draw);
    }
    else if (options.traffic == "groups")
    {
        SendToGroups(fabric, options, draw);
    }
    else if (options.traffic == "reductions")
    {
        UseReductions(fabric, options, draw, journal);
    }
    else if (options.traffic == "packets")
    {
        SendPackets(fabric, draw, journal);
    }
    else if (options.traffic == "transport" || options.traffic == "hpcc")
    {
        UseTransport(fabric, options, draw, journal);
    }
    else if (options.traffic == "commands")
    {
        UseCommands(fabric, options, draw, journal);
    }
    else
    {
        UsePio(fabric, options, draw);
    }
}

/// Writes what switches have counted, and what became of the bytes.
void
WriteCounts(std::ostream& os, const FabricContainer& fabric)
{
    std::vector<uint64_t> counts;
    for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
    {
        const SwitchChip& chip = fabric.GetSwitch(i)->GetChip();
        counts.push_back(chip.Counts().peakHeldBytes);
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            counts.push_back(chip.Output(port).Counts().bytes);
            counts.push_back(chip.Output(port).Counts().controlFrames);
        }
    }
    for (const uint64_t count : SumOverRanks(counts))
    {
        os << count << "\n";
    }
    const uint64_t isLeft = fabric.network->IsEmpty() ? 0 : 1;
    os << (MostOfRanks({isLeft}).front() == 0 ? "nothing" : "something") << " is left\n";
    for (const auto& [cause, bytes] : fabric.network->GetTotalsOfRanks().dropped)
    {
        os << cause << " " << bytes << "\n";
    }
}

/// Counts frames at every other switch, which goes by single instants for that, beside others that
/// run ahead. @param arrivals by switch, lives as long as the run
void
Watch(const FabricContainer& fabric, std::vector<uint64_t>& arrivals)
{
    for (uint32_t i = 1; i < arrivals.size(); i += 2)
    {
        fabric.GetSwitch(i)->TraceConnectWithoutContext(
            "Arrive",
            Callback<void, uint32_t, const Frame&, Time>(
                [&count = arrivals[i]](uint32_t, const Frame&, Time) { ++count; }));
    }
}

/// @return the fabric: with `--topology` that one, whose first hosts send, else a small tree
const FabricContainer&
Install(FabricRun& run)
{
    if (run.GetOptions().IsGiven("topology"))
    {
        // Some have four virtual channels, of the same buffer.
        run.GetHelper().SetSwitchAttribute("ReservedBytes", UintegerValue(9'024));
        const FabricContainer& fabric = run.InstallTree();
        if (fabric.hosts.GetN() < HOSTS)
        {
            throw BadInput("the topology has fewer than " + std::to_string(HOSTS) + " hosts");
        }
        return fabric;
    }
    FatTreeConfig config;
    config.radix = 4;
    config.hosts = HOSTS;
    return run.Install(FatTreeHelper(config).GetTree());
}

/// Runs the program. @param run is parsed
void
Run(FabricRun& run, const Options& options)
{
    Draw draw(options.seed);
    SetAttributes(run, options, draw);
    const FabricContainer& fabric = Install(run);
    if (options.outages)
    {
        AddOutages(fabric, draw);
    }
    if (options.changes)
    {
        AddChanges(fabric, options.seed);
    }
    Journal journal;
    fabric.network->TraceConnectWithoutContext(
        "MessageLost",
        Callback<void, const Message&>(
            [&journal](const Message& message) { journal.NoteLost(message); }));
    AddTraffic(fabric, options, draw, journal);
    std::vector<uint64_t> arrivals(fabric.switches.GetN());
    if (options.watched)
    {
        Watch(fabric, arrivals);
    }
    run.RunFor(MicroSeconds(13)); // and go on in the midst of it
    run.RunFor(MicroSeconds(87));
    std::ostringstream found;
    journal.Write(found);
    for (const uint64_t frames : SumOverRanks(arrivals))
    {
        found << frames << "\n";
    }
    WriteCounts(found, fabric);
    run.Finish([&found](RunDirectory& directory) { directory.Open("packets.csv") << found.str(); });
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunProgram([argc, argv] {
        Options options;
        FabricRun run("fabric-ranks-program.cc", "Random traffic of a random fabric.");
        run.AddTreeOptions();
        run.GetOptions().AddRanks();
        run.GetOptions().Add("seed", "decides all", options.seed, CountType(0U, 1U << 30));
        run.GetOptions().Add("traffic",
                             "its kind",
                             options.traffic,
                             ChoiceType({"messages",
                                         "groups",
                                         "reductions",
                                         "packets",
                                         "transport",
                                         "hpcc",
                                         "commands",
                                         "pio"}));
        run.GetOptions().Add("outages", "links fail", options.outages);
        run.GetOptions().Add("changes", "attributes change in the run", options.changes);
        run.GetOptions().Add("classes", "traffic classes", options.classes, CountType(1U, 4U));
        run.GetOptions().Add("watched", "some switches are traced", options.watched);
        run.GetOptions().Add("loss", "lost fraction", options.loss, NumberType(0, 0.5));
        run.Parse(argc, argv);
        Run(run, options);
        return EXIT_DONE;
    });
}
